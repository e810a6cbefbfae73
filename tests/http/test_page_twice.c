/*
 * test_page_twice.c - forms sent twice, by a double click or a reload, concurrently or in sequence:
 * same response, single effect.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/device.h"
#include "tests/support/factor.h"
#include "tests/support/passkeys.h"
#include "tests/support/unit.h"

#define NEW_PASSWORD "chosen+on+the+page"
#define KEPT "select count(*) from auth.page_submission"

enum { MINUTE = 60, TIMES = 6, SLOTS = 8192 };

static struct suite *suite;
static struct person *admin, *patient;
static char *diary;

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &diary, NULL);
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", "");
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", "");
}

/* Joins the parts of a response that matter to a browser. The caller frees the text. */
static char *essence(const struct http_answer *answer)
{
    TEXT location = http_header(answer, "Location");
    TEXT cookie = http_header(answer, "Set-Cookie");
    TEXT policy = http_header(answer, "Content-Security-Policy");
    char *text;

    if (asprintf(&text, "%d\n%s\n%s\n%s\n%s", answer->status, location ? location : "",
                 cookie ? cookie : "", policy ? policy : "", answer->body ? answer->body : "") < 0)
        abort();
    return text;
}

/* Sends the form TIMES times concurrently on separate connections, then once more with the same
 * cookie, and expects equal responses. Follows the last one and returns its status. */
static int send_often(struct browser *browser, const char *page, const char *form)
{
    struct http_request requests[TIMES];
    struct http_answer *answers[TIMES];
    TEXT cookie = NULL;
    TEXT origin = NULL;
    TEXT path = NULL;
    int status;

    if (asprintf(&cookie, "Cookie: %s", browser->cookie) < 0 ||
        asprintf(&origin, "Origin: %s", browser->origin) < 0 ||
        asprintf(&path, "%s%s", *page == '/' ? "" : "/t/demo/", page) < 0)
        abort();
    for (size_t i = 0; i < TIMES; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = path,
                                            .raw = form,
                                            .content_type = "application/x-www-form-urlencoded",
                                            .headers = {cookie, origin},
                                            .source = browser->source};
    http_call_many(suite_url(suite), requests, TIMES, TIMES, answers);
    status = browser_send(browser, page, form);
    TEXT last = essence(browser->page);
    for (size_t i = 0; i < TIMES; i++) {
        TEXT one = essence(answers[i]);

        UNIT_CHECK(strcmp(one, last) == 0, "%s: %d of %d: %.300s\nnot %.300s", page, (int)i + 1,
                   TIMES, one, last);
    }
    http_answers_destroy(answers, TIMES);
    return status;
}

/* Like send_often(), and adds the token and the pending request of the displayed page to the
 * form. */
static int post_often(struct browser *browser, const char *page, const char *fields)
{
    TEXT next = browser_value(browser, "next");
    TEXT all = NULL;

    if (asprintf(&all, "%s%s%s", fields, *next ? "&next=" : "", next) < 0)
        abort();
    TEXT form = browser_form(browser, all);
    return send_often(browser, page, form);
}

static long sessions_of(const struct person *person)
{
    return suite_count(suite,
                       "select count(*) from auth.session s join auth.account a on a.id = "
                       "s.account_id where a.email = '%s' and s.cookie_hash is not null",
                       person->email);
}

static void sign_in(struct browser *browser, const struct person *person)
{
    CU_ASSERT_TRUE(browser_signs_in(browser, person->email, FORM_PASSWORD));
}

static void a_sign_in_makes_one_session(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char fields[256];

    snprintf(fields, sizeof(fields), "email=%s&password=" FORM_PASSWORD, person->email);
    browser_get(browser, "sign-in");
    CU_ASSERT_EQUAL(post_often(browser, "sign-in", fields), 303);
    CU_ASSERT_EQUAL(sessions_of(person), 1);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, person->email));
}

static void a_refusal_counts_once(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char fields[256];

    snprintf(fields, sizeof(fields), "email=%s&password=wrong", person->email);
    for (int i = 0; i < 5; i++) { /* 35 attempts, if each counted; the limit is 20 */
        browser_get(browser, "sign-in");
        CU_ASSERT_EQUAL(post_often(browser, "sign-in", fields), 400);
        CU_ASSERT_TRUE(browser_sees(browser, "Incorrect email address or password."));
    }
    sign_in(browser, person);
}

static void a_recovery_code_signs_in(void)
{
    OWNER owner = factor_patient(suite);
    BROWSER browser = browser_open(suite);
    char fields[1024];

    snprintf(fields, sizeof(fields), "email=%s&password=" FORM_PASSWORD, owner.person->email);
    browser_get(browser, "sign-in");
    CU_ASSERT_EQUAL(post_often(browser, "sign-in", fields), 200);
    TEXT step = browser_value(browser, "step");
    snprintf(fields, sizeof(fields), "step=%s&code=%s", step, owner.recovery[0]);
    CU_ASSERT_EQUAL(post_often(browser, "mfa", fields), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, owner.person->email));
    CU_ASSERT_EQUAL(sessions_of(owner.person), 1);
    factor_sign_in(&owner, owner.recovery[1],
                   "password+recovery"); /* the other recovery codes still work */
}

static void a_registration_makes_one_account(void)
{
    BROWSER browser = browser_open(suite);
    TEXT email = person_address();
    char fields[256];

    snprintf(fields, sizeof(fields), "name=A&surname=B&email=%s&password=" FORM_PASSWORD, email);
    browser_get(browser, "register");
    CU_ASSERT_EQUAL(post_often(browser, "register", fields), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, email));
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.account where email = '%s'", email), 1);
}

static void a_reset_mails_once(void)
{
    PERSON person = person_register_settled(suite);
    BROWSER browser = browser_open(suite);
    size_t mails = suite_mail_count(suite, person->email);
    char fields[600], path[512];

    snprintf(fields, sizeof(fields), "email=%s", person->email);
    browser_get(browser, "reset-password");
    CU_ASSERT_EQUAL(post_often(browser, "reset-password", fields), 200);
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, person->email), mails + 1);

    struct mail_link link = suite_mail_link(suite, person->email, "/t/demo/set-password");
    snprintf(path, sizeof(path), "set-password?id=%s&secret=%s", link.id, link.secret);
    snprintf(fields, sizeof(fields), "id=%s&secret=%s&password=" NEW_PASSWORD, link.id,
             link.secret);
    browser_get(browser, path);
    CU_ASSERT_EQUAL(post_often(browser, "set-password", fields), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/sign-in?note=password-set"));
    CU_ASSERT_TRUE(browser_signs_in(browser, person->email, NEW_PASSWORD));
}

static void an_address_is_changed_confirmed_and_taken_back(void)
{
    PERSON person = person_register_settled(suite);
    BROWSER browser = browser_open(suite);
    TEXT email = person_address();
    char fields[600], path[512];

    sign_in(browser, person);
    browser_get(browser, "change-email");
    snprintf(fields, sizeof(fields), "email=%s", email);
    CU_ASSERT_EQUAL(post_often(browser, "change-email", fields), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account?note=email-sent"));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    struct mail_link link = suite_mail_link(suite, email, "/t/demo/verify-email");
    snprintf(path, sizeof(path), "verify-email?id=%s&secret=%s", link.id, link.secret);
    snprintf(fields, sizeof(fields), "id=%s&secret=%s&do=verify", link.id, link.secret);
    browser_get(browser, path);
    CU_ASSERT_EQUAL(post_often(browser, "verify-email", fields), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account?note=verified"));
    suite_mails_settle(suite);
    struct mail_link undo = suite_mail_link(suite, person->email, "/t/-/undo-email");
    snprintf(path, sizeof(path), "/t/-/undo-email?id=%s&secret=%s", undo.id, undo.secret);
    snprintf(fields, sizeof(fields), "id=%s&secret=%s&do=undo", undo.id, undo.secret);
    browser_get(browser, path);
    CU_ASSERT_EQUAL(post_often(browser, "/t/-/undo-email", fields), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/reset-password?note=undone"));
}

static void an_invitation_is_accepted(void)
{
    BROWSER browser = browser_open(suite);
    TEXT email = person_address();
    char fields[600], path[512];
    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                                 json_pack("{s:s, s:s, s:s, s:s}", "email", email, "firstName", "A",
                                           "lastName", "B", "type", "Practitioner"));

    CHECK_STATUS(made, 200);
    suite_mails_settle(suite);
    struct mail_link link = suite_mail_link(suite, email, "/t/demo/invitation");
    snprintf(path, sizeof(path), "invitation?id=%s&secret=%s", link.id, link.secret);
    snprintf(fields, sizeof(fields), "id=%s&secret=%s&do=set-password&password=" NEW_PASSWORD,
             link.id, link.secret);
    browser_get(browser, path);
    CU_ASSERT_EQUAL(post_often(browser, "invitation", fields), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/sign-in?note=joined"));
}

static void a_password_is_changed_once(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    sign_in(browser, person);
    browser_get(browser, "account/password");
    CU_ASSERT_EQUAL(
        post_often(browser, "account/password", "old=" FORM_PASSWORD "&new=" NEW_PASSWORD), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account?note=password-changed"));
}

static void a_factor_is_turned_on_and_off(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    uint8_t secret[TOTP_SECRET];
    char code[7], fields[128];

    sign_in(browser, person);
    CU_ASSERT_EQUAL(browser_get(browser, "account/factor"), 200);
    browser_read_key(browser, secret);
    snprintf(fields, sizeof(fields), "do=on&code=%s", totp_code(secret, suite_now(suite), code));
    CU_ASSERT_EQUAL(post_often(browser, "account/factor", fields), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Recovery codes"));
    CU_ASSERT_FALSE(browser_may_compress(browser));
    suite_advance_clock(suite, 2 * TOTP_STEP);
    CU_ASSERT_EQUAL(browser_get(browser, "account/factor"), 200);
    snprintf(fields, sizeof(fields), "do=off&code=%s", totp_code(secret, suite_now(suite), code));
    CU_ASSERT_EQUAL(post_often(browser, "account/factor", fields), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account?note=factor-off"));
}

static void a_step_up_is_proved_once(void)
{
    OWNER owner = factor_patient(suite);
    BROWSER browser = browser_open(suite);
    char fields[1024];

    snprintf(fields, sizeof(fields), "email=%s&password=" FORM_PASSWORD, owner.person->email);
    browser_get(browser, "sign-in");
    CU_ASSERT_EQUAL(browser_post(browser, "sign-in", fields), 200);
    TEXT step = browser_value(browser, "step");
    snprintf(fields, sizeof(fields), "step=%s&code=%s", step, owner.recovery[0]);
    CU_ASSERT_EQUAL(browser_post(browser, "mfa", fields), 303);
    CU_ASSERT_EQUAL(browser_get(browser, "step-up?goal=account/delete"), 200);
    snprintf(fields, sizeof(fields), "goal=account/delete&code=%s", owner.recovery[1]);
    CU_ASSERT_EQUAL(post_often(browser, "step-up", fields), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account/delete"));
}

static void a_passkey_is_renamed_and_removed(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, suite_text(suite, "publicUrl"));
    PERSON person = passkey_patient(suite, key);
    BROWSER browser = browser_open(suite);
    char fields[256];

    sign_in(browser, person);
    CU_ASSERT_EQUAL(browser_get(browser, "account/passkeys"), 200);
    TEXT id = browser_value(browser, "passkey");
    snprintf(fields, sizeof(fields), "do=rename&passkey=%s&name=Telephone", id);
    CU_ASSERT_EQUAL(post_often(browser, "account/passkeys", fields), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "value=\"Telephone\""));
    snprintf(fields, sizeof(fields), "do=remove&passkey=%s", id);
    CU_ASSERT_EQUAL(post_often(browser, "account/passkeys", fields), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account/passkeys?note=passkey-changed"));
}

static void one_export_is_made(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    TEXT account = suite_account(suite, person->email);

    sign_in(browser, person);
    browser_get(browser, "account/export");
    CU_ASSERT_EQUAL(post_often(browser, "account/export", "do=ask"), 303);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.export where account_id = '%s'", account), 1);
}

static void a_sign_out_says_so(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    sign_in(browser, person);
    CU_ASSERT_EQUAL(post_often(browser, "account", "do=sign-out"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/sign-in?note=signed-out"));
}

static void an_account_is_deleted(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    sign_in(browser, person);
    CU_ASSERT_EQUAL(browser_get(browser, "account/delete"), 200);
    CU_ASSERT_EQUAL(post_often(browser, "account/delete", "days=0"), 200);
    CU_ASSERT_PTR_NULL(browser->cookie);
    CU_ASSERT_FALSE(browser_sees(browser, "role=\"alert\""));
}

static void a_consent_is_given_once(void)
{
    TEXT theirs = oauth_register(suite, admin, "{\"name\":\"Theirs\",\"firstParty\":false}");
    BROWSER browser = browser_open(suite);
    char form[1024], behind[256];

    snprintf(form, sizeof(form), "client_id=%s%s", theirs, OAUTH_USUAL);
    HTTP_ANSWER pushed = oauth_post(suite, "par", form);
    CHECK_STATUS(pushed, 201);
    snprintf(behind, sizeof(behind), "&request_uri=%s", http_text(pushed, "request_uri"));
    oauth_ask(browser, theirs, behind);
    oauth_follow(browser);
    CU_ASSERT_EQUAL(oauth_sign_in(browser, patient->email, FORM_PASSWORD), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
    CU_ASSERT_EQUAL(post_often(browser, "consent", "do=allow"), 303);
    TEXT answer = http_header(browser->page, "Location");
    for (int i = 0; i < 2; i++) { /* each click leads to a code */
        CU_ASSERT_EQUAL(browser_get(browser, answer), 303);
        TEXT code = oauth_parameter(browser, "code");
        HTTP_ANSWER tokens = oauth_exchange(suite, theirs, code);
        CHECK_STATUS(tokens, 200);
    }
    suite_advance_clock(suite, 61);
    CU_ASSERT_EQUAL(browser_get(browser, answer), 303);
    TEXT error = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(error, "invalid_request_uri");
}

static void a_device_is_let_in_once(void)
{
    TEXT tv = oauth_register(suite, admin, "{\"name\":\"Television\"," DEVICE_GRANTS "}");
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    BROWSER browser = browser_open(suite);
    char fields[1024];

    CU_ASSERT_EQUAL(device_arrive(browser, patient), 200);
    snprintf(fields, sizeof(fields), "do=find&code=%s", device.shown);
    CU_ASSERT_EQUAL(post_often(browser, "device", fields), 200); /* counts as one of five tries */
    TEXT step = browser_value(browser, "step");
    snprintf(fields, sizeof(fields), "do=approve&step=%s", step);
    CU_ASSERT_EQUAL(post_often(browser, "device", fields), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Device connected"));
    HTTP_ANSWER tokens = device_poll(suite, tv, device.code);
    CHECK_STATUS(tokens, 200);
}

static void an_answer_is_of_its_browser(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    BROWSER other = browser_open(suite);
    char fields[256];

    snprintf(fields, sizeof(fields), "email=%s&password=" FORM_PASSWORD, person->email);
    browser_get(browser, "sign-in");
    TEXT form = browser_form(browser, fields);
    TEXT before = strdup(browser->cookie);
    CU_ASSERT_EQUAL(browser_send(browser, "sign-in", form), 303);
    browser_get(other, "sign-in");
    CU_ASSERT_EQUAL(browser_send(other, "sign-in", form), 403);
    CU_ASSERT_STRING_NOT_EQUAL(other->cookie, browser->cookie);
    CU_ASSERT_EQUAL(browser_get(other, "account"), 303);

    free(other->cookie);
    other->cookie = strdup(before);
    snprintf(fields, sizeof(fields), "email=%s&password=guess", person->email);
    TEXT token = strdup(strstr(form, "formToken="));
    TEXT guess = NULL;
    if (asprintf(&guess, "%s&%s", fields, token) < 0)
        abort();
    CU_ASSERT_EQUAL(browser_send(other, "sign-in", guess), 400);
    CU_ASSERT_EQUAL(browser_send(other, "register", form), 422);
    CU_ASSERT_EQUAL(browser_get(other, "account"), 303);
}

/* The database has neither form nor response in plain text. */
static void an_answer_is_kept_sealed(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    sign_in(browser, person);
    const char *cookie = strchr(browser->cookie, '=') + 1;
    CU_ASSERT_TRUE(suite_count(suite, KEPT " where answer is not null") > 0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                KEPT " where position('%s'::bytea in answer) > 0 or "
                                     "position('/t/demo/account'::bytea in answer) > 0",
                                cookie),
                    0);
}

static void an_answer_is_kept_for_a_minute(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    sign_in(browser, person);
    browser_get(browser, "account/password");
    TEXT form = browser_form(browser, "old=" FORM_PASSWORD "&new=" NEW_PASSWORD);
    CU_ASSERT_EQUAL(browser_send(browser, "account/password", form), 303);
    suite_advance_clock(suite, 59);
    CU_ASSERT_EQUAL(browser_send(browser, "account/password", form), 303);
    suite_advance_clock(suite, 2);
    CU_ASSERT_EQUAL(browser_send(browser, "account/password", form), 400);
    CU_ASSERT_TRUE(browser_sees(browser, "The password is incorrect."));
    suite_advance_clock(suite, 61);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 65000, KEPT));
}

static void answers_take_bounded_room(void)
{
    BROWSER browser = browser_open(suite);
    long most;

    free(suite_query(suite,
                     "insert into auth.page_submission (slot, id, held_until, until, answer) "
                     "select n, sha256(n::text::bytea), 0, 9e15, 'x' "
                     "from generate_series(0, 8191) n on conflict do nothing"));
    most = suite_count(suite, KEPT);
    CU_ASSERT_EQUAL(most, SLOTS);
    for (int i = 0; i < 20; i++) {
        browser_get(browser, "sign-in");
        CU_ASSERT_EQUAL(post_often(browser, "sign-in", "email=a%40b.example&password="), 422);
    }
    CU_ASSERT_EQUAL(suite_count(suite, KEPT), most);
    free(suite_query(suite, "truncate auth.page_submission"));
}

static void a_failure_is_not_kept(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char fields[256];

    unit_expect_log(UNIT_ANY_LOG);
    snprintf(fields, sizeof(fields), "email=%s&password=" FORM_PASSWORD, person->email);
    browser_get(browser, "sign-in");
    TEXT form = browser_form(browser, fields);
    free(suite_query(suite, "create function auth.fail() returns trigger language plpgsql as "
                            "'begin raise exception ''no''; end'"));
    free(suite_query(suite, "create trigger fail before insert on auth.session for each row "
                            "execute function auth.fail()"));
    CU_ASSERT_TRUE(browser_send(browser, "sign-in", form) >= 500);
    free(suite_query(suite, "drop trigger fail on auth.session"));
    CU_ASSERT_EQUAL(browser_send(browser, "sign-in", form), 303);
    CU_ASSERT_EQUAL(sessions_of(person), 1);
}

/* Both authd die while they process a form. Sending it again executes it and signs the person in.
 * Earlier stored responses survive. */
static void deaths_lose_no_answer(void)
{
    PERSON person = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    BROWSER other = browser_open(suite);
    char fields[256];
    pid_t one, two, killer;

    unit_expect_log(UNIT_ANY_LOG);
    snprintf(fields, sizeof(fields), "email=%s&password=" FORM_PASSWORD, person->email);
    browser_get(other, "sign-in");
    TEXT done = browser_form(other, fields);
    TEXT before = strdup(other->cookie);
    CU_ASSERT_EQUAL(browser_send(other, "sign-in", done), 303);
    TEXT after = strdup(other->cookie);

    browser_get(browser, "sign-in");
    TEXT form = browser_form(browser, fields);
    one = suite_pid(suite, "authd", "1");
    two = suite_pid(suite, "authd", "2");
    PGconn *held = suite_lock(suite, "auth.session");
    killer = suite_kill_both_later(suite, "authd", 1000);
    CU_ASSERT_TRUE(browser_send(browser, "sign-in", form) >= 500);
    waitpid(killer, NULL, 0);
    suite_unlock(held);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", one));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", two));

    free(other->cookie);
    other->cookie = before;
    before = NULL;
    CU_ASSERT_EQUAL(browser_send(other, "sign-in", done), 303);
    CU_ASSERT_STRING_EQUAL(other->cookie, after);
    for (int i = 0; i < 3 && browser_send(browser, "sign-in", form) != 303; i++)
        usleep(500000);
    CU_ASSERT_EQUAL(browser->page->status, 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, person->email));
}

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &diary);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE_ALWAYS(the_scene_is_set),
        CASE(a_sign_in_makes_one_session),
        CASE(a_refusal_counts_once),
        CASE(a_recovery_code_signs_in),
        CASE(a_registration_makes_one_account),
        CASE(a_reset_mails_once),
        CASE(an_address_is_changed_confirmed_and_taken_back),
        CASE(an_invitation_is_accepted),
        CASE(a_password_is_changed_once),
        CASE(a_factor_is_turned_on_and_off),
        CASE(a_step_up_is_proved_once),
        CASE(a_passkey_is_renamed_and_removed),
        CASE(one_export_is_made),
        CASE(a_sign_out_says_so),
        CASE(an_account_is_deleted),
        CASE(a_consent_is_given_once),
        CASE(a_device_is_let_in_once),
        CASE(an_answer_is_of_its_browser),
        CASE(an_answer_is_kept_sealed),
        CASE(an_answer_is_kept_for_a_minute),
        CASE(answers_take_bounded_room),
        CASE(a_failure_is_not_kept),
        CASE(deaths_lose_no_answer),
        CASE_ALWAYS(the_scene_is_left),
    };

    return unit_run("page twice", cases, ARRAY_SIZE(cases));
}
