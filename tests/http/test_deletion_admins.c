/*
 * test_deletion_admins.c - a project's last admin cannot delete the account, and operators see and
 * run scheduled deletions.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/subject.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { DONE_MS = 15000, QUIET_MS = 2500 };

static const char last_admin[] = "The project needs at least one admin, and this is the last one.";

static struct suite *suite;

static void set_admin(const char *email, bool admin)
{
    char sql[300];

    snprintf(sql, sizeof(sql),
             "update auth.membership set admin = %s where account_id = (select id from "
             "auth.account where email = '%s' and role = 'Practitioner')",
             admin ? "true" : "false", email);
    free(suite_query(suite, sql));
}

/* Two practitioners who are the demo project's only admins. */
struct admins {
    struct subject one, two;
};

static struct admins two_admins(void)
{
    struct admins self = {subject_practitioner(suite), subject_practitioner(suite)};

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
    subject_release(&self->one);
    subject_release(&self->two);
}

static void the_last_admin_stays(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER alone = deletion_ask(suite, admin->access, NULL);
    CHECK_ERROR(alone, 409, last_admin);
    HTTP_ANSWER now = deletion_ask(suite, admin->access, deletion_in_days(0));
    CHECK_ERROR(now, 409, last_admin);

    CLEANUP(admins_free) struct admins pair = two_admins();
    subject_schedule(&pair.one, 30);
    HTTP_ANSWER other = deletion_ask(suite, pair.two.person->access, NULL);
    CHECK_ERROR(other, 409, last_admin);
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "select count(*) from auth.account where email = '%s' and delete_at is "
                    "not null",
                    pair.two.person->email),
        0);
    subject_schedule(&pair.one, 20); /* allowed once more, because the other admin remains */
    HTTP_ANSWER back = subject_by_client(&pair.one);
    CHECK_STATUS(back, 200);
    subject_schedule(&pair.two, 30);
    HTTP_ANSWER third = deletion_ask(suite, http_text(back, "accessToken"), NULL);
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
        HTTP_ANSWER back = subject_by_client(good[0] ? &pair.one : &pair.two);
        CHECK_STATUS(back, 200);
    }
}

static void operators_see_and_run_jobs(void)
{
    SUBJECT self = subject_patient(suite);
    bool found = false;
    json_t *row;
    size_t i;

    subject_schedule(&self, 30);
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

    /* a failed job with a distant retry */
    free(suite_query(suite, "update mail.job set try_at = 99999999999999"));
    suite_go_past(suite, self.scheduled);
    usleep(QUIET_MS * 1000);
    CU_ASSERT_TRUE(subject_is_scheduled(&self));
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
    SUBJECT self = subject_patient(suite);

    check_explained(&self, "pass", NULL);
    subject_schedule(&self, 1);
    check_explained(&self, "pass", "a sign-in cancels it");
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", self.id));
    free(suite_query(suite, "update mail.job set try_at = 99999999999999"));
    suite_go_past(suite, self.scheduled);
    check_explained(&self, "fail", "sign-ins ignore it");
    PROGRAM run = ATRIUMCTL(suite, NULL, "job", "run-due");
    CHECK_EXIT(run, 0);
}

/* create-admin with the address of an account after its date makes a new account. */
static void create_admin_finds_no_account_that_is_over(void)
{
    SUBJECT self = subject_practitioner(suite);

    subject_schedule(&self, 1);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, DONE_MS, "select count(*) from mail.job where account_id = '%s'", self.id));
    free(suite_query(suite, "update mail.job set try_at = 99999999999999"));
    suite_go_past(suite, self.scheduled);
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
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", in->access), 200);
    set_admin(self.person->email, false);
}

/* An admin with a scheduled deletion does not count as a remaining admin, so the other one cannot
 * be demoted. After the date, the person can be invited again. */
static void admins_to_be_deleted_do_not_count_as_admins(void)
{
    PERSON boss = person_admin(suite);
    SUBJECT self = subject_practitioner(suite);
    char path[128];

    set_admin(self.person->email, true);
    subject_schedule(&self, 1);
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
    suite_go_past(suite, self.scheduled);
    PERSON again = person_admin(suite);
    HTTP_ANSWER invited = http_post(suite_url(suite), "/v1/projects/me/members", again->access,
                                    json_pack("{s:s, s:s, s:s}", "email", self.person->email,
                                              "firstName", "Olga", "lastName", "Petrova"));
    CHECK_STATUS(invited, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(invited, "pending")));
    CU_ASSERT_TRUE(subject_is_scheduled(&self));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, self.person->email, 2));
    struct mail_link link = suite_mail_link(suite, self.person->email, "invitation");
    HTTP_ANSWER accepted = suite_post_fresh(suite, "/auth/set-password",
                                            json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                      link.secret, "password", "chosen"));
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_TRUE(subject_goes(&self));
    PERSON in = person_sign_in(suite, "Practitioner", self.person->email, "chosen", NULL);
    CU_ASSERT_EQUAL(in->status, 200);
    free(id);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(the_last_admin_stays),
    CASE(one_of_two_last_admins_wins),
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
    return unit_run("deletion admins", cases, ARRAY_SIZE(cases));
}
