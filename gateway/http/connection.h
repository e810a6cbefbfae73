/*
 * connection.h - one client's socket: its address, its phase, and how long that may take.
 *
 * libmicrohttpd times out silence only, so each phase has an end of its own. A client has a limit
 * of connections, beyond which its longest idle ones are closed; when places are few a new one
 * replaces the longest idle.
 */
#ifndef ATRIUM_GATEWAY_HTTP_CONNECTION_H
#define ATRIUM_GATEWAY_HTTP_CONNECTION_H

#include <microhttpd.h>

#include "gateway/http/client.h"
#include "gateway/http/framing.h"
#include "gateway/http/mhd_epoll.h"

enum connection_phase {
    CONNECTION_IDLE,    /* between requests, or sending a request's header */
    CONNECTION_READING, /* its request's body is coming in */
    CONNECTION_WORKING, /* the answer is being made: bounded by deadlines elsewhere */
    CONNECTION_WRITING, /* the answer goes out */
};

enum { IDLE_LISTS = 3 }; /* of the client, of its /48, of the listener */

struct idle_link {
    struct idle_list *list; /* NULL: in none */
    struct connection *previous, *next;
};

struct exchange;

struct connection {
    struct connections *all;
    struct connection *next, **link;
    struct MHD_Connection *mhd;
    struct exchange *exchange;  /* the request that was opened, until it ends */
    struct http_client *client; /* that it counts for; NULL: none, of a proxy or an administrator */
    struct idle_link idle[IDLE_LISTS];
    struct mhd_epoll edge;
    struct framing framing;
    uint64_t ended; /* requests of which libmicrohttpd has made an end */
    int fd;
    enum connection_phase phase;
    int64_t since_ms; /* monotonic: of the phase */
    int64_t more_ms;  /* that this phase may take beyond the usual */
    int64_t head_ms;  /* since the sweep saw the beginning of a header; 0: none */
    int64_t moved_ms; /* when the sweep last found the phase's bytes to go on as they should */
    uint64_t moved;   /* bytes of the phase, both directions */
    uint64_t counted; /* of them, as of moved_ms */
    off_t file_end;   /* where in its file an answer ends; see mhd_socket.c */
    struct address peer;
    bool answering; /* libmicrohttpd sends an answer of the gateway */
    bool begun;     /* bytes of a request came since the last answer */
    bool over;      /* the client sends no more */
    bool cut;       /* the last word was said: what libmicrohttpd still sends is dropped */
    bool closing;   /* shut down, and no longer counted */
};

/* All connections of one listener. */
struct connections {
    struct connection *head;
    size_t count, max;
    size_t client_max;     /* of one client; 0: any */
    int64_t keep_alive_ms; /* between two requests */
    struct clients *clients;
    const struct address_networks *trusted; /* proxies, whose connections are no client's */
    struct idle_list idle, idle_trusted;
    uint64_t *evicted; /* metric: closed for new ones */
    void *arg;         /* of these: */
    /* libmicrohttpd's own answer of this status is to be replaced: mhd_socket.h. */
    void (*refused)(struct connection *connection, int status);
    /* The body stalled, is slow or ended early. True: answered, close; false: too early. */
    bool (*unfinished)(struct connection *connection);
};

/* Counts a new connection in all and for its client; closes idle ones where they are too many. */
struct connection *connection_new(struct connections *all, struct MHD_Connection *connection,
                                  int64_t mono_ms);
void connection_destroy(struct connection **self_p);

/* A phase begins: its time is counted from here. */
void connection_enter(struct connection *self, enum connection_phase phase, int64_t mono_ms);

/* The phase may take as long as `bytes` need on a slow line. */
void connection_allow(struct connection *self, int64_t bytes);

/* Says the last word, as it goes over the wire, and closes. */
void connection_cut(struct connection *self, const char *bytes, size_t size);

/* Shuts down sockets whose phase took too long or whose client hung up, for libmicrohttpd to close.
 * `thorough`: asks the idle too. Call every second. */
void connections_sweep(struct connections *all, int64_t mono_ms, bool thorough);

#endif
