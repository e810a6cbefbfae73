/*
 * webhook_delivery.c - lists and repeats deliveries, for admins.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/service/audit.h"
#include "common/service/audit_events.h"
#include "common/service/page_cursor.h"
#include "maild/sql/webhook_delivery.h"
#include "maild/webhook/webhook.h"
#include "maild/webhook_api.h"

enum { REDELIVER_MAX = 10000 };

int webhook_deliveries(struct maild *d, const struct request *req,
                       const struct webhook_deliveries_in *in, struct webhook_delivery_list *out,
                       struct error *err)
{
    const struct sql_webhook_find_in which = {.project = req->caller->project, .id = in->id};
    const char *key = arena_printf(req->arena, "deliveries %s %s %s", req->caller->project.text,
                                   in->id.text, in->state ? in->state : "-");
    struct sql_webhook_delivery_list_in list = {.project = req->caller->project,
                                                .id = in->id,
                                                .before = INT64_MAX,
                                                .state = in->state,
                                                .most = in->_count + 1,
                                                .webhook_delivery_columns = {WEBHOOK_LIFE_MS}};
    const struct webhook_delivery *rows;
    struct sql_webhook_find_row known;
    struct page_cursor at;

    if (page_cursor_read(req->arena, &d->svc.seal, key, req->now_ms, in->_cursor, &at, err) < 0 ||
        sql_require(sql_webhook_find(d->svc.db, req, &which, &known, err), err, ERR_NOT_FOUND,
                    "Webhook not found.") < 0)
        return -1;
    if (in->_cursor)
        list.before = strtoll(at.key, NULL, 10);
    if (sql_webhook_delivery_list(d->svc.db, req, &list, &out->resources, err) < 0)
        return -1;
    if (out->resources.count <= (size_t)in->_count)
        return 0;
    rows = out->resources.items;
    out->resources.count = (size_t)in->_count;
    at = page_cursor_start;
    at.key = arena_printf(req->arena, "%" PRId64, rows[in->_count - 1].id);
    out->next = page_cursor_new(req->arena, &d->svc.seal, key, req->now_ms, &at);
    return 0;
}

int webhook_delivery_get(struct maild *d, const struct request *req,
                         const struct webhook_delivery_id_in *in,
                         struct webhook_delivery_detail *out, struct error *err)
{
    const struct sql_webhook_delivery_get_in get = {.project = req->caller->project,
                                                    .id = in->id,
                                                    .delivery = in->delivery,
                                                    .webhook_delivery_columns = {WEBHOOK_LIFE_MS}};
    const struct sql_webhook_attempt_list_in attempts = {
        .project = req->caller->project, .id = in->id, .delivery = in->delivery};

    if (sql_require(sql_webhook_delivery_get(d->svc.db, req, &get, out, err), err, ERR_NOT_FOUND,
                    "Delivery not found.") < 0)
        return -1;
    return sql_webhook_attempt_list(d->svc.db, req, &attempts, &out->history, err) < 0 ? -1 : 0;
}

/* Fails with CONFLICT (disabled; caep; one waits). */
int webhook_test(struct maild *d, const struct request *req, const struct webhook_id_in *in,
                 struct webhook_test_out *out, struct error *err)
{
    const struct sql_webhook_find_in which = {.project = req->caller->project, .id = in->id};
    const struct audit_event event = {
        .at = req->now_ms, .project = req->caller->project, .actor = req->caller->account.text};
    int64_t now = clock_now_ms(d->real);
    const struct sql_webhook_test_insert_in insert = {
        .project = req->caller->project,
        .id = in->id,
        .event = uuid_ordered(req->now_ms),
        .body = webhook_event_body(req->arena, &event, "webhook.test", NULL),
        .at = req->now_ms,
        .now = now,
        .webhook_wake = {.now = now},
        .audit = audit_row(
            req, &(struct audit){.action = "webhook.test", .type = "Webhook", .id = in->id})};
    struct sql_webhook_find_row hook;

    if (webhook_check_change(d, req, in->id, err) < 0 ||
        sql_require(sql_webhook_find(d->svc.db, req, &which, &hook, err), err, ERR_NOT_FOUND,
                    "Webhook not found.") < 0)
        return -1;
    if (strcmp(hook.format, WEBHOOK_CAEP) == 0)
        return error_set(err, ERR_CONFLICT,
                         "A webhook with the format caep has no test event: end a session.");
    if (!hook.enabled)
        return error_set(err, ERR_CONFLICT, "The webhook is disabled.");
    if (sql_require(sql_webhook_test_insert(d->svc.db, req, &insert, out, err), err, ERR_CONFLICT,
                    "A test event is already waiting to be delivered.") < 0)
        return -1;
    ++*d->webhooks->events;
    webhook_post_kick(d);
    return 0;
}

int webhook_redeliver(struct maild *d, const struct request *req,
                      const struct webhook_redeliver_in *in, struct webhook_redeliver_out *out,
                      struct error *err)
{
    int64_t now = clock_now_ms(d->real);
    const struct sql_webhook_redeliver_in redeliver = {
        .project = req->caller->project,
        .id = in->id,
        .delivery = in->delivery > 0 ? &in->delivery : NULL,
        .now = now,
        .most = REDELIVER_MAX,
        .webhook_wake = {.now = now},
        .audit = audit_row(
            req, &(struct audit){.action = "webhook.redeliver", .type = "Webhook", .id = in->id})};
    struct sql_webhook_redeliver_row row;

    if (webhook_check_change(d, req, in->id, err) < 0 ||
        sql_require(sql_webhook_redeliver(d->svc.db, req, &redeliver, &row, err), err,
                    ERR_NOT_FOUND, "Webhook not found.") < 0)
        return -1;
    out->count = row.count;
    webhook_post_kick(d);
    return 0;
}
