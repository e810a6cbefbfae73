/*
 * test_invitations.c - invitations to a project: emails, links, refusals and expiry.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/members.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum { DAY = 86400 };

static const char off[] = "Invitations are disabled in this project. Enable them in the settings.";

static struct suite *suite;
static struct person *admin;

static void a_practitioner_is_invited_and_accepts(void)
{
    char *email = person_address();
    HTTP_ANSWER made = member_invite(suite, admin->access, email, NULL);

    CHECK_STATUS(made, 200);
    CU_ASSERT_STRING_EQUAL(http_text(made, "email"), email);
    CU_ASSERT_STRING_EQUAL(http_text(made, "displayName"), "Rui Costa");
    CU_ASSERT_STRING_EQUAL(http_text(made, "firstName"), "Rui");
    CU_ASSERT_STRING_EQUAL(http_text(made, "lastName"), "Costa");
    CU_ASSERT_STRING_EQUAL(http_text(made, "profileType"), "Practitioner");
    CU_ASSERT_TRUE(json_is_false(http_member(made, "admin")));
    CU_ASSERT_TRUE(json_is_true(http_member(made, "pending")));
    CU_ASSERT_EQUAL(strlen(http_text(made, "profileId")), 36);
    CU_ASSERT_EQUAL(strlen(http_text(made, "invitedAt")), 24);

    json_t *before = member_listed(suite, admin->access, email);
    char *listed = json_dumps(before, 0);
    UNIT_CHECK(json_equal(before, made->json), "%s %s", listed, made->body);
    free(listed);
    char *mail = suite_mail(suite, email, 10000);
    CU_ASSERT_PTR_NOT_NULL(mail);
    CU_ASSERT_TRUE(mail && strstr(mail, "would like you to join"));
    struct mail_link link = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
    CU_ASSERT_STRING_EQUAL(link.id, http_text(made, "id"));

    /* No account exists yet, and a link scanner consumes nothing. */
    PERSON early = person_sign_in(suite, "Practitioner", email, MEMBER_PASSWORD, NULL);
    CU_ASSERT_EQUAL(early->status, 400);
    HTTP_ANSWER get = http_get(suite_url(suite), MEMBER_ACCEPT_PATH, NULL);
    CHECK_STATUS(get, 405);
    HTTP_ANSWER secret = suite_post_fresh(suite, MEMBER_ACCEPT_PATH,
                                          json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                    "wrong", "password", "x"));
    CHECK_ERROR(secret, 400, MEMBER_BAD_LINK);
    HTTP_ANSWER id = suite_post_fresh(suite, MEMBER_ACCEPT_PATH,
                                      json_pack("{s:s, s:s, s:s}", "id", NOBODY, "secret",
                                                link.secret, "password", "x"));
    CHECK_ERROR(id, 400, MEMBER_BAD_LINK);

    HTTP_ANSWER accepted = member_accept(suite, link, MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    HTTP_ANSWER again = member_accept(suite, link, "another");
    CHECK_ERROR(again, 400, MEMBER_BAD_LINK);
    PERSON rui = person_sign_in(suite, "Practitioner", email, MEMBER_PASSWORD, NULL);
    CU_ASSERT_EQUAL(rui->status, 200);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", rui->access);
    CU_ASSERT_STRING_EQUAL(http_text(me, "membership.id"), http_text(made, "id"));
    CU_ASSERT_STRING_EQUAL(http_text(me, "profile.id"), http_text(made, "profileId"));
    CU_ASSERT_STRING_EQUAL(http_text(me, "accessPolicy.id"),
                           suite_text(suite, "demo.practitionerAccessPolicy") +
                               strlen("AccessPolicy/"));
    CU_ASSERT_TRUE(json_is_false(json_object_get(before, "emailVerified")));
    json_object_set_new(before, "pending", json_false());
    json_object_set_new(before, "emailVerified", json_true());
    json_t *after = member_listed(suite, admin->access, email);
    CU_ASSERT_TRUE(json_equal(before, after));
    CU_ASSERT_EQUAL(suite_mail_count(suite, email),
                    1); /* a first password sends no notice of a change */
    json_decref(after);
    json_decref(before);
    free(mail);
    free(email);
}

static void a_patient_is_invited_and_accepts(void)
{
    char id[37];
    PERSON patient = member_join(suite, admin, "Patient", false, id);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);

    CU_ASSERT_STRING_EQUAL(http_text(me, "profile.resourceType"), "Patient");
    CU_ASSERT_STRING_EQUAL(http_text(me, "membership.id"), id);
    CU_ASSERT_STRING_EQUAL(http_text(me, "accessPolicy.id"),
                           suite_text(suite, "demo.patientAccessPolicy") + strlen("AccessPolicy/"));

    /* The same person can also be invited as a practitioner. */
    HTTP_ANSWER both = member_invite(suite, admin->access, patient->email, "Practitioner");
    CHECK_STATUS(both, 200);
    HTTP_ANSWER twice = member_invite(suite, admin->access, patient->email, "Patient");
    CHECK_ERROR(twice, 409, "This person is already a member.");
}

/* The address is the same in capital letters, and the invitation's policy is stored. */
static void an_invitation_brings_what_was_said(void)
{
    char *email = person_address(), upper[128], *domain;
    json_t *body = member_body(email, "Practitioner", true);

    snprintf(upper, sizeof(upper), "  %s ", email);
    for (domain = upper; *domain; domain++)
        *domain = *domain >= 'a' && *domain <= 'z' ? (char)(*domain - 32) : *domain;
    json_object_set_new(body, "email", json_string(upper));
    json_object_set_new(body, "accessPolicy",
                        json_string(suite_text(suite, "demo.patientAccessPolicy")));
    HTTP_ANSWER made = member_call(suite, "POST", admin->access, "", "", body);
    CHECK_STATUS(made, 200);
    CU_ASSERT_STRING_EQUAL(http_text(made, "email"), email);
    CU_ASSERT_TRUE(json_is_true(http_member(made, "admin")));
    struct mail_link link = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
    HTTP_ANSWER accepted = member_accept(suite, link, MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    PERSON rui = person_sign_in(suite, "Practitioner", email, MEMBER_PASSWORD, NULL);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", rui->access);
    CU_ASSERT_TRUE(json_is_true(http_member(me, "membership.admin")));
    CU_ASSERT_STRING_EQUAL(http_text(me, "accessPolicy.id"),
                           suite_text(suite, "demo.patientAccessPolicy") + strlen("AccessPolicy/"));
    HTTP_ANSWER list = http_get(suite_url(suite), MEMBER_PATH, rui->access);
    CHECK_STATUS(list, 200);
    free(email);
}

static void wrong_inputs_are_refused(void)
{
    char *email = person_address();
    HTTP_ANSWER empty = member_call(suite, "POST", admin->access, "", "", json_object());

    CHECK_PROBLEM(empty, "email");
    CHECK_PROBLEM(empty, "firstName");
    CHECK_PROBLEM(empty, "lastName");
    json_t *many = json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", "x", "firstName", "", "lastName",
                             "x", "type", "Robot", "accessPolicy", NOBODY);
    HTTP_ANSWER wrong = member_call(suite, "POST", admin->access, "", "", many);
    CHECK_PROBLEM(wrong, "email");
    CHECK_PROBLEM(wrong, "firstName");
    CHECK_PROBLEM(wrong, "type");
    CHECK_PROBLEM(wrong, "accessPolicy");
    char name[130];
    memset(name, 'a', 129);
    name[129] = '\0';
    json_t *body = member_body(email, NULL, false);
    json_object_set_new(body, "lastName", json_string(name));
    HTTP_ANSWER lengthy = member_call(suite, "POST", admin->access, "", "", body);
    CHECK_PROBLEM(lengthy, "lastName");
    HTTP_ANSWER ruler =
        member_call(suite, "POST", admin->access, "", "", member_body(email, "Patient", true));
    CHECK_PROBLEM(ruler, "admin");
    body = member_body(email, NULL, false);
    json_object_set_new(body, "accessPolicy", json_string("AccessPolicy/" NOBODY));
    HTTP_ANSWER policy = member_call(suite, "POST", admin->access, "", "", body);
    CHECK_PROBLEM(policy, "accessPolicy");
    CU_ASSERT_EQUAL(member_pending_count(suite, email), 0);

    HTTP_ANSWER none = http_get(suite_url(suite), MEMBER_PATH "?_count=0", admin->access);
    CHECK_PROBLEM(none, "_count");
    HTTP_ANSWER lots =
        http_get(suite_url(suite), MEMBER_PATH "?_count=101&_offset=-1", admin->access);
    CHECK_PROBLEM(lots, "_count");
    CHECK_PROBLEM(lots, "_offset");
    HTTP_ANSWER patch = member_call(suite, "PATCH", admin->access, NOBODY, "", json_object());
    CHECK_PROBLEM(patch, "admin");
    HTTP_ANSWER id = member_withdraw(suite, admin->access, "x");
    CHECK_PROBLEM(id, "id");
    HTTP_ANSWER gone = member_withdraw(suite, admin->access, NOBODY);
    CHECK_ERROR(gone, 404, "Member not found.");
    HTTP_ANSWER nobody = member_set_admin(suite, admin->access, NOBODY, true);
    CHECK_ERROR(nobody, 404, "Member not found.");
    HTTP_ANSWER again = member_resend(suite, admin->access, NOBODY);
    CHECK_ERROR(again, 404, "Member not found.");
    free(email);
}

static void a_project_must_be_ready_to_invite(void)
{
    PERSON there = person_admin_of_child(suite, "bare");
    char *email = person_address(), value[64];

    suite_set_switch(suite, there->access, "PRACTITIONER_INVITATION_ENABLED", false);
    HTTP_ANSWER disabled = member_invite(suite, there->access, email, NULL);
    CHECK_ERROR(disabled, 403, off);
    suite_set_switch(suite, there->access, "PRACTITIONER_INVITATION_ENABLED", true);
    HTTP_ANSWER unlimited = member_invite(suite, there->access, email, NULL);
    CHECK_PROBLEM(unlimited, "accessPolicy");
    HTTP_ANSWER patient = member_invite(suite, there->access, email, "Patient");
    CHECK_PROBLEM(patient, "accessPolicy");

    HTTP_ANSWER policy =
        http_post(suite_url(suite), "/v1/project/access-policies", there->access,
                  json_pack("{s:s, s:[{s:s}]}", "name", "Staff", "resource", "resourceType", "*"));
    snprintf(value, sizeof(value), "AccessPolicy/%s", http_text(policy, "id"));
    suite_set_value(suite, there->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", value);
    HTTP_ANSWER unmapped = member_invite(suite, there->access, email, NULL);
    CHECK_ERROR(unmapped, 400, "The invitation email is not configured.");
    member_map_template(suite, there->access, "PATIENT_INVITE", MEMBER_INVITATION_TEXT);
    HTTP_ANSWER other = member_invite(suite, there->access, email, NULL);
    CHECK_ERROR(other, 400, "The invitation email is not configured.");
    member_map_template(suite, there->access, "INVITE_TO_PROJECT", MEMBER_INVITATION_TEXT);
    CU_ASSERT_EQUAL(member_pending_count(suite, email),
                    0); /* without an application there is no page to link to */

    suite_set_value(suite, there->access, "PRACTITIONER_APP_URL", "https://bare.example/staff/");
    HTTP_ANSWER ready = member_invite(suite, there->access, email, NULL);
    CHECK_STATUS(ready, 200);
    struct mail_link link = suite_mail_link(suite, email, "https://bare.example/staff/invitation");
    HTTP_ANSWER pending = member_invite(suite, there->access, email, NULL);
    CHECK_ERROR(pending, 409, "This person is already invited. Resend the invitation instead.");

    /* The policy of a pending invitation cannot be deleted. With the setting disabled no email is
     * sent. */
    char path[128];
    suite_set_value(suite, there->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", "");
    snprintf(path, sizeof(path), "/v1/project/access-policies/%s", http_text(policy, "id"));
    HTTP_ANSWER used = http_delete(suite_url(suite), path, there->access);
    CHECK_ERROR(used, 409,
                "The access policy is in use. Remove it from members and settings first.");
    suite_set_switch(suite, there->access, "PRACTITIONER_INVITATION_ENABLED", false);
    HTTP_ANSWER again = member_resend(suite, there->access, http_text(ready, "id"));
    CHECK_ERROR(again, 403, off);
    HTTP_ANSWER accepted = member_accept(suite, link, MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    free(email);
}

static void an_absent_maild_is_503(void)
{
    char *email = person_address();
    pid_t before = suite_pid(suite, "maild", "1");
    bool seen = false;

    for (int i = 0; i < 50 && !seen; i++) {
        kill(suite_pid(suite, "maild", "1"), SIGKILL);
        HTTP_ANSWER answer = member_invite(suite, admin->access, email, NULL);
        seen = answer->status == 503;
        if (answer->status == 200) {
            HTTP_ANSWER gone = member_withdraw(suite, admin->access, http_text(answer, "id"));
            CHECK_STATUS(gone, 200);
            free(email);
            email = person_address();
        }
    }
    CU_ASSERT_TRUE(seen);
    CU_ASSERT_EQUAL(member_pending_count(suite, email), 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "maild", "1", before));
    free(email);
}

static void an_account_is_added_at_once(void)
{
    char id[37];
    PERSON rui = member_join(suite, admin, "Practitioner", false, id);
    PERSON there = member_equipped_child(suite, "at-once");
    size_t mails = suite_mail_count(suite, rui->email);

    HTTP_ANSWER gone = http_delete(suite_url(suite),
                                   "/v1/project/email-templates/INVITE_TO_PROJECT", there->access);
    CHECK_STATUS(gone, 204);
    HTTP_ANSWER quiet = member_invite(suite, there->access, rui->email, NULL);
    CHECK_ERROR(quiet, 400, "The invitation email is not configured.");
    member_map_template(suite, there->access, "INVITE_TO_PROJECT", MEMBER_INVITATION_TEXT);
    json_t *body = member_body(rui->email, NULL, false);
    json_object_set_new(body, "firstName", json_string("Somebody"));
    HTTP_ANSWER made = member_call(suite, "POST", there->access, "", "", body);
    CHECK_STATUS(made, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(made, "pending")));
    CU_ASSERT_STRING_EQUAL(http_text(made, "displayName"), "Rui Costa");
    CU_ASSERT_EQUAL(strlen(http_text(made, "invitedAt")), 24);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, rui->email, mails + 1));
    char *mail = suite_mail(suite, rui->email, 10000);
    CU_ASSERT_TRUE(mail && strstr(mail, "https://child.example") && !strstr(mail, "secret="));
    PERSON inside = person_sign_in(suite, "Practitioner", rui->email, MEMBER_PASSWORD, "at-once");
    CU_ASSERT_EQUAL(inside->status, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 200));
    HTTP_ANSWER twice = member_invite(suite, there->access, rui->email, NULL);
    CHECK_ERROR(twice, 409, "This person is already a member.");
    free(mail);
}

static void a_person_who_registered_meanwhile_accepts(void)
{
    char *email = person_address();
    HTTP_ANSWER made = member_invite(suite, admin->access, email, "Patient");

    CHECK_STATUS(made, 200);
    struct mail_link link = suite_mail_link(suite, email, MEMBER_PATIENT_LINK);
    PERSON patient = person_register(suite, email);
    CU_ASSERT_EQUAL(patient->status, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 200));
    HTTP_ANSWER accepted = member_accept(suite, link, MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    CU_ASSERT_EQUAL(member_count(suite, email), 1);
    CU_ASSERT_EQUAL(member_pending_count(suite, email), 0);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 3));
    char *mail = suite_mail(suite, email, 10000);
    CU_ASSERT_TRUE(mail && strstr(mail, "What changed: Password"));
    PERSON old = person_sign_in(suite, "Patient", email, patient->password, NULL);
    CU_ASSERT_EQUAL(old->status, 400);
    PERSON again = person_sign_in(suite, "Patient", email, MEMBER_PASSWORD, NULL);
    CU_ASSERT_EQUAL(again->status, 200);
    free(mail);
    free(email);
}

/* Two projects invite the same practitioner before an account exists. The second link needs that
 * account, verified for all tenants. A suspended project's link is invalid. */
static void two_projects_invite_one_person(void)
{
    PERSON there = member_equipped_child(suite, "second");
    char *email = person_address();
    HTTP_ANSWER here = member_invite(suite, admin->access, email, NULL);

    CHECK_STATUS(here, 200);
    struct mail_link one = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
    HTTP_ANSWER invited = member_invite(suite, there->access, email, NULL);
    CHECK_STATUS(invited, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(invited, "pending")));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    struct mail_link two = suite_mail_link(suite, email, "https://child.example/invitation");
    HTTP_ANSWER first = member_accept(suite, one, "the first");
    CHECK_STATUS(first, 204);
    PERSON rui = person_sign_in(suite, "Practitioner", email, "the first", NULL);
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 200));

    PROGRAM suspended = ATRIUMCTL(suite, NULL, "project", "suspend", "second");
    CU_ASSERT_EQUAL(suspended->code, 0);
    HTTP_ANSWER closed = member_accept(suite, two, MEMBER_PASSWORD);
    CHECK_ERROR(closed, 400, MEMBER_BAD_LINK);
    PROGRAM resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "second", "--resume");
    CU_ASSERT_EQUAL(resumed->code, 0);
    HTTP_ANSWER password = member_accept(suite, two, MEMBER_PASSWORD);
    CHECK_STATUS(password, 409);
    HTTP_ANSWER early = suite_post_link(suite, "/auth/invitation/accept", &two, rui->access, NULL);
    CHECK_STATUS(early, 403);
    CU_ASSERT_STRING_EQUAL(http_text(early, "code"), "EMAIL_NOT_VERIFIED");
    CU_ASSERT_EQUAL(member_count(suite, email), 1);
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 200));
    member_verify_for_all(suite, email, "the owner's");
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 401));
    PERSON owner = person_sign_in(suite, "Practitioner", email, "the owner's", "demo");
    HTTP_ANSWER second =
        suite_post_link(suite, "/auth/invitation/accept", &two, owner->access, NULL);
    CHECK_STATUS(second, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, owner->access, 200));
    PERSON both = person_sign_in(suite, "Practitioner", email, "the owner's", "second");
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", both->access);
    CU_ASSERT_STRING_EQUAL(http_text(me, "membership.id"), http_text(invited, "id"));
    CU_ASSERT_EQUAL(member_count(suite, email), 2);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.account where email = '%s'", email), 1);
    free(email);
}

/* A practitioner who registered after the invitation, which is for an admin, is an admin from the
 * next request on. */
static void an_admin_who_registered_meanwhile(void)
{
    char *email = person_address();
    HTTP_ANSWER made =
        member_call(suite, "POST", admin->access, "", "", member_body(email, NULL, true));

    CHECK_STATUS(made, 200);
    struct mail_link link = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    HTTP_ANSWER registered =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/register", body_register(email, "demo"));
    CHECK_STATUS(registered, 200);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(registered, "accessToken"), 200));
    HTTP_ANSWER accepted = member_accept(suite, link, MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    PERSON rui = person_sign_in(suite, "Practitioner", email, MEMBER_PASSWORD, NULL);
    HTTP_ANSWER list = http_get(suite_url(suite), MEMBER_PATH, rui->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(member_count(suite, email), 1);
    free(email);
}

static void resending_kills_the_older_link(void)
{
    char *email = person_address(), id[37];
    HTTP_ANSWER made = member_invite(suite, admin->access, email, NULL);
    struct mail_link first = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
    HTTP_ANSWER again = member_resend(suite, admin->access, http_text(made, "id"));

    CHECK_STATUS(again, 200);
    CU_ASSERT_TRUE(json_equal(made->json, again->json));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    struct mail_link second = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
    CU_ASSERT_STRING_EQUAL(first.id, second.id);
    HTTP_ANSWER old = member_accept(suite, first, "x");
    CHECK_ERROR(old, 400, MEMBER_BAD_LINK);
    HTTP_ANSWER accepted = member_accept(suite, second, MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    PERSON rui = person_sign_in(suite, "Practitioner", email, MEMBER_PASSWORD, NULL);
    HTTP_ANSWER list = http_get(suite_url(suite), MEMBER_PATH, rui->access);
    CHECK_STATUS(list, 403); /* a resent invitation makes no admin */
    HTTP_ANSWER late = member_resend(suite, admin->access, http_text(made, "id"));
    CHECK_ERROR(late, 409, "This member has no pending invitation.");
    PERSON patient = member_join(suite, admin, "Patient", false, id);
    CU_ASSERT_PTR_NOT_NULL(patient->access);
    HTTP_ANSWER member = member_resend(suite, admin->access, id);
    CHECK_ERROR(member, 409, "This member has no pending invitation.");
    free(email);
}

static void withdrawing_kills_the_link(void)
{
    char *email = person_address();
    HTTP_ANSWER made = member_invite(suite, admin->access, email, NULL);
    struct mail_link link = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
    HTTP_ANSWER gone = member_withdraw(suite, admin->access, http_text(made, "id"));

    CHECK_STATUS(gone, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(gone, "ok")));
    HTTP_ANSWER late = member_accept(suite, link, "x");
    CHECK_ERROR(late, 400, MEMBER_BAD_LINK);
    CU_ASSERT_PTR_NULL(member_listed(suite, admin->access, email));
    HTTP_ANSWER twice = member_withdraw(suite, admin->access, http_text(made, "id"));
    CHECK_ERROR(twice, 404, "Member not found.");
    HTTP_ANSWER anew = member_invite(suite, admin->access, email, NULL);
    CHECK_STATUS(anew, 200);
    CU_ASSERT_STRING_NOT_EQUAL(http_text(anew, "id"), http_text(made, "id"));
    free(email);
}

static void links_live_a_week_invitations_longer(void)
{
    char *in_time = person_address(), *late = person_address(), *forgotten = person_address();
    HTTP_ANSWER one = member_invite(suite, admin->access, in_time, NULL);
    HTTP_ANSWER two = member_invite(suite, admin->access, late, NULL);
    HTTP_ANSWER three = member_invite(suite, admin->access, forgotten, NULL);
    struct mail_link good = suite_mail_link(suite, in_time, MEMBER_PRACTITIONER_LINK);
    struct mail_link expired = suite_mail_link(suite, late, MEMBER_PRACTITIONER_LINK);

    CHECK_STATUS(one, 200);
    CHECK_STATUS(three, 200);
    suite_set_clock(suite, 7 * DAY - 30);
    HTTP_ANSWER accepted = member_accept(suite, good, MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    suite_set_clock(suite, 7 * DAY + 30);
    HTTP_ANSWER over = member_accept(suite, expired, MEMBER_PASSWORD);
    CHECK_ERROR(over, 400, MEMBER_BAD_LINK);
    PERSON now = person_admin(suite);
    json_t *entry = member_listed(suite, now->access, late);
    CU_ASSERT_TRUE(json_is_true(json_object_get(entry, "pending")));
    CU_ASSERT_STRING_EQUAL(member_text(entry, "invitedAt"), http_text(two, "invitedAt"));
    HTTP_ANSWER again = member_resend(suite, now->access, http_text(two, "id"));
    CHECK_STATUS(again, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, late, 2));
    HTTP_ANSWER revived = member_accept(
        suite, suite_mail_link(suite, late, MEMBER_PRACTITIONER_LINK), MEMBER_PASSWORD);
    CHECK_STATUS(revived, 204);

    /* The sweep runs every minute of real time, and at the start. */
    suite_set_clock(suite, 98 * DAY);
    pid_t pid = suite_pid(suite, "authd", "1");
    kill(pid, SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", pid));
    for (int i = 0; i < 700 && member_pending_count(suite, forgotten) > 0; i++)
        usleep(100000);
    CU_ASSERT_EQUAL(member_pending_count(suite, forgotten), 0);
    suite_set_clock(suite, 0);
    json_decref(entry);
    free(in_time);
    free(late);
    free(forgotten);
}

static void mails_to_an_address_are_limited(void)
{
    char *email = person_address();
    HTTP_ANSWER made = member_invite(suite, admin->access, email, NULL);

    for (int i = 1; i < 10; i++) {
        HTTP_ANSWER answer = member_resend(suite, admin->access, http_text(made, "id"));
        CHECK_STATUS(answer, 200);
        /* wait: two emails can overtake each other, and only the newest link is valid */
        CU_ASSERT_TRUE(suite_mails_arrive(suite, email, (size_t)i + 1));
    }
    HTTP_ANSWER over = member_resend(suite, admin->access, http_text(made, "id"));
    CHECK_STATUS(over, 429);
    char *retry = http_header(over, "Retry-After");
    CU_ASSERT_PTR_NOT_NULL(retry);
    HTTP_ANSWER accepted = member_accept(
        suite, suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK), MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    free(retry);
    free(email);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_practitioner_is_invited_and_accepts), CASE(a_patient_is_invited_and_accepts),
    CASE(an_invitation_brings_what_was_said),    CASE(wrong_inputs_are_refused),
    CASE(a_project_must_be_ready_to_invite),     CASE(an_absent_maild_is_503),
    CASE(an_account_is_added_at_once),           CASE(a_person_who_registered_meanwhile_accepts),
    CASE(two_projects_invite_one_person),        CASE(an_admin_who_registered_meanwhile),
    CASE(resending_kills_the_older_link),        CASE(withdrawing_kills_the_link),
    CASE(mails_to_an_address_are_limited),       CASE(links_live_a_week_invitations_longer),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    return unit_run("invitations", cases, ARRAY_SIZE(cases));
}
