/*
 * test_user_commands.c - `atriumctl user list|show|lock|unlock|delete`: accounts as operators see
 * them, locks that apply everywhere, and complete deletion.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/document.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

static struct suite *suite;

static const char incorrect[] = "Username or password is incorrect.";
static const char not_enabled[] = "Login is not enabled.";

enum { DONE_MS = 30000 };

static struct program *user(const char *command, const char *which)
{
    return ATRIUMCTL(suite, NULL, "user", command, which, "--json");
}

static struct http_answer *by_client(const char *email, const char *password)
{
    return suite_post_fresh(suite, "/v2/auth/login",
                            json_pack("{s:s, s:s, s:s}", "email", email, "password", password,
                                      "clientId", suite_text(suite, "demo.clientId")));
}

static struct http_answer *start(const char *role, const char *email, const char *password)
{
    char path[64];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/start", role);
    return suite_post_fresh(
        suite, path, body_login_start(email, password, suite_text(suite, "demo.tenantCode")));
}

static void check_locked(struct http_answer *answer)
{
    CHECK_ERROR(answer, 403, not_enabled);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "ACCOUNT_LOCKED");
    http_answer_destroy(&answer);
}

static void check_incorrect(struct http_answer *answer)
{
    CHECK_ERROR(answer, 400, incorrect);
    http_answer_destroy(&answer);
}

static long audited(const char *email, const char *action)
{
    return suite_count(suite,
                       "select count(*) from auth.audit u join auth.account a "
                       "on u.entity = 'Account/' || a.id where a.email = '%s' and "
                       "u.event->>'action' = '%s' and u.event->'agent'->>'service' = 'ctl'",
                       email, action);
}

static long live_sessions(const char *email)
{
    return suite_count(suite,
                       "select count(*) from auth.session s join auth.account a on a.id = "
                       "s.account_id where a.email = '%s' and s.ended_at is null",
                       email);
}

static void a_locked_account_is_refused_everywhere(void)
{
    PERSON person = person_register_settled(suite);
    HTTP_ANSWER begun = start("Patient", person->email, person->password);
    PROGRAM lock = user("lock", person->email);

    CHECK_STATUS(begun, 200);
    CHECK_EXIT(lock, 0);
    CU_ASSERT_TRUE(json_is_true(json_object_get(lock->json, "locked")));
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, person->refresh), 401);
    HTTP_ANSWER late = suite_post_fresh(suite, "/auth/tenant/Patient/login/token",
                                        body_login_token(http_text(begun, "sessionCode"), NULL));
    CHECK_STATUS(late, 400);
    check_locked(by_client(person->email, person->password));
    check_locked(start("Patient", person->email, person->password));
    CU_ASSERT_EQUAL(audited(person->email, "account.lock"), 1);

    /* a wrong password gets the response of an unknown address */
    check_incorrect(by_client(person->email, "wrong"));
    check_incorrect(start("Patient", person->email, "wrong"));
    check_incorrect(start("Patient", "nobody@patients.example", "wrong"));
    CU_ASSERT_EQUAL(live_sessions(person->email), 0);
}

static void an_unlocked_account_signs_in_again(void)
{
    PERSON person = person_register_settled(suite);
    HTTP_ANSWER begun = start("Patient", person->email, person->password);
    PROGRAM lock = user("lock", person->email);
    PROGRAM again = user("lock", person->email);
    CHECK_EXIT(lock, 0);
    CHECK_EXIT(again, 0);
    CU_ASSERT_STRING_EQUAL(program_text(lock, "lockedAt"), program_text(again, "lockedAt"));
    PROGRAM unlock = user("unlock", person->email);
    PROGRAM twice = user("unlock", person->email);
    CHECK_EXIT(unlock, 0);
    CHECK_EXIT(twice, 0);
    CU_ASSERT_TRUE(json_is_false(json_object_get(unlock->json, "locked")));
    CU_ASSERT_EQUAL(audited(person->email, "account.lock"), 1);
    CU_ASSERT_EQUAL(audited(person->email, "account.unlock"), 1);

    HTTP_ANSWER late = suite_post_fresh(suite, "/auth/tenant/Patient/login/token",
                                        body_login_token(http_text(begun, "sessionCode"), NULL));
    CHECK_STATUS(late, 400);
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, person->refresh), 401);
    HTTP_ANSWER in = by_client(person->email, person->password);
    CHECK_STATUS(in, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(in, "accessToken"), 200));
}

static void a_locked_practitioner_is_refused(void)
{
    const char *email = suite_text(suite, "demo.adminEmail");
    const char *password = suite_text(suite, "demo.adminPassword");
    PERSON admin = person_admin(suite);
    PROGRAM lock = ATRIUMCTL(suite, NULL, "user", "lock", email, "--role", "Practitioner");

    CHECK_EXIT(lock, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(lock->out, "The account is locked"));
    CU_ASSERT_TRUE(suite_everywhere(suite, admin->access, 401));
    check_locked(start("Practitioner", email, password));
    check_locked(by_client(email, password));
    check_locked(
        suite_post_fresh(suite, "/auth/b2b/login",
                         json_pack("{s:s, s:s, s:s, s:s}", "email", email, "password", password,
                                   "clientId", suite_text(suite, "demo.clientId"), "tenantId",
                                   suite_text(suite, "demo.projectId"))));
    PROGRAM why = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                            email, "--role", "Practitioner");
    CHECK_EXIT(why, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(why->out, "The first check that fails: not locked"));
    PROGRAM unlock = user("unlock", email);
    CHECK_EXIT(unlock, 0);
    PERSON back = person_admin(suite);
    CU_ASSERT_EQUAL(back->status, 200);
}

static struct http_answer *ask_for_link(const char *email)
{
    return suite_post_fresh(suite, "/auth/reset-password",
                            json_pack("{s:s, s:s}", "email", email, "tenantCode",
                                      suite_text(suite, "demo.tenantCode")));
}

static void a_locked_account_gets_no_links(void)
{
    PERSON person = person_register_settled(suite);
    size_t before = suite_mail_count(suite, person->email);
    HTTP_ANSWER requested = ask_for_link(person->email);

    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, person->email, before + 1));
    struct mail_link link = suite_mail_link(suite, person->email, "set-password");
    PROGRAM lock = user("lock", person->email);
    CHECK_EXIT(lock, 0);
    HTTP_ANSWER dead = suite_post_link(suite, "/auth/set-password", &link, NULL, "a new password");
    CHECK_STATUS(dead, 400);
    HTTP_ANSWER none = ask_for_link(person->email);
    CHECK_STATUS(none, 200);
    CU_ASSERT_STRING_EQUAL(none->body, requested->body);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.password_reset r join auth.account a "
                                "on a.id = r.account_id where a.email = '%s'",
                                person->email),
                    0);
    PROGRAM unlock = user("unlock", person->email);
    CHECK_EXIT(unlock, 0);
    HTTP_ANSWER still = suite_post_link(suite, "/auth/set-password", &link, NULL, "a new password");
    CHECK_STATUS(still, 400);
    CU_ASSERT_EQUAL(suite_mail_count(suite, person->email), before + 1);
}

enum { ROUNDS = 3, MANY = 3 };

struct calls {
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
};

static void *perform(void *arg)
{
    struct calls *calls = arg;

    http_call_many(suite_url(suite), calls->requests, MANY, MANY, calls->answers);
    return NULL;
}

/* Locks the account while requests are in progress, or with `waiting` once one of them waits for a
 * row. When all have ended, the tokens they returned are invalid. */
static void lock_meanwhile(const struct person *person, struct calls *calls, bool waiting,
                           const char *token)
{
    pthread_t thread;

    CU_ASSERT_EQUAL(pthread_create(&thread, NULL, perform, calls), 0);
    if (waiting)
        CU_ASSERT_TRUE(suite_comes_to(suite, 1, DONE_MS,
                                      "select (count(*) > 0)::int from pg_stat_activity where "
                                      "wait_event_type = 'Lock' and application_name like "
                                      "'atrium-authd.%%'"));
    PROGRAM lock = user("lock", person->email);
    CHECK_EXIT(lock, 0);
    pthread_join(thread, NULL);
    for (size_t i = 0; i < MANY; i++) {
        if (calls->answers[i]->status == 200)
            CU_ASSERT_TRUE(suite_everywhere(suite, http_text(calls->answers[i], token), 401));
    }
    CU_ASSERT_EQUAL(live_sessions(person->email), 0);
    http_answers_destroy(calls->answers, MANY);
}

/* The sign-ins' sessions are not committed yet and wait for a locked row. */
static void a_sign_in_at_the_same_moment_is_ended(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        PERSON person = person_register(suite, NULL);
        char *source = fresh_source();
        struct calls calls;
        HTTP_ANSWER known = suite_post_from(suite, source, "/v2/auth/login",
                                            json_pack("{s:s, s:s, s:s}", "email", person->email,
                                                      "password", person->password, "clientId",
                                                      suite_text(suite, "demo.clientId")));
        pid_t holder;

        CHECK_STATUS(known, 200);
        for (size_t i = 0; i < MANY; i++)
            calls.requests[i] =
                (struct http_request){.method = "POST",
                                      .path = "/v2/auth/login",
                                      .source = source,
                                      .body = json_pack("{s:s, s:s, s:s}", "email", person->email,
                                                        "password", person->password, "clientId",
                                                        suite_text(suite, "demo.clientId"))};
        holder = suite_hold_sign_ins(suite);
        lock_meanwhile(person, &calls, true, "accessToken");
        waitpid(holder, NULL, 0);
        free(source);
    }
}

static void a_refresh_at_the_same_moment_is_ended(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        PERSON person = person_register(suite, NULL);
        struct calls calls;

        for (size_t i = 0; i < MANY; i++)
            calls.requests[i] =
                (struct http_request){.method = "POST",
                                      .path = "/auth/refresh-token",
                                      .body = json_pack("{s:s}", "refresh_token", person->refresh)};
        lock_meanwhile(person, &calls, false, "access_token");
        CU_ASSERT_EQUAL(suite_refresh_status(suite, person->refresh), 401);
    }
}

static void one_account_is_shown(void)
{
    PERSON person = person_register(suite, NULL);
    PROGRAM shown = user("show", person->email);
    const json_t *places;
    char id[40];

    CHECK_EXIT(shown, 0);
    CU_ASSERT_STRING_EQUAL(program_text(shown, "email"), person->email);
    CU_ASSERT_STRING_EQUAL(program_text(shown, "role"), "Patient");
    CU_ASSERT_TRUE(json_is_false(json_object_get(shown->json, "locked")));
    CU_ASSERT_TRUE(json_is_false(json_object_get(shown->json, "mfaEnrolled")));
    CU_ASSERT_TRUE(json_is_true(json_object_get(shown->json, "password")));
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(shown->json, "sessions")), 1);
    places = json_object_get(shown->json, "places");
    CU_ASSERT_EQUAL(json_array_size(places), 1);
    CU_ASSERT_STRING_EQUAL(
        json_string_value(json_object_get(json_array_get(places, 0), "tenantCode")), "demo");
    snprintf(id, sizeof(id), "%s", program_text(shown, "id"));
    PROGRAM by_id = user("show", id);
    CHECK_EXIT(by_id, 0);
    CU_ASSERT_STRING_EQUAL(by_id->out, shown->out);
    PROGRAM table = ATRIUMCTL(suite, NULL, "user", "show", person->email);
    CHECK_EXIT(table, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "TENANT CODE"));
}

/* A practitioner and a patient can share an address, so the role is required. */
static void one_account_must_be_named(void)
{
    const char *email = suite_text(suite, "demo.adminEmail");
    PERSON patient = person_register(suite, email);
    PROGRAM either = user("lock", email);
    PROGRAM none = user("show", "no@body.example");
    PROGRAM missing = user("show", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");
    PROGRAM elsewhere = ATRIUMCTL(suite, NULL, "user", "lock", email, "--project", "nowhere");

    CHECK_REFUSED(either, 1, "several accounts");
    CHECK_REFUSED(none, 1, "Account not found.");
    CHECK_REFUSED(missing, 1, "Account not found.");
    CHECK_REFUSED(elsewhere, 1, "Tenant not found.");
    PROGRAM right = ATRIUMCTL(suite, NULL, "user", "lock", email, "--role", "Patient");
    CHECK_EXIT(right, 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));

    /* the practitioner's account is another one */
    HTTP_ANSWER other = by_client(email, suite_text(suite, "demo.adminPassword"));
    CHECK_STATUS(other, 200);
    PROGRAM unlock = ATRIUMCTL(suite, NULL, "user", "unlock", email, "--role", "Patient");
    CHECK_EXIT(unlock, 0);
}

static bool is_sorted(const json_t *list)
{
    for (size_t i = 1; i < json_array_size(list); i++) {
        const char *before =
            json_string_value(json_object_get(json_array_get(list, i - 1), "email"));
        const char *email = json_string_value(json_object_get(json_array_get(list, i), "email"));

        if (strcmp(before, email) >= 0)
            return false;
    }
    return true;
}

static void accounts_are_listed(void)
{
    free(suite_query(suite,
                     "with a as (insert into auth.account (id, role, email, name, surname, "
                     "created_at, locked_at) select gen_random_uuid(), 'Practitioner', "
                     "'bulk' || lpad(i::text, 4, '0') || '@list.example', 'B', 'K', i, "
                     "case when i % 100 = 0 then i end from generate_series(1, 450) i "
                     "returning id, email), "
                     "m as (insert into auth.membership (project_id, id, account_id, profile_id, "
                     "created_at) select p.id, gen_random_uuid(), a.id, gen_random_uuid(), 1 "
                     "from a cross join (select id from settings.project order by id limit 1) p "
                     "where a.email < 'bulk0300' returning 1) select count(*) from m"));
    PROGRAM all = ATRIUMCTL(suite, NULL, "user", "list", "--email", "BULK", "--json");
    CHECK_EXIT(all, 0);
    CU_ASSERT_EQUAL(json_array_size(all->json), 450);
    CU_ASSERT_TRUE(is_sorted(all->json));
    PROGRAM locked =
        ATRIUMCTL(suite, NULL, "user", "list", "--locked", "--email", "bulk", "--json");
    CU_ASSERT_EQUAL(json_array_size(locked->json), 4);
    PROGRAM inside =
        ATRIUMCTL(suite, NULL, "user", "list", "--project", "demo", "--email", "bulk", "--json");
    CU_ASSERT_EQUAL(json_array_size(inside->json), 299);
    PROGRAM both = ATRIUMCTL(suite, NULL, "user", "list", "--project", "demo", "--email", "bulk",
                             "--locked", "--json");
    CU_ASSERT_EQUAL(json_array_size(both->json), 2);
    PROGRAM some = ATRIUMCTL(suite, NULL, "user", "list", "--email", "bulk", "--count", "201");
    CHECK_EXIT(some, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(some->out, "bulk0201@list.example"));
    CU_ASSERT_PTR_NULL(strstr(some->out, "bulk0202@list.example"));
    CU_ASSERT_PTR_NOT_NULL(strstr(some->out, "These are the first 201; --count shows more."));
    PROGRAM none = ATRIUMCTL(suite, NULL, "user", "list", "--email", "nobody-is-so", "--json");
    CU_ASSERT_EQUAL(json_array_size(none->json), 0);
    PROGRAM everyone = ATRIUMCTL(suite, NULL, "user", "list", "--json");
    CHECK_EXIT(everyone, 0);
    CU_ASSERT_TRUE(json_array_size(everyone->json) > 451);
}

static struct program *delete_user(const char *which)
{
    return ATRIUMCTL(suite, NULL, "user", "delete", which, "--yes");
}

static long accounts(const char *email)
{
    return suite_count(suite, "select count(*) from auth.account where email = '%s'", email);
}

static void a_deleted_account_takes_its_documents_along(void)
{
    PERSON person = person_register(suite, NULL);
    PERSON other = person_register(suite, NULL);
    char *going = document_put(suite, person->access, "going", "a/b", "xyz", 3);
    char *mine = document_put(suite, other->access, "mine", "a/b", "abc", 3);
    PROGRAM unsure = ATRIUMCTL(suite, NULL, "user", "delete", person->email);
    PROGRAM shown = user("show", person->email);
    const char *id = program_text(shown, "id");

    CHECK_REFUSED(unsure, 1, "--yes is needed");
    CU_ASSERT_EQUAL(accounts(person->email), 1);
    PROGRAM gone = delete_user(person->email);
    CHECK_EXIT(gone, 0);
    CU_ASSERT_EQUAL(accounts(person->email), 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
    check_incorrect(by_client(person->email, person->password));
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, DONE_MS,
                                  "select count(*) from doc.document where id = '%s'", going));
    HTTP_ANSWER kept = document_get(suite, other->access, mine);
    CHECK_STATUS(kept, 200);
    PROGRAM again = delete_user(person->email);
    CHECK_REFUSED(again, 1, "Account not found.");
    /* decided by the operator, executed by that request or the job */
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'Account/%s' and "
                                "event->>'action' = 'deletion.schedule' and "
                                "event->'agent'->>'service' = 'ctl'",
                                id),
                    1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'Account/%s' and "
                                "event->>'action' = 'account.delete'",
                                id),
                    1);
    PERSON anew = person_register(suite, person->email);
    CU_ASSERT_EQUAL(anew->status, 200);
    free(going);
    free(mine);
}

static void the_last_admin_is_kept(void)
{
    PROGRAM refused = delete_user(suite_text(suite, "demo.adminEmail"));

    CHECK_REFUSED(refused, 1, "The project needs at least one admin, and this is the last one.");
    CU_ASSERT_EQUAL(accounts(suite_text(suite, "demo.adminEmail")), 1);
}

static void a_deletion_goes_on_after_a_kill(void)
{
    PERSON person = person_register(suite, NULL);
    pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
    char *ctl = program_path("atriumctl");
    const char *argv[] = {ctl,      "--dir",       suite_dir(suite), "user",
                          "delete", person->email, "--yes",          NULL};
    char sql[300];
    struct program *deletion;
    pid_t holder, killer;

    snprintf(sql, sizeof(sql),
             "select 1 from auth.credential where account_id = (select id from auth.account "
             "where email = '%s') for update",
             person->email);
    holder = suite_hold(suite, sql);
    deletion = program_start(argv, NULL);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS,
        "select count(*) from auth.account where email = '%s' and delete_at is not null",
        person->email));
    killer = suite_kill_both_later(suite, "authd", 0);
    waitpid(killer, NULL, 0);
    waitpid(holder, NULL, 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
    CU_ASSERT_TRUE(program_wait_end(deletion, DONE_MS));
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 0, DONE_MS, "select count(*) from auth.account where email = '%s'", person->email));
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
    program_destroy(&deletion);
    free(ctl);
}

/* Types Ctrl-C at a command's question on a terminal. Returns its exit code, or -1 if it went
 * on. */
static int interrupt_at(const char *question, const char *const *words, bool *ret_echo)
{
    char *path = program_path("atriumctl"), text[2048] = "", ctrl_c = 3;
    const char *argv[16] = {path, "--dir", suite_dir(suite)};
    int64_t until = clock_mono_ms() + DONE_MS;
    int near, status = 0, got = 0;
    struct termios state;
    size_t size = 0;
    ssize_t n = 1;
    pid_t pid;

    for (int i = 0; words[i]; i++)
        argv[3 + i] = words[i];
    pid = forkpty(&near, NULL, NULL, NULL);
    if (pid == 0) {
        execv(path, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    while (n > 0 && !strstr(text, question)) {
        n = read(near, text + size, sizeof(text) - 1 - size);
        size += (size_t)MAX(n, 0);
        text[size] = '\0';
    }
    UNIT_CHECK(n > 0, "%s", text);
    usleep(200000); /* the command waits for the answer by then */
    (void)!write(near, &ctrl_c, 1);
    while ((got = waitpid(pid, &status, WNOHANG)) == 0 && clock_mono_ms() < until)
        usleep(10000);
    *ret_echo = tcgetattr(near, &state) == 0 && (state.c_lflag & ECHO) != 0;
    if (got == 0) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    close(near);
    free(path);
    return got == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_question_is_left_by_ctrl_c(void)
{
    const char *code = suite_text(suite, "demo.tenantCode");
    const char *const admin[] = {"user",        "create-admin", "--project", code,        "--email",
                                 "a@b.example", "--name",       "A",         "--surname", "B",
                                 NULL};
    const char *const delete[] = {"project", "delete", code, "--force", NULL};
    bool echo = false;

    CU_ASSERT_EQUAL(interrupt_at("Password: ", admin, &echo), 1);
    CU_ASSERT_TRUE(echo);
    CU_ASSERT_EQUAL(interrupt_at("to continue: ", delete, &echo), 1);
    PROGRAM left = ATRIUMCTL(suite, NULL, "project", "show", code);
    CHECK_EXIT(left, 0);
}

/* If the disk is full, a command must fail, so that no script takes partial output for complete. */
static void output_that_is_not_written_is_an_error(void)
{
    static const char script[] = "exec \"$0\" \"$@\" > /dev/full";
    char *path = program_path("atriumctl");
    const char *const lists[][8] = {{"/bin/sh", "-c", script, path, "--version", NULL},
                                    {"/bin/sh", "-c", script, path, "help", "user", NULL},
                                    {"/bin/sh", "-c", script, path, "status", "--help", NULL},
                                    {"/bin/sh", "-c", script, path, "--dir", suite_dir(suite),
                                     "status", NULL}};

    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        PROGRAM program = program_run(lists[i], NULL);

        CHECK_REFUSED(program, 1, "standard output: No space left on device");
    }
    PROGRAM longer = /* longer than stdout's buffer */
        program_run((const char *const[]){"/bin/sh", "-c", script, path, "--help", NULL}, NULL);
    CHECK_REFUSED(longer, 1, "standard output: output is incomplete");
    free(path);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_locked_account_is_refused_everywhere),
    CASE(an_unlocked_account_signs_in_again),
    CASE(a_locked_practitioner_is_refused),
    CASE(a_locked_account_gets_no_links),
    CASE(a_sign_in_at_the_same_moment_is_ended),
    CASE(a_refresh_at_the_same_moment_is_ended),
    CASE(one_account_is_shown),
    CASE(accounts_are_listed),
    CASE(a_deleted_account_takes_its_documents_along),
    CASE(the_last_admin_is_kept),
    CASE(a_deletion_goes_on_after_a_kill),
    CASE(one_account_must_be_named),
    CASE(a_question_is_left_by_ctrl_c),
    CASE(output_that_is_not_written_is_an_error),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    return unit_run("user commands", cases, ARRAY_SIZE(cases));
}
