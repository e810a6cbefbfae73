/*
 * store.h - the store of objects' bytes. Objects never change. An object's row exists before its
 * first byte, so the sweep can remove any bytes.
 *
 * Clients upload with a signed form (post_policy.h). Each kind of store has its own functions:
 *   - forms are posted to docd (accept), which passes the bytes on (begin, write, finish);
 *   - forms are posted to the store, which does not notify docd and keeps the file apart, since the
 *     client can replace it while the form is valid. docd looks for the file (arrived,
 *     direct_uploads), makes it an object (adopt) and deletes it (forget).
 *
 * All functions but form() and accept() park, at most until `req`'s deadline. ERR_UNAVAILABLE: the
 * store cannot be reached.
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
    const char *etag;        /* strong entity tag, quoted, in the request's arena */
    struct field_bytes head; /* the first STORE_HEAD_MAX bytes, in the request's arena */
};

enum { STORE_HEAD_MAX = 64 * 1024, STORE_PIECE = 1024 * 1024 };

struct store_key {
    struct uuid project, object;
};

struct store_form {
    struct store_key key;
    const char *content_type;
    int64_t size_max;
    int64_t expires_ms; /* contract time */
    /* Host and scheme that the client used ("localhost:8080", "https"); NULL: unknown. */
    const char *host, *scheme;
};
struct store_form_made {
    const char *url;
    const char *fields; /* JSON object of texts */
};

struct store_functions {
    /* Makes a signed upload form. ERR_BAD_REQUEST: its host is unknown. */
    int (*form)(struct store *self, const struct request *req, const struct store_form *form,
                struct store_form_made *ret, struct error *err);

    /* ---- forms that are posted to docd ---- */

    /* Returns what the form may upload. ERR_FORBIDDEN: docd has not signed it. */
    int (*accept)(struct store *self, const struct request *req, const char *bucket,
                  const struct form *form, struct store_form *ret, struct error *err);

    /* Prepares to store an object's bytes. ERR_UNAVAILABLE: no space. */
    int (*begin)(struct store *self, const struct request *req, struct store_key key,
                 struct error *err);

    /* Writes bytes in any order, repeatable; not visible before finish(). */
    int (*write)(struct store *self, const struct request *req, struct store_key key,
                 int64_t offset, struct field_bytes bytes, struct error *err);

    /* Makes all bytes durable, then readable. Idempotent. ERR_BAD_REQUEST: wrong size, or no
     * object. */
    int (*finish)(struct store *self, const struct request *req, struct store_key key, int64_t size,
                  struct stored *ret, struct error *err);

    /* ---- forms that are posted to the store: keys are those of forms ---- */

    /* Finds when a form's file arrived: *ret_ms by the store's clock, in whole seconds; 0: unknown.
     * ERR_NOT_FOUND: no file. */
    int (*arrived)(struct store *self, const struct request *req, struct store_key form,
                   int64_t *ret_ms, struct error *err);

    /* Makes an object of the arrived file, all or nothing. After a failure other than ERR_NOT_FOUND
     * remove() deletes the rest; after ERR_UNCERTAIN the object can still appear. A gigabyte takes
     * seconds to minutes. */
    int (*adopt)(struct store *self, const struct request *req, struct store_key form,
                 struct store_key key, struct stored *ret, struct error *err);

    int (*forget)(struct store *self, const struct request *req, struct store_key form,
                  struct error *err);

    /* Lists at most `room` forms whose files have arrived. *cursor: NULL at the start and the
     * end. */
    int (*direct_uploads)(struct store *self, const struct request *req, const char **cursor,
                          struct store_key *ret, size_t room, size_t *ret_count, struct error *err);

    /* ---- files of other installations ---- */

    /* Adds bytes to an unfinished object at `offset`; creates it at offset 0. A piece begins at a
     * multiple of STORE_PIECE or at *ret_have, and has STORE_PIECE bytes or the last ones of
     * `size`; others can be ignored. *ret_have: bytes it then has; `size` if finished. */
    int (*append)(struct store *self, const struct request *req, struct store_key key,
                  int64_t offset, struct field_bytes bytes, int64_t size, int64_t *ret_have,
                  struct error *err);

    /* Finishes if the BLAKE2b-256 hash matches; otherwise ERR_BAD_REQUEST, and unfinished bytes are
     * removed. */
    int (*keep)(struct store *self, const struct request *req, struct store_key key, int64_t size,
                const char *hash, struct stored *ret, struct error *err);

    /* ---- all stores ---- */

    /* Reads `size` bytes, fewer at the end. Fails: ERR_NOT_FOUND. */
    int (*read)(struct store *self, const struct request *req, struct store_key key, int64_t offset,
                void *bytes, size_t size, size_t *ret_size, struct error *err);

    /* Opens a file with all bytes; the caller closes it. Fails: ERR_NOT_FOUND. */
    int (*open)(struct store *self, const struct request *req, struct store_key key, int *ret_file,
                struct error *err);

    /* Opens an object whose bytes are cached in memory, without parking; otherwise -1. NULL: this
     * store's objects are not files. */
    int (*open_cached)(struct store *self, struct store_key key, int64_t size);

    /* Returns the size, and an entity tag if asked for or cheap. `hash` reads all bytes of a file;
     * S3's tag is trusted. Fails: ERR_NOT_FOUND. */
    int (*check)(struct store *self, const struct request *req, struct store_key key, bool hash,
                 int64_t *ret_size, const char **ret_etag, struct error *err);

    /* Lists at most `room` objects, finished or not. Their project is unset if the store's names do
     * not contain it. */
    int (*objects)(struct store *self, const struct request *req, const char **cursor,
                   struct store_key *ret, size_t room, size_t *ret_count, struct error *err);

    /* Removes an object's bytes, finished or not. Idempotent. */
    int (*remove)(struct store *self, const struct request *req, struct store_key key,
                  struct error *err);

    /* Tests every step with a small object; the error's detail names the failed step. NULL: the
     * store is only a directory. */
    int (*probe)(struct store *self, const struct request *req, struct error *err);

    /* No caller may be inside another function. */
    void (*destroy)(struct store *self);
};

struct store {
    const struct store_functions *functions;
};

/* Files in a directory, which all docds share. Options are borrowed. NULL with err set:
 * unusable. */
struct store_local_options {
    const char *dir, *bucket;
    /* URL of forms, without a trailing slash; NULL: the host that the client called. */
    const char *public_url;
    const struct seal_keys *seal; /* keys that sign forms are derived from them */
};
struct store *store_local_new(struct loop *loop, const struct store_local_options *options,
                              struct error *err);

/* An S3 bucket of docd's own, with options that s3_check() accepts. The directory exists.
 *     incoming/<project>/<form>   arrived files
 *     <project>/<object>          objects
 *     arriving/<project>/<object>/<number>   pieces of append() */
struct store_s3_options {
    struct s3_options s3;
    int64_t part_size;    /* larger objects are copied in parts */
    const char *dir;      /* directory for files of open() */
    struct offload *pool; /* borrowed; writes files of open() */
};
struct store *store_s3_new(struct loop *loop, const struct store_s3_options *options);

/* Parses "<project>/<object>"; -1: another format. */
int store_key_read(const char *text, struct store_key *ret) MUST_USE;

static inline void store_destroy(struct store **self_p)
{
    if (*self_p)
        (*self_p)->functions->destroy(*self_p);
    *self_p = NULL;
}

#endif
