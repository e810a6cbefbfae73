/*
 * client.h - clients that have connections or bodies here, as address_subjects() counts them.
 *
 * A /64 belongs to a /48 with eight times the limits. A client lives while something counts for it.
 */
#ifndef ATRIUM_GATEWAY_HTTP_CLIENT_H
#define ATRIUM_GATEWAY_HTTP_CLIENT_H

#include "common/base/address.h"

struct connection;
struct clients;

/* Connections between requests, the longest idle first. */
struct idle_list {
    struct connection *head, *tail;
};

struct http_client {
    struct http_client *next; /* in the table */
    struct http_client *wide; /* the /48 that it belongs to; NULL: none */
    struct clients *all;
    struct address address;
    int64_t factor; /* of all limits */
    size_t uses;
    size_t connections;
    struct idle_list idle;
    uint64_t bodies_size; /* bytes of bodies whose sender is not known */
};

struct clients *clients_new(void);
void clients_destroy(struct clients **self_p);

/* The client of an address, made on first use; counts a use of it and of its wider network. */
struct http_client *client_use(struct clients *all, const struct address *address);

/* Ends one use; *self_p NULL is fine. */
void client_leave(struct http_client **self_p);

#endif
