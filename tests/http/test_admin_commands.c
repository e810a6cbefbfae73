/*
 * test_admin_commands.c - `atriumctl user create-admin --mail`: admins whom an operator invites and
 * who choose their password.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define PASSWORD "a password of an admin"

static struct suite *suite;

#define INVITATION "https://clinic.example/app/invitation"

static struct program *mail_admin(const char *code, const char *email)
{
    return ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", code, "--email", email,
                     "--name", "Eve", "--surname", "Admin", "--mail", "--json");
}

static void map_invitation(const char *code)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *file =
        unit_dir_write(&dir, "text", "{{inviterName}}, {{recipientName}}, {{invitationUrl}}\n");
    PROGRAM put = ATRIUMCTL(suite, NULL, "template", "put", "--project", code, "INVITE_TO_PROJECT",
                            "--subject", "Join us", "--text", file);

    CHECK_EXIT(put, DONE);
}

static void set_app(const char *code)
{
    PROGRAM set = ATRIUMCTL(suite, NULL, "project", "set", code, "PRACTITIONER_APP_URL",
                            "https://clinic.example/app");

    CHECK_EXIT(set, DONE);
}

static int accept_by(struct mail_link link, const char *password)
{
    HTTP_ANSWER answer = suite_post_fresh(suite, "/auth/set-password",
                                          json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                    link.secret, "password", password));

    return answer->status;
}

static int administers(const char *email, const char *password, const char *code)
{
    PERSON person = person_sign_in(suite, "Practitioner", email, password, code);

    CU_ASSERT_EQUAL(person->status, 200);
    return person->access ? suite_status(suite, "/v1/project/settings/history", person->access) : 0;
}

/* Counts the operator's audit rows about an invitation, as an auditor would look for them. */
static long audited(const char *action, const char *id)
{
    return suite_count(suite,
                       "select count(*) from auth.audit where entity = 'Invitation/%s' and "
                       "event->>'action' = '%s' and event->>'outcome' = 'success' and "
                       "event->>'detail' = 'admin' and event->'agent'->>'service' = 'ctl'",
                       id, action);
}

static long invited(const char *email)
{
    return suite_count(suite, "select count(*) from auth.invitation where email = '%s'", email);
}

static void an_admin_is_invited_and_chooses_a_password(void)
{
    char *email = person_address(), *mail;

    suite_make_project(suite, "Mailing Clinic", "mailing");
    PROGRAM unmapped = mail_admin("mailing", email);
    CHECK_REFUSED(unmapped, FAILED,
                  "The invitation email is not configured. See `atriumctl template put --project "
                  "mailing INVITE_TO_PROJECT`.");
    map_invitation("mailing");
    CU_ASSERT_EQUAL(invited(email), 0); /* without an application there is no page to link to */
    set_app("mailing");
    PROGRAM sent = mail_admin("mailing", email);
    CHECK_EXIT(sent, DONE);
    CU_ASSERT_TRUE(json_is_true(json_object_get(sent->json, "invited")));
    CU_ASSERT_TRUE(json_is_false(json_object_get(sent->json, "created")));
    CU_ASSERT_PTR_NULL(json_object_get(sent->json, "account"));
    const char *id = program_text(sent, "membership");
    CU_ASSERT_EQUAL(audited("invitation.create", id), 1);

    struct mail_link link = suite_mail_link(suite, email, INVITATION);
    CU_ASSERT_STRING_EQUAL(link.id, id);
    mail = suite_mail(suite, email, 0);
    UNIT_CHECK(mail && strstr(mail, "Mailing Clinic, Eve Admin, https://"), "%s", mail);
    CU_ASSERT_EQUAL(accept_by(link, PASSWORD), 204);
    CU_ASSERT_EQUAL(administers(email, PASSWORD, "mailing"), 200);
    CU_ASSERT_EQUAL(accept_by(link, "another password"), 400);
    free(mail);
    free(email);
}

static void two_invitations_at_the_same_moment_are_one(void)
{
    char *path = program_path("atriumctl");

    for (int round = 0; round < 5; round++) {
        char *email = person_address(), sql[300];
        const char *const argv[] = {
            path,      "--dir", suite_dir(suite), "user", "create-admin", "--project", "mailing",
            "--email", email,   "--name",         "Eve",  "--surname",    "Admin",     "--mail",
            "--json",  NULL};
        PROGRAM one = program_start(argv, NULL);
        PROGRAM two = program_start(argv, NULL);

        CU_ASSERT_TRUE(program_wait_end(one, 30000) && program_wait_end(two, 30000));
        CHECK_EXIT(one, DONE);
        CHECK_EXIT(two, DONE);
        CU_ASSERT_STRING_EQUAL(program_text(one, "membership"), program_text(two, "membership"));
        CU_ASSERT_EQUAL(invited(email), 1);
        snprintf(sql, sizeof(sql), "select id from auth.invitation where email = '%s'", email);
        char *id = suite_query(suite, sql);
        CU_ASSERT_EQUAL(audited("invitation.create", id), 1);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
        free(id);
        free(email);
    }
    free(path);
}

static void standard_input_is_left_alone(void)
{
    char *email = person_address(), *atriumctl = program_path("atriumctl");
    const char *const argv[] = {"/bin/sh",
                                "-c",
                                "\"$@\" >&2 && cat",
                                "sh",
                                atriumctl,
                                "--dir",
                                suite_dir(suite),
                                "user",
                                "create-admin",
                                "--project",
                                "mailing",
                                "--email",
                                email,
                                "--name",
                                "Eve",
                                "--surname",
                                "Admin",
                                "--mail",
                                NULL};
    PROGRAM run = program_run(argv, "a line of a script\n");

    CHECK_EXIT(run, DONE);
    CU_ASSERT_STRING_EQUAL(run->out, "a line of a script\n");
    UNIT_CHECK(strstr(run->err, "An invitation is on its way"), "%s", run->err);
    free(atriumctl);
    free(email);
}

static void a_second_invitation_ends_the_first(void)
{
    char *email = person_address();

    PROGRAM first = mail_admin("mailing", email);
    CHECK_EXIT(first, DONE);
    struct mail_link old = suite_mail_link(suite, email, INVITATION);
    PROGRAM second = mail_admin("mailing", email);
    CHECK_EXIT(second, DONE);
    CU_ASSERT_STRING_EQUAL(program_text(second, "membership"), old.id);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    struct mail_link link = suite_mail_link(suite, email, INVITATION);
    CU_ASSERT_EQUAL(accept_by(old, PASSWORD), 400);
    CU_ASSERT_EQUAL(accept_by(link, PASSWORD), 204);
    CU_ASSERT_EQUAL(administers(email, PASSWORD, "mailing"), 200);
    CU_ASSERT_EQUAL(audited("invitation.create", old.id), 1);
    CU_ASSERT_EQUAL(audited("invitation.renew", old.id), 1);
    free(email);
}

static void an_account_that_is_there_is_invited(void)
{
    char *email = person_address();

    suite_make_project(suite, "Here", "here");
    suite_make_project(suite, "There", "there");
    map_invitation("there");
    set_app("there");
    PROGRAM made = suite_create_admin(suite, "here", email, PASSWORD "\n");
    CHECK_EXIT(made, DONE);
    PROGRAM both = ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", "there", "--email",
                             email, "--name", "Eve", "--surname", "Admin", "--mail", "--existing");
    CHECK_REFUSED(both, FAILED, "--mail and --existing exclude each other");
    PROGRAM sent = mail_admin("there", email);
    CHECK_EXIT(sent, DONE);
    CU_ASSERT_TRUE(json_is_true(json_object_get(sent->json, "invited")));
    CU_ASSERT_PTR_NULL(json_object_get(sent->json, "account"));
    struct mail_link link = suite_mail_link(suite, email, INVITATION);
    CU_ASSERT_EQUAL(accept_by(link, "another password"), 409);
    PERSON eve = person_sign_in(suite, "Practitioner", email, PASSWORD, "here");
    HTTP_ANSWER accepted = http_post(suite_url(suite), "/auth/invitation/accept", eve->access,
                                     json_pack("{s:s, s:s}", "id", link.id, "secret", link.secret));
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_EQUAL(administers(email, PASSWORD, "there"), 200);
    PROGRAM again = mail_admin("there", email);
    CHECK_REFUSED(again, FAILED, "This person is an admin of the project already.");
    CU_ASSERT_EQUAL(invited(email), 0);
    free(email);
}

static void a_pending_invitation_becomes_one_of_an_admin(void)
{
    PERSON admin = person_admin(suite);
    char *email = person_address();

    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                                 json_pack("{s:s, s:s, s:s}", "email", email, "firstName", "Rui",
                                           "lastName", "Costa"));
    CHECK_STATUS(made, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(made, "admin")));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    suite_set_switch(suite, admin->access, "PRACTITIONER_INVITATION_ENABLED", false);
    PROGRAM again = mail_admin("demo", email);
    suite_set_switch(suite, admin->access, "PRACTITIONER_INVITATION_ENABLED", true);
    CHECK_EXIT(again, DONE);
    CU_ASSERT_STRING_EQUAL(program_text(again, "membership"), http_text(made, "id"));
    CU_ASSERT_STRING_EQUAL(program_text(again, "profile"), http_text(made, "profileId"));
    CU_ASSERT_EQUAL(audited("invitation.renew", http_text(made, "id")), 1);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    struct mail_link link =
        suite_mail_link(suite, email, "https://practitioner.demo.example/invitation");
    CU_ASSERT_EQUAL(accept_by(link, PASSWORD), 204);
    CU_ASSERT_EQUAL(administers(email, PASSWORD, "demo"), 200);
    free(email);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(an_admin_is_invited_and_chooses_a_password),
    CASE(two_invitations_at_the_same_moment_are_one),
    CASE(standard_input_is_left_alone),
    CASE(a_second_invitation_ends_the_first),
    CASE(an_account_that_is_there_is_invited),
    CASE(a_pending_invitation_becomes_one_of_an_admin),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2", .test_clock = true});
    return unit_run("admin commands", cases, ARRAY_SIZE(cases));
}
