/*
 * test_membership.c - membership needs consent: an invitation gives no rights to an account that
 * registered an address without verification, only to the mailbox's owner. Invitations reveal
 * nothing of other tenants, and a business sign-up does not change them.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/members.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define VIEW "/auth/invitation"
#define ACCEPT "/auth/invitation/accept"
#define REGISTER "/auth/tenant/Practitioner/register"
#define SIGN_UP "/auth/tenant/Patient/register"
#define NORTH_PAGE "https://north.example/staff/invitation"
#define VERIFICATION "/v1/project/email-templates/EMAIL_VERIFICATION"
#define PASSWORD "a password of an admin"
#define SQUATTER "correct horse battery staple" /* the password of body_register() */

enum { WEEK = 7 * 24 * 3600 };

static const char chosen[] = "chosen by the mailbox";
static const char all_policy[] = "{\"name\":\"All\",\"resource\":[{\"resourceType\":\"*\"}]}";

static struct suite *suite;
static struct person *admin;
static struct person *north; /* admin of a project without a parent */

/* ---- requests ---- */

static void run_command(struct program *run)
{
    CHECK_EXIT(run, 0);
    program_destroy(&run);
}

/* Makes an organization that can invite practitioners, and returns its admin, signed in. */
static struct person *make_tenant(const char *code, const char *app)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *file = unit_dir_write(&dir, "text", "{{inviterName}} {{invitationUrl}}\n");
    char value[64], *email = person_address();
    struct person *self;

    run_command(ATRIUMCTL(suite, NULL, "project", "create", "Clinic of Others", "--code", code));
    PROGRAM put = ATRIUMCTL(suite, all_policy, "policy", "put", "--project", code, "-", "--json");
    CHECK_EXIT(put, 0);
    snprintf(value, sizeof(value), "AccessPolicy/%s", program_text(put, "id"));
    run_command(ATRIUMCTL(suite, NULL, "project", "set", code, "DEFAULT_PRACTITIONER_ACCESS_POLICY",
                          value));
    run_command(ATRIUMCTL(suite, NULL, "project", "set", code, "PRACTITIONER_APP_URL", app));
    run_command(ATRIUMCTL(suite, NULL, "template", "put", "--project", code, "INVITE_TO_PROJECT",
                          "--subject", "Join us", "--text", file));
    run_command(ATRIUMCTL(suite, PASSWORD "\n", "user", "create-admin", "--project", code,
                          "--email", email, "--name", "Nora", "--surname", "North"));
    self = person_sign_in(suite, "Practitioner", email, PASSWORD, code);
    CU_ASSERT_EQUAL(self->status, 200);
    free(email);
    return self;
}

static json_t *body_of(const char *email, const char *type, bool as_admin)
{
    return json_pack("{s:s, s:s, s:s, s:s*, s:b}", "email", email, "firstName", "Typed", "lastName",
                     "Name", "type", type, "admin", as_admin);
}

static struct http_answer *invite(const struct person *who, const char *email, const char *type,
                                  bool as_admin)
{
    return http_post(suite_url(suite), MEMBER_PATH, who->access, body_of(email, type, as_admin));
}

static json_t *body_link(struct mail_link link)
{
    return json_pack("{s:s, s:s}", "id", link.id, "secret", link.secret);
}

static struct http_answer *view(struct mail_link link)
{
    return http_post(suite_url(suite), VIEW, NULL, body_link(link));
}

static struct http_answer *accept_as(const struct person *who, struct mail_link link)
{
    return http_post(suite_url(suite), ACCEPT, who->access, body_link(link));
}

static struct person *register_unproven(const char *email)
{
    struct person *self;

    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    HTTP_ANSWER made = suite_post_fresh(suite, REGISTER, body_register(email, "demo"));
    CHECK_STATUS(made, 200);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    self = person_sign_in(suite, "Practitioner", email, SQUATTER, NULL);
    CU_ASSERT_EQUAL(self->status, 200);
    return self;
}

/* Makes a person who accepted demo's invitation with a password: verified for its organization. */
static struct person *join_demo(const char *type)
{
    char *email = person_address();
    bool patient = type && strcmp(type, "Patient") == 0;
    HTTP_ANSWER made = invite(admin, email, type, false);
    struct person *self;

    CHECK_STATUS(made, 200);
    struct mail_link link =
        suite_mail_link(suite, email, patient ? MEMBER_PATIENT_LINK : MEMBER_PRACTITIONER_LINK);
    HTTP_ANSWER accepted = member_accept(suite, link, chosen);
    CHECK_STATUS(accepted, 204);
    self = person_sign_in(suite, patient ? "Patient" : "Practitioner", email, chosen, NULL);
    CU_ASSERT_EQUAL(self->status, 200);
    free(email);
    return self;
}

/* Makes a person whom an operator made an admin of `code` with a password: verified for all
 * tenants. */
static struct person *join_proven(const char *code)
{
    char *email = person_address();
    struct person *self;

    run_command(ATRIUMCTL(suite, PASSWORD "\n", "user", "create-admin", "--project", code,
                          "--email", email, "--name", "Paula", "--surname", "Proven"));
    self = person_sign_in(suite, "Practitioner", email, PASSWORD, code);
    CU_ASSERT_EQUAL(self->status, 200);
    free(email);
    return self;
}

static struct mail_link link_of(const char *email, size_t count, const char *page)
{
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, count));
    return suite_mail_link(suite, email, page);
}

static void check_accept(const struct http_answer *seen, const char *want)
{
    CHECK_STATUS(seen, 200);
    CU_ASSERT_STRING_EQUAL(http_text(seen, "accept"), want);
}

static void check_code(const struct http_answer *answer, int status, const char *code)
{
    CHECK_STATUS(answer, status);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), code);
}

static void enroll_factor(const struct person *who)
{
    uint8_t secret[TOTP_SECRET];

    totp_enrol(suite, who, time(NULL), secret);
}

static bool administers(const struct person *who)
{
    HTTP_ANSWER list = http_get(suite_url(suite), MEMBER_PATH, who->access);

    return list->status == 200;
}

static long memberships_of(const char *email, const struct person *in)
{
    return suite_count(suite,
                       "select count(*) from auth.membership m join auth.account a "
                       "on a.id = m.account_id where a.email = '%s' and m.project_id = '%s'",
                       email, in->project + strlen("Project/"));
}

static long pending_of(const char *email)
{
    return suite_count(suite, "select count(*) from auth.invitation where email = '%s'", email);
}

static void another_organisation_is_there(void)
{
    north = make_tenant("north", "https://north.example/staff");
}

/* Checks that an account of another tenant can accept neither signed in nor with a password until
 * it is verified for all tenants, and that the response says how to do that. */
static void check_unverified_accepts_nothing(const struct person *who, struct mail_link link)
{
    static const char page[] = "/t/-/reset-password";
    HTTP_ANSWER seen = view(link);
    HTTP_ANSWER signed_in = accept_as(who, link);
    HTTP_ANSWER password = member_accept(suite, link, chosen);
    const char *url = http_text(signed_in, "details.url");

    check_accept(seen, "sign-in");
    check_code(signed_in, 403, "EMAIL_NOT_VERIFIED");
    UNIT_CHECK(strlen(url) > strlen(page) && strcmp(url + strlen(url) - strlen(page), page) == 0,
               "%s", url);
    check_code(password, 409, "ACCEPT_SIGNED_IN");
    CU_ASSERT_EQUAL(memberships_of(who->email, north), 0);
    CU_ASSERT_EQUAL(pending_of(who->email), 1);
    CU_ASSERT_TRUE(suite_everywhere(suite, who->access, 200));
}

/* The mailbox's owner takes over the account by a reset on the installation's page, and signs in to
 * demo. */
static struct person *owner_comes(const struct person *squatter)
{
    struct person *self;

    member_verify_for_all(suite, squatter->email, chosen);
    CU_ASSERT_TRUE(suite_everywhere(suite, squatter->access, 401));
    PERSON back = person_sign_in(suite, "Practitioner", squatter->email, SQUATTER, NULL);
    CU_ASSERT_EQUAL(back->status, 400);
    self = person_sign_in(suite, "Practitioner", squatter->email, chosen, NULL);
    CU_ASSERT_EQUAL(self->status, 200);
    return self;
}

/* Attack: register another person's address and wait until a tenant invites that person as an
 * admin. */
static void an_unproven_account_gets_nothing_by_an_invitation(void)
{
    char *email = person_address();
    PERSON squatter = register_unproven(email);
    HTTP_ANSWER made = invite(north, email, NULL, true);

    CHECK_STATUS(made, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(made, "pending")));
    CU_ASSERT_EQUAL(memberships_of(email, north), 0);
    PERSON inside = person_sign_in(suite, "Practitioner", email, SQUATTER, "north");
    CU_ASSERT_EQUAL(inside->status, 400);
    struct mail_link link = suite_mail_link(suite, email, NORTH_PAGE);
    check_unverified_accepts_nothing(squatter, link);

    PERSON owner = owner_comes(squatter);
    HTTP_ANSWER accepted = accept_as(owner, link);
    CHECK_STATUS(accepted, 204);
    PERSON there = person_sign_in(suite, "Practitioner", email, chosen, "north");
    CU_ASSERT_TRUE(administers(there));
    free(email);
}

static void an_unproven_account_gets_nothing_by_create_admin(void)
{
    char *email = person_address();
    PERSON squatter = register_unproven(email);

    run_command(ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", "north", "--email",
                          email, "--name", "Eve", "--surname", "Admin", "--mail"));
    CU_ASSERT_EQUAL(memberships_of(email, north), 0);
    CU_ASSERT_EQUAL(pending_of(email), 1);
    struct mail_link link = suite_mail_link(suite, email, NORTH_PAGE);
    check_unverified_accepts_nothing(squatter, link);
    PERSON owner = owner_comes(squatter);
    HTTP_ANSWER accepted = accept_as(owner, link);
    CHECK_STATUS(accepted, 204);
    PERSON there = person_sign_in(suite, "Practitioner", email, chosen, "north");
    CU_ASSERT_TRUE(administers(there));
    free(email);
}

static void the_second_factor_of_an_unproven_account_goes(void)
{
    char *email = person_address();
    PERSON squatter = register_unproven(email);

    enroll_factor(squatter);
    HTTP_ANSWER made = invite(north, email, NULL, false);
    CHECK_STATUS(made, 200);
    struct mail_link link = link_of(email, 2, NORTH_PAGE);
    PERSON owner = owner_comes(squatter);
    CU_ASSERT_PTR_NOT_NULL(owner->access);
    HTTP_ANSWER accepted = accept_as(owner, link);
    CHECK_STATUS(accepted, 204);
    PERSON there = person_sign_in(suite, "Practitioner", email, chosen, "north");
    CU_ASSERT_EQUAL(there->status, 200);
    CU_ASSERT_PTR_NOT_NULL(there->access);
    free(email);
}

/* Attack: add an address to learn whether another tenant knows it, and its name there. */
static void inviting_reveals_nothing_of_other_tenants(void)
{
    PERSON known = join_demo(NULL);
    char *unknown = person_address();
    const char *emails[] = {known->email, unknown};

    for (size_t i = 0; i < ARRAY_SIZE(emails); i++) {
        HTTP_ANSWER made = invite(north, emails[i], NULL, false);
        CHECK_STATUS(made, 200);
        CU_ASSERT_STRING_EQUAL(http_text(made, "email"), emails[i]);
        CU_ASSERT_STRING_EQUAL(http_text(made, "displayName"), "Typed Name");
        CU_ASSERT_STRING_EQUAL(http_text(made, "firstName"), "Typed");
        CU_ASSERT_STRING_EQUAL(http_text(made, "lastName"), "Name");
        CU_ASSERT_TRUE(json_is_true(http_member(made, "pending")));
        HTTP_ANSWER twice = invite(north, emails[i], NULL, false);
        CHECK_ERROR(twice, 409, "This person is already invited. Resend the invitation instead.");
        CU_ASSERT_EQUAL(memberships_of(emails[i], north), 0);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, emails[i], i == 0 ? 2 : 1));
    }
    HTTP_ANSWER list = http_get(suite_url(suite), MEMBER_PATH "?_count=100", north->access);
    UNIT_CHECK(!strstr(list->body, "Costa"), "%s", list->body);
    free(unknown);
}

static void inviting_takes_equal_time(void)
{
    enum { ROUNDS = 9, KNOWN = 0, UNKNOWN = 1 };
    double seconds[2][ROUNDS];

    for (int round = 0; round < ROUNDS; round++) {
        PERSON known = join_demo(NULL);
        char *unknown = person_address();
        HTTP_ANSWER one = invite(north, known->email, NULL, false);
        HTTP_ANSWER other = invite(north, unknown, NULL, false);

        CHECK_STATUS(one, 200);
        CHECK_STATUS(other, 200);
        seconds[KNOWN][round] = one->seconds;
        seconds[UNKNOWN][round] = other->seconds;
        free(unknown);
    }
    double difference = unit_median(seconds[KNOWN], ROUNDS) - unit_median(seconds[UNKNOWN], ROUNDS);
    UNIT_CHECK(difference < 0.02 && difference > -0.02, "%.1f ms", difference * 1000);
}

/* If the template is missing, inviting fails for existing accounts too, and so reveals none. */
static void the_template_is_needed_for_accounts_too(void)
{
    PERSON known = join_demo(NULL);
    char *unknown = person_address();

    HTTP_ANSWER gone = http_delete(suite_url(suite),
                                   "/v1/project/email-templates/INVITE_TO_PROJECT", north->access);
    CHECK_STATUS(gone, 204);
    HTTP_ANSWER one = invite(north, known->email, NULL, false);
    CHECK_ERROR(one, 400, "The invitation email is not configured.");
    HTTP_ANSWER other = invite(north, unknown, NULL, false);
    CHECK_ERROR(other, 400, "The invitation email is not configured.");
    HTTP_ANSWER back = http_put(
        suite_url(suite), "/v1/project/email-templates/INVITE_TO_PROJECT", north->access,
        json_pack("{s:s, s:s}", "subject", "Hi", "text", "{{inviterName}} {{invitationUrl}}"));
    CHECK_STATUS(back, 200);
    CU_ASSERT_EQUAL(pending_of(known->email) + pending_of(unknown), 0);
    free(unknown);
}

static void a_proven_account_accepts_signed_in(void)
{
    PERSON paula = join_proven("demo");
    PERSON other = join_proven("demo");
    HTTP_ANSWER made = invite(north, paula->email, NULL, true);

    CHECK_STATUS(made, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(made, "pending")));
    struct mail_link link = suite_mail_link(suite, paula->email, NORTH_PAGE), wrong = link;
    HTTP_ANSWER seen = view(link);
    check_accept(seen, "sign-in");
    CU_ASSERT_STRING_EQUAL(http_text(seen, "email"), paula->email);
    CU_ASSERT_STRING_EQUAL(http_text(seen, "projectName"), "Clinic of Others");
    CU_ASSERT_STRING_EQUAL(http_text(seen, "inviterName"), "Nora North");
    CU_ASSERT_EQUAL(json_object_size(seen->json), 4);

    wrong.secret[0] = wrong.secret[0] == 'A' ? 'B' : 'A';
    HTTP_ANSWER blind = view(wrong);
    CHECK_ERROR(blind, 400, MEMBER_BAD_LINK);
    HTTP_ANSWER guessed = accept_as(paula, wrong);
    CHECK_ERROR(guessed, 400, MEMBER_BAD_LINK);
    HTTP_ANSWER stranger = accept_as(other, link);
    CHECK_ERROR(stranger, 400, MEMBER_BAD_LINK);
    HTTP_ANSWER without = http_post(suite_url(suite), ACCEPT, NULL, body_link(link));
    CHECK_STATUS(without, 401);
    HTTP_ANSWER password = member_accept(suite, link, chosen);
    check_code(password, 409, "ACCEPT_SIGNED_IN");
    CU_ASSERT_EQUAL(pending_of(paula->email), 1);

    HTTP_ANSWER accepted = accept_as(paula, link);
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, paula->access, 200));
    PERSON inside = person_sign_in(suite, "Practitioner", paula->email, PASSWORD, "north");
    CU_ASSERT_TRUE(administers(inside));
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", inside->access);
    CU_ASSERT_STRING_EQUAL(http_text(me, "membership.id"), http_text(made, "id"));
    CU_ASSERT_STRING_EQUAL(http_text(me, "profile.name.0.family"), "Proven");
    HTTP_ANSWER again = accept_as(paula, link);
    CHECK_ERROR(again, 400, MEMBER_BAD_LINK);
    HTTP_ANSWER over = view(link);
    CHECK_ERROR(over, 400, MEMBER_BAD_LINK);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'Invitation/%s' "
                                "and event->>'action' = 'invitation.accept'",
                                link.id),
                    1);
}

static void wrong_bodies_are_refused(void)
{
    HTTP_ANSWER empty = http_post(suite_url(suite), VIEW, NULL, json_object());

    CHECK_PROBLEM(empty, "id");
    CHECK_PROBLEM(empty, "secret");
    HTTP_ANSWER words = http_post(suite_url(suite), ACCEPT, admin->access,
                                  json_pack("{s:s, s:s}", "id", "seven", "secret", ""));
    CHECK_PROBLEM(words, "id");
    CHECK_PROBLEM(words, "secret");
    HTTP_ANSWER get = http_get(suite_url(suite), VIEW, NULL);
    CHECK_STATUS(get, 405);
}

/* Returns the status of a sign-in while the tenant admits only verified addresses. */
static int status_where_required(const struct person *boss, const char *email, const char *password,
                                 const char *code)
{
    suite_require_proofs(suite, boss, true);
    PERSON self = person_sign_in(suite, "Practitioner", email, password, code);
    suite_require_proofs(suite, boss, false);
    return self->status;
}

/* A link of one organization verifies nothing in another, because its staff may have read the link.
 * The installation's link verifies for all tenants. */
static void a_proof_of_one_organisation_is_none_in_another(void)
{
    PERSON known = join_demo(NULL);
    PERSON both = join_demo(NULL);
    HTTP_ANSWER made = invite(north, known->email, NULL, false);

    CHECK_STATUS(made, 200);
    struct mail_link link = link_of(known->email, 2, NORTH_PAGE);
    check_unverified_accepts_nothing(known, link);
    member_verify_for_all(suite, known->email, "another password");
    CU_ASSERT_TRUE(suite_everywhere(suite, known->access, 401));
    PERSON owner = person_sign_in(suite, "Practitioner", known->email, "another password", "demo");
    HTTP_ANSWER accepted = accept_as(owner, link);
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_EQUAL(status_where_required(admin, known->email, "another password", "demo"), 200);
    CU_ASSERT_EQUAL(status_where_required(north, known->email, "another password", "north"), 200);

    run_command(ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", "north", "--email",
                          both->email, "--name", "Rui", "--surname", "Costa", "--existing"));
    CU_ASSERT_EQUAL(status_where_required(admin, both->email, chosen, "demo"), 200);
    CU_ASSERT_EQUAL(status_where_required(north, both->email, chosen, "north"), 403);
}

static void verify_address(const struct person *who, size_t count)
{
    CU_ASSERT_TRUE(suite_mails_arrive(suite, who->email, count - 1));
    HTTP_ANSWER mapped =
        http_put(suite_url(suite), VERIFICATION, admin->access,
                 json_pack("{s:s, s:s}", "subject", "Hi", "text", "{{verifyUrl}}"));
    CHECK_STATUS(mapped, 200);
    HTTP_ANSWER sent =
        http_post(suite_url(suite), "/auth/verify-email/send", who->access, json_object());
    CHECK_STATUS(sent, 200);
    struct mail_link link = link_of(who->email, count, "https://patient.demo.example/verify-email");
    HTTP_ANSWER verified =
        http_post(suite_url(suite), "/auth/verify-email", who->access, body_link(link));
    CHECK_STATUS(verified, 204);
    HTTP_ANSWER unmapped = http_delete(suite_url(suite), VERIFICATION, admin->access);
    CHECK_STATUS(unmapped, 204);
}

/* Invites two patients: one registers after the invitation, the other has a verified address. Both
 * accounts belong to this project alone, so the link is enough. The verified one can also accept
 * signed in, and stays verified. */
static void patients_accept_as_practitioners_do(void)
{
    char *email = person_address();
    HTTP_ANSWER made = invite(admin, email, "Patient", false);

    CHECK_STATUS(made, 200);
    struct mail_link link = suite_mail_link(suite, email, MEMBER_PATIENT_LINK);
    PERSON patient = person_register(suite, email);
    HTTP_ANSWER seen = view(link);
    check_accept(seen, "set-password");
    HTTP_ANSWER early = accept_as(patient, link);
    check_code(early, 409, "ACCEPT_BY_PASSWORD");
    PERSON staff = register_unproven(email);
    HTTP_ANSWER namesake = accept_as(staff, link); /* another account with the same address */
    CHECK_ERROR(namesake, 400, MEMBER_BAD_LINK);
    verify_address(patient, 3);
    HTTP_ANSWER proven = view(link);
    check_accept(proven, "set-password");
    HTTP_ANSWER accepted = accept_as(patient, link);
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 200));
    CU_ASSERT_EQUAL(memberships_of(email, admin), 2);
    CU_ASSERT_EQUAL(pending_of(email), 0);
    HTTP_ANSWER over = member_accept(suite, link, chosen);
    CHECK_ERROR(over, 400, MEMBER_BAD_LINK);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 200));
    free(email);
}

/* A patient account belongs to its project, even if an operator's import verified it for all
 * tenants. It cannot use the installation's pages, which are for practitioners. */
static void a_patient_verified_for_all_accepts_by_password(void)
{
    char *email = person_address();
    HTTP_ANSWER made = invite(admin, email, "Patient", false);

    CHECK_STATUS(made, 200);
    struct mail_link link = suite_mail_link(suite, email, MEMBER_PATIENT_LINK);
    PERSON patient = person_register(suite, email);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with own as (insert into auth.email_verified (account_id, "
                                "organization_id, verified_at) select id, "
                                "'00000000-0000-0000-0000-000000000000', 0 from auth.account "
                                "where email = '%s' returning 1) select count(*) from own",
                                email),
                    1);
    HTTP_ANSWER seen = view(link);
    check_accept(seen, "set-password");
    HTTP_ANSWER accepted = member_accept(suite, link, chosen);
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    PERSON back = person_sign_in(suite, "Patient", email, chosen, NULL);
    CU_ASSERT_EQUAL(back->status, 200);
    free(email);
}

static void a_proven_member_of_the_organisation_is_added_at_once(void)
{
    PERSON known = join_demo(NULL);
    PERSON stranger = join_proven("north");
    char *email = person_address(), value[64];
    PERSON unproven = register_unproven(email);
    PERSON child = person_admin_of_child(suite, "ward");
    HTTP_ANSWER policy = http_post(suite_url(suite), "/v1/project/access-policies", child->access,
                                   json_loads(all_policy, 0, NULL));

    snprintf(value, sizeof(value), "AccessPolicy/%s", http_text(policy, "id"));
    suite_set_value(suite, child->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", value);
    HTTP_ANSWER unmapped = invite(child, known->email, NULL, false);
    CHECK_ERROR(unmapped, 400, "The invitation email is not configured.");
    HTTP_ANSWER put =
        http_put(suite_url(suite), "/v1/project/email-templates/INVITE_TO_PROJECT", child->access,
                 json_pack("{s:s, s:s}", "subject", "Hi", "text", "{{invitationUrl}}"));
    CHECK_STATUS(put, 200);
    suite_set_value(suite, child->access, "PRACTITIONER_APP_URL", "https://ward.example");

    HTTP_ANSWER added = invite(child, known->email, NULL, false);
    CHECK_STATUS(added, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(added, "pending")));
    PERSON inside = person_sign_in(suite, "Practitioner", known->email, chosen, "ward");
    CU_ASSERT_EQUAL(inside->status, 200);
    HTTP_ANSWER twice = invite(child, known->email, NULL, false);
    CHECK_ERROR(twice, 409, "This person is already a member.");
    HTTP_ANSWER waits = invite(child, unproven->email, NULL, false);
    CU_ASSERT_TRUE(json_is_true(http_member(waits, "pending")));
    HTTP_ANSWER foreign = invite(child, stranger->email, NULL, false);
    CU_ASSERT_TRUE(json_is_true(http_member(foreign, "pending")));
    free(email);
}

static void a_second_factor_is_needed_where_the_project_asks_for_it(void)
{
    PERSON strict = make_tenant("strict", "https://strict.example");
    PERSON paula = join_proven("north");
    HTTP_ANSWER made = invite(strict, paula->email, NULL, false);

    CHECK_STATUS(made, 200);
    struct mail_link link =
        suite_mail_link(suite, paula->email, "https://strict.example/invitation");
    HTTP_ANSWER policy = http_put(suite_url(suite), "/v1/project/account-policy", strict->access,
                                  json_pack("{s:s}", "requireMfa", "practitioners"));
    CHECK_STATUS(policy, 200);
    HTTP_ANSWER without = accept_as(paula, link);
    check_code(without, 403, "MFA_ENROLLMENT_REQUIRED");
    CU_ASSERT_EQUAL(memberships_of(paula->email, strict), 0);
    enroll_factor(paula);
    HTTP_ANSWER accepted = accept_as(paula, link);
    CHECK_STATUS(accepted, 204);
    CU_ASSERT_EQUAL(memberships_of(paula->email, strict), 1);
}

/* ---- expired links ---- */

static void withdrawn_and_older_links_are_dead(void)
{
    PERSON paula = join_proven("demo");
    HTTP_ANSWER made = invite(north, paula->email, NULL, false);
    struct mail_link first = suite_mail_link(suite, paula->email, NORTH_PAGE);
    char path[128];

    CHECK_STATUS(made, 200);
    snprintf(path, sizeof(path), MEMBER_PATH "/%s/resend", http_text(made, "id"));
    HTTP_ANSWER resent = http_post(suite_url(suite), path, north->access, NULL);
    CHECK_STATUS(resent, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, paula->email, 2));
    struct mail_link second = suite_mail_link(suite, paula->email, NORTH_PAGE);
    HTTP_ANSWER old = accept_as(paula, first);
    CHECK_ERROR(old, 400, MEMBER_BAD_LINK);
    HTTP_ANSWER seen = view(first);
    CHECK_ERROR(seen, 400, MEMBER_BAD_LINK);
    suite_set_clock(suite, WEEK + 30);
    HTTP_ANSWER late = view(second);
    CHECK_ERROR(late, 400, MEMBER_BAD_LINK);
    suite_set_clock(suite, 0);
    run_command(ATRIUMCTL(suite, NULL, "project", "suspend", "north"));
    HTTP_ANSWER closed = view(second);
    CHECK_ERROR(closed, 400, MEMBER_BAD_LINK);
    run_command(ATRIUMCTL(suite, NULL, "project", "suspend", "north", "--resume"));
    snprintf(path, sizeof(path), MEMBER_PATH "/%s", http_text(made, "id"));
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, north->access);
    CHECK_STATUS(gone, 200);
    HTTP_ANSWER dead = accept_as(paula, second);
    CHECK_ERROR(dead, 400, MEMBER_BAD_LINK);
    CU_ASSERT_EQUAL(memberships_of(paula->email, north), 0);
}

/* ---- business sign-up ---- */

static char *business_address(void)
{
    char *person = person_address(), *text = NULL;

    if (asprintf(&text, "%.*s@ward.lakeside.example", (int)strcspn(person, "@"), person) < 0)
        abort();
    free(person);
    return text;
}

static struct http_answer *sign_up(const char *email)
{
    return suite_post_fresh(suite, SIGN_UP, body_register(email, "demo"));
}

/* Attack: sign up with an address that an admin has invited. The admin's link keeps working, with
 * the same rights. */
static void a_sign_up_leaves_the_invitation_of_an_admin_alone(void)
{
    char *email = business_address();
    HTTP_ANSWER made = invite(admin, email, NULL, true);

    CHECK_STATUS(made, 200);
    struct mail_link link = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", true);
    HTTP_ANSWER signed_up = sign_up(email);
    CHECK_STATUS(signed_up, 200);
    CU_ASSERT_STRING_EQUAL(http_text(signed_up, "nextStep"), "clinician-invite");
    HTTP_ANSWER seen = view(link);
    check_accept(seen, "set-password");
    CU_ASSERT_STRING_EQUAL(http_text(seen, "inviterName"), "Ada Admin");
    HTTP_ANSWER accepted = member_accept(suite, link, chosen);
    CHECK_STATUS(accepted, 204);
    PERSON owner = person_sign_in(suite, "Practitioner", email, chosen, NULL);
    CU_ASSERT_TRUE(administers(owner));
    CU_ASSERT_EQUAL(memberships_of(email, admin), 1);
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", false);
    free(email);
}

static void a_sign_up_gives_no_rights_of_an_admin(void)
{
    char *email = business_address();
    HTTP_ANSWER made = invite(admin, email, NULL, true);

    CHECK_STATUS(made, 200);
    struct mail_link by_admin = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", true);
    HTTP_ANSWER signed_up = sign_up(email);
    CHECK_STATUS(signed_up, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    char *mail = suite_mail(suite, email, 0);
    UNIT_CHECK(mail && strstr(mail, "Finish your sign-up"), "%s", mail);
    struct mail_link own = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
    CU_ASSERT_STRING_NOT_EQUAL(own.secret, by_admin.secret);
    HTTP_ANSWER seen = view(own);
    check_accept(seen, "set-password");
    CU_ASSERT_STRING_EQUAL(http_text(seen, "inviterName"), "Demo Clinic");
    HTTP_ANSWER accepted = member_accept(suite, own, chosen);
    CHECK_STATUS(accepted, 204);
    HTTP_ANSWER again = member_accept(suite, own, chosen);
    CHECK_ERROR(again, 400, MEMBER_BAD_LINK);
    PERSON owner = person_sign_in(suite, "Practitioner", email, chosen, NULL);
    CU_ASSERT_EQUAL(owner->status, 200);
    CU_ASSERT_FALSE(administers(owner));
    CU_ASSERT_EQUAL(pending_of(email), 1);
    HTTP_ANSWER offered = view(by_admin);
    check_accept(offered, "set-password"); /* the account belongs to this project alone */
    HTTP_ANSWER risen = accept_as(owner, by_admin);
    CHECK_STATUS(risen, 204);
    CU_ASSERT_TRUE(administers(owner));
    CU_ASSERT_EQUAL(memberships_of(email, admin), 1);
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", false);
    free(mail);
    free(email);
}

static void a_sign_up_registers_a_patient_where_invitations_are_off(void)
{
    char *email = business_address();

    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", true);
    suite_set_switch(suite, admin->access, "PRACTITIONER_INVITATION_ENABLED", false);
    HTTP_ANSWER signed_up = sign_up(email);
    suite_set_switch(suite, admin->access, "PRACTITIONER_INVITATION_ENABLED", true);
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", false);
    CHECK_STATUS(signed_up, 200);
    CU_ASSERT_EQUAL(strncmp(http_text(signed_up, "profile.reference"), "Patient/", 8), 0);
    CU_ASSERT_EQUAL(pending_of(email), 0);
    free(email);
}

/* ---- admin rights ---- */

static struct http_answer *set_admin(const struct person *who, const char *id, bool value)
{
    char path[128];

    snprintf(path, sizeof(path), MEMBER_PATH "/%s", id);
    return http_call(suite_url(suite),
                     &(struct http_request){.method = "PATCH",
                                            .path = path,
                                            .bearer = who->access,
                                            .body = json_pack("{s:b}", "admin", value)});
}

/* Attack: a stolen access token makes its holder an admin permanently. */
static void rights_of_an_admin_need_a_fresh_proof(void)
{
    PERSON member = join_demo(NULL);
    PERSON boss = person_admin(suite);
    char *waiting = person_address(), *refused = person_address();
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", member->access);
    HTTP_ANSWER pending = invite(boss, waiting, NULL, false);
    const char *ids[] = {http_text(me, "membership.id"), http_text(pending, "id")};

    suite_set_clock(suite, 16 * 60);
    HTTP_ANSWER created = invite(boss, refused, NULL, true);
    check_code(created, 401, "STEP_UP_REQUIRED");
    HTTP_ANSWER ordinary = invite(boss, refused, NULL, false);
    CHECK_STATUS(ordinary, 200);
    HTTP_ANSWER twice = invite(boss, refused, NULL, true); /* other errors come first */
    CHECK_STATUS(twice, 409);
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        HTTP_ANSWER given = set_admin(boss, ids[i], true);
        check_code(given, 401, "STEP_UP_REQUIRED");
    }
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select (select count(*) from auth.invitation where admin and "
                                "email in ('%s', '%s')) + (select count(*) from auth.membership "
                                "where admin and id = '%s')",
                                waiting, refused, ids[0]),
                    0);
    HTTP_ANSWER proof = http_post(suite_url(suite), "/auth/step-up", boss->access,
                                  json_pack("{s:s}", "password", boss->password));
    CHECK_STATUS(proof, 204);
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        HTTP_ANSWER given = set_admin(boss, ids[i], true);
        CHECK_STATUS(given, 200);
    }
    suite_set_clock(suite, 40 * 60);
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) { /* removing admin rights needs no proof */
        HTTP_ANSWER taken = set_admin(boss, ids[i], false);
        CHECK_STATUS(taken, 200);
    }
    suite_set_clock(suite, 0);
    free(waiting);
    free(refused);
}

/* ---- races ---- */

static void one_of_many_accepts_wins(void)
{
    enum { MANY = 64 };
    static struct http_request requests[MANY];
    static struct http_answer *answers[MANY];
    PERSON paula = join_proven("demo");
    HTTP_ANSWER made = invite(north, paula->email, NULL, true);
    struct mail_link link = suite_mail_link(suite, paula->email, NORTH_PAGE);

    CHECK_STATUS(made, 200);
    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){
            .method = "POST", .path = ACCEPT, .bearer = paula->access, .body = body_link(link)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    CU_ASSERT_EQUAL(http_count_status(answers, MANY, 204), 1);
    CU_ASSERT_EQUAL(http_count_status(answers, MANY, 400), MANY - 1);
    CU_ASSERT_EQUAL(memberships_of(paula->email, north), 1);
    http_answers_destroy(answers, MANY);
}

/* Withdraws the invitation, resends it or deletes the account during an acceptance: one of the two
 * wins completely. If the account has joined before, its deletion in the first project ends only
 * that membership. An account with a scheduled deletion can join and is still deleted. */
static void accepts_race_with_what_ends_them(void)
{
    enum { WITHDRAW, RESEND, DELETE, KINDS, ROUNDS = 3 * KINDS };

    for (int round = 0; round < ROUNDS; round++) {
        PERSON paula = join_proven("demo");
        HTTP_ANSWER made = invite(north, paula->email, NULL, false);
        struct mail_link link = suite_mail_link(suite, paula->email, NORTH_PAGE);
        struct http_answer *answers[2];
        char path[128], again[160];
        int kind = round % KINDS;

        snprintf(path, sizeof(path), MEMBER_PATH "/%s", http_text(made, "id"));
        snprintf(again, sizeof(again), "%s/resend", path);
        const struct http_request others[] = {
            [WITHDRAW] = {.method = "DELETE", .path = path, .bearer = north->access},
            [RESEND] = {.method = "POST", .path = again, .bearer = north->access},
            [DELETE] = {.method = "DELETE",
                        .path = "/auth/delete",
                        .bearer = paula->access,
                        .body = kind == DELETE ? json_pack("{s:i}", "days", 0) : NULL},
        };
        const struct http_request requests[] = {
            {.method = "POST", .path = ACCEPT, .bearer = paula->access, .body = body_link(link)},
            others[kind],
        };
        http_call_many(suite_url(suite), requests, 2, 2, answers);
        UNIT_CHECK(answers[0]->status != 0 && answers[0]->status < 500, "round %d: %d", round,
                   answers[0]->status);
        UNIT_CHECK(answers[1]->status != 0 && answers[1]->status < 500, "round %d: %d", round,
                   answers[1]->status);
        bool joined = answers[0]->status == 204;
        if (kind == DELETE)
            CU_ASSERT_TRUE(suite_comes_to(
                suite, 0, 15000,
                "select count(*) from auth.account a where email = '%s' and "
                "(select array_agg(project_id) from auth.membership where account_id = a.id) is "
                "distinct from array['%s']::uuid[]",
                paula->email, strrchr(north->project, '/') + 1));
        /* withdrawing an accepted invitation removes the member */
        long left = memberships_of(paula->email, north);
        UNIT_CHECK(kind == WITHDRAW ? left == 0
                   : kind == RESEND ? left == joined
                                    : left <= joined,
                   "round %d: %ld", round, left);
        if (kind == RESEND && answers[0]->status != 204)
            CU_ASSERT_EQUAL(pending_of(paula->email), 1);
        http_answers_destroy(answers, 2);
    }
}

static void a_kill_leaves_no_half_acceptance(void)
{
    for (int round = 0; round < 5; round++) {
        PERSON paula = join_proven("demo");
        HTTP_ANSWER made = invite(north, paula->email, NULL, false);
        struct mail_link link = suite_mail_link(suite, paula->email, NORTH_PAGE);
        pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
        pid_t killer = suite_kill_both_later(suite, "authd", 2 + round * 3);
        HTTP_ANSWER accepted = accept_as(paula, link);

        CHECK_STATUS(made, 200);
        waitpid(killer, NULL, 0);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
        UNIT_CHECK(accepted->status == 204 || accepted->status == 503, "%d", accepted->status);
        long joined = memberships_of(paula->email, north);
        CU_ASSERT_TRUE(joined == 1 || accepted->status != 204);
        CU_ASSERT_EQUAL(pending_of(paula->email), 1 - joined);
        HTTP_ANSWER again = accept_as(paula, link);
        CHECK_STATUS(again, joined ? 400 : 204);
    }
}

/* An operator's own application appears only in emails. Refusals name the hosted pages, where
 * accounts are changed. */
static void refusals_name_the_hosted_page(void)
{
    suite_reconfigure(suite, "authd.account_app_url=https://account.example");
    PERSON boss = person_sign_in(suite, "Practitioner", north->email, PASSWORD, "north");
    PERSON known = join_demo(NULL);
    HTTP_ANSWER made = invite(boss, known->email, NULL, false);

    CHECK_STATUS(made, 200);
    check_unverified_accepts_nothing(known, link_of(known->email, 2, NORTH_PAGE));
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    person_destroy(&north);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(another_organisation_is_there),
    CASE(an_unproven_account_gets_nothing_by_an_invitation),
    CASE(an_unproven_account_gets_nothing_by_create_admin),
    CASE(the_second_factor_of_an_unproven_account_goes),
    CASE(inviting_reveals_nothing_of_other_tenants),
    CASE(inviting_takes_equal_time),
    CASE(the_template_is_needed_for_accounts_too),
    CASE(a_proven_account_accepts_signed_in),
    CASE(wrong_bodies_are_refused),
    CASE(a_proof_of_one_organisation_is_none_in_another),
    CASE(patients_accept_as_practitioners_do),
    CASE(a_patient_verified_for_all_accepts_by_password),
    CASE(a_proven_member_of_the_organisation_is_added_at_once),
    CASE(a_second_factor_is_needed_where_the_project_asks_for_it),
    CASE(withdrawn_and_older_links_are_dead),
    CASE(a_sign_up_leaves_the_invitation_of_an_admin_alone),
    CASE(a_sign_up_gives_no_rights_of_an_admin),
    CASE(a_sign_up_registers_a_patient_where_invitations_are_off),
    CASE(rights_of_an_admin_need_a_fresh_proof),
    CASE(one_of_many_accepts_wins),
    CASE(accepts_race_with_what_ends_them),
    CASE(a_kill_leaves_no_half_acceptance),
    CASE(refusals_name_the_hosted_page),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    return unit_run("membership", cases, ARRAY_SIZE(cases));
}
