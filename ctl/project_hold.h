/*
 * project_hold.h - makes a project read-only in all daemons (common/service/project_read_only.h).
 */
#ifndef ATRIUM_CTL_PROJECT_HOLD_H
#define ATRIUM_CTL_PROJECT_HOLD_H

#include "ctl/ctl.h"

struct project_suspend_in;

/* Ends the read-only state in all daemons but settingsd. Parks. */
int project_release(struct ctl *ctl, struct uuid project, struct error *err) MUST_USE;

/* Fails unless all daemons are read-only, without a write in progress. Parks. */
int project_hold_check(struct ctl *ctl, struct uuid project, struct error *err) MUST_USE;

/* Makes a project read-only, first in settingsd. *ret_begun: it was not read-only before. A failure
 * or Ctrl-C undoes it. Parks. */
int project_hold_begin(struct ctl *ctl, struct tenant *tenant, bool *ret_begun,
                       struct error *err) MUST_USE;

/* Ends the read-only state and a suspension, last in settingsd. Parks. */
int project_hold_end(struct ctl *ctl, struct tenant *tenant, struct error *err) MUST_USE;

/* Ends the read-only state after a failure, and adds advice if that fails too. Always -1. Parks. */
int project_hold_undo(struct ctl *ctl, const struct tenant *tenant, struct error *err) MUST_USE;

/* Changes settingsd's state. Retries for a table lock; a failed attempt changes nothing. Parks. */
int project_hold_suspend(struct ctl *ctl, const struct project_suspend_in *in, struct tenant *ret,
                         struct error *err) MUST_USE;

#endif
