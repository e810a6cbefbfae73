/*
 * test_passkeys.c - passkeys by an authenticator in software: enrolment, sign-in of both roles,
 * step-up, and what must not work. Over two gateways and two authd, on the test clock. What
 * browsers do: test_passkeys_browser.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/authenticator.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

enum { FRESH = 900, LIFE = 300 }; /* seconds */

static const char patient_origin[] = "https://patient.demo.example",
                  practitioner_origin[] = "https://practitioner.demo.example";

static struct suite *suite;

static struct http_answer *post(const char *path, const char *access, json_t *body)
{
    return http_post(suite_url(suite), path, access, body);
}

/* ---- enrolment ---- */

static struct http_answer *enroll_start(const char *access)
{
    return post("/auth/passkey/enroll/start", access, json_object());
}

static struct http_answer *enroll_finish(const char *access, const char *id, json_t *credential)
{
    return post("/auth/passkey/enroll/finish", access,
                json_pack("{s:s, s:s, s:o}", "enrollmentId", id, "name", "My phone", "credential",
                          credential));
}

/* Starts and finishes with the key; the answer of the finish, or of a start that failed. */
static struct http_answer *enroll(const char *access, struct authenticator *key)
{
    struct http_answer *start = enroll_start(access), *finish;

    if (start->status != 200)
        return start;
    finish = enroll_finish(access, http_text(start, "enrollmentId"),
                           authenticator_create(key, http_member(start, "options")));
    http_answer_destroy(&start);
    return finish;
}

/* ---- sign-in ---- */

static json_t *start_body(const char *tenant, const char *email)
{
    return json_pack("{s:s*, s:s*, s:s}", "tenantCode", tenant, "email", email, "codeChallenge",
                     pkce_challenge);
}

static struct http_answer *sign_in_start(const char *role, const char *tenant, const char *email)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/passkey/start", role);
    return suite_post_fresh(suite, path, start_body(tenant, email));
}

static struct http_answer *sign_in_finish(const char *role, const char *id, json_t *credential)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/passkey/finish", role);
    return suite_post_fresh(suite, path,
                            json_pack("{s:s, s:o}", "loginId", id, "credential", credential));
}

/* Both steps in a tenant; the answer of the finish. */
static struct http_answer *show(const char *role, const char *tenant, const char *email,
                                struct authenticator *key)
{
    HTTP_ANSWER start = sign_in_start(role, tenant, email);

    CHECK_STATUS(start, 200);
    return sign_in_finish(role, http_text(start, "loginId"),
                          authenticator_get(key, http_member(start, "options")));
}

static struct http_answer *exchange(const char *role, const struct http_answer *step,
                                    const char *tenant)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/token", role);
    return suite_post_fresh(suite, path, body_login_token(http_text(step, "sessionCode"), tenant));
}

static void refused(const struct http_answer *answer)
{
    CHECK_ERROR(answer, 400, "The passkey is not accepted.");
}

/* The passkey by a challenge of the caller's session. */
static struct http_answer *step_up(const char *access, struct authenticator *key)
{
    HTTP_ANSWER start = post("/auth/step-up/start", access, json_object());

    CHECK_STATUS(start, 200);
    return post("/auth/step-up", access,
                json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                          authenticator_get(key, http_member(start, "options"))));
}

/* A patient with a passkey. */
static struct person *patient_with(struct authenticator *key)
{
    struct person *self = person_register(suite, NULL);
    HTTP_ANSWER added = enroll(self->access, key);

    CHECK_STATUS(added, 200);
    return self;
}

/* ---- what owners do ---- */

static void a_patient_enrols_a_passkey_and_signs_in(void)
{
    static const int algorithms[] = {AUTHENTICATOR_ES256, AUTHENTICATOR_EDDSA, AUTHENTICATOR_RS256};

    for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++) {
        AUTHENTICATOR key = authenticator_new(algorithms[i], patient_origin);
        PERSON person = patient_with(key);
        HTTP_ANSWER step = show("Patient", "demo", NULL, key);
        CHECK_STATUS(step, 200);
        CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), "token");
        HTTP_ANSWER tokens = exchange("Patient", step, NULL);
        CHECK_STATUS(tokens, 200);
        CU_ASSERT_STRING_EQUAL(http_text(tokens, "profile.reference"), person->profile);
        HTTP_ANSWER sessions =
            http_get(suite_url(suite), "/auth/session", http_text(tokens, "accessToken"));
        CU_ASSERT_STRING_EQUAL(http_text(sessions, "sessions.0.authMethod"), "passkey");
    }
}

static void a_practitioner_signs_in_to_a_tenant(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, practitioner_origin);
    PERSON admin = person_admin(suite);
    HTTP_ANSWER added = enroll(admin->access, key);
    CHECK_STATUS(added, 200);
    HTTP_ANSWER step = show("Practitioner", "demo", admin->email, key);
    CHECK_STATUS(step, 200);
    CU_ASSERT_STRING_EQUAL(http_text(step, "tenants.0.tenantCode"), "demo");
    HTTP_ANSWER tokens = exchange("Practitioner", step, "demo");
    CHECK_STATUS(tokens, 200);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", http_text(tokens, "accessToken"));
    CHECK_STATUS(me, 200);
}

static struct http_answer *rename_passkey(const char *access, const char *path)
{
    return http_call(suite_url(suite),
                     &(struct http_request){.method = "PATCH",
                                            .path = path,
                                            .bearer = access,
                                            .body = json_pack("{s:s}", "name", "Key ring")});
}

static void the_list_shows_names_and_uses(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);
    char path[96];

    HTTP_ANSWER before = http_get(suite_url(suite), "/auth/passkey", person->access);
    CHECK_STATUS(before, 200);
    CU_ASSERT_STRING_EQUAL(http_text(before, "passkeys.0.name"), "My phone");
    CU_ASSERT_STRING_EQUAL(http_text(before, "passkeys.0.rpId"), "patient.demo.example");
    CU_ASSERT_TRUE(json_is_null(http_member(before, "passkeys.0.lastUsedAt")));
    HTTP_ANSWER step = show("Patient", "demo", NULL, key);
    CHECK_STATUS(step, 200);
    snprintf(path, sizeof(path), "/auth/passkey/%s", http_text(before, "passkeys.0.id"));
    HTTP_ANSWER renamed = rename_passkey(person->access, path);
    CHECK_STATUS(renamed, 200);
    CU_ASSERT_STRING_EQUAL(http_text(renamed, "name"), "Key ring");
    HTTP_ANSWER after = http_get(suite_url(suite), "/auth/passkey", person->access);
    CU_ASSERT_STRING_EQUAL(http_text(after, "passkeys.0.name"), "Key ring");
    CU_ASSERT_TRUE(json_is_string(http_member(after, "passkeys.0.lastUsedAt")));
}

/* Adding and removing are changes of the credential. */
static void other_sessions_end_and_the_owner_gets_a_mail(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = person_register_settled(suite);
    PERSON other = person_sign_in(suite, "Patient", person->email, person->password, NULL);
    size_t mails = suite_mail_count(suite, person->email);
    char path[96];

    HTTP_ANSWER added = enroll(person->access, key);
    CHECK_STATUS(added, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, other->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 200));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, person->email, mails + 1));
    HTTP_ANSWER step = show("Patient", "demo", NULL, key);
    HTTP_ANSWER tokens = exchange("Patient", step, NULL);
    snprintf(path, sizeof(path), "/auth/passkey/%s", http_text(added, "id"));
    HTTP_ANSWER removed = http_delete(suite_url(suite), path, person->access);
    CHECK_STATUS(removed, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(tokens, "accessToken"), 401));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, person->email, mails + 2));
    HTTP_ANSWER twice = http_delete(suite_url(suite), path, person->access);
    CHECK_ERROR(twice, 404, "Passkey not found.");
    HTTP_ANSWER gone = show("Patient", "demo", NULL, key);
    refused(gone);
}

static void a_passkey_proves_again(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    AUTHENTICATOR second = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);
    HTTP_ANSWER list = http_get(suite_url(suite), "/auth/passkey", person->access);
    char path[96];

    snprintf(path, sizeof(path), "/auth/passkey/%s", http_text(list, "passkeys.0.id"));
    suite_advance_clock(suite, FRESH + 60);
    HTTP_ANSWER late = enroll(person->access, second);
    CHECK_STATUS(late, 401);
    CU_ASSERT_STRING_EQUAL(http_text(late, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER renamed = rename_passkey(person->access, path);
    CHECK_STATUS(renamed, 401);
    CU_ASSERT_STRING_EQUAL(http_text(renamed, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER removed = http_delete(suite_url(suite), path, person->access);
    CHECK_STATUS(removed, 401);
    CU_ASSERT_STRING_EQUAL(http_text(removed, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER same = http_get(suite_url(suite), "/auth/passkey", person->access);
    CU_ASSERT_STRING_EQUAL(http_text(same, "passkeys.0.name"), "My phone");
    HTTP_ANSWER start = post("/auth/step-up/start", person->access, json_object());
    CHECK_STATUS(start, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(start, "options.allowCredentials")), 1);
    HTTP_ANSWER proven =
        post("/auth/step-up", person->access,
             json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                       authenticator_get(key, http_member(start, "options"))));
    CHECK_STATUS(proven, 204);
    HTTP_ANSWER added = enroll(person->access, second);
    CHECK_STATUS(added, 200);
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, person->access);
    CHECK_STATUS(gone, 200);
}

/* As an operator: an admin without a factor could not take it back. */
static void require_mfa(const char *whom)
{
    PROGRAM set = ATRIUMCTL(suite, NULL, "project", "policy", "demo", "requireMfa", whom);

    CU_ASSERT_EQUAL(set->code, 0);
}

/* Where all must have a second factor, a passkey is one: of the session that enrols it and of one
 * that it signs in. */
static void a_passkey_is_a_second_factor(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = person_register(suite, NULL);

    require_mfa("everyone");
    HTTP_ANSWER without = http_get(suite_url(suite), "/document", person->access);
    CHECK_STATUS(without, 403);
    HTTP_ANSWER added = enroll(person->access, key);
    CHECK_STATUS(added, 200);
    HTTP_ANSWER with = http_get(suite_url(suite), "/document", person->access);
    CHECK_STATUS(with, 200);
    HTTP_ANSWER step = show("Patient", "demo", NULL, key);
    HTTP_ANSWER tokens = exchange("Patient", step, NULL);
    HTTP_ANSWER shown = http_get(suite_url(suite), "/document", http_text(tokens, "accessToken"));
    CHECK_STATUS(shown, 200);
    require_mfa("none");
}

/* How many passkeys were shown with this result ("good"), to all instances together. */
static long shown_passkeys(const char *result)
{
    HTTP_ANSWER answer = http_get(suite_admin_url(suite), "/metrics", NULL);
    char label[32];
    long sum = 0;

    snprintf(label, sizeof(label), "result=\"%s\"", result);
    for (const char *line = answer->body; line; line = strchr(line, '\n')) {
        const char *end = strchr(++line, ' '), *found = strstr(line, label);

        if (strncmp(line, "atrium_auth_passkeys_total{", 27) == 0 && found && found < end)
            sum += strtol(end, NULL, 10);
    }
    return sum;
}

/* An operator learns why people are not asked for their passkeys any more. */
static void doctor_and_metrics_know_passkeys(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON admin = person_admin(suite);
    PERSON person = patient_with(key);
    long good = shown_passkeys("good"), bad = shown_passkeys("bad");
    PROGRAM before = ATRIUMCTL(suite, NULL, "doctor");

    CU_ASSERT_PTR_NULL(strstr(before->out, "host name any more"));
    HTTP_ANSWER shown = show("Patient", "demo", NULL, key);
    CHECK_STATUS(shown, 200);
    CU_ASSERT_EQUAL(shown_passkeys("good"), good + 1);
    HTTP_ANSWER gone = http_delete(suite_url(suite), "/auth/delete", person->access);
    CHECK_STATUS(gone, 200);
    free(suite_query(suite, "delete from auth.passkey where credential_id in (select "
                            "credential_id from auth.passkey order by created_at desc limit 1)"));
    HTTP_ANSWER unknown = show("Patient", "demo", NULL, key);
    CHECK_STATUS(unknown, 400);
    CU_ASSERT_EQUAL(shown_passkeys("bad"), bad + 1);
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", "https://moved.example");
    PROGRAM after = ATRIUMCTL(suite, NULL, "doctor");
    CU_ASSERT_PTR_NOT_NULL(strstr(after->out, "host name any more"));
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", patient_origin);
}

/* ---- beside a code ---- */

/* A sign-in by password that waits for the second factor. */
static struct http_answer *wait_for_factor(const struct person *person)
{
    struct http_answer *step =
        suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                         body_login_start(person->email, person->password, "demo"));

    CHECK_STATUS(step, 200);
    CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), "mfa");
    return step;
}

static struct http_answer *mfa_start(const char *role, const char *login)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/mfa/start", role);
    return suite_post_fresh(suite, path, json_pack("{s:s}", "loginId", login));
}

static struct http_answer *mfa(const char *role, const char *login, json_t *credential)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/mfa", role);
    return suite_post_fresh(suite, path,
                            json_pack("{s:s, s:o*}", "loginId", login, "credential", credential));
}

static void enroll_codes(const struct person *person)
{
    uint8_t secret[TOTP_SECRET];
    char code[7];

    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", person->access);
    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER on = post("/auth/mfa/enroll", person->access,
                          json_pack("{s:s}", "token", totp_code(secret, suite_now(suite), code)));
    CHECK_STATUS(on, 200);
}

static void a_passkey_is_shown_instead_of_a_code(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);
    enroll_codes(person);

    HTTP_ANSWER step = wait_for_factor(person);
    const char *login = http_text(step, "loginId");
    HTTP_ANSWER neither = mfa("Patient", login, NULL);
    CHECK_PROBLEM(neither, "mfaToken");
    HTTP_ANSWER replaced = mfa_start("Patient", login);
    CHECK_STATUS(replaced, 200);
    HTTP_ANSWER start = mfa_start("Patient", login);
    CHECK_STATUS(start, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(start, "options.allowCredentials")), 1);
    HTTP_ANSWER older =
        mfa("Patient", login, authenticator_get(key, http_member(replaced, "options")));
    refused(older);
    HTTP_ANSWER spent =
        mfa("Patient", login, authenticator_get(key, http_member(start, "options")));
    CHECK_ERROR(spent, 400, "The challenge is invalid or has expired.");
    HTTP_ANSWER again = mfa_start("Patient", login);
    HTTP_ANSWER shown =
        mfa("Patient", login, authenticator_get(key, http_member(again, "options")));
    CHECK_STATUS(shown, 200);
    HTTP_ANSWER tokens = exchange("Patient", shown, NULL);
    CHECK_STATUS(tokens, 200);
    HTTP_ANSWER sessions =
        http_get(suite_url(suite), "/auth/session", http_text(tokens, "accessToken"));
    CU_ASSERT_STRING_EQUAL(http_text(sessions, "sessions.0.authMethod"), "password+passkey");
}

static void check_first_step(const struct person *person, const char *want)
{
    HTTP_ANSWER step = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                        body_login_start(person->email, person->password, "demo"));

    CHECK_STATUS(step, 200);
    CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), want);
}

/* After a password it is asked for where the policy demands a second factor, and nowhere else; on
 * the routes of one step, too. */
static void a_passkey_follows_a_password_where_it_is_demanded(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);
    PERSON other = person_register(suite, NULL);

    check_first_step(person, "token");
    require_mfa("practitioners");
    check_first_step(person, "token");
    require_mfa("everyone");
    check_first_step(other, "token"); /* who has none sets one up in the session */
    HTTP_ANSWER one = suite_post_fresh(
        suite, "/v2/auth/login",
        json_pack("{s:s, s:s, s:s, s:s}", "email", person->email, "password", person->password,
                  "clientId", suite_text(suite, "demo.clientId"), "codeChallenge", pkce_challenge));
    CHECK_STATUS(one, 401);
    CU_ASSERT_STRING_EQUAL(http_text(one, "code"), "MFA_REQUIRED");
    HTTP_ANSWER step = wait_for_factor(person);
    const char *login = http_text(step, "loginId");
    HTTP_ANSWER code =
        suite_post_fresh(suite, "/auth/tenant/Patient/login/mfa",
                         json_pack("{s:s, s:s}", "loginId", login, "mfaToken", "123456"));
    CHECK_STATUS(code, 400);
    HTTP_ANSWER start = mfa_start("Patient", login);
    HTTP_ANSWER shown =
        mfa("Patient", login, authenticator_get(key, http_member(start, "options")));
    HTTP_ANSWER tokens = exchange("Patient", shown, NULL);
    HTTP_ANSWER documents =
        http_get(suite_url(suite), "/document", http_text(tokens, "accessToken"));
    CHECK_STATUS(documents, 200);
    require_mfa("none");
    check_first_step(person, "token");
}

/* One of another relying party cannot be shown here: it is not asked for. */
static void a_passkey_from_elsewhere_is_not_demanded(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);

    require_mfa("everyone");
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with moved as (update auth.passkey set project_id = "
                                "gen_random_uuid() where account_id = (select id from "
                                "auth.account where email = '%s') returning 1) select count(*) "
                                "from moved",
                                person->email),
                    1);
    check_first_step(person, "token");
    require_mfa("none");
}

/* A mailed code is one factor, too. */
static void a_passkey_follows_a_mailed_code_where_it_is_demanded(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);
    PROGRAM on = ATRIUMCTL(suite, NULL, "project", "policy", "demo", "mailCode", "true");

    CU_ASSERT_EQUAL(on->code, 0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with proven as (insert into auth.email_verified select id, "
                                "'00000000-0000-0000-0000-000000000000', 0 from auth.account where "
                                "email = '%s' returning 1) select count(*) from proven",
                                person->email),
                    1);
    require_mfa("everyone");
    HTTP_ANSWER begun =
        suite_post_fresh(suite, "/auth/tenant/Patient/code/start",
                         json_pack("{s:s, s:s, s:s}", "email", person->email, "tenantCode", "demo",
                                   "codeChallenge", pkce_challenge));
    HTTP_ANSWER step =
        suite_post_fresh(suite, "/auth/tenant/Patient/login/code",
                         json_pack("{s:s, s:s}", "loginId", http_text(begun, "loginId"), "code",
                                   suite_mail_code(suite, person->email)));
    CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), "mfa");
    HTTP_ANSWER start = mfa_start("Patient", http_text(step, "loginId"));
    HTTP_ANSWER shown = mfa("Patient", http_text(step, "loginId"),
                            authenticator_get(key, http_member(start, "options")));
    HTTP_ANSWER tokens = exchange("Patient", shown, NULL);
    CHECK_STATUS(tokens, 200);
    require_mfa("none");
}

/* Five wrong ones end the sign-in, like codes; and the passkey must be the account's. */
static void wrong_passkeys_end_the_sign_in(void)
{
    enum { FAILURES_MAX = 5 };
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    AUTHENTICATOR foreign = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);
    UNUSED PERSON thief = patient_with(foreign);
    enroll_codes(person);

    HTTP_ANSWER step = wait_for_factor(person);
    const char *login = http_text(step, "loginId");
    for (int i = 0; i < FAILURES_MAX; i++) {
        HTTP_ANSWER start = mfa_start("Patient", login);
        CHECK_STATUS(start, 200);
        HTTP_ANSWER wrong =
            mfa("Patient", login, authenticator_get(foreign, http_member(start, "options")));
        refused(wrong);
    }
    HTTP_ANSWER over = mfa_start("Patient", login);
    CHECK_ERROR(over, 400, "Login session is invalid or has expired.");
    HTTP_ANSWER elsewhere = mfa_start("Practitioner", login);
    CHECK_ERROR(elsewhere, 400, "Login session is invalid or has expired.");
}

/* ---- what must not work ---- */

static void a_wrong_page_or_authenticator_is_refused(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);
    static const char *const origins[] = {"https://evil.example", "http://patient.demo.example",
                                          "https://patient.demo.example:8443",
                                          "https://practitioner.demo.example"};

    for (size_t i = 0; i < ARRAY_SIZE(origins); i++) {
        key->origin = origins[i];
        HTTP_ANSWER answer = show("Patient", "demo", NULL, key);
        refused(answer);
    }
    key->origin = patient_origin;
    key->flags = AUTHENTICATOR_PRESENT;
    HTTP_ANSWER unverified = show("Patient", "demo", NULL, key);
    refused(unverified);
    HTTP_ANSWER start = enroll_start(person->access);
    key->id[0] ^= 1;
    HTTP_ANSWER added = enroll_finish(person->access, http_text(start, "enrollmentId"),
                                      authenticator_create(key, http_member(start, "options")));
    refused(added);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.audit where event->>'action' = "
                                       "'passkey.add' and event->>'detail' = 'verification'"),
                    1);
}

static void a_challenge_is_good_once_and_for_five_minutes(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    UNUSED PERSON person = patient_with(key);

    HTTP_ANSWER start = sign_in_start("Patient", "demo", NULL);
    json_t *credential = authenticator_get(key, http_member(start, "options"));
    HTTP_ANSWER first =
        sign_in_finish("Patient", http_text(start, "loginId"), json_incref(credential));
    CHECK_STATUS(first, 200);
    HTTP_ANSWER replayed =
        sign_in_finish("Patient", http_text(start, "loginId"), json_incref(credential));
    CHECK_ERROR(replayed, 400, "The challenge is invalid or has expired.");
    HTTP_ANSWER other = sign_in_start("Patient", "demo", NULL);
    HTTP_ANSWER moved = sign_in_finish("Patient", http_text(other, "loginId"), credential);
    refused(moved);
    HTTP_ANSWER last = sign_in_start("Patient", "demo", NULL);
    suite_advance_clock(suite, LIFE + 1);
    HTTP_ANSWER late = sign_in_finish("Patient", http_text(last, "loginId"),
                                      authenticator_get(key, http_member(last, "options")));
    CHECK_ERROR(late, 400, "The challenge is invalid or has expired.");
}

/* It is with the client: no instance needs to live from one step to the next. */
static void a_challenge_outlives_every_authd(void)
{
    static const char *const instances[] = {"1", "2"};
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);
    pid_t pids[ARRAY_SIZE(instances)];

    HTTP_ANSWER start = sign_in_start("Patient", "demo", NULL);
    CHECK_STATUS(start, 200);
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++) {
        pids[i] = suite_pid(suite, "authd", instances[i]);
        suite_signal(suite, "authd", instances[i], SIGKILL);
    }
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", instances[i], pids[i]));
    HTTP_ANSWER step = sign_in_finish("Patient", http_text(start, "loginId"),
                                      authenticator_get(key, http_member(start, "options")));
    CHECK_STATUS(step, 200);
    HTTP_ANSWER tokens = exchange("Patient", step, NULL);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "profile.reference"), person->profile);
}

/* What it holds is the service's: a client can change nothing of it. */
static void an_altered_login_id_is_none(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    UNUSED PERSON person = patient_with(key);

    HTTP_ANSWER start = sign_in_start("Patient", "demo", NULL);
    const char *login_id = http_text(start, "loginId");
    for (size_t at = 0; at < strlen(login_id); at += strlen(login_id) / 8) {
        char *altered = strdup(login_id);

        altered[at] = altered[at] == 'A' ? 'B' : 'A';
        HTTP_ANSWER answer = sign_in_finish("Patient", altered,
                                            authenticator_get(key, http_member(start, "options")));
        CHECK_ERROR(answer, 400, "The challenge is invalid or has expired.");
        free(altered);
    }
    HTTP_ANSWER good =
        sign_in_finish("Patient", login_id, authenticator_get(key, http_member(start, "options")));
    CHECK_STATUS(good, 200);
}

/* A challenge belongs to what it was made for: kind, role and session. */
static void a_challenge_serves_its_own_purpose(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    AUTHENTICATOR thief_key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);
    PERSON thief = person_register(suite, NULL);

    HTTP_ANSWER start = sign_in_start("Patient", "demo", NULL);
    HTTP_ANSWER role = sign_in_finish("Practitioner", http_text(start, "loginId"),
                                      authenticator_get(key, http_member(start, "options")));
    CHECK_STATUS(role, 400);
    HTTP_ANSWER step =
        post("/auth/step-up", person->access,
             json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                       authenticator_get(key, http_member(start, "options"))));
    CHECK_STATUS(step, 422);
    HTTP_ANSWER enrolment = enroll_start(person->access);
    HTTP_ANSWER stolen =
        enroll_finish(thief->access, http_text(enrolment, "enrollmentId"),
                      authenticator_create(thief_key, http_member(enrolment, "options")));
    CHECK_ERROR(stolen, 400, "The challenge is invalid or has expired.");
}

static void of_many_answers_to_one_challenge_one_counts(void)
{
    enum { MANY = 16 };
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    UNUSED PERSON person = patient_with(key);
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    size_t good = 0;

    HTTP_ANSWER start = sign_in_start("Patient", "demo", NULL);
    json_t *credential = authenticator_get(key, http_member(start, "options"));
    for (size_t i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/tenant/Patient/passkey/finish",
                                            .body = json_pack("{s:s, s:O}", "loginId",
                                                              http_text(start, "loginId"),
                                                              "credential", credential)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (size_t i = 0; i < MANY; i++)
        good += answers[i]->status == 200;
    CU_ASSERT_EQUAL(good, 1);
    http_answers_destroy(answers, MANY);
    json_decref(credential);
}

static void an_account_has_at_most_twenty(void)
{
    enum { MOST = 20, MANY = 6 };
    PERSON person = person_register(suite, NULL);
    struct http_request requests[MANY];
    struct http_answer *answers[MANY], *starts[MANY];
    struct authenticator *keys[MANY];
    size_t good = 0;

    for (size_t i = 0; i + 3 < MOST; i++) {
        AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_EDDSA, patient_origin);
        HTTP_ANSWER added = enroll(person->access, key);
        CHECK_STATUS(added, 200);
    }
    for (size_t i = 0; i < MANY; i++) {
        keys[i] = authenticator_new(AUTHENTICATOR_EDDSA, patient_origin);
        starts[i] = enroll_start(person->access);
        requests[i] = (struct http_request){
            .method = "POST",
            .path = "/auth/passkey/enroll/finish",
            .bearer = person->access,
            .body = json_pack("{s:s, s:o}", "enrollmentId", http_text(starts[i], "enrollmentId"),
                              "credential",
                              authenticator_create(keys[i], http_member(starts[i], "options")))};
    }
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (size_t i = 0; i < MANY; i++) {
        good += answers[i]->status == 200;
        UNIT_CHECK(answers[i]->status == 200 || answers[i]->status == 409, "%d",
                   answers[i]->status);
        authenticator_destroy(&keys[i]);
        http_answer_destroy(&starts[i]);
    }
    CU_ASSERT_EQUAL(good, 3);
    http_answers_destroy(answers, MANY);
    HTTP_ANSWER full = enroll_start(person->access);
    CHECK_ERROR(full, 409, "An account has at most 20 passkeys.");
}

static void a_passkey_belongs_to_one_account(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON one = patient_with(key);
    PERSON two = person_register(suite, NULL);

    HTTP_ANSWER taken = enroll(two->access, key);
    CHECK_ERROR(taken, 409, "This passkey is in use already.");
    HTTP_ANSWER mine = http_get(suite_url(suite), "/auth/passkey", one->access);
    char path[96];
    snprintf(path, sizeof(path), "/auth/passkey/%s", http_text(mine, "passkeys.0.id"));
    HTTP_ANSWER removed = http_delete(suite_url(suite), path, two->access);
    CHECK_ERROR(removed, 404, "Passkey not found.");
    HTTP_ANSWER other = show("Patient", "demo", two->email, key);
    refused(other);
}

/* A tenant's application has a host name of its own: what is made there opens that tenant only,
 * also where another one claims the same host. */
static void a_passkey_opens_its_tenant_only(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, practitioner_origin);
    PERSON admin = person_admin(suite);
    HTTP_ANSWER added = enroll(admin->access, key);
    CHECK_STATUS(added, 200);
    PERSON child = person_admin_of_child(suite, "below");
    suite_set_value(suite, child->access, "PRACTITIONER_APP_URL", practitioner_origin);
    HTTP_ANSWER below = show("Practitioner", "below", NULL, key);
    CHECK_STATUS(below, 200);
    AUTHENTICATOR low = authenticator_new(AUTHENTICATOR_ES256, practitioner_origin);
    HTTP_ANSWER lower = enroll(child->access, low);
    CHECK_STATUS(lower, 200);
    HTTP_ANSWER up = show("Practitioner", "demo", NULL, low);
    refused(up);
    HTTP_ANSWER down = show("Practitioner", "below", NULL, low);
    CHECK_STATUS(down, 200);
}

/* A passkey of a child's application is no proof and no second factor of the same practitioner
 * above it. */
static void a_childs_passkey_proves_nothing_above_it(void)
{
    static const char reach[] = "select count(*) from auth.audit where event->>'action' = '%s' and "
                                "event->>'outcome' = 'failure' and event->>'detail' = 'reach'";
    AUTHENTICATOR high = authenticator_new(AUTHENTICATOR_ES256, practitioner_origin);
    AUTHENTICATOR low = authenticator_new(AUTHENTICATOR_ES256, practitioner_origin);
    AUTHENTICATOR far = authenticator_new(AUTHENTICATOR_ES256, "https://beneath.example");
    PERSON child = person_admin_of_child(suite, "beneath");
    char path[96];
    long before;

    suite_set_value(suite, child->access, "PRACTITIONER_APP_URL", practitioner_origin);
    HTTP_ANSWER lower = enroll(child->access, low);
    CHECK_STATUS(lower, 200);
    suite_set_value(suite, child->access, "PRACTITIONER_APP_URL", "https://beneath.example");
    HTTP_ANSWER farther = enroll(child->access, far);
    CHECK_STATUS(farther, 200);
    PERSON admin = person_admin(suite);
    HTTP_ANSWER upper = enroll(admin->access, high);
    CHECK_STATUS(upper, 200);

    HTTP_ANSWER proven = step_up(admin->access, high);
    CHECK_STATUS(proven, 204);
    HTTP_ANSWER above = step_up(admin->access, low);
    refused(above);
    CU_ASSERT_EQUAL(suite_count(suite, reach, "session.step-up"), 1);
    HTTP_ANSWER elsewhere = step_up(admin->access, far);
    refused(elsewhere);
    PERSON again = person_sign_in(suite, "Practitioner", admin->email, admin->password, "beneath");
    HTTP_ANSWER there = step_up(again->access, far);
    CHECK_STATUS(there, 204);
    suite_set_value(suite, again->access, "PRACTITIONER_APP_URL", practitioner_origin);
    HTTP_ANSWER below = step_up(again->access, low);
    CHECK_STATUS(below, 204);
    HTTP_ANSWER down = step_up(again->access, high);
    CHECK_STATUS(down, 204);

    before = suite_count(suite, reach, "session.create");
    require_mfa("practitioners");
    HTTP_ANSWER step = suite_post_fresh(suite, "/auth/tenant/Practitioner/login/start",
                                        body_login_start(admin->email, admin->password, "demo"));
    CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), "mfa");
    struct authenticator *const wrong[] = {low, far};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        HTTP_ANSWER start = mfa_start("Practitioner", http_text(step, "loginId"));
        HTTP_ANSWER answer = mfa("Practitioner", http_text(step, "loginId"),
                                 authenticator_get(wrong[i], http_member(start, "options")));
        refused(answer);
    }
    CU_ASSERT_EQUAL(suite_count(suite, reach, "session.create"), before + 1);
    HTTP_ANSWER start = mfa_start("Practitioner", http_text(step, "loginId"));
    HTTP_ANSWER answer = mfa("Practitioner", http_text(step, "loginId"),
                             authenticator_get(high, http_member(start, "options")));
    CHECK_STATUS(answer, 200);
    require_mfa("none");
    snprintf(path, sizeof(path), "/auth/passkey/%s", http_text(farther, "id"));
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, again->access);
    CHECK_STATUS(gone, 200);
}

/* The first step by password of that practitioner in a tenant. */
static struct http_answer *begin_in(const char *tenant, const struct person *person)
{
    return suite_post_fresh(suite, "/auth/tenant/Practitioner/login/start",
                            body_login_start(person->email, person->password, tenant));
}

/* Whose passkeys were all made in `project`, an expression of SQL. */
static void move_passkeys(const char *project)
{
    CU_ASSERT_TRUE(suite_count(suite,
                               "with moved as (update auth.passkey set project_id = %s where "
                               "account_id = (select account_id from auth.passkey where rp_id = "
                               "'under.example') and rp_id = 'under.example' returning 1) select "
                               "count(*) from moved",
                               project) == 1);
}

/* Below, where the application has the same host, a passkey made above is accepted, so that it is
 * asked for: a password alone must not lead to a session in which another factor can be set up. */
static void a_passkey_made_above_is_demanded_below(void)
{
    static const char origin[] = "https://under.example";
    static const struct {
        const char *label, *project;
        bool demanded;
    } rows[] = {
        {"made above", NULL, true},
        {"of the installation", "null", true},
        {"of another project", "gen_random_uuid()", false},
    };
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, origin);
    PERSON child = person_admin_of_child(suite, "under");
    PERSON admin = person_admin(suite);

    suite_set_value(suite, child->access, "PRACTITIONER_APP_URL", origin);
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", origin);
    HTTP_ANSWER added = enroll(admin->access, key);
    CHECK_STATUS(added, 200);
    PROGRAM on =
        ATRIUMCTL(suite, NULL, "project", "policy", "under", "requireMfa", "practitioners");
    CU_ASSERT_EQUAL(on->code, 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].project)
            move_passkeys(rows[i].project);
        HTTP_ANSWER step = begin_in("under", admin);
        UNIT_CHECK(strcmp(http_text(step, "nextStep"), rows[i].demanded ? "mfa" : "token") == 0,
                   "%s: %s", rows[i].label, http_text(step, "nextStep"));
        if (!rows[i].demanded)
            continue;
        HTTP_ANSWER start = mfa_start("Practitioner", http_text(step, "loginId"));
        HTTP_ANSWER answer = mfa("Practitioner", http_text(step, "loginId"),
                                 authenticator_get(key, http_member(start, "options")));
        CHECK_STATUS(answer, 200);
    }
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", practitioner_origin);
}

/* Browsers make none on http, but on the machine itself, nor where the host is a number. */
static void an_application_without_https_has_no_passkeys(void)
{
    static const char no_application[] = "Passkeys need an application with an https address.";
    static const struct {
        const char *url, *rp_id; /* NULL: none */
    } rows[] = {
        {"http://patient.demo.example", NULL},
        {"http://localhost.demo.example", NULL},
        {"http://notlocalhost", NULL},
        {"http://127.0.0.1:3000", NULL},
        {"https://192.0.2.1", NULL},
        {"http://localhost:3000", "localhost"},
        {"http://app.localhost", "app.localhost"},
        {"https://PATIENT.demo.example/app", "patient.demo.example"},
    };
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON admin = person_admin(suite);
    PERSON person = patient_with(key);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        suite_set_value(suite, admin->access, "PATIENT_APP_URL", rows[i].url);
        HTTP_ANSWER start = sign_in_start("Patient", "demo", NULL);
        HTTP_ANSWER enrolment = enroll_start(person->access);
        if (rows[i].rp_id) {
            CHECK_STATUS(start, 200);
            CHECK_STATUS(enrolment, 200);
            UNIT_CHECK(strcmp(http_text(start, "options.rpId"), rows[i].rp_id) == 0, "%s: %s",
                       rows[i].url, http_text(start, "options.rpId"));
            CU_ASSERT_STRING_EQUAL(http_text(enrolment, "options.rp.id"), rows[i].rp_id);
        } else {
            UNIT_CHECK(start->status == 400, "%s: %d", rows[i].url, start->status);
            CHECK_ERROR(start, 400, no_application);
            CHECK_ERROR(enrolment, 400, no_application);
            HTTP_ANSWER proof = post("/auth/step-up/start", person->access, json_object());
            CHECK_ERROR(proof, 400, no_application);
        }
    }
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", rows[0].url);
    require_mfa("everyone");
    check_first_step(person, "token"); /* it could not be shown */
    require_mfa("none");
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", patient_origin);
}

/* A start writes nothing; refusals are written down, so that a client gets a hundred in ten
 * seconds.
 */
static void refusals_of_one_client_are_limited(void)
{
    enum { STARTS = 130, MOST = 100 };
    static const char rows[] = "select (select count(*) from auth.passkey_start_spent) + "
                               "(select count(*) from auth.passkey_ceremony) + "
                               "(select count(*) from auth.throttle)";
    AUTHENTICATOR unknown = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    struct http_request requests[STARTS];
    struct http_answer *answers[STARTS];
    char *source = fresh_source();
    int told = 0, refusals = 0;
    int64_t before = suite_count(suite, rows);

    for (size_t i = 0; i < STARTS; i++) {
        HTTP_ANSWER start = sign_in_start("Patient", "demo", NULL);
        json_t *body = json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                                 authenticator_get(unknown, http_member(start, "options")));
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/tenant/Patient/passkey/finish",
                                            .body = body,
                                            .source = source};
    }
    CU_ASSERT_EQUAL(suite_count(suite, rows), before);
    http_call_many(suite_url(suite), requests, STARTS, 8, answers);
    for (size_t i = 0; i < STARTS; i++) {
        told += answers[i]->status == 400;
        refusals += answers[i]->status == 429;
    }
    UNIT_CHECK(told == MOST && refusals == STARTS - MOST, "%d told, %d refused", told, refusals);
    http_answers_destroy(answers, STARTS);
    free(source);
}

/* However many are sent for one start. */
static void a_start_leaves_one_refusal(void)
{
    enum { MANY = 16 };
    static const char refused_rows[] = "select count(*) from auth.audit where event->>'detail' = "
                                       "'credential' and event->>'outcome' <> 'ok'";
    AUTHENTICATOR unknown = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int64_t before = suite_count(suite, refused_rows);

    HTTP_ANSWER start = sign_in_start("Patient", "demo", NULL);
    for (size_t i = 0; i < MANY; i++)
        requests[i] = (struct http_request){
            .method = "POST",
            .path = "/auth/tenant/Patient/passkey/finish",
            .body = json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                              authenticator_get(unknown, http_member(start, "options")))};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (size_t i = 0; i < MANY; i++)
        CHECK_STATUS(answers[i], 400);
    http_answers_destroy(answers, MANY);
    CU_ASSERT_EQUAL(suite_count(suite, refused_rows), before + 1);
}

static void known_and_unknown_addresses_get_the_same_options(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);
    const char *const emails[] = {person->email, "not-there@patients.example"};
    char *texts[2];

    for (size_t i = 0; i < 2; i++) {
        HTTP_ANSWER start = sign_in_start("Patient", "demo", emails[i]);
        CHECK_STATUS(start, 200);
        json_object_del(start->json, "loginId");
        json_object_del(http_member(start, "options"), "challenge");
        texts[i] = json_dumps(start->json, JSON_SORT_KEYS);
    }
    CU_ASSERT_STRING_EQUAL(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

/* The owner's mails about a passkey, and audit rows, of a counter that fell. */
static void check_counter(const struct person *person, const char *passkey, size_t mails)
{
    CU_ASSERT_TRUE(suite_mails_arrive(suite, person->email, mails));
    char *mail = suite_mail(suite, person->email, 1000);
    CU_ASSERT_PTR_NOT_NULL(mail ? strstr(mail, "My phone") : NULL);
    free(mail);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where event->>'action' = "
                                "'passkey.counter' and entity = 'Passkey/%s'",
                                passkey),
                    1);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select sign_count from auth.passkey where id = '%s'", passkey), 100);
}

static void a_counter_that_falls_is_reported(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = person_register_settled(suite);
    HTTP_ANSWER added = enroll(person->access, key);
    CHECK_STATUS(added, 200);
    suite_mails_settle(suite);
    size_t mails = suite_mail_count(suite, person->email);

    key->count = 100;
    HTTP_ANSWER first = show("Patient", "demo", NULL, key);
    CHECK_STATUS(first, 200);
    key->count = 50;
    HTTP_ANSWER copy = show("Patient", "demo", NULL, key);
    CHECK_STATUS(copy, 200);
    check_counter(person, http_text(added, "id"), mails + 1);
}

/* It proves all the same: who has it may be the owner, whose authenticator lost count. */
static void a_counter_that_falls_at_a_step_up_is_reported(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    AUTHENTICATOR second = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = person_register_settled(suite);
    HTTP_ANSWER added = enroll(person->access, key);
    CHECK_STATUS(added, 200);
    suite_mails_settle(suite);
    size_t mails = suite_mail_count(suite, person->email);

    key->count = 100;
    HTTP_ANSWER first = step_up(person->access, key);
    CHECK_STATUS(first, 204);
    suite_advance_clock(suite, FRESH + 60);
    key->count = 50;
    HTTP_ANSWER copy = step_up(person->access, key);
    CHECK_STATUS(copy, 204);
    check_counter(person, http_text(added, "id"), mails + 1);
    HTTP_ANSWER shown = show("Patient", "demo", NULL, key); /* below the counter, still */
    CHECK_STATUS(shown, 200);
    HTTP_ANSWER fresh = enroll(person->access, second);
    CHECK_STATUS(fresh, 200);
}

static void switches_and_locks_hold(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON admin = person_admin(suite);
    UNUSED PERSON person = patient_with(key);

    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    HTTP_ANSWER closed = sign_in_start("Patient", "demo", NULL);
    CHECK_ERROR(closed, 403, "Login is not enabled.");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
    HTTP_ANSWER none = sign_in_start("Patient", "no-such-tenant", NULL);
    CHECK_ERROR(none, 404, "Tenant not found.");
    char *locked = suite_query(suite, "update auth.account set locked_at = 1 where id = (select "
                                      "account_id from auth.passkey order by created_at desc, id "
                                      "desc limit 1) returning 1");
    HTTP_ANSWER refusal = show("Patient", "demo", NULL, key);
    CHECK_ERROR(refusal, 403, "Login is not enabled.");
    CU_ASSERT_STRING_EQUAL(http_text(refusal, "code"), "ACCOUNT_LOCKED");
    free(locked);
}

/* The mailbox beats who was here last week. */
/* Asks for the link to set the password, and uses it. */
static void reset_password(const struct person *person)
{
    suite_mails_settle(suite);
    HTTP_ANSWER sent =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", person->email, "tenantCode", "demo"));
    CHECK_STATUS(sent, 200);
    suite_mails_settle(suite);
    struct mail_link link = suite_mail_link(suite, person->email, "set-password");
    HTTP_ANSWER set = suite_post_link(suite, "/auth/set-password", &link, NULL, person->password);
    CHECK_STATUS(set, 204);
}

/* Who registers the address of another person keeps no way in, however old it is. */
static void the_first_proof_of_the_address_drops_every_passkey(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);

    suite_advance_clock(suite, 8 * 86400);
    reset_password(person);
    HTTP_ANSWER dropped = show("Patient", "demo", NULL, key);
    refused(dropped);
}

static void a_reset_drops_passkeys_of_the_last_week(void)
{
    AUTHENTICATOR older = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    AUTHENTICATOR newer = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = person_register_settled(suite);

    for (int round = 0; round < 2; round++) { /* the first proves the address */
        reset_password(person);
        PERSON again = person_sign_in(suite, "Patient", person->email, person->password, NULL);
        if (round == 0) {
            HTTP_ANSWER one = enroll(again->access, older);
            CHECK_STATUS(one, 200);
            suite_advance_clock(suite, 8 * 86400);
            PERSON later = person_sign_in(suite, "Patient", person->email, person->password, NULL);
            HTTP_ANSWER two = enroll(later->access, newer);
            CHECK_STATUS(two, 200);
        }
    }
    HTTP_ANSWER kept = show("Patient", "demo", NULL, older);
    CHECK_STATUS(kept, 200);
    HTTP_ANSWER dropped = show("Patient", "demo", NULL, newer);
    refused(dropped);
}

/* The device is lost; the operator knows who asks. */
static void an_operator_takes_passkeys_away(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, patient_origin);
    PERSON person = patient_with(key);

    PROGRAM before =
        ATRIUMCTL(suite, NULL, "user", "show", person->email, "--project", "demo", "--json");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(before->json, "passkeys")), 1);
    PROGRAM reset =
        ATRIUMCTL(suite, NULL, "user", "reset-mfa", "--project", "demo", "--email", person->email);
    CHECK_EXIT(reset, 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
    HTTP_ANSWER gone = show("Patient", "demo", NULL, key);
    refused(gone);
    PROGRAM twice =
        ATRIUMCTL(suite, NULL, "user", "reset-mfa", "--project", "demo", "--email", person->email);
    CHECK_EXIT(twice, 1);
}

static void related_origins_are_the_configured_ones(void)
{
    suite_reconfigure(suite, "authd.account_app_url=https://account.example,"
                             "authd.passkey_origins=https://account.example.org");
    HTTP_ANSWER listed = http_get(suite_url(suite), "/.well-known/webauthn", NULL);
    CHECK_STATUS(listed, 200);
    CU_ASSERT_STRING_EQUAL(http_text(listed, "origins.0"), "https://account.example");
    CU_ASSERT_STRING_EQUAL(http_text(listed, "origins.1"), suite_text(suite, "publicUrl"));
    CU_ASSERT_STRING_EQUAL(http_text(listed, "origins.2"), "https://account.example.org");
    /* a practitioner who names no tenant */
    HTTP_ANSWER start = sign_in_start("Practitioner", NULL, NULL);
    CHECK_STATUS(start, 200);
    CU_ASSERT_STRING_EQUAL(http_text(start, "options.rpId"), "account.example");
}

/* A configured origin makes and uses the installation's passkeys; another one does not. */
static void related_origins_use_the_installations_passkeys(void)
{
    static const char *const good[] = {"https://account.example", "https://account.example.org"};
    static const char *const bad[] = {"https://account.example.net", "http://account.example.org",
                                      "https://account.example.org:8443",
                                      "https://www.account.example.org"};
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, good[1]);
    PERSON admin = person_admin(suite);

    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", "");
    HTTP_ANSWER added = enroll(admin->access, key);
    CHECK_STATUS(added, 200);
    CU_ASSERT_STRING_EQUAL(http_text(added, "rpId"), "account.example");
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        key->origin = good[i];
        HTTP_ANSWER shown = show("Practitioner", NULL, NULL, key);
        UNIT_CHECK(shown->status == 200, "%s: %d", good[i], shown->status);
        HTTP_ANSWER proven = step_up(admin->access, key);
        UNIT_CHECK(proven->status == 204, "%s: %d", good[i], proven->status);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        AUTHENTICATOR other = authenticator_new(AUTHENTICATOR_ES256, bad[i]);
        HTTP_ANSWER made = enroll(admin->access, other);
        refused(made);
        key->origin = bad[i];
        HTTP_ANSWER shown = show("Practitioner", NULL, NULL, key);
        refused(shown);
        HTTP_ANSWER proven = step_up(admin->access, key);
        refused(proven);
    }
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", practitioner_origin);
}

/* What browsers would not read is refused at a start. */
static void wrong_related_origins_are_refused_at_start(void)
{
    static const char form[] = "passkey_origins: %s must be https://host[:port]",
                      many[] = "passkey_origins has more than 5 domains";
    static const struct {
        const char *list, *named; /* the one that is malformed; NULL: too many */
        bool good;
    } rows[] = {
        {"https://a.example/", "https://a.example/", false},
        {"https://a.example/path", "https://a.example/path", false},
        {"https://a.example:443", "https://a.example:443", false},
        {"https://a.example:0", "https://a.example:0", false},
        {"https://a.example:65536", "https://a.example:65536", false},
        {"https://a.example:", "https://a.example:", false},
        {"https://A.example", "https://A.example", false},
        {"https://user@a.example", "https://user@a.example", false},
        {"http://a.example", "http://a.example", false},
        {"https://192.0.2.1", "https://192.0.2.1", false},
        {"https://", "https://", false},
        {"https://a.example, b.example", "b.example", false},
        {"https://a.test, https://b.test, https://c.test, https://d.test, https://e.test, "
         "https://f.test",
         NULL, false},
        {"https://a.test, https://b.test, https://c.test, https://d.test, https://e.test", NULL,
         true},
        /* one label */
        {"https://a.test, https://www.a.test, https://a.test:8443, https://a.co.uk, "
         "https://a.example, https://b.a.example",
         NULL, true},
        {"http://localhost:3000", NULL, true},
    };
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char *authd = program_path("atrium-authd"), text[512], complaint[160];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        snprintf(text, sizeof(text), "authd\n    passkey_origins = \"%s\"\n", rows[i].list);
        const char *config = unit_dir_write(&dir, "atrium.conf", text);
        PROGRAM check = program_run(
            (const char *const[]){authd, "--config", config, "--check-config", NULL}, NULL);

        if (rows[i].good) {
            UNIT_CHECK(check->code == 0, "%s: %s", rows[i].list, check->err);
            continue;
        }
        if (rows[i].named)
            snprintf(complaint, sizeof(complaint), form, rows[i].named);
        PROGRAM start = program_run((const char *const[]){authd, "--config", config, NULL}, NULL);
        CHECK_REFUSED(check, 1, rows[i].named ? complaint : many);
        CHECK_REFUSED(start, 1, rows[i].named ? complaint : many);
    }
    free(authd);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_patient_enrols_a_passkey_and_signs_in),
    CASE(a_practitioner_signs_in_to_a_tenant),
    CASE(the_list_shows_names_and_uses),
    CASE(other_sessions_end_and_the_owner_gets_a_mail),
    CASE(a_wrong_page_or_authenticator_is_refused),
    CASE(a_challenge_is_good_once_and_for_five_minutes),
    CASE(a_challenge_outlives_every_authd),
    CASE(an_altered_login_id_is_none),
    CASE(a_challenge_serves_its_own_purpose),
    CASE(of_many_answers_to_one_challenge_one_counts),
    CASE(an_account_has_at_most_twenty),
    CASE(a_passkey_belongs_to_one_account),
    CASE(a_passkey_opens_its_tenant_only),
    CASE(a_childs_passkey_proves_nothing_above_it),
    CASE(a_passkey_made_above_is_demanded_below),
    CASE(an_application_without_https_has_no_passkeys),
    CASE(refusals_of_one_client_are_limited),
    CASE(a_start_leaves_one_refusal),
    CASE(known_and_unknown_addresses_get_the_same_options),
    CASE(a_counter_that_falls_is_reported),
    CASE(a_counter_that_falls_at_a_step_up_is_reported),
    CASE(switches_and_locks_hold),
    CASE(a_passkey_proves_again),
    CASE(a_passkey_is_shown_instead_of_a_code),
    CASE(a_passkey_follows_a_password_where_it_is_demanded),
    CASE(a_passkey_from_elsewhere_is_not_demanded),
    CASE(a_passkey_follows_a_mailed_code_where_it_is_demanded),
    CASE(wrong_passkeys_end_the_sign_in),
    CASE(the_first_proof_of_the_address_drops_every_passkey),
    CASE(a_reset_drops_passkeys_of_the_last_week),
    CASE(an_operator_takes_passkeys_away),
    CASE(related_origins_are_the_configured_ones),
    CASE(related_origins_use_the_installations_passkeys),
    CASE(wrong_related_origins_are_refused_at_start),
    CASE(a_passkey_is_a_second_factor),
    CASE(doctor_and_metrics_know_passkeys),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("passkeys", cases, ARRAY_SIZE(cases));
}
