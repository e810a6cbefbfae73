/* encode.h - content codings (RFC 9110, section 8.4). */
#ifndef ATRIUM_GATEWAY_HTTP_ENCODE_H
#define ATRIUM_GATEWAY_HTTP_ENCODE_H

#include "common/base/arena.h"

enum { ENCODE_MIN = 1024 }; /* bytes worth compressing */

/* True when listed, but not with q=0. `accept` can be NULL. */
bool encode_is_accepted(const char *accept, const char *coding);

/* Return NULL if the result isn't smaller. gzip is fast enough for each answer, brotli is for
 * stored texts. */
const char *encode_gzip(struct arena *arena, const char *bytes, size_t size, size_t *ret_size);
const char *encode_brotli(struct arena *arena, const char *bytes, size_t size, size_t *ret_size);

const char *encode_gunzip(struct arena *arena, const char *bytes, size_t size, size_t plain_size);

#endif
