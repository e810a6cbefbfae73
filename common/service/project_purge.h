/*
 * project_purge.h - deletes what a daemon keeps of a project that is deleted, page by page.
 *
 * settingsd asks each daemon (the operation project_purge) until a call finds nothing more. A
 * daemon remembers the project for a day and looks again every minute: requests that were under way
 * when the project was closed, and rows of an outbox, may still write after that.
 *
 *     PURGE_PAGE(template) // the statement purge_template.sql
 *
 *     static const struct purge_step purge[] = {
 *         {"template", 1000, purge_template_page},
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
    purge_page_fn *page;
};

/* Defines purge_<table>_page(), by the statement purge_<table>.sql, which consists of the parts
 * "purge" and "audit". */
#define PURGE_PAGE(table_)                                                                         \
    static int purge_##table_##_page(void *daemon, const struct request *req, struct uuid project, \
                                     int64_t rows, int64_t *ret_removed, struct error *err)        \
    {                                                                                              \
        const struct sql_purge_##table_##_in in = {.purge = {.project = project, .most = rows},    \
                                                   .audit = purge_audit(req, project, #table_)};   \
        struct sql_purge_##table_##_row row;                                                       \
                                                                                                   \
        if (sql_purge_##table_(((struct service *)daemon)->db, req, &in, &row, err) < 0)           \
            return -1;                                                                             \
        *ret_removed = row.removed;                                                                \
        return 0;                                                                                  \
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
