/*
 * refresh_state.c - see refresh_state.h.
 */
#include "authd/session/refresh_state.h"

#include <string.h>

#include "authd/authd.h"
#include "authd/sql/session.h"

struct state_item {
    struct batch_item item;
    const struct request *req;
    const struct refresh_token *token;
    struct refresh_state *ret;
};

static int query(struct authd *d, const struct request *req, struct batch_item *const *items,
                 size_t count, struct sql_refresh_state_rows *ret, struct error *err)
{
    struct sql_refresh_state_in in = {
        .projects = db_array_new(req->arena, count, sizeof(struct uuid)),
        .sessions = db_array_new(req->arena, count, sizeof(struct uuid)),
        .hashes = db_array_new(req->arena, count, DB_ARRAY_BYTES(SECRET_HASH_SIZE)),
        .now = req->now_ms,
        .retry_window = d->config->refresh_retry_window};

    for (size_t i = 0; i < count; i++) {
        const struct refresh_token *token = ((const struct state_item *)items[i])->token;

        db_array_add(&in.projects, token->project.text);
        db_array_add(&in.sessions, token->session.text);
        db_array_add_bytes(&in.hashes, token->hash, SECRET_HASH_SIZE);
    }
    return sql_refresh_state(d->svc.db, req, &in, ret, err);
}

static enum refresh_status status_of(const char *text)
{
    if (strcmp(text, "current") == 0)
        return REFRESH_CURRENT;
    if (strcmp(text, "again") == 0)
        return REFRESH_AGAIN;
    return strcmp(text, "theft") == 0 ? REFRESH_THEFT : REFRESH_OVER;
}

static void read_row(const struct sql_refresh_state_row *row, struct arena *arena,
                     struct refresh_state *ret)
{
    enum refresh_status status = status_of(row->status);

    if (status == REFRESH_OVER)
        return;
    *ret = (struct refresh_state){.status = status,
                                  .account = row->account,
                                  .membership = row->membership,
                                  .profile = row->profile,
                                  .role = row->role,
                                  .admin = row->admin == TRISTATE_TRUE,
                                  .grant = row->is_grant,
                                  .policy = row->policy,
                                  .change = row->change};
    if (status != REFRESH_AGAIN)
        return;
    ret->successor = arena_memdup(arena, row->successor.bytes, row->successor.size);
    ret->successor_size = row->successor.size;
}

static int read_batch(void *owner, const struct batch_item *own, struct batch_item *const *items,
                      size_t count, int64_t deadline_mono_ms, struct error *err)
{
    struct request req = *((const struct state_item *)own)->req;
    struct sql_refresh_state_rows rows;

    req.deadline_mono_ms = deadline_mono_ms;
    if (query(owner, &req, items, count, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        const struct sql_refresh_state_row *row = &rows.items[i];
        const struct state_item *item = (const struct state_item *)items[row->number - 1];

        if (item)
            read_row(row, item->req->arena, item->ret);
    }
    return 0;
}

const struct batch_kind refresh_state_batch = {
    .run = read_batch, .items_max = 32, .running_max = 2};

int refresh_state_read(struct authd *d, const struct request *req,
                       const struct refresh_token *token, struct refresh_state *ret,
                       struct error *err)
{
    struct state_item own = {.req = req, .token = token, .ret = ret};

    *ret = (struct refresh_state){.status = REFRESH_OVER};
    return batch_run(&d->refresh_states, &own.item, req->deadline_mono_ms, err);
}
