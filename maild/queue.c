/* queue.c - queues messages, and lets the operator list, retry and drop them. */
#include <string.h>

#include "common/domain/language.h"
#include "maild/builtin.h"
#include "maild/mail_api.h"
#include "maild/maild.h"
#include "maild/sealed.h"
#include "maild/sql/mail.h"

enum { RETRY_BATCH = 1000 };

static int require_message(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Message not found.");
}

static struct sql_audit message_audit(const struct request *req, const char *action,
                                      struct uuid message)
{
    return audit_row(req, &(struct audit){.action = action, .type = "Message", .id = message});
}

int mail_enqueue(struct maild *d, const struct request *req, const struct mail_enqueue_in *in,
                 struct mail_enqueue_out *out, struct error *err)
{
    struct sealed sealed = sealed_pack(req->arena, &d->svc.seal, in->to, in->variables);
    const char *language = language_tag(req->arena, in->language);
    const char *fallback = language_tag(req->arena, in->defaultLanguage);
    int64_t to_real_ms = clock_now_ms(d->real) - clock_now_ms(d->svc.clock);
    int64_t expires_at = in->expiresAt + to_real_ms;
    const struct sql_mail_enqueue_in enqueue = {
        .id = in->id,
        .project = in->projectId,
        .template = in->template,
        .language = language ? language : "",
        .default_language = fallback ? fallback : "",
        .sealed = {sealed.bytes, sealed.size},
        .builtin = uuid_is_set(&in->projectId) ? in->builtin && builtin_is_fallback(in->template)
                                               : builtin_exists(in->template),
        .now = clock_now_ms(d->real),
        .expires_at = in->expiresAt > 0 ? &expires_at : NULL};
    int queued = sql_mail_enqueue(d->svc.db, req, &enqueue, err);

    if (queued < 0)
        return -1;
    out->queued = queued > 0;
    if (out->queued)
        deliver_kick(d);
    return 0;
}

int mail_queue(struct maild *d, const struct request *req, const struct mail_queue_in *in,
               struct mail_queue_out *out, struct error *err)
{
    const char *state = in->state ? in->state : "queued";
    const struct sql_mail_count_in count = {.state = state};
    const struct sql_mail_list_in list = {.state = state, .most = in->count};
    struct sql_mail_count_row row;

    if (sql_mail_count(d->svc.db, req, &count, &row, err) < 0 ||
        sql_mail_list(d->svc.db, req, &list, &out->messages, err) < 0)
        return -1;
    out->total = row.total;
    return 0;
}

/* Fails with CONFLICT if the content was erased. */
int mail_retry(struct maild *d, const struct request *req, const struct mail_id_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    const struct sql_mail_retry_now_in retry = {.id = in->id,
                                                .now = clock_now_ms(d->real),
                                                .audit = message_audit(req, "mail.retry", in->id)};
    struct sql_mail_retry_now_row row;

    if (require_message(sql_mail_retry_now(d->svc.db, req, &retry, &row, err), err) < 0)
        return -1;
    if (strcmp(row.state, "queued") != 0)
        return error_set(err, ERR_CONFLICT, "The message is %s and its content erased.", row.state);
    deliver_hurry(d);
    return 0;
}

int mail_retry_all(struct maild *d, const struct request *req, const struct mail_retry_all_in *in,
                   struct mail_retry_all_out *out, struct error *err)
{
    const struct sql_mail_retry_all_now_in retry = {
        .now = clock_now_ms(d->real),
        .project = in->projectId,
        .since = in->since,
        .most = RETRY_BATCH,
        .audit = audit_row(req, &(struct audit){.action = "mail.retry",
                                                .project = in->projectId,
                                                .type = "Message",
                                                .detail = "all that wait"})};
    struct sql_mail_retry_all_now_row row;

    do {
        if (sql_mail_retry_all_now(d->svc.db, req, &retry, &row, err) < 0)
            return -1;
        out->due += row.total;
    } while (row.total == RETRY_BATCH);
    deliver_hurry(d);
    return 0;
}

/* Drops an email. One in delivery may still arrive. */
int mail_drop(struct maild *d, const struct request *req, const struct mail_id_in *in,
              struct nothing *out UNUSED, struct error *err)
{
    const struct sql_mail_drop_in drop = {.id = in->id,
                                          .audit = message_audit(req, "mail.drop", in->id)};

    return require_message(sql_mail_drop(d->svc.db, req, &drop, err), err);
}
