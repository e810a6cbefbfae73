/*
 * page.c - see page.h.
 *
 * API routes ignore the cookie. A form counts if the browser says that a page of this origin sent
 * it and its token belongs to the cookie. Otherwise the daemon only shows the page, and is informed
 * if only the cookie has changed.
 */
#include "gateway/endpoint/page.h"

#include <strings.h>

#include "common/base/secret.h"
#include "common/domain/page.h"
#include "gateway/endpoint/serve.h"
#include "gateway/http/browser.h"
#include "gateway/transfer/download.h"

static const char *public_url(const struct exchange *exchange)
{
    return exchange->gateway->service.common->public_url;
}

/* The footer's links choose a language with this parameter. NULL: no choice. */
static const char *language_choice_of(const struct exchange *exchange)
{
    struct query query;
    struct error err;
    const char *choice;

    error_init(&err, exchange->arena);
    if (strcmp(exchange->method, "GET") != 0 ||
        query_decode(exchange->parts.query, exchange->arena, &query, &err) < 0)
        return NULL;
    choice = query_find(&query, "lang");
    return is_language_choice(choice) ? choice : NULL;
}

/* Finds the visitor's cookie. All pages with forms have a tenant in their path; other pages need no
 * cookie. */
int visitor_find(const struct exchange *exchange, struct visitor *ret, struct error *err)
{
    const struct route_match *match = &exchange->match;
    const char *cookies = exchange_header(exchange, "Cookie"), *shown = NULL;

    *ret = (struct visitor){.secure = exchange_transport(exchange) != NULL};
    ret->choice = language_choice_of(exchange);
    ret->language =
        ret->choice ? ret->choice : language_cookie_find(exchange->arena, cookies, ret->secure);
    if (match->count > 0) {
        ret->name = cookie_name(exchange->arena, match->parameters[0].value, ret->secure);
        if (!ret->name)
            return error_set(err, ERR_NOT_FOUND, "Page not found.");
        shown = cookie_find(exchange->arena, cookies, ret->name);
    }
    ret->is_new = !shown;
    ret->shown = shown ? shown : secret_random_text(exchange->arena, COOKIE_BYTES);
    return 0;
}

static bool is_of_origin(const struct exchange *exchange)
{
    return browser_is_own(exchange_header(exchange, "Origin"),
                          exchange_header(exchange, "Sec-Fetch-Site"), public_url(exchange));
}

static bool is_of_browser(const struct visitor *visitor, const struct query *form)
{
    return !visitor->is_new && form_token_is_of(query_find(form, "formToken"), visitor->shown);
}

json_t *page_form_json(const struct query *form)
{
    json_t *body = json_object();

    for (size_t i = 0; i < form->count; i++)
        json_object_set_new(body, form->pairs[i].name, json_string(form->pairs[i].value));
    for (size_t i = 0; i < form->count; i++)
        secret_wipe_text(form->pairs[i].value);
    return body;
}

int page_read_form(const struct exchange *exchange, struct query *ret, struct error *err)
{
    *ret = (struct query){0};
    if (head_is_encoded(&exchange->head))
        return error_set(err, ERR_UNSUPPORTED_MEDIA, UNENCODED);
    if (!serve_is_media_type(exchange->head.content_type, "application/x-www-form-urlencoded"))
        return error_set(err, ERR_UNSUPPORTED_MEDIA, "The body is not a form.");
    return exchange->endpoint->route.flags & R_ENDPOINT
               ? browser_body_decode(exchange->body, exchange->body_size, exchange->arena, ret, err)
               : browser_form_decode(exchange->body, exchange->body_size, exchange->arena, ret,
                                     err);
}

/* Endpoints have parameters of their own instead of "next". */
static const char *next_of(const struct exchange *exchange, const struct query *form)
{
    struct query query;
    struct error err;
    const char *next;

    error_init(&err, exchange->arena);
    if (!form && query_decode(exchange->parts.query, exchange->arena, &query, &err) < 0)
        return NULL;
    next = query_find(form ? form : &query, "next");
    return next && *next && strlen(next) <= PAGE_NEXT_MAX ? arena_strdup(exchange->arena, next)
                                                          : NULL;
}

void visitor_describe(const struct exchange *exchange, const struct visitor *visitor,
                      const struct query *form, struct page_visit *ret)
{
    bool ours = form && is_of_origin(exchange), own = ours && is_of_browser(visitor, form);

    *ret = (struct page_visit){
        .url = public_url(exchange),
        .cookie = arena_strdup(exchange->arena, visitor->shown),
        .formToken = form_token(exchange->arena, visitor->shown),
        .languages = exchange_header(exchange, "Accept-Language"),
        .language = visitor->language,
        .next = next_of(exchange, form),
        .own = own,
        .stale = ours && !own,
        .submission = own ? form_submission(exchange->arena, visitor->shown, exchange->parts.path,
                                            exchange->body, exchange->body_size)
                          : NULL,
        .isNew = visitor->is_new,
    };
    if (ret->languages && !codec_is_text(ret->languages, strlen(ret->languages)))
        ret->languages = NULL;
}

/* True for a parameter that the page has, which excludes what others add to a link. */
static bool is_of_page(const struct exchange *exchange, const char *pair, size_t length)
{
    const struct field_table *table = exchange->endpoint->route.input;

    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];

        if (row->flags & FIELD_QUERY && strlen(row->name) == length &&
            strncmp(pair, row->name, length) == 0)
            return true;
    }
    return length == 4 && strncmp(pair, "next", length) == 0;
}

/* Returns path and query without the choice of a language. NULL: too long. */
static const char *here_of(const struct exchange *exchange)
{
    struct arena *arena = exchange->arena;
    const char *here = arena_strdup(arena, exchange->parts.path), *mark = "?";

    for (const char *at = exchange->parts.query; *at;) {
        size_t length = strcspn(at, "&");

        if (is_of_page(exchange, at, strcspn(at, "=&"))) {
            here = arena_printf(arena, "%s%s%.*s", here, mark, (int)length, at);
            mark = "&";
        }
        at += length + (at[length] == '&');
    }
    return strlen(here) <= PAGE_HERE_MAX ? here : NULL;
}

static int ask(struct exchange *exchange, const struct visitor *visitor, struct request *req,
               struct page_answer *ret, struct error *err)
{
    bool posted = strcmp(exchange->method, "POST") == 0;
    json_auto_t *body = NULL;
    struct query form = {0};
    struct page_visit visit;
    msgpack_object output;
    void *input;

    if (posted && page_read_form(exchange, &form, err) < 0)
        return -1;
    visitor_describe(exchange, visitor, posted ? &form : NULL, &visit);
    visit.here = posted ? NULL : here_of(exchange);
    if (posted)
        body = page_form_json(&form);
    serve_request(exchange, req);
    if (serve_input(exchange, body, &input, err) < 0)
        return -1;
    serve_set(exchange, input, &page_visit_table, &visit);
    if (serve_call(exchange, req, input, &output, err) < 0)
        return -1;
    return fields_unpack(&page_answer_table, &output, exchange->arena, ret, err);
}

const char *visitor_set_cookie(const struct exchange *exchange, const struct visitor *visitor,
                               const char *cookie)
{
    const char *value = cookie ? cookie : visitor->is_new ? visitor->shown : NULL;

    if (!value)
        return NULL;
    return cookie_header(exchange->arena, visitor->name, *value ? value : NULL, visitor->secure);
}

static void answer_page(struct exchange *exchange, const struct visitor *visitor,
                        const struct page_answer *page)
{
    struct answer answer = {.status = (unsigned)page->status, .page = true};
    const struct answer_header more[] = {
        {"Content-Security-Policy", page->policy},
        {"Location", page->location},
        {"Set-Cookie", visitor->name ? visitor_set_cookie(exchange, visitor, page->cookie) : NULL},
        {"Set-Cookie",
         visitor->choice ? language_cookie_header(exchange->arena, visitor->choice, visitor->secure)
                         : NULL},
        {"Strict-Transport-Security", exchange_transport(exchange)},
        {"Retry-After", page->retryAfter > 0
                            ? arena_printf(exchange->arena, "%lld", (long long)page->retryAfter)
                            : NULL},
        {NULL, NULL},
    };

    answer.more = arena_memdup(exchange->arena, more, sizeof(more));
    if (page->html) {
        answer.body = page->html;
        answer.size = strlen(page->html);
        answer.content_type = "text/html; charset=utf-8";
    }
    exchange_reply(exchange, &answer);
}

void page_serve(struct exchange *exchange)
{
    struct visitor visitor = {.name = NULL};
    struct error *err = &exchange->err;
    struct page_answer page;
    struct request req;

    warm_up_wait(exchange->gateway);
    if (exchange->refused || visitor_find(exchange, &visitor, err) < 0 ||
        ask(exchange, &visitor, &req, &page, err) < 0)
        exchange_fail(exchange, NULL);
    else if (!page.content)
        answer_page(exchange, &visitor, &page);
    else if (download_send(exchange, &req, page.content, exchange_transport(exchange), err) < 0)
        exchange_fail(exchange, NULL);
}
