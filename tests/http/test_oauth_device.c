/*
 * test_oauth_device.c - the device grant (RFC 8628): requests, polls, the page for approval, and
 * admission.
 */
#include <CUnit/CUnit.h>
#include <ctype.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/device.h"
#include "tests/support/rows.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin, *patient;
static char *tv; /* a first-party client for devices */

static void the_scene_is_set(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    patient = browser_person(suite);
    tv = oauth_register(suite, admin, "{\"name\":\"Television\"," DEVICE_GRANTS "}");
    UNIT_REQUIRE(*tv != '\0', "a client");
}

static void check_poll(const char *client, const char *code, const char *word)
{
    HTTP_ANSWER answer = device_poll(suite, client, code);

    CHECK_STATUS(answer, 400);
    UNIT_CHECK(strcmp(http_text(answer, "error"), word) == 0, "%s: %s", word, answer->body);
}

static void a_device_is_let_in(void)
{
    HTTP_ANSWER config =
        http_get(suite_url(suite), "/t/demo/.well-known/openid-configuration", NULL);
    HTTP_ANSWER shown = device_ask(suite, tv, "&scope=openid+profile+offline_access");
    HTTP_ANSWER tokens = NULL;
    const char *code = http_text(shown, "device_code");
    json_t *claims;

    CU_ASSERT_PTR_NOT_NULL(
        strstr(http_text(config, "device_authorization_endpoint"), "/t/demo/device_authorization"));
    CU_ASSERT_PTR_NOT_NULL(strstr(config->body, "\"" DEVICE_GRANT "\""));
    CHECK_STATUS(shown, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(http_text(shown, "verification_uri"), "/t/demo/device"));
    CU_ASSERT_PTR_NULL(http_member(shown, "verification_uri_complete"));
    CU_ASSERT_EQUAL(json_integer_value(http_member(shown, "expires_in")), 600);
    CU_ASSERT_EQUAL(json_integer_value(http_member(shown, "interval")), 5);
    CU_ASSERT_EQUAL(strlen(code), 43);
    CU_ASSERT_EQUAL(strlen(http_text(shown, "user_code")), 9);
    CU_ASSERT_EQUAL(strspn(http_text(shown, "user_code"), "BCDFGHJKLMNPQRSTVWXZ"), 4);

    check_poll(tv, code, "authorization_pending");
    device_approve(suite, patient, http_text(shown, "user_code"));
    tokens = device_poll(suite, tv, code);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "scope"), "openid profile offline_access");
    claims = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");
    CU_ASSERT_PTR_NOT_NULL(claims);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(patient->profile, json_string_value(json_object_get(claims, "sub"))));
    json_decref(claims);
    HTTP_ANSWER who =
        http_get(suite_url(suite), "/t/demo/userinfo", http_text(tokens, "access_token"));
    CHECK_STATUS(who, 200);
    {
        char form[1024];

        snprintf(form, sizeof(form), "grant_type=refresh_token&client_id=%s&refresh_token=%s", tv,
                 http_text(tokens, "refresh_token"));
        HTTP_ANSWER renewed = oauth_post(suite, "token", form);
        CHECK_STATUS(renewed, 200);
    }
    check_poll(tv, code, "invalid_grant"); /* the code is consumed; its grant continues */
    HTTP_ANSWER still =
        http_get(suite_url(suite), "/t/demo/userinfo", http_text(tokens, "access_token"));
    CHECK_STATUS(still, 200);
}

/* RFC 8628, section 6.1: case and separators do not matter. */
static void a_code_is_read_however_it_is_written(void)
{
    static const struct {
        const char *label, *between, *around; /* form-encoded */
        bool lower, taken;
    } rows[] = {
        {"as it is shown", "-", "", false, true},
        {"nothing between", "", "", false, true},
        {"lower case", "-", "", true, true},
        {"blanks", "+", "+", false, true},
        {"a dot", ".", "", false, true},
        {"an underscore", "_", "", false, true},
        {"a comma and quotes", "%2C", "%22", false, true},
        {"an en dash", "%E2%80%93", "", false, true},
        {"an em dash", "%E2%80%94", "", true, true},
        {"a minus", "%E2%88%92", "", false, true},
        {"a hyphen that does not break", "%E2%80%91", "", false, true},
        {"a full-width hyphen", "%EF%BC%8D", "", false, true},
        {"a no-break space", "%C2%A0", "%C2%A0", false, true},
        {"a narrow one", "%E2%80%AF", "%09", false, true},
        {"a soft hyphen", "%C2%AD", "", false, true},
        {"a zero-width space", "%E2%80%8B", "%EF%BB%BF", false, true},
        {"a middle dot", "%C2%B7", "", false, true},
        {"another letter", "A", "", false, false},
        {"a digit", "1", "", false, false},
        {"a Cyrillic letter", "%D0%92", "", false, false},
        {"an Arabic digit", "%D9%A1", "", false, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        DEVICE device = device_begin(suite, tv, "&scope=openid");
        BROWSER browser = browser_open(suite);
        char written[128];
        bool taken;

        snprintf(written, sizeof(written), "%s%.4s%s%s%s", rows[i].around, device.shown,
                 rows[i].between, device.shown + 5, rows[i].around);
        for (char *c = written; *c && rows[i].lower; c++)
            *c = c > written && c[-1] == '%' ? *c : (char)tolower((unsigned char)*c);
        device_arrive(browser, patient);
        taken = device_enter(browser, written) == 200;
        UNIT_CHECK(taken == rows[i].taken, "%s: %d", rows[i].label, browser->page->status);
    }
}

static void codes_are_kept_as_hashes(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");

    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.oauth_device d where "
                                "d::text like '%%%s%%' or d::text like '%%%s%%'",
                                device.code, device.shown),
                    0);
    CU_ASSERT_TRUE(suite_count(suite, "select count(*) from auth.oauth_device") > 0);
}

static void only_registered_clients_may_ask(void)
{
    char *app = oauth_register(suite, admin, NULL);
    HTTP_ANSWER off = device_ask(suite, app, "&scope=openid");
    HTTP_ANSWER unknown =
        device_ask(suite, "019af3c2-6a3e-7b1c-9d2e-3f4a5b6c7d8e", "&scope=openid");
    HTTP_ANSWER scope = device_ask(suite, tv, "&scope=none");
    HTTP_ANSWER target =
        device_ask(suite, tv, "&scope=openid&resource=https%3A%2F%2Fother.example");

    CHECK_STATUS(off, 400);
    CU_ASSERT_STRING_EQUAL(http_text(off, "error"), "unauthorized_client");
    check_poll(app, "x", "unauthorized_client");
    CHECK_STATUS(unknown, 401);
    CU_ASSERT_STRING_EQUAL(http_text(unknown, "error"), "invalid_client");
    CHECK_STATUS(scope, 400);
    CU_ASSERT_STRING_EQUAL(http_text(scope, "error"), "invalid_scope");
    CHECK_STATUS(target, 400);
    CU_ASSERT_STRING_EQUAL(http_text(target, "error"), "invalid_target");
    free(app);
}

static void a_device_code_is_of_its_client(void)
{
    char *other = oauth_register(suite, admin, "{\"name\":\"Other\"," DEVICE_GRANTS "}");
    DEVICE device = device_begin(suite, tv, "&scope=openid");

    device_approve(suite, patient, device.shown);
    check_poll(other, device.code, "invalid_grant");
    check_poll(tv, "unknown", "invalid_grant");
    HTTP_ANSWER tokens = device_poll(suite, tv, device.code);
    CHECK_STATUS(tokens, 200);
    free(other);
}

static void one_address_asks_for_a_hundred_devices(void)
{
    enum { DEVICES = 101 };
    struct http_request requests[DEVICES];
    struct http_answer *answers[DEVICES];
    char form[256], *source = fresh_source();
    size_t good = 0, refused = 0;

    snprintf(form, sizeof(form), "client_id=%s&scope=openid", tv);
    for (size_t i = 0; i < DEVICES; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/t/demo/device_authorization",
                                            .raw = form,
                                            .source = source,
                                            .content_type = "application/x-www-form-urlencoded"};
    http_call_many(suite_url(suite), requests, DEVICES, 16, answers);
    for (size_t i = 0; i < DEVICES; i++) {
        good += answers[i]->status == 200;
        refused += answers[i]->status == 429;
    }
    CU_ASSERT_EQUAL(good, 100);
    CU_ASSERT_EQUAL(refused, 1);
    http_answers_destroy(answers, DEVICES);
    free(source);
}

static void polls_that_come_too_soon_slow_down(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");

    check_poll(tv, device.code, "authorization_pending");
    check_poll(tv, device.code, "slow_down"); /* now 10 */
    suite_advance_clock(suite, 7);
    check_poll(tv, device.code, "slow_down"); /* now 15 */
    suite_advance_clock(suite, 12);
    check_poll(tv, device.code, "slow_down"); /* now 20 */
    suite_advance_clock(suite, 21);
    check_poll(tv, device.code, "authorization_pending");
    device_approve(suite, patient, device.shown);
    HTTP_ANSWER tokens =
        device_poll(suite, tv, device.code); /* an approval is returned without waiting */
    CHECK_STATUS(tokens, 200);
}

static void devices_wait_ten_minutes(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid"),
           late = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);

    device_approve(suite, patient, late.shown);
    suite_advance_clock(suite, 601);
    check_poll(tv, device.code, "expired_token");
    check_poll(tv, late.code, "expired_token");
    device_arrive(browser, patient);
    CU_ASSERT_EQUAL(device_enter(browser, device.shown), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "This code is incorrect or has expired."));
}

static void one_approval_makes_one_session(void)
{
    enum { POLLERS = 64 };
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    struct http_request requests[POLLERS];
    struct http_answer *answers[POLLERS];
    long made = suite_count(suite, "select count(*) from auth.oauth_grant");
    char form[512];
    size_t good = 0, winner = 0;

    device_approve(suite, patient, device.shown);
    snprintf(form, sizeof(form), "grant_type=" DEVICE_GRANT "&client_id=%s&device_code=%s", tv,
             device.code);
    for (size_t i = 0; i < POLLERS; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/t/demo/token",
                                            .raw = form,
                                            .content_type = "application/x-www-form-urlencoded"};
    http_call_many(suite_url(suite), requests, POLLERS, POLLERS, answers);
    for (size_t i = 0; i < POLLERS; i++) {
        bool won = answers[i]->status == 200;

        good += won;
        winner = won ? i : winner;
        UNIT_CHECK(won || strcmp(http_text(answers[i], "error"), "invalid_grant") == 0, "%d %s",
                   answers[i]->status, answers[i]->body);
    }
    CU_ASSERT_EQUAL(good, 1);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.oauth_grant"), made + 1);
    HTTP_ANSWER who =
        http_get(suite_url(suite), "/t/demo/userinfo", http_text(answers[winner], "access_token"));
    CHECK_STATUS(who, 200);
    http_answers_destroy(answers, POLLERS);
}

/* One of 64 concurrent polls before a decision gets authorization_pending and the others
 * slow_down; each counts. */
static void polls_at_once_are_judged_one_by_one(void)
{
    enum { POLLERS = 64 };
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    struct http_request requests[POLLERS];
    struct http_answer *answers[POLLERS];
    char form[512];
    size_t pending = 0, slower = 0;

    snprintf(form, sizeof(form), "grant_type=" DEVICE_GRANT "&client_id=%s&device_code=%s", tv,
             device.code);
    for (size_t i = 0; i < POLLERS; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/t/demo/token",
                                            .raw = form,
                                            .content_type = "application/x-www-form-urlencoded"};
    http_call_many(suite_url(suite), requests, POLLERS, POLLERS, answers);
    for (size_t i = 0; i < POLLERS; i++) {
        pending += strcmp(http_text(answers[i], "error"), "authorization_pending") == 0;
        slower += strcmp(http_text(answers[i], "error"), "slow_down") == 0;
    }
    CU_ASSERT_EQUAL(pending, 1);
    CU_ASSERT_EQUAL(slower, POLLERS - 1);
    CU_ASSERT_EQUAL(suite_count(suite, "select max(interval_s) from auth.oauth_device"),
                    5 + 5 * (POLLERS - 1));
    http_answers_destroy(answers, POLLERS);
}

static void the_page_names_who_asks(void)
{
    char *theirs = oauth_register(
        suite, admin, "{\"name\":\"<b>Theirs\",\"firstParty\":false," DEVICE_GRANTS "}");
    char form[256], *source = fresh_source();
    BROWSER browser = browser_open(suite);

    snprintf(form, sizeof(form), "client_id=%s&scope=openid+email", theirs);
    HTTP_ANSWER shown =
        http_call(suite_url(suite),
                  &(struct http_request){.method = "POST",
                                         .path = "/t/demo/device_authorization",
                                         .raw = form,
                                         .content_type = "application/x-www-form-urlencoded",
                                         .source = source});
    CHECK_STATUS(shown, 200);
    device_arrive(browser, patient);
    CU_ASSERT_EQUAL(device_enter(browser, http_text(shown, "user_code")), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "&lt;b&gt;Theirs"));
    CU_ASSERT_FALSE(browser_sees(browser, "<b>Theirs"));
    CU_ASSERT_TRUE(browser_sees(browser, "see your email address"));
    CU_ASSERT_TRUE(browser_sees(browser, source));
    CU_ASSERT_TRUE(browser_sees(browser, "Only connect it if you started this yourself"));
    free(theirs);
    free(source);
}

static void the_page_fills_in_no_code(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);
    char *next, *path;

    device_arrive(browser, patient);
    next = browser_value(browser, "next");
    if (asprintf(&path, "device?next=%s&code=%s&user_code=%s", next, device.shown, device.shown) <
        0)
        abort();
    CU_ASSERT_EQUAL(browser_get(browser, path), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Enter the code shown on your device"));
    CU_ASSERT_FALSE(browser_sees(browser, device.shown));
    free(path);
    free(next);
}

static void codes_are_read_as_people_type_them(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);
    char typed[16];
    size_t size = 0;

    for (const char *at = device.shown; *at; at++)
        if (*at != '-')
            typed[size++] = (char)(*at | 0x20);
    typed[size] = '\0';
    device_arrive(browser, patient);
    CU_ASSERT_EQUAL(device_enter(browser, typed), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Connect this device?"));
}

/* An open session is not enough to approve a device: the person signs in again, even if the request
 * carries another browser's continuation. */
static void an_old_session_does_not_do(void)
{
    BROWSER browser = browser_open(suite);
    BROWSER others = browser_open(suite);
    char *next, *path;

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(browser, "device"), 303);
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "name=\"password\""));

    suite_advance_clock(suite, 61);
    CU_ASSERT_EQUAL(browser_get(others, "device"), 303);
    next = oauth_parameter(others, "next");
    if (asprintf(&path, "device?next=%s", next) < 0)
        abort();
    CU_ASSERT_EQUAL(browser_get(browser, path), 303);
    oauth_follow(browser);
    CU_ASSERT_TRUE(browser_sees(browser, "name=\"password\""));
    CU_ASSERT_EQUAL(oauth_sign_in(browser, patient->email, FORM_PASSWORD), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Enter the code shown on your device"));
    free(next);
    free(path);
}

static void five_codes_are_tried_in_one_session(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);

    device_arrive(browser, patient);
    CU_ASSERT_EQUAL(device_enter(browser, "BBBB-BBBB"), 400);
    CU_ASSERT_EQUAL(device_enter(browser, "AEIO-UUUU"), 400);
    CU_ASSERT_EQUAL(device_enter(browser, "BBBB-BBBBB"), 400);
    CU_ASSERT_EQUAL(device_enter(browser, "BBBB"), 400);
    CU_ASSERT_EQUAL(device_enter(browser, "CCCC-CCCC"), 400);
    CU_ASSERT_EQUAL(device_enter(browser, device.shown), 429);
    CU_ASSERT_TRUE(browser_sees(browser, "Too many attempts"));
    CU_ASSERT_FALSE(browser_sees(browser, "Connect this device?"));
    check_poll(tv, device.code, "authorization_pending");
}

static void one_address_tries_thirty_codes(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    char *source = fresh_source();
    int status = 0;

    for (int session = 0; session < 6; session++) {
        BROWSER browser = browser_open(suite);

        free(browser->source);
        browser->source = strdup(source);
        CU_ASSERT_EQUAL(device_arrive(browser, patient), 200);
        for (int i = 0; i < 5; i++)
            CU_ASSERT_EQUAL(device_enter(browser, "BBBB-BBBB"), 400);
    }
    {
        BROWSER browser = browser_open(suite);

        free(browser->source);
        browser->source = strdup(source);
        device_arrive(browser, patient);
        status = device_enter(browser, device.shown);
    }
    CU_ASSERT_EQUAL(status, 429);
    free(source);
}

static void no_other_site_lets_a_device_in(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);
    BROWSER others = browser_open(suite);
    char *step, *fields;

    device_arrive(browser, patient);
    device_enter(browser, device.shown);
    step = browser_value(browser, "step");
    browser->no_token = true;
    CU_ASSERT_EQUAL(device_press(browser, "approve"), 403);
    browser->no_token = false;

    device_arrive(others, patient);
    if (asprintf(&fields, "do=approve&step=%s", step) < 0)
        abort();
    CU_ASSERT_EQUAL(device_send(others, fields),
                    400); /* the step is sealed for the browser that entered the code */
    free(browser->origin);
    browser->origin = strdup("https://evil.example");
    CU_ASSERT_EQUAL(device_send(browser, fields), 403);
    check_poll(tv, device.code, "authorization_pending");
    free(fields);
    free(step);
}

static void denied_devices_stay_out(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);

    device_arrive(browser, patient);
    device_enter(browser, device.shown);
    CU_ASSERT_EQUAL(device_press(browser, "deny"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Device not connected"));
    check_poll(tv, device.code, "access_denied");
    device_arrive(browser, patient);
    CU_ASSERT_EQUAL(device_enter(browser, device.shown), 400);
}

static void approving_is_the_consent(void)
{
    char *theirs = oauth_register(suite, admin,
                                  "{\"name\":\"Theirs\",\"firstParty\":false," DEVICE_GRANTS "}");
    DEVICE device = device_begin(suite, theirs, "&scope=openid+profile"),
           own = device_begin(suite, tv, "&scope=openid");
    PERSON person = browser_person(suite);

    device_approve(suite, person, device.shown);
    device_approve(suite, person, own.shown);
    HTTP_ANSWER list = http_get(suite_url(suite), "/auth/consent", person->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "consents")), 1);
    CU_ASSERT_STRING_EQUAL(http_text(list, "consents.0.clientId"), theirs);
    CU_ASSERT_STRING_EQUAL(http_text(list, "consents.0.scope"), "openid profile");
    free(theirs);
}

/* Withdrawing consent also removes approved devices that have no tokens yet, but not those of other
 * clients or people. */
static void a_withdrawn_consent_keeps_the_device_out(void)
{
    char *theirs = oauth_register(suite, admin,
                                  "{\"name\":\"Theirs\",\"firstParty\":false," DEVICE_GRANTS "}");
    DEVICE device = device_begin(suite, theirs, "&scope=openid"),
           own = device_begin(suite, tv, "&scope=openid");
    DEVICE others = device_begin(suite, theirs, "&scope=openid");
    PERSON person = browser_person(suite);
    char path[128];

    device_approve(suite, person, device.shown);
    device_approve(suite, person, own.shown);
    device_approve(suite, patient, others.shown);
    snprintf(path, sizeof(path), "/auth/consent?clientId=%s", theirs);
    HTTP_ANSWER withdrawn = http_delete(suite_url(suite), path, person->access);
    CHECK_STATUS(withdrawn, 200);
    check_poll(theirs, device.code, "access_denied");
    HTTP_ANSWER still = device_poll(suite, tv, own.code);
    HTTP_ANSWER another = device_poll(suite, theirs, others.code);
    CHECK_STATUS(still, 200);
    CHECK_STATUS(another, 200);
    free(theirs);
}

static void closed_sign_in_lets_no_device_in(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);

    device_arrive(browser, patient);
    device_enter(browser, device.shown);
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    CU_ASSERT_EQUAL(device_press(browser, "approve"), 403);
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
    check_poll(tv, device.code, "authorization_pending");
}

static void a_demanded_factor_is_demanded_here(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);
    uint8_t secret[TOTP_SECRET];

    totp_enrol(suite, admin, suite_now(suite), secret); /* an admin who can disable it again */
    device_arrive(browser, patient);
    device_enter(browser, device.shown);
    HTTP_ANSWER on = http_put(suite_url(suite), "/v1/project/account-policy", admin->access,
                              json_pack("{s:s}", "requireMfa", "everyone"));
    CHECK_STATUS(on, 200);
    CU_ASSERT_EQUAL(device_press(browser, "approve"), 403);
    CU_ASSERT_TRUE(browser_sees(browser, "Two-step verification is required here"));
    HTTP_ANSWER off = http_put(suite_url(suite), "/v1/project/account-policy", admin->access,
                               json_pack("{s:s}", "requireMfa", "none"));
    CHECK_STATUS(off, 200);
    check_poll(tv, device.code, "authorization_pending");
}

static void signing_out_voids_the_approval(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);

    device_arrive(browser, patient);
    device_enter(browser, device.shown);
    device_press(browser, "approve");
    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
    check_poll(tv, device.code, "access_denied");
}

static void a_fault_spends_no_approval(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    PGconn *holder;

    device_approve(suite, patient, device.shown);
    holder = oauth_hold(suite, "email_verified",
                        "access exclusive"); /* authd reads it with the person */
    HTTP_ANSWER failed = device_poll(suite, tv, device.code);
    PQfinish(holder);
    HTTP_ANSWER tokens = device_poll(suite, tv, device.code);
    CHECK_STATUS(failed, 503);
    CHECK_STATUS(tokens, 200);
}

static void prove_factor(void *arg UNUSED)
{
    free(suite_query(suite, "update auth.session set second_factor = true where id = (select "
                            "session_id from auth.oauth_device order by created_at desc limit 1)"));
}

static void an_approval_outlives_a_change_of_its_person(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    char form[1024];
    json_t *claims;

    device_approve(suite, patient, device.shown);
    snprintf(form, sizeof(form), "grant_type=" DEVICE_GRANT "&client_id=%s&device_code=%s", tv,
             device.code);
    HTTP_ANSWER waits = oauth_token_during(suite, form, "oauth_device", prove_factor, NULL);
    HTTP_ANSWER tokens = device_poll(suite, tv, device.code);
    CHECK_STATUS(waits, 400);
    CU_ASSERT_STRING_EQUAL(http_text(waits, "error"), "authorization_pending");
    CHECK_STATUS(tokens, 200);
    claims = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(claims, "acr")),
                           "urn:atrium:acr:two-factors");
    json_decref(claims);
}

static long audited(const char *action, const char *detail)
{
    return suite_count(suite,
                       "select count(*) from auth.audit where event::text like '%%%s%%' and "
                       "event::text like '%%%s%%'",
                       action, detail);
}

static void answers_are_audited(void)
{
    CU_ASSERT_TRUE(audited("device.approve", tv) > 0);
    CU_ASSERT_TRUE(audited("device.deny", tv) > 0);
    CU_ASSERT_TRUE(audited("session.create", "device") > 0);
}

static void deaths_lose_no_approval(void)
{
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    pid_t one = suite_pid(suite, "authd", "1"), other = suite_pid(suite, "authd", "2");

    device_approve(suite, patient, device.shown);
    suite_signal(suite, "authd", "1", 9);
    suite_signal(suite, "authd", "2", 9);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", one));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", other));
    CU_ASSERT_TRUE(suite_wait_ready(suite, 10000));
    HTTP_ANSWER tokens = device_poll(suite, tv, device.code);
    CHECK_STATUS(tokens, 200);
    check_poll(tv, device.code, "invalid_grant");
}

static void the_scene_is_left(void)
{
    free(tv);
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_device_is_let_in),
    CASE(a_code_is_read_however_it_is_written),
    CASE(codes_are_kept_as_hashes),
    CASE(only_registered_clients_may_ask),
    CASE(a_device_code_is_of_its_client),
    CASE(one_address_asks_for_a_hundred_devices),
    CASE(polls_that_come_too_soon_slow_down),
    CASE(devices_wait_ten_minutes),
    CASE(one_approval_makes_one_session),
    CASE(polls_at_once_are_judged_one_by_one),
    CASE(the_page_names_who_asks),
    CASE(the_page_fills_in_no_code),
    CASE(codes_are_read_as_people_type_them),
    CASE(an_old_session_does_not_do),
    CASE(five_codes_are_tried_in_one_session),
    CASE(one_address_tries_thirty_codes),
    CASE(no_other_site_lets_a_device_in),
    CASE(denied_devices_stay_out),
    CASE(approving_is_the_consent),
    CASE(a_withdrawn_consent_keeps_the_device_out),
    CASE(closed_sign_in_lets_no_device_in),
    CASE(a_demanded_factor_is_demanded_here),
    CASE(signing_out_voids_the_approval),
    CASE(a_fault_spends_no_approval),
    CASE(an_approval_outlives_a_change_of_its_person),
    CASE(answers_are_audited),
    CASE(deaths_lose_no_approval),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth device", cases, ARRAY_SIZE(cases));
}
