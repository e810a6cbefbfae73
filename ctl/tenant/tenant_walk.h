/*
 * tenant_walk.h - all that an installation has of a tenant: its rows (ctl/tenant/tenant_rows.h),
 * and the bytes of its documents as one more table (ctl/tenant/tenant_bytes.h).
 */
#ifndef ATRIUM_CTL_TENANT_TENANT_WALK_H
#define ATRIUM_CTL_TENANT_TENANT_WALK_H

#include "ctl/tenant/tenant_bytes.h"
#include "ctl/tenant/tenant_invited.h"
#include "ctl/tenant/tenant_rows.h"

enum { TENANT_HEAD_FORMAT = 1 }; /* of the JSON object at the file's head */

/* Hands over all rows of a project, and behind them the bytes of its documents from that place on
 * (NULL: none of them), as tenant_rows_walk() does. Parks. */
int tenant_walk(struct ctl *ctl, struct uuid project, const struct tenant_bytes_place *bytes,
                const struct tenant_sink *sink, struct progress *progress,
                struct error *err) MUST_USE;

/* The sums of what tenant_walk() hands over, but for rows of those who were invited (NULL: none).
 * Parks. */
int tenant_walk_sums(struct ctl *ctl, struct uuid project, bool bytes,
                     struct tenant_invited *except, struct tenant_summing *ret,
                     struct progress *progress, struct error *err) MUST_USE;

/* The sum of a table; NULL: there is none. */
const struct tenant_sum *tenant_sums_find(const struct tenant_sums *self, const char *table);

bool tenant_sum_same(const struct tenant_sum *one, const struct tenant_sum *two);

/* The file of the seal key whose pair opens what was exported to this installation: settingsd's,
 * below --keys, the development suite or /etc/atrium. */
int tenant_keys_load(struct ctl *ctl, struct seal_keys *ret, struct error *err) MUST_USE;

/* A table for each line: rows and bytes. With --json as member "tables" of *json. */
void tenant_sums_show(struct ctl *ctl, const struct tenant_sums *sums, json_t *json);

#endif
