/*
 * store.h - where the bytes of objects lie.
 *
 * An object is written once and never changed. Its name is the id of its row in table `object`, which is there
 * before the first byte: whoever finds the row can have what there is of the bytes removed. So a store keeps no
 * list, and looks for nothing that was forgotten.
 *
 * Clients bring bytes with a signed form (post_policy.h), which the store makes, and takes when it is posted to us.
 *
 * All functions but form() and accept() park, on a fiber, until `req`'s deadline at most.
 */
#ifndef ATRIUM_DOCD_STORE_H
#define ATRIUM_DOCD_STORE_H

#include "common/content.h"
#include "common/loop.h"
#include "common/request.h"
#include "common/secret.h"

struct store;

/* Bytes of an object that is complete and durable. */
struct stored {
    int64_t size;
    const char *etag;        /* strong entity tag of the bytes, quoted, in the request's arena */
    struct field_bytes head; /* the first STORE_HEAD_MAX of them, in the request's arena */
};

enum { STORE_HEAD_MAX = 64 * 1024 };

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
    const char
        *host; /* that the client called us by ("localhost:8080"), NULL when it is not known */
};
struct store_form_made {
    const char *url;
    const char *fields; /* JSON object of texts */
};

struct store_functions {
    /* The form by which a client brings an object; texts in req's arena. Fails with ERR_BAD_REQUEST when nobody can
     * tell where to post it. */
    int (*form)(struct store *self, const struct request *req, const struct store_form *form,
                struct store_form_made *ret, struct error *err);

    /* Checks a form that came to us for `bucket`, and tells what it may bring. ERR_FORBIDDEN when it is not one of
     * ours. NULL: clients post to the store itself. */
    int (*accept)(struct store *self, const struct request *req, const char *bucket,
                  const struct form *form, struct store_form *ret, struct error *err);

    /* Makes room for an object's bytes. Fails with ERR_UNAVAILABLE when there is none. */
    int (*begin)(struct store *self, const struct request *req, struct store_key key,
                 struct error *err);

    /* Bytes at their place, in any order and more than once; they are visible to nobody before finish(). */
    int (*write)(struct store *self, const struct request *req, struct store_key key,
                 int64_t offset, struct field_bytes bytes, struct error *err);

    /* All `size` bytes are there: makes them durable, then readable. Doing it again is fine. Fails with
     * ERR_BAD_REQUEST when it has another number of bytes, or no such object. */
    int (*finish)(struct store *self, const struct request *req, struct store_key key, int64_t size,
                  struct stored *ret, struct error *err);

    /* At most `size` bytes from `offset` on, fewer at the end, into `bytes`. ERR_NOT_FOUND. */
    int (*read)(struct store *self, const struct request *req, struct store_key key, int64_t offset,
                void *bytes, size_t size, size_t *ret_size, struct error *err);

    /* A file of all of them, open for reading, which the caller closes. ERR_NOT_FOUND. */
    int (*open)(struct store *self, const struct request *req, struct store_key key, int *ret_file,
                struct error *err);

    /* Removes the bytes, finished or not; it is fine when there are none. */
    int (*remove)(struct store *self, const struct request *req, struct store_key key,
                  struct error *err);

    /* Nobody is inside another function. */
    void (*destroy)(struct store *self);
};

/* A store begins with this. */
struct store {
    const struct store_functions *functions;
};

/* Files under a directory, which is made when it is missing: on one host, or on a file system that all hosts of
 * docd's instances share. Options are borrowed. NULL with err set when it cannot be used. */
struct store_local_options {
    const char *dir, *bucket;
    const char *
        public_url; /* that forms are posted to, without a slash at its end; NULL: as we were called */
    const struct secret *seal_key; /* what forms are signed with is made from it */
};
struct store *store_local_new(struct loop *loop, const struct store_local_options *options,
                              struct error *err);

/* "<project>/<object>"; -1 when it is no such text. */
int store_key_read(const char *text, struct store_key *ret) MUST_USE;

static inline void store_destroy(struct store **self_p)
{
    if (*self_p)
        (*self_p)->functions->destroy(*self_p);
    *self_p = NULL;
}

#endif
