/*
 * test_pages.c - hosted pages without scripts: sign-in, second factor, registration, account,
 * cookies, form tokens, session lifetime, and escaping of all user text.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/browser.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define HOUR 3600

static struct suite *suite;

static void start_suite(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
}

static bool header_has(const struct browser *browser, const char *name, const char *text)
{
    char *value = http_header(browser->page, name);
    bool has = value && strstr(value, text);

    free(value);
    return has;
}

static void pages_say_what_they_are(void)
{
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
    CU_ASSERT_TRUE(header_has(browser, "Content-Type", "text/html; charset=utf-8"));
    CU_ASSERT_TRUE(header_has(browser, "Cache-Control", "no-store"));
    CU_ASSERT_TRUE(header_has(browser, "Content-Security-Policy",
                              "default-src 'none'; style-src "
                              "'sha256-"));
    CU_ASSERT_TRUE(header_has(browser, "Content-Security-Policy", "frame-ancestors 'none'"));
    CU_ASSERT_TRUE(header_has(browser, "Content-Security-Policy", "form-action 'self'"));
    CU_ASSERT_FALSE(header_has(browser, "Content-Security-Policy", "unsafe"));
    CU_ASSERT_TRUE(header_has(browser, "X-Frame-Options", "DENY"));
    CU_ASSERT_TRUE(header_has(browser, "Referrer-Policy", "no-referrer"));
    CU_ASSERT_FALSE(header_has(browser, "Access-Control-Allow-Origin", ""));
    CU_ASSERT_TRUE(header_has(browser, "Set-Cookie", "HttpOnly"));
    CU_ASSERT_TRUE(header_has(browser, "Set-Cookie", "SameSite=Lax"));
    CU_ASSERT_TRUE(header_has(browser, "Set-Cookie", "Path=/"));
    CU_ASSERT_TRUE(browser_sees(browser, "<html lang=\"en\">"));
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"current-password\""));
    CU_ASSERT_TRUE(browser_sees(browser, strstr(browser->origin, "://") + 3));
    CU_ASSERT_TRUE(browser_sees(browser, "<bdi>demo</bdi>"));
    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
    CU_ASSERT_FALSE(header_has(browser, "Set-Cookie", "")); /* already set */
}

static void tokens_are_masked(void)
{
    BROWSER browser = browser_open(suite);
    char *one, *other;

    browser_get(browser, "sign-in");
    one = browser_value(browser, "formToken");
    browser_get(browser, "sign-in");
    other = browser_value(browser, "formToken");
    CU_ASSERT_STRING_NOT_EQUAL(one, "");
    CU_ASSERT_STRING_NOT_EQUAL(one, other);
    free(one);
    free(other);
}

/* Its cookie is new, so no session can exist for it. */
static void browser_without_cookie_is_not_looked_up(void)
{
    BROWSER browser = browser_open(suite);
    PGconn *held = suite_lock(suite, "auth.session");

    CU_ASSERT_EQUAL(PQtransactionStatus(held), PQTRANS_INTRANS);
    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
    suite_unlock(held);
}

static void languages_are_the_browsers(void)
{
    static const struct {
        const char *accept, *lang, *title;
    } rows[] = {
        {"de-AT, en;q=0.8", "lang=\"de\"", "<h1>Anmelden</h1>"},
        {"fr, es;q=0.5, en;q=0.4", "lang=\"es\"", "<h1>Iniciar sesi\xc3\xb3n</h1>"},
        {"de;q=0, es;q=0.1", "lang=\"es\"", "<h1>Iniciar"},
        {"fr", "lang=\"en\"", "<h1>Sign in</h1>"},
        {"de;q", "lang=\"en\"", "<h1>Sign in</h1>"},
        {",;=,", "lang=\"en\"", "<h1>Sign in</h1>"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        BROWSER browser = browser_open(suite);

        browser->language = strdup(rows[i].accept);
        CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
        UNIT_CHECK(browser_sees(browser, rows[i].lang) && browser_sees(browser, rows[i].title),
                   "%s", rows[i].accept);
    }
}

/* An unknown tenant, or a code that cannot be in a cookie's name. */
static void unknown_tenants_have_no_page(void)
{
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(browser_get(browser, "/t/nowhere/sign-in"), 404);
    CU_ASSERT_TRUE(browser_sees(browser, "Page not found"));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/no%3Cscript%3Ewhere/sign-in"), 404);
    CU_ASSERT_TRUE(header_has(browser, "Content-Type", "text/html"));
    CU_ASSERT_FALSE(browser_sees(browser, "<script"));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/demo/no-such-page"), 404);
}

#define CHROMIUM                                                                                  \
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0" \
    ".8"

static struct http_answer *ask_as(const char *method, const char *path, const char *accept,
                                  const char *language)
{
    return http_call(suite_url(suite), &(struct http_request){.method = method,
                                                              .path = path,
                                                              .headers = {accept, language}});
}

static bool has_type(const struct http_answer *answer, const char *type)
{
    char *value = http_header(answer, "Content-Type");
    bool has = value && strstr(value, type);

    free(value);
    return has;
}

static bool leads_to(const struct http_answer *answer, const char *path)
{
    char *value = http_header(answer, "Location");
    bool same = answer->status == 303 && value && strcmp(value, path) == 0;

    free(value);
    return same;
}

static struct http_answer *ask_in(const char *path, const char *accepted, const char *cookie)
{
    return http_call(suite_url(suite),
                     &(struct http_request){.path = path, .headers = {CHROMIUM, accepted, cookie}});
}

static bool sees(const struct http_answer *answer, const char *text)
{
    return answer->status == 200 && strstr(answer->body, text);
}

static bool has_header(const struct http_answer *answer, const char *text)
{
    return strstr(answer->header_text, text);
}

/* The choice is the browser's, for all tenants, and stronger than Accept-Language. */
static void a_chosen_language_is_kept(void)
{
    static const char english[] = "Accept-Language: en",
                      page[] = "/t/demo/sign-in?other=x&note=signed-out";
    HTTP_ANSWER first = ask_in(page, english, NULL);
    HTTP_ANSWER chosen = ask_in("/t/demo/sign-in?lang=de&note=signed-out", english, NULL);
    HTTP_ANSWER kept = ask_in("/t/-/sign-in", english, "Cookie: a=1; atrium_language=de");
    HTTP_ANSWER unknown = ask_in("/", "Accept-Language: es", "Cookie: atrium_language=xx");
    HTTP_ANSWER wrong = ask_in("/t/demo/sign-in?lang=%3Cb", english, NULL);

    CU_ASSERT_TRUE(sees(first, "<html lang=\"en\">"));
    CU_ASSERT_TRUE(sees(first, "href=\"/t/demo/sign-in?note=signed-out&amp;lang=de\" lang=\"de\""));
    CU_ASSERT_FALSE(has_header(first, "atrium_language"));
    CU_ASSERT_TRUE(sees(chosen, "<html lang=\"de\">"));
    CU_ASSERT_TRUE(sees(chosen, "href=\"/t/demo/sign-in?note=signed-out&amp;lang=es\""));
    CU_ASSERT_TRUE(has_header(chosen, "atrium_language=de; Path=/; HttpOnly; SameSite=Lax; "
                                      "Max-Age=31536000\r\n"));
    CU_ASSERT_TRUE(has_header(chosen, "atrium-demo="));
    CU_ASSERT_TRUE(sees(kept, "<html lang=\"de\">"));
    CU_ASSERT_TRUE(sees(unknown, "<html lang=\"es\">"));
    CU_ASSERT_TRUE(sees(wrong, "<html lang=\"en\">"));
    CU_ASSERT_FALSE(has_header(wrong, "atrium_language"));
}

static void the_front_page_leads_on(void)
{
    HTTP_ANSWER front = ask_as("GET", "/", CHROMIUM, NULL);
    HTTP_ANSWER head = ask_as("HEAD", "/", CHROMIUM, NULL);
    HTTP_ANSWER spanish = ask_as("GET", "/", CHROMIUM, "Accept-Language: es");
    char *cookie = http_header(front, "Set-Cookie"), *cross;

    CHECK_STATUS(front, 200);
    CU_ASSERT_TRUE(has_type(front, "text/html"));
    for (size_t i = 0; i < 3; i++)
        UNIT_CHECK(strstr(front->body,
                          (const char *const[]){"href=\"/t/-/sign-in\"", "href=\"/console/\"",
                                                "href=\"/docs\""}[i]),
                   "link %zu", i);
    CU_ASSERT_PTR_NULL(cookie);
    free(cookie);
    cross = http_header(front, "Access-Control-Allow-Origin");
    CU_ASSERT_PTR_NULL(cross);
    free(cross);
    CHECK_STATUS(head, 200);
    CU_ASSERT_TRUE(has_type(head, "text/html"));
    CU_ASSERT_PTR_NOT_NULL(strstr(spanish->body, "<html lang=\"es\">"));
}

static void the_front_page_finds_a_sign_in(void)
{
    static const char *const unknown[] = {"/?tenant=nowhere", "/?tenant=", "/?tenant=a%2Fb",
                                          "/?tenant=-", "/?tenant=%3Cscript%3E"};
    HTTP_ANSWER found = ask_as("GET", "/?tenant=+demo+", CHROMIUM, NULL);

    CU_ASSERT_TRUE(leads_to(found, "/t/demo/sign-in"));
    for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
        HTTP_ANSWER answer = ask_as("GET", unknown[i], CHROMIUM, NULL);

        UNIT_CHECK(answer->status == 404 &&
                       strstr(answer->body, "No organization has this code.") &&
                       !strstr(answer->body, "<script>"),
                   "%s: %s", unknown[i], answer->body);
    }
}

static void an_unknown_address_is_a_page_for_browsers(void)
{
    static const char *const paths[] = {
        "/nothing", "/t/demo/no-such-page", "/t",
        "//",       "/auth/nothing?x=1",    "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17"};
    HTTP_ANSWER german = ask_as("GET", "/nothing", CHROMIUM, "Accept-Language: de");

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        HTTP_ANSWER page = ask_as("GET", paths[i], CHROMIUM, NULL);
        HTTP_ANSWER program = ask_as("GET", paths[i], "Accept: */*", NULL);

        UNIT_CHECK(page->status == 404 && has_type(page, "text/html") &&
                       strstr(page->body, "Page not found") && strstr(page->body, "href=\"/\""),
                   "%s: %d %s", paths[i], page->status, page->body);
        UNIT_CHECK(program->status == 404 && has_type(program, "application/json"), "%s", paths[i]);
    }
    CHECK_STATUS(german, 404);
    CU_ASSERT_PTR_NOT_NULL(strstr(german->body, "Seite nicht gefunden"));
}

static void programs_get_json_at_the_front(void)
{
    static const struct {
        const char *method, *accept;
    } rows[] = {{"GET", NULL},
                {"GET", "Accept: */*"},
                {"GET", "Accept: application/json"},
                {"GET", "Accept: application/json, text/plain, */*"},
                {"GET", "Accept: text/html, application/json"},
                {"GET", "Accept: text/html;q=0.5, application/json;q=0.6"},
                {"POST", CHROMIUM},
                {"PUT", CHROMIUM}};
    char want[128];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = ask_as(rows[i].method, "/", rows[i].accept, NULL);

        snprintf(want, sizeof(want),
                 "{\"statusCode\":404,\"message\":\"Cannot %s /\",\"error\":\"Not Found\"}",
                 rows[i].method);
        UNIT_CHECK(answer->status == 404 && strcmp(answer->body, want) == 0, "%zu: %d %s", i,
                   answer->status, answer->body);
    }
    HTTP_ANSWER options = ask_as("OPTIONS", "/", CHROMIUM, NULL);
    CHECK_STATUS(options, 404);
}

static void a_tenants_address_leads_to_its_sign_in(void)
{
    static const char *const paths[] = {"/t/demo", "/t/demo/"};
    BROWSER browser = browser_open(suite);
    PERSON patient = person_register(suite, NULL);

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        HTTP_ANSWER answer = ask_as("GET", paths[i], NULL, NULL);

        UNIT_CHECK(leads_to(answer, "/t/demo/sign-in"), "%s: %d", paths[i], answer->status);
    }
    CU_ASSERT_EQUAL(browser_get(browser, "/t/demo/sign-in/"), 200);
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/demo/"), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 303); /* signed in: the sign-in redirects */
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account"));
}

static void patient_signs_in_and_out(void)
{
    BROWSER browser = browser_open(suite);
    PERSON patient = person_register(suite, NULL);
    char *first, *kept;
    long before = suite_count(suite, "select count(*) from auth.session where cookie_hash is not "
                                     "null and ended_at is null");

    browser_get(browser, "sign-in");
    first = strdup(browser->cookie);
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_STRING_NOT_EQUAL(first, browser->cookie); /* no session fixation */
    CU_ASSERT_TRUE(browser_sees(browser, "(this browser)"));
    CU_ASSERT_TRUE(browser_sees(browser, "<dd>Patient</dd>"));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.session where cookie_hash is "
                                       "not null and ended_at is null"),
                    before + 1);
    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 303);

    kept = strdup(browser->cookie);
    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
    CU_ASSERT_PTR_NULL(browser->cookie);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "You’re signed out."));
    free(browser->cookie);
    browser->cookie = kept;
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 303); /* the cookie is invalid now */
    free(first);
}

static void wrong_passwords_say_so(void)
{
    BROWSER browser = browser_open(suite);
    PERSON patient = person_register(suite, NULL);
    char form[256];

    browser_get(browser, "sign-in");
    snprintf(form, sizeof(form), "email=%s&password=wrong", patient->email);
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "Incorrect email address or password."));
    CU_ASSERT_TRUE(browser_sees(browser, "<title>Error: Sign in"));
    CU_ASSERT_TRUE(browser_sees(browser, patient->email)); /* the form keeps the address */
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", "email=nonsense&password="), 422);
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"email-wrong\""));
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"password-wrong\""));
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", "email=who%40else.example&password=wrong"),
                    400);
}

/* Pages and API share their limits: after twenty guesses even the right password is refused on
 * both. */
static void guesses_are_limited(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char form[256];
    int status = 0;

    snprintf(form, sizeof(form), "email=%s&password=wrong", patient->email);
    browser_get(browser, "sign-in");
    for (int i = 0; i < 30 && status != 429; i++)
        status = browser_post(browser, "sign-in", form);
    CU_ASSERT_EQUAL(status, 429);
    CU_ASSERT_TRUE(browser_sees(browser, "Too many attempts."));
    CU_ASSERT_TRUE(header_has(browser, "Retry-After", ""));
    HTTP_ANSWER api = suite_post_from(suite, browser->source, "/auth/tenant/Patient/login/start",
                                      body_login_start(patient->email, patient->password,
                                                       suite_text(suite, "demo.tenantCode")));
    CHECK_STATUS(api, 429);
}

static void two_accounts_are_asked_which(void)
{
    static const char email[] = "both@clinic.example";
    PERSON admin = person_admin(suite);
    char form[1024], *step;

    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    PERSON patient = person_register(suite, email);
    HTTP_ANSWER made =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/register", body_register(email, "demo"));
    CHECK_STATUS(made, 200);
    CU_ASSERT_PTR_NOT_NULL(patient->access);

    for (int as_patient = 0; as_patient < 2; as_patient++) {
        BROWSER browser = browser_open(suite);
        BROWSER other = browser_open(suite);

        browser_get(browser, "sign-in");
        snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD, email);
        CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 200);
        CU_ASSERT_TRUE(browser_sees(browser, "Which account?"));
        step = browser_value(browser, "step");
        snprintf(form, sizeof(form), "step=%s&role=%s", step,
                 as_patient ? "patient" : "practitioner");
        browser_get(other, "sign-in"); /* the step belongs to one browser */
        CU_ASSERT_EQUAL(browser_post(other, "sign-in", form), 400);
        CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 303);
        CU_ASSERT_EQUAL(browser_follow(browser), 200);
        CU_ASSERT_TRUE(
            browser_sees(browser, as_patient ? "<dd>Patient</dd>" : "<dd>Practitioner</dd>"));
        free(step);
    }
}

static void closed_and_locked_are_told_behind_the_password(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char form[256];

    snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD, patient->email);
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    browser_get(browser, "sign-in");
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 403);
    CU_ASSERT_TRUE(browser_sees(browser, "This isn’t available here."));
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
    free(suite_query(suite, "update auth.account set locked_at = 1 where email like 'p%' and "
                            "locked_at is null and created_at = (select max(created_at) from "
                            "auth.account where email like 'p%')"));
    browser_get(browser, "sign-in");
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 403);
    CU_ASSERT_TRUE(browser_sees(browser, "This account is locked."));
}

static void second_factor_is_asked_for(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    uint8_t secret[TOTP_SECRET];
    char code[7], form[1024], *step;

    totp_enrol(suite, patient, suite_now(suite), secret);
    suite_advance_clock(suite, 2 * TOTP_STEP);

    CU_ASSERT_EQUAL(browser_get(browser, "mfa"), 303);
    browser_get(browser, "sign-in");
    snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD, patient->email);
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"one-time-code\""));
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 303);
    snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD, patient->email);
    browser_get(browser, "sign-in");
    browser_post(browser, "sign-in", form);
    step = browser_value(browser, "step");
    snprintf(form, sizeof(form), "step=%s&code=", step);
    CU_ASSERT_EQUAL(browser_post(browser, "mfa", form), 422);
    snprintf(form, sizeof(form), "step=%s&code=0000000", step);
    CU_ASSERT_EQUAL(browser_post(browser, "mfa", form), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "The code is incorrect or has expired."));
    totp_code(secret, suite_now(suite), code);
    snprintf(form, sizeof(form), "step=%s&code=%.3s+%s", step, code, code + 3); /* "123 456" */
    CU_ASSERT_EQUAL(browser_post(browser, "mfa", form), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, patient->email));
    free(step);
}

static void steps_end(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    uint8_t secret[TOTP_SECRET];
    char code[7], form[1024], *step;

    totp_enrol(suite, patient, suite_now(suite), secret);
    browser_get(browser, "sign-in");
    snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD, patient->email);
    browser_post(browser, "sign-in", form);
    step = browser_value(browser, "step");
    suite_advance_clock(suite, 301);
    totp_code(secret, suite_now(suite), code);
    snprintf(form, sizeof(form), "step=%s&code=%s", step, code);
    CU_ASSERT_EQUAL(browser_post(browser, "mfa", form), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "This page was open for too long"));
    free(step);
}

static void foreign_forms_do_nothing(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    BROWSER attacker = browser_open(suite);
    char form[512], *token;

    snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD, patient->email);
    browser_get(browser, "sign-in");
    browser->no_token = true;
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 403);
    CU_ASSERT_TRUE(browser_sees(browser, "This page was open for too long"));

    browser_get(attacker, "sign-in"); /* another browser's token */
    token = browser_value(attacker, "formToken");
    snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD "&formToken=%s", patient->email,
             token);
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 403);
    browser->no_token = false;

    snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD, patient->email);
    for (size_t i = 0; i < 3; i++) {
        static const char *const origins[] = {"https://evil.example", "null", "http://localhost"};
        char *own = browser->origin;

        browser_get(browser, "sign-in");
        browser->origin = strdup(origins[i]);
        UNIT_CHECK(browser_post(browser, "sign-in", form) == 403, "%s", origins[i]);
        free(browser->origin);
        browser->origin = own;
    }
    browser_get(browser, "sign-in");
    snprintf(form, sizeof(form), "email=a&email=%s&password=" FORM_PASSWORD, patient->email);
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 400); /* ambiguous */
    CU_ASSERT_TRUE(header_has(browser, "Content-Type", "text/html"));
    free(token);
}

static void pages_take_forms_alone(void)
{
    HTTP_ANSWER json = http_post(suite_url(suite), "/t/demo/sign-in", NULL,
                                 json_pack("{s:s, s:s}", "email", "a@b.example", "password", "x"));
    CHECK_STATUS(json, 415);
    char *allowed = http_header(json, "Access-Control-Allow-Origin");
    CU_ASSERT_PTR_NULL(allowed);
    free(allowed);
    HTTP_ANSWER preflight =
        http_call(suite_url(suite),
                  &(struct http_request){.method = "OPTIONS",
                                         .path = "/t/demo/sign-in",
                                         .headers = {"Origin: https://evil.example",
                                                     "Access-Control-Request-Method: POST"}});
    allowed = http_header(preflight, "Access-Control-Allow-Origin");
    CU_ASSERT_PTR_NULL(allowed);
    free(allowed);
}

static void cookies_open_no_api(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char line[256];

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    snprintf(line, sizeof(line), "Cookie: %s", browser->cookie);
    HTTP_ANSWER me =
        http_call(suite_url(suite), &(struct http_request){.path = "/auth/me", .headers = {line}});
    CHECK_STATUS(me, 401);
    HTTP_ANSWER page = http_get(suite_url(suite), "/t/demo/account", patient->access);
    CHECK_STATUS(page, 303);
}

static void tenants_keep_apart(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON child = person_admin_of_child(suite, "annex");
    BROWSER browser = browser_open(suite);
    char *renamed;

    CU_ASSERT_PTR_NOT_NULL(child->access);
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/annex/account"), 303);
    CU_ASSERT_PTR_NOT_NULL(strstr(browser->cookie, "atrium-annex="));
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    if (asprintf(&renamed, "atrium-annex=%s", strchr(browser->cookie, '=') + 1) < 0)
        abort();
    free(browser->cookie);
    browser->cookie = renamed;
    CU_ASSERT_EQUAL(browser_get(browser, "/t/annex/account"), 303);
}

static void patients_register(void)
{
    BROWSER browser = browser_open(suite);
    char *email = person_address(), form[512];

    CU_ASSERT_EQUAL(browser_get(browser, "register"), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "register", "name=&surname=&email=x&password="), 422);
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"name-wrong\""));
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"surname-wrong\""));
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"email-wrong\""));
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"password-wrong\">Please fill in this field."));
    snprintf(form, sizeof(form),
             "name=%%3Cscript%%3Ealert(1)%%3C/"
             "script%%3E&surname=%%22%%3E%%3Cb&email=%s&password=" FORM_PASSWORD "&role=patient",
             email);
    CU_ASSERT_EQUAL(browser_post(browser, "register", form), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, email));
    CU_ASSERT_TRUE(browser_sees(browser, "&lt;script&gt;alert(1)&lt;/script&gt; &quot;&gt;&lt;b"));
    CU_ASSERT_FALSE(browser_sees(browser, "<script"));
    CU_ASSERT_FALSE(browser_sees(browser, "<b"
                                          " "));

    BROWSER again = browser_open(suite);
    browser_get(again, "register");
    snprintf(form, sizeof(form), "name=A&surname=B&email=%s&password=" FORM_PASSWORD, email);
    CU_ASSERT_EQUAL(browser_post(again, "register", form), 400);
    CU_ASSERT_TRUE(browser_sees(again, "There is already an account with this email address."));
    CU_ASSERT_TRUE(again->page->seconds >= 0.99);
    free(email);
}

static void registrations_are_limited(void)
{
    BROWSER browser = browser_open(suite);
    int status = 0;

    browser_get(browser, "register");
    for (int i = 0; i < 12 && status != 429; i++)
        status = browser_post(browser, "register", "name=&surname=&email=x&password=");
    CU_ASSERT_EQUAL(status, 429);
    CU_ASSERT_TRUE(browser_sees(browser, "Too many attempts."));
}

static void closed_registration_says_so(void)
{
    PERSON admin = person_admin(suite);
    BROWSER browser = browser_open(suite);

    browser_get(browser, "register");
    suite_set_switch(suite, admin->access, "PATIENT_REGISTRATION_ENABLED", false);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    CU_ASSERT_EQUAL(browser_post(browser, "register", "name=A"), 403);
    CU_ASSERT_EQUAL(browser_get(browser, "register"), 403);
    CU_ASSERT_TRUE(browser_sees(browser, "This isn’t available here."));
    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
    CU_ASSERT_FALSE(browser_sees(browser, "/t/demo/register"));
    suite_set_switch(suite, admin->access, "PATIENT_REGISTRATION_ENABLED", true);
}

static void sessions_end_from_either_side(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char form[128], *id;

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    id = browser_value(browser, "session");
    snprintf(form, sizeof(form), "do=end&session=%s", id);
    CU_ASSERT_EQUAL(browser_post(browser, "account", form), 303);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "The session has ended."));
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=end&session=nonsense"), 303);
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 200);

    PERSON api = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    HTTP_ANSWER ended = http_delete(suite_url(suite), "/auth/session/other", api->access);
    CHECK_STATUS(ended, 200);
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 303);
    free(id);
}

static void new_sign_in_ends_the_former(void)
{
    PERSON one = person_register(suite, NULL);
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char form[256], *former;

    CU_ASSERT_TRUE(browser_signs_in(browser, one->email, FORM_PASSWORD));
    former = strdup(browser->cookie);
    snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD, other->email);
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, other->email));
    free(browser->cookie);
    browser->cookie = former;
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 303);
}

static void sessions_end_with_time(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER idle = browser_open(suite);
    BROWSER used = browser_open(suite);

    CU_ASSERT_TRUE(browser_signs_in(idle, patient->email, FORM_PASSWORD));
    CU_ASSERT_TRUE(browser_signs_in(used, patient->email, FORM_PASSWORD));
    for (int hours = 11; hours < 7 * 24; hours += 11) {
        suite_advance_clock(suite, 11 * HOUR);
        UNIT_CHECK(browser_get(used, "account") == 200, "after %d hours", hours);
        if (hours == 22)
            CU_ASSERT_EQUAL(browser_get(idle, "account"), 303);
    }
    suite_advance_clock(suite, 11 * HOUR);
    CU_ASSERT_EQUAL(browser_get(used, "account"), 303);
}

static void failures_are_pages_too(void)
{
    BROWSER browser = browser_open(suite);
    pid_t one = suite_pid(suite, "authd", "1"), two = suite_pid(suite, "authd", "2");

    unit_expect_log(UNIT_ANY_LOG);
    browser_get(browser, "sign-in");
    suite_signal(suite, "authd", "1", SIGSTOP);
    suite_signal(suite, "authd", "2", SIGSTOP);
    CU_ASSERT_TRUE(browser_get(browser, "sign-in") >= 503);
    CU_ASSERT_TRUE(header_has(browser, "Content-Type", "text/html"));
    CU_ASSERT_TRUE(header_has(browser, "Content-Security-Policy", "default-src 'none'"));
    CU_ASSERT_TRUE(header_has(browser, "Retry-After", ""));
    kill(one, SIGCONT);
    kill(two, SIGCONT);
    CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
    /* one authd suffices for readiness; the other may not respond yet */
    for (int i = 0; i < 100 && browser_get(browser, "sign-in") != 200; i++)
        usleep(50000);
    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
}

static void pages_need_a_public_url(void)
{
    BROWSER browser = browser_open(suite);

    suite_halt(suite);
    suite_reconfigure(suite, "common.public_url=https://id.example.org");
    free(browser->origin);
    browser->origin = strdup("https://id.example.org");
    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 200);
    CU_ASSERT_TRUE(header_has(browser, "Set-Cookie", "__Host-atrium-demo="));
    CU_ASSERT_TRUE(header_has(browser, "Set-Cookie", "; Secure"));
    CU_ASSERT_TRUE(header_has(browser, "Strict-Transport-Security", "max-age="));
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", "email=a%40b.example&password=x"), 400);
    HTTP_ANSWER front = ask_as("GET", "/", CHROMIUM, NULL);
    CHECK_STATUS(front, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(front->header_text, "Strict-Transport-Security"));

    suite_reconfigure(suite, "common.public_url=");
    HTTP_ANSWER without = ask_as("GET", "/", CHROMIUM, NULL);
    CHECK_ERROR(without, 404, "Cannot GET /");
    HTTP_ANSWER missing = ask_as("GET", "/t/demo/", CHROMIUM, NULL);
    CHECK_ERROR(missing, 404, "Cannot GET /t/demo/");
}

static void stop_suite(void)
{
    suite_stop(&suite);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE_ALWAYS(start_suite),
        CASE(pages_say_what_they_are),
        CASE(tokens_are_masked),
        CASE(browser_without_cookie_is_not_looked_up),
        CASE(languages_are_the_browsers),
        CASE(unknown_tenants_have_no_page),
        CASE(a_chosen_language_is_kept),
        CASE(the_front_page_leads_on),
        CASE(the_front_page_finds_a_sign_in),
        CASE(an_unknown_address_is_a_page_for_browsers),
        CASE(programs_get_json_at_the_front),
        CASE(a_tenants_address_leads_to_its_sign_in),
        CASE(patient_signs_in_and_out),
        CASE(wrong_passwords_say_so),
        CASE(guesses_are_limited),
        CASE(two_accounts_are_asked_which),
        CASE(closed_and_locked_are_told_behind_the_password),
        CASE(second_factor_is_asked_for),
        CASE(steps_end),
        CASE(foreign_forms_do_nothing),
        CASE(pages_take_forms_alone),
        CASE(cookies_open_no_api),
        CASE(tenants_keep_apart),
        CASE(patients_register),
        CASE(registrations_are_limited),
        CASE(closed_registration_says_so),
        CASE(sessions_end_from_either_side),
        CASE(new_sign_in_ends_the_former),
        CASE(sessions_end_with_time),
        CASE(failures_are_pages_too),
        CASE(pages_need_a_public_url),
        CASE_ALWAYS(stop_suite),
    };

    return unit_run("pages", cases, ARRAY_SIZE(cases));
}
