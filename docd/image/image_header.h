/* image_header.h - the size of an image as its file says it. */
#ifndef ATRIUM_DOCD_IMAGE_IMAGE_HEADER_H
#define ATRIUM_DOCD_IMAGE_IMAGE_HEADER_H

#include <stdint.h>

/* The pixels by the header of a JPEG, PNG, WebP or HEIF; 0: none. For files that libvips does not
 * open: libraries with limits of their own do not say the size. */
uint64_t image_header_pixels(int file);

#endif
