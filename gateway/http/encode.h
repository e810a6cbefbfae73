/* encode.h - content codings (RFC 9110, section 8.4). */
#ifndef ATRIUM_GATEWAY_HTTP_ENCODE_H
#define ATRIUM_GATEWAY_HTTP_ENCODE_H

#include "common/base/arena.h"

enum { ENCODE_MIN = 1024 }; /* bytes; smaller answers aren't compressed */

/* True when an Accept-Encoding (NULL: none) lists the coding without q=0. */
bool encode_is_accepted(const char *accept, const char *coding);

/* Compress into the arena. Return NULL if the result isn't smaller. Use gzip, which is fast, for
 * one answer and brotli for texts that are stored. */
const char *encode_gzip(struct arena *arena, const char *bytes, size_t size, size_t *ret_size);
const char *encode_brotli(struct arena *arena, const char *bytes, size_t size, size_t *ret_size);

/* Returns the `plain_size` bytes before encode_gzip(), from the arena. */
const char *encode_gunzip(struct arena *arena, const char *bytes, size_t size, size_t plain_size);

#endif
