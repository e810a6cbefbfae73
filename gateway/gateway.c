/* gateway.c - atrium-gateway's tables, start and end. */
#include "gateway/gateway.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/descriptors.h"
#include "common/domain/content.h"

#include "common/domain/uri.h"
#include "gateway/endpoint/admin.h"
#include "gateway/endpoint/console.h"
#include "gateway/endpoint/dev_mail.h"
#include "gateway/endpoint/endpoints.h"
#include "gateway/endpoint/exchange.h"
#include "gateway/endpoint/otlp.h"
#include "gateway/endpoint/page.h"
#include "gateway/endpoint/serve.h"
#include "gateway/http/listen.h"

enum {
    SWEEP_MS = 1000,
    SWEEPS_THOROUGH = 5, /* only every fifth makes a system call per idle connection */
    SILENT_MIN_S = 120,  /* libmicrohttpd's timeout; connection.c's are shorter */
    DRAIN_MS = 12000,
    LINGER_MS = 500,
    DRAIN_STEP_MS = 10,
    CONNECTIONS_MIN = 16, /* even if all descriptors are reserved */
    FILES_MAX = 1024,     /* files being sent at a time */
    ADMIN_SHARE = 8,      /* 1/8 of the connections */
};

static const struct config_row config_rows[] = {
    CONFIG_TEXT(struct gateway_config, listen, "127.0.0.1:8080", 0,
                "ADDRESS:PORT for clients; ignored if the service manager passes sockets."),
    CONFIG_TEXT(struct gateway_config, admin_listen, "127.0.0.1:9080", 0,
                "ADDRESS:PORT for /healthz, /readyz and /metrics; empty disables them."),
    CONFIG_INT(struct gateway_config, max_connections, "4096", 16, 65536,
               "Open connections; more wait in the kernel."),
    CONFIG_INT_RELOAD(struct gateway_config, connections_per_client, "256", 8, 65536,
                      "Open connections per client address; those of trusted_proxies don't count."),
    CONFIG_DURATION(struct gateway_config, keep_alive_timeout, "75s", 1000, 3600000,
                    "How long a connection can wait for its next request."),
    CONFIG_LIST_RELOAD(struct gateway_config, trusted_proxies, NULL,
                       "Addresses and networks whose forwarded_header the gateway trusts."),
    CONFIG_CHOICE_RELOAD(
        struct gateway_config, forwarded_header, "X-Forwarded-For", "X-Forwarded-For Forwarded",
        "Header in which trusted_proxies name the client; the other header is ignored."),
    CONFIG_BOOL_RELOAD(struct gateway_config, access_log, "true",
                       "Whether to log one line per request."),
    CONFIG_BOOL_RELOAD(struct gateway_config, access_log_address, "false",
                       "Whether that line has the client's address, which is personal data."),
    CONFIG_DURATION_RELOAD(struct gateway_config, slow_request, "2s", 0, 600000,
                           "Requests that take longer are logged by their route; 0s: none."),
    CONFIG_TEXT(struct gateway_config, otlp_endpoint, "", 0,
                "URL that receives traces by OTLP over HTTP, http://HOST:4318/v1/traces; empty: "
                "nothing is traced."),
    CONFIG_PATH(struct gateway_config, otlp_header_file, NULL, CONFIG_SECRET,
                "File with mode 0600 whose first line is a header for that URL, \"Name: value\"."),
    CONFIG_RATIO_RELOAD(struct gateway_config, trace_sample, "0.01",
                        "Fraction of requests to trace, 0 to 1; a traceparent header from "
                        "trusted_proxies overrides it."),
    CONFIG_TEXT(
        struct gateway_config, console_upload_origin, "", 0,
        "Origin of the bucket, https://HOST[:PORT], if browsers upload documents to a bucket."),
};

static const struct route_doc health_doc = {
    "Service",
    "Returns 200 without a body while the gateway runs, even if other services are down.",
    {0}};
static const struct route_doc jwks_doc = {
    "Service",
    "Public keys of access tokens as a JWK Set (RFC 7517), for services that verify tokens "
    "themselves. Keys change: fetch the set again if a token has a `kid` that is not in it.",
    {0}};
static const struct route_doc openapi_doc = {"Service", "This API as OpenAPI 3.1.", {0}};
static const struct route_doc openapi_older_doc = {
    "Service", "This API as OpenAPI 3.0, for tools that don't support 3.1.", {0}};

/* Endpoints that need no daemon's route. `fiber`: serve may park. */
#define OWN(path_, name, serve_, fiber, output_, summary_, doc_)                \
    {                                                                           \
        .route = {"GET",  path_, "gateway", name,  ACCESS_PUBLIC, REACH_PUBLIC, \
                  R_SAFE, NULL,  output_,   "0.1", summary_,      false},       \
        .serve = serve_, .on_fiber = fiber, .doc = doc_                         \
    }

#define HEALTH(path_)                                                                    \
    OWN(path_, "health_check", health_serve, false, NULL, "Check that the service runs", \
        &health_doc)

static const struct endpoint own_endpoints[] = {
    HEALTH("/partner/health-check"),
    HEALTH("/v1/partner/health-check"),
    HEALTH("/v2/partner/health-check"),
    HEALTH("/v3/partner/health-check"),
    OWN("/.well-known/jwks.json", "jwks", jwks_serve, true, &jwks_table,
        "Read the public keys of access tokens", &jwks_doc),
    OWN("/console", "console_root", console_serve, false, NULL, NULL, NULL),
    OWN("/console/{*}", "console", console_serve, false, NULL, NULL, NULL),
    OWN("/docs", "reference", reference_serve, false, NULL, NULL, NULL),
    OWN("/openapi.json", "openapi", openapi_serve, false, &openapi_table,
        "Read this API description", &openapi_doc),
    OWN("/openapi-3.0.json", "openapi_older", openapi_serve_older, false, &openapi_table,
        "Read this API description as OpenAPI 3.0", &openapi_older_doc),
};

static const struct endpoint development_endpoints[] = {
    OWN("/dev/mail", "dev_mail", dev_mail_serve, false, NULL, NULL, NULL),
};

static const struct endpoint admin_endpoints[] = {
    OWN("/healthz", "healthz", health_serve, false, NULL, NULL, NULL),
    OWN("/readyz", "readyz", admin_serve_ready, true, NULL, NULL, NULL),
    OWN("/metrics", "metrics", admin_serve_metrics, true, NULL, NULL, NULL),
};

static int make_routes(struct gateway *self, struct error *err)
{
    struct arena *arena = self->service.arena;
    size_t made, count = 0;
    const struct endpoint *rows = routes_all(arena, &made);
    struct endpoint *all = arena_calloc(
        arena, made + ARRAY_SIZE(own_endpoints) + ARRAY_SIZE(development_endpoints), sizeof(*all));

    for (size_t i = 0; i < made; i++) {
        bool public_only = rows[i].route.flags & (R_PAGE | R_ENDPOINT);

        if (!public_only || self->service.common->public_url)
            all[count++] = rows[i];
    }
    for (size_t i = 0; i < count; i++) {
        all[i].serve = all[i].route.flags & R_PAGE       ? page_serve
                       : all[i].route.flags & R_ENDPOINT ? protocol_serve
                                                         : serve_route;
        if (all[i].route.flags & R_CONTENT)
            self->content_service = all[i].route.service;
    }
    memcpy(all + count, own_endpoints, sizeof(own_endpoints));
    count += ARRAY_SIZE(own_endpoints);
    if (self->service.common->development) {
        memcpy(all + count, development_endpoints, sizeof(development_endpoints));
        count += ARRAY_SIZE(development_endpoints);
    }
    self->public_routes = router_new(all, count, err);
    self->admin_routes = router_new(arena_memdup(arena, admin_endpoints, sizeof(admin_endpoints)),
                                    ARRAY_SIZE(admin_endpoints), err);
    openapi_build(&self->openapi, &self->openapi_older, arena, all, count,
                  self->service.common->public_url);
    return self->public_routes && self->admin_routes ? 0 : -1;
}

static size_t count_connections(const struct gateway *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->site_count; i++)
        count += http_connections(self->sites[i].http);
    return count;
}

static int64_t read_connections(void *arg)
{
    return (int64_t)count_connections(arg);
}

static int64_t read_in_flight(void *arg)
{
    return (int64_t)((const struct gateway *)arg)->in_flight;
}

static int64_t read_revocations(void *arg)
{
    return (int64_t)revocations_count(((const struct gateway *)arg)->revocations);
}

static int64_t read_kept(void *arg)
{
    return (int64_t)file_cache_size(((const struct gateway *)arg)->file_cache);
}

static void make_metrics(struct gateway *self)
{
    struct metrics *metrics = self->service.metrics;

    self->durations = metrics_histogram(metrics, "atrium_gateway_request_us", "",
                                        "Time from the request line to the end of the response.");
    self->slow = metrics_counter(metrics, "atrium_gateway_slow_total", "",
                                 "Requests that took longer than slow_request.");
    metrics_gauge(metrics, "atrium_gateway_connections", "Open connections.", read_connections,
                  self);
    self->evicted = metrics_counter(metrics, "atrium_gateway_connections_evicted_total", "",
                                    "Idle connections that were closed to make room for new ones.");
    self->bodies_unfinished = metrics_counter(metrics, "atrium_gateway_bodies_unfinished_total", "",
                                              "Request bodies that stalled or ended too early.");
    metrics_gauge(metrics, "atrium_gateway_in_flight", "Requests in progress.", read_in_flight,
                  self);
    metrics_gauge(metrics, "atrium_gateway_revoked_sessions",
                  "Ended sessions whose tokens are still rejected individually.", read_revocations,
                  self);
    self->files_sent =
        metrics_counter(metrics, "atrium_gateway_files_total", "",
                        "Responses sent from a file that a daemon passed as an open descriptor.");
    metrics_gauge(metrics, "atrium_gateway_kept_bytes",
                  "Files that are cached because they are read repeatedly.", read_kept, self);
}

static unsigned silent_max_s(const struct gateway_config *config)
{
    return (unsigned)MAX(config->keep_alive_timeout / 1000 * 2, (int64_t)SILENT_MIN_S);
}

/* Limits connections so that all together leave some descriptors to the process. */
static size_t connections_max(const struct gateway_config *config, size_t sites, bool admin)
{
    size_t limit = descriptors_limit(), wanted = (size_t)config->max_connections,
           left = MAX(limit, (size_t)(DESCRIPTORS_RESERVE + CONNECTIONS_MIN)) - DESCRIPTORS_RESERVE,
           admins = MIN(wanted, left / ADMIN_SHARE);

    if (wanted * sites <= left)
        return wanted;
    return admin ? admins : MIN(wanted, (left - admins) / MAX(sites - 1, (size_t)1));
}

static size_t files_max(const struct gateway *self)
{
    size_t needed = DESCRIPTORS_RESERVE, limit = descriptors_limit();

    for (size_t i = 0; i < self->site_count; i++)
        needed += self->sites[i].connections.max;
    return limit > needed ? MIN(limit - needed, (size_t)FILES_MAX) : 0;
}

static void log_fewer(const struct gateway_config *config, size_t max)
{
    char configured[24], possible[24];

    if (max == (size_t)config->max_connections)
        return;
    snprintf(configured, sizeof(configured), "%" PRId64, config->max_connections);
    snprintf(possible, sizeof(possible), "%zu", max);
    log_event(LOG_WARNING, "http", "the limit of open files allows fewer connections",
              "max_connections", configured, "possible", possible, NULL);
}

static int open_sites(struct gateway *self, struct error *err)
{
    const struct gateway_config *config = gateway_config(self);
    struct listen_socket sockets[LISTEN_MAX];
    size_t count;

    if (listen_sockets(config->listen, config->admin_listen, sockets, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct site *site = &self->sites[self->site_count++];
        size_t max = connections_max(config, count, sockets[i].admin);
        struct http_options options = {.socket = sockets[i].fd,
                                       .connections_max = (unsigned)max,
                                       .idle_timeout_s = silent_max_s(config),
                                       .arg = site,
                                       .begin = exchange_on_begin,
                                       .request = exchange_on_request,
                                       .end = exchange_on_end,
                                       .connection = exchange_on_connection};

        if (!sockets[i].admin)
            log_fewer(config, max);
        site->gateway = self;
        site->connections = (struct connections){
            .max = max,
            .client_max = sockets[i].admin ? 0 : (size_t)config->connections_per_client,
            .keep_alive_ms = config->keep_alive_timeout,
            .clients = self->clients,
            .trusted = &self->trusted,
            .evicted = self->evicted,
            .arg = site,
            .refused = exchange_on_refused,
            .unfinished = exchange_on_unfinished};
        site->router = sockets[i].admin ? self->admin_routes : self->public_routes;
        site->http = http_open(self->service.loop, self->service.arena, &options, err);
        if (!site->http)
            return -1;
    }
    return 0;
}

static void give_memory_back(struct gateway *self)
{
    if (!self->has_streamed || self->streams_size > 0)
        return;
    content_give_memory_back();
    self->has_streamed = false;
}

static void on_sweep(void *arg)
{
    struct gateway *self = arg;
    bool thorough = self->sweeps++ % SWEEPS_THOROUGH == 0;

    for (size_t i = 0; i < self->site_count; i++)
        connections_sweep(&self->sites[i].connections, clock_mono_ms(), thorough);
    file_receiver_sweep(self->files, self->content_service);
    if (thorough) {
        file_cache_sweep(self->file_cache, clock_mono_ms());
        give_memory_back(self);
    }
    self->sweep = loop_at(self->service.loop, clock_mono_ms() + SWEEP_MS, on_sweep, self);
}

static void on_turn(void *arg)
{
    struct gateway *self = arg;

    if (self->log.size > 0)
        access_log_flush(&self->log);
}

/* Other gateways too, for /readyz and /metrics. */
static const char *const upstreams[] = {"gateway", "authd", "settingsd", "maild",
                                        "docd",    "botd",  NULL};

static int configured(void *daemon, struct error *err)
{
    struct gateway *self = daemon;

    const char *upload_origin = gateway_config(self)->console_upload_origin;

    if (otlp_check(self, err) < 0)
        return -1;
    if (*upload_origin && !uri_is_origin(upload_origin))
        return error_set(err, ERR_INTERNAL,
                         "console_upload_origin must be https://HOST[:PORT], or http");
    return address_networks_parse("trusted_proxies", gateway_config(self)->trusted_proxies,
                                  self->service.arena, &self->trusted, err);
}

static void reload(void *daemon, void *fresh)
{
    struct gateway *self = daemon;
    const struct gateway_config *config = gateway_config(self);

    self->trusted = ((const struct gateway *)fresh)->trusted;
    for (size_t i = 0; i < self->site_count; i++) {
        struct connections *connections = &self->sites[i].connections;

        if (connections->client_max > 0)
            connections->client_max = (size_t)config->connections_per_client;
    }
}

static int start(void *daemon, struct error *err)
{
    struct gateway *self = daemon;

    content_tune_malloc();
    self->daemons = upstreams + 1;
    trace_source_init(&self->traces);
    self->tokens = token_cache_new();
    self->published = protocol_cache_new();
    self->revocations = revocations_new();
    keyring_init(&self->keyring, self->service.loop);
    flight_init(&self->resolving, self->service.loop);
    self->identities = identities_new();
    self->file_cache = file_cache_new();
    self->clients = clients_new();
    if (make_routes(self, err) < 0)
        return -1;
    make_metrics(self);
    warm_up_start(self);
    changes_start(self);
    if (otlp_start(self, err) < 0 || open_sites(self, err) < 0)
        return -1;
    self->files = file_receiver_new(self->service.loop, self->service.bus, files_max(self));
    on_sweep(self);
    loop_each_turn(self->service.loop, on_turn, self);
    return 0;
}

/* Connections keep the gateway alive briefly, so that their next answer can announce the close. */
static bool is_needed(const struct gateway *self, int64_t spent_ms)
{
    return ((self->in_flight > 0 || self->lease.renewing) && spent_ms < DRAIN_MS) ||
           (count_connections(self) > 0 && spent_ms < LINGER_MS);
}

static void drain(void *daemon)
{
    struct gateway *self = daemon;
    int64_t since_ms = clock_mono_ms();
    struct error err;

    error_init(&err, NULL);
    for (size_t i = 0; i < self->site_count; i++)
        http_quiesce(self->sites[i].http);
    while (is_needed(self, clock_mono_ms() - since_ms))
        if (fiber_sleep_until(self->service.loop, clock_mono_ms() + DRAIN_STEP_MS, &err) < 0)
            break;
}

static void stop(void *daemon)
{
    struct gateway *self = daemon;

    /* libmicrohttpd aborts if closed with a suspended connection. Leave that one to the
     * process's exit. */
    for (size_t i = 0; i < self->site_count && self->suspended == 0; i++)
        http_close(&self->sites[i].http);
    loop_cancel(self->service.loop, &self->sweep);
    access_log_flush(&self->log);
    exchange_free_spare(self);
    router_destroy(&self->public_routes);
    router_destroy(&self->admin_routes);
    otlp_stop(self);
    file_receiver_destroy(&self->files);
    file_cache_destroy(&self->file_cache);
    clients_destroy(&self->clients);
    identities_destroy(&self->identities);
    revocations_destroy(&self->revocations);
    cache_destroy(&self->tokens);
    cache_destroy(&self->published);
    key_set_destroy(&self->keyring.set);
}

static const struct operation operations[] = {{0}};

static const struct service_definition definition = {
    .name = "gateway",
    .summary = "serves the HTTP interface and calls the other daemons",
    .size = sizeof(struct gateway),
    .config = config_rows,
    .config_count = ARRAY_SIZE(config_rows),
    .config_size = sizeof(struct gateway_config),
    .database_offset = SIZE_MAX,
    .operations = operations,
    .checks = gateway_checks,
    .upstreams = upstreams,
    .seal_key_offset = SIZE_MAX,
    .configured = configured,
    .reload = reload,
    .start = start,
    .drain = drain,
    .stop = stop,
};

int main(int argc, char **argv)
{
    return service_main(argc, argv, &definition);
}
