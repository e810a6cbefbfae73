#ifndef ATRIUM_DOCD_IMAGE_IMAGE_VIPS_H
#define ATRIUM_DOCD_IMAGE_IMAGE_VIPS_H

#include "docd/image/image.h"

enum image_status {
    IMAGE_MADE,
    IMAGE_NEEDS_MORE, /* more than `memory` or `pixels`: nothing was decoded */
    IMAGE_NO_IMAGE,
    IMAGE_DAMAGED,
    IMAGE_TOO_LARGE,
    IMAGE_TOO_LARGE_RESULT,
    IMAGE_LATE,
    IMAGE_NOT_WRITTEN, /* errno in `error_number` */
    IMAGE_NO_LIBRARY
};

struct image_job {
    int from, to;
    struct image_size size;
    bool png; /* makes a PNG of any input */
    int64_t deadline_mono_ms;
    int64_t memory; /* in: limit; out: bytes needed */
    int64_t pixels; /* in: limit; out: pixels of the image, if known */
    bool decoded;   /* some pixels were read */
    enum image_status status;
    int error_number;
    struct image_made made;
};

/* Sets the environment for libvips. Call before threads start. */
void image_vips_prepare(void);

/* Call once. False: no job can run, and a retry would find libvips half started. */
bool image_vips_start(void);

/* Runs a struct image_job of which only the inputs are set. */
void image_vips_run(void *job);

#endif
