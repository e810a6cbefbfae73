/*
 * connection.h - a client's socket.
 *
 * libmicrohttpd limits only silence, so each phase has a time limit here. A client's longest idle
 * connections are closed above its limit. On a crowded listener, a new connection replaces the
 * longest idle one.
 */
#ifndef ATRIUM_GATEWAY_HTTP_CONNECTION_H
#define ATRIUM_GATEWAY_HTTP_CONNECTION_H

#include <microhttpd.h>

#include "gateway/http/client.h"
#include "gateway/http/framing.h"
#include "gateway/http/mhd_epoll.h"

enum connection_phase {
    CONNECTION_IDLE, /* between requests, or in a header */
    CONNECTION_READING,
    CONNECTION_WORKING, /* making the answer, which has other deadlines */
    CONNECTION_WRITING,
};

enum { IDLE_LISTS = 3 }; /* client, its /48, listener */

struct idle_link {
    struct idle_list *list;
    struct connection *previous, *next;
};

struct exchange;

struct connection {
    struct connections *all;
    struct connection *next, **link;
    struct MHD_Connection *mhd;
    struct exchange *exchange;
    struct http_client *client; /* NULL: a proxy, or the admin listener */
    struct idle_link idle[IDLE_LISTS];
    struct mhd_epoll edge;
    struct framing framing;
    uint64_t ended; /* requests finished by libmicrohttpd */
    int fd;
    enum connection_phase phase;
    int64_t since_ms; /* start of the phase, monotonic */
    int64_t more_ms;  /* extends this phase */
    int64_t head_ms;  /* when the sweep saw a header begin; 0: none */
    int64_t moved_ms; /* when the sweep last saw progress */
    uint64_t moved;   /* bytes that went either way in this phase */
    uint64_t counted; /* value of `moved` at the time `moved_ms` */
    off_t file_end;   /* answer's end in its file; see mhd_socket.c */
    struct address peer;
    bool answering; /* libmicrohttpd sends the gateway's answer */
    bool begun;     /* bytes came since the last answer */
    bool over;      /* the client stopped sending */
    bool cut;       /* the last answer was sent; libmicrohttpd's is dropped */
    bool closing;   /* shut down and no longer counted */
};

struct connections {
    struct connection *head;
    size_t count, max;
    size_t client_max;     /* 0: unlimited */
    int64_t keep_alive_ms; /* between requests */
    struct clients *clients;
    const struct address_networks *trusted; /* proxies, which don't count as clients */
    struct idle_list idle, idle_trusted;
    uint64_t *evicted; /* closed to make room */
    void *arg;
    /* Replaces an answer that libmicrohttpd made itself. */
    void (*refused)(struct connection *connection, int status);
    /* Called when a body stalls, is too slow or ends early. True: an error was sent, so close.
     * False: an error can't be sent yet (R_SLOW_ERRORS). */
    bool (*unfinished)(struct connection *connection);
};

struct connection *connection_new(struct connections *all, struct MHD_Connection *connection,
                                  int64_t mono_ms);
void connection_destroy(struct connection **self_p);

void connection_enter(struct connection *self, enum connection_phase phase, int64_t mono_ms);

/* Extends the phase for `bytes` on a slow line. */
void connection_allow(struct connection *self, int64_t bytes);

/* Sends the bytes as they are, and closes. */
void connection_cut(struct connection *self, const char *bytes, size_t size);

/* Shuts down sockets whose phase took too long or whose client left, for libmicrohttpd to close.
 * `thorough`: checks idle ones for clients that left, too. Called every second. */
void connections_sweep(struct connections *all, int64_t mono_ms, bool thorough);

#endif
