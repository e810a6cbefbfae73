/*
 * logo.c - makes a tenant's logo. docd stores neither picture nor logo.
 */
#include "docd/docd.h"
#include "docd/image_api.h"

int logo_make(struct docd *d, const struct request *req, const struct logo_make_in *in,
              struct logo_made *out, struct error *err)
{
    static const struct image_size size = {
        .width = LOGO_WIDTH, .height = LOGO_HEIGHT, .fit = IMAGE_INSIDE};

    return variant_make_png(d->variants, req, in->projectId, &in->image, &size, LOGO_BYTES_MAX,
                            &out->png, err);
}
