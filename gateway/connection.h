/*
 * connection.h - one client's socket: its address, and how long it may take over what it is doing.
 *
 * libmicrohttpd closes sockets that are silent; a client that sends one byte every few seconds is never
 * silent.  Each phase of a connection therefore has an end of its own.
 */
#ifndef ATRIUM_GATEWAY_CONNECTION_H
#define ATRIUM_GATEWAY_CONNECTION_H

#include <microhttpd.h>

#include "gateway/address.h"

enum connection_phase {
    CONNECTION_IDLE,    /* between requests, or sending a request's header */
    CONNECTION_READING, /* its request's body is coming in */
    CONNECTION_WORKING, /* the answer is being made: bounded by deadlines elsewhere */
    CONNECTION_WRITING, /* the answer goes out */
};

struct connection {
    struct connection *next, **link;
    int fd;
    enum connection_phase phase;
    int64_t since_ms; /* monotonic: of the phase */
    int64_t more_ms;  /* that this phase may take beyond the usual */
    struct address peer;
};

/* All connections of one listener; zero-initialised is empty. */
struct connections {
    struct connection *head;
};

struct connection *connection_new(struct connections *all, struct MHD_Connection *connection,
                                  int64_t mono_ms);
void connection_destroy(struct connection **self_p);
void connection_enter(struct connection *self, enum connection_phase phase, int64_t mono_ms);

/* The phase may take as long as `bytes` need on a slow line. */
void connection_allow(struct connection *self, int64_t bytes);

/* Shuts the sockets down whose phase took too long or whose client has hung up; libmicrohttpd sees the end and
 * closes them. */
void connections_sweep(struct connections *all, int64_t mono_ms);

#endif
