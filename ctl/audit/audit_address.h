/*
 * audit_address.h - network addresses in rows of the audit trails, for operators: authd opens what
 * is sealed (docs/audit.md).
 */
#ifndef ATRIUM_CTL_AUDIT_AUDIT_ADDRESS_H
#define ATRIUM_CTL_AUDIT_AUDIT_ADDRESS_H

#include "common/service/audit_address.h"
#include "ctl/ctl.h"

/* ret[i]: the address; "": erased with its account; NULL: no authd was ever started. From the
 * arena. Parks. */
int audit_addresses_open(struct ctl *ctl, struct arena *arena, const struct audit_sealed *sealed,
                         size_t count, const char **ret, struct error *err) MUST_USE;

/* The events of a page of records (struct audit_record) as audit_address_show() has them. Parks. */
int audit_addresses_show(struct ctl *ctl, struct arena *arena, struct field_list *records,
                         struct error *err) MUST_USE;

#endif
