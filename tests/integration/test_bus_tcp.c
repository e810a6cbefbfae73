/*
 * test_bus_tcp.c - the bus between hosts: real processes on TCP with keys, and refused peers. The
 * servers are this program (bus_kit.h) on 127.0.0.1; the client sees no socket of theirs, as on
 * another host.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/bus/bus_private.h"
#include "tests/support/bus_kit.h"

enum { HOSTS_SIZE = 8192, NEVER_MS = 1500 /* time for several connection attempts */ };

static const char *const names[] = {"settingsd.1", "settingsd.2", "gateway.a1",
                                    "gateway.a2",  "ctl.a1",      "docd.c1"};

struct world {
    struct kit kit;
    struct kit_key keys[ARRAY_SIZE(names)];
    int ports[2];
    char hosts[HOSTS_SIZE];
};

static size_t index_of(const char *name)
{
    size_t i = 0;

    while (strcmp(names[i], name) != 0)
        i++;
    return i;
}

static void add_line(struct world *self, char *text, const char *name, const struct kit_key *key)
{
    size_t i = index_of(name), size = strlen(text);

    if (i < ARRAY_SIZE(self->ports))
        snprintf(text + size, HOSTS_SIZE - size, "%s tcp://127.0.0.1:%d %s\n", name, self->ports[i],
                 key->text);
    else
        snprintf(text + size, HOSTS_SIZE - size, "%s - %s\n", name, key->text);
}

static void write_key(struct world *self, const char *name, const struct kit_key *key)
{
    char file[64];

    snprintf(file, sizeof(file), "%s.key", name);
    unit_dir_write(&self->kit.dir, file, key->digits);
}

/* Makes one key for all instances, and the hosts file with it, which the servers read. */
static void world_make(struct world *self, struct loop *loop)
{
    *self = (struct world){.ports = {unit_free_port(), unit_free_port()}};
    kit_prepare(&self->kit, loop);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        self->keys[i] = kit_key_new();
        write_key(self, names[i], &self->keys[i]);
        add_line(self, self->hosts, names[i], &self->keys[i]);
    }
    unit_dir_write(&self->kit.dir, "hosts", self->hosts);
}

static void world_open(struct world *self, struct loop *loop, const char *caller)
{
    world_make(self, loop);
    kit_open_far(&self->kit, caller, "hosts");
}

/* Writes a hosts file with another key for one name. Returns that key, if this side needs it
 * too. */
static void write_other_hosts(struct world *self, const char *name, const struct kit_key *key)
{
    char text[HOSTS_SIZE] = "";

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        add_line(self, text, names[i], strcmp(names[i], name) == 0 ? key : &self->keys[i]);
    unit_dir_write(&self->kit.dir, "other", text);
}

static int64_t counter_of_server(struct kit *kit, const char *name)
{
    struct kit_result result;
    int64_t count;

    kit_call(kit, &result, &kit_dropped, NULL, name, 0, 5000);
    UNIT_CHECK(result.result == 0, "%s", result.err.message);
    count = result.out.number;
    kit_result_free(&result);
    return count;
}

/* ---- calls ---- */

static void call_and_reply(struct loop *loop, void *arg UNUSED)
{
    static const struct caller nobody = {.role = ROLE_PATIENT};
    struct world world;
    struct kit *kit = &world.kit;
    struct kit_result result;

    world_open(&world, loop, "gateway.a1");
    kit_start(kit, 1, "64");
    CU_ASSERT(kit_wait(kit, 1));
    kit_call(kit, &result, &kit_echo, NULL, "gr\u00fc\u00df dich", 17, 2000);
    UNIT_CHECK(result.result == 0 && strcmp(result.out.text, "gr\u00fc\u00df dich") == 0, "%s",
               result.err.message);
    UNIT_CHECK(result.result == 0 && strcmp(result.out.service, "gateway") == 0, "%s",
               result.err.message);
    kit_result_free(&result);
    /* The gateway can call for a user, as on the same host. */
    kit_call(kit, &result, &kit_user, &nobody, "", 0, 2000);
    UNIT_CHECK(result.err.code != ERR_UNAUTHORIZED, "%s", result.err.message);
    kit_result_free(&result);
    kit_call(kit, &result, &kit_operator, NULL, "", 0, 2000);
    CU_ASSERT(result.err.code == ERR_FORBIDDEN);
    kit_result_free(&result);
    kit_call(kit, &result, &kit_unknown, NULL, "", 0, 2000);
    CU_ASSERT(result.err.code == ERR_UNAVAILABLE); /* a newer build's operation */
    kit_result_free(&result);
    CU_ASSERT(kit_end(kit, 1, SIGTERM) == 0);
    kit_close(kit);
}

static void test_a_call_and_its_reply(void)
{
    unit_expect_log(UNIT_ANY_LOG); /* the server is absent before its start and after its end */
    unit_on_fiber(call_and_reply, NULL);
}

/* Encryption enlarges a frame, and the largest one must still pass. */
static void large_frames(struct loop *loop, void *arg UNUSED)
{
    struct world world;
    struct kit *kit = &world.kit;

    world_open(&world, loop, "gateway.a1");
    kit_start(kit, 1, "64");
    CU_ASSERT(kit_wait(kit, 1));
    for (int64_t less = 20; less < 64; less++) {
        struct kit_result result;

        kit_call(kit, &result, &kit_large, NULL, "", CODEC_FRAME_MAX - less, 10000);
        UNIT_CHECK(result.result == 0 || result.err.code == ERR_INTERNAL, "%d bytes less: %s",
                   (int)less, result.err.message);
        UNIT_CHECK(result.result == 0 || less < 63, "%s", result.err.message);
        kit_result_free(&result);
    }
    kit_close(kit);
}

static void test_large_frames(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(large_frames, NULL);
}

/* If a socket is visible, it is used, and the instance's line in the list makes no second peer. */
static void here_first(struct loop *loop, void *arg UNUSED)
{
    struct world world;
    struct kit *kit = &world.kit;
    struct kit_result result;

    world_make(&world, loop);
    world.ports[0] = 1; /* nothing listens */
    write_other_hosts(&world, "", NULL);
    if (symlink(kit->dir.path, arena_printf(kit->arena, "%s/far", kit->dir.path)) != 0)
        abort();
    kit_open_far(kit, "gateway.a1", "other");
    CU_ASSERT(!kit_wait(kit, 1));
    kit_start(kit, 1, "64");
    CU_ASSERT(kit_wait(kit, 1));
    kit_call(kit, &result, &kit_echo, NULL, "x", 1, 2000);
    UNIT_CHECK(result.result == 0, "%s", result.err.message);
    kit_result_free(&result);
    kit_close(kit);
}

static void test_a_socket_on_the_same_host_comes_first(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(here_first, NULL);
}

/* A hand-made instance whose clock differs and drifts. */
struct instance {
    struct kit *kit;
    void *context, *router;
    uint8_t route[5];
};

static void instance_open(struct instance *self, struct world *world)
{
    const int yes = 1, none = 0;
    char endpoint[64];

    self->kit = &world->kit;
    self->context = zmq_ctx_new();
    self->router = zmq_socket(self->context, ZMQ_ROUTER);
    zmq_setsockopt(self->router, ZMQ_LINGER, &none, sizeof(none));
    zmq_setsockopt(self->router, ZMQ_CURVE_SERVER, &yes, sizeof(yes));
    zmq_setsockopt(self->router, ZMQ_CURVE_SECRETKEY, world->keys[0].secret, BUS_KEY_SIZE);
    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%d", world->ports[0]);
    CU_ASSERT(zmq_bind(self->router, endpoint) == 0);
}

/* Waits for the next frame of that kind. Returns its time, or -1. */
static int64_t instance_hears(struct instance *self, enum bus_kind kind, int64_t timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;
    char bytes[1024];
    struct bus_incoming in;

    for (; clock_mono_ms() < deadline; kit_sleep(self->kit, 1)) {
        int size;

        if (zmq_recv(self->router, self->route, sizeof(self->route), ZMQ_DONTWAIT) < 0)
            continue;
        size = zmq_recv(self->router, bytes, sizeof(bytes), 0);
        if (size > 0 && bus_read(bytes, (size_t)size, &in) == 0 && in.kind == kind)
            return in.mono_ms;
    }
    return -1;
}

static void instance_welcomes(struct instance *self, int64_t ahead_ms)
{
    struct codec_buffer frame = {0};

    bus_write(&frame, BUS_WELCOME, 0, 6);
    bus_write_text(&frame, "settingsd", BUS_NAME_MAX);
    bus_write_text(&frame, "1", BUS_NAME_MAX);
    bus_write_uint(&frame, 4711);
    bus_write_text(&frame, "0", 64);
    bus_write_int(&frame, clock_mono_ms() + ahead_ms);
    bus_write_bool(&frame, false);
    zmq_send(self->router, self->route, sizeof(self->route), ZMQ_SNDMORE);
    zmq_send(self->router, frame.bytes, frame.size, 0);
    bus_frame_free(&frame);
}

/* Returns the lead of a call's deadline over our clock, in the instance's clock. */
static int64_t ahead_of_us(struct instance *self)
{
    struct kit_flock call = {.kit = self->kit, .method = &kit_work, .timeout_ms = 1000};
    int64_t deadline = clock_mono_ms() + call.timeout_ms, told;

    kit_flock_start(&call, 1);
    told = instance_hears(self, BUS_REQUEST, 1000);
    kit_flock_wait(&call);
    return told - deadline;
}

static void drifting_clock(struct loop *loop, void *arg UNUSED)
{
    struct instance instance;
    struct world world;
    int64_t ahead;

    world_make(&world, loop);
    instance_open(&instance, &world);
    kit_open_far(&world.kit, "gateway.a1", "hosts");
    CU_ASSERT(instance_hears(&instance, BUS_HELLO, 5000) >= 0);
    instance_welcomes(&instance, 100000);
    CU_ASSERT(kit_wait(&world.kit, 1));
    ahead = ahead_of_us(&instance);
    UNIT_CHECK(ahead > 99900 && ahead < 100100, "%d", (int)ahead);

    /* A busy machine can delay a round trip, which then does not count; the next one can. */
    for (int i = 0; i < 5 && ahead < 102900; i++) {
        CU_ASSERT(instance_hears(&instance, BUS_HELLO, BUS_CLOCK_MS + 2000) >= 0);
        instance_welcomes(&instance, 103000);
        kit_sleep(&world.kit, 100);
        ahead = ahead_of_us(&instance);
    }
    UNIT_CHECK(ahead > 102900 && ahead < 103100, "%d", (int)ahead);

    /* A slow round trip does not change the measured clock. */
    CU_ASSERT(instance_hears(&instance, BUS_HELLO, BUS_CLOCK_MS + 2000) >= 0);
    kit_sleep(&world.kit, BUS_CLOCK_TRIP_MS + 100);
    instance_welcomes(&instance, 109000);
    kit_sleep(&world.kit, 100);
    ahead = ahead_of_us(&instance);
    UNIT_CHECK(ahead > 102900 && ahead < 103100, "%d", (int)ahead);
    zmq_close(instance.router);
    zmq_ctx_term(instance.context);
    kit_close(&world.kit);
}

static void test_a_clock_that_drifts(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(drifting_clock, NULL);
}

static void long_connection(struct loop *loop, void *arg UNUSED)
{
    struct world world;
    int64_t before;

    world_open(&world, loop, "gateway.a1");
    kit_start(&world.kit, 1, "64");
    CU_ASSERT(kit_wait(&world.kit, 1));
    before = counter_of_server(&world.kit, "");
    kit_sleep(&world.kit, BUS_CLOCK_MS + 1000);
    CU_ASSERT(bus_has_peer(world.kit.bus, "settingsd"));
    UNIT_CHECK(counter_of_server(&world.kit, "") == before, "%d dropped",
               (int)(counter_of_server(&world.kit, "") - before));
    kit_close(&world.kit);
}

static void test_a_clock_that_is_asked_for(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(long_connection, NULL);
}

/* ---- death ---- */

static void killed(struct loop *loop, void *arg UNUSED)
{
    struct world world;
    struct kit *kit = &world.kit;
    struct kit_flock reads = {.kit = kit, .method = &kit_read, .number = 300, .timeout_ms = 5000};
    struct kit_flock writes = {.kit = kit, .method = &kit_work, .number = 300, .timeout_ms = 5000};

    world_open(&world, loop, "gateway.a1");
    kit_start(kit, 1, "512");
    kit_start(kit, 2, "512");
    CU_ASSERT(kit_wait(kit, 2));
    kit_flock_start(&reads, 50);
    kit_flock_start(&writes, 50);
    kit_sleep(kit, 100);
    kit_end(kit, 2, SIGKILL);
    kit_flock_wait(&reads);
    kit_flock_wait(&writes);
    /* Reads went to the other instance. Writes are not repeated, because they may have been
     * executed. */
    UNIT_CHECK(reads.ok == 50, "%d", reads.ok);
    UNIT_CHECK(writes.ok > 0 && writes.unavailable > 0 && writes.ok + writes.unavailable == 50,
               "%d %d", writes.ok, writes.unavailable);
    UNIT_CHECK(writes.slowest_ms < 1000, "%d", (int)writes.slowest_ms);
    kit_start(kit, 2, "512");
    CU_ASSERT(kit_wait(kit, 2));
    kit_close(kit);
}

static void test_kill_9_with_calls_in_flight(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(killed, NULL);
}

/* A silent host returns with old requests, which are not executed. */
static void silent(struct loop *loop, void *arg UNUSED)
{
    struct world world;
    struct kit *kit = &world.kit;
    struct kit_flock writes = {.kit = kit, .method = &kit_work, .timeout_ms = 20000};

    world_open(&world, loop, "gateway.a1");
    kit_start(kit, 1, "512");
    CU_ASSERT(kit_wait(kit, 1));
    kill(kit->servers[1], SIGSTOP);
    kit_flock_start(&writes, 20);
    kit_flock_wait(&writes);
    UNIT_CHECK(writes.unavailable == 20, "%d", writes.unavailable);
    UNIT_CHECK(writes.slowest_ms < 5000, "%d", (int)writes.slowest_ms);
    kill(kit->servers[1], SIGCONT);
    CU_ASSERT(kit_wait(kit, 1));
    UNIT_CHECK(atomic_load(&kit->counts->executed) == 0, "%ld", (long)kit->counts->executed);
    kit_close(kit);
}

static void test_a_silent_host_executes_nothing_that_was_given_up(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(silent, NULL);
}

static void rolling_restart(struct loop *loop, void *arg UNUSED)
{
    struct world world;
    struct kit *kit = &world.kit;
    bool stop = false;
    struct kit_flock writes = {
        .kit = kit, .method = &kit_work, .number = 5, .timeout_ms = 5000, .stop = &stop};

    world_open(&world, loop, "gateway.a1");
    kit_start(kit, 1, "512");
    kit_start(kit, 2, "512");
    CU_ASSERT(kit_wait(kit, 2));
    kit_flock_start(&writes, 20);
    for (int i = 0; i < 4; i++) {
        kit_sleep(kit, 100);
        CU_ASSERT(kit_end(kit, 1 + i % 2, SIGTERM) == 0);
        kit_start(kit, 1 + i % 2, "512");
        CU_ASSERT(kit_wait(kit, 2));
    }
    stop = true;
    kit_flock_wait(&writes);
    UNIT_CHECK(writes.ok > 100, "%d", writes.ok);
    UNIT_CHECK(writes.unavailable + writes.overloaded + writes.deadline + writes.other == 0,
               "%d %d %d %d", writes.unavailable, writes.overloaded, writes.deadline, writes.other);
    UNIT_CHECK(atomic_load(&kit->counts->executed) == writes.ok, "%ld of %d",
               (long)kit->counts->executed, writes.ok);
    kit_close(kit);
}

static void test_rolling_restart_loses_nothing(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(rolling_restart, NULL);
}

/* ---- news ---- */

static void count_news(void *arg, const msgpack_object *body, struct arena *arena)
{
    (void)body, (void)arena;
    ++*(int *)arg;
}

static void news(struct loop *loop, void *arg UNUSED)
{
    struct world world;
    struct kit *kit = &world.kit;
    struct kit_result result;
    int heard = 0;

    world_open(&world, loop, "gateway.a1");
    bus_on_announce(kit->bus, "change", count_news, &heard);
    kit_start(kit, 1, "64");
    CU_ASSERT(kit_wait(kit, 1));
    kit_call(kit, &result, &kit_tell, NULL, "news", 2000, 5000);
    UNIT_CHECK(result.result == 0 && result.out.number == 1, "%d", (int)result.out.number);
    kit_result_free(&result);
    CU_ASSERT(heard == 1);
    kit_close(kit);
}

static void test_announcements_reach_another_host(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(news, NULL);
}

/* Checks that no server opens for this caller in several attempts, and that the refusals are
 * counted. */
static void check_shut_out(struct world *world, const char *caller, const char *hosts, bool counted)
{
    struct kit *kit = &world->kit;
    int64_t before;

    kit_open_far(kit, "gateway.a1", "hosts");
    CU_ASSERT(kit_wait(kit, 1));
    before = counter_of_server(kit, "atrium_bus_strangers_total");
    kit_leave(kit);

    kit_open_far(kit, caller, hosts);
    kit_sleep(kit, NEVER_MS);
    UNIT_CHECK(!bus_has_peer(kit->bus, "settingsd"), "%s is let in", caller);
    kit_leave(kit);

    kit_open_far(kit, "gateway.a1", "hosts");
    CU_ASSERT(kit_wait(kit, 1));
    UNIT_CHECK((counter_of_server(kit, "atrium_bus_strangers_total") > before) == counted, "%s",
               caller);
}

static void unknown_key(struct loop *loop, void *arg UNUSED)
{
    struct kit_key key = kit_key_new();
    struct world world;

    world_make(&world, loop);
    kit_start(&world.kit, 1, "64");
    write_other_hosts(&world, "gateway.a2", &key);
    write_key(&world, "gateway.a2", &key);
    check_shut_out(&world, "gateway.a2", "other", true);
    kit_close(&world.kit);
}

static void test_an_unknown_key_is_refused(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(unknown_key, NULL);
}

/* No operation names this key's service: docd may call nothing here. */
static void wrong_service(struct loop *loop, void *arg UNUSED)
{
    struct world world;

    world_make(&world, loop);
    kit_start(&world.kit, 1, "64");
    check_shut_out(&world, "docd.c1", "hosts", true);
    kit_close(&world.kit);
}

static void test_a_service_without_operations_to_call_is_refused(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(wrong_service, NULL);
}

/* A process at a server's address without the server's key gets no request. */
static void impostor(struct loop *loop, void *arg UNUSED)
{
    struct kit_key key = kit_key_new();
    struct world world;

    world_make(&world, loop);
    kit_start(&world.kit, 1, "64");
    write_other_hosts(&world, "settingsd.1", &key);
    check_shut_out(&world, "gateway.a1", "other", false);
    kit_close(&world.kit);
}

static void test_a_server_without_its_key_gets_no_request(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(impostor, NULL);
}

/* A caller gets only its key's service's operations, whatever it claims. */
struct raw {
    void *context, *socket;
};

static void raw_open(struct raw *self, const struct world *world, const char *name)
{
    const int patience = 500, none = 0;
    char endpoint[64];

    self->context = zmq_ctx_new();
    self->socket = zmq_socket(self->context, ZMQ_DEALER);
    zmq_setsockopt(self->socket, ZMQ_RCVTIMEO, &patience, sizeof(patience));
    zmq_setsockopt(self->socket, ZMQ_LINGER, &none, sizeof(none));
    if (name) {
        const struct kit_key *key = &world->keys[index_of(name)];

        zmq_setsockopt(self->socket, ZMQ_CURVE_SERVERKEY, world->keys[0].public, BUS_KEY_SIZE);
        zmq_setsockopt(self->socket, ZMQ_CURVE_PUBLICKEY, key->public, BUS_KEY_SIZE);
        zmq_setsockopt(self->socket, ZMQ_CURVE_SECRETKEY, key->secret, BUS_KEY_SIZE);
    }
    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%d", world->ports[0]);
    CU_ASSERT(zmq_connect(self->socket, endpoint) == 0);
}

static void raw_close(struct raw *self)
{
    zmq_close(self->socket);
    zmq_ctx_term(self->context);
}

static bool welcomed(struct raw *raw, const char *service, const char *instance)
{
    struct codec_buffer frame = {0};
    struct bus_incoming in;
    char bytes[512];
    int size;

    bus_write(&frame, BUS_HELLO, 0, 3);
    bus_write_text(&frame, service, BUS_NAME_MAX);
    bus_write_text(&frame, instance, BUS_NAME_MAX);
    bus_write_uint(&frame, 4711);
    zmq_send(raw->socket, frame.bytes, frame.size, 0);
    bus_frame_free(&frame);
    size = zmq_recv(raw->socket, bytes, sizeof(bytes), 0);
    return size > 0 && bus_read(bytes, (size_t)size, &in) == 0 && in.kind == BUS_WELCOME;
}

static void other_names(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *key, *service, *instance;
        bool want;
    } rows[] = {
        {"ctl.a1", "ctl", "a1", true},          {"ctl.a1", "gateway", "a1", false},
        {"ctl.a1", "ctl", "a2", false},         {"gateway.a1", "gateway", "a1", true},
        {"gateway.a1", "gateway", "a2", false}, {"gateway.a1", "ctl", "a1", false},
        {"docd.c1", "docd", "c1", false},       {"docd.c1", "gateway", "a1", false},
        {NULL, "gateway", "a1", false},
    };
    struct world world;
    struct kit_result result;

    world_open(&world, loop, "ctl.a1");
    kit_start(&world.kit, 1, "64");
    CU_ASSERT(kit_wait(&world.kit, 1));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct raw raw;

        raw_open(&raw, &world, rows[i].key);
        UNIT_CHECK(welcomed(&raw, rows[i].service, rows[i].instance) == rows[i].want, "%s as %s.%s",
                   rows[i].key ? rows[i].key : "nobody", rows[i].service, rows[i].instance);
        raw_close(&raw);
    }
    kit_call(&world.kit, &result, &kit_operator, NULL, "", 0, 2000);
    UNIT_CHECK(result.result == 0, "%s", result.err.message);
    kit_result_free(&result);
    kit_call(&world.kit, &result, &kit_work, NULL, "", 0, 2000);
    CU_ASSERT(result.err.code == ERR_FORBIDDEN);
    kit_result_free(&result);
    CU_ASSERT(atomic_load(&world.kit.counts->executed) == 0);
    kit_close(&world.kit);
}

static void test_the_key_identifies_the_instance(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(other_names, NULL);
}

static int64_t hangs_up(struct kit *kit, int port, const void *bytes, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int64_t start = clock_mono_ms();
    char answer[256];
    ssize_t got = -1;

    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
        return -1;
    while (clock_mono_ms() < start + 3 * BUS_HANDSHAKE_MS) {
        got = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            break;
        kit_sleep(kit, 20);
    }
    close(fd);
    return got > 0 || clock_mono_ms() >= start + 3 * BUS_HANDSHAKE_MS ? -1
                                                                      : clock_mono_ms() - start;
}

/* A peer without a valid handshake is disconnected and delays no other. */
static void no_handshake(struct loop *loop, void *arg UNUSED)
{
    static const char http[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    struct world world;
    struct kit_result result;
    int64_t ms;

    world_open(&world, loop, "gateway.a1");
    kit_start(&world.kit, 1, "64");
    CU_ASSERT(kit_wait(&world.kit, 1));
    ms = hangs_up(&world.kit, world.ports[0], "", 0);
    UNIT_CHECK(ms >= 0 && ms < BUS_HANDSHAKE_MS + 1500, "silence: %d", (int)ms);
    ms = hangs_up(&world.kit, world.ports[0], http, sizeof(http) - 1);
    UNIT_CHECK(ms >= 0 && ms < BUS_HANDSHAKE_MS + 1500, "HTTP: %d", (int)ms);
    kit_call(&world.kit, &result, &kit_echo, NULL, "x", 1, 2000);
    UNIT_CHECK(result.result == 0, "%s", result.err.message);
    kit_result_free(&result);
    kit_close(&world.kit);
}

static void test_no_handshake_no_connection(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(no_handshake, NULL);
}

static void two_keys(struct loop *loop, void *arg UNUSED)
{
    static const char *const changing[] = {"gateway.a1", "settingsd.1"};

    for (size_t i = 0; i < ARRAY_SIZE(changing); i++) {
        struct kit_key new = kit_key_new();
        struct world world;

        world_make(&world, loop);
        add_line(&world, world.hosts, changing[i], &new);
        unit_dir_write(&world.kit.dir, "hosts", world.hosts);
        for (int turn = 0; turn < 2; turn++) {
            kit_start(&world.kit, 1, "64");
            kit_open_far(&world.kit, "gateway.a1", "hosts");
            UNIT_CHECK(kit_wait(&world.kit, 1), "%s, key %d", changing[i], turn);
            kit_leave(&world.kit);
            kit_end(&world.kit, 1, SIGKILL);
            write_key(&world, changing[i], &new);
        }
        kit_open_far(&world.kit, "gateway.a1", "hosts"); /* for kit_close() */
        kit_close(&world.kit);
    }
}

static void test_two_keys_while_one_is_changed(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(two_keys, NULL);
}

static void port_taken(struct loop *loop, void *arg UNUSED)
{
    struct world world;

    world_open(&world, loop, "gateway.a1");
    kit_start(&world.kit, 1, "64");
    CU_ASSERT(kit_wait(&world.kit, 1));
    world.ports[1] = world.ports[0];
    world.hosts[0] = '\0';
    add_line(&world, world.hosts, "settingsd.2", &world.keys[1]);
    unit_dir_write(&world.kit.dir, "hosts", world.hosts);
    kit_start(&world.kit, 2, "64");
    kit_sleep(&world.kit, 300);
    CU_ASSERT(kit_end(&world.kit, 2, SIGTERM) ==
              -SIGABRT); /* how the kit's server ends after an error */
    kit_close(&world.kit);
}

static void test_a_port_that_is_taken(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(port_taken, NULL);
}

/* An instance's host does not have the address that callers use. */
static void translated_address(struct loop *loop, void *arg UNUSED)
{
    static const struct operation one_operation[] = {{"none", "gateway", ACCESS_PUBLIC,
                                                      REACH_PUBLIC, R_SAFE, &nothing_table,
                                                      &nothing_table, NULL},
                                                     {.name = NULL}};
    struct world world;
    struct kit *kit = &world.kit;
    struct bus_options options = {.service = "settingsd",
                                  .instance = "1",
                                  .version = "test",
                                  .operations = one_operation,
                                  .upstreams = (const char *const[]){NULL},
                                  .peer_max = 1,
                                  .serve_max = 1};
    struct error err;
    char text[256];

    world_make(&world, loop);
    snprintf(text, sizeof(text), "settingsd.1 tcp://198.51.100.1:%d %s\n", world.ports[0],
             world.keys[0].text);
    unit_dir_write(&kit->dir, "translated", text);
    error_init(&err, NULL);
    UNIT_REQUIRE(bus_hosts_read(arena_printf(kit->arena, "%s/translated", kit->dir.path),
                                kit->arena, &kit->hosts, &err) == 0 &&
                     bus_hosts_take_key(kit->hosts, kit->dir.path, "settingsd.1", &err) == 0,
                 "%s", err.message);
    kit->metrics = metrics_new();
    options.hosts = kit->hosts;
    options.run_dir = kit->dir.path;
    CU_ASSERT_PTR_NULL(bus_new(loop, kit->clock, kit->metrics, &options, &err));
    CU_ASSERT(strstr(err.message, "Cannot listen at tcp://198.51.100.1") != NULL);
    CU_ASSERT(bus_hosts_listen(kit->hosts, "127.0.0.1", kit->arena, &err) == 0);
    struct bus *bus = bus_new(loop, kit->clock, kit->metrics, &options, &err);
    UNIT_CHECK(bus != NULL, "%s", err.message);
    bus_destroy(&bus);
    kit_close(kit);
}

static void test_an_address_that_others_translate(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(translated_address, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_a_call_and_its_reply),
    CASE(test_large_frames),
    CASE(test_a_socket_on_the_same_host_comes_first),
    CASE(test_a_clock_that_drifts),
    CASE(test_a_clock_that_is_asked_for),
    CASE(test_kill_9_with_calls_in_flight),
    CASE(test_a_silent_host_executes_nothing_that_was_given_up),
    CASE(test_rolling_restart_loses_nothing),
    CASE(test_announcements_reach_another_host),
    CASE(test_an_unknown_key_is_refused),
    CASE(test_a_service_without_operations_to_call_is_refused),
    CASE(test_a_server_without_its_key_gets_no_request),
    CASE(test_the_key_identifies_the_instance),
    CASE(test_no_handshake_no_connection),
    CASE(test_two_keys_while_one_is_changed),
    CASE(test_a_port_that_is_taken),
    CASE(test_an_address_that_others_translate),
};

int main(int argc, char **argv)
{
    kit_server_main(argc, argv);
    return unit_run("bus between hosts", cases, ARRAY_SIZE(cases));
}
