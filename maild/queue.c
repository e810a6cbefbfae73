/*
 * queue.c - the queue of messages: what other daemons put in, what the operator sees and does.
 */
#include <string.h>

#include "common/domain/language.h"
#include "maild/builtin.h"
#include "maild/maild.h"
#include "maild/sealed.h"

enum { RETRY_BATCH = 1000 };

static int not_found(struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "Message not found.");
}

/* What an operator does to a message. */
static struct sql_audit message_audit(const struct request *req, const char *action,
                                      struct uuid message)
{
    return audit_row(req, &(struct audit){.action = action, .type = "Message", .id = message});
}

/* Takes a message over, durably: it is on disk when this is answered. The same id again changes
 * nothing. */
int mail_enqueue(struct maild *d, const struct request *req, const struct mail_enqueue_in *in,
                 struct mail_enqueue_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sealed sealed = sealed_pack(req->arena, &d->svc.seal, in->to, in->variables);
    const char *language = language_tag(req->arena, in->language);
    const char *fallback = language_tag(req->arena, in->defaultLanguage);
    int64_t to_real_ms = clock_now_ms(d->real) - clock_now_ms(d->svc.clock);
    bool builtin = (in->builtin || !uuid_is_set(&in->projectId)) && builtin_exists(in->template);

    if (db_query(d->svc.db, req, SQL_MESSAGE_ENQUEUE, &res, err, DB_UUID(in->id),
                 DB_UUID(in->projectId), DB_TEXT(in->template), DB_TEXT(language ? language : ""),
                 DB_SEALED(sealed), DB_INT(clock_now_ms(d->real)),
                 DB_TEXT(fallback ? fallback : ""), DB_BOOL(builtin),
                 in->expiresAt > 0 ? DB_INT(in->expiresAt + to_real_ms) : DB_NULL) < 0)
        return -1;
    out->queued = db_rows(res) > 0;
    if (out->queued)
        deliver_kick(d);
    return 0;
}

/* The oldest messages in a state, "queued" or "dead", and how many there are. */
int mail_queue(struct maild *d, const struct request *req, const struct mail_queue_in *in,
               struct mail_queue_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *rows = NULL, *total = NULL;
    const char *state = in->state ? in->state : "queued";

    if (db_query(d->svc.db, req, SQL_MESSAGE_COUNT, &total, err, DB_TEXT(state)) < 0)
        return -1;
    if (db_query(d->svc.db, req, SQL_MESSAGE_LIST, &rows, err, DB_TEXT(state), DB_INT(in->count)) <
        0)
        return -1;
    out->total = db_int(total, 0, 0);
    out->messages = db_list(rows, &mail_queue_row_table, req->arena);
    return 0;
}

/* Delivers a waiting message now. Fails: NOT_FOUND, CONFLICT (it is over: its content was
 * erased). */
int mail_retry(struct maild *d, const struct request *req, const struct mail_id_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sql_audit audit = message_audit(req, "mail.retry", in->id);

    if (db_query(d->svc.db, req, SQL_MESSAGE_DUE_NOW, &res, err, DB_UUID(in->id),
                 DB_INT(clock_now_ms(d->real)), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return not_found(err);
    if (strcmp(db_text(res, 0, 0), "queued") != 0)
        return error_set(err, ERR_CONFLICT, "The message is %s and its content erased.",
                         db_text(res, 0, 0));
    deliver_hurry(d);
    return 0;
}

/* Delivers all messages now that wait for another attempt, or those of a project, or those made
 * since a time. */
int mail_retry_all(struct maild *d, const struct request *req, const struct mail_retry_all_in *in,
                   struct mail_retry_all_out *out, struct error *err)
{
    struct sql_audit audit = audit_row(req, &(struct audit){.action = "mail.retry",
                                                            .project = in->projectId,
                                                            .type = "Message",
                                                            .detail = "all that wait"});
    int64_t now = clock_now_ms(d->real), count;

    do {
        CLEANUP(db_result_destroy) struct db_result *res = NULL;

        if (db_query(d->svc.db, req, SQL_MESSAGE_ALL_DUE_NOW, &res, err, DB_INT(now),
                     DB_UUID(in->projectId), DB_INT(in->since), DB_INT(RETRY_BATCH),
                     DB_AUDIT(audit)) < 0)
            return -1;
        count = db_int(res, 0, 0);
        out->due += count;
    } while (count == RETRY_BATCH);
    deliver_hurry(d);
    return 0;
}

/* Takes a message out of the queue. One that is just being delivered may still arrive. Fails:
 * NOT_FOUND. */
int mail_drop(struct maild *d, const struct request *req, const struct mail_id_in *in,
              struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sql_audit audit = message_audit(req, "mail.drop", in->id);

    if (db_query(d->svc.db, req, SQL_MESSAGE_DROP, &res, err, DB_UUID(in->id), DB_AUDIT(audit)) < 0)
        return -1;
    return db_rows(res) > 0 ? 0 : not_found(err);
}
