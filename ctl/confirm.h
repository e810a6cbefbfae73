/* confirm.h - asks for confirmation before a permanent deletion. */
#ifndef ATRIUM_CTL_CONFIRM_H
#define ATRIUM_CTL_CONFIRM_H

#include "ctl/ctl.h"

/* Returns 0 with --yes, or when `name` is typed at a terminal; otherwise ERR_BAD_REQUEST. */
int confirm(struct ctl *ctl, const char *question, const char *name, struct error *err) MUST_USE;

#endif
