/*
 * http.h - one libmicrohttpd daemon inside the loop.
 *
 * In external epoll mode, without threads: all callbacks come on the loop's own stack.
 */
#ifndef ATRIUM_GATEWAY_HTTP_HTTP_H
#define ATRIUM_GATEWAY_HTTP_HTTP_H

#include <microhttpd.h>

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"
#include "common/runtime/loop.h"

struct http;

struct http_options {
    int socket; /* listening; closed by http_close() */
    unsigned connections_max;
    unsigned idle_timeout_s; /* without any byte in either direction */
    void *arg;               /* first argument of the callbacks */
    /* The request line was read; what it returns becomes *request of the other callbacks. */
    void *(*begin)(void *arg, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback request;
    MHD_RequestCompletedCallback end;
    MHD_NotifyConnectionCallback connection;
};

/* NULL: libmicrohttpd refuses. The struct is the arena's, which must outlive the loop's use. */
struct http *http_open(struct loop *loop, struct arena *arena, const struct http_options *options,
                       struct error *err);

/* Resumes a suspended connection; libmicrohttpd runs at the end of this turn. */
void http_resume(struct http *self, struct MHD_Connection *connection);

/* Accepts no more connections; those that are open are served on. */
void http_quiesce(struct http *self);

size_t http_connections(const struct http *self);

/* Closes all connections. None may be suspended. */
void http_close(struct http **self_p);

#endif
