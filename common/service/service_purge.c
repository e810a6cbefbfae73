/*
 * service_purge.c - see purge.h: the operation that settingsd calls, and the task that looks again.
 */
#include "common/service/purge.h"

#include "common/service/service_private.h"

enum {
    RUN_MS = 1000, /* of one call: the caller sees progress, and other requests get their turn */
    PERIOD_MS = 60 * 1000,
    REMEMBER_MS = 24 * 3600 * 1000, /* longer than any request, form or retry lives */
    PAGE = 100,
};

enum {
#define SQL(name, class, params, text) name,
#include "common/service/purge_sql.def"
#undef SQL
    STATEMENT_COUNT
};

static const struct db_statement statements[STATEMENT_COUNT] = {
#define SQL(name, class, params, text) DB_STATEMENT(#name, class, params, text),
#include "common/service/purge_sql.def"
#undef SQL
};

static const struct field project_purge_in_rows[] = {
    FIELD_UUID(struct project_purge_in, projectId, FIELD_REQUIRED, "Project that is deleted"),
};
FIELD_TABLE(project_purge_in);

static const struct field project_purge_out_rows[] = {
    FIELD_INT(struct project_purge_out, removed, 0, INT64_MAX, 0, 0, "Rows deleted", "1000"),
    FIELD_BOOL(struct project_purge_out, more, false, 0, "There may be more"),
};
FIELD_TABLE(project_purge_out);

static const struct field purge_row_rows[] = {
    FIELD_UUID(struct purge_row, id, FIELD_REQUIRED, "Row"),
};
FIELD_TABLE(purge_row);

int64_t purge_removed(const struct db_result *res, struct arena *arena)
{
    struct project_purge_out out = {0};

    db_row(res, 0, &project_purge_out_table, arena, &out);
    return out.removed;
}

struct sql_audit purge_audit(const struct request *req, struct uuid project, const char *table)
{
    return audit_row(req, &(struct audit){.action = "project.purge",
                                          .project = project,
                                          .type = "Project",
                                          .id = project,
                                          .detail = table});
}

static int purge_page(struct service *self, const struct purge_step *step,
                      const struct request *req, struct uuid project, int64_t *ret_removed,
                      struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sql_audit audit;

    if (step->page)
        return step->page(self, req, project, step->rows, ret_removed, err);
    audit = purge_audit(req, project, step->table);
    if (db_query(self->db, req, step->statement, &res, err, DB_UUID(project), DB_INT(step->rows),
                 DB_AUDIT(audit)) < 0)
        return -1;
    *ret_removed = purge_removed(res, req->arena);
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
            if (purge_page(self, step, req, project, &removed, err) < 0)
                return -1;
            out->removed += removed;
        } while (removed >= step->rows);
    }
    return 0;
}

int purge_call(struct service *self, const struct request *req, struct uuid project,
               struct project_purge_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(self->db, req, self->purge_statement + SQL_PURGE_REMEMBER, &res, err,
                 DB_UUID(project), DB_INT(clock_real_ms())) < 0)
        return -1;
    return purge_run(self, self->definition->purge, req, project, out, err);
}

static int purge_again(struct service *self, const struct purge_row *projects, size_t count,
                       struct error *err)
{
    for (size_t i = 0; i < count && !self->stopping; i++) {
        CLEANUP(service_request_destroy)
        struct request *req = service_request_new(self, 5 * (int64_t)RUN_MS);
        struct project_purge_out out = {0};

        if (purge_run(self, self->definition->purge, req, projects[i].id, &out, err) < 0)
            return -1;
    }
    return 0;
}

static int run_task(void *daemon, const struct request *req, struct error *err)
{
    struct service *self = daemon;
    CLEANUP(db_result_destroy) struct db_result *forgotten = NULL;
    struct uuid after = {"00000000-0000-0000-0000-000000000000"};
    size_t count;

    do {
        CLEANUP(db_result_destroy) struct db_result *res = NULL;
        const struct purge_row *projects;

        if (db_query(self->db, req, self->purge_statement + SQL_PURGE_REMEMBERED, &res, err,
                     DB_UUID(after), DB_INT(PAGE)) < 0)
            return -1;
        count = db_rows(res);
        projects = db_list(res, &purge_row_table, req->arena).items;
        if (purge_again(self, projects, count, err) < 0)
            return -1;
        if (count > 0)
            after = projects[count - 1].id;
    } while (count == PAGE && !self->stopping);
    return db_query(self->db, req, self->purge_statement + SQL_PURGE_FORGET, &forgotten, err,
                    DB_INT(clock_real_ms() - REMEMBER_MS), DB_INT(PAGE));
}

void service_purge_extend(struct service *self)
{
    self->purge_statement = db_extend(self->db, statements, STATEMENT_COUNT);
}

void service_purge_watch(struct service *self)
{
    service_every(self, "project purge", PERIOD_MS, run_task);
}
