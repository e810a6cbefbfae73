/* answer.c - see answer.h. */
#include "gateway/http/answer.h"

#include <inttypes.h>

#include <jansson.h>

#include "common/base/memory.h"
#include "common/wire/codec.h"
#include "gateway/http/problem.h"
#include "gateway/http/range.h"

/* Applies if a browser renders JSON. */
#define JSON_POLICY "default-src 'none'; frame-ancestors 'none'"

static const struct answer_header standing[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Frame-Options", "DENY"},
};

/* Not for pages. CORS for any origin is safe, because no route uses a browser's credentials. */
static const struct answer_header shared[] = {
    {"Access-Control-Allow-Origin", "*"},
    {"Access-Control-Expose-Headers",
     "Accept-Ranges, Content-Disposition, Content-Range, DPoP-Nonce, ETag, RateLimit-Limit, "
     "RateLimit-Remaining, RateLimit-Reset, Retry-After, WWW-Authenticate, X-Request-Id"},
};

/* Messages of status 500 are internal, so clients don't see them. */
static const char *message_of(const struct error *err, int status)
{
    if (status == 500)
        return "Internal server error";
    if (err->message[0] != '\0')
        return err->message;
    if (status == 503)
        return "Service unavailable. Try again.";
    if (status == 504)
        return "The service did not answer in time.";
    return error_status_name(status);
}

static json_t *problems_json(const struct error *err, struct arena *arena)
{
    json_t *list = json_array();

    for (const struct error_item *item = err->problems; item; item = item->next)
        json_array_append_new(list, problem_json(item, arena));
    return list;
}

/* True for a member that the body shows. The others are for endpoints: the error codes of OAuth 2.0
 * and SCIM, and headers. */
static bool is_body_member(const char *name)
{
    static const char *const others[] = {"error", "scimType", "WWW-Authenticate", "DPoP-Nonce"};

    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (strcmp(others[i], name) == 0)
            return false;
    return true;
}

static void add_member(json_t *body, struct arena *arena, const char *name, const char *value)
{
    const char *dot = strchr(name, '.');
    json_t *object = body;

    if (dot) {
        const char *outer = arena_strndup(arena, name, (size_t)(dot - name));

        if (!json_object_get(body, outer))
            json_object_set_new(body, outer, json_object());
        object = json_object_get(body, outer);
    }
    json_object_set_new(object, dot ? dot + 1 : name, json_string(value));
}

void answer_from_error(const struct error *err, struct arena *arena, struct answer *ret)
{
    const struct error_kind *kind = error_kind(err->code);
    json_t *body = json_object();

    json_object_set_new(body, "statusCode", json_integer(kind->status));
    json_object_set_new(body, "message",
                        err->problems ? problems_json(err, arena)
                                      : json_string(message_of(err, kind->status)));
    json_object_set_new(body, "error", json_string(error_status_name(kind->status)));
    if (kind->shown)
        json_object_set_new(body, "code", json_string(kind->wire));
    for (const struct error_item *item = err->members; item; item = item->next)
        if (is_body_member(item->name))
            add_member(body, arena, item->name, item->value);
    *ret = (struct answer){
        .status = (unsigned)kind->status, .body = codec_dump_json(arena, body), .error = err};
    ret->size = strlen(ret->body);
    json_decref(body);
}

/* RFC 6749, section 5.2: only ASCII, no quotes or backslashes. */
static const char *description_of(const struct error *err, struct arena *arena, int status)
{
    char *text = err->problems
                     ? arena_printf(arena, "%s: %s", err->problems->name, err->problems->value)
                     : arena_strdup(arena, message_of(err, status));

    for (char *at = text; *at; at++)
        if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\')
            *at = '\'';
    return text;
}

/* Returns an error code of OAuth 2.0 or SCIM, or a header, that the daemon set; or NULL. */
static const char *member_of(const struct error *err, const char *name)
{
    for (const struct error_item *item = err->members; item; item = item->next)
        if (strcmp(item->name, name) == 0)
            return item->value;
    return NULL;
}

static const char *oauth_code(const struct error *err, const struct error_kind *kind)
{
    const char *word = member_of(err, "error");

    if (word)
        return word;
    if (kind->status == 500)
        return "server_error";
    if (kind->status == 429 || kind->status > 500)
        return "temporarily_unavailable";
    return kind->status == 401 ? "invalid_token" : "invalid_request";
}

void answer_oauth_from_error(const struct error *err, struct arena *arena, struct answer *ret)
{
    const struct error_kind *kind = error_kind(err->code);
    int status = kind->status == 422 ? 400 : kind->status;
    json_t *body = json_pack("{s:s, s:s}", "error", oauth_code(err, kind), "error_description",
                             description_of(err, arena, kind->status));

    *ret = (struct answer){
        .status = (unsigned)status, .body = codec_dump_json(arena, body), .error = err};
    ret->size = strlen(ret->body);
    json_decref(body);
}

/* RFC 7644, section 3.12: the status is a text. */
void answer_scim_from_error(const struct error *err, struct arena *arena, struct answer *ret)
{
    const struct error_kind *kind = error_kind(err->code);
    int status = kind->status == 422 ? 400 : kind->status;
    const char *type = member_of(err, "scimType");
    json_t *body =
        json_pack("{s:[s], s:s, s:o}", "schemas", "urn:ietf:params:scim:api:messages:2.0:Error",
                  "detail", description_of(err, arena, kind->status), "status",
                  json_sprintf("%d", status));

    if (!type && err->problems)
        type = "invalidValue";
    if (type)
        json_object_set_new(body, "scimType", json_string(type));
    *ret = (struct answer){.status = (unsigned)status,
                           .body = codec_dump_json(arena, body),
                           .content_type = "application/scim+json",
                           .page = true,
                           .error = err};
    ret->size = strlen(ret->body);
    json_decref(body);
}

static const char *as_html(struct arena *arena, const char *text)
{
    const char *html = "";

    for (; *text; text++)
        if (strchr("<>&\"'", *text))
            html = arena_printf(arena, "%s&#%d;", html, *text);
        else
            html = arena_printf(arena, "%s%c", html, *text);
    return html;
}

void answer_page_from_error(const struct error *err, struct arena *arena, struct answer *ret)
{
    static const struct answer_header more[] = {
        {"Content-Security-Policy",
         "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {NULL, NULL},
    };
    const struct error_kind *kind = error_kind(err->code);
    const char *title = error_status_name(kind->status);

    *ret = (struct answer){
        .status = (unsigned)kind->status,
        .body =
            arena_printf(arena,
                         "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width\">\n"
                         "<meta name=\"color-scheme\" content=\"light dark\">\n"
                         "<meta name=\"robots\" content=\"noindex\">\n<title>%s</title>\n"
                         "</head>\n<body>\n<main>\n<h1>%s</h1>\n<p>%s</p>\n</main>\n</body>\n"
                         "</html>\n",
                         title, title, as_html(arena, message_of(err, kind->status))),
        .content_type = "text/html; charset=utf-8",
        .more = more,
        .page = true,
        .error = err,
    };
    ret->size = strlen(ret->body);
}

struct headers {
    struct MHD_Response *response;
    struct arena *arena;
    const char *text;
};

static bool is_control(unsigned char c)
{
    return c < ' ' || c == 0x7f;
}

static bool has_control(const char *text)
{
    while (*text && !is_control((unsigned char)*text))
        text++;
    return *text != '\0';
}

static void add_plain(struct headers *to, const char *name, const char *value)
{
    if (to->response)
        (void)MHD_add_response_header(to->response, name, value);
    else
        to->text = arena_printf(to->arena, "%s%s: %s\r\n", to->text, name, value);
}

/* A control character could start another header. libmicrohttpd would drop the whole header, even
 * one that protects from displaying a file, so replace the character. */
static void add_blanked(struct headers *to, const char *name, const char *value)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    char *text = arena_strdup(scratch, value);

    for (char *c = text; *c; c++)
        if (is_control((unsigned char)*c))
            *c = ' ';
    add_plain(to, name, text);
}

static void add(struct headers *to, const char *name, const char *value)
{
    if (value)
        (has_control(value) ? add_blanked : add_plain)(to, name, value);
}

static void add_number(struct headers *to, const char *name, int64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, value);
    add(to, name, text);
}

/* RFC 9470. The default is for older authds, which don't send a maximum age. */
static void add_challenge(struct headers *to, const struct error *err)
{
    char text[96];

    snprintf(text, sizeof(text),
             "Bearer error=\"insufficient_user_authentication\", max_age=\"%" PRId64 "\"",
             err->reset_s > 0 ? err->reset_s : 900);
    add(to, "WWW-Authenticate", err->code == ERR_STEP_UP_REQUIRED ? text : "Bearer");
}

static void add_error_headers(struct headers *to, const struct answer *self)
{
    const struct error *err = self->error;
    const char *challenge = member_of(err, "WWW-Authenticate");

    add(to, "DPoP-Nonce", member_of(err, "DPoP-Nonce"));
    if (challenge)
        add(to, "WWW-Authenticate", challenge);
    else if (self->status == 401)
        add_challenge(to, err);
    if (err->retry_after_s > 0)
        add_number(to, "Retry-After", err->retry_after_s);
    else if (self->status == 503)
        add_number(to, "Retry-After", 1);
    if (err->limit > 0 && (err->code == ERR_THROTTLED || err->code == ERR_NONE)) {
        add_number(to, "RateLimit-Limit", err->limit);
        add_number(to, "RateLimit-Remaining", err->remaining);
        add_number(to, "RateLimit-Reset", err->reset_s);
    }
}

static void add_headers(struct headers *to, const struct answer *self)
{
    for (size_t i = 0; i < ARRAY_SIZE(standing); i++)
        add(to, standing[i].name, standing[i].value);
    for (size_t i = 0; i < ARRAY_SIZE(shared) && !self->page; i++)
        add(to, shared[i].name, shared[i].value);
    add(to, "Cache-Control", self->cache ? self->cache : "no-store");
    add(to, "X-Request-Id", self->trace);
    if (self->content_type) {
        add(to, "Content-Type", self->content_type);
    } else if (self->body) {
        add(to, "Content-Type", "application/json");
        add(to, "Content-Security-Policy", JSON_POLICY);
    }
    add(to, "ETag", self->etag);
    add(to, "Content-Encoding", self->encoding);
    add(to, "Vary", self->encodable ? "Accept-Encoding" : NULL);
    add(to, "Allow", self->allow);
    add(to, "Access-Control-Allow-Methods", self->allow_methods);
    add(to, "Access-Control-Allow-Headers", self->allow_headers);
    if (self->allow_methods)
        add(to, "Access-Control-Max-Age", "600");
    for (const struct answer_header *each = self->more; each && each->name; each++)
        add(to, each->name, each->value);
    if (self->error)
        add_error_headers(to, self);
    if (self->close)
        add(to, "Connection", "close");
}

struct MHD_Response *answer_response(const struct answer *self)
{
    struct headers headers = {.response = self->response};

    if (!headers.response)
        /* libmicrohttpd only reads the buffer (RESPMEM_PERSISTENT). */
        headers.response = MHD_create_response_from_buffer(
            self->size, (void *)(uintptr_t)(self->body ? self->body : ""), MHD_RESPMEM_PERSISTENT);
    memory_ensure(headers.response);
    add_headers(&headers, self);
    return headers.response;
}

const char *answer_text(const struct answer *self, int64_t now_ms, struct arena *arena)
{
    struct headers headers = {.arena = arena, .text = ""};
    char date[HTTP_DATE_SIZE];

    http_date_format(now_ms, date);
    add(&headers, "Date", date);
    add_headers(&headers, self);
    add_number(&headers, "Content-Length", (int64_t)self->size);
    return arena_printf(arena, "HTTP/1.1 %u %s\r\n%s\r\n%s", self->status,
                        error_status_name((int)self->status), headers.text,
                        self->body ? self->body : "");
}
