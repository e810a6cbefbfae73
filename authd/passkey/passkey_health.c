/*
 * passkey_health.c - see passkey_health.h.
 *
 * A passkey belongs to one host name. If an application moves, browsers stop offering its passkeys,
 * and nothing else tells an operator why.
 */
#include "authd/passkey/passkey_health.h"

#include <inttypes.h>
#include <string.h>

#include "authd/passkey/passkey_rp.h"
#include "authd/sql/passkey.h"
#include "authd/tenant.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

/* Totals over all relying parties. */
struct sums {
    int64_t passkeys;
    int64_t lost;        /* passkeys whose relying party no application has */
    const char *host;    /* host name of one of the lost passkeys */
    struct uuid project; /* project of that passkey; not set: the installation */
};

static int find_tenants(struct authd *d, const struct request *req,
                        const struct sql_passkey_count_rows *rows, struct tenant_list *ret,
                        struct error *err)
{
    const char **ids = arena_calloc(req->arena, MAX(rows->count, (size_t)1), sizeof(*ids));
    struct tenants_of_in in = {{ids, 0}};

    for (size_t i = 0; i < rows->count; i++) {
        const char *id = rows->items[i].project.text;
        size_t k = 0;

        while (k < in.projectIds.count && strcmp(ids[k], id) != 0)
            k++;
        if (id[0] != '\0' && k == in.projectIds.count)
            ids[in.projectIds.count++] = id;
    }
    *ret = (struct tenant_list){.tenants = {NULL, 0}};
    return in.projectIds.count > 0 ? settingsd_tenants_of(d->svc.bus, req, &in, ret, err) : 0;
}

/* True if browsers can still be asked for this relying party's passkeys. */
static bool is_asked_for(const struct authd *d, const struct request *req,
                         const struct tenant_list *list, const struct sql_passkey_count_row *row)
{
    const struct tenant *tenant = tenant_among(&list->tenants, row->project);
    const char *url = passkey_rp_home(d), *host, *origin;

    if (uuid_is_set(&row->project) && !tenant)
        return true; /* the project and its passkeys are being deleted */
    if (tenant)
        url = row->role == ROLE_PATIENT ? tenant->patientAppUrl : tenant->practitionerAppUrl;
    return url && passkey_rp_parse(req->arena, url, &host, &origin) &&
           strcmp(host, row->rp_id) == 0;
}

int passkey_health_check(void *daemon, const struct request *req, struct finding *ret,
                         struct error *err)
{
    struct authd *d = daemon;
    struct sql_passkey_count_rows rows;
    struct tenant_list tenants;
    struct sums sums = {.lost = 0};

    if (sql_passkey_count(d->svc.db, req, &rows, err) < 0 ||
        find_tenants(d, req, &rows, &tenants, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        const struct sql_passkey_count_row *row = &rows.items[i];

        sums.passkeys += row->passkeys;
        if (is_asked_for(d, req, &tenants, row))
            continue;
        if (!sums.host) {
            sums.host = row->rp_id;
            sums.project = row->project;
        }
        sums.lost += row->passkeys;
    }
    if (sums.passkeys == 0)
        return check_ok(req, ret, "there are none");
    if (sums.lost == 0)
        return check_ok(req, ret, "%" PRId64, sums.passkeys);
    return check_warn(req, ret, NULL,
                      "%" PRId64 " of %" PRId64
                      " no longer match any application's host name, such as %s of %s",
                      sums.lost, sums.passkeys, sums.host,
                      uuid_is_set(&sums.project) ? sums.project.text : "the installation");
}
