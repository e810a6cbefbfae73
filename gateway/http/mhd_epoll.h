/*
 * mhd_epoll.h - spares system calls that libmicrohttpd makes for each suspended request.
 *
 * libmicrohttpd 0.9.75 takes the socket of a request that is suspended out of its epoll set and
 * puts it back in behind the answer, and reads it in vain in between: three system calls. The
 * socket may as well stay in the set, since it is watched for edges: what happens meanwhile is kept
 * from libmicrohttpd, and remembered. So mhd_epoll.c defines epoll_ctl() and epoll_wait(), which
 * the dynamic linker prefers to the C library's, as mhd_socket.c does with recv(). They are system
 * calls and nothing else, but for the epoll descriptors named here and the sockets that
 * mhd_socket.h watches.
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

/* From now on until mhd_epoll_forget() this is an epoll descriptor of libmicrohttpd; on the loop's
 * thread. At most EPOLLS_MAX. */
enum { EPOLLS_MAX = 8 };
void mhd_epoll_use(int epoll);
void mhd_epoll_forget(int epoll);

/* Whether epoll_wait() asks the kernel for what happened to that descriptor's sockets. If not it
 * says "nothing": the next turn of the loop tells. */
void mhd_epoll_ask(int epoll, bool ask);

/* The socket is watched no more: libmicrohttpd is about to close it. */
void mhd_epoll_end(struct mhd_epoll *self, int fd);

#endif
