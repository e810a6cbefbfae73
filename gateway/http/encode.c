/* encode.c - see encode.h. */
#include "gateway/http/encode.h"

#include <brotli/encode.h>
#include <strings.h>
#include <zlib.h>

#include "common/base/log.h"
#include "common/domain/accept.h"

enum {
    GZIP_LEVEL = 1,
    GZIP_WINDOW = 15 + 16, /* 15 bits; 16: gzip header */
    GZIP_MEMORY = 8,
    BROTLI_LEVEL = 5, /* used only at the start */
};

bool encode_is_accepted(const char *accept, const char *coding)
{
    size_t length = strlen(coding);

    while (accept && *accept) {
        size_t size;

        accept += strspn(accept, " \t,");
        size = strcspn(accept, ",");
        if (size >= length && strncasecmp(accept, coding, length) == 0 &&
            (size == length || strchr(" \t;", accept[length])))
            return accept_weight(accept, size) > 0;
        accept += size;
    }
    return false;
}

const char *encode_gzip(struct arena *arena, const char *bytes, size_t size, size_t *ret_size)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size};
    char *out = arena_alloc_raw(arena, size);
    bool done;

    if (deflateInit2(&stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)size;
    done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *ret_size = size - stream.avail_out;
    deflateEnd(&stream);
    return done ? out : NULL;
}

const char *encode_gunzip(struct arena *arena, const char *bytes, size_t size, size_t plain_size)
{
    char *plain = arena_alloc_raw(arena, plain_size);
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes,
                       .avail_in = (uInt)size,
                       .next_out = (Bytef *)plain,
                       .avail_out = (uInt)plain_size};

    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK || inflate(&stream, Z_FINISH) != Z_STREAM_END ||
        stream.avail_out != 0)
        log_die("encode", "what was compressed cannot be read");
    inflateEnd(&stream);
    return plain;
}

const char *encode_brotli(struct arena *arena, const char *bytes, size_t size, size_t *ret_size)
{
    char *out = arena_alloc_raw(arena, size);

    *ret_size = size;
    if (!BrotliEncoderCompress(BROTLI_LEVEL, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, size,
                               (const uint8_t *)bytes, ret_size, (uint8_t *)out))
        return NULL;
    return out;
}
