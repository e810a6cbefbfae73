/* request_span.h - traces of requests, and a log of slow ones. */
#ifndef ATRIUM_GATEWAY_HTTP_REQUEST_SPAN_H
#define ATRIUM_GATEWAY_HTTP_REQUEST_SPAN_H

struct exchange;

/* Chooses the request's id after its headers were read, and decides if it is traced. */
void request_span_begin(struct exchange *exchange);
void request_span_end(struct exchange *exchange);

#endif
