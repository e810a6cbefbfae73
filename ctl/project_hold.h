/*
 * project_hold.h - the daemons keep what they have of a project as it is: it is read-only
 * (common/service/project_read_only.h).
 */
#ifndef ATRIUM_CTL_PROJECT_HOLD_H
#define ATRIUM_CTL_PROJECT_HOLD_H

#include "ctl/ctl.h"

struct project_suspend_in;

/* Ends the read-only state in all daemons but settingsd, whose rows project_suspend removes: so as
 * long as one of them has such rows settingsd says that the project is read-only. Parks. */
int project_release(struct ctl *ctl, struct uuid project, struct error *err) MUST_USE;

/* Fails unless all daemons have the project read-only, and no write of before is under way.
 * Parks. */
int project_hold_check(struct ctl *ctl, struct uuid project, struct error *err) MUST_USE;

/* Makes a project that project_find() has found read-only, in settingsd first: *ret_begun, when it
 * was not so before. Where a daemon cannot be asked, or Ctrl-C came, that is undone, unless it was
 * so before. Parks. */
int project_hold_begin(struct ctl *ctl, struct tenant *tenant, bool *ret_begun,
                       struct error *err) MUST_USE;

/* Ends the read-only state, and a suspension: settingsd is the last that does. Parks. */
int project_hold_end(struct ctl *ctl, struct tenant *tenant, struct error *err) MUST_USE;

/* The same behind a failure, whose error it keeps, with what the operator is to do where this fails
 * too. Always -1. Parks. */
int project_hold_undo(struct ctl *ctl, const struct tenant *tenant, struct error *err) MUST_USE;

/* What settingsd keeps of it. The lock of a table, which turning the guards on or off needs, may be
 * had only at another try; a try that fails has changed nothing. Parks. */
int project_hold_suspend(struct ctl *ctl, const struct project_suspend_in *in, struct tenant *ret,
                         struct error *err) MUST_USE;

#endif
