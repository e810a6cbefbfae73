/* listen.h - sockets that clients connect to. */
#ifndef ATRIUM_GATEWAY_HTTP_LISTEN_H
#define ATRIUM_GATEWAY_HTTP_LISTEN_H

#include "common/base/base.h"
#include "common/base/error.h"

enum { LISTEN_MAX = 8 };

struct listen_socket {
    int fd;
    bool admin;
};

/* Inherits them (sd_listen_fds(3); "admin" is the admin listener's), or listens on "ADDRESS:PORT"
 * or "[v6]:PORT". An empty admin address means none. */
int listen_sockets(const char *public_address, const char *admin_address,
                   struct listen_socket ret[static LISTEN_MAX], size_t *ret_count,
                   struct error *err) MUST_USE;

#endif
