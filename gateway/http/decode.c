/* decode.c - see decode.h. */
#include "gateway/http/decode.h"

#include <sodium.h>
#include <strings.h>

#include "common/domain/uri.h"
#include "common/wire/codec.h"

/* Terminates `out` with NUL. Returns the size, or -1 for a malformed escape or %00. */
static ssize_t percent_decode(const char *raw, size_t size, char *out, bool form)
{
    size_t length = 0;

    for (size_t i = 0; i < size; i++) {
        char c = raw[i];

        if (c == '%') {
            size_t bytes = 0;

            if (size - i < 3 ||
                sodium_hex2bin((unsigned char *)&c, 1, raw + i + 1, 2, NULL, &bytes, NULL) != 0 ||
                bytes != 1 || (c == '/' && !form))
                return -1;
            i += 2;
        } else if (form && c == '+') {
            c = ' ';
        }
        out[length++] = c;
    }
    out[length] = '\0';
    return codec_is_text(out, length) ? (ssize_t)length : -1;
}

int target_split(char *text, struct target *ret, struct error *err)
{
    char *path = text, *query;
    bool secure;
    const char *host = uri_after_http(text, &secure);

    if (host) {
        path = text + (host - text) + strcspn(host, "/?");
        if (*path == '\0')
            path = text + strlen(text);
    }
    query = strchr(path, '?');
    if (query)
        *query++ = '\0';
    ret->query = query ? query : "";
    ret->path = path;
    if (path != text && *path == '\0')
        ret->path = "/";
    if (ret->path[0] != '/' && strcmp(ret->path, "*") != 0)
        return error_set(err, ERR_BAD_REQUEST, "The request target is malformed.");
    return 0;
}

int path_decode(const char *raw, char *scratch, struct path *ret, struct error *err)
{
    *ret = (struct path){0};
    while (*raw == '/') {
        size_t size = strcspn(++raw, "/");
        ssize_t length;

        if (ret->count == PATH_SEGMENTS_MAX) {
            ret->too_deep = true;
            break;
        }
        length = percent_decode(raw, size, scratch, false);
        if (length < 0)
            return error_set(err, ERR_BAD_REQUEST, "The path is malformed.");
        ret->segments[ret->count++] = scratch;
        scratch += length + 1;
        raw += size;
    }
    return 0;
}

int query_decode(const char *raw, struct arena *arena, struct query *ret, struct error *err)
{
    char *scratch;

    *ret = (struct query){0};
    if (*raw == '\0')
        return 0;
    ret->pairs = arena_calloc(arena, QUERY_PAIRS_MAX, sizeof(*ret->pairs));
    /* Each pair loses a separator and gains two NULs. */
    scratch = arena_alloc(arena, strlen(raw) + 2 * QUERY_PAIRS_MAX);
    for (; *raw; raw += *raw == '&') {
        size_t size = strcspn(raw, "&"), name_size = strcspn(raw, "=&");
        ssize_t name, value = 0;

        if (size > 0) {
            const char *text = raw + name_size + (raw[name_size] == '=');

            if (ret->count == QUERY_PAIRS_MAX)
                return error_set(err, ERR_BAD_REQUEST, "The query has too many parameters.");
            name = percent_decode(raw, name_size, scratch, true);
            if (name >= 0)
                value = percent_decode(text, (size_t)(raw + size - text), scratch + name + 1, true);
            if (name < 0 || value < 0)
                return error_set(err, ERR_BAD_REQUEST, "The query is malformed.");
            ret->pairs[ret->count++] = (struct query_pair){scratch, scratch + name + 1};
            scratch += name + value + 2;
        }
        raw += size;
    }
    return 0;
}

const char *query_find(const struct query *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->pairs[i].name, name) == 0)
            return self->pairs[i].value;
    return NULL;
}
