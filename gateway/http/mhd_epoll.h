/*
 * mhd_epoll.h - saves three system calls of libmicrohttpd per suspended request.
 *
 * libmicrohttpd 0.9.75 removes the socket from the epoll set, adds it again and reads in vain. With
 * edge triggering it can stay: events in between are remembered. mhd_epoll.c overrides the C
 * library's epoll_ctl() and epoll_wait(). They are plain system calls except for these descriptors
 * and the sockets of mhd_socket.h.
 */
#ifndef ATRIUM_GATEWAY_HTTP_MHD_EPOLL_H
#define ATRIUM_GATEWAY_HTTP_MHD_EPOLL_H

#include <sys/types.h>

#include "common/base/base.h"

struct connection;

struct mhd_epoll {
    int epoll;       /* libmicrohttpd's descriptor, valid if `in_kernel` */
    void *data;      /* libmicrohttpd's event data */
    uint32_t events; /* requested by libmicrohttpd */
    /* Makes the kernel report readable bytes again. NULL: the socket was never in the epoll set. */
    void (*repeat)(struct connection *connection, int fd);
    bool in_kernel;  /* the socket is in the epoll set */
    bool in_library; /* libmicrohttpd believes so too */
    bool drained;    /* all bytes were read, and the kernel would report more */
    bool over;       /* the client stopped sending, or the connection broke */
    bool missed;     /* an event was hidden from libmicrohttpd */
};

/* Registers libmicrohttpd's epoll descriptor until mhd_epoll_forget(). */
enum { EPOLLS_MAX = 8 };
void mhd_epoll_use(int epoll);
void mhd_epoll_forget(int epoll);

/* If `ask` is false, epoll_wait() returns no events without a system call. */
void mhd_epoll_ask(int epoll, bool ask);
void mhd_epoll_end(struct mhd_epoll *self, int fd);

#endif
