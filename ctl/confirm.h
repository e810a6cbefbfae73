/* confirm.h - asks for confirmation before something is deleted for good. */
#ifndef ATRIUM_CTL_CONFIRM_H
#define ATRIUM_CTL_CONFIRM_H

#include "ctl/ctl.h"

/* 0 with --yes, or when `name` is typed at a terminal. Otherwise ERR_BAD_REQUEST: scripts use
 * --yes. */
int confirm(struct ctl *ctl, const char *question, const char *name, struct error *err) MUST_USE;

#endif
