/*
 * rotation.c - see rotation.h.
 */
#include "authd/session/rotation.h"

#include "authd/authd.h"
#include "authd/sql/session.h"
#include "common/base/log.h"

enum {
    SEALED_MAX = 512, /* bytes */
};

struct rotation_item {
    struct batch_item item;
    const struct request *req;
    const struct rotation *in;
    struct token_subject *ret;
    bool rotated;
};

static void add_open(struct sql_refresh_rotate_in *self, const struct admission_list *open)
{
    db_array_add_int(&self->changes, open ? open->change : 0);
    db_array_add(&self->opens, open ? open->policies : "none");
}

static int query(struct authd *d, const struct request *req, struct batch_item *const *items,
                 size_t count, struct sql_refresh_rotate_rows *ret, struct error *err)
{
    const size_t id = sizeof(struct uuid), hash = DB_ARRAY_BYTES(SECRET_HASH_SIZE);
    struct sql_refresh_rotate_in rotate = {
        .projects = db_array_new(req->arena, count, id),
        .sessions = db_array_new(req->arena, count, id),
        .hashes = db_array_new(req->arena, count, hash),
        .next_hashes = db_array_new(req->arena, count, hash),
        .successors = db_array_new(req->arena, count, DB_ARRAY_BYTES(SEALED_MAX)),
        .changes = db_array_new(req->arena, count, DB_ARRAY_INT),
        .opens = db_array_new(req->arena, count, UNRULED_LIST_MAX),
        .now = req->now_ms,
        .idle_until = req->now_ms + SESSION_IDLE_LIFE};

    for (size_t i = 0; i < count; i++) {
        const struct rotation *in = ((const struct rotation_item *)items[i])->in;

        db_array_add(&rotate.projects, in->project.text);
        db_array_add(&rotate.sessions, in->session.text);
        db_array_add_bytes(&rotate.hashes, in->hash, SECRET_HASH_SIZE);
        db_array_add_bytes(&rotate.next_hashes, in->next_hash, SECRET_HASH_SIZE);
        db_array_add_bytes(&rotate.successors, in->successor.bytes, in->successor.size);
        add_open(&rotate, in->open);
    }
    return sql_refresh_rotate(d->svc.db, req, &rotate, ret, err);
}

static void fill(struct rotation_item *item, const struct sql_refresh_rotate_row *row)
{
    item->rotated = true;
    *item->ret = (struct token_subject){.project = item->in->project,
                                        .membership = row->membership,
                                        .profile = row->profile,
                                        .session = item->in->session,
                                        .role = row->role,
                                        .admin = row->admin};
}

static int rotate_batch(void *owner, const struct batch_item *own, struct batch_item *const *items,
                        size_t count, int64_t deadline_mono_ms, struct error *err)
{
    struct request req = *((const struct rotation_item *)own)->req;
    struct sql_refresh_rotate_rows rows;

    req.deadline_mono_ms = deadline_mono_ms;
    if (query(owner, &req, items, count, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        struct rotation_item *item = (struct rotation_item *)items[rows.items[i].number - 1];

        if (item)
            fill(item, &rows.items[i]);
    }
    return 0;
}

const struct batch_kind rotation_batch = {
    .run = rotate_batch, .items_max = 32, .running_max = 2, .writes = true};

int rotation_run(struct authd *d, const struct request *req, const struct rotation *in,
                 struct token_subject *ret, struct error *err)
{
    struct rotation_item own = {.req = req, .in = in, .ret = ret};

    if (in->successor.size > SEALED_MAX)
        log_die("refresh", "a sealed token is larger than any can be");
    if (batch_run(&d->rotations, &own.item, req->deadline_mono_ms, err) < 0)
        return -1;
    return own.rotated;
}
