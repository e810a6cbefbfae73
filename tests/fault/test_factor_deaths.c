/*
 * test_factor_deaths.c - kills both authd at every statement of a change of a second factor,
 * passkey, proof or imported password, and of an import. Nothing is done in part, unfinished work
 * can be repeated, finished work stays.
 *
 * A lock on the statement's table blocks the request; the daemons are killed once PostgreSQL shows
 * that it waits.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/passkeys.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define STATUS "/auth/mfa/status"
#define ENROLL "/auth/mfa/enroll"
#define DISABLE "/auth/mfa/disable"
#define START "/auth/tenant/Patient/login/start"

/* Modes: "exclusive" blocks readers that lock rows, "share" writers, "access exclusive" every
 * reader. */
struct step {
    const char *mode, *table, *statement; /* start of the blocked statement */
    bool done;                            /* the change is already committed */
};

static struct suite *suite;

struct death {
    pid_t pids[2], child;
};

/* Runs in a child process. Returns 0 if both authd were killed while the statement waited. */
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

/* Starts that child and returns when the table is locked. */
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

/* Sends the request, which authd's death interrupts at that step, so the client gets no success. */
static void call_and_die(const struct step *step, const struct http_request *request)
{
    struct death death = death_begin(step);
    HTTP_ANSWER answer = http_call(suite_url(suite), request);

    death_end(&death, step);
    UNIT_CHECK(answer->status == 503, "%s at %s: %d", request->path, step->statement,
               answer->status);
}

static void post_and_die(const struct step *step, const char *path, const char *bearer,
                         json_t *body)
{
    call_and_die(step, &(struct http_request){
                           .method = "POST", .path = path, .bearer = bearer, .body = body});
}

struct owner {
    struct person *person, *elsewhere; /* signed in twice */
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

/* Checks a query's value, which can be one of several ("a|b"), because PostgreSQL completes a
 * statement that is a transaction of its own even if its client has died. */
static void check_value(const char *sql, const char *want, const struct step *step)
{
    char *found = suite_query(suite, sql);
    size_t length = strlen(found);
    bool good = false;

    for (const char *at = want; at && !good; at = strchr(at, '|')) {
        at += *at == '|';
        good = strncmp(at, found, length) == 0 && (at[length] == '\0' || at[length] == '|');
    }
    UNIT_CHECK(good, "at %s of %s: %s instead of %s", step->statement, step->table, found, want);
    free(found);
}

/* Checks the factor's state: enrolled, recovery codes, changes of the credential, valid
 * sessions. */
static void check_state(const struct owner *owner, const char *want, const struct step *step)
{
    char sql[768];

    snprintf(sql, sizeof(sql),
             "select concat_ws(' ', coalesce(f.enrolled_at is not null, false), "
             "(select count(*) from auth.mfa_recovery r where r.account_id = a.id "
             "and r.used_at is null), c.changes, "
             "(select count(*) from auth.session s where s.account_id = a.id "
             "and s.ended_at is null)) from auth.account a "
             "join auth.credential c on c.account_id = a.id "
             "left join auth.mfa_factor f on f.account_id = a.id where a.email = '%s'",
             owner->person->email);
    check_value(sql, want, step);
}

static void check_again(const char *path, const struct owner *owner, const char *token, int want,
                        const struct step *step)
{
    HTTP_ANSWER answer =
        http_post(suite_url(suite), path, owner->person->access, body_token(token));

    UNIT_CHECK(answer->status == want, "again, at %s of %s: %d %s", step->statement, step->table,
               answer->status, answer->body);
}

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
    CU_ASSERT_TRUE(dead->status == 503 ||
                   dead->status == 200); /* 200: a read, which the gateway sends again */
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

static json_t *body_mfa(const char *login, const char *token)
{
    return json_pack("{s:s, s:s}", "loginId", login, "mfaToken", token);
}

static struct http_answer *start(const struct owner *owner)
{
    struct http_answer *answer = suite_post_fresh(
        suite, START, body_login_start(owner->person->email, owner->person->password, "demo"));

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

/* A wrong code counts for both login and account, or for neither. */
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

static struct authenticator *new_key(void)
{
    return authenticator_new(AUTHENTICATOR_ES256, "https://patient.demo.example");
}

static json_t *body_enroll(struct authenticator *key, const struct http_answer *start)
{
    return json_pack("{s:s, s:o}", "enrollmentId", http_text(start, "enrollmentId"), "credential",
                     authenticator_create(key, http_member(start, "options")));
}

static struct owner passkey_owner(struct authenticator *key, char path[64])
{
    struct owner self = {.person = person_register(suite, NULL)};
    HTTP_ANSWER added = passkey_enroll(suite, self.person->access, key);

    CHECK_STATUS(added, 200);
    snprintf(path, 64, "/auth/passkey/%s", http_text(added, "id"));
    self.elsewhere =
        person_sign_in(suite, "Patient", self.person->email, self.person->password, NULL);
    return self;
}

/* Checks the passkeys' state: count, changes of the credential, valid sessions, those with a second
 * factor, audit rows of additions and removals. */
static void check_passkeys(const struct owner *owner, const char *want, const struct step *step)
{
    char sql[1024];

    snprintf(
        sql, sizeof(sql),
        "select concat_ws(' ', (select count(*) from auth.passkey p where p.account_id = a.id), "
        "c.changes, count(s.id), count(s.id) filter (where s.second_factor), "
        "(select count(*) from auth.audit u where u.event->>'account' = a.id::text and "
        "u.event->>'action' = 'passkey.add'), "
        "(select count(*) from auth.audit u where u.event->>'account' = a.id::text and "
        "u.event->>'action' = 'passkey.remove')) from auth.account a "
        "join auth.credential c on c.account_id = a.id "
        "left join auth.session s on s.account_id = a.id and s.ended_at is null "
        "where a.email = '%s' group by a.id, c.changes",
        owner->person->email);
    check_value(sql, want, step);
}

/* The first statement consumes the challenge, so a new one is needed after it. */
static void a_passkey_is_enrolled_whole_or_not(void)
{
    static const char path[] = "/auth/passkey/enroll/finish", done[] = "1 1 1 1 1 0";
    static const struct step steps[] = {
        {"share", "passkey_ceremony", "delete from passkey_ceremony", false},
        {"share", "credential", "update credential set changes", false},
        {"share", "passkey", "with created as", false},
        {"share", "session", "with created as", false},
        {"share", "audit", "with created as", false},
        {"share", "change_counter", "with ended as", false},
        {"share", "outbox", "with outbox_written as", false},
        {"access exclusive", "gateway_lease", "select gateway from gateway_lease where", true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        AUTHENTICATOR key = new_key();
        OWNER owner = {.person = person_register(suite, NULL)};
        HTTP_ANSWER start = passkey_enroll_start(suite, owner.person->access);
        json_auto_t *body = body_enroll(key, start);

        owner.elsewhere =
            person_sign_in(suite, "Patient", owner.person->email, owner.person->password, NULL);
        post_and_die(&steps[i], path, owner.person->access, json_incref(body));
        check_passkeys(&owner, steps[i].done ? done : "0 0 2 0 0 0", &steps[i]);
        HTTP_ANSWER again =
            http_post(suite_url(suite), path, owner.person->access, json_incref(body));
        if (i > 0 || again->status != 200) {
            CHECK_ERROR(again, 400, "The challenge is invalid or has expired. Start again.");
            HTTP_ANSWER anew = passkey_enroll(suite, owner.person->access, key);
            UNIT_CHECK(anew->status == (steps[i].done ? 409 : 200), "anew, at %s of %s: %d %s",
                       steps[i].statement, steps[i].table, anew->status, anew->body);
        }
        check_passkeys(&owner, done, &steps[i]);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, owner.person->email, 2));
        CU_ASSERT_TRUE(suite_everywhere(suite, owner.elsewhere->access, 401));
    }
}

static void a_passkey_is_removed_whole_or_not(void)
{
    static const struct step steps[] = {
        {"share", "passkey", "with deleted as ( delete from passkey", false},
        {"share", "credential", "with deleted as ( delete from passkey", false},
        {"share", "audit", "with deleted as ( delete from passkey", false},
        {"share", "change_counter", "with ended as", false},
        {"share", "outbox", "with outbox_written as", false},
        {"access exclusive", "gateway_lease", "select gateway from gateway_lease where", true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        AUTHENTICATOR key = new_key();
        char path[64];
        OWNER owner = passkey_owner(key, path);

        call_and_die(&steps[i], &(struct http_request){.method = "DELETE",
                                                       .path = path,
                                                       .bearer = owner.person->access});
        check_passkeys(&owner, steps[i].done ? "0 2 1 1 1 1" : "1 1 2 1 1 0", &steps[i]);
        HTTP_ANSWER again = http_delete(suite_url(suite), path, owner.person->access);
        UNIT_CHECK(again->status == (steps[i].done ? 404 : 200), "again, at %s of %s: %d %s",
                   steps[i].statement, steps[i].table, again->status, again->body);
        check_passkeys(&owner, "0 2 1 1 1 1", &steps[i]);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, owner.person->email, 3));
        CU_ASSERT_TRUE(suite_everywhere(suite, owner.elsewhere->access, 401));
    }
}

enum proof { BY_PASSKEY, BY_CODE, BY_PASSWORD };

static struct http_answer *step_up_start(const char *access)
{
    return http_post(suite_url(suite), "/auth/step-up/start", access, json_object());
}

static json_t *body_passkey(struct authenticator *key, const struct http_answer *start)
{
    return json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                     authenticator_get(key, http_member(start, "options")));
}

/* Checks the other session's state: proven, with a second factor, uses of the passkey, recovery
 * codes, audit rows of proofs. */
static void check_proof(const struct owner *owner, const char *want, const struct step *step)
{
    char sql[1024];

    snprintf(
        sql, sizeof(sql),
        "select concat_ws(' ', s.proven_at > 1, s.second_factor, "
        "(select count(*) from auth.passkey p where p.account_id = a.id and p.sign_count >= 9), "
        "(select count(*) from auth.mfa_recovery r where r.account_id = a.id and r.used_at is "
        "null), (select count(*) from auth.audit u where u.event->>'account' = a.id::text and "
        "u.event->>'action' = 'session.step-up')) from auth.account a "
        "join auth.session s on s.account_id = a.id and s.ended_at is null "
        "where a.email = '%s' order by s.created_at desc, s.id desc limit 1",
        owner->person->email);
    check_value(sql, want, step);
}

static void make_proofs_old(const struct owner *owner)
{
    CU_ASSERT_TRUE(suite_count(suite,
                               "with old as (update auth.session s set proven_at = 1 from "
                               "auth.account a where a.id = s.account_id and a.email = '%s' "
                               "returning 1) select count(*) from old",
                               owner->person->email) > 0);
}

/* Makes a person with this credential, and another session without a second factor. */
static struct owner prover(enum proof by, struct authenticator *key)
{
    char path[64];
    struct owner self;

    if (by == BY_PASSKEY)
        return passkey_owner(key, path);
    self = (struct owner){.person = person_register(suite, NULL)};
    self.elsewhere =
        person_sign_in(suite, "Patient", self.person->email, self.person->password, NULL);
    if (by == BY_CODE) {
        HTTP_ANSWER status = http_get(suite_url(suite), STATUS, self.elsewhere->access);
        totp_read(http_text(status, "otpauthUrl"), self.secret);
        totp_code(self.secret, time(NULL), self.code);
        HTTP_ANSWER on =
            http_post(suite_url(suite), ENROLL, self.elsewhere->access, body_token(self.code));
        CHECK_STATUS(on, 200);
        snprintf(self.recovery[0], sizeof(self.recovery[0]), "%s",
                 json_string_value(json_array_get(http_member(on, "recoveryCodes"), 0)));
    }
    return self;
}

/* Makes the body of a fresh proof; `start` has a passkey's challenge. */
static json_t *body_proof(enum proof by, const struct owner *owner, struct authenticator *key,
                          const struct http_answer *start)
{
    if (by == BY_PASSKEY)
        return body_passkey(key, start);
    return by == BY_CODE ? json_pack("{s:s}", "mfaToken", owner->recovery[0])
                         : json_pack("{s:s}", "password", owner->person->password);
}

/* A passkey's first statement consumes the challenge; a password has only one statement. */
static void a_proof_counts_whole_or_not(void)
{
    static const char path[] = "/auth/step-up", without[] = "f f 0 0 0", shown[] = "t t 1 0 1",
                      used[] = "t t 0 9 1", typed[] = "t f 0 0 1|t f 0 0 2";
    static const struct {
        struct step step;
        enum proof by;
        const char *before, *after;
    } rows[] = {
        {{"share", "passkey_ceremony", "delete from passkey_ceremony", false},
         BY_PASSKEY,
         without,
         shown},
        {{"share", "passkey", "with used as", false}, BY_PASSKEY, without, shown},
        {{"share", "session", "with session_proven as", false}, BY_PASSKEY, without, shown},
        {{"share", "audit", "with session_proven as", false}, BY_PASSKEY, without, shown},
        {{"share", "change_counter", "with counted as", false}, BY_PASSKEY, without, shown},
        {{"access exclusive", "gateway_lease", "select gateway from gateway_lease where", true},
         BY_PASSKEY,
         shown,
         shown},
        {{"exclusive", "mfa_factor", "select secret_sealed", false}, BY_CODE, "f t 0 10 0", used},
        {{"share", "mfa_recovery", "with used as", false}, BY_CODE, "f t 0 10 0", used},
        {{"share", "session", "with session_proven as", false}, BY_CODE, "f t 0 10 0", used},
        {{"share", "session", "with session_proven as", false},
         BY_PASSWORD,
         "f f 0 0 0|t f 0 0 1",
         typed},
        {{"share", "audit", "with session_proven as", false},
         BY_PASSWORD,
         "f f 0 0 0|t f 0 0 1",
         typed},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct step *step = &rows[i].step;
        AUTHENTICATOR key = new_key();
        OWNER owner = prover(rows[i].by, key);
        const char *access = owner.elsewhere->access;
        HTTP_ANSWER start = rows[i].by == BY_PASSKEY ? step_up_start(access) : NULL;
        json_auto_t *body = NULL;

        make_proofs_old(&owner);
        HTTP_ANSWER late = passkey_enroll_start(suite, owner.elsewhere->access);
        CHECK_STATUS(late, 401);
        key->count = 9;
        body = body_proof(rows[i].by, &owner, key, start);
        post_and_die(step, path, access, json_incref(body));
        check_proof(&owner, rows[i].before, step);
        HTTP_ANSWER now = passkey_enroll_start(suite, owner.elsewhere->access);
        if (rows[i].by != BY_PASSWORD)
            CHECK_STATUS(now, step->done ? 200 : 401);
        HTTP_ANSWER again = http_post(suite_url(suite), path, access, json_incref(body));
        if (rows[i].by != BY_PASSKEY || (i == 0 && again->status == 204)) {
            CHECK_STATUS(again, 204);
        } else {
            CHECK_ERROR(again, 400, "The challenge is invalid or has expired. Start again.");
        }
        if (again->status != 204 && !step->done) {
            HTTP_ANSWER other = step_up_start(access);
            HTTP_ANSWER anew = http_post(suite_url(suite), path, access, body_passkey(key, other));
            CHECK_STATUS(anew, 204);
        }
        check_proof(&owner, rows[i].after, step);
        HTTP_ANSWER good = passkey_enroll_start(suite, owner.elsewhere->access);
        CHECK_STATUS(good, 200);
    }
}

/* The hash of "imported". */
#define BCRYPT "$2b$06$Jh9Mb68KRFP2oUyed/u3aOY6lbYm90VZn1dJoK9KaKqQGJYBo4VtC"

static json_t *line_of(const char *email, const char *role)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", email, "firstName", "Ana", "lastName",
                     "Lima", "passwordHash", BCRYPT, "role", role);
}

/* Checks two addresses' accounts, credentials and audit rows, and the third's invitations. */
static void check_imported(char *const emails[3], const char *want, const struct step *step)
{
    char sql[1024];

    snprintf(sql, sizeof(sql),
             "select concat_ws(' ', count(a.id), count(c.account_id), count(m.id), (select "
             "count(*) from auth.audit u where u.entity in (select 'Account/' || id from "
             "auth.account where email in ('%s', '%s')) and u.event->>'action' = "
             "'account.import'), (select count(*) from auth.invitation where email = '%s')) from "
             "auth.account a left join auth.credential c on c.account_id = a.id left join "
             "auth.membership m on m.account_id = a.id where a.email in ('%s', '%s')",
             emails[0], emails[1], emails[2], emails[0], emails[1]);
    check_value(sql, want, step);
}

static json_t *body_import(char *const emails[3])
{
    return json_pack("{s:[o, o, o]}", "accounts", line_of(emails[0], "Patient"),
                     line_of(emails[1], "Patient"), line_of(emails[2], "Practitioner"));
}

/* All patients are imported or none is. Each practitioner is invited with one email, or not. The
 * repeated request adds the rest and reports the invitations made before. */
static void an_admins_import_is_whole_or_not(void)
{
    static const char path[] = "/v1/projects/me/imports", all[] = "2 2 2 2 1";
    static const struct step steps[] = {
        {"share", "invitation", "with inserted as ( insert into invitation", false},
        {"share", "outbox", "with inserted as ( insert into invitation", false},
        {"share", "account", "with given as materialized", false},
        {"share", "credential", "with given as materialized", false},
        {"share", "membership", "with given as materialized", false},
        {"share", "import_state", "update import_state", false},
    };
    PERSON admin = person_admin(suite);

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        char *emails[3] = {person_address(), person_address(), person_address()};

        post_and_die(&steps[i], path, admin->access, body_import(emails));
        check_imported(emails, i < 2 ? "0 0 0 0 0|0 0 0 0 1" : "0 0 0 0 1", &steps[i]);
        HTTP_ANSWER again = http_post(suite_url(suite), path, admin->access, body_import(emails));
        CHECK_STATUS(again, 200);
        CU_ASSERT_EQUAL(json_integer_value(http_member(again, "imported")), 2);
        if (json_integer_value(http_member(again, "invited")) != 1)
            CU_ASSERT_PTR_NOT_NULL(strstr(http_text(again, "lines.0.why"), "is already invited"));
        check_imported(emails, all, &steps[i]);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, emails[2], 1));
        struct mail_link link = suite_mail_link(suite, emails[2], "invitation");
        HTTP_ANSWER accepted =
            suite_post_link(suite, "/auth/set-password", &link, NULL, "one of their own");
        CHECK_STATUS(accepted, 204);
        HTTP_ANSWER signed_in =
            suite_post_fresh(suite, START, body_login_start(emails[0], "imported", "demo"));
        CHECK_STATUS(signed_in, 200);
        HTTP_ANSWER third = http_post(suite_url(suite), path, admin->access, body_import(emails));
        CU_ASSERT_EQUAL(json_integer_value(http_member(third, "imported")), 0);
        CU_ASSERT_EQUAL(json_integer_value(http_member(third, "existing")), 2);
        for (size_t e = 0; e < ARRAY_SIZE(emails); e++)
            free(emails[e]);
    }
}

/* The response is sent after everything is written. */
static void an_acknowledged_import_stays(void)
{
    PERSON admin = person_admin(suite);
    char *emails[3] = {person_address(), person_address(), person_address()};
    pid_t pids[2] = {suite_pid(suite, "authd", "1"), suite_pid(suite, "authd", "2")};
    HTTP_ANSWER answer =
        http_post(suite_url(suite), "/v1/projects/me/imports", admin->access, body_import(emails));

    kill(pids[0], SIGKILL);
    kill(pids[1], SIGKILL);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", pids[0]));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", pids[1]));
    check_imported(emails, "2 2 2 2 1", &(struct step){.table = "none", .statement = "the end"});
    CU_ASSERT_TRUE(suite_mails_arrive(suite, emails[2], 1));
    for (size_t e = 0; e < ARRAY_SIZE(emails); e++)
        free(emails[e]);
}

/* The statement that makes the login also replaces the hash. */
static void an_imported_password_is_renewed_with_the_login_or_not(void)
{
    static const char state[] =
        "select case when c.password_hash = '" BCRYPT "' then 'former' when c.password_hash like "
        "'$argon2id$v=19$m=19456,t=2,p=1$%%' then 'own' end || ' ' || c.changes || ' ' || (select "
        "count(*) from auth.login l where l.account_id = a.id and used_at is null) from "
        "auth.credential c join auth.account a on a.id = c.account_id where a.email = '%s'";
    static const struct step rows[] = {
        {"share", "credential", "with state as materialized", false},
        {"share", "login", "with state as materialized", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PERSON patient = person_register(suite, NULL);
        char sql[1024];

        person_set_hash(suite, patient->email, BCRYPT);
        post_and_die(&rows[i], START, NULL, body_login_start(patient->email, "imported", "demo"));
        snprintf(sql, sizeof(sql), state, patient->email);
        check_value(sql, "former 0 0|own 0 1", &rows[i]);
        HTTP_ANSWER wrong = suite_post_fresh(
            suite, START, body_login_start(patient->email, patient->password, "demo"));
        CHECK_STATUS(wrong, 400);
        HTTP_ANSWER again =
            suite_post_fresh(suite, START, body_login_start(patient->email, "imported", "demo"));
        CHECK_STATUS(again, 200);
        check_value(sql, "own 0 1|own 0 2", &rows[i]);
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
    CASE(a_passkey_is_enrolled_whole_or_not),
    CASE(a_passkey_is_removed_whole_or_not),
    CASE(a_proof_counts_whole_or_not),
    CASE(an_admins_import_is_whole_or_not),
    CASE(an_acknowledged_import_stays),
    CASE(an_imported_password_is_renewed_with_the_login_or_not),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    return unit_run("factor deaths", cases, ARRAY_SIZE(cases));
}
