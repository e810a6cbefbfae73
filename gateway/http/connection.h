/*
 * connection.h - a client's socket, its phase and the time limit of each phase.
 *
 * libmicrohttpd times out only silent connections, so each phase has a limit of its own. Above a
 * client's connection limit, its longest idle ones are closed. When the listener is crowded, a new
 * connection replaces the longest idle one.
 */
#ifndef ATRIUM_GATEWAY_HTTP_CONNECTION_H
#define ATRIUM_GATEWAY_HTTP_CONNECTION_H

#include <microhttpd.h>

#include "gateway/http/client.h"
#include "gateway/http/framing.h"
#include "gateway/http/mhd_epoll.h"

enum connection_phase {
    CONNECTION_IDLE,    /* between requests, or receiving a header */
    CONNECTION_READING, /* receiving a body */
    CONNECTION_WORKING, /* preparing the answer, limited by other deadlines */
    CONNECTION_WRITING, /* sending the answer */
};

enum { IDLE_LISTS = 3 }; /* the client's, its /48's, the listener's */

struct idle_link {
    struct idle_list *list; /* NULL: in no list */
    struct connection *previous, *next;
};

struct exchange;

struct connection {
    struct connections *all;
    struct connection *next, **link;
    struct MHD_Connection *mhd;
    struct exchange *exchange;  /* current request */
    struct http_client *client; /* counted client; NULL for proxies and admins */
    struct idle_link idle[IDLE_LISTS];
    struct mhd_epoll edge;
    struct framing framing;
    uint64_t ended; /* requests that libmicrohttpd has finished */
    int fd;
    enum connection_phase phase;
    int64_t since_ms; /* monotonic start of the phase */
    int64_t more_ms;  /* extra time for this phase */
    int64_t head_ms;  /* when the sweep first saw bytes of a header; 0: none */
    int64_t moved_ms; /* when the sweep last saw enough progress */
    uint64_t moved;   /* bytes in this phase, both directions */
    uint64_t counted; /* `moved` as of moved_ms */
    off_t file_end;   /* end of the answer in its file; see mhd_socket.c */
    struct address peer;
    bool answering; /* libmicrohttpd is sending an answer of the gateway */
    bool begun;     /* bytes arrived since the last answer */
    bool over;      /* the client stopped sending */
    bool cut;       /* the last answer was sent; drop libmicrohttpd's bytes */
    bool closing;   /* shut down and no longer counted */
};

struct connections {
    struct connection *head;
    size_t count, max;
    size_t client_max;     /* per client; 0: unlimited */
    int64_t keep_alive_ms; /* limit between two requests */
    struct clients *clients;
    const struct address_networks *trusted; /* proxies, whose connections count for no client */
    struct idle_list idle, idle_trusted;
    uint64_t *evicted; /* metric: closed to make room */
    void *arg;         /* for the callbacks: */
    /* Replaces libmicrohttpd's own answer of this status; see mhd_socket.h. */
    void (*refused)(struct connection *connection, int status);
    /* The body stalled, is slow or ended early. Returns true after answering (close now), false if
     * it is too early to close. */
    bool (*unfinished)(struct connection *connection);
};

/* Counts a new connection and closes idle ones above the limits. */
struct connection *connection_new(struct connections *all, struct MHD_Connection *connection,
                                  int64_t mono_ms);
void connection_destroy(struct connection **self_p);

/* Starts a phase and its time limit. */
void connection_enter(struct connection *self, enum connection_phase phase, int64_t mono_ms);

/* Extends the phase by the time that `bytes` take on a slow line. */
void connection_allow(struct connection *self, int64_t bytes);

/* Sends these wire bytes as the last answer and closes. */
void connection_cut(struct connection *self, const char *bytes, size_t size);

/* Shuts down sockets whose phase took too long or whose client hung up; libmicrohttpd then closes
 * them. `thorough`: also checks if idle clients hung up. Called every second. */
void connections_sweep(struct connections *all, int64_t mono_ms, bool thorough);

#endif
