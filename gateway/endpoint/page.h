/* page.h - serves daemons' pages; see common/domain/page.h. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_PAGE_H
#define ATRIUM_GATEWAY_ENDPOINT_PAGE_H

#include "common/domain/page.h"
#include "gateway/endpoint/exchange.h"
#include "gateway/http/decode.h"

struct visitor {
    const char *name; /* cookie name; NULL: no cookie needed */
    const char *shown;
    bool secure, is_new;
    const char *language; /* chosen on a page, or NULL */
    const char *choice;   /* the language that this request chooses, or NULL */
};

/* Uses the tenant in the path. ERR_NOT_FOUND: its code can't be in a cookie's name. */
int visitor_find(const struct exchange *exchange, struct visitor *ret, struct error *err) MUST_USE;

void visitor_describe(const struct exchange *exchange, const struct visitor *visitor,
                      const struct query *form, struct page_visit *ret);

/* Returns NULL if the browser keeps its cookie. */
const char *visitor_set_cookie(const struct exchange *exchange, const struct visitor *visitor,
                               const char *cookie);

int page_read_form(const struct exchange *exchange, struct query *ret, struct error *err) MUST_USE;

/* Wipes the form's values. New reference. */
json_t *page_form_json(const struct query *form);

/* Ignores bearer tokens. Parks. */
void page_serve(struct exchange *exchange);

#endif
