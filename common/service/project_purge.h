/*
 * project_purge.h - deletes what a daemon keeps of a project that is deleted, page by page.
 *
 * settingsd asks each daemon (the operation project_purge) until a call finds nothing more. A
 * daemon remembers the project for a day and looks again every minute: requests that were under way
 * when the project was closed, and rows of an outbox, may still write after that.
 *
 *     static const struct purge_step purge[] = {
 *         PURGE_STEP(template, 1000), // sql/purge/purge_template.sql
 *         {.table = NULL},
 *     };
 */
#ifndef ATRIUM_COMMON_SERVICE_PROJECT_PURGE_H
#define ATRIUM_COMMON_SERVICE_PROJECT_PURGE_H

#include "common/service/audit.h"

struct service;

/* Deletes a page: at most `rows` rows of the project; *ret_removed is how many. Repeating it is
 * harmless. Parks. */
typedef int purge_page_fn(void *daemon, const struct request *req, struct uuid project,
                          int64_t rows, int64_t *ret_removed, struct error *err);

/* One table; the steps of a daemon run in their order. */
struct purge_step {
    const char *table;
    int64_t rows; /* of a page: its locks are held for some 100 ms at most */
    const struct db_statement *const *statement;
    purge_page_fn *page; /* NULL: the statement alone */
};

/* A step whose statement, of the call "purge_page", is sql/purge/purge_<table>.sql. */
#define PURGE_STEP(table_, rows_)                                                       \
    {                                                                                   \
        .table = #table_, .rows = (rows_), .statement = &sql_purge_##table_##_statement \
    }

/* The audit row of a page. */
struct sql_audit purge_audit(const struct request *req, struct uuid project, const char *table);

struct project_purge_in {
    struct uuid projectId;
};
FIELD_DECLARE(project_purge_in);
struct project_purge_out {
    int64_t removed; /* rows of the project, by this call */
    bool more;       /* time ran out before all tables were looked at */
};
FIELD_DECLARE(project_purge_out);

/* Answers project_purge: remembers the project and runs the steps of the daemon's definition for a
 * second at most. The daemon is settled when a call has removed nothing and there is no more.
 * Parks. */
int purge_call(struct service *self, const struct request *req, struct uuid project,
               struct project_purge_out *out, struct error *err) MUST_USE;

/* Runs other steps (ended by table NULL), without remembering the project. Parks. */
int purge_run(struct service *self, const struct purge_step *steps, const struct request *req,
              struct uuid project, struct project_purge_out *out, struct error *err) MUST_USE;

#endif
