/*
 * store_s3_private.h - what the files of the store in a bucket share: store_s3.c, which is the
 * store and reads, store_s3_copy.c, which adopts, store_s3_parts.c, uploads in parts, and
 * store_s3_pieces.c, files that come in pieces.
 */
#ifndef ATRIUM_DOCD_STORE_STORE_S3_PRIVATE_H
#define ATRIUM_DOCD_STORE_STORE_S3_PRIVATE_H

#include "common/runtime/fiber_sem.h"
#include "common/wire/codec.h"
#include "docd/store/s3.h"
#include "docd/store/store.h"

enum { STORE_S3_TAG_HASH = 32 /* bytes */ };

struct store_s3 {
    struct store store; /* first */
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

/* The keys of an object and of what its form brings. */
const char *store_s3_object_key(const struct request *req, struct store_key key);
const char *store_s3_form_key(const struct request *req, struct store_key form);

/* ERR_NOT_FOUND. */
int store_s3_not_found(struct error *err) MUST_USE;

/* For an unexpected answer: the operator has something to do. */
int store_s3_unexpected(const struct request *req, const struct s3_call *call,
                        const struct s3_answer *answer, struct error *err) MUST_USE;

/* What the server says of a key. */
struct object_head {
    int64_t size;
    const char *etag;             /* S3's */
    int64_t modified_ms, date_ms; /* by its clock, to the second; 0: it does not tell */
};

/* ERR_NOT_FOUND: there is no such key. */
int store_s3_look(const struct store_s3 *self, const struct request *req, const char *key,
                  struct object_head *ret, struct error *err) MUST_USE;

/* Lists keys with the prefix: the first `room` after `after` (NULL: from the start). Anything but a
 * list fails: documents missing from a list are given up. */
struct store_s3_page {
    const char **keys; /* of `room`; texts in the arena */
    size_t room, count;
    bool told, more; /* whether this is the end; it is not: there is at least one key */
};
int store_s3_list(const struct store_s3 *self, const struct request *req, const char *prefix,
                  const char *after, struct store_s3_page *page, struct error *err) MUST_USE;

/* At most `size` bytes, into `bytes`. */
int store_s3_get(const struct store_s3 *self, const struct request *req, const char *key,
                 int64_t offset, void *bytes, size_t size, size_t *ret_size,
                 struct error *err) MUST_USE;

/* Idempotent. query: as in struct s3_call. */
int store_s3_delete(const struct store_s3 *self, const struct request *req, const char *key,
                    const char *query, struct error *err) MUST_USE;

/* The tag for clients. S3's own depends on how the bytes were uploaded. */
const char *store_s3_tag(const struct request *req, const struct object_head *head);

/* ---- store_s3_copy.c ---- */

/* Milliseconds that a server may take for `size` bytes: it is silent until done, and may be
 * dead. */
int64_t store_s3_copy_ms(int64_t size);

/* As s3_call(), of what makes something. ERR_UNCERTAIN: the server may make it yet. */
int store_s3_make(const struct store_s3 *self, const struct request *req,
                  const struct s3_call *call, struct s3_answer *ret, struct error *err) MUST_USE;

/* Reads the new object's tag at that path. ERR_UNCERTAIN: an abandoned first try may still make
 * what the second was refused. */
int store_s3_copy_answer(const struct request *req, const struct s3_call *call,
                         const struct s3_answer *answer, const char *etag_path,
                         const char **ret_etag, struct error *err) MUST_USE;

/* The head of a new object. ERR_UNCERTAIN: it may still appear. */
int store_s3_look_at_copy(const struct store_s3 *self, const struct request *req, const char *key,
                          struct object_head *ret, struct error *err) MUST_USE;

/* A function of the store. */
int store_s3_adopt(struct store *store, const struct request *req, struct store_key form,
                   struct store_key key, struct stored *ret, struct error *err) MUST_USE;

/* ---- store_s3_parts.c ---- */

/* An upload in parts, from begin() to complete() or abort(). */
struct store_s3_parts {
    const struct store_s3 *self;
    const struct request *req;
    const char *key, *upload;
    struct codec_buffer body; /* names the parts so far */
    int number;               /* of the next part, from 1 */
};

int store_s3_parts_begin(struct store_s3_parts *self, const struct store_s3 *store,
                         const struct request *req, const char *key, struct error *err) MUST_USE;

/* The query of the next part; and records it with the server's tag. */
const char *store_s3_parts_query(const struct store_s3_parts *self);
void store_s3_parts_add(struct store_s3_parts *self, const char *etag);

/* Makes the object of its parts, which have `size` bytes together. */
int store_s3_parts_complete(struct store_s3_parts *self, int64_t size, struct error *err) MUST_USE;

/* Aborts an upload; where that fails store_s3_parts_remove() does it. */
void store_s3_parts_abort(const struct store_s3_parts *self);

/* Removes parts of interrupted uploads to that key: invisible, but billed. A server that cannot
 * list them is left alone. */
int store_s3_parts_remove(const struct store_s3 *store, const struct request *req, const char *key,
                          struct error *err) MUST_USE;

/* ---- store_s3_pieces.c ---- */

/* Functions of the store. */
int store_s3_append(struct store *store, const struct request *req, struct store_key key,
                    int64_t offset, struct field_bytes bytes, int64_t size, int64_t *ret_have,
                    struct error *err) MUST_USE;
int store_s3_keep(struct store *store, const struct request *req, struct store_key key,
                  int64_t size, const char *hash, struct stored *ret, struct error *err) MUST_USE;

/* Removes the pieces of an object. */
int store_s3_pieces_remove(const struct store_s3 *self, const struct request *req,
                           struct store_key key, struct error *err) MUST_USE;

#endif
