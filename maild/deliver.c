/* deliver.c - delivers queued messages (work.h) through the transport. */
#include <stdio.h>

#include "maild/builtin.h"
#include "maild/deliver_backoff.h"
#include "maild/message.h"
#include "maild/render.h"
#include "maild/sealed.h"
#include "maild/sql/mail.h"
#include "maild/template_api.h"
#include "maild/template_html.h"
#include "maild/transport.h"
#include "maild/work.h"

enum { RESUME_BATCH = 1000 };

struct delivery {
    struct work_item item; /* must be first */
    struct uuid project;   /* absent: the installation */
    const char *template, *language, *default_language;
    struct sealed sealed;
    int64_t attempts, answers, unknowns, created_at;
    int64_t expires_at; /* 0: never */
    int64_t timeout_ms; /* smtp_timeout at the start; a reload does not change it */
    bool handed_over;   /* until the outcome is recorded, the row says "unknown" */
};

struct deliver {
    struct work *work;
    bool resuming; /* waiting emails are being made due */
    uint64_t *sent, *retried, *dead, *unknown, *expired;
};

/* ---- one delivery ---- */

/* Returns the name of the project's branding, the sender of its emails, or NULL. The variable
 * `brandName` is the project's name then. */
static const char *brand_resolve(const struct delivery *self, json_t *variables)
{
    const char *brand = json_string_value(json_object_get(variables, "brandName"));

    if (brand && uuid_is_set(&self->project))
        return brand;
    json_object_set(variables, "brandName", json_object_get(variables, "projectName"));
    return NULL;
}

/* Returns NULL with the reason when the message cannot be built. */
static char *delivery_text(struct delivery *self, const struct template_record *template,
                           json_t *variables, const char *to)
{
    const struct maild_config *config = work_maild(&self->item)->svc.config;
    struct arena *arena = self->item.req->arena;
    /* Leaves out HTML that would leak a secret: earlier releases stored it unchecked. */
    const char *html =
        template->html && !template_html_check(arena, template->html) ? template->html : NULL;
    const char *brand = brand_resolve(self, variables);
    struct message message = {
        .id = self->item.id,
        .date_ms = self->created_at,
        .to = to,
        .from_address = config->from_address,
        .from_name = brand ? brand : config->from_name,
        .subject = render_subject(arena, template->subject, variables),
        .text = render(arena, template->text, variables, RENDER_TEXT),
        .html = html ? render(arena, html, variables, RENDER_HTML) : NULL,
        .language = template->language,
    };

    return message_build(arena, &message);
}

/* Records that the message may be sent, so that no other process sends a copy if this one dies.
 * False: the lease is lost. */
static bool delivery_gate(void *arg)
{
    struct delivery *self = arg;
    struct maild *d = work_maild(&self->item);
    const struct sql_mail_hand_over_in hand_over = {
        .id = self->item.id,
        .lease = work_lease(&self->item),
        .until = clock_now_ms(d->real) + self->timeout_ms +
                 deliver_unknown_ms(self->timeout_ms, self->unknowns + 1)};
    struct error err;

    error_init(&err, self->item.req->arena);
    if (sql_mail_hand_over(d->svc.db, self->item.req, &hand_over, &err) <= 0)
        return false;
    self->handed_over = true;
    return true;
}

/* Hands an email over, then erases its text, which may contain a one-time link. */
static enum transport_outcome delivery_hand_over(struct delivery *self, const char *to,
                                                 const char *text,
                                                 char reason[TRANSPORT_REASON_MAX])
{
    struct transport *transport = work_maild(&self->item)->transport;
    const struct maild_config *config = work_maild(&self->item)->svc.config;
    struct mail mail = {self->item.id, self->created_at, config->from_address, to, text};
    const struct transport_gate gate = {delivery_gate, self};
    enum transport_outcome outcome =
        transport->send(transport, &mail,
                        MIN(self->item.req->deadline_mono_ms, clock_mono_ms() + self->timeout_ms),
                        &gate, reason);

    secret_wipe_text(text);
    return outcome;
}

/* Names the installation in an email that no project sends. */
static void name_installation(json_t *variables, const char *name)
{
    const char *project = json_string_value(json_object_get(variables, "projectName"));

    if (!project || !*project)
        json_object_set_new(variables, "projectName", json_string(name));
}

static int delivery_template(struct delivery *self, json_t *variables, struct template_record *ret,
                             struct error *err)
{
    struct maild *d = work_maild(&self->item);
    const struct maild_config *config = d->svc.config;

    if (uuid_is_set(&self->project))
        return template_pick(d, self->item.req, self->project, self->template, self->language,
                             self->default_language, ret, err);
    name_installation(variables, config->installation_name);
    if (builtin_template(self->item.req->arena, self->template, variables, ret))
        return 0;
    return error_set(err, ERR_NOT_FOUND, "Template not found.");
}

/* Returns why a message must not be sent, or NULL. */
static const char *delivery_obstacle(const struct delivery *self)
{
    struct maild *d = work_maild(&self->item);
    const struct maild_config *config = d->svc.config;

    if (self->expires_at != 0 && clock_now_ms(d->real) >= self->expires_at)
        return "its link expired before it could be sent";
    if (self->unknowns >= DELIVER_UNKNOWNS_MAX)
        return "the mail server never said whether it took it: it may have arrived";
    if (clock_now_ms(d->real) - self->created_at > config->mail_max_age)
        return "it could not be sent for longer than mail_max_age";
    return NULL;
}

static enum transport_outcome delivery_send(struct delivery *self,
                                            char reason[TRANSPORT_REASON_MAX])
{
    json_auto_t *variables = NULL;
    struct maild *d = work_maild(&self->item);
    struct arena *arena = self->item.req->arena;
    struct template_record template = {0};
    const char *to;
    struct error err;

    error_init(&err, arena);
    if (sealed_open(arena, &d->svc.seal, self->sealed, &to, &variables) < 0) {
        snprintf(reason, TRANSPORT_REASON_MAX, "the content cannot be unsealed");
        return TRANSPORT_UNREACHED;
    }
    if (delivery_template(self, variables, &template, &err) < 0) {
        bool unmapped = err.code == ERR_NOT_FOUND;

        snprintf(reason, TRANSPORT_REASON_MAX, "%s",
                 unmapped ? "the template is no longer mapped" : "database");
        return unmapped ? TRANSPORT_REFUSED : TRANSPORT_UNREACHED;
    }
    return delivery_hand_over(self, to, delivery_text(self, &template, variables, to), reason);
}

/* Returns the audit row of a final outcome; an attempt that will be retried has none. */
static struct sql_audit delivery_audit(const struct delivery *self, bool sent)
{
    return audit_row(self->item.req, &(struct audit){.action = "mail.send",
                                                     .failure = !sent,
                                                     .project = self->project,
                                                     .type = "Message",
                                                     .id = self->item.id,
                                                     .detail = self->template});
}

static int64_t delivery_pause(const struct delivery *self, enum transport_outcome outcome)
{
    const struct maild *d = work_maild(&self->item);

    if (outcome == TRANSPORT_RETRY)
        return deliver_backoff_ms(self->answers + 1);
    if (outcome == TRANSPORT_UNKNOWN)
        return deliver_unknown_ms(self->timeout_ms, self->unknowns + 1);
    return d->svc.stopping ? 0 : deliver_unreached_ms(self->attempts);
}

static int record_sent(const struct delivery *self, struct error *err)
{
    const struct sql_mail_mark_sent_in sent = {
        .id = self->item.id, .lease = work_lease(&self->item), .audit = delivery_audit(self, true)};

    return sql_mail_mark_sent(work_maild(&self->item)->svc.db, self->item.req, &sent, err);
}

static int record_dead(const struct delivery *self, const char *reason, struct error *err)
{
    const struct sql_mail_mark_dead_in dead = {.id = self->item.id,
                                               .lease = work_lease(&self->item),
                                               .last_error = reason,
                                               .audit = delivery_audit(self, false)};

    return sql_mail_mark_dead(work_maild(&self->item)->svc.db, self->item.req, &dead, err);
}

static int record_retry(const struct delivery *self, enum transport_outcome outcome,
                        const char *reason, struct error *err)
{
    struct maild *d = work_maild(&self->item);
    const struct sql_mail_postpone_in postpone = {
        .id = self->item.id,
        .lease = work_lease(&self->item),
        .due_at = clock_now_ms(d->real) + delivery_pause(self, outcome),
        .last_error = reason,
        .answered = outcome == TRANSPORT_RETRY,
        .known = self->handed_over && outcome != TRANSPORT_UNKNOWN,
        .server_wait = outcome == TRANSPORT_UNREACHED};

    return sql_mail_postpone(d->svc.db, self->item.req, &postpone, err);
}

static int delivery_record(struct delivery *self, enum transport_outcome outcome,
                           const char *reason)
{
    const struct maild *d = work_maild(&self->item);
    struct request *req = self->item.req;
    struct error err;

    error_init(&err, req->arena);
    req->deadline_mono_ms = clock_mono_ms() + WORK_RECORD_MS;
    req->now_ms = clock_now_ms(d->svc.clock);
    switch (outcome) {
    case TRANSPORT_SENT:
        return record_sent(self, &err);
    case TRANSPORT_RETRY:
    case TRANSPORT_UNREACHED:
    case TRANSPORT_UNKNOWN:
        return record_retry(self, outcome, reason, &err);
    case TRANSPORT_REFUSED:
        break;
    }
    return record_dead(self, reason, &err);
}

static void delivery_log(const struct delivery *self, enum transport_outcome outcome,
                         const char *reason)
{
    const struct deliver *deliver = work_maild(&self->item)->deliver;
    const char *id = self->item.id.text;
    char attempt[24];

    snprintf(attempt, sizeof(attempt), "%lld", (long long)self->attempts);
    if (outcome == TRANSPORT_SENT) {
        ++*deliver->sent;
        log_event(LOG_INFO, "mail", "sent", "message", id, "attempt", attempt, NULL);
    } else if (outcome == TRANSPORT_REFUSED) {
        ++*deliver->dead;
        log_event(LOG_WARNING, "mail", "has failed", "message", id, "attempt", attempt, "reason",
                  reason, NULL);
    } else {
        ++*deliver->retried;
        *deliver->unknown += outcome == TRANSPORT_UNKNOWN;
        log_event(LOG_NOTICE, "mail", "delivery failed and will be retried", "message", id,
                  "attempt", attempt, "reason", reason, NULL);
    }
}

static void delivery_run(struct work_item *item)
{
    struct delivery *self = (struct delivery *)item;
    struct maild *d = work_maild(item);
    char reason[TRANSPORT_REASON_MAX] = "";
    const char *obstacle = delivery_obstacle(self);
    enum transport_outcome outcome = TRANSPORT_REFUSED;

    if (obstacle)
        snprintf(reason, sizeof(reason), "%s", obstacle);
    else
        outcome = delivery_send(self, reason);
    if (outcome == TRANSPORT_RETRY && self->answers + 1 >= DELIVER_ANSWERS_MAX)
        outcome = TRANSPORT_REFUSED;
    *d->deliver->expired += obstacle != NULL;
    delivery_log(self, outcome, reason);
    while (delivery_record(self, outcome, reason) < 0 && work_pause(item))
        continue;
    work_end(item);
}

/* ---- claiming ---- */

/* Makes one batch of waiting email due, because this fiber also renews leases. */
static void resume(struct maild *d, const struct request *req)
{
    struct transport *transport = d->transport;
    struct deliver *self = d->deliver;
    struct sql_mail_resume_in in = {.most = RESUME_BATCH};
    struct error err;

    if (transport->is_back && transport->is_back(transport)) {
        log_event(LOG_INFO, "mail", "the mail server is available again", NULL);
        self->resuming = true;
    }
    if (!self->resuming)
        return;
    error_init(&err, req->arena);
    /* If this fails, each message is due within a minute anyway. */
    in.now = clock_now_ms(d->real);
    self->resuming = sql_mail_resume(d->svc.db, req, &in, &err) == RESUME_BATCH;
    if (self->resuming)
        work_kick(self->work);
}

static int64_t delivery_timeout_ms(const struct maild *d)
{
    const struct maild_config *config = d->svc.config;

    return config->smtp_timeout + 2 * WORK_RECORD_MS;
}

static void delivery_begin(struct work *work, const struct maild_config *config,
                           const struct sql_mail_claim_row *row)
{
    struct delivery *self = (struct delivery *)work_item_new(work, row->id);
    struct arena *arena;

    if (!self)
        return;
    arena = self->item.req->arena;
    self->project = row->project;
    self->template = arena_strdup(arena, row->template);
    self->language = arena_strdup(arena, row->language);
    self->default_language = arena_strdup(arena, row->default_language);
    self->sealed =
        (struct sealed){arena_memdup(arena, row->sealed.bytes, row->sealed.size), row->sealed.size};
    self->attempts = row->attempts;
    self->answers = row->answers;
    self->unknowns = row->unknowns;
    self->created_at = row->created_at;
    self->expires_at = row->expires_at ? *row->expires_at : 0;
    self->timeout_ms = config->smtp_timeout;
    work_item_start(&self->item);
}

static int delivery_claim(struct work *work, struct maild *d, const struct request *req,
                          const struct work_claim *claim, struct error *err)
{
    const struct sql_mail_claim_in in = {
        .now = claim->now, .until = claim->until, .lease = claim->lease, .most = claim->room};
    struct sql_mail_claim_rows rows;

    resume(d, req);
    if (sql_mail_claim(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++)
        delivery_begin(work, d->svc.config, &rows.items[i]);
    return (int)rows.count;
}

static int delivery_renew(struct maild *d, const struct request *req,
                          const struct work_renewal *renewal, struct error *err)
{
    const struct sql_mail_renew_in in = {
        .lease = renewal->lease, .ids = renewal->ids, .until = renewal->until};

    return sql_mail_renew(d->svc.db, req, &in, err);
}

static int64_t delivery_room(struct maild *d, int64_t active)
{
    const struct maild_config *config = d->svc.config;

    if (d->transport->room)
        return d->transport->room(d->transport, active);
    return config->deliveries - active;
}

/* ---- start and stop ---- */

static int64_t read_state(void *arg)
{
    const struct transport *transport = ((const struct maild *)arg)->transport;

    return transport && transport->state ? transport->state(transport) : BREAKER_CLOSED;
}

int deliver_start(struct maild *d, struct error *err)
{
    const struct work_kind kind = {.item_size = sizeof(struct delivery),
                                   .room = delivery_room,
                                   .poll_ms = WORK_POLL_MS,
                                   .timeout_ms = delivery_timeout_ms,
                                   .claim = delivery_claim,
                                   .renew = delivery_renew,
                                   .run = delivery_run};
    struct metrics *metrics = d->svc.metrics;
    struct deliver *self = arena_alloc(d->svc.arena, sizeof(*self));
    const char *name = "atrium_mail_deliveries_total", *help = "Attempts to deliver, by outcome.";

    *self = (struct deliver){
        .sent = metrics_counter(metrics, name, "outcome=\"sent\"", help),
        .retried = metrics_counter(metrics, name, "outcome=\"retry\"", help),
        .dead = metrics_counter(metrics, name, "outcome=\"dead\"", help),
        .unknown = metrics_counter(metrics, "atrium_mail_unknown_total", "",
                                   "Emails sent to the mail server that got no response in time."),
        .expired = metrics_counter(metrics, "atrium_mail_expired_total", "",
                                   "Messages that failed before another attempt: too old, link "
                                   "expired, or too many attempts without a response."),
    };
    metrics_gauge(
        metrics, "atrium_mail_server_state",
        "State of the mail server: 0 accepts emails, 1 is probed with one email, 2 is paused.",
        read_state, d);
    d->deliver = self;
    return work_start(d, &kind, &self->work, err);
}

void deliver_kick(struct maild *d)
{
    work_kick(d->deliver->work);
}

void deliver_hurry(struct maild *d)
{
    if (d->transport->hurry)
        d->transport->hurry(d->transport);
    work_kick(d->deliver->work);
}

/* Waits for deliveries; then cancels those not handed over, then all. */
bool deliver_stop(struct maild *d)
{
    static const int64_t steps_ms[] = {4000, 4000, 2000};
    bool ended = false;

    for (size_t i = 0; i < ARRAY_SIZE(steps_ms) && !ended; i++) {
        if (i > 0 && d->transport->cancel)
            d->transport->cancel(d->transport);
        ended = work_stop(d->deliver->work, steps_ms[i]);
    }
    return ended;
}
