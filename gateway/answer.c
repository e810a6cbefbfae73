/*
 * answer.c - error bodies and headers.  Called by exchange.c once per request.
 */
#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include "common/codec.h"
#include "common/log.h"
#include "gateway/answer.h"

/* On every answer. CORS: any origin may call, without credentials (cookies are never used). */
static const struct answer_header standing[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Frame-Options", "DENY"},
    {"Access-Control-Allow-Origin", "*"},
    {"Access-Control-Expose-Headers", "ETag, Retry-After, X-Request-Id"},
};

/* What the client reads, by status where the error's own text is not for it or missing. */
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

static json_t *problems_json(const struct error *err)
{
    json_t *list = json_array();

    for (const struct error_item *item = err->problems; item; item = item->next)
        json_array_append_new(list,
                              json_pack("{s:s, s:s}", "path", item->name, "message", item->value));
    return list;
}

void answer_from_error(const struct error *err, struct arena *arena, struct answer *ret)
{
    const struct error_kind *kind = error_kind(err->code);
    json_t *body = json_object();

    json_object_set_new(body, "statusCode", json_integer(kind->status));
    json_object_set_new(body, "message",
                        err->problems ? problems_json(err)
                                      : json_string(message_of(err, kind->status)));
    json_object_set_new(body, "error", json_string(error_status_name(kind->status)));
    if (kind->shown)
        json_object_set_new(body, "code", json_string(kind->wire));
    for (const struct error_item *item = err->members; item; item = item->next)
        json_object_set_new(body, item->name, json_string(item->value));
    *ret = (struct answer){
        .status = (unsigned)kind->status, .body = codec_dump_json(arena, body), .error = err};
    ret->size = strlen(ret->body);
    json_decref(body);
}

static void add(struct MHD_Response *response, const char *name, const char *value)
{
    if (value)
        (void)MHD_add_response_header(response, name, value);
}

static void add_number(struct MHD_Response *response, const char *name, int64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, value);
    add(response, name, text);
}

static void add_error_headers(struct MHD_Response *response, const struct answer *self)
{
    const struct error *err = self->error;

    if (self->status == 401)
        add(response, "WWW-Authenticate", "Bearer");
    if (err->retry_after_s > 0)
        add_number(response, "Retry-After", err->retry_after_s);
    else if (self->status == 503)
        add_number(response, "Retry-After", 1);
    if (err->limit > 0) {
        add_number(response, "RateLimit-Limit", err->limit);
        add_number(response, "RateLimit-Remaining", err->remaining);
        add_number(response, "RateLimit-Reset", err->reset_s);
    }
}

struct MHD_Response *answer_response(const struct answer *self)
{
    struct MHD_Response *response = self->response;

    if (!response)
        /* The cast drops const for a buffer that libmicrohttpd only reads (RESPMEM_PERSISTENT). */
        response = MHD_create_response_from_buffer(
            self->size, (void *)(uintptr_t)(self->body ? self->body : ""), MHD_RESPMEM_PERSISTENT);
    if (!response)
        log_die("answer", "out of memory");
    for (size_t i = 0; i < ARRAY_SIZE(standing); i++)
        add(response, standing[i].name, standing[i].value);
    add(response, "Cache-Control", self->cache ? self->cache : "no-store");
    add(response, "X-Request-Id", self->trace);
    if (self->content_type || self->body)
        add(response, "Content-Type", self->content_type ? self->content_type : "application/json");
    add(response, "ETag", self->etag);
    add(response, "Allow", self->allow);
    add(response, "Access-Control-Allow-Methods", self->allow_methods);
    add(response, "Access-Control-Allow-Headers", self->allow_headers);
    if (self->allow_methods)
        add(response, "Access-Control-Max-Age", "600");
    for (const struct answer_header *each = self->more; each && each->name; each++)
        add(response, each->name, each->value);
    if (self->error)
        add_error_headers(response, self);
    if (self->close)
        add(response, "Connection", "close");
    return response;
}
