/*
 * test_logs.c - the log of a whole suite in each of its formats.
 */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/base/clock.h"
#include "tests/support/daemon_log.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { DAEMONS = 6 };

static const char *const daemons[DAEMONS] = {"authd",   "botd",  "docd",
                                             "gateway", "maild", "settingsd"};
static const char request_id[] = "request-of-the-log-test";

static struct suite *suite;

static json_t *find_object(const char *daemon, const char *const *wanted)
{
    char *line = daemon_log_find(suite, daemon, wanted);
    json_t *object = line ? json_loads(line, JSON_REJECT_DUPLICATES, NULL) : NULL;

    UNIT_CHECK(object != NULL, "%s: %s", wanted[0], line ? line : "no line");
    free(line);
    return object;
}
#define FIND_OBJECT(daemon, ...) find_object((daemon), (const char *const[]){__VA_ARGS__, NULL})

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "(none)";
}

static void call_with_id(const char *path)
{
    struct http_request request = {.path = path,
                                   .headers = {"X-Request-Id: request-of-the-log-test"}};
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);

    CHECK_STATUS(answer, 401);
}

static void text_is_the_form_without_a_setting(void)
{
    char *line;

    call_with_id("/auth/me");
    line = DAEMON_LOG_FIND(suite, "gateway", request_id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(line);
    UNIT_CHECK(strncmp(line, "<6>ts=20", 8) == 0 &&
                   strstr(line, "Z topic=access method=GET route=/auth/me status=401 us="),
               "%s", line);
    free(line);
    line = DAEMON_LOG_FIND(suite, "authd", "<6>ts=20",
                           "Z program=atrium-authd instance=1 topic=service msg=\"ready\"");
    CU_ASSERT_PTR_NOT_NULL(line);
    free(line);
}

struct json_lines {
    const char *daemon;
    size_t count;
};

static void check_json_line(void *arg, const char *line)
{
    struct json_lines *self = arg;
    const char *daemon = self->daemon;
    json_error_t error;
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    int64_t ms;

    UNIT_CHECK(object && clock_parse_iso(text_of(object, "ts"), &ms) == 0 &&
                   strcmp(text_of(object, "service"), daemon) == 0 &&
                   strcmp(text_of(object, "instance"), "1") == 0 &&
                   json_is_string(json_object_get(object, "level")) &&
                   json_is_string(json_object_get(object, "topic")) &&
                   json_is_string(json_object_get(object, "msg")),
               "%s: %s %s", daemon, error.text, line);
    json_decref(object);
    self->count++;
}

static void each_line_of_each_daemon_is_an_object(void)
{
    suite_reconfigure(suite, "common.log_format=json,common.log_level=debug,"
                             "gateway.access_log_address=true");
    call_with_id("/auth/me");
    for (size_t i = 0; i < DAEMONS; i++) {
        struct json_lines lines = {.daemon = daemons[i]};

        (void)daemon_log_each(suite, daemons[i], check_json_line, &lines);
        UNIT_CHECK(lines.count > 0, "%s has no line", daemons[i]);
    }
}

static void the_access_log_is_json_too(void)
{
    json_t *object = FIND_OBJECT("gateway", request_id, "\"topic\":\"access\"");

    CU_ASSERT_STRING_EQUAL(text_of(object, "method"), "GET");
    CU_ASSERT_STRING_EQUAL(text_of(object, "route"), "/auth/me");
    CU_ASSERT_STRING_EQUAL(text_of(object, "request_id"), request_id);
    CU_ASSERT_STRING_EQUAL(text_of(object, "address"), "127.0.0.1");
    CU_ASSERT(json_integer_value(json_object_get(object, "status")) == 401);
    CU_ASSERT(json_is_integer(json_object_get(object, "us")));
    json_decref(object);
}

static void errors_of_daemons_have_the_request_id(void)
{
    struct http_request request = {
        .method = "POST",
        .path = "/auth/tenant/Patient/login/start",
        .body = body_login_start("none@patients.example", "wrong password", "no-such"),
        .headers = {"X-Request-Id: request-of-the-log-test"},
    };
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    json_t *object = FIND_OBJECT("authd", request_id, "login_start");

    CHECK_STATUS(answer, 404);
    CU_ASSERT_STRING_EQUAL(text_of(object, "request_id"), request_id);
    CU_ASSERT_STRING_EQUAL(text_of(object, "level"), "debug");
    json_decref(object);
}

static void register_one(void)
{
    struct http_request request = {
        .method = "POST",
        .path = "/auth/tenant/Patient/register",
        .body = body_register("slow@patients.example", "demo"),
        .headers = {"X-Request-Id: request-of-the-log-test"},
    };
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);

    CHECK_STATUS(answer, 200);
}

static void slow_statements_and_requests_are_logged(void)
{
    json_t *object;
    pid_t holder;

    suite_reconfigure(
        suite, "common.log_format=json,common.slow_statement=300ms,gateway.slow_request=300ms");
    holder = suite_hold_until(suite, "lock table auth.account in share mode", "authd", 1);
    register_one();
    waitpid(holder, NULL, 0);
    object = FIND_OBJECT("authd", "slow statement", "account_register");
    CU_ASSERT_STRING_EQUAL(text_of(object, "statement"), "account_register");
    CU_ASSERT_STRING_EQUAL(text_of(object, "operation"), "patient_register");
    CU_ASSERT_STRING_EQUAL(text_of(object, "request_id"), request_id);
    CU_ASSERT_STRING_EQUAL(text_of(object, "topic"), "slow");
    CU_ASSERT(json_integer_value(json_object_get(object, "run_ms")) > 200);
    CU_ASSERT(json_integer_value(json_object_get(object, "ms")) ==
                  json_integer_value(json_object_get(object, "wait_ms")) +
                      json_integer_value(json_object_get(object, "run_ms")) ||
              json_integer_value(json_object_get(object, "ms")) ==
                  json_integer_value(json_object_get(object, "wait_ms")) +
                      json_integer_value(json_object_get(object, "run_ms")) +
                      1); /* truncated to ms */
    json_decref(object);
    object = FIND_OBJECT("gateway", "slow request", request_id);
    CU_ASSERT_STRING_EQUAL(text_of(object, "route"), "/auth/tenant/Patient/register");
    CU_ASSERT(strncmp(text_of(object, "calls"), "authd 2x ", 9) == 0);
    CU_ASSERT(json_integer_value(json_object_get(object, "status")) == 200);
    json_decref(object);
}

static void slow_statements_and_requests_are_counted(void)
{
    CU_ASSERT(suite_metric(suite, "atrium_db_slow_total", "authd") > 0);
    CU_ASSERT(suite_metric(suite, "atrium_gateway_slow_total", "gateway") > 0);
}

static void none_are_where_that_is_turned_off(void)
{
    suite_reconfigure(suite,
                      "common.log_format=json,common.slow_statement=0s,gateway.slow_request=0s");
    call_with_id("/auth/me");
    CU_ASSERT(suite_metric(suite, "atrium_db_slow_total", "authd") == 0);
    CU_ASSERT(suite_metric(suite, "atrium_gateway_slow_total", "gateway") == 0);
}

static void the_suite_starts(void)
{
    suite = suite_start(&(struct suite_options){0});
}

static void end(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_suite_starts),
    CASE(text_is_the_form_without_a_setting),
    CASE(each_line_of_each_daemon_is_an_object),
    CASE(the_access_log_is_json_too),
    CASE(errors_of_daemons_have_the_request_id),
    CASE(slow_statements_and_requests_are_logged),
    CASE(slow_statements_and_requests_are_counted),
    CASE(none_are_where_that_is_turned_off),
    CASE_ALWAYS(end),
};

int main(void)
{
    return unit_run("logs", cases, ARRAY_SIZE(cases));
}
