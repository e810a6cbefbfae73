/* no_endpoint.c - answers without a daemon: health checks, preflights, 404 and 405. */
#include "gateway/endpoint/endpoints.h"

#include "gateway/endpoint/exchange.h"
#include "gateway/http/accept.h"

enum { NOT_FOUND_PATH_MAX = 200, NOT_FOUND_METHOD_MAX = 16 };

static const char *preflight_headers(const struct exchange *self)
{
    const char *wanted = self->head.cors_headers;

    if (wanted &&
        strspn(wanted, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_, ") ==
            strlen(wanted))
        return wanted;
    return "Authorization, Content-Type";
}

/* True when other sites' scripts can't request the path. */
static bool is_closed(unsigned flags)
{
    return flags & R_PAGE || (flags & R_ENDPOINT && !(flags & R_CORS));
}

static void answer_options(struct exchange *self)
{
    struct answer answer = {
        .status = 204, .allow = self->match.allow, .page = is_closed(self->match.flags)};

    if (self->head.cors_method && !answer.page) {
        answer.allow_methods = self->match.allow;
        answer.allow_headers = preflight_headers(self);
    }
    exchange_reply(self, &answer);
}

/* Shows the path only if it is text, and truncates it. */
static int not_found(struct exchange *self)
{
    const char *path = self->parts.path;
    size_t size = strnlen(path, NOT_FOUND_PATH_MAX);

    while (size > 0 && (path[size] & 0xc0) == 0x80)
        size--;
    if (!codec_is_text(path, size) || !codec_is_text(self->method, strlen(self->method)) ||
        strlen(self->method) > NOT_FOUND_METHOD_MAX)
        return error_set(&self->err, ERR_NOT_FOUND, "Not found.");
    return error_set(&self->err, ERR_NOT_FOUND, "Cannot %s %.*s", self->method, (int)size, path);
}

struct endpoint *no_endpoint_page(const struct exchange *self)
{
    bool reads = strcmp(self->method, "GET") == 0 || strcmp(self->method, "HEAD") == 0;

    if (!reads || self->match.allow[0] != '\0' ||
        !accept_prefers_html(exchange_header(self, "Accept")))
        return NULL;
    return router_browser_page(self->site->router, self->parts.path);
}

void no_endpoint_serve(struct exchange *self)
{
    bool known = self->match.allow[0] != '\0';

    if (strcmp(self->method, "OPTIONS") == 0 && known) {
        answer_options(self);
    } else if (known) {
        struct answer answer;

        (void)error_set(&self->err, ERR_METHOD_NOT_ALLOWED, "Method not allowed.");
        exchange_answer_error(self->match.flags, &self->err, self->arena, &answer);
        answer.allow = self->match.allow;
        exchange_reply(self, &answer);
    } else {
        (void)not_found(self);
        exchange_fail(self, NULL);
    }
}

void health_serve(struct exchange *exchange)
{
    struct answer answer = {.status = 200};

    exchange_reply(exchange, &answer);
}
