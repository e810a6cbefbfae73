/*
 * test_email_verify.c - verification of email addresses: an account belongs to the owner of its
 * mailbox, not to an earlier registration.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define RESET "/auth/reset-password"
#define SET "/auth/set-password"
#define PATIENT_APP "https://patient.demo.example"

#define SEND "/auth/verify-email/send"
#define VERIFY "/auth/verify-email"
#define PAGES "authd.account_app_url=https://account.example"

enum { DAY = 86400, HOUR = 3600 };

static const char bad_link[] = "The link is invalid or has expired.";

static struct suite *suite;

/* Returns what /auth/me says of the address: 1 verified, 0 not, -1 no such session. */
static int verified(const char *access)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), "/auth/me", access);

    if (answer->status != 200)
        return -1;
    return json_is_true(http_member(answer, "security.emailVerified"));
}

/* Sets the password with a new emailed link. The address then has `number` emails. */
static void reset_by_link(const char *email, size_t number, const char *password)
{
    HTTP_ANSWER requested = suite_post_fresh(
        suite, RESET, json_pack("{s:s, s:s}", "email", email, "tenantCode", "demo"));

    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, number));
    struct mail_link link = suite_mail_link(suite, email, PATIENT_APP "/set-password");
    HTTP_ANSWER set = suite_post_fresh(suite, SET,
                                       json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                 link.secret, "password", password));
    CHECK_STATUS(set, 204);
}

static void enroll(const struct person *person)
{
    uint8_t secret[TOTP_SECRET];

    totp_enrol(suite, person, suite_now(suite), secret);
}

/* Checks the first step of a sign-in: "token", "mfa", or "" for a refusal. */
static void check_next_step(const char *email, const char *password, const char *want)
{
    HTTP_ANSWER start = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                         body_login_start(email, password, "demo"));

    CU_ASSERT_STRING_EQUAL(http_text(start, "nextStep"), want);
}

static void a_reset_link_proves_the_address(void)
{
    PERSON patient = person_register_settled(suite);

    CU_ASSERT_EQUAL(verified(patient->access), 0);
    reset_by_link(patient->email, 2, "from the link");
    PERSON again = person_sign_in(suite, "Patient", patient->email, "from the link", NULL);
    CU_ASSERT_EQUAL(verified(again->access), 1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where event->>'action' = "
                                "'email.verify' and event->>'account' = (select id::text from "
                                "auth.account where email = '%s')",
                                patient->email),
                    1);
}

/* An attacker has registered the owner's address, enabled a second factor and scheduled the
 * deletion. */
static void the_mailbox_beats_the_squatter(void)
{
    PERSON squatter = person_register_settled(suite);

    enroll(squatter);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with let_in as (insert into auth.oauth_consent (project_id, "
                                "account_id, client_id, client_name, scope, resource, tos_version, "
                                "created_at, updated_at) select project_id, id, 'a', 'A', "
                                "'openid', '', '', 0, 0 from auth.account where email = '%s' "
                                "returning 1) select count(*) from let_in",
                                squatter->email),
                    1);
    HTTP_ANSWER doomed = http_delete(suite_url(suite), "/auth/delete", squatter->access);
    CHECK_STATUS(doomed, 200);
    CU_ASSERT_TRUE(
        suite_mails_arrive(suite, squatter->email, 3)); /* welcome, factor and deletion */
    reset_by_link(squatter->email, 4, "the owner's own");
    CU_ASSERT_TRUE(suite_everywhere(suite, squatter->access, 401));
    check_next_step(squatter->email, squatter->password, "");
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.account a where email = '%s' and "
                                "delete_at is null and not exists (select from auth.oauth_consent "
                                "c where c.account_id = a.id)",
                                squatter->email),
                    1);
    PERSON owner = person_sign_in(suite, "Patient", squatter->email, "the owner's own", NULL);
    CU_ASSERT_EQUAL(owner->status, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, owner->access, 200));
    CU_ASSERT_EQUAL(verified(owner->access), 1);
}

static void a_reset_of_a_proven_account_keeps_the_factor(void)
{
    PERSON patient = person_register_settled(suite);

    reset_by_link(patient->email, 2, "once");
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 3));
    PERSON owner = person_sign_in(suite, "Patient", patient->email, "once", NULL);
    enroll(owner);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 4));
    reset_by_link(patient->email, 5, "twice");
    CU_ASSERT_TRUE(suite_everywhere(suite, owner->access, 401));
    check_next_step(patient->email, "twice", "mfa");
}

static void a_factor_of_thirty_days_stays(void)
{
    PERSON old = person_register_settled(suite);

    enroll(old);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, old->email, 2));
    suite_advance_clock(suite, DAY);
    PERSON young = person_register_settled(suite);
    enroll(young);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, young->email, 2));
    suite_advance_clock(suite, 29 * DAY + DAY / 2);
    reset_by_link(old->email, 3, "by mail");
    reset_by_link(young->email, 3, "by mail");
    check_next_step(old->email, "by mail", "mfa");
    check_next_step(young->email, "by mail", "token");
    suite_set_clock(suite, 0);
}

/* Deletes the verifications, as after an upgrade: only the audit log records them. */
static void the_audit_trail_proves_what_was_before(void)
{
    PERSON proven = person_register_settled(suite);
    PERSON other = person_register_settled(suite);

    reset_by_link(proven->email, 2, "by link");
    PERSON again = person_sign_in(suite, "Patient", proven->email, "by link", NULL);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 0, 10000, "select count(*) from auth.audit where sequence is null"));
    free(suite_query(suite, "delete from auth.email_verified"));
    CU_ASSERT_EQUAL(verified(again->access), 0);
    free(suite_query(suite, "update auth.email_scan set sequence = 0, done = false"));
    suite_halt(suite);
    suite_restart(suite);
    suite_set_clock(suite, suite_clock_ahead(suite));
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 1, 10000, "select count(*) from auth.email_scan where done"));
    CU_ASSERT_EQUAL(verified(again->access), 1);
    CU_ASSERT_EQUAL(verified(other->access), 0);
}

static void map_verification(bool mapped)
{
    static const char path[] = "/v1/project/email-templates/EMAIL_VERIFICATION";
    PERSON admin = person_admin(suite);

    if (mapped) {
        HTTP_ANSWER put = http_put(suite_url(suite), path, admin->access,
                                   json_pack("{s:s, s:s}", "subject", "Confirm", "text",
                                             "Confirm: {{verifyUrl}}"));
        CHECK_STATUS(put, 200);
    } else {
        HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);
        CHECK_STATUS(gone, 204);
    }
}

static struct http_answer *send_fresh(const char *access, const char *email)
{
    char *source = fresh_source();
    struct http_answer *answer = http_call(
        suite_url(suite),
        &(struct http_request){
            .method = "POST",
            .path = SEND,
            .bearer = access,
            .source = source,
            .body = email ? json_pack("{s:s, s:s}", "email", email, "tenantCode", "demo") : NULL});

    free(source);
    return answer;
}

static json_t *body_verify(const struct mail_link *link, const char *password)
{
    return json_pack("{s:s, s:s, s:s*}", "id", link->id, "secret", link->secret, "password",
                     password);
}

static struct http_answer *verify(const struct mail_link *link, const char *access,
                                  const char *password)
{
    return suite_post_link(suite, VERIFY, link, access, password);
}

static struct mail_link newest_link(const char *email)
{
    return suite_mail_link(suite, email, PATIENT_APP "/verify-email");
}

/* Registers a patient of the demo tenant with the template mapped, and returns the emailed link. */
static struct person *linked_patient(struct mail_link *ret_link)
{
    struct person *self = person_register(suite, NULL);

    CU_ASSERT_TRUE(
        suite_mails_arrive(suite, self->email, 2)); /* welcome and confirmation, in any order */
    *ret_link = (struct mail_link){.id = ""};
    if (self->status == 200) {
        HTTP_ANSWER sent = send_fresh(self->access, NULL);
        CHECK_STATUS(sent, 200);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, self->email, 3));
        *ret_link = newest_link(self->email);
    }
    return self;
}

static void a_link_is_spent_by_its_owner_only(void)
{
    struct mail_link link;

    map_verification(true);
    PERSON stranger = person_register(suite, NULL);
    PERSON patient = linked_patient(&link);

    HTTP_ANSWER get = http_get(suite_url(suite), VERIFY, patient->access);
    CHECK_STATUS(get, 405);
    HTTP_ANSWER nobody = verify(&link, NULL, NULL);
    CHECK_STATUS(nobody, 401);
    CU_ASSERT_STRING_EQUAL(http_text(nobody, "code"), "SIGN_IN_REQUIRED");
    HTTP_ANSWER other = verify(&link, stranger->access, NULL);
    CHECK_STATUS(other, 401);
    CU_ASSERT_STRING_EQUAL(http_text(other, "code"), "SIGN_IN_REQUIRED");
    HTTP_ANSWER wrong = verify(&link, NULL, "wrong");
    CHECK_STATUS(wrong, 401);
    CU_ASSERT_STRING_EQUAL(http_text(wrong, "code"), "SIGN_IN_REQUIRED");
    HTTP_ANSWER forged = verify(&link, "a.b.c", patient->password);
    CHECK_STATUS(forged, 401);
    CU_ASSERT_EQUAL(verified(patient->access), 0);

    HTTP_ANSWER good = verify(&link, patient->access, NULL);
    CHECK_STATUS(good, 204);
    CU_ASSERT_EQUAL(verified(patient->access), 1);
    HTTP_ANSWER again = verify(&link, patient->access, NULL);
    CHECK_ERROR(again, 400, bad_link);
    struct mail_link made_up = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", "x"};
    HTTP_ANSWER unknown = verify(&made_up, NULL, NULL);
    CHECK_ERROR(unknown, 400, bad_link);
    HTTP_ANSWER fields = suite_post_fresh(suite, VERIFY, json_object());
    CHECK_PROBLEM(fields, "id");
    CHECK_PROBLEM(fields, "secret");
}

static void the_newest_link_lives_a_day(void)
{
    struct mail_link old, other;
    PERSON patient = linked_patient(&old);
    PERSON late = linked_patient(&other);

    HTTP_ANSWER sent = send_fresh(NULL, patient->email);
    CHECK_STATUS(sent, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 4));
    struct mail_link new = newest_link(patient->email);
    HTTP_ANSWER dead = verify(&old, NULL, patient->password);
    CHECK_ERROR(dead, 400, bad_link);
    suite_advance_clock(suite, DAY - 60);
    HTTP_ANSWER good = verify(&new, NULL, patient->password);
    CHECK_STATUS(good, 204);
    suite_advance_clock(suite, 120);
    HTTP_ANSWER over = verify(&other, NULL, late->password);
    CHECK_ERROR(over, 400, bad_link);
    suite_set_clock(suite, 0);

    /* A verified address gets no email. */
    HTTP_ANSWER more = send_fresh(NULL, patient->email);
    CHECK_STATUS(more, 200);
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, patient->email), 4);
}

static void one_of_many_spends_a_link(void)
{
    enum { MANY = 64 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    struct mail_link link;
    PERSON patient = linked_patient(&link);
    int won = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = VERIFY,
                                            .bearer = patient->access,
                                            .body = body_verify(&link, NULL)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        won += answers[i]->status == 204;
        if (answers[i]->status != 204)
            CHECK_ERROR(answers[i], 400, bad_link);
    }
    CU_ASSERT_EQUAL(won, 1);
    CU_ASSERT_EQUAL(verified(patient->access), 1);
    http_answers_destroy(answers, MANY);
}

static void guesses_by_a_link_are_counted(void)
{
    struct mail_link link;
    PERSON patient = linked_patient(&link);
    char *source = fresh_source();

    for (int i = 0; i <= 10; i++) {
        HTTP_ANSWER answer =
            http_call(suite_url(suite),
                      &(struct http_request){
                          .method = "POST",
                          .path = VERIFY,
                          .source = source,
                          .body = body_verify(&link, i < 10 ? "wrong" : patient->password)});
        CHECK_STATUS(answer, i < 10 ? 401 : 429);
    }
    CU_ASSERT_EQUAL(verified(patient->access), 0);
    free(source);
}

/* The response does not reveal an account (its time: test_answer_times), and one mailbox gets ten
 * emails an hour. */
static void sending_reveals_no_account_and_is_limited(void)
{
    enum { TRIES = 9 };
    PERSON patient = person_register(suite, NULL);

    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));
    for (int i = 0; i < TRIES; i++) {
        char *nobody = person_address();
        HTTP_ANSWER one = send_fresh(NULL, patient->email);
        HTTP_ANSWER two = send_fresh(NULL, nobody);

        CHECK_STATUS(one, 200);
        CHECK_STATUS(two, 200);
        CU_ASSERT_STRING_EQUAL(one->body, two->body);
        free(nobody);
    }
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, patient->email), 10);
    HTTP_ANSWER requested = suite_post_fresh(
        suite, RESET, json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));
    CHECK_STATUS(requested, 200);
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, patient->email),
                    10); /* limit for emails of all kinds */
    suite_advance_clock(suite, HOUR + 60);
    HTTP_ANSWER later = send_fresh(NULL, patient->email);
    CHECK_STATUS(later, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 11));
    suite_set_clock(suite, 0);
    HTTP_ANSWER fields = suite_post_fresh(suite, SEND, json_object());
    CHECK_PROBLEM(fields, "email");
    CHECK_PROBLEM(fields, "tenantCode");
}

/* The email is the built-in one, in the name of the tenant. A registration sends none. */
static void an_unmapped_link_is_mailed_when_requested(void)
{
    map_verification(false);
    PERSON patient = person_register_settled(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, patient->email), 1);
    HTTP_ANSWER sent = send_fresh(patient->access, NULL);
    CHECK_STATUS(sent, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));
    char *mail = suite_mail(suite, patient->email, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "Subject: Verify your email address for Demo Clinic\r\n"));
    free(mail);
    struct mail_link link = newest_link(patient->email);
    HTTP_ANSWER good = verify(&link, patient->access, NULL);
    CHECK_STATUS(good, 204);
}

static void check_waits(const struct http_answer *registered)
{
    CHECK_STATUS(registered, 200);
    CU_ASSERT_STRING_EQUAL(http_text(registered, "nextStep"), "verify-email");
    CU_ASSERT_PTR_NULL(http_member(registered, "accessToken"));
    CU_ASSERT_EQUAL(json_object_size(registered->json), 1);
}

static void check_unproven(const struct http_answer *answer)
{
    CHECK_STATUS(answer, 403);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "EMAIL_NOT_VERIFIED");
}

static json_t *body_client(const char *email, const char *password)
{
    return json_pack("{s:s, s:s, s:s}", "email", email, "password", password, "clientId",
                     suite_text(suite, "demo.clientId"));
}

static void patients_wait_for_the_proof(void)
{
    PERSON admin = person_admin(suite);
    char *email = person_address();
    static const char password[] = "correct horse battery staple";

    suite_require_proofs(suite, admin, true);
    HTTP_ANSWER registered =
        suite_post_fresh(suite, "/auth/tenant/Patient/register", body_register(email, "demo"));
    check_waits(registered);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.session s join auth.account a on a.id = "
                                "s.account_id where a.email = '%s'",
                                email),
                    0);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    HTTP_ANSWER wrong = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                         body_login_start(email, "wrong", "demo"));
    CHECK_ERROR(wrong, 400, "Username or password is incorrect.");
    HTTP_ANSWER start = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                         body_login_start(email, password, "demo"));
    check_unproven(start);
    HTTP_ANSWER one = suite_post_fresh(suite, "/v2/auth/login", body_client(email, password));
    check_unproven(one);
    PROGRAM explained = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                                  email, "--json");
    CU_ASSERT_PTR_NOT_NULL(strstr(explained->out, "address verified"));
    CU_ASSERT_PTR_NOT_NULL(strstr(explained->out, "verify-email/send"));

    HTTP_ANSWER sent = send_fresh(NULL, email);
    CHECK_STATUS(sent, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 3));
    struct mail_link link = newest_link(email);
    HTTP_ANSWER good = verify(&link, NULL, password);
    CHECK_STATUS(good, 204);
    PERSON patient = person_sign_in(suite, "Patient", email, password, NULL);
    CU_ASSERT_EQUAL(verified(patient->access), 1);
    suite_require_proofs(suite, admin, false);
    free(email);
}

static long settings_requests(void)
{
    static const char name[] = "atrium_bus_requests_total{service=\"settingsd\"";
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    const char *line = metrics->body ? strstr(metrics->body, name) : NULL;

    CU_ASSERT_PTR_NOT_NULL(line);
    return line && strchr(line, ' ') ? strtol(strchr(line, ' ') + 1, NULL, 10) : 0;
}

/* A verification is for an organization. authd caches which projects belong to it, because that
 * never changes. */
static void check_asks_no_more(const char *access)
{
    enum { TIMES = 40 };
    long before;

    CU_ASSERT_EQUAL(verified(access), 1);
    before = settings_requests();
    for (int i = 0; i < TIMES; i++)
        CU_ASSERT_EQUAL(verified(access), 1);
    UNIT_CHECK(settings_requests() - before < TIMES / 2, "%ld requests",
               settings_requests() - before);
}

static void practitioners_wait_for_the_proof(void)
{
    PERSON admin = person_admin(suite);
    char *email = person_address();
    static const char password[] = "correct horse battery staple";

    suite_require_proofs(suite, admin, true);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    HTTP_ANSWER registered =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/register", body_register(email, "demo"));
    check_waits(registered);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    HTTP_ANSWER start = suite_post_fresh(suite, "/auth/tenant/Practitioner/login/start",
                                         body_login_start(email, password, "demo"));
    CHECK_STATUS(start, 200);
    HTTP_ANSWER token = suite_post_fresh(suite, "/auth/tenant/Practitioner/login/token",
                                         body_login_token(http_text(start, "sessionCode"), NULL));
    check_unproven(token);
    HTTP_ANSWER one = suite_post_fresh(suite, "/v2/auth/login", body_client(email, password));
    check_unproven(one);
    struct mail_link link =
        suite_mail_link(suite, email, "https://practitioner.demo.example/verify-email");
    HTTP_ANSWER good = verify(&link, NULL, password);
    CHECK_STATUS(good, 204);
    HTTP_ANSWER later = suite_post_fresh(suite, "/auth/tenant/Practitioner/login/token",
                                         body_login_token(http_text(start, "sessionCode"), NULL));
    CHECK_STATUS(later, 200); /* the code was not consumed by the refusals */
    check_asks_no_more(http_text(later, "accessToken"));
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    suite_require_proofs(suite, admin, false);
    free(email);
}

static void one_step_accounts_wait_for_the_proof(void)
{
    PERSON admin = person_admin(suite);
    static const char password[] = "correct horse battery staple";
    static const struct {
        const char *enrol, *sign_in, *page;
        bool tenant;
    } rows[] = {
        {"/auth/register", "/v2/auth/login", PATIENT_APP "/verify-email", false},
        {"/auth/b2b/register", "/auth/b2b/login", "https://practitioner.demo.example/verify-email",
         true},
    };

    suite_require_proofs(suite, admin, true);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *email = person_address();
        json_t *body = body_client(email, password), *names;

        if (rows[i].tenant)
            json_object_set_new(body, "tenantId", json_string(strchr(admin->project, '/') + 1));
        names = json_deep_copy(body);
        json_object_set_new(names, "name", json_string("Ana"));
        json_object_set_new(names, "surname", json_string("Lima"));
        HTTP_ANSWER registered = suite_post_fresh(suite, rows[i].enrol, names);
        check_waits(registered);
        HTTP_ANSWER early = suite_post_fresh(suite, rows[i].sign_in, json_deep_copy(body));
        check_unproven(early);
        if (!rows[i].tenant) { /* welcome and confirmation, in any order */
            CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
            HTTP_ANSWER sent = send_fresh(NULL, email);
            CHECK_STATUS(sent, 200);
            CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 3));
        }
        struct mail_link link = suite_mail_link(suite, email, rows[i].page);
        HTTP_ANSWER good = verify(&link, NULL, password);
        CHECK_STATUS(good, 204);
        HTTP_ANSWER late = suite_post_fresh(suite, rows[i].sign_in, body);
        CHECK_STATUS(late, 200);
        CU_ASSERT_PTR_NOT_NULL(http_member(late, "accessToken"));
        free(email);
    }
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    suite_require_proofs(suite, admin, false);
}

static struct person *make_tenant(const char *code)
{
    char *email = person_address();
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", code, "--code", code);
    PROGRAM admin = ATRIUMCTL(suite, "correct horse\n", "user", "create-admin", "--project", code,
                              "--email", email, "--name", "Olga", "--surname", "Petrova");
    struct person *self;

    CU_ASSERT_EQUAL(made->code, 0);
    CU_ASSERT_EQUAL(admin->code, 0);
    self = person_sign_in(suite, "Practitioner", email, "correct horse", code);
    CU_ASSERT_EQUAL(self->status, 200);
    free(email);
    return self;
}

/* Inserts a membership of the practitioner, however that can arise. */
static void add_member(const char *email, const char *project)
{
    CU_ASSERT_EQUAL(
        suite_count(
            suite,
            "with made as (insert into auth.membership (project_id, id, account_id, "
            "profile_id, created_at) select '%s', gen_random_uuid(), id, gen_random_uuid(), "
            "0 from auth.account where email = '%s' and role = 'Practitioner' returning 1) "
            "select count(*) from made",
            strchr(project, '/') ? strchr(project, '/') + 1 : project, email),
        1);
}

/* The admin's template tries to capture links that are emailed in the project's name. */
static void set_trap(const struct person *admin, const char *template, const char *variable)
{
    char path[96], html[128];

    snprintf(path, sizeof(path), "/v1/project/email-templates/%s", template);
    snprintf(html, sizeof(html), "<p><a href=\"{{%s}}\">trap</a></p>", variable);
    HTTP_ANSWER put =
        http_put(suite_url(suite), path, admin->access,
                 json_pack("{s:s, s:s, s:s}", "subject", "trap", "text", "trap", "html", html));
    CHECK_STATUS(put, 200);
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", "https://trap.example");
}

static void ask_reset(const char *email, const char *tenant, size_t number)
{
    HTTP_ANSWER requested = suite_post_fresh(
        suite, RESET,
        json_pack("{s:s, s:s, s:s}", "email", email, "tenantCode", tenant, "type", "Practitioner"));

    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, number));
}

static bool mail_has(const char *email, const char *text)
{
    char *mail = suite_mail(suite, email, 0);
    bool has = mail && strstr(mail, text);

    free(mail);
    return has;
}

static void no_tenant_reads_the_link_of_anothers_member(void)
{
    PERSON victim = make_tenant("victims");
    PERSON attacker = make_tenant("attackers");

    set_trap(attacker, "PASSWORD_RESET", "resetUrl");
    add_member(victim->email, attacker->project);
    ask_reset(victim->email, "attackers", 1);
    CU_ASSERT_FALSE(mail_has(victim->email, "trap"));
    struct mail_link link =
        suite_mail_link(suite, victim->email, "https://account.example/set-password");
    HTTP_ANSWER set = suite_post_fresh(suite, SET,
                                       json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                 link.secret, "password", "mine again"));
    CHECK_STATUS(set, 204);
    PERSON there = person_sign_in(suite, "Practitioner", victim->email, "mine again", "attackers");
    CU_ASSERT_EQUAL(verified(there->access), 1); /* valid for all tenants */
}

static void a_tenant_mails_its_own_members(void)
{
    PERSON admin = make_tenant("owners");
    HTTP_ANSWER child =
        http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                  json_pack("{s:s, s:s}", "name", "Child", "tenantCode", "owners-child"));
    CHECK_STATUS(child, 200);
    PERSON below =
        person_sign_in(suite, "Practitioner", admin->email, admin->password, "owners-child");
    HTTP_ANSWER grandchild =
        http_post(suite_url(suite), "/v1/slim/project/child", below->access,
                  json_pack("{s:s, s:s}", "name", "Grandchild", "tenantCode", "owners-grandchild"));
    CHECK_STATUS(grandchild, 200);
    set_trap(admin, "PASSWORD_RESET", "resetUrl");
    ask_reset(admin->email, "owners", 1);
    CU_ASSERT_TRUE(mail_has(admin->email, "https://trap.example/set-password"));

    /* The reset is requested in the child, to which this admin of its parent does not belong. */
    set_trap(below, "PASSWORD_RESET", "resetUrl");
    ask_reset(admin->email, "owners-child", 2);
    CU_ASSERT_FALSE(mail_has(admin->email, "trap"));
    CU_ASSERT_TRUE(mail_has(admin->email, "https://account.example/set-password"));
}

static void without_pages_of_its_own_the_installation_mails_no_link(void)
{
    PERSON victim = make_tenant("victims-two");
    PERSON attacker = make_tenant("attackers-two");

    suite_reconfigure(suite, "common.public_url="); /* now there are no hosted pages either */
    set_trap(attacker, "PASSWORD_RESET", "resetUrl");
    add_member(victim->email, attacker->project);
    ask_reset(victim->email, "attackers-two", 1);
    CU_ASSERT_FALSE(mail_has(victim->email, "trap"));
    CU_ASSERT_FALSE(mail_has(victim->email, "set-password"));
    CU_ASSERT_TRUE(mail_has(victim->email, "ask an administrator"));
    suite_reconfigure(suite, PAGES);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_reset_link_proves_the_address),
    CASE(the_mailbox_beats_the_squatter),
    CASE(a_reset_of_a_proven_account_keeps_the_factor),
    CASE(a_factor_of_thirty_days_stays),
    CASE(the_audit_trail_proves_what_was_before),
    CASE(a_link_is_spent_by_its_owner_only),
    CASE(the_newest_link_lives_a_day),
    CASE(one_of_many_spends_a_link),
    CASE(guesses_by_a_link_are_counted),
    CASE(sending_reveals_no_account_and_is_limited),
    CASE(an_unmapped_link_is_mailed_when_requested),
    CASE(patients_wait_for_the_proof),
    CASE(practitioners_wait_for_the_proof),
    CASE(one_step_accounts_wait_for_the_proof),
    CASE(no_tenant_reads_the_link_of_anothers_member),
    CASE(a_tenant_mails_its_own_members),
    CASE(without_pages_of_its_own_the_installation_mails_no_link),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(
        struct suite_options){.instances = "authd=2,gateway=2", .set = PAGES, .test_clock = true});
    return unit_run("email verification", cases, ARRAY_SIZE(cases));
}
