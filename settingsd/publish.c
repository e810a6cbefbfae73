/*
 * publish.c - telling every gateway of a changed policy or project before the change is answered.
 *
 * The outbox row is written in the transaction of the change: should settingsd die between the commit and the
 * call, the relay makes the call.
 */
#include "authd/authd_api.h"
#include "settingsd/settingsd.h"

struct outbox_row publish_row(struct settingsd *d, const struct request *req, const char *kind,
                              struct uuid id)
{
    struct change_publish_in in = {.kind = kind, .id = id};

    return outbox_row(d->svc.outbox, req->arena, &authd_change_publish_method, uuid_random(), &in);
}

int publish(struct settingsd *d, const struct request *req, const struct outbox_row *row,
            const char *kind, struct uuid id, struct error *err)
{
    struct change_publish_in in = {.kind = kind, .id = id};
    struct nothing out;
    struct error cause;

    error_init(&cause, req->arena);
    if (authd_change_publish(d->svc.bus, req, &in, &out, &cause) < 0) {
        error_set(err, ERR_UNCERTAIN, "The change is stored, but not yet in force everywhere.");
        return error_detail(err, "authd: %s", cause.message);
    }
    publish_done(d, req, row);
    return 0;
}

void publish_done(struct settingsd *d, const struct request *req, const struct outbox_row *row)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct error ignored;

    error_init(&ignored, req->arena);
    if (db_query(d->svc.db, req, SQL_OUTBOX_DELETE, &res, &ignored, DB_UUID(row->id)) < 0)
        outbox_kick(d->svc.outbox);
}
