/*
 * image.h - resizes images with libvips in a confined process.
 *
 * The results equal those of the npm library sharp, to the pixel: clients expect that. Reads JPEG,
 * PNG, WebP, GIF (first frame), HEIF and AVIF with libvips' own loaders. Rotates by EXIF, converts
 * to sRGB with 8 bits and removes all metadata.
 */
#ifndef ATRIUM_DOCD_IMAGE_IMAGE_H
#define ATRIUM_DOCD_IMAGE_IMAGE_H

#include "common/base/error.h"
#include "common/runtime/loop.h"
#include "docd/image/image_turn.h"

enum {
    IMAGE_SIDE_MAX = 6000,        /* side of a result */
    IMAGE_PIXELS_MAX = 100000000, /* in an input or a result */
};

enum image_fit {
    IMAGE_COVER,   /* fills width x height, cropped on both sides */
    IMAGE_CONTAIN, /* fits in; padded, transparent or white */
    IMAGE_FILL,    /* stretched; a side that is not set stays */
    IMAGE_INSIDE,  /* fits in, not padded */
    IMAGE_OUTSIDE, /* covers width x height, not cropped */
    IMAGE_FIT_COUNT
};

struct image_size {
    int width, height; /* 0: not set, allowed for one side */
    enum image_fit fit;
};

struct image_made {
    const char *contentType; /* static; GIF, HEIF and AVIF become PNG or JPEG */
    int width, height;
    int64_t bytes;
};

struct image_pool;

/* Creates a pool that decodes `threads` images at a time (0: cores + 1), and as many large ones
 * with idle CPU time. Images over 64 MiB share `memory` bytes. The process starts with the first
 * image. */
struct image_pool *image_pool_new(struct loop *loop, size_t threads, size_t queue_max,
                                  int64_t memory);

/* No fiber may be inside image_make(). */
void image_pool_destroy(struct image_pool **self_p);

/* Returns the libvips version and settings, which decide a result's bytes. Static. */
const char *image_version(void);

int image_enter(struct image_pool *self, const struct request *req, struct image_turn *ret,
                bool *ret_parked, struct error *err) MUST_USE;

/* Resizes `from` into `to`; both are borrowed, at offset 0. Parks. ERR_VALIDATION at
 * image_size_path(): not an image, damaged, over IMAGE_PIXELS_MAX; ERR_OVERLOADED; ERR_DEADLINE;
 * ERR_THROTTLED (image_turn.h); ERR_UNAVAILABLE: full disk, dead process, no libvips. */
int image_make(struct image_pool *self, struct image_turn *turn, struct uuid project,
               int64_t deadline_mono_ms, int from, int to, const struct image_size *size,
               struct image_made *ret, struct error *err) MUST_USE;

int image_make_png(struct image_pool *self, struct image_turn *turn, struct uuid project,
                   int64_t deadline_mono_ms, int from, int to, const struct image_size *size,
                   struct image_made *ret, struct error *err) MUST_USE;

/* Returns "width", or "height" if only that was set. */
const char *image_size_path(const struct image_size *size);

/* False once libvips has failed to start. */
bool image_usable(const struct image_pool *self);

/* Returns what confines the decoders, see image_process_choice(). */
const char *image_means(const struct image_pool *self);

uint64_t image_decodes(const struct image_pool *self);
size_t image_waiting(const struct image_pool *self);

#endif
