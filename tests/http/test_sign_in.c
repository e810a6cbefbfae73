/*
 * test_sign_in.c - login start and token for both roles, PKCE, throttle, equal work.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define START "/auth/tenant/Patient/login/start"
#define TOKEN "/auth/tenant/Patient/login/token"
#define STAFF_START "/auth/tenant/Practitioner/login/start"
#define STAFF_TOKEN "/auth/tenant/Practitioner/login/token"

static const char wrong_login[] = "Username or password is incorrect.";
static const char bad_session[] = "Login session is invalid or has expired.";

static struct suite *suite;

static struct http_answer *start_from(const char *source, const char *path, const char *email,
                                      const char *password, const char *tenant)
{
    return http_call(suite_url(suite),
                     &(struct http_request){.method = "POST",
                                            .path = path,
                                            .source = source,
                                            .body = body_login_start(email, password, tenant)});
}

static struct http_answer *start(const char *path, const char *email, const char *password,
                                 const char *tenant)
{
    char *source = fresh_source();
    struct http_answer *answer = start_from(source, path, email, password, tenant);

    free(source);
    return answer;
}

static struct http_answer *token(const char *path, const char *code, const char *verifier)
{
    return http_post(suite_url(suite), path, NULL,
                     json_pack("{s:s, s:s}", "sessionCode", code, "codeVerifier", verifier));
}

static void put_switch(const char *name, bool enabled)
{
    PERSON admin = person_admin(suite);
    char path[128];

    snprintf(path, sizeof(path), "/v1/project/settings/%s", name);
    HTTP_ANSWER answer =
        http_put(suite_url(suite), path, admin->access, json_pack("{s:b}", "enabled", enabled));
    CHECK_STATUS(answer, 200);
}

static void a_patient_signs_in(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER first = start(START, patient->email, patient->password, "demo");

    CHECK_STATUS(first, 200);
    CU_ASSERT_STRING_EQUAL(http_text(first, "nextStep"), "token");
    CU_ASSERT_EQUAL(strlen(http_text(first, "sessionCode")), 32);
    CU_ASSERT_PTR_NULL(http_member(first, "tenants"));
    HTTP_ANSWER second = /* login/token of patients has no tenantCode, so its value is ignored */
        http_post(suite_url(suite), TOKEN, NULL,
                  json_pack("{s:s, s:s, s:i}", "sessionCode", http_text(first, "sessionCode"),
                            "codeVerifier", pkce_verifier, "tenantCode", 7));
    CHECK_STATUS(second, 200);
    CU_ASSERT_STRING_EQUAL(http_text(second, "profile.reference"), patient->profile);
    CU_ASSERT_EQUAL(json_integer_value(http_member(second, "expiresIn")), 3600);
}

static void rejects_are_alike(void)
{
    PERSON patient = person_register(suite, NULL);
    char *overlong = malloc(10001);
    char *unknown = person_address();

    memset(overlong, 'x', 10000);
    overlong[10000] = '\0';
    const struct {
        const char *email, *password;
    } rows[] = {
        {patient->email, "wrong"}, {patient->email, ""}, {patient->email, overlong},
        {unknown, "wrong"},        {unknown, ""},        {unknown, overlong},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = start(START, rows[i].email, rows[i].password, "demo");
        CHECK_ERROR(answer, 400, wrong_login);
    }
    free(overlong);
    free(unknown);
}

static void starts_checks_run_in_order(void)
{
    PERSON patient = person_register(suite, NULL);

    HTTP_ANSWER invalid =
        http_post(suite_url(suite), START, NULL,
                  json_pack("{s:s, s:s}", "email", "nobody", "codeChallenge", "short"));
    CHECK_PROBLEM(invalid, "email");
    CHECK_PROBLEM(invalid, "password");
    CHECK_PROBLEM(invalid, "tenantCode");
    CHECK_PROBLEM(invalid, "codeChallenge");
    HTTP_ANSWER tenant = start(START, patient->email, "wrong", "no-such-tenant");
    CHECK_ERROR(tenant, 404, "Tenant not found.");
    put_switch("PATIENT_LOGIN_ENABLED", false);
    HTTP_ANSWER off = start(START, patient->email, "wrong", "demo");
    CHECK_ERROR(off, 403, "Login is not enabled.");

    /* Although sign-in is disabled, open sessions continue, and a registration still makes a
     * session. */
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);
    CHECK_STATUS(me, 200);
    PERSON late = person_register(suite, NULL);
    CU_ASSERT_EQUAL(late->status, 200);
    put_switch("PATIENT_LOGIN_ENABLED", true);
}

static void the_patient_switch_is_checked_at_start_only(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER first = start(START, patient->email, patient->password, "demo");

    put_switch("PATIENT_LOGIN_ENABLED", false);
    HTTP_ANSWER second = token(TOKEN, http_text(first, "sessionCode"), pkce_verifier);
    CHECK_STATUS(second, 200);
    put_switch("PATIENT_LOGIN_ENABLED", true);
}

static void a_second_use_of_a_code_ends_its_session(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER first = start(START, patient->email, patient->password, "demo");
    HTTP_ANSWER good = token(TOKEN, http_text(first, "sessionCode"), pkce_verifier);
    CHECK_STATUS(good, 200);
    HTTP_ANSWER before = http_get(suite_url(suite), "/auth/me", http_text(good, "accessToken"));
    CHECK_STATUS(before, 200);

    HTTP_ANSWER again = token(TOKEN, http_text(first, "sessionCode"), pkce_verifier);
    CHECK_ERROR(again, 400, bad_session);
    HTTP_ANSWER after = http_get(suite_url(suite), "/auth/me", http_text(good, "accessToken"));
    CHECK_STATUS(after, 401);
    HTTP_ANSWER refresh =
        http_post(suite_url(suite), "/auth/refresh-token", NULL,
                  json_pack("{s:s}", "refresh_token", http_text(good, "refreshToken")));
    CHECK_ERROR(refresh, 401, "Refresh token is invalid or has expired.");

    HTTP_ANSWER other = http_get(suite_url(suite), "/auth/me", patient->access);
    CHECK_STATUS(other, 200);
}

static void a_wrong_verifier_spends_the_code(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER first = start(START, patient->email, patient->password, "demo");
    HTTP_ANSWER wrong = token(TOKEN, http_text(first, "sessionCode"),
                              "aBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
    CHECK_ERROR(wrong, 400, bad_session);
    HTTP_ANSWER right = token(TOKEN, http_text(first, "sessionCode"), pkce_verifier);
    CHECK_ERROR(right, 400, bad_session);
    HTTP_ANSWER unknown = token(TOKEN, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", pkce_verifier);
    CHECK_ERROR(unknown, 400, bad_session);
    HTTP_ANSWER plain = token(TOKEN, "x", "short");
    CHECK_PROBLEM(plain, "codeVerifier");
}

static void a_code_lives_five_minutes(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER late = start(START, patient->email, patient->password, "demo");
    HTTP_ANSWER in_time = start(START, patient->email, patient->password, "demo");

    suite_set_clock(suite, 290);
    HTTP_ANSWER good = token(TOKEN, http_text(in_time, "sessionCode"), pkce_verifier);
    CHECK_STATUS(good, 200);
    suite_set_clock(suite, 302);
    HTTP_ANSWER expired = token(TOKEN, http_text(late, "sessionCode"), pkce_verifier);
    CHECK_ERROR(expired, 400, bad_session);
    suite_set_clock(suite, 0);
}

static void one_wins_a_race_for_a_code(void)
{
    enum { MANY = 16 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER first = start(START, patient->email, patient->password, "demo");
    int won = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] =
            (struct http_request){.method = "POST",
                                  .path = TOKEN,
                                  .body = body_login_token(http_text(first, "sessionCode"), NULL)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        if (answers[i]->status == 200) {
            HTTP_ANSWER me =
                http_get(suite_url(suite), "/auth/me", http_text(answers[i], "accessToken"));
            CHECK_STATUS(me, 401);
            won++;
        } else {
            CHECK_ERROR(answers[i], 400, bad_session);
        }
    }
    CU_ASSERT_EQUAL(won, 1);
    http_answers_destroy(answers, MANY);
}

static void a_practitioner_sees_tenants_and_signs_in(void)
{
    const char *email = suite_text(suite, "demo.adminEmail");
    const char *password = suite_text(suite, "demo.adminPassword");
    HTTP_ANSWER first = start(STAFF_START, email, password, NULL);

    CHECK_STATUS(first, 200);
    CU_ASSERT_STRING_EQUAL(http_text(first, "nextStep"), "token");
    CU_ASSERT_STRING_EQUAL(http_text(first, "tenants.0.tenantCode"), "demo");
    CU_ASSERT_EQUAL(strncmp(http_text(first, "tenants.0.project.reference"), "Project/", 8), 0);
    CU_ASSERT_EQUAL(strncmp(http_text(first, "tenants.0.profile.reference"), "Practitioner/", 13),
                    0);

    /* A 404 does not consume the code. A patient's address cannot sign in as a practitioner. */
    HTTP_ANSWER nowhere = http_post(suite_url(suite), STAFF_TOKEN, NULL,
                                    body_login_token(http_text(first, "sessionCode"), "no-such"));
    CHECK_ERROR(nowhere, 404, "Tenant not found.");
    HTTP_ANSWER good = http_post(suite_url(suite), STAFF_TOKEN, NULL,
                                 body_login_token(http_text(first, "sessionCode"), "demo"));
    CHECK_STATUS(good, 200);
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER stranger = start(STAFF_START, patient->email, patient->password, "demo");
    CHECK_ERROR(stranger, 400, wrong_login);
}

static void the_practitioner_switch_is_checked_at_token(void)
{
    const char *email = suite_text(suite, "demo.adminEmail");
    const char *password = suite_text(suite, "demo.adminPassword");
    PERSON admin = person_admin(suite);
    HTTP_ANSWER off = http_put(suite_url(suite), "/v1/project/settings/PRACTITIONER_LOGIN_ENABLED",
                               admin->access, json_pack("{s:b}", "enabled", 0));
    CHECK_STATUS(off, 200);

    HTTP_ANSWER first = start(STAFF_START, email, password, "demo");
    CHECK_STATUS(first, 200);
    HTTP_ANSWER refused = http_post(suite_url(suite), STAFF_TOKEN, NULL,
                                    body_login_token(http_text(first, "sessionCode"), NULL));
    CHECK_ERROR(refused, 403, "Login is not enabled.");
    HTTP_ANSWER on = http_put(suite_url(suite), "/v1/project/settings/PRACTITIONER_LOGIN_ENABLED",
                              admin->access, json_pack("{s:b}", "enabled", 1));
    CHECK_STATUS(on, 200);
    HTTP_ANSWER good = http_post(suite_url(suite), STAFF_TOKEN, NULL,
                                 body_login_token(http_text(first, "sessionCode"), NULL));
    CHECK_STATUS(good, 200); /* 403 did not consume the code */
}

static void a_practitioner_of_another_tenant_is_refused(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER child =
        http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                  json_pack("{s:s, s:s}", "name", "Branch", "tenantCode", "branch"));
    CHECK_STATUS(child, 200);
    HTTP_ANSWER both = start(STAFF_START, admin->email, admin->password, NULL);
    CU_ASSERT_EQUAL(json_array_size(http_member(both, "tenants")), 2);
    HTTP_ANSWER ambiguous = http_post(suite_url(suite), STAFF_TOKEN, NULL,
                                      body_login_token(http_text(both, "sessionCode"), NULL));
    CU_ASSERT_TRUE(ambiguous->status == 400 || ambiguous->status == 422);
    HTTP_ANSWER one = start(STAFF_START, admin->email, admin->password, "branch");
    CU_ASSERT_EQUAL(json_array_size(http_member(one, "tenants")), 1);
    HTTP_ANSWER into = http_post(suite_url(suite), STAFF_TOKEN, NULL,
                                 body_login_token(http_text(one, "sessionCode"), NULL));
    CHECK_STATUS(into, 200);

    /* A member of the child only has no rights in demo. */
    HTTP_ANSWER policies =
        http_post(suite_url(suite), "/v1/project/access-policies", http_text(into, "accessToken"),
                  json_pack("{s:s, s:[{s:s}]}", "name", "Staff", "resource", "resourceType", "*"));
    CHECK_STATUS(policies, 200);
    char reference[64];
    snprintf(reference, sizeof(reference), "AccessPolicy/%s", http_text(policies, "id"));
    HTTP_ANSWER set =
        http_put(suite_url(suite), "/v1/project/settings/values/DEFAULT_PRACTITIONER_ACCESS_POLICY",
                 http_text(into, "accessToken"), json_pack("{s:s}", "value", reference));
    CHECK_STATUS(set, 200);
    HTTP_ANSWER enable =
        http_put(suite_url(suite), "/v1/project/settings/PRACTITIONER_REGISTRATION_ENABLED",
                 http_text(into, "accessToken"), json_pack("{s:b}", "enabled", 1));
    CHECK_STATUS(enable, 200);
    char *email = person_address(), *source = fresh_source();
    HTTP_ANSWER staff = http_call(
        suite_url(suite), &(struct http_request){.method = "POST",
                                                 .path = "/auth/tenant/Practitioner/register",
                                                 .source = source,
                                                 .body = body_register(email, "branch")});
    CHECK_STATUS(staff, 200);
    HTTP_ANSWER foreign = start(STAFF_START, email, "correct horse battery staple", "demo");
    CHECK_ERROR(foreign, 400, wrong_login);
    HTTP_ANSWER home = start(STAFF_START, email, "correct horse battery staple", NULL);
    CHECK_STATUS(home, 200);
    HTTP_ANSWER stranger = http_post(suite_url(suite), STAFF_TOKEN, NULL,
                                     body_login_token(http_text(home, "sessionCode"), "demo"));
    CHECK_ERROR(stranger, 400, bad_session);
    free(email);
    free(source);
}

static void the_tenth_failure_locks_the_pair(void)
{
    PERSON patient = person_register(suite, NULL);
    char *source = fresh_source();

    for (int i = 0; i < 10; i++) {
        HTTP_ANSWER wrong = start_from(source, START, patient->email, "wrong", "demo");
        CHECK_ERROR(wrong, 400, wrong_login);
    }
    HTTP_ANSWER locked = start_from(source, START, patient->email, patient->password, "demo");
    CHECK_STATUS(locked, 429);
    CU_ASSERT_TRUE(http_retry_after(locked) > 0 && http_retry_after(locked) <= 900);
    HTTP_ANSWER owner = start(START, patient->email, patient->password, "demo");
    CHECK_STATUS(owner, 200);
    suite_set_clock(suite, 901);
    HTTP_ANSWER open = start_from(source, START, patient->email, patient->password, "demo");
    CHECK_STATUS(open, 200);
    suite_set_clock(suite, 0);
    free(source);
}

static void a_hundred_failures_do_not_lock_the_owner_out(void)
{
    PERSON patient = person_register(suite, NULL);
    char *home = fresh_source();
    HTTP_ANSWER known = start_from(home, START, patient->email, patient->password, "demo");
    HTTP_ANSWER in = token(TOKEN, http_text(known, "sessionCode"), pkce_verifier);
    CHECK_STATUS(in, 200);

    for (int i = 0; i < 100; i++) {
        HTTP_ANSWER wrong = start(START, patient->email, "wrong", "demo");
        CHECK_ERROR(wrong, 400, wrong_login);
    }
    HTTP_ANSWER stranger = start(START, patient->email, patient->password, "demo");
    CHECK_STATUS(stranger, 429);
    HTTP_ANSWER owner = start_from(home, START, patient->email, patient->password, "demo");
    CHECK_STATUS(owner, 200);
    free(home);
}

static void an_address_is_known_for_thirty_days(void)
{
    enum { DAY = 24 * 3600 };
    PERSON patient = person_register(suite, NULL);
    char *home = fresh_source(), *office = fresh_source();
    HTTP_ANSWER here = start_from(home, START, patient->email, patient->password, "demo");
    HTTP_ANSWER there = start_from(office, START, patient->email, patient->password, "demo");

    CHECK_STATUS(here, 200);
    CHECK_STATUS(there, 200);
    suite_set_clock(suite, 30 * DAY - 60);
    for (int i = 0; i < 100; i++) {
        HTTP_ANSWER wrong = start(START, patient->email, "wrong", "demo");
        CHECK_ERROR(wrong, 400, wrong_login);
    }
    HTTP_ANSWER known = start_from(home, START, patient->email, patient->password, "demo");
    CHECK_STATUS(known, 200);
    suite_set_clock(suite, 30 * DAY + 120);
    HTTP_ANSWER renewed = start_from(home, START, patient->email, patient->password, "demo");
    CHECK_STATUS(renewed, 200);
    HTTP_ANSWER forgotten = start_from(office, START, patient->email, patient->password, "demo");
    CHECK_STATUS(forgotten, 429);
    suite_set_clock(suite, 0);
    free(home);
    free(office);
}

/* Many can sign in to one account from one address concurrently: shared values are written once a
 * minute, so none waits for another's commit. */
static void sign_ins_do_not_wait_for_each_other(void)
{
    static const char rows[] = "select sum(until) from auth.known_address";
    PERSON patient = person_register(suite, NULL);
    char *source = fresh_source();
    HTTP_ANSWER first = start_from(source, START, patient->email, patient->password, "demo");
    CHECK_STATUS(first, 200);
    HTTP_ANSWER arrived = http_call(
        suite_url(suite),
        &(struct http_request){.method = "POST",
                               .path = TOKEN,
                               .source = source,
                               .body = body_login_token(http_text(first, "sessionCode"), NULL)});
    CHECK_STATUS(arrived, 200);
    char *before = suite_query(suite, rows);
    pid_t holder = suite_hold(suite, "select 1 from auth.known_address for update");
    HTTP_ANSWER second = start_from(source, START, patient->email, patient->password, "demo");
    HTTP_ANSWER in = http_call(
        suite_url(suite),
        &(struct http_request){.method = "POST",
                               .path = TOKEN,
                               .source = source,
                               .body = body_login_token(http_text(second, "sessionCode"), NULL)});
    char *during = suite_query(suite, rows);

    CHECK_STATUS(in, 200);
    CU_ASSERT_STRING_EQUAL(during, before);
    waitpid(holder, NULL, 0);
    suite_set_clock(suite, 61);
    HTTP_ANSWER later = start_from(source, START, patient->email, patient->password, "demo");
    CHECK_STATUS(later, 200);
    char *after = suite_query(suite, rows);
    CU_ASSERT_STRING_NOT_EQUAL(after, before);
    suite_set_clock(suite, 0);
    free(after);
    free(during);
    free(before);
    free(source);
}

static void guesses_cannot_race_past_the_limit(void)
{
    enum { MANY = 64 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    PERSON patient = person_register(suite, NULL);
    char *source = fresh_source();
    int verified = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] =
            (struct http_request){.method = "POST",
                                  .path = START,
                                  .source = source,
                                  .body = body_login_start(patient->email, "wrong", "demo")};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        CU_ASSERT_TRUE(answers[i]->status == 400 || answers[i]->status == 429 ||
                       answers[i]->status == 503);
        verified += answers[i]->status == 400;
    }
    CU_ASSERT_TRUE(verified >= 1 && verified <= 10);
    http_answers_destroy(answers, MANY);
    free(source);
}

/* No instance can open this signing key, as if another seal key had sealed it. The other keys still
 * work. */
static void a_broken_key_takes_no_other_away(void)
{
    free(suite_query(
        suite, "insert into auth.signing_key (kid, private_sealed, public_pem, x, y, created_at, "
               "active_at) select 'broken', '\\x00', public_pem, x, y, created_at, active_at + 1 "
               "from auth.signing_key limit 1"));
    usleep(1500000); /* keys are read twice a second */
    for (int i = 0; i < 4; i++) {
        PERSON patient = person_register(suite, NULL);
        HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);

        CHECK_STATUS(me, 200);
    }
    free(suite_query(suite, "delete from auth.signing_key where kid = 'broken'"));
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_patient_signs_in),
    CASE(rejects_are_alike),
    CASE(starts_checks_run_in_order),
    CASE(the_patient_switch_is_checked_at_start_only),
    CASE(a_second_use_of_a_code_ends_its_session),
    CASE(a_wrong_verifier_spends_the_code),
    CASE(a_code_lives_five_minutes),
    CASE(one_wins_a_race_for_a_code),
    CASE(a_practitioner_sees_tenants_and_signs_in),
    CASE(the_practitioner_switch_is_checked_at_token),
    CASE(a_practitioner_of_another_tenant_is_refused),
    CASE(the_tenth_failure_locks_the_pair),
    CASE(a_hundred_failures_do_not_lock_the_owner_out),
    CASE(an_address_is_known_for_thirty_days),
    CASE(sign_ins_do_not_wait_for_each_other),
    CASE(guesses_cannot_race_past_the_limit),
    CASE(a_broken_key_takes_no_other_away),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2", .test_clock = true});
    return unit_run("sign-in", cases, ARRAY_SIZE(cases));
}
