/* head.h - headers for the gateway itself. */
#ifndef ATRIUM_GATEWAY_HTTP_HEAD_H
#define ATRIUM_GATEWAY_HTTP_HEAD_H

#include <microhttpd.h>

#include "gateway/http/address.h"

/* Absent headers are NULL, repeated traceparent, tracestate and dpop "". Valid until the request
 * ends. */
struct head {
    const char *host, *authorization, *content_type, *content_encoding, *content_length,
        *transfer_encoding, *request_id, *traceparent, *tracestate, *user_agent, *expect,
        *if_none_match, *accept_encoding, *cors_method, *cors_headers, *dpop;
    const char *forwarded[FORWARDED_MAX]; /* headers in which proxies name their client, in order */
    size_t forwarded_count;
    const char *forwarded_name;
    bool ambiguous; /* a unique header is repeated */
};

/* `self` is zeroed. `forwarded`: header in which proxies name their client. */
void head_read(struct head *self, struct MHD_Connection *connection, const char *forwarded);

const char *head_text(const char *value, size_t max);

bool head_is_encoded(const struct head *self);

/* An unclear end can hide a second request (RFC 9112, section 6.3), as can chunks in HTTP/1.0
 * (section 6.1). Refuse and close. */
bool head_is_ambiguous(const struct head *self, const char *version);

#endif
