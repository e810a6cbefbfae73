/*
 * grant_person.c - see grant.h.
 */
#include "authd/oauth/grant.h"
#include "authd/settings_cache.h"
#include "authd/sql/oauth.h"

struct person_item {
    struct batch_item item;
    const struct request *req;
    const struct tenant *tenant;
    struct uuid session;
    struct sql_userinfo_get_row *ret;
    bool found;
};

static int query(struct authd *d, const struct request *req, struct batch_item *const *items,
                 size_t count, struct sql_userinfo_get_rows *ret, struct error *err)
{
    struct sql_userinfo_get_in get = {
        .projects = db_array_new(req->arena, count, sizeof(struct uuid)),
        .sessions = db_array_new(req->arena, count, sizeof(struct uuid)),
        .organizations = db_array_new(req->arena, count, sizeof(struct uuid)),
        .now = req->now_ms};

    for (size_t i = 0; i < count; i++) {
        const struct person_item *item = (const struct person_item *)items[i];
        const struct uuid *root = &item->tenant->rootId;

        db_array_add(&get.projects, item->tenant->projectId.text);
        db_array_add(&get.sessions, item->session.text);
        db_array_add(&get.organizations, uuid_is_set(root) ? root->text : UUID_NIL);
    }
    return sql_userinfo_get(d->svc.db, req, &get, ret, err);
}

static const char *copy(struct arena *arena, const char *text)
{
    return text ? arena_strdup(arena, text) : NULL;
}

static void fill(struct person_item *item, const struct sql_userinfo_get_row *row)
{
    struct arena *arena = item->req->arena;

    item->found = true;
    *item->ret = *row;
    item->ret->client_id = copy(arena, row->client_id);
    item->ret->scope = copy(arena, row->scope);
    item->ret->jkt = copy(arena, row->jkt);
    item->ret->person.name = copy(arena, row->person.name);
    item->ret->person.surname = copy(arena, row->person.surname);
    item->ret->person.email = copy(arena, row->person.email);
}

static int read_batch(void *owner, const struct batch_item *own, struct batch_item *const *items,
                      size_t count, int64_t deadline_mono_ms, struct error *err)
{
    struct request req = *((const struct person_item *)own)->req;
    struct sql_userinfo_get_rows rows;

    req.deadline_mono_ms = deadline_mono_ms;
    if (query(owner, &req, items, count, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        struct person_item *item = (struct person_item *)items[rows.items[i].number - 1];

        if (item)
            fill(item, &rows.items[i]);
    }
    return 0;
}

const struct batch_kind grant_person_batch = {
    .run = read_batch, .items_max = BATCH_ITEMS_MAX, .running_max = 2};

int grant_person(struct authd *d, const struct request *req, const struct issuer *issuer,
                 struct uuid session, struct sql_userinfo_get_row *ret, struct error *err)
{
    struct person_item own = {
        .req = req, .tenant = &issuer->tenant, .session = session, .ret = ret};

    if (batch_run(&d->grant_persons, &own.item, req->deadline_mono_ms, err) < 0)
        return -1;
    if (!own.found)
        return 0;
    return settings_view_compare(issuer->view, ret->change, err) < 0 ? -1 : 1;
}
