/*
 * protocol.c - serves requests whose form a standard defines.
 *
 * A repeated parameter is refused, because readers could use different values (RFC 6749, sections
 * 3.1 and 3.2). With R_REPEATED it is dropped and the daemon is informed.
 */
#include "gateway/endpoint/endpoints.h"

#include <strings.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/secret.h"
#include "common/domain/endpoint.h"
#include "gateway/endpoint/page.h"
#include "gateway/endpoint/serve.h"
#include "gateway/http/browser.h"

static bool is_browser(const struct exchange *exchange)
{
    return exchange->endpoint->route.flags & R_BROWSER;
}

static bool is_scim(const struct exchange *exchange)
{
    return exchange->endpoint->route.flags & R_SCIM;
}

static bool is_post(const struct exchange *exchange)
{
    return strcmp(exchange->method, "POST") == 0;
}

static const char *header(const struct exchange *exchange, const char *name)
{
    return head_text(exchange_header(exchange, name), ENDPOINT_HEADER_MAX);
}

static bool stands_twice(const struct query *query, size_t index)
{
    for (size_t i = 0; i < query->count; i++)
        if (i != index && strcmp(query->pairs[i].name, query->pairs[index].name) == 0)
            return true;
    return false;
}

/* Drops every occurrence of a repeated parameter. */
static bool drop_repeated(struct query *query, struct arena *arena)
{
    const struct query all = *query;
    size_t kept = 0;

    query->pairs = arena_calloc(arena, all.count, sizeof(*query->pairs));
    for (size_t i = 0; i < all.count; i++)
        if (!stands_twice(&all, i))
            query->pairs[kept++] = all.pairs[i];
    query->count = kept;
    return kept < all.count;
}

/* RFC 6749, section 2.3.1: secrets must not be in the URL, which is logged. */
static int read_post(const struct exchange *exchange, struct query *ret, struct error *err)
{
    *ret = (struct query){0};
    if (exchange->parts.query[0] != '\0')
        return error_set(err, ERR_BAD_REQUEST,
                         "Send the parameters in the body, not in the query.");
    return exchange->body_size == 0 ? 0 : page_read_form(exchange, ret, err);
}

static int read_parameters(const struct exchange *exchange, struct query *ret, bool *ret_repeated,
                           struct error *err)
{
    size_t kept = 0;

    if (is_post(exchange) ? read_post(exchange, ret, err) < 0
                          : query_decode(exchange->parts.query, exchange->arena, ret, err) < 0)
        return -1;
    *ret_repeated = drop_repeated(ret, exchange->arena);
    if (*ret_repeated && !(exchange->endpoint->route.flags & R_REPEATED))
        return error_set(err, ERR_BAD_REQUEST,
                         "A parameter appears twice. Send each parameter once.");
    for (size_t i = 0; i < ret->count; i++)
        if (ret->pairs[i].value[0] != '\0')
            ret->pairs[kept++] = ret->pairs[i];
    ret->count = kept;
    return 0;
}

/* Sets *ret to the form's or query's parameters as an object. */
static int read_form(const struct exchange *exchange, const struct visitor *visitor,
                     struct endpoint_visit *visit, struct page_visit *page, json_t **ret,
                     struct error *err)
{
    struct query parameters;

    if (read_parameters(exchange, &parameters, &visit->repeated, err) < 0)
        return -1;
    if (is_browser(exchange) && !(is_post(exchange) && visitor->is_new)) {
        visitor_describe(exchange, visitor, is_post(exchange) ? &parameters : NULL, page);
        visit->page = page;
    }
    *ret = page_form_json(&parameters);
    return 0;
}

/* RFC 7644, section 3.8. Without a body, *ret is NULL. */
static int read_scim(const struct exchange *exchange, json_t **ret, struct error *err)
{
    const char *type = exchange->head.content_type;

    if (exchange->body_size == 0)
        return 0;
    if (head_is_encoded(&exchange->head))
        return error_set(err, ERR_UNSUPPORTED_MEDIA, UNENCODED);
    if (!serve_is_media_type(type, "application/scim+json") &&
        !serve_is_media_type(type, "application/json"))
        return error_set(err, ERR_UNSUPPORTED_MEDIA,
                         "The Content-Type must be application/scim+json.");
    *ret = codec_parse_exact((const char *)exchange->body, exchange->body_size, true, err);
    if (*ret)
        return 0;
    error_member(err, "scimType", "invalidSyntax");
    return -1;
}

static int ask(struct exchange *exchange, const struct visitor *visitor,
               struct endpoint_answer *ret, struct error *err)
{
    struct endpoint_visit visit;
    json_auto_t *body = NULL;
    struct page_visit page;
    msgpack_object output;
    struct request req;
    void *input;

    exchange_describe(exchange, &visit);
    visit.authorization = head_text(visit.authorization, ENDPOINT_HEADER_MAX);
    visit.origin = header(exchange, "Origin");
    visit.accept = header(exchange, "Accept");
    if ((is_scim(exchange) ? read_scim(exchange, &body, err)
                           : read_form(exchange, visitor, &visit, &page, &body, err)) < 0)
        return -1;
    serve_request(exchange, &req);
    if (serve_input(exchange, body, &input, err) < 0)
        return -1;
    serve_set(exchange, input, &endpoint_visit_table, &visit);
    if (serve_call(exchange, &req, input, &output, err) < 0)
        return -1;
    return fields_unpack(&endpoint_answer_table, &output, exchange->arena, ret, err);
}

/* Forms sent from other sites arrive without the cookie (SameSite=Lax), so keep the browser's
 * cookie. */
static const char *set_cookie(const struct exchange *exchange, const struct visitor *visitor,
                              const struct endpoint_answer *from)
{
    if (!is_browser(exchange) || (is_post(exchange) && visitor->is_new))
        return NULL;
    return visitor_set_cookie(exchange, visitor, from->cookie);
}

static void answer_protocol(struct exchange *exchange, const struct visitor *visitor,
                            const struct endpoint_answer *from)
{
    struct answer answer = {
        .status = (unsigned)from->status,
        .body = from->body ? from->body : (const char *)from->bytes.bytes,
        .size = from->body ? strlen(from->body) : from->bytes.size,
        .content_type = from->contentType,
        .cache = from->cacheControl,
        .page = !(exchange->endpoint->route.flags & R_CORS),
    };
    const struct answer_header more[] = {
        {"Content-Security-Policy", from->policy},
        {"Location", from->location},
        {"WWW-Authenticate", from->wwwAuthenticate},
        {"DPoP-Nonce", from->dpopNonce},
        {"Set-Cookie", set_cookie(exchange, visitor, from)},
        {"Strict-Transport-Security", exchange_transport(exchange)},
        {"Retry-After", from->retryAfter > 0
                            ? arena_printf(exchange->arena, "%lld", (long long)from->retryAfter)
                            : NULL},
        {NULL, NULL},
    };

    answer.more = arena_memdup(exchange->arena, more, sizeof(more));
    exchange_reply(exchange, &answer);
}

/* ---- cached answers ---- */

enum {
    PUBLISHED_MAX = 1000,
    FRESH_MS = 10000,  /* younger answers aren't fetched again */
    STALE_MS = DAYS(1) /* maximum age while no daemon answers */
};

struct published {
    int64_t since_ms; /* monotonic */
    char body[];
};

struct cache *protocol_cache_new(void)
{
    return cache_new(PUBLISHED_MAX, free);
}

static struct cache_key published_key(const struct exchange *exchange)
{
    const char *const texts[] = {exchange->parts.path};

    return cache_key_of(exchange->gateway->published, texts, ARRAY_SIZE(texts));
}

static bool published_find(const struct exchange *exchange, int64_t max_age_ms,
                           struct endpoint_answer *ret)
{
    const struct cache_key key = published_key(exchange);
    const struct published *kept = cache_get(exchange->gateway->published, &key);

    if (!kept || clock_mono_ms() - kept->since_ms > max_age_ms)
        return false;
    *ret = (struct endpoint_answer){.status = 200,
                                    .cacheControl = ENDPOINT_PUBLIC_CACHE,
                                    .body = arena_strdup(exchange->arena, kept->body)};
    return true;
}

static void published_keep(const struct exchange *exchange, const struct endpoint_answer *answer)
{
    const struct cache_key key = published_key(exchange);
    size_t size = answer->body ? strlen(answer->body) + 1 : 0;
    struct published *kept;

    if (answer->status != 200 || size == 0)
        return;
    kept = memory_raw(sizeof(*kept) + size);
    kept->since_ms = clock_mono_ms();
    memcpy(kept->body, answer->body, size);
    cache_put(exchange->gateway->published, &key, kept);
}

static bool is_unavailable(const struct error *err)
{
    int status = error_kind(err->code)->status;

    return status == 503 || status == 504;
}

static int ask_cached(struct exchange *exchange, struct endpoint_answer *ret, struct error *err)
{
    const struct visitor none = {.name = NULL};

    if (published_find(exchange, FRESH_MS, ret))
        return 0;
    if (ask(exchange, &none, ret, err) == 0) {
        published_keep(exchange, ret);
        return 0;
    }
    return is_unavailable(err) && published_find(exchange, STALE_MS, ret) ? 0 : -1;
}

static int answer_make(struct exchange *exchange, struct visitor *visitor,
                       struct endpoint_answer *ret, struct error *err)
{
    if (exchange->refused)
        return -1;
    if (exchange->endpoint->route.flags & R_CACHED)
        return ask_cached(exchange, ret, err);
    if (is_browser(exchange) && visitor_find(exchange, visitor, err) < 0)
        return -1;
    return ask(exchange, visitor, ret, err);
}

void protocol_serve(struct exchange *exchange)
{
    struct visitor visitor = {.name = NULL};
    struct endpoint_answer answer;

    warm_up_wait(exchange->gateway);
    if (answer_make(exchange, &visitor, &answer, &exchange->err) < 0)
        exchange_fail(exchange, NULL);
    else
        answer_protocol(exchange, &visitor, &answer);
}
