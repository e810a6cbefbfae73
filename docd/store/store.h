/*
 * store.h - where the bytes of objects lie.
 *
 * An object is written once and never changed. Its name is the id of its row in table `object`,
 * which is there before the first byte: with the row, what there is of the bytes can be
 * removed.
 *
 * Clients bring bytes with a signed form (post_policy.h), which the store makes. There are two
 * kinds of stores, and each has the functions of its kind only:
 *   - forms are posted to us (accept): docd passes the bytes on (begin, write, finish);
 *   - forms are posted to the store itself, which does not tell us: what has come by a form lies
 *   apart, where its
 *     client can change it as long as the form is good, and is looked for (arrived,
 *     direct_uploads), made an object of (adopt), and forgotten (forget).
 *
 * All functions but form() and accept() park, on a fiber, until `req`'s deadline at most. A store
 * that cannot be reached is ERR_UNAVAILABLE.
 */
#ifndef ATRIUM_DOCD_STORE_STORE_H
#define ATRIUM_DOCD_STORE_STORE_H

#include "common/domain/content.h"
#include "common/domain/request.h"
#include "common/runtime/loop.h"
#include "common/runtime/offload.h"
#include "common/service/seal_keys.h"
#include "docd/store/s3.h"

struct store;

struct stored {
    int64_t size;
    const char *etag;        /* strong entity tag of the bytes, quoted, in the request's arena */
    struct field_bytes head; /* the first STORE_HEAD_MAX of them, in the request's arena */
};

enum { STORE_HEAD_MAX = 64 * 1024, STORE_PIECE = 1024 * 1024 };

struct store_key {
    struct uuid project, object;
};

struct store_form {
    struct store_key key;
    const char *content_type;
    int64_t size_max;   /* bytes */
    int64_t expires_ms; /* contract time */
    /* Host and scheme that the client used ("localhost:8080", "https"); NULL: unknown. */
    const char *host, *scheme;
};
struct store_form_made {
    const char *url;
    const char *fields; /* JSON object of texts */
};

struct store_functions {
    /* Makes a signed upload form; texts in req's arena. ERR_BAD_REQUEST: no host to post it to is
     * known. */
    int (*form)(struct store *self, const struct request *req, const struct store_form *form,
                struct store_form_made *ret, struct error *err);

    /* ---- forms that are posted to us ---- */

    /* Returns what a form posted to `bucket` may bring. ERR_FORBIDDEN: docd has not signed it. */
    int (*accept)(struct store *self, const struct request *req, const char *bucket,
                  const struct form *form, struct store_form *ret, struct error *err);

    /* Makes room for an object's bytes. Fails with ERR_UNAVAILABLE when there is none. */
    int (*begin)(struct store *self, const struct request *req, struct store_key key,
                 struct error *err);

    /* Bytes in any order, repeatable; not visible before finish(). */
    int (*write)(struct store *self, const struct request *req, struct store_key key,
                 int64_t offset, struct field_bytes bytes, struct error *err);

    /* Makes all `size` bytes durable, then readable. Idempotent. ERR_BAD_REQUEST: wrong size, or no
     * such object. */
    int (*finish)(struct store *self, const struct request *req, struct store_key key, int64_t size,
                  struct stored *ret, struct error *err);

    /* ---- forms that are posted to the store: keys are those of forms ---- */

    /* When a file arrived by that form: *ret_ms by the store's clock, in seconds; 0: unknown.
     * ERR_NOT_FOUND: none has, or it was forgotten. */
    int (*arrived)(struct store *self, const struct request *req, struct store_key form,
                   int64_t *ret_ms, struct error *err);

    /* Makes an object of the arrived file, all or nothing: readable, and no longer changed by the
     * form. ERR_NOT_FOUND as above. After another failure remove() deletes what there is; after
     * ERR_UNCERTAIN it may still appear. A gigabyte takes seconds to minutes. */
    int (*adopt)(struct store *self, const struct request *req, struct store_key form,
                 struct store_key key, struct stored *ret, struct error *err);

    /* Removes what has come by a form. */
    int (*forget)(struct store *self, const struct request *req, struct store_key form,
                  struct error *err);

    /* Lists forms whose file has arrived: at most `room`, in the store's order. *cursor: NULL at
     * the start and at the end. */
    int (*direct_uploads)(struct store *self, const struct request *req, const char **cursor,
                          struct store_key *ret, size_t room, size_t *ret_count, struct error *err);

    /* ---- files of other installations ---- */

    /* Adds bytes to an unfinished object from `offset` on, unless that is past its end; at 0 it is
     * created if missing. A piece begins at a multiple of STORE_PIECE or at *ret_have, and has
     * STORE_PIECE bytes or the last ones of `size`; others may be left out. *ret_have: bytes it has
     * then; `size` if finished. */
    int (*append)(struct store *self, const struct request *req, struct store_key key,
                  int64_t offset, struct field_bytes bytes, int64_t size, int64_t *ret_have,
                  struct error *err);

    /* finish() if the bytes have this hash (BLAKE2b-256, hexadecimal); otherwise ERR_BAD_REQUEST,
     * and unfinished bytes are removed. */
    int (*keep)(struct store *self, const struct request *req, struct store_key key, int64_t size,
                const char *hash, struct stored *ret, struct error *err);

    /* ---- all stores ---- */

    /* Reads at most `size` bytes, fewer at the end. ERR_NOT_FOUND. */
    int (*read)(struct store *self, const struct request *req, struct store_key key, int64_t offset,
                void *bytes, size_t size, size_t *ret_size, struct error *err);

    /* A file of all of them, open for reading, which the caller closes. ERR_NOT_FOUND. */
    int (*open)(struct store *self, const struct request *req, struct store_key key, int *ret_file,
                struct error *err);

    /* Without parking, if all `size` bytes are in memory; otherwise -1. NULL: objects are no
     * files. */
    int (*open_cached)(struct store *self, struct store_key key, int64_t size);

    /* An object's size, and its entity tag if asked for or cheap (else NULL). With `hash` all bytes
     * of a file are read; S3's own tag is believed. ERR_NOT_FOUND. */
    int (*check)(struct store *self, const struct request *req, struct store_key key, bool hash,
                 int64_t *ret_size, const char **ret_etag, struct error *err);

    /* Lists objects, finished or not: at most `room`, project unset where names do not tell it.
     * *cursor as for direct_uploads(). */
    int (*objects)(struct store *self, const struct request *req, const char **cursor,
                   struct store_key *ret, size_t room, size_t *ret_count, struct error *err);

    /* Removes the bytes, finished or not. Idempotent. */
    int (*remove)(struct store *self, const struct request *req, struct store_key key,
                  struct error *err);

    /* Tests every step with a small object of its own: the error's detail names the failed step.
     * NULL: the directory is all there is. */
    int (*probe)(struct store *self, const struct request *req, struct error *err);

    /* No caller is inside another function. */
    void (*destroy)(struct store *self);
};

/* A store begins with this. */
struct store {
    const struct store_functions *functions;
};

/* Files under a directory, created if missing, on one host or on a file system that all docd hosts
 * share. Options are borrowed. NULL with err set: unusable. */
struct store_local_options {
    const char *dir, *bucket;
    /* that forms are posted to, without a slash at its end; NULL: as we were called */
    const char *public_url;
    const struct seal_keys *seal; /* what forms are signed with is made from them */
};
struct store *store_local_new(struct loop *loop, const struct store_local_options *options,
                              struct error *err);

/* A bucket of a server of S3, by options that s3_check() found good (API reference of Amazon S3):
 *     incoming/<project>/<form>   what has come
 *     <project>/<object>          objects
 *     arriving/<project>/<object>/<number>   pieces of those that append() makes
 * The bucket is all ours. The directory is there. */
struct store_s3_options {
    struct s3_options s3;
    int64_t part_size;    /* larger objects are copied in parts of that */
    const char *dir;      /* for files that open() makes */
    struct offload *pool; /* borrowed: it writes them */
};
struct store *store_s3_new(struct loop *loop, const struct store_s3_options *options);

/* "<project>/<object>"; -1 when it is no such text. */
int store_key_read(const char *text, struct store_key *ret) MUST_USE;

static inline void store_destroy(struct store **self_p)
{
    if (*self_p)
        (*self_p)->functions->destroy(*self_p);
    *self_p = NULL;
}

#endif
