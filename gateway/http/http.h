/*
 * http.h - a libmicrohttpd daemon in the loop.
 *
 * It uses external epoll without threads, so all callbacks run on the loop's stack.
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
    int socket; /* listening; http_close() closes it */
    unsigned connections_max;
    unsigned idle_timeout_s; /* without bytes in either direction */
    void *arg;               /* first argument of all callbacks */
    /* Called after the request line; the result becomes *request of the other callbacks. */
    void *(*begin)(void *arg, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback request;
    MHD_RequestCompletedCallback end;
    MHD_NotifyConnectionCallback connection;
};

/* Returns NULL if libmicrohttpd fails. The struct is in the arena, which must outlive it. */
struct http *http_open(struct loop *loop, struct arena *arena, const struct http_options *options,
                       struct error *err);

/* Resumes a suspended connection at the end of this turn. */
void http_resume(struct http *self, struct MHD_Connection *connection);

void http_quiesce(struct http *self);
size_t http_connections(const struct http *self);
void http_close(struct http **self_p);

#endif
