/*
 * test_deletion.c - account deletion: scheduled by the owner, with reminders, and executed on its
 * date.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/subject.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { DONE_MS = 15000, QUIET_MS = 2500 };

static struct suite *suite;

static void a_deletion_is_scheduled_as_requested(void)
{
    SUBJECT self = subject_patient(suite);
    char date[25], *mail;

    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 1));
    HTTP_ANSWER plain = deletion_ask(suite, self.person->access, NULL);
    subject_read(&self, plain);
    UNIT_CHECK(llabs(self.scheduled - suite_now_ms(suite) - DAYS(30)) < SECONDS(30), "%s",
               plain->body);
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

    /* Scheduling again sets another date and deletes the jobs of the first one. */
    subject_schedule(&self, 10);
    CU_ASSERT_TRUE(llabs(self.scheduled - suite_now_ms(suite) - DAYS(10)) < SECONDS(30));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 3));
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 2, DONE_MS, "select count(*) from mail.job where due_at in (%lld, %lld)",
        (long long)self.scheduled, (long long)(self.scheduled - DAYS(3))));
    CU_ASSERT_EQUAL(subject_jobs(&self, "account-delete"), 1);
    CU_ASSERT_EQUAL(subject_jobs(&self, "account-reminder"), 1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'Account/%s' and "
                                "event->>'action' = 'deletion.schedule'",
                                self.id),
                    2);
}

static void fields_are_checked(void)
{
    static const struct {
        const char *body, *problem;
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
    SUBJECT self = subject_patient(suite);

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
    HTTP_ANSWER nobody = deletion_ask(suite, NULL, NULL);
    CHECK_STATUS(nobody, 401);
}

static void mails_to_an_address_are_limited(void)
{
    SUBJECT self = subject_patient(suite);

    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 1));
    for (int i = 0; i < 9; i++)
        subject_schedule(&self, 20 + i);
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(suite_mail_count(suite, self.person->email), 1 + 5);
    /* Jobs sent by two authd can overtake each other. A replaced job that arrives late has no
     * effect. */
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, DONE_MS,
                                  "select count(*) from mail.job j join auth.account a on a.id = "
                                  "j.account_id and a.delete_schedule = j.schedule_id where a.id = "
                                  "'%s'",
                                  self.id));
    CU_ASSERT_TRUE(subject_jobs(&self, "account-delete") < 9);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.account where id = '%s' and delete_at = %lld",
                    self.id, (long long)self.scheduled),
        1);
}

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
    SUBJECT self = subject_practitioner(suite);
    SUBJECT stranger = subject_patient(suite);
    PERSON other = second_place(&self, "branch");

    CU_ASSERT_TRUE(suite_everywhere(suite, self.person->access, 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, other->access, 200));
    HTTP_ANSWER answer = deletion_ask(suite, self.person->access, deletion_in_days(0));
    CU_ASSERT_TRUE(suite_everywhere(suite, self.person->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, other->access, 401));
    subject_read(&self, answer);
    CU_ASSERT_TRUE(llabs(self.scheduled - suite_now_ms(suite)) < SECONDS(60));
    HTTP_ANSWER in = subject_by_business(&self);
    CHECK_ERROR(in, 400, BAD_PASSWORD);
    subject_check_unknown(&self);
    CU_ASSERT_TRUE(subject_goes(&self));
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
    /* One audit row in each of the practitioner's projects. */
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(distinct project_id) from auth.audit "
                                "where entity = 'Account/%s' and "
                                "event->>'action' = 'account.delete'",
                                self.id),
                    2);
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", stranger.person->access), 200);
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", branch->access), 200);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 1, DONE_MS,
                       "select count(*) from mail.job where account_id = '%s' and kind = "
                       "'account-delete' and state = 'done'",
                       self.id));
}

/* A due job needs only the database and the clock. */
static void a_jump_of_the_clock_is_enough(void)
{
    enum { PEOPLE = 5 };
    struct subject people[PEOPLE];
    int64_t begun;

    for (int i = 0; i < PEOPLE; i++) {
        people[i] = subject_patient(suite);
        subject_schedule(&people[i], 90);
    }
    suite_go_past(suite, people[PEOPLE - 1].scheduled);
    begun = clock_mono_ms();
    for (int i = 0; i < PEOPLE; i++) {
        CU_ASSERT_TRUE(subject_goes(&people[i]));
        subject_release(&people[i]);
    }
    UNIT_CHECK(clock_mono_ms() - begun < DONE_MS, "%lld ms", (long long)(clock_mono_ms() - begun));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from mail.job where kind = 'account-reminder' and "
                                "state = 'waiting' and due_at < %lld and attempts > 1",
                                (long long)suite_now_ms(suite)),
                    0);
}

/* maild's clock is ahead of authd's, as it can be on another host. The job is not lost. */
static void clocks_may_differ(void)
{
    SUBJECT self = subject_patient(suite);

    subject_schedule(&self, 1);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", self.id));
    free(suite_query(suite, "update mail.job set due_at = 1 where state = 'waiting' and kind = "
                            "'account-delete'"));
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, DONE_MS,
                                  "select (attempts >= 2)::int from mail.job where account_id = "
                                  "'%s'",
                                  self.id));
    CU_ASSERT_TRUE(subject_is_scheduled(&self));
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", self.person->access), 200);
    suite_go_past(suite, self.scheduled);
    CU_ASSERT_TRUE(subject_goes(&self));
}

static void the_owner_is_reminded_once(void)
{
    SUBJECT self = subject_patient(suite);
    SUBJECT back = subject_patient(suite);
    SUBJECT soon = subject_patient(suite);
    char date[25], *mail;

    subject_schedule(&soon, 3);
    subject_schedule(&self, 10);
    subject_schedule(&back, 10);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 2));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, back.person->email, 2));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, soon.person->email, 2));
    HTTP_ANSWER in = subject_by_client(&back);
    CHECK_STATUS(in, 200);
    CU_ASSERT_EQUAL(subject_jobs(&soon, "account-reminder"), 0);
    suite_go_past(suite, back.scheduled - DAYS(3));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 3));
    mail = suite_mail(suite, self.person->email, 0);
    clock_format_iso(self.scheduled, date);
    date[10] = '\0';
    UNIT_CHECK(strstr(mail, "Subject: Reminder: ") && strstr(mail, date), "%s", mail);
    free(mail);
    usleep(QUIET_MS * 1000);
    CU_ASSERT_EQUAL(suite_mail_count(suite, self.person->email), 3);
    CU_ASSERT_EQUAL(suite_mail_count(suite, back.person->email), 2);
    CU_ASSERT_EQUAL(suite_mail_count(suite, soon.person->email), 2);
    CU_ASSERT_TRUE(subject_goes(&soon));
    CU_ASSERT_TRUE(subject_is_scheduled(&self));
    suite_go_past(suite, self.scheduled);
    CU_ASSERT_TRUE(subject_goes(&self));
    CU_ASSERT_EQUAL(suite_mail_count(suite, self.person->email), 3);
}

static void a_wipe_waits_for_docd_alone(void)
{
    static const char documents[] = "select count(*) from doc.document where author_id = '%s'";
    SUBJECT wiped = subject_patient(suite);
    SUBJECT plain = subject_patient(suite);
    struct subject *all[] = {&wiped, &plain};
    char sql[500];

    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        snprintf(sql, sizeof(sql),
                 "insert into doc.document (project_id, id, author_type, author_id, "
                 "author_display, file_name, content_type, uploads, updated_at) values ('%s', "
                 "gen_random_uuid(), 'Patient', '%s', 'Ana', 'a.txt', 'text/plain', 1, %lld)",
                 suite_text(suite, "demo.projectId"), all[i]->person->profile + strlen("Patient/"),
                 (long long)suite_now_ms(suite));
        free(suite_query(suite, sql));
    }
    suite_signal(suite, "docd", "1", SIGSTOP);
    HTTP_ANSWER answer =
        deletion_ask(suite, wiped.person->access, json_pack("{s:i, s:b}", "days", 0, "wipe", 1));
    subject_read(&wiped, answer);
    subject_schedule(&plain, 0);
    CU_ASSERT_TRUE(subject_goes(&wiped));
    CU_ASSERT_TRUE(subject_goes(&plain));
    CU_ASSERT_EQUAL(suite_count(suite, documents, wiped.person->profile + strlen("Patient/")), 1);
    suite_signal(suite, "docd", "1", SIGCONT);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, DONE_MS * 2, documents,
                                  wiped.person->profile + strlen("Patient/")));
    CU_ASSERT_EQUAL(suite_count(suite, documents, plain.person->profile + strlen("Patient/")), 1);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_deletion_is_scheduled_as_requested), CASE(fields_are_checked),
    CASE(mails_to_an_address_are_limited),      CASE(zero_days_deletes_at_once),
    CASE(a_jump_of_the_clock_is_enough),        CASE(clocks_may_differ),
    CASE(the_owner_is_reminded_once),           CASE(a_wipe_waits_for_docd_alone),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(
        &(struct suite_options){.instances = "authd=2,gateway=2,maild=2", .test_clock = true});
    return unit_run("deletion", cases, ARRAY_SIZE(cases));
}
