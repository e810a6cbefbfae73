/*
 * webhook_post.c - posts deliveries (work.h).
 *
 * One instance claims a webhook and takes batches: deliveries of a lane (an account) one by one, up
 * to COURIERS_MAX lanes in parallel. A failure postpones the lane. After a batch without success
 * the webhook pauses and is probed with one delivery. Webhooks have fibers of their own, so a slow
 * receiver delays no other. authd signs caep tokens (webhook_caep.c). Deliveries not recorded at a
 * crash are posted again, with the same webhook-id.
 */
#include <inttypes.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/service/audit.h"
#include "common/service/fetch.h"
#include "maild/sql/webhook_delivery.h"
#include "maild/webhook/webhook.h"
#include "maild/webhook/webhook_sign.h"
#include "maild/work.h"

enum {
    WEBHOOKS_MAX = 128, /* per instance */
    COURIERS_MAX = 8,   /* per webhook */
    BATCH = 256,
    MISSES_MAX = 3, /* failures without a success; the rest of the batch is not tried */
    POST_MS = 8000,
    TOKEN_MS = 3000,
    TOKEN_PAUSE_MS = 5000,
    STOP_MS = 10000,
    ANSWER_MAX = 64 * 1024, /* bytes */
    STATUS_OK = 200,
    STATUS_REDIRECT = 300,
    STATUS_GONE = 410,
    RETRY_MIN_MS = 2000, /* doubled each time */
    RETRY_MAX_MS = HOURS(1),
    PAUSE_MIN_MS = 1000, /* first pause of a webhook */
    PAUSE_MAX_MS = MINUTES(5),
    RESUME_MAX = 10000,
    DROP_PAGE = 1000,
    SWEEP_MS = MINUTES(1),
    SWEEP_PAGE = 1000,
    ERROR_MAX = 32,
};

#define KEEP_MS DAYS(7)

struct post_work {
    struct work_item item; /* must be first */
    struct uuid project;
    int64_t failures; /* since the last success */
};

struct target {
    const char *url, *secrets[2];
    size_t secret_count;
    const char *audience; /* NULL: standard */
    bool enabled;
    int64_t additions;
};

/* Outcomes as in webhook_delivery_record.sql; NONE: no attempt. */
enum outcome { OUTCOME_NONE = -1, OUTCOME_MISSED, OUTCOME_DELIVERED, OUTCOME_REFUSED };

struct post {
    const struct sql_webhook_delivery_next_row *row;
    bool taken, recorded;
    enum outcome outcome;
    int64_t status;    /* 0: none */
    const char *error; /* "-": none */
    int64_t duration;  /* ms */
};

struct batch {
    struct post_work *work;
    const struct target *target;
    struct request *req;
    struct post *posts;
    size_t count, couriers, unrecorded, delivered, missed, refused;
    bool stop, gone;
    bool no_token;              /* authd signed none */
    struct fiber_queue changed; /* wakes the worker */
};

/* ---- one delivery ---- */

static bool is_stopping(const struct batch *self)
{
    return self->stop || work_maild(&self->work->item)->svc.stopping;
}

/* Returns Standard Webhooks' three headers, with a signature for each secret. */
static const char *const *headers_of(const struct target *target, struct arena *arena,
                                     const struct sql_webhook_delivery_next_row *row,
                                     int64_t now_ms)
{
    const char **lines = arena_alloc(arena, 4 * sizeof(*lines));
    const char *id = arena_printf(arena, "msg_%s", row->event.text), *signatures = "";

    for (size_t i = 0; i < target->secret_count; i++) {
        const char *signature =
            webhook_signature(arena, target->secrets[i], id, now_ms / 1000, row->body);

        if (signature)
            signatures =
                arena_printf(arena, "%s%s%s", signatures, *signatures ? " " : "", signature);
    }
    lines[0] = arena_printf(arena, "webhook-id: %s", id);
    lines[1] = arena_printf(arena, "webhook-timestamp: %" PRId64, now_ms / 1000);
    lines[2] = arena_printf(arena, "webhook-signature: %s", signatures);
    lines[3] = NULL;
    return lines;
}

/* -1: authd has signed no token. */
static int prepare(struct batch *self, const struct post *post, struct request *req,
                   struct fetch *ret, struct error *err)
{
    struct maild *d = work_maild(&self->work->item);
    const struct maild_config *config = d->svc.config;
    const struct caep_event event = {.project = self->work->project,
                                     .id = post->row->event,
                                     .at = post->row->at,
                                     .audience = self->target->audience,
                                     .body = post->row->body};

    *ret = (struct fetch){.url = self->target->url,
                          .body = post->row->body,
                          .networks = &d->networks,
                          .ca_file = config->webhook_ca_file,
                          .plain = config->allow_plain_http,
                          .answer_max = ANSWER_MAX};
    if (!self->target->audience) {
        ret->headers = headers_of(self->target, req->arena, post->row, clock_now_ms(d->real));
        return 0;
    }
    ret->content_type = "application/secevent+jwt";
    return webhook_caep_token(d, req, &event, &ret->body, err);
}

/* True when a retry may get a token. */
static bool is_token_late(const struct error *err)
{
    return err->code == ERR_UNAVAILABLE || err->code == ERR_DEADLINE ||
           err->code == ERR_OVERLOADED || err->code == ERR_NOT_FOUND;
}

static void judge(struct post *post, const struct target *target, const struct fetch_answer *answer)
{
    bool taken = target->audience ? webhook_caep_taken(answer)
                                  : answer->status >= STATUS_OK && answer->status < STATUS_REDIRECT;
    const char *refusal = NULL;
    bool final = false;

    if (target->audience)
        refusal = webhook_caep_refusal(answer, &final);
    post->status = answer->status;
    post->error = refusal ? refusal : "-";
    post->outcome = taken ? OUTCOME_DELIVERED : final ? OUTCOME_REFUSED : OUTCOME_MISSED;
}

static void miss(struct post *post, const struct error *err)
{
    post->status = 0;
    post->error = error_kind(err->code)->wire;
    post->outcome = OUTCOME_MISSED;
}

static void count(struct batch *self, const struct post *post)
{
    self->unrecorded++;
    self->delivered += post->outcome == OUTCOME_DELIVERED;
    self->refused += post->outcome == OUTCOME_REFUSED;
    self->missed += post->outcome == OUTCOME_MISSED;
    self->gone = self->gone || post->status == STATUS_GONE;
    self->stop = self->stop || self->gone ||
                 (self->delivered + self->refused == 0 && self->missed >= MISSES_MAX);
}

static void deliver(struct batch *self, struct post *post)
{
    struct maild *d = work_maild(&self->work->item);
    CLEANUP(service_request_destroy)
    struct request *req = service_request_new(&d->svc, TOKEN_MS);
    struct fetch_answer answer = {.status = 0};
    struct fetch what;
    struct error err;
    int64_t from_mono_ms = clock_mono_ms();
    bool ready;

    error_init(&err, req->arena);
    ready = prepare(self, post, req, &what, &err) == 0;
    if (!ready && is_token_late(&err)) {
        self->no_token = true;
        self->stop = true;
    } else {
        what.deadline_mono_ms = clock_mono_ms() + POST_MS;
        if (ready && fetch_perform(d->webhooks->curl, req->arena, &what, &answer, &err) == 0)
            judge(post, self->target, &answer);
        else
            miss(post, &err);
        post->duration = clock_mono_ms() - from_mono_ms;
        count(self, post);
    }
    fiber_queue_wake_one(&self->changed);
}

/* ---- lanes ---- */

/* Returns the first delivery of a lane that no courier has, and takes the lane. NULL: none. */
static struct post *take_lane(struct batch *self)
{
    struct post *first = NULL;

    for (size_t i = 0; i < self->count; i++) {
        struct post *post = &self->posts[i];

        if (!first && !post->taken)
            first = post;
        if (first && uuid_equal(&post->row->lane, &first->row->lane))
            post->taken = true;
    }
    return first;
}

static void walk_lane(struct batch *self, struct post *first)
{
    for (struct post *post = first; post < self->posts + self->count && !is_stopping(self);
         post++) {
        if (!uuid_equal(&post->row->lane, &first->row->lane))
            continue;
        deliver(self, post);
        if (post->outcome == OUTCOME_MISSED || post->outcome == OUTCOME_NONE)
            return;
    }
}

static void courier_fiber(void *arg)
{
    struct batch *self = arg;
    struct post *first;

    while (!is_stopping(self) && (first = take_lane(self)))
        walk_lane(self, first);
    self->couriers--;
    fiber_queue_wake_one(&self->changed);
}

/* ---- recording ---- */

static int64_t doubled_ms(int64_t min_ms, int64_t max_ms, int64_t times)
{
    int64_t doublings = MIN(times, (int64_t)16);

    return MIN(min_ms << doublings, max_ms);
}

/* False: the lease is lost. */
static bool record(struct batch *self)
{
    struct work_item *item = &self->work->item;
    struct maild *d = work_maild(item);
    const struct request *req = self->req;
    int64_t now = clock_now_ms(d->real);
    size_t count = 0;
    struct sql_webhook_delivery_record_in in = {
        .project = self->work->project,
        .id = item->id,
        .lease = work_lease(item),
        .now = now,
        .give_up = now - WEBHOOK_LIFE_MS,
        .sequences = db_array_new(req->arena, self->unrecorded, DB_ARRAY_INT),
        .outcomes = db_array_new(req->arena, self->unrecorded, DB_ARRAY_INT),
        .due_at = db_array_new(req->arena, self->unrecorded, DB_ARRAY_INT),
        .statuses = db_array_new(req->arena, self->unrecorded, DB_ARRAY_INT),
        .errors = db_array_new(req->arena, self->unrecorded, ERROR_MAX),
        .durations = db_array_new(req->arena, self->unrecorded, DB_ARRAY_INT)};
    struct error err;
    int rows;

    for (size_t i = 0; i < self->count; i++) {
        struct post *post = &self->posts[i];

        if (post->outcome == OUTCOME_NONE || post->recorded)
            continue;
        post->recorded = true;
        count++;
        db_array_add_int(&in.sequences, post->row->sequence);
        db_array_add_int(&in.outcomes, post->outcome);
        db_array_add_int(&in.due_at,
                         now + doubled_ms(RETRY_MIN_MS, RETRY_MAX_MS, post->row->attempts));
        db_array_add_int(&in.statuses, post->status);
        db_array_add(&in.errors, post->error);
        db_array_add_int(&in.durations, post->duration);
    }
    self->unrecorded -= count;
    do {
        error_init(&err, req->arena);
        self->req->deadline_mono_ms = clock_mono_ms() + WORK_RECORD_MS;
        rows = sql_webhook_delivery_record(d->svc.db, req, &in, &err);
    } while (rows < 0 && work_pause(item));
    return rows > 0;
}

/* False: the lease is lost. */
static bool run_batch(struct batch *self)
{
    struct maild *d = work_maild(&self->work->item);
    bool own = true;
    struct error err;

    error_init(&err, self->req->arena);
    for (size_t i = 0; i < MIN(self->count, (size_t)COURIERS_MAX); i++) {
        if (fiber_start(d->svc.loop, courier_fiber, self, &err) < 0)
            break;
        self->couriers++;
    }
    while (self->couriers > 0 || self->unrecorded > 0) {
        if (self->unrecorded > 0) {
            own = record(self) && own;
            self->stop = self->stop || !own;
        } else if (fiber_queue_wait(d->svc.loop, &self->changed, clock_mono_ms() + POST_MS) ==
                   FIBER_CANCELLED) {
            self->stop = true;
        }
    }
    return own;
}

/* ---- one webhook ---- */

/* False: no key opens the secret. */
static bool add_secret(const struct maild *d, const struct request *req, struct field_bytes sealed,
                       struct target *target)
{
    uint8_t *plain;
    size_t size;

    if (!sealed.bytes)
        return true;
    if (seal_open(req->arena, &d->svc.seal, WEBHOOK_SECRET_PURPOSE,
                  (struct sealed){sealed.bytes, sealed.size}, &plain, &size) < 0)
        return false;
    target->secrets[target->secret_count++] = (const char *)plain;
    return true;
}

static int read_target(struct maild *d, const struct request *req, struct post_work *self,
                       bool first, struct target *ret, struct error *err)
{
    const struct sql_webhook_target_in in = {.id = self->item.id};
    struct sql_webhook_target_row row;

    if (sql_require(sql_webhook_target(d->svc.db, req, &in, &row, err), err, ERR_NOT_FOUND,
                    "The row with a webhook's queue is missing.") < 0)
        return -1;
    if (first)
        self->failures = row.failures;
    *ret = (struct target){.url = row.url,
                           .audience = row.audience,
                           .enabled = row.enabled,
                           .additions = row.additions};
    if (!add_secret(d, req, row.secret, ret) ||
        (row.previous_until && *row.previous_until > req->now_ms &&
         !add_secret(d, req, row.previous, ret)))
        return error_set(err, ERR_INTERNAL, "A webhook's secret is sealed with another key.");
    return 0;
}

static int drop(struct maild *d, const struct request *req, const struct post_work *self,
                struct error *err)
{
    const struct sql_webhook_drop_in in = {.project = self->project,
                                           .id = self->item.id,
                                           .lease = work_lease(&self->item),
                                           .most = DROP_PAGE};
    struct sql_webhook_drop_row row;

    do {
        if (sql_webhook_drop(d->svc.db, req, &in, &row, err) < 0)
            return -1;
    } while (row.removed > 0);
    return 0;
}

static int put_to_sleep(struct maild *d, const struct request *req, const struct post_work *self,
                        const struct target *target, struct error *err)
{
    const struct sql_webhook_sleep_in in = {
        .id = self->item.id, .lease = work_lease(&self->item), .additions = target->additions};

    return sql_webhook_sleep(d->svc.db, req, &in, err);
}

/* *ret_later: the project is read-only, so the next 410 disables the webhook. */
static int switch_off(struct maild *d, const struct request *req, const struct post_work *self,
                      bool *ret_later, struct error *err)
{
    const struct sql_webhook_gone_in in = {
        .project = self->project,
        .id = self->item.id,
        .lease = work_lease(&self->item),
        .now = req->now_ms,
        .audit = audit_row(req, &(struct audit){.action = "webhook.gone",
                                                .project = self->project,
                                                .type = "Webhook",
                                                .id = self->item.id})};
    int found = sql_webhook_gone(d->svc.db, req, &in, err);

    *ret_later = found < 0 && err->code == ERR_PROJECT_READ_ONLY;
    if (*ret_later)
        error_clear(err);
    if (found <= 0)
        return *ret_later ? 0 : found;
    ++*d->webhooks->gone;
    log_event(LOG_NOTICE, "webhook", "the receiver answered 410, so the webhook was disabled",
              "webhook", self->item.id.text, NULL);
    return 0;
}

/* retry_at: real time; NULL: as due. */
static int finish(struct maild *d, const struct request *req, const struct post_work *self,
                  const struct target *target, const int64_t *retry_at, struct error *err)
{
    const struct sql_webhook_finish_in in = {.id = self->item.id,
                                             .lease = work_lease(&self->item),
                                             .now = clock_now_ms(d->real),
                                             .additions = target->additions,
                                             .failures = self->failures,
                                             .retry_at = retry_at};

    return sql_webhook_finish(d->svc.db, req, &in, err);
}

/* *ret_more: another batch can follow. */
static int conclude(struct maild *d, const struct batch *batch, bool *ret_more, struct error *err)
{
    const struct sql_webhook_resume_in resume = {
        .id = batch->work->item.id, .now = clock_now_ms(d->real), .most = RESUME_MAX};
    struct post_work *self = batch->work;
    bool later = false;
    int64_t retry_at;

    *d->webhooks->delivered += batch->delivered;
    *d->webhooks->retried += batch->missed;
    *d->webhooks->refused += batch->refused;
    *ret_more = false;
    if (batch->gone && switch_off(d, batch->req, self, &later, err) < 0)
        return -1;
    if (batch->gone && !later)
        return 0;
    retry_at = clock_now_ms(d->real);
    if (batch->delivered + batch->refused > 0) {
        *ret_more = !d->svc.stopping;
        if (self->failures > 0 && sql_webhook_resume(d->svc.db, batch->req, &resume, err) < 0)
            return -1;
        self->failures = 0;
    } else if (batch->no_token && batch->missed == 0) {
        retry_at += TOKEN_PAUSE_MS;
    } else {
        retry_at += doubled_ms(PAUSE_MIN_MS, PAUSE_MAX_MS, self->failures);
        self->failures += batch->missed > 0;
    }
    if (*ret_more)
        return 0;
    return finish(d, batch->req, self, batch->target, &retry_at, err);
}

/* *ret_more: another batch can follow. After a failure the lease expires. */
static int post_some(struct post_work *self, bool first, bool *ret_more, struct error *err)
{
    struct maild *d = work_maild(&self->item);
    CLEANUP(service_request_destroy)
    struct request *req = service_request_new(&d->svc, WORK_RECORD_MS);
    struct sql_webhook_delivery_next_in next = {.id = self->item.id, .now = clock_now_ms(d->real)};
    struct sql_webhook_delivery_next_rows rows;
    struct batch batch = {.work = self, .req = req};
    struct target target;

    *ret_more = false;
    if (read_target(d, req, self, first, &target, err) < 0)
        return -1;
    if (!target.url)
        return drop(d, req, self, err);
    if (!target.enabled)
        return put_to_sleep(d, req, self, &target, err);
    next.most = self->failures > 0 ? 1 : BATCH;
    if (sql_webhook_delivery_next(d->svc.db, req, &next, &rows, err) < 0)
        return -1;
    if (rows.count == 0)
        return finish(d, req, self, &target, NULL, err);
    batch.target = &target;
    batch.count = rows.count;
    batch.posts = arena_calloc(req->arena, rows.count, sizeof(*batch.posts));
    for (size_t i = 0; i < rows.count; i++)
        batch.posts[i] = (struct post){.row = &rows.items[i], .outcome = OUTCOME_NONE};
    if (!run_batch(&batch))
        return 0;
    req->deadline_mono_ms = clock_mono_ms() + WORK_RECORD_MS;
    return conclude(d, &batch, ret_more, err);
}

static void post_run(struct work_item *item)
{
    struct post_work *self = (struct post_work *)item;
    bool more = true;
    struct error err;

    for (bool first = true; more; first = false) {
        error_init(&err, NULL);
        if (post_some(self, first, &more, &err) < 0)
            log_event(LOG_WARNING, "webhook", "cannot continue, because its lease expires",
                      "webhook", item->id.text, "error", error_kind(err.code)->wire, "why",
                      err.message, NULL);
    }
    work_end(item);
}

/* ---- claiming ---- */

static int post_claim(struct work *work, struct maild *d, const struct request *req,
                      const struct work_claim *claim, struct error *err)
{
    const struct sql_webhook_claim_in in = {
        .now = claim->now, .until = claim->until, .lease = claim->lease, .most = claim->room};
    struct sql_webhook_claim_rows rows;

    if (sql_webhook_claim(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        struct post_work *self = (struct post_work *)work_item_new(work, rows.items[i].id);

        if (!self)
            continue;
        self->project = rows.items[i].project;
        work_item_start(&self->item);
    }
    return (int)rows.count;
}

static int post_renew(struct maild *d, const struct request *req,
                      const struct work_renewal *renewal, struct error *err)
{
    const struct sql_webhook_renew_in in = {
        .lease = renewal->lease, .ids = renewal->ids, .until = renewal->until};

    return sql_webhook_renew(d->svc.db, req, &in, err);
}

static int64_t post_room(struct maild *d UNUSED, int64_t active)
{
    return WEBHOOKS_MAX - active;
}

static int64_t post_timeout_ms(const struct maild *d UNUSED)
{
    return TOKEN_MS + POST_MS;
}

/* ---- start and stop ---- */

static int sweep(void *daemon, const struct request *req, struct error *err)
{
    struct maild *d = daemon;
    int64_t now = clock_now_ms(d->real);
    const struct sql_webhook_delivery_expire_in old = {
        .before = now - WEBHOOK_LIFE_MS, .now = now, .most = SWEEP_PAGE};
    const struct sql_webhook_delivery_purge_in ended = {.before = now - KEEP_MS,
                                                        .most = SWEEP_PAGE};
    int count;

    do {
        count = sql_webhook_delivery_expire(d->svc.db, req, &old, err);
    } while (count == SWEEP_PAGE && !d->svc.stopping);
    if (count < 0)
        return -1;
    do {
        count = sql_webhook_delivery_purge(d->svc.db, req, &ended, err);
    } while (count == SWEEP_PAGE && !d->svc.stopping);
    return count < 0 ? -1 : 0;
}

int webhook_post_start(struct maild *d, struct error *err)
{
    static const struct work_kind kind = {.item_size = sizeof(struct post_work),
                                          .room = post_room,
                                          .poll_ms = WORK_POLL_MS,
                                          .timeout_ms = post_timeout_ms,
                                          .claim = post_claim,
                                          .renew = post_renew,
                                          .run = post_run};
    static const char name[] = "atrium_webhook_attempts_total",
                      help[] = "Attempts to deliver webhooks, by outcome.";
    struct metrics *m = d->svc.metrics;
    struct webhooks *self = arena_calloc(d->svc.arena, 1, sizeof(*self));

    self->curl = curl_loop_new(d->svc.loop);
    self->delivered = metrics_counter(m, name, "outcome=\"delivered\"", help);
    self->retried = metrics_counter(m, name, "outcome=\"retry\"", help);
    self->refused = metrics_counter(m, name, "outcome=\"refused\"", help);
    self->gone =
        metrics_counter(m, "atrium_webhook_gone_total", "",
                        "Webhooks that were disabled because their receiver answered 410.");
    self->events =
        metrics_counter(m, "atrium_webhook_deliveries_total", "", "Deliveries that were queued.");
    d->webhooks = self;
    service_every(&d->svc, "webhooks", SWEEP_MS, sweep);
    return work_start(d, &kind, &self->work, err);
}

void webhook_post_kick(struct maild *d)
{
    work_kick(d->webhooks->work);
}

void webhook_post_drain(struct maild *d)
{
    d->webhooks->ended = work_stop(d->webhooks->work, STOP_MS);
}

void webhook_post_stop(struct maild *d)
{
    if (d->webhooks->ended)
        curl_loop_destroy(&d->webhooks->curl);
}
