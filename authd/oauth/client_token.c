/*
 * client_token.c - see client_token.h.
 */
#include "authd/oauth/client_token.h"

#include "authd/settings_cache.h"
#include "authd/sql/oauth.h"
#include "common/service/audit.h"

struct record_item {
    struct batch_item item;
    const struct request *req;
    const struct sql_audit *audit;
    int64_t guess;  /* expected change number; 0: any */
    int64_t change; /* current change number */
};

static int query(struct authd *d, const struct request *req, struct batch_item *const *items,
                 size_t count, struct sql_client_token_record_row *ret, struct error *err)
{
    const char **events = arena_calloc(req->arena, count, sizeof(*events));
    struct sql_client_token_record_in record = {
        .projects = db_array_new(req->arena, count, sizeof(struct uuid)),
        .times = db_array_new(req->arena, count, DB_ARRAY_INT),
        .changes = db_array_new(req->arena, count, DB_ARRAY_INT)};

    for (size_t i = 0; i < count; i++) {
        const struct record_item *item = (const struct record_item *)items[i];

        db_array_add(&record.projects, item->audit->project.text);
        db_array_add_int(&record.times, item->audit->at);
        db_array_add_int(&record.changes, item->guess);
        events[i] = item->audit->event;
    }
    record.events = db_array_texts(req->arena, events, count);
    return sql_require(sql_client_token_record(d->svc.db, req, &record, ret, err), err,
                       ERR_INTERNAL, "The token cannot be recorded.");
}

static int record_batch(void *owner, const struct batch_item *own, struct batch_item *const *items,
                        size_t count, int64_t deadline_mono_ms, struct error *err)
{
    struct request req = *((const struct record_item *)own)->req;
    struct sql_client_token_record_row row;

    req.deadline_mono_ms = deadline_mono_ms;
    if (query(owner, &req, items, count, &row, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (items[i])
            ((struct record_item *)items[i])->change = row.change;
    }
    return 0;
}

const struct batch_kind client_token_batch = {
    .run = record_batch, .items_max = BATCH_ITEMS_MAX, .running_max = 2, .writes = true};

int client_token_record(struct authd *d, const struct request *req, struct settings_view *view,
                        const struct sql_audit *audit, struct error *err)
{
    struct record_item own = {
        .req = req, .audit = audit, .guess = view && !view->settled ? view->change : 0};

    if (batch_run(&d->client_tokens, &own.item, req->deadline_mono_ms, err) < 0)
        return -1;
    return settings_view_compare(view, own.change, err);
}
