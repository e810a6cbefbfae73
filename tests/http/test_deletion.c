/*
 * test_deletion.c - an account's end: scheduled by its owner, taken back by a sign-in, carried out
 * when the date has come; and that the date decides, not the job. Over two instances of everything
 * that takes part, on the test clock.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define DAY (24 * 60 * MINUTE)
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum { DONE_MS = 15000, QUIET_MS = 2500 };

static const char bad_login[] = "Login session is invalid or has expired.";
static const char bad_password[] = "Username or password is incorrect.";
static const char last_admin[] = "The project needs an admin: this is the last one.";

static struct suite *suite;

/* ---- time ---- */

static int64_t real_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * SECOND + now.tv_nsec / 1000000;
}

static int64_t contract_ms(void)
{
    return real_ms() + suite_clock_ahead(suite) * SECOND;
}

/* Just after that moment; or up to a second more than `lead` ms before it. */
static void go_past(int64_t ms)
{
    suite_set_clock(suite, (ms - real_ms()) / SECOND + 1);
}

static void go_before(int64_t ms, int64_t lead)
{
    suite_set_clock(suite, (ms - lead - real_ms()) / SECOND);
}

/* ---- people ---- */

/* A person whose account is to be deleted. */
struct subject {
    struct person *person;
    const char *role;
    char id[37];       /* of the account; once it is scheduled */
    int64_t scheduled; /* ms */
    char recovery[11]; /* with a second factor: a code of it */
};

static void subject_free(struct subject *self)
{
    person_destroy(&self->person);
}
#define SUBJECT CLEANUP(subject_free) struct subject

static struct subject patient(void)
{
    return (struct subject){.person = person_register(suite, NULL), .role = "Patient"};
}

static struct subject practitioner(void)
{
    PERSON admin = person_admin(suite);
    char *email = person_address();

    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    HTTP_ANSWER made =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/register", body_register(email, "demo"));
    CHECK_STATUS(made, 200);
    struct subject self = {.person = person_sign_in(suite, "Practitioner", email,
                                                    "correct horse battery staple", NULL),
                           .role = "Practitioner"};
    free(email);
    return self;
}

static struct http_answer *ask(const char *access, json_t *body)
{
    return http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                              .path = "/auth/delete",
                                                              .bearer = access,
                                                              .body = body});
}

static json_t *in_days(int days)
{
    return json_pack("{s:i}", "days", days);
}

/* Takes the answer of a scheduling. */
static void take(struct subject *self, const struct http_answer *answer)
{
    CHECK_STATUS(answer, 200);
    snprintf(self->id, sizeof(self->id), "%s", http_text(answer, "user.id"));
    CU_ASSERT_EQUAL(clock_parse_iso(http_text(answer, "scheduled"), &self->scheduled), 0);
}

static void schedule(struct subject *self, int days)
{
    HTTP_ANSWER answer = ask(self->person->access, in_days(days));

    take(self, answer);
}

/* New tokens in place of the old ones. */
static void renew(struct subject *self)
{
    HTTP_ANSWER answer = http_post(suite_url(suite), "/auth/refresh-token", NULL,
                                   json_pack("{s:s}", "refresh_token", self->person->refresh));

    CHECK_STATUS(answer, 200);
    free(self->person->access);
    free(self->person->refresh);
    self->person->access = strdup(http_text(answer, "access_token"));
    self->person->refresh = strdup(http_text(answer, "refresh_token"));
}

/* Scheduled for the end of a day that is nearly over, with tokens that outlive it and that every
 * gateway knows. */
static void nearly_over(struct subject *self)
{
    schedule(self, 1);
    go_before(self->scheduled, 10 * MINUTE);
    renew(self);
    CU_ASSERT_TRUE(suite_everywhere(suite, self->person->access, 200));
}

static bool is_scheduled(const struct subject *self)
{
    return suite_count(
               suite, "select count(*) from auth.account where id = '%s' and delete_at is not null",
               self->id) == 1;
}

static bool is_kept(const struct subject *self)
{
    return suite_count(
               suite,
               "select count(*) from auth.account where id = '%s' and delete_at is null and "
               "delete_schedule is null and not delete_wipe",
               self->id) == 1;
}

static bool goes(const struct subject *self)
{
    return suite_comes_to(suite, 0, DONE_MS, "select count(*) from auth.account where id = '%s'",
                          self->id);
}

static int me(const char *access)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), "/auth/me", access);

    return answer->status;
}

/* ---- ways to sign in ---- */

static struct http_answer *step(const struct subject *self, const char *name, json_t *body)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/%s", self->role, name);
    return suite_post_fresh(suite, path, body);
}

static struct http_answer *start(const struct subject *self)
{
    return step(self, "start",
                body_login_start(self->person->email, self->person->password, "demo"));
}

static struct http_answer *by_tenant(const struct subject *self)
{
    struct http_answer *started = start(self);

    if (started->status != 200)
        return started;
    struct http_answer *answer =
        step(self, "token", body_login_token(http_text(started, "sessionCode"), NULL));
    http_answer_destroy(&started);
    return answer;
}

static json_t *body_client(const struct subject *self)
{
    return json_pack("{s:s, s:s, s:s}", "email", self->person->email, "password",
                     self->person->password, "clientId", suite_text(suite, "demo.clientId"));
}

static struct http_answer *by_client(const struct subject *self)
{
    return suite_post_fresh(suite, "/v2/auth/login", body_client(self));
}

static struct http_answer *by_business(const struct subject *self)
{
    json_t *body = body_client(self);

    json_object_set_new(body, "tenantId", json_string(suite_text(suite, "demo.projectId")));
    return suite_post_fresh(suite, "/auth/b2b/login", body);
}

static struct http_answer *show_code(const struct subject *self, const char *login)
{
    return step(self, "mfa", json_pack("{s:s, s:s}", "loginId", login, "mfaToken", self->recovery));
}

static struct http_answer *by_code(const struct subject *self)
{
    HTTP_ANSWER started = start(self);
    HTTP_ANSWER shown = show_code(self, http_text(started, "loginId"));

    CHECK_STATUS(shown, 200);
    return step(self, "token", body_login_token(http_text(shown, "sessionCode"), NULL));
}

/* Turns a second factor on. */
static void enroll(struct subject *self)
{
    uint8_t secret[TOTP_SECRET];
    char code[7];
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", self->person->access);

    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER on =
        http_post(suite_url(suite), "/auth/mfa/enroll", self->person->access,
                  json_pack("{s:s}", "token", totp_code(secret, contract_ms() / SECOND, code)));
    CHECK_STATUS(on, 200);
    snprintf(self->recovery, sizeof(self->recovery), "%s", http_text(on, "recoveryCodes.0"));
}

/* ---- scheduling ---- */

static long jobs_of(const struct subject *self, const char *kind)
{
    return suite_count(suite,
                       "select count(*) from mail.job where account_id = '%s' and kind = '%s' and "
                       "state = 'waiting'",
                       self->id, kind);
}

static void a_deletion_is_scheduled_as_requested(void)
{
    SUBJECT self = patient();
    char date[25], *mail;

    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 1));
    HTTP_ANSWER plain = ask(self.person->access, NULL);
    take(&self, plain);
    UNIT_CHECK(llabs(self.scheduled - contract_ms() - 30 * DAY) < 30 * SECOND, "%s", plain->body);
    CU_ASSERT_STRING_EQUAL(http_text(plain, "user.resourceType"), "User");
    CU_ASSERT_STRING_EQUAL(http_text(plain, "user.firstName"), "Ana");
    CU_ASSERT_STRING_EQUAL(http_text(plain, "user.lastName"), "Prova");
    CU_ASSERT_STRING_EQUAL(http_text(plain, "user.email"), self.person->email);
    CU_ASSERT_EQUAL(json_object_size(plain->json), 2);
    CU_ASSERT_TRUE(suite_everywhere(suite, self.person->access, 200));
    HTTP_ANSWER sessions = http_get(suite_url(suite), "/auth/session", self.person->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(sessions, "sessions")), 1);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 2, DONE_MS, "select count(*) from mail.job where account_id = '%s'", self.id));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 2));
    clock_format_iso(self.scheduled, date);
    date[10] = '\0';
    mail = suite_mail(suite, self.person->email, 0);
    UNIT_CHECK(strstr(mail, date) != NULL, "%s in: %s", date, mail);
    free(mail);

    /* Once more: another date, and the jobs of the first are gone. */
    schedule(&self, 10);
    CU_ASSERT_TRUE(llabs(self.scheduled - contract_ms() - 10 * DAY) < 30 * SECOND);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 3));
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 2, DONE_MS, "select count(*) from mail.job where due_at in (%lld, %lld)",
        (long long)self.scheduled, (long long)(self.scheduled - 3 * DAY)));
    CU_ASSERT_EQUAL(jobs_of(&self, "account-delete"), 1);
    CU_ASSERT_EQUAL(jobs_of(&self, "account-reminder"), 1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'Account/%s' and "
                                "event->>'action' = 'deletion.schedule'",
                                self.id),
                    2);
}

static void fields_are_checked(void)
{
    static const struct {
        const char *body, *problem; /* NULL: fine */
    } rows[] = {
        {"{\"days\":-1}", "days"},
        {"{\"days\":91}", "days"},
        {"{\"days\":\"5\"}", "days"},
        {"{\"days\":1.5}", "days"},
        {"{\"days\":5,\"wipe\":\"yes\"}", "wipe"},
        {"{\"days\":5,\"wipe\":1}", "wipe"},
        {"{\"days\":90}", NULL},
        {"{\"days\":null,\"wipe\":null}", NULL},
        {"{\"reason\":\"no more\"}", NULL},
        {"{}", NULL},
    };
    SUBJECT self = patient();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer =
            http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                               .path = "/auth/delete",
                                                               .bearer = self.person->access,
                                                               .raw = rows[i].body});
        if (rows[i].problem)
            CHECK_PROBLEM(answer, rows[i].problem);
        else
            CHECK_STATUS(answer, 200);
    }
    HTTP_ANSWER broken =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/delete",
                                                           .bearer = self.person->access,
                                                           .raw = "{"});
    CHECK_STATUS(broken, 400);
    HTTP_ANSWER nobody = ask(NULL, NULL);
    CHECK_STATUS(nobody, 401);
}

static void mails_to_an_address_are_limited(void)
{
    SUBJECT self = patient();

    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 1));
    for (int i = 0; i < 9; i++)
        schedule(&self, 20 + i);
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(suite_mail_count(suite, self.person->email), 1 + 5);
    /* Jobs of two authd may overtake each other: what is replaced before it comes stays, without
     * effect. */
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, DONE_MS,
                                  "select count(*) from mail.job j join auth.account a on a.id = "
                                  "j.account_id and a.delete_schedule = j.schedule_id where a.id = "
                                  "'%s'",
                                  self.id));
    CU_ASSERT_TRUE(jobs_of(&self, "account-delete") < 9);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.account where id = '%s' and delete_at = %lld",
                    self.id, (long long)self.scheduled),
        1);
}

/* ---- admins ---- */

static void set_admin(const char *email, bool admin)
{
    char sql[300];

    snprintf(sql, sizeof(sql),
             "update auth.membership set admin = %s where account_id = (select id from "
             "auth.account where email = '%s' and role = 'Practitioner')",
             admin ? "true" : "false", email);
    free(suite_query(suite, sql));
}

/* Two practitioners who alone administer the demo project, while the demo's own admin does not. */
struct admins {
    struct subject one, two;
};

static struct admins two_admins(void)
{
    struct admins self = {practitioner(), practitioner()};

    set_admin(self.one.person->email, true);
    set_admin(self.two.person->email, true);
    set_admin(suite_text(suite, "demo.adminEmail"), false);
    return self;
}

static void admins_free(struct admins *self)
{
    set_admin(suite_text(suite, "demo.adminEmail"), true);
    set_admin(self->one.person->email, false);
    set_admin(self->two.person->email, false);
    subject_free(&self->one);
    subject_free(&self->two);
}

static void the_last_admin_stays(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER alone = ask(admin->access, NULL);
    CHECK_ERROR(alone, 409, last_admin);
    HTTP_ANSWER now = ask(admin->access, in_days(0));
    CHECK_ERROR(now, 409, last_admin);

    CLEANUP(admins_free) struct admins pair = two_admins();
    schedule(&pair.one, 30);
    HTTP_ANSWER other = ask(pair.two.person->access, NULL);
    CHECK_ERROR(other, 409, last_admin);
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "select count(*) from auth.account where email = '%s' and delete_at is "
                    "not null",
                    pair.two.person->email),
        0);
    schedule(&pair.one, 20); /* again is fine: the other one remains */
    HTTP_ANSWER back = by_client(&pair.one);
    CHECK_STATUS(back, 200);
    schedule(&pair.two, 30);
    HTTP_ANSWER third = ask(http_text(back, "accessToken"), NULL);
    CHECK_ERROR(third, 409, last_admin);
}

static void one_of_two_last_admins_wins(void)
{
    enum { ROUNDS = 10, MANY = 8 };
    CLEANUP(admins_free) struct admins pair = two_admins();

    for (int round = 0; round < ROUNDS; round++) {
        struct http_request requests[MANY];
        struct http_answer *answers[MANY];
        int good[2] = {0, 0};

        for (int i = 0; i < MANY; i++)
            requests[i] = (struct http_request){.method = "DELETE",
                                                .path = "/auth/delete",
                                                .bearer = i % 2 ? pair.two.person->access
                                                                : pair.one.person->access};
        http_call_many(suite_url(suite), requests, MANY, MANY, answers);
        for (int i = 0; i < MANY; i++) {
            good[i % 2] += answers[i]->status == 200;
            if (answers[i]->status != 200)
                CHECK_ERROR(answers[i], 409, last_admin);
        }
        http_answers_destroy(answers, MANY);
        UNIT_CHECK((good[0] == 0) != (good[1] == 0), "round %d: %d and %d", round, good[0],
                   good[1]);
        CU_ASSERT_EQUAL(
            suite_count(suite,
                        "select count(*) from auth.account where delete_at is not null and "
                        "email in ('%s', '%s')",
                        pair.one.person->email, pair.two.person->email),
            1);
        HTTP_ANSWER back = by_client(good[0] ? &pair.one : &pair.two);
        CHECK_STATUS(back, 200);
    }
}

/* ---- taking it back ---- */

/* Signs in before the date; after it everything goes on, at every gateway, also with the tokens
 * from before. */
static void check_taken_back(struct subject *self,
                             struct http_answer *(*sign_in)(const struct subject *))
{
    nearly_over(self);
    HTTP_ANSWER answer = sign_in(self);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(is_kept(self));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'Account/%s' and "
                                "event->>'action' = 'deletion.abort'",
                                self->id),
                    1);
    go_past(self->scheduled);
    CU_ASSERT_TRUE(suite_everywhere(suite, self->person->access, 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(answer, "accessToken"), 200));
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 0, DONE_MS,
                       "select count(*) from mail.job where account_id = '%s' and state = "
                       "'waiting'",
                       self->id));
    CU_ASSERT_TRUE(is_kept(self));
    HTTP_ANSWER later = sign_in == by_code ? start(self) : sign_in(self);
    CHECK_STATUS(later, 200);
}

static void any_sign_in_takes_it_back(void)
{
    SUBJECT one = patient();
    check_taken_back(&one, by_tenant);
    SUBJECT two = patient();
    check_taken_back(&two, by_client);
    SUBJECT three = practitioner();
    check_taken_back(&three, by_tenant);
    SUBJECT four = practitioner();
    check_taken_back(&four, by_business);
    SUBJECT five = patient();
    enroll(&five);
    check_taken_back(&five, by_code);
}

/* Many at once: each is answered tokens that live. */
static void sign_ins_at_once_all_succeed(void)
{
    enum { MANY = 8 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    SUBJECT self = patient();

    nearly_over(&self);
    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){
            .method = "POST", .path = "/v2/auth/login", .body = body_client(&self)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    go_past(self.scheduled);
    for (int i = 0; i < MANY; i++) {
        CHECK_STATUS(answers[i], 200);
        CU_ASSERT_EQUAL(me(http_text(answers[i], "accessToken")), 200);
    }
    http_answers_destroy(answers, MANY);
    CU_ASSERT_TRUE(is_kept(&self));
}

/* ---- the date ---- */

static void freeze(const char *name, bool frozen)
{
    suite_signal(suite, name, "1", frozen ? SIGSTOP : SIGCONT);
    suite_signal(suite, name, "2", frozen ? SIGSTOP : SIGCONT);
}

/* What was begun before the date, to be gone on with after it. */
struct begun {
    struct http_answer *start, *shown,
        *waiting; /* session codes; a login that waits for a factor */
};

static void begun_free(struct begun *self)
{
    http_answer_destroy(&self->start);
    http_answer_destroy(&self->shown);
    http_answer_destroy(&self->waiting);
}

static void check_unknown(const struct subject *self)
{
    struct http_answer *(*const ways[])(const struct subject *) = {by_tenant, by_client};

    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
        HTTP_ANSWER answer = ways[i](self);
        CHECK_ERROR(answer, 400, bad_password);
    }
    CU_ASSERT_TRUE(suite_everywhere(suite, self->person->access, 401));
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", self->person->access, NULL);
    CHECK_STATUS(out, 401);
    HTTP_ANSWER renewed = http_post(suite_url(suite), "/auth/refresh-token", NULL,
                                    json_pack("{s:s}", "refresh_token", self->person->refresh));
    CHECK_ERROR(renewed, 401, "Refresh token is invalid or has expired.");
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

/* While maild runs no jobs. */
static void the_date_decides(void)
{
    SUBJECT plain = patient();
    SUBJECT guarded = patient();
    CLEANUP(begun_free) struct begun begun = {.start = NULL};
    size_t mails;

    enroll(&guarded);
    schedule(&guarded, 1);
    nearly_over(&plain);
    renew(&guarded);
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, DONE_MS,
                                  "select count(*) from mail.job where account_id in ('%s', '%s')",
                                  plain.id, guarded.id));
    freeze("maild", true);
    go_before(plain.scheduled, MINUTE);
    HTTP_ANSWER wrong = step(&plain, "start", body_login_start(plain.person->email, "?", "demo"));
    CHECK_ERROR(wrong, 400, bad_password);
    renew(&plain);
    begun.start = start(&plain);
    CHECK_STATUS(begun.start, 200);
    HTTP_ANSWER first = start(&guarded);
    begun.shown = show_code(&guarded, http_text(first, "loginId"));
    CHECK_STATUS(begun.shown, 200);
    begun.waiting = start(&guarded);
    CU_ASSERT_STRING_EQUAL(http_text(begun.waiting, "nextStep"), "mfa");
    CU_ASSERT_EQUAL(me(plain.person->access), 200);
    CU_ASSERT_TRUE(is_scheduled(&plain) && is_scheduled(&guarded)); /* none of that took it back */

    go_past(MAX(plain.scheduled, guarded.scheduled));
    mails = suite_mail_count(suite, NULL);
    HTTP_ANSWER token =
        step(&plain, "token", body_login_token(http_text(begun.start, "sessionCode"), NULL));
    CHECK_ERROR(token, 400, bad_login);
    HTTP_ANSWER late =
        step(&guarded, "token", body_login_token(http_text(begun.shown, "sessionCode"), NULL));
    CHECK_ERROR(late, 400, bad_login);
    HTTP_ANSWER shown = show_code(&guarded, http_text(begun.waiting, "loginId"));
    CHECK_ERROR(shown, 400, bad_login);
    HTTP_ANSWER reset = suite_post_fresh(suite, "/auth/reset-password",
                                         json_pack("{s:s, s:s}", "email", plain.person->email,
                                                   "tenantCode", "demo"));
    CHECK_STATUS(reset, 200);
    check_unknown(&plain);
    CU_ASSERT_TRUE(suite_everywhere(suite, guarded.person->access, 401));
    CU_ASSERT_TRUE(is_scheduled(&plain) &&
                   is_scheduled(&guarded)); /* the rows are there all the same */

    check_register(&plain);
    freeze("maild", false);
    CU_ASSERT_TRUE(goes(&guarded));
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(suite_mail_count(suite, plain.person->email), 3); /* two welcomes, one date */
    CU_ASSERT_TRUE(suite_mail_count(suite, NULL) >= mails);
    HTTP_ANSWER in = by_client(&plain); /* the new account is none of the job's business */
    CHECK_STATUS(in, 200);
    CU_ASSERT_TRUE(is_scheduled(&plain) == false);
}

/* One second before the date the sign-in wins, at the date the deletion. A sign-in that came too
 * late proves nothing and is tried again, with more time each third attempt. */
static void one_second_decides(void)
{
    bool won = false;

    for (int i = 0; i < 8 && !won; i++) {
        SUBJECT self = patient();

        schedule(&self, 1);
        go_before(self.scheduled, SECOND * (1 + i / 3));
        HTTP_ANSWER answer = by_client(&self);
        won = answer->status == 200;
        UNIT_CHECK(won || contract_ms() >= self.scheduled, "before its date: %d", answer->status);
        if (won) {
            go_past(self.scheduled + DAY);
            CU_ASSERT_TRUE(is_kept(&self));
        }
    }
    CU_ASSERT_TRUE(won);

    SUBJECT late = patient();
    schedule(&late, 1);
    go_past(late.scheduled);
    HTTP_ANSWER answer = by_client(&late);
    CHECK_ERROR(answer, 400, bad_password);
    CU_ASSERT_TRUE(goes(&late));
}

/* ---- a sign-in and the deletion at the same moment ---- */

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
                                         .body = body_client(subject)}};
    CU_ASSERT_EQUAL_FATAL(pthread_create(&self->thread, NULL, attempt_run, self), 0);
}

static void attempt_free(struct attempt *self)
{
    http_answer_destroy(&self->answer);
    free((char *)(uintptr_t)self->request.source);
}

/* Either the account lives and so do the tokens that were given out, or there are none and soon no
 * account. */
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
    go_past(subject->scheduled);
    if (access) {
        UNIT_CHECK(is_kept(subject), "%s: tokens of an account that goes", label);
        CU_ASSERT_TRUE(suite_comes_to(suite, 0, DONE_MS,
                                      "select count(*) from mail.job where account_id = '%s' and "
                                      "state = 'waiting'",
                                      subject->id));
        UNIT_CHECK(is_kept(subject), "%s: deleted after all", label);
        CU_ASSERT_TRUE(suite_everywhere(suite, access, 200));
    } else {
        UNIT_CHECK(goes(subject), "%s: neither tokens nor the end", label);
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

    /* The sign-in came before the date, and waits when the date comes. */
    SUBJECT early = patient();
    schedule(&early, 1);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", early.id));
    go_before(early.scheduled, 20 * SECOND);
    lock = lock_account(&early);
    attempt_begin(&attempt, &early);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 1));
    go_past(early.scheduled);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 2));
    PQfinish(lock);
    attempts_end(&attempt, 1, "the sign-in first");
    CU_ASSERT_TRUE(is_kept(&early));

    /* The deletion waits when the sign-in comes, with a clock that has not reached the date. */
    SUBJECT late = patient();
    schedule(&late, 1);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", late.id));
    lock = lock_account(&late);
    go_past(late.scheduled);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 1));
    go_before(late.scheduled, 20 * SECOND);
    attempt_begin(&attempt, &late);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 2));
    PQfinish(lock);
    attempts_end(&attempt, 1, "the deletion first");
    CU_ASSERT_FALSE(is_kept(&late));
}

static void never_both(void)
{
    enum { ROUNDS = 12 };

    for (int i = 0; i < ROUNDS; i++) {
        SUBJECT self = patient();
        struct attempt attempts[2];
        char label[32];

        snprintf(label, sizeof(label), "round %d", i);
        schedule(&self, 1);
        go_before(self.scheduled, SECOND / 2);
        while (contract_ms() < self.scheduled - 160 + 20 * i)
            usleep(2000);
        attempt_begin(&attempts[0], &self);
        attempt_begin(&attempts[1], &self);
        attempts_end(attempts, 2, label);
    }
}

/* ---- the end ---- */

/* Gives a practitioner a place in another project, too. */
static struct person *second_place(const struct subject *self, const char *code)
{
    char sql[400];

    snprintf(sql, sizeof(sql),
             "insert into auth.membership (project_id, id, account_id, profile_id, created_at) "
             "select c.project_id, gen_random_uuid(), a.id, gen_random_uuid(), 0 from "
             "settings.tenant_code c, auth.account a where c.code = '%s' and a.email = '%s'",
             code, self->person->email);
    free(suite_query(suite, sql));
    return person_sign_in(suite, "Practitioner", self->person->email, self->person->password, code);
}

static void zero_days_deletes_at_once(void)
{
    PERSON branch = person_admin_of_child(suite, "branch");
    SUBJECT self = practitioner();
    SUBJECT stranger = patient();
    PERSON other = second_place(&self, "branch");

    CU_ASSERT_TRUE(suite_everywhere(suite, self.person->access, 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, other->access, 200));
    HTTP_ANSWER answer = ask(self.person->access, in_days(0));
    CU_ASSERT_TRUE(suite_everywhere(suite, self.person->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, other->access, 401));
    take(&self, answer);
    CU_ASSERT_TRUE(llabs(self.scheduled - contract_ms()) < 60 * SECOND);
    HTTP_ANSWER in = by_business(&self);
    CHECK_ERROR(in, 400, bad_password);
    check_unknown(&self);
    CU_ASSERT_TRUE(goes(&self));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.session where account_id = '%s'",
                                self.id),
                    0);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.membership where account_id = '%s'", self.id),
        0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'Account/%s' and "
                                "event->>'action' = 'account.delete' and project_id is null",
                                self.id),
                    1);
    /* And one in each project that the practitioner was a member of. */
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(distinct project_id) from auth.audit "
                                "where entity = 'Account/%s' and "
                                "event->>'action' = 'account.delete'",
                                self.id),
                    2);
    CU_ASSERT_EQUAL(me(stranger.person->access), 200);
    CU_ASSERT_EQUAL(me(branch->access), 200);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 1, DONE_MS,
                       "select count(*) from mail.job where account_id = '%s' and kind = "
                       "'account-delete' and state = 'done'",
                       self.id));
}

/* What a job needs is in the database: a due one waits for nothing but the clock. */
static void a_jump_of_the_clock_is_enough(void)
{
    enum { PEOPLE = 5 };
    struct subject people[PEOPLE];
    int64_t begun;

    for (int i = 0; i < PEOPLE; i++) {
        people[i] = patient();
        schedule(&people[i], 90);
    }
    go_past(people[PEOPLE - 1].scheduled);
    begun = clock_mono_ms();
    for (int i = 0; i < PEOPLE; i++) {
        CU_ASSERT_TRUE(goes(&people[i]));
        subject_free(&people[i]);
    }
    UNIT_CHECK(clock_mono_ms() - begun < DONE_MS, "%lld ms", (long long)(clock_mono_ms() - begun));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from mail.job where kind = 'account-reminder' and "
                                "state = 'waiting' and due_at < %lld and attempts > 1",
                                (long long)contract_ms()),
                    0);
}

/* maild's clock is ahead of authd's, as if it were on another host: the job is not lost. */
static void clocks_may_differ(void)
{
    SUBJECT self = patient();

    schedule(&self, 1);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", self.id));
    free(suite_query(suite, "update mail.job set due_at = 1 where state = 'waiting' and kind = "
                            "'account-delete'"));
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, DONE_MS,
                                  "select (attempts >= 2)::int from mail.job where account_id = "
                                  "'%s'",
                                  self.id));
    CU_ASSERT_TRUE(is_scheduled(&self));
    CU_ASSERT_EQUAL(me(self.person->access), 200);
    go_past(self.scheduled);
    CU_ASSERT_TRUE(goes(&self));
}

static void the_owner_is_reminded_once(void)
{
    SUBJECT self = patient();
    SUBJECT back = patient();
    SUBJECT soon = patient();
    char date[25], *mail;

    schedule(&soon, 3);
    schedule(&self, 10);
    schedule(&back, 10);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 2));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, back.person->email, 2));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, soon.person->email, 2));
    HTTP_ANSWER in = by_client(&back);
    CHECK_STATUS(in, 200);
    CU_ASSERT_EQUAL(jobs_of(&soon, "account-reminder"), 0);
    go_past(back.scheduled - 3 * DAY);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 3));
    mail = suite_mail(suite, self.person->email, 0);
    clock_format_iso(self.scheduled, date);
    date[10] = '\0';
    UNIT_CHECK(strstr(mail, "Subject: Soon: ") && strstr(mail, date), "%s", mail);
    free(mail);
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(suite_mail_count(suite, self.person->email), 3);
    CU_ASSERT_EQUAL(suite_mail_count(suite, back.person->email), 2);
    CU_ASSERT_EQUAL(suite_mail_count(suite, soon.person->email), 2);
    CU_ASSERT_TRUE(goes(&soon));
    CU_ASSERT_TRUE(is_scheduled(&self));
    go_past(self.scheduled);
    CU_ASSERT_TRUE(goes(&self));
    CU_ASSERT_EQUAL(suite_mail_count(suite, self.person->email), 3);
}

/* A wipe waits for docd, which erases the documents as soon as it runs. */
static void a_wipe_waits_for_docd_alone(void)
{
    static const char documents[] = "select count(*) from doc.document where author_id = '%s'";
    SUBJECT wiped = patient();
    SUBJECT plain = patient();
    struct subject *all[] = {&wiped, &plain};
    char sql[500];

    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        snprintf(sql, sizeof(sql),
                 "insert into doc.document (project_id, id, author_type, author_id, "
                 "author_display, file_name, content_type, uploads, updated_at) values ('%s', "
                 "gen_random_uuid(), 'Patient', '%s', 'Ana', 'a.txt', 'text/plain', 1, %lld)",
                 suite_text(suite, "demo.projectId"), all[i]->person->profile + strlen("Patient/"),
                 (long long)contract_ms());
        free(suite_query(suite, sql));
    }
    suite_signal(suite, "docd", "1", SIGSTOP);
    HTTP_ANSWER answer = ask(wiped.person->access, json_pack("{s:i, s:b}", "days", 0, "wipe", 1));
    take(&wiped, answer);
    schedule(&plain, 0);
    CU_ASSERT_TRUE(goes(&wiped));
    CU_ASSERT_TRUE(goes(&plain));
    CU_ASSERT_EQUAL(suite_count(suite, documents, wiped.person->profile + strlen("Patient/")), 1);
    suite_signal(suite, "docd", "1", SIGCONT);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, DONE_MS * 2, documents,
                                  wiped.person->profile + strlen("Patient/")));
    CU_ASSERT_EQUAL(suite_count(suite, documents, plain.person->profile + strlen("Patient/")), 1);
}

/* ---- operators ---- */

static void operators_see_and_run_jobs(void)
{
    SUBJECT self = patient();
    bool found = false;
    json_t *row;
    size_t i;

    schedule(&self, 30);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 2, DONE_MS, "select count(*) from mail.job where account_id = '%s'", self.id));
    PROGRAM list = ATRIUMCTL(suite, NULL, "job", "list", "--count", "1000", "--json");
    CHECK_EXIT(list, 0);
    json_array_foreach(list->json, i, row)
    {
        const char *account = json_string_value(json_object_get(row, "account"));
        const char *kind = json_string_value(json_object_get(row, "kind"));

        found = found || (strcmp(account, self.id) == 0 && strcmp(kind, "account-delete") == 0);
    }
    CU_ASSERT_TRUE(found);
    PROGRAM none = ATRIUMCTL(suite, NULL, "job", "run-due", "--json");
    CHECK_EXIT(none, 0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(none->json, "due")), 0);

    /* One that has failed and would wait for long. */
    free(suite_query(suite, "update mail.job set try_at = 99999999999999"));
    go_past(self.scheduled);
    usleep(QUIET_MS * 1000);
    CU_ASSERT_TRUE(is_scheduled(&self));
    PROGRAM run = ATRIUMCTL(suite, NULL, "job", "run-due", "--json");
    CHECK_EXIT(run, 0);
    CU_ASSERT_TRUE(json_integer_value(json_object_get(run->json, "due")) >= 2);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(run->json, "left")), 0);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.account where id = '%s'", self.id), 0);
    PROGRAM done = ATRIUMCTL(suite, NULL, "job", "list", "--state", "done");
    CHECK_EXIT(done, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(done->out, "account-delete"));
    PROGRAM wrong = ATRIUMCTL(suite, NULL, "job", "list", "--state", "lost");
    CHECK_REFUSED(wrong, 2, "--state: must be waiting|done");
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(metrics->body, "atrium_jobs_total{service=\"maild\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(metrics->body, "atrium_auth_accounts_deleted_total{"));
}

static void check_explained(const struct subject *self, const char *outcome, const char *hint)
{
    PROGRAM run = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                            self->person->email, "--json");
    json_t *row;
    size_t i, found = 0;

    CHECK_EXIT(run, strcmp(outcome, "fail") == 0);
    json_array_foreach(json_object_get(run->json, "steps"), i, row)
    {
        const char *said = json_string_value(json_object_get(row, "hint"));

        if (strcmp(json_string_value(json_object_get(row, "check")), "not deleted") != 0)
            continue;
        found++;
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(row, "outcome")), outcome);
        UNIT_CHECK(hint ? said && strstr(said, hint) : !said, "%s", said ? said : "(no hint)");
    }
    CU_ASSERT_EQUAL(found, 1);
}

static void explain_reports_the_deletion(void)
{
    SUBJECT self = patient();

    check_explained(&self, "pass", NULL);
    schedule(&self, 1);
    check_explained(&self, "pass", "a sign-in takes that back");
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", self.id));
    free(suite_query(suite, "update mail.job set try_at = 99999999999999"));
    go_past(self.scheduled);
    check_explained(&self, "fail", "nobody knows it");
    PROGRAM run = ATRIUMCTL(suite, NULL, "job", "run-due");
    CHECK_EXIT(run, 0);
}

/* An operator creates an admin with the address of an account whose date has passed: this makes
 * a new account. */
static void create_admin_finds_no_account_that_is_over(void)
{
    SUBJECT self = practitioner();

    schedule(&self, 1);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", self.id));
    free(suite_query(suite, "update mail.job set try_at = 99999999999999"));
    go_past(self.scheduled);
    PROGRAM made = ATRIUMCTL(suite, "another password\n", "user", "create-admin", "--project",
                             "demo", "--email", self.person->email, "--name", "Olga", "--surname",
                             "Petrova", "--json");
    CHECK_EXIT(made, 0);
    CU_ASSERT_TRUE(json_is_true(json_object_get(made->json, "created")));
    CU_ASSERT_STRING_NOT_EQUAL(program_text(made, "account"), self.id);
    PERSON in = person_sign_in(suite, "Practitioner", self.person->email, "another password", NULL);
    CU_ASSERT_EQUAL(in->status, 200);
    PROGRAM run = ATRIUMCTL(suite, NULL, "job", "run-due");
    CHECK_EXIT(run, 0);
    CU_ASSERT_EQUAL(me(in->access), 200);
    set_admin(self.person->email, false);
}

/* An admin whose deletion is scheduled does not count as an admin who stays, so the other one
 * cannot be demoted. A person whose date has passed can be invited like any other. */
static void admins_to_be_deleted_do_not_count_as_admins(void)
{
    PERSON boss = person_admin(suite);
    SUBJECT self = practitioner();
    char path[128];

    set_admin(self.person->email, true);
    schedule(&self, 1);
    char *id =
        suite_query(suite, "select m.id from auth.membership m join auth.account a on a.id = "
                           "m.account_id where a.email = 'admin@demo.example'");
    snprintf(path, sizeof(path), "/v1/projects/me/members/%s", id);
    HTTP_ANSWER demoted =
        http_call(suite_url(suite), &(struct http_request){.method = "PATCH",
                                                           .path = path,
                                                           .bearer = boss->access,
                                                           .body = json_pack("{s:b}", "admin", 0)});
    CHECK_ERROR(demoted, 409, last_admin);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", self.id));
    free(suite_query(suite, "update mail.job set try_at = 99999999999999"));
    go_past(self.scheduled);
    PERSON again = person_admin(suite);
    HTTP_ANSWER invited = http_post(suite_url(suite), "/v1/projects/me/members", again->access,
                                    json_pack("{s:s, s:s, s:s}", "email", self.person->email,
                                              "firstName", "Olga", "lastName", "Petrova"));
    CHECK_STATUS(invited, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(invited, "pending")));
    CU_ASSERT_TRUE(is_scheduled(&self));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 2));
    struct mail_link link = suite_mail_link(suite, self.person->email, "invitation");
    HTTP_ANSWER accepted = suite_post_fresh(suite, "/auth/set-password",
                                            json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                      link.secret, "password", "chosen"));
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_TRUE(goes(&self));
    PERSON in = person_sign_in(suite, "Practitioner", self.person->email, "chosen", NULL);
    CU_ASSERT_EQUAL(in->status, 200);
    free(id);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_deletion_is_scheduled_as_requested),
    CASE(fields_are_checked),
    CASE(mails_to_an_address_are_limited),
    CASE(the_last_admin_stays),
    CASE(one_of_two_last_admins_wins),
    CASE(any_sign_in_takes_it_back),
    CASE(sign_ins_at_once_all_succeed),
    CASE(the_date_decides),
    CASE(one_second_decides),
    CASE(the_earlier_of_sign_in_and_deletion_wins),
    CASE(never_both),
    CASE(zero_days_deletes_at_once),
    CASE(a_jump_of_the_clock_is_enough),
    CASE(clocks_may_differ),
    CASE(the_owner_is_reminded_once),
    CASE(a_wipe_waits_for_docd_alone),
    CASE(operators_see_and_run_jobs),
    CASE(explain_reports_the_deletion),
    CASE(create_admin_finds_no_account_that_is_over),
    CASE(admins_to_be_deleted_do_not_count_as_admins),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(
        &(struct suite_options){.instances = "authd=2,gateway=2,maild=2", .test_clock = true});
    return unit_run("deletion", cases, ARRAY_SIZE(cases));
}
