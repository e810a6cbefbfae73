/*
 * test_page_account.c - the account pages: password, address, second factor, deletion and its undo,
 * and the fresh proof. See test_pages_browser for passkeys.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/oauth.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define NEW_PASSWORD "chosen+on+the+page"

enum { MINUTE = 60, DAY = 86400 };

static struct suite *suite;
static struct person *admin;

static void start_suite(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
}

static bool policy_has(const struct browser *browser, const char *text)
{
    char *policy = http_header(browser->page, "Content-Security-Policy");
    bool has = policy && strstr(policy, text);

    free(policy);
    return has;
}

static const char *const pages[] = {
    "account",        "account/password", "account/factor", "account/passkeys",
    "account/delete", "change-email",     "step-up",
};

static void pages_of_the_account_need_a_session(void)
{
    BROWSER browser = browser_open(suite);

    for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
        UNIT_CHECK(browser_get(browser, pages[i]) == 303 &&
                       browser_goes_to(browser, "/t/demo/sign-in"),
                   "%s", pages[i]);
        browser_get(browser, "sign-in");
        UNIT_CHECK(browser_post(browser, pages[i], "x=y") == 303 &&
                       browser_goes_to(browser, "/t/demo/sign-in"),
                   "%s", pages[i]);
    }
    CU_ASSERT_EQUAL(browser_get(browser, "/t/demo"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/sign-in"));
}

static void foreign_forms_change_nothing(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    browser->no_token = true;
    for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
        UNIT_CHECK(browser_post(browser, pages[i],
                                "old=" FORM_PASSWORD "&new=" NEW_PASSWORD "&days=0") == 403,
                   "%s", pages[i]);
    browser->no_token = false;
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 200);
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD) ||
                   browser->page->status == 303);
}

static void a_password_is_changed(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(browser, "account/password"), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "account/password", "old=&new="), 422);
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"old-wrong\""));
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"new-wrong\""));
    CU_ASSERT_EQUAL(browser_post(browser, "account/password", "old=wrong&new=" NEW_PASSWORD), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "The password is incorrect."));
    CU_ASSERT_EQUAL(
        browser_post(browser, "account/password", "old=" FORM_PASSWORD "&new=" NEW_PASSWORD), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200); /* the browser's own session continues */
    CU_ASSERT_TRUE(browser_sees(browser, "Your password is changed."));
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    BROWSER other = browser_open(suite);
    CU_ASSERT_TRUE(browser_signs_in(other, patient->email, NEW_PASSWORD));
}

static void another_address_is_asked_for(void)
{
    PERSON patient = person_register_settled(suite);
    BROWSER browser = browser_open(suite);
    char *email = person_address(), form[128];

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(browser, "change-email"), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "change-email", "email=nonsense"), 422);
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"email-wrong\""));
    snprintf(form, sizeof(form), "email=%s", email);
    CU_ASSERT_EQUAL(browser_post(browser, "change-email", form), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "If this email address is available"));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    free(email);
}

static void a_second_factor_is_turned_on_and_off(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    uint8_t secret[TOTP_SECRET];
    char code[7], form[128];

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(browser, "account/factor"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "src=\"data:image/png;base64,"));
    CU_ASSERT_FALSE(browser_may_compress(browser));
    CU_ASSERT_TRUE(policy_has(browser, "; img-src data:"));
    CU_ASSERT_FALSE(policy_has(browser, "script-src"));
    browser_read_key(browser, secret);
    CU_ASSERT_EQUAL(browser_post(browser, "account/factor", "do=on&code=000"), 422);
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"code-wrong\""));
    totp_code(secret, suite_now(suite), code);
    snprintf(form, sizeof(form), "do=on&code=%.3s+%s", code, code + 3);
    CU_ASSERT_EQUAL(browser_post(browser, "account/factor", form), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Recovery codes"));
    CU_ASSERT_FALSE(browser_may_compress(browser));
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "<dd>On</dd>"));
    CU_ASSERT_TRUE(browser_may_compress(browser));

    suite_advance_clock(suite, 2 * TOTP_STEP);
    CU_ASSERT_EQUAL(browser_get(browser, "account/factor"), 200);
    CU_ASSERT_FALSE(browser_sees(browser, "data:image/png"));
    CU_ASSERT_EQUAL(browser_post(browser, "account/factor", "do=off&code=0000000"), 400);
    totp_code(secret, suite_now(suite), code);
    snprintf(form, sizeof(form), "do=off&code=%s", code);
    CU_ASSERT_EQUAL(browser_post(browser, "account/factor", form), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Two-step verification is off."));
}

static void old_proofs_are_renewed(void)
{
    static const char *const fresh[] = {"account/factor", "account/passkeys", "account/delete",
                                        "change-email"};
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char address[64];

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    for (size_t i = 0; i < ARRAY_SIZE(fresh); i++)
        UNIT_CHECK(browser_get(browser, fresh[i]) == 200, "%s", fresh[i]);
    browser_get(browser, "change-email");
    suite_advance_clock(suite, 16 * MINUTE);
    CU_ASSERT_EQUAL(browser_post(browser, "change-email", "email=a%40b.example"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/step-up?goal=change-email"));
    for (size_t i = 0; i < ARRAY_SIZE(fresh); i++) {
        snprintf(address, sizeof(address), "/t/demo/step-up?goal=%s", fresh[i]);
        UNIT_CHECK(browser_get(browser, fresh[i]) == 303 && browser_goes_to(browser, address), "%s",
                   fresh[i]);
    }
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 200); /* viewing needs no proof */
    CU_ASSERT_EQUAL(browser_get(browser, "step-up?goal=change-email"), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "step-up", "goal=change-email&password="), 422);
    CU_ASSERT_EQUAL(browser_post(browser, "step-up", "goal=change-email&password=wrong"), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "The password is incorrect."));
    CU_ASSERT_TRUE(browser_sees(browser, "name=\"goal\" value=\"change-email\""));
    CU_ASSERT_EQUAL(browser_post(browser, "step-up", "goal=change-email&password=" FORM_PASSWORD),
                    303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/change-email"));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
}

static void proofs_lead_nowhere_else(void)
{
    static const char *const nexts[] = {"https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "..",
                                        "%0d%0aX:+y"};
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char form[256];

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    for (size_t i = 0; i < ARRAY_SIZE(nexts); i++) {
        snprintf(form, sizeof(form), "step-up?goal=%s", nexts[i]);
        UNIT_CHECK(browser_get(browser, form) == 200 &&
                       browser_sees(browser, "name=\"goal\" value=\"account\""),
                   "%s", nexts[i]);
        snprintf(form, sizeof(form), "goal=%s&password=" FORM_PASSWORD, nexts[i]);
        UNIT_CHECK(browser_post(browser, "step-up", form) == 303 &&
                       browser_goes_to(browser, "/t/demo/account"),
                   "%s", nexts[i]);
    }
}

static void proofs_ask_for_the_factor(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    uint8_t secret[TOTP_SECRET];
    char code[7], form[128];

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    browser_get(browser, "account/factor");
    browser_read_key(browser, secret);
    snprintf(form, sizeof(form), "do=on&code=%s", totp_code(secret, suite_now(suite), code));
    CU_ASSERT_EQUAL(browser_post(browser, "account/factor", form), 200);
    suite_advance_clock(suite, 16 * MINUTE);
    CU_ASSERT_EQUAL(browser_get(browser, "account/delete"), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"one-time-code\""));
    CU_ASSERT_EQUAL(browser_post(browser, "step-up", "goal=account/delete&password=" FORM_PASSWORD),
                    400);
    CU_ASSERT_EQUAL(browser_post(browser, "step-up", "goal=account/delete&code=0000000"), 400);
    snprintf(form, sizeof(form), "goal=account/delete&code=%s",
             totp_code(secret, suite_now(suite), code));
    CU_ASSERT_EQUAL(browser_post(browser, "step-up", form), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account/delete"));
}

static struct http_answer *let(struct browser *browser, const struct person *person,
                               const char *client)
{
    struct http_answer *tokens;
    char *code;

    oauth_ask(browser, client, OAUTH_USUAL);
    oauth_follow(browser);
    if (browser_sees(browser, "Sign in"))
        oauth_sign_in(browser, person->email, FORM_PASSWORD);
    oauth_consent(browser, "allow");
    code = oauth_parameter(browser, "code");
    tokens = oauth_exchange(suite, client, code);
    free(code);
    return tokens;
}

static bool opens(const struct http_answer *tokens)
{
    HTTP_ANSWER answer = oauth_userinfo(suite, "GET", http_text(tokens, "access_token"), NULL);

    return answer->status == 200;
}

static int withdraw(struct browser *browser, const char *client)
{
    char form[512];

    snprintf(form, sizeof(form), "do=withdraw&client=%s", client);
    return browser_post(browser, "account", form);
}

static void consents_are_listed_and_withdrawn(void)
{
    char *diary = oauth_register(suite, admin, "{\"name\":\"<b>Diary\",\"firstParty\":false}");
    char *scale = oauth_register(suite, admin, "{\"name\":\"Scale\",\"firstParty\":false}");
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char day[64];
    time_t now = suite_now(suite);

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_FALSE(browser_sees(browser, "Apps with access"));
    HTTP_ANSWER of_diary = let(browser, patient, diary);
    HTTP_ANSWER of_scale = let(browser, patient, scale);
    CU_ASSERT_TRUE(opens(of_diary));
    CU_ASSERT_TRUE(opens(of_scale));

    CU_ASSERT_EQUAL(browser_get(browser, "account"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "<h2>Apps with access</h2>"));
    CU_ASSERT_TRUE(browser_sees(browser, "<bdi>&lt;b&gt;Diary</bdi>"));
    CU_ASSERT_TRUE(browser_sees(browser, "aria-label=\"Remove access for Scale\""));
    CU_ASSERT_TRUE(browser_sees(browser, "<li><span>see your name and language</span></li>"));
    strftime(day, sizeof(day), "<span class=\"hint\">since %-d %B %Y, ", gmtime(&now));
    CU_ASSERT_TRUE(browser_sees(browser, day));

    CU_ASSERT_EQUAL(withdraw(browser, diary), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Access removed."));
    CU_ASSERT_FALSE(browser_sees(browser, "Remove access for &lt;b&gt;Diary"));
    CU_ASSERT_TRUE(browser_sees(browser, "Remove access for Scale"));
    CU_ASSERT_FALSE(opens(of_diary));
    CU_ASSERT_TRUE(opens(of_scale));
    HTTP_ANSWER renewed = oauth_renew(suite, diary, http_text(of_diary, "refresh_token"), "");
    CHECK_STATUS(renewed, 400);
    CU_ASSERT_EQUAL(withdraw(browser, diary), 303); /* a second time is no error */
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_EQUAL(withdraw(browser, ""), 303);
    free(scale);
    free(diary);
}

static void consents_of_others_are_not_withdrawn(void)
{
    char *diary = oauth_register(suite, admin, "{\"name\":\"Diary\",\"firstParty\":false}");
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    BROWSER others = browser_open(suite);

    HTTP_ANSWER tokens = let(browser, patient, diary);
    CU_ASSERT_TRUE(browser_signs_in(others, other->email, FORM_PASSWORD));
    CU_ASSERT_FALSE(browser_sees(others, "Diary"));
    CU_ASSERT_EQUAL(withdraw(others, diary), 303);
    CU_ASSERT_TRUE(opens(tokens));
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Remove access for Diary"));

    browser->no_token = true;
    CU_ASSERT_EQUAL(withdraw(browser, diary), 403);
    browser->no_token = false;
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 200);
    free(browser->origin);
    browser->origin = strdup("https://evil.example");
    CU_ASSERT_EQUAL(withdraw(browser, diary), 403);
    CU_ASSERT_TRUE(opens(tokens));
    free(diary);
}

static void a_deletion_is_scheduled_and_taken_back(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char date[32];
    time_t then;

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(browser, "account/delete"), 200);
    then = suite_now(suite) + 7 * DAY;
    CU_ASSERT_EQUAL(browser_post(browser, "account/delete", "days=7"), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    strftime(date, sizeof(date), "%-d %B %Y, ", gmtime(&then));
    CU_ASSERT_TRUE(browser_sees(browser, "This account will be deleted on"));
    CU_ASSERT_TRUE(browser_sees(browser, date));
    CU_ASSERT_FALSE(browser_sees(browser, "/t/demo/account/delete"));
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=keep"), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Sign in to keep your account."));
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_FALSE(browser_sees(browser, "This account will be deleted on"));
}

static void a_deletion_at_once_ends_all(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char form[256];

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    browser_get(browser, "account/delete");
    CU_ASSERT_EQUAL(browser_post(browser, "account/delete", "days=0"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Your account is deleted, and "
                                         "you’re signed out everywhere."));
    CU_ASSERT_PTR_NULL(browser->cookie);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    browser_get(browser, "sign-in");
    snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD, patient->email);
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", form), 400);
}

/* The CSP allows the pages' only script by its hash, and only on pages that contain it. */
static void only_pages_with_passkeys_have_a_script(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    browser_get(browser, "sign-in");
    CU_ASSERT_TRUE(policy_has(browser, "script-src 'sha256-"));
    CU_ASSERT_TRUE(policy_has(browser, "require-trusted-types-for 'script'"));
    CU_ASSERT_FALSE(policy_has(browser, "script-src 'self'"));
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"username webauthn\""));
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_FALSE(policy_has(browser, "script-src"));
    CU_ASSERT_EQUAL(browser_get(browser, "account/passkeys"), 200);
    CU_ASSERT_TRUE(policy_has(browser, "script-src 'sha256-"));
    CU_ASSERT_TRUE(browser_sees(browser, "You don’t have a passkey yet."));
}

static void wrong_passkeys_are_refused(void)
{
    static const char *const credentials[] = {
        "%7B%7D", "nonsense", "%5B%5D",
        "%7B%22type%22%3A%22public-key%22%2C%22id%22%3A%22AAAA%22%2C%22response%22%3A%7B%22"
        "clientDataJSON%22%3A%22AAAA%22%2C%22authenticatorData%22%3A%22AAAA%22%2C%22signature%22%"
        "3A%22AAAA%22%2C%22attestationObject%22%3A%22AAAA%22%7D%7D"};
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char form[2048], *step;

    for (size_t i = 0; i < ARRAY_SIZE(credentials); i++) {
        browser_get(browser, "sign-in");
        step = browser_value(browser, "step");
        snprintf(form, sizeof(form), "step=%s&credential=%s", step, credentials[i]);
        browser_post(browser, "sign-in", form);
        UNIT_CHECK(browser->page->status == 400 || browser->page->status == 422, "%zu: %d", i,
                   browser->page->status);
        UNIT_CHECK(browser_sees(browser, "This passkey didn’t work."), "%zu", i);
        free(step);
    }
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", "step=x&credential=%7B%7D"), 400);
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    for (size_t i = 0; i < ARRAY_SIZE(credentials); i++) {
        browser_get(browser, "account/passkeys");
        step = browser_value(browser, "step");
        snprintf(form, sizeof(form), "step=%s&name=x&credential=%s", step, credentials[i]);
        browser_post(browser, "account/passkeys", form);
        UNIT_CHECK(browser->page->status == 400 || browser->page->status == 422, "%zu: %d", i,
                   browser->page->status);
        UNIT_CHECK(browser_sees(browser, "This passkey didn’t work."), "%zu", i);
        free(step);
    }
    CU_ASSERT_EQUAL(browser_post(browser, "account/passkeys", "do=remove&passkey=x"), 422);
    CU_ASSERT_EQUAL(browser_post(browser, "account/passkeys",
                                 "do=remove&passkey=0198c0de-0000-7000-8000-000000000000"),
                    303);
}

static void stop_suite(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE_ALWAYS(start_suite),
        CASE(pages_of_the_account_need_a_session),
        CASE(foreign_forms_change_nothing),
        CASE(a_password_is_changed),
        CASE(another_address_is_asked_for),
        CASE(a_second_factor_is_turned_on_and_off),
        CASE(old_proofs_are_renewed),
        CASE(proofs_lead_nowhere_else),
        CASE(proofs_ask_for_the_factor),
        CASE(consents_are_listed_and_withdrawn),
        CASE(consents_of_others_are_not_withdrawn),
        CASE(a_deletion_is_scheduled_and_taken_back),
        CASE(a_deletion_at_once_ends_all),
        CASE(only_pages_with_passkeys_have_a_script),
        CASE(wrong_passkeys_are_refused),
        CASE_ALWAYS(stop_suite),
    };

    return unit_run("page account", cases, ARRAY_SIZE(cases));
}
