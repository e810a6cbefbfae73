/*
 * webhook.c - the routes of a project's webhooks.
 */
#include "maild/webhook/webhook.h"

#include <string.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/base/clock.h"
#include "common/domain/etag.h"
#include "common/domain/uri.h"
#include "common/service/audit.h"
#include "common/service/page_cursor.h"
#include "maild/sql/webhook.h"
#include "maild/sql/webhook_delivery.h"
#include "maild/webhook/webhook_sign.h"
#include "maild/webhook_api.h"

static struct field_bytes secret_sealed(const struct maild *d, const struct request *req,
                                        const char *secret)
{
    const struct sealed sealed =
        seal_value(req->arena, &d->svc.seal, WEBHOOK_SECRET_PURPOSE, secret, strlen(secret));

    return (struct field_bytes){sealed.bytes, sealed.size};
}

/* ---- URL ---- */

/* Makes the scheme lower case (RFC 3986, section 6.2.2.1). */
static const char *url_of(const struct request *req, const struct webhook_in *in)
{
    bool secure;
    const char *rest = uri_after_http(in->url, &secure);

    return arena_printf(req->arena, "%s://%s", secure ? "https" : "http", rest);
}

/* Refuses http on loopback, unless the operator permits it. */
static int check_url(const struct maild *d, const struct webhook_in *in, struct error *err)
{
    const struct maild_config *config = d->svc.config;
    char why[96];

    if (!config->allow_plain_http && uri_https_check(in->url, why) < 0)
        return error_problem(err, "url", "%s", why);
    return 0;
}

static int require_webhook(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Webhook not found.");
}

/* Requires fresh proof, because a webhook discloses what happens in a project. */
static int check_proof(struct maild *d, const struct request *req, struct error *err)
{
    const struct proof_check_in in = {.projectId = req->caller->project,
                                      .sessionId = req->caller->session};
    struct nothing out;

    return authd_proof_check(d->svc.bus, req, &in, &out, err);
}

static int webhook_read(struct maild *d, const struct request *req, struct uuid id,
                        struct webhook *out, struct error *err)
{
    const struct sql_webhook_get_in get = {.project = req->caller->project, .id = id};

    return require_webhook(sql_webhook_get(d->svc.db, req, &get, out, err), err);
}

static int find_format(struct maild *d, const struct request *req, struct uuid id, const char **ret,
                       struct error *err)
{
    const struct sql_webhook_find_in which = {.project = req->caller->project, .id = id};
    struct sql_webhook_find_row row;

    if (require_webhook(sql_webhook_find(d->svc.db, req, &which, &row, err), err) < 0)
        return -1;
    *ret = row.format;
    return 0;
}

int webhook_check_change(struct maild *d, const struct request *req, struct uuid id,
                         struct error *err)
{
    const char *format;

    if (find_format(d, req, id, &format, err) < 0)
        return -1;
    return check_proof(d, req, err);
}

static struct sql_audit webhook_audit(const struct request *req, const char *action, struct uuid id)
{
    return audit_row(req, &(struct audit){.action = action, .type = "Webhook", .id = id});
}

static struct db_array events_array(const struct request *req, const struct field_texts *events)
{
    struct db_array array = db_array_new(req->arena, events->count, 64);

    for (size_t i = 0; i < events->count; i++) {
        bool known = false;

        for (size_t k = 0; k < i && !known; k++)
            known = strcmp(events->items[i], events->items[k]) == 0;
        if (!known)
            db_array_add(&array, events->items[i]);
    }
    return array;
}

int webhooks(struct maild *d, const struct request *req, const struct webhooks_in *in,
             struct webhook_list *out, struct error *err)
{
    const char *key = arena_printf(req->arena, "webhooks %s", req->caller->project.text);
    struct sql_webhook_list_in list = {.project = req->caller->project, .most = in->_count + 1};
    struct page_cursor at;

    if (page_cursor_read(req->arena, &d->svc.seal, key, req->now_ms, in->_cursor, &at, err) < 0)
        return -1;
    list.after = at.id;
    if (sql_webhook_list(d->svc.db, req, &list, &out->resources, err) < 0)
        return -1;
    out->next = PAGE_CURSOR_CUT(req, &d->svc.seal, key, in->_count, webhook, &out->resources);
    return 0;
}

/* A caep webhook has an unused secret. Fails with CONFLICT (20 webhooks; caep without an
 * issuer). */
int webhook_create(struct maild *d, const struct request *req, const struct webhook_in *in,
                   struct webhook *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const char *format = in->format ? in->format : "standard";
    bool caep = strcmp(format, WEBHOOK_CAEP) == 0;
    const struct sql_webhook_lock_in lock = {.project = req->caller->project};
    const char *secret = webhook_secret_new(req->arena);
    struct uuid id = uuid_ordered(req->now_ms);
    const struct sql_webhook_insert_in insert = {.project = req->caller->project,
                                                 .id = id,
                                                 .url = url_of(req, in),
                                                 .events = events_array(req, &in->events),
                                                 .enabled = in->enabled,
                                                 .secret = secret_sealed(d, req, secret),
                                                 .format = format,
                                                 .audience = in->audience,
                                                 .now = req->now_ms,
                                                 .audit = webhook_audit(req, "webhook.create", id)};

    if (check_url(d, in, err) < 0 || webhook_format_check(in, format, true, err) < 0)
        return -1;
    if (caep && !d->svc.common->public_url)
        return error_set(err, ERR_CONFLICT,
                         "The format caep is not available: the operator has not set public_url.");
    if (check_proof(d, req, err) < 0 || db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_webhook_lock(tx, req, &lock, err) < 0 ||
        sql_require(sql_webhook_insert(tx, req, &insert, out, err), err, ERR_CONFLICT,
                    "The project has 20 webhooks already.") < 0 ||
        db_commit(&tx, err) < 0)
        return -1;
    webhook_event_wake(d);
    if (!caep)
        out->secret = secret;
    return 0;
}

int webhook_get(struct maild *d, const struct request *req, const struct webhook_id_in *in,
                struct webhook *out, struct error *err)
{
    return webhook_read(d, req, in->id, out, err);
}

/* Fails with CONFLICT (another format, If-Match). */
int webhook_replace(struct maild *d, const struct request *req, const struct webhook_in *in,
                    struct webhook *out, struct error *err)
{
    struct sql_webhook_replace_in replace = {.project = req->caller->project,
                                             .id = in->id,
                                             .url = url_of(req, in),
                                             .events = events_array(req, &in->events),
                                             .enabled = in->enabled,
                                             .audience = in->audience,
                                             .now = req->now_ms,
                                             .audit =
                                                 webhook_audit(req, "webhook.replace", in->id)};
    int rows;

    if (webhook_read(d, req, in->id, out, err) < 0)
        return -1;
    if (in->format && strcmp(in->format, out->format) != 0)
        return error_set(err, ERR_CONFLICT,
                         "A webhook's format can't be changed. Create another webhook.");
    if (etag_bind(in->ifMatch, out->etag, "webhook", &replace.etag, err) < 0)
        return -1;
    if (check_url(d, in, err) < 0 || webhook_format_check(in, out->format, false, err) < 0 ||
        check_proof(d, req, err) < 0)
        return -1;
    rows = sql_webhook_replace(d->svc.db, req, &replace, out, err);
    return rows == 0 && replace.etag ? etag_lost("webhook", err) : require_webhook(rows, err);
}

int webhook_delete(struct maild *d, const struct request *req, const struct webhook_id_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    const struct sql_webhook_delete_in delete = {.project = req->caller->project,
                                                 .webhook_wake = {.now = clock_now_ms(d->real)},
                                                 .id = in->id,
                                                 .audit =
                                                     webhook_audit(req, "webhook.delete", in->id)};

    if (webhook_check_change(d, req, in->id, err) < 0)
        return -1;
    return require_webhook(sql_webhook_delete(d->svc.db, req, &delete, err), err);
}

/* Fails with CONFLICT if the webhook has no secret. */
int webhook_exchange(struct maild *d, const struct request *req,
                     const struct webhook_exchange_in *in, struct webhook *out, struct error *err)
{
    const char *secret = webhook_secret_new(req->arena);
    const struct sql_webhook_exchange_in exchange = {
        .project = req->caller->project,
        .id = in->id,
        .secret = secret_sealed(d, req, secret),
        .until = req->now_ms + HOURS(in->previousHours),
        .now = req->now_ms,
        .audit = webhook_audit(req, "webhook.exchange", in->id)};
    const char *format;

    if (find_format(d, req, in->id, &format, err) < 0)
        return -1;
    if (strcmp(format, WEBHOOK_CAEP) == 0)
        return error_set(
            err, ERR_CONFLICT,
            "A webhook with the format caep has no secret: the issuer's keys sign its events.");
    if (check_proof(d, req, err) < 0 ||
        require_webhook(sql_webhook_exchange(d->svc.db, req, &exchange, out, err), err) < 0)
        return -1;
    out->secret = secret;
    return 0;
}
