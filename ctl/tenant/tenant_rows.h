/*
 * tenant_rows.h - the rows that the daemons of an installation have of a tenant, in the order in
 * which another one adds them: table after table of settingsd, authd, docd, maild and botd.
 *
 * A table is named "service.table" outside its daemon, as in the file (ctl/tenant/tenant_file.h).
 */
#ifndef ATRIUM_CTL_TENANT_TENANT_ROWS_H
#define ATRIUM_CTL_TENANT_TENANT_ROWS_H

#include "ctl/ctl.h"
#include "ctl/progress.h"
#include "ctl/tenant/tenant_file.h"

/* What is done with the rows. */
struct tenant_sink {
    int (*table)(void *arg, const char *name, struct error *err);
    int (*row)(void *arg, const void *bytes, size_t size, struct error *err);
    void *arg;
};

/* Hands over the rows of a project, of all tables. A daemon that is gone is waited for
 * (CTL_BUS_RETRY_MS); the first failure of the sink ends it. Parks. */
int tenant_rows_walk(struct ctl *ctl, struct uuid project, const struct tenant_sink *sink,
                     struct progress *progress, struct error *err) MUST_USE;

/* Those of one table; its name is not handed over. Parks. */
int tenant_rows_table(struct ctl *ctl, struct uuid project, const char *service, const char *table,
                      const struct tenant_sink *sink, struct error *err) MUST_USE;

/* Fails when the daemon that "service.table" names has no such table that travels, or has deleted
 * the project so lately that it cannot be added again. Parks. */
int tenant_rows_check(struct ctl *ctl, struct uuid project, const char *name,
                      struct error *err) MUST_USE;

/* "authd", "account" of "authd.account", in the arena. Fails when no daemon of that name has tables
 * that travel. */
int tenant_table_split(struct arena *arena, const char *name, const char **ret_service,
                       const char **ret_table, struct error *err) MUST_USE;

#endif
