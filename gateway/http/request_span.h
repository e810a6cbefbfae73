/* request_span.h - traces requests, and logs slow ones. */
#ifndef ATRIUM_GATEWAY_HTTP_REQUEST_SPAN_H
#define ATRIUM_GATEWAY_HTTP_REQUEST_SPAN_H

struct exchange;

/* Call after the headers. Chooses the request id, and whether to trace. */
void request_span_begin(struct exchange *exchange);
void request_span_end(struct exchange *exchange);

#endif
