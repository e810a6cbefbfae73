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

/* ---- settings.c ---- */

/* Writes a text setting of a project (not only of the caller's), or unsets it when value is "".
 * `name` as in setting_names.h. Errors: those of PUT /v1/project/settings/values/{name}. Parks. */
int settings_write_text(struct settingsd *d, const struct request *req, struct uuid project,
                        const char *name, const char *value, const char *if_match,
                        struct settings_record *out, struct error *err) MUST_USE;

/* Turns a switch of a project on or off. Fails: NOT_FOUND (no such switch), CONFLICT (lost the
 * race), INVALID_SETTING_VALUE (open practitioner registration without the policy that those who
 * register would get). Parks. */
int settings_write_switch(struct settingsd *d, const struct request *req, struct uuid project,
                          const char *name, bool enabled, const char *if_match,
                          struct settings_record *out, struct error *err) MUST_USE;

/* ---- account_policy.c ---- */

/* The policy of the members that are stored as JSON; NULL for NULL: none was ever written. */
const struct account_policy *account_policy_from_json(struct arena *arena, const char *json);

/* The JSON of the policy that protects most, for a new project. */
extern const char account_policy_strict[];

/* Writes members of a project's account policy; in force on every gateway when it returns 0.
 * Errors: those of PUT /v1/project/account-policy. Parks. */
int account_policy_write(struct settingsd *d, const struct request *req, struct uuid project,
                         const struct account_policy_in *in, struct account_policy *out,
                         struct error *err) MUST_USE;

/* ---- brand_json.c ---- */

/* The branding that is stored as JSON, with the version of its style; NULL for NULL: none was ever
 * written. */
const struct branding *branding_from_json(struct arena *arena, const char *json);

/* ---- locale.c ---- */

/* Changes the languages of a project, the default or both. Errors: those of PATCH /locales.
 * Parks. */
int locales_write(struct settingsd *d, const struct request *req, struct uuid project,
                  const struct locales_in *in, struct locales *out, struct error *err) MUST_USE;

/* ---- access_policy.c, client.c: shared with the operator's calls ---- */

/* All policies of a project, oldest first. Parks. */
int access_policy_list_of(struct settingsd *d, const struct request *req, struct uuid project,
                          struct access_policy_list *out, struct error *err) MUST_USE;

/* Stores a policy: a new one when in->id is absent, else that one, and then tells every gateway.
 * 422 with the path of each mistake. Parks. */
int access_policy_put(struct settingsd *d, const struct request *req, struct uuid project,
                      const struct access_policy_in *in, struct access_policy *out,
                      struct error *err) MUST_USE;

/* Fails: NOT_FOUND, CONFLICT (it is a default of the project or of a member; or the project changed
 * meanwhile, which is how a default written at the same moment shows). Parks. */
int access_policy_remove(struct settingsd *d, const struct request *req, struct uuid project,
                         struct uuid policy, struct error *err) MUST_USE;

/* All client applications of a project, oldest first; a new one (CONFLICT: there are 1,000), or
 * with in->id what that one is from now on (NOT_FOUND); one; the end of one. 422 with the path of
 * each mistake. Park. */
int client_list_of(struct settingsd *d, const struct request *req, struct uuid project,
                   struct client_list *out, struct error *err) MUST_USE;
int client_put(struct settingsd *d, const struct request *req, struct uuid project,
               const struct client_in *in, struct client_record *out, struct error *err) MUST_USE;
int client_read(struct settingsd *d, const struct request *req, struct uuid project,
                struct uuid client, struct client_record *out, struct error *err) MUST_USE;
int client_remove(struct settingsd *d, const struct request *req, struct uuid project,
                  struct uuid client, struct error *err) MUST_USE;

/* Gives a client application another secret, out->secret; the one that it had counts for
 * previous_hours more. NOT_FOUND; CONFLICT: it does not authenticate with a secret. Parks. */
int client_secret_make(struct settingsd *d, const struct request *req, struct uuid project,
                       struct uuid client, int64_t previous_hours, struct client_record *out,
                       struct error *err) MUST_USE;

#endif
