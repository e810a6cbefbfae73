/*
 * project_purge.h - deletes a deleted project's data in a daemon, page by page.
 *
 * settingsd calls project_purge until a call finds nothing more. A daemon remembers the project for
 * a day and checks again every minute, since requests that were running when it was closed, and
 * outbox rows, can still write.
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

/* Deletes a page of at most `rows` rows; *ret_removed is their number. Repeatable. Parks. */
typedef int purge_page_fn(void *daemon, const struct request *req, struct uuid project,
                          int64_t rows, int64_t *ret_removed, struct error *err);

struct purge_step {
    const char *table;
    int64_t rows; /* rows per page, so that locks last 100 ms at most */
    const struct db_statement *const *statement;
    purge_page_fn *page; /* NULL: only the statement */
};

/* A step with statement sql/purge/purge_<table>.sql of the call "purge_page". */
#define PURGE_STEP(table_, rows_)                                                       \
    {                                                                                   \
        .table = #table_, .rows = (rows_), .statement = &sql_purge_##table_##_statement \
    }

struct sql_audit purge_audit(const struct request *req, struct uuid project, const char *table);

struct project_purge_in {
    struct uuid projectId;
};
FIELD_DECLARE(project_purge_in);
struct project_purge_out {
    int64_t removed; /* rows of the project, removed in this call */
    bool more;       /* time ran out before the last table */
};
FIELD_DECLARE(project_purge_out);

/* Runs the daemon's steps for at most a second. The daemon is done after a call that removed
 * nothing and has no more. Parks. */
int purge_call(struct service *self, const struct request *req, struct uuid project,
               struct project_purge_out *out, struct error *err) MUST_USE;

/* Runs steps (ended by table NULL) without remembering the project. Parks. */
int purge_run(struct service *self, const struct purge_step *steps, const struct request *req,
              struct uuid project, struct project_purge_out *out, struct error *err) MUST_USE;

#endif
