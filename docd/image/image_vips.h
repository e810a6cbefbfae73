/* image_vips.h - one image through libvips: what image_program.c knows of image_vips.c. */
#ifndef ATRIUM_DOCD_IMAGE_IMAGE_VIPS_H
#define ATRIUM_DOCD_IMAGE_IMAGE_VIPS_H

#include "docd/image/image.h"

enum image_status {
    IMAGE_MADE,
    IMAGE_NEEDS_MORE, /* than `memory` or `pixels`: nothing was decoded */
    IMAGE_NO_IMAGE,
    IMAGE_DAMAGED,
    IMAGE_TOO_LARGE, /* of too many pixels */
    IMAGE_TOO_LARGE_RESULT,
    IMAGE_LATE,        /* the deadline passed */
    IMAGE_NOT_WRITTEN, /* the file could not be; errno in `error_number` */
    IMAGE_NO_LIBRARY   /* libvips did not start */
};

struct image_job {
    int from, to;
    struct image_size size;
    bool png; /* what is made, whatever the input is */
    int64_t deadline_mono_ms;
    int64_t memory; /* in: bytes it may use; out: bytes it needs */
    int64_t pixels; /* in: those that it may have; out: those that it has, once that is known */
    bool decoded;   /* the pixels were read, at least in part */
    enum image_status status;
    int error_number;
    struct image_made made;
};

/* Before there are threads: what libvips will read of the environment. */
void image_vips_prepare(void);

/* Once, before the first job, on any thread. False when libvips does not start: a second try would
 * find it half started, and no job may be done. */
bool image_vips_start(void);

/* Does the job (struct image_job) of which only `from`, `to`, `size`, `png`, `deadline_mono_ms`,
 * `memory` and `pixels` are set. */
void image_vips_run(void *job);

#endif
