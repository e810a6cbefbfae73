/*
 * test_factor_deaths.c - both authd die at every step of what changes a second factor: nothing is
 * half enrolled, half disabled or half used, what was not done can be done again with the same
 * code, and what was done stays.
 *
 * A step is a statement. Its table is locked, so that the request waits in front of it; when
 * PostgreSQL says that it does, the daemons are killed.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define STATUS "/auth/mfa/status"
#define ENROLL "/auth/mfa/enroll"
#define DISABLE "/auth/mfa/disable"

/* Modes: "exclusive" stops readers that lock rows too, "share" writers, "access exclusive" every
 * reader. */
struct step {
    const char *mode, *table, *statement; /* how the waiting statement begins */
    bool done;                            /* the change is committed by then */
};

static struct suite *suite;

/* ---- deaths ---- */

struct death {
    pid_t pids[2], child;
};

/* In the child: 0 when both were killed while the statement waited. */
static int kill_while_it_waits(const struct death *self, const struct step *step, int ready)
{
    PGconn *holder = suite_database(suite), *watcher = suite_database(suite);
    char sql[512];

    PQclear(PQexec(holder, "begin"));
    snprintf(sql, sizeof(sql), "lock table auth.%s in %s mode", step->table, step->mode);
    PQclear(PQexec(holder, sql));
    if (write(ready, "", 1) != 1)
        return 1;
    snprintf(sql, sizeof(sql),
             "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
             "application_name like 'atrium-authd%%' and "
             "starts_with(regexp_replace(query, '\\s+', ' ', 'g'), '%s')",
             step->statement);
    for (int i = 0; i < 1500; i++) {
        PGresult *result = PQexec(watcher, sql);
        bool waits = PQntuples(result) == 1 && strcmp(PQgetvalue(result, 0, 0), "0") != 0;

        PQclear(result);
        if (waits) {
            kill(self->pids[0], SIGKILL);
            kill(self->pids[1], SIGKILL);
            return 0;
        }
        usleep(5000);
    }
    return 1;
}

/* Returns when the table is locked. */
static struct death death_begin(const struct step *step)
{
    struct death self = {{suite_pid(suite, "authd", "1"), suite_pid(suite, "authd", "2")}, 0};
    int ready[2];
    char byte;

    if (pipe(ready) < 0)
        abort();
    self.child = fork();
    if (self.child == 0)
        _exit(kill_while_it_waits(&self, step, ready[1]));
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1)
        abort();
    close(ready[0]);
    return self;
}

static void death_end(const struct death *self, const struct step *step)
{
    int status = -1;

    waitpid(self->child, &status, 0);
    UNIT_CHECK(status == 0, "never waited for %s: %s", step->table, step->statement);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", self->pids[0]));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", self->pids[1]));
}

/* Posts; authd dies at that step. The client gets no success. */
static void post_and_die(const struct step *step, const char *path, const char *bearer,
                         json_t *body)
{
    struct death death = death_begin(step);
    HTTP_ANSWER answer = http_post(suite_url(suite), path, bearer, body);

    death_end(&death, step);
    UNIT_CHECK(answer->status == 503, "%s at %s: %d", path, step->statement, answer->status);
}

/* ---- people with a factor ---- */

struct owner {
    struct person *person, *elsewhere; /* the same, signed in twice */
    uint8_t secret[TOTP_SECRET];
    char code[7], recovery[10][11];
};

static struct owner pending_owner(void)
{
    struct owner self = {.person = person_register(suite, NULL)};
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, self.person->access);

    self.elsewhere =
        person_sign_in(suite, "Patient", self.person->email, self.person->password, NULL);
    totp_read(http_text(status, "otpauthUrl"), self.secret);
    totp_code(self.secret, time(NULL), self.code);
    return self;
}

static json_t *body_token(const char *token)
{
    return json_pack("{s:s}", "token", token);
}

static struct owner enrolled_owner(void)
{
    struct owner self = pending_owner();
    HTTP_ANSWER answer =
        http_post(suite_url(suite), ENROLL, self.person->access, body_token(self.code));
    json_t *codes = http_member(answer, "recoveryCodes");

    CHECK_STATUS(answer, 200);
    for (size_t i = 0; i < 10; i++)
        snprintf(self.recovery[i], sizeof(self.recovery[i]), "%s",
                 json_string_value(json_array_get(codes, i)));
    return self;
}

static void owner_free(struct owner *self)
{
    person_destroy(&self->person);
    person_destroy(&self->elsewhere);
}
#define OWNER CLEANUP(owner_free) struct owner

/* What there is of the factor: enrolled, recovery codes that are left, changes of the credential,
 * live sessions. */
static void check_state(const struct owner *owner, const char *want, const struct step *step)
{
    char sql[768], *found;

    snprintf(sql, sizeof(sql),
             "select concat_ws(' ', coalesce(f.enrolled_at is not null, false), "
             "(select count(*) from auth.mfa_recovery r where r.account_id = a.id "
             "and r.used_at is null), c.changes, "
             "(select count(*) from auth.session s where s.account_id = a.id "
             "and s.ended_at is null)) from auth.account a "
             "join auth.credential c on c.account_id = a.id "
             "left join auth.mfa_factor f on f.account_id = a.id where a.email = '%s'",
             owner->person->email);
    found = suite_query(suite, sql);
    UNIT_CHECK(strcmp(found, want) == 0, "at %s of %s: %s instead of %s", step->statement,
               step->table, found, want);
    free(found);
}

/* A code that was not spent by the request that died is good for the next. */
static void check_again(const char *path, const struct owner *owner, const char *token, int want,
                        const struct step *step)
{
    HTTP_ANSWER answer =
        http_post(suite_url(suite), path, owner->person->access, body_token(token));

    UNIT_CHECK(answer->status == want, "again, at %s of %s: %d %s", step->statement, step->table,
               answer->status, answer->body);
}

/* ---- the owner's own ---- */

static void a_secret_is_made_whole_or_not(void)
{
    static const struct step step = {"share", "mfa_pending",
                                     "with prepared as ( insert into mfa_pending", false};
    PERSON patient = person_register(suite, NULL);
    struct death death = death_begin(&step);
    HTTP_ANSWER dead = http_get(suite_url(suite), STATUS, patient->access);

    death_end(&death, &step);
    HTTP_ANSWER first = http_get(suite_url(suite), STATUS, patient->access);
    HTTP_ANSWER second = http_get(suite_url(suite), STATUS, patient->access);
    CHECK_STATUS(first, 200);
    CU_ASSERT_STRING_EQUAL(http_text(first, "otpauthUrl"), http_text(second, "otpauthUrl"));
    CU_ASSERT_TRUE(dead->status == 503 || dead->status == 200); /* a read: it may be sent again */
}

static void an_enrolment_is_whole_or_not(void)
{
    static const struct step steps[] = {
        {"exclusive", "mfa_pending", "select p.secret_sealed", false},
        {"exclusive", "mfa_factor", "select secret_sealed", false},
        {"share", "credential", "with pending as", false},
        {"share", "mfa_recovery", "with pending as", false},
        {"share", "audit", "with pending as", false},
        {"share", "session", "with pending as", false},
        {"share", "change_counter", "with ended as", false},
        {"share", "outbox", "with outbox_written as", false},
        {"access exclusive", "gateway_lease", "select gateway from gateway_lease where", true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        OWNER owner = pending_owner();

        post_and_die(&steps[i], ENROLL, owner.person->access, body_token(owner.code));
        check_state(&owner, steps[i].done ? "t 10 1 1" : "f 0 0 2", &steps[i]);
        check_again(ENROLL, &owner, owner.code, steps[i].done ? 409 : 200, &steps[i]);
        check_state(&owner, "t 10 1 1", &steps[i]);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, owner.person->email, 2));
        CU_ASSERT_TRUE(suite_everywhere(suite, owner.elsewhere->access, 401));
    }
}

static void disabling_is_whole_or_not(void)
{
    static const struct step steps[] = {
        {"exclusive", "mfa_factor", "select secret_sealed", false},
        {"share", "mfa_recovery", "with used as", false},
        {"share", "credential", "with deleted as", false},
        {"share", "outbox", "with outbox_written as", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        OWNER owner = enrolled_owner();

        post_and_die(&steps[i], DISABLE, owner.person->access, body_token(owner.recovery[0]));
        check_state(&owner, "t 10 1 1", &steps[i]);
        check_again(DISABLE, &owner, owner.recovery[0], 200, &steps[i]);
        check_state(&owner, "f 0 2 1", &steps[i]);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, owner.person->email, 3));
    }
}

/* ---- signing in ---- */

static json_t *body_mfa(const char *login, const char *token)
{
    return json_pack("{s:s, s:s}", "loginId", login, "mfaToken", token);
}

static struct http_answer *start(const struct owner *owner)
{
    struct http_answer *answer =
        suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                         body_login_start(owner->person->email, owner->person->password, "demo"));

    CU_ASSERT_STRING_EQUAL(http_text(answer, "nextStep"), "mfa");
    return answer;
}

static void a_recovery_code_is_used_or_not(void)
{
    static const char path[] = "/auth/tenant/Patient/login/mfa";
    static const struct step steps[] = {
        {"exclusive", "mfa_factor", "select secret_sealed", false},
        {"exclusive", "login", "select from login", false},
        {"share", "mfa_recovery", "with used as", false},
        {"share", "audit", "with used as", false},
        {"share", "login", "update login set code_hash", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        OWNER owner = enrolled_owner();
        HTTP_ANSWER login = start(&owner);

        post_and_die(&steps[i], path, NULL,
                     body_mfa(http_text(login, "loginId"), owner.recovery[3]));
        check_state(&owner, "t 10 1 1", &steps[i]);
        HTTP_ANSWER again =
            suite_post_fresh(suite, path, body_mfa(http_text(login, "loginId"), owner.recovery[3]));
        CHECK_STATUS(again, 200);
        HTTP_ANSWER tokens =
            suite_post_fresh(suite, "/auth/tenant/Patient/login/token",
                             body_login_token(http_text(again, "sessionCode"), NULL));
        CHECK_STATUS(tokens, 200);
        check_state(&owner, "t 9 1 2", &steps[i]);
    }
}

/* It counts for the login and for the account, or for neither. */
static void a_wrong_code_is_counted_whole_or_not(void)
{
    static const struct step steps[] = {
        {"share", "login", "update login set mfa_failures", false},
        {"share", "mfa_factor", "with audit_written as", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        OWNER owner = enrolled_owner();
        HTTP_ANSWER login = start(&owner);
        char sql[512], *counted;

        post_and_die(&steps[i], "/auth/tenant/Patient/login/mfa", NULL,
                     body_mfa(http_text(login, "loginId"), "0000000000"));
        snprintf(sql, sizeof(sql),
                 "select l.mfa_failures || ' ' || cardinality(f.failures) from auth.login l "
                 "join auth.mfa_factor f on f.account_id = l.account_id where l.id = '%s'",
                 http_text(login, "loginId"));
        counted = suite_query(suite, sql);
        CU_ASSERT_STRING_EQUAL(counted, "0 0");
        free(counted);
    }
}

/* ---- by an operator ---- */

static struct program *reset(const struct owner *owner)
{
    return ATRIUMCTL(suite, NULL, "user", "reset-mfa", "--project", "demo", "--email",
                     owner->person->email);
}

static void an_operators_reset_is_whole_or_not(void)
{
    static const struct step steps[] = {
        {"share", "mfa_factor", "with deleted as", false},
        {"share", "outbox", "with outbox_written as", false},
        {"access exclusive", "gateway_lease", "select gateway from gateway_lease where", true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        OWNER owner = enrolled_owner();
        struct death death = death_begin(&steps[i]);
        PROGRAM dead = reset(&owner);

        death_end(&death, &steps[i]);
        CU_ASSERT_EQUAL(dead->code, 1);
        check_state(&owner, steps[i].done ? "f 0 2 0" : "t 10 1 1", &steps[i]);
        PROGRAM again = reset(&owner);
        CU_ASSERT_EQUAL(again->code, steps[i].done ? 1 : 0);
        check_state(&owner, "f 0 2 0", &steps[i]);
        CU_ASSERT_TRUE(suite_everywhere(suite, owner.person->access, 401));
        CU_ASSERT_TRUE(suite_mails_arrive(suite, owner.person->email, 3));
    }
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_secret_is_made_whole_or_not),
    CASE(an_enrolment_is_whole_or_not),
    CASE(disabling_is_whole_or_not),
    CASE(a_recovery_code_is_used_or_not),
    CASE(a_wrong_code_is_counted_whole_or_not),
    CASE(an_operators_reset_is_whole_or_not),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    return unit_run("factor deaths", cases, ARRAY_SIZE(cases));
}
