/*
 * project_hold.h - the daemons keep what they have of a project as it is: it is read-only
 * (common/service/hold.h).
 */
#ifndef ATRIUM_CTL_PROJECT_HOLD_H
#define ATRIUM_CTL_PROJECT_HOLD_H

#include "ctl/ctl.h"

/* Asks all daemons to, for a project and those below it; settingsd and the gateways know. When it
 * succeeds, none of what travels changes any more. A daemon that is gone, or gets no
 * locks, is waited for (CTL_BUS_RETRY_MS). Those asked before one that fails keep it. Parks. */
int project_hold(struct ctl *ctl, struct uuid project, struct error *err) MUST_USE;

/* Ends that in all daemons but settingsd, whose rows project_suspend removes: so as long as one of
 * them has such rows settingsd says that the project is read-only. Parks. */
int project_release(struct ctl *ctl, struct uuid project, struct error *err) MUST_USE;

/* Fails unless all daemons have the project read-only, and no write of before is under way.
 * Parks. */
int project_hold_check(struct ctl *ctl, struct uuid project, struct error *err) MUST_USE;

#endif
