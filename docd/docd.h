/*
 * docd.h - what the files of docd share.
 *
 * docd owns documents and their bytes. A document is a row (document.c); its bytes come by a signed
 * form and lie in a store (store.h) under the id of an object row, which outlives them: what was
 * interrupted is swept.
 */
#ifndef ATRIUM_DOCD_DOCD_H
#define ATRIUM_DOCD_DOCD_H

#include <sys/queue.h>

#include "common/base/clock.h"
#include "common/bus/method.h"
#include "common/domain/policy.h"
#include "common/runtime/batch.h"
#include "common/service/service.h"
#include "docd/document/direct_upload.h"
#include "docd/image/variant.h"
#include "docd/store/file_sender.h"
#include "docd/store/store.h"

struct docd_config {
    struct database_config db;
    const char *seal_key;
    const char *storage_dir, *bucket;
    int64_t max_upload; /* bytes */
    int64_t image_bytes, image_threads, image_queue, image_memory, variant_cache;
    const char *public_url;
    int64_t public_max_age; /* s */
    const char *store;      /* "local", "s3" */
    const char *s3_url, *s3_region, *s3_bucket, *s3_style, *s3_key, *s3_secret_file;
    int64_t s3_part_size;
    bool pass_files;
};

struct docd {
    struct service svc; /* first: service_main() allocates and fills it */
    const struct docd_config *config;
    struct secret s3_secret;
    struct store *store;
    struct file_sender *files;             /* NULL: none are handed to gateways */
    struct direct_uploads *direct_uploads; /* NULL: forms are posted to docd */
    struct sniffer *sniffer;
    struct variants *variants;
    uint64_t *bytes_missing; /* reads of documents whose bytes the store does not have */
    /* disk_space.c's: what is free, when that was seen */
    int64_t disk_space_bytes, disk_space_mono_ms;
    struct policy_scopes *policies;
    struct batch document_files;      /* see document_file.h */
    LIST_HEAD(, author_turn) authors; /* that make a document */
    struct list_cache *lists;
};

#define SERVICE docd
#define SERVICE_OPERATIONS OPERATION_HANDLERS
#include "common/bus/operations.def"

/* check.c */
extern const struct check docd_checks[];

/* wipe.c: documents with their bytes, content, counters */
extern const struct purge_step docd_purge[];

/* ---- document.c ---- */

#define DOCUMENT_TOKEN_PURPOSE "public token" /* what public tokens are sealed for */

/* Documents the caller may act on: those of *ret_author, or all when unset. Fails: FORBIDDEN. */
int document_scope(struct docd *d, const struct request *req, enum policy_interaction interaction,
                   struct uuid *ret_author, struct error *err) MUST_USE;

int require_document(int rows, struct error *err) MUST_USE;

/* ---- object.c ---- */

int object_sweep(struct docd *d, const struct request *req, struct uuid project, struct uuid object,
                 struct error *err) MUST_USE;

/* ---- upload.c ---- */

int document_over_quota(struct error *err);

/* What became of an object that is complete. */
enum upload_end {
    UPLOAD_SHOWN,     /* from now on its document shows it */
    UPLOAD_OVERTAKEN, /* the document is gone, or has had a later upload: the object is removed */
    UPLOAD_TOO_MUCH,  /* it does not fit in what may be kept: the object is removed */
};

/* Makes a complete object the file of its document. `direct`: the form was posted to the store, and
 * counts once; others can be finished again. Parks. */
int upload_finish(struct docd *d, const struct request *req, bool direct, struct store_key key,
                  struct uuid upload, const struct stored *stored, enum upload_end *ret,
                  struct error *err) MUST_USE;

/* ---- verify.c ---- */

#define BYTES_MISSING "The file of this document is missing."

/* Handles an object that the store lacks. A document that still shows it has lost its bytes: that
 * is counted, logged and said in err. Otherwise it was deleted or replaced, and err stays.
 * Parks. */
void bytes_not_found(struct docd *d, const struct request *req, struct store_key key,
                     struct error *err);

/* ---- disk_space.c ---- */

/* Measures the room on the disk from now on. */
void disk_space_start(struct docd *d);

/* ---- sweep.c ---- */

enum {
    SWEEP_AFTER_MS = DAYS(1), /* what was begun and not ended */
    /* A file that cannot be adopted is given up after this time and 10 attempts, so that a docd
     * that was down for long tries more than once. */
    GIVE_UP_AFTER_MS = 7 * SWEEP_AFTER_MS,
    /* Bytes without a document are kept this long, in case the database was restored from an old
     * dump. */
    ORPHAN_SWEEP_MS = 7 * SWEEP_AFTER_MS,
};

/* Removes documents without an upload, expired forms and bytes that are due. A failure does not
 * stop the rest. A run of service_every(). Parks. */
int sweep(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* Removes variants of objects that a docd on another host has deleted, folder by folder. A run of
 * service_every(). Parks. */
int sweep_variants(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* Removes the bytes of all objects that are due. A failed one is due again some minutes later, and
 * makes this fail at the end. Parks. */
int sweep_objects(struct docd *d, const struct request *req, struct error *err) MUST_USE;

#endif
