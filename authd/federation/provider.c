/*
 * provider.c - see provider.h. Admins' handlers are in provider_admin.c.
 */
#include "authd/federation/provider.h"

#include <inttypes.h>
#include <string.h>

#include "authd/federation/provider_api.h"
#include "authd/federation/relying_party.h"
#include "authd/sql/provider.h"
#include "authd/tenant.h"
#include "common/base/clock.h"

int provider_require(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Identity provider not found.");
}

/* ---- the secret ---- */

static const char *seal_purpose(const struct request *req, struct uuid id)
{
    return arena_printf(req->arena, PROVIDER_SEAL_PURPOSE " %s", id.text);
}

struct field_bytes provider_seal(struct authd *d, const struct request *req, struct uuid id,
                                 const char *secret)
{
    struct sealed sealed = {NULL, 0};

    if (secret)
        sealed =
            seal_value(req->arena, &d->svc.seal, seal_purpose(req, id), secret, strlen(secret));
    return (struct field_bytes){sealed.bytes, sealed.size};
}

static int open_secret(struct authd *d, const struct request *req, struct uuid id,
                       struct field_bytes sealed, const char **ret, struct error *err)
{
    uint8_t *plain;
    size_t size;

    *ret = NULL;
    if (!sealed.bytes)
        return 0;
    if (seal_open(req->arena, &d->svc.seal, seal_purpose(req, id),
                  (struct sealed){sealed.bytes, sealed.size}, &plain, &size) < 0) {
        error_set(err, ERR_INTERNAL, "The identity provider's secret cannot be read.");
        return error_detail(err, "provider=%s sealed with another key", id.text);
    }
    *ret = (const char *)plain;
    return 0;
}

/* ---- sign-ins ---- */

static struct provider provider_from(const struct request *req, const struct sql_provider_row *row)
{
    return (struct provider){.id = row->id,
                             .project = row->project,
                             .name = row->name,
                             .preset = row->preset,
                             .issuer = row->issuer,
                             .client_id = row->client_id,
                             .scopes = row->scopes,
                             .required_acr = row->required_acr,
                             .by_post = row->by_post,
                             .trusted_for_mfa = row->trusted_for_mfa,
                             .practitioners = row->practitioners,
                             .patients = row->patients,
                             .provision_practitioners = row->provision_practitioners,
                             .provision_patients = row->provision_patients,
                             .enforced_practitioners = row->enforced_practitioners,
                             .enforced_patients = row->enforced_patients,
                             .domains = field_texts_split(req->arena, row->domains),
                             .state = fields_choice(provider_states, row->state) - 1};
}

int provider_find(struct authd *d, const struct request *req, struct uuid project, struct uuid id,
                  struct provider *ret, struct error *err)
{
    struct sql_provider_find_in in = {.id = id};
    struct sql_provider_row row;

    if (tenant_inherits_from(d, req, project, &in.projects, &in.above, err) < 0 ||
        provider_require(sql_provider_find(d->svc.db, req, &in, &row, err), err) < 0)
        return -1;
    *ret = provider_from(req, &row);
    return open_secret(d, req, id, row.secret_sealed, &ret->secret, err);
}

int providers_active(struct authd *d, const struct request *req, struct uuid project,
                     struct field_list *ret, struct error *err)
{
    struct sql_provider_active_in in;
    struct sql_provider_rows rows;
    struct provider *providers;

    if (tenant_inherits_from(d, req, project, &in.projects, &in.above, err) < 0 ||
        sql_provider_active(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    providers = arena_calloc(req->arena, rows.count + 1, sizeof(*providers));
    for (size_t i = 0; i < rows.count; i++)
        providers[i] = provider_from(req, &rows.items[i]);
    *ret = (struct field_list){providers, rows.count};
    return 0;
}

bool provider_has_domain(const struct provider *self, struct arena *arena, const char *email)
{
    const char *at = strrchr(email, '@'), *domain = at ? fields_domain(arena, at + 1) : NULL;

    for (size_t i = 0; domain && i < self->domains.count; i++)
        if (strcmp(self->domains.items[i], domain) == 0)
            return true;
    return false;
}

/* ---- checks ---- */

/* Names the issuers that fail until the time is up, since a silent one takes some seconds. */
static const char *find_failures(struct authd *d, const struct request *req,
                                 const struct sql_provider_issuer_list_rows *rows)
{
    const char *failures = "";
    struct error why;

    for (size_t i = 0; i < rows->count && clock_mono_ms() < req->deadline_mono_ms; i++) {
        error_init(&why, req->arena);
        if (relying_party_reach(d, req, rows->items[i].issuer, &why) < 0)
            failures = arena_printf(req->arena, "%s%s%s (%s)", failures, *failures ? ", " : "",
                                    rows->items[i].name, why.detail);
    }
    return failures;
}

int provider_health_check(void *daemon, const struct request *req, struct finding *ret,
                          struct error *err)
{
    struct authd *d = daemon;
    struct sql_provider_issuer_list_rows rows;
    const char *failures;
    int64_t count = 0;

    if (sql_provider_issuer_list(d->svc.db, req, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++)
        count += rows.items[i].count;
    if (count > 0 && !d->svc.common->public_url)
        return check_warn(req, ret, "Set public_url (section common).",
                          "%" PRId64 " are active, but public_url is not set, so nobody can come "
                          "back from them",
                          count);
    failures = find_failures(d, req, &rows);
    if (*failures)
        return check_warn(req, ret, NULL, "%" PRId64 " are active; these fail: %.800s", count,
                          failures);
    return check_ok(req, ret, "%" PRId64 " are active", count);
}
