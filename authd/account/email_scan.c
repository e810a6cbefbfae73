/*
 * email_scan.c - see email_scan.h.
 */
#include "authd/account/email_scan.h"

#include <string.h>

#include "authd/account/email_verified.h"

enum {
    SCAN_ROWS = 1000, /* audit rows at a time: so settingsd is asked for at most as many projects */
    SCAN_PARTS = 20,  /* of one run */
};

/* Columns of SQL_EMAIL_SCAN. */
enum { FROM, TO, WAITING, ACCOUNT, PROJECT, AT };

/* The projects of a part. */
static int find_tenants(struct authd *d, const struct request *req, const struct db_result *part,
                        struct field_list *ret, struct error *err)
{
    const char **ids = arena_calloc(req->arena, db_rows(part), sizeof(*ids));
    struct tenants_of_in in = {{ids, 0}};
    struct tenant_list list = {0};

    for (size_t row = 0; row < db_rows(part); row++) {
        struct uuid id = db_uuid(part, row, PROJECT);
        size_t n = in.projectIds.count;

        if (uuid_is_set(&id) && (n == 0 || strcmp(ids[n - 1], id.text) != 0))
            ids[in.projectIds.count++] = arena_strdup(req->arena, id.text);
    }
    if (in.projectIds.count > 0 && settingsd_tenants_of(d->svc.bus, req, &in, &list, err) < 0)
        return -1;
    *ret = list.tenants;
    return 0;
}

static const struct tenant *tenant_of(const struct field_list *tenants, struct uuid project)
{
    const struct tenant *all = tenants->items;

    for (size_t t = 0; t < tenants->count; t++) {
        if (uuid_equal(&all[t].projectId, &project))
            return &all[t];
    }
    return NULL; /* none was found, or it was deleted since */
}

/* Records what a part shows. `done`: it was the last one. */
static int record(struct authd *d, const struct request *req, const struct db_result *part,
                  bool done, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    size_t rows = db_rows(part), id = sizeof(struct uuid);
    struct db_array accounts = db_array_new(req->arena, rows, id);
    struct db_array organizations = db_array_new(req->arena, rows, id);
    struct db_array times = db_array_new(req->arena, rows, id);
    struct field_list tenants = {0};
    int64_t to = db_int(part, 0, db_is_null(part, 0, TO) ? FROM : TO);

    if (find_tenants(d, req, part, &tenants, err) < 0)
        return -1;
    for (size_t row = 0; row < rows; row++) {
        const struct tenant *tenant = tenant_of(&tenants, db_uuid(part, row, PROJECT));

        if (!tenant || db_is_null(part, row, ACCOUNT))
            continue;
        db_array_add(&accounts, db_text(part, row, ACCOUNT));
        db_array_add(&organizations, email_organization(tenant).text);
        db_array_add(&times, arena_printf(req->arena, "%lld", (long long)db_int(part, row, AT)));
    }
    return db_query(d->svc.db, req, SQL_EMAIL_SCANNED, &res, err, DB_TEXT(accounts.text),
                    DB_TEXT(organizations.text), DB_TEXT(times.text), DB_INT(db_int(part, 0, FROM)),
                    DB_INT(to), DB_BOOL(done));
}

int email_scan_run(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;

    for (int i = 0; i < SCAN_PARTS && !d->email_scanned && !d->svc.stopping; i++) {
        CLEANUP(db_result_destroy) struct db_result *part = NULL;
        bool end;

        if (db_query(d->svc.db, req, SQL_EMAIL_SCAN, &part, err, DB_INT(SCAN_ROWS)) < 0)
            return -1;
        d->email_scanned = db_rows(part) == 0;
        if (d->email_scanned)
            return 0;
        end = db_is_null(part, 0, TO);
        if (end && db_bool(part, 0, WAITING)) /* rows that get their place in the trail soon */
            return 0;
        if (record(d, req, part, end, err) < 0)
            return -1;
    }
    return 0;
}
