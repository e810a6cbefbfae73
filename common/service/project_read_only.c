/* project_read_only.c - see project_read_only.h. */
#include "common/service/project_read_only.h"
#include "common/base/clock.h"
#include "common/service/check.h"
#include "common/service/service_private.h"
#include "common/service/sql/hold.h"

enum {
    PAUSE_MS = 5,       /* between checks of running transactions */
    LONG_MS = HOURS(2), /* longer than a tenant's move */
};

static const struct field tenant_hold_in_rows[] = {
    FIELD_UUID(struct tenant_hold_in, holder, FIELD_REQUIRED, "Project that was named"),
    FIELD_TEXTS(struct tenant_hold_in, projectIds, 36, 36, TENANT_HOLD_PROJECTS_MAX, FIELD_REQUIRED,
                "Itself, and those below it", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_BOOL(struct tenant_hold_in, held, false, FIELD_REQUIRED, "Read-only, or no longer"),
};
FIELD_TABLE(tenant_hold_in);

static const struct field tenant_held_in_rows[] = {
    FIELD_UUID(struct tenant_held_in, projectId, FIELD_REQUIRED, "Project"),
};
FIELD_TABLE(tenant_held_in);

static const struct field tenant_held_out_rows[] = {
    FIELD_BOOL(struct tenant_held_out, held, false, FIELD_REQUIRED, "It is read-only"),
};
FIELD_TABLE(tenant_held_out);

static int parse_projects(const struct request *req, const struct field_texts *texts,
                          struct db_array *ret, struct error *err)
{
    struct uuid id;

    *ret = db_array_new(req->arena, texts->count, sizeof(struct uuid));
    for (size_t i = 0; i < texts->count; i++) {
        if (uuid_parse(texts->items[i], &id) < 0)
            return error_set(err, ERR_BAD_REQUEST, "A project id is not a uuid.");
        db_array_add(ret, id.text);
    }
    return 0;
}

/* Waits until all running transactions have seen the rows. */
static int settle(struct service *self, const struct request *req, int64_t xact, struct error *err)
{
    const struct sql_hold_is_settled_in in = {.xact = xact};
    struct sql_hold_is_settled_row row;

    for (;;) {
        int64_t next_ms = loop_mono_ms(self->loop) + PAUSE_MS;

        if (sql_hold_is_settled(self->db, req, &in, &row, err) < 0)
            return -1;
        if (row.settled)
            return 0;
        if (next_ms >= req->deadline_mono_ms)
            return error_retry(err, ERR_UNAVAILABLE, 1,
                               "An earlier transaction is still running in the database.");
        if (fiber_sleep_until(self->loop, next_ms, err) < 0)
            return -1;
    }
}

/* Adds or removes the rows. *ret_xact: hold_add's transaction number, or 0. */
static int change(struct service *self, const struct request *req, const struct tenant_hold_in *in,
                  int64_t *ret_xact, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_hold_remove_in remove = {.holder = in->holder};
    struct sql_hold_add_in add = {.holder = in->holder, .now = clock_real_ms()};
    struct sql_hold_add_row row = {.xact = 0};

    if (parse_projects(req, &in->projectIds, &add.projects, err) < 0 ||
        db_begin(self->db, req->deadline_mono_ms, &tx, err) < 0 ||
        (in->held ? sql_hold_add(tx, req, &add, &row, err)
                  : sql_hold_remove(tx, req, &remove, err)) < 0 ||
        sql_hold_apply(tx, req, err) < 0)
        return -1;
    *ret_xact = row.xact;
    return db_commit(&tx, err);
}

/* Starts or ends read-only, and waits for earlier writes. Repeatable. Fails: UNAVAILABLE (a long
 * transaction: it is read-only, call again). */
int tenant_hold(struct service *self, const struct request *req, const struct tenant_hold_in *in,
                struct nothing *out UNUSED, struct error *err)
{
    int64_t xact;

    if (!self->definition->tenant)
        return 0;
    if (change(self, req, in, &xact, err) < 0)
        return -1;
    return in->held ? settle(self, req, xact, err) : 0;
}

int project_read_only_refuse(struct service *self, const struct request *req, struct uuid project,
                             struct error *err)
{
    const struct sql_hold_find_in find = {.project = project};
    struct sql_hold_find_row row;

    if (sql_hold_find(self->db, req, &find, &row, err) < 0)
        return -1;
    return row.held ? refuse_read_only(err) : 0;
}

/* Returns whether a project is read-only, after earlier writes have ended. Fails: UNAVAILABLE. */
int tenant_held(struct service *self, const struct request *req, const struct tenant_held_in *in,
                struct tenant_held_out *out, struct error *err)
{
    const struct sql_hold_find_in find = {.project = in->projectId};
    struct sql_hold_find_row row;

    if (!self->definition->tenant)
        return 0;
    if (sql_hold_find(self->db, req, &find, &row, err) < 0)
        return -1;
    out->held = row.held;
    return settle(self, req, row.xact, err);
}

int project_read_only_check(void *daemon, const struct request *req, struct finding *ret,
                            struct error *err)
{
    const struct service *self = daemon;
    struct sql_hold_count_row row;
    int64_t age_ms;

    if (!self->definition->tenant)
        return 0;
    if (sql_hold_count(self->db, req, &row, err) < 0)
        return -1;
    if (row.projects == 0)
        return check_ok(req, ret, "no project is read-only");
    age_ms = clock_real_ms() - *row.since;
    if (age_ms <= LONG_MS)
        return check_ok(req, ret, "projects that are read-only: %lld, for %s",
                        (long long)row.projects, check_age(req->arena, age_ms));
    return check_warn(req, ret, NULL, "projects that are read-only: %lld, for %s",
                      (long long)row.projects, check_age(req->arena, age_ms));
}

void project_read_only_extend(struct service *self)
{
    db_extend_sql(self->db, service_hold_sql);
}
