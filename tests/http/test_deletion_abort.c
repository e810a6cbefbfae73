/*
 * test_deletion_abort.c - a sign-in aborts a scheduled deletion before its date; the date decides,
 * not the job.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/subject.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { DONE_MS = 15000, QUIET_MS = 2500 };

static const char bad_login[] = "Login session is invalid or has expired.";

static struct suite *suite;

/* Signs in before the date. After the date the account exists at every gateway, and tokens from
 * before the sign-in work. */
static void check_taken_back(struct subject *self,
                             struct http_answer *(*sign_in)(const struct subject *))
{
    subject_bring_near(self);
    HTTP_ANSWER answer = sign_in(self);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(subject_is_kept(self));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'Account/%s' and "
                                "event->>'action' = 'deletion.abort'",
                                self->id),
                    1);
    suite_go_past(suite, self->scheduled);
    CU_ASSERT_TRUE(suite_everywhere(suite, self->person->access, 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(answer, "accessToken"), 200));
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 0, DONE_MS,
                       "select count(*) from mail.job where account_id = '%s' and state = "
                       "'waiting'",
                       self->id));
    CU_ASSERT_TRUE(subject_is_kept(self));
    HTTP_ANSWER later = sign_in == subject_by_code ? subject_start(self) : sign_in(self);
    CHECK_STATUS(later, 200);
}

static void any_sign_in_takes_it_back(void)
{
    SUBJECT one = subject_patient(suite);
    check_taken_back(&one, subject_by_tenant);
    SUBJECT two = subject_patient(suite);
    check_taken_back(&two, subject_by_client);
    SUBJECT three = subject_practitioner(suite);
    check_taken_back(&three, subject_by_tenant);
    SUBJECT four = subject_practitioner(suite);
    check_taken_back(&four, subject_by_business);
    SUBJECT five = subject_patient(suite);
    subject_enroll(&five);
    check_taken_back(&five, subject_by_code);
}

static void sign_ins_at_once_all_succeed(void)
{
    enum { MANY = 8 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    SUBJECT self = subject_patient(suite);

    subject_bring_near(&self);
    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){
            .method = "POST", .path = "/v2/auth/login", .body = subject_body_client(&self)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    suite_go_past(suite, self.scheduled);
    for (int i = 0; i < MANY; i++) {
        CHECK_STATUS(answers[i], 200);
        CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", http_text(answers[i], "accessToken")), 200);
    }
    http_answers_destroy(answers, MANY);
    CU_ASSERT_TRUE(subject_is_kept(&self));
}

static void freeze(const char *name, bool frozen)
{
    suite_signal(suite, name, "1", frozen ? SIGSTOP : SIGCONT);
    suite_signal(suite, name, "2", frozen ? SIGSTOP : SIGCONT);
}

struct begun {
    struct http_answer *start, *shown,
        *waiting; /* start, shown: session codes; waiting: a login that needs a factor */
};

static void begun_free(struct begun *self)
{
    http_answer_destroy(&self->start);
    http_answer_destroy(&self->shown);
    http_answer_destroy(&self->waiting);
}

static void check_register(const struct subject *self)
{
    HTTP_ANSWER again = suite_post_fresh(suite, "/auth/tenant/Patient/register",
                                         body_register(self->person->email, "demo"));
    CHECK_STATUS(again, 200);
    CU_ASSERT_STRING_NOT_EQUAL(http_text(again, "profile.reference"), self->person->profile);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.account where id = '%s'", self->id), 0);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.session where account_id = '%s'",
                                self->id),
                    0);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(again, "accessToken"), 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, self->person->access, 401));
}

/* The date counts even if maild runs no job on it. */
static void the_date_decides(void)
{
    SUBJECT plain = subject_patient(suite);
    SUBJECT guarded = subject_patient(suite);
    CLEANUP(begun_free) struct begun begun = {.start = NULL};
    size_t mails;

    subject_enroll(&guarded);
    subject_schedule(&guarded, 1);
    subject_bring_near(&plain);
    subject_renew(&guarded);
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, DONE_MS,
                                  "select count(*) from mail.job where account_id in ('%s', '%s')",
                                  plain.id, guarded.id));
    freeze("maild", true);
    suite_go_before(suite, plain.scheduled, MINUTES(1));
    HTTP_ANSWER wrong =
        subject_step(&plain, "start", body_login_start(plain.person->email, "?", "demo"));
    CHECK_ERROR(wrong, 400, BAD_PASSWORD);
    subject_renew(&plain);
    begun.start = subject_start(&plain);
    CHECK_STATUS(begun.start, 200);
    HTTP_ANSWER first = subject_start(&guarded);
    begun.shown = subject_show_code(&guarded, http_text(first, "loginId"));
    CHECK_STATUS(begun.shown, 200);
    begun.waiting = subject_start(&guarded);
    CU_ASSERT_STRING_EQUAL(http_text(begun.waiting, "nextStep"), "mfa");
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", plain.person->access), 200);
    CU_ASSERT_TRUE(subject_is_scheduled(&plain) && subject_is_scheduled(&guarded));

    suite_go_past(suite, MAX(plain.scheduled, guarded.scheduled));
    mails = suite_mail_count(suite, NULL);
    HTTP_ANSWER token = subject_step(&plain, "token",
                                     body_login_token(http_text(begun.start, "sessionCode"), NULL));
    CHECK_ERROR(token, 400, bad_login);
    HTTP_ANSWER late = subject_step(&guarded, "token",
                                    body_login_token(http_text(begun.shown, "sessionCode"), NULL));
    CHECK_ERROR(late, 400, bad_login);
    HTTP_ANSWER shown = subject_show_code(&guarded, http_text(begun.waiting, "loginId"));
    CHECK_ERROR(shown, 400, bad_login);
    HTTP_ANSWER reset = suite_post_fresh(suite, "/auth/reset-password",
                                         json_pack("{s:s, s:s}", "email", plain.person->email,
                                                   "tenantCode", "demo"));
    CHECK_STATUS(reset, 200);
    subject_check_unknown(&plain);
    CU_ASSERT_TRUE(suite_everywhere(suite, guarded.person->access, 401));
    CU_ASSERT_TRUE(subject_is_scheduled(&plain) &&
                   subject_is_scheduled(&guarded)); /* the rows are still there */

    check_register(&plain);
    freeze("maild", false);
    CU_ASSERT_TRUE(subject_goes(&guarded));
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(suite_mail_count(suite, plain.person->email),
                    3); /* two welcomes and the notice of the date */
    CU_ASSERT_TRUE(suite_mail_count(suite, NULL) >= mails);
    HTTP_ANSWER in = subject_by_client(&plain); /* the job ignores the new account */
    CHECK_STATUS(in, 200);
    CU_ASSERT_TRUE(subject_is_scheduled(&plain) == false);
}

/* One second before the date the sign-in wins; on the date the deletion wins. If the sign-in came
 * too late and so aborted nothing, the race is repeated, with more time on each third attempt. */
static void one_second_decides(void)
{
    bool won = false;

    for (int i = 0; i < 8 && !won; i++) {
        SUBJECT self = subject_patient(suite);

        subject_schedule(&self, 1);
        suite_go_before(suite, self.scheduled, SECONDS(1 + i / 3));
        HTTP_ANSWER answer = subject_by_client(&self);
        won = answer->status == 200;
        UNIT_CHECK(won || suite_now_ms(suite) >= self.scheduled, "before its date: %d",
                   answer->status);
        if (won) {
            suite_go_past(suite, self.scheduled + DAYS(1));
            CU_ASSERT_TRUE(subject_is_kept(&self));
        }
    }
    CU_ASSERT_TRUE(won);

    SUBJECT late = subject_patient(suite);
    subject_schedule(&late, 1);
    suite_go_past(suite, late.scheduled);
    HTTP_ANSWER answer = subject_by_client(&late);
    CHECK_ERROR(answer, 400, BAD_PASSWORD);
    CU_ASSERT_TRUE(subject_goes(&late));
}

struct attempt {
    const struct subject *subject;
    struct http_request request;
    struct http_answer *answer;
    pthread_t thread;
};

static void *attempt_run(void *arg)
{
    struct attempt *self = arg;

    self->answer = http_call(suite_url(suite), &self->request);
    return NULL;
}

static void attempt_begin(struct attempt *self, const struct subject *subject)
{
    *self = (struct attempt){.subject = subject,
                             .request = {.method = "POST",
                                         .path = "/v2/auth/login",
                                         .source = fresh_source(),
                                         .body = subject_body_client(subject)}};
    CU_ASSERT_EQUAL_FATAL(pthread_create(&self->thread, NULL, attempt_run, self), 0);
}

static void attempt_free(struct attempt *self)
{
    http_answer_destroy(&self->answer);
    free((char *)(uintptr_t)self->request.source);
}

/* Checks the outcome: an account with valid tokens, or no tokens and soon no account. */
static void attempts_end(struct attempt *attempts, size_t number, const char *label)
{
    const struct subject *subject = attempts[0].subject;
    const char *access = NULL;

    for (size_t i = 0; i < number; i++) {
        const struct http_answer *answer;

        pthread_join(attempts[i].thread, NULL);
        answer = attempts[i].answer;
        UNIT_CHECK(answer->status == 200 || answer->status == 400, "%s: %d %s", label,
                   answer->status, answer->body);
        if (answer->status == 200)
            access = http_text(answer, "accessToken");
    }
    suite_go_past(suite, subject->scheduled);
    if (access) {
        UNIT_CHECK(subject_is_kept(subject), "%s: tokens of an account that goes", label);
        CU_ASSERT_TRUE(suite_comes_to(suite, 0, DONE_MS,
                                      "select count(*) from mail.job where account_id = '%s' and "
                                      "state = 'waiting'",
                                      subject->id));
        UNIT_CHECK(subject_is_kept(subject), "%s: deleted after all", label);
        CU_ASSERT_TRUE(suite_everywhere(suite, access, 200));
    } else {
        UNIT_CHECK(subject_goes(subject), "%s: neither tokens nor the end", label);
    }
    for (size_t i = 0; i < number; i++)
        attempt_free(&attempts[i]);
}

static PGconn *lock_account(const struct subject *self)
{
    PGconn *connection = suite_database(suite);
    char sql[160];

    snprintf(sql, sizeof(sql), "begin; select 1 from auth.account where id = '%s' for update",
             self->id);
    PQclear(PQexec(connection, sql));
    return connection;
}

static void the_earlier_of_sign_in_and_deletion_wins(void)
{
    struct attempt attempt;
    PGconn *lock;

    /* This sign-in starts before the date and is blocked when the date comes. */
    SUBJECT early = subject_patient(suite);
    subject_schedule(&early, 1);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", early.id));
    suite_go_before(suite, early.scheduled, SECONDS(20));
    lock = lock_account(&early);
    attempt_begin(&attempt, &early);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 1));
    suite_go_past(suite, early.scheduled);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 2));
    PQfinish(lock);
    attempts_end(&attempt, 1, "the sign-in first");
    CU_ASSERT_TRUE(subject_is_kept(&early));

    /* The deletion is blocked when this sign-in comes, whose clock is before the date. */
    SUBJECT late = subject_patient(suite);
    subject_schedule(&late, 1);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", late.id));
    lock = lock_account(&late);
    suite_go_past(suite, late.scheduled);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 1));
    suite_go_before(suite, late.scheduled, SECONDS(20));
    attempt_begin(&attempt, &late);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 2));
    PQfinish(lock);
    attempts_end(&attempt, 1, "the deletion first");
    CU_ASSERT_FALSE(subject_is_kept(&late));
}

static void never_both(void)
{
    enum { ROUNDS = 12 };

    for (int i = 0; i < ROUNDS; i++) {
        SUBJECT self = subject_patient(suite);
        struct attempt attempts[2];
        char label[32];

        snprintf(label, sizeof(label), "round %d", i);
        subject_schedule(&self, 1);
        suite_go_before(suite, self.scheduled, 500);
        while (suite_now_ms(suite) < self.scheduled - 160 + 20 * i)
            usleep(2000);
        attempt_begin(&attempts[0], &self);
        attempt_begin(&attempts[1], &self);
        attempts_end(attempts, 2, label);
    }
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(any_sign_in_takes_it_back),
    CASE(sign_ins_at_once_all_succeed),
    CASE(the_date_decides),
    CASE(one_second_decides),
    CASE(the_earlier_of_sign_in_and_deletion_wins),
    CASE(never_both),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(
        &(struct suite_options){.instances = "authd=2,gateway=2,maild=2", .test_clock = true});
    return unit_run("deletion abort", cases, ARRAY_SIZE(cases));
}
