/*
 * test_member_races.c - concurrent invitations, acceptances, removals and sign-ins, also while
 * every authd is killed, leave consistent data.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/members.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin;

static void one_wins_a_race_to_invite(void)
{
    enum { MANY = 12 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *email = person_address();

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = MEMBER_PATH,
                                            .bearer = admin->access,
                                            .body = member_body(email, NULL, false)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    CU_ASSERT_EQUAL(http_count_status(answers, MANY, 200), 1);
    CU_ASSERT_EQUAL(http_count_status(answers, MANY, 409) + http_count_status(answers, MANY, 429),
                    MANY - 1);
    CU_ASSERT_EQUAL(member_pending_count(suite, email), 1);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    HTTP_ANSWER accepted = member_accept(
        suite, suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK), MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    http_answers_destroy(answers, MANY);

    /* The same invitation many times, now for an existing account, which becomes a member
     * directly. */
    PERSON there = member_equipped_child(suite, "racing");
    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = MEMBER_PATH,
                                            .bearer = there->access,
                                            .body = member_body(email, NULL, false)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    CU_ASSERT_EQUAL(http_count_status(answers, MANY, 200), 1);
    CU_ASSERT_EQUAL(http_count_status(answers, MANY, 409), MANY - 1);
    CU_ASSERT_EQUAL(member_count(suite, email), 2);
    http_answers_destroy(answers, MANY);
    free(email);
}

static void one_wins_a_race_to_accept(void)
{
    enum { MANY = 12 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *email = person_address(), password[32];
    HTTP_ANSWER made = member_invite(suite, admin->access, email, NULL);
    struct mail_link link = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);

    CHECK_STATUS(made, 200);
    for (int i = 0; i < MANY; i++) {
        snprintf(password, sizeof(password), "password %d", i);
        requests[i] = (struct http_request){.method = "POST",
                                            .path = MEMBER_ACCEPT_PATH,
                                            .body = member_body_accept(link, password)};
    }
    pid_t holder = suite_hold(suite, "select 1 from auth.invitation for update");
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    waitpid(holder, NULL, 0);
    CU_ASSERT_EQUAL(http_count_status(answers, MANY, 204), 1);
    for (int i = 0; i < MANY; i++) {
        if (answers[i]->status == 204) {
            snprintf(password, sizeof(password), "password %d", i);
            PERSON winner = person_sign_in(suite, "Practitioner", email, password, NULL);
            CU_ASSERT_EQUAL(winner->status, 200);
        } else {
            CHECK_ERROR(answers[i], 400, MEMBER_BAD_LINK);
        }
    }
    CU_ASSERT_EQUAL(member_count(suite, email), 1);
    http_answers_destroy(answers, MANY);
    free(email);
}

static void everything_at_once_leaves_one_account(void)
{
    for (int round = 0; round < 6; round++) {
        char *email = person_address(), path[128], again[160];
        HTTP_ANSWER made = member_invite(suite, admin->access, email, "Patient");
        struct mail_link link = suite_mail_link(suite, email, MEMBER_PATIENT_LINK);
        struct http_answer *answers[4];
        const char *source = "127.9.9.9";

        snprintf(path, sizeof(path), MEMBER_PATH "/%s", http_text(made, "id"));
        snprintf(again, sizeof(again), MEMBER_PATH "/%s/resend", http_text(made, "id"));
        const struct http_request requests[] = {
            {.method = "POST",
             .path = MEMBER_ACCEPT_PATH,
             .body = member_body_accept(link, MEMBER_PASSWORD)},
            {.method = round % 2 ? "DELETE" : "POST",
             .path = round % 2 ? path : again,
             .bearer = admin->access},
            {.method = "POST",
             .path = "/auth/tenant/Patient/register",
             .source = round ? NULL : source,
             .body = body_register(email, "demo")},
            {.method = "POST",
             .path = MEMBER_ACCEPT_PATH,
             .body = member_body_accept(link, "the other")},
        };
        http_call_many(suite_url(suite), requests, ARRAY_SIZE(requests), 4, answers);
        for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
            UNIT_CHECK(answers[i]->status != 0 && answers[i]->status < 500, "round %d: %zu: %d",
                       round, i, answers[i]->status);
        /* at most one succeeds: the second finds the link used, or the account must sign in */
        UNIT_CHECK(answers[0]->status != 204 || answers[3]->status != 204,
                   "round %d: one link was redeemed twice", round);
        CU_ASSERT_TRUE(member_count(suite, email) <= 1);
        CU_ASSERT_EQUAL(member_count(suite, email),
                        suite_count(suite,
                                    "select count(*) from auth.account a join auth.credential c "
                                    "on c.account_id = a.id where a.email = '%s'",
                                    email));
        if (round % 2 && answers[1]->status == 200)
            CU_ASSERT_EQUAL(member_pending_count(suite, email), 0);
        http_answers_destroy(answers, ARRAY_SIZE(requests));
        free(email);
    }
}

static void one_of_two_admins_stays(void)
{
    for (int round = 0; round < 6; round++) {
        char code[32], id[37], paths[2][128];
        PERSON rui = member_join(suite, admin, "Practitioner", false, id);

        snprintf(code, sizeof(code), "duel-%d", round);
        PERSON there = member_equipped_child(suite, code);
        HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", there->access);
        HTTP_ANSWER made =
            member_call(suite, "POST", there->access, "", "", member_body(rui->email, NULL, true));
        PERSON second = person_sign_in(suite, "Practitioner", rui->email, MEMBER_PASSWORD, code);
        struct http_answer *answers[2];

        snprintf(paths[0], sizeof(paths[0]), MEMBER_PATH "/%s", http_text(made, "id"));
        snprintf(paths[1], sizeof(paths[1]), MEMBER_PATH "/%s", http_text(me, "membership.id"));
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
        UNIT_CHECK(http_count_status(answers, 2, 200) == 1, "round %d: %d and %d", round,
                   answers[0]->status, answers[1]->status);
        CU_ASSERT_EQUAL(suite_count(suite,
                                    "select count(*) from auth.membership where admin "
                                    "and project_id = '%s'",
                                    there->project + strlen("Project/")),
                        1);
        http_answers_destroy(answers, 2);
    }
}

static void no_sign_in_slips_past_a_removal(void)
{
    static const char *const roles[] = {"Practitioner", "Patient"};

    for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
        char id[37], path[128], step[96], *source = fresh_source();
        PERSON rui = member_join(suite, admin, roles[i], false, id);
        struct http_answer *answers[2];
        pid_t holder;

        snprintf(path, sizeof(path), MEMBER_PATH "/%s", id);
        snprintf(step, sizeof(step), "/auth/tenant/%s/login/start", roles[i]);
        HTTP_ANSWER start = suite_post_from(suite, source, step,
                                            body_login_start(rui->email, MEMBER_PASSWORD, "demo"));
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
            CU_ASSERT_EQUAL(suite_refresh_status(suite, http_text(answers[0], "refreshToken")),
                            401);
        }
        CU_ASSERT_EQUAL(suite_count(suite,
                                    "select count(*) from auth.session where ended_at is null "
                                    "and membership_id = '%s'",
                                    id),
                        0);
        http_answers_destroy(answers, 2);
        free(source);
    }
}

static void wait_for_both(pid_t killer, pid_t first, pid_t second)
{
    waitpid(killer, NULL, 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
}

static void a_kill_leaves_no_half_invitation(void)
{
    for (int round = 0; round < 6; round++) {
        char *email = person_address();
        pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
        pid_t killer = suite_kill_both_later(suite, "authd", round * 3);
        HTTP_ANSWER made = member_invite(suite, admin->access, email, NULL);

        wait_for_both(killer, first, second);
        CU_ASSERT_TRUE(made->status == 200 || made->status == 503);
        long pending = member_pending_count(suite, email);
        CU_ASSERT_TRUE(pending == 1 || made->status != 200);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, email, (size_t)pending));
        if (pending == 1) {
            HTTP_ANSWER accepted = member_accept(
                suite, suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK), MEMBER_PASSWORD);
            CHECK_STATUS(accepted, 204);
        }
        free(email);
    }
}

static void a_kill_leaves_no_half_member(void)
{
    for (int round = 0; round < 5; round++) {
        char *email = person_address();
        HTTP_ANSWER made = member_invite(suite, admin->access, email, NULL);
        struct mail_link link = suite_mail_link(suite, email, MEMBER_PRACTITIONER_LINK);
        pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
        pid_t killer = suite_kill_both_later(suite, "authd", 15 + round * 12);
        HTTP_ANSWER accepted = member_accept(suite, link, MEMBER_PASSWORD);

        CHECK_STATUS(made, 200);
        wait_for_both(killer, first, second);
        CU_ASSERT_TRUE(accepted->status == 204 || accepted->status == 503);
        long joined = member_count(suite, email);
        CU_ASSERT_TRUE(joined == 1 || accepted->status != 204);
        CU_ASSERT_EQUAL(member_pending_count(suite, email), 1 - joined);
        HTTP_ANSWER again = member_accept(suite, link, MEMBER_PASSWORD);
        if (joined)
            CHECK_ERROR(again, 400, MEMBER_BAD_LINK);
        else
            CHECK_STATUS(again, 204);
        PERSON rui = person_sign_in(suite, "Practitioner", email, MEMBER_PASSWORD, NULL);
        CU_ASSERT_EQUAL(rui->status, 200);
        free(email);
    }
}

static void a_kill_leaves_no_half_removal(void)
{
    for (int round = 0; round < 6; round++) {
        PERSON patient = person_register(suite, NULL);
        json_t *entry = member_listed(suite, admin->access, patient->email);
        pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
        pid_t killer = suite_kill_both_later(suite, "authd", round * 3);
        HTTP_ANSWER gone = member_withdraw(suite, admin->access, member_text(entry, "id"));

        wait_for_both(killer, first, second);
        CU_ASSERT_TRUE(gone->status == 200 || gone->status == 503);
        long left = member_count(suite, patient->email);
        CU_ASSERT_TRUE(left == 0 || gone->status != 200);
        CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.account where email = '%s'",
                                    patient->email),
                        left);
        CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, left ? 200 : 401));
        CU_ASSERT_EQUAL(suite_refresh_status(suite, patient->refresh), left ? 200 : 401);
        json_decref(entry);
    }
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(one_wins_a_race_to_invite),
    CASE(one_wins_a_race_to_accept),
    CASE(everything_at_once_leaves_one_account),
    CASE(one_of_two_admins_stays),
    CASE(no_sign_in_slips_past_a_removal),
    CASE(a_kill_leaves_no_half_invitation),
    CASE(a_kill_leaves_no_half_member),
    CASE(a_kill_leaves_no_half_removal),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    return unit_run("member races", cases, ARRAY_SIZE(cases));
}
