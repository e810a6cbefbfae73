/* ports.h - the listening sockets of a development suite, on 127.0.0.1. */
#ifndef ATRIUM_DEV_PORTS_H
#define ATRIUM_DEV_PORTS_H

#include "common/base/base.h"
#include "common/base/error.h"

/* Opens `count` sockets listening on one port (0: a free one, in *port); the kernel spreads
 * connections. They stay open here, so that a killed process' queue waits for its successor. Closed
 * on exec. */
int ports_listen(int *port, int *sockets, size_t count, struct error *err) MUST_USE;

#endif
