/*
 * test_routes.c - common behavior of all route rows: no token, wrong role, bad bodies, wrong
 * methods, missing daemon. Also requests that match no route.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/rows.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin, *patient;

static bool is_slow(const struct route *route)
{
    return route->flags & R_SLOW_ERRORS;
}

static struct http_answer *ask(const struct route *route, const char *bearer, const char *raw,
                               size_t size, const char *type)
{
    char path[256], *source = fresh_source();
    struct http_answer *answer;

    rows_fill_path(route, path);
    answer = http_call(suite_url(suite), &(struct http_request){.method = route->method,
                                                                .path = path,
                                                                .bearer = bearer,
                                                                .raw = raw,
                                                                .raw_size = size,
                                                                .content_type = type,
                                                                .source = source});
    free(source);
    return answer;
}

static const char *bearer_for(const struct route *route)
{
    return route->access == ACCESS_PUBLIC ? NULL : admin->access;
}

/* Checks the three members of every error body, and the second that slow routes take. */
static void check_refusal(const struct route *route, const struct http_answer *answer, int status)
{
    if (!CHECK_STATUS(answer, status))
        fprintf(stderr, "  on %s %s\n", route->method, route->path);
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "statusCode")), status);
    CU_ASSERT_PTR_NOT_NULL(http_member(answer, "message"));
    CU_ASSERT_TRUE(*http_text(answer, "error") != '\0');
    if (is_slow(route))
        CU_ASSERT_TRUE(answer->seconds >= 1.0);
}

static void no_token_is_401(void)
{
    for (const struct route *route = test_routes; route->method; route++) {
        if (route->access == ACCESS_PUBLIC)
            continue;
        HTTP_ANSWER none = ask(route, NULL, "{}", 0, NULL);
        check_refusal(route, none, 401);
        HTTP_ANSWER forged = ask(route, "a.b.c", "{}", 0, NULL);
        check_refusal(route, forged, 401);
    }
}

static void the_wrong_role_is_403(void)
{
    for (const struct route *route = test_routes; route->method; route++) {
        if (route->access != ACCESS_PRACTITIONER && route->access != ACCESS_ADMIN)
            continue;
        HTTP_ANSWER answer = ask(route, patient->access, "{}", 0, NULL);
        check_refusal(route, answer, 403);
    }
}

static char *nested(int depth)
{
    char *text = malloc((size_t)depth * 6 + 16), *at = text;

    for (int i = 0; i < depth; i++)
        at += sprintf(at, "{\"a\":");
    at += sprintf(at, "1");
    for (int i = 0; i < depth; i++)
        *at++ = '}';
    *at = '\0';
    return text;
}

static void bad_bodies_are_400(void)
{
    char *deep = nested(1000), *thirty_three = nested(33);
    static char nul[] = "{\"email\":\"a\0b\"}";
    const struct {
        const char *text;
        size_t size;
        bool json; /* a body of one unrestricted field reports that field */
    } rows[] = {
        {"{", 0, false},
        {"null", 0, true},
        {"[]", 0, true},
        {"\"text\"", 0, true},
        {"{\"a\":1,\"a\":2}", 0, false},
        {"{\"a\":1} x", 0, false},
        {"{'a':1}", 0, false},
        {"{\"a\":01}", 0, false},
        {"{\"email\":\"\\u0000\"}", 0, false},
        {"{\"email\":\"\xff\xfe\"}", 0, false},
        {"{\"email\":\"\xc0\x80\"}", 0, false},
        {"{\"email\":\"\\ud800\"}", 0, false},
        {nul, sizeof(nul) - 1, false},
        {deep, 0, false},
        {thirty_three, 0, false},
    };
    for (const struct route *route = test_routes; route->method; route++) {
        if (!rows_has_body(route) || route->flags & R_OPTIONAL_BODY)
            continue;
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            if (is_slow(route) && i > 2)
                break; /* a second each */
            HTTP_ANSWER answer = ask(route, bearer_for(route), rows[i].text, rows[i].size, NULL);
            check_refusal(route, answer, rows[i].json && fields_body(route->input) ? 422 : 400);
        }
    }
    free(deep);
    free(thirty_three);
}

static void large_bodies_are_413_foreign_ones_415(void)
{
    size_t size = 2 * 1024 * 1024;
    char *large = malloc(size + 1);

    memset(large, ' ', size);
    large[0] = '{';
    large[size - 1] = '}';
    large[size] = '\0';
    for (const struct route *route = test_routes; route->method; route++) {
        if (!rows_has_body(route))
            continue;
        HTTP_ANSWER over = ask(route, bearer_for(route), large, size, NULL);
        check_refusal(route, over, 413);
        HTTP_ANSWER type =
            ask(route, bearer_for(route), "a=b", 0, " application/x-www-form-urlencoded");
        check_refusal(route, type, 415);
    }
    free(large);
}

/* A body without any known member, and no body: every required field is named. */
static void check_missing_listed(const char *body)
{
    for (const struct route *route = test_routes; route->method; route++) {
        if (!rows_has_body(route) || route->flags & R_OPTIONAL_BODY)
            continue;
        HTTP_ANSWER answer = ask(route, bearer_for(route), body, 0, NULL);
        bool any = false;

        for (size_t i = 0; i < route->input->count; i++) {
            const struct field *field = &route->input->rows[i];

            if ((field->flags & FIELD_REQUIRED) &&
                !(field->flags & (FIELD_PATH | FIELD_QUERY | FIELD_HEADER | FIELD_BODY))) {
                CHECK_PROBLEM(answer, field->name);
                any = true;
            }
        }
        if (any)
            check_refusal(route, answer, 422);
    }
}

static void missing_fields_are_all_listed(void)
{
    check_missing_listed("{\"unknown\":1}");
    check_missing_listed("");
}

static void a_missing_token_is_refused_before_the_media_type(void)
{
    for (const struct route *route = test_routes; route->method; route++) {
        if (route->access == ACCESS_PUBLIC || !rows_has_body(route))
            continue;
        HTTP_ANSWER answer = ask(route, NULL, "a=b", 0, "text/plain");
        check_refusal(route, answer, 401);
    }
}

static struct http_answer *post_raw(const char *path, const char *body, const char *type,
                                    const char *header)
{
    return http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                              .path = path,
                                                              .raw = body,
                                                              .content_type = type,
                                                              .headers = {header}});
}

static void errors_of_a_body_are_named(void)
{
    static const char path[] = "/auth/refresh-token", mark[] = "\xef\xbb\xbf";
    char marked[64];

    HTTP_ANSWER list = post_raw(path, "[]", NULL, NULL);
    CHECK_ERROR(list, 400, "The body must be a JSON object.");
    HTTP_ANSWER null = post_raw(path, "null", NULL, NULL);
    CHECK_ERROR(null, 400, "The body must be a JSON object.");
    snprintf(marked, sizeof(marked), "%s{\"refresh_token\":\"none\"}", mark);
    HTTP_ANSWER bom = post_raw(path, marked, NULL, NULL);
    CHECK_ERROR(bom, 401, "Refresh token is invalid or has expired.");
    HTTP_ANSWER only_bom = post_raw(path, mark, NULL, NULL);
    CHECK_PROBLEM(only_bom, "refresh_token");
    HTTP_ANSWER zipped = post_raw(path, "{}", NULL, "Content-Encoding: gzip");
    CHECK_ERROR(zipped, 415, "The body must be sent without a content encoding.");
    HTTP_ANSWER plain = post_raw(path, "{}", NULL, "Content-Encoding: identity");
    CHECK_PROBLEM(plain, "refresh_token");
    HTTP_ANSWER form = post_raw("/storage/documents", "x", "multipart/form-data; boundary=x",
                                "Content-Encoding: gzip");
    CHECK_ERROR(form, 415, "The body must be sent without a content encoding.");
}

static struct http_answer *get_encoded(const char *path, const char *bearer, const char *accept)
{
    return http_call(suite_url(suite),
                     &(struct http_request){.path = path, .bearer = bearer, .headers = {accept}});
}

/* Checks Content-Encoding and Vary; "" for none. */
static void check_encoding(struct http_answer *answer, const char *encoding, const char *vary)
{
    char *is = http_header(answer, "Content-Encoding"), *depends = http_header(answer, "Vary");

    CHECK_STATUS(answer, 200);
    UNIT_CHECK(strcmp(is ? is : "", encoding) == 0, "%s, not %s", is ? is : "none", encoding);
    UNIT_CHECK(strcmp(depends ? depends : "", vary) == 0, "%s", depends ? depends : "none");
    free(is);
    free(depends);
}

static void large_answers_are_compressed(void)
{
    static const char page[] = "/openapi.json", history[] = "/v1/project/settings/history",
                      vary[] = "Accept-Encoding", zip[] = "Accept-Encoding: deflate, gzip;q=0.8";

    HTTP_ANSWER plain = get_encoded(page, NULL, NULL);
    check_encoding(plain, "", vary);
    HTTP_ANSWER brotli = get_encoded(page, NULL, "Accept-Encoding: gzip, br");
    check_encoding(brotli, "br", vary);
    HTTP_ANSWER gzip = get_encoded(page, NULL, zip);
    check_encoding(gzip, "gzip", vary);
    CU_ASSERT_TRUE(brotli->size < gzip->size && gzip->size < plain->size / 4);
    CU_ASSERT_EQUAL(memcmp(gzip->body, "\x1f\x8b", 2), 0);
    HTTP_ANSWER refused = get_encoded(page, NULL, "Accept-Encoding: gzip;q=0, br;q=0.0");
    check_encoding(refused, "", vary);
    for (int i = 0; i < 12; i++)
        suite_set_value(suite, admin->access, "PATIENT_APP_URL",
                        i % 2 ? "https://a.example" : "https://b.example");
    HTTP_ANSWER list = get_encoded(history, admin->access, zip);
    check_encoding(list, "gzip", vary);
    HTTP_ANSWER same = get_encoded(history, admin->access, NULL);
    check_encoding(same, "", vary);
    CU_ASSERT_TRUE(same->size > 1024 && list->size < same->size);
}

/* Its length would leak the secret. */
static void secrets_are_not_compressed(void)
{
    for (int i = 0; i < 8; i++) {
        PERSON again = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
        CU_ASSERT_EQUAL(again->status, 200);
    }
    HTTP_ANSWER sessions = get_encoded("/auth/session", patient->access, "Accept-Encoding: gzip");
    check_encoding(sessions, "", "");
    CU_ASSERT_TRUE(sessions->size > 1024);
}

static void json_loads_nothing_and_is_not_framed(void)
{
    HTTP_ANSWER ready = http_get(suite_url(suite), "/health", NULL);
    HTTP_ANSWER mine = http_get(suite_url(suite), "/auth/me", patient->access);
    HTTP_ANSWER refused = http_get(suite_url(suite), "/auth/me", NULL);
    HTTP_ANSWER unknown = http_get(suite_url(suite), "/no/such/route", NULL);
    const struct http_answer *const answers[] = {ready, mine, refused, unknown};

    for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
        char *policy = http_header(answers[i], "Content-Security-Policy");
        char *frame = http_header(answers[i], "X-Frame-Options");

        CU_ASSERT_STRING_EQUAL(policy ? policy : "", "default-src 'none'; frame-ancestors 'none'");
        CU_ASSERT_STRING_EQUAL(frame ? frame : "", "DENY");
        free(policy);
        free(frame);
    }
}

static void patch_takes_merge_patches(void)
{
    static const char body[] = "{\"defaultLanguage\":\"en\"}";
    const struct {
        const char *method, *path, *type;
        int want;
    } rows[] = {
        {"PATCH", "/locales", "application/merge-patch+json", 200},
        {"PATCH", "/locales", "application/merge-patch+json; charset=utf-8", 200},
        {"PATCH", "/locales", "application/json-patch+json", 415},
        {"POST", "/auth/refresh-token", "application/merge-patch+json", 415},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer =
            http_call(suite_url(suite), &(struct http_request){.method = rows[i].method,
                                                               .path = rows[i].path,
                                                               .bearer = admin->access,
                                                               .raw = body,
                                                               .content_type = rows[i].type});
        CHECK_STATUS(answer, rows[i].want);
    }
}

static void wrong_methods_are_405(void)
{
    for (const struct route *route = test_routes; route->method; route++) {
        char path[256];
        rows_fill_path(route, path);
        HTTP_ANSWER answer =
            http_call(suite_url(suite), &(struct http_request){.method = "TRACE2", .path = path});
        char *allow = http_header(answer, "Allow");

        CHECK_STATUS(answer, 405);
        CU_ASSERT_TRUE(allow && strstr(allow, route->method));
        free(allow);
    }
}

static void preflight_is_answered(void)
{
    for (const struct route *route = test_routes; route->method; route++) {
        char path[256];
        rows_fill_path(route, path);
        HTTP_ANSWER answer = http_call(
            suite_url(suite),
            &(struct http_request){.method = "OPTIONS",
                                   .path = path,
                                   .headers = {"Origin: https://app.example",
                                               "Access-Control-Request-Method: POST",
                                               "Access-Control-Request-Headers: authorization"}});
        char *origin = http_header(answer, "Access-Control-Allow-Origin");
        char *methods = http_header(answer, "Access-Control-Allow-Methods");
        char *credentials = http_header(answer, "Access-Control-Allow-Credentials");

        CHECK_STATUS(answer, 204);
        CU_ASSERT_TRUE(origin && strcmp(origin, "*") == 0);
        CU_ASSERT_TRUE(methods && strstr(methods, route->method));
        CU_ASSERT_PTR_NULL(credentials);
        free(origin);
        free(methods);
        free(credentials);
    }
}

static void unknown_routes_are_404(void)
{
    static const struct {
        const char *method, *path, *message;
    } rows[] = {
        {"GET", "/x", "Cannot GET /x"},
        {"POST", "/auth", "Cannot POST /auth"},
        {"GET", "/", "Cannot GET /"},
        {"DELETE", "/auth/session/a/b", "Cannot DELETE /auth/session/a/b"},
        {"GET", "/auth/me/", "Cannot GET /auth/me/"},
        {"GET", "/auth//me", "Cannot GET /auth//me"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer =
            http_call(suite_url(suite),
                      &(struct http_request){.method = rows[i].method, .path = rows[i].path});
        CHECK_ERROR(answer, 404, rows[i].message);
    }
    HTTP_ANSWER nul = http_get(suite_url(suite), "/auth/me%00/x", patient->access);
    CHECK_STATUS(nul, 400);
    HTTP_ANSWER slash = http_delete(suite_url(suite), "/auth/session/a%2Fb", patient->access);
    CHECK_STATUS(slash, 400);
}

static void broken_http_is_survived(void)
{
    static const struct {
        const char *bytes, *want; /* want: start of the response, "" for any */
    } rows[] = {
        {"GARBAGE\r\n\r\n", ""},
        {"GET /partner/health-check HTTP/1.1\r\n\r\n", "HTTP/1.1 400"},
        {"POST /auth/refresh-token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
         "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: "
         "a\r\n\r\n",
         "HTTP/1.1 400"},
        {"POST /auth/refresh-token HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
         "HTTP/1.1 400"},
        {"POST /auth/refresh-token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
         "Content-Length: 100\r\n\r\n{\"refresh",
         ""},
        {"POST /auth/refresh-token HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: "
         "chunked\r\n"
         "Content-Type: application/json\r\n\r\n2\r\n{}\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: "
         "a\r\n\r\n",
         "HTTP/1.1 400"},
        {"HEAD /partner/health-check HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *answer = http_raw(suite_url(suite), rows[i].bytes, strlen(rows[i].bytes), true, 3000);

        if (strncmp(answer, rows[i].want, strlen(rows[i].want)) != 0)
            fprintf(stderr, "row %zu: %.200s\n", i, answer);
        CU_ASSERT_EQUAL(strncmp(answer, rows[i].want, strlen(rows[i].want)), 0);
        CU_ASSERT_PTR_NULL(strstr(answer, "Cannot GET /x")); /* no smuggled second request */
        free(answer);
    }
    size_t size = 200 * 1024;
    char *headers = malloc(size + 1);
    memset(headers, 'a', size);
    memcpy(headers, "GET /auth/me HTTP/1.1\r\nHost: a\r\nX-Long: ", 41);
    headers[size] = '\0';
    char *answer = http_raw(suite_url(suite), headers, size, true, 3000);
    CU_ASSERT_TRUE(*answer == '\0' || strncmp(answer, "HTTP/1.1 4", 10) == 0);
    free(answer);
    free(headers);
    HTTP_ANSWER alive = http_get(suite_url(suite), "/auth/me", patient->access);
    CHECK_STATUS(alive, 200);
}

static int64_t open_connections(void)
{
    static const char gauge[] = "atrium_gateway_connections{service=\"gateway\",instance=\"1\"} ";
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    const char *found = strstr(metrics->body, gauge);

    return found ? strtol(found + strlen(gauge), NULL, 10) : -1;
}

/* Clients that send a part and disconnect free their connection before the timeout of half a
 * minute. */
static void disconnected_clients_are_released(void)
{
    static const char piece[] =
        "POST /auth/refresh-token HTTP/1.1\r\nHost: a\r\n"
        "Content-Type: application/json\r\nContent-Length: 21\r\n\r\n{\"ref";
    int64_t until_ms = clock_mono_ms() + 12000;

    for (int i = 0; i < 200; i++)
        free(http_raw(suite_url(suite), piece, sizeof(piece) - 1, true, 0));
    while (open_connections() > 5 && clock_mono_ms() < until_ms)
        usleep(200000);
    CU_ASSERT_TRUE(open_connections() >= 0 && open_connections() <= 5);
}

static void health_and_pages_need_no_other_daemon(void)
{
    static const char *const paths[] = {"/partner/health-check", "/v1/partner/health-check",
                                        "/v2/partner/health-check", "/v3/partner/health-check"};

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        HTTP_ANSWER answer = http_get(suite_url(suite), paths[i], NULL);
        char *id = http_header(answer, "X-Request-Id");
        CHECK_STATUS(answer, 200);
        CU_ASSERT_EQUAL(answer->size, 0);
        CU_ASSERT_TRUE(id && strlen(id) >= 8);
        free(id);
    }
    HTTP_ANSWER keys = http_get(suite_url(suite), "/.well-known/jwks.json", NULL);
    CHECK_STATUS(keys, 200);
    CU_ASSERT_STRING_EQUAL(http_text(keys, "keys.0.kty"), "EC");
    CU_ASSERT_STRING_EQUAL(http_text(keys, "keys.0.crv"), "P-256");
    CU_ASSERT_TRUE(*http_text(keys, "keys.0.kid") != '\0');
    CU_ASSERT_PTR_NULL(http_member(keys, "keys.0.d"));
    HTTP_ANSWER health = http_get(suite_admin_url(suite), "/healthz", NULL);
    CHECK_STATUS(health, 200);
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    CHECK_STATUS(metrics, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(metrics->body, "# TYPE atrium_"));
    CU_ASSERT_PTR_NOT_NULL(strstr(metrics->body, "service=\"authd\""));
    HTTP_ANSWER own = http_call(suite_url(suite),
                                &(struct http_request){.path = "/auth/me",
                                                       .bearer = patient->access,
                                                       .headers = {"X-Request-Id: my-request.1"}});
    char *id = http_header(own, "X-Request-Id");
    CU_ASSERT_TRUE(id && strcmp(id, "my-request.1") == 0);
    free(id);
}

static void check_described(const struct http_answer *page, const char *path, const char *method,
                            const char *status)
{
    json_t *item = json_object_get(http_member(page, "paths"), path);
    json_t *responses = json_object_get(json_object_get(item, method), "responses");

    if (!json_object_get(responses, status))
        fprintf(stderr, "%s %s: %s is not described\n", method, path, status);
    CU_ASSERT_PTR_NOT_NULL(json_object_get(responses, status));
}

/* True when the response is described as bytes with ranges. */
static bool described_file(const json_t *operation)
{
    const json_t *responses = json_object_get(operation, "responses");
    const json_t *content = json_object_get(json_object_get(responses, "200"), "content");

    return json_object_get(content, "*/*") && json_object_get(responses, "206") &&
           json_object_get(responses, "304") && json_object_get(responses, "416");
}

static void the_openapi_page_is_complete(void)
{
    HTTP_ANSWER page = http_get(suite_url(suite), "/openapi.json", NULL);
    json_t *paths = http_member(page, "paths");

    CHECK_STATUS(page, 200);
    CU_ASSERT_EQUAL(strncmp(http_text(page, "openapi"), "3.1", 3), 0);
    for (const struct route *route = test_routes; route->method; route++) {
        json_t *item = json_object_get(paths, route->path), *operation;
        char method[16] = "";

        for (size_t i = 0; i < sizeof(method) - 1 && route->method[i]; i++)
            method[i] = (char)(route->method[i] | 0x20);
        operation = json_object_get(item, method);
        CU_ASSERT_PTR_NOT_NULL(operation);
        CU_ASSERT_PTR_NOT_NULL(json_object_get(json_object_get(operation, "responses"),
                                               route->flags & R_NO_CONTENT ? "204" : "200"));
        CU_ASSERT_EQUAL(json_object_get(operation, "requestBody") != NULL,
                        rows_has_body(route) || route->flags & R_FORM);
        CU_ASSERT_EQUAL(described_file(operation), (route->flags & R_CONTENT) != 0);
    }
    CU_ASSERT_PTR_NULL(strstr(page->body, "gateway_lease"));
    CU_ASSERT_PTR_NULL(http_member(page, "components.schemas.settings_record.properties.etag"));
    check_described(page, "/auth/tenant/Patient/register", "post", "403");
    check_described(page, "/auth/tenant/Patient/register", "post", "429");
    check_described(page, "/ai/translation", "post", "429");
    check_described(page, "/auth/tenant/Patient/login/start", "post", "403");
    check_described(page, "/auth/tenant/Practitioner/login/token", "post", "403");
    check_described(page, "/auth/refresh-token", "post", "401");
    check_described(page, "/organizations/code", "get", "400");
    check_described(page, "/v1/project/settings/{name}", "put", "409");
    check_described(page, "/v1/slim/project/child", "post", "409");
    check_described(page, "/v1/project/access-policies/{id}", "delete", "409");
    check_described(page, "/storage/{bucket}", "post", "415");
}

/* Without its daemon a route immediately returns 503 with Retry-After, a registration after its
 * second. Health checks work. */
static void absent_daemon_is_503(const char *service)
{
    pid_t pid = suite_pid(suite, service, "1");

    for (const struct route *route = test_routes; route->method; route++) {
        if (strcmp(route->service, service) != 0)
            continue;
        pid_t now = suite_pid(suite, service, "1");
        if (now > 0)
            kill(now, SIGKILL);
        /* no valid body needed: nothing hangs and nothing returns 500 */
        HTTP_ANSWER answer = ask(route, bearer_for(route), "{}", 0, NULL);
        char *retry = http_header(answer, "Retry-After");

        CU_ASSERT_TRUE(answer->status != 0 && answer->status != 500 && answer->status != 504);
        CU_ASSERT_TRUE(answer->status != 503 || retry);
        CU_ASSERT_TRUE(answer->seconds < 3.0);
        if (route->flags & R_SLOW_ERRORS)
            CU_ASSERT_TRUE(answer->status < 400 || answer->seconds >= 1.0);
        HTTP_ANSWER health = http_get(suite_url(suite), "/partner/health-check", NULL);
        CHECK_STATUS(health, 200);
        free(retry);
    }
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, service, "1", pid));
}

static void an_absent_daemon_is_503(void)
{
    absent_daemon_is_503("authd");
    absent_daemon_is_503("settingsd");
    absent_daemon_is_503("docd");
    HTTP_ANSWER back = http_get(suite_url(suite), "/auth/me", patient->access);
    CHECK_STATUS(back, 200);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(no_token_is_401),
    CASE(the_wrong_role_is_403),
    CASE(bad_bodies_are_400),
    CASE(large_bodies_are_413_foreign_ones_415),
    CASE(missing_fields_are_all_listed),
    CASE(a_missing_token_is_refused_before_the_media_type),
    CASE(errors_of_a_body_are_named),
    CASE(json_loads_nothing_and_is_not_framed),
    CASE(patch_takes_merge_patches),
    CASE(large_answers_are_compressed),
    CASE(secrets_are_not_compressed),
    CASE(wrong_methods_are_405),
    CASE(preflight_is_answered),
    CASE(unknown_routes_are_404),
    CASE(broken_http_is_survived),
    CASE(disconnected_clients_are_released),
    CASE(health_and_pages_need_no_other_daemon),
    CASE(the_openapi_page_is_complete),
    CASE(an_absent_daemon_is_503),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(NULL);
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    return unit_run("routes", cases, ARRAY_SIZE(cases));
}
