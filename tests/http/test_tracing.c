/*
 * test_tracing.c - OpenTelemetry traces of requests: parents across daemons, sampling decisions,
 * and misbehaving receivers. The receiver validates each body with OpenTelemetry's schema (make
 * npm).
 *
 * tier: browser
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/daemon_log.h"
#include "tests/support/document.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { SEEN_MS = 10000, READY_MS = 20000, SETTINGS_SIZE = 256 };

#define TRACE_ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT_ID "00f067aa0ba902b7"
#define TRACED "traceparent: 00-" TRACE_ID "-" PARENT_ID "-01"

static struct suite *suite;
static struct program *receiver;
static char receiver_url[64], settings[SETTINGS_SIZE];
static struct person *ana;

static bool have_schema(void)
{
    return access("build/npm/installed/otlp", R_OK) == 0;
}

static void receiver_start(void)
{
    const char *argv[] = {"/usr/bin/env", "node", "tests/otlp/receiver.cjs", NULL, NULL};
    char port[8];

    snprintf(port, sizeof(port), "%d", unit_free_port());
    snprintf(receiver_url, sizeof(receiver_url), "http://127.0.0.1:%s", port);
    argv[3] = port;
    receiver = program_start(argv, NULL);
    CU_ASSERT_TRUE_FATAL(program_wait_output(receiver, "ready", READY_MS));
}

static void receiver_mode(const char *mode)
{
    char path[32];

    snprintf(path, sizeof(path), "/mode/%s", mode);
    HTTP_ANSWER answer =
        http_call(receiver_url, &(struct http_request){.method = "POST", .path = path});
    CHECK_STATUS(answer, 200);
}

static const char *attribute(const json_t *span, const char *group, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(span, group), key));

    return text ? text : "(none)";
}

static const char *member(const json_t *span, const char *key)
{
    const char *text = json_string_value(json_object_get(span, key));

    return text ? text : "(none)";
}

struct wish {
    const char *trace_id, *service, *name, *parent_id; /* parent_id NULL: any */
};

static bool fits(const json_t *span, const struct wish *wish)
{
    return strcmp(member(span, "traceId"), wish->trace_id) == 0 &&
           strcmp(attribute(span, "resource", "service.name"), wish->service) == 0 &&
           strcmp(member(span, "name"), wish->name) == 0 &&
           (!wish->parent_id || strcmp(member(span, "parentSpanId"), wish->parent_id) == 0);
}

static json_t *look_for(const struct wish *wish)
{
    (void)program_wait_output(receiver, "", 0);
    for (const char *at = receiver->out; at && *at; at += strcspn(at, "\n"), at += *at != '\0') {
        json_t *span =
            strncmp(at, "span ", 5) == 0 ? json_loads(at + 5, JSON_DISABLE_EOF_CHECK, NULL) : NULL;

        if (span && fits(span, wish))
            return span;
        json_decref(span);
    }
    return NULL;
}

static json_t *find_span(const struct wish *wish)
{
    int64_t deadline = clock_mono_ms() + SEEN_MS;
    json_t *span;

    while (!(span = look_for(wish)) && clock_mono_ms() < deadline)
        usleep(50000);
    UNIT_CHECK(span != NULL, "%s: no span \"%s\" of %s", wish->trace_id, wish->name, wish->service);
    return span;
}
#define FIND_SPAN(...) find_span(&(struct wish){__VA_ARGS__})
#define LOOK_FOR(...) look_for(&(struct wish){__VA_ARGS__})

/* Checks that the trace has these spans ("service name"), from the root on, each the child of the
 * one before. The last span's id is left in ret. */
static void check_path(const char *trace_id, const char *const (*path)[2], size_t count)
{
    char parent[32] = "(none)";

    for (size_t i = 0; i < count; i++) {
        json_t *span = FIND_SPAN(trace_id, path[i][0], path[i][1], parent);

        snprintf(parent, sizeof(parent), "%s", member(span, "spanId"));
        json_decref(span);
    }
}
#define CHECK_PATH(trace_id, ...)                            \
    do {                                                     \
        static const char *const path_[][2] = {__VA_ARGS__}; \
        check_path((trace_id), path_, ARRAY_SIZE(path_));    \
    } while (0)

static void check_all_valid(void)
{
    (void)program_wait_output(receiver, "", 0);
    CU_ASSERT_PTR_NULL(strstr(receiver->out, "INVALID"));
    CU_ASSERT_PTR_NULL(strstr(receiver->out, "patients.example"));
    CU_ASSERT_PTR_NULL(strstr(receiver->out, ana->profile + strlen("Patient/")));
}

/* Sends a request, and returns its trace id, which is the request id unless the caller sends one
 * (caller frees). */
static char *traced_get(const char *path, const char *bearer, const char *header)
{
    struct http_request request = {.path = path, .bearer = bearer, .headers = {header}};
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);

    CHECK_STATUS(answer, 200);
    return http_header(answer, "X-Request-Id");
}

static bool metric_comes_to(const char *name, const char *service, long long min)
{
    int64_t deadline = clock_mono_ms() + SEEN_MS;
    long long value;

    while ((value = suite_metric(suite, name, service)) < min && clock_mono_ms() < deadline)
        usleep(50000);
    return UNIT_CHECK(value >= min, "%s of %s is %lld", name, service, value);
}

static const char *settings_with(const char *more)
{
    snprintf(settings, sizeof(settings), "gateway.otlp_endpoint=%s/v1/traces,%s", receiver_url,
             more);
    return settings;
}

static void the_suite_starts(void)
{
    receiver_start();
    suite = suite_start(&(struct suite_options){
        .bot_allow = "127.0.0.1/32",
        .set = settings_with("gateway.trace_sample=1,common.log_format=json")});
    ana = person_register(suite, NULL);
    CU_ASSERT_EQUAL_FATAL(ana->status, 200);
}

static void a_request_is_one_trace_through_the_daemons(void)
{
    char *id = traced_get("/auth/me", ana->access, NULL);
    json_t *root, *statement;

    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CHECK_PATH(id, {"gateway", "GET /auth/me"}, {"gateway", "me"}, {"authd", "me"},
               {"authd", "me_get"});
    root = FIND_SPAN(id, "gateway", "GET /auth/me", NULL);
    CU_ASSERT_STRING_EQUAL(attribute(root, "attributes", "http.request.method"), "GET");
    CU_ASSERT_STRING_EQUAL(attribute(root, "attributes", "http.route"), "/auth/me");
    CU_ASSERT_STRING_EQUAL(attribute(root, "attributes", "http.response.status_code"), "200");
    CU_ASSERT_STRING_EQUAL(attribute(root, "attributes", "url.scheme"), "http");
    CU_ASSERT_STRING_EQUAL(attribute(root, "resource", "service.namespace"), "atrium");
    CU_ASSERT_STRING_EQUAL(attribute(root, "resource", "service.instance.id"), "1");
    statement = FIND_SPAN(id, "authd", "me_get", NULL);
    CU_ASSERT_STRING_EQUAL(attribute(statement, "attributes", "db.system.name"), "postgresql");
    CU_ASSERT_STRING_EQUAL(attribute(statement, "attributes", "db.operation.name"), "me_get");
    json_decref(root);
    json_decref(statement);
    free(id);
    check_all_valid();
}

static void a_document_is_one_trace(void)
{
    HTTP_ANSWER made = document_make(suite, ana->access, "a", "text/plain");
    char *id = http_header(made, "X-Request-Id");

    CHECK_STATUS(made, 200);
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CHECK_PATH(id, {"gateway", "POST /document"}, {"gateway", "document_create"},
               {"docd", "document_create"});
    free(id);
    HTTP_ANSWER sent = document_upload(suite, made, "hello", 5);
    CHECK_STATUS(sent, 204);
    id = http_header(sent, "X-Request-Id");
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CHECK_PATH(id, {"gateway", "POST /storage/{bucket}"}, {"gateway", "storage_post"},
               {"docd", "storage_post"});
    CHECK_PATH(id, {"gateway", "POST /storage/{bucket}"}, {"gateway", "form_write"},
               {"docd", "form_write"});
    free(id);
    check_all_valid();
}

static void a_mail_is_part_of_the_trace(void)
{
    HTTP_ANSWER answer = suite_post_fresh(suite, "/auth/tenant/Patient/register",
                                          body_register("traced@patients.example", "demo"));
    char *id = http_header(answer, "X-Request-Id");

    CHECK_STATUS(answer, 200);
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CHECK_PATH(id, {"gateway", "POST /auth/tenant/Patient/register"},
               {"gateway", "patient_register"}, {"authd", "patient_register"},
               {"authd", "mail_enqueue"}, {"maild", "mail_enqueue"});
    free(id);
    check_all_valid();
}

static void a_bot_is_part_of_the_trace(void)
{
    PERSON admin = person_admin(suite);
    char url[96], wanted[96];
    json_t *span;
    char *id;

    snprintf(url, sizeof(url), "%s/bot", receiver_url);
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/bots", admin->access,
                  json_pack("{s:[{s:s, s:s}], s:s, s:s, s:s}", "identifier", "system", "urn:bots",
                            "value", "traced", "name", "Traced", "kind", "http", "url", url));
    CHECK_STATUS(made, 200);
    HTTP_ANSWER ran = http_post(suite_url(suite), "/bots?identifier=urn:bots%7Ctraced", ana->access,
                                json_object());
    CHECK_STATUS(ran, 200);
    id = http_header(ran, "X-Request-Id");
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    CHECK_PATH(id, {"gateway", "POST /bots"}, {"gateway", "bot_execute"}, {"botd", "bot_execute"},
               {"botd", "POST"});
    span = FIND_SPAN(id, "botd", "POST", NULL);
    CU_ASSERT_STRING_EQUAL(attribute(span, "attributes", "http.response.status_code"), "200");
    CU_ASSERT_STRING_EQUAL(attribute(span, "attributes", "server.address"), "127.0.0.1");
    CU_ASSERT_STRING_EQUAL(attribute(span, "attributes", "url.scheme"), "http");
    snprintf(wanted, sizeof(wanted), "bot 00-%s-%s-01 undefined\n", id, member(span, "spanId"));
    UNIT_CHECK(strstr(receiver->out, wanted) != NULL, "%s", wanted);
    json_decref(span);
    free(id);
    check_all_valid();
}

static void server_errors_are_marked_in_spans(void)
{
    struct http_request request = {.path = "/document/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                                   .bearer = ana->access};
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    char *id = http_header(answer, "X-Request-Id");
    json_t *span;

    CHECK_STATUS(answer, 404);
    CU_ASSERT_PTR_NOT_NULL_FATAL(id);
    span = FIND_SPAN(id, "docd", "document_content", NULL);
    CU_ASSERT_STRING_EQUAL(attribute(span, "attributes", "error.type"), "NOT_FOUND");
    json_decref(span);
    span = FIND_SPAN(id, "gateway", "GET /document/{id}", NULL);
    CU_ASSERT_STRING_EQUAL(attribute(span, "attributes", "error.type"), "(none)");
    json_decref(span);
    free(id);
}

static void a_traceparent_is_the_parent(void)
{
    struct http_request request = {
        .path = "/auth/me",
        .bearer = ana->access,
        .headers = {TRACED, "tracestate: congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"},
    };
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    json_t *span = FIND_SPAN(TRACE_ID, "gateway", "GET /auth/me", PARENT_ID);

    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(member(span, "traceState"), "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7");
    json_decref(span);
    span = FIND_SPAN(TRACE_ID, "authd", "me", NULL);
    CU_ASSERT_STRING_EQUAL(member(span, "traceState"), "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7");
    json_decref(span);
    check_all_valid();
}

static void invalid_traceparents_are_ignored(void)
{
    static const char *const headers[][2] = {
        {"traceparent: 00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
         "traceparent: 00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
        {"traceparent: 00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x", NULL},
        {"traceparent: 00-5BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
        struct http_request request = {
            .path = "/auth/me", .bearer = ana->access, .headers = {headers[i][0], headers[i][1]}};
        HTTP_ANSWER answer = http_call(suite_url(suite), &request);
        char *id = http_header(answer, "X-Request-Id");
        json_t *span = FIND_SPAN(id, "gateway", "GET /auth/me", "(none)");

        UNIT_CHECK(strcmp(id, "5bf92f3577b34da6a3ce929d0e0e4736") != 0, "%s", headers[i][0]);
        json_decref(span);
        free(id);
    }
}

static void lines_of_the_log_name_the_trace(void)
{
    struct http_request request = {.path = "/auth/me",
                                   .bearer = ana->access,
                                   .headers = {"X-Request-Id: named-by-the-client"}};
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    char *line;

    CHECK_STATUS(answer, 200);
    line = DAEMON_LOG_FIND(suite, "gateway", "named-by-the-client", "\"trace_id\"");
    CU_ASSERT_PTR_NOT_NULL(line);
    free(line);
}

static void a_busy_receiver_gets_them_later(void)
{
    char *id;

    receiver_mode("busy");
    id = traced_get("/auth/me", ana->access, NULL);
    CU_ASSERT_TRUE(program_wait_output(receiver, "told busy", SEEN_MS));
    CU_ASSERT_TRUE(metric_comes_to("atrium_trace_export_failures_total", "gateway", 1));
    receiver_mode("take");
    json_decref(FIND_SPAN(id, "gateway", "GET /auth/me", NULL));
    free(id);
}

static void refused_spans_are_dropped(void)
{
    long long dropped = suite_metric(suite, "atrium_trace_dropped_total", "gateway");
    char *id;

    receiver_mode("refuse");
    id = traced_get("/auth/me", ana->access, NULL);
    CU_ASSERT_TRUE(program_wait_output(receiver, "told refuse", SEEN_MS));
    CU_ASSERT_TRUE(metric_comes_to("atrium_trace_dropped_total", "gateway", dropped + 1));
    receiver_mode("take");
    CU_ASSERT_PTR_NULL(LOOK_FOR(id, "gateway", "GET /auth/me", NULL));
    free(id);
    id = traced_get("/auth/me", ana->access, NULL);
    json_decref(FIND_SPAN(id, "gateway", "GET /auth/me", NULL));
    free(id);
}

static void partially_accepted_spans_are_counted(void)
{
    long long dropped = suite_metric(suite, "atrium_trace_dropped_total", "gateway");
    char *id;

    receiver_mode("partial");
    id = traced_get("/auth/me", ana->access, NULL);
    CU_ASSERT_TRUE(metric_comes_to("atrium_trace_dropped_total", "gateway", dropped + 1));
    receiver_mode("take");
    free(id);
}

static void a_hanging_receiver_harms_nothing(void)
{
    enum { REQUESTS = 1200, PARALLEL = 8 };
    static struct http_request requests[REQUESTS];
    static struct http_answer *answers[REQUESTS];
    char *id;

    receiver_mode("hang");
    free(traced_get("/auth/me", ana->access, NULL));
    CU_ASSERT_TRUE(program_wait_output(receiver, "told hang", SEEN_MS));
    for (size_t i = 0; i < REQUESTS; i++)
        requests[i] = (struct http_request){.path = "/auth/me", .bearer = ana->access};
    http_call_many(suite_url(suite), requests, REQUESTS, PARALLEL, answers);
    for (size_t i = 0; i < REQUESTS; i++)
        UNIT_CHECK(answers[i]->status == 200 && answers[i]->seconds < 5, "%zu: %d after %.1f s", i,
                   answers[i]->status, answers[i]->seconds);
    http_answers_destroy(answers, REQUESTS);
    CU_ASSERT_TRUE(metric_comes_to("atrium_trace_dropped_total", "gateway", 1));
    receiver_mode("take");
    id = traced_get("/auth/me", ana->access, NULL);
    free(id);
}

static void a_client_cannot_turn_tracing_up(void)
{
    char *id;

    suite_reconfigure(suite, settings_with("gateway.trace_sample=0"));
    free(traced_get("/auth/me", ana->access, TRACED));
    id = traced_get("/auth/me", ana->access, NULL);
    usleep(2500 * 1000); /* longer than the exporter's period */
    CU_ASSERT(suite_metric(suite, "atrium_trace_spans_total", "gateway") == 0);
    CU_ASSERT(suite_metric(suite, "atrium_trace_spans_total", "authd") == 0);
    free(id);
}

static void a_trusted_proxy_decides(void)
{
    suite_reconfigure(suite,
                      settings_with("gateway.trace_sample=0,gateway.trusted_proxies=127.0.0.0/8"));
    free(traced_get("/auth/me", ana->access,
                    "traceparent: 00-6bf92f3577b34da6a3ce929d0e0e4736-" PARENT_ID "-01"));
    json_decref(FIND_SPAN("6bf92f3577b34da6a3ce929d0e0e4736", "authd", "me_get", NULL));
    suite_reconfigure(suite,
                      settings_with("gateway.trace_sample=1,gateway.trusted_proxies=127.0.0.0/8"));
    free(traced_get("/auth/me", ana->access,
                    "traceparent: 00-7bf92f3577b34da6a3ce929d0e0e4736-" PARENT_ID "-00"));
    free(traced_get("/auth/me", ana->access,
                    "traceparent: 00-8bf92f3577b34da6a3ce929d0e0e4736-" PARENT_ID "-01"));
    json_decref(FIND_SPAN("8bf92f3577b34da6a3ce929d0e0e4736", "authd", "me", NULL));
    CU_ASSERT_PTR_NULL(
        LOOK_FOR("7bf92f3577b34da6a3ce929d0e0e4736", "gateway", "GET /auth/me", NULL));
}

static void a_receiver_that_is_not_there_harms_nothing(void)
{
    program_destroy(&receiver);
    free(traced_get("/auth/me", ana->access, NULL));
    CU_ASSERT_TRUE(metric_comes_to("atrium_trace_export_failures_total", "gateway", 1));
    free(traced_get("/auth/me", ana->access, NULL));
}

static void end(void)
{
    person_destroy(&ana);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_suite_starts),
    CASE(a_request_is_one_trace_through_the_daemons),
    CASE(a_document_is_one_trace),
    CASE(a_mail_is_part_of_the_trace),
    CASE(a_bot_is_part_of_the_trace),
    CASE(server_errors_are_marked_in_spans),
    CASE(a_traceparent_is_the_parent),
    CASE(invalid_traceparents_are_ignored),
    CASE(lines_of_the_log_name_the_trace),
    CASE(a_busy_receiver_gets_them_later),
    CASE(refused_spans_are_dropped),
    CASE(partially_accepted_spans_are_counted),
    CASE(a_hanging_receiver_harms_nothing),
    CASE(a_client_cannot_turn_tracing_up),
    CASE(a_trusted_proxy_decides),
    CASE(a_receiver_that_is_not_there_harms_nothing),
    CASE_ALWAYS(end),
};

int main(void)
{
    if (have_schema() || getenv("ATRIUM_REQUIRE_ALL")) {
        unit_optional();
        return unit_run("tracing", cases, ARRAY_SIZE(cases));
    }
    return unit_leave_out_suite("tracing", "the schema of OTLP is not installed (make npm)");
}
