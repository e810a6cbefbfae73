/*
 * changes.h - what other daemons tell the gateway while it runs, and the lease that proves it was
 * told.
 *
 * Any authd returns, with each renewal of the lease, every change since the number that the gateway
 * holds. Announcements bring the same changes sooner.  A gateway whose lease has run out does not
 * know who was logged out, and must refuse.
 */
#ifndef ATRIUM_GATEWAY_AUTH_CHANGES_H
#define ATRIUM_GATEWAY_AUTH_CHANGES_H

#include "common/domain/request.h"

struct gateway;

/* Subscribes to announcements; the first renewal comes as soon as an authd is there. */
void changes_start(struct gateway *gateway);

#endif
