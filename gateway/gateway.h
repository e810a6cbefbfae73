/*
 * gateway.h - the gateway's own state: what its files share.
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
    int64_t slow_request; /* ms; 0: none is logged */
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
    struct service service;     /* first */
    const char *const *daemons; /* that any request may need, NULL-ended */
    struct router *public_routes, *admin_routes;
    struct site sites[SITES_MAX];
    size_t site_count;
    struct exchange *spare; /* exchanges for reuse */
    size_t spare_count;
    size_t in_flight;             /* requests begun and not ended */
    size_t suspended;             /* those of them whose connection waits for the answer */
    uint64_t bodies_size;         /* bytes of request bodies held */
    uint64_t bodies_unknown_size; /* of them, those of senders without a known token, see body.h */
    uint64_t *bodies_unfinished, *evicted; /* metrics */
    struct clients *clients;
    uint64_t streams_size; /* bytes of files that pass, see stream.h */
    bool has_streamed;     /* since memory was last given back */
    struct file_cache *file_cache;
    const char *content_service; /* whose routes answer with files */
    struct file_receiver *files;
    uint64_t *files_sent; /* metric */
    struct loop_timer *sweep;
    unsigned sweeps;
    struct address_networks trusted;
    struct trace_source traces;
    struct access_log log;
    struct cache *published; /* answers of R_CACHED, see endpoint/protocol.c */
    struct keyring keyring;
    struct cache *tokens;
    struct revocations *revocations;
    struct identities *identities;
    unsigned key_lookups;    /* texts under way of which authd says which API key they are */
    struct flight resolving; /* fetches of identities, one per session */
    struct lease lease;
    struct warm_up warm_up;
    struct openapi openapi, openapi_older;
    struct histogram *durations;
    uint64_t *slow;
    struct otlp *otlp; /* NULL: no request is traced */
};

extern const struct check gateway_checks[];

static inline const struct gateway_config *gateway_config(const struct gateway *self)
{
    return self->service.config;
}

#endif
