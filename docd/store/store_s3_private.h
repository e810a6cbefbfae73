/*
 * store_s3_private.h - what the files of the S3 store share.
 */
#ifndef ATRIUM_DOCD_STORE_STORE_S3_PRIVATE_H
#define ATRIUM_DOCD_STORE_STORE_S3_PRIVATE_H

#include "common/runtime/fiber_sem.h"
#include "common/wire/codec.h"
#include "docd/store/s3.h"
#include "docd/store/store.h"

enum { STORE_S3_TAG_HASH = 32 /* bytes */ };

struct store_s3 {
    struct store store; /* must be first */
    struct loop *loop;
    struct s3 *s3;
    struct store_s3_options options;
    struct uuid probe_name;
    struct fiber_sem probe;
};

static inline struct store_s3 *store_s3_of(struct store *store)
{
    return (struct store_s3 *)store;
}

/* ---- store_s3.c ---- */

const char *store_s3_object_key(const struct request *req, struct store_key key);
const char *store_s3_form_key(const struct request *req, struct store_key form);

int store_s3_not_found(struct error *err) MUST_USE;

/* Sets the error for an unexpected response, which the operator must resolve. */
int store_s3_unexpected(const struct request *req, const struct s3_call *call,
                        const struct s3_answer *answer, struct error *err) MUST_USE;

struct object_head {
    int64_t size;
    const char *etag;             /* entity tag of S3 */
    int64_t modified_ms, date_ms; /* whole seconds; 0: unknown */
};

int store_s3_look(const struct store_s3 *self, const struct request *req, const char *key,
                  struct object_head *ret, struct error *err) MUST_USE;

/* A list of keys after `after` (NULL: from the start). Fails for any other response: documents
 * missing from the list would count as lost. */
struct store_s3_page {
    const char **keys; /* in the arena */
    size_t room, count;
    bool told, more; /* told: IsTruncated was present */
};
int store_s3_list(const struct store_s3 *self, const struct request *req, const char *prefix,
                  const char *after, struct store_s3_page *page, struct error *err) MUST_USE;

int store_s3_get(const struct store_s3 *self, const struct request *req, const char *key,
                 int64_t offset, void *bytes, size_t size, size_t *ret_size,
                 struct error *err) MUST_USE;

/* Deletes a key. Idempotent. */
int store_s3_delete(const struct store_s3 *self, const struct request *req, const char *key,
                    const char *query, struct error *err) MUST_USE;

/* Returns the tag for clients. S3's own depends on how the bytes were uploaded. */
const char *store_s3_tag(const struct request *req, const struct object_head *head);

/* ---- store_s3_copy.c ---- */

/* Returns how long to wait for a copy: a server is silent until done, and may be dead. */
int64_t store_s3_copy_ms(int64_t size);

/* Makes an object by a copy. ERR_UNCERTAIN: the server may still make it. */
int store_s3_make(const struct store_s3 *self, const struct request *req,
                  const struct s3_call *call, struct s3_answer *ret, struct error *err) MUST_USE;

/* ERR_UNCERTAIN: an abandoned first try may succeed although the retry was refused. */
int store_s3_copy_answer(const struct request *req, const struct s3_call *call,
                         const struct s3_answer *answer, const char *etag_path,
                         const char **ret_etag, struct error *err) MUST_USE;

/* Looks at the copy. ERR_UNCERTAIN: the object can still appear. */
int store_s3_look_at_copy(const struct store_s3 *self, const struct request *req, const char *key,
                          struct object_head *ret, struct error *err) MUST_USE;

int store_s3_adopt(struct store *store, const struct request *req, struct store_key form,
                   struct store_key key, struct stored *ret, struct error *err) MUST_USE;

/* ---- store_s3_parts.c ---- */

/* A multipart upload, from begin() to complete() or abort(). */
struct store_s3_parts {
    const struct store_s3 *self;
    const struct request *req;
    const char *key, *upload;
    struct codec_buffer body; /* request that lists the parts */
    int number;               /* next part */
};

int store_s3_parts_begin(struct store_s3_parts *self, const struct store_s3 *store,
                         const struct request *req, const char *key, struct error *err) MUST_USE;

/* Returns the next part's query; store_s3_parts_add() records the part with the server's tag. */
const char *store_s3_parts_query(const struct store_s3_parts *self);
void store_s3_parts_add(struct store_s3_parts *self, const char *etag);

int store_s3_parts_complete(struct store_s3_parts *self, int64_t size, struct error *err) MUST_USE;

/* Aborts an upload; store_s3_parts_remove() repeats this if it fails. */
void store_s3_parts_abort(const struct store_s3_parts *self);

/* Removes interrupted uploads: invisible, but billed. Ignores a server that cannot list them. */
int store_s3_parts_remove(const struct store_s3 *store, const struct request *req, const char *key,
                          struct error *err) MUST_USE;

/* ---- store_s3_pieces.c ---- */

int store_s3_append(struct store *store, const struct request *req, struct store_key key,
                    int64_t offset, struct field_bytes bytes, int64_t size, int64_t *ret_have,
                    struct error *err) MUST_USE;
int store_s3_keep(struct store *store, const struct request *req, struct store_key key,
                  int64_t size, const char *hash, struct stored *ret, struct error *err) MUST_USE;

int store_s3_pieces_remove(const struct store_s3 *self, const struct request *req,
                           struct store_key key, struct error *err) MUST_USE;

#endif
