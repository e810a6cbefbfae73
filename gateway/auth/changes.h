/*
 * changes.h - what other daemons tell the gateway while it runs, and the lease that proves it.
 *
 * With each renewal an authd returns every change since the gateway's number; announcements bring
 * them sooner. Without a live lease the gateway cannot know who logged out, and must refuse.
 */
#ifndef ATRIUM_GATEWAY_AUTH_CHANGES_H
#define ATRIUM_GATEWAY_AUTH_CHANGES_H

#include "common/domain/request.h"

struct gateway;

/* Subscribes to announcements; the first renewal comes as soon as an authd is there. */
void changes_start(struct gateway *gateway);

#endif
