/*
 * test_bus_garbage.c - peers that send garbage, too large frames and forbidden messages: the
 * process lives and serves others. The servers are this program (bus_kit.h).
 *
 * tier: time quiet
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/bus/bus.h"
#include "tests/support/bus_kit.h"
#include "tests/support/bus_raw.h"

enum { GARBAGE_FRAMES = 100000 };

static size_t make_garbage(char *frame, uint64_t boot, unsigned *seed)
{
    size_t size = (size_t)(rand_r(seed) % 64);

    if (rand_r(seed) % 2 == 0) {
        for (size_t i = 0; i < size; i++)
            frame[i] = (char)rand_r(seed);
        return size;
    }
    size = raw_pack_request(frame, (uint64_t)rand_r(seed), boot, "user");
    if (rand_r(seed) % 2 == 0)
        return (size_t)rand_r(seed) % size;
    for (int i = 0; i < 3; i++)
        frame[(size_t)rand_r(seed) % size] = (char)rand_r(seed);
    return size;
}

static void pour_garbage(struct raw *raw)
{
    unsigned seed = 4711;
    char frame[512];

    for (int i = 0; i < GARBAGE_FRAMES; i++) {
        size_t size = make_garbage(frame, raw->boot, &seed);

        zmq_send(raw->socket, frame, size, i % 1000 == 0 ? ZMQ_SNDMORE : 0);
    }
    zmq_send(raw->socket, "", 0, 0);
}

static int64_t dropped(struct kit *kit)
{
    struct kit_result result;
    int64_t count;

    kit_call(kit, &result, &kit_dropped, NULL, "", 0, 5000);
    UNIT_CHECK(result.result == 0, "%s", result.err.message);
    count = result.out.number;
    kit_result_free(&result);
    return count;
}

static void garbage_to_instance(struct loop *loop, void *arg UNUSED)
{
    static const char *const callers[] = {"gateway", "ctl"};
    struct kit kit;
    char path[64], frame[256];
    uint64_t id = 0;
    int64_t before;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    for (size_t i = 0; i < ARRAY_SIZE(callers); i++) {
        struct raw raw;

        snprintf(path, sizeof(path), "settingsd/%s.1", callers[i]);
        CU_ASSERT(raw_open(&raw, &kit, ZMQ_DEALER, path));
        CU_ASSERT(raw_hello(&raw, callers[i], "9"));
        pour_garbage(&raw);
        /* The same connection still works afterwards. */
        raw_send(&raw, frame, raw_pack_request(frame, 77, raw.boot, "echo"));
        while (raw_receive(&raw, &id) > 0 && id != 77)
            ;
        CU_ASSERT(id == 77);
        before = dropped(&kit);
        CU_ASSERT(before > GARBAGE_FRAMES / 2);

        /* Valid frames at the wrong time, from the wrong peer, or with the wrong name. */
        raw_send(&raw, frame, raw_pack(frame, 1, 0, "ssu", callers[i], "9", (uint64_t)3));
        raw_send(&raw, frame, raw_pack(frame, 4, 5, "b"));
        raw_send(&raw, frame, raw_pack(frame, 9, 12345, ""));
        raw_send(&raw, frame, raw_pack(frame, 10, 0, ""));
        raw_send(&raw, frame, raw_pack_request(frame, 78, raw.boot, "echo"));
        CU_ASSERT(raw_receive(&raw, &id) == 4 && id == 78);
        UNIT_CHECK(dropped(&kit) == before + 4, "%d", (int)(dropped(&kit) - before));
        raw_close(&raw);

        CU_ASSERT(raw_open(&raw, &kit, ZMQ_DEALER, path));
        CU_ASSERT(!raw_hello(&raw, "authd", "9"));
        raw_close(&raw);
    }
    kit_close(&kit);
}

static void test_garbage_on_an_instances_sockets(void)
{
    unit_on_fiber(garbage_to_instance, NULL);
}

static void too_large_a_frame(struct loop *loop, void *arg UNUSED)
{
    char *large = calloc(1, CODEC_FRAME_MAX + 1);
    struct kit kit;
    struct kit_result result;
    struct raw raw;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    CU_ASSERT(raw_open(&raw, &kit, ZMQ_DEALER, "settingsd/gateway.1"));
    zmq_send(raw.socket, large, CODEC_FRAME_MAX + 1, 0);
    kit_sleep(&kit, 200);
    kit_call(&kit, &result, &kit_echo, NULL, "", 0, 2000);
    CU_ASSERT(result.result == 0);
    kit_result_free(&result);
    raw_close(&raw);
    free(large);
    kit_close(&kit);
}

static void test_a_frame_beyond_the_limit(void)
{
    unit_on_fiber(too_large_a_frame, NULL);
}

/* A ROUTER's frames start with the routing id. */
static void router_send(struct raw *raw, const void *route, size_t route_size, const void *bytes,
                        size_t size)
{
    zmq_send(raw->socket, route, route_size, ZMQ_SNDMORE);
    zmq_send(raw->socket, bytes, size, 0);
}

static int64_t counter(const struct kit *kit, const char *labels)
{
    return (int64_t)*metrics_counter(kit->metrics, "atrium_bus_dropped_total", labels, "");
}

/* Packs an announcement whose body is an array of nils instead of a map. Returns its size. */
static size_t pack_wrong_news(uint8_t *frame, uint32_t nils)
{
    static const uint8_t head[] = {0x95, 1, 8, 1, 0xa1, 'x', 0xc6};
    uint32_t size = htobe32(nils + 5), count = htobe32(nils);

    memcpy(frame, head, sizeof(head));
    memcpy(frame + sizeof(head), &size, 4);
    frame[sizeof(head) + 4] = 0xdd;
    memcpy(frame + sizeof(head) + 5, &count, 4);
    memset(frame + sizeof(head) + 9, 0xc0, nils);
    return sizeof(head) + 9 + nils;
}

static long peak_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Sends many such announcements, each of which needs 3 MiB to read. */
static void pour_wrong_news(struct kit *kit, struct raw *raw, const void *route)
{
    enum { COUNT = 100, NILS = 150000 };
    int64_t dropped = counter(kit, "reason=\"malformed\"");
    uint8_t *frame = malloc(NILS + 64);
    size_t size = pack_wrong_news(frame, NILS);
    long before = peak_kib();

    for (int i = 0; i < COUNT; i++)
        router_send(raw, route, 5, frame, size);
    for (int i = 0; i < 100 && counter(kit, "reason=\"malformed\"") < dropped + COUNT; i++)
        kit_sleep(kit, 50);
    CU_ASSERT_EQUAL(counter(kit, "reason=\"malformed\""), dropped + COUNT);
    UNIT_CHECK(peak_kib() - before < 64 * 1024 + UNIT_KEPT_KIB, "%ld KiB more",
               peak_kib() - before);
    free(frame);
}

/* The caller survives a broken instance and accepts only a WELCOME with the right name. */
static void garbage_to_caller(struct loop *loop, void *arg UNUSED)
{
    unsigned seed = 815;
    char route[16], bytes[512], path[128];
    struct kit kit;
    struct raw raw;
    int size;

    kit_open(&kit, loop, "gateway", 512);
    CU_ASSERT(raw_open(&raw, &kit, ZMQ_ROUTER, "settingsd/gateway.6"));
    kit_sleep(&kit, 200);
    size = zmq_recv(raw.socket, route, sizeof(route), 0);
    CU_ASSERT(size == 5);
    CU_ASSERT(zmq_recv(raw.socket, bytes, sizeof(bytes), 0) > 0);
    router_send(&raw, route, 5, bytes,
                raw_pack(bytes, 2, 0, "ssusif", "settingsd", "5", (uint64_t)7, "0",
                         clock_mono_ms()));
    for (int i = 0; i < 2000; i++)
        router_send(&raw, route, 5, bytes, make_garbage(bytes, 1, &seed));
    kit_sleep(&kit, 200);
    CU_ASSERT(!bus_has_peer(kit.bus, "settingsd"));
    CU_ASSERT(counter(&kit, "reason=\"malformed\"") > 1000);
    pour_wrong_news(&kit, &raw, route);

    router_send(&raw, route, 5, bytes,
                raw_pack(bytes, 2, 0, "ssusif", "settingsd", "6", (uint64_t)7, "0",
                         clock_mono_ms()));
    CU_ASSERT(kit_wait(&kit, 1));
    router_send(&raw, route, 5, bytes, raw_pack(bytes, 4, 4242, "b"));
    kit_sleep(&kit, 50);
    CU_ASSERT(counter(&kit, "reason=\"late\"") == 1);
    raw_close(&raw);
    CU_ASSERT(kit_wait(&kit, 0));
    snprintf(path, sizeof(path), "%s/bus/settingsd/gateway.6", kit.dir.path);
    unlink(path);
    kit_close(&kit);
}

static void test_garbage_from_an_instance(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(garbage_to_caller, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_garbage_on_an_instances_sockets),
    CASE(test_a_frame_beyond_the_limit),
    CASE(test_garbage_from_an_instance),
};

int main(int argc, char **argv)
{
    kit_server_main(argc, argv);
    return unit_run("bus garbage", cases, ARRAY_SIZE(cases));
}
