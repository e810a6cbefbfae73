/*
 * tenant.h - projects with their current settings (settings_cache.h). While a project is read-only,
 * operations that are not R_SAFE fail with ERR_PROJECT_READ_ONLY.
 */
#ifndef ATRIUM_AUTHD_TENANT_H
#define ATRIUM_AUTHD_TENANT_H

#include "authd/authd.h"

struct settings_view;
struct tenant;

/* Finds a tenant by code or id, for a sign-in. Fails: ERR_NOT_FOUND "Tenant not found.", also for
 * suspended ones. Parks. */
int tenant_open(struct authd *d, const struct request *req, const char *code, struct tenant *ret,
                struct error *err) MUST_USE;
int tenant_open_id(struct authd *d, const struct request *req, struct uuid project,
                   struct tenant *ret, struct error *err) MUST_USE;

/* Like tenant_open(), with the request's settings view. Parks. */
int tenant_open_view(struct authd *d, const struct request *req, struct settings_view *view,
                     const char *code, struct tenant *ret, struct error *err) MUST_USE;

/* Like tenant_open(), with a page's branding. Parks. */
int tenant_open_look(struct authd *d, const struct request *req, const char *code,
                     struct tenant *ret, struct error *err) MUST_USE;

/* Find a client application's tenant. Both fail like tenant_open(), and with ERR_NOT_FOUND "Client
 * not found."; tenant_open_business() also fails if the tenant is not `project`. Park. */
int tenant_open_client(struct authd *d, const struct request *req, struct uuid client,
                       struct tenant *ret, struct error *err) MUST_USE;
int tenant_open_business(struct authd *d, const struct request *req, struct uuid client,
                         struct uuid project, struct tenant *ret, struct error *err) MUST_USE;

/* Returns the project of a tenant code or id, even if suspended; absent for NULL. Parks. */
int tenant_project_of(struct authd *d, const struct request *req, const char *code,
                      struct uuid *ret, struct error *err) MUST_USE;
/* Implements bus_options.find_project. */
int tenant_id_of(void *daemon, const struct request *req, const char *name, struct uuid *ret,
                 struct error *err);

/* Finds an access policy by reference ("AccessPolicy/<id>"). Fails: a problem of the member
 * accessPolicy if the project has no such policy. Parks. */
int tenant_policy_of(struct authd *d, const struct request *req, struct uuid project,
                     const char *reference, struct uuid *ret, struct error *err) MUST_USE;

/* Reports if a project is `top` or below it. Fails like tenant_open(), also for projects between
 * them. Parks. */
int tenant_is_within(struct authd *d, const struct request *req, struct uuid project,
                     struct uuid top, bool *ret, struct error *err) MUST_USE;

/* Returns a project's and its ancestors' ids, even of suspended ones. Parks. */
struct db_array;
int tenant_ancestors(struct authd *d, const struct request *req, struct uuid project,
                     struct db_array *ret, struct error *err) MUST_USE;

/* Returns a project's id and those of the projects above it whose identity providers it inherits,
 * nearest first. A project whose setting inheritProviders is off is the last one. *ret_above: as
 * from tenant_ancestors(). Parks. */
int tenant_inherits_from(struct authd *d, const struct request *req, struct uuid project,
                         struct db_array *ret, struct db_array *ret_above,
                         struct error *err) MUST_USE;

/* Returns the ids of an account's projects, at most 1,000, or only `project` if set. `locked`:
 * include locked memberships. Parks. */
int account_projects(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid project, bool locked, struct field_texts *ret,
                     struct error *err) MUST_USE;

/* Returns those tenants (struct tenant) that are not suspended, in the given order. Parks. */
int tenants_open(struct authd *d, const struct request *req, struct field_texts projects,
                 struct field_list *ret, struct error *err) MUST_USE;

/* Finds a project in a list of struct tenant, or NULL. */
const struct tenant *tenant_among(const struct field_list *tenants, struct uuid project);

/* Replaces a project by its parent, even if suspended; absent: a root, or deleted. Parks. */
int tenant_parent(struct authd *d, const struct request *req, struct uuid *project,
                  struct error *err) MUST_USE;

/* Returns the id of a project's root. */
struct uuid tenant_organization(const struct tenant *tenant);

#endif
