/*
 * tenant.h - the project that a sign-in names, as settingsd has it at the time: changed settings
 * apply from the next request (settings_cache.h). Of one that is read-only while it moves, all but
 * R_SAFE operations are refused: ERR_PROJECT_READ_ONLY.
 */
#ifndef ATRIUM_AUTHD_TENANT_H
#define ATRIUM_AUTHD_TENANT_H

#include "authd/authd.h"

struct settings_view; /* settings_cache.h */
struct tenant;        /* settingsd/tenant_api.h */

/* The tenant of a code, or of an id, for a sign-in: ERR_NOT_FOUND "Tenant not found." when there
 * is none or it is suspended. Parks. */
int tenant_open(struct authd *d, const struct request *req, const char *code, struct tenant *ret,
                struct error *err) MUST_USE;
int tenant_open_id(struct authd *d, const struct request *req, struct uuid project,
                   struct tenant *ret, struct error *err) MUST_USE;

/* As tenant_open(), of what the request has seen of the settings. Parks. */
int tenant_open_view(struct authd *d, const struct request *req, struct settings_view *view,
                     const char *code, struct tenant *ret, struct error *err) MUST_USE;

/* As tenant_open(), with its branding, for a page. Parks. */
int tenant_open_look(struct authd *d, const struct request *req, const char *code,
                     struct tenant *ret, struct error *err) MUST_USE;

/* The tenant that a client application belongs to: ERR_NOT_FOUND "Client not found." too. The
 * second: it must be the one named. Park. */
int tenant_open_client(struct authd *d, const struct request *req, struct uuid client,
                       struct tenant *ret, struct error *err) MUST_USE;
int tenant_open_business(struct authd *d, const struct request *req, struct uuid client,
                         struct uuid project, struct tenant *ret, struct error *err) MUST_USE;

/* The project of a tenant code, or of an id as text; absent for NULL. Suspended ones count:
 * operators see everything. Parks. */
int tenant_project_of(struct authd *d, const struct request *req, const char *code,
                      struct uuid *ret, struct error *err) MUST_USE;
/* See bus_options.find_project. */
int tenant_id_of(void *daemon, const struct request *req, const char *name, struct uuid *ret,
                 struct error *err);

/* The access policy of a reference ("AccessPolicy/<id>"), which must be one of the project's: else
 * a problem of the member accessPolicy. Parks. */
int tenant_policy_of(struct authd *d, const struct request *req, struct uuid project,
                     const char *reference, struct uuid *ret, struct error *err) MUST_USE;

/* Whether a project is `top` or below it. ERR_NOT_FOUND like tenant_open_id() when one between them
 * is suspended. Parks. */
int tenant_is_within(struct authd *d, const struct request *req, struct uuid project,
                     struct uuid top, bool *ret, struct error *err) MUST_USE;

/* The ids of a project and of all above it, suspended ones too. Parks. */
struct db_array;
int tenant_ancestors(struct authd *d, const struct request *req, struct uuid project,
                     struct db_array *ret, struct error *err) MUST_USE;

/* The projects that an account is a member of, as texts, at most 1,000; `project` keeps only
 * itself, absent all. locked: those that it is locked in count, too. Parks. */
int account_projects(struct authd *d, const struct request *req, struct uuid account,
                     struct uuid project, bool locked, struct field_texts *ret,
                     struct error *err) MUST_USE;

/* The tenants of these projects that can be signed in to (struct tenant), in the order given.
 * Parks. */
int tenants_open(struct authd *d, const struct request *req, struct field_texts projects,
                 struct field_list *ret, struct error *err) MUST_USE;

/* The one of these tenants (struct tenant) that is the project; NULL: none is. */
const struct tenant *tenant_among(const struct field_list *tenants, struct uuid project);

/* Replaces a project by its parent, a suspended one too; absent: it is a root, or was deleted.
 * Parks. */
int tenant_parent(struct authd *d, const struct request *req, struct uuid *project,
                  struct error *err) MUST_USE;

/* The organisation of a project: its root. */
struct uuid tenant_organization(const struct tenant *tenant);

#endif
