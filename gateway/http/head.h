/* head.h - the headers that the gateway itself looks at. */
#ifndef ATRIUM_GATEWAY_HTTP_HEAD_H
#define ATRIUM_GATEWAY_HTTP_HEAD_H

#include <microhttpd.h>

#include "gateway/http/address.h"

/* NULL: absent; repeated traceparent, tracestate and dpop are "". Valid until the request's end. */
struct head {
    const char *host, *authorization, *content_type, *content_encoding, *content_length,
        *transfer_encoding, *request_id, *traceparent, *tracestate, *user_agent, *expect,
        *if_none_match, *accept_encoding, *cors_method, *cors_headers, *dpop;
    const char *forwarded[FORWARDED_MAX]; /* those that proxies name their clients in, in order */
    size_t forwarded_count;
    const char *forwarded_name;
    bool ambiguous; /* a header that must stand once stands twice */
};

/* Fills a zeroed head. `forwarded`: the name of the header that proxies name their clients in. */
void head_read(struct head *self, struct MHD_Connection *connection, const char *forwarded);

/* The text of a header; NULL: there is none, it is longer than that, or it is no text. */
const char *head_text(const char *value, size_t max);

/* An ambiguous end hides a second request (RFC 9112, section 6.3), as do chunks in HTTP/1.0
 * (section 6.1): refuse it and close the connection. */
bool head_is_ambiguous(const struct head *self, const char *version);

#endif
