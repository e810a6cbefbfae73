/* request_span.h - a request's trace, and why it was slow. */
#ifndef ATRIUM_GATEWAY_HTTP_REQUEST_SPAN_H
#define ATRIUM_GATEWAY_HTTP_REQUEST_SPAN_H

struct exchange;

/* Chooses the id of a request whose headers were read, and whether it is traced. */
void request_span_begin(struct exchange *exchange);

void request_span_end(struct exchange *exchange);

#endif
