/*
 * settingsd.h - shared by settingsd's files.
 *
 * settingsd owns projects (tenants), their codes, settings, access policies and client
 * applications. It has one file of handlers per subject; settingsd_routes.def has their callers,
 * settingsd/sql their statements.
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
    int64_t history_keep; /* changes of settings kept per project; 0: all */
};

struct settingsd {
    struct service svc;
    struct uuid trimmed_project; /* last project whose history was trimmed */
};

#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_HANDLERS
#include "common/bus/operations.def"

/* ---- project.c ---- */

/* Finds an operator's project by code or id. Parks. Fails: ERR_NOT_FOUND "Tenant not found.". */
int project_find(struct settingsd *d, const struct request *req, const char *text,
                 struct tenant *out, struct error *err) MUST_USE;

/* Like project_find(), for a write: fails with ERR_CONFLICT during a deletion. Parks. */
int project_find_writable(struct settingsd *d, const struct request *req, const char *text,
                          struct tenant *out, struct error *err) MUST_USE;

/* Implements bus_options.find_project with project_find() for reads, project_find_writable() for
 * writes. */
int project_id_of(void *daemon, const struct request *req, const char *name, struct uuid *ret,
                  struct error *err);

/* Fails as project_find() does. Parks. */
int project_by_id(struct settingsd *d, const struct request *req, struct uuid id,
                  struct tenant *out, struct error *err) MUST_USE;

struct tenant tenant_of(struct arena *arena, const struct sql_tenant_row *row);

/* ---- project_write.c ---- */

/* Returns the audit row of an action on a project; detail: one word, or NULL. */
struct sql_audit project_audit(const struct request *req, const char *action, struct uuid project,
                               const char *detail);

/* Fails with ERR_CONFLICT if `rows` is 0: a statement wrote no row, because another write had
 * changed the project's version. */
int project_require_unchanged(int rows, struct error *err) MUST_USE;

/* ---- publish.c ---- */

/* Calls authd with the outbox row's `method` and `in`, and removes the row. Tries for 2 s while
 * authd is away. Parks. Fails with ERR_UNCERTAIN and text `otherwise`: the change is stored, and
 * the outbox keeps calling. */
int publish_row(struct settingsd *d, const struct request *req, const struct bus_method *method,
                const void *in, const struct sql_outbox *row, const char *otherwise,
                struct error *err) MUST_USE;

/* Returns the outbox row of a changed "policy" or "project", written with the change.
 * publish_change() then publishes it; when it returns 0, every live gateway knows the change.
 * Parks. Fails as publish_row() does. */
struct sql_outbox publish_change_row(struct settingsd *d, const struct request *req,
                                     const char *kind, struct uuid id);
int publish_change(struct settingsd *d, const struct request *req, const struct sql_outbox *row,
                   const char *kind, struct uuid id, struct error *err) MUST_USE;

/* publish_client_row() and publish_client() do this for a replaced or deleted client application:
 * after 0, no gateway accepts what the client has lost. */
struct sql_outbox publish_client_row(struct settingsd *d, const struct request *req,
                                     struct uuid project, struct uuid client);
int publish_client(struct settingsd *d, const struct request *req, const struct sql_outbox *row,
                   struct uuid project, struct uuid client, struct error *err) MUST_USE;

/* ---- history.c ---- */

/* Returns author and time of the request's change for the history. Operators have no membership. */
struct sql_history history_of(const struct request *req);

/* Trims the history of a page of projects to history_keep, as a task. */
int history_trim(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* ---- account_policy.c ---- */

/* Returns the policy of stored JSON members; NULL if `json` is NULL (not set). */
const struct account_policy *account_policy_from_json(struct arena *arena, const char *json);

/* The strictest policy as JSON, for a new project. */
extern const char account_policy_strict[];

/* ---- brand_json.c ---- */

/* Returns the branding of stored JSON with its style's version; NULL if `json` is NULL (not
 * set). */
const struct branding *branding_from_json(struct arena *arena, const char *json);

#endif
