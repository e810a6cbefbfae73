/*
 * test_bus.c - the bus between real processes: calls, errors, limits, discovery, death, drain,
 * garbage, news.
 *
 * The servers are this program again (bus_kit.h); some peers are bare ZeroMQ sockets that speak
 * WIRE.md by hand, so that what the bus must survive can be said to it.
 */
#include <endian.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/bus/bus.h"
#include "common/service/span_json.h"
#include "tests/support/bus_kit.h"

static const struct caller patient = {.account = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
                                      .membership = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4c"},
                                      .project = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4d"},
                                      .profile = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4e"},
                                      .role = "Patient"};

static struct caller caller_of(const char *role, bool admin)
{
    struct caller caller = patient;

    caller.role = role;
    caller.admin = admin;
    return caller;
}

/* ---- bare peers ---- */

/* Packs a frame by its elements: s text, u uint, i int, b bin of an empty map, n bin of nothing, f
 * false. */
static size_t pack(char *frame, int kind, uint64_t id, const char *elements, ...)
{
    msgpack_sbuffer buffer;
    msgpack_packer packer;
    va_list args;
    size_t size;

    msgpack_sbuffer_init(&buffer);
    msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
    msgpack_pack_array(&packer, 3 + strlen(elements));
    msgpack_pack_int(&packer, 1);
    msgpack_pack_int(&packer, kind);
    msgpack_pack_uint64(&packer, id);
    va_start(args, elements);
    for (const char *at = elements; *at != '\0'; at++) {
        if (*at == 's')
            codec_pack_text(&packer, va_arg(args, const char *));
        else if (*at == 'u')
            msgpack_pack_uint64(&packer, va_arg(args, uint64_t));
        else if (*at == 'i')
            msgpack_pack_int64(&packer, va_arg(args, int64_t));
        else if (*at == 'f')
            msgpack_pack_false(&packer);
        else if (*at == 'b')
            msgpack_pack_bin_with_body(&packer, "\x80", 1);
        else
            msgpack_pack_bin(&packer, 0);
    }
    va_end(args);
    size = buffer.size;
    memcpy(frame, buffer.data, size);
    msgpack_sbuffer_destroy(&buffer);
    return size;
}

struct raw {
    void *context, *socket;
    uint64_t boot; /* of the instance, once it said WELCOME */
    char code[65]; /* of the last ERROR */
};

static bool raw_open(struct raw *self, const struct kit *kit, int type, const char *path)
{
    const int patience = 2000, none = 0;
    char endpoint[160];

    self->context = zmq_ctx_new();
    self->socket = zmq_socket(self->context, type);
    zmq_setsockopt(self->socket, ZMQ_RCVTIMEO, &patience, sizeof(patience));
    zmq_setsockopt(self->socket, ZMQ_LINGER, &none, sizeof(none));
    zmq_setsockopt(self->socket, ZMQ_SNDHWM, &none, sizeof(none));
    zmq_setsockopt(self->socket, ZMQ_RCVHWM, &none,
                   sizeof(none)); /* else answers are dropped, rightly */
    snprintf(endpoint, sizeof(endpoint), "ipc://%s/bus/%s", kit->dir.path, path);
    return (type == ZMQ_ROUTER ? zmq_bind(self->socket, endpoint)
                               : zmq_connect(self->socket, endpoint)) == 0;
}

static void raw_close(struct raw *self)
{
    zmq_close(self->socket);
    zmq_ctx_term(self->context);
}

static void raw_send(struct raw *self, const void *bytes, size_t size)
{
    CU_ASSERT(zmq_send(self->socket, bytes, size, 0) == (int)size);
}

/* The kind of the next frame, -1 when none comes; its id; the boot of a WELCOME, the code of an
 * ERROR. */
static int raw_receive(struct raw *self, uint64_t *ret_id)
{
    struct arena *arena = arena_new();
    char bytes[4096];
    msgpack_object object;
    struct error err;
    int kind = -1, size = zmq_recv(self->socket, bytes, sizeof(bytes), 0);

    error_init(&err, arena);
    if (size >= 0 && codec_unpack(bytes, (size_t)size, arena, &object, &err) == 0) {
        kind = (int)object.via.array.ptr[1].via.u64;
        *ret_id = object.via.array.ptr[2].via.u64;
        if (kind == 2)
            self->boot = object.via.array.ptr[5].via.u64;
        if (kind == 5)
            snprintf(self->code, sizeof(self->code), "%.*s",
                     (int)object.via.array.ptr[3].via.str.size,
                     object.via.array.ptr[3].via.str.ptr);
    }
    arena_destroy(&arena);
    return kind;
}

static bool raw_hello(struct raw *self, const char *service, const char *instance)
{
    char frame[256];
    uint64_t id;

    raw_send(self, frame, pack(frame, 1, 0, "ssu", service, instance, (uint64_t)getpid()));
    return raw_receive(self, &id) == 2;
}

static size_t pack_request(char *frame, uint64_t id, uint64_t boot, const char *operation)
{
    return pack(frame, 3, id, "usisssnb", boot, operation, clock_mono_ms() + 5000, "t", "", "");
}

/* ---- calls ---- */

static void call_and_reply(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct kit_result result;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    kit_call(&kit, &result, &kit_echo, NULL, "gr\u00fc\u00df dich", INT64_MAX, 2000);
    UNIT_CHECK(result.result == 0, "%s", result.err.message);
    if (result.result == 0) {
        CU_ASSERT_STRING_EQUAL(result.out.text, "gr\u00fc\u00df dich");
        CU_ASSERT_STRING_EQUAL(result.out.service, "gateway");
        CU_ASSERT_STRING_EQUAL(result.out.trace, "trace-1");
        CU_ASSERT_STRING_EQUAL(result.out.address, "192.0.2.1");
        CU_ASSERT_STRING_EQUAL(result.out.agent, "kit");
        CU_ASSERT(result.out.number == INT64_MAX);
    }
    kit_result_free(&result);
    CU_ASSERT(kit_end(&kit, 1, SIGTERM) == 0);
    kit_close(&kit);
}

static void test_a_call_and_its_reply(void)
{
    unit_on_fiber(call_and_reply, NULL);
}

/* The gateway's way: maps in, maps out, and no struct between. */
static void packed(struct loop *loop, void *arg UNUSED)
{
    static const char body[] = "\x81\xa4text\xa5hello";
    struct request req = {.arena = arena_new(), .deadline_mono_ms = clock_mono_ms() + 5000};
    const msgpack_object *text;
    msgpack_object answer;
    struct error err;
    struct kit kit;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    error_init(&err, req.arena);
    CU_ASSERT(bus_call_packed(kit.bus, &kit_echo, &req, body, sizeof(body) - 1, &answer, &err) ==
              0);
    text = codec_member(&answer, "text");
    CU_ASSERT(text && text->via.str.size == 5 && !memcmp(text->via.str.ptr, "hello", 5));
    CU_ASSERT(bus_call_packed(kit.bus, &kit_echo, &req, "\x93", 1, &answer, &err) == -1 &&
              err.code == ERR_BAD_REQUEST);
    arena_destroy(&req.arena);
    kit_close(&kit);
}

static void test_a_packed_call_and_its_packed_reply(void)
{
    unit_on_fiber(packed, NULL);
}

static void errors_travel(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct kit_result result;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));

    kit_call(&kit, &result, &kit_refuse, NULL, "", 70, 2000);
    CU_ASSERT(result.result == -1 && result.err.code == ERR_VALIDATION);
    CU_ASSERT(result.err.problem_count == 70);
    CU_ASSERT_STRING_EQUAL(result.err.problems->name, "field.0");
    CU_ASSERT_STRING_EQUAL(result.err.problems->next->value, "wrong 1");
    CU_ASSERT_STRING_EQUAL(result.err.detail, "");
    kit_result_free(&result);

    kit_call(&kit, &result, &kit_refuse, NULL, "throttle", 0, 2000);
    CU_ASSERT(result.err.code == ERR_THROTTLED && result.err.retry_after_s == 17);
    CU_ASSERT(result.err.limit == 5 && result.err.remaining == 0 && result.err.reset_s == 42);
    CU_ASSERT_STRING_EQUAL(result.err.message, "Slow down.");
    kit_result_free(&result);

    kit_call(&kit, &result, &kit_refuse, NULL, "setting", 0, 2000);
    CU_ASSERT(result.err.code == ERR_INVALID_SETTING_VALUE);
    CU_ASSERT_STRING_EQUAL(result.err.problems->name, "value");
    CU_ASSERT_STRING_EQUAL(result.err.members->value, "INVALID_SETTING_VALUE");
    kit_result_free(&result);

    kit_call(&kit, &result, &kit_refuse, NULL, "cut", 0, 2000);
    CU_ASSERT(result.err.code == ERR_NOT_FOUND && strlen(result.err.message) > 200);
    kit_result_free(&result);

    kit_call(&kit, &result, &kit_unknown, NULL, "", 0, 2000);
    CU_ASSERT(result.result == -1 && result.err.code == ERR_UNAVAILABLE);
    CU_ASSERT(result.took_ms < 1000); /* answered, not dropped */
    kit_result_free(&result);
    kit_close(&kit);
}

static void test_an_error_travels_whole(void)
{
    unit_on_fiber(errors_travel, NULL);
}

static void sizes(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *label;
        int64_t sent, answered;
        enum error_code want;
    } rows[] = {
        {"nothing", 0, 0, ERR_NONE},
        {"1 MiB each way", 1 << 20, 1 << 20, ERR_NONE},
        {"request too large", CODEC_FRAME_MAX, 0, ERR_TOO_LARGE},
        {"reply too large", 0, CODEC_FRAME_MAX, ERR_INTERNAL},
        {"and the connection still stands", 0, 10, ERR_NONE},
    };
    char *text = malloc(CODEC_FRAME_MAX + 1);
    struct kit kit;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct kit_result result;

        memset(text, 'a', (size_t)rows[i].sent);
        text[rows[i].sent] = '\0';
        kit_call(&kit, &result, &kit_large, NULL, text, rows[i].answered, 3000);
        UNIT_CHECK(result.err.code == rows[i].want, "%s: %s", rows[i].label, result.err.message);
        if (result.result == 0)
            UNIT_CHECK((int64_t)strlen(result.out.text) == rows[i].answered, "%s", rows[i].label);
        kit_result_free(&result);
    }
    free(text);
    kit_close(&kit);
}

static void test_large_and_too_large_bodies(void)
{
    unit_on_fiber(sizes, NULL);
}

/* ---- who may ---- */

static void access_rows(struct loop *loop, void *arg UNUSED)
{
    const struct caller practitioner = caller_of("Practitioner", false);
    const struct caller admin = caller_of("Practitioner", true);
    const struct caller odd = caller_of("Patient", true);
    const struct caller broken = caller_of("Cashier", true);
    const struct {
        const char *label;
        const struct bus_method *method;
        const struct caller *caller;
        enum error_code want;
    } rows[] = {
        {"public, nobody", &kit_echo, NULL, ERR_NONE},
        {"user, nobody", &kit_user, NULL, ERR_UNAUTHORIZED},
        {"user, patient", &kit_user, &patient, ERR_NONE},
        {"logout, nobody", &kit_logout, NULL, ERR_UNAUTHORIZED},
        {"logout, patient", &kit_logout, &patient, ERR_NONE},
        {"practitioner, nobody", &kit_practitioner, NULL, ERR_UNAUTHORIZED},
        {"practitioner, patient", &kit_practitioner, &patient, ERR_FORBIDDEN},
        {"practitioner, practitioner", &kit_practitioner, &practitioner, ERR_NONE},
        {"admin, practitioner", &kit_admin, &practitioner, ERR_FORBIDDEN},
        {"admin, patient with the flag", &kit_admin, &odd, ERR_FORBIDDEN},
        {"admin, admin", &kit_admin, &admin, ERR_NONE},
        {"user, unknown role", &kit_user, &broken, ERR_VALIDATION},
        {"another service's operation", &kit_operator, &admin, ERR_FORBIDDEN},
    };
    struct kit kit;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct kit_result result;

        kit_call(&kit, &result, rows[i].method, rows[i].caller, "", 0, 2000);
        UNIT_CHECK(result.err.code == rows[i].want, "%s: %s", rows[i].label, result.err.message);
        kit_result_free(&result);
    }
    kit_close(&kit);
}

static void test_the_access_column_is_checked_again(void)
{
    unit_on_fiber(access_rows, NULL);
}

/* Another service may not bring a user along, nor call what does not name it. */
static void not_the_gateway(struct loop *loop, void *arg UNUSED)
{
    const struct {
        const struct bus_method *method;
        enum error_code want;
    } rows[] = {
        {&kit_echo, ERR_NONE},
        {&kit_operator, ERR_NONE},
        {&kit_user, ERR_UNAUTHORIZED},
        {&kit_work, ERR_FORBIDDEN},
    };
    struct kit kit;
    struct raw raw;
    char frame[256];
    uint64_t id = 0;

    kit_open(&kit, loop, "ctl", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct kit_result result;

        kit_call(&kit, &result, rows[i].method, &patient, "", 0, 2000);
        UNIT_CHECK(result.err.code == rows[i].want, "row %zu: %s", i, result.err.message);
        kit_result_free(&result);
    }
    CU_ASSERT(atomic_load(&kit.counts->executed) == 0);

    /* Our own side does not even send it; one that does is not believed, nor is the map looked
     * at. */
    CU_ASSERT(raw_open(&raw, &kit, ZMQ_DEALER, "settingsd/ctl.1"));
    CU_ASSERT(raw_hello(&raw, "ctl", "7"));
    raw_send(&raw, frame,
             pack(frame, 3, 8, "usisssbb", raw.boot, "user", clock_mono_ms() + 5000, "t", "", ""));
    CU_ASSERT(raw_receive(&raw, &id) == 5 && id == 8);
    CU_ASSERT_STRING_EQUAL(raw.code, "UNAUTHORIZED");
    raw_close(&raw);
    kit_close(&kit);
}

static void test_only_the_gateway_may_name_a_user(void)
{
    unit_on_fiber(not_the_gateway, NULL);
}

/* ---- time and load ---- */

static void deadlines(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct kit_result result;
    struct kit_flock flock = {.kit = &kit, .method = &kit_work, .timeout_ms = 150};

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    kit_call(&kit, &result, &kit_work, NULL, "", 400, 100);
    CU_ASSERT(result.err.code == ERR_DEADLINE);
    CU_ASSERT(result.took_ms >= 100 && result.took_ms < 350);
    kit_result_free(&result);
    kit_call(&kit, &result, &kit_work, NULL, "", 0, -1);
    CU_ASSERT(result.err.code == ERR_DEADLINE);
    kit_result_free(&result);
    CU_ASSERT(atomic_load(&kit.counts->executed) == 1);

    /* What has expired before it is read is not executed. */
    kill(kit.servers[1], SIGSTOP);
    kit_flock_start(&flock, 20);
    kit_flock_wait(&flock);
    CU_ASSERT(flock.deadline == 20);
    kill(kit.servers[1], SIGCONT);
    kit_call(&kit, &result, &kit_work, NULL, "", 0, 2000);
    CU_ASSERT(result.result == 0);
    kit_result_free(&result);
    CU_ASSERT(atomic_load(&kit.counts->executed) == 2);
    kit_close(&kit);
}

static void test_deadlines_expired_requests_are_not_executed(void)
{
    unit_on_fiber(deadlines, NULL);
}

static void overload(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *label, *serve_max;
        int overloaded;
    } rows[] = {
        {"the caller's cap of 8 to one instance", "64", 3},
        {"the instance's cap of 4", "4", 7},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct kit kit;
        struct kit_flock flock = {
            .kit = &kit, .method = &kit_work, .number = 300, .timeout_ms = 3000};

        kit_open(&kit, loop, "gateway", 8);
        kit_start(&kit, 1, rows[i].serve_max);
        CU_ASSERT(kit_wait(&kit, 1));
        kit_flock_start(&flock, 11);
        kit_sleep(&kit, 150);
        UNIT_CHECK(flock.overloaded == rows[i].overloaded, "%s: %d", rows[i].label,
                   flock.overloaded);
        UNIT_CHECK(flock.slowest_ms < 150, "%s", rows[i].label);
        kit_flock_wait(&flock);
        UNIT_CHECK(flock.ok == 11 - rows[i].overloaded, "%s: %d", rows[i].label, flock.ok);
        kit_close(&kit);
    }
}

static void test_caps_answer_at_once(void)
{
    unit_on_fiber(overload, NULL);
}

/* ---- finding instances ---- */

struct presence {
    struct kit *kit;
    int came, went;
};

static void on_presence(void *arg, const char *service)
{
    struct presence *seen = arg;

    if (bus_has_peer(seen->kit->bus, service))
        seen->came++;
    else
        seen->went++;
}

static void discovery(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct presence seen = {.kit = &kit};
    struct kit_result result;
    char path[128];
    struct stat info;
    int64_t start;

    kit_open(&kit, loop, "gateway", 512);
    bus_on_presence(kit.bus, on_presence, &seen);
    kit_call(&kit, &result, &kit_echo, NULL, "", 0, 2000);
    CU_ASSERT(result.err.code == ERR_UNAVAILABLE && result.err.retry_after_s == 1);
    CU_ASSERT(result.took_ms < 100);
    kit_result_free(&result);

    kit_sleep(&kit, 100);
    start = clock_mono_ms();
    kit_start(&kit, 2, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    UNIT_CHECK(clock_mono_ms() - start < 1000, "found after %d ms", (int)(clock_mono_ms() - start));
    snprintf(path, sizeof(path), "%s/bus/settingsd/gateway.2", kit.dir.path);
    CU_ASSERT(stat(path, &info) == 0 && (info.st_mode & 0777) == 0660);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 2));
    CU_ASSERT(seen.came == 1 && seen.went == 0);

    const char **names = bus_peers(kit.bus, NULL, result.arena = arena_new());
    CU_ASSERT_STRING_EQUAL(names[0], "settingsd.1");
    CU_ASSERT_STRING_EQUAL(names[1], "settingsd.2");
    CU_ASSERT_PTR_NULL(names[2]);
    kit_result_free(&result);

    CU_ASSERT(kit_end(&kit, 1, SIGTERM) == 0 && kit_wait(&kit, 1));
    CU_ASSERT(kit_end(&kit, 2, SIGTERM) == 0 && kit_wait(&kit, 0));
    CU_ASSERT(seen.came == 1 && seen.went == 1);
    CU_ASSERT(stat(path, &info) == -1 && errno == ENOENT);
    kit_close(&kit);
}

static void test_a_late_instance_is_found_a_drained_one_forgotten(void)
{
    unit_on_fiber(discovery, NULL);
}

static void one_instance(struct loop *loop, void *arg UNUSED)
{
    const struct kit_in in = {"", 0};
    struct kit kit;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    kit_start(&kit, 2, "64");
    CU_ASSERT(kit_wait(&kit, 2));
    for (int i = 0; i < 8; i++) {
        int instance = i % 2 + 1;
        struct request req = {.arena = arena_new(), .deadline_mono_ms = clock_mono_ms() + 2000};
        struct kit_out out;
        struct error err;

        error_init(&err, req.arena);
        CU_ASSERT(bus_call_instance(kit.bus, instance == 1 ? "settingsd.1" : "settingsd.2",
                                    &kit_echo, &req, &in, &out, &err) == 0);
        CU_ASSERT(out.pid == kit.servers[instance]);
        CU_ASSERT(bus_call_instance(kit.bus, "settingsd.3", &kit_echo, &req, &in, &out, &err) ==
                      -1 &&
                  err.code == ERR_UNAVAILABLE);
        arena_destroy(&req.arena);
    }
    kit_close(&kit);
}

static void test_one_certain_instance(void)
{
    unit_on_fiber(one_instance, NULL);
}

/* ---- traces ---- */

static void traced_call(const struct kit *kit, const char *peer, struct kit_out *ret)
{
    static const struct kit_in in = {"", 0};
    struct request req = {.arena = kit->arena,
                          .trace = "request-1",
                          .address = "",
                          .userAgent = "",
                          .deadline_mono_ms = clock_mono_ms() + 2000};
    struct error err;

    error_init(&err, kit->arena);
    UNIT_CHECK(bus_call_instance(kit->bus, peer, &kit_traced, &req, &in, ret, &err) == 0, "%s",
               err.message);
}

/* The parent of the instance's work is the span of the call; an older instance is called as
 * ever. */
static void traces(struct loop *loop, void *arg UNUSED)
{
    static const char parent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    struct activity activity = {.request_id = "request-1", .operation = "", .state = "vendor=1"};
    struct kit_out out;
    struct kit kit;
    size_t count;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    kit_start(&kit, KIT_OLD, "64");
    CU_ASSERT(kit_wait(&kit, 2));
    CU_ASSERT(bus_peer_knows_traces(kit.bus, "settingsd.1"));
    CU_ASSERT(!bus_peer_knows_traces(kit.bus, "settingsd.6"));
    CU_ASSERT(traceparent_read(parent, &activity.context) == 0);
    activity_enter(loop, &activity);
    traced_call(&kit, "settingsd.1", &out);
    CU_ASSERT_STRING_EQUAL(out.text, ""); /* not sampled here */
    activity.spans = kit.spans;
    traced_call(&kit, "settingsd.1", &out);
    UNIT_CHECK(strlen(out.text) == strlen(parent) && strncmp(out.text, parent, 36) == 0 &&
                   strcmp(out.text, parent) != 0,
               "%s", out.text);
    CU_ASSERT_STRING_EQUAL(out.address, "vendor=1");
    CU_ASSERT_STRING_EQUAL(out.trace, "request-1");
    traced_call(&kit, "settingsd.6", &out);
    CU_ASSERT_STRING_EQUAL(out.text, "");
    CU_ASSERT_STRING_EQUAL(out.trace, "request-1");
    CU_ASSERT_PTR_NOT_NULL(
        strstr(span_json_drain(kit.spans, kit.arena, &count),
               "\"parentSpanId\":\"00f067aa0ba902b7\",\"traceState\":\"vendor=1\""));
    CU_ASSERT_EQUAL(count, 2);
    activity_enter(loop, NULL);
    kit_close(&kit);
}

static void test_traces_to_those_who_know_them(void)
{
    unit_on_fiber(traces, NULL);
}

static void start_refused(struct loop *loop, void *arg UNUSED)
{
    static const struct operation operations[] = {
        {"x", "gateway", ACCESS_INTERNAL, 0, &kit_in_table, &kit_out_table, NULL}, {0}};
    char deep[120] = "/tmp/";
    struct kit kit;
    struct bus_options options;
    struct bus *bus;
    struct error err;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    error_init(&err, NULL);
    options = kit.options;
    options.service = "settingsd";
    options.operations = operations;
    bus = bus_new(loop, kit.clock, kit.metrics, &options, &err);
    CU_ASSERT(!bus && err.code == ERR_CONFLICT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "running already"));
    kit_sleep(&kit, 50);
    CU_ASSERT(bus_has_peer(kit.bus, "settingsd")); /* the living one was not harmed */

    error_clear(&err);
    options.instance = "Not_A-Name";
    CU_ASSERT(!bus_new(loop, kit.clock, kit.metrics, &options, &err));
    error_clear(&err);
    options.instance = "3";
    memset(deep + 5, 'd', 100);
    options.run_dir = deep;
    CU_ASSERT(!bus_new(loop, kit.clock, kit.metrics, &options, &err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "107"));
    rmdir(deep);
    kit_close(&kit);
}

static void test_a_start_that_must_be_refused(void)
{
    unit_on_fiber(start_refused, NULL);
}

/* ---- death ---- */

static void killed(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct kit_flock reads = {.kit = &kit, .method = &kit_read, .number = 300, .timeout_ms = 3000};
    struct kit_flock works = {.kit = &kit, .method = &kit_work, .number = 300, .timeout_ms = 3000};

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    kit_start(&kit, 2, "64");
    CU_ASSERT(kit_wait(&kit, 2));
    kit_flock_start(&reads, 20);
    kit_flock_start(&works, 20);
    kit_sleep(&kit, 100);
    kit_end(&kit, 1, SIGKILL);
    kit_sleep(&kit, 50);
    /* Half of the writes were with it and are told at once; its reads go to the other. */
    UNIT_CHECK(works.unavailable == 10, "%d", works.unavailable);
    CU_ASSERT(works.slowest_ms < 250);
    kit_flock_wait(&reads);
    kit_flock_wait(&works);
    UNIT_CHECK(reads.ok == 20, "%d", reads.ok);
    UNIT_CHECK(works.ok == 10, "%d", works.ok);
    UNIT_CHECK(atomic_load(&kit.counts->executed) == 50, "%ld", atomic_load(&kit.counts->executed));

    /* The last one: no instance is left. */
    reads.ok = works.ok = works.unavailable = 0;
    kit_flock_start(&reads, 5);
    kit_flock_start(&works, 5);
    kit_sleep(&kit, 100);
    kit_end(&kit, 2, SIGKILL);
    kit_flock_wait(&reads);
    kit_flock_wait(&works);
    CU_ASSERT(reads.unavailable == 5 && works.unavailable == 5);
    CU_ASSERT(reads.slowest_ms < 250);
    kit_close(&kit);
}

static void test_kill_9_with_calls_in_flight(void)
{
    unit_on_fiber(killed, NULL);
}

/* One of two has lost its database: reads do not notice, and it is not asked again and again. */
static void sick(struct loop *loop, void *arg UNUSED)
{
    enum { CALLS = 100 };
    struct kit kit;
    struct kit_result result;
    int failed = 0;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    kit_start(&kit, 2, "64");
    CU_ASSERT(kit_wait(&kit, 2));
    for (int i = 0; i < CALLS; i++) {
        kit_call(&kit, &result, &kit_sick, NULL, "", kit.servers[2], 2000);
        UNIT_CHECK(result.result == 0 && result.out.pid == kit.servers[1], "%s",
                   result.err.message);
        kit_result_free(&result);
    }
    UNIT_CHECK(atomic_load(&kit.counts->executed) == 1, "%ld", (long)kit.counts->executed);
    kit_sleep(&kit, 1100); /* it may be well again */
    for (int i = 0; i < CALLS; i++) {
        kit_call(&kit, &result, &kit_sick_write, NULL, "", kit.servers[2], 2000);
        failed += result.err.code == ERR_UNAVAILABLE;
        kit_result_free(&result);
    }
    UNIT_CHECK(failed == 1, "%d", failed);
    /* Who is the last one left is asked, well or not. */
    kit_end(&kit, 1, SIGKILL);
    CU_ASSERT(kit_wait(&kit, 1));
    kit_call(&kit, &result, &kit_sick, NULL, "", kit.servers[2], 2000);
    CU_ASSERT(result.err.code == ERR_UNAVAILABLE && result.err.retry_after_s == 1);
    UNIT_CHECK(strcmp(result.err.message, "The database is gone.") == 0, "%s", result.err.message);
    kit_result_free(&result);
    kit_close(&kit);
}

static void test_an_unavailable_instance_is_tried_last(void)
{
    unit_on_fiber(sick, NULL);
}

/* The dead instance's name, directory and lock are free for its successor, which gets none of its
 * requests. */
static void restarted(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct kit_flock flock = {.kit = &kit, .method = &kit_work, .timeout_ms = 3000};
    struct kit_result result;
    struct raw raw;
    char frame[256];
    uint64_t id = 0;

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));
    kill(kit.servers[1], SIGSTOP);
    kit_flock_start(&flock, 300);
    kit_sleep(&kit, 50);
    kit_end(&kit, 1, SIGKILL);
    kit_start(&kit, 1, "64");
    kit_flock_wait(&flock);
    UNIT_CHECK(flock.unavailable == 300, "%d", flock.unavailable);
    CU_ASSERT(kit_wait(&kit, 1));
    kit_sleep(&kit, 300);
    CU_ASSERT(atomic_load(&kit.counts->executed) == 0);
    kit_call(&kit, &result, &kit_work, NULL, "", 0, 2000);
    CU_ASSERT(result.result == 0);
    kit_result_free(&result);

    /* The same by hand: the boot id of another life is refused and not executed. */
    CU_ASSERT(raw_open(&raw, &kit, ZMQ_DEALER, "settingsd/gateway.1"));
    CU_ASSERT(raw_hello(&raw, "gateway", "7"));
    raw_send(&raw, frame, pack_request(frame, 5, raw.boot + 1, "work"));
    CU_ASSERT(raw_receive(&raw, &id) == 6 && id == 5);
    raw_send(&raw, frame, pack_request(frame, 6, raw.boot, "work"));
    CU_ASSERT(raw_receive(&raw, &id) == 4 && id == 6);
    raw_close(&raw);
    CU_ASSERT(atomic_load(&kit.counts->executed) == 2);
    kit_close(&kit);
}

static void test_a_successor_executes_nothing_old(void)
{
    unit_on_fiber(restarted, NULL);
}

/* What waits in the sockets of a stopped instance: a short stop delays it; after a longer one it is
 * refused and sent again by a caller that still waits; what a caller gave up is never executed. */
static void standstill(struct loop *loop, void *arg UNUSED)
{
    enum { CALLS = 20 };
    static const struct {
        const char *label;
        int64_t still_ms; /* 0: until the calls are lost */
        int answer, ok;   /* kind of the answer to a bare request; calls that went well */
    } rows[] = {
        {"short", 300, 4, CALLS},
        {"long", 2300, 6, CALLS},
        {"given up", 0, 6, 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct kit kit;
        struct kit_flock flock = {.kit = &kit, .method = &kit_work, .timeout_ms = 20000};
        struct raw raw;
        char frame[256];
        uint64_t id = 0;

        kit_open(&kit, loop, "gateway", 512);
        kit_start(&kit, 1, "64");
        CU_ASSERT(kit_wait(&kit, 1));
        CU_ASSERT(raw_open(&raw, &kit, ZMQ_DEALER, "settingsd/gateway.1"));
        CU_ASSERT(raw_hello(&raw, "gateway", "7"));
        kill(kit.servers[1], SIGSTOP);
        raw_send(&raw, frame, pack_request(frame, 5, raw.boot, "echo"));
        kit_flock_start(&flock, CALLS);
        if (rows[i].still_ms > 0)
            kit_sleep(&kit, rows[i].still_ms);
        else
            kit_flock_wait(&flock);
        kill(kit.servers[1], SIGCONT);
        UNIT_CHECK(raw_receive(&raw, &id) == rows[i].answer && id == 5, "%s", rows[i].label);
        kit_flock_wait(&flock);
        UNIT_CHECK(flock.ok == rows[i].ok && flock.unavailable == CALLS - rows[i].ok,
                   "%s: %d ok, %d unavailable", rows[i].label, flock.ok, flock.unavailable);
        CU_ASSERT(kit_wait(&kit, 1));
        kit_sleep(&kit, 300);
        UNIT_CHECK(atomic_load(&kit.counts->executed) == rows[i].ok, "%s: %ld executed",
                   rows[i].label, atomic_load(&kit.counts->executed));
        raw_close(&raw);
        kit_close(&kit);
    }
}

static void test_a_standstill_executes_nothing_that_was_given_up(void)
{
    unit_on_fiber(standstill, NULL);
}

static void rolling_restart(struct loop *loop, void *arg UNUSED)
{
    bool stop = false;
    struct kit kit;
    struct kit_flock flock = {
        .kit = &kit, .method = &kit_work, .number = 3, .timeout_ms = 5000, .stop = &stop};

    kit_open(&kit, loop, "gateway", 512);
    kit_start(&kit, 1, "64");
    kit_start(&kit, 2, "64");
    CU_ASSERT(kit_wait(&kit, 2));
    kit_flock_start(&flock, 24);
    for (int round = 0; round < 6; round++) {
        int instance = round % 2 + 1;

        kit_sleep(&kit, 60);
        CU_ASSERT(kit_end(&kit, instance, SIGTERM) == 0);
        kit_start(&kit, instance, "64");
        CU_ASSERT(kit_wait(&kit, 2));
    }
    stop = true;
    kit_flock_wait(&flock);
    UNIT_CHECK(flock.unavailable + flock.overloaded + flock.deadline + flock.other == 0,
               "%d unavailable, %d overloaded, %d late, %d other", flock.unavailable,
               flock.overloaded, flock.deadline, flock.other);
    CU_ASSERT(flock.ok > 1000);
    CU_ASSERT(atomic_load(&kit.counts->executed) == flock.ok);
    kit_close(&kit);
}

static void test_rolling_restart_loses_nothing(void)
{
    unit_on_fiber(rolling_restart, NULL);
}

/* A caller that dies while it is waited for does not hold the drain up, one that is stuck only to
 * its limit. */
static void drain_without_ack(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct raw stuck;
    int64_t start;

    for (int dies = 0; dies < 2; dies++) {
        kit_open(&kit, loop, "gateway", 512);
        kit_start(&kit, 1, "64");
        CU_ASSERT(kit_wait(&kit, 1));
        CU_ASSERT(raw_open(&stuck, &kit, ZMQ_DEALER, "settingsd/ctl.1"));
        CU_ASSERT(raw_hello(&stuck, "ctl", "1"));
        start = clock_mono_ms();
        kill(kit.servers[1], SIGTERM);
        kit_sleep(&kit, 200);
        if (dies)
            raw_close(&stuck);
        CU_ASSERT(kit_end(&kit, 1, SIGTERM) == 0);
        start = clock_mono_ms() - start;
        UNIT_CHECK(dies ? start < 1000 : start >= KIT_DRAIN_MS, "%d ms", (int)start);
        if (!dies)
            raw_close(&stuck);
        kit_close(&kit);
    }
}

static void test_a_drain_does_not_wait_for_dead_callers(void)
{
    unit_on_fiber(drain_without_ack, NULL);
}

/* ---- garbage ---- */

enum { GARBAGE_FRAMES = 100000 };

/* Random bytes, or the beginning of a good frame, or a good one with some bytes changed. */
static size_t make_garbage(char *frame, uint64_t boot, unsigned *seed)
{
    size_t size = (size_t)(rand_r(seed) % 64);

    if (rand_r(seed) % 2 == 0) {
        for (size_t i = 0; i < size; i++)
            frame[i] = (char)rand_r(seed);
        return size;
    }
    size = pack_request(frame, (uint64_t)rand_r(seed), boot, "user");
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
        /* Behind all that, the same connection is still served. */
        raw_send(&raw, frame, pack_request(frame, 77, raw.boot, "echo"));
        while (raw_receive(&raw, &id) > 0 && id != 77)
            ;
        CU_ASSERT(id == 77);
        before = dropped(&kit);
        CU_ASSERT(before > GARBAGE_FRAMES / 2);

        /* Of the right form, but not now, not from here, or not of this name. */
        raw_send(&raw, frame, pack(frame, 1, 0, "ssu", callers[i], "9", (uint64_t)3));
        raw_send(&raw, frame, pack(frame, 4, 5, "b"));
        raw_send(&raw, frame, pack(frame, 9, 12345, ""));
        raw_send(&raw, frame, pack(frame, 10, 0, ""));
        raw_send(&raw, frame, pack_request(frame, 78, raw.boot, "echo"));
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

/* A ROUTER's frames have the routing id in front. */
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

/* An announcement whose body is no map, but an array of so many nils; its size. */
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

/* Each takes 3 MiB to read. */
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

/* An instance gone mad: the caller lives, and believes only a WELCOME of the right name. */
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
                pack(bytes, 2, 0, "ssusif", "settingsd", "5", (uint64_t)7, "0", clock_mono_ms()));
    for (int i = 0; i < 2000; i++)
        router_send(&raw, route, 5, bytes, make_garbage(bytes, 1, &seed));
    kit_sleep(&kit, 200);
    CU_ASSERT(!bus_has_peer(kit.bus, "settingsd"));
    CU_ASSERT(counter(&kit, "reason=\"malformed\"") > 1000);
    pour_wrong_news(&kit, &raw, route);

    router_send(&raw, route, 5, bytes,
                pack(bytes, 2, 0, "ssusif", "settingsd", "6", (uint64_t)7, "0", clock_mono_ms()));
    CU_ASSERT(kit_wait(&kit, 1));
    router_send(&raw, route, 5, bytes, pack(bytes, 4, 4242, "b"));
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

/* ---- news ---- */

static void hear(void *arg, const msgpack_object *body, struct arena *arena)
{
    struct kit_in in;
    struct error err;

    error_init(&err, arena);
    CU_ASSERT(fields_unpack(&kit_in_table, body, arena, &in, &err) == 0);
    *(int64_t *)arg += in.number;
}

struct teller {
    struct kit *kit;
    struct kit_result result;
    int64_t patience_ms;
    bool done;
};

static void tell(void *arg)
{
    struct teller *self = arg;

    kit_call(self->kit, &self->result, &kit_tell, NULL, "news", self->patience_ms, 5000);
    self->done = true;
}

static void tell_start(struct teller *self)
{
    struct error err;

    error_init(&err, NULL);
    self->done = false;
    CU_ASSERT(fiber_start(self->kit->loop, tell, self, &err) == 0);
}

/* Reads what has come so far; how many announcements, and the id of the last. */
static int announcements(struct raw *raw, uint64_t *id)
{
    const int none = 0;
    int count = 0, kind;

    zmq_setsockopt(raw->socket, ZMQ_RCVTIMEO, &none, sizeof(none));
    while ((kind = raw_receive(raw, id)) > 0)
        count += kind == 8;
    return count;
}

static void news(struct loop *loop, void *arg UNUSED)
{
    struct kit kit;
    struct teller teller = {.kit = &kit, .patience_ms = 3000};
    struct raw slow, dead;
    char frame[64];
    int64_t heard = 0;
    uint64_t id = 0;

    kit_open(&kit, loop, "gateway", 512);
    bus_on_announce(kit.bus, "change", hear, &heard);
    kit_start(&kit, 1, "64");
    CU_ASSERT(kit_wait(&kit, 1));

    /* Alone: acknowledged by the time that the call is answered. */
    teller.patience_ms = 2000;
    tell_start(&teller);
    while (!teller.done)
        kit_sleep(&kit, 1);
    CU_ASSERT(teller.result.result == 0 && teller.result.out.number == 3);
    CU_ASSERT(teller.result.took_ms < 200 && heard == 2000);
    kit_result_free(&teller.result);

    /* One acknowledges late and so hears it again; one dies and is not waited for. */
    CU_ASSERT(raw_open(&slow, &kit, ZMQ_DEALER, "settingsd/gateway.1"));
    CU_ASSERT(raw_open(&dead, &kit, ZMQ_DEALER, "settingsd/gateway.1"));
    CU_ASSERT(raw_hello(&slow, "gateway", "2") && raw_hello(&dead, "gateway", "3"));
    tell_start(&teller);
    kit_sleep(&kit, 180);
    CU_ASSERT(!teller.done);
    CU_ASSERT(announcements(&slow, &id) >= 3);
    raw_close(&dead);
    kit_sleep(&kit, 120);
    CU_ASSERT(!teller.done);
    raw_send(&slow, frame, pack(frame, 9, id, ""));
    kit_sleep(&kit, 100);
    CU_ASSERT(teller.done);
    CU_ASSERT(teller.result.result == 0 && teller.result.out.number == 3);
    kit_result_free(&teller.result);

    /* One never does: the wait ends by itself, and says that it is not complete. */
    teller.patience_ms = 250;
    tell_start(&teller);
    kit_sleep(&kit, 150);
    CU_ASSERT(!teller.done);
    kit_sleep(&kit, 200);
    CU_ASSERT(teller.done && teller.result.out.number == 2);
    kit_result_free(&teller.result);
    raw_close(&slow);
    kit_close(&kit);
}

static void test_announcements_reach_every_subscriber(void)
{
    unit_on_fiber(news, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_a_call_and_its_reply),
    CASE(test_a_packed_call_and_its_packed_reply),
    CASE(test_an_error_travels_whole),
    CASE(test_large_and_too_large_bodies),
    CASE(test_the_access_column_is_checked_again),
    CASE(test_only_the_gateway_may_name_a_user),
    CASE(test_deadlines_expired_requests_are_not_executed),
    CASE(test_caps_answer_at_once),
    CASE(test_a_late_instance_is_found_a_drained_one_forgotten),
    CASE(test_one_certain_instance),
    CASE(test_traces_to_those_who_know_them),
    CASE(test_a_start_that_must_be_refused),
    CASE(test_kill_9_with_calls_in_flight),
    CASE(test_an_unavailable_instance_is_tried_last),
    CASE(test_a_successor_executes_nothing_old),
    CASE(test_a_standstill_executes_nothing_that_was_given_up),
    CASE(test_rolling_restart_loses_nothing),
    CASE(test_a_drain_does_not_wait_for_dead_callers),
    CASE(test_garbage_on_an_instances_sockets),
    CASE(test_a_frame_beyond_the_limit),
    CASE(test_garbage_from_an_instance),
    CASE(test_announcements_reach_every_subscriber),
};

int main(int argc, char **argv)
{
    kit_server_main(argc, argv);
    return unit_run("bus", cases, ARRAY_SIZE(cases));
}
