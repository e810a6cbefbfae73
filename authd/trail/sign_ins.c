/*
 * sign_ins.c - hourly counts of people who signed in to a project. Handler: project_sign_ins.
 */
#include "authd/authd.h"
#include "authd/sql/trail.h"
#include "authd/trail/trail_api.h"

/* The answer also has the current hour. */
enum { FULL_HOURS = 24 };

int project_sign_ins(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                     struct sign_in_hours *out, struct error *err)
{
    const struct sql_sign_in_hours_in hours = {.project = req->caller->project,
                                               .since = req->now_ms - req->now_ms % HOURS(1) -
                                                        HOURS(FULL_HOURS)};

    return MIN(sql_sign_in_hours(d->svc.db, req, &hours, &out->resources, err), 0);
}
