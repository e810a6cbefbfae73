/*
 * test_gateway_answer.c - errors of standard endpoints, and CORS.
 */
#include <string.h>

#include "gateway/endpoint/exchange.h"
#include "tests/support/unit.h"

/* RFC 6749, section 5.2. */
static void oauth_errors_have_their_own_codes(void)
{
    static const struct {
        enum error_code code;
        const char *want;
        unsigned status;
    } rows[] = {
        {ERR_BAD_REQUEST, "invalid_request", 400},
        {ERR_VALIDATION, "invalid_request", 400},
        {ERR_UNAUTHORIZED, "invalid_token", 401},
        {ERR_METHOD_NOT_ALLOWED, "invalid_request", 405},
        {ERR_TOO_LARGE, "invalid_request", 413},
        {ERR_THROTTLED, "temporarily_unavailable", 429},
        {ERR_INTERNAL, "server_error", 500},
        {ERR_UNAVAILABLE, "temporarily_unavailable", 503},
        {ERR_DEADLINE, "temporarily_unavailable", 504},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct answer answer;
        struct error err;
        char *want;

        error_init(&err, arena);
        (void)error_set(&err, rows[i].code, "Why.");
        want = arena_printf(arena, "{\"error\":\"%s\"", rows[i].want);
        answer_oauth_from_error(&err, arena, &answer);
        UNIT_CHECK(strncmp(answer.body, want, strlen(want)) == 0 &&
                       answer.status == rows[i].status && answer.size == strlen(answer.body),
                   "%s: %u %s", rows[i].want, answer.status, answer.body);
    }
}

static void a_description_is_plain(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct answer answer;
    struct error err;

    error_init(&err, arena);
    (void)error_problem(&err, "scope", "is \"\\\xc3\xa9\n\"");
    answer_oauth_from_error(&err, arena, &answer);
    CU_ASSERT_PTR_NOT_NULL(strstr(answer.body, "\"scope: is ''''''\""));
}

static void only_open_endpoints_are_for_other_sites(void)
{
    static const struct {
        unsigned flags;
        bool closed, html;
    } rows[] = {
        {0, false, false},
        {R_PAGE, true, true},
        {R_ENDPOINT, true, false},
        {R_ENDPOINT | R_CORS, false, false},
        {R_ENDPOINT | R_BROWSER, true, true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct answer answer;
        struct error err;

        error_init(&err, arena);
        (void)error_set(&err, ERR_BAD_REQUEST, "Why.");
        exchange_answer_error(rows[i].flags, &err, arena, &answer);
        UNIT_CHECK(answer.page == rows[i].closed && (answer.body[0] == '<') == rows[i].html,
                   "row %zu", i);
    }
}

/* Both ways: through libmicrohttpd, and as text before a file. */
static void a_value_begins_no_other_header(void)
{
    static const struct answer_header more[] = {
        {"Content-Disposition", "attachment; filename=\"a\r\nSet-Cookie: x\n\tb\x7f\""},
        {NULL, NULL},
    };
    static const char want[] = "attachment; filename=\"a  Set-Cookie: x  b \"";
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct answer answer = {.status = 200,
                                  .content_type = "text/plain\r\nX-Other: y",
                                  .etag = "\"\xc3\xa4\"",
                                  .more = more,
                                  .trace = "t"};
    const char *text = answer_text(&answer, 0, arena);
    struct MHD_Response *response = answer_response(&answer);
    const char *value = MHD_get_response_header(response, "Content-Disposition");

    UNIT_CHECK(value && strcmp(value, want) == 0, "%s", value ? value : "left out");
    CU_ASSERT_PTR_NULL(MHD_get_response_header(response, "X-Other"));
    CU_ASSERT_PTR_NOT_NULL(MHD_get_response_header(response, "ETag"));
    UNIT_CHECK(strstr(text, arena_printf(arena, "Content-Disposition: %s\r\n", want)), "%s", text);
    UNIT_CHECK(strstr(text, "Content-Type: text/plain  X-Other: y\r\n"), "%s", text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "ETag: \"\xc3\xa4\"\r\n"));
    MHD_destroy_response(response);
}

/* Every informative header, for errors and successes; limit headers only if a limit was counted. */
static void scripts_read_what_an_answer_says(void)
{
    static const char *const names[] = {
        "Accept-Ranges", "Content-Disposition", "Content-Range",       "DPoP-Nonce",
        "ETag",          "RateLimit-Limit",     "RateLimit-Remaining", "RateLimit-Reset",
        "Retry-After",   "WWW-Authenticate",    "X-Request-Id"};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct error err;
    struct answer answer = {.status = 200, .error = &err};

    error_init(&err, arena);
    CU_ASSERT_PTR_NULL(strstr(answer_text(&answer, 0, arena), "\nRateLimit-"));
    error_limit(&err, 80, 79, 60);
    error_limit(&err, 5, 4, 30);
    error_limit(&err, 30, 29, 900);
    for (size_t i = 0; i < 2; i++) {
        const char *text = answer_text(&answer, 0, arena);
        const char *exposed = strstr(text, "Access-Control-Expose-Headers: ");

        for (size_t j = 0; exposed && j < ARRAY_SIZE(names); j++) {
            const char *at = strstr(exposed, names[j]);

            UNIT_CHECK(at && at < strchr(exposed, '\r'), "%s: %s", names[j], text);
        }
        CU_ASSERT_PTR_NOT_NULL(exposed);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "RateLimit-Limit: 5\r\nRateLimit-Remaining: 4\r\n"
                                            "RateLimit-Reset: 30\r\n"));
        (void)error_set(&err, ERR_THROTTLED, "Too many requests.");
        answer.status = 429;
    }
    (void)error_set(&err, ERR_BAD_REQUEST, "Wrong.");
    CU_ASSERT_PTR_NULL(strstr(answer_text(&answer, 0, arena), "\nRateLimit-"));
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(oauth_errors_have_their_own_codes),       CASE(a_description_is_plain),
        CASE(only_open_endpoints_are_for_other_sites), CASE(a_value_begins_no_other_header),
        CASE(scripts_read_what_an_answer_says),
    };

    return unit_run("gateway answer", cases, ARRAY_SIZE(cases));
}
