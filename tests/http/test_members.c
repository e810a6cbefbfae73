/*
 * test_members.c - inviting people to a project, accepting, and who is a member: the mails and
 * their links, each refusal, tokens of removed members, races and kills. Over two gateways and two
 * authd.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define MEMBERS "/v1/projects/me/members"
#define SET "/auth/set-password"
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
#define CLINIC "https://practitioner.demo.example/invitation"
#define PATIENTS "https://patient.demo.example/invitation"

enum { DAY = 86400 };

static const char bad_link[] = "The link is invalid or has expired.";
static const char off[] = "Invitations are not enabled for this project.";
static const char last_admin[] = "The project needs an admin: this is the last one.";
static const char invitation_text[] = "{{inviterName}} {{invitationUrl}}";
static const char chosen[] = "chosen by the invited";

static struct suite *suite;
static struct person *admin;

/* ---- asking ---- */

static struct http_answer *call(const char *method, const char *access, const char *id,
                                const char *rest, json_t *body)
{
    char path[160];

    snprintf(path, sizeof(path), MEMBERS "%s%s%s", *id ? "/" : "", id, rest);
    return http_call(
        suite_url(suite),
        &(struct http_request){.method = method, .path = path, .bearer = access, .body = body});
}

static json_t *body_of(const char *email, const char *type, bool as_admin)
{
    return json_pack("{s:s, s:s, s:s, s:s*, s:b}", "email", email, "firstName", "Rui", "lastName",
                     "Costa", "type", type, "admin", as_admin);
}

static struct http_answer *invite(const char *access, const char *email, const char *type)
{
    return call("POST", access, "", "", body_of(email, type, false));
}

static struct http_answer *withdraw(const char *access, const char *id)
{
    return call("DELETE", access, id, "", NULL);
}

static struct http_answer *resend(const char *access, const char *id)
{
    return call("POST", access, id, "/resend", NULL);
}

static struct http_answer *set_admin(const char *access, const char *id, bool value)
{
    return call("PATCH", access, id, "", json_pack("{s:b}", "admin", value));
}

static json_t *body_accept(struct mail_link link, const char *password)
{
    return json_pack("{s:s, s:s, s:s}", "id", link.id, "secret", link.secret, "password", password);
}

static struct http_answer *accept_by(struct mail_link link, const char *password)
{
    return suite_post_fresh(suite, SET, body_accept(link, password));
}

/* What a query yields that ends with the value in quotes. */
static long number(const char *query, const char *value)
{
    char *sql = NULL, *text;
    long result;

    if (asprintf(&sql, "%s'%s'", query, value) < 0)
        abort();
    text = suite_query(suite, sql);
    result = strtol(text, NULL, 10);
    free(text);
    free(sql);
    return result;
}

static long pending_of(const char *email)
{
    return number("select count(*) from auth.invitation where email = ", email);
}

static long memberships_of(const char *email)
{
    return number(
        "select count(*) from auth.membership m join auth.account a on a.id = m.account_id "
        "where a.email = ",
        email);
}

/* The entry of an e-mail in the list of members, over all pages; NULL. New reference. */
static json_t *listed(const char *access, const char *email)
{
    for (int offset = 0;; offset += 100) {
        char path[96];
        json_t *each;
        size_t i;

        snprintf(path, sizeof(path), MEMBERS "?_count=100&_offset=%d", offset);
        HTTP_ANSWER list = http_get(suite_url(suite), path, access);
        if (!CHECK_STATUS(list, 200) || json_array_size(http_member(list, "resources")) == 0)
            return NULL;
        json_array_foreach(http_member(list, "resources"), i, each)
        {
            if (strcmp(json_string_value(json_object_get(each, "email")), email) == 0)
                return json_incref(each);
        }
    }
}

static const char *text(const json_t *entry, const char *name)
{
    const char *value = json_string_value(json_object_get(entry, name));

    return value ? value : "";
}

/* A person who was invited and has accepted, signed in to the demo tenant; *ret_id is the
 * membership. */
static struct person *join(const char *type, bool as_admin, char ret_id[static 37])
{
    char *email = person_address();
    HTTP_ANSWER made = call("POST", admin->access, "", "", body_of(email, type, as_admin));
    struct mail_link link = {"", ""};
    struct person *self;

    if (CHECK_STATUS(made, 200))
        link = suite_mail_link(suite, email, strcmp(type, "Patient") == 0 ? PATIENTS : CLINIC);
    HTTP_ANSWER accepted = accept_by(link, chosen);
    CHECK_STATUS(accepted, 204);
    self = person_sign_in(suite, type, email, chosen, NULL);
    CU_ASSERT_EQUAL(self->status, 200);
    snprintf(ret_id, 37, "%s", http_text(made, "id"));
    free(email);
    return self;
}

static int refresh_status(const char *token)
{
    HTTP_ANSWER answer = http_post(suite_url(suite), "/auth/refresh-token", NULL,
                                   json_pack("{s:s}", "refresh_token", token));

    return answer->status;
}

static void map_template(const char *access, const char *name, const char *body)
{
    char path[128];

    snprintf(path, sizeof(path), "/v1/project/email-templates/%s", name);
    HTTP_ANSWER answer = http_put(suite_url(suite), path, access,
                                  json_pack("{s:s, s:s}", "subject", "Hi", "text", body));
    CHECK_STATUS(answer, 200);
}

/* A child project that can invite practitioners. */
static struct person *equipped_child(const char *code)
{
    struct person *self = person_admin_of_child(suite, code);
    char value[64];

    HTTP_ANSWER policy =
        http_post(suite_url(suite), "/v1/project/access-policies", self->access,
                  json_pack("{s:s, s:[{s:s}]}", "name", "Staff", "resource", "resourceType", "*"));
    CHECK_STATUS(policy, 200);
    snprintf(value, sizeof(value), "AccessPolicy/%s", http_text(policy, "id"));
    suite_set_value(suite, self->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", value);
    suite_set_value(suite, self->access, "PRACTITIONER_APP_URL", "https://child.example");
    map_template(self->access, "INVITE_TO_PROJECT", invitation_text);
    return self;
}

/* ---- inviting and accepting ---- */

static void a_practitioner_is_invited_and_accepts(void)
{
    char *email = person_address();
    HTTP_ANSWER made = invite(admin->access, email, NULL);

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

    json_t *before = listed(admin->access, email);
    CU_ASSERT_TRUE(json_equal(before, made->json));
    char *mail = suite_mail(suite, email, 10000);
    CU_ASSERT_PTR_NOT_NULL(mail);
    CU_ASSERT_TRUE(mail && strstr(mail, "would like you to join"));
    struct mail_link link = suite_mail_link(suite, email, CLINIC);
    CU_ASSERT_STRING_EQUAL(link.id, http_text(made, "id"));

    /* There is no account yet; a scanner that follows links spends nothing. */
    PERSON early = person_sign_in(suite, "Practitioner", email, chosen, NULL);
    CU_ASSERT_EQUAL(early->status, 400);
    HTTP_ANSWER get = http_get(suite_url(suite), SET, NULL);
    CHECK_STATUS(get, 405);
    HTTP_ANSWER secret = suite_post_fresh(suite, SET,
                                          json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                    "wrong", "password", "x"));
    CHECK_ERROR(secret, 400, bad_link);
    HTTP_ANSWER id = suite_post_fresh(suite, SET,
                                      json_pack("{s:s, s:s, s:s}", "id", NOBODY, "secret",
                                                link.secret, "password", "x"));
    CHECK_ERROR(id, 400, bad_link);

    HTTP_ANSWER accepted = accept_by(link, chosen);
    CHECK_STATUS(accepted, 204);
    HTTP_ANSWER again = accept_by(link, "another");
    CHECK_ERROR(again, 400, bad_link);
    PERSON rui = person_sign_in(suite, "Practitioner", email, chosen, NULL);
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
    json_t *after = listed(admin->access, email);
    CU_ASSERT_TRUE(json_equal(before, after));
    CU_ASSERT_EQUAL(suite_mail_count(suite, email), 1); /* a first password is no change */
    json_decref(after);
    json_decref(before);
    free(mail);
    free(email);
}

static void a_patient_is_invited_and_accepts(void)
{
    char id[37];
    PERSON patient = join("Patient", false, id);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);

    CU_ASSERT_STRING_EQUAL(http_text(me, "profile.resourceType"), "Patient");
    CU_ASSERT_STRING_EQUAL(http_text(me, "membership.id"), id);
    CU_ASSERT_STRING_EQUAL(http_text(me, "accessPolicy.id"),
                           suite_text(suite, "demo.patientAccessPolicy") + strlen("AccessPolicy/"));

    /* The same person may be invited as a practitioner, too. */
    HTTP_ANSWER both = invite(admin->access, patient->email, "Practitioner");
    CHECK_STATUS(both, 200);
    HTTP_ANSWER twice = invite(admin->access, patient->email, "Patient");
    CHECK_ERROR(twice, 409, "This person is a member already.");
}

/* An address with capitals is the same one; a policy of one's own is kept. */
static void an_invitation_brings_what_was_said(void)
{
    char *email = person_address(), upper[128], *domain;
    json_t *body = body_of(email, "Practitioner", true);

    snprintf(upper, sizeof(upper), "  %s ", email);
    for (domain = upper; *domain; domain++)
        *domain = *domain >= 'a' && *domain <= 'z' ? (char)(*domain - 32) : *domain;
    json_object_set_new(body, "email", json_string(upper));
    json_object_set_new(body, "accessPolicy",
                        json_string(suite_text(suite, "demo.patientAccessPolicy")));
    HTTP_ANSWER made = call("POST", admin->access, "", "", body);
    CHECK_STATUS(made, 200);
    CU_ASSERT_STRING_EQUAL(http_text(made, "email"), email);
    CU_ASSERT_TRUE(json_is_true(http_member(made, "admin")));
    struct mail_link link = suite_mail_link(suite, email, CLINIC);
    HTTP_ANSWER accepted = accept_by(link, chosen);
    CHECK_STATUS(accepted, 204);
    PERSON rui = person_sign_in(suite, "Practitioner", email, chosen, NULL);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", rui->access);
    CU_ASSERT_TRUE(json_is_true(http_member(me, "membership.admin")));
    CU_ASSERT_STRING_EQUAL(http_text(me, "accessPolicy.id"),
                           suite_text(suite, "demo.patientAccessPolicy") + strlen("AccessPolicy/"));
    HTTP_ANSWER list = http_get(suite_url(suite), MEMBERS, rui->access);
    CHECK_STATUS(list, 200);
    free(email);
}

static void wrong_inputs_are_refused(void)
{
    char *email = person_address();
    HTTP_ANSWER empty = call("POST", admin->access, "", "", json_object());

    CHECK_PROBLEM(empty, "email");
    CHECK_PROBLEM(empty, "firstName");
    CHECK_PROBLEM(empty, "lastName");
    json_t *many = json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", "x", "firstName", "", "lastName",
                             "x", "type", "Robot", "accessPolicy", NOBODY);
    HTTP_ANSWER wrong = call("POST", admin->access, "", "", many);
    CHECK_PROBLEM(wrong, "email");
    CHECK_PROBLEM(wrong, "firstName");
    CHECK_PROBLEM(wrong, "type");
    CHECK_PROBLEM(wrong, "accessPolicy");
    char name[130];
    memset(name, 'a', 129);
    name[129] = '\0';
    json_t *body = body_of(email, NULL, false);
    json_object_set_new(body, "lastName", json_string(name));
    HTTP_ANSWER lengthy = call("POST", admin->access, "", "", body);
    CHECK_PROBLEM(lengthy, "lastName");
    HTTP_ANSWER ruler = call("POST", admin->access, "", "", body_of(email, "Patient", true));
    CHECK_PROBLEM(ruler, "admin");
    body = body_of(email, NULL, false);
    json_object_set_new(body, "accessPolicy", json_string("AccessPolicy/" NOBODY));
    HTTP_ANSWER policy = call("POST", admin->access, "", "", body);
    CHECK_PROBLEM(policy, "accessPolicy");
    CU_ASSERT_EQUAL(pending_of(email), 0);

    HTTP_ANSWER none = http_get(suite_url(suite), MEMBERS "?_count=0", admin->access);
    CHECK_PROBLEM(none, "_count");
    HTTP_ANSWER lots = http_get(suite_url(suite), MEMBERS "?_count=101&_offset=-1", admin->access);
    CHECK_PROBLEM(lots, "_count");
    CHECK_PROBLEM(lots, "_offset");
    HTTP_ANSWER patch = call("PATCH", admin->access, NOBODY, "", json_object());
    CHECK_PROBLEM(patch, "admin");
    HTTP_ANSWER id = withdraw(admin->access, "x");
    CHECK_PROBLEM(id, "id");
    HTTP_ANSWER gone = withdraw(admin->access, NOBODY);
    CHECK_ERROR(gone, 404, "Member not found.");
    HTTP_ANSWER nobody = set_admin(admin->access, NOBODY, true);
    CHECK_ERROR(nobody, 404, "Member not found.");
    HTTP_ANSWER again = resend(admin->access, NOBODY);
    CHECK_ERROR(again, 404, "Member not found.");
    free(email);
}

/* What is missing is said in this order, and nothing is written before all is there. */
static void a_project_must_be_ready_to_invite(void)
{
    PERSON there = person_admin_of_child(suite, "bare");
    char *email = person_address(), value[64];

    suite_set_switch(suite, there->access, "PRACTITIONER_INVITATION_ENABLED", false);
    HTTP_ANSWER disabled = invite(there->access, email, NULL);
    CHECK_ERROR(disabled, 403, off);
    suite_set_switch(suite, there->access, "PRACTITIONER_INVITATION_ENABLED", true);
    HTTP_ANSWER unlimited = invite(there->access, email, NULL);
    CHECK_PROBLEM(unlimited, "accessPolicy");
    HTTP_ANSWER patient = invite(there->access, email, "Patient");
    CHECK_PROBLEM(patient, "accessPolicy");

    HTTP_ANSWER policy =
        http_post(suite_url(suite), "/v1/project/access-policies", there->access,
                  json_pack("{s:s, s:[{s:s}]}", "name", "Staff", "resource", "resourceType", "*"));
    snprintf(value, sizeof(value), "AccessPolicy/%s", http_text(policy, "id"));
    suite_set_value(suite, there->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", value);
    HTTP_ANSWER unmapped = invite(there->access, email, NULL);
    CHECK_ERROR(unmapped, 400, "The invitation email is not configured.");
    map_template(there->access, "PATIENT_INVITE", invitation_text);
    HTTP_ANSWER other = invite(there->access, email, NULL);
    CHECK_ERROR(other, 400, "The invitation email is not configured.");
    map_template(there->access, "INVITE_TO_PROJECT", invitation_text);
    CU_ASSERT_EQUAL(pending_of(email), 0); /* without an application: test_page_links */

    suite_set_value(suite, there->access, "PRACTITIONER_APP_URL", "https://bare.example/staff/");
    HTTP_ANSWER ready = invite(there->access, email, NULL);
    CHECK_STATUS(ready, 200);
    struct mail_link link = suite_mail_link(suite, email, "https://bare.example/staff/invitation");
    HTTP_ANSWER pending = invite(there->access, email, NULL);
    CHECK_ERROR(pending, 409, "This person is invited already. Send the invitation again instead.");

    /* What it will have may not be taken away meanwhile, and a switch that is off stops the
     * mail. */
    char path[128];
    suite_set_value(suite, there->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", "");
    snprintf(path, sizeof(path), "/v1/project/access-policies/%s", http_text(policy, "id"));
    HTTP_ANSWER used = http_delete(suite_url(suite), path, there->access);
    CHECK_ERROR(used, 409, "The access policy is in use.");
    suite_set_switch(suite, there->access, "PRACTITIONER_INVITATION_ENABLED", false);
    HTTP_ANSWER again = resend(there->access, http_text(ready, "id"));
    CHECK_ERROR(again, 403, off);
    HTTP_ANSWER accepted = accept_by(link, chosen);
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
        HTTP_ANSWER answer = invite(admin->access, email, NULL);
        seen = answer->status == 503;
        if (answer->status == 200) {
            HTTP_ANSWER gone = withdraw(admin->access, http_text(answer, "id"));
            CHECK_STATUS(gone, 200);
            free(email);
            email = person_address();
        }
    }
    CU_ASSERT_TRUE(seen);
    CU_ASSERT_EQUAL(pending_of(email), 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "maild", "1", before));
    free(email);
}

/* A practitioner who has proven the address in this organisation becomes a member at once, and is
 * mailed. */
static void an_account_is_added_at_once(void)
{
    char id[37];
    PERSON rui = join("Practitioner", false, id);
    PERSON there = equipped_child("at-once");
    size_t mails = suite_mail_count(suite, rui->email);

    HTTP_ANSWER gone = http_delete(suite_url(suite),
                                   "/v1/project/email-templates/INVITE_TO_PROJECT", there->access);
    CHECK_STATUS(gone, 204);
    HTTP_ANSWER quiet = invite(there->access, rui->email, NULL);
    CHECK_ERROR(quiet, 400, "The invitation email is not configured.");
    map_template(there->access, "INVITE_TO_PROJECT", invitation_text);
    json_t *body = body_of(rui->email, NULL, false);
    json_object_set_new(body, "firstName", json_string("Somebody"));
    HTTP_ANSWER made = call("POST", there->access, "", "", body);
    CHECK_STATUS(made, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(made, "pending")));
    CU_ASSERT_STRING_EQUAL(http_text(made, "displayName"), "Rui Costa");
    CU_ASSERT_EQUAL(strlen(http_text(made, "invitedAt")), 24);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, rui->email, mails + 1));
    char *mail = suite_mail(suite, rui->email, 10000);
    CU_ASSERT_TRUE(mail && strstr(mail, "https://child.example") && !strstr(mail, "secret="));
    PERSON inside = person_sign_in(suite, "Practitioner", rui->email, chosen, "at-once");
    CU_ASSERT_EQUAL(inside->status, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 200));
    HTTP_ANSWER twice = invite(there->access, rui->email, NULL);
    CHECK_ERROR(twice, 409, "This person is a member already.");
    free(mail);
}

/* Who registered while the invitation was on its way completes it all the same: one membership, the
 * new password. */
static void a_person_who_registered_meanwhile_accepts(void)
{
    char *email = person_address();
    HTTP_ANSWER made = invite(admin->access, email, "Patient");

    CHECK_STATUS(made, 200);
    struct mail_link link = suite_mail_link(suite, email, PATIENTS);
    PERSON patient = person_register(suite, email);
    CU_ASSERT_EQUAL(patient->status, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 200));
    HTTP_ANSWER accepted = accept_by(link, chosen);
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    CU_ASSERT_EQUAL(memberships_of(email), 1);
    CU_ASSERT_EQUAL(pending_of(email), 0);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 3));
    char *mail = suite_mail(suite, email, 10000);
    CU_ASSERT_TRUE(mail && strstr(mail, "changed: Password"));
    PERSON old = person_sign_in(suite, "Patient", email, patient->password, NULL);
    CU_ASSERT_EQUAL(old->status, 400);
    PERSON again = person_sign_in(suite, "Patient", email, chosen, NULL);
    CU_ASSERT_EQUAL(again->status, 200);
    free(mail);
    free(email);
}

/* Two projects invite the same practitioner before there is an account: the second link is accepted
 * with the account that the first has made, which stays as it is. A suspended project's link is
 * none. */
static void two_projects_invite_one_person(void)
{
    PERSON there = equipped_child("second");
    char *email = person_address();
    HTTP_ANSWER here = invite(admin->access, email, NULL);

    CHECK_STATUS(here, 200);
    struct mail_link one = suite_mail_link(suite, email, CLINIC);
    HTTP_ANSWER invited = invite(there->access, email, NULL);
    CHECK_STATUS(invited, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(invited, "pending")));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    struct mail_link two = suite_mail_link(suite, email, "https://child.example/invitation");
    HTTP_ANSWER first = accept_by(one, "the first");
    CHECK_STATUS(first, 204);
    PERSON rui = person_sign_in(suite, "Practitioner", email, "the first", NULL);
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 200));

    PROGRAM suspended = ATRIUMCTL(suite, NULL, "project", "suspend", "second");
    CU_ASSERT_EQUAL(suspended->code, 0);
    HTTP_ANSWER closed = accept_by(two, chosen);
    CHECK_ERROR(closed, 400, bad_link);
    PROGRAM resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "second", "--resume");
    CU_ASSERT_EQUAL(resumed->code, 0);
    HTTP_ANSWER password = accept_by(two, chosen);
    CHECK_STATUS(password, 409);
    HTTP_ANSWER second = http_post(suite_url(suite), "/auth/invitation/accept", rui->access,
                                   json_pack("{s:s, s:s}", "id", two.id, "secret", two.secret));
    CHECK_STATUS(second, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 200));
    PERSON both = person_sign_in(suite, "Practitioner", email, "the first", "second");
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", both->access);
    CU_ASSERT_STRING_EQUAL(http_text(me, "membership.id"), http_text(invited, "id"));
    CU_ASSERT_EQUAL(memberships_of(email), 2);
    CU_ASSERT_EQUAL(number("select count(*) from auth.account where email = ", email), 1);
    free(email);
}

/* A practitioner who registered in the project meanwhile, invited as its admin, is one from the
 * next request on. */
static void an_admin_who_registered_meanwhile(void)
{
    char *email = person_address();
    HTTP_ANSWER made = call("POST", admin->access, "", "", body_of(email, NULL, true));

    CHECK_STATUS(made, 200);
    struct mail_link link = suite_mail_link(suite, email, CLINIC);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    HTTP_ANSWER registered =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/register", body_register(email, "demo"));
    CHECK_STATUS(registered, 200);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(registered, "accessToken"), 200));
    HTTP_ANSWER accepted = accept_by(link, chosen);
    CHECK_STATUS(accepted, 204);
    PERSON rui = person_sign_in(suite, "Practitioner", email, chosen, NULL);
    HTTP_ANSWER list = http_get(suite_url(suite), MEMBERS, rui->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(memberships_of(email), 1);
    free(email);
}

/* ---- pending ones ---- */

static void resending_kills_the_older_link(void)
{
    char *email = person_address(), id[37];
    HTTP_ANSWER made = invite(admin->access, email, NULL);
    struct mail_link first = suite_mail_link(suite, email, CLINIC);
    HTTP_ANSWER again = resend(admin->access, http_text(made, "id"));

    CHECK_STATUS(again, 200);
    CU_ASSERT_TRUE(json_equal(made->json, again->json));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    struct mail_link second = suite_mail_link(suite, email, CLINIC);
    CU_ASSERT_STRING_EQUAL(first.id, second.id);
    HTTP_ANSWER old = accept_by(first, "x");
    CHECK_ERROR(old, 400, bad_link);
    HTTP_ANSWER accepted = accept_by(second, chosen);
    CHECK_STATUS(accepted, 204);
    PERSON rui = person_sign_in(suite, "Practitioner", email, chosen, NULL);
    HTTP_ANSWER list = http_get(suite_url(suite), MEMBERS, rui->access);
    CHECK_STATUS(list, 403); /* no admin by being invited twice */
    HTTP_ANSWER late = resend(admin->access, http_text(made, "id"));
    CHECK_ERROR(late, 409, "The member has no pending invitation.");
    PERSON patient = join("Patient", false, id);
    CU_ASSERT_PTR_NOT_NULL(patient->access);
    HTTP_ANSWER member = resend(admin->access, id);
    CHECK_ERROR(member, 409, "The member has no pending invitation.");
    free(email);
}

static void withdrawing_kills_the_link(void)
{
    char *email = person_address();
    HTTP_ANSWER made = invite(admin->access, email, NULL);
    struct mail_link link = suite_mail_link(suite, email, CLINIC);
    HTTP_ANSWER gone = withdraw(admin->access, http_text(made, "id"));

    CHECK_STATUS(gone, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(gone, "ok")));
    HTTP_ANSWER late = accept_by(link, "x");
    CHECK_ERROR(late, 400, bad_link);
    CU_ASSERT_PTR_NULL(listed(admin->access, email));
    HTTP_ANSWER twice = withdraw(admin->access, http_text(made, "id"));
    CHECK_ERROR(twice, 404, "Member not found.");
    HTTP_ANSWER anew = invite(admin->access, email, NULL);
    CHECK_STATUS(anew, 200);
    CU_ASSERT_STRING_NOT_EQUAL(http_text(anew, "id"), http_text(made, "id"));
    free(email);
}

static void links_live_a_week_invitations_longer(void)
{
    char *in_time = person_address(), *late = person_address(), *forgotten = person_address();
    HTTP_ANSWER one = invite(admin->access, in_time, NULL);
    HTTP_ANSWER two = invite(admin->access, late, NULL);
    HTTP_ANSWER three = invite(admin->access, forgotten, NULL);
    struct mail_link good = suite_mail_link(suite, in_time, CLINIC);
    struct mail_link expired = suite_mail_link(suite, late, CLINIC);

    CHECK_STATUS(one, 200);
    CHECK_STATUS(three, 200);
    suite_set_clock(suite, 7 * DAY - 30);
    HTTP_ANSWER accepted = accept_by(good, chosen);
    CHECK_STATUS(accepted, 204);
    suite_set_clock(suite, 7 * DAY + 30);
    HTTP_ANSWER over = accept_by(expired, chosen);
    CHECK_ERROR(over, 400, bad_link);
    PERSON now = person_admin(suite);
    json_t *entry = listed(now->access, late);
    CU_ASSERT_TRUE(json_is_true(json_object_get(entry, "pending")));
    CU_ASSERT_STRING_EQUAL(text(entry, "invitedAt"), http_text(two, "invitedAt"));
    HTTP_ANSWER again = resend(now->access, http_text(two, "id"));
    CHECK_STATUS(again, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, late, 2));
    HTTP_ANSWER revived = accept_by(suite_mail_link(suite, late, CLINIC), chosen);
    CHECK_STATUS(revived, 204);

    /* The sweep comes every minute of real time, and at the start. */
    suite_set_clock(suite, 98 * DAY);
    pid_t pid = suite_pid(suite, "authd", "1");
    kill(pid, SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", pid));
    for (int i = 0; i < 700 && pending_of(forgotten) > 0; i++)
        usleep(100000);
    CU_ASSERT_EQUAL(pending_of(forgotten), 0);
    suite_set_clock(suite, 0);
    json_decref(entry);
    free(in_time);
    free(late);
    free(forgotten);
}

static void mails_to_an_address_are_limited(void)
{
    char *email = person_address();
    HTTP_ANSWER made = invite(admin->access, email, NULL);

    for (int i = 1; i < 10; i++) {
        HTTP_ANSWER answer = resend(admin->access, http_text(made, "id"));
        CHECK_STATUS(answer, 200);
        /* the link of the newest is good, and two mails may overtake each other */
        CU_ASSERT_TRUE(suite_mails_arrive(suite, email, (size_t)i + 1));
    }
    HTTP_ANSWER over = resend(admin->access, http_text(made, "id"));
    CHECK_STATUS(over, 429);
    char *retry = http_header(over, "Retry-After");
    CU_ASSERT_PTR_NOT_NULL(retry);
    HTTP_ANSWER accepted = accept_by(suite_mail_link(suite, email, CLINIC), chosen);
    CHECK_STATUS(accepted, 204);
    free(retry);
    free(email);
}

/* ---- the list ---- */

static void members_are_listed_by_pages(void)
{
    PERSON there = equipped_child("pages");
    char id[37];
    PERSON rui = join("Practitioner", false, id);
    const char *emails[] = {there->email, rui->email, "a@pages.example", "b@pages.example"};

    for (size_t i = 1; i < ARRAY_SIZE(emails); i++) {
        HTTP_ANSWER made = invite(there->access, emails[i], NULL);
        CHECK_STATUS(made, 200);
    }
    for (int i = 0; i < 5; i++) {
        char path[96];

        snprintf(path, sizeof(path), MEMBERS "?_count=1&_offset=%d", i);
        HTTP_ANSWER page = http_get(suite_url(suite), path, there->access);
        CHECK_STATUS(page, 200);
        CU_ASSERT_EQUAL(json_integer_value(http_member(page, "total")), 4);
        CU_ASSERT_EQUAL(json_array_size(http_member(page, "resources")), i < 4 ? 1 : 0);
        if (i < 4)
            CU_ASSERT_STRING_EQUAL(http_text(page, "resources.0.email"), emails[i]);
    }
    HTTP_ANSWER all = http_get(suite_url(suite), MEMBERS, there->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(all, "resources")), 4);
    CU_ASSERT_TRUE(json_is_null(http_member(all, "resources.0.invitedAt")));
    CU_ASSERT_TRUE(json_is_true(http_member(all, "resources.0.admin")));
}

/* An admin's reach ends with the project. */
static void another_project_is_out_of_reach(void)
{
    PERSON there = equipped_child("elsewhere");
    char id[37], *email = person_address();
    PERSON rui = join("Practitioner", false, id);
    HTTP_ANSWER made = invite(admin->access, email, NULL);
    const char *ids[] = {id, http_text(made, "id")};

    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        HTTP_ANSWER gone = withdraw(there->access, ids[i]);
        CHECK_ERROR(gone, 404, "Member not found.");
        HTTP_ANSWER changed = set_admin(there->access, ids[i], true);
        CHECK_ERROR(changed, 404, "Member not found.");
        HTTP_ANSWER again = resend(there->access, ids[i]);
        CHECK_ERROR(again, 404, "Member not found.");
    }
    CU_ASSERT_PTR_NULL(listed(there->access, rui->email));
    CU_ASSERT_PTR_NULL(listed(there->access, email));
    HTTP_ANSWER list = http_get(suite_url(suite), MEMBERS, rui->access);
    CHECK_STATUS(list, 403);
    free(email);
}

/* ---- admins ---- */

static bool administers(const char *access, bool want)
{
    enum { MANY = 24 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int count = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.path = MEMBERS, .bearer = access};
    http_call_many(suite_url(suite), requests, MANY, 8, answers);
    for (int i = 0; i < MANY; i++)
        count += answers[i]->status == (want ? 200 : 403);
    http_answers_destroy(answers, MANY);
    return count == MANY;
}

static void admin_is_given_and_taken(void)
{
    char id[37], patient_id[37], *email = person_address();
    PERSON rui = join("Practitioner", false, id);
    PERSON patient = join("Patient", false, patient_id);

    CU_ASSERT_TRUE(administers(rui->access, false));
    CU_ASSERT_TRUE(administers(patient->access, false));
    HTTP_ANSWER given = set_admin(admin->access, id, true);
    CHECK_STATUS(given, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(given, "admin")));
    CU_ASSERT_STRING_EQUAL(http_text(given, "email"), rui->email);
    CU_ASSERT_TRUE(administers(rui->access, true));
    HTTP_ANSWER same = set_admin(admin->access, id, true);
    CHECK_STATUS(same, 200);
    HTTP_ANSWER taken = set_admin(rui->access, id, false); /* from oneself */
    CHECK_STATUS(taken, 200);
    CU_ASSERT_TRUE(administers(rui->access, false));

    HTTP_ANSWER ruler = set_admin(admin->access, patient_id, true);
    CHECK_PROBLEM(ruler, "admin");
    HTTP_ANSWER as_is = set_admin(admin->access, patient_id, false);
    CHECK_STATUS(as_is, 200);

    HTTP_ANSWER made = invite(admin->access, email, NULL);
    HTTP_ANSWER will = set_admin(admin->access, http_text(made, "id"), true);
    CHECK_STATUS(will, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(will, "pending")));
    HTTP_ANSWER accepted = accept_by(suite_mail_link(suite, email, CLINIC), chosen);
    CHECK_STATUS(accepted, 204);
    PERSON later = person_sign_in(suite, "Practitioner", email, chosen, NULL);
    CU_ASSERT_TRUE(administers(later->access, true));
    free(email);
}

/* Of an account that registered with an address the list says whether its mailbox has confirmed
 * that. */
static void the_list_shows_verified_addresses(void)
{
    char *email = person_address();

    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    HTTP_ANSWER registered =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/register", body_register(email, "demo"));
    CHECK_STATUS(registered, 200);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    json_t *unproven = listed(admin->access, email);
    CU_ASSERT_TRUE(json_is_false(json_object_get(unproven, "emailVerified")));
    free(suite_query(suite,
                     "insert into auth.email_verified (account_id, organization_id, verified_at) "
                     "select id, '00000000-0000-0000-0000-000000000000', 0 "
                     "from auth.account order by id desc limit 1 returning 1"));
    json_t *proven = listed(admin->access, email);
    CU_ASSERT_TRUE(json_is_true(json_object_get(proven, "emailVerified")));
    json_decref(unproven);
    json_decref(proven);
    free(email);
}

static void a_project_keeps_an_admin(void)
{
    PERSON there = equipped_child("keeps");
    char id[37];
    PERSON rui = join("Practitioner", false, id);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", there->access);
    const char *own = http_text(me, "membership.id");
    HTTP_ANSWER last = set_admin(there->access, own, false);

    CHECK_ERROR(last, 409, last_admin);
    HTTP_ANSWER self = withdraw(there->access, own);
    CHECK_ERROR(self, 409, "You cannot remove yourself.");
    HTTP_ANSWER made = call("POST", there->access, "", "", body_of(rui->email, NULL, true));
    CHECK_STATUS(made, 200);
    PERSON second = person_sign_in(suite, "Practitioner", rui->email, chosen, "keeps");
    HTTP_ANSWER still = withdraw(there->access, own);
    CHECK_ERROR(still, 409, "You cannot remove yourself.");
    HTTP_ANSWER stepped = set_admin(there->access, own, false);
    CHECK_STATUS(stepped, 200);
    CU_ASSERT_TRUE(administers(there->access, false));
    HTTP_ANSWER alone = set_admin(second->access, http_text(made, "id"), false);
    CHECK_ERROR(alone, 409, last_admin);
    HTTP_ANSWER removed = withdraw(second->access, own);
    CHECK_STATUS(removed, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 401));
}

/* ---- removing ---- */

/* In how many projects it is known when a practitioner last signed in. */
static long sign_ins_known(const char *email)
{
    return number("select count(*) from auth.last_sign_in l join auth.account a on a.id = "
                  "l.account_id where a.role = 'Practitioner' and a.email = ",
                  email);
}

static void a_removed_practitioner_keeps_the_account(void)
{
    char id[37];
    PERSON rui = join("Practitioner", false, id);
    PERSON there = equipped_child("other-place");
    HTTP_ANSWER added = invite(there->access, rui->email, NULL);

    CHECK_STATUS(added, 200);
    PERSON elsewhere = person_sign_in(suite, "Practitioner", rui->email, chosen, "other-place");
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 200));
    CU_ASSERT_EQUAL(sign_ins_known(rui->email), 2);
    HTTP_ANSWER gone = withdraw(admin->access, id);
    CHECK_STATUS(gone, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 401));
    CU_ASSERT_EQUAL(refresh_status(rui->refresh), 401);
    CU_ASSERT_EQUAL(sign_ins_known(rui->email), 1);
    HTTP_ANSWER logout = http_post(suite_url(suite), "/auth/logout", rui->access, NULL);
    CHECK_STATUS(logout, 401);
    CU_ASSERT_TRUE(suite_everywhere(suite, elsewhere->access, 200));
    CU_ASSERT_EQUAL(refresh_status(elsewhere->refresh), 200);
    PERSON back = person_sign_in(suite, "Practitioner", rui->email, chosen, NULL);
    CU_ASSERT_EQUAL(back->status, 400);
    CU_ASSERT_EQUAL(number("select count(*) from auth.session where end_reason = 'removed' "
                           "and membership_id = ",
                           id),
                    1);

    /* Invited anew it is a new membership: the old tokens stay dead. */
    HTTP_ANSWER anew = invite(admin->access, rui->email, NULL);
    CHECK_STATUS(anew, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(anew, "pending")));
    CU_ASSERT_STRING_NOT_EQUAL(http_text(anew, "id"), id);
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 401));
    PERSON again = person_sign_in(suite, "Practitioner", rui->email, chosen, NULL);
    CU_ASSERT_EQUAL(again->status, 200);
}

static void a_removed_patient_is_gone(void)
{
    PERSON patient = person_register(suite, NULL);
    json_t *entry = listed(admin->access, patient->email);

    CU_ASSERT_TRUE(json_is_null(json_object_get(entry, "invitedAt")));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 1));
    HTTP_ANSWER reset =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));
    CHECK_STATUS(reset, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));
    struct mail_link link =
        suite_mail_link(suite, patient->email, "https://patient.demo.example/set-password");
    HTTP_ANSWER gone = withdraw(admin->access, text(entry, "id"));
    CHECK_STATUS(gone, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    CU_ASSERT_EQUAL(refresh_status(patient->refresh), 401);
    CU_ASSERT_EQUAL(number("select count(*) from auth.account where email = ", patient->email), 0);
    HTTP_ANSWER late = accept_by(link, "x");
    CHECK_ERROR(late, 400, bad_link);
    PERSON back = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    CU_ASSERT_EQUAL(back->status, 400);
    PERSON anew = person_register(suite, patient->email);
    CU_ASSERT_EQUAL(anew->status, 200);
    CU_ASSERT_STRING_NOT_EQUAL(anew->profile, patient->profile);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    json_decref(entry);
}

/* Each change leaves one row of the audit trail. */
static void changes_are_audited(void)
{
    static const struct {
        const char *action;
        long want;
    } rows[] = {
        {"invitation.create", 1}, {"invitation.renew", 1},  {"invitation.update", 1},
        {"invitation.accept", 1}, {"membership.update", 1}, {"membership.delete", 1},
    };
    char *email = person_address(), *since, sql[256];
    HTTP_ANSWER made = invite(admin->access, email, NULL);
    const char *id = http_text(made, "id");
    HTTP_ANSWER again = resend(admin->access, id);
    HTTP_ANSWER will = set_admin(admin->access, id, true);

    CHECK_STATUS(again, 200);
    CHECK_STATUS(will, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    HTTP_ANSWER accepted = accept_by(suite_mail_link(suite, email, CLINIC), chosen);
    CHECK_STATUS(accepted, 204);
    HTTP_ANSWER no_more = set_admin(admin->access, id, false);
    CHECK_STATUS(no_more, 200);
    HTTP_ANSWER gone = withdraw(admin->access, id);
    CHECK_STATUS(gone, 200);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        snprintf(sql, sizeof(sql),
                 "select count(*) from auth.audit where event->>'action' = '%s' "
                 "and entity like '%%/%s'",
                 rows[i].action, id);
        since = suite_query(suite, sql);
        UNIT_CHECK(strtol(since, NULL, 10) == rows[i].want, "%s: %s rows", rows[i].action, since);
        free(since);
    }
    free(email);
}

/* ---- races ---- */

static int count_status(struct http_answer *const *answers, int many, int status)
{
    int count = 0;

    for (int i = 0; i < many; i++)
        count += answers[i]->status == status;
    return count;
}

static void one_wins_a_race_to_invite(void)
{
    enum { MANY = 12 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *email = person_address();

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = MEMBERS,
                                            .bearer = admin->access,
                                            .body = body_of(email, NULL, false)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    CU_ASSERT_EQUAL(count_status(answers, MANY, 200), 1);
    CU_ASSERT_EQUAL(count_status(answers, MANY, 409) + count_status(answers, MANY, 429), MANY - 1);
    CU_ASSERT_EQUAL(pending_of(email), 1);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    HTTP_ANSWER accepted = accept_by(suite_mail_link(suite, email, CLINIC), chosen);
    CHECK_STATUS(accepted, 204);
    http_answers_destroy(answers, MANY);

    /* The same for an account that is added at once. */
    PERSON there = equipped_child("racing");
    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = MEMBERS,
                                            .bearer = there->access,
                                            .body = body_of(email, NULL, false)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    CU_ASSERT_EQUAL(count_status(answers, MANY, 200), 1);
    CU_ASSERT_EQUAL(count_status(answers, MANY, 409), MANY - 1);
    CU_ASSERT_EQUAL(memberships_of(email), 2);
    http_answers_destroy(answers, MANY);
    free(email);
}

static void one_wins_a_race_to_accept(void)
{
    enum { MANY = 12 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *email = person_address(), password[32];
    HTTP_ANSWER made = invite(admin->access, email, NULL);
    struct mail_link link = suite_mail_link(suite, email, CLINIC);

    CHECK_STATUS(made, 200);
    for (int i = 0; i < MANY; i++) {
        snprintf(password, sizeof(password), "password %d", i);
        requests[i] = (struct http_request){
            .method = "POST", .path = SET, .body = body_accept(link, password)};
    }
    pid_t holder = suite_hold(suite, "select 1 from auth.invitation for update");
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    waitpid(holder, NULL, 0);
    CU_ASSERT_EQUAL(count_status(answers, MANY, 204), 1);
    for (int i = 0; i < MANY; i++) {
        if (answers[i]->status == 204) {
            snprintf(password, sizeof(password), "password %d", i);
            PERSON winner = person_sign_in(suite, "Practitioner", email, password, NULL);
            CU_ASSERT_EQUAL(winner->status, 200);
        } else {
            CHECK_ERROR(answers[i], 400, bad_link);
        }
    }
    CU_ASSERT_EQUAL(memberships_of(email), 1);
    http_answers_destroy(answers, MANY);
    free(email);
}

/* Accepting, registering, withdrawing and resending at once: whatever wins, the account is whole
 * and there is one. */
static void everything_at_once_leaves_one_account(void)
{
    for (int round = 0; round < 6; round++) {
        char *email = person_address(), path[128], again[160];
        HTTP_ANSWER made = invite(admin->access, email, "Patient");
        struct mail_link link = suite_mail_link(suite, email, PATIENTS);
        struct http_answer *answers[4];
        const char *source = "127.9.9.9";

        snprintf(path, sizeof(path), MEMBERS "/%s", http_text(made, "id"));
        snprintf(again, sizeof(again), MEMBERS "/%s/resend", http_text(made, "id"));
        const struct http_request requests[] = {
            {.method = "POST", .path = SET, .body = body_accept(link, chosen)},
            {.method = round % 2 ? "DELETE" : "POST",
             .path = round % 2 ? path : again,
             .bearer = admin->access},
            {.method = "POST",
             .path = "/auth/tenant/Patient/register",
             .source = round ? NULL : source,
             .body = body_register(email, "demo")},
            {.method = "POST", .path = SET, .body = body_accept(link, "the other")},
        };
        http_call_many(suite_url(suite), requests, ARRAY_SIZE(requests), 4, answers);
        for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
            UNIT_CHECK(answers[i]->status != 0 && answers[i]->status < 500, "round %d: %zu: %d",
                       round, i, answers[i]->status);
        /* one at most: the other finds no link, or an account that is to sign in */
        UNIT_CHECK(answers[0]->status != 204 || answers[3]->status != 204,
                   "round %d: one link was redeemed twice", round);
        CU_ASSERT_TRUE(memberships_of(email) <= 1);
        CU_ASSERT_EQUAL(memberships_of(email),
                        number("select count(*) from auth.account a join auth.credential c "
                               "on c.account_id = a.id where a.email = ",
                               email));
        if (round % 2 && answers[1]->status == 200)
            CU_ASSERT_EQUAL(pending_of(email), 0);
        http_answers_destroy(answers, ARRAY_SIZE(requests));
        free(email);
    }
}

/* The last two admins take each other away, by removing and by demoting: one is left. */
static void one_of_two_admins_stays(void)
{
    for (int round = 0; round < 6; round++) {
        char code[32], id[37], paths[2][128];
        PERSON rui = join("Practitioner", false, id);

        snprintf(code, sizeof(code), "duel-%d", round);
        PERSON there = equipped_child(code);
        HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", there->access);
        HTTP_ANSWER made = call("POST", there->access, "", "", body_of(rui->email, NULL, true));
        PERSON second = person_sign_in(suite, "Practitioner", rui->email, chosen, code);
        struct http_answer *answers[2];

        snprintf(paths[0], sizeof(paths[0]), MEMBERS "/%s", http_text(made, "id"));
        snprintf(paths[1], sizeof(paths[1]), MEMBERS "/%s", http_text(me, "membership.id"));
        const struct http_request requests[] = {
            {.method = round % 3 ? "DELETE" : "PATCH",
             .path = paths[0],
             .bearer = there->access,
             .body = round % 3 ? NULL : json_pack("{s:b}", "admin", 0)},
            {.method = round % 2 ? "DELETE" : "PATCH",
             .path = paths[1],
             .bearer = second->access,
             .body = round % 2 ? NULL : json_pack("{s:b}", "admin", 0)},
        };
        http_call_many(suite_url(suite), requests, 2, 2, answers);
        UNIT_CHECK(count_status(answers, 2, 200) == 1, "round %d: %d and %d", round,
                   answers[0]->status, answers[1]->status);
        CU_ASSERT_EQUAL(number("select count(*) from auth.membership where admin "
                               "and project_id = ",
                               there->project + strlen("Project/")),
                        1);
        http_answers_destroy(answers, 2);
    }
}

/* A member is removed while a sign-in is half done: who gets tokens, none of them live. */
static void no_sign_in_slips_past_a_removal(void)
{
    static const char *const roles[] = {"Practitioner", "Patient"};

    for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
        char id[37], path[128], step[96], *source = fresh_source();
        PERSON rui = join(roles[i], false, id);
        struct http_answer *answers[2];
        pid_t holder;

        snprintf(path, sizeof(path), MEMBERS "/%s", id);
        snprintf(step, sizeof(step), "/auth/tenant/%s/login/start", roles[i]);
        HTTP_ANSWER start =
            suite_post_from(suite, source, step, body_login_start(rui->email, chosen, "demo"));
        CHECK_STATUS(start, 200);
        snprintf(step, sizeof(step), "/auth/tenant/%s/login/token", roles[i]);
        const struct http_request requests[] = {
            {.method = "POST",
             .path = step,
             .source = source,
             .body = body_login_token(http_text(start, "sessionCode"), NULL)},
            {.method = "DELETE", .path = path, .bearer = admin->access},
        };
        holder = suite_hold_sign_ins(suite);
        http_call_many(suite_url(suite), requests, 2, 2, answers);
        waitpid(holder, NULL, 0);
        CHECK_STATUS(answers[1], 200);
        if (answers[0]->status == 200) {
            CU_ASSERT_TRUE(suite_everywhere(suite, http_text(answers[0], "accessToken"), 401));
            CU_ASSERT_EQUAL(refresh_status(http_text(answers[0], "refreshToken")), 401);
        }
        CU_ASSERT_EQUAL(number("select count(*) from auth.session where ended_at is null "
                               "and membership_id = ",
                               id),
                        0);
        http_answers_destroy(answers, 2);
        free(source);
    }
}

/* ---- kills ---- */

static void wait_for_both(pid_t killer, pid_t first, pid_t second)
{
    waitpid(killer, NULL, 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
}

/* Both authd die during an invitation: the invitation and its mail are there, or neither. */
static void a_kill_leaves_no_half_invitation(void)
{
    for (int round = 0; round < 6; round++) {
        char *email = person_address();
        pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
        pid_t killer = suite_kill_both_later(suite, "authd", round * 3);
        HTTP_ANSWER made = invite(admin->access, email, NULL);

        wait_for_both(killer, first, second);
        CU_ASSERT_TRUE(made->status == 200 || made->status == 503);
        long pending = pending_of(email);
        CU_ASSERT_TRUE(pending == 1 || made->status != 200);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, email, (size_t)pending));
        if (pending == 1) {
            HTTP_ANSWER accepted = accept_by(suite_mail_link(suite, email, CLINIC), chosen);
            CHECK_STATUS(accepted, 204);
        }
        free(email);
    }
}

/* The same while it is accepted: account, password and membership are there, or the link is still
 * good. */
static void a_kill_leaves_no_half_member(void)
{
    for (int round = 0; round < 5; round++) {
        char *email = person_address();
        HTTP_ANSWER made = invite(admin->access, email, NULL);
        struct mail_link link = suite_mail_link(suite, email, CLINIC);
        pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
        pid_t killer = suite_kill_both_later(suite, "authd", 15 + round * 12);
        HTTP_ANSWER accepted = accept_by(link, chosen);

        CHECK_STATUS(made, 200);
        wait_for_both(killer, first, second);
        CU_ASSERT_TRUE(accepted->status == 204 || accepted->status == 503);
        long joined = memberships_of(email);
        CU_ASSERT_TRUE(joined == 1 || accepted->status != 204);
        CU_ASSERT_EQUAL(pending_of(email), 1 - joined);
        HTTP_ANSWER again = accept_by(link, chosen);
        if (joined)
            CHECK_ERROR(again, 400, bad_link);
        else
            CHECK_STATUS(again, 204);
        PERSON rui = person_sign_in(suite, "Practitioner", email, chosen, NULL);
        CU_ASSERT_EQUAL(rui->status, 200);
        free(email);
    }
}

/* The same while a patient is removed: all is gone, or nothing. */
static void a_kill_leaves_no_half_removal(void)
{
    for (int round = 0; round < 6; round++) {
        PERSON patient = person_register(suite, NULL);
        json_t *entry = listed(admin->access, patient->email);
        pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
        pid_t killer = suite_kill_both_later(suite, "authd", round * 3);
        HTTP_ANSWER gone = withdraw(admin->access, text(entry, "id"));

        wait_for_both(killer, first, second);
        CU_ASSERT_TRUE(gone->status == 200 || gone->status == 503);
        long left = memberships_of(patient->email);
        CU_ASSERT_TRUE(left == 0 || gone->status != 200);
        CU_ASSERT_EQUAL(number("select count(*) from auth.account where email = ", patient->email),
                        left);
        CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, left ? 200 : 401));
        CU_ASSERT_EQUAL(refresh_status(patient->refresh), left ? 200 : 401);
        json_decref(entry);
    }
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_practitioner_is_invited_and_accepts),
    CASE(a_patient_is_invited_and_accepts),
    CASE(an_invitation_brings_what_was_said),
    CASE(wrong_inputs_are_refused),
    CASE(a_project_must_be_ready_to_invite),
    CASE(an_absent_maild_is_503),
    CASE(an_account_is_added_at_once),
    CASE(a_person_who_registered_meanwhile_accepts),
    CASE(two_projects_invite_one_person),
    CASE(an_admin_who_registered_meanwhile),
    CASE(resending_kills_the_older_link),
    CASE(withdrawing_kills_the_link),
    CASE(mails_to_an_address_are_limited),
    CASE(members_are_listed_by_pages),
    CASE(another_project_is_out_of_reach),
    CASE(admin_is_given_and_taken),
    CASE(the_list_shows_verified_addresses),
    CASE(a_project_keeps_an_admin),
    CASE(a_removed_practitioner_keeps_the_account),
    CASE(a_removed_patient_is_gone),
    CASE(changes_are_audited),
    CASE(one_wins_a_race_to_invite),
    CASE(one_wins_a_race_to_accept),
    CASE(everything_at_once_leaves_one_account),
    CASE(one_of_two_admins_stays),
    CASE(no_sign_in_slips_past_a_removal),
    CASE(a_kill_leaves_no_half_invitation),
    CASE(a_kill_leaves_no_half_member),
    CASE(a_kill_leaves_no_half_removal),
    CASE(links_live_a_week_invitations_longer),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    return unit_run("members", cases, ARRAY_SIZE(cases));
}
