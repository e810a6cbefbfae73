/*
 * client.h - clients with connections or request bodies, grouped as address_subjects() does.
 *
 * A /64 belongs to a /48, which has eight times the limits. A client is freed when nothing counts
 * for it.
 */
#ifndef ATRIUM_GATEWAY_HTTP_CLIENT_H
#define ATRIUM_GATEWAY_HTTP_CLIENT_H

#include "common/base/address.h"

struct connection;
struct clients;

/* Idle connections, longest idle first. */
struct idle_list {
    struct connection *head, *tail;
};

struct http_client {
    struct http_client *next; /* in the hash table */
    struct http_client *wide; /* its /48, or NULL */
    struct clients *all;
    struct address address;
    int64_t factor; /* multiplies all limits */
    size_t uses;
    size_t connections;
    struct idle_list idle;
    uint64_t bodies_size; /* bytes of bodies from unknown senders */
};

struct clients *clients_new(void);
void clients_destroy(struct clients **self_p);

/* Returns the address's client, created on first use, and counts a use of it and its /48. */
struct http_client *client_use(struct clients *all, const struct address *address);

void client_leave(struct http_client **self_p);

#endif
