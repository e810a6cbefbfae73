/*
 * docd.h - what the files of docd share.
 *
 * A document is a row (document.c). Its bytes arrive with a signed form and are in a store
 * (store.h) under the id of an object row, which outlives them: the sweep removes what an
 * interruption leaves.
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
    int64_t public_max_age; /* seconds */
    const char *store;      /* "local", "s3" */
    const char *s3_url, *s3_region, *s3_bucket, *s3_style, *s3_key, *s3_secret_file;
    int64_t s3_part_size;
    bool pass_files;
};

struct docd {
    struct service svc; /* must be first */
    const struct docd_config *config;
    struct secret s3_secret;
    struct store *store;
    struct file_sender *files;             /* NULL: files go over the bus */
    struct direct_uploads *direct_uploads; /* NULL: forms are posted to docd */
    struct sniffer *sniffer;
    struct variants *variants;
    uint64_t *bytes_missing; /* reads of documents whose bytes the store does not have */
    /* free bytes and when they were measured (disk_space.c) */
    int64_t disk_space_bytes, disk_space_mono_ms;
    struct policy_scopes *policies;
    struct batch document_files;      /* see document_file.h */
    LIST_HEAD(, author_turn) authors; /* authors whose requests create documents */
    struct list_cache *lists;
};

#define SERVICE docd
#define SERVICE_OPERATIONS OPERATION_HANDLERS
#include "common/bus/operations.def"

extern const struct check docd_checks[];

/* Steps of a project's deletion: documents with their bytes, content, counters (wipe.c). */
extern const struct purge_step docd_purge[];

/* ---- document.c ---- */

#define DOCUMENT_TOKEN_PURPOSE "public token"

/* Sets *ret_author to the only author whose documents the caller can act on, or unset: any. */
int document_scope(struct docd *d, const struct request *req, enum policy_interaction interaction,
                   struct uuid *ret_author, struct error *err) MUST_USE;

int require_document(int rows, struct error *err) MUST_USE;

/* ---- object.c ---- */

int object_sweep(struct docd *d, const struct request *req, struct uuid project, struct uuid object,
                 struct error *err) MUST_USE;

/* ---- upload.c ---- */

int document_over_quota(struct error *err);

enum upload_end {
    UPLOAD_SHOWN,
    UPLOAD_OVERTAKEN, /* the document was deleted or has a newer upload: the object is removed */
    UPLOAD_TOO_MUCH,  /* over the quota: the object is removed */
};

/* Makes a complete object its document's file. `direct`: the form was posted to the store, so a
 * second upload with it changes nothing. Parks. */
int upload_finish(struct docd *d, const struct request *req, bool direct, struct store_key key,
                  struct uuid upload, const struct stored *stored, enum upload_end *ret,
                  struct error *err) MUST_USE;

/* ---- verify.c ---- */

#define BYTES_MISSING "The file of this document is missing."

/* Handles an object that the store lacks. If a document still shows it, its bytes are lost:
 * counted, logged, set in err. Parks. */
void bytes_not_found(struct docd *d, const struct request *req, struct store_key key,
                     struct error *err);

/* ---- disk_space.c ---- */

void disk_space_start(struct docd *d);

/* ---- sweep.c ---- */

enum {
    SWEEP_AFTER_MS = DAYS(1), /* unfinished uploads */
    /* A file that cannot be adopted has failed after this time and 10 attempts, so downtime alone
     * does not count. */
    GIVE_UP_AFTER_MS = 7 * SWEEP_AFTER_MS,
    /* Bytes without a document are kept this long, in case the database was restored from an old
     * dump. */
    ORPHAN_SWEEP_MS = 7 * SWEEP_AFTER_MS,
};

/* Removes what is due, and continues after failures. A task of service_every(). Parks. */
int sweep(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* Removes variants of objects that a docd on another host deleted. A task of service_every().
 * Parks. */
int sweep_variants(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* Removes due objects' bytes; postpones failures and returns the first. Parks. */
int sweep_objects(struct docd *d, const struct request *req, struct error *err) MUST_USE;

#endif
