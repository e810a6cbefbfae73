/*
 * sweep.h - forgets what is over, a bounded number of rows in a statement.
 */
#ifndef ATRIUM_AUTHD_SWEEP_H
#define ATRIUM_AUTHD_SWEEP_H

#include "common/domain/request.h"

/* Forgets logins, links, spent links, invitations, throttles, known addresses, changes, keys and
 * sessions that are over, until none is left; for service_every(). */
int sweep_run(void *daemon, const struct request *req, struct error *err);

#endif
