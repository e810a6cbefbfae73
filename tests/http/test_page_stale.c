/*
 * test_page_stale.c - stale forms (open too long, in a second tab, or after a change of the cookie)
 * do nothing and lead on. Client requests that wait at a page for over half an hour.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/device.h"
#include "tests/support/factor.h"
#include "tests/support/unit.h"

#define STALE "This page was open for too long"
#define NEW_PASSWORD "chosen+on+the+page"

enum { MINUTE = 60, HOUR = 3600 };

static struct suite *suite;
static struct person *admin, *patient;
static char *diary, *scale; /* first-party clients */
static char *theirs;        /* third-party */

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &diary, NULL);
    scale = oauth_register(suite, admin, "{\"name\":\"Scale\"}");
    theirs = oauth_register(suite, admin, "{\"name\":\"Theirs\",\"firstParty\":false}");
    UNIT_REQUIRE(*scale != '\0' && *theirs != '\0', "clients");
}

/* Fills in the displayed form, with the client's request, as a tab keeps it (caller frees). */
static char *fill(const struct browser *browser, const char *fields)
{
    TEXT next = browser_value(browser, "next");
    TEXT all = NULL;

    if (asprintf(&all, "%s%s%s", fields, *next ? "&next=" : "", next) < 0)
        abort();
    return browser_form(browser, all);
}

static char *open_tab(struct browser *browser, const char *client, const char *behind,
                      const char *fields)
{
    oauth_ask(browser, client, behind);
    oauth_follow(browser);
    return fill(browser, fields);
}

static void send_tab(struct browser *browser, const char *page, const char *form)
{
    browser_send(browser, page, form);
    oauth_follow(browser);
}

static bool has_parameter(const struct browser *browser, const char *name, const char *value)
{
    TEXT found = oauth_parameter(browser, name);

    return value ? strcmp(found, value) == 0 : *found != '\0';
}

static bool has_code(const struct browser *browser, const char *state)
{
    return has_parameter(browser, "code", NULL) && has_parameter(browser, "state", state);
}

static const char *credentials(const struct person *person)
{
    static char text[256];

    snprintf(text, sizeof(text), "email=%s&password=" FORM_PASSWORD, person->email);
    return text;
}

#define OTHER                                                                   \
    "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=two" \
    "&scope=openid" OAUTH_PKCE

static void each_tab_gets_its_answer(void)
{
    static const char *const rows[] = {
        ("password=" FORM_PASSWORD),
        "password=wrong",
        "password=",
        "step=AAAA&role=patient",
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        BROWSER browser = browser_open(suite);
        char fields[256];

        snprintf(fields, sizeof(fields), "email=%s&%s", patient->email, rows[i]);
        TEXT first = open_tab(browser, diary, OAUTH_USUAL, credentials(patient));
        TEXT second = open_tab(browser, scale, OTHER, fields);
        send_tab(browser, "sign-in", first);
        UNIT_CHECK(has_code(browser, "st8"), "%s", rows[i]);
        TEXT cookie = strdup(browser->cookie);
        send_tab(browser, "sign-in", second);
        UNIT_CHECK(has_code(browser, "two"), "%s: %d", rows[i], browser->page->status);
        CU_ASSERT_STRING_EQUAL(browser->cookie, cookie);
    }
}

static void a_tab_without_a_client_shows_the_account(void)
{
    BROWSER browser = browser_open(suite);

    browser_get(browser, "sign-in");
    TEXT second = fill(browser, credentials(patient));
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_send(browser, "sign-in", second), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account"));
}

static void a_tab_that_registers_gets_its_answer(void)
{
    BROWSER browser = browser_open(suite);
    TEXT email = person_address();
    char fields[256];

    snprintf(fields, sizeof(fields), "name=A&surname=B&email=%s&password=" FORM_PASSWORD, email);
    TEXT first = open_tab(browser, diary, OAUTH_USUAL, credentials(patient));
    TEXT second = open_tab(browser, scale, OTHER, fields);
    send_tab(browser, "sign-in", first);
    send_tab(browser, "register", second);
    CU_ASSERT_TRUE(has_code(browser, "two"));
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.account where email = '%s'", email), 0);
}

/* Two tabs wait at the second factor, each with its own step; both get their code. */
static void a_tab_at_the_second_factor_gets_its_answer(void)
{
    OWNER owner = factor_patient(suite);
    BROWSER browser = browser_open(suite);
    char code[7], fields[1024];

    factor_move_on(suite);
    TEXT first = open_tab(browser, diary, OAUTH_USUAL, credentials(owner.person));
    send_tab(browser, "sign-in", first);
    TEXT step = browser_value(browser, "step");
    snprintf(fields, sizeof(fields), "step=%s&code=%s", step, factor_code_at(&owner, 0, code));
    TEXT first_code = fill(browser, fields);
    TEXT second = open_tab(browser, scale, OTHER, credentials(owner.person));
    send_tab(browser, "sign-in", second);
    TEXT other = browser_value(browser, "step");
    snprintf(fields, sizeof(fields), "step=%s&code=%s", other, owner.recovery[0]);
    TEXT second_code = fill(browser, fields);
    send_tab(browser, "mfa", first_code);
    CU_ASSERT_TRUE(has_code(browser, "st8"));
    send_tab(browser, "mfa", second_code);
    CU_ASSERT_TRUE(has_code(browser, "two"));
    HTTP_ANSWER status = http_get(suite_url(suite), FACTOR_STATUS, owner.person->access);
    CU_ASSERT_PTR_NOT_NULL(status);
    factor_sign_in(&owner, owner.recovery[0], "password+recovery");
}

/* Loses the cookie, like a closed browser that restores its tabs. */
static void forget(struct browser *browser)
{
    free(browser->cookie);
    browser->cookie = NULL;
}

static void a_lost_cookie_asks_again_with_what_was_typed(void)
{
    BROWSER browser = browser_open(suite);
    TEXT form = open_tab(browser, diary, OAUTH_USUAL, credentials(patient));

    forget(browser);
    CU_ASSERT_EQUAL(browser_send(browser, "sign-in", form), 403);
    CU_ASSERT_TRUE(browser_sees(browser, STALE));
    CU_ASSERT_TRUE(browser_sees(browser, "role=\"alert\""));
    CU_ASSERT_TRUE(browser_sees(browser, patient->email));
    CU_ASSERT_FALSE(browser_sees(browser, "correct horse"));
    CU_ASSERT_FALSE(browser_sees(browser, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 303); /* the cookie does not sign in */
    CU_ASSERT_EQUAL(browser_send(browser, "sign-in", form), 403);
    CU_ASSERT_EQUAL(oauth_sign_in(browser, patient->email, FORM_PASSWORD), 303);
    CU_ASSERT_TRUE(has_code(browser, "st8"));
}

static void a_lost_cookie_keeps_what_registers(void)
{
    BROWSER browser = browser_open(suite);
    TEXT email = person_address();
    char fields[256];

    snprintf(fields, sizeof(fields),
             "name=Typed%%22&surname=%%3Cb%%3E&email=%s&password=" FORM_PASSWORD, email);
    browser_get(browser, "register");
    TEXT form = fill(browser, fields);
    forget(browser);
    CU_ASSERT_EQUAL(browser_send(browser, "register", form), 403);
    CU_ASSERT_TRUE(browser_sees(browser, STALE));
    CU_ASSERT_TRUE(browser_sees(browser, "value=\"Typed&quot;\""));
    CU_ASSERT_TRUE(browser_sees(browser, "value=\"&lt;b&gt;\""));
    CU_ASSERT_TRUE(browser_sees(browser, email));
    CU_ASSERT_FALSE(browser_sees(browser, "correct horse"));
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.account where email = '%s'", email), 0);
    CU_ASSERT_EQUAL(browser_post(browser, "register", fields), 303);
}

static void a_lost_cookie_asks_again_for_the_reset(void)
{
    PERSON person = person_register_settled(suite);
    BROWSER browser = browser_open(suite);
    size_t mails = suite_mail_count(suite, person->email);
    char fields[128];

    snprintf(fields, sizeof(fields), "email=%s", person->email);
    browser_get(browser, "reset-password");
    TEXT form = fill(browser, fields);
    forget(browser);
    CU_ASSERT_EQUAL(browser_send(browser, "reset-password", form), 403);
    CU_ASSERT_TRUE(browser_sees(browser, STALE));
    CU_ASSERT_TRUE(browser_sees(browser, person->email));
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, person->email), mails);
    CU_ASSERT_EQUAL(browser_post(browser, "reset-password", fields), 200);
}

static void a_late_second_factor_begins_anew(void)
{
    OWNER owner = factor_patient(suite);
    BROWSER browser = browser_open(suite);
    char code[7], fields[1024];

    TEXT form = open_tab(browser, diary, OAUTH_USUAL, credentials(owner.person));
    send_tab(browser, "sign-in", form);
    TEXT step = browser_value(browser, "step");
    suite_advance_clock(suite, 6 * MINUTE);
    snprintf(fields, sizeof(fields), "step=%s&code=%s", step, factor_code_at(&owner, 0, code));
    TEXT late = fill(browser, fields);
    CU_ASSERT_EQUAL(browser_send(browser, "mfa", late), 400);
    CU_ASSERT_TRUE(browser_sees(browser, STALE));
    CU_ASSERT_TRUE(browser_sees(browser, "type=\"password\""));
    CU_ASSERT_EQUAL(oauth_sign_in(browser, owner.person->email, FORM_PASSWORD), 200);
    TEXT again = browser_value(browser, "step");
    snprintf(fields, sizeof(fields), "step=%s&code=%s", again, factor_code_at(&owner, 0, code));
    TEXT good = fill(browser, fields);
    send_tab(browser, "mfa", good);
    CU_ASSERT_TRUE(has_code(browser, "st8"));
}

static void a_link_is_shown_again_and_not_spent(void)
{
    PERSON person = person_register_settled(suite);
    BROWSER browser = browser_open(suite);
    char path[512], fields[512], password[600];

    suite_set_value(suite, admin->access, "PATIENT_APP_URL", "");
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", person->email, "tenantCode", "demo"));
    CHECK_STATUS(requested, 200);
    suite_mails_settle(suite);
    struct mail_link link = suite_mail_link(suite, person->email, "/t/demo/set-password");
    snprintf(path, sizeof(path), "set-password?id=%s&secret=%s", link.id, link.secret);
    snprintf(fields, sizeof(fields), "id=%s&secret=%s", link.id, link.secret);
    snprintf(password, sizeof(password), "%s&password=" NEW_PASSWORD, fields);
    for (size_t i = 0; i < 4; i++) {
        static const char *const pages[] = {"set-password", "verify-email", "undo-email",
                                            "invitation"};

        browser_get(browser, path);
        TEXT form = browser_form(browser, password);
        forget(browser);
        CU_ASSERT_EQUAL(browser_send(browser, pages[i], form), 403);
        UNIT_CHECK(i == 3 || (browser_sees(browser, STALE) && browser_sees(browser, link.secret)),
                   "%s", pages[i]);
        CU_ASSERT_FALSE(browser_sees(browser, "chosen on"));
        if (i == 0)
            CU_ASSERT_EQUAL(browser_send(browser, pages[i], form), 403);
    }
    browser_get(browser, path);
    CU_ASSERT_EQUAL(browser_post(browser, "set-password", password), 303);
    CU_ASSERT_TRUE(browser_signs_in(browser, person->email, NEW_PASSWORD));
}

/* Signs the browser in again, as another tab would, which makes its forms stale. */
static void sign_in_elsewhere(struct browser *browser, const struct person *person)
{
    CU_ASSERT_EQUAL(browser_get(browser, "sign-in"), 303);
    TEXT other = strdup(browser->cookie);
    forget(browser);
    CU_ASSERT_TRUE(browser_signs_in(browser, person->email, FORM_PASSWORD));
    CU_ASSERT_STRING_NOT_EQUAL(browser->cookie, other);
}

static void forms_of_the_account_are_shown_again(void)
{
    static const struct {
        const char *page, *fields, *sees;
    } rows[] = {
        {"account", "do=sign-out", "(this browser)"},
        {"account/password", "old=" FORM_PASSWORD "&new=" NEW_PASSWORD, "name=\"old\""},
        {"change-email", "email=typed%40new.example", "value=\"typed@new.example\""},
        {"account/factor", "do=on&code=123456", "name=\"code\""},
        {"account/passkeys", "do=remove&passkey=x", "name=\"credential\""},
        {"account/delete", "days=0", "name=\"days\""},
        {"account/export", "do=ask", "value=\"ask\""},
        {"step-up", "goal=change-email&password=" FORM_PASSWORD, "value=\"change-email\""},
    };
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    CU_ASSERT_TRUE(browser_signs_in(browser, person->email, FORM_PASSWORD));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CU_ASSERT_EQUAL(browser_get(browser, rows[i].page), 200);
        TEXT form = browser_form(browser, rows[i].fields);
        sign_in_elsewhere(browser, person);
        UNIT_CHECK(browser_send(browser, rows[i].page, form) == 403, "%s: %d", rows[i].page,
                   browser->page->status);
        UNIT_CHECK(browser_sees(browser, STALE) && browser_sees(browser, rows[i].sees), "%s",
                   rows[i].page);
        CU_ASSERT_FALSE(browser_sees(browser, "correct horse"));
        forget(browser); /* without a session, forms lead to the sign-in */
        UNIT_CHECK(browser_send(browser, rows[i].page, form) == 303 &&
                       browser_goes_to(browser, "/t/demo/sign-in"),
                   "%s: %d", rows[i].page, browser->page->status);
        CU_ASSERT_TRUE(browser_signs_in(browser, person->email, FORM_PASSWORD));
    }
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.account where email = '%s' and "
                                "delete_at is null",
                                person->email),
                    1);
}

static long consents_of(const char *client)
{
    return suite_count(suite, "select count(*) from auth.oauth_consent where client_id = '%s'",
                       client);
}

static void a_stale_consent_is_asked_for_again(void)
{
    static const char *const buttons[] = {"do=allow", "do=deny"};
    PERSON one = person_register(suite, NULL);
    PERSON other = person_register(suite, NULL);

    for (size_t i = 0; i < ARRAY_SIZE(buttons); i++) {
        TEXT client = oauth_register(suite, admin, "{\"name\":\"Asks\",\"firstParty\":false}");
        BROWSER browser = browser_open(suite);
        TEXT first = open_tab(browser, client, OAUTH_USUAL, credentials(one));

        send_tab(browser, "sign-in", first);
        CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
        TEXT stale = fill(browser, buttons[i]);
        forget(browser);
        CU_ASSERT_TRUE(browser_signs_in(browser, other->email, FORM_PASSWORD));
        CU_ASSERT_EQUAL(browser_send(browser, "consent", stale), 403);
        CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
        CU_ASSERT_TRUE(browser_sees(browser, STALE));
        CU_ASSERT_EQUAL(consents_of(client), 0);
        CU_ASSERT_EQUAL(oauth_consent(browser, "allow"), 303);
        CU_ASSERT_TRUE(has_code(browser, "st8"));
        CU_ASSERT_EQUAL(
            suite_count(suite,
                        "select count(*) from auth.oauth_consent c join auth.account a on a.id = "
                        "c.account_id where c.client_id = '%s' and a.email = '%s'",
                        client, other->email),
            1);
        forget(browser); /* without a session, the request continues at the sign-in */
        send_tab(browser, "consent", stale);
        CU_ASSERT_TRUE(browser_sees(browser, "type=\"password\""));
        CU_ASSERT_EQUAL(consents_of(client), 1);
    }
}

static void a_stale_answer_lets_no_device_in(void)
{
    TEXT tv = oauth_register(suite, admin, "{\"name\":\"Television\"," DEVICE_GRANTS "}");
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);
    char fields[1024];

    CU_ASSERT_EQUAL(device_arrive(browser, patient), 200);
    CU_ASSERT_EQUAL(device_enter(browser, device.shown), 200);
    TEXT step = browser_value(browser, "step");
    snprintf(fields, sizeof(fields), "do=approve&step=%s", step);
    TEXT stale = fill(browser, fields);
    forget(browser);
    CU_ASSERT_EQUAL(browser_send(browser, "device", stale), 303);
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "type=\"password\""));
    CU_ASSERT_EQUAL(oauth_sign_in(browser, patient->email, FORM_PASSWORD), 200);
    CU_ASSERT_EQUAL(browser_send(browser, "device", stale), 403);
    CU_ASSERT_TRUE(browser_sees(browser, STALE));
    CU_ASSERT_TRUE(browser_sees(browser, "name=\"code\""));
    HTTP_ANSWER poll = device_poll(suite, tv, device.code);
    CU_ASSERT_STRING_EQUAL(http_text(poll, "error"), "authorization_pending");
    CU_ASSERT_EQUAL(device_enter(browser, device.shown), 200);
    CU_ASSERT_EQUAL(device_press(browser, "approve"), 200);
}

/* Such forms lead nowhere, show none of their input, and leave the browser unchanged: no attacker's
 * session (login CSRF) and no attacker's cookie (fixation). */
static void forms_of_other_sites_lead_nowhere(void)
{
    static const char *const pages[] = {
        "sign-in",          "register",       "reset-password", "mfa",
        "consent",          "device",         "account",        "change-email",
        "account/password", "account/factor", "step-up",        "account/passkeys",
        "account/delete",   "account/export", "set-password",   "verify-email",
        "undo-email",       "invitation"};
    PERSON attacker = person_register(suite, NULL);
    BROWSER evil = browser_open(suite);
    BROWSER browser = browser_open(suite);
    char fields[512];

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    TEXT cookie = strdup(browser->cookie);
    TEXT own = strdup(browser->origin);
    for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
        static const char *const origins[] = {"https://evil.example", "null"};

        browser_get(evil, "sign-in");
        snprintf(fields, sizeof(fields),
                 "%s&name=Mallory&surname=Mallory&id=Mallory&secret=Mallory&goal=account",
                 credentials(attacker));
        TEXT form = fill(evil, fields);
        for (size_t j = 0; j < ARRAY_SIZE(origins); j++) {
            browser_get(browser, "account");
            free(browser->origin);
            browser->origin = strdup(origins[j]);
            UNIT_CHECK(browser_send(browser, pages[i], form) == 403, "%s", pages[i]);
            CU_ASSERT_TRUE(browser_sees(browser, STALE));
            CU_ASSERT_FALSE(browser_sees(browser, "Mallory"));
            CU_ASSERT_FALSE(browser_sees(browser, attacker->email));
            CU_ASSERT_STRING_EQUAL(browser->cookie, cookie);
            TEXT good = browser_form(
                browser, fields); /* another site's form fails even with the right token */
            CU_ASSERT_EQUAL(browser_send(browser, pages[i], good), 403);
            free(browser->origin);
            browser->origin = strdup(own);
        }
    }
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, patient->email));
}

static void a_token_of_another_browser_signs_no_one_in(void)
{
    PERSON attacker = person_register(suite, NULL);
    BROWSER evil = browser_open(suite);
    BROWSER browser = browser_open(suite);

    browser_get(evil, "sign-in");
    TEXT form = fill(evil, credentials(attacker));
    browser_get(browser, "sign-in");
    TEXT cookie = strdup(browser->cookie);
    CU_ASSERT_EQUAL(browser_send(browser, "sign-in", form), 403);
    CU_ASSERT_STRING_EQUAL(browser->cookie, cookie);
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 303);
}

static void a_request_waits_as_long_as_its_page(void)
{
    static const int waits[] = {31 * MINUTE, 13 * HOUR};
    static const char *const behinds[] = {OAUTH_USUAL, OAUTH_USUAL "&prompt=login",
                                          OAUTH_USUAL "&max_age=60"};

    for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
        for (size_t j = 0; j < ARRAY_SIZE(behinds); j++) {
            BROWSER browser = browser_open(suite);
            TEXT form = open_tab(browser, diary, behinds[j], credentials(patient));

            suite_advance_clock(suite, waits[i]);
            send_tab(browser, "sign-in", form);
            UNIT_CHECK(has_code(browser, "st8"), "%d s, %s: %d", waits[i], behinds[j],
                       browser->page->status);
        }
}

static void a_registration_keeps_its_request(void)
{
    BROWSER browser = browser_open(suite);
    TEXT email = person_address();
    char fields[256];

    snprintf(fields, sizeof(fields), "name=A&surname=B&email=%s&password=" FORM_PASSWORD, email);
    TEXT form = open_tab(browser, diary, OAUTH_USUAL, fields);
    suite_advance_clock(suite, 31 * MINUTE);
    send_tab(browser, "register", form);
    CU_ASSERT_TRUE(has_code(browser, "st8"));
}

static void a_consent_waits_as_long_as_its_page(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    TEXT form = open_tab(browser, theirs, OAUTH_USUAL, credentials(person));

    send_tab(browser, "sign-in", form);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
    suite_advance_clock(suite, 31 * MINUTE);
    CU_ASSERT_EQUAL(oauth_consent(browser, "allow"), 303);
    CU_ASSERT_TRUE(has_code(browser, "st8"));
}

static void a_device_page_waits_for_its_person(void)
{
    BROWSER browser = browser_open(suite);

    browser_get(browser, "device");
    oauth_follow(browser);
    suite_advance_clock(suite, 31 * MINUTE);
    CU_ASSERT_EQUAL(oauth_sign_in(browser, patient->email, FORM_PASSWORD), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "name=\"code\""));
}

/* A pushed request expires earlier, so its client gets an error at a registered redirect URI. */
static void a_request_that_is_over_leads_back_to_its_client(void)
{
    BROWSER browser = browser_open(suite);
    TEXT issuer = oauth_issuer(suite);
    char form[1024], behind[256];

    snprintf(form, sizeof(form), "client_id=%s%s", diary, OAUTH_USUAL);
    HTTP_ANSWER pushed = oauth_post(suite, "par", form);
    CHECK_STATUS(pushed, 201);
    snprintf(behind, sizeof(behind), "&request_uri=%s", http_text(pushed, "request_uri"));
    TEXT filled = open_tab(browser, diary, behind, credentials(patient));
    suite_advance_clock(suite, 33 * MINUTE);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 65000, "select count(*) from auth.oauth_pushed"));
    send_tab(browser, "sign-in", filled);
    CU_ASSERT_TRUE(has_parameter(browser, "error", "invalid_request_uri"));
    CU_ASSERT_TRUE(has_parameter(browser, "state", "st8"));
    CU_ASSERT_TRUE(has_parameter(browser, "iss", issuer));
    TEXT location = http_header(browser->page, "Location");
    CU_ASSERT_TRUE(location &&
                   strncmp(location, OAUTH_REDIRECT "?", strlen(OAUTH_REDIRECT) + 1) == 0);
}

/* The results of earlier pages, which are in the URLs, are valid for half an hour, so that an old
 * URL in the browser signs no person in. */
static void what_was_found_out_is_forgotten(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    TEXT form = open_tab(browser, theirs, OAUTH_USUAL "&prompt=login+consent", credentials(person));

    browser_send(browser, "sign-in", form);
    TEXT signed_in = http_header(browser->page, "Location");
    oauth_follow(browser);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
    TEXT allow = fill(browser, "do=allow");
    TEXT deny = fill(browser, "do=deny");
    browser_send(browser, "consent", allow);
    TEXT allowed = http_header(browser->page, "Location");
    oauth_follow(browser);
    CU_ASSERT_TRUE(has_code(browser, "st8"));
    browser_send(browser, "consent", deny);
    TEXT denied = http_header(browser->page, "Location");

    UNIT_REQUIRE(signed_in && allowed && denied, "answers");
    CU_ASSERT_EQUAL(browser_get(browser, allowed), 303);
    CU_ASSERT_TRUE(has_code(browser, "st8"));
    suite_advance_clock(suite, 31 * MINUTE);
    CU_ASSERT_EQUAL(browser_get(browser, signed_in), 303);
    oauth_follow(browser);
    CU_ASSERT_TRUE(browser_sees(browser, "type=\"password\""));
    CU_ASSERT_EQUAL(browser_get(browser, allowed), 303);
    oauth_follow(browser);
    CU_ASSERT_TRUE(browser_sees(browser, "type=\"password\""));
    oauth_sign_in(browser, person->email, FORM_PASSWORD);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
    CU_ASSERT_EQUAL(browser_get(browser, denied), 303);
    CU_ASSERT_TRUE(has_parameter(browser, "error", "access_denied"));
}

static void links_take_the_request_along(void)
{
    OWNER owner = factor_patient(suite);
    BROWSER browser = browser_open(suite);
    char wanted[8192];

    TEXT form = open_tab(browser, diary, OAUTH_USUAL, credentials(owner.person));
    TEXT next = browser_value(browser, "next");
    TEXT stale = fill(browser, "x=y");
    snprintf(wanted, sizeof(wanted), "href=\"/t/demo/register?next=%s\"", next);
    CU_ASSERT_TRUE(browser_sees(browser, wanted));
    snprintf(wanted, sizeof(wanted), "href=\"/t/demo/reset-password?next=%s\"", next);
    CU_ASSERT_TRUE(browser_sees(browser, wanted));
    browser_send(browser, "sign-in", form);
    snprintf(wanted, sizeof(wanted), "href=\"/t/demo/sign-in?next=%s\"", next);
    CU_ASSERT_TRUE(browser_sees(browser, "one-time-code"));
    CU_ASSERT_TRUE(browser_sees(browser, wanted));
    snprintf(wanted, sizeof(wanted), "register?next=%s", next);
    CU_ASSERT_EQUAL(browser_get(browser, wanted), 200);
    snprintf(wanted, sizeof(wanted), "href=\"/t/demo/sign-in?next=%s\"", next);
    CU_ASSERT_TRUE(browser_sees(browser, wanted));
    snprintf(wanted, sizeof(wanted), "reset-password?next=%s", next);
    CU_ASSERT_EQUAL(browser_get(browser, wanted), 200);
    snprintf(wanted, sizeof(wanted), "href=\"/t/demo/sign-in?next=%s\"", next);
    CU_ASSERT_TRUE(browser_sees(browser, wanted));
    browser_get(browser, "reset-password");
    TEXT reset = fill(browser, "email=a%40b.example");
    TEXT all = NULL;
    if (asprintf(&all, "%s&next=%s", reset, next) < 0)
        abort();
    CU_ASSERT_EQUAL(browser_send(browser, "reset-password", all),
                    200); /* reports that an email was sent */
    CU_ASSERT_TRUE(browser_sees(browser, wanted));
    CU_ASSERT_PTR_NOT_NULL(stale);
}

static void the_scene_is_left(void)
{
    free(scale);
    free(theirs);
    oauth_scene_leave(&suite, &admin, &patient, &diary);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE_ALWAYS(the_scene_is_set),
        CASE(each_tab_gets_its_answer),
        CASE(a_tab_without_a_client_shows_the_account),
        CASE(a_tab_that_registers_gets_its_answer),
        CASE(a_tab_at_the_second_factor_gets_its_answer),
        CASE(a_lost_cookie_asks_again_with_what_was_typed),
        CASE(a_lost_cookie_keeps_what_registers),
        CASE(a_lost_cookie_asks_again_for_the_reset),
        CASE(a_late_second_factor_begins_anew),
        CASE(a_link_is_shown_again_and_not_spent),
        CASE(forms_of_the_account_are_shown_again),
        CASE(a_stale_consent_is_asked_for_again),
        CASE(a_stale_answer_lets_no_device_in),
        CASE(forms_of_other_sites_lead_nowhere),
        CASE(a_token_of_another_browser_signs_no_one_in),
        CASE(a_request_waits_as_long_as_its_page),
        CASE(a_registration_keeps_its_request),
        CASE(a_consent_waits_as_long_as_its_page),
        CASE(a_device_page_waits_for_its_person),
        CASE(a_request_that_is_over_leads_back_to_its_client),
        CASE(what_was_found_out_is_forgotten),
        CASE(links_take_the_request_along),
        CASE_ALWAYS(the_scene_is_left),
    };

    return unit_run("page stale", cases, ARRAY_SIZE(cases));
}
