/*
 * variant.h - a disk cache of resized images. Equal requests make a variant once. Variants are
 * removed with their document; beyond bytes_max the least recently used are removed.
 *
 *     DIR/<xx>/<object>-<width>x<height>-<fit>-<version>        complete (variant_files.h)
 *     DIR/<xx>/<object>-<width>x<height>-<fit>-<version>.new    in progress, locked by its process
 *
 * xx are the first two digits of the object, which never changes. The version is a hash of
 * image_version(): variants of another libvips or docd are not used. Instances can share DIR.
 */
#ifndef ATRIUM_DOCD_IMAGE_VARIANT_H
#define ATRIUM_DOCD_IMAGE_VARIANT_H

#include "common/base/metrics.h"
#include "common/runtime/offload.h"
#include "docd/image/image.h"
#include "docd/store/store.h"

struct variants;

struct variants_options {
    const char *dir;
    int64_t bytes_max; /* limit of the cache; 0: each is deleted once sent */
    size_t image_threads, image_queue;
    int64_t image_memory;
    int64_t image_bytes; /* larger objects are not read as images */
};

/* Borrows the store and the pool, which does disk work. NULL with err set: unusable directory. */
struct variants *variants_new(struct loop *loop, struct metrics *metrics, struct offload *pool,
                              struct store *store, const struct variants_options *options,
                              struct error *err);
void variants_destroy(struct variants **self_p);

/* Returns what confines the decoders; NULL: none runs. Static. */
const char *variants_means(const struct variants *self);

/* Returns the variant's strong entity tag, quoted. The variant need not exist. */
const char *variant_etag(struct arena *arena, const char *etag, const struct image_size *size);

struct variant {
    const char *contentType;
    int64_t size;
    const char *handle;       /* for variant_read() */
    struct field_bytes bytes; /* absent if more than CONTENT_INLINE_MAX */
};

/* Returns an object in another size. Parks. Fails like image_make(); ERR_VALIDATION also if the
 * object is larger than image_bytes; ERR_NOT_FOUND: no such object. */
int variant_get(struct variants *self, const struct request *req, struct store_key key,
                int64_t bytes, const struct image_size *size, struct variant *ret,
                struct error *err) MUST_USE;

/* Makes a PNG of at most `room` bytes. Parks. Fails like image_make(). */
int variant_make_png(struct variants *self, const struct request *req, struct uuid project,
                     const struct field_bytes *from, const struct image_size *size, size_t room,
                     struct field_bytes *ret, struct error *err) MUST_USE;

/* True for a variant's handle. variant_read() parks, and makes a removed variant again. */
bool variant_is_handle(const char *handle);
int variant_read(struct variants *self, const struct request *req, const char *handle,
                 int64_t offset, void *bytes, size_t size, size_t *ret_size,
                 struct error *err) MUST_USE;

/* Removes an object's variants. Call after its bytes are removed. Parks. */
int variants_remove(struct variants *self, const struct request *req, struct uuid object,
                    struct error *err) MUST_USE;

/* Lists the next objects with variants here, in an endless cycle of folders, to find objects
 * deleted on another host. A folder can be empty. Parks. */
int variants_objects(struct variants *self, const struct request *req, struct uuid *ret,
                     size_t room, size_t *ret_count, struct error *err) MUST_USE;

/* Removes excess and unfinished variants. Parks. */
int variants_sweep(struct variants *self, const struct request *req, struct error *err) MUST_USE;

#endif
