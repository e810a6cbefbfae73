/*
 * image.h - other sizes of an image, made by libvips in a confined process, a bounded number at the
 * same time.
 *
 * What `fit` means, sizes to the pixel and the choice of pixels is what the npm library sharp makes
 * of the same input: clients were written against that.  JPEG, PNG, WebP, GIF (its first frame),
 * HEIF and AVIF are read, by libvips' loaders of those names and no other.  An image is turned as
 * its EXIF data says and converted to sRGB with 8 bits by its color profile.  Then nothing is left
 * that a profile would change, so the result has none: no metadata at all.
 */
#ifndef ATRIUM_DOCD_IMAGE_IMAGE_H
#define ATRIUM_DOCD_IMAGE_IMAGE_H

#include "common/base/error.h"
#include "common/runtime/loop.h"
#include "docd/image/image_turn.h"

enum {
    IMAGE_SIDE_MAX = 6000,        /* that can be asked for */
    IMAGE_PIXELS_MAX = 100000000, /* of an input, and of a result */
};

enum image_fit {
    IMAGE_COVER,   /* fills width x height; what sticks out is cut off, as much on either side */
    IMAGE_CONTAIN, /* as large as fits in; padded, transparent where the image can be, else white */
    IMAGE_FILL,    /* stretched to width x height; a side that is not asked for stays as it is */
    IMAGE_INSIDE,  /* as large as fits in */
    IMAGE_OUTSIDE, /* as small as covers it */
    IMAGE_FIT_COUNT
};
/* image_fit_names (image_api.h) has their names in that order. */

struct image_size {
    int width, height; /* 1 to IMAGE_SIDE_MAX; 0: not asked for, which one of them may be */
    enum image_fit fit;
};

struct image_made {
    const char *contentType; /* the input's; of GIF, HEIF and AVIF a PNG or JPEG is made. Static */
    int width, height;
    int64_t bytes;
};

struct image_pool;

/* Creates a pool that decodes `threads` images at a time (0: one more than cores), and as many
 * large ones with idle CPU time; at most `queue_max` wait. An image over 64 MiB takes its memory
 * from `memory` bytes that all share. The process starts with the first image. */
struct image_pool *image_pool_new(struct loop *loop, size_t threads, size_t queue_max,
                                  int64_t memory);

/* No fiber may be inside image_make(). */
void image_pool_destroy(struct image_pool **self_p);

/* The libvips version and settings: equal input may give other bytes under another. Static. */
const char *image_version(void);

/* Admits an image (image_turn_enter()); image_turn_leave() ends it. */
int image_enter(struct image_pool *self, const struct request *req, struct image_turn *ret,
                bool *ret_parked, struct error *err) MUST_USE;

/* Writes the image in the file `from` in that size to `to`; both are borrowed, at their start.
 * Parks. After a failure `to` is useless. ERR_VALIDATION at "width" (or "height" if only that was
 * asked for): no such image, damaged, more than IMAGE_PIXELS_MAX; ERR_OVERLOADED; ERR_DEADLINE;
 * ERR_THROTTLED (image_turn.h); ERR_UNAVAILABLE: full disk, dead process, or no libvips (logged
 * once). */
int image_make(struct image_pool *self, struct image_turn *turn, struct uuid project,
               int64_t deadline_mono_ms, int from, int to, const struct image_size *size,
               struct image_made *ret, struct error *err) MUST_USE;

/* As image_make(), but always a PNG. */
int image_make_png(struct image_pool *self, struct image_turn *turn, struct uuid project,
                   int64_t deadline_mono_ms, int from, int to, const struct image_size *size,
                   struct image_made *ret, struct error *err) MUST_USE;

/* The field that an error names: "width", or "height" if only that was asked for. */
const char *image_size_path(const struct image_size *size);

/* False once libvips did not start. */
bool image_usable(const struct image_pool *self);

/* What confines the decoders, see image_process_choice(). */
const char *image_means(const struct image_pool *self);

/* For metrics: images decoded so far, and images waiting. */
uint64_t image_decodes(const struct image_pool *self);
size_t image_waiting(const struct image_pool *self);

#endif
