/* image_api.h - how images are resized, and logos made of them. */
#ifndef ATRIUM_DOCD_IMAGE_API_H
#define ATRIUM_DOCD_IMAGE_API_H

#include "common/wire/fields.h"

/* Of enum image_fit (docd/image/image.h), in its order: "cover" ...; NULL-ended. */
extern const char *const image_fit_names[];

enum {
    LOGO_WIDTH = 320, /* pixels */
    LOGO_HEIGHT = 96,
    LOGO_INPUT_MAX = 512 * 1024,
    LOGO_BYTES_MAX = 160 * 1024, /* 4 bytes of a pixel, and what PNG adds */
};

/* Makes a PNG logo that fits into LOGO_WIDTH x LOGO_HEIGHT, without metadata. ERR_VALIDATION at
 * "width": see image_make(). */
struct logo_make_in {
    struct uuid projectId;
    struct field_bytes image; /* at most LOGO_INPUT_MAX */
};
FIELD_DECLARE(logo_make_in);

struct logo_made {
    struct field_bytes png; /* at most LOGO_BYTES_MAX */
};
FIELD_DECLARE(logo_made);

#endif
