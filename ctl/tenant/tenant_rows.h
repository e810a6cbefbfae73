/*
 * tenant_rows.h - a tenant's rows in all daemons, in the order of an import. A table is named
 * "service.table" outside its daemon.
 */
#ifndef ATRIUM_CTL_TENANT_TENANT_ROWS_H
#define ATRIUM_CTL_TENANT_TENANT_ROWS_H

#include "ctl/ctl.h"
#include "ctl/progress.h"
#include "ctl/tenant/tenant_file.h"

/* Receives the rows. */
struct tenant_sink {
    int (*table)(void *arg, const char *name, struct error *err);
    int (*row)(void *arg, const void *bytes, size_t size, struct error *err);
    void *arg;
};

/* Passes rows to the sink, until it fails. Waits for daemons that are down (CTL_BUS_RETRY_MS).
 * Parks. */
int tenant_rows_walk(struct ctl *ctl, struct uuid project, const struct tenant_sink *sink,
                     struct progress *progress, struct error *err) MUST_USE;

/* Passes one table's rows, without its name. Parks. */
int tenant_rows_table(struct ctl *ctl, struct uuid project, const char *service, const char *table,
                      const struct tenant_sink *sink, struct error *err) MUST_USE;

/* Fails for an unknown table, or if its daemon deleted the project recently. Parks. */
int tenant_rows_check(struct ctl *ctl, struct uuid project, const char *name,
                      struct error *err) MUST_USE;

/* Splits "service.table". Fails for a daemon without tables. */
int tenant_table_split(struct arena *arena, const char *name, const char **ret_service,
                       const char **ret_table, struct error *err) MUST_USE;

#endif
