/*
 * http.h - a libmicrohttpd daemon in the loop.
 *
 * It has external epoll and no threads, so callbacks run on the loop's stack.
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
    int socket; /* http_close() closes it */
    unsigned connections_max;
    unsigned idle_timeout_s; /* without bytes either way */
    void *arg;
    /* The result becomes *request of the other callbacks. */
    void *(*begin)(void *arg, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback request;
    MHD_RequestCompletedCallback end;
    MHD_NotifyConnectionCallback connection;
};

/* Borrows the arena. NULL: libmicrohttpd failed. */
struct http *http_open(struct loop *loop, struct arena *arena, const struct http_options *options,
                       struct error *err);

void http_resume(struct http *self, struct MHD_Connection *connection);

void http_quiesce(struct http *self);
size_t http_connections(const struct http *self);
void http_close(struct http **self_p);

#endif
