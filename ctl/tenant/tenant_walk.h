/*
 * tenant_walk.h - walks through the rows of a tenant (ctl/tenant/tenant_rows.h), then through its
 * documents' bytes (ctl/tenant/tenant_bytes.h).
 */
#ifndef ATRIUM_CTL_TENANT_TENANT_WALK_H
#define ATRIUM_CTL_TENANT_TENANT_WALK_H

#include "ctl/tenant/tenant_bytes.h"
#include "ctl/tenant/tenant_invited.h"
#include "ctl/tenant/tenant_rows.h"

enum { TENANT_HEAD_FORMAT = 1 }; /* version of the file's head */

/* Passes rows, then documents' bytes from `bytes` on (NULL: none). Parks. */
int tenant_walk(struct ctl *ctl, struct uuid project, const struct tenant_bytes_place *bytes,
                const struct tenant_sink *sink, struct progress *progress,
                struct error *err) MUST_USE;

/* Computes sums without the rows of `except` (NULL: none). Parks. */
int tenant_walk_sums(struct ctl *ctl, struct uuid project, bool bytes,
                     struct tenant_invited *except, struct tenant_summing *ret,
                     struct progress *progress, struct error *err) MUST_USE;

/* Returns a table's sum, or NULL. */
const struct tenant_sum *tenant_sums_find(const struct tenant_sums *self, const char *table);

bool tenant_sum_same(const struct tenant_sum *one, const struct tenant_sum *two);

/* Loads settingsd's keys: in --keys, the development suite or /etc/atrium. */
int tenant_keys_load(struct ctl *ctl, struct seal_keys *ret, struct error *err) MUST_USE;

/* Prints rows and bytes per table. With --json adds the member "tables". */
void tenant_sums_show(struct ctl *ctl, const struct tenant_sums *sums, json_t *json);

#endif
