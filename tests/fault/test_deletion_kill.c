/*
 * test_deletion_kill.c - daemons killed at every step of a deletion: request, execution, reminder,
 * and abort by a sign-in. Acknowledged steps happen exactly once and completely; others completely
 * or not at all.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/subject.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum {
    DONE_MS = 20000,
    QUIET_MS = 2500,
    TAKEN_UP_MS = 5000, /* maximum time to continue a dead maild's work */
};

static const char *const targets[] = {"authd", "maild"};

static struct suite *suite;

static struct subject patient(void)
{
    struct subject self = subject_patient(suite);
    TEXT id = suite_account(suite, self.person->email);

    snprintf(self.id, sizeof(self.id), "%s", id);
    CU_ASSERT_EQUAL(strlen(self.id), 36);
    return self;
}

static struct http_answer *ask(const struct subject *self, int days)
{
    return deletion_ask(suite, self->person->access, deletion_in_days(days));
}

struct deaths {
    const char *name;
    pid_t one, other, killer;
};

static struct deaths deaths_begin(const char *name, int ms)
{
    return (struct deaths){.name = name,
                           .one = suite_pid(suite, name, "1"),
                           .other = suite_pid(suite, name, "2"),
                           .killer = suite_kill_both_later(suite, name, ms)};
}

static void deaths_end(const struct deaths *self)
{
    waitpid(self->killer, NULL, 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, self->name, "1", self->one));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, self->name, "2", self->other));
}

static bool is_outage(int status)
{
    return status == 503 || status == 0;
}

static long accounts(const struct subject *self)
{
    return suite_count(suite, "select count(*) from auth.account where id = '%s'", self->id);
}

static void wait_relayed(void)
{
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, DONE_MS, "select count(*) from auth.outbox"));
}

static void check_gone(const struct subject *self, const char *label)
{
    UNIT_CHECK(suite_comes_to(suite, 0, DONE_MS,
                              "select count(*) from auth.account where id = '%s'", self->id),
               "%s: still there", label);
    UNIT_CHECK(suite_comes_to(suite, 1, DONE_MS,
                              "select count(*) from mail.job where account_id = '%s' and kind = "
                              "'account-delete' and state = 'done'",
                              self->id),
               "%s: the job is not done", label);
    UNIT_CHECK(suite_count(suite,
                           "select count(*) from auth.audit where entity = 'Account/%s' and "
                           "event->>'action' = 'account.delete'",
                           self->id) == 1,
               "%s: not once", label);
    UNIT_CHECK(suite_count(suite, "select count(*) from auth.session where account_id = '%s'",
                           self->id) == 0,
               "%s: sessions are left", label);
    UNIT_CHECK(suite_everywhere(suite, self->person->access, 401), "%s: a token lives", label);
}

/* Checks that date, jobs and email all exist, or none does. */
static void check_whole(const struct subject *self, const char *label, bool acknowledged)
{
    long scheduled =
        suite_count(suite,
                    "select count(*) from auth.account where id = '%s' and delete_at is not null",
                    self->id);

    UNIT_CHECK(scheduled == 1 || !acknowledged, "%s: acknowledged and lost", label);
    wait_relayed();
    UNIT_CHECK(suite_count(suite,
                           "select count(*) from mail.job j join auth.account a on a.id = "
                           "j.account_id and a.delete_schedule = j.schedule_id where a.id = '%s'",
                           self->id) == 2 * scheduled,
               "%s: jobs", label);
    UNIT_CHECK(suite_count(suite, "select count(*) from mail.job where account_id = '%s'",
                           self->id) == 2 * scheduled,
               "%s: stray jobs", label);
    UNIT_CHECK(suite_mails_arrive(suite, self->person->email, (size_t)(1 + scheduled)), "%s: mails",
               label);
}

static void deletions_are_scheduled_while_daemons_die(void)
{
    enum { STEPS = 7, STEP_MS = 5 }; /* scheduling takes some 20 ms */
    int acknowledged = 0;

    for (size_t t = 0; t < ARRAY_SIZE(targets); t++) {
        for (int step = 0; step < STEPS; step++) {
            SUBJECT self = patient();
            char label[64];

            snprintf(label, sizeof(label), "%s after %d ms", targets[t], step * STEP_MS);
            CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 1));
            struct deaths deaths = deaths_begin(targets[t], step * STEP_MS);
            HTTP_ANSWER answer = ask(&self, 30);
            deaths_end(&deaths);
            acknowledged += answer->status == 200 && strcmp(targets[t], "maild") == 0;
            UNIT_CHECK(answer->status == 200 || is_outage(answer->status), "%s: %d", label,
                       answer->status);
            check_whole(&self, label, answer->status == 200);
            HTTP_ANSWER again = ask(&self, 20);
            CHECK_STATUS(again, 200);
            wait_relayed();
            UNIT_CHECK(suite_count(suite,
                                   "select count(*) from mail.job where account_id = '%s' and "
                                   "kind = 'account-delete'",
                                   self.id) == 1,
                       "%s: the jobs of the first date", label);
        }
    }
    CU_ASSERT_EQUAL(acknowledged, STEPS); /* so no request waits for maild */
}

/* After the response the job is relayed, stored and claimed, and the deletion requested, committed
 * and recorded; the kills move through these steps. */
static void deletions_are_executed_while_daemons_die(void)
{
    enum { STEPS = 8, STEP_MS = 9 };

    for (size_t t = 0; t < ARRAY_SIZE(targets); t++) {
        for (int step = 0; step < STEPS; step++) {
            SUBJECT self = patient();
            char label[64];

            snprintf(label, sizeof(label), "%s after %d ms", targets[t], step * STEP_MS);
            subject_schedule(&self, 0);
            struct deaths deaths = deaths_begin(targets[t], step * STEP_MS);
            deaths_end(&deaths);
            check_gone(&self, label);
        }
    }
}

static PGconn *lock(const char *table, const char *column, const struct subject *self)
{
    PGconn *connection = suite_database(suite);
    char sql[200];

    snprintf(sql, sizeof(sql), "begin; select 1 from %s where %s = '%s' for share", table, column,
             self->id);
    PQclear(PQexec(connection, sql));
    return connection;
}

static bool job_is_claimed(const struct subject *self)
{
    return suite_comes_to(suite, 1, DONE_MS,
                          "select count(*) from mail.job where account_id = '%s' and lease is not "
                          "null",
                          self->id);
}

/* True when maild's statement that records the end waits for a lock. */
static bool is_recording(void)
{
    return suite_comes_to(suite, 1, DONE_MS,
                          "select (count(*) > 0)::int from pg_stat_activity where wait_event_type "
                          "= 'Lock' and query like '%%done_at%%' and pid <> pg_backend_pid()");
}

/* authd has deleted the account, but maild does not know it, so it repeats the request, which does
 * nothing. */
static void done_but_not_recorded(void)
{
    SUBJECT self = patient();
    PGconn *account, *job;

    subject_schedule(&self, 1);
    wait_relayed();
    account = lock("auth.account", "id", &self);
    suite_go_past(suite, self.scheduled);
    CU_ASSERT_TRUE(job_is_claimed(&self));
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 1));
    job = lock("mail.job", "account_id", &self);
    PQfinish(account);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, DONE_MS,
                                  "select count(*) from auth.account where id = '%s'", self.id));
    CU_ASSERT_TRUE(is_recording());
    struct deaths deaths = deaths_begin("maild", 0);
    waitpid(deaths.killer, NULL, 0);
    free(suite_query(suite, "select pg_terminate_backend(pid) from pg_stat_activity where "
                            "wait_event_type = 'Lock' and application_name like 'atrium-maild.%'"));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from mail.job where account_id = '%s' and state "
                                "= 'waiting'",
                                self.id),
                    1);
    PQfinish(job);
    deaths_end(&deaths);
    check_gone(&self, "done but not recorded");
    CU_ASSERT_TRUE(
        suite_count(suite, "select attempts from mail.job where account_id = '%s'", self.id) >= 2);
}

/* authd dies within the transaction, so nothing is done yet, and the other instance deletes the
 * account. */
static void begun_but_not_committed(void)
{
    SUBJECT self = patient();
    PGconn *account;

    subject_schedule(&self, 1);
    wait_relayed();
    account = lock("auth.account", "id", &self);
    suite_go_past(suite, self.scheduled);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 1));
    struct deaths deaths = deaths_begin("authd", 0);
    deaths_end(&deaths);
    CU_ASSERT_EQUAL(accounts(&self), 1);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.membership where account_id = '%s'", self.id),
        1);
    PQfinish(account);
    check_gone(&self, "begun but not committed");
}

static void abandoned_jobs_are_claimed_again_in_time(void)
{
    SUBJECT self = patient();
    PGconn *account;
    pid_t first = suite_pid(suite, "maild", "1");
    int64_t killed;

    subject_schedule(&self, 1);
    wait_relayed();
    suite_signal(suite, "maild", "2", SIGSTOP);
    account = lock("auth.account", "id", &self);
    suite_go_past(suite, self.scheduled);
    CU_ASSERT_TRUE(job_is_claimed(&self));
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 1));
    kill(first, SIGKILL);
    killed = clock_mono_ms();
    suite_signal(suite, "maild", "2", SIGCONT);
    PQfinish(account);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 2, DONE_MS, "select attempts from mail.job where account_id = '%s'", self.id));
    UNIT_CHECK(clock_mono_ms() - killed < TAKEN_UP_MS, "after %lld ms",
               (long long)(clock_mono_ms() - killed));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "maild", "1", first));
    check_gone(&self, "taken up");
}

static void jobs_wait_while_authd_is_away(void)
{
    SUBJECT self = patient();

    subject_schedule(&self, 1);
    wait_relayed();
    for (int i = 0; i < 3; i++) {
        struct deaths deaths = deaths_begin("authd", 0);

        waitpid(deaths.killer, NULL, 0);
        if (i == 1)
            suite_go_past(suite, self.scheduled);
        deaths_end(&deaths);
    }
    check_gone(&self, "nobody to ask");
}

static void deletions_survive_the_death_of_all_daemons(void)
{
    enum { PEOPLE = 4 };
    struct subject people[PEOPLE];

    for (int i = 0; i < PEOPLE; i++) {
        people[i] = patient();
        subject_schedule(&people[i], 1);
    }
    for (int i = 0; i < PEOPLE; i++) {
        HTTP_ANSWER at_once = ask(&people[i], 0);
        CHECK_STATUS(at_once, 200);
    }
    suite_halt(suite);
    suite_restart(suite);
    for (int i = 0; i < PEOPLE; i++) {
        check_gone(&people[i], "after everything died");
        subject_release(&people[i]);
    }
}

static void reminders_are_sent_once_while_daemons_die(void)
{
    enum { STEPS = 6, STEP_MS = 90 }; /* a due job starts within half a second */
    struct subject people[2 * STEPS];

    for (int i = 0; i < 2 * STEPS; i++) {
        struct subject *self = &people[i];

        *self = patient();
        subject_schedule(self, 10);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, self->person->email, 2));
        suite_go_past(suite, self->scheduled - DAYS(3));
        struct deaths deaths = deaths_begin(targets[i % 2], i / 2 * STEP_MS);
        deaths_end(&deaths);
        UNIT_CHECK(suite_mails_arrive(suite, self->person->email, 3), "%s after %d ms",
                   targets[i % 2], i / 2 * STEP_MS);
    }
    usleep(QUIET_MS * 1000);
    for (int i = 0; i < 2 * STEPS; i++) {
        CU_ASSERT_EQUAL(suite_mail_count(suite, people[i].person->email), 3);
        subject_release(&people[i]);
    }
}

static void deletions_are_aborted_while_daemons_die(void)
{
    enum { STEPS = 10, STEP_MS = 12 };

    for (int step = 0; step < STEPS; step++) {
        SUBJECT self = patient();
        char label[64];
        long kept;

        snprintf(label, sizeof(label), "authd after %d ms", step * STEP_MS);
        subject_schedule(&self, 30);
        struct deaths deaths = deaths_begin("authd", step * STEP_MS);
        HTTP_ANSWER in = subject_by_client(&self);
        deaths_end(&deaths);
        UNIT_CHECK(in->status == 200 || is_outage(in->status), "%s: %d", label, in->status);
        kept = suite_count(suite,
                           "select count(*) from auth.account where id = '%s' and delete_at is "
                           "null",
                           self.id);
        UNIT_CHECK(kept == 1 || in->status != 200, "%s: tokens of an account that goes", label);
        UNIT_CHECK(suite_count(suite, "select count(*) from auth.session where account_id = '%s'",
                               self.id) == 1 + kept,
                   "%s: a session without the other", label);
        if (in->status == 200)
            UNIT_CHECK(suite_everywhere(suite, http_text(in, "accessToken"), 200), "%s", label);
        CU_ASSERT_TRUE(suite_everywhere(suite, self.person->access, 200));
    }
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(deletions_are_scheduled_while_daemons_die),
    CASE(deletions_are_executed_while_daemons_die),
    CASE(done_but_not_recorded),
    CASE(begun_but_not_committed),
    CASE(abandoned_jobs_are_claimed_again_in_time),
    CASE(jobs_wait_while_authd_is_away),
    CASE(reminders_are_sent_once_while_daemons_die),
    CASE(deletions_are_aborted_while_daemons_die),
    CASE(deletions_survive_the_death_of_all_daemons),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(
        &(struct suite_options){.instances = "authd=2,gateway=2,maild=2", .test_clock = true});
    return unit_run("deletion and deaths", cases, ARRAY_SIZE(cases));
}
