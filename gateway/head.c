/*
 * head.c - one pass over a request's headers.  Called by exchange.c for each request.
 */
#include <string.h>
#include <strings.h>

#include "gateway/head.h"

struct head_row {
    const char *name;
    size_t length, offset;
    bool once; /* two of them leave open which one counts */
};
#define HEAD(name_, member, once_)                                     \
    {                                                                  \
        name_, sizeof(name_) - 1, offsetof(struct head, member), once_ \
    }

static const struct head_row head_rows[] = {
    HEAD("Host", host, true),
    HEAD("Authorization", authorization, true),
    HEAD("Content-Type", content_type, true),
    HEAD("Content-Encoding", content_encoding, false),
    HEAD("Content-Length", content_length, true),
    HEAD("Transfer-Encoding", transfer_encoding, true),
    HEAD("X-Request-Id", request_id, false),
    HEAD("Traceparent", traceparent, false),
    HEAD("User-Agent", user_agent, false),
    HEAD("Expect", expect, false),
    HEAD("If-None-Match", if_none_match, false),
    HEAD("Accept-Encoding", accept_encoding, false),
    HEAD("Access-Control-Request-Method", cors_method, false),
    HEAD("Access-Control-Request-Headers", cors_headers, false),
};

/* Keeps the last FORWARDED_MAX, in order: the right-most entries are the ones that proxies of ours wrote. */
static void head_forwarded(struct head *head, const char *value)
{
    if (head->forwarded_count == FORWARDED_MAX) {
        memmove(&head->forwarded[0], &head->forwarded[1],
                (FORWARDED_MAX - 1) * sizeof(head->forwarded[0]));
        head->forwarded_count--;
    }
    head->forwarded[head->forwarded_count++] = value;
}

/* What others take for Content-Length or Transfer-Encoding and libmicrohttpd does not: a space before the colon,
 * or a folded line (RFC 9112, sections 5.1 and 5.2), whose rest 0.9.75 appends to the header's name. */
static bool is_strange(const char *name)
{
    static const char *const framing[] = {"Content-Length", "Transfer-Encoding"};

    for (size_t i = 0; i < ARRAY_SIZE(framing); i++) {
        size_t length = strlen(framing[i]);

        if (strncasecmp(name, framing[i], length) == 0 && name[length] != '\0')
            return true;
    }
    while (*name > ' ' && *name < 0x7f)
        name++;
    return *name != '\0';
}

static enum MHD_Result on_header(void *arg, enum MHD_ValueKind kind UNUSED, const char *name,
                                 const char *value)
{
    struct head *head = arg;
    size_t length = strlen(name);

    head->ambiguous |= is_strange(name);
    if (!value)
        return MHD_YES;
    for (size_t i = 0; i < ARRAY_SIZE(head_rows); i++) {
        const struct head_row *row = &head_rows[i];
        const char **member = (const char **)(void *)((char *)head + row->offset);

        if (row->length != length || strcasecmp(row->name, name) != 0)
            continue;
        head->ambiguous |= *member && row->once;
        *member = value;
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

bool head_has_strange_encoding(const struct head *self)
{
    return self->transfer_encoding && strcasecmp(self->transfer_encoding, "chunked") != 0;
}

bool head_is_ambiguous(const struct head *self)
{
    const char *length = self->content_length;

    return self->ambiguous || (self->transfer_encoding && length) ||
           (length && length[strspn(length, "0123456789")] != '\0') ||
           head_has_strange_encoding(self);
}
