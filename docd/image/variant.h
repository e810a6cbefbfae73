/*
 * variant.h - images in other sizes, kept on disk: made once, of equal requests once for all of
 * them, removed with their document, the least recently used ones first when they are too many.
 *
 *     DIR/<xx>/<object>-<width>x<height>-<fit>-<version>        as it was made (variant_files.h)
 *     DIR/<xx>/<object>-<width>x<height>-<fit>-<version>.new    being made by the process that has
 *         locked it
 *
 * xx are the first two digits of the object, which never changes: so a variant is good for as long
 * as it is there. The version is a hash of image_version(): a variant that another libvips or an
 * earlier docd made is not used, and so becomes the least recently used one. Several instances may
 * share DIR.
 */
#ifndef ATRIUM_DOCD_IMAGE_VARIANT_H
#define ATRIUM_DOCD_IMAGE_VARIANT_H

#include "common/base/metrics.h"
#include "common/runtime/offload.h"
#include "docd/image/image.h"
#include "docd/store/store.h"

struct variants;

struct variants_options {
    const char *dir;   /* made when it is missing */
    int64_t bytes_max; /* of all files; 0: nothing is kept for longer than it takes to send it */
    size_t image_threads, image_queue;
    int64_t image_memory;
    int64_t image_bytes; /* of the largest object that is looked at as an image */
};

/* Blocking disk work runs on the pool; it and the store are borrowed. NULL with err set: unusable
 * directory. */
struct variants *variants_new(struct loop *loop, struct metrics *metrics, struct offload *pool,
                              struct store *store, const struct variants_options *options,
                              struct error *err);
void variants_destroy(struct variants **self_p);

/* What confines the decoders of images; NULL: nothing does, and none is decoded. Static. */
const char *variants_means(const struct variants *self);

/* The strong entity tag of a variant, quoted, derived from the whole's; the variant need not
 * exist. */
const char *variant_etag(struct arena *arena, const char *etag, const struct image_size *size);

/* Texts and bytes are in the request's arena. */
struct variant {
    const char *contentType;
    int64_t size;
    const char *handle;       /* for variant_read() */
    struct field_bytes bytes; /* all of it when that is at most CONTENT_INLINE_MAX, or absent */
};

/* Returns an object in another size, made if needed. Parks. Fails as image_make(); ERR_VALIDATION
 * also above image_bytes, which are not fetched; ERR_NOT_FOUND: no such object. */
int variant_get(struct variants *self, const struct request *req, struct store_key key,
                int64_t bytes, const struct image_size *size, struct variant *ret,
                struct error *err) MUST_USE;

/* Makes a PNG of an image that is no object, at most `room` bytes. Parks. Fails as image_make(). */
int variant_make_png(struct variants *self, const struct request *req, struct uuid project,
                     const struct field_bytes *from, const struct image_size *size, size_t room,
                     struct field_bytes *ret, struct error *err) MUST_USE;

/* True for a variant's handle; and some of its bytes, fewer at its end. Parks. Makes it again if it
 * was removed. */
bool variant_is_handle(const char *handle);
int variant_read(struct variants *self, const struct request *req, const char *handle,
                 int64_t offset, void *bytes, size_t size, size_t *ret_size,
                 struct error *err) MUST_USE;

/* Removes all variants of an object whose bytes are gone; what is being made now is not kept.
 * Parks. */
int variants_remove(struct variants *self, const struct request *req, struct uuid object,
                    struct error *err) MUST_USE;

/* Lists the next objects with variants here, at most `room`, folder by folder, round and round: to
 * find those deleted on another host. None may mean an empty folder. Parks. */
int variants_objects(struct variants *self, const struct request *req, struct uuid *ret,
                     size_t room, size_t *ret_count, struct error *err) MUST_USE;

/* Removes what is too much, and what was left half made; a part of the sweep. Parks. */
int variants_sweep(struct variants *self, const struct request *req, struct error *err) MUST_USE;

#endif
