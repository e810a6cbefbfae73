/* page.h - serves the daemons' pages; see common/domain/page.h. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_PAGE_H
#define ATRIUM_GATEWAY_ENDPOINT_PAGE_H

#include "common/domain/page.h"
#include "gateway/endpoint/exchange.h"
#include "gateway/http/decode.h"

struct visitor {
    const char *name; /* the cookie's; NULL: the page needs none */
    const char *shown;
    bool secure, is_new;
};

/* Finds the cookie of the tenant in the path. ERR_NOT_FOUND: the tenant code can't name a
 * cookie. */
int visitor_find(const struct exchange *exchange, struct visitor *ret, struct error *err) MUST_USE;

/* `form` is NULL if none was sent. */
void visitor_describe(const struct exchange *exchange, const struct visitor *visitor,
                      const struct query *form, struct page_visit *ret);

/* Returns a Set-Cookie for the daemon's cookie or for a new one. NULL: the browser keeps its
 * cookie. */
const char *visitor_set_cookie(const struct exchange *exchange, const struct visitor *visitor,
                               const char *cookie);

int page_read_form(const struct exchange *exchange, struct query *ret, struct error *err) MUST_USE;

/* Returns the form's fields as a JSON body and wipes the form's values. New reference. */
json_t *page_form_json(const struct query *form);

/* Parks. Doesn't look at bearer tokens. */
void page_serve(struct exchange *exchange);

#endif
