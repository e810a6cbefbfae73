/*
 * client.h - clients that have connections or bodies; see address_subjects().
 *
 * Each /64 also counts for its /48, whose limits are eight times higher. An unused client is freed.
 */
#ifndef ATRIUM_GATEWAY_HTTP_CLIENT_H
#define ATRIUM_GATEWAY_HTTP_CLIENT_H

#include "common/base/address.h"

struct connection;
struct clients;

/* Longest idle first. */
struct idle_list {
    struct connection *head, *tail;
};

struct http_client {
    struct http_client *next;
    struct http_client *wide; /* its /48, or NULL */
    struct clients *all;
    struct address address;
    int64_t factor; /* multiplies all limits */
    size_t uses;
    size_t connections;
    struct idle_list idle;
    uint64_t bodies_size; /* bytes of unknown senders */
};

struct clients *clients_new(void);
void clients_destroy(struct clients **self_p);

/* Returns the client and counts a use of it and its /48. */
struct http_client *client_use(struct clients *all, const struct address *address);

void client_leave(struct http_client **self_p);

#endif
