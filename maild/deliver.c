/*
 * deliver.c - from the queue to the transport.
 *
 * One fiber claims due messages, a lease at a time, and starts a fiber for each; it also renews the leases of
 * what is under way.  A claimed message is not due for anybody else, so instances never send the same one twice;
 * the lease of an instance that died runs out and its work is taken up by whoever looks next.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maild/deliver_backoff.h"
#include "maild/message.h"
#include "maild/render.h"
#include "maild/sealed.h"
#include "maild/transport.h"

enum {
    POLL_MS =
        1000, /* a message of another instance, or one whose back-off ended, waits at most so long */
    LEASE_MS = 3000, /* with POLL_MS: work of a dead instance goes on within 4 s */
    CLAIM_TIMEOUT_MS = 2000,
    RECORD_TIMEOUT_MS = 2000,
    RECORD_PAUSE_MS = 250,
    STOP_MS = 10000,
    STOP_POLL_MS = 20,
};

/* A claimed message, for as long as its fiber runs. */
struct delivery {
    struct delivery *next;
    struct deliver *owner;
    struct request *req; /* its arena holds all that follows */
    struct uuid id, project;
    const char *template, *language, *default_language;
    struct sealed sealed;
    int64_t attempts, created_at;
};

struct deliver {
    struct maild *d;
    struct uuid lease;       /* marks what this process has claimed */
    struct fiber_queue idle; /* where the claiming fiber waits */
    struct delivery *active;
    size_t active_count;
    int64_t renew_at; /* monotonic */
    bool kicked, stopping, running;
    uint64_t *sent, *retried, *dead;
};

static void json_destroy(json_t **json_p)
{
    json_decref(*json_p);
    *json_p = NULL;
}

/* ---- one delivery ---- */

/* Renders the nearest template for the recipient and builds the mail. NULL with the reason otherwise. */
static char *delivery_text(struct delivery *self, const struct template_record *template,
                           const json_t *variables, const char *to)
{
    const struct maild_config *config = self->owner->d->svc.config;
    struct arena *arena = self->req->arena;
    struct message message = {
        .id = self->id,
        .date_ms = self->created_at,
        .to = to,
        .from_address = config->from_address,
        .from_name = config->from_name,
        .subject = render(arena, template->subject, variables, RENDER_TEXT),
        .text = render(arena, template->text, variables, RENDER_TEXT),
        .html = template->html ? render(arena, template->html, variables, RENDER_HTML) : NULL,
        .language = template->language,
    };

    return message_build(arena, &message);
}

/* Hands the mail to the transport and wipes its text, which may hold a one-time link. */
static enum transport_outcome delivery_hand_over(struct delivery *self, const char *to,
                                                 const char *text,
                                                 char reason[TRANSPORT_REASON_MAX])
{
    struct transport *transport = self->owner->d->transport;
    const struct maild_config *config = self->owner->d->svc.config;
    struct mail mail = {self->id, self->created_at, config->from_address, to, text};
    enum transport_outcome outcome =
        transport->send(transport, &mail, self->req->deadline_mono_ms, reason);

    secret_wipe_text(text);
    return outcome;
}

static enum transport_outcome delivery_send(struct delivery *self,
                                            char reason[TRANSPORT_REASON_MAX])
{
    CLEANUP(json_destroy) json_t *variables = NULL;
    struct service *svc = &self->owner->d->svc;
    struct arena *arena = self->req->arena;
    struct template_record template = {0};
    const char *to;
    struct error err;

    error_init(&err, arena);
    if (sealed_open(arena, &svc->seal_key, self->sealed, &to, &variables) < 0) {
        snprintf(reason, TRANSPORT_REASON_MAX, "the content cannot be unsealed");
        return TRANSPORT_RETRY;
    }
    if (template_pick(self->owner->d, self->req, self->project, self->template, self->language,
                      self->default_language, &template, &err) < 0) {
        bool unmapped = err.code == ERR_NOT_FOUND;

        snprintf(reason, TRANSPORT_REASON_MAX, "%s",
                 unmapped ? "the template is no longer mapped" : "database");
        return unmapped ? TRANSPORT_REFUSED : TRANSPORT_RETRY;
    }
    return delivery_hand_over(self, to, delivery_text(self, &template, variables, to), reason);
}

/* Writes down how the attempt ended. */
static int delivery_record(struct delivery *self, enum transport_outcome outcome,
                           const char *reason, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct db *db = self->owner->d->svc.db;
    struct uuid lease = self->owner->lease;
    int64_t due;

    self->req->deadline_mono_ms = clock_mono_ms() + RECORD_TIMEOUT_MS;
    switch (outcome) {
    case TRANSPORT_SENT:
        return db_query(db, self->req, SQL_MESSAGE_SENT, &res, err, DB_UUID(self->id),
                        DB_UUID(lease));
    case TRANSPORT_RETRY:
        due = clock_now_ms(self->owner->d->real) + deliver_backoff_ms(self->attempts);
        return db_query(db, self->req, SQL_MESSAGE_RETRY, &res, err, DB_UUID(self->id),
                        DB_UUID(lease), DB_INT(due), DB_TEXT(reason));
    case TRANSPORT_REFUSED:
        break;
    }
    return db_query(db, self->req, SQL_MESSAGE_DEAD, &res, err, DB_UUID(self->id), DB_UUID(lease),
                    DB_TEXT(reason));
}

static void delivery_log(const struct delivery *self, enum transport_outcome outcome,
                         const char *reason)
{
    char attempt[24];

    snprintf(attempt, sizeof(attempt), "%lld", (long long)self->attempts);
    if (outcome == TRANSPORT_SENT) {
        ++*self->owner->sent;
        log_event(LOG_INFO, "mail", "sent", "message", self->id.text, "attempt", attempt, NULL);
    } else if (outcome == TRANSPORT_RETRY) {
        ++*self->owner->retried;
        log_event(LOG_NOTICE, "mail", "delivery failed, will be tried again", "message",
                  self->id.text, "attempt", attempt, "reason", reason, NULL);
    } else {
        ++*self->owner->dead;
        log_event(LOG_WARNING, "mail", "given up", "message", self->id.text, "attempt", attempt,
                  "reason", reason, NULL);
    }
}

static void delivery_destroy(struct delivery *self)
{
    struct deliver *owner = self->owner;
    struct request *req = self->req;
    struct delivery **link = &owner->active;

    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
    owner->active_count--;
    service_request_destroy(&req);
}

/* A fiber: sends the message and records that until it is recorded; meanwhile its lease is renewed, because a
 * message that was sent but is not known as sent would be sent again. */
static void delivery_run(void *arg)
{
    struct delivery *self = arg;
    struct maild *d = self->owner->d;
    char reason[TRANSPORT_REASON_MAX] = "";
    enum transport_outcome outcome = delivery_send(self, reason);
    struct error err;

    if (outcome == TRANSPORT_RETRY && self->attempts >= DELIVER_ATTEMPTS_MAX)
        outcome = TRANSPORT_REFUSED;
    delivery_log(self, outcome, reason);
    error_init(&err, self->req->arena);
    while (delivery_record(self, outcome, reason, &err) < 0) {
        error_clear(&err);
        if (fiber_sleep_until(d->svc.loop, clock_mono_ms() + RECORD_PAUSE_MS, &err) < 0)
            break;
    }
    delivery_destroy(self);
    deliver_kick(d);
}

/* ---- the claiming fiber ---- */

static bool is_active(const struct deliver *self, struct uuid id)
{
    for (const struct delivery *each = self->active; each; each = each->next) {
        if (uuid_equal(&each->id, &id))
            return true;
    }
    return false;
}

/* Starts the delivery of one claimed row. A message of our own whose lease ran out in a stall, and which was now
 * claimed again, is still under way: it goes on. */
static void delivery_start(struct deliver *self, const struct db_result *res, size_t row)
{
    const struct maild_config *config = self->d->svc.config;
    struct uuid id = db_uuid(res, row, 0);
    struct delivery *made;
    struct request *req;
    struct error err;

    if (is_active(self, id))
        return;
    req = service_request_new(&self->d->svc, config->smtp_timeout + CLAIM_TIMEOUT_MS);
    error_init(&err, req->arena);
    made = arena_alloc(req->arena, sizeof(*made));

    struct field_bytes sealed = db_bytes(res, row, 4);

    *made = (struct delivery){
        .next = self->active,
        .owner = self,
        .req = req,
        .id = id,
        .project = db_uuid(res, row, 1),
        .template = arena_strdup(req->arena, db_text(res, row, 2)),
        .language = arena_strdup(req->arena, db_text(res, row, 3)),
        .default_language = arena_strdup(req->arena, db_text(res, row, 7)),
        .sealed = {arena_memdup(req->arena, sealed.bytes, sealed.size), sealed.size},
        .attempts = db_int(res, row, 5),
        .created_at = db_int(res, row, 6),
    };
    self->active = made;
    self->active_count++;
    if (fiber_start(self->d->svc.loop, delivery_run, made, &err) < 0)
        delivery_destroy(made); /* its lease runs out: it is tried again then */
}

/* Claims as many due messages as there is room for. True when there may be more. */
static bool deliver_claim(struct deliver *self)
{
    CLEANUP(service_request_destroy)
    struct request *req = service_request_new(&self->d->svc, CLAIM_TIMEOUT_MS);
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const struct maild_config *config = self->d->svc.config;
    int64_t room = config->deliveries - (int64_t)self->active_count;
    int64_t now = clock_now_ms(self->d->real);
    struct error err;

    if (room <= 0)
        return false;
    error_init(&err, req->arena);
    if (db_query(self->d->svc.db, req, SQL_MESSAGE_CLAIM, &res, &err, DB_INT(now),
                 DB_INT(now + LEASE_MS), DB_UUID(self->lease), DB_INT(room)) < 0)
        return false;
    for (size_t row = 0; row < db_rows(res); row++)
        delivery_start(self, res, row);
    return (int64_t)db_rows(res) == room;
}

/* Renews the leases of what is under way, about once a second. */
static void deliver_renew(struct deliver *self)
{
    CLEANUP(service_request_destroy) struct request *req = NULL;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const char *separator = "{";
    char *ids;
    struct error err;

    if (!self->active || clock_mono_ms() < self->renew_at)
        return;
    self->renew_at = clock_mono_ms() + POLL_MS;
    req = service_request_new(&self->d->svc, CLAIM_TIMEOUT_MS);
    ids = arena_strdup(req->arena, "");
    for (const struct delivery *each = self->active; each; each = each->next) {
        ids = arena_printf(req->arena, "%s%s%s", ids, separator, each->id.text);
        separator = ",";
    }
    ids = arena_printf(req->arena, "%s}", ids);
    error_init(&err, req->arena);
    if (db_query(self->d->svc.db, req, SQL_MESSAGE_RENEW, &res, &err, DB_UUID(self->lease),
                 DB_TEXT(ids), DB_INT(clock_now_ms(self->d->real) + LEASE_MS)) < 0)
        self->renew_at = 0;
}

static void deliver_run(void *arg)
{
    struct deliver *self = arg;
    struct loop *loop = self->d->svc.loop;
    enum fiber_wake wake = FIBER_WOKEN;

    while (!self->stopping && wake != FIBER_CANCELLED) {
        self->kicked = false;
        deliver_renew(self);
        if (deliver_claim(self) || self->kicked || self->stopping)
            continue;
        wake = fiber_queue_wait(loop, &self->idle, clock_mono_ms() + POLL_MS);
    }
    self->running = false;
}

/* ---- for the rest of the daemon ---- */

int deliver_start(struct maild *d, struct error *err)
{
    struct metrics *metrics = d->svc.metrics;
    struct deliver *self = arena_alloc(d->svc.arena, sizeof(*self));
    const char *name = "atrium_mail_deliveries_total", *help = "Attempts to deliver, by outcome.";

    *self = (struct deliver){
        .d = d,
        .lease = uuid_random(),
        .running = true,
        .sent = metrics_counter(metrics, name, "outcome=\"sent\"", help),
        .retried = metrics_counter(metrics, name, "outcome=\"retry\"", help),
        .dead = metrics_counter(metrics, name, "outcome=\"dead\"", help),
    };
    d->deliver = self;
    return fiber_start(d->svc.loop, deliver_run, self, err);
}

void deliver_kick(struct maild *d)
{
    d->deliver->kicked = true;
    fiber_queue_wake_one(&d->deliver->idle);
}

bool deliver_stop(struct maild *d)
{
    struct deliver *self = d->deliver;
    int64_t deadline = clock_mono_ms() + STOP_MS;
    struct error err;

    error_init(&err, NULL);
    self->stopping = true;
    fiber_queue_wake_all(&self->idle);
    while ((self->active || self->running) && clock_mono_ms() < deadline) {
        deliver_renew(self);
        if (fiber_sleep_until(d->svc.loop, clock_mono_ms() + STOP_POLL_MS, &err) < 0)
            break;
    }
    return !self->active && !self->running;
}
