/*
 * email_scan.c - see email_scan.h.
 */
#include "authd/account/email_scan.h"

#include <string.h>

#include "authd/account/email_verified.h"
#include "authd/sql/account.h"
#include "authd/tenant.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum {
    SCAN_ROWS = 1000, /* audit rows per part, which can name as many projects */
    SCAN_PARTS = 20,  /* parts per run */
};

static int find_tenants(struct authd *d, const struct request *req,
                        const struct sql_email_scan_read_rows *part, struct field_list *ret,
                        struct error *err)
{
    const char **ids = arena_calloc(req->arena, part->count, sizeof(*ids));
    struct tenants_of_in in = {{ids, 0}};
    struct tenant_list list = {0};

    for (size_t i = 0; i < part->count; i++) {
        const struct uuid *id = &part->items[i].project;
        size_t n = in.projectIds.count;

        if (uuid_is_set(id) && (n == 0 || strcmp(ids[n - 1], id->text) != 0))
            ids[in.projectIds.count++] = id->text;
    }
    if (in.projectIds.count > 0 && settingsd_tenants_of(d->svc.bus, req, &in, &list, err) < 0)
        return -1;
    *ret = list.tenants;
    return 0;
}

static int record(struct authd *d, const struct request *req,
                  const struct sql_email_scan_read_rows *part, bool done, struct error *err)
{
    const struct sql_email_scan_read_row *rows = part->items;
    size_t id = sizeof(struct uuid);
    struct sql_email_scan_record_in in = {.accounts = db_array_new(req->arena, part->count, id),
                                          .organizations =
                                              db_array_new(req->arena, part->count, id),
                                          .times = db_array_new(req->arena, part->count, id),
                                          .first = rows->first,
                                          .last = rows->last ? *rows->last : rows->first,
                                          .done = done};
    struct field_list tenants = {0};

    if (find_tenants(d, req, part, &tenants, err) < 0)
        return -1;
    for (size_t i = 0; i < part->count; i++) {
        const struct tenant *tenant = tenant_among(&tenants, rows[i].project);

        if (!tenant || !rows[i].account || !rows[i].at)
            continue;
        db_array_add(&in.accounts, rows[i].account);
        db_array_add(&in.organizations, tenant_organization(tenant).text);
        db_array_add(&in.times, arena_printf(req->arena, "%lld", (long long)*rows[i].at));
    }
    return sql_email_scan_record(d->svc.db, req, &in, err) < 0 ? -1 : 0;
}

int email_scan_run(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;

    for (int i = 0; i < SCAN_PARTS && !d->email_scanned && !d->svc.stopping; i++) {
        const struct sql_email_scan_read_in in = {.count = SCAN_ROWS};
        struct sql_email_scan_read_rows part;
        bool end;

        if (sql_email_scan_read(d->svc.db, req, &in, &part, err) < 0)
            return -1;
        d->email_scanned = part.count == 0;
        if (d->email_scanned)
            return 0;
        end = !part.items->last;
        if (end && part.items->waiting) /* more may follow: some rows are not chained yet */
            return 0;
        if (record(d, req, &part, end, err) < 0)
            return -1;
    }
    return 0;
}
