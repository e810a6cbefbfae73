/*
 * test_oauth_logout.c - OpenID Connect RP-Initiated Logout 1.0: immediate logout, confirmation, and
 * redirects.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/oauth.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define HOUR 3600
#define BYE "https://app.example/bye?from=atrium"
#define BYE_ENCODED "https%3A%2F%2Fapp.example%2Fbye%3Ffrom%3Datrium"
#define BACK "&post_logout_redirect_uri=" BYE_ENCODED

static struct suite *suite;
static struct person *admin, *patient;
static char *app; /* a first-party client */

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &app, "{\"postLogoutRedirectUris\":[\"" BYE "\"]}");
}

static int ask(struct browser *browser, const char *hint, const char *behind)
{
    char *path;
    int status;

    if (asprintf(&path, "/t/demo/logout?%s%s%s", hint ? "id_token_hint=" : "a=1", hint ? hint : "",
                 behind) < 0)
        abort();
    status = browser_get(browser, path);
    free(path);
    return status;
}

static bool lives(const struct http_answer *tokens)
{
    HTTP_ANSWER answer =
        http_get(suite_url(suite), "/t/demo/userinfo", http_text(tokens, "access_token"));

    UNIT_CHECK(answer->status == 200 || answer->status == 401, "%d", answer->status);
    return answer->status == 200;
}

static bool is_signed_in(struct browser *browser)
{
    return browser_get(browser, "account") == 200;
}

static void check_location(const struct browser *browser, const char *want)
{
    char *location = http_header(browser->page, "Location");

    UNIT_CHECK(location && strcmp(location, want) == 0, "%s, not %s", location ? location : "none",
               want);
    free(location);
}

static void discovery_names_the_endpoint(void)
{
    HTTP_ANSWER page = http_get(suite_url(suite), "/t/demo/.well-known/openid-configuration", NULL);
    const char *url = http_text(page, "end_session_endpoint");

    UNIT_CHECK(strstr(url, "/t/demo/logout") != NULL, "%s", url);
}

static void hint_of_the_session_ends_it_at_once(void)
{
    static const char offline[] = "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
                                  "&scope=openid+offline_access" OAUTH_PKCE;
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER kept = oauth_tokens(suite, browser, patient, app, offline);

    CU_ASSERT_TRUE(lives(tokens));
    CU_ASSERT_EQUAL(ask(browser, http_text(tokens, "id_token"), BACK "&state=a%26b"), 303);
    check_location(browser, BYE "&state=a%26b");
    CU_ASSERT_PTR_NULL(browser->cookie);
    CU_ASSERT_FALSE(lives(tokens));
    CU_ASSERT_TRUE(lives(kept)); /* its grant has offline_access */
    CU_ASSERT_FALSE(is_signed_in(browser));
}

/* Its ID token names the person but no browser session. */
static void hint_of_a_grant_with_offline_access_counts(void)
{
    static const char offline[] = "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
                                  "&scope=openid+offline_access" OAUTH_PKCE;
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER kept = oauth_tokens(suite, browser, patient, app, offline);

    CU_ASSERT_EQUAL(ask(browser, http_text(kept, "id_token"), ""), 303);
    check_location(browser, "/t/demo/sign-in?note=signed-out");
    CU_ASSERT_FALSE(is_signed_in(browser));
    CU_ASSERT_TRUE(lives(kept));
}

static void expired_hint_counts(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);

    suite_advance_clock(suite, 3 * HOUR);
    CU_ASSERT_EQUAL(ask(browser, http_text(tokens, "id_token"), BACK), 303);
    check_location(browser, BYE);
    CU_ASSERT_FALSE(is_signed_in(browser));
}

static bool is_published(const char *kid)
{
    HTTP_ANSWER keys = http_get(suite_url(suite), "/t/demo/jwks", NULL);

    return strstr(keys->body, kid) != NULL;
}

/* True when no gateway publishes the key within half a minute; each caches keys for ten seconds. */
static bool is_withdrawn(const char *kid)
{
    int streak = 0;

    for (int i = 0; i < 300 && streak < 110; i++, usleep(100000))
        streak = is_published(kid) ? 0 : streak + 1;
    return streak >= 110;
}

static void hint_by_a_former_key_counts(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER keys = http_get(suite_url(suite), "/t/demo/jwks", NULL);
    PROGRAM rotated = ATRIUMCTL(suite, NULL, "keys", "rotate", "--issuer");

    CU_ASSERT_EQUAL(rotated->code, 0);
    CU_ASSERT_EQUAL(json_array_size(http_member(keys, "keys")), 2);
    for (int i = 0; i < 5; i++) {
        suite_advance_clock(suite, 11 * HOUR);
        CU_ASSERT_TRUE(is_signed_in(browser));
    }
    CU_ASSERT_TRUE(is_withdrawn(http_text(keys, "keys.0.kid")));
    CU_ASSERT_FALSE(is_published(http_text(keys, "keys.1.kid")));
    CU_ASSERT_EQUAL(ask(browser, http_text(tokens, "id_token"), BACK), 303);
    check_location(browser, BYE);
    CU_ASSERT_FALSE(is_signed_in(browser));
}

static void browser_without_a_session_goes_on(void)
{
    BROWSER browser = browser_open(suite);
    char behind[256];

    snprintf(behind, sizeof(behind), "&client_id=%s%s", app, BACK);
    CU_ASSERT_EQUAL(ask(browser, NULL, behind), 303);
    check_location(browser, BYE);
    CU_ASSERT_EQUAL(ask(browser, NULL, ""), 303);
    check_location(browser, "/t/demo/sign-in?note=signed-out");
}

static void form_of(const struct browser *browser, const char *button, char *form, size_t size)
{
    char *client = browser_value(browser, "client_id");
    char *state = browser_value(browser, "state");

    snprintf(form, size, "do=%s&client_id=%s%s&state=%s", button, client, BACK, state);
    free(client);
    free(state);
}

static void person_is_asked_without_a_hint(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    char behind[256], form[512], *policy;

    snprintf(behind, sizeof(behind), "&client_id=%s%s&state=s1", app, BACK);
    CU_ASSERT_EQUAL(ask(browser, NULL, behind), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Sign out?"));
    CU_ASSERT_TRUE(browser_sees(browser, "Diary"));
    policy = http_header(browser->page, "Content-Security-Policy");
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "form-action 'self' https://app.example;"));
    CU_ASSERT_TRUE(lives(tokens));
    form_of(browser, "stay", form, sizeof(form));
    CU_ASSERT_EQUAL(browser_post(browser, "logout", form), 303);
    check_location(browser, "/t/demo/account");
    CU_ASSERT_TRUE(lives(tokens));
    ask(browser, NULL, behind);
    form_of(browser, "end", form, sizeof(form));
    CU_ASSERT_EQUAL(browser_post(browser, "logout", form), 303);
    check_location(browser, BYE "&state=s1");
    CU_ASSERT_FALSE(lives(tokens));
    CU_ASSERT_FALSE(is_signed_in(browser));
    free(policy);
}

static void check_asks(struct browser *browser, const char *label, const char *hint)
{
    int status = ask(browser, hint, BACK);

    /* 400: no hint names a client, so its redirect URI is unknown too */
    UNIT_CHECK(status == 200 || status == 400, "%s: %d", label, status);
    status = ask(browser, hint, "");
    UNIT_CHECK(status == 200 && browser_sees(browser, "Sign out?"), "%s: %d", label, status);
    UNIT_CHECK(is_signed_in(browser), "%s: signed out", label);
}

static void hints_of_others_only_ask(void)
{
    BROWSER browser = browser_open(suite);
    BROWSER other = browser_open(suite);
    BROWSER twin = browser_open(suite);
    PERSON person = browser_person(suite);
    char *forged, *signature;

    HTTP_ANSWER former = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    ask(browser, http_text(former, "id_token"), "");
    HTTP_ANSWER own = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER theirs = oauth_tokens(suite, other, person, app, OAUTH_USUAL);
    HTTP_ANSWER elsewhere = oauth_tokens(suite, twin, patient, app, OAUTH_USUAL);

    forged = strdup(http_text(own, "id_token"));
    signature = strrchr(forged, '.') + 8;
    *signature = *signature == 'A' ? 'B' : 'A';
    check_asks(browser, "no token", "abc");
    check_asks(browser, "forged", forged);
    check_asks(browser, "an access token", http_text(own, "access_token"));
    check_asks(browser, "the API's", patient->access);
    check_asks(browser, "another person's", http_text(theirs, "id_token"));
    check_asks(browser, "of the session before", http_text(former, "id_token"));
    check_asks(browser, "of another browser", http_text(elsewhere, "id_token"));
    CU_ASSERT_TRUE(lives(own));
    CU_ASSERT_EQUAL(ask(browser, http_text(own, "id_token"), ""), 303);
    free(forged);
}

static void other_sites_sign_out_no_one(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);

    ask(browser, NULL, "");
    browser->no_token = true;
    CU_ASSERT_EQUAL(browser_post(browser, "logout", "do=end"), 303);
    check_location(browser, "/t/demo/logout");
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    browser->no_token = false;
    free(browser->origin);
    browser->origin = strdup("https://evil.example");
    CU_ASSERT_EQUAL(browser_post(browser, "logout", "do=end"), 303);
    check_location(browser, "/t/demo/logout");
    CU_ASSERT_TRUE(lives(tokens));
    CU_ASSERT_TRUE(is_signed_in(browser));
}

/* Another site's POST comes without the cookie, so the page sends it to itself again. */
static void post_is_asked_again(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    char form[4096], *location;

    snprintf(form, sizeof(form), "id_token_hint=%s%s&state=x", http_text(tokens, "id_token"), BACK);
    HTTP_ANSWER answer = oauth_post(suite, "logout", form);
    CHECK_STATUS(answer, 303);
    location = http_header(answer, "Location");
    CU_ASSERT_TRUE(lives(tokens));
    CU_ASSERT_EQUAL(browser_get(browser, location), 303);
    check_location(browser, BYE "&state=x");
    CU_ASSERT_FALSE(lives(tokens));
    free(location);
}

static void ui_locales_choose_the_language(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);

    CU_ASSERT_TRUE(lives(tokens));
    CU_ASSERT_EQUAL(ask(browser, NULL, "&ui_locales=fr+de"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Abmelden?"));
}

static void unknown_addresses_end_on_a_page(void)
{
    char *other = oauth_register(
        suite, admin, "{\"name\":\"Other\",\"postLogoutRedirectUris\":[\"https://o.example/\"]}");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    const char *hint = http_text(tokens, "id_token");
    const struct {
        const char *label, *client, *address;
        bool hinted;
    } rows[] = {
        {"not registered", app, "https%3A%2F%2Fevil.example%2F", true},
        {"longer", app, BYE_ENCODED "%26x%3D1", true},
        {"shorter", app, "https%3A%2F%2Fapp.example%2Fbye", true},
        {"other letters", app, "https%3A%2F%2FAPP.example%2Fbye%3Ffrom%3Datrium", true},
        {"a redirectUri", app, "https%3A%2F%2Fapp.example%2Fcb", true},
        {"another client's", app, "https%3A%2F%2Fo.example%2F", true},
        {"of another client than the token", other, "https%3A%2F%2Fo.example%2F", true},
        {"of no client", "", BYE_ENCODED, false},
        {"of a client that is not there", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", BYE_ENCODED,
         false},
        {"of no client's id", "x", BYE_ENCODED, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char behind[512], *location;

        snprintf(behind, sizeof(behind), "&post_logout_redirect_uri=%s%s%s", rows[i].address,
                 *rows[i].client ? "&client_id=" : "", rows[i].client);
        ask(browser, rows[i].hinted ? hint : NULL, behind);
        location = http_header(browser->page, "Location");
        UNIT_CHECK(browser->page->status == 400 && !location, "%s: %d", rows[i].label,
                   browser->page->status);
        CU_ASSERT_TRUE(browser_sees(browser, "Unknown app"));
        free(location);
    }
    CU_ASSERT_TRUE(lives(tokens));
    CU_ASSERT_EQUAL(ask(browser, hint, "&state=1&state=2"), 400);
    CU_ASSERT_TRUE(lives(tokens));
    free(other);
}

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &app);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(discovery_names_the_endpoint),
    CASE(hint_of_the_session_ends_it_at_once),
    CASE(hint_of_a_grant_with_offline_access_counts),
    CASE(browser_without_a_session_goes_on),
    CASE(person_is_asked_without_a_hint),
    CASE(hints_of_others_only_ask),
    CASE(other_sites_sign_out_no_one),
    CASE(post_is_asked_again),
    CASE(ui_locales_choose_the_language),
    CASE(unknown_addresses_end_on_a_page),
    CASE(expired_hint_counts),
    CASE(hint_by_a_former_key_counts),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth logout", cases, ARRAY_SIZE(cases));
}
