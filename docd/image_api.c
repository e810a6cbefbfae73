/* image_api.c - field tables of image_api.h. See docd_api.c. */
#include "docd/image_api.h"

const char *const image_fit_names[] = {"cover", "contain", "fill", "inside", "outside", NULL};

static const struct field logo_make_in_rows[] = {
    FIELD_UUID(struct logo_make_in, projectId, FIELD_REQUIRED, "Project of the logo."),
    FIELD_BYTES(struct logo_make_in, image, LOGO_INPUT_MAX, FIELD_REQUIRED, "The uploaded image."),
};
FIELD_TABLE(logo_make_in);

static const struct field logo_made_rows[] = {
    FIELD_BYTES(struct logo_made, png, LOGO_BYTES_MAX, FIELD_REQUIRED, "The logo as a PNG image."),
};
FIELD_TABLE(logo_made);
