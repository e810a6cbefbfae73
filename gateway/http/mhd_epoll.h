/*
 * mhd_epoll.h - spares three system calls that libmicrohttpd makes for each suspended request.
 *
 * libmicrohttpd 0.9.75 takes its socket out of the epoll set, puts it back and reads in vain.
 * Edge-triggered it can stay in: events meanwhile are remembered. mhd_epoll.c defines epoll_ctl()
 * and epoll_wait() over the C library's; they are plain system calls except for the descriptors
 * named here and the sockets of mhd_socket.h.
 */
#ifndef ATRIUM_GATEWAY_HTTP_MHD_EPOLL_H
#define ATRIUM_GATEWAY_HTTP_MHD_EPOLL_H

#include <sys/types.h>

#include "common/base/base.h"

struct connection;

/* What the kernel and libmicrohttpd know of a socket. */
struct mhd_epoll {
    int epoll;       /* of libmicrohttpd, that has the socket; meaningless unless `in_kernel` */
    void *data;      /* libmicrohttpd's word for it */
    uint32_t events; /* that it wants */
    /* Has the kernel tell once more of what is there to be read; NULL: the socket was never in. */
    void (*repeat)(struct connection *connection, int fd);
    bool in_kernel;  /* the socket is in the epoll set */
    bool in_library; /* ... and libmicrohttpd thinks so too */
    bool drained;    /* all that came was read, and the kernel would tell of more */
    bool over;       /* the client sends no more, or the connection is broken */
    bool missed;     /* something happened that libmicrohttpd was not told */
};

/* Until mhd_epoll_forget() it is libmicrohttpd's epoll descriptor; at most EPOLLS_MAX. */
enum { EPOLLS_MAX = 8 };
void mhd_epoll_use(int epoll);
void mhd_epoll_forget(int epoll);

/* Whether epoll_wait() asks the kernel; if not it returns nothing until the next turn. */
void mhd_epoll_ask(int epoll, bool ask);

void mhd_epoll_end(struct mhd_epoll *self, int fd);

#endif
