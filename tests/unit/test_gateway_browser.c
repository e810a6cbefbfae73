/*
 * test_gateway_browser.c - tenants' cookies; a form's Origin, token and body.
 */
#include <string.h>

#include "common/base/secret.h"
#include "gateway/http/browser.h"
#include "tests/support/unit.h"

#define COOKIE "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
#define OTHER "BAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

static void a_cookie_is_named_after_its_tenant(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    CU_ASSERT_STRING_EQUAL(cookie_name(arena, "acme", true), "__Host-atrium-acme");
    CU_ASSERT_STRING_EQUAL(cookie_name(arena, "acme-2", false), "atrium-acme-2");
    CU_ASSERT_STRING_EQUAL(cookie_name(arena, "-", true), "__Host-atrium--");
    CU_ASSERT_PTR_NULL(cookie_name(arena, "", true));
    CU_ASSERT_PTR_NULL(cookie_name(arena, "a;b", true));
    CU_ASSERT_PTR_NULL(cookie_name(arena, "a=b", true));
    CU_ASSERT_PTR_NULL(cookie_name(arena, "a b", true));
    CU_ASSERT_PTR_NULL(cookie_name(arena, "a\r\nSet-Cookie: x", true));
    CU_ASSERT_PTR_NULL(cookie_name(arena, "\xc3\xa9", true));
}

static void a_cookie_is_found_once_or_not_at_all(void)
{
    static const struct {
        const char *header;
        bool found;
    } rows[] = {
        {"atrium-acme=" COOKIE, true},
        {"a=b; atrium-acme=" COOKIE "; c=d", true},
        {"a=b;atrium-acme=" COOKIE ";", true},
        {";; =; atrium-acme=" COOKIE, true},
        {"xatrium-acme=" COOKIE, false},
        {"atrium-acme2=" COOKIE, false},
        {"ATRIUM-ACME=" COOKIE, false},
        {"__Host-atrium-acme=" COOKIE, false},
        {"a=\"; atrium-acme=x", false},
        {"atrium-acme=" COOKIE "; atrium-acme=" OTHER, false},
        {"atrium-acme=" COOKIE "; atrium-acme=" COOKIE, false},
        {"atrium-acme=; atrium-acme=" COOKIE, false},
        {"atrium-acme=" COOKIE "A", false},
        {"atrium-acme=" COOKIE " ", false},
        {"atrium-acme=short", false},
        {"atrium-acme=", false},
        {"atrium-acme", false},
        {"", false},
        {NULL, false},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *found = cookie_find(arena, rows[i].header, "atrium-acme");

        UNIT_CHECK((found != NULL) == rows[i].found, "row %zu", i);
        UNIT_CHECK(!found || strcmp(found, COOKIE) == 0, "row %zu: %s", i, found);
    }
}

static void a_cookie_is_set_and_ended(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    CU_ASSERT_STRING_EQUAL(cookie_header(arena, "__Host-atrium-acme", COOKIE, true),
                           "__Host-atrium-acme=" COOKIE "; Path=/; HttpOnly; SameSite=Lax; Secure");
    CU_ASSERT_STRING_EQUAL(cookie_header(arena, "atrium-acme", COOKIE, false),
                           "atrium-acme=" COOKIE "; Path=/; HttpOnly; SameSite=Lax");
    CU_ASSERT_STRING_EQUAL(cookie_header(arena, "__Host-atrium-acme", NULL, true),
                           "__Host-atrium-acme=; Path=/; HttpOnly; SameSite=Lax; Secure; "
                           "Max-Age=0");
}

static void a_token_is_of_its_cookie_alone(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *cookie = secret_random_text(arena, COOKIE_BYTES);
    const char *token = form_token(arena, COOKIE), *again = form_token(arena, COOKIE);

    UNIT_REQUIRE(token && again, "no token");
    CU_ASSERT_EQUAL(strlen(token), 86);
    CU_ASSERT_STRING_NOT_EQUAL(token, again);
    CU_ASSERT(form_token_is_of(token, COOKIE));
    CU_ASSERT(form_token_is_of(again, COOKIE));
    CU_ASSERT(form_token_is_of(form_token(arena, cookie), cookie));
    CU_ASSERT(!form_token_is_of(token, OTHER));
    CU_ASSERT(!form_token_is_of(token, cookie));
    CU_ASSERT(!form_token_is_of(token, NULL));
    CU_ASSERT(!form_token_is_of(token, ""));
    CU_ASSERT(!form_token_is_of(NULL, COOKIE));
    CU_ASSERT(!form_token_is_of("", COOKIE));
    CU_ASSERT(!form_token_is_of(COOKIE, COOKIE));
    CU_ASSERT(!form_token_is_of(arena_printf(arena, "%sA", token), COOKIE));
    CU_ASSERT_PTR_NULL(form_token(arena, "short"));
    CU_ASSERT_PTR_NULL(form_token(arena, NULL));
    for (size_t i = 0; i < strlen(token); i++) {
        char *changed = arena_strdup(arena, token);

        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        UNIT_CHECK(!form_token_is_of(changed, COOKIE), "character %zu does not count", i);
    }
}

static void a_submission_is_of_its_cookie_page_and_fields(void)
{
    static const uint8_t body[] = "a=1&formToken=x", other[] = "a=2&formToken=x";
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *id = form_submission(arena, COOKIE, "/t/demo/mfa", body, sizeof(body));

    UNIT_REQUIRE(id, "no submission");
    CU_ASSERT_EQUAL(strlen(id), 43);
    CU_ASSERT_STRING_EQUAL(id, form_submission(arena, COOKIE, "/t/demo/mfa", body, sizeof(body)));
    CU_ASSERT_STRING_NOT_EQUAL(id,
                               form_submission(arena, OTHER, "/t/demo/mfa", body, sizeof(body)));
    CU_ASSERT_STRING_NOT_EQUAL(id,
                               form_submission(arena, COOKIE, "/t/demo/mf", body, sizeof(body)));
    CU_ASSERT_STRING_NOT_EQUAL(id,
                               form_submission(arena, COOKIE, "/t/demo/mfa", other, sizeof(other)));
    CU_ASSERT_PTR_NULL(form_submission(arena, "short", "/t/demo/mfa", body, sizeof(body)));
    CU_ASSERT_PTR_NULL(form_submission(arena, NULL, "/t/demo/mfa", body, sizeof(body)));
}

static void the_first_half_of_a_token_tells_nothing_of_the_second(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *token = form_token(arena, COOKIE), *again = form_token(arena, COOKIE);

    CU_ASSERT(strncmp(token, again, 43) != 0);
    CU_ASSERT(strncmp(token + 43, again + 43, 43) != 0);
}

static void a_form_comes_from_the_own_origin(void)
{
    static const char own[] = "https://id.example.org/base";
    static const struct {
        const char *origin, *fetch_site, *url;
        bool own;
    } rows[] = {
        {"https://id.example.org", NULL, own, true},
        {"https://id.example.org", "same-origin", own, true},
        {"https://id.example.org", NULL, "https://ID.example.org:443", true},
        {"http://127.0.0.1:8080", NULL, "http://127.0.0.1:8080/", true},
        {"http://127.0.0.1", NULL, "http://127.0.0.1:80/", true},
        {"null", "same-origin", own, true},
        {"null", NULL, own, false},
        {"null", "cross-site", own, false},
        {"null", "same-site", own, false},
        {"null", "none", own, false},
        {"https://id.example.org", "cross-site", own, false},
        {"https://id.example.org", "same-site", own, false},
        {NULL, NULL, own, false},
        {NULL, "same-origin", own, false},
        {"", "same-origin", own, false},
        {"http://id.example.org", NULL, own, false},
        {"https://id.example.org:8443", NULL, own, false},
        {"https://id.example.org.evil.example", NULL, own, false},
        {"https://id.example.or", NULL, own, false},
        {"https://evil.example", "same-origin", own, false},
        {"https://id.example.org", NULL, NULL, false},
        {"https://id.example.org", NULL, "id.example.org", false},
        {"", NULL, "id.example.org", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(browser_is_own(rows[i].origin, rows[i].fetch_site, rows[i].url) == rows[i].own,
                   "row %zu: %s", i, rows[i].origin);
}

static void a_form_is_decoded_without_repetition(void)
{
    static const struct {
        const char *body;
        size_t size;
        int count; /* -1: refused */
    } rows[] = {
        {"", 0, 0},         {"a=1&b=2", 7, 2},
        {"a=1&A=2", 7, 2},  {"email=a%40b.example&password=+%26+", 34, 2},
        {"a=1&a=1", 7, -1}, {"a=1&b=2&%61=3", 13, -1},
        {"a&a=", 4, -1},    {"a=1\0&b=2", 8, -1},
        {"a=%00", 5, -1},   {"a=%zz", 5, -1},
        {"a=%FF", 5, -1},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct query form;
        struct error err;
        int result;

        error_init(&err, arena);
        result =
            browser_form_decode((const uint8_t *)rows[i].body, rows[i].size, arena, &form, &err);
        UNIT_CHECK((result == 0) == (rows[i].count >= 0), "row %zu", i);
        UNIT_CHECK(result < 0 || (int)form.count == rows[i].count, "row %zu", i);
        UNIT_CHECK(result == 0 || (err.code == ERR_BAD_REQUEST && strstr(err.message, "form")),
                   "row %zu: %s", i, err.message);
        if (i == 3)
            CU_ASSERT_STRING_EQUAL(query_find(&form, "password"), " & ");
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(a_cookie_is_named_after_its_tenant),
        CASE(a_cookie_is_found_once_or_not_at_all),
        CASE(a_cookie_is_set_and_ended),
        CASE(a_token_is_of_its_cookie_alone),
        CASE(a_submission_is_of_its_cookie_page_and_fields),
        CASE(the_first_half_of_a_token_tells_nothing_of_the_second),
        CASE(a_form_comes_from_the_own_origin),
        CASE(a_form_is_decoded_without_repetition),
    };

    return unit_run("gateway browser", cases, ARRAY_SIZE(cases));
}
