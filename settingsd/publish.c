/*
 * publish.c - notifies authd of a commit before the change is answered.
 *
 * The change's transaction writes an outbox row, so that the relay makes the call if settingsd dies
 * after the commit. Repeated calls are harmless.
 */
#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "settingsd/settingsd.h"
#include "settingsd/sql/outbox.h"

#define NOT_YET "The change is stored, but not yet in force everywhere."

enum {
    TELL_MS = 2000, /* time for the call: a killed authd restarts within it */
    TELL_PAUSE_MS = 50,
};

/* Removes the outbox row. A row that stays is only delivered again. */
static void row_done(struct settingsd *d, const struct request *req, const struct sql_outbox *row)
{
    struct error ignored;

    error_init(&ignored, req->arena);
    if (sql_outbox_delete(d->svc.db, req, &(struct sql_outbox_delete_in){.id = row->id}, &ignored) <
        0)
        outbox_wake(d->svc.outbox);
}

int publish_row(struct settingsd *d, const struct request *req, const struct bus_method *method,
                const void *in, const struct sql_outbox *row, const char *otherwise,
                struct error *err)
{
    int64_t give_up = MIN(req->deadline_mono_ms, clock_mono_ms() + TELL_MS);
    struct nothing out;
    struct error cause;

    error_init(&cause, req->arena);
    while (bus_call(d->svc.bus, method, req, in, &out, &cause) < 0) {
        if (cause.code != ERR_UNAVAILABLE || clock_mono_ms() >= give_up ||
            fiber_sleep_until(d->svc.loop, clock_mono_ms() + TELL_PAUSE_MS, &cause) < 0) {
            error_retry(err, ERR_UNCERTAIN, 1, otherwise);
            return error_detail(err, "%s: %s", method->operation, cause.message);
        }
        error_clear(&cause);
    }
    row_done(d, req, row);
    return 0;
}

struct sql_outbox publish_change_row(struct settingsd *d, const struct request *req,
                                     const char *kind, struct uuid id)
{
    struct change_publish_in in = {.kind = kind, .id = id};

    return outbox_row(d->svc.outbox, req->arena, &authd_change_publish_method, uuid_random(), &in);
}

/* Asks authd to end the client's grants; authd reads the registration later. */
static struct change_publish_in of_client(struct uuid project, struct uuid client)
{
    return (struct change_publish_in){.kind = "project", .id = project, .client = client};
}

struct sql_outbox publish_client_row(struct settingsd *d, const struct request *req,
                                     struct uuid project, struct uuid client)
{
    const struct change_publish_in in = of_client(project, client);

    return outbox_row(d->svc.outbox, req->arena, &authd_change_publish_method, uuid_random(), &in);
}

int publish_client(struct settingsd *d, const struct request *req, const struct sql_outbox *row,
                   struct uuid project, struct uuid client, struct error *err)
{
    const struct change_publish_in in = of_client(project, client);

    return publish_row(d, req, &authd_change_publish_method, &in, row, NOT_YET, err);
}

int publish_change(struct settingsd *d, const struct request *req, const struct sql_outbox *row,
                   const char *kind, struct uuid id, struct error *err)
{
    struct change_publish_in in = {.kind = kind, .id = id};

    return publish_row(d, req, &authd_change_publish_method, &in, row, NOT_YET, err);
}
