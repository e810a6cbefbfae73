/*
 * transport_smtp.c - sends with threads (smtp_pool.h) and a circuit breaker (breaker.h).
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "maild/smtp_pool.h"

enum { END_MS = 2000 /* longest wait for idle threads */ };

struct transport_smtp {
    struct transport base;
    struct smtp_pool *pool;
    struct breaker breaker;
    const struct smtp_server *server; /* shared */
    bool back, cancelled;
};

static void note(struct transport_smtp *self, const struct smtp_result *result)
{
    int64_t now = clock_mono_ms();

    switch (result->outcome) {
    case TRANSPORT_SENT:
    case TRANSPORT_REFUSED:
        self->back = breaker_succeed(&self->breaker, now) || self->back;
        break;
    case TRANSPORT_RETRY:
        self->back = breaker_refuse(&self->breaker, result->reason, now) || self->back;
        break;
    case TRANSPORT_UNKNOWN:
    case TRANSPORT_UNREACHED:
        breaker_fail(&self->breaker, result->reason, now);
        break;
    }
}

static enum transport_outcome smtp_send(struct transport *base, const struct mail *mail,
                                        int64_t deadline_mono_ms, const struct transport_gate *gate,
                                        char reason[TRANSPORT_REASON_MAX])
{
    struct transport_smtp *self = (struct transport_smtp *)base;
    CLEANUP(smtp_server_unref) const struct smtp_server *server = smtp_server_ref(self->server);
    struct smtp_result result;

    smtp_pool_send(self->pool, mail, deadline_mono_ms, gate, &result);
    /* Ignores the result of a replaced server. */
    if (!self->cancelled && !result.denied && self->server == server)
        note(self, &result);
    snprintf(reason, TRANSPORT_REASON_MAX, "%s", result.reason);
    return result.outcome;
}

static int64_t smtp_room(struct transport *base, int64_t active)
{
    return breaker_room(&((struct transport_smtp *)base)->breaker, active, clock_mono_ms());
}

static bool smtp_is_back(struct transport *base)
{
    struct transport_smtp *self = (struct transport_smtp *)base;
    bool back = self->back;

    self->back = false;
    return back;
}

static void smtp_hurry(struct transport *base)
{
    breaker_hurry(&((struct transport_smtp *)base)->breaker, clock_mono_ms());
}

static void smtp_cancel(struct transport *base)
{
    struct transport_smtp *self = (struct transport_smtp *)base;

    smtp_pool_cancel(self->pool, self->cancelled ? SMTP_POOL_CANCEL_ALL : SMTP_POOL_CANCEL_EARLY);
    self->cancelled = true;
}

/* Returns advice for the operator. NULL: the server is unreachable. */
static const char *advice(CURLcode code)
{
    switch (code) {
    case CURLE_USE_SSL_FAILED:
        return "The server offers no STARTTLS: let it, or use smtps://; smtp_starttls = \"try\" is "
               "for servers on this host only.";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CONNECT_ERROR:
        return "The server's certificate must bear the name in smtp_url and chain to smtp_ca_file, "
               "or to the system's.";
    case CURLE_LOGIN_DENIED:
        return "Correct smtp_user and smtp_password_file.";
    case CURLE_COULDNT_RESOLVE_HOST:
        return "Correct the host in smtp_url, or this host's resolver.";
    default:
        return NULL;
    }
}

static int smtp_check(struct transport *base, const struct request *req, struct finding *ret,
                      struct error *err UNUSED)
{
    struct transport_smtp *self = (struct transport_smtp *)base;
    CLEANUP(smtp_server_unref) const struct smtp_server *server = smtp_server_ref(self->server);
    struct smtp_result result;

    smtp_pool_check(self->pool, req->deadline_mono_ms, &result);
    if (result.outcome != TRANSPORT_SENT)
        return check_fail(req, ret, advice((CURLcode)result.code), "%s: %s (last answer %ld)",
                          server->url, result.reason, result.answer);
    if (self->server == server)
        smtp_hurry(base);
    return check_ok(req, ret, "%s is ready for mail", server->url);
}

static int smtp_check_state(struct transport *base, const struct request *req, struct finding *ret)
{
    const struct transport_smtp *self = (struct transport_smtp *)base;
    const struct breaker *breaker = &self->breaker;
    int64_t now = clock_mono_ms();

    if (!breaker->open)
        return check_ok(req, ret, "%s takes mail, %lld at the same time", self->server->url,
                        (long long)breaker->allowed);
    return check_fail(req, ret, NULL, "%s takes no mail for %s; next try within %s; %s",
                      self->server->url, check_age(req->arena, now - breaker->opened_at),
                      check_age(req->arena, MAX(breaker->retry_at - now, (int64_t)0) + 1000),
                      breaker->reason);
}

static enum breaker_state smtp_state(const struct transport *base)
{
    return breaker_state(&((const struct transport_smtp *)base)->breaker, clock_mono_ms());
}

static void smtp_use_server(struct transport *base, const struct smtp_server *server)
{
    struct transport_smtp *self = (struct transport_smtp *)base;

    if (smtp_server_equal(self->server, server))
        return;
    smtp_server_unref(&self->server);
    self->server = smtp_server_share(server);
    smtp_pool_use(self->pool, self->server);
    self->breaker = breaker_new(self->breaker.limit);
    self->back = true;
}

/* Ends the threads. One that hangs keeps its memory. */
static void smtp_destroy(struct transport *base)
{
    struct transport_smtp *self = (struct transport_smtp *)base;

    if (!smtp_pool_destroy(&self->pool, END_MS))
        return;
    smtp_server_unref(&self->server);
    free(self);
}

struct transport *transport_smtp_new(struct loop *loop, const struct smtp_server *server,
                                     int64_t deliveries)
{
    struct transport_smtp *self = memory_new(sizeof(*self));

    self->base = (struct transport){.send = smtp_send,
                                    .use_server = smtp_use_server,
                                    .room = smtp_room,
                                    .state = smtp_state,
                                    .is_back = smtp_is_back,
                                    .hurry = smtp_hurry,
                                    .cancel = smtp_cancel,
                                    .check = smtp_check,
                                    .check_state = smtp_check_state,
                                    .destroy = smtp_destroy};
    self->server = smtp_server_share(server);
    self->breaker = breaker_new(deliveries);
    self->pool = smtp_pool_new(loop, self->server, (size_t)deliveries);
    return &self->base;
}
