/*
 * gateway.h - the gateway's state.
 *
 * A request passes http.c (libmicrohttpd), exchange.c, routes.c, serve.c on a fiber (throttle,
 * authenticate.c, input, bus call) and answer.c.
 */
#ifndef ATRIUM_GATEWAY_GATEWAY_H
#define ATRIUM_GATEWAY_GATEWAY_H

#include "common/service/service.h"
#include "gateway/auth/changes.h"
#include "gateway/auth/identity.h"
#include "gateway/auth/keyring.h"
#include "gateway/auth/resolve.h"
#include "gateway/auth/revoke.h"
#include "gateway/auth/token.h"
#include "gateway/endpoint/openapi.h"
#include "gateway/endpoint/routes.h"
#include "gateway/http/access_log.h"
#include "gateway/http/address.h"
#include "gateway/http/client.h"
#include "gateway/http/connection.h"
#include "gateway/http/http.h"
#include "gateway/http/trace.h"
#include "gateway/transfer/file_cache.h"
#include "gateway/transfer/file_receiver.h"

enum { SITES_MAX = 8 };

struct gateway_config {
    const char *listen, *admin_listen;
    int64_t max_connections, connections_per_client;
    int64_t keep_alive_timeout; /* ms */
    const char **trusted_proxies;
    const char *forwarded_header;
    bool access_log, access_log_address;
    int64_t slow_request; /* ms; 0: log none */
    const char *otlp_endpoint, *otlp_header_file;
    int64_t trace_sample; /* millionths */
    const char *console_upload_origin;
};

struct site {
    struct gateway *gateway;
    struct http *http;
    const struct router *router;
    struct connections connections;
};

struct gateway {
    struct service service;     /* must be first */
    const char *const *daemons; /* NULL-ended */
    struct router *public_routes, *admin_routes;
    struct site sites[SITES_MAX];
    size_t site_count;
    struct exchange *spare;
    size_t spare_count;
    size_t in_flight;             /* unfinished requests */
    size_t suspended;             /* waiting for their answer */
    uint64_t bodies_size;         /* bytes in memory */
    uint64_t bodies_unknown_size; /* part of unknown senders; see body.h */
    uint64_t *bodies_unfinished, *evicted;
    struct clients *clients;
    uint64_t streams_size; /* bytes in memory; see stream.h */
    bool has_streamed;     /* since memory was last returned to the system */
    struct file_cache *file_cache;
    const char *content_service; /* has the R_CONTENT routes */
    struct file_receiver *files;
    uint64_t *files_sent;
    struct loop_timer *sweep;
    unsigned sweeps;
    struct address_networks trusted;
    struct trace_source traces;
    struct access_log log;
    struct cache *published;
    struct keyring keyring;
    struct cache *tokens;
    struct revocations *revocations;
    struct identities *identities;
    unsigned key_lookups;
    struct flight resolving;
    struct lease lease;
    struct warm_up warm_up;
    struct openapi openapi;
    struct histogram *durations;
    uint64_t *slow;
    struct otlp *otlp; /* NULL: no tracing */
};

extern const struct check gateway_checks[];

static inline const struct gateway_config *gateway_config(const struct gateway *self)
{
    return self->service.config;
}

#endif
