/*
 * change_publish.c - announces settingsd's changes to every gateway and ends affected grants
 * (handler change_publish).
 */
#include "authd/oauth/grant_registered.h"
#include "authd/operation_api.h"
#include "authd/session/change.h"
#include "authd/sql/change.h"

static int publish_ids(struct arena *arena, const struct change_publish_in *in,
                       struct db_array *ret, struct error *err)
{
    struct uuid id;

    *ret = db_array_new(arena, in->others.count + 1, sizeof(id.text));
    db_array_add(ret, in->id.text);
    for (size_t i = 0; i < in->others.count; i++) {
        if (uuid_parse(in->others.items[i], &id) < 0)
            return error_set(err, ERR_BAD_REQUEST, "An id is not a uuid.");
        db_array_add(ret, id.text);
    }
    return 0;
}

/* Returns when every gateway has the change. After a failure, settingsd calls again. */
int change_publish(struct authd *d, const struct request *req, const struct change_publish_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    struct sql_change_publish_in publish = {.kind = in->kind,
                                            .until = req->now_ms + CHANGE_EVENT_LIFE};
    struct field_list rows;
    const struct change *changes;

    if (publish_ids(req->arena, in, &publish.ids, err) < 0 ||
        sql_change_publish(d->svc.db, req, &publish, &rows, err) < 0)
        return -1;
    changes = rows.items;
    if (invalidation_wait(d, req, changes[0].sequence, changes, rows.count, err) < 0)
        return -1;
    return uuid_is_set(&in->client) ? grant_end_of_client(d, req, in->id, in->client, err) : 0;
}
