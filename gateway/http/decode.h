/*
 * decode.h - splits and decodes a request target.
 *
 * libmicrohttpd would decode the path and cut it at %00. Here each segment is decoded by itself, so
 * "%2F" is never a separator.
 */
#ifndef ATRIUM_GATEWAY_HTTP_DECODE_H
#define ATRIUM_GATEWAY_HTTP_DECODE_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

enum {
    TARGET_MAX = 8192,      /* bytes */
    PATH_SEGMENTS_MAX = 16, /* deeper paths match no route */
    QUERY_PAIRS_MAX = 64,
};

/* Parts of "/a/b?c=d" or of an absolute form (RFC 9112, section 3.2). */
struct target {
    const char *path;  /* raw; "*" for the asterisk form */
    const char *query; /* raw; "" without '?' */
};

/* Cuts `text` in place. ERR_BAD_REQUEST: another form. */
int target_split(char *text, struct target *ret, struct error *err) MUST_USE;

struct path {
    size_t count;
    const char *segments[PATH_SEGMENTS_MAX];
    bool too_deep;
};

/* `scratch`: strlen(raw) + 1 bytes, must outlive *ret. ERR_BAD_REQUEST: malformed escape, %00, %2F
 * or invalid UTF-8. */
int path_decode(const char *raw, char *scratch, struct path *ret, struct error *err) MUST_USE;

struct query_pair {
    const char *name, *value;
};
struct query {
    size_t count;
    struct query_pair *pairs;
};

/* ERR_BAD_REQUEST: malformed escape, %00, invalid UTF-8 or more than QUERY_PAIRS_MAX pairs. */
int query_decode(const char *raw, struct arena *arena, struct query *ret,
                 struct error *err) MUST_USE;

const char *query_find(const struct query *self, const char *name);

#endif
