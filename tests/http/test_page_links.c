/*
 * test_page_links.c - emails of a tenant without an application link to hosted pages for a new
 * password, verification, change and undo of an address, and invitations. Opening a link does not
 * consume it, and only browser and authd see its secret.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/browser.h"
#include "tests/support/members.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define PLAIN_PASSWORD "correct horse battery staple"
#define MEMBERS "/v1/projects/me/members"
#define NEW_PASSWORD "chosen+on+the+page"
#define PLAIN_NEW_PASSWORD "chosen on the page"

static struct suite *suite;
static struct person *admin; /* admin of demo, which has no application */

static void start_suite(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", "");
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", "");
    HTTP_ANSWER put =
        http_put(suite_url(suite), "/v1/project/email-templates/EMAIL_VERIFICATION", admin->access,
                 json_pack("{s:s, s:s}", "subject", "Confirm", "text", "Confirm: {{verifyUrl}}"));
    CHECK_STATUS(put, 200);
}

/* Returns the link to a page of the tenant code in the newest email to the address. */
static struct mail_link link_of(const char *to, const char *code, const char *page)
{
    char url[256];

    snprintf(url, sizeof(url), "%s/t/%s/%s", suite_text(suite, "publicUrl"), code, page);
    return suite_mail_link(suite, to, url);
}

static bool asks_password(const struct browser *browser)
{
    return browser_sees(browser, "type=\"password\"");
}

static int open_link(struct browser *browser, const char *code, const char *page,
                     const struct mail_link *link)
{
    char path[512];

    snprintf(path, sizeof(path), "/t/%s/%s?id=%s&secret=%s", code, page, link->id, link->secret);
    return browser_get(browser, path);
}

static int send_link(struct browser *browser, const char *code, const char *page,
                     const struct mail_link *link, const char *fields)
{
    char path[128], form[1024];

    snprintf(path, sizeof(path), "/t/%s/%s", code, page);
    snprintf(form, sizeof(form), "id=%s&secret=%s&%s", link->id, link->secret, fields);
    return browser_post(browser, path, form);
}

/* Registers a patient and waits for both emails: the welcome, whose template demo maps, and the
 * suite's verification link. */
static struct person *register_settled(void)
{
    struct person *self = person_register(suite, NULL);

    suite_mails_settle(suite);
    return self;
}

static void a_forgotten_password_is_set_anew(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char form[256];

    browser_get(browser, "sign-in");
    CU_ASSERT_TRUE(browser_sees(browser, "href=\"/t/demo/reset-password\""));
    CU_ASSERT_EQUAL(browser_get(browser, "reset-password"), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "reset-password", "email=nonsense"), 422);
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"email-wrong\""));
    snprintf(form, sizeof(form), "email=%s", patient->email);
    CU_ASSERT_EQUAL(browser_post(browser, "reset-password", form), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "If there is an account"));

    suite_mails_settle(suite);
    struct mail_link link = link_of(patient->email, "demo", "set-password");
    for (int i = 0; i < 3; i++) { /* link scanners open it first */
        CU_ASSERT_EQUAL(open_link(browser, "demo", "set-password", &link), 200);
        CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"new-password\""));
    }
    CU_ASSERT_EQUAL(send_link(browser, "demo", "set-password", &link, "password="), 422);
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"password-wrong\""));
    CU_ASSERT_EQUAL(send_link(browser, "demo", "set-password", &link, "password=" NEW_PASSWORD),
                    303);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Your password is set."));
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, NEW_PASSWORD));
    CU_ASSERT_EQUAL(send_link(browser, "demo", "set-password", &link, "password=" NEW_PASSWORD),
                    400);
    CU_ASSERT_TRUE(browser_sees(browser, "This link is no longer valid"));
}

static void rules_of_passwords_hold(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER strict = http_put(suite_url(suite), "/v1/project/account-policy", admin->access,
                                  json_pack("{s:i}", "passwordMinLength", 15));
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));

    CHECK_STATUS(strict, 200);
    CHECK_STATUS(requested, 200);
    suite_mails_settle(suite);
    struct mail_link link = link_of(patient->email, "demo", "set-password");
    open_link(browser, "demo", "set-password", &link);
    CU_ASSERT_EQUAL(send_link(browser, "demo", "set-password", &link, "password=short"), 422);
    CU_ASSERT_TRUE(browser_sees(browser, "Choose a longer password"));
    CU_ASSERT_EQUAL(send_link(browser, "demo", "set-password", &link, "password=" NEW_PASSWORD),
                    303);
    HTTP_ANSWER lax = http_put(suite_url(suite), "/v1/project/account-policy", admin->access,
                               json_pack("{s:i}", "passwordMinLength", 1));
    CHECK_STATUS(lax, 200);
}

static void resets_reveal_no_account(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char form[256], *known;
    bool took;

    browser_get(browser, "reset-password");
    snprintf(form, sizeof(form), "email=%s", patient->email);
    CU_ASSERT_EQUAL(browser_post(browser, "reset-password", form), 200);
    known = strdup(browser->page->body);
    took = http_took(browser->page, 250);
    browser_get(browser, "reset-password");
    CU_ASSERT_EQUAL(browser_post(browser, "reset-password", "email=none%40there.example"), 200);
    CU_ASSERT_STRING_EQUAL(browser->page->body, known);
    CU_ASSERT_TRUE(took && http_took(browser->page, 250));
    free(known);
}

static void an_address_is_confirmed_by_password(void)
{
    PERSON patient = register_settled();
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER sent =
        http_post(suite_url(suite), "/auth/verify-email/send", patient->access, json_object());

    CHECK_STATUS(sent, 200);
    suite_mails_settle(suite);
    struct mail_link link = link_of(patient->email, "demo", "verify-email");
    CU_ASSERT_EQUAL(open_link(browser, "demo", "verify-email", &link), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"current-password\""));
    CU_ASSERT_EQUAL(send_link(browser, "demo", "verify-email", &link, "password="), 400);
    CU_ASSERT_EQUAL(send_link(browser, "demo", "verify-email", &link, "password=wrong"), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "The password is incorrect."));
    CU_ASSERT_EQUAL(send_link(browser, "demo", "verify-email", &link, "password=" FORM_PASSWORD),
                    303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/sign-in?note=verified"));
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);
    CU_ASSERT_TRUE(json_is_true(http_member(me, "security.emailVerified")));
    open_link(browser, "demo", "verify-email", &link);
    CU_ASSERT_EQUAL(send_link(browser, "demo", "verify-email", &link, "password=" FORM_PASSWORD),
                    400);
}

static void an_address_is_confirmed_by_its_session(void)
{
    PERSON patient = register_settled();
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    BROWSER foreign = browser_open(suite);
    HTTP_ANSWER sent =
        http_post(suite_url(suite), "/auth/verify-email/send", patient->access, json_object());

    CHECK_STATUS(sent, 200);
    suite_mails_settle(suite);
    struct mail_link link = link_of(patient->email, "demo", "verify-email");
    CU_ASSERT_TRUE(browser_signs_in(foreign, other->email, FORM_PASSWORD));
    open_link(foreign, "demo", "verify-email", &link);
    CU_ASSERT_EQUAL(send_link(foreign, "demo", "verify-email", &link, "do=verify"), 200);
    CU_ASSERT_TRUE(browser_sees(foreign, "autocomplete=\"current-password\""));
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_TRUE(browser_sees(browser, "Not verified yet"));
    open_link(browser, "demo", "verify-email", &link);
    CU_ASSERT_FALSE(browser_sees(browser, "type=\"password\""));
    CU_ASSERT_EQUAL(send_link(browser, "demo", "verify-email", &link, "do=verify"), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Your email address is verified."));
    CU_ASSERT_FALSE(browser_sees(browser, "Not verified yet"));
}

static void a_changed_address_is_taken_back(void)
{
    PERSON patient = register_settled();
    BROWSER browser = browser_open(suite);
    char *email = person_address();
    HTTP_ANSWER requested = http_post(suite_url(suite), "/auth/change-email", patient->access,
                                      json_pack("{s:s}", "email", email));

    CHECK_STATUS(requested, 200);
    suite_mails_settle(suite);
    struct mail_link link = link_of(email, "demo", "verify-email");
    open_link(browser, "demo", "verify-email", &link);
    CU_ASSERT_EQUAL(send_link(browser, "demo", "verify-email", &link, "password=" FORM_PASSWORD),
                    303);
    CU_ASSERT_TRUE(browser_signs_in(browser, email, FORM_PASSWORD));

    suite_mails_settle(suite);
    /* the undo link is on the installation's page, which no tenant can read */
    struct mail_link undo = link_of(patient->email, "-", "undo-email");
    BROWSER former = browser_open(suite);
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(open_link(former, "-", "undo-email", &undo), 200);
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 200); /* unchanged */
    CU_ASSERT_EQUAL(send_link(former, "-", "undo-email", &undo, "do=undo"), 303);
    /* a patient sets a new password at the tenant */
    CU_ASSERT_TRUE(browser_goes_to(former, "/t/demo/reset-password?note=undone"));
    CU_ASSERT_EQUAL(browser_follow(former), 200);
    CU_ASSERT_TRUE(browser_sees(former, "its previous email address again"));
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 303); /* the attacker is signed out */
    CU_ASSERT_EQUAL(open_link(former, "-", "undo-email", &undo), 400);
    free(email);
}

static struct http_answer *invite(const struct person *who, const char *email)
{
    return http_post(suite_url(suite), MEMBERS, who->access,
                     json_pack("{s:s, s:s, s:s, s:s}", "email", email, "firstName", "Typed",
                               "lastName", "Name", "type", "Practitioner"));
}

/* Invites the address to demo and accepts with a password, which makes a practitioner. */
static struct person *join_demo(void)
{
    char *email = person_address();
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER made = invite(admin, email);
    struct person *self;

    CHECK_STATUS(made, 200);
    suite_mails_settle(suite);
    struct mail_link link = link_of(email, "demo", "invitation");
    CU_ASSERT_EQUAL(open_link(browser, "demo", "invitation", &link), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "has invited you to join"));
    CU_ASSERT_TRUE(browser_sees(browser, "autocomplete=\"new-password\""));
    CU_ASSERT_TRUE(browser_sees(browser, email));
    CU_ASSERT_EQUAL(send_link(browser, "demo", "invitation", &link, "do=set-password&password="),
                    400);
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"password-wrong\""));
    CU_ASSERT_EQUAL(send_link(browser, "demo", "invitation", &link,
                              "do=set-password&password=" NEW_PASSWORD),
                    303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "You’ve accepted the invitation."));
    CU_ASSERT_TRUE(browser_signs_in(browser, email, NEW_PASSWORD));
    CU_ASSERT_EQUAL(open_link(browser, "demo", "invitation", &link), 400);
    self = person_sign_in(suite, "Practitioner", email, PLAIN_NEW_PASSWORD, NULL);
    CU_ASSERT_EQUAL(self->status, 200);
    free(email);
    return self;
}

static void an_invitation_is_accepted_by_a_password(void)
{
    PERSON joined = join_demo();

    CU_ASSERT_PTR_NOT_NULL(joined->access);
}

static struct person *make_tenant(const char *code)
{
    static const char policy_text[] = "{\"name\":\"All\",\"resource\":[{\"resourceType\":\"*\"}]}";
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *file = unit_dir_write(&dir, "text", "{{inviterName}} {{invitationUrl}}\n");
    char value[64], *email = person_address();
    PROGRAM create = ATRIUMCTL(suite, NULL, "project", "create", "<b>Clinic & Co", "--code", code);
    PROGRAM policy =
        ATRIUMCTL(suite, policy_text, "policy", "put", "--project", code, "-", "--json");
    struct person *self;

    CHECK_EXIT(create, 0);
    CHECK_EXIT(policy, 0);
    snprintf(value, sizeof(value), "AccessPolicy/%s", program_text(policy, "id"));
    PROGRAM set =
        ATRIUMCTL(suite, NULL, "project", "set", code, "DEFAULT_PRACTITIONER_ACCESS_POLICY", value);
    PROGRAM put = ATRIUMCTL(suite, NULL, "template", "put", "--project", code, "INVITE_TO_PROJECT",
                            "--subject", "Join us", "--text", file);
    PROGRAM user = ATRIUMCTL(suite, PLAIN_PASSWORD "\n", "user", "create-admin", "--project", code,
                             "--email", email, "--name", "<script>x", "--surname", "\"North'");
    CHECK_EXIT(set, 0);
    CHECK_EXIT(put, 0);
    CHECK_EXIT(user, 0);
    self = person_sign_in(suite, "Practitioner", email, PLAIN_PASSWORD, code);
    CU_ASSERT_EQUAL(self->status, 200);
    free(email);
    return self;
}

static long memberships_of(const char *email)
{
    return suite_count(suite,
                       "select count(*) from auth.membership m join auth.account a on a.id = "
                       "m.account_id where a.email = '%s'",
                       email);
}

static long sessions_of(const char *email)
{
    return suite_count(suite,
                       "select count(*) from auth.session s join auth.membership m on m.id = "
                       "s.membership_id join auth.account a on a.id = m.account_id where "
                       "a.email = '%s' and s.end_reason is null",
                       email);
}

/* Checks that only the installation's page accepts an existing account's sign-in; any form to the
 * tenant's page does nothing and leads there. */
static void goes_to_the_own_page(struct browser *browser, const struct mail_link *link,
                                 const char *email)
{
    long members = memberships_of(email), sessions = sessions_of(email);

    CU_ASSERT_EQUAL(open_link(browser, "demo", "invitation", link), 200);
    CU_ASSERT_FALSE(asks_password(browser));
    CU_ASSERT_TRUE(browser_sees(browser, "value=\"sign-in\""));
    CU_ASSERT_EQUAL(send_link(browser, "demo", "invitation", link,
                              "do=set-password&password=" NEW_PASSWORD),
                    200); /* the account exists, so the link sets no password */
    CU_ASSERT_FALSE(asks_password(browser));
    CU_ASSERT_EQUAL(
        send_link(browser, "demo", "invitation", link, "do=sign-in&password=" FORM_PASSWORD), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/-/account"));
    CU_ASSERT_EQUAL(browser_follow(browser), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/-/sign-in"));
    CU_ASSERT_EQUAL(memberships_of(email), members);
    CU_ASSERT_EQUAL(sessions_of(email), sessions);
}

static void accept_on_the_own_page(const char *email)
{
    BROWSER browser = browser_open(suite);
    long members = memberships_of(email), sessions = sessions_of(email);

    CU_ASSERT_TRUE(browser_signs_in_own(browser, suite, email, FORM_PASSWORD));
    CU_ASSERT_TRUE(browser_sees(browser, "Invitations"));
    CU_ASSERT_EQUAL(browser_act_own(browser, suite, "accept", "demo"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/-/account?note=joined"));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "You’ve accepted the invitation."));
    CU_ASSERT_FALSE(browser_sees(browser, "Invitations"));
    CU_ASSERT_EQUAL(memberships_of(email), members + 1);
    CU_ASSERT_EQUAL(sessions_of(email), sessions); /* accepting made no session in any project */
}

/* The owner of a verified account accepts on the installation's page, whatever memberships the
 * account has. Other people's names are shown as text. */
static void an_invitation_is_accepted_by_a_sign_in(void)
{
    PERSON north = make_tenant("north");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER made = invite(admin, north->email);
    HTTP_ANSWER back = NULL;

    CHECK_STATUS(made, 200);
    suite_mails_settle(suite);
    struct mail_link link = link_of(north->email, "demo", "invitation");
    goes_to_the_own_page(browser, &link, north->email);
    accept_on_the_own_page(north->email);
    CU_ASSERT_EQUAL(open_link(browser, "demo", "invitation", &link), 400);
    CU_ASSERT_EQUAL(browser_get(browser, "account"), 303); /* not signed in */
    CU_ASSERT_TRUE(browser_signs_in(browser, north->email, FORM_PASSWORD));

    back = invite(north, admin->email);
    CHECK_STATUS(back, 200);
    http_answer_destroy(&back);
    suite_mails_settle(suite);
    link = link_of(admin->email, "north", "invitation");
    CU_ASSERT_EQUAL(open_link(browser, "north", "invitation", &link), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "&lt;script&gt;x &quot;North&#39;"));
    CU_ASSERT_TRUE(browser_sees(browser, "&lt;b&gt;Clinic &amp; Co"));
    CU_ASSERT_FALSE(browser_sees(browser, "<script>x"));
    CU_ASSERT_FALSE(browser_sees(browser, "<b>Clinic"));
}

static void make_admin(const struct person *who, const char *code)
{
    PROGRAM made = ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", code, "--email",
                             who->email, "--name", "Anna", "--surname", "North", "--existing");

    CHECK_EXIT(made, 0);
}

/* None of the account's tenants admits it: one requires verification, which only another
 * organization has done, and one is read-only. The installation's page admits it, but shows
 * invitations only to an account that a link to that page has verified for all tenants. */
static void an_invitation_is_accepted_whatever_tenants_let_in(void)
{
    PERSON upper = make_tenant("upper");
    PERSON middle = make_tenant("middle");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER made = invite(admin, upper->email);

    CHECK_STATUS(made, 200);
    CU_ASSERT_STRING_NOT_EQUAL(middle->project, upper->project);
    make_admin(upper, "middle");
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "with proven as (update auth.email_verified set organization_id = '%s' where "
                    "account_id = (select id from auth.account where email = '%s') returning 1) "
                    "select count(*) from proven",
                    admin->project + strlen("Project/"), upper->email),
        1);
    PROGRAM strict =
        ATRIUMCTL(suite, NULL, "project", "policy", "upper", "requireVerifiedEmail", "true");
    PROGRAM held = ATRIUMCTL(suite, NULL, "project", "suspend", "middle", "--read-only");
    CHECK_EXIT(strict, 0);
    CHECK_EXIT(held, 0);
    PERSON unproven = person_sign_in(suite, "Practitioner", upper->email, PLAIN_PASSWORD, "upper");
    PERSON waits = person_sign_in(suite, "Practitioner", upper->email, PLAIN_PASSWORD, "middle");
    CU_ASSERT_EQUAL(unproven->status, 403);
    CU_ASSERT_EQUAL(waits->status, 503);
    suite_mails_settle(suite);
    struct mail_link link = link_of(upper->email, "demo", "invitation");
    goes_to_the_own_page(browser, &link, upper->email);
    BROWSER early = browser_open(suite);
    CU_ASSERT_TRUE(browser_signs_in_own(early, suite, upper->email, FORM_PASSWORD));
    CU_ASSERT_FALSE(browser_sees(early, "Invitations"));
    char guessed[256];
    snprintf(guessed, sizeof(guessed), "do=accept&project=%s&invitation=%s",
             admin->project + strlen("Project/"), link.id);
    CU_ASSERT_EQUAL(browser_post(early, "/t/-/account", guessed), 403);
    CU_ASSERT_EQUAL(memberships_of(upper->email), 2);
    PROGRAM released = ATRIUMCTL(suite, NULL, "project", "suspend", "middle", "--resume");
    CHECK_EXIT(released, 0);
    member_verify_for_all(suite, upper->email, PLAIN_PASSWORD);
    PROGRAM again = ATRIUMCTL(suite, NULL, "project", "suspend", "middle", "--read-only");
    CHECK_EXIT(again, 0);
    accept_on_the_own_page(upper->email);
}

static void an_invitation_asks_for_the_second_factor(void)
{
    PERSON south = make_tenant("south");
    BROWSER browser = browser_open(suite);
    BROWSER other = browser_open(suite);
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", south->access);
    uint8_t secret[TOTP_SECRET];
    char code[7], form[2048], *step;
    time_t now = time(NULL);

    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER on = http_post(suite_url(suite), "/auth/mfa/enroll", south->access,
                               json_pack("{s:s}", "token", totp_code(secret, now, code)));
    HTTP_ANSWER made = invite(admin, south->email);
    CHECK_STATUS(on, 200);
    CHECK_STATUS(made, 200);
    suite_mails_settle(suite);
    struct mail_link link = link_of(south->email, "demo", "invitation");
    goes_to_the_own_page(browser, &link, south->email);
    browser_follow(browser);
    snprintf(form, sizeof(form), "email=%s&password=" FORM_PASSWORD, south->email);
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/sign-in", form), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "action=\"/t/-/mfa\""));
    CU_ASSERT_EQUAL(browser_get(browser, "/t/-/account"), 303);
    browser_follow(browser);
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/sign-in", form), 200);
    step = browser_value(browser, "step");
    snprintf(form, sizeof(form), "step=%s&code=0000000", step);
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/mfa", form), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "The code is incorrect or has expired."));
    totp_code(secret, now + TOTP_STEP, code); /* the code of the next time step is valid already */
    snprintf(form, sizeof(form), "step=%s&code=%s", step, code);
    browser_get(other, "/t/-/sign-in");
    CU_ASSERT_EQUAL(browser_post(other, "/t/-/mfa", form),
                    400); /* the step belongs to one browser */
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/mfa", form), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    snprintf(form, sizeof(form), "code=%s", suite_mail_code(suite, south->email));
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/mfa", form), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_EQUAL(browser_act_own(browser, suite, "accept", "demo"), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "You’ve accepted the invitation."));
    CU_ASSERT_EQUAL(memberships_of(south->email), 2);
    free(step);
}

static void an_invitation_is_the_accounts_own(void)
{
    PERSON member = join_demo();
    PERSON west = make_tenant("west");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER made = invite(admin, west->email);

    CHECK_STATUS(made, 200);
    suite_mails_settle(suite);
    struct mail_link link = link_of(west->email, "demo", "invitation");
    CU_ASSERT_TRUE(browser_signs_in(browser, member->email, NEW_PASSWORD));
    CU_ASSERT_EQUAL(open_link(browser, "demo", "invitation", &link), 200);
    CU_ASSERT_EQUAL(send_link(browser, "demo", "invitation", &link, "do=accept"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "value=\"sign-in\""));
    CU_ASSERT_EQUAL(memberships_of(west->email), 1);
    CU_ASSERT_EQUAL(memberships_of(member->email), 1);
    CU_ASSERT_EQUAL(send_link(browser, "demo", "invitation", &link, "do=sign-in"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/-/account"));
    accept_on_the_own_page(west->email);
    CU_ASSERT_EQUAL(memberships_of(member->email), 1);
}

/* A practitioner of two organizations gets links to the installation's pages, to neither's own. */
static void accounts_of_no_tenant_have_pages_too(void)
{
    PERSON east = make_tenant("east");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER made = invite(admin, east->email);
    char form[256], former[37] = "";

    CHECK_STATUS(made, 200);
    suite_mails_settle(suite);
    accept_on_the_own_page(east->email);
    struct mail_link link;
    snprintf(form, sizeof(form), "email=%s", east->email);
    for (int i = 0; i < 2; i++) { /* the reset is requested at a tenant, then at the installation */
        const char *page = i == 0 ? "reset-password" : "/t/-/reset-password";

        browser_get(browser, page);
        CU_ASSERT_EQUAL(browser_post(browser, page, form), 200);
        suite_mails_settle(suite);
        link = link_of(east->email, "-", "set-password");
        UNIT_CHECK(link.id[0] && strcmp(link.id, former) != 0, "%s", page);
        snprintf(former, sizeof(former), "%s", link.id);
    }
    CU_ASSERT_EQUAL(open_link(browser, "-", "set-password", &link), 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(browser->cookie, "atrium--="));
    CU_ASSERT_EQUAL(send_link(browser, "-", "set-password", &link, "password=" NEW_PASSWORD), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Your password is set."));
    CU_ASSERT_TRUE(browser_signs_in_own(browser, suite, east->email, NEW_PASSWORD));
    PERSON again = person_sign_in(suite, "Practitioner", east->email, PLAIN_NEW_PASSWORD, "east");
    CU_ASSERT_EQUAL(again->status, 200);
}

static void foreign_forms_spend_no_link(void)
{
    PERSON patient = register_settled();
    BROWSER browser = browser_open(suite);
    static const char *const pages[] = {"set-password", "verify-email", "undo-email", "invitation"};
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));

    CHECK_STATUS(requested, 200);
    suite_mails_settle(suite);
    struct mail_link link = link_of(patient->email, "demo", "set-password");
    browser->no_token = true;
    for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
        open_link(browser, "demo", "set-password", &link);
        UNIT_CHECK(send_link(browser, "demo", pages[i], &link, "password=" NEW_PASSWORD) == 403,
                   "%s", pages[i]);
    }
    browser->no_token = false;
    open_link(browser, "demo", "set-password", &link);
    CU_ASSERT_EQUAL(send_link(browser, "demo", "set-password", &link, "password=" NEW_PASSWORD),
                    303);
}

static void dead_links_look_alike(void)
{
    static const char *const links[] = {
        "id=nonsense&secret=x", "id=&secret=", "id=0198c0de-0000-7000-8000-000000000000&secret=x",
        "id=%0d%0aX:+y&secret=%0d%0a", "secret=x"};
    static const char *const pages[] = {"set-password", "verify-email", "undo-email", "invitation"};
    PERSON patient = browser_person(suite);
    BROWSER browser = browser_open(suite);
    char path[256];

    for (size_t i = 0; i < ARRAY_SIZE(links) * ARRAY_SIZE(pages); i++) {
        const char *page = pages[i % ARRAY_SIZE(pages)], *link = links[i / ARRAY_SIZE(pages)];
        char form[256];

        browser_get(browser, "sign-in");
        snprintf(path, sizeof(path), "/t/demo/%s", page);
        snprintf(form, sizeof(form), "%s&do=set-password&password=" NEW_PASSWORD, link);
        UNIT_CHECK(browser_post(browser, path, form) == 400, "%s %s: %d", page, link,
                   browser->page->status);
        UNIT_CHECK(browser_sees(browser, "This link is no longer valid"), "%s %s", page, link);
    }
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
        char form[256];

        browser_get(browser, "account");
        snprintf(form, sizeof(form), "%s&do=accept", links[i]);
        UNIT_CHECK(browser_post(browser, "invitation", form) == 400, "%s: %d", links[i],
                   browser->page->status);
        UNIT_CHECK(browser_sees(browser, "This link is no longer valid"), "%s", links[i]);
    }
}

/* An emailed link that has expired, and what its page offers instead. */
struct expired {
    const char *page, *code;
    struct mail_link link;
    const char *way, *form; /* form: posts to, or NULL */
};

/* Makes one of each link. */
static void make_links(const char *email, const char *former, struct expired rows[static 6])
{
    char *invited = person_address(), *next = person_address();
    PERSON changing = person_sign_in(suite, "Patient", former, PLAIN_PASSWORD, NULL);
    HTTP_ANSWER reset =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", email, "tenantCode", "demo"));
    HTTP_ANSWER change = http_post(suite_url(suite), "/auth/change-email", changing->access,
                                   json_pack("{s:s}", "email", next));
    HTTP_ANSWER made = invite(admin, invited);
    BROWSER browser = browser_open(suite);

    CHECK_STATUS(reset, 200);
    CHECK_STATUS(change, 200);
    CHECK_STATUS(made, 200);
    suite_mails_settle(suite);
    rows[0].link = link_of(email, "demo", "set-password");
    rows[2].link = link_of(next, "demo", "verify-email");
    rows[3].link = link_of(invited, "demo", "invitation");
    open_link(browser, "demo", "verify-email", &rows[2].link);
    CU_ASSERT_EQUAL(
        send_link(browser, "demo", "verify-email", &rows[2].link, "password=" FORM_PASSWORD), 303);
    suite_mails_settle(suite);
    rows[4].link = link_of(former, "-", "undo-email");
    rows[5].link = rows[4].link;
    free(invited);
    free(next);
}

/* Each email with a link is here: password reset, verification, change of an address, invitation,
 * undo of a change. The rest (deletion, export) tells a person to sign in. */
static void each_expired_link_has_a_page_that_helps(void)
{
    PERSON patient = register_settled();
    PERSON other = register_settled();
    BROWSER browser = browser_open(suite);
    struct expired rows[] = {
        {"set-password", "demo", {"", ""}, "send you a new link", "/t/demo/reset-password"},
        {"verify-email", "demo", {"", ""}, "send you a new link", "/t/demo/verify-email"},
        {"verify-email", "demo", {"", ""}, "change it again", "/t/demo/verify-email"},
        {"invitation", "demo", {"", ""}, "ask the person who invited you", NULL},
        {"undo-email", "-", {"", ""}, "contact your clinic", NULL},
        {"verify-email", "-", {"", ""}, "change your email address again", NULL},
    };
    char form[256];

    rows[1].link = link_of(patient->email, "demo", "verify-email");
    CU_ASSERT_EQUAL(open_link(browser, "demo", "verify-email", &rows[1].link), 200);
    make_links(patient->email, other->email, rows);
    suite_advance_clock(suite, 40L * 24 * 3600);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct expired *row = &rows[i];

        UNIT_CHECK(row->link.id[0] != '\0', "%zu %s", i, row->page);
        UNIT_CHECK(open_link(browser, row->code, row->page, &row->link) == 400, "%s", row->page);
        UNIT_CHECK(browser_sees(browser, "This link is no longer valid"), "%s", row->page);
        UNIT_CHECK(browser_sees(browser, row->way), "%zu %s", i, row->page);
        snprintf(form, sizeof(form), "action=\"%s\"", row->form ? row->form : "");
        UNIT_CHECK(browser_sees(browser, row->form ? form : "Go to sign-in"), "%s", row->page);
        UNIT_CHECK(row->form || !browser_sees(browser, "<form"), "%s", row->page);
    }
    /* the forms send a new link, or ask again for an address */
    snprintf(form, sizeof(form), "do=send&email=%s", patient->email);
    open_link(browser, "demo", "verify-email", &rows[1].link);
    CU_ASSERT_EQUAL(browser_post(browser, "verify-email", "do=send&email=nonsense"), 422);
    CU_ASSERT_TRUE(browser_sees(browser, "id=\"email-wrong\""));
    CU_ASSERT_EQUAL(browser_post(browser, "verify-email", form), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Check your inbox"));
    suite_mails_settle(suite);
    struct mail_link verify = link_of(patient->email, "demo", "verify-email");
    CU_ASSERT_STRING_NOT_EQUAL(verify.id, rows[1].link.id);
    CU_ASSERT_EQUAL(open_link(browser, "demo", "verify-email", &verify), 200);
    open_link(browser, "demo", "set-password", &rows[0].link);
    CU_ASSERT_EQUAL(browser_post(browser, "reset-password", form), 200);
    suite_mails_settle(suite);
    struct mail_link again = link_of(patient->email, "demo", "set-password");
    CU_ASSERT_EQUAL(open_link(browser, "demo", "set-password", &again), 200);
    /* the link that lets a person continue as a patient */
    CU_ASSERT_EQUAL(browser_get(browser, "continue-as-patient?token=expired"), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "register",
                                 "token=expired&name=A&surname=B&email=a@clinic.example"
                                 "&password=" NEW_PASSWORD),
                    400);
    CU_ASSERT_TRUE(browser_sees(browser, "href=\"/t/demo/register\">Create an account without"));
}

static bool is_logged(const char *text)
{
    char command[512];

    snprintf(command, sizeof(command), "grep -rqsF -- '%s' %s/log %s/dev.err", text,
             suite_dir(suite), suite_dir(suite));
    return system(command) == 0; /* NOLINT(cert-env33-c) */
}

static void secrets_of_links_stay(void)
{
    PERSON patient = register_settled();
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));

    CHECK_STATUS(requested, 200);
    suite_mails_settle(suite);
    struct mail_link link = link_of(patient->email, "demo", "set-password");
    open_link(browser, "demo", "set-password", &link);
    char *referrer = http_header(browser->page, "Referrer-Policy");
    CU_ASSERT_STRING_EQUAL(referrer, "no-referrer");
    free(referrer);
    CU_ASSERT_FALSE(browser_may_compress(browser)); /* its length would leak the secret */
    CU_ASSERT_EQUAL(browser_get(browser, "reset-password"), 200);
    CU_ASSERT_TRUE(browser_may_compress(browser));
    open_link(browser, "demo", "set-password", &link);
    send_link(browser, "demo", "set-password", &link, "password=" NEW_PASSWORD);
    CU_ASSERT_FALSE(is_logged(link.secret));
    CU_ASSERT_FALSE(is_logged("chosen on the page"));
    CU_ASSERT_TRUE(is_logged("/t/{tenantCode}/set-password"));
}

static void without_pages_mails_need_an_application(void)
{
    char *email = person_address();

    suite_reconfigure(suite, "common.public_url=");
    PERSON again = person_admin(suite);
    HTTP_ANSWER made = invite(again, email);
    CHECK_ERROR(made, 400, "The PRACTITIONER_APP_URL is not configured.");
    PROGRAM mailed = ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", "demo", "--email",
                               email, "--name", "Ada", "--surname", "Prova", "--mail");
    CHECK_EXIT(mailed, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(mailed->err, "See `atriumctl project set demo "
                                               "PRACTITIONER_APP_URL`."));
    free(email);
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
        CASE(a_forgotten_password_is_set_anew),
        CASE(rules_of_passwords_hold),
        CASE(resets_reveal_no_account),
        CASE(an_address_is_confirmed_by_password),
        CASE(an_address_is_confirmed_by_its_session),
        CASE(a_changed_address_is_taken_back),
        CASE(an_invitation_is_accepted_by_a_password),
        CASE(an_invitation_is_accepted_by_a_sign_in),
        CASE(an_invitation_is_accepted_whatever_tenants_let_in),
        CASE(an_invitation_asks_for_the_second_factor),
        CASE(an_invitation_is_the_accounts_own),
        CASE(accounts_of_no_tenant_have_pages_too),
        CASE(foreign_forms_spend_no_link),
        CASE(dead_links_look_alike),
        CASE(secrets_of_links_stay),
        CASE(each_expired_link_has_a_page_that_helps),
        CASE(without_pages_mails_need_an_application),
        CASE_ALWAYS(stop_suite),
    };

    return unit_run("page links", cases, ARRAY_SIZE(cases));
}
