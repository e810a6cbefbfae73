/*
 * project_hold.h - the daemons keep what they have of a project as it is: it is read-only
 * (common/service/project_read_only.h).
 */
#ifndef ATRIUM_CTL_PROJECT_HOLD_H
#define ATRIUM_CTL_PROJECT_HOLD_H

#include "ctl/ctl.h"

struct project_suspend_in;

/* Ends the read-only state in all daemons but settingsd, whose rows project_suspend removes last.
 * Parks. */
int project_release(struct ctl *ctl, struct uuid project, struct error *err) MUST_USE;

/* Fails unless the project is read-only in all daemons, and no write is in progress. Parks. */
int project_hold_check(struct ctl *ctl, struct uuid project, struct error *err) MUST_USE;

/* Makes a project read-only, in settingsd first: *ret_begun if it was not. A failure or Ctrl-C
 * undoes that. Parks. */
int project_hold_begin(struct ctl *ctl, struct tenant *tenant, bool *ret_begun,
                       struct error *err) MUST_USE;

/* Ends the read-only state and a suspension, in settingsd last. Parks. */
int project_hold_end(struct ctl *ctl, struct tenant *tenant, struct error *err) MUST_USE;

/* The same after a failure: keeps its error, and adds what to do if this fails, too. Always -1.
 * Parks. */
int project_hold_undo(struct ctl *ctl, const struct tenant *tenant, struct error *err) MUST_USE;

/* Writes settingsd's part. The guards need the lock of a table and may take several attempts; a
 * failed one changes nothing. Parks. */
int project_hold_suspend(struct ctl *ctl, const struct project_suspend_in *in, struct tenant *ret,
                         struct error *err) MUST_USE;

#endif
