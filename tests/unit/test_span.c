/*
 * test_span.c - spans: parents, OTLP form, and a ring that drops instead of growing.
 */
#include <string.h>

#include <jansson.h>

#include "common/base/clock.h"
#include "common/service/span_json.h"
#include "tests/support/unit.h"

static struct metrics *metrics;
static struct spans *spans;
static struct arena *arena;

static void open_ring(void)
{
    metrics = metrics_new();
    spans = spans_new(metrics);
    arena = arena_new();
}

static void close_ring(void)
{
    spans_destroy(&spans);
    metrics_destroy(&metrics);
    arena_destroy(&arena);
}

static struct activity traced(void)
{
    struct activity activity = {.request_id = "r", .operation = "", .spans = spans, .state = ""};

    activity.context.sampled = true;
    memset(activity.context.trace_id, 0xab, TRACE_ID_BYTES);
    return activity;
}

static uint64_t count(const char *name)
{
    return *metrics_counter(metrics, name, "", "");
}

static json_t *take(size_t want)
{
    size_t taken;
    json_t *list = json_loads(span_json_drain(spans, arena, &taken), JSON_REJECT_DUPLICATES, NULL);

    UNIT_CHECK(taken == want && json_array_size(list) == want, "%zu", taken);
    return list;
}

static const char *text(const json_t *list, size_t i, const char *key)
{
    const char *value = json_string_value(json_object_get(json_array_get(list, i), key));

    return value ? value : "(none)";
}

static void children_name_their_parent(void)
{
    struct activity activity;
    struct span server, client, second;
    json_t *list;

    open_ring();
    activity = traced();
    span_begin(&server, &activity, SPAN_SERVER, "server");
    span_enter(&server);
    span_begin(&client, &activity, SPAN_CLIENT, "client");
    span_begin(&second, &activity, SPAN_CLIENT, "second"); /* siblings */
    span_end(&client);
    span_end(&second);
    span_end(&server);
    list = take(3);
    CU_ASSERT_STRING_EQUAL(text(list, 0, "name"), "client");
    CU_ASSERT_STRING_EQUAL(text(list, 0, "parentSpanId"), text(list, 2, "spanId"));
    CU_ASSERT_STRING_EQUAL(text(list, 1, "parentSpanId"), text(list, 2, "spanId"));
    CU_ASSERT_STRING_NOT_EQUAL(text(list, 0, "spanId"), text(list, 1, "spanId"));
    CU_ASSERT_STRING_EQUAL(text(list, 2, "parentSpanId"), "(none)");
    CU_ASSERT_STRING_EQUAL(text(list, 2, "traceId"), "abababababababababababababababab");
    CU_ASSERT_FALSE(trace_id_is_set(activity.context.span_id, SPAN_ID_BYTES));
    json_decref(list);
    json_decref(take(0));
    close_ring();
}

static void attributes_are_those_of_otlp(void)
{
    struct activity activity;
    json_t *list, *want, *object;
    struct span span;

    open_ring();
    activity = traced();
    activity.state = "vendor=\"1\"";
    span_begin(&span, &activity, SPAN_CLIENT, "x");
    span_text(&span, "http.route", "/a");
    span_text(&span, "left.out", NULL);
    span_number(&span, "http.response.status_code", 503);
    span_host(&span, "bots.example.org");
    span_fail(&span, "UNAVAILABLE");
    span_end(&span);
    list = take(1);
    object = json_array_get(list, 0);
    want = json_pack("[{s:s, s:{s:s}}, {s:s, s:{s:s}}, {s:s, s:{s:s}}, {s:s, s:{s:s}}]", "key",
                     "http.route", "value", "stringValue", "/a", "key", "http.response.status_code",
                     "value", "intValue", "503", "key", "error.type", "value", "stringValue",
                     "UNAVAILABLE", "key", "server.address", "value", "stringValue",
                     "bots.example.org");
    CU_ASSERT(json_equal(json_object_get(object, "attributes"), want));
    CU_ASSERT(json_integer_value(json_object_get(json_object_get(object, "status"), "code")) == 2);
    CU_ASSERT(json_integer_value(json_object_get(object, "kind")) == SPAN_CLIENT);
    CU_ASSERT_STRING_EQUAL(text(list, 0, "traceState"), "vendor=\"1\"");
    CU_ASSERT(strtoll(text(list, 0, "endTimeUnixNano"), NULL, 10) / 1000000 - clock_real_ms() <
              1000);
    json_decref(want);
    json_decref(list);
    close_ring();
}

static void what_is_not_sampled_is_not_recorded(void)
{
    struct activity activity = {.request_id = "r", .operation = "", .state = ""};
    struct span span;

    open_ring();
    span_begin(&span, &activity, SPAN_SERVER, "x");
    span_text(&span, "k", "v");
    span_host(&span, "h");
    span_fail(&span, "e");
    span_enter(&span);
    span_end(&span);
    span_begin(&span, NULL, SPAN_SERVER, "x");
    span_end(&span);
    json_decref(take(0));
    CU_ASSERT(count("atrium_trace_spans_total") == 0);
    close_ring();
}

static void add(struct activity *activity)
{
    struct span span;

    span_begin(&span, activity, SPAN_CLIENT, "x");
    for (int i = 0; i < SPAN_ATTRIBUTES_MAX + 3; i++)
        span_number(&span, "n", i);
    span_end(&span);
}

static void a_full_ring_drops_and_goes_on(void)
{
    struct activity activity;

    open_ring();
    activity = traced();
    activity.state = "vendor=1";
    for (int i = 0; i < SPANS_MAX + 10; i++)
        add(&activity);
    CU_ASSERT(count("atrium_trace_dropped_total") == 10);
    json_decref(take(SPANS_TAKEN_MAX));
    for (int i = 0; i < SPANS_TAKEN_MAX + 1; i++) /* wraps around the ring */
        add(&activity);
    CU_ASSERT(count("atrium_trace_dropped_total") == 11);
    CU_ASSERT(count("atrium_trace_spans_total") == SPANS_MAX + SPANS_TAKEN_MAX);
    for (int i = 0; i < SPANS_MAX / SPANS_TAKEN_MAX; i++)
        json_decref(take(SPANS_TAKEN_MAX));
    json_decref(take(0));
    add(&activity);
    json_decref(take(1));
    close_ring();
}

static void calls_are_counted_by_service(void)
{
    struct activity activity = {0};

    activity_count_call(&activity, "authd", 5);
    activity_count_call(&activity, "docd", 7);
    activity_count_call(&activity, "authd", 6);
    activity_count_call(NULL, "authd", 6);
    CU_ASSERT(activity.calls[0].count == 2 && activity.calls[0].us == 11);
    CU_ASSERT(activity.calls[1].count == 1 && activity.calls[1].us == 7);
}

static const struct unit_case cases[] = {
    CASE(children_name_their_parent),          CASE(attributes_are_those_of_otlp),
    CASE(what_is_not_sampled_is_not_recorded), CASE(a_full_ring_drops_and_goes_on),
    CASE(calls_are_counted_by_service),
};

int main(void)
{
    return unit_run("span", cases, ARRAY_SIZE(cases));
}
