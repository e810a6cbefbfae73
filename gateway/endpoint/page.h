/*
 * page.h - the endpoint of every daemon's page, see common/domain/page.h.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_PAGE_H
#define ATRIUM_GATEWAY_ENDPOINT_PAGE_H

#include "gateway/endpoint/exchange.h"

/* Cookie, form, fields, bus, HTML; on a fiber. No bearer token is looked at. */
void page_serve(struct exchange *exchange);

#endif
