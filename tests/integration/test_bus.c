/*
 * test_bus.c - the bus between real processes: calls, errors, limits, discovery, announcements. See
 * test_bus_deaths and test_bus_garbage. The servers are this program (bus_kit.h).
 *
 * tier: time quiet
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/bus/bus.h"
#include "common/service/span_json.h"
#include "tests/support/bus_kit.h"
#include "tests/support/bus_raw.h"

static const struct caller patient = {.account = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
                                      .membership = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4c"},
                                      .project = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4d"},
                                      .profile = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4e"},
                                      .role = ROLE_PATIENT};

static struct caller caller_of(enum role role, bool admin)
{
    struct caller caller = patient;

    caller.role = role;
    caller.admin = admin;
    return caller;
}

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

/* Calls with packed maps instead of structs, as the gateway does. */
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
    CU_ASSERT(result.took_ms < 1000); /* refused, not dropped */
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

static void access_rows(struct loop *loop, void *arg UNUSED)
{
    const struct caller practitioner = caller_of(ROLE_PRACTITIONER, false);
    const struct caller admin = caller_of(ROLE_PRACTITIONER, true);
    const struct caller odd = caller_of(ROLE_PATIENT, true);
    const struct caller broken = caller_of(ROLE_NONE, true);
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
        {"user, no role", &kit_user, &broken, ERR_VALIDATION},
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

/* Other services can neither send a user nor call operations that do not name them. */
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

    /* This bus never sends such a request. A peer that sends one is refused before the map is
     * read. */
    CU_ASSERT(raw_open(&raw, &kit, ZMQ_DEALER, "settingsd/ctl.1"));
    CU_ASSERT(raw_hello(&raw, "ctl", "7"));
    raw_send(&raw, frame,
             raw_pack(frame, 3, 8, "usisssbb", raw.boot, "user", clock_mono_ms() + 5000, "t", "",
                      ""));
    CU_ASSERT(raw_receive(&raw, &id) == 5 && id == 8);
    CU_ASSERT_STRING_EQUAL(raw.code, "UNAUTHORIZED");
    raw_close(&raw);
    kit_close(&kit);
}

static void test_only_the_gateway_may_name_a_user(void)
{
    unit_on_fiber(not_the_gateway, NULL);
}

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

    /* A request that expired unread is not executed. */
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

/* The call's span is the parent of the instance's. Older instances work as before. */
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
    static const struct operation operations[] = {{"x", "gateway", ACCESS_INTERNAL, REACH_PUBLIC, 0,
                                                   &kit_in_table, &kit_out_table, NULL},
                                                  {0}};
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
    CU_ASSERT(bus_has_peer(kit.bus, "settingsd")); /* the live instance is unaffected */

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

/* Reads what has arrived. Returns the number of announcements and the last id. */
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

    /* A single caller acknowledges before the call returns. */
    teller.patience_ms = 2000;
    tell_start(&teller);
    while (!teller.done)
        kit_sleep(&kit, 1);
    CU_ASSERT(teller.result.result == 0 && teller.result.out.number == 3);
    CU_ASSERT(teller.result.took_ms < 200 && heard == 2000);
    kit_result_free(&teller.result);

    /* One caller acknowledges late and gets the announcement again; one dies, and the wait goes on
     * without it. */
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
    raw_send(&slow, frame, raw_pack(frame, 9, id, ""));
    kit_sleep(&kit, 100);
    CU_ASSERT(teller.done);
    CU_ASSERT(teller.result.result == 0 && teller.result.out.number == 3);
    kit_result_free(&teller.result);

    /* One caller never acknowledges: the wait times out and reports that it is incomplete. */
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
    CASE(test_announcements_reach_every_subscriber),
};

int main(int argc, char **argv)
{
    kit_server_main(argc, argv);
    return unit_run("bus", cases, ARRAY_SIZE(cases));
}
