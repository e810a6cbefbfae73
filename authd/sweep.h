/*
 * sweep.h - deletes expired rows, a bounded number per statement.
 */
#ifndef ATRIUM_AUTHD_SWEEP_H
#define ATRIUM_AUTHD_SWEEP_H

#include "common/domain/request.h"

/* Deletes all expired rows. For service_every(). */
int sweep_run(void *daemon, const struct request *req, struct error *err);

#endif
