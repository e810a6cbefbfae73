/*
 * mhd_epoll.h - saves three system calls per suspended request.
 *
 * libmicrohttpd 0.9.75 removes the socket from the epoll set, adds it again and reads in vain.
 * Edge-triggered it can stay, if events are remembered. So mhd_epoll.c replaces epoll_ctl() and
 * epoll_wait() for the descriptors below and the sockets of mhd_socket.h.
 */
#ifndef ATRIUM_GATEWAY_HTTP_MHD_EPOLL_H
#define ATRIUM_GATEWAY_HTTP_MHD_EPOLL_H

#include <sys/types.h>

#include "common/base/base.h"

struct connection;

struct mhd_epoll {
    int epoll;       /* libmicrohttpd's descriptor, set with `in_kernel` */
    void *data;      /* event data for libmicrohttpd */
    uint32_t events; /* requested by libmicrohttpd */
    /* Makes the kernel report unread bytes again. NULL: never added. */
    void (*repeat)(struct connection *connection, int fd);
    bool in_kernel;  /* in the epoll set */
    bool in_library; /* in the epoll set, as libmicrohttpd believes */
    bool drained;    /* all bytes were read; the kernel reports new ones */
    bool over;       /* the client stopped sending, or the socket broke */
    bool missed;     /* libmicrohttpd missed an event */
};

enum { EPOLLS_MAX = 8 };
void mhd_epoll_use(int epoll);
void mhd_epoll_forget(int epoll);

/* `ask` false: epoll_wait() returns nothing, without a system call. */
void mhd_epoll_ask(int epoll, bool ask);
void mhd_epoll_end(struct mhd_epoll *self, int fd);

#endif
