/*
 * test_audit_trail.c - the content of audit rows, requests without rows, rows of operators and
 * emails, and what rows must not have. test_audit_own.c and test_audit_admin.c check one row per
 * request.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/audited.h"
#include "tests/support/suite_command.h"
#include "tests/support/trail.h"
#include "tests/support/unit.h"

#define TENANT "/auth/tenant/"
#define POLICIES "/v1/project/access-policies"
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

static struct suite *suite;
static struct person *admin;

static void the_scene_is_set(void)
{
    audited_scene_set(&suite, &admin);
}

static const char *project(void)
{
    return suite_text(suite, "demo.projectId");
}

static void a_row_says_who_and_where_from(void)
{
    struct http_request request =
        audited_by(admin, "POST", "/v1/project/clients", json_pack("{s:s}", "name", "Portal"));
    char sql[512];

    request.headers[0] = "X-Request-Id: who";
    request.source = "127.8.8.8";
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    CHECK_STATUS(answer, 200);
    snprintf(sql, sizeof(sql),
             "select concat_ws(' ', project_id = '%s', entity = 'ClientApplication/%s', "
             "event->'agent'->>'profile' = '%s', length(event->>'addressSealed'), "
             "event->>'account' = event->'agent'->>'account', "
             "exists (select from auth.membership m where m.id = "
             "(event->'agent'->>'membership')::uuid and m.account_id = (event->>'account')::uuid)) "
             "from trail where event->>'trace' = 'who'",
             project(), http_text(answer, "id"), admin->profile);
    char *found = suite_query(suite, sql);
    CU_ASSERT_STRING_EQUAL(found, "t t t 86 t t");
    free(found);
    audited_release();
}

static void a_failure_names_account_and_project(void)
{
    const struct person *who = audited_patient();
    HTTP_ANSWER wrong = suite_post_fresh(suite, TENANT "Patient/login/start",
                                         body_login_start(who->email, "wrong", "demo"));
    HTTP_ANSWER unknown =
        suite_post_fresh(suite, TENANT "Patient/login/start",
                         body_login_start("nobody.else@patients.example", "wrong", "demo"));

    CHECK_STATUS(wrong, 400);
    CHECK_STATUS(unknown, 400);
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "select count(*) from trail where event->>'outcome' = 'failure' "
                                 "and event->>'role' = 'Patient' and project_id = '%s' and "
                                 "event->>'account' = (select id::text from auth.account "
                                 "where email = '%s')",
                                 project(), who->email),
                    1);
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "select count(*) from (select * from trail where daemon = 'authd' "
                                 "order by id desc limit 1) last where event->>'account' is null "
                                 "and project_id = '%s'",
                                 project()),
                    1);
    audited_release();
}

/* The sign-in tries both roles, but leaves only one row, about the existing account. */
static void a_disabled_switch_is_recorded(void)
{
    const struct person *who = audited_practitioner();
    const char *code = audited_begin("Practitioner", who);

    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", false);
    HTTP_ANSWER token =
        suite_post_fresh(suite, TENANT "Practitioner/login/token", body_login_token(code, "demo"));
    CHECK_STATUS(token, 403);
    HTTP_ANSWER one =
        suite_post_fresh(suite, "/v2/auth/login", audited_body_one_step(who->email, who->password));
    CHECK_STATUS(one, 403);
    HTTP_ANSWER b2b =
        suite_post_fresh(suite, "/auth/b2b/login", audited_body_b2b(who->email, who->password));
    CHECK_STATUS(b2b, 403);
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", true);
    CU_ASSERT_EQUAL(
        trail_number(suite,
                     "select count(*) from trail where event->>'detail' = 'not-enabled' and "
                     "event->>'role' = 'Practitioner' and event->>'account' = "
                     "(select id::text from auth.account where email = '%s')",
                     who->email),
        3);
    audited_release();
}

static void a_replay_and_the_sessions_it_ends_are_recorded(void)
{
    const char *code = audited_begin("Patient", audited_patient());
    HTTP_ANSWER good =
        suite_post_fresh(suite, TENANT "Patient/login/token", body_login_token(code, NULL));
    HTTP_ANSWER again =
        suite_post_fresh(suite, TENANT "Patient/login/token", body_login_token(code, NULL));
    HTTP_ANSWER third =
        suite_post_fresh(suite, TENANT "Patient/login/token", body_login_token(code, NULL));

    CHECK_STATUS(good, 200);
    CHECK_STATUS(again, 400);
    CHECK_STATUS(third, 400);
    CU_ASSERT_EQUAL(
        trail_number(suite, "select count(*) from trail where event->>'detail' = 'replay'"), 2);
    CU_ASSERT_EQUAL(
        trail_number(suite, "select count(*) from trail where event->>'detail' = 'login-replay'"),
        1);
    audited_release();
}

static void a_throttled_try_leaves_no_row(void)
{
    const struct person *who = audited_patient();
    const char *source = audited_text(fresh_source());
    long tries = trail_number(suite,
                              "select count(*) from trail where event->>'outcome' = 'failure' "
                              "and event->>'addressSealed' is not null and event->>'account' = "
                              "(select id::text from auth.account where email = '%s')",
                              who->email);
    int throttled = 0;

    for (int i = 0; i < 14; i++) {
        HTTP_ANSWER answer = suite_post_from(suite, source, TENANT "Patient/login/start",
                                             body_login_start(who->email, "wrong", "demo"));

        throttled += answer->status == 429;
    }
    CU_ASSERT_EQUAL(throttled, 4);
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "select count(*) from trail where event->>'outcome' = 'failure' "
                                 "and event->>'addressSealed' is not null and event->>'account' = "
                                 "(select id::text from auth.account where email = '%s')",
                                 who->email),
                    tries + 10);
    audited_release();
}

/* authd makes a child project's admin, so authd has its own row. */
static void changes_in_another_daemon_are_recorded_there(void)
{
    struct http_request request =
        audited_by(admin, "POST", "/v1/slim/project/child", json_pack("{s:s}", "name", "A child"));

    request.headers[0] = "X-Request-Id: child";
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    CHECK_STATUS(answer, 200);
    char *found = audited_rows("authd", "child");
    CU_ASSERT_STRING_EQUAL(found, "1 admin.grant success ProjectMembership");
    free(found);
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "select count(*) from trail where event->>'trace' = 'child' "
                                 "and project_id = '%s'",
                                 http_text(answer, "projectId")),
                    2);
}

static void mails_are_recorded_with_their_result(void)
{
    static const char insert[] =
        "insert into mail.message (id, project_id, template, language, sealed, due_at, created_at, "
        "default_language) select '" NOBODY "', '%s', 'PATIENT_WELCOME', '', '\\x00', "
        "extract(epoch from clock_timestamp())::bigint * 1000, "
        "(extract(epoch from clock_timestamp())::bigint - 4 * 86400) * 1000, '' returning 1";

    CU_ASSERT_TRUE(suite_mails_arrive(suite, audited_patient()->email, 1));
    CU_ASSERT_TRUE(
        trail_comes_to(suite, 1,
                       "select (count(*) > 0)::int from trail where daemon = 'maild' and "
                       "event->>'action' = 'mail.send' and event->>'outcome' = 'success' and "
                       "event->>'detail' = 'PATIENT_WELCOME'"));
    CU_ASSERT_EQUAL(trail_number(suite, insert, project()), 1);
    CU_ASSERT_TRUE(trail_comes_to(suite, 1,
                                  "select count(*) from trail where event->>'action' = 'mail.send' "
                                  "and event->>'outcome' = 'failure' "
                                  "and entity = 'Message/" NOBODY "'"));
    audited_release();
}

static void operator_actions_are_recorded(void)
{
    const struct person *who = audited_patient(), *other = audited_patient();
    struct unit_dir dir = unit_dir_make();
    struct audited_factor factor;
    const char *policy = audited_path(
        "%s", unit_dir_write(&dir, "policy.json",
                             "{\"name\":\"All\",\"resource\":[{\"resourceType\":\"*\"}]}"));
    const char *given = audited_path("%s", suite_text(suite, "demo.patientAccessPolicy"));
    const char *words_file = audited_path("%s", unit_dir_write(&dir, "words.txt", "Welcome"));
    const struct {
        const char *daemon, *action;
        const char *input;
        const char *words[16];
    } rows[] = {
        {"settingsd", "project.create", NULL, {"project", "create", "Ops", "--code", "ops"}},
        {"settingsd", "project.suspend", NULL, {"project", "suspend", "ops"}},
        {"settingsd", "project.resume", NULL, {"project", "suspend", "ops", "--resume"}},
        {"settingsd",
         "setting.write",
         NULL,
         {"project", "set", "demo", "default-patient-access-policy", given}},
        {"authd",
         "admin.create",
         "a password\n",
         {"user", "create-admin", "--project", "ops", "--email", "ops@practice.example", "--name",
          "Olga", "--surname", "Petrova"}},
        {"settingsd", "policy.create", NULL, {"policy", "put", "--project", "ops", policy}},
        {"settingsd", "client.create", NULL, {"client", "create", "--project", "ops", "Portal"}},
        {"maild",
         "template.write",
         NULL,
         {"template", "put", "--project", "ops", "PATIENT_WELCOME", "--subject", "Hi", "--text",
          words_file}},
        {"authd", "key.create", NULL, {"keys", "rotate"}},
        {"authd",
         "mfa.reset",
         NULL,
         {"user", "reset-mfa", "--project", "demo", "--email", other->email}},
        {"authd", "session.end", NULL, {"session", "revoke", "--email", who->email}},
        {"maild", "mail.drop", NULL, {"mail", "drop", NOBODY}},
    };

    audited_enroll(other, &factor);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        static const char count[] = "select count(*) from trail where daemon = '%s' and "
                                    "event->>'action' = '%s' and event->'agent'->>'service' = "
                                    "'ctl'";
        long before = trail_number(suite, count, rows[i].daemon, rows[i].action);
        PROGRAM done = suite_command(suite, rows[i].input, rows[i].words);

        CHECK_EXIT(done, 0);
        UNIT_CHECK(trail_number(suite, count, rows[i].daemon, rows[i].action) == before + 1, "%s",
                   rows[i].action);
    }
    unit_dir_remove(&dir);
    audited_release();
}

static void a_retry_by_the_operator_is_recorded(void)
{
    static const char id[] = "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4c";

    CU_ASSERT_EQUAL(
        trail_number(suite,
                     "insert into mail.message (id, project_id, template, language, sealed, "
                     "due_at, created_at, default_language) values ('%s', '%s', "
                     "'PATIENT_WELCOME', '', '\\x00', 9000000000000, 1, '') returning 1",
                     id, project()),
        1);
    PROGRAM done = ATRIUMCTL(suite, NULL, "mail", "retry", id);
    CHECK_EXIT(done, 0);
    CU_ASSERT_EQUAL(
        trail_number(suite,
                     "select count(*) from trail where event->>'action' = 'mail.retry' and "
                     "entity = 'Message/%s' and project_id = '%s'",
                     id, project()),
        1);
}

static void nothing_secret_is_in_it(void)
{
    static const char name[] = "Markername", password[] = "Marker-Passw0rd", url[] = "marker-value";
    char *email = person_address();
    json_t *body = body_register(email, "demo");
    struct audited_factor factor;

    json_object_set_new(body, "name", json_string(name));
    json_object_set_new(body, "password", json_string(password));
    HTTP_ANSWER registered = suite_post_fresh(suite, TENANT "Patient/register", body);
    CHECK_STATUS(registered, 200);
    struct person *who = audited_person(person_sign_in(suite, "Patient", email, password, NULL));
    HTTP_ANSWER wrong = suite_post_fresh(suite, TENANT "Patient/login/start",
                                         body_login_start(email, "Wrong-Marker", "demo"));
    CHECK_STATUS(wrong, 400);
    audited_enroll(who, &factor);
    const char *login = audited_begin("Patient", who);
    struct http_request shown = audited_show("Patient", login, factor.recovery);
    HTTP_ANSWER mfa = http_call(suite_url(suite), &shown);
    CHECK_STATUS(mfa, 200);
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", "https://marker-value.example");
    HTTP_ANSWER policy =
        http_post(suite_url(suite), POLICIES, admin->access,
                  json_pack("{s:s, s:[{s:s}]}", "name", name, "resource", "resourceType", "Bot"));
    CHECK_STATUS(policy, 200);

    const char *const secrets[] = {
        "@",
        email,
        password,
        "Wrong-Marker",
        name,
        url,
        who->access,
        who->refresh,
        factor.recovery,
        factor.code,
        pkce_verifier,
        pkce_challenge,
        http_text(mfa, "sessionCode"),
        http_text(registered, "accessToken"),
        http_text(registered, "refreshToken"),
        "argon2",
    };
    audited_check_absent(secrets, ARRAY_SIZE(secrets));
    free(email);
    audited_release();
}

enum { MANY = 8 };

static void the_loser_of_a_race_leaves_no_row(void)
{
    static const char registered[] =
        "select count(*) from trail where event->>'action' = 'account.register'";
    static const char written[] =
        "select count(*) from trail where event->>'action' = 'setting.write'";
    HTTP_ANSWER record = http_get(suite_url(suite), "/v1/project/settings", admin->access);
    char *etag = http_header(record, "ETag"), *email = person_address(), match[80];
    struct http_request requests[2 * MANY];
    struct http_answer *answers[2 * MANY];
    long before[2] = {trail_number(suite, registered), trail_number(suite, written)},
         good[2] = {0, 0};

    snprintf(match, sizeof(match), "If-Match: %s", etag);
    for (int i = 0; i < MANY; i++) {
        requests[i] = audited_post(TENANT "Patient/register", body_register(email, "demo"));
        requests[MANY + i] =
            audited_by(admin, "PUT", "/v1/project/settings/PATIENT_INVITATION_ENABLED",
                       json_pack("{s:b}", "enabled", true));
        requests[MANY + i].headers[0] = match;
    }
    http_call_many(suite_url(suite), requests, 2 * MANY, 2 * MANY, answers);
    for (int i = 0; i < 2 * MANY; i++)
        good[i / MANY] += answers[i]->status == 200;
    CU_ASSERT_EQUAL(good[0], 1);
    CU_ASSERT_EQUAL(good[1], 1);
    CU_ASSERT_EQUAL(trail_number(suite, registered) - before[0], 1);
    CU_ASSERT_EQUAL(trail_number(suite, written) - before[1], 1);
    http_answers_destroy(answers, 2 * MANY);
    free(etag);
    free(email);
    audited_release();
}

static void suite_shuts_down_cleanly(void)
{
    audited_scene_leave(&suite, &admin);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_row_says_who_and_where_from),
    CASE(a_failure_names_account_and_project),
    CASE(a_disabled_switch_is_recorded),
    CASE(a_replay_and_the_sessions_it_ends_are_recorded),
    CASE(a_throttled_try_leaves_no_row),
    CASE(changes_in_another_daemon_are_recorded_there),
    CASE(mails_are_recorded_with_their_result),
    CASE(operator_actions_are_recorded),
    CASE(a_retry_by_the_operator_is_recorded),
    CASE(nothing_secret_is_in_it),
    CASE(the_loser_of_a_race_leaves_no_row),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("audit trail", cases, ARRAY_SIZE(cases));
}
