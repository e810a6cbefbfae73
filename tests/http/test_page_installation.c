/*
 * test_page_installation.c - the installation's own pages, /t/-/...: practitioners sign in without
 * a tenant and choose one of theirs last, by whose rules it is. Over two gateways and two authd, on
 * the test clock.
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

#define PLAIN_PASSWORD "correct horse battery staple"
#define SIGN_IN "/t/-/sign-in"
#define ASKS "Which organisation?"

static struct suite *suite;

static void start_suite(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
}

/* A practitioner of the demo tenant, signed in to it. */
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

/* The same, also of a new tenant of that code. */
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

static int choose(struct browser *browser, const char *tenant)
{
    char form[1024], *step = browser_value(browser, "step");
    int status;

    snprintf(form, sizeof(form), "step=%s&tenant=%s", step, tenant);
    status = browser_post(browser, SIGN_IN, form);
    free(step);
    return status;
}

static long sessions_of(const char *email, const char *code)
{
    return suite_count(
        suite,
        "select count(*) from auth.session s join auth.account a on a.id = s.account_id "
        "join settings.tenant_code t on t.project_id = s.project_id where a.email = '%s' "
        "and t.code = '%s' and s.cookie_hash is not null and s.ended_at is null",
        email, code);
}

/* ---- which tenant ---- */

static void the_only_tenant_is_not_asked_for(void)
{
    PERSON one = make_clinician();
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(browser_get(browser, SIGN_IN), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "For practitioners."));
    CU_ASSERT_FALSE(browser_sees(browser, "/register"));
    CU_ASSERT_EQUAL(sign_in(browser, one->email, FORM_PASSWORD), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account"));
    CU_ASSERT_PTR_NOT_NULL(strstr(browser->cookie, "atrium-demo="));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, one->email));
}

/* Whether the foot of the page names the host, and what is behind it. */
static bool foot_says(const struct browser *browser, const char *behind)
{
    char text[256];

    snprintf(text, sizeof(text), "<p><bdi>%s</bdi>%s</p>", strstr(browser->origin, "://") + 3,
             behind);
    return browser_sees(browser, text);
}

/* There is no code of a tenant; the addresses have "-" in its place. */
static void the_foot_of_the_installations_pages_names_the_host_alone(void)
{
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(browser_get(browser, SIGN_IN), 200);
    CU_ASSERT_TRUE(foot_says(browser, ""));
    CU_ASSERT_TRUE(browser_sees(browser, "action=\"/t/-/sign-in\""));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/demo/sign-in"), 200);
    CU_ASSERT_TRUE(foot_says(browser, " · <bdi>demo</bdi>"));
}

static void one_of_several_is_chosen(void)
{
    PERSON two = make_clinician_of_two("door");
    PERSON other = make_clinician_of_two("foreign");
    BROWSER browser = browser_open(suite);

    CU_ASSERT_PTR_NOT_NULL(other->access);
    CU_ASSERT_EQUAL(sign_in(browser, two->email, FORM_PASSWORD), 200);
    CU_ASSERT_TRUE(browser_sees(browser, ASKS));
    CU_ASSERT_TRUE(browser_sees(browser, "value=\"door\"><bdi>&lt;b&gt;Side &amp; Co</bdi>"));
    CU_ASSERT_TRUE(browser_sees(browser, "value=\"demo\""));
    CU_ASSERT_FALSE(browser_sees(browser, "foreign"));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/door/account"), 303); /* half is nothing */
    CU_ASSERT_EQUAL(sign_in(browser, two->email, FORM_PASSWORD), 200);
    CU_ASSERT_EQUAL(choose(browser, "door"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/door/account"));
    CU_ASSERT_PTR_NOT_NULL(strstr(browser->cookie, "atrium-door="));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, two->email));
    CU_ASSERT_EQUAL(sessions_of(two->email, "door"), 1);
    CU_ASSERT_EQUAL(sessions_of(two->email, "demo"), 0);
}

static void no_other_tenant_can_be_chosen(void)
{
    static const char *const wrong[] = {"foreign", "nowhere", "-", "", "a/b", "%0d%0aX:+y"};
    PERSON two = make_clinician_of_two("yard");
    BROWSER browser = browser_open(suite);

    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        CU_ASSERT_EQUAL(sign_in(browser, two->email, FORM_PASSWORD), 200);
        UNIT_CHECK(choose(browser, wrong[i]) / 100 == 4, "%s: %d", wrong[i], browser->page->status);
        UNIT_CHECK(!browser_sees(browser, "atrium-foreign"), "%s", wrong[i]);
    }
    CU_ASSERT_EQUAL(sessions_of(two->email, "foreign"), 0);
}

/* The step is good once, and for one browser; it ends. */
static void a_choice_is_of_its_browser(void)
{
    PERSON two = make_clinician_of_two("once");
    BROWSER browser = browser_open(suite);
    BROWSER thief = browser_open(suite);
    char form[1024], *step;

    sign_in(browser, two->email, FORM_PASSWORD);
    step = browser_value(browser, "step");
    snprintf(form, sizeof(form), "step=%s&tenant=once", step);
    browser_get(thief, SIGN_IN);
    CU_ASSERT_EQUAL(browser_post(thief, SIGN_IN, form), 400);
    browser->no_token = true;
    CU_ASSERT_EQUAL(browser_post(browser, SIGN_IN, form), 403);
    browser->no_token = false;
    sign_in(browser, two->email, FORM_PASSWORD);
    free(step);
    step = browser_value(browser, "step");
    snprintf(form, sizeof(form), "step=%s&tenant=once", step);
    suite_set_clock(suite, 301);
    CU_ASSERT_EQUAL(browser_post(browser, SIGN_IN, form), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "This page was open for too long"));
    CU_ASSERT_TRUE(browser_sees(browser, "name=\"password\"")); /* begins anew */
    CU_ASSERT_EQUAL(sessions_of(two->email, "once"), 0);
    free(step);
}

/* ---- the checks of the tenant's sign-in ---- */

static void wrong_passwords_and_patients_look_alike(void)
{
    PERSON two = make_clinician_of_two("alike");
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(sign_in(browser, two->email, "wrong"), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "Address or password is incorrect."));
    CU_ASSERT_EQUAL(sign_in(browser, patient->email, FORM_PASSWORD), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "Address or password is incorrect."));
    CU_ASSERT_EQUAL(sign_in(browser, "nobody@there.example", FORM_PASSWORD), 400);
    CU_ASSERT_EQUAL(sign_in(browser, "nonsense", FORM_PASSWORD), 422);
    CU_ASSERT_EQUAL(sign_in(browser, two->email, ""), 422);
}

/* The limits are those of the API: what fails there counts here. */
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

static void the_second_factor_comes_before_the_choice(void)
{
    PERSON two = make_clinician_of_two("factor");
    BROWSER browser = browser_open(suite);
    uint8_t secret[TOTP_SECRET];
    char code[7], form[1024], *step;

    totp_enrol(suite, two, time(NULL) + 301, secret);
    suite_set_clock(suite, 301 + 2 * TOTP_STEP);
    CU_ASSERT_EQUAL(sign_in(browser, two->email, FORM_PASSWORD), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"one-time-code\""));
    CU_ASSERT_FALSE(browser_sees(browser, "Side"));
    step = browser_value(browser, "step");
    snprintf(form, sizeof(form), "step=%s&tenant=factor", step); /* the factor is not passed over */
    CU_ASSERT_EQUAL(browser_post(browser, SIGN_IN, form), 400);
    sign_in(browser, two->email, FORM_PASSWORD);
    free(step);
    step = browser_value(browser, "step");
    snprintf(form, sizeof(form), "step=%s&code=000000", step);
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/mfa", form), 400);
    totp_code(secret, time(NULL) + 301 + 2 * TOTP_STEP, code);
    snprintf(form, sizeof(form), "step=%s&code=%s", step, code);
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/mfa", form), 200);
    CU_ASSERT_TRUE(browser_sees(browser, ASKS));
    CU_ASSERT_EQUAL(choose(browser, "factor"), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, two->email));
    free(step);
}

/* Which tenant's rules hold is known once it is chosen. */
static void the_switches_of_the_chosen_tenant_hold(void)
{
    PERSON two = make_clinician_of_two("shut");
    PERSON there = person_sign_in(suite, "Practitioner", two->email, PLAIN_PASSWORD, "shut");
    BROWSER browser = browser_open(suite);

    suite_set_switch(suite, there->access, "PRACTITIONER_LOGIN_ENABLED", false);
    CU_ASSERT_EQUAL(sign_in(browser, two->email, FORM_PASSWORD), 200);
    CU_ASSERT_EQUAL(choose(browser, "shut"), 403);
    CU_ASSERT_EQUAL(sessions_of(two->email, "shut"), 0);
    CU_ASSERT_EQUAL(sign_in(browser, two->email, FORM_PASSWORD), 200);
    CU_ASSERT_EQUAL(choose(browser, "demo"), 303);
}

/* ---- other pages ---- */

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

/* The link itself, see test_page_links.c. */
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
    CU_ASSERT_NOT_EQUAL(
        suite_mail_link(suite, one->email, "https://practitioner.demo.example/set-password").id[0],
        '\0');
}

static void stop_suite(void)
{
    suite_stop(&suite);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE_ALWAYS(start_suite),
        CASE(the_only_tenant_is_not_asked_for),
        CASE(the_foot_of_the_installations_pages_names_the_host_alone),
        CASE(one_of_several_is_chosen),
        CASE(no_other_tenant_can_be_chosen),
        CASE(wrong_passwords_and_patients_look_alike),
        CASE(guesses_are_limited),
        CASE(the_switches_of_the_chosen_tenant_hold),
        CASE(there_is_no_account_of_no_tenant),
        CASE(a_link_to_set_a_password_can_be_asked_for),
        CASE(a_choice_is_of_its_browser),
        CASE(the_second_factor_comes_before_the_choice),
        CASE_ALWAYS(stop_suite),
    };

    return unit_run("page installation", cases, ARRAY_SIZE(cases));
}
