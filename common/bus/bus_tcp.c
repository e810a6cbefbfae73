/*
 * bus_tcp.c - the bus between hosts: CURVE on both ends, one ROUTER for all callers.
 *
 * libzmq asks over ZAP (RFC 27) about each key, and attaches the user id from the reply to every
 * frame from that connection. The loop answers: czmq's zauth needs a thread, and knows keys but no
 * services.
 */
#include "common/base/log.h"
#include "common/bus/bus_private.h"

#define ZAP_ENDPOINT "inproc://zeromq.zap.01"
#define ZAP_DOMAIN "atrium"

enum { REFUSED_LOG_MS = 10000 };

void bus_tcp_secure(const struct bus_hosts *hosts, zsock_t *socket,
                    const uint8_t server[BUS_KEY_SIZE])
{
    const int64_t largest = CODEC_FRAME_MAX + BUS_SEALED_SLACK;

    bus_socket_bytes(socket, ZMQ_MAXMSGSIZE, &largest, sizeof(largest));
    bus_socket_option(socket, ZMQ_IPV6, 1);
    bus_socket_option(socket, ZMQ_HANDSHAKE_IVL, BUS_HANDSHAKE_MS);
    /* The kernel must drop unacknowledged data too: it must not arrive after the heartbeat ended
     * the connection. */
    bus_socket_option(socket, ZMQ_TCP_MAXRT, BUS_HEARTBEAT_DEAD_MS);
    bus_socket_bytes(socket, ZMQ_CURVE_SECRETKEY, hosts->secret_key, BUS_KEY_SIZE);
    if (!server) {
        bus_socket_option(socket, ZMQ_CURVE_SERVER, 1);
        return;
    }
    bus_socket_bytes(socket, ZMQ_CURVE_PUBLICKEY, hosts->own->key, BUS_KEY_SIZE);
    bus_socket_bytes(socket, ZMQ_CURVE_SERVERKEY, server, BUS_KEY_SIZE);
}

bool bus_tcp_wanted(const struct bus *self)
{
    const struct bus_hosts *hosts = self->hosts;

    return hosts && hosts->own->endpoint;
}

static struct bus_socket *socket_of(struct bus *self, const char *service)
{
    for (size_t i = 0; i < self->socket_count; i++)
        if (self->sockets[i].tcp && strcmp(self->sockets[i].service, service) == 0)
            return &self->sockets[i];
    return NULL;
}

/* service: the service that the key belongs to; NULL for an unknown key. */
static void log_refused(struct bus *self, const char *address, const char *service)
{
    int64_t now = loop_mono_ms(self->loop);
    char count[24];

    ++*self->strangers;
    self->refused_logged++;
    if (now - self->refused_logged_ms < REFUSED_LOG_MS)
        return;
    snprintf(count, sizeof(count), "%" PRIu64, self->refused_logged);
    log_event(LOG_WARNING, "bus", "a caller from another host was refused", "address", address,
              "service", service, "why",
              !service ? "its key is not in bus_hosts" : "it cannot call this daemon", "count",
              count, NULL);
    self->refused_logged = 0;
    self->refused_logged_ms = now;
}

static const struct bus_host *admitted(struct bus *self, const char *address, const char *mechanism,
                                       zframe_t *key)
{
    const struct bus_host *host = NULL;

    if (strcmp(mechanism, "CURVE") == 0 && zframe_size(key) == BUS_KEY_SIZE)
        host = bus_hosts_by_key(self->hosts, zframe_data(key));
    if (host && socket_of(self, host->service))
        return host;
    log_refused(self, address, !host ? NULL : host->service);
    return NULL;
}

/* Answers a ZAP request, whose frames are: version, number, domain, address, identity, mechanism,
 * key. */
static void answer_zap(struct bus *self, zmsg_t *request)
{
    CLEANUP(zstr_free) UNUSED char *version = zmsg_popstr(request);
    CLEANUP(zframe_destroy) zframe_t *number = zmsg_pop(request);
    CLEANUP(zstr_free) UNUSED char *domain = zmsg_popstr(request);
    CLEANUP(zstr_free) char *address = zmsg_popstr(request);
    CLEANUP(zstr_free) UNUSED char *identity = zmsg_popstr(request);
    CLEANUP(zstr_free) char *mechanism = zmsg_popstr(request);
    CLEANUP(zframe_destroy) zframe_t *key = zmsg_pop(request);
    const struct bus_host *host = NULL;

    if (key)
        host = admitted(self, address, mechanism, key);
    if (zsock_send(self->zap, "sfssss", "1.0", number, !host ? "400" : "200", "",
                   !host ? "" : host->name, "") < 0)
        log_die("bus", "a handshake could not be answered");
    loop_socket_used(self->loop, self->zap);
}

static void on_zap(void *arg)
{
    struct bus *self = arg;

    for (int i = 0; i < BUS_BATCH; i++) {
        CLEANUP(zmsg_destroy) zmsg_t *request = zmsg_recv_nowait(self->zap);

        if (!request)
            return;
        answer_zap(self, request);
    }
}

/* False for a HELLO of another instance than the key's: leases and acknowledgements rely on the
 * name. */
static bool says_own_name(const char *name, const struct bus_incoming *in)
{
    const char *dot = strchr(name, '.');

    return in->kind != BUS_HELLO || bus_slice_is(in->instance, dot + 1);
}

static void on_frame(struct bus *self, uint32_t route, const struct bus_incoming *in,
                     zmq_msg_t *message)
{
    const char *name = zmq_msg_gets(message, "User-Id");
    struct bus_socket *socket = NULL;
    char service[BUS_NAME_MAX + 1];

    if (name && self->hosts_removed && !bus_hosts_has_name(self->hosts, name)) {
        bus_drop(self, self->strangers, "the caller is no longer in bus_hosts");
        zmq_msg_close(message);
        return;
    }
    if (name && strchr(name, '.')) {
        snprintf(service, sizeof(service), "%.*s", (int)strcspn(name, "."), name);
        socket = socket_of(self, service);
    }
    if (socket && says_own_name(name, in)) {
        bus_listener_frame(socket, route, in, message);
        return;
    }
    bus_drop(self, self->malformed, "HELLO by another name");
    zmq_msg_close(message);
}

static void on_tcp(void *arg)
{
    struct bus *self = arg;
    struct bus_incoming in;
    zmq_msg_t message;
    uint32_t route;
    int left = BUS_BATCH;

    while (left > 0 && bus_receive(self, self->tcp, &route, &message, &in, &left))
        on_frame(self, route, &in, &message);
}

int bus_tcp_listen(struct bus *self, struct error *err)
{
    const struct bus_options *options = self->options;
    const struct bus_hosts *hosts = self->hosts;
    const char *endpoint = hosts->listen ? hosts->listen : hosts->own->endpoint;

    /* Without a ZAP handler libzmq accepts all connections, nameless, and their messages are
     * dropped. */
    self->zap = bus_socket_new(ZMQ_REP, 0);
    if (zmq_bind(zsock_resolve(self->zap), ZAP_ENDPOINT) != 0)
        return error_set(err, ERR_INTERNAL, "Cannot bind %s: %s.", ZAP_ENDPOINT,
                         zmq_strerror(zmq_errno()));
    self->tcp = bus_socket_new(ZMQ_ROUTER, options->serve_max + BUS_QUEUE_SLACK);
    bus_socket_option(self->tcp, ZMQ_LINGER, BUS_LINGER_MS);
    bus_socket_option(self->tcp, ZMQ_ROUTER_MANDATORY, 1);
    bus_socket_bytes(self->tcp, ZMQ_ZAP_DOMAIN, ZAP_DOMAIN, strlen(ZAP_DOMAIN));
    bus_tcp_secure(hosts, self->tcp, NULL);
    if (zmq_bind(zsock_resolve(self->tcp), endpoint) != 0)
        return error_set(err, ERR_INTERNAL, "Cannot listen at %s: %s.", endpoint,
                         zmq_strerror(zmq_errno()));
    self->refused_logged_ms = -REFUSED_LOG_MS;
    for (size_t i = 0; i < self->socket_count; i++)
        if (self->sockets[i].tcp)
            self->sockets[i].router = self->tcp;
    return 0;
}

static bool is_gone(const struct bus_hosts *hosts, const struct bus_peer *peer)
{
    const struct bus_host *rows[BUS_HOST_KEYS_MAX];

    return peer->far && bus_hosts_by_name(hosts, peer->name, rows) == 0;
}

void bus_use_hosts(struct bus *self, const struct bus_hosts *hosts)
{
    for (size_t i = 0; i < self->hosts->count; i++)
        if (!bus_hosts_has_name(hosts, self->hosts->rows[i].name))
            self->hosts_removed = true;
    self->hosts = hosts;
    for (size_t i = 0; i < self->upstream_count; i++) {
        for (size_t j = 0; j < self->upstreams[i].count; j++)
            if (is_gone(hosts, self->upstreams[i].peers[j]))
                bus_peer_lost(self->upstreams[i].peers[j], "no longer in bus_hosts");
    }
    bus_watch_hosts(self);
}

void bus_tcp_open(struct bus *self)
{
    if (!self->tcp)
        return;
    loop_watch_socket(self->loop, self->zap, on_zap, self);
    loop_watch_socket(self->loop, self->tcp, on_tcp, self);
}

void bus_tcp_stop(struct bus *self)
{
    if (self->tcp)
        loop_unwatch_socket(self->loop, self->tcp);
    zsock_destroy(&self->tcp);
    if (!self->zap)
        return;
    loop_unwatch_socket(self->loop, self->zap);
    /* Closing alone would keep the name in use for a while. */
    zmq_unbind(zsock_resolve(self->zap), ZAP_ENDPOINT);
    zsock_destroy(&self->zap);
}
