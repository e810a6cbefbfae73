/*
 * test_client_limits.c - rate limits per client: an IPv6 /64 or /48, a clinic with one address, an
 * account and address with repeated failures. The gateway trusts X-Forwarded-For, so requests can
 * come from any address.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/oauth.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define REGISTER "/auth/tenant/Patient/register"
#define START "/auth/tenant/Patient/login/start"
#define TOKEN "/auth/tenant/Patient/login/token"

enum { HEADER_SIZE = 128 };

static struct suite *suite;

static struct http_request request_from(char header[static HEADER_SIZE], const char *client,
                                        const char *path, json_t *body)
{
    snprintf(header, HEADER_SIZE, "X-Forwarded-For: %s", client);
    return (struct http_request){.method = "POST", .path = path, .body = body, .headers = {header}};
}

static struct http_answer *post_from(const char *client, const char *path, json_t *body)
{
    char header[HEADER_SIZE];
    struct http_request request = request_from(header, client, path, body);

    return http_call(suite_url(suite), &request);
}

static struct http_answer *start_from(const char *client, const char *email, const char *password)
{
    return post_from(client, START, body_login_start(email, password, "demo"));
}

static void sign_in_from(const char *client, const struct person *person)
{
    HTTP_ANSWER start = start_from(client, person->email, person->password);
    HTTP_ANSWER token =
        post_from(client, TOKEN, body_login_token(http_text(start, "sessionCode"), NULL));

    CHECK_STATUS(token, 200);
}

/* Counts the admitted ones of simultaneous registrations from "<network><number>". */
static int registrations(const char *network, int count)
{
    enum { MOST = 12 };
    struct http_request requests[MOST];
    struct http_answer *answers[MOST];
    char headers[MOST][HEADER_SIZE];
    int admitted = 0;

    for (int i = 0; i < count; i++) {
        char client[64];

        snprintf(client, sizeof(client), "%s%x", network, i + 1);
        requests[i] = request_from(headers[i], client, REGISTER, json_object());
    }
    http_call_many(suite_url(suite), requests, (size_t)count, (size_t)count, answers);
    for (int i = 0; i < count; i++) {
        CU_ASSERT_TRUE(answers[i]->status == 422 || answers[i]->status == 429);
        admitted += answers[i]->status == 422;
        http_answer_destroy(&answers[i]);
    }
    return admitted;
}

static void registrations_of_a_network_count_together(void)
{
    CU_ASSERT_EQUAL(registrations("2001:db8:1:1::", 12), 5);
    CU_ASSERT_EQUAL(registrations("2001:db8:1:2::", 1), 1);
    CU_ASSERT_EQUAL(registrations("64:ff9b::c633:64", 6), 6); /* six IPv4 addresses */
    CU_ASSERT_EQUAL(registrations("64:ff9b::cb00:71", 1), 1);
}

/* Forty a minute for each /48; a request refused for it does not count for its /64. */
static void a_wide_network_has_eight_times_the_limit(void)
{
    char network[64];
    int admitted = 0;

    for (int i = 0; i < 10; i++) {
        snprintf(network, sizeof(network), "2001:db8:2:%x::", i);
        admitted += registrations(network, 5);
    }
    CU_ASSERT_EQUAL(admitted, 40);
}

static void ask_for_links(const char *network, int first, int count, const char *email)
{
    enum { AT_ONCE = 10 };
    struct http_request requests[AT_ONCE];
    struct http_answer *answers[AT_ONCE];
    char headers[AT_ONCE][HEADER_SIZE];

    for (int i = 0; i < count; i++) {
        char client[64];

        snprintf(client, sizeof(client), "%s%x", network, first + i);
        requests[i] = request_from(headers[i], client, "/auth/verify-email/send",
                                   json_pack("{s:s, s:s}", "email", email, "tenantCode", "demo"));
    }
    http_call_many(suite_url(suite), requests, (size_t)count, (size_t)count, answers);
    for (int i = 0; i < count; i++)
        CHECK_STATUS(answers[i], 200);
    http_answers_destroy(answers, (size_t)count);
}

static char *link_of(const struct person *person)
{
    char sql[256];

    snprintf(sql, sizeof(sql),
             "select l.id from auth.email_link l join auth.account a on a.id = l.account_id where "
             "a.email = '%s'",
             person->email);
    return suite_query(suite, sql);
}

static void links_for_a_network_count_together(void)
{
    PERSON patient = person_register(suite, NULL);
    char *registered = link_of(patient), *refused, *other;

    for (int i = 0; i < 10; i++)
        ask_for_links("2001:db8:4:1::", 10 * i, 10, "unknown@patients.example");
    ask_for_links("2001:db8:4:1::", 100, 1, patient->email);
    refused = link_of(patient);
    ask_for_links("2001:db8:4:2::", 1, 1, patient->email);
    other = link_of(patient);
    CU_ASSERT_STRING_EQUAL(refused, registered);
    CU_ASSERT_STRING_NOT_EQUAL(other, registered);
    free(registered);
    free(refused);
    free(other);
}

/* The proxy writes only one of the two headers. A client controls the other one, so it is
 * ignored. */
static void the_other_header_is_ignored(void)
{
    for (int i = 0; i < 6; i++) {
        char client[64], other[64];

        snprintf(client, sizeof(client), "X-Forwarded-For: 203.0.113.40");
        snprintf(other, sizeof(other), "Forwarded: for=203.0.113.%d", 41 + i);
        HTTP_ANSWER answer =
            http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                               .path = REGISTER,
                                                               .body = json_object(),
                                                               .headers = {client, other}});
        CHECK_STATUS(answer, i < 5 ? 422 : 429);
    }
}

static void failures_of_a_network_count_together(void)
{
    PERSON patient = person_register(suite, NULL);
    char client[64];

    for (int i = 0; i < 10; i++) {
        snprintf(client, sizeof(client), "2001:db8:3:1::%x", i);
        HTTP_ANSWER wrong = start_from(client, patient->email, "wrong");
        CHECK_STATUS(wrong, 400);
    }
    HTTP_ANSWER locked = start_from("2001:db8:3:1::ffff", patient->email, patient->password);
    CHECK_STATUS(locked, 429);
    HTTP_ANSWER other = start_from("2001:db8:3:2::1", patient->email, patient->password);
    CHECK_STATUS(other, 200);
    for (int i = 0; i < 70; i++) {
        snprintf(client, sizeof(client), "2001:db8:3:%x::1", 16 + i);
        HTTP_ANSWER wrong = start_from(client, patient->email, "wrong");
        CHECK_STATUS(wrong, 400);
    }
    HTTP_ANSWER wide = start_from("2001:db8:3:ff::1", patient->email, patient->password);
    CHECK_STATUS(wide, 429);
    HTTP_ANSWER known = start_from("2001:db8:3:2::2", patient->email, patient->password);
    CHECK_STATUS(known, 200);
}

static atomic_bool flooding;

struct flood {
    pthread_t thread;
    const char *email;
    unsigned number;
};

static void *flood(void *arg)
{
    const struct flood *self = arg;
    unsigned i = 0;

    while (flooding) {
        char client[64];

        snprintf(client, sizeof(client), "2001:db8:4:4::%x:%x", self->number, ++i & 0xffff);
        UNUSED HTTP_ANSWER answer = start_from(client, self->email, "wrong");
    }
    return NULL;
}

/* A flood by one subscriber's 150 threads leaves capacity for an account's owner. */
static void a_flood_leaves_room_for_others(void)
{
    enum { THREADS = 150, TRIES = 20 };
    static struct flood floods[THREADS];
    PERSON patient = person_register(suite, NULL);
    PERSON victim = person_register(suite, NULL);
    int good = 0;

    flooding = true;
    for (unsigned i = 0; i < THREADS; i++) {
        floods[i] = (struct flood){.email = victim->email, .number = i};
        pthread_create(&floods[i].thread, NULL, flood, &floods[i]);
    }
    usleep(300000);
    for (int i = 0; i < TRIES; i++) {
        HTTP_ANSWER answer = start_from("203.0.113.9", patient->email, patient->password);

        good += answer->status == 200;
        CHECK_STATUS(answer, 200);
        usleep(50000);
    }
    flooding = false;
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(floods[i].thread, NULL);
    CU_ASSERT_EQUAL(good, TRIES);
}

/* A hundred failures of many accounts lock an address only for accounts that never used it. */
static void members_of_a_clinic_do_not_lock_each_other_out(void)
{
    static const char clinic[] = "203.0.113.20";
    PERSON member = person_register(suite, NULL);
    PERSON visitor = person_register(suite, NULL);

    sign_in_from(clinic, member);
    for (int i = 0; i < 100; i++) {
        char email[64];

        snprintf(email, sizeof(email), "clinic-%d@patients.example", i);
        HTTP_ANSWER wrong = start_from(clinic, email, "wrong");
        CHECK_STATUS(wrong, 400);
    }
    HTTP_ANSWER locked = start_from(clinic, visitor->email, visitor->password);
    CHECK_STATUS(locked, 429);
    HTTP_ANSWER in = start_from(clinic, member->email, member->password);
    CHECK_STATUS(in, 200);
    for (int i = 0; i < 10; i++) {
        HTTP_ANSWER wrong = start_from(clinic, member->email, "wrong");
        CHECK_STATUS(wrong, i < 9 ? 400 : 429); /* the tenth failure reaches the limit */
    }
    HTTP_ANSWER own = start_from(clinic, member->email, member->password);
    CHECK_STATUS(own, 429);
}

/* Fails ten times with an account and address from *clock_s on, and moves it past the window. */
static void fail_ten_times(const char *client, const char *email, int64_t *clock_s)
{
    for (int i = 0; i < 10; i++) {
        HTTP_ANSWER wrong = start_from(client, email, "wrong");
        CHECK_STATUS(wrong, 400);
    }
    *clock_s += 901;
    suite_set_clock(suite, *clock_s);
}

static void a_hundred_failures_in_a_row_wait_a_day(void)
{
    static const char guesser[] = "203.0.113.30", careless[] = "203.0.113.31";
    enum { DAY_S = 24 * 3600 };
    PERSON patient = person_register(suite, NULL);
    int64_t clock_s = 0;

    for (int i = 0; i < 9; i++) {
        fail_ten_times(guesser, patient->email, &clock_s);
        fail_ten_times(careless, patient->email, &clock_s);
    }
    sign_in_from(careless, patient);
    fail_ten_times(careless, patient->email, &clock_s);
    HTTP_ANSWER not_in_a_row = start_from(careless, patient->email, patient->password);
    CHECK_STATUS(not_in_a_row, 200);
    fail_ten_times(guesser, patient->email, &clock_s);
    HTTP_ANSWER waits = start_from(guesser, patient->email, patient->password);
    CHECK_STATUS(waits, 429);
    UNIT_CHECK(http_retry_after(waits) > DAY_S - 910 && http_retry_after(waits) <= DAY_S - 901,
               "%ld", http_retry_after(waits));
    suite_set_clock(suite, clock_s + DAY_S - 1000);
    HTTP_ANSWER still = start_from(guesser, patient->email, patient->password);
    CHECK_STATUS(still, 429);
    suite_set_clock(suite, clock_s + DAY_S);
    HTTP_ANSWER open = start_from(guesser, patient->email, patient->password);
    CHECK_STATUS(open, 200);
    suite_set_clock(suite, 0);
}

static size_t pushes(const char *client, const char *source, size_t count)
{
    struct http_request *requests = calloc(count, sizeof(*requests));
    struct http_answer **answers = calloc(count, sizeof(*answers));
    char form[1024], header[HEADER_SIZE];
    size_t stored = 0;

    snprintf(form, sizeof(form), "client_id=%s%s", client, OAUTH_USUAL);
    for (size_t i = 0; i < count; i++) {
        requests[i] = request_from(header, source, "/t/demo/par", NULL);
        requests[i].raw = form;
        requests[i].content_type = "application/x-www-form-urlencoded";
    }
    http_call_many(suite_url(suite), requests, count, 16, answers);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_TRUE(answers[i]->status == 201 || answers[i]->status == 429);
        stored += answers[i]->status == 201;
    }
    http_answers_destroy(answers, count);
    free(requests);
    free(answers);
    return stored;
}

static void one_address_pushes_two_thousand_requests(void)
{
    PERSON admin = person_admin(suite);
    char *client = oauth_register(suite, admin, NULL);

    CU_ASSERT_EQUAL(pushes(client, "203.0.113.40", 2010), 2000);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.oauth_pushed"), 2000);
    CU_ASSERT_EQUAL(pushes(client, "203.0.113.41", 1), 1);
    free(client);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(registrations_of_a_network_count_together),
    CASE(a_wide_network_has_eight_times_the_limit),
    CASE(links_for_a_network_count_together),
    CASE(the_other_header_is_ignored),
    CASE(failures_of_a_network_count_together),
    CASE(a_flood_leaves_room_for_others),
    CASE(members_of_a_clinic_do_not_lock_each_other_out),
    CASE(a_hundred_failures_in_a_row_wait_a_day),
    CASE(one_address_pushes_two_thousand_requests),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(
        &(struct suite_options){.test_clock = true, .set = "gateway.trusted_proxies=127.0.0.0/8"});
    return unit_run("client limits", cases, ARRAY_SIZE(cases));
}
