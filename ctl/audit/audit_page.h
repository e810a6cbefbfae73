/* audit_page.h - reads a daemon's audit log by page. */
#ifndef ATRIUM_CTL_AUDIT_AUDIT_PAGE_H
#define ATRIUM_CTL_AUDIT_AUDIT_PAGE_H

#include "common/service/service.h"
#include "ctl/ctl.h"

/* Reads a page. `kept` false: the daemon has no log. Parks. */
int audit_page_fetch(struct ctl *ctl, const char *service, const struct audit_page_in *in,
                     struct arena *arena, struct audit_page_out *ret, struct error *err) MUST_USE;

#endif
