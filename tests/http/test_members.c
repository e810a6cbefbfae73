/*
 * test_members.c - members of a project: list, admins, removal and its tokens. See test_invitations
 * for joining, test_member_races for races and kills.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/members.h"
#include "tests/support/unit.h"

static const char last_admin[] = "The project needs at least one admin, and this is the last one.";

static struct suite *suite;
static struct person *admin;

static void members_are_listed_by_pages(void)
{
    PERSON there = member_equipped_child(suite, "pages");
    char id[37];
    PERSON rui = member_join(suite, admin, "Practitioner", false, id);
    const char *emails[] = {there->email, rui->email, "a@pages.example", "b@pages.example"};

    for (size_t i = 1; i < ARRAY_SIZE(emails); i++) {
        HTTP_ANSWER made = member_invite(suite, there->access, emails[i], NULL);
        CHECK_STATUS(made, 200);
    }
    for (int i = 0; i < 5; i++) {
        char path[96];

        snprintf(path, sizeof(path), MEMBER_PATH "?_count=1&_offset=%d", i);
        HTTP_ANSWER page = http_get(suite_url(suite), path, there->access);
        CHECK_STATUS(page, 200);
        CU_ASSERT_EQUAL(json_integer_value(http_member(page, "total")), 4);
        CU_ASSERT_EQUAL(json_array_size(http_member(page, "resources")), i < 4 ? 1 : 0);
        if (i < 4)
            CU_ASSERT_STRING_EQUAL(http_text(page, "resources.0.email"), emails[i]);
    }
    HTTP_ANSWER all = http_get(suite_url(suite), MEMBER_PATH, there->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(all, "resources")), 4);
    CU_ASSERT_TRUE(json_is_null(http_member(all, "resources.0.invitedAt")));
    CU_ASSERT_TRUE(json_is_true(http_member(all, "resources.0.admin")));
}

static void invitations_are_listed_by_role(void)
{
    PERSON there = member_equipped_child(suite, "invited");
    const char *emails[] = {"c@invited.example", "a@invited.example", "b@invited.example"};

    for (size_t i = 0; i < ARRAY_SIZE(emails); i++) {
        HTTP_ANSWER made = member_invite(suite, there->access, emails[i], NULL);
        CHECK_STATUS(made, 200);
    }
    HTTP_ANSWER first =
        http_get(suite_url(suite), MEMBER_PATH "?invited=Practitioner&_count=2", there->access);
    CHECK_STATUS(first, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(first, "total")), 3);
    CU_ASSERT_EQUAL(json_array_size(http_member(first, "resources")), 2);
    CU_ASSERT_STRING_EQUAL(http_text(first, "resources.0.email"), emails[1]);
    CU_ASSERT_TRUE(json_is_true(http_member(first, "resources.0.pending")));
    HTTP_ANSWER last =
        http_get(suite_url(suite), MEMBER_PATH "?invited=Practitioner&_offset=2", there->access);
    CU_ASSERT_STRING_EQUAL(http_text(last, "resources.0.email"), emails[0]);
    HTTP_ANSWER patients =
        http_get(suite_url(suite), MEMBER_PATH "?invited=Patient", there->access);
    CU_ASSERT_EQUAL(json_integer_value(http_member(patients, "total")), 0);
    HTTP_ANSWER wrong = http_get(suite_url(suite), MEMBER_PATH "?invited=true", there->access);
    CHECK_PROBLEM(wrong, "invited");
}

static void another_project_is_out_of_reach(void)
{
    PERSON there = member_equipped_child(suite, "elsewhere");
    char id[37], *email = person_address();
    PERSON rui = member_join(suite, admin, "Practitioner", false, id);
    HTTP_ANSWER made = member_invite(suite, admin->access, email, NULL);
    const char *ids[] = {id, http_text(made, "id")};

    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        HTTP_ANSWER gone = member_withdraw(suite, there->access, ids[i]);
        CHECK_ERROR(gone, 404, "Member not found.");
        HTTP_ANSWER changed = member_set_admin(suite, there->access, ids[i], true);
        CHECK_ERROR(changed, 404, "Member not found.");
        HTTP_ANSWER again = member_resend(suite, there->access, ids[i]);
        CHECK_ERROR(again, 404, "Member not found.");
    }
    CU_ASSERT_PTR_NULL(member_listed(suite, there->access, rui->email));
    CU_ASSERT_PTR_NULL(member_listed(suite, there->access, email));
    HTTP_ANSWER list = http_get(suite_url(suite), MEMBER_PATH, rui->access);
    CHECK_STATUS(list, 403);
    free(email);
}

static bool administers(const char *access, bool want)
{
    enum { MANY = 24 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int count = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.path = MEMBER_PATH, .bearer = access};
    http_call_many(suite_url(suite), requests, MANY, 8, answers);
    for (int i = 0; i < MANY; i++)
        count += answers[i]->status == (want ? 200 : 403);
    http_answers_destroy(answers, MANY);
    return count == MANY;
}

static void admin_is_given_and_taken(void)
{
    char id[37], patient_id[37], *email = person_address();
    PERSON rui = member_join(suite, admin, "Practitioner", false, id);
    PERSON patient = member_join(suite, admin, "Patient", false, patient_id);

    CU_ASSERT_TRUE(administers(rui->access, false));
    CU_ASSERT_TRUE(administers(patient->access, false));
    HTTP_ANSWER given = member_set_admin(suite, admin->access, id, true);
    CHECK_STATUS(given, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(given, "admin")));
    CU_ASSERT_STRING_EQUAL(http_text(given, "email"), rui->email);
    CU_ASSERT_TRUE(administers(rui->access, true));
    HTTP_ANSWER same = member_set_admin(suite, admin->access, id, true);
    CHECK_STATUS(same, 200);
    HTTP_ANSWER taken =
        member_set_admin(suite, rui->access, id, false); /* an admin demotes itself */
    CHECK_STATUS(taken, 200);
    CU_ASSERT_TRUE(administers(rui->access, false));

    HTTP_ANSWER ruler = member_set_admin(suite, admin->access, patient_id, true);
    CHECK_PROBLEM(ruler, "admin");
    HTTP_ANSWER as_is = member_set_admin(suite, admin->access, patient_id, false);
    CHECK_STATUS(as_is, 200);

    HTTP_ANSWER made = member_invite(suite, admin->access, email, NULL);
    HTTP_ANSWER will = member_set_admin(suite, admin->access, http_text(made, "id"), true);
    CHECK_STATUS(will, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(will, "pending")));
    HTTP_ANSWER accepted = member_accept(
        suite, suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK), MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    PERSON later = person_sign_in(suite, "Practitioner", email, MEMBER_PASSWORD, NULL);
    CU_ASSERT_TRUE(administers(later->access, true));
    free(email);
}

static void the_list_shows_verified_addresses(void)
{
    char *email = person_address();

    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    HTTP_ANSWER registered =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/register", body_register(email, "demo"));
    CHECK_STATUS(registered, 200);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    json_t *unproven = member_listed(suite, admin->access, email);
    CU_ASSERT_TRUE(json_is_false(json_object_get(unproven, "emailVerified")));
    free(suite_query(suite,
                     "insert into auth.email_verified (account_id, organization_id, verified_at) "
                     "select id, '00000000-0000-0000-0000-000000000000', 0 "
                     "from auth.account order by id desc limit 1 returning 1"));
    json_t *proven = member_listed(suite, admin->access, email);
    CU_ASSERT_TRUE(json_is_true(json_object_get(proven, "emailVerified")));
    json_decref(unproven);
    json_decref(proven);
    free(email);
}

static void a_project_keeps_an_admin(void)
{
    PERSON there = member_equipped_child(suite, "keeps");
    char id[37];
    PERSON rui = member_join(suite, admin, "Practitioner", false, id);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", there->access);
    const char *own = http_text(me, "membership.id");
    HTTP_ANSWER last = member_set_admin(suite, there->access, own, false);

    CHECK_ERROR(last, 409, last_admin);
    HTTP_ANSWER self = member_withdraw(suite, there->access, own);
    CHECK_ERROR(self, 409, "You can't remove yourself. Ask another admin.");
    HTTP_ANSWER made =
        member_call(suite, "POST", there->access, "", "", member_body(rui->email, NULL, true));
    CHECK_STATUS(made, 200);
    PERSON second = person_sign_in(suite, "Practitioner", rui->email, MEMBER_PASSWORD, "keeps");
    HTTP_ANSWER still = member_withdraw(suite, there->access, own);
    CHECK_ERROR(still, 409, "You can't remove yourself. Ask another admin.");
    HTTP_ANSWER stepped = member_set_admin(suite, there->access, own, false);
    CHECK_STATUS(stepped, 200);
    CU_ASSERT_TRUE(administers(there->access, false));
    HTTP_ANSWER alone = member_set_admin(suite, second->access, http_text(made, "id"), false);
    CHECK_ERROR(alone, 409, last_admin);
    HTTP_ANSWER removed = member_withdraw(suite, second->access, own);
    CHECK_STATUS(removed, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 401));
}

/* Counts the projects that know a practitioner's last sign-in. */
static long sign_ins_known(const char *email)
{
    return suite_count(suite,
                       "select count(*) from auth.last_sign_in l join auth.account a on a.id = "
                       "l.account_id where a.role = 'Practitioner' and a.email = '%s'",
                       email);
}

static void a_removed_practitioner_keeps_the_account(void)
{
    char id[37];
    PERSON rui = member_join(suite, admin, "Practitioner", false, id);
    PERSON there = member_equipped_child(suite, "other-place");
    HTTP_ANSWER added = member_invite(suite, there->access, rui->email, NULL);

    CHECK_STATUS(added, 200);
    PERSON elsewhere =
        person_sign_in(suite, "Practitioner", rui->email, MEMBER_PASSWORD, "other-place");
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 200));
    CU_ASSERT_EQUAL(sign_ins_known(rui->email), 2);
    HTTP_ANSWER gone = member_withdraw(suite, admin->access, id);
    CHECK_STATUS(gone, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 401));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, rui->refresh), 401);
    CU_ASSERT_EQUAL(sign_ins_known(rui->email), 1);
    HTTP_ANSWER logout = http_post(suite_url(suite), "/auth/logout", rui->access, NULL);
    CHECK_STATUS(logout, 401);
    CU_ASSERT_TRUE(suite_everywhere(suite, elsewhere->access, 200));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, elsewhere->refresh), 200);
    PERSON back = person_sign_in(suite, "Practitioner", rui->email, MEMBER_PASSWORD, NULL);
    CU_ASSERT_EQUAL(back->status, 400);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.session where end_reason = 'removed' "
                                "and membership_id = '%s'",
                                id),
                    1);

    /* Inviting the person again makes a new membership, and old tokens stay invalid. */
    HTTP_ANSWER anew = member_invite(suite, admin->access, rui->email, NULL);
    CHECK_STATUS(anew, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(anew, "pending")));
    CU_ASSERT_STRING_NOT_EQUAL(http_text(anew, "id"), id);
    CU_ASSERT_TRUE(suite_everywhere(suite, rui->access, 401));
    PERSON again = person_sign_in(suite, "Practitioner", rui->email, MEMBER_PASSWORD, NULL);
    CU_ASSERT_EQUAL(again->status, 200);
}

static void a_removed_patient_is_gone(void)
{
    PERSON patient = person_register(suite, NULL);
    json_t *entry = member_listed(suite, admin->access, patient->email);

    CU_ASSERT_TRUE(json_is_null(json_object_get(entry, "invitedAt")));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 1));
    HTTP_ANSWER reset =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));
    CHECK_STATUS(reset, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));
    struct mail_link link =
        suite_mail_link(suite, patient->email, "https://patient.demo.example/set-password");
    HTTP_ANSWER gone = member_withdraw(suite, admin->access, member_text(entry, "id"));
    CHECK_STATUS(gone, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    CU_ASSERT_EQUAL(suite_refresh_status(suite, patient->refresh), 401);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.account where email = '%s'",
                                patient->email),
                    0);
    HTTP_ANSWER late = member_accept(suite, link, "x");
    CHECK_ERROR(late, 400, MEMBER_BAD_LINK);
    PERSON back = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    CU_ASSERT_EQUAL(back->status, 400);
    PERSON anew = person_register(suite, patient->email);
    CU_ASSERT_EQUAL(anew->status, 200);
    CU_ASSERT_STRING_NOT_EQUAL(anew->profile, patient->profile);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    json_decref(entry);
}

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
    HTTP_ANSWER made = member_invite(suite, admin->access, email, NULL);
    const char *id = http_text(made, "id");
    HTTP_ANSWER again = member_resend(suite, admin->access, id);
    HTTP_ANSWER will = member_set_admin(suite, admin->access, id, true);

    CHECK_STATUS(again, 200);
    CHECK_STATUS(will, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    HTTP_ANSWER accepted = member_accept(
        suite, suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK), MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    HTTP_ANSWER no_more = member_set_admin(suite, admin->access, id, false);
    CHECK_STATUS(no_more, 200);
    HTTP_ANSWER gone = member_withdraw(suite, admin->access, id);
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

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(members_are_listed_by_pages),
    CASE(invitations_are_listed_by_role),
    CASE(another_project_is_out_of_reach),
    CASE(admin_is_given_and_taken),
    CASE(the_list_shows_verified_addresses),
    CASE(a_project_keeps_an_admin),
    CASE(a_removed_practitioner_keeps_the_account),
    CASE(a_removed_patient_is_gone),
    CASE(changes_are_audited),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    return unit_run("members", cases, ARRAY_SIZE(cases));
}
