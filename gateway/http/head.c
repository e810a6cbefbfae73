/* head.c - see head.h. */
#include "gateway/http/head.h"

#include <strings.h>

#include "common/wire/codec.h"

struct head_row {
    const char *name;
    size_t length, offset;
    enum {
        LAST, /* if repeated, the last one counts */
        ONCE, /* if repeated, the request is ambiguous */
        NONE, /* if repeated, counts as "" */
    } several;
};
#define HEAD(name_, member, several_)                                     \
    {                                                                     \
        name_, sizeof(name_) - 1, offsetof(struct head, member), several_ \
    }

static const struct head_row head_rows[] = {
    HEAD("Host", host, ONCE),
    HEAD("Authorization", authorization, ONCE),
    HEAD("Content-Type", content_type, ONCE),
    HEAD("Content-Encoding", content_encoding, LAST),
    HEAD("Content-Length", content_length, ONCE),
    HEAD("Transfer-Encoding", transfer_encoding, ONCE),
    HEAD("X-Request-Id", request_id, LAST),
    HEAD("Traceparent", traceparent, NONE),
    HEAD("Tracestate", tracestate, NONE),
    HEAD("User-Agent", user_agent, LAST),
    HEAD("Expect", expect, LAST),
    HEAD("If-None-Match", if_none_match, LAST),
    HEAD("Accept-Encoding", accept_encoding, LAST),
    HEAD("Access-Control-Request-Method", cors_method, LAST),
    HEAD("Access-Control-Request-Headers", cors_headers, LAST),
    HEAD("DPoP", dpop, NONE), /* RFC 9449, section 4.3, check 1 */
};

/* Drops the first when full, because trusted proxies add the right-most ones. */
static void head_forwarded(struct head *head, const char *value)
{
    if (head->forwarded_count == FORWARDED_MAX) {
        memmove(&head->forwarded[0], &head->forwarded[1],
                (FORWARDED_MAX - 1) * sizeof(head->forwarded[0]));
        head->forwarded_count--;
    }
    head->forwarded[head->forwarded_count++] = value;
}

static enum MHD_Result on_header(void *arg, enum MHD_ValueKind kind UNUSED, const char *name,
                                 const char *value)
{
    struct head *head = arg;
    size_t length = strlen(name);

    if (!value)
        return MHD_YES;
    for (size_t i = 0; i < ARRAY_SIZE(head_rows); i++) {
        const struct head_row *row = &head_rows[i];
        const char **member = (const char **)(void *)((char *)head + row->offset);

        if (row->length != length || strcasecmp(row->name, name) != 0)
            continue;
        head->ambiguous |= *member && row->several == ONCE;
        *member = *member && row->several == NONE ? "" : value;
        return MHD_YES;
    }
    if (strcasecmp(name, head->forwarded_name) == 0)
        head_forwarded(head, value);
    return MHD_YES;
}

void head_read(struct head *self, struct MHD_Connection *connection, const char *forwarded)
{
    self->forwarded_name = forwarded;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, on_header, self);
}

const char *head_text(const char *value, size_t max)
{
    size_t size = value ? strnlen(value, max + 1) : 0;

    return value && size <= max && codec_is_text(value, size) ? value : NULL;
}

bool head_is_encoded(const struct head *self)
{
    return self->content_encoding && strcasecmp(self->content_encoding, "identity") != 0;
}

bool head_is_ambiguous(const struct head *self, const char *version)
{
    bool old = strcmp(version, MHD_HTTP_VERSION_1_0) == 0;

    return self->ambiguous || (self->transfer_encoding && (self->content_length || old));
}
