/*
 * logout_delivery.c - see logout_delivery.h.
 *
 * A failed attempt is retried after 2 seconds, doubling up to an hour. Meanwhile, the client's
 * other notifications wait, for at most five minutes. 410 fails immediately. Each attempt looks up
 * the recipient.
 */
#include "authd/oauth/logout_delivery.h"

#include <string.h>

#include "authd/oauth/client.h"
#include "authd/oauth/issuer.h"
#include "authd/oauth/logout_token.h"
#include "authd/sql/oauth.h"
#include "authd/tenant.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/service/fetch.h"
#include "settingsd/client_api.h"

enum {
    PERIOD_MS = 1000,
    BATCH = 32,
    CLIENT_MAX = 8, /* per round */
    POST_MS = 8000,
    RECORD_MS = 2000,
    LOOK_UP_MS = 5000,
    LEASE_MS = 18000,       /* longer than an attempt */
    ANSWER_MAX = 64 * 1024, /* bytes */
    STATUS_OK = 200,
    STATUS_REDIRECT = 300,
    STATUS_GONE = 410,
    RETRY_MIN_MS = 2000,
    RETRY_MAX_MS = HOURS(1),
    HELD_MAX_MS = MINUTES(5),
};

#define GIVE_UP_MS DAYS(3)

struct logout_deliveries {
    struct curl_loop *curl;
    uint64_t *delivered, *retried, *failed;
};

struct round {
    struct authd *d;
    struct request *req;
    struct uuid lease;
    const struct sql_logout_claim_rows *rows;
    size_t next, couriers;
    struct fiber_queue changed; /* wakes the round */
};

/* ---- one delivery ---- */

/* Finds the client's logout URI. *ret_uri NULL: it has none, or the client was deleted. */
static int find_target(struct authd *d, const struct request *req,
                       const struct sql_logout_claim_row *row, struct ended_grant *ret,
                       const char **ret_uri, struct error *err)
{
    struct oauth_client *client = arena_calloc(req->arena, 1, sizeof(*client));
    struct tenant tenant;

    *ret_uri = NULL;
    if (tenant_open_id(d, req, row->project, &tenant, err) < 0)
        return -1;
    if (oauth_client_find(d, req, NULL, &tenant, row->client_id, client, err) < 0) {
        if (err->code != ERR_NOT_FOUND)
            return -1;
        error_clear(err);
        return 0;
    }
    *ret_uri = client->settings->backchannelLogoutUri;
    *ret = (struct ended_grant){
        .issuer = arena_printf(req->arena, "%s/t/%s", d->svc.common->public_url, tenant.tenantCode),
        .client = client,
        .session = row->session,
        .subject = row->subject};
    return 0;
}

/* Section 2.5. */
static int post(struct authd *d, const struct request *req, const char *uri, const char *token,
                struct fetch_answer *ret, struct error *err)
{
    const struct fetch what = {
        .url = uri,
        .body = arena_printf(req->arena, "logout_token=%s", token),
        .content_type = "application/x-www-form-urlencoded",
        .networks = &d->networks,
        .ca_file = d->config->client_ca_file,
        .answer_max = ANSWER_MAX,
        .deadline_mono_ms = clock_mono_ms() + POST_MS,
    };

    return fetch_perform(d->logouts->curl, req->arena, &what, ret, err);
}

static int64_t retry_after_ms(int64_t attempts)
{
    int64_t doublings = MIN(attempts, (int64_t)16);

    return MIN((int64_t)RETRY_MIN_MS << doublings, (int64_t)RETRY_MAX_MS);
}

static void count(struct authd *d, const struct sql_logout_claim_row *row, const char *state)
{
    if (strcmp(state, "delivered") == 0) {
        ++*d->logouts->delivered;
    } else if (strcmp(state, "failed") == 0) {
        ++*d->logouts->failed;
        log_event(LOG_NOTICE, "logout",
                  "a logout could not be delivered to a client and has failed", "client",
                  row->client_id, "session", row->session.text, NULL);
    } else {
        ++*d->logouts->retried;
    }
}

/* Records the result of an attempt. error: why there was no answer, otherwise NULL. */
static void record(const struct round *round, const struct sql_logout_claim_row *row, long status,
                   const char *error)
{
    struct authd *d = round->d;
    int64_t now = clock_real_ms(), pause = retry_after_ms(row->attempts);
    struct sql_logout_record_in in = {.project = row->project,
                                      .session = row->session,
                                      .lease = round->lease,
                                      .now = now,
                                      .state = "waiting",
                                      .retry_at = now + pause,
                                      .held_until = now + MIN(pause, (int64_t)HELD_MAX_MS),
                                      .status = status,
                                      .error = error ? error : "-"};
    struct sql_logout_record_row done;
    struct error err;

    if (status >= STATUS_OK && status < STATUS_REDIRECT)
        in.state = "delivered";
    else if (status == STATUS_GONE || row->created_at < now - GIVE_UP_MS)
        in.state = "failed";
    error_init(&err, round->req->arena);
    round->req->deadline_mono_ms = MAX(round->req->deadline_mono_ms, clock_mono_ms() + RECORD_MS);
    if (sql_logout_record(d->svc.db, round->req, &in, &done, &err) < 0)
        log_event(LOG_WARNING, "logout", "an attempt could not be recorded and will be repeated",
                  "why", err.message, NULL);
    else if (done.recorded > 0)
        count(d, row, in.state);
}

static void deliver(const struct round *round, const struct sql_logout_claim_row *row)
{
    const struct sql_logout_drop_in drop = {
        .project = row->project, .session = row->session, .lease = round->lease};
    struct authd *d = round->d;
    struct fetch_answer answer = {.status = 0};
    struct ended_grant grant;
    const char *uri, *token;
    struct error err;

    error_init(&err, round->req->arena);
    if (find_target(d, round->req, row, &grant, &uri, &err) < 0) {
        record(round, row, 0, error_kind(err.code)->wire);
        return;
    }
    if (!uri) {
        (void)!sql_logout_drop(d->svc.db, round->req, &drop, &err);
        return;
    }
    token = logout_token(d, round->req, &grant, &err);
    if (!token || post(d, round->req, uri, token, &answer, &err) < 0)
        record(round, row, 0, error_kind(err.code)->wire);
    else
        record(round, row, answer.status, NULL);
}

/* ---- rounds ---- */

static void courier_fiber(void *arg)
{
    struct round *self = arg;

    while (self->next < self->rows->count && !self->d->svc.stopping)
        deliver(self, &self->rows->items[self->next++]);
    self->couriers--;
    fiber_queue_wake_one(&self->changed);
}

/* Starts a courier for each client. Rows without a courier are due again after the lease. */
static void run_round(struct round *self)
{
    struct error err;

    error_init(&err, self->req->arena);
    for (size_t i = 0; i < self->rows->count; i++) {
        if (fiber_start(self->d->svc.loop, courier_fiber, self, &err) < 0)
            break;
        self->couriers++;
    }
    while (self->couriers > 0)
        if (fiber_queue_wait(self->d->svc.loop, &self->changed, clock_mono_ms() + POST_MS) ==
            FIBER_CANCELLED)
            self->next = self->rows->count; /* starts no more couriers */
}

static int post_due(void *daemon, const struct request *unused UNUSED, struct error *err)
{
    struct authd *d = daemon;
    struct sql_logout_claim_rows rows;

    do {
        CLEANUP(service_request_destroy)
        struct request *req = service_request_new(&d->svc, LOOK_UP_MS);
        int64_t now = clock_real_ms();
        struct round round = {.d = d, .req = req, .lease = uuid_random(), .rows = &rows};
        const struct sql_logout_claim_in claim = {.now = now,
                                                  .until = now + LEASE_MS,
                                                  .lease = round.lease,
                                                  .each = CLIENT_MAX,
                                                  .most = BATCH};

        if (sql_logout_claim(d->svc.db, req, &claim, &rows, err) < 0)
            return -1;
        if (rows.count > 0)
            run_round(&round);
    } while (rows.count > 0 && !d->svc.stopping);
    return 0;
}

void logout_delivery_start(struct authd *d)
{
    static const char name[] = "atrium_logout_attempts_total",
                      help[] = "Attempts to deliver logouts to clients, by outcome.";
    struct metrics *m = d->svc.metrics;

    if (!d->svc.common->public_url)
        return;
    d->logouts = arena_calloc(d->svc.arena, 1, sizeof(*d->logouts));
    d->logouts->curl = curl_loop_new(d->svc.loop);
    d->logouts->delivered = metrics_counter(m, name, "outcome=\"delivered\"", help);
    d->logouts->retried = metrics_counter(m, name, "outcome=\"retry\"", help);
    d->logouts->failed = metrics_counter(m, name, "outcome=\"failed\"", help);
    service_every(&d->svc, "logouts", PERIOD_MS, post_due);
}

void logout_delivery_stop(struct authd *d)
{
    if (d->logouts)
        curl_loop_destroy(&d->logouts->curl);
}
