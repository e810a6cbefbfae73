/*
 * settingsd.h - what the files of settingsd share.
 *
 * settingsd owns projects (tenants), their codes, settings, access policies and client
 * applications.  Its handlers are one file per subject; who may call them is in
 * settingsd_routes.def, what they ask PostgreSQL in settingsd/sql.
 */
#ifndef ATRIUM_SETTINGSD_SETTINGSD_H
#define ATRIUM_SETTINGSD_SETTINGSD_H

#include "common/bus/method.h"
#include "common/service/service.h"
#include "settingsd/sql_part.h"

struct settingsd_config {
    struct database_config db;
    const char *seal_key;
    int64_t children_per_project, projects_per_root;
    int64_t history_keep; /* changes of settings, of each project; 0: all */
};

struct settingsd {
    struct service svc;
    struct uuid trimmed_project; /* the last one whose history was trimmed */
};

#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_HANDLERS
#include "common/bus/operations.def"

/* ---- project.c ---- */

/* The project that an operator names by its code or its id. ERR_NOT_FOUND "Tenant not found.".
 * Parks. */
int project_find(struct settingsd *d, const struct request *req, const char *text,
                 struct tenant *out, struct error *err) MUST_USE;

/* The same for a write: ERR_CONFLICT while it is being deleted. Parks. */
int project_find_writable(struct settingsd *d, const struct request *req, const char *text,
                          struct tenant *out, struct error *err) MUST_USE;

/* See bus_options.find_project: for a read as project_find(), else as project_find_writable(). */
int project_id_of(void *daemon, const struct request *req, const char *name, struct uuid *ret,
                  struct error *err);

/* The project of that id. Errors as above. Parks. */
int project_by_id(struct settingsd *d, const struct request *req, struct uuid id,
                  struct tenant *out, struct error *err) MUST_USE;

/* The tenant of a row. */
struct tenant tenant_of(struct arena *arena, const struct sql_tenant_row *row);

/* ---- project_write.c ---- */

/* The audit row of what happens to a project as a whole; detail: one word, or NULL. */
struct sql_audit project_audit(const struct request *req, const char *action, struct uuid project,
                               const char *detail);

/* `rows`: what the statement returned that writes a project of a version. ERR_CONFLICT for 0:
 * another write was faster. */
int project_require_unchanged(int rows, struct error *err) MUST_USE;

/* ---- publish.c ---- */

/* Tells authd what was committed together with the outbox row `row`, and removes the row. `method`
 * and `in` are those of the row. Tries for 2 s while authd is away. Parks. ERR_UNCERTAIN with the
 * text `otherwise` when authd could not be told: the change is stored and the outbox goes on
 * telling. */
int publish_row(struct settingsd *d, const struct request *req, const struct bus_method *method,
                const void *in, const struct sql_outbox *row, const char *otherwise,
                struct error *err) MUST_USE;

/* The outbox row of a changed "policy" or "project", to be written with the change itself; and,
 * after that, the telling: when it returns 0 every live gateway knows. Parks. Errors as
 * publish_row(). */
struct sql_outbox publish_change_row(struct settingsd *d, const struct request *req,
                                     const char *kind, struct uuid id);
int publish_change(struct settingsd *d, const struct request *req, const struct sql_outbox *row,
                   const char *kind, struct uuid id, struct error *err) MUST_USE;

/* The same of a client application that is replaced or deleted: when it returns 0, what the client
 * has lost opens nothing at any gateway. */
struct sql_outbox publish_client_row(struct settingsd *d, const struct request *req,
                                     struct uuid project, struct uuid client);
int publish_client(struct settingsd *d, const struct request *req, const struct sql_outbox *row,
                   struct uuid project, struct uuid client, struct error *err) MUST_USE;

/* ---- history.c ---- */

/* Who writes what the request changes, and when, for the history. An operator has no
 * membership. */
struct sql_history history_of(const struct request *req);

/* Deletes the oldest changes of settings of a page of projects, as history_keep says: a task. */
int history_trim(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* ---- account_policy.c ---- */

/* The policy of the members that are stored as JSON; NULL for NULL: none was ever written. */
const struct account_policy *account_policy_from_json(struct arena *arena, const char *json);

/* The JSON of the policy that protects most, for a new project. */
extern const char account_policy_strict[];

/* ---- brand_json.c ---- */

/* The branding that is stored as JSON, with the version of its style; NULL for NULL: none was ever
 * written. */
const struct branding *branding_from_json(struct arena *arena, const char *json);

#endif
