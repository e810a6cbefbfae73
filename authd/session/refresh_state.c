/*
 * refresh_state.c - see refresh_state.h.
 */
#include "authd/session/refresh_state.h"

#include <string.h>

#include "authd/authd.h"

struct state_item {
    struct batch_item item;
    const struct request *req;
    const struct refresh_token *token;
    struct refresh_state *ret;
};

static int query(struct authd *d, const struct request *req, struct batch_item *const *items,
                 size_t count, struct db_result **ret, struct error *err)
{
    struct db_array projects = db_array_new(req->arena, count, sizeof(struct uuid));
    struct db_array sessions = db_array_new(req->arena, count, sizeof(struct uuid));
    struct db_array hashes = db_array_new(req->arena, count, DB_ARRAY_BYTES(SECRET_HASH_SIZE));

    for (size_t i = 0; i < count; i++) {
        const struct refresh_token *token = ((const struct state_item *)items[i])->token;

        db_array_add(&projects, token->project.text);
        db_array_add(&sessions, token->session.text);
        db_array_add_bytes(&hashes, token->hash, SECRET_HASH_SIZE);
    }
    return db_query(d->svc.db, req, SQL_REFRESH_VERDICT, ret, err, DB_TEXT(projects.text),
                    DB_TEXT(sessions.text), DB_TEXT(hashes.text), DB_INT(req->now_ms),
                    DB_INT(d->config->refresh_retry_window));
}

static enum refresh_status status_of(const char *text)
{
    if (strcmp(text, "current") == 0)
        return REFRESH_CURRENT;
    if (strcmp(text, "again") == 0)
        return REFRESH_AGAIN;
    return strcmp(text, "theft") == 0 ? REFRESH_THEFT : REFRESH_OVER;
}

static void read_row(const struct db_result *res, size_t row, struct arena *arena,
                     struct refresh_state *ret)
{
    enum refresh_status status = status_of(db_text(res, row, 7));
    struct field_bytes successor = db_bytes(res, row, 8);

    if (status == REFRESH_OVER)
        return;
    *ret = (struct refresh_state){.status = status,
                                  .account = db_uuid(res, row, 1),
                                  .membership = db_uuid(res, row, 2),
                                  .profile = db_uuid(res, row, 3),
                                  .role = arena_strdup(arena, db_text(res, row, 4)),
                                  .admin = db_bool(res, row, 5),
                                  .policy = db_uuid(res, row, 6),
                                  .change = db_int(res, row, 9)};
    if (status != REFRESH_AGAIN)
        return;
    ret->successor = arena_memdup(arena, successor.bytes, successor.size);
    ret->successor_size = successor.size;
}

static int read_batch(void *owner, const struct batch_item *own, struct batch_item *const *items,
                      size_t count, int64_t deadline_mono_ms, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct request req = *((const struct state_item *)own)->req;

    req.deadline_mono_ms = deadline_mono_ms;
    if (query(owner, &req, items, count, &res, err) < 0)
        return -1;
    for (size_t row = 0; row < db_rows(res); row++) {
        const struct state_item *item = (const struct state_item *)items[db_int(res, row, 0) - 1];

        if (item)
            read_row(res, row, item->req->arena, item->ret);
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
