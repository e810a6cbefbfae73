/*
 * test_sessions.c - access tokens, refresh rotation, logout and session routes.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

static const char bad_refresh[] = "Refresh token is invalid or has expired.";

static struct suite *suite;

static struct http_answer *me(const char *access)
{
    return http_get(suite_url(suite), "/auth/me", access);
}

static void me_shows_the_account(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER answer = me(admin->access);

    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "project.resourceType"), "Project");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "project.id"), suite_text(suite, "demo.projectId"));
    CU_ASSERT_TRUE(*http_text(answer, "project.name") != '\0');
    CU_ASSERT_STRING_EQUAL(http_text(answer, "membership.resourceType"), "ProjectMembership");
    CU_ASSERT_TRUE(json_is_true(http_member(answer, "membership.admin")));
    CU_ASSERT_STRING_EQUAL(http_text(answer, "membership.user.reference"), admin->profile);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "profile.resourceType"), "Practitioner");
    CU_ASSERT_TRUE(json_is_array(http_member(answer, "profile.name.0.given")));
    CU_ASSERT_TRUE(*http_text(answer, "profile.name.0.family") != '\0');
    CU_ASSERT_STRING_EQUAL(http_text(answer, "profile.telecom.0.system"), "email");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "config.resourceType"), "UserConfiguration");
    CU_ASSERT_TRUE(json_is_false(http_member(answer, "project.strictMode")));
    CU_ASSERT_TRUE(json_is_array(http_member(answer, "config.menu")));
    CU_ASSERT_STRING_EQUAL(http_text(answer, "security.sessions.0.browser"), "unknown");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "security.sessions.0.os"), "unknown");
    CU_ASSERT_TRUE(json_is_false(http_member(answer, "security.mfaEnrolled")));
    CU_ASSERT_TRUE(json_array_size(http_member(answer, "security.sessions")) >= 1);

    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER theirs = me(patient->access);
    CU_ASSERT_TRUE(json_is_false(http_member(theirs, "membership.admin")));
    CU_ASSERT_STRING_EQUAL(http_text(theirs, "accessPolicy.resourceType"), "AccessPolicy");
    CU_ASSERT_TRUE(json_is_array(http_member(theirs, "accessPolicy.resource")));
}

static void bad_tokens_are_refused(void)
{
    PERSON patient = person_register(suite, NULL);
    char *altered = strdup(patient->access), *cut = strdup(patient->access), *huge = malloc(6001);
    size_t length = strlen(altered);

    altered[length - 10] = altered[length - 10] == 'A' ? 'B' : 'A';
    cut[length / 2] = '\0';
    memset(huge, 'a', 6000);
    huge[6000] = '\0';
    const char *const rows[] = {
        "",
        "x",
        "a.b.c",
        altered,
        cut,
        huge,
        /* {"alg":"none"}, and HS256 with an unknown key */
        "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJQYXRpZW50LzEifQ.",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0."
        "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = me(rows[i]);
        CHECK_STATUS(answer, 401);
    }
    HTTP_ANSWER none = me(NULL);
    CHECK_STATUS(none, 401);
    HTTP_ANSWER basic = http_call(suite_url(suite),
                                  &(struct http_request){.path = "/auth/me",
                                                         .headers = {"Authorization: Basic YTpi"}});
    CHECK_STATUS(basic, 401);
    free(altered);
    free(cut);
    free(huge);
}

static void an_access_token_lives_an_hour(void)
{
    PERSON patient = person_register(suite, NULL);

    suite_set_clock(suite, 3590);
    HTTP_ANSWER before = me(patient->access);
    CHECK_STATUS(before, 200);
    suite_set_clock(suite, 3605);
    HTTP_ANSWER after = me(patient->access);
    CHECK_STATUS(after, 401);
    suite_set_clock(suite, 0);
}

static void refresh_rotates(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER first = suite_refresh(suite, patient->refresh);

    CHECK_STATUS(first, 200);
    CU_ASSERT_STRING_EQUAL(http_text(first, "token_type"), "Bearer");
    CU_ASSERT_EQUAL(json_integer_value(http_member(first, "expires_in")), 3600);
    CU_ASSERT_STRING_NOT_EQUAL(http_text(first, "refresh_token"), patient->refresh);
    HTTP_ANSWER works = me(http_text(first, "access_token"));
    CHECK_STATUS(works, 200);

    /* After a lost response, the same successor is returned until that one was used. */
    HTTP_ANSWER again = suite_refresh(suite, patient->refresh);
    CHECK_STATUS(again, 200);
    CU_ASSERT_STRING_EQUAL(http_text(again, "refresh_token"), http_text(first, "refresh_token"));
    HTTP_ANSWER second = suite_refresh(suite, http_text(first, "refresh_token"));
    CHECK_STATUS(second, 200);

    /* The first token is two generations old now, so its use is a theft. */
    HTTP_ANSWER stolen = suite_refresh(suite, patient->refresh);
    CHECK_ERROR(stolen, 401, bad_refresh);
    HTTP_ANSWER victim = suite_refresh(suite, http_text(second, "refresh_token"));
    CHECK_ERROR(victim, 401, bad_refresh);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(second, "access_token"), 401));
}

static void forged_refresh_tokens_end_nothing(void)
{
    PERSON patient = person_register(suite, NULL);
    char *altered = strdup(patient->refresh), *long_one = malloc(514);

    altered[strlen(altered) - 3] = altered[strlen(altered) - 3] == 'A' ? 'B' : 'A';
    memset(long_one, 'a', 513);
    long_one[513] = '\0';
    HTTP_ANSWER garbage = suite_refresh(suite, "garbage");
    CHECK_ERROR(garbage, 401, bad_refresh);
    HTTP_ANSWER over = suite_refresh(suite, long_one);
    CHECK_PROBLEM(over, "refresh_token");
    HTTP_ANSWER empty = suite_refresh(suite, "");
    CHECK_PROBLEM(empty, "refresh_token");

    /* A session can be ended with the first half of a token, which all tokens of the session share,
     * but not with another session's half. */
    PERSON other = person_register(suite, NULL);
    size_t half = strlen(altered) / 2;
    memcpy(altered + half, other->refresh + half, half);
    memset(altered + 44, 'A', 20);
    HTTP_ANSWER mixed = suite_refresh(suite, altered);
    CHECK_ERROR(mixed, 401, bad_refresh);
    HTTP_ANSWER fine = suite_refresh(suite, patient->refresh);
    CHECK_STATUS(fine, 200);
    free(altered);
    free(long_one);
}

static void one_successor_for_sixty_four(void)
{
    enum { MANY = 64 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    PERSON patient = person_register(suite, NULL);

    for (int i = 0; i < MANY; i++)
        requests[i] =
            (struct http_request){.method = "POST",
                                  .path = "/auth/refresh-token",
                                  .body = json_pack("{s:s}", "refresh_token", patient->refresh)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        CHECK_STATUS(answers[i], 200);
        CU_ASSERT_STRING_EQUAL(http_text(answers[i], "refresh_token"),
                               http_text(answers[0], "refresh_token"));
    }
    HTTP_ANSWER next = suite_refresh(suite, http_text(answers[0], "refresh_token"));
    CHECK_STATUS(next, 200);
    http_answers_destroy(answers, MANY);
}

static struct http_request renewal(const char *token)
{
    return (struct http_request){.method = "POST",
                                 .path = "/auth/refresh-token",
                                 .body = json_pack("{s:s}", "refresh_token", token)};
}

enum { TOGETHER = 32, ROUNDS_MAX = 8 };

/* Sends concurrent refreshes, one of which a row lock delays, and returns the number of commits.
 * The lock must delay no other refresh. */
static long renew_together(void)
{
    enum { HELD = 5 };
    struct http_request requests[TOGETHER];
    struct http_answer *answers[TOGETHER];
    struct person *people[TOGETHER];
    char sql[512];
    char *rotated = suite_query(suite, "select coalesce(max(rotated_at), 0) from auth.session");
    long commits;
    double longest = 0;
    pid_t holder;

    for (int i = 0; i < TOGETHER; i++) {
        people[i] = person_register(suite, NULL);
        requests[i] = renewal(people[i]->refresh);
    }
    snprintf(sql, sizeof(sql),
             "select 1 from auth.session where account_id = (select id from auth.account "
             "where email = '%s') for update",
             people[HELD]->email);
    holder = suite_hold(suite, sql);
    http_call_many(suite_url(suite), requests, TOGETHER, TOGETHER, answers);
    waitpid(holder, NULL, 0);
    snprintf(sql, sizeof(sql),
             "select count(distinct xmin::text) from auth.session where rotated_at > %s", rotated);
    commits = suite_count(suite, "%s", sql);
    for (int i = 0; i < TOGETHER; i++) {
        CHECK_STATUS(answers[i], 200);
        if (i != HELD)
            longest = MAX(longest, answers[i]->seconds);
        HTTP_ANSWER next = suite_refresh(suite, http_text(answers[i], "refresh_token"));
        CHECK_STATUS(next, 200);
        HTTP_ANSWER first = me(http_text(answers[i], "access_token"));
        CHECK_STATUS(first, 200);
        person_destroy(&people[i]);
    }
    UNIT_CHECK(answers[HELD]->seconds < 0.5 || longest < answers[HELD]->seconds,
               "%.2f s, held %.2f", longest, answers[HELD]->seconds);
    http_answers_destroy(answers, TOGETHER);
    free(rotated);
    return commits;
}

/* On a busy machine requests can arrive one by one; then the round shows nothing and is
 * repeated. */
static void renewals_at_once_share_commits(void)
{
    long commits = TOGETHER;

    for (int round = 0; round < ROUNDS_MAX && commits >= TOGETHER - 4; round++)
        commits = renew_together();
    UNIT_CHECK(commits < TOGETHER - 4, "%ld commits", commits);
}

/* `what` ends with "where", after which the account's sessions follow. */
static void change_sessions(const struct person *person, const char *what)
{
    char sql[512];

    snprintf(sql, sizeof(sql),
             "with done as (%s account_id = (select id from auth.account where email = '%s') "
             "returning 1) select count(*) from done",
             what, person->email);
    free(suite_query(suite, sql));
}

/* Kinds of refresh tokens, each with the status of a refresh and of one with its successor. */
static const struct {
    const char *label;
    int rotations; /* rotations before the token is used */
    const char *sql;
    int status, status_next;
} renewal_kinds[] = {
    {"current", 0, NULL, 200, 200},
    {"rotated before", 1, NULL, 200, 200},
    {"stolen", 2, NULL, 401, 401},
    {"idle for too long", 0, "update auth.session set idle_until = 1 where", 401, 401},
    {"too old", 0, "update auth.session set absolute_until = 1 where", 401, 401},
    {"of a session that ended", 0,
     "update auth.session set end_reason = 'revoked', ended_at = 1 where", 401, 401},
    {"of a locked member", 0, "update auth.membership set locked_at = 1 where", 401, 401},
    {"of an account whose deletion is due", 0,
     "update auth.account a set delete_at = 1, delete_schedule = a.id from auth.membership m "
     "where m.account_id = a.id and",
     401, 401},
    {"of an unknown session", 0, "delete from auth.session where", 401, 401},
};

static void renewals_at_once_have_their_own_answers(void)
{
    enum { KINDS = ARRAY_SIZE(renewal_kinds), EACH = 4, MANY = KINDS * EACH };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    struct person *people[MANY];

    for (int i = 0; i < MANY; i++) {
        struct http_answer *last = NULL;

        people[i] = person_register(suite, NULL);
        requests[i] = renewal(people[i]->refresh);
        for (int n = 0; n < renewal_kinds[i % KINDS].rotations; n++) {
            struct http_answer *next =
                suite_refresh(suite, last ? http_text(last, "refresh_token") : people[i]->refresh);

            CHECK_STATUS(next, 200);
            http_answer_destroy(&last);
            last = next;
        }
        http_answer_destroy(&last);
        if (renewal_kinds[i % KINDS].sql)
            change_sessions(people[i], renewal_kinds[i % KINDS].sql);
    }
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        UNIT_CHECK(answers[i]->status == renewal_kinds[i % KINDS].status, "%s: %d",
                   renewal_kinds[i % KINDS].label, answers[i]->status);
        if (answers[i]->status != 200) {
            CU_ASSERT_STRING_EQUAL(http_text(answers[i], "message"), bad_refresh);
        } else {
            HTTP_ANSWER whose = me(http_text(answers[i], "access_token"));
            HTTP_ANSWER next = suite_refresh(suite, http_text(answers[i], "refresh_token"));
            UNIT_CHECK(strcmp(http_text(whose, "profile.telecom.0.value"), people[i]->email) == 0,
                       "%s: another account's", renewal_kinds[i % KINDS].label);
            CHECK_STATUS(next, renewal_kinds[i % KINDS].status_next);
        }
        person_destroy(&people[i]);
    }
    http_answers_destroy(answers, MANY);
}

/* Breaks the connection of the statement that rotates a marked session with many others. Returns
 * the number of uncertain refreshes. */
static int lose_a_rotation(void)
{
    enum { MARKED = 3 };
    struct http_request requests[TOGETHER];
    struct http_answer *answers[TOGETHER];
    struct person *people[TOGETHER];
    int uncertain = 0;

    for (int i = 0; i < TOGETHER; i++) {
        people[i] = person_register(suite, NULL);
        requests[i] = renewal(people[i]->refresh);
    }
    free(suite_query(suite, "create function auth.lose() returns trigger language plpgsql "
                            "security definer as $$begin "
                            "perform pg_terminate_backend(pg_backend_pid()); return new; end$$"));
    change_sessions(people[MARKED], "update auth.session set browser = 'marked' where");
    free(suite_query(suite, "create trigger lose after update of refresh_hash on auth.session "
                            "for each row when (new.browser = 'marked') "
                            "execute function auth.lose()"));
    http_call_many(suite_url(suite), requests, TOGETHER, TOGETHER, answers);
    free(suite_query(suite, "drop function auth.lose() cascade"));
    CHECK_STATUS(answers[MARKED], 503);
    for (int i = 0; i < TOGETHER; i++) {
        uncertain += answers[i]->status == 503;
        UNIT_CHECK(answers[i]->status == 200 || answers[i]->status == 503, "%d",
                   answers[i]->status);
        HTTP_ANSWER again = suite_refresh(suite, people[i]->refresh);
        CHECK_STATUS(again, 200);
        HTTP_ANSWER next = suite_refresh(suite, http_text(again, "refresh_token"));
        CHECK_STATUS(next, 200);
        person_destroy(&people[i]);
    }
    http_answers_destroy(answers, TOGETHER);
    return uncertain;
}

/* The outcome of a lost statement's refreshes is unknown, so none is acknowledged and each can be
 * repeated. On a busy machine the marked request can be alone in its statement, and such a round
 * shows nothing. */
static void renewals_of_a_lost_statement_are_uncertain(void)
{
    int uncertain = 0;

    for (int round = 0; round < ROUNDS_MAX && uncertain <= 1; round++)
        uncertain = lose_a_rotation();
    UNIT_CHECK(uncertain > 1, "%d", uncertain);
}

static void the_retry_window_and_the_lifetimes_end(void)
{
    PERSON window = person_register(suite, NULL);
    PERSON idle = person_register(suite, NULL);
    PERSON absolute = person_register(suite, NULL);
    HTTP_ANSWER first = suite_refresh(suite, window->refresh);
    CHECK_STATUS(first, 200);

    suite_set_clock(suite, 605);
    HTTP_ANSWER late = suite_refresh(suite, window->refresh);
    CHECK_ERROR(late, 401, bad_refresh);
    suite_set_clock(suite, 14 * 86400 + 5);
    HTTP_ANSWER expired = suite_refresh(suite, idle->refresh);
    CHECK_ERROR(expired, 401, bad_refresh);

    /* Refreshed every 13 days, a session still ends after 90. */
    char *token = strdup(absolute->refresh);
    for (int day = 13; day <= 78; day += 13) {
        suite_set_clock(suite, day * 86400);
        HTTP_ANSWER answer = suite_refresh(suite, token);
        CHECK_STATUS(answer, 200);
        free(token);
        token = strdup(http_text(answer, "refresh_token"));
    }
    suite_set_clock(suite, 90 * 86400 + 5);
    HTTP_ANSWER over = suite_refresh(suite, token);
    CHECK_ERROR(over, 401, bad_refresh);
    suite_set_clock(suite, 0);
    free(token);
}

/* A thief and the owner refresh hourly, five minutes apart. The second use of a token is noticed in
 * the first round, by either of them. */
static void a_thief_beside_the_owner_is_noticed(void)
{
    for (int thief_first = 0; thief_first < 2; thief_first++) {
        PERSON owner = person_register(suite, NULL);
        HTTP_ANSWER first = suite_refresh(suite, owner->refresh);
        CHECK_STATUS(first, 200);
        suite_set_clock(suite, 300);
        HTTP_ANSWER second = suite_refresh(suite, owner->refresh);
        CHECK_ERROR(second, 401, bad_refresh);
        CU_ASSERT_TRUE(suite_everywhere(suite, http_text(first, "access_token"), 401));
        HTTP_ANSWER after = suite_refresh(suite, http_text(first, "refresh_token"));
        CHECK_ERROR(after, 401, bad_refresh);
        suite_set_clock(suite, 0);
    }
}

static void an_answer_can_be_had_again_for_two_minutes(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER first = suite_refresh(suite, patient->refresh);

    CHECK_STATUS(first, 200);
    suite_set_clock(suite, 115);
    HTTP_ANSWER again = suite_refresh(suite, patient->refresh);
    CHECK_STATUS(again, 200);
    CU_ASSERT_STRING_EQUAL(http_text(again, "refresh_token"), http_text(first, "refresh_token"));
    suite_set_clock(suite, 125);
    HTTP_ANSWER late = suite_refresh(suite, patient->refresh);
    CHECK_ERROR(late, 401, bad_refresh);
    suite_set_clock(suite, 0);
}

static long live_sessions(const struct person *person)
{
    return suite_count(suite,
                       "select count(*) from auth.session s join auth.account a "
                       "on a.id = s.account_id where a.email = '%s' and s.ended_at is null",
                       person->email);
}

static void one_session_too_many_ends_the_longest_unused(void)
{
    enum { LIMIT = 200 };
    struct person *people[LIMIT] = {person_register(suite, NULL)};
    struct person *first = people[0];

    for (int i = 1; i < LIMIT; i++)
        people[i] = person_sign_in(suite, "Patient", first->email, first->password, NULL);
    CU_ASSERT_EQUAL(live_sessions(first), LIMIT);
    HTTP_ANSWER used = suite_refresh(suite, first->refresh);
    CHECK_STATUS(used, 200);
    PERSON more = person_sign_in(suite, "Patient", first->email, first->password, NULL);
    CU_ASSERT_EQUAL(live_sessions(first), LIMIT);
    CU_ASSERT_TRUE(suite_everywhere(suite, people[1]->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, first->access, 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, people[2]->access, 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, more->access, 200));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.audit where event->>'action' = "
                                       "'session.end' and event->>'detail' = 'limit'"),
                    1);
    for (int i = 0; i < LIMIT; i++)
        person_destroy(&people[i]);
}

static void logout_is_known_everywhere_at_once(void)
{
    static const char *const paths[] = {"/auth/logout", "/v1/auth/logout"};

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        PERSON patient = person_register(suite, NULL);
        HTTP_ANSWER renewed = suite_refresh(suite, patient->refresh);
        CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 200));

        HTTP_ANSWER out = http_post(suite_url(suite), paths[i], patient->access, NULL);
        CHECK_STATUS(out, 204);
        CU_ASSERT_EQUAL(out->size, 0);
        CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
        CU_ASSERT_TRUE(suite_everywhere(suite, http_text(renewed, "access_token"), 401));
        HTTP_ANSWER dead = suite_refresh(suite, http_text(renewed, "refresh_token"));
        CHECK_ERROR(dead, 401, bad_refresh);

        /* Repeated with the same token: 204. With another token of that session: 401. */
        for (int again = 0; again < 4; again++) {
            HTTP_ANSWER repeated =
                http_post(suite_url(suite), paths[again % 2], patient->access, NULL);
            CHECK_STATUS(repeated, 204);
        }
        HTTP_ANSWER sibling =
            http_post(suite_url(suite), paths[i], http_text(renewed, "access_token"), NULL);
        CHECK_STATUS(sibling, 401);
    }
    HTTP_ANSWER nobody = http_post(suite_url(suite), "/auth/logout", NULL, NULL);
    CHECK_STATUS(nobody, 401);
}

static void logout_survives_the_death_of_everything(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", patient->access, NULL);
    CHECK_STATUS(out, 204);

    suite_halt(suite);
    suite_restart(suite);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    HTTP_ANSWER again = http_post(suite_url(suite), "/auth/logout", patient->access, NULL);
    CHECK_STATUS(again, 204);
    PERSON back = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    CU_ASSERT_EQUAL(back->status, 200);
}

static void sessions_are_listed_and_revoked(void)
{
    PERSON one = person_register(suite, NULL);
    PERSON two = person_sign_in(suite, "Patient", one->email, one->password, NULL);
    PERSON three = person_sign_in(suite, "Patient", one->email, one->password, NULL);
    PERSON stranger = person_register(suite, NULL);
    HTTP_ANSWER list = http_get(suite_url(suite), "/auth/session", two->access);
    json_t *session;
    size_t i, current = 0;
    char path[96], first[40] = "";

    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "sessions")), 3);
    json_array_foreach(http_member(list, "sessions"), i, session)
    {
        current += json_is_true(json_object_get(session, "current"));
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(session, "authMethod")),
                               "password");
        CU_ASSERT_TRUE(json_is_string(json_object_get(session, "lastUpdated")));
        CU_ASSERT_TRUE(json_is_string(json_object_get(session, "remoteAddress")));
    }
    CU_ASSERT_EQUAL(current, 1);

    HTTP_ANSWER own = http_get(suite_url(suite), "/auth/session", one->access);
    json_array_foreach(http_member(own, "sessions"), i, session)
    {
        if (json_is_true(json_object_get(session, "current")))
            snprintf(first, sizeof(first), "%s", json_string_value(json_object_get(session, "id")));
    }
    snprintf(path, sizeof(path), "/auth/session/%s", first);
    HTTP_ANSWER foreign = http_delete(suite_url(suite), path, stranger->access);
    CHECK_ERROR(foreign, 404, "Session not found.");
    HTTP_ANSWER text = http_delete(suite_url(suite), "/auth/session/everything", one->access);
    CHECK_PROBLEM(text, "option");
    HTTP_ANSWER by_id = http_delete(suite_url(suite), path, two->access);
    CHECK_STATUS(by_id, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(by_id, "sessions")), 2);
    CU_ASSERT_TRUE(suite_everywhere(suite, one->access, 401));
    HTTP_ANSWER not_by_logout = http_post(suite_url(suite), "/auth/logout", one->access, NULL);
    CHECK_STATUS(not_by_logout, 401);
    HTTP_ANSWER others = http_delete(suite_url(suite), "/auth/session/other", two->access);
    CHECK_STATUS(others, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(others, "sessions")), 1);
    CU_ASSERT_TRUE(suite_everywhere(suite, three->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, two->access, 200));
    HTTP_ANSWER self = http_delete(suite_url(suite), "/auth/session/current", two->access);
    CHECK_STATUS(self, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(self, "sessions")), 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, two->access, 401));

    PERSON a = person_sign_in(suite, "Patient", one->email, one->password, NULL);
    PERSON b = person_sign_in(suite, "Patient", one->email, one->password, NULL);
    HTTP_ANSWER all = http_delete(suite_url(suite), "/auth/session/all", a->access);
    CHECK_STATUS(all, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, a->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, b->access, 401));
    HTTP_ANSWER untouched = me(stranger->access);
    CHECK_STATUS(untouched, 200);
}

/* True when sessions are sorted newest first and include the caller's. */
static bool are_newest_first(const json_t *sessions)
{
    const char *newer = "~";
    size_t i, current = 0;
    json_t *session;

    json_array_foreach(sessions, i, session)
    {
        const char *id = json_string_value(json_object_get(session, "id"));

        current += json_is_true(json_object_get(session, "current"));
        if (strcmp(newer, id) <= 0)
            return false;
        newer = id;
    }
    return current == 1;
}

static void me_shows_a_bounded_number_of_sessions(void)
{
    enum { SESSIONS = 100, SHOWN = 20, SIZE_LIMIT = 6 * 1024 };
    static const struct {
        int signed_in;
        size_t shown;
        bool more;
    } steps[] = {{SHOWN, SHOWN, false}, {SHOWN + 1, SHOWN, true}, {SESSIONS, SHOWN, true}};
    PERSON oldest = person_register(suite, NULL);
    struct person *newest = NULL;
    int signed_in = 1;

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        for (; signed_in < steps[i].signed_in; signed_in++) {
            person_destroy(&newest);
            newest = person_sign_in(suite, "Patient", oldest->email, oldest->password, NULL);
        }
        for (int which = 0; which < 2; which++) {
            HTTP_ANSWER answer = me(which == 0 ? oldest->access : newest->access);
            const json_t *sessions = http_member(answer, "security.sessions");

            CU_ASSERT_EQUAL(json_array_size(sessions), steps[i].shown);
            CU_ASSERT_TRUE(are_newest_first(sessions));
            CU_ASSERT_EQUAL(json_is_true(http_member(answer, "security.moreSessions")),
                            steps[i].more);
            CU_ASSERT_TRUE(answer->size < SIZE_LIMIT);
        }
    }
    HTTP_ANSWER all = http_get(suite_url(suite), "/auth/session", oldest->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(all, "sessions")), SESSIONS);
    CU_ASSERT_TRUE(are_newest_first(http_member(all, "sessions")));
    HTTP_ANSWER page =
        http_get(suite_url(suite), "/auth/session?_count=30&_offset=90", oldest->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(page, "sessions")), SESSIONS - 90);
    CU_ASSERT_TRUE(are_newest_first(http_member(page, "sessions")));
    HTTP_ANSWER too_many = http_get(suite_url(suite), "/auth/session?_count=1001", oldest->access);
    CHECK_PROBLEM(too_many, "_count");
    person_destroy(&newest);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(me_shows_the_account),
    CASE(bad_tokens_are_refused),
    CASE(an_access_token_lives_an_hour),
    CASE(refresh_rotates),
    CASE(forged_refresh_tokens_end_nothing),
    CASE(one_successor_for_sixty_four),
    CASE(renewals_at_once_share_commits),
    CASE(renewals_at_once_have_their_own_answers),
    CASE(renewals_of_a_lost_statement_are_uncertain),
    CASE(the_retry_window_and_the_lifetimes_end),
    CASE(a_thief_beside_the_owner_is_noticed),
    CASE(an_answer_can_be_had_again_for_two_minutes),
    CASE(one_session_too_many_ends_the_longest_unused),
    CASE(logout_is_known_everywhere_at_once),
    CASE(logout_survives_the_death_of_everything),
    CASE(sessions_are_listed_and_revoked),
    CASE(me_shows_a_bounded_number_of_sessions),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("sessions", cases, ARRAY_SIZE(cases));
}
