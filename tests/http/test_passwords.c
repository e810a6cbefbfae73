/*
 * test_passwords.c - changing, resetting and setting a password: emails, links, ended sessions,
 * races and kills.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/members.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define CHANGE "/auth/change-password"
#define RESET "/auth/reset-password"
#define SET "/auth/set-password"
#define START "/auth/tenant/Patient/login/start"
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum { ARRIVES_MS = 10000 };

static const char bad_link[] = "The link is invalid or has expired.";
static const char bad_old[] = "The old password is incorrect.";

static struct suite *suite;

static struct http_answer *post_fresh(const char *path, const char *bearer, json_t *body)
{
    char *source = fresh_source();
    struct http_answer *answer = http_call(
        suite_url(suite),
        &(struct http_request){
            .method = "POST", .path = path, .bearer = bearer, .source = source, .body = body});

    free(source);
    return answer;
}

static json_t *body_change(const char *old, const char *new)
{
    return json_pack("{s:s, s:s}", "oldPassword", old, "newPassword", new);
}

static json_t *body_set(const char *id, const char *secret, const char *password)
{
    return json_pack("{s:s, s:s, s:s}", "id", id, "secret", secret, "password", password);
}

static struct http_answer *reset(const char *email, const char *type)
{
    return post_fresh(RESET, NULL,
                      json_pack("{s:s, s:s, s:s*}", "email", email, "tenantCode", "demo", "type",
                                type));
}

static int me(const char *access)
{
    return suite_status(suite, "/auth/me", access);
}

static int sign_in_status(const char *email, const char *password)
{
    HTTP_ANSWER answer =
        post_fresh("/v2/auth/login", NULL,
                   json_pack("{s:s, s:s, s:s}", "email", email, "password", password, "clientId",
                             suite_text(suite, "demo.clientId")));

    return answer->status;
}

static struct mail_link link_to(const char *email, const char *application)
{
    char page[128];

    snprintf(page, sizeof(page), "%s/set-password", application);
    return suite_mail_link(suite, email, page);
}

static struct mail_link fetch_link(const char *email, size_t number)
{
    HTTP_ANSWER answer = reset(email, NULL);

    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, number));
    return link_to(email, "https://patient.demo.example");
}

static void a_change_ends_the_other_sessions(void)
{
    PERSON one = person_register_settled(suite);
    PERSON two = person_sign_in(suite, "Patient", one->email, one->password, NULL);
    HTTP_ANSWER pending =
        post_fresh(START, NULL, body_login_start(one->email, one->password, "demo"));

    CU_ASSERT_TRUE(suite_everywhere(suite, two->access, 200));
    HTTP_ANSWER nobody = post_fresh(CHANGE, NULL, body_change(one->password, "new"));
    CHECK_STATUS(nobody, 401);
    HTTP_ANSWER empty = post_fresh(CHANGE, one->access, body_change(one->password, ""));
    CHECK_PROBLEM(empty, "newPassword");
    HTTP_ANSWER wrong = post_fresh(CHANGE, one->access, body_change("wrong", "new"));
    CHECK_ERROR(wrong, 400, bad_old);
    CU_ASSERT_EQUAL(me(two->access), 200);

    HTTP_ANSWER good = post_fresh(CHANGE, one->access, body_change(one->password, "another one"));
    CHECK_STATUS(good, 204);
    CU_ASSERT_EQUAL(good->size, 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, two->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, one->access, 200));
    HTTP_ANSWER dead = http_post(suite_url(suite), "/auth/refresh-token", NULL,
                                 json_pack("{s:s}", "refresh_token", two->refresh));
    CHECK_ERROR(dead, 401, "Refresh token is invalid or has expired.");
    HTTP_ANSWER alive = http_post(suite_url(suite), "/auth/refresh-token", NULL,
                                  json_pack("{s:s}", "refresh_token", one->refresh));
    CHECK_STATUS(alive, 200);

    /* Logins started with the old password are invalid too. */
    HTTP_ANSWER late = post_fresh("/auth/tenant/Patient/login/token", NULL,
                                  body_login_token(http_text(pending, "sessionCode"), NULL));
    CHECK_ERROR(late, 400, "Login session is invalid or has expired.");
    CU_ASSERT_EQUAL(sign_in_status(one->email, one->password), 400);
    CU_ASSERT_EQUAL(sign_in_status(one->email, "another one"), 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, one->email, 2));
    char *mail = suite_mail(suite, one->email, ARRIVES_MS);
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "What changed: Password"));
    CU_ASSERT_PTR_NULL(strstr(mail, "another one"));
    free(mail);
}

static void wrong_old_passwords_are_throttled(void)
{
    PERSON patient = person_register(suite, NULL);
    char *source = fresh_source();

    for (int i = 0; i < 11; i++) {
        HTTP_ANSWER answer = http_call(
            suite_url(suite),
            &(struct http_request){.method = "POST",
                                   .path = CHANGE,
                                   .bearer = patient->access,
                                   .source = source,
                                   .body = body_change(i < 10 ? "wrong" : patient->password, "x")});
        if (i < 10)
            CHECK_ERROR(answer, 400, bad_old);
        else
            CHECK_STATUS(answer, 429);
    }
    CU_ASSERT_EQUAL(sign_in_status(patient->email, patient->password), 200);
    free(source);
}

/* A practitioner's account covers many tenants, and a change ends sessions in all of them. */
static void a_change_ends_sessions_in_every_tenant(void)
{
    PERSON admin = person_admin(suite);
    char *email = person_address(), *sql = NULL;
    HTTP_ANSWER child =
        http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                  json_pack("{s:s, s:s}", "name", "Elsewhere", "tenantCode", "elsewhere"));
    CHECK_STATUS(child, 200);
    HTTP_ANSWER on =
        http_put(suite_url(suite), "/v1/project/settings/PRACTITIONER_REGISTRATION_ENABLED",
                 admin->access, json_pack("{s:b}", "enabled", 1));
    CHECK_STATUS(on, 200);
    HTTP_ANSWER here =
        post_fresh("/auth/tenant/Practitioner/register", NULL, body_register(email, "demo"));
    CHECK_STATUS(here, 200);
    if (asprintf(&sql,
                 "insert into auth.membership (project_id, id, account_id, profile_id, created_at) "
                 "select '%s', gen_random_uuid(), id, gen_random_uuid(), 0 from auth.account "
                 "where email = '%s' returning id",
                 http_text(child, "projectId"), email) < 0)
        abort();
    free(suite_query(suite, sql));
    PERSON there =
        person_sign_in(suite, "Practitioner", email, "correct horse battery staple", "elsewhere");
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 200));
    HTTP_ANSWER good = post_fresh(CHANGE, http_text(here, "accessToken"),
                                  body_change("correct horse battery staple", "another one"));
    CHECK_STATUS(good, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, there->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(here, "accessToken"), 200));

    /* A patient has the same address: a reset emails one link per account, or only one for the
     * requested role. */
    PERSON patient = person_register(suite, email);
    CU_ASSERT_EQUAL(patient->status, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2)); /* changed, welcome */
    HTTP_ANSWER both = reset(email, NULL);
    CHECK_STATUS(both, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 4));
    HTTP_ANSWER staff = reset(email, "Practitioner");
    CHECK_STATUS(staff, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 5));
    struct mail_link link = link_to(email, "https://practitioner.demo.example");
    HTTP_ANSWER set = post_fresh(SET, NULL, body_set(link.id, link.secret, "a third one"));
    CHECK_STATUS(set, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(here, "accessToken"), 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 200));
    PERSON again = person_sign_in(suite, "Practitioner", email, "a third one", "demo");
    CU_ASSERT_EQUAL(again->status, 200);
    HTTP_ANSWER off =
        http_put(suite_url(suite), "/v1/project/settings/PRACTITIONER_REGISTRATION_ENABLED",
                 admin->access, json_pack("{s:b}", "enabled", 0));
    CHECK_STATUS(off, 200);
    free(sql);
    free(email);
}

static void a_link_sets_the_password_once(void)
{
    PERSON patient = person_register_settled(suite);
    struct mail_link link = fetch_link(patient->email, 2);

    /* Wrong ones change nothing and do not consume it. */
    HTTP_ANSWER secret = post_fresh(SET, NULL, body_set(link.id, "wrong", "x"));
    CHECK_ERROR(secret, 400, bad_link);
    HTTP_ANSWER id = post_fresh(SET, NULL, body_set(NOBODY, link.secret, "x"));
    CHECK_ERROR(id, 400, bad_link);
    HTTP_ANSWER fields = post_fresh(SET, NULL, body_set("x", "", ""));
    CHECK_PROBLEM(fields, "id");
    CHECK_PROBLEM(fields, "secret");
    CHECK_PROBLEM(fields, "password");
    HTTP_ANSWER get = http_get(suite_url(suite), SET, NULL);
    CHECK_STATUS(get, 405);
    CU_ASSERT_EQUAL(me(patient->access), 200);

    HTTP_ANSWER good = post_fresh(SET, NULL, body_set(link.id, link.secret, "from the link"));
    CHECK_STATUS(good, 204);
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 401));
    HTTP_ANSWER again = post_fresh(SET, NULL, body_set(link.id, link.secret, "once more"));
    CHECK_ERROR(again, 400, bad_link);
    CU_ASSERT_EQUAL(sign_in_status(patient->email, patient->password), 400);
    CU_ASSERT_EQUAL(sign_in_status(patient->email, "from the link"), 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 3));
    char *mail = suite_mail(suite, patient->email, ARRIVES_MS);
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "What changed: Password"));
    free(mail);
}

static void a_newer_link_and_a_change_kill_the_older(void)
{
    PERSON patient = person_register_settled(suite);
    struct mail_link first = fetch_link(patient->email, 2), second = fetch_link(patient->email, 3);

    HTTP_ANSWER old = post_fresh(SET, NULL, body_set(first.id, first.secret, "x"));
    CHECK_ERROR(old, 400, bad_link);
    HTTP_ANSWER change =
        post_fresh(CHANGE, patient->access, body_change(patient->password, "mine"));
    CHECK_STATUS(change, 204);
    HTTP_ANSWER late = post_fresh(SET, NULL, body_set(second.id, second.secret, "x"));
    CHECK_ERROR(late, 400, bad_link);
    CU_ASSERT_EQUAL(sign_in_status(patient->email, "mine"), 200);
}

static void a_link_lives_an_hour(void)
{
    PERSON in_time = person_register_settled(suite);
    PERSON late = person_register_settled(suite);
    struct mail_link good = fetch_link(in_time->email, 2), expired = fetch_link(late->email, 2);

    suite_set_clock(suite, 3580);
    HTTP_ANSWER set = post_fresh(SET, NULL, body_set(good.id, good.secret, "x"));
    CHECK_STATUS(set, 204);
    suite_set_clock(suite, 3605);
    HTTP_ANSWER over = post_fresh(SET, NULL, body_set(expired.id, expired.secret, "x"));
    CHECK_ERROR(over, 400, bad_link);
    suite_set_clock(suite, 0);
}

static void a_reset_does_not_reveal_accounts(void)
{
    PERSON known = person_register(suite, NULL);
    char *nobody = person_address();
    HTTP_ANSWER one = reset(known->email, NULL);
    HTTP_ANSWER two = reset(nobody, NULL);

    CHECK_STATUS(one, 200);
    CHECK_STATUS(two, 200);
    CU_ASSERT_TRUE(*http_text(one, "message") != '\0');
    CU_ASSERT_STRING_EQUAL(one->body, two->body);
    free(nobody);

    PERSON patient = person_register_settled(suite);
    HTTP_ANSWER tenant = post_fresh(RESET, NULL,
                                    json_pack("{s:s, s:s}", "email", patient->email, "tenantCode",
                                              "no-such-tenant"));
    CHECK_STATUS(tenant, 200);
    HTTP_ANSWER staff = reset(patient->email, "Practitioner");
    CHECK_STATUS(staff, 200);
    HTTP_ANSWER type = reset(patient->email, "Robot");
    CHECK_PROBLEM(type, "type");
    HTTP_ANSWER fields = post_fresh(RESET, NULL, json_object());
    CHECK_PROBLEM(fields, "email");
    CHECK_PROBLEM(fields, "tenantCode");
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, patient->email), 1);
}

/* Ten emails an hour. The registration used two of them: the welcome, and the verification link,
 * which counts though its template is not mapped. */
static void mails_to_an_address_are_limited(void)
{
    PERSON patient = person_register_settled(suite);

    for (int i = 0; i < 12; i++) {
        HTTP_ANSWER answer = reset(patient->email, NULL);
        CHECK_STATUS(answer, 200);
    }
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, patient->email), 1 + 8);

    /* The newest emailed link still works. */
    struct mail_link link = link_to(patient->email, "https://patient.demo.example");
    HTTP_ANSWER set = post_fresh(SET, NULL, body_set(link.id, link.secret, "x"));
    CHECK_STATUS(set, 204);
}

static void accounts_of_one_address_share_its_limit(void)
{
    char member[37];
    PERSON admin = person_admin(suite);
    PERSON practitioner = member_join(suite, admin, "Practitioner", false, member);
    PERSON patient = person_register(suite, practitioner->email);

    suite_mails_settle(suite);
    size_t before = suite_mail_count(suite, patient->email);
    for (int i = 0; i < 12; i++) {
        HTTP_ANSWER answer = reset(patient->email, NULL);
        CHECK_STATUS(answer, 200);
    }
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, patient->email), before + 8);
}

static void one_wins_a_race_for_a_link(void)
{
    enum { MANY = 16 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    PERSON patient = person_register_settled(suite);
    struct mail_link link = fetch_link(patient->email, 2);
    char password[32];
    int won = 0;

    for (int i = 0; i < MANY; i++) {
        snprintf(password, sizeof(password), "password %d", i);
        requests[i] = (struct http_request){
            .method = "POST", .path = SET, .body = body_set(link.id, link.secret, password)};
    }
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        if (answers[i]->status == 204) {
            won++;
            snprintf(password, sizeof(password), "password %d", i);
            CU_ASSERT_EQUAL(sign_in_status(patient->email, password), 200);
        } else {
            CHECK_ERROR(answers[i], 400, bad_link);
        }
    }
    CU_ASSERT_EQUAL(won, 1);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 3));
    http_answers_destroy(answers, MANY);
}

static void no_sign_in_slips_past_a_change(void)
{
    PERSON patient = person_register(suite, NULL);
    char *source = fresh_source();
    const struct http_request one_step = {
        .method = "POST",
        .path = "/v2/auth/login",
        .source = source,
        .body = json_pack("{s:s, s:s, s:s}", "email", patient->email, "password", patient->password,
                          "clientId", suite_text(suite, "demo.clientId"))};
    json_incref(one_step.body);
    HTTP_ANSWER known = http_call(suite_url(suite), &one_step);
    CHECK_STATUS(known, 200);
    HTTP_ANSWER start =
        http_call(suite_url(suite),
                  &(struct http_request){.method = "POST",
                                         .path = START,
                                         .source = source,
                                         .body = body_login_start(patient->email, patient->password,
                                                                  "demo")});
    CHECK_STATUS(start, 200);

    const struct http_request requests[] = {
        one_step,
        {.method = "POST",
         .path = "/auth/tenant/Patient/login/token",
         .source = source,
         .body = body_login_token(http_text(start, "sessionCode"), NULL)},
        {.method = "POST",
         .path = CHANGE,
         .bearer = patient->access,
         .body = body_change(patient->password, "new")},
    };
    struct http_answer *answers[ARRAY_SIZE(requests)];
    pid_t holder = suite_hold_sign_ins(suite);

    http_call_many(suite_url(suite), requests, ARRAY_SIZE(requests), ARRAY_SIZE(requests), answers);
    waitpid(holder, NULL, 0);
    CHECK_STATUS(answers[2], 204);
    for (size_t i = 0; i < 2; i++) {
        UNIT_CHECK(answers[i]->status == 400 || answers[i]->status == 200, "status %d",
                   answers[i]->status);
        if (answers[i]->status == 200)
            CU_ASSERT_EQUAL(me(http_text(answers[i], "accessToken")), 401);
    }
    CU_ASSERT_EQUAL(me(http_text(known, "accessToken")), 401);
    CU_ASSERT_EQUAL(me(patient->access), 200);
    http_answers_destroy(answers, ARRAY_SIZE(requests));
    free(source);
}

static void a_kill_leaves_no_half_change(void)
{
    for (int round = 0; round < 5; round++) {
        PERSON patient = person_register_settled(suite);
        struct mail_link link = fetch_link(patient->email, 2);
        pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
        pid_t killer = suite_kill_both_later(suite, "authd", 15 + round * 12);

        HTTP_ANSWER set = post_fresh(SET, NULL, body_set(link.id, link.secret, "the new one"));
        waitpid(killer, NULL, 0);
        CU_ASSERT_TRUE(set->status == 204 || set->status == 503);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
        bool changed = sign_in_status(patient->email, "the new one") == 200;

        CU_ASSERT_TRUE(changed || set->status != 204);
        CU_ASSERT_EQUAL(sign_in_status(patient->email, patient->password), changed ? 400 : 200);
        CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, changed ? 401 : 200));
        CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, changed ? 3 : 2));
        HTTP_ANSWER again = post_fresh(SET, NULL, body_set(link.id, link.secret, "later"));
        if (changed)
            CHECK_ERROR(again, 400, bad_link);
        else
            CHECK_STATUS(again, 204);
    }
}

static void the_mail_survives_the_death_of_authd(void)
{
    PERSON patient = person_register_settled(suite);
    pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
    pid_t mail = suite_pid(suite, "maild", "1");
    HTTP_ANSWER answer = reset(patient->email, NULL);

    kill(first, SIGKILL);
    kill(second, SIGKILL);
    kill(mail, SIGKILL);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));
    struct mail_link link = link_to(patient->email, "https://patient.demo.example");
    HTTP_ANSWER set = post_fresh(SET, NULL, body_set(link.id, link.secret, "x"));
    CHECK_STATUS(set, 204);
}

/* The same text from two keyboards (NFC and NFD) and with two kinds of space. */
static const char composed[] = "p\xc3\xa4ssw\xc3\xb6rd und mehr";
static const char decomposed[] = "pa\xcc\x88sswo\xcc\x88rd\xc2\xa0und\xe2\x80\x89mehr";
static const char other_case[] = "P\xc3\xa4ssw\xc3\xb6rd und mehr";

static int start_with(const char *email, const char *password)
{
    HTTP_ANSWER answer = post_fresh(START, NULL, body_login_start(email, password, "demo"));

    return answer->status;
}

static struct http_answer *set_by_change(const struct person *patient, const char *old,
                                         const char *new)
{
    return post_fresh(CHANGE, patient->access, body_change(old, new));
}

static void a_password_is_one_however_its_letters_are_sent(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER changed = set_by_change(patient, patient->password, decomposed);

    CHECK_STATUS(changed, 204);
    CU_ASSERT_EQUAL(start_with(patient->email, composed), 200);
    CU_ASSERT_EQUAL(start_with(patient->email, decomposed), 200);
    CU_ASSERT_EQUAL(start_with(patient->email, other_case), 400);
    HTTP_ANSWER back = set_by_change(patient, composed, "another one");
    CHECK_STATUS(back, 204);
}

static void older_hashes_verify(void)
{
    PERSON patient = person_register(suite, NULL);
    char hash[crypto_pwhash_STRBYTES], sql[512], *now;

    CU_ASSERT_EQUAL_FATAL(crypto_pwhash_str(hash, decomposed, strlen(decomposed), 2, 19 << 20), 0);
    person_set_hash(suite, patient->email, hash);
    CU_ASSERT_EQUAL(start_with(patient->email, composed), 400);
    CU_ASSERT_EQUAL(start_with(patient->email, decomposed), 200);
    CU_ASSERT_EQUAL(start_with(patient->email, composed), 200);
    snprintf(sql, sizeof(sql),
             "select password_hash from auth.credential c join auth.account a "
             "on a.id = c.account_id where a.email = '%s'",
             patient->email);
    now = suite_query(suite, sql);
    CU_ASSERT_STRING_NOT_EQUAL(now, hash);
    free(now);
}

/* libsodium would need minutes for the first hash and 4 GiB for the second. Imports can contain
 * such hashes. */
static void hashes_beyond_the_bounds_are_wrong_soon(void)
{
    static const char *const hashes[] = {"$argon2id$v=19$m=65536,t=9000,p=1$c2FsdHNhbHRzYWx0c2FsdA$"
                                         "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                                         "$argon2id$v=19$m=4194304,t=9,p=1$c2FsdHNhbHRzYWx0c2FsdA$"
                                         "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                                         "$unknown$"};
    PERSON patient = person_register(suite, NULL);

    for (size_t i = 0; i < ARRAY_SIZE(hashes); i++) {
        int64_t began = clock_mono_ms();

        person_set_hash(suite, patient->email, hashes[i]);
        UNIT_CHECK(start_with(patient->email, "password") == 400, "row %zu", i);
        UNIT_CHECK(clock_mono_ms() - began < 5000, "row %zu: %lld ms", i,
                   (long long)(clock_mono_ms() - began));
    }
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_change_ends_the_other_sessions),
    CASE(wrong_old_passwords_are_throttled),
    CASE(a_change_ends_sessions_in_every_tenant),
    CASE(a_link_sets_the_password_once),
    CASE(a_newer_link_and_a_change_kill_the_older),
    CASE(a_link_lives_an_hour),
    CASE(a_reset_does_not_reveal_accounts),
    CASE(mails_to_an_address_are_limited),
    CASE(accounts_of_one_address_share_its_limit),
    CASE(one_wins_a_race_for_a_link),
    CASE(no_sign_in_slips_past_a_change),
    CASE(a_kill_leaves_no_half_change),
    CASE(the_mail_survives_the_death_of_authd),
    CASE(a_password_is_one_however_its_letters_are_sent),
    CASE(older_hashes_verify),
    CASE(hashes_beyond_the_bounds_are_wrong_soon),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("passwords", cases, ARRAY_SIZE(cases));
}
