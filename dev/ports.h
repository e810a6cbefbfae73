/*
 * ports.h - the listening sockets of a development suite, on 127.0.0.1.
 */
#ifndef ATRIUM_DEV_PORTS_H
#define ATRIUM_DEV_PORTS_H

#include "common/base/base.h"
#include "common/base/error.h"

/* Opens `count` sockets that listen on the same port (0: a free one, then *port says which); the
 * kernel spreads connections over them. They stay open here: when the process that accepts from one
 * is killed, its queue waits for the successor. Descriptors are closed on exec. */
int ports_listen(int *port, int *sockets, size_t count, struct error *err) MUST_USE;

#endif
