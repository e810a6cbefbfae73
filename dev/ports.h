/* ports.h - a development suite's listening sockets on 127.0.0.1. */
#ifndef ATRIUM_DEV_PORTS_H
#define ATRIUM_DEV_PORTS_H

#include "common/base/base.h"
#include "common/base/error.h"

/* Opens `count` sockets on one port (0: any). They stay open, so that connections of a killed
 * process wait. Closed on exec. */
int ports_listen(int *port, int *sockets, size_t count, struct error *err) MUST_USE;

#endif
