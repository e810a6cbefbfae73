/*
 * sweep.h - deletes expired rows, a bounded number per statement.
 */
#ifndef ATRIUM_AUTHD_SWEEP_H
#define ATRIUM_AUTHD_SWEEP_H

#include "common/domain/request.h"

/* Deletes all expired logins, links, spent links, invitations, throttle counts, known addresses,
 * changes, keys and sessions. For service_every(). */
int sweep_run(void *daemon, const struct request *req, struct error *err);

#endif
