/*
 * test_register.c - registration over HTTP: order of checks, limit, one-second floor, races.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define REGISTER "/auth/tenant/Patient/register"

static struct suite *suite;

static void set_default_policy(const struct person *admin, const char *value)
{
    HTTP_ANSWER answer = http_put(suite_url(suite), "/v1/project/default-patient-access-policy",
                                  admin->access, json_pack("{s:s}", "value", value));
    CHECK_STATUS(answer, 200);
}

static void a_patient_is_registered_and_signed_in(void)
{
    char *email = person_address();
    HTTP_ANSWER answer = suite_post_fresh(suite, REGISTER, body_register(email, "demo"));

    CHECK_STATUS(answer, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "expiresIn")), 3600);
    CU_ASSERT_TRUE(strlen(http_text(answer, "accessToken")) > 100);
    CU_ASSERT_TRUE(strlen(http_text(answer, "refreshToken")) >= 43);
    CU_ASSERT_EQUAL(strncmp(http_text(answer, "profile.reference"), "Patient/", 8), 0);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "profile.display"), "Ana Prova");
    CU_ASSERT_EQUAL(strncmp(http_text(answer, "project.reference"), "Project/", 8), 0);
    CU_ASSERT_PTR_NULL(http_member(answer, "nextStep"));
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", http_text(answer, "accessToken"));
    CHECK_STATUS(me, 200);
    CU_ASSERT_STRING_EQUAL(http_text(me, "profile.telecom.0.value"), email);
    free(email);
}

static void the_address_is_lower_cased_and_trimmed(void)
{
    char *email = person_address(), upper[128];

    snprintf(upper, sizeof(upper), "  %s ", email);
    upper[2] = 'P';
    HTTP_ANSWER answer = suite_post_fresh(suite, REGISTER, body_register(upper, "demo"));
    CHECK_STATUS(answer, 200);
    HTTP_ANSWER again = suite_post_fresh(suite, REGISTER, body_register(email, "demo"));
    CHECK_ERROR(again, 400, "Registration failed.");
    free(email);
}

static void every_problem_is_listed(void)
{
    static const char *const required[] = {"email", "password", "name", "surname", "tenantCode"};
    HTTP_ANSWER empty = suite_post_fresh(suite, REGISTER, json_object());
    HTTP_ANSWER wrong =
        suite_post_fresh(suite, REGISTER,
                         json_pack("{s:s, s:i, s:s, s:[], s:n}", "email", "not an address",
                                   "password", 7, "name", "", "surname", "tenantCode"));

    for (size_t i = 0; i < ARRAY_SIZE(required); i++) {
        CHECK_PROBLEM(empty, required[i]);
        CHECK_PROBLEM(wrong, required[i]);
    }
    CU_ASSERT_EQUAL(json_array_size(http_member(empty, "message")), ARRAY_SIZE(required));
    CU_ASSERT_TRUE(empty->seconds >= 1.0);
}

static void the_checks_run_in_order(void)
{
    PERSON admin = person_admin(suite);
    char *policy = strdup(suite_text(suite, "demo.patientAccessPolicy"));
    char *taken = person_address();
    PERSON first = person_register(suite, taken);
    json_t *body = body_register(taken, "demo");

    CU_ASSERT_EQUAL(first->status, 200);
    json_object_set_new(body, "continueAsPatientToken", json_string("forged"));
    set_default_policy(admin, "");
    suite_set_switch(suite, admin->access, "PATIENT_REGISTRATION_ENABLED", false);

    HTTP_ANSWER tenant = suite_post_fresh(suite, REGISTER, body_register(taken, "no-such-tenant"));
    CHECK_ERROR(tenant, 404, "Tenant not found.");
    CU_ASSERT_TRUE(tenant->seconds >= 1.0);
    HTTP_ANSWER no_policy = suite_post_fresh(suite, REGISTER, json_incref(body));
    CHECK_ERROR(no_policy, 403, "Registration is not enabled for this project.");
    CU_ASSERT_TRUE(no_policy->seconds >= 1.0);
    set_default_policy(admin, policy);
    HTTP_ANSWER off = suite_post_fresh(suite, REGISTER, json_incref(body));
    CHECK_ERROR(off, 403, "Registration is not enabled for this project.");
    suite_set_switch(suite, admin->access, "PATIENT_REGISTRATION_ENABLED", true);
    HTTP_ANSWER exists = suite_post_fresh(suite, REGISTER, json_incref(body));
    CHECK_ERROR(exists, 400, "Registration failed.");
    CU_ASSERT_TRUE(exists->seconds >= 1.0);

    char *fresh = person_address();
    json_object_set_new(body, "email", json_string(fresh));
    HTTP_ANSWER link = suite_post_fresh(suite, REGISTER, json_incref(body));
    CHECK_ERROR(link, 400, "The continue-as-patient link is invalid or has expired.");
    CU_ASSERT_TRUE(link->seconds >= 1.0);
    json_object_del(body, "continueAsPatientToken");
    HTTP_ANSWER good = suite_post_fresh(suite, REGISTER, body);
    CHECK_STATUS(good, 200);
    free(fresh);
    free(taken);
    free(policy);
}

static long header_number(const struct http_answer *answer, const char *name)
{
    char *text = http_header(answer, name);
    long number = text ? strtol(text, NULL, 10) : -1;

    free(text);
    return number;
}

static void a_registration_says_what_is_left(void)
{
    char *source = fresh_source();

    for (long left = 4; left >= 3; left--) {
        char *fresh = person_address();
        json_t *body = body_register(fresh, "demo");
        HTTP_ANSWER made = suite_post_from(suite, source, REGISTER, body);
        char *exposed = http_header(made, "Access-Control-Expose-Headers");

        CHECK_STATUS(made, 200);
        CU_ASSERT_EQUAL(header_number(made, "RateLimit-Limit"), 5);
        CU_ASSERT_EQUAL(header_number(made, "RateLimit-Remaining"), left);
        CU_ASSERT(header_number(made, "RateLimit-Reset") > 0 &&
                  header_number(made, "RateLimit-Reset") <= 60);
        CU_ASSERT_PTR_NULL(http_member(made, "RateLimit"));
        UNIT_CHECK(exposed && strstr(exposed, "RateLimit-Remaining"), "%s",
                   exposed ? exposed : "(none)");
        free(exposed);
        free(fresh);
    }
    free(source);
}

/* Five in any sliding minute. 422 counts, 429 does not and comes first. */
static void the_sixth_in_a_minute_is_refused(void)
{
    char *source = fresh_source();

    for (int i = 0; i < 5; i++) {
        HTTP_ANSWER counted = suite_post_from(suite, source, REGISTER, json_object());
        CHECK_STATUS(counted, 422);
    }
    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER refused = suite_post_from(suite, source, REGISTER, json_object());
        char *limit = http_header(refused, "RateLimit-Limit");

        CHECK_STATUS(refused, 429);
        CU_ASSERT_TRUE(refused->seconds >= 1.0);
        CU_ASSERT_TRUE(http_retry_after(refused) >= 1 && http_retry_after(refused) <= 60);
        CU_ASSERT_TRUE(limit && strcmp(limit, "5") == 0);
        free(limit);
    }
    HTTP_ANSWER other = suite_post_fresh(suite, REGISTER, json_object());
    CHECK_STATUS(other, 422);
    suite_set_clock(suite, 61);
    HTTP_ANSWER later = suite_post_from(suite, source, REGISTER, json_object());
    CHECK_STATUS(later, 422);
    suite_set_clock(suite, 0);
    free(source);
}

static void every_registration_attempt_counts(void)
{
    enum { LARGE = 1100 * 1024 };
    char *large = malloc(LARGE + 1), *source = fresh_source();

    memset(large, ' ', LARGE);
    large[LARGE] = '\0';
    for (int i = 0; i < 6; i++) {
        HTTP_ANSWER answer = http_call(
            suite_url(suite), &(struct http_request){.method = "POST",
                                                     .path = REGISTER,
                                                     .source = source,
                                                     .raw = i % 2 ? large : "a=b",
                                                     .content_type = i % 2 ? NULL : "text/plain"});
        CHECK_STATUS(answer, i == 5 ? 429 : i % 2 ? 413 : 415);
        CU_ASSERT_TRUE(answer->seconds >= 1.0);
    }
    free(large);
    free(source);
}

static void the_limit_is_exact_across_instances(void)
{
    enum { MANY = 40 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *source = fresh_source();
    int passed = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){
            .method = "POST", .path = REGISTER, .source = source, .raw = "{}"};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        CU_ASSERT_TRUE(answers[i]->status == 422 || answers[i]->status == 429);
        passed += answers[i]->status == 422;
    }
    CU_ASSERT_EQUAL(passed, 5);
    http_answers_destroy(answers, MANY);
    free(source);
}

static void one_wins_a_race_for_an_address(void)
{
    enum { MANY = 20 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *email = person_address(), *sources[MANY];
    int won = 0;

    for (int i = 0; i < MANY; i++) {
        sources[i] = fresh_source();
        requests[i] = (struct http_request){.method = "POST",
                                            .path = REGISTER,
                                            .source = sources[i],
                                            .body = body_register(email, "demo")};
    }
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        won += answers[i]->status == 200;
        if (answers[i]->status != 200)
            CHECK_ERROR(answers[i], 400, "Registration failed.");
        free(sources[i]);
    }
    CU_ASSERT_EQUAL(won, 1);
    http_answers_destroy(answers, MANY);
    free(email);
}

static void practitioners_register_by_their_own_switches(void)
{
    static const char path[] = "/auth/tenant/Practitioner/register";
    PERSON admin = person_admin(suite);
    char *policy = strdup(suite_text(suite, "demo.practitionerAccessPolicy"));
    char *email = person_address();

    HTTP_ANSWER unset = suite_post_fresh(suite, path, body_register(email, "demo"));
    CHECK_ERROR(unset, 403, "Registration is not enabled for this project.");
    CU_ASSERT_TRUE(unset->seconds >= 1.0);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    suite_set_value(suite, admin->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", "");
    HTTP_ANSWER no_policy = suite_post_fresh(suite, path, body_register(email, "demo"));
    CHECK_ERROR(no_policy, 403, "Registration is not enabled for this project.");
    suite_set_value(suite, admin->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", policy);
    HTTP_ANSWER tenant = suite_post_fresh(suite, path, body_register(email, "no-such-tenant"));
    CHECK_ERROR(tenant, 404, "Tenant not found.");
    HTTP_ANSWER good = suite_post_fresh(suite, path, body_register(email, "demo"));
    CHECK_STATUS(good, 200);
    CU_ASSERT_EQUAL(strncmp(http_text(good, "profile.reference"), "Practitioner/", 13), 0);
    HTTP_ANSWER again = suite_post_fresh(suite, path, body_register(email, "demo"));
    CHECK_ERROR(again, 400, "Registration failed.");

    /* A patient can register with the same address, which makes another account. */
    HTTP_ANSWER patient = suite_post_fresh(suite, REGISTER, body_register(email, "demo"));
    CHECK_STATUS(patient, 200);
    free(suite_mail(suite, email, 5000));
    CU_ASSERT_EQUAL(suite_mail_count(suite, email),
                    1); /* the welcome of the patient; the practitioner gets no email */
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    free(email);
    free(policy);
}

static void the_welcome_mail_goes_out_once(void)
{
    PERSON patient = person_register(suite, NULL);
    char *mail = suite_mail(suite, patient->email, 5000);

    CU_ASSERT_EQUAL(patient->status, 200);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mail);
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "MIME-Version: 1.0"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "Message-ID:"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "text/plain"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "text/html"));
    CU_ASSERT_EQUAL(suite_mail_count(suite, patient->email), 1);
    free(mail);
}

static void passwords_up_to_4_096_bytes(void)
{
    char password[4098];
    char *email = person_address();
    json_t *body = body_register(email, "demo");

    memset(password, 'x', sizeof(password));
    password[4097] = '\0';
    json_object_set_new(body, "password", json_string(password));
    HTTP_ANSWER over = suite_post_fresh(suite, REGISTER, json_incref(body));
    CHECK_PROBLEM(over, "password");
    json_object_set_new(body, "password", json_string(password + 1));
    HTTP_ANSWER fits = suite_post_fresh(suite, REGISTER, body);
    CHECK_STATUS(fits, 200);
    free(email);
}

/* Requests refused before their body is read count too, except if the body never arrives. */
static void every_refusal_takes_a_second(void)
{
    static const struct {
        const char *head, *body; /* body NULL: 1.1 MB of spaces */
        const char *want;
    } rows[] = {
        {"Content-Type: application/json\r\nContent-Length: 1\r\n", "{", "HTTP/1.1 400"},
        {"Content-Type: text/plain\r\nContent-Length: 2\r\n", "{}", "HTTP/1.1 415"},
        {"Content-Type: application/json\r\nContent-Length: 1100000\r\n", NULL, "HTTP/1.1 413"},
        {"Content-Type: application/json\r\nContent-Length: 90000000\r\n", "", "HTTP/1.1 413"},
        {"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n", "HTTP/1.1 400"},
        {"Content-Type: application/json\r\nContent-Length: 2\r\n", "{", "HTTP/1.1 408"},
        {"Content-Length: 2\r\nContent-Length: 2\r\n", "{}", "HTTP/1.1 429"},
    };
    static char request[1100512];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int size = snprintf(request, sizeof(request), "POST %s HTTP/1.1\r\nHost: a\r\n%s\r\n%s",
                            REGISTER, rows[i].head, rows[i].body ? rows[i].body : "");
        int64_t start_ms = clock_mono_ms();

        if (!rows[i].body) {
            memset(request + size, ' ', 1100000);
            size += 1100000;
        }
        char *answer = http_raw(suite_url(suite), request, (size_t)size, true, 3000);
        if (strncmp(answer, rows[i].want, strlen(rows[i].want)) != 0)
            fprintf(stderr, "row %zu: %.200s\n", i, answer);
        CU_ASSERT_EQUAL(strncmp(answer, rows[i].want, strlen(rows[i].want)), 0);
        CU_ASSERT_TRUE(clock_mono_ms() - start_ms >= 1000);
        free(answer);
    }
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_patient_is_registered_and_signed_in),
    CASE(the_address_is_lower_cased_and_trimmed),
    CASE(every_problem_is_listed),
    CASE(the_checks_run_in_order),
    CASE(a_registration_says_what_is_left),
    CASE(the_sixth_in_a_minute_is_refused),
    CASE(every_registration_attempt_counts),
    CASE(the_limit_is_exact_across_instances),
    CASE(one_wins_a_race_for_an_address),
    CASE(practitioners_register_by_their_own_switches),
    CASE(the_welcome_mail_goes_out_once),
    CASE(passwords_up_to_4_096_bytes),
    CASE(every_refusal_takes_a_second),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2", .test_clock = true});
    return unit_run("registration", cases, ARRAY_SIZE(cases));
}
