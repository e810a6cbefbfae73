/*
 * rotation.c - see rotation.h.
 */
#include "authd/session/rotation.h"

#include "authd/authd.h"
#include "authd/session/session.h"
#include "common/base/log.h"

enum {
    SEALED_MAX = 512, /* bytes of a sealed token */
};

struct rotation_item {
    struct batch_item item;
    const struct request *req;
    const struct rotation *in;
    bool rotated;
};

static int query(struct authd *d, const struct request *req, struct batch_item *const *items,
                 size_t count, struct db_result **ret, struct error *err)
{
    const size_t id = sizeof(struct uuid);
    struct db_array projects = db_array_new(req->arena, count, id);
    struct db_array sessions = db_array_new(req->arena, count, id);
    struct db_array hashes = db_array_new(req->arena, count, DB_ARRAY_BYTES(SECRET_HASH_SIZE));
    struct db_array next_hashes = db_array_new(req->arena, count, DB_ARRAY_BYTES(SECRET_HASH_SIZE));
    struct db_array successors = db_array_new(req->arena, count, DB_ARRAY_BYTES(SEALED_MAX));

    for (size_t i = 0; i < count; i++) {
        const struct rotation *in = ((const struct rotation_item *)items[i])->in;

        db_array_add(&projects, in->project.text);
        db_array_add(&sessions, in->session.text);
        db_array_add_bytes(&hashes, in->hash, SECRET_HASH_SIZE);
        db_array_add_bytes(&next_hashes, in->next_hash, SECRET_HASH_SIZE);
        db_array_add_bytes(&successors, in->successor.bytes, in->successor.size);
    }
    return db_query(d->svc.db, req, SQL_REFRESH_ROTATE, ret, err, DB_TEXT(projects.text),
                    DB_TEXT(sessions.text), DB_TEXT(hashes.text), DB_TEXT(next_hashes.text),
                    DB_TEXT(successors.text), DB_INT(req->now_ms),
                    DB_INT(req->now_ms + SESSION_IDLE_LIFE));
}

static int rotate_batch(void *owner, const struct batch_item *own, struct batch_item *const *items,
                        size_t count, int64_t deadline_mono_ms, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct request req = *((const struct rotation_item *)own)->req;

    req.deadline_mono_ms = deadline_mono_ms;
    if (query(owner, &req, items, count, &res, err) < 0)
        return -1;
    for (size_t row = 0; row < db_rows(res); row++) {
        struct rotation_item *item = (struct rotation_item *)items[db_int(res, row, 0) - 1];

        if (item)
            item->rotated = true;
    }
    return 0;
}

const struct batch_kind rotation_batch = {
    .run = rotate_batch, .items_max = 32, .running_max = 2, .writes = true};

int rotation_run(struct authd *d, const struct request *req, const struct rotation *in,
                 struct error *err)
{
    struct rotation_item own = {.req = req, .in = in};

    if (in->successor.size > SEALED_MAX)
        log_die("refresh", "a sealed token is larger than any can be");
    if (batch_run(&d->rotations, &own.item, req->deadline_mono_ms, err) < 0)
        return -1;
    return own.rotated;
}
