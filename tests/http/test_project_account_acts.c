/*
 * test_project_account_acts.c - an admin's acts on accounts: lock and unlock, end sessions, remove
 * second factors, email a link, schedule and cancel a deletion; permissions and races.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/passkeys.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define ACCOUNTS "/v1/project/accounts/"
#define UNKNOWN "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
#define RESET "https://patient.demo.example/set-password"

enum { FRESH = 900, DAY = 86400, DONE_MS = 30000 };

#define END_ONE "sessions/" UNKNOWN "/end"
static const char *const acts[] = {
    "lock",      "unlock",     "end-sessions",      END_ONE,
    "reset-mfa", "send-reset", "schedule-deletion", "cancel-deletion"};
static const char *const of_the_account[] = {"reset-mfa", "send-reset", "schedule-deletion",
                                             "cancel-deletion"};

static struct suite *suite;
static struct person *admin; /* signed in again by fresh() */

/* Returns an access token of demo's admin with a fresh proof. */
static const char *fresh(void)
{
    person_destroy(&admin);
    admin = person_admin(suite);
    return admin->access;
}

static struct http_answer *act(const char *access, const char *id, const char *what,
                               const char *reason)
{
    char path[160];

    snprintf(path, sizeof(path), ACCOUNTS "%s/%s", id, what);
    return http_post(suite_url(suite), path, access, json_pack("{s:s}", "reason", reason));
}

static void check_act(const char *id, const char *what)
{
    HTTP_ANSWER answer = act(admin->access, id, what, "a ticket");

    UNIT_CHECK(answer->status == 204, "%s: %d %s", what, answer->status, answer->body);
}

static void check_shown(const char *id, const char *name, const char *want)
{
    char path[160];

    snprintf(path, sizeof(path), ACCOUNTS "%s", id);
    HTTP_ANSWER answer = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, name), want);
}

static long audited(const char *account, const char *action)
{
    return suite_count(suite,
                       "select count(*) from auth.audit where event->>'account' = '%s' and "
                       "event->>'action' = '%s' and event->>'reason' = 'a ticket' and "
                       "event->'agent'->>'profile' = '%s'",
                       account, action, admin->profile);
}

static long live_sessions(const char *account)
{
    return suite_count(
        suite, "select count(*) from auth.session where account_id = '%s' and ended_at is null",
        account);
}

static struct http_answer *by_client(const char *email, const char *password)
{
    return suite_post_fresh(suite, "/v2/auth/login",
                            json_pack("{s:s, s:s, s:s}", "email", email, "password", password,
                                      "clientId", suite_text(suite, "demo.clientId")));
}

static struct http_answer *start(const char *role, const char *email, const char *password,
                                 const char *tenant)
{
    char path[64];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/start", role);
    return suite_post_fresh(suite, path, body_login_start(email, password, tenant));
}

static void check_locked(struct http_answer *answer)
{
    CHECK_ERROR(answer, 403, "Login is not enabled.");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "ACCOUNT_LOCKED");
    http_answer_destroy(&answer);
}

static struct http_answer *by_business(const char *email, const char *password)
{
    return suite_post_fresh(suite, "/auth/b2b/login",
                            json_pack("{s:s, s:s, s:s, s:s}", "email", email, "password", password,
                                      "clientId", suite_text(suite, "demo.clientId"), "tenantId",
                                      suite_text(suite, "demo.projectId")));
}

static struct person *practitioner(void)
{
    struct person *self = calloc(1, sizeof(*self));
    json_t *body;

    self->email = person_address();
    self->password = strdup("a password");
    body = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "email", self->email, "password",
                     self->password, "clientId", suite_text(suite, "demo.clientId"), "tenantId",
                     suite_text(suite, "demo.projectId"), "name", "Ana", "surname", "Prova");
    HTTP_ANSWER answer = suite_post_fresh(suite, "/auth/b2b/register", body);
    CHECK_STATUS(answer, 200);
    self->access = strdup(http_text(answer, "accessToken"));
    self->refresh = strdup(http_text(answer, "refreshToken"));
    return self;
}

static void join(const char *email, const char *project)
{
    char sql[512];

    snprintf(sql, sizeof(sql),
             "insert into auth.membership (project_id, id, account_id, profile_id, created_at) "
             "select '%s', gen_random_uuid(), id, gen_random_uuid(), 1 from auth.account "
             "where email = '%s'",
             project, email);
    free(suite_query(suite, sql));
}

static void a_locked_member_is_refused_until_unlocked(void)
{
    PERSON person = person_register_settled(suite);
    TEXT id = suite_account(suite, person->email);
    HTTP_ANSWER begun = start("Patient", person->email, person->password, "demo");

    CHECK_STATUS(begun, 200);
    check_act(id, "lock");
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, person->refresh), 401);
    HTTP_ANSWER late = suite_post_fresh(suite, "/auth/tenant/Patient/login/token",
                                        body_login_token(http_text(begun, "sessionCode"), NULL));
    CHECK_STATUS(late, 400);
    check_locked(by_client(person->email, person->password));
    check_locked(start("Patient", person->email, person->password, "demo"));
    HTTP_ANSWER wrong = start("Patient", person->email, "wrong", "demo");
    CHECK_ERROR(wrong, 400, "Username or password is incorrect.");
    check_shown(id, "state", "locked");
    check_shown(id, "lockedBy", "admin");
    CU_ASSERT_EQUAL(audited(id, "membership.lock"), 1);
    check_act(id, "lock"); /* idempotent */
    CU_ASSERT_EQUAL(audited(id, "membership.lock"), 1);
    PROGRAM why =
        ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email", person->email);
    CHECK_EXIT(why, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(why->out, "The first check that fails: member not locked"));

    check_act(id, "unlock");
    check_shown(id, "state", "active");
    CU_ASSERT_EQUAL(audited(id, "membership.unlock"), 1);
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401)); /* ended sessions stay ended */
    HTTP_ANSWER in = by_client(person->email, person->password);
    CHECK_STATUS(in, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(in, "accessToken"), 200));
}

static void a_locked_member_gets_no_links(void)
{
    PERSON person = person_register_settled(suite);
    TEXT id = suite_account(suite, person->email);

    check_act(id, "lock");
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", person->email, "tenantCode", "demo"));
    CHECK_STATUS(requested, 200);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.password_reset where account_id = '%s'", id),
        0);
    HTTP_ANSWER sent = act(admin->access, id, "send-reset", "a ticket");
    CHECK_ERROR(sent, 409, "The account is locked.");
}

static void what_an_operator_has_locked_stays_locked(void)
{
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    PROGRAM lock = ATRIUMCTL(suite, NULL, "user", "lock", person->email, "--json");

    CHECK_EXIT(lock, 0);
    HTTP_ANSWER unlock = act(admin->access, id, "unlock", "a ticket");
    CHECK_ERROR(unlock, 409, "An operator has locked this account. Ask the operator to unlock it.");
    check_locked(by_client(person->email, person->password));
}

static void a_practitioner_is_locked_in_one_project_alone(void)
{
    PERSON person = practitioner();
    TEXT id = suite_account(suite, person->email);
    TEXT child =
        suite_query(suite, "select project_id from settings.tenant_code where code = 'actschild'");

    join(person->email, child);
    PERSON elsewhere =
        person_sign_in(suite, "Practitioner", person->email, person->password, "actschild");
    CU_ASSERT_EQUAL(elsewhere->status, 200);
    HTTP_ANSWER both = start("Practitioner", person->email, person->password, NULL);
    CHECK_STATUS(both, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(both, "tenants")), 2);
    check_act(id, "lock");

    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, elsewhere->access, 200));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, elsewhere->refresh), 200);
    check_locked(start("Practitioner", person->email, person->password, "demo"));
    check_locked(by_client(person->email, person->password));
    check_locked(by_business(person->email, person->password));
    HTTP_ANSWER one = start("Practitioner", person->email, person->password, NULL);
    CHECK_STATUS(one, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(one, "tenants")), 1);
    check_locked(suite_post_fresh(suite, "/auth/tenant/Practitioner/login/token",
                                  body_login_token(http_text(one, "sessionCode"), "demo")));
    HTTP_ANSWER only = suite_post_fresh(suite, "/auth/tenant/Practitioner/login/token",
                                        body_login_token(http_text(one, "sessionCode"), NULL));
    CHECK_STATUS(only, 200);
    check_act(id, "unlock");
    HTTP_ANSWER again = by_client(person->email, person->password);
    CHECK_STATUS(again, 200);
}

static void sessions_of_the_project_end(void)
{
    PERSON person = practitioner();
    TEXT id = suite_account(suite, person->email);
    TEXT child =
        suite_query(suite, "select project_id from settings.tenant_code where code = 'actschild'");

    join(person->email, child);
    PERSON elsewhere =
        person_sign_in(suite, "Practitioner", person->email, person->password, "actschild");
    check_act(id, "end-sessions");
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, person->refresh), 401);
    CU_ASSERT_TRUE(suite_everywhere(suite, elsewhere->access, 200));
    CU_ASSERT_EQUAL(audited(id, "account.end-sessions"), 1);
    check_act(id, "end-sessions"); /* repeated, when no session is left */
    HTTP_ANSWER in = by_client(person->email, person->password);
    CHECK_STATUS(in, 200);
}

static void first_session(const char *id, char act_name[static 80])
{
    char path[160];

    snprintf(path, sizeof(path), ACCOUNTS "%s/sessions?_count=1", id);
    HTTP_ANSWER listed = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(listed, 200);
    snprintf(act_name, 80, "sessions/%s/end", http_text(listed, "resources.0.id"));
}

static void one_session_ends(void)
{
    PERSON person = practitioner();
    PERSON stranger = practitioner();
    TEXT id = suite_account(suite, person->email);
    TEXT other = suite_account(suite, stranger->email);
    TEXT child =
        suite_query(suite, "select project_id from settings.tenant_code where code = 'actschild'");
    char newest[80], elsewhere_end[80];

    join(person->email, child);
    PERSON second = person_sign_in(suite, "Practitioner", person->email, person->password, "demo");
    first_session(id, newest);
    PERSON elsewhere =
        person_sign_in(suite, "Practitioner", person->email, person->password, "actschild");
    TEXT foreign = suite_query(suite, "select id from auth.session order by id desc limit 1");
    snprintf(elsewhere_end, sizeof(elsewhere_end), "sessions/%s/end", foreign);
    HTTP_ANSWER hidden = act(admin->access, id, elsewhere_end, "a ticket");
    CHECK_ERROR(hidden, 404, "Session not found.");
    HTTP_ANSWER theirs = act(admin->access, other, newest, "a ticket");
    CHECK_ERROR(theirs, 404, "Session not found.");
    check_act(id, newest);
    CU_ASSERT_TRUE(suite_everywhere(suite, second->access, 401));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, second->refresh), 401);
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, elsewhere->access, 200));
    CU_ASSERT_EQUAL(audited(id, "session.end"), 1);
    HTTP_ANSWER again = act(admin->access, id, newest, "a ticket");
    CHECK_ERROR(again, 404, "Session not found.");
    HTTP_ANSWER word = act(admin->access, id, "sessions/all/end", "a ticket");
    CHECK_PROBLEM(word, "session");
}

/* Counts an account's credentials in a table, or its live sessions. */
static long kept_of(const char *id, const char *table)
{
    return suite_count(suite, "select count(*) from auth.%s where account_id = '%s'", table, id);
}

/* Authenticator, recovery codes and passkeys would all let a device's finder in. */
static void lost_factors_are_taken_away(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, "https://patient.demo.example");
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    uint8_t secret[TOTP_SECRET];
    HTTP_ANSWER none = act(admin->access, id, "reset-mfa", "a ticket");

    CHECK_STATUS(none, 400);
    HTTP_ANSWER enrolled = passkey_enroll(suite, person->access, key);
    CHECK_STATUS(enrolled, 200);
    totp_enrol(suite, person, suite_now(suite), secret);
    check_shown(id, "factors.0", "totp");
    CU_ASSERT_EQUAL(kept_of(id, "mfa_factor"), 1);
    CU_ASSERT_EQUAL(kept_of(id, "mfa_recovery"), 10);
    CU_ASSERT_EQUAL(kept_of(id, "passkey"), 1);
    CU_ASSERT_EQUAL(live_sessions(id), 1);
    check_act(id, "reset-mfa");
    check_shown(id, "factors.0", "");
    CU_ASSERT_EQUAL(kept_of(id, "mfa_factor"), 0);
    CU_ASSERT_EQUAL(kept_of(id, "mfa_recovery"), 0);
    CU_ASSERT_EQUAL(kept_of(id, "passkey"), 0);
    CU_ASSERT_EQUAL(live_sessions(id), 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, person->refresh), 401);
    CU_ASSERT_EQUAL(audited(id, "mfa.reset"), 1);
    HTTP_ANSWER in = by_client(person->email, person->password);
    CHECK_STATUS(in, 200);
}

static void a_link_is_mailed(void)
{
    PERSON person = person_register_settled(suite);
    TEXT id = suite_account(suite, person->email);
    size_t before = suite_mail_count(suite, person->email);

    check_act(id, "send-reset");
    CU_ASSERT_TRUE(suite_mails_arrive(suite, person->email, before + 1));
    struct mail_link link = suite_mail_link(suite, person->email, RESET);
    HTTP_ANSWER set = suite_post_link(suite, "/auth/set-password", &link, NULL, "a new password");
    CHECK_STATUS(set, 204);
    HTTP_ANSWER in = by_client(person->email, "a new password");
    CHECK_STATUS(in, 200);
    CU_ASSERT_EQUAL(audited(id, "password.link"), 1);
    for (int i = 0; i < 9; i++) {
        HTTP_ANSWER more = act(admin->access, id, "send-reset", "a ticket");
        UNIT_CHECK(more->status == 204 || more->status == 429, "%d", more->status);
    }
    HTTP_ANSWER enough = act(admin->access, id, "send-reset", "a ticket");
    CHECK_STATUS(enough, 429);
}

static void a_deletion_is_scheduled_and_taken_back(void)
{
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    char path[160];

    HTTP_ANSWER none = act(admin->access, id, "cancel-deletion", "a ticket");
    CHECK_ERROR(none, 409, "No deletion is scheduled.");
    check_act(id, "schedule-deletion");
    check_shown(id, "state", "deleting");
    check_act(id, "cancel-deletion");
    check_shown(id, "state", "active");
    CU_ASSERT_EQUAL(audited(id, "deletion.schedule"), 1);
    CU_ASSERT_EQUAL(audited(id, "deletion.abort"), 1);

    check_act(id, "schedule-deletion");
    HTTP_ANSWER in = by_client(person->email, person->password);
    CHECK_STATUS(in, 200);
    check_shown(id, "state", "active");

    snprintf(path, sizeof(path), ACCOUNTS "%s/schedule-deletion", id);
    HTTP_ANSWER now = http_post(suite_url(suite), path, admin->access,
                                json_pack("{s:s, s:i}", "reason", "a ticket", "days", 0));
    CHECK_PROBLEM(now, "days");
    HTTP_ANSWER soon =
        http_post(suite_url(suite), path, admin->access,
                  json_pack("{s:s, s:i, s:b}", "reason", "a ticket", "days", 1, "wipe", true));
    CHECK_STATUS(soon, 204);
    suite_advance_clock(suite, DAY);
    fresh();
    HTTP_ANSWER late = act(admin->access, id, "cancel-deletion", "a ticket");
    CHECK_ERROR(late, 404, "Account not found.");
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 0, DONE_MS, "select count(*) from auth.account where id = '%s'", id));
}

static void a_reason_and_a_fresh_proof_are_needed(void)
{
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    char longest[502], path[160];

    memset(longest, 'a', 501);
    longest[501] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
        snprintf(path, sizeof(path), ACCOUNTS "%s/%s", id, acts[i]);
        HTTP_ANSWER without = http_post(suite_url(suite), path, admin->access, json_object());
        CHECK_PROBLEM(without, "reason");
        HTTP_ANSWER empty = act(admin->access, id, acts[i], "");
        CHECK_PROBLEM(empty, "reason");
        HTTP_ANSWER blank = act(admin->access, id, acts[i], " ");
        CHECK_PROBLEM(blank, "reason");
        HTTP_ANSWER more = act(admin->access, id, acts[i], longest);
        CHECK_PROBLEM(more, "reason");
    }
    longest[500] = '\0';
    HTTP_ANSWER most = act(admin->access, id, "end-sessions", longest);
    CHECK_STATUS(most, 204);
    PERSON back = person_sign_in(suite, "Patient", person->email, person->password, NULL);
    HTTP_ANSWER scheduled =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/delete",
                                                           .bearer = back->access,
                                                           .body = json_pack("{s:i}", "days", 9)});
    CHECK_STATUS(scheduled, 200);
    suite_advance_clock(suite, FRESH + 1);
    for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
        HTTP_ANSWER stale = act(admin->access, id, acts[i], "a ticket");

        UNIT_CHECK(stale->status == 401 &&
                       strcmp(http_text(stale, "code"), "STEP_UP_REQUIRED") == 0,
                   "%s: %d %s", acts[i], stale->status, stale->body);
    }
    CU_ASSERT_EQUAL(live_sessions(id), 1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where event->>'account' = '%s' "
                                "and event->>'reason' = 'a ticket'",
                                id),
                    0);
    fresh();
}

static void others_may_not(void)
{
    PERSON person = person_register(suite, NULL);
    PERSON colleague = practitioner();
    PERSON child = person_sign_in(suite, "Practitioner", suite_text(suite, "demo.adminEmail"),
                                  suite_text(suite, "demo.adminPassword"), "actschild");
    TEXT id = suite_account(suite, person->email);
    TEXT self = suite_query(suite, "select account_id from auth.membership where admin limit 1");

    for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
        HTTP_ANSWER patient = act(person->access, id, acts[i], "a ticket");
        CHECK_STATUS(patient, 403);
        HTTP_ANSWER member = act(colleague->access, id, acts[i], "a ticket");
        CHECK_STATUS(member, 403);
        HTTP_ANSWER foreign = act(child->access, id, acts[i], "a ticket");
        CHECK_ERROR(foreign, 404, "Account not found.");
        HTTP_ANSWER unknown = act(admin->access, UNKNOWN, acts[i], "a ticket");
        CHECK_ERROR(unknown, 404, "Account not found.");
        HTTP_ANSWER own = act(admin->access, self, acts[i], "a ticket");
        CHECK_ERROR(own, 409, "You can't do this to your own account.");
    }
    CU_ASSERT_EQUAL(live_sessions(id), 1);
}

/* An admin controls only the membership of a practitioner who has other projects, but all of the
 * account if they are children of the caller's. */
static void a_shared_account_is_its_owners(void)
{
    PERSON person = practitioner();
    TEXT id = suite_account(suite, person->email);
    TEXT child =
        suite_query(suite, "select project_id from settings.tenant_code where code = 'actschild'");
    PERSON below = person_sign_in(suite, "Practitioner", suite_text(suite, "demo.adminEmail"),
                                  suite_text(suite, "demo.adminPassword"), "actschild");

    join(person->email, child);
    for (size_t i = 0; i < ARRAY_SIZE(of_the_account); i++) {
        HTTP_ANSWER answer = act(below->access, id, of_the_account[i], "a ticket");
        CHECK_STATUS(answer, 403);
        CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "ACCOUNT_SHARED");
    }
    check_act(id, "schedule-deletion"); /* works, because the other project is a child */
    check_act(id, "cancel-deletion");
    join(person->email, UNKNOWN);
    for (size_t i = 0; i < ARRAY_SIZE(of_the_account); i++) {
        HTTP_ANSWER answer = act(admin->access, id, of_the_account[i], "a ticket");
        CHECK_STATUS(answer, 403);
        CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "ACCOUNT_SHARED");
    }
    check_act(id, "lock");
    check_act(id, "unlock");
    check_act(id, "end-sessions");
}

enum { MANY = 64, SIGN_INS = 4, ROUNDS = 3 };

struct calls {
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    size_t count;
};

static void *perform(void *arg)
{
    struct calls *calls = arg;

    http_call_many(suite_url(suite), calls->requests, calls->count, calls->count, calls->answers);
    return NULL;
}

static void locks_at_once_are_one(void)
{
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    struct calls calls = {.count = MANY};
    char path[160];

    snprintf(path, sizeof(path), ACCOUNTS "%s/lock", id);
    for (size_t i = 0; i < MANY; i++)
        calls.requests[i] = (struct http_request){.method = "POST",
                                                  .path = path,
                                                  .bearer = admin->access,
                                                  .body = json_pack("{s:s}", "reason", "a ticket")};
    perform(&calls);
    for (size_t i = 0; i < MANY; i++)
        UNIT_CHECK(calls.answers[i]->status == 204, "%d %s", calls.answers[i]->status,
                   calls.answers[i]->body);
    http_answers_destroy(calls.answers, MANY);
    CU_ASSERT_EQUAL(audited(id, "membership.lock"), 1);
    CU_ASSERT_EQUAL(live_sessions(id), 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
}

/* The sign-ins' sessions are not committed yet and wait for a locked row. Either the lock finds
 * their sessions, or they find the lock. */
static void a_sign_in_under_way_is_ended(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        PERSON person = person_register(suite, NULL);
        TEXT id = suite_account(suite, person->email);
        char *source = fresh_source();
        struct calls calls = {.count = SIGN_INS};
        HTTP_ANSWER known = suite_post_from(suite, source, "/v2/auth/login",
                                            json_pack("{s:s, s:s, s:s}", "email", person->email,
                                                      "password", person->password, "clientId",
                                                      suite_text(suite, "demo.clientId")));
        pthread_t thread;
        pid_t holder;

        CHECK_STATUS(known, 200);
        for (size_t i = 0; i < SIGN_INS; i++)
            calls.requests[i] =
                (struct http_request){.method = "POST",
                                      .path = "/v2/auth/login",
                                      .source = source,
                                      .body = json_pack("{s:s, s:s, s:s}", "email", person->email,
                                                        "password", person->password, "clientId",
                                                        suite_text(suite, "demo.clientId"))};
        holder = suite_hold_sign_ins(suite);
        CU_ASSERT_EQUAL(pthread_create(&thread, NULL, perform, &calls), 0);
        CU_ASSERT_TRUE(suite_comes_to(
            suite, 1, DONE_MS,
            "select (count(*) > 0)::int from pg_stat_activity where wait_event_type = "
            "'Lock' and application_name like 'atrium-authd.%%'"));
        check_act(id, "lock");
        pthread_join(thread, NULL);
        waitpid(holder, NULL, 0);
        for (size_t i = 0; i < SIGN_INS; i++) {
            if (calls.answers[i]->status == 200)
                CU_ASSERT_TRUE(
                    suite_everywhere(suite, http_text(calls.answers[i], "accessToken"), 401));
        }
        http_answers_destroy(calls.answers, SIGN_INS);
        CU_ASSERT_EQUAL(live_sessions(id), 0);
        free(source);
    }
}

static void the_last_admin_stays(void)
{
    PERSON one = practitioner();
    PERSON two = practitioner();
    TEXT first = suite_account(suite, one->email);
    TEXT second = suite_account(suite, two->email);
    TEXT child =
        suite_query(suite, "select project_id from settings.tenant_code where code = 'actspair'");
    struct calls calls = {.count = 2};
    char paths[2][160], sql[400];
    int locked = 0;

    join(one->email, child);
    join(two->email, child);
    snprintf(
        sql, sizeof(sql),
        "update auth.membership set admin = account_id in ('%s', '%s') where project_id = '%s'",
        first, second, child);
    free(suite_query(suite, sql));
    PERSON left = person_sign_in(suite, "Practitioner", one->email, one->password, "actspair");
    PERSON right = person_sign_in(suite, "Practitioner", two->email, two->password, "actspair");
    HTTP_ANSWER leaves =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/delete",
                                                           .bearer = left->access,
                                                           .body = json_pack("{s:i}", "days", 9)});
    CHECK_STATUS(leaves, 200);
    HTTP_ANSWER last = act(left->access, second, "lock", "a ticket");
    CHECK_ERROR(last, 409, "The project needs at least one admin, and this is the last one.");
    PERSON back = person_sign_in(suite, "Practitioner", one->email, one->password, "actspair");
    CU_ASSERT_EQUAL(back->status, 200);
    snprintf(paths[0], sizeof(paths[0]), ACCOUNTS "%s/lock", second);
    snprintf(paths[1], sizeof(paths[1]), ACCOUNTS "%s/lock", first);
    for (size_t i = 0; i < 2; i++)
        calls.requests[i] = (struct http_request){.method = "POST",
                                                  .path = paths[i],
                                                  .bearer = i == 0 ? left->access : right->access,
                                                  .body = json_pack("{s:s}", "reason", "a ticket")};
    perform(&calls);
    for (size_t i = 0; i < 2; i++) {
        locked += calls.answers[i]->status == 204;
        UNIT_CHECK(calls.answers[i]->status == 204 || calls.answers[i]->status == 409 ||
                       calls.answers[i]->status == 401,
                   "%d", calls.answers[i]->status);
    }
    CU_ASSERT_EQUAL(locked, 1);
    const struct person *winner = calls.answers[0]->status == 204 ? left : right;
    http_answers_destroy(calls.answers, 2);
    PERSON third = practitioner();
    TEXT id = suite_account(suite, third->email);
    join(third->email, child);
    HTTP_ANSWER works = act(winner->access, id, "lock", "a ticket");
    CHECK_STATUS(works, 204);

    /* an admin with a scheduled deletion does not count as a remaining one */
    HTTP_ANSWER demoted = act(admin->access, first, "schedule-deletion", "a ticket");
    HTTP_ANSWER other = act(admin->access, second, "schedule-deletion", "a ticket");
    CU_ASSERT_TRUE(demoted->status == 409 || other->status == 409);
    CU_ASSERT_TRUE(demoted->status == 204 || other->status == 204);
}

static void a_kill_leaves_no_half_lock(void)
{
    for (int ms = 0; ms < 60; ms += 12) {
        PERSON person = person_register(suite, NULL);
        TEXT id = suite_account(suite, person->email);
        pid_t old[2] = {suite_pid(suite, "authd", "1"), suite_pid(suite, "authd", "2")};
        pid_t killer = suite_kill_both_later(suite, "authd", ms);
        HTTP_ANSWER answer = act(admin->access, id, "lock", "a ticket");
        long locked;

        waitpid(killer, NULL, 0);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", old[0]));
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", old[1]));
        locked = suite_count(suite,
                             "select count(*) from auth.membership where account_id = '%s' and "
                             "locked_at is not null",
                             id);
        UNIT_CHECK(answer->status == 204 || answer->status == 503, "%d", answer->status);
        CU_ASSERT_TRUE(answer->status != 204 || locked == 1);
        CU_ASSERT_EQUAL(live_sessions(id), 1 - locked);
        CU_ASSERT_EQUAL(audited(id, "membership.lock"), locked);
        CU_ASSERT_TRUE(suite_everywhere(suite, person->access, locked ? 401 : 200));
    }
}

static void a_reason_is_exported(void)
{
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    HTTP_ANSWER answer = act(admin->access, id, "lock", "phone stolen on Monday");
    PROGRAM export = ATRIUMCTL(suite, NULL, "audit", "export", "--project", "demo");

    CHECK_STATUS(answer, 204);
    CHECK_EXIT(export, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(export->out, "phone stolen on Monday"));
}

static void test_start(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    PERSON child = person_admin_of_child(suite, "actschild");
    PERSON pair = person_admin_of_child(suite, "actspair");
    CU_ASSERT_TRUE(child->status == 200 && pair->status == 200);
    suite_set_switch(suite, fresh(), "PRACTITIONER_REGISTRATION_ENABLED", true);
}

static void test_stop(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(test_start),
    CASE(a_locked_member_is_refused_until_unlocked),
    CASE(a_locked_member_gets_no_links),
    CASE(what_an_operator_has_locked_stays_locked),
    CASE(a_practitioner_is_locked_in_one_project_alone),
    CASE(sessions_of_the_project_end),
    CASE(one_session_ends),
    CASE(lost_factors_are_taken_away),
    CASE(a_link_is_mailed),
    CASE(others_may_not),
    CASE(a_shared_account_is_its_owners),
    CASE(locks_at_once_are_one),
    CASE(a_sign_in_under_way_is_ended),
    CASE(the_last_admin_stays),
    CASE(a_kill_leaves_no_half_lock),
    CASE(a_reason_is_exported),
    CASE(a_reason_and_a_fresh_proof_are_needed),
    CASE(a_deletion_is_scheduled_and_taken_back),
    CASE_ALWAYS(test_stop),
};

int main(void)
{
    return unit_run("project_account_acts", cases, ARRAY_SIZE(cases));
}
