/*
 * provider_admin.c - identity providers as their project's admins see them. Handlers:
 * identity_providers, identity_provider_create, identity_provider_get, identity_provider_replace,
 * identity_provider_delete.
 *
 * Writes need a fresh proof, since a provider says who may sign in as whom.
 */
#include <string.h>

#include "authd/federation/identity.h"
#include "authd/federation/provider.h"
#include "authd/federation/provider_api.h"
#include "authd/session/change.h"
#include "authd/session/session.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/federation.h"
#include "authd/sql/lock.h"
#include "authd/sql/member.h"
#include "authd/sql/provider.h"
#include "authd/tenant.h"
#include "common/base/clock.h"
#include "common/domain/etag.h"
#include "common/service/audit.h"
#include "settingsd/tenant_api.h"

#define TEST_LIFE DAYS(1) /* how long a test lets an admin enforce the provider */

static struct sql_audit provider_audit(const struct request *req, const char *action,
                                       struct uuid id)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .project = req->caller->project,
                                          .type = "IdentityProvider",
                                          .id = id});
}

static bool has(const struct field_texts *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], word) == 0)
            return true;
    return false;
}

/* ---- what an admin sends ---- */

/* Reports if sign-ins would reach another application or directory than before. */
static bool is_moved(const struct identity_provider *before, const struct identity_provider_in *in)
{
    return strcmp(before->preset, in->preset) != 0 || strcmp(before->issuer, in->issuer) != 0 ||
           strcmp(before->clientId, in->clientId) != 0;
}

/* before: NULL for a new provider. A stored secret goes only to the issuer for which it was sent:
 * otherwise an admin could read it at an issuer of their own. */
static int check_secret(const struct identity_provider *before,
                        const struct identity_provider_in *in, struct error *err)
{
    bool stored = before && before->hasSecret;

    if (in->clientSecret)
        return 0;
    if (stored && is_moved(before, in))
        return error_problem(err, "clientSecret",
                             "is required with another preset, issuer or client ID");
    if (!stored && strcmp(in->state, provider_states[PROVIDER_ACTIVE]) == 0)
        return error_problem(err, "clientSecret", "is required for an active provider");
    return 0;
}

/* Returns the members of the list in a fixed order, each once. */
static struct db_array roles_of(const struct request *req, const struct field_texts *list)
{
    static const char *const all[] = {"practitioners", "patients"};
    struct db_array roles = db_array_new(req->arena, ARRAY_SIZE(all), sizeof("practitioners"));

    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        if (has(list, all[i]))
            db_array_add(&roles, all[i]);
    return roles;
}

/* Accepts only domains that the caller's project has verified, and locks them until the commit. */
static int read_domains(struct db_tx *tx, const struct request *req, const struct field_texts *list,
                        struct db_array *ret, struct error *err)
{
    const char **spelled = arena_calloc(req->arena, list->count + 1, sizeof(*spelled));
    struct sql_provider_domains_in in = {.project = req->caller->project};
    struct sql_provider_domains_rows rows;
    struct field_texts verified;

    for (size_t i = 0; i < list->count; i++) {
        spelled[i] = fields_domain(req->arena, list->items[i]);
        if (!spelled[i])
            return error_problem(err, "domains", "must name verified domains of the project");
    }
    in.domains = db_array_texts(req->arena, spelled, list->count);
    if (sql_provider_domains(tx, req, &in, &rows, err) < 0)
        return -1;
    verified = (struct field_texts){
        arena_calloc(req->arena, rows.count + 1, sizeof(*verified.items)), rows.count};
    for (size_t i = 0; i < rows.count; i++)
        verified.items[i] = rows.items[i].domain;
    for (size_t i = 0; i < list->count; i++)
        if (!has(&verified, spelled[i]))
            return error_problem(err, "domains", "must name verified domains of the project");
    *ret = db_array_texts(req->arena, verified.items, verified.count);
    return 0;
}

static int read_values(struct db_tx *tx, const struct request *req,
                       const struct identity_provider_in *in, struct sql_provider_values *ret,
                       struct error *err)
{
    *ret = (struct sql_provider_values){.name = in->name,
                                        .preset = in->preset,
                                        .issuer = in->issuer,
                                        .client_id = in->clientId,
                                        .auth_method = in->authMethod,
                                        .scopes = in->scopes,
                                        .required_acr = in->requiredAcr,
                                        .trusted_for_mfa = in->trustedForMfa,
                                        .roles = roles_of(req, &in->roles),
                                        .provisioning = in->provisioning,
                                        .enforced = roles_of(req, &in->enforced),
                                        .state = in->state};
    return read_domains(tx, req, &in->domains, &ret->domains, err);
}

/* ---- routes ---- */

/* Sets the redirect URIs of providers of the caller's project. */
static int add_redirects(struct authd *d, const struct request *req, struct identity_provider *rows,
                         size_t count, struct error *err)
{
    const char *public_url = d->svc.common->public_url;
    struct tenant tenant;

    if (count == 0 || !public_url)
        return 0;
    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0)
        return -1;
    for (size_t i = 0; i < count && tenant.tenantCode; i++)
        rows[i].redirectUri = arena_printf(req->arena, "%s/t/%s/idp/%s/callback", public_url,
                                           tenant.tenantCode, rows[i].id.text);
    return 0;
}

/* Lists active providers of the projects above the caller's. */
static int list_inherited(struct authd *d, const struct request *req, struct field_list *ret,
                          struct error *err)
{
    struct field_list active;
    const struct provider *from;
    struct inherited_provider *to;

    if (providers_active(d, req, req->caller->project, &active, err) < 0)
        return -1;
    from = active.items;
    to = arena_calloc(req->arena, active.count + 1, sizeof(*to));
    *ret = (struct field_list){to, 0};
    for (size_t i = 0; i < active.count; i++)
        if (!uuid_equal(&from[i].project, &req->caller->project))
            to[ret->count++] =
                (struct inherited_provider){from[i].id, from[i].name, from[i].issuer};
    return 0;
}

int identity_providers(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                       struct identity_provider_list *out, struct error *err)
{
    const struct sql_provider_list_in list = {.project = req->caller->project};
    struct identity_provider *rows;

    if (sql_provider_list(d->svc.db, req, &list, &out->resources, err) < 0)
        return -1;
    rows = arena_memdup(req->arena, out->resources.items, out->resources.count * sizeof(*rows));
    out->resources.items = rows;
    if (add_redirects(d, req, rows, out->resources.count, err) < 0)
        return -1;
    return list_inherited(d, req, &out->inherited, err);
}

int identity_provider_get(struct authd *d, const struct request *req,
                          const struct identity_provider_id_in *in, struct identity_provider *out,
                          struct error *err)
{
    const struct sql_provider_get_in get = {.project = req->caller->project, .id = in->id};

    if (provider_require(sql_provider_get(d->svc.db, req, &get, out, err), err) < 0)
        return -1;
    return add_redirects(d, req, out, 1, err);
}

static int refuse_untested(struct error *err)
{
    return error_set(err, ERR_CONFLICT,
                     "A provider can be enforced only within 24 hours of a successful test.");
}

/* CONFLICT: the project has 10 providers. */
int identity_provider_create(struct authd *d, const struct request *req,
                             const struct identity_provider_in *in, struct identity_provider *out,
                             struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct uuid project = req->caller->project, id = uuid_ordered(req->now_ms);
    const struct sql_name_lock_in lock = {
        .name = arena_printf(req->arena, "identity providers %s", project.text)};
    struct identity_provider_in checked = *in;
    struct sql_provider_insert_in insert = {.project = project,
                                            .id = id,
                                            .secret_sealed =
                                                provider_seal(d, req, id, in->clientSecret),
                                            .now = req->now_ms,
                                            .audit = provider_audit(req, "provider.write", id)};

    if (provider_check(&checked, err) < 0 || check_secret(NULL, &checked, err) < 0)
        return -1;
    if (checked.enforced.count > 0)
        return refuse_untested(err);
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_name_lock(tx, req, &lock, err) < 0 ||
        read_values(tx, req, &checked, &insert.provider_values, err) < 0 ||
        sql_require(sql_provider_insert(tx, req, &insert, out, err), err, ERR_CONFLICT,
                    "The project has 10 identity providers already.") < 0 ||
        add_redirects(d, req, out, 1, err) < 0 || step_up_check(d, tx, req, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Locks a provider of the caller's project. */
static int lock_provider(struct db_tx *tx, const struct request *req, struct uuid id,
                         struct identity_provider *ret, struct error *err)
{
    const struct sql_provider_lock_in in = {.project = req->caller->project, .id = id};

    return provider_require(sql_provider_lock(tx, req, &in, ret, err), err);
}

static bool is_stopped(const struct identity_provider *before,
                       const struct identity_provider_in *in)
{
    const char *active = provider_states[PROVIDER_ACTIVE];

    return strcmp(before->state, active) == 0 && strcmp(in->state, active) != 0;
}

/* ---- enforcing ---- */

static bool has_json(const char *list, const char *word)
{
    return strstr(list, word) != NULL; /* no word is a part of another */
}

/* Reports if a role is enforced that was not, or by another provider than before. */
static bool is_newly_enforced(const struct identity_provider *before,
                              const struct identity_provider_in *in)
{
    for (size_t i = 0; i < in->enforced.count; i++)
        if (!has_json(before->enforced, in->enforced.items[i]))
            return true;
    return in->enforced.count > 0 && is_moved(before, in);
}

/* Enforcing closes every other way to sign in, so the provider must have been seen to work, and an
 * admin must be able to undo it. */
static int check_enforced(struct db_tx *tx, const struct request *req,
                          const struct identity_provider *provider, struct error *err)
{
    const struct sql_admin_is_local_in in = {.project = req->caller->project};
    struct sql_admin_is_local_row row = {.local = false};

    if (strcmp(provider->state, provider_states[PROVIDER_ACTIVE]) != 0)
        return error_set(err, ERR_CONFLICT, "Activate the provider before you enforce it.");
    if (provider->testedAt < req->now_ms - TEST_LIFE)
        return refuse_untested(err);
    if (sql_admin_is_local(tx, req, &in, &row, err) < 0)
        return -1;
    if (!row.local)
        return error_set(err, ERR_CONFLICT,
                         "Enforcing a provider needs an admin with local sign-in, a password and a "
                         "second factor.");
    return 0;
}

/* Locks the admins, before the provider, if it will be enforced: the local admin stays one. */
static int lock_admins(struct db_tx *tx, const struct request *req,
                       const struct identity_provider_in *in, struct error *err)
{
    const struct sql_admin_lock_all_in lock = {.project = req->caller->project,
                                               .membership = req->caller->membership};
    struct sql_admin_lock_all_rows locked;

    return in->enforced.count == 0 ? 0 : MIN(sql_admin_lock_all(tx, req, &lock, &locked, err), 0);
}

static int end_in(struct db_tx *tx, const struct request *req, struct uuid project,
                  struct db_array above, struct db_array roles, struct session_ended *ended,
                  struct error *err)
{
    const struct sql_enforced_session_end_in in = {
        .project = project,
        .above = above,
        .roles = roles,
        .now = req->now_ms,
        .audit = audit_row(req, &(struct audit){.action = "session.end", .detail = "enforced"}),
        .change = {.until = req->now_ms + CHANGE_SESSION_LIFE}};
    struct field_list changes;

    do { /* see end_sessions() of identity.c */
        if (sql_enforced_session_end(tx, req, &in, &changes, err) < 0)
            return -1;
        session_ended_add(req, &changes, ended);
    } while (changes.count > 0);
    return 0;
}

/* Ends the covered people's sessions in the project and below it that the provider did not make. */
static int end_enforced(struct authd *d, struct db_tx *tx, const struct request *req,
                        struct db_array roles, struct session_ended *ended, struct error *err)
{
    struct sql_enforced_project_list_in list = {.after = {""}};
    struct sql_enforced_project_list_rows rows;

    do {
        if (sql_enforced_project_list(d->svc.db, req, &list, &rows, err) < 0)
            return -1;
        for (size_t i = 0; i < rows.count; i++) {
            struct db_array above;

            list.after = rows.items[i].project;
            if (tenant_ancestors(d, req, list.after, &above, err) < 0 ||
                (strstr(above.text, req->caller->project.text) &&
                 end_in(tx, req, list.after, above, roles, ended, err) < 0))
                return -1;
        }
    } while (rows.count > 0);
    return 0;
}

/* Commits, after ending sessions: of the provider's people, with their links if it is another
 * provider now, and of those whom it covers. */
static int commit_replaced(struct authd *d, const struct request *req, struct db_tx **tx_p,
                           const struct identity_provider *before,
                           const struct identity_provider_in *in, struct error *err)
{
    struct session_ended ended = {.count = 0};
    bool moved = is_moved(before, in);

    if ((moved || is_stopped(before, in)) &&
        identity_links_end(d, *tx_p, req, in->id, moved, &ended, err) < 0)
        return -1;
    if (in->enforced.count > 0 &&
        end_enforced(d, *tx_p, req, roles_of(req, &in->enforced), &ended, err) < 0)
        return -1;
    if (db_commit(tx_p, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &ended, err);
}

/* ---- replacing, deleting ---- */

int identity_provider_replace(struct authd *d, const struct request *req,
                              const struct identity_provider_in *in, struct identity_provider *out,
                              struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct identity_provider_in checked = *in;
    struct identity_provider before = {0};
    struct sql_provider_replace_in replace = {
        .project = req->caller->project,
        .id = in->id,
        .secret_sealed = provider_seal(d, req, in->id, in->clientSecret),
        .now = req->now_ms,
        .audit = provider_audit(req, "provider.write", in->id)};

    if (provider_check(&checked, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock_admins(tx, req, &checked, err) < 0 || lock_provider(tx, req, in->id, &before, err) < 0)
        return -1;
    if (!etag_admits(in->ifMatch, before.etag))
        return etag_lost("identity provider", err);
    if (check_secret(&before, &checked, err) < 0 ||
        read_values(tx, req, &checked, &replace.provider_values, err) < 0 ||
        provider_require(sql_provider_replace(tx, req, &replace, out, err), err) < 0 ||
        (is_newly_enforced(&before, &checked) && check_enforced(tx, req, out, err) < 0) ||
        add_redirects(d, req, out, 1, err) < 0 || step_up_check(d, tx, req, err) < 0)
        return -1;
    return commit_replaced(d, req, &tx, &before, &checked, err);
}

int identity_provider_delete(struct authd *d, const struct request *req,
                             const struct identity_provider_id_in *in, struct nothing *out UNUSED,
                             struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_provider_delete_in delete = {.project = req->caller->project,
                                                  .id = in->id,
                                                  .audit = provider_audit(req, "provider.delete",
                                                                          in->id)};
    struct session_ended ended = {.count = 0};
    struct identity_provider before;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock_provider(tx, req, in->id, &before, err) < 0)
        return -1;
    if (strcmp(before.enforced, "[]") != 0)
        return error_set(err, ERR_CONFLICT, "Stop enforcing the provider before you delete it.");
    if (step_up_check(d, tx, req, err) < 0 ||
        identity_links_end(d, tx, req, in->id, true, &ended, err) < 0 ||
        provider_require(sql_provider_delete(tx, req, &delete, err), err) < 0 ||
        db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &ended, err);
}
