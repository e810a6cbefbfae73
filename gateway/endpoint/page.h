/* page.h - the endpoint of every daemon's page, see common/domain/page.h. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_PAGE_H
#define ATRIUM_GATEWAY_ENDPOINT_PAGE_H

#include "common/domain/page.h"
#include "gateway/endpoint/exchange.h"
#include "gateway/http/decode.h"

struct visitor {
    const char *name; /* of its cookie; NULL: the page needs none */
    const char *shown;
    bool secure, is_new;
};

/* By the tenant in the path, if it has one. ERR_NOT_FOUND: its code can name no cookie. */
int visitor_find(const struct exchange *exchange, struct visitor *ret, struct error *err) MUST_USE;

/* form NULL: none was sent. */
void visitor_describe(const struct exchange *exchange, const struct visitor *visitor,
                      const struct query *form, struct page_visit *ret);

/* The Set-Cookie of the daemon's cookie, or of a cookie just given; NULL: it keeps what it has. */
const char *visitor_set_cookie(const struct exchange *exchange, const struct visitor *visitor,
                               const char *cookie);

int page_read_form(const struct exchange *exchange, struct query *ret, struct error *err) MUST_USE;

/* The fields of a form as members of a body; the caller's. Values are wiped. */
json_t *page_form_json(const struct query *form);

/* Cookie, form, fields, bus, HTML; on a fiber. No bearer token is looked at. */
void page_serve(struct exchange *exchange);

#endif
