/*
 * docd.h - what the files of docd share.
 *
 * docd owns documents and their bytes. A document is a row (document.c); its bytes come by a signed form and lie in
 * a store (store.h) under the id of an object row, which outlives them: what was interrupted is swept.
 */
#ifndef ATRIUM_DOCD_H
#define ATRIUM_DOCD_H

#include "common/policy.h"
#include "common/service.h"
#include "docd/docd_api.h"
#include "docd/docd_sql.h"
#include "docd/store.h"
#include "docd/variant.h"

struct docd_config {
    struct database_config db;
    const char *seal_key;
    const char *storage_dir, *bucket;
    int64_t max_upload; /* bytes */
    int64_t image_threads, image_queue, image_memory, variant_cache;
    const char *public_url;
};

/* What policies and the audit trail call a document. */
#define DOCUMENT_TYPE "DocumentReference"

struct docd {
    struct service svc; /* first: service_main() allocates and fills it */
    const struct docd_config *config;
    struct store *store;
    struct sniffer *sniffer;
    struct variants *variants;
};

#define ROUTE(method, path, handler, input, output, access, flags) \
    HANDLER(struct docd, handler, input, output)
#define ALIAS(...)
#define OP(handler, input, output, callers, flags) HANDLER(struct docd, handler, input, output)
#include "docd/docd_routes.def"

/* ---- document.c ---- */

/* Whose documents the caller may do that to: an author, or any ("" in *ret_author). ERR_FORBIDDEN: nobody's. */
int document_scope(const struct request *req, enum policy_interaction interaction,
                   struct uuid *ret_author, struct error *err) MUST_USE;

int document_not_found(struct error *err);

/* ---- sweep.c ---- */

enum { SWEEP_AFTER_MS = 24 * 3600 * 1000 /* what was begun and not ended */ };

/* Removes what is over: documents that nothing was uploaded to, forms that are too old, bytes that are due; a run of
 * service_every(). Parks. */
int sweep(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* Removes the bytes of one object that is due, then its row. Parks. */
int object_sweep(struct docd *d, const struct request *req, struct uuid project, struct uuid object,
                 struct error *err) MUST_USE;

/* Removes the bytes of all objects that are due. Parks. */
int sweep_objects(struct docd *d, const struct request *req, struct error *err) MUST_USE;

#endif
