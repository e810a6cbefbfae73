/*
 * audit_address.h - decrypts network addresses in audit rows with authd (docs/audit.md).
 */
#ifndef ATRIUM_CTL_AUDIT_AUDIT_ADDRESS_H
#define ATRIUM_CTL_AUDIT_AUDIT_ADDRESS_H

#include "common/service/audit_address.h"
#include "ctl/ctl.h"

/* Decrypts addresses. ret[i] is "" if erased with its account; NULL: no authd was ever started.
 * Parks. */
int audit_addresses_open(struct ctl *ctl, struct arena *arena, const struct audit_sealed *sealed,
                         size_t count, const char **ret, struct error *err) MUST_USE;

/* Decrypts the addresses in a page's events (struct audit_record). Parks. */
int audit_addresses_show(struct ctl *ctl, struct arena *arena, struct field_list *records,
                         struct error *err) MUST_USE;

#endif
