/*
 * image_header.h - the size of an image as its file says it.
 */
#ifndef ATRIUM_DOCD_IMAGE_IMAGE_HEADER_H
#define ATRIUM_DOCD_IMAGE_IMAGE_HEADER_H

#include <stdint.h>

/* Pixels that the header of this JPEG, PNG, WebP or HEIF names, 0 when it names none. For a file
 * that libvips does not open: libraries refuse sides beyond limits of their own, and then say
 * nothing of sides. */
uint64_t image_header_pixels(int file);

#endif
