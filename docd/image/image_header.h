/* image_header.h - an image's size by its header. */
#ifndef ATRIUM_DOCD_IMAGE_IMAGE_HEADER_H
#define ATRIUM_DOCD_IMAGE_IMAGE_HEADER_H

#include <stdint.h>

/* Returns the pixels of a JPEG, PNG, WebP or HEIF; 0: none. For files that libvips does not open,
 * because a library's own limit rejects them. */
uint64_t image_header_pixels(int file);

#endif
