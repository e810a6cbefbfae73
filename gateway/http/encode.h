/* encode.h - content codings of answers (RFC 9110, section 8.4). */
#ifndef ATRIUM_GATEWAY_HTTP_ENCODE_H
#define ATRIUM_GATEWAY_HTTP_ENCODE_H

#include "common/base/arena.h"

enum { ENCODE_MIN = 1024 }; /* what is not larger goes out as it is */

/* Whether an Accept-Encoding (NULL: none) names the coding, and not with q=0. */
bool encode_is_accepted(const char *accept, const char *coding);

/* From the arena; NULL when no smaller. gzip is fast, for one answer; brotli for what is kept. */
const char *encode_gzip(struct arena *arena, const char *bytes, size_t size, size_t *ret_size);
const char *encode_brotli(struct arena *arena, const char *bytes, size_t size, size_t *ret_size);

/* The `plain_size` bytes, from the arena, that encode_gzip() made these of. */
const char *encode_gunzip(struct arena *arena, const char *bytes, size_t size, size_t plain_size);

#endif
