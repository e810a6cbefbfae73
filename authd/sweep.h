/*
 * sweep.h - forgets what is over, a bounded number of rows at a time.
 */
#ifndef ATRIUM_AUTHD_SWEEP_H
#define ATRIUM_AUTHD_SWEEP_H

#include "common/request.h"

/* One pass over logins, links, throttles, known addresses, changes, keys and sessions; for
 * service_every(). */
int sweep_run(void *daemon, const struct request *req, struct error *err);

#endif
