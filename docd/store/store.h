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

/* Bytes of an object that is complete and durable. */
struct stored {
    int64_t size;
    const char *etag;        /* strong entity tag of the bytes, quoted, in the request's arena */
    struct field_bytes head; /* the first STORE_HEAD_MAX of them, in the request's arena */
};

enum { STORE_HEAD_MAX = 64 * 1024, STORE_PIECE = 1024 * 1024 };

/* Names an object. */
struct store_key {
    struct uuid project, object;
};

/* What a form may bring. */
struct store_form {
    struct store_key key;
    const char *content_type;
    int64_t size_max;   /* bytes */
    int64_t expires_ms; /* contract time */
    /* That the client called us by ("localhost:8080"), and how ("https"); NULL when it is not
     * known. */
    const char *host, *scheme;
};
struct store_form_made {
    const char *url;
    const char *fields; /* JSON object of texts */
};

struct store_functions {
    /* The form by which a client brings an object; texts in req's arena. Fails with ERR_BAD_REQUEST
     * when it is not known where to post it. */
    int (*form)(struct store *self, const struct request *req, const struct store_form *form,
                struct store_form_made *ret, struct error *err);

    /* ---- forms that are posted to us ---- */

    /* Checks a form that was posted to `bucket`, and returns what it may bring. ERR_FORBIDDEN when
     * docd has not signed it. */
    int (*accept)(struct store *self, const struct request *req, const char *bucket,
                  const struct form *form, struct store_form *ret, struct error *err);

    /* Makes room for an object's bytes. Fails with ERR_UNAVAILABLE when there is none. */
    int (*begin)(struct store *self, const struct request *req, struct store_key key,
                 struct error *err);

    /* Bytes at their place, in any order and more than once; they are not visible before
     * finish(). */
    int (*write)(struct store *self, const struct request *req, struct store_key key,
                 int64_t offset, struct field_bytes bytes, struct error *err);

    /* All `size` bytes are there: makes them durable, then readable. Doing it again is fine. Fails
     * with ERR_BAD_REQUEST when it has another number of bytes, or no such object. */
    int (*finish)(struct store *self, const struct request *req, struct store_key key, int64_t size,
                  struct stored *ret, struct error *err);

    /* ---- forms that are posted to the store: keys are those of forms ---- */

    /* When something has come by that form: *ret_ms by the store's clock, to the second; 0:
     * unknown. ERR_NOT_FOUND: nothing has, or it was forgotten. */
    int (*arrived)(struct store *self, const struct request *req, struct store_key form,
                   int64_t *ret_ms, struct error *err);

    /* Makes an object of what has come by a form, all of it or nothing: readable, and not to be
     * changed by the form any more. ERR_NOT_FOUND as above. After any other failure there may be
     * parts of the object, which remove() removes; after ERR_UNCERTAIN they, or all of it, may
     * still come. A server copies a gigabyte in seconds to minutes. */
    int (*adopt)(struct store *self, const struct request *req, struct store_key form,
                 struct store_key key, struct stored *ret, struct error *err);

    /* Removes what has come by a form. */
    int (*forget)(struct store *self, const struct request *req, struct store_key form,
                  struct error *err);

    /* Forms by which something has come and that were not forgotten: at most `room` of them, in an
     * order of the store's. *cursor NULL: from the start; it is then where to go on, NULL at the
     * end. */
    int (*direct_uploads)(struct store *self, const struct request *req, const char **cursor,
                          struct store_key *ret, size_t room, size_t *ret_count, struct error *err);

    /* ---- files of other installations ---- */

    /* Adds bytes to an object that is not finished: from `offset` on, unless that is behind its
     * end; at 0 it is made when it is not there. A piece begins at a multiple of STORE_PIECE, or
     * at what *ret_have said, and has so many bytes, or the last ones of `size`: others may be
     * left out. *ret_have: how many it has then; those of an object that is finished are
     * `size`. */
    int (*append)(struct store *self, const struct request *req, struct store_key key,
                  int64_t offset, struct field_bytes bytes, int64_t size, int64_t *ret_have,
                  struct error *err);

    /* As finish(), of bytes whose hash (BLAKE2b of 32 bytes, hexadecimal) is that one: else
     * ERR_BAD_REQUEST, and what is not finished is removed. */
    int (*keep)(struct store *self, const struct request *req, struct store_key key, int64_t size,
                const char *hash, struct stored *ret, struct error *err);

    /* ---- all stores ---- */

    /* At most `size` bytes from `offset` on, fewer at the end, into `bytes`. ERR_NOT_FOUND. */
    int (*read)(struct store *self, const struct request *req, struct store_key key, int64_t offset,
                void *bytes, size_t size, size_t *ret_size, struct error *err);

    /* A file of all of them, open for reading, which the caller closes. ERR_NOT_FOUND. */
    int (*open)(struct store *self, const struct request *req, struct store_key key, int *ret_file,
                struct error *err);

    /* The same without parking, of an object of `size` bytes that all lie in memory: -1 when that
     * is not so, or cannot be told. NULL: objects are no files. */
    int (*open_cached)(struct store *self, struct store_key key, int64_t size);

    /* What there is of an object: its size, and its entity tag where that is asked for or cheap
     * (*ret_etag NULL else). With `hash` all bytes of a file are read, of S3 the server's own tag
     * is believed. ERR_NOT_FOUND. */
    int (*check)(struct store *self, const struct request *req, struct store_key key, bool hash,
                 int64_t *ret_size, const char **ret_etag, struct error *err);

    /* Objects that the store has, finished or not: at most `room` of them, in an order of the
     * store's, project unset where their names do not tell it. *cursor as for direct_uploads(). */
    int (*objects)(struct store *self, const struct request *req, const char **cursor,
                   struct store_key *ret, size_t room, size_t *ret_count, struct error *err);

    /* Removes the bytes, finished or not; it is fine when there are none. */
    int (*remove)(struct store *self, const struct request *req, struct store_key key,
                  struct error *err);

    /* Does once all that an object needs, with a small one that lies apart from all others: the
     * error's detail says which step failed. NULL: the directory is all there is to it. */
    int (*probe)(struct store *self, const struct request *req, struct error *err);

    /* No caller is inside another function. */
    void (*destroy)(struct store *self);
};

/* A store begins with this. */
struct store {
    const struct store_functions *functions;
};

/* Files under a directory, which is made when it is missing: on one host, or on a file system that
 * all hosts of docd's instances share. Options are borrowed. NULL with err set when it cannot be
 * used. */
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
