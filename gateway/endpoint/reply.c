/* reply.c - a request's client and answer, and when the connection resumes; see exchange.h. */
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/domain/endpoint.h"
#include "gateway/endpoint/exchange.h"
#include "gateway/http/encode.h"

const char *exchange_header(const struct exchange *self, const char *name)
{
    return MHD_lookup_connection_value(self->mhd, MHD_HEADER_KIND, name);
}

struct address exchange_client(const struct exchange *self)
{
    bool standard = strcmp(self->head.forwarded_name, "Forwarded") == 0;

    return address_client(&self->gateway->trusted, &self->connection->peer, standard,
                          self->head.forwarded, self->head.forwarded_count);
}

const char *exchange_transport(const struct exchange *self)
{
    const char *url = self->gateway->service.common->public_url;

    return url && strncmp(url, "https:", 6) == 0 ? "max-age=31536000" : NULL;
}

void exchange_describe(const struct exchange *self, struct endpoint_visit *ret)
{
    const char *dpop = self->head.dpop;

    *ret = (struct endpoint_visit){
        .url = self->gateway->service.common->public_url,
        .method = self->method,
        .path = self->parts.path,
        .authorization = self->head.authorization,
        .dpop = dpop && !head_text(dpop, ENDPOINT_HEADER_MAX) ? "" : dpop,
    };
}

void exchange_pause(struct exchange *self)
{
    if (self->suspended)
        return;
    self->suspended = self->paused = true;
    self->gateway->suspended++;
    connection_enter(self->connection, CONNECTION_WORKING, clock_mono_ms());
    MHD_suspend_connection(self->mhd);
}

static void resume(struct exchange *self)
{
    self->suspended = self->paused = false;
    self->gateway->suspended--;
    http_resume(self->site->http, self->mhd);
}

void exchange_unpause(struct exchange *self)
{
    if (!self->paused)
        return;
    connection_enter(self->connection, self->download ? CONNECTION_WRITING : CONNECTION_READING,
                     clock_mono_ms());
    resume(self);
}

/* Lets the answer go out. For an error of a route with R_SLOW_ERRORS, this is called late. */
static void exchange_release(struct exchange *self)
{
    self->released = true;
    if (self->paused)
        exchange_unpause(self);
    else if (self->suspended)
        resume(self);
}

static void on_floor(void *arg)
{
    struct exchange *self = arg;

    self->floor = NULL;
    exchange_release(self);
}

/* Compresses only answers without secrets, because the compressed length would reveal them. */
static void encode(struct exchange *self, struct answer *answer)
{
    const char *body;
    size_t size;

    if (answer->encodable || !self->endpoint || self->endpoint->unencoded || !answer->body ||
        answer->response || answer->size <= ENCODE_MIN)
        return;
    answer->encodable = true;
    if (!encode_is_accepted(self->head.accept_encoding, "gzip"))
        return;
    body = encode_gzip(self->arena, answer->body, answer->size, &size);
    if (!body)
        return;
    answer->body = body;
    answer->size = size;
    answer->encoding = "gzip";
}

void exchange_reply(struct exchange *self, struct answer *answer)
{
    bool slow = self->endpoint && (self->endpoint->route.flags & R_SLOW_ERRORS);

    encode(self, answer);
    answer->trace = self->trace;
    answer->close = self->close || self->gateway->service.stopping;
    self->status = answer->status;
    self->answer_size = answer->size;
    self->replied_us = clock_mono_us();
    self->response = answer_response(answer);
    if (slow && answer->status >= 400) {
        /* + 1: both times are rounded down. */
        self->floor = loop_at(self->gateway->service.loop,
                              self->arrived_us / 1000 + SLOW_ERROR_MS + 1, on_floor, self);
        return;
    }
    exchange_release(self);
}

void exchange_answer_error(unsigned flags, const struct error *err, struct arena *arena,
                           struct answer *ret)
{
    if (flags & (R_PAGE | R_BROWSER)) {
        answer_page_from_error(err, arena, ret);
    } else if (flags & R_SCIM) {
        answer_scim_from_error(err, arena, ret);
    } else if (flags & R_ENDPOINT) {
        answer_oauth_from_error(err, arena, ret);
        ret->page = !(flags & R_CORS);
    } else {
        answer_from_error(err, arena, ret);
    }
}

void exchange_fail(struct exchange *self, const struct error *err)
{
    struct answer answer;

    if (!err)
        err = &self->err;
    if (err->code == ERR_INTERNAL)
        log_event(LOG_ERR, "exchange", "request failed", "trace", self->trace, "detail",
                  err->detail[0] ? err->detail : err->message, NULL);
    exchange_answer_error(self->endpoint ? self->endpoint->route.flags : 0, err, self->arena,
                          &answer);
    exchange_reply(self, &answer);
}
