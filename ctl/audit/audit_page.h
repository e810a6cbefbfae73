/* audit_page.h - the audit trail of a daemon, page by page. */
#ifndef ATRIUM_CTL_AUDIT_AUDIT_PAGE_H
#define ATRIUM_CTL_AUDIT_AUDIT_PAGE_H

#include "common/service/service.h"
#include "ctl/ctl.h"

/* Reads a page of the daemon's trail, in the arena; `kept` is false if it has none. Parks. */
int audit_page_fetch(struct ctl *ctl, const char *service, const struct audit_page_in *in,
                     struct arena *arena, struct audit_page_out *ret, struct error *err) MUST_USE;

#endif
