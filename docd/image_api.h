/* image_api.h - resized images and logos. */
#ifndef ATRIUM_DOCD_IMAGE_API_H
#define ATRIUM_DOCD_IMAGE_API_H

#include "common/wire/fields.h"

/* Names in the order of enum image_fit (docd/image/image.h); NULL-ended. */
extern const char *const image_fit_names[];

enum {
    LOGO_WIDTH = 320, /* pixels */
    LOGO_HEIGHT = 96,
    LOGO_INPUT_MAX = 512 * 1024,
    LOGO_BYTES_MAX = 160 * 1024, /* 4 per pixel, and PNG's overhead */
};

/* Makes a PNG logo without metadata. ERR_VALIDATION: see image_make(). */
struct logo_make_in {
    struct uuid projectId;
    struct field_bytes image;
};
FIELD_DECLARE(logo_make_in);

struct logo_made {
    struct field_bytes png;
};
FIELD_DECLARE(logo_made);

#endif
