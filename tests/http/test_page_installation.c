/*
 * test_page_installation.c - the installation's own pages, /t/-/...: practitioners of any tenant
 * sign in with an emailed code and manage their account.
 */
#include <CUnit/CUnit.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/authenticator.h"
#include "tests/support/browser.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define PLAIN_PASSWORD "correct horse battery staple"
#define SIGN_IN "/t/-/sign-in"
#define CODE "/t/-/mfa"
#define ACCOUNT "/t/-/account"

static struct suite *suite;

static void start_suite(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
}

static struct person *make_clinician(void)
{
    char *email = person_address();
    PROGRAM made = ATRIUMCTL(suite, PLAIN_PASSWORD "\n", "user", "create-admin", "--project",
                             "demo", "--email", email, "--name", "Rui", "--surname", "Duas");
    struct person *self;

    CHECK_EXIT(made, 0);
    self = person_sign_in(suite, "Practitioner", email, PLAIN_PASSWORD, "demo");
    CU_ASSERT_EQUAL(self->status, 200);
    free(email);
    return self;
}

/* Makes one who also belongs to a new tenant with this code. */
static struct person *make_clinician_of_two(const char *code)
{
    struct person *self = make_clinician();
    HTTP_ANSWER child =
        http_post(suite_url(suite), "/v1/slim/project/child", self->access,
                  json_pack("{s:s, s:s}", "name", "<b>Side & Co", "tenantCode", code));

    CHECK_STATUS(child, 200);
    return self;
}

static int sign_in(struct browser *browser, const char *email, const char *password)
{
    char form[512];

    snprintf(form, sizeof(form), "email=%s&password=%s", email, password);
    if (browser_get(browser, SIGN_IN) != 200)
        return 0;
    return browser_post(browser, SIGN_IN, form);
}

/* Counts the sessions of the installation's pages that do not wait for their emailed code. */
static long own_sessions(const char *email)
{
    return suite_count(suite,
                       "select count(*) from auth.account_session s join auth.account a on a.id = "
                       "s.account_id where a.email = '%s' and s.code_hash is null",
                       email);
}

static int enter_code(struct browser *browser, const char *code)
{
    char form[64];

    snprintf(form, sizeof(form), "code=%s", code);
    return browser_post(browser, CODE, form);
}

static bool comes_in(struct browser *browser, const char *email)
{
    return browser_signs_in_own(browser, suite, email, FORM_PASSWORD);
}

static int act(struct browser *browser, const char *action, const char *tenant)
{
    return browser_act_own(browser, suite, action, tenant);
}

static long memberships_of(const char *email)
{
    return suite_count(suite,
                       "select count(*) from auth.membership m join auth.account a on a.id = "
                       "m.account_id where a.email = '%s'",
                       email);
}

static void a_code_is_mailed_after_the_password(void)
{
    PERSON one = make_clinician();
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(browser_get(browser, SIGN_IN), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "For practitioners."));
    CU_ASSERT_FALSE(browser_sees(browser, "/register"));
    CU_ASSERT_EQUAL(sign_in(browser, one->email, FORM_PASSWORD), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, CODE));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, one->email));
    CU_ASSERT_EQUAL(browser_get(browser, ACCOUNT), 303); /* not signed in yet */
    CU_ASSERT_TRUE(browser_goes_to(browser, SIGN_IN));
    CU_ASSERT_EQUAL(own_sessions(one->email), 0);
    suite_mails_settle(suite);
    char code[8];
    snprintf(code, sizeof(code), "%s", suite_mail_code(suite, one->email));
    CU_ASSERT_EQUAL(strlen(code), 6);
    browser_get(browser, CODE);
    CU_ASSERT_EQUAL(enter_code(browser, ""), 422);
    CU_ASSERT_EQUAL(enter_code(browser, strcmp(code, "123456") == 0 ? "654321" : "123456"), 400);
    CU_ASSERT_EQUAL(enter_code(browser, code), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, ACCOUNT));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, one->email));
    CU_ASSERT_EQUAL(own_sessions(one->email), 1);
    TEXT mail = suite_mail(suite, one->email, 1000);
    CU_ASSERT_TRUE(mail && strstr(mail, "Only this page asks for it"));
}

static void five_wrong_codes_are_the_end(void)
{
    PERSON one = make_clinician();
    BROWSER browser = browser_open(suite);

    sign_in(browser, one->email, FORM_PASSWORD);
    browser_follow(browser);
    suite_mails_settle(suite);
    char code[8], wrong[8];
    snprintf(code, sizeof(code), "%s", suite_mail_code(suite, one->email));
    snprintf(wrong, sizeof(wrong), "%06d", (atoi(code) + 1) % 1000000);
    for (int i = 0; i < 5; i++)
        CU_ASSERT_EQUAL(enter_code(browser, wrong), 400);
    CU_ASSERT_EQUAL(enter_code(browser, code), 400);
    CU_ASSERT_EQUAL(own_sessions(one->email), 0);
}

static void a_code_is_of_its_browser(void)
{
    PERSON one = make_clinician();
    BROWSER browser = browser_open(suite);
    BROWSER thief = browser_open(suite);

    sign_in(browser, one->email, FORM_PASSWORD);
    suite_mails_settle(suite);
    browser_get(thief, SIGN_IN);
    CU_ASSERT_EQUAL(enter_code(thief, suite_mail_code(suite, one->email)), 400);
    CU_ASSERT_EQUAL(own_sessions(one->email), 0);
}

static void the_session_opens_these_pages_alone(void)
{
    PERSON two = make_clinician_of_two("door");
    BROWSER browser = browser_open(suite);
    char cookie[128];

    CU_ASSERT_TRUE(comes_in(browser, two->email));
    CU_ASSERT_PTR_NOT_NULL(strstr(browser->cookie, "atrium--="));
    CU_ASSERT_TRUE(browser_sees(browser, "<bdi>&lt;b&gt;Side &amp; Co</bdi>"));
    CU_ASSERT_TRUE(browser_sees(browser, "/t/demo/sign-in"));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/-/account/export"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, ACCOUNT));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/-/consent"), 404);
    CU_ASSERT_EQUAL(browser_get(browser, "/t/-/device"), 404);
    snprintf(cookie, sizeof(cookie), "atrium-demo=%s", strchr(browser->cookie, '=') + 1);
    free(browser->cookie);
    browser->cookie = strdup(cookie);
    CU_ASSERT_EQUAL(browser_get(browser, "/t/demo/account"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/sign-in"));
}

/* Returns the form with the key's answer to the page's options, and the page's step. */
static char *passkey_form(const struct browser *browser, struct authenticator *key, bool create)
{
    static const char before[] = "id=\"passkey-options\">";
    const char *at = strstr(browser->page->body, before);
    json_t *page = at ? json_loads(at + strlen(before), JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    const char *inner = json_string_value(json_object_get(page, "options"));
    json_t *options = inner ? json_loads(inner, 0, NULL) : NULL;
    json_t *credential =
        create ? authenticator_create(key, options) : authenticator_get(key, options);
    char *text = json_dumps(credential, JSON_COMPACT), *step = browser_value(browser, "step");
    char *escaped = curl_easy_escape(NULL, text, 0);
    char *form = NULL;

    CU_ASSERT_PTR_NOT_NULL(options);
    CU_ASSERT_TRUE(
        asprintf(&form, "step=%s&%scredential=%s", step, create ? "name=x&" : "", escaped) > 0);
    curl_free(escaped);
    free(text);
    free(step);
    json_decref(credential);
    json_decref(options);
    json_decref(page);
    return form;
}

static int sign_in_by_passkey(struct browser *browser, struct authenticator *key)
{
    int status = browser_get(browser, SIGN_IN);
    char *form = passkey_form(browser, key, false);

    if (status == 200)
        status = browser_post(browser, SIGN_IN, form);
    free(form);
    return status;
}

static void a_passkey_made_here_needs_no_code(void)
{
    PERSON two = make_clinician_of_two("key");
    BROWSER browser = browser_open(suite);
    BROWSER other = browser_open(suite);
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, browser->origin);
    char *form;

    CU_ASSERT_TRUE(comes_in(browser, two->email));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/-/account/passkeys"), 200);
    form = passkey_form(browser, key, true);
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/account/passkeys", form), 303);
    free(form);
    CU_ASSERT_EQUAL(sign_in_by_passkey(other, key), 303);
    CU_ASSERT_TRUE(browser_goes_to(other, ACCOUNT));
    CU_ASSERT_EQUAL(browser_follow(other), 200);
    CU_ASSERT_EQUAL(own_sessions(two->email), 2);
}

/* A passkey made in a tenant is not accepted, because making it involved no sign-in to the
 * installation. */
static void a_passkey_of_a_tenant_does_not_sign_in_here(void)
{
    PERSON one = make_clinician();
    BROWSER browser = browser_open(suite);
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, browser->origin);
    char *form;

    CU_ASSERT_TRUE(browser_signs_in(browser, one->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(browser, "account/passkeys"), 200);
    form = passkey_form(browser, key, true);
    CU_ASSERT_EQUAL(browser_post(browser, "account/passkeys", form), 303);
    free(form);

    BROWSER other = browser_open(suite);
    CU_ASSERT_EQUAL(sign_in_by_passkey(other, key), 400);
    CU_ASSERT_EQUAL(own_sessions(one->email), 0);
}

/* True when the footer has the host followed by this text. */
static bool foot_says(const struct browser *browser, const char *behind)
{
    char text[256];

    snprintf(text, sizeof(text), "<p><bdi>%s</bdi>%s</p>", strstr(browser->origin, "://") + 3,
             behind);
    return browser_sees(browser, text);
}

/* The installation's pages have no tenant code, so the footer has none; their URLs have "-"
 * instead. */
static void the_foot_of_the_installations_pages_names_the_host_alone(void)
{
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(browser_get(browser, SIGN_IN), 200);
    CU_ASSERT_TRUE(foot_says(browser, ""));
    CU_ASSERT_TRUE(browser_sees(browser, "action=\"/t/-/sign-in\""));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/demo/sign-in"), 200);
    CU_ASSERT_TRUE(foot_says(browser, " · <bdi>demo</bdi>"));
}

static void wrong_passwords_and_patients_look_alike(void)
{
    PERSON two = make_clinician_of_two("alike");
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(sign_in(browser, two->email, "wrong"), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "Incorrect email address or password."));
    CU_ASSERT_EQUAL(sign_in(browser, patient->email, FORM_PASSWORD), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "Incorrect email address or password."));
    CU_ASSERT_EQUAL(sign_in(browser, "nobody@there.example", FORM_PASSWORD), 400);
    CU_ASSERT_EQUAL(sign_in(browser, "nonsense", FORM_PASSWORD), 422);
    CU_ASSERT_EQUAL(sign_in(browser, two->email, ""), 422);
}

static void guesses_are_limited(void)
{
    PERSON two = make_clinician_of_two("limits");
    BROWSER browser = browser_open(suite);
    int status = 0;

    for (int i = 0; i < 30 && status != 429; i++)
        status = sign_in(browser, two->email, "wrong");
    CU_ASSERT_EQUAL(status, 429);
    CU_ASSERT_TRUE(browser_sees(browser, "Too many attempts"));
    CU_ASSERT_EQUAL(sign_in(browser, two->email, FORM_PASSWORD), 429);
}

static void the_second_factor_comes_before_the_code(void)
{
    PERSON one = make_clinician();
    BROWSER browser = browser_open(suite);
    uint8_t secret[TOTP_SECRET];
    char code[7], form[1024], *step;

    totp_enrol(suite, one, suite_now(suite), secret);
    suite_advance_clock(suite, 2 * TOTP_STEP);
    CU_ASSERT_EQUAL(sign_in(browser, one->email, FORM_PASSWORD), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"one-time-code\""));
    step = browser_value(browser, "step");
    snprintf(form, sizeof(form), "step=%s&code=000000", step);
    CU_ASSERT_EQUAL(browser_post(browser, CODE, form), 400);
    CU_ASSERT_EQUAL(own_sessions(one->email), 0);
    totp_code(secret, suite_now(suite), code);
    snprintf(form, sizeof(form), "step=%s&code=%s", step, code);
    CU_ASSERT_EQUAL(browser_post(browser, CODE, form), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, CODE));
    browser_follow(browser);
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(enter_code(browser, suite_mail_code(suite, one->email)), 303);
    CU_ASSERT_EQUAL(own_sessions(one->email), 1);
    free(step);
}

/* Tenants' settings and suspensions do not apply here; an operator's lock does. */
static void what_tenants_switch_does_not_hold(void)
{
    suite_make_open_project(suite, "shut");
    PERSON one = make_clinician();
    BROWSER browser = browser_open(suite);
    PROGRAM joined = ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", "shut", "--email",
                               one->email, "--name", "R", "--surname", "D", "--existing");
    CHECK_EXIT(joined, 0);
    PERSON there = person_sign_in(suite, "Practitioner", one->email, PLAIN_PASSWORD, "shut");

    suite_set_switch(suite, there->access, "PRACTITIONER_LOGIN_ENABLED", false);
    PROGRAM off = ATRIUMCTL(suite, NULL, "project", "suspend", "shut");
    CHECK_EXIT(off, 0);
    CU_ASSERT_TRUE(comes_in(browser, one->email));
    CU_ASSERT_EQUAL(act(browser, "leave", "shut"), 409); /* the last admin */
    CU_ASSERT_EQUAL(memberships_of(one->email), 2);
    PROGRAM locked = ATRIUMCTL(suite, NULL, "user", "lock", one->email);
    CHECK_EXIT(locked, 0);
    CU_ASSERT_EQUAL(browser_get(browser, ACCOUNT), 303);
    CU_ASSERT_EQUAL(sign_in(browser, one->email, FORM_PASSWORD), 403);
}

static void a_session_ends_by_itself(void)
{
    PERSON one = make_clinician();
    BROWSER browser = browser_open(suite);

    CU_ASSERT_TRUE(comes_in(browser, one->email));
    suite_advance_clock(suite, 14L * 60);
    CU_ASSERT_EQUAL(browser_get(browser, ACCOUNT), 200);
    suite_advance_clock(suite, 14L * 60);
    CU_ASSERT_EQUAL(browser_get(browser, ACCOUNT), 200);
    suite_advance_clock(suite, 16L * 60);
    CU_ASSERT_EQUAL(browser_get(browser, ACCOUNT), 303);
}

static void a_changed_password_ends_sessions_everywhere(void)
{
    suite_make_open_project(suite, "far");
    PERSON one = make_clinician();
    PROGRAM joined = ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", "far", "--email",
                               one->email, "--name", "R", "--surname", "D", "--existing");
    CHECK_EXIT(joined, 0);
    PERSON there = person_sign_in(suite, "Practitioner", one->email, PLAIN_PASSWORD, "far");
    BROWSER browser = browser_open(suite);
    BROWSER other = browser_open(suite);

    CU_ASSERT_TRUE(comes_in(other, one->email));
    CU_ASSERT_TRUE(comes_in(browser, one->email));
    CU_ASSERT_EQUAL(own_sessions(one->email), 2);
    browser_get(browser, "/t/-/account/password");
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/account/password",
                                 "old=" FORM_PASSWORD "&new=a+wholly+new+one"),
                    303);
    CU_ASSERT_TRUE(browser_goes_to(browser, ACCOUNT "?note=password-changed"));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_EQUAL(browser_get(other, ACCOUNT), 303);
    CU_ASSERT_TRUE(suite_everywhere(suite, one->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 401));
    suite_mails_settle(suite);
    TEXT mail = suite_mail(suite, one->email, 1000);
    CU_ASSERT_TRUE(mail && strstr(mail, "Password"));
}

static void a_demanded_factor_is_set_up_first(void)
{
    PERSON one = make_clinician();
    BROWSER browser = browser_open(suite);

    suite_require_mfa(suite, "admins");
    CU_ASSERT_TRUE(comes_in(browser, one->email));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/-/account/password"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/-/account/factor"));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    suite_require_mfa(suite, "none");
    CU_ASSERT_EQUAL(browser_get(browser, "/t/-/account/password"), 200);
}

/* The account belongs to the person, even without a membership. */
static void who_was_removed_comes_back_by_an_invitation(void)
{
    PERSON admin = person_admin(suite);
    PERSON one = make_clinician();
    char path[128], query[256];

    snprintf(query, sizeof(query),
             "select m.id from auth.membership m join auth.account a on a.id = m.account_id where "
             "a.email = '%s'",
             one->email);
    TEXT member = suite_query(suite, query);
    snprintf(path, sizeof(path), "/v1/projects/me/members/%s", member);
    HTTP_ANSWER removed = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(removed, 200);
    CU_ASSERT_EQUAL(memberships_of(one->email), 0);
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER invited = http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                                        json_pack("{s:s, s:s, s:s}", "email", one->email,
                                                  "firstName", "R", "lastName", "D"));
        CHECK_STATUS(invited, 200);
        BROWSER browser = browser_open(suite);
        CU_ASSERT_TRUE(comes_in(browser, one->email));
        CU_ASSERT_TRUE(browser_sees(browser, "Invitations"));
        CU_ASSERT_EQUAL(act(browser, i == 0 ? "decline" : "accept", "demo"), 303);
        CU_ASSERT_EQUAL(browser_follow(browser), 200);
        CU_ASSERT_FALSE(browser_sees(browser, "Invitations"));
        CU_ASSERT_EQUAL(memberships_of(one->email), i);
    }
    BROWSER again = browser_open(suite);
    CU_ASSERT_TRUE(comes_in(again, one->email));
    CU_ASSERT_EQUAL(act(again, "leave", "demo"), 303);
    CU_ASSERT_EQUAL(memberships_of(one->email), 0);
}

static void the_account_is_deleted_here(void)
{
    PERSON two = make_clinician_of_two("gone");
    BROWSER browser = browser_open(suite);

    CU_ASSERT_TRUE(comes_in(browser, two->email));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/-/account/delete"), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/account/delete", "days=30"), 409);
    PERSON one = make_clinician();
    BROWSER owner = browser_open(suite);
    CU_ASSERT_TRUE(comes_in(owner, one->email));
    browser_get(owner, "/t/-/account/delete");
    CU_ASSERT_EQUAL(browser_post(owner, "/t/-/account/delete", "days=30"), 303);
    CU_ASSERT_EQUAL(browser_follow(owner), 200);
    CU_ASSERT_TRUE(browser_sees(owner, "will be deleted"));
    CU_ASSERT_EQUAL(browser_post(owner, ACCOUNT, "do=keep"), 303);
    CU_ASSERT_TRUE(comes_in(owner, one->email));
    CU_ASSERT_FALSE(browser_sees(owner, "will be deleted"));
}

static void there_is_no_account_of_no_tenant(void)
{
    static const char *const lead[] = {"/t/-", "/t/-/account", "/t/-/mfa", "/t/-/account/password",
                                       "/t/-/account/export"};
    static const char *const none[] = {"/t/-/register", "/t/-/consent", "/t/-/device",
                                       "/t/-/invitation", "/t/-/authorize"};
    BROWSER browser = browser_open(suite);

    for (size_t i = 0; i < ARRAY_SIZE(lead); i++) {
        int status = browser_get(browser, lead[i]);

        UNIT_CHECK(status == 303, "%s: %d", lead[i], status);
        if (browser_goes_to(browser, "/t/-/account"))
            browser_follow(browser);
        UNIT_CHECK(browser_goes_to(browser, SIGN_IN), "%s", lead[i]);
    }
    for (size_t i = 0; i < ARRAY_SIZE(none); i++)
        UNIT_CHECK(browser_get(browser, none[i]) == 404, "%s: %d", none[i], browser->page->status);
}

static int ask_for_link(struct browser *browser, const char *email)
{
    char form[256];

    snprintf(form, sizeof(form), "email=%s", email);
    browser_get(browser, "/t/-/reset-password");
    return browser_post(browser, "/t/-/reset-password", form);
}

static void a_link_to_set_a_password_can_be_asked_for(void)
{
    PERSON one = make_clinician();
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    suite_mails_settle(suite);
    size_t mails = suite_mail_count(suite, patient->email);
    CU_ASSERT_EQUAL(ask_for_link(browser, "nonsense"), 422);
    CU_ASSERT_EQUAL(ask_for_link(browser, "nobody@there.example"), 200);
    CU_ASSERT_EQUAL(ask_for_link(browser, patient->email), 200);
    CU_ASSERT_EQUAL(ask_for_link(browser, one->email), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "If there is an account"));
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, patient->email), mails);
    CU_ASSERT_EQUAL(suite_mail_count(suite, one->email), 1);
    CU_ASSERT_NOT_EQUAL(suite_mail_link(suite, one->email, "/t/-/set-password").id[0], '\0');
}

static void stop_suite(void)
{
    suite_stop(&suite);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE_ALWAYS(start_suite),
        CASE(a_code_is_mailed_after_the_password),
        CASE(five_wrong_codes_are_the_end),
        CASE(a_code_is_of_its_browser),
        CASE(the_session_opens_these_pages_alone),
        CASE(a_passkey_made_here_needs_no_code),
        CASE(a_passkey_of_a_tenant_does_not_sign_in_here),
        CASE(the_foot_of_the_installations_pages_names_the_host_alone),
        CASE(wrong_passwords_and_patients_look_alike),
        CASE(guesses_are_limited),
        CASE(what_tenants_switch_does_not_hold),
        CASE(there_is_no_account_of_no_tenant),
        CASE(a_link_to_set_a_password_can_be_asked_for),
        CASE(a_changed_password_ends_sessions_everywhere),
        CASE(a_demanded_factor_is_set_up_first),
        CASE(who_was_removed_comes_back_by_an_invitation),
        CASE(the_account_is_deleted_here),
        CASE(a_session_ends_by_itself),
        CASE(the_second_factor_comes_before_the_code),
        CASE_ALWAYS(stop_suite),
    };

    return unit_run("page installation", cases, ARRAY_SIZE(cases));
}
