/* project_purge.c - see project_purge.h. */
#include "common/service/project_purge.h"

#include "common/base/clock.h"
#include "common/service/service_private.h"
#include "common/service/sql/purge.h"

enum {
    RUN_MS = 1000, /* time per call, so that other requests can run */
    PERIOD_MS = MINUTES(1),
    REMEMBER_MS = DAYS(1), /* longer than any request, form or retry */
    PAGE = 100,
};

static const struct field project_purge_in_rows[] = {
    FIELD_UUID(struct project_purge_in, projectId, FIELD_REQUIRED, "Project that is deleted"),
};
FIELD_TABLE(project_purge_in);

static const struct field project_purge_out_rows[] = {
    FIELD_INT(struct project_purge_out, removed, 0, INT64_MAX, 0, 0, "Rows deleted", "1000"),
    FIELD_BOOL(struct project_purge_out, more, false, 0, "Whether there can be more"),
};
FIELD_TABLE(project_purge_out);

struct sql_audit purge_audit(const struct request *req, struct uuid project, const char *table)
{
    return audit_row(req, &(struct audit){.action = "project.purge",
                                          .project = project,
                                          .type = "Project",
                                          .id = project,
                                          .detail = table});
}

static int run_page(struct service *self, const struct purge_step *step, const struct request *req,
                    struct uuid project, int64_t *ret_removed, struct error *err)
{
    const struct sql_purge_page_in in = {.purge = {.project = project, .most = step->rows},
                                         .audit = purge_audit(req, project, step->table)};
    struct sql_purge_page_row row;

    if (step->page)
        return step->page(self, req, project, step->rows, ret_removed, err);
    if (sql_purge_page(self->db, req, *step->statement, &in, &row, err) < 0)
        return -1;
    *ret_removed = row.removed;
    return 0;
}

int purge_run(struct service *self, const struct purge_step *steps, const struct request *req,
              struct uuid project, struct project_purge_out *out, struct error *err)
{
    int64_t until_ms = clock_mono_ms() + RUN_MS;

    for (const struct purge_step *step = steps; step->table; step++) {
        int64_t removed;

        do {
            out->more = self->stopping || clock_mono_ms() >= until_ms;
            if (out->more)
                return 0;
            if (run_page(self, step, req, project, &removed, err) < 0)
                return -1;
            out->removed += removed;
        } while (removed >= step->rows);
    }
    return 0;
}

int purge_call(struct service *self, const struct request *req, struct uuid project,
               struct project_purge_out *out, struct error *err)
{
    const struct sql_purge_remember_in remember = {.project = project, .now = clock_real_ms()};

    if (sql_purge_remember(self->db, req, &remember, err) < 0)
        return -1;
    return purge_run(self, self->definition->purge, req, project, out, err);
}

static int purge_again(struct service *self, const struct sql_purge_list_rows *projects,
                       struct error *err)
{
    for (size_t i = 0; i < projects->count && !self->stopping; i++) {
        CLEANUP(service_request_destroy)
        struct request *req = service_request_new(self, 5 * (int64_t)RUN_MS);
        struct project_purge_out out = {0};

        if (purge_run(self, self->definition->purge, req, projects->items[i].project, &out, err) <
            0)
            return -1;
    }
    return 0;
}

static int run_task(void *daemon, const struct request *req, struct error *err)
{
    struct service *self = daemon;
    const struct sql_purge_expire_in expire = {.before = clock_real_ms() - REMEMBER_MS,
                                               .most = PAGE};
    struct sql_purge_list_in page = {.after = {UUID_NIL}, .most = PAGE};
    struct sql_purge_list_rows projects;

    do {
        if (sql_purge_list(self->db, req, &page, &projects, err) < 0 ||
            purge_again(self, &projects, err) < 0)
            return -1;
        if (projects.count > 0)
            page.after = projects.items[projects.count - 1].project;
    } while (projects.count == PAGE && !self->stopping);
    return sql_purge_expire(self->db, req, &expire, err) < 0 ? -1 : 0;
}

void project_purge_extend(struct service *self)
{
    db_extend_sql(self->db, service_purge_sql);
}

void project_purge_watch(struct service *self)
{
    service_every(self, "project purge", PERIOD_MS, run_task);
}
