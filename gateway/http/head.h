/* head.h - headers that the gateway itself uses. */
#ifndef ATRIUM_GATEWAY_HTTP_HEAD_H
#define ATRIUM_GATEWAY_HTTP_HEAD_H

#include <microhttpd.h>

#include "gateway/http/address.h"

/* NULL: absent. Repeated traceparent, tracestate and dpop are "". Valid until the request ends. */
struct head {
    const char *host, *authorization, *content_type, *content_encoding, *content_length,
        *transfer_encoding, *request_id, *traceparent, *tracestate, *user_agent, *expect,
        *if_none_match, *accept_encoding, *cors_method, *cors_headers, *dpop;
    const char *forwarded[FORWARDED_MAX]; /* headers in which proxies name their client, in order */
    size_t forwarded_count;
    const char *forwarded_name;
    bool ambiguous; /* a header that must be unique is repeated */
};

/* Fills a zeroed head. `forwarded`: name of the header in which proxies name their client. */
void head_read(struct head *self, struct MHD_Connection *connection, const char *forwarded);

/* Returns the value, or NULL if it is absent, longer than `max` or not text. */
const char *head_text(const char *value, size_t max);

/* True when the body has a content encoding, which no route accepts. */
bool head_is_encoded(const struct head *self);

/* True when a second request could hide in the body: its end is ambiguous (RFC 9112, section 6.3),
 * or HTTP/1.0 has chunks (section 6.1). Refuse it and close the connection. */
bool head_is_ambiguous(const struct head *self, const char *version);

#endif
