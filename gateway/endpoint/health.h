/* health.h - the answers that need no daemon. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_HEALTH_H
#define ATRIUM_GATEWAY_ENDPOINT_HEALTH_H

struct exchange;

/* 200 without a body, also while every daemon is down: the partner health checks and /healthz. */
void health_serve(struct exchange *exchange);

#endif
