/*
 * test_two_deaths.c - two daemons die together at every step of a registration and of a new
 * project: acknowledged results exist, others exist completely or not at all, and nothing happens
 * twice. The time of the kills moves through the whole request, for each pair.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { SETTLED_MS = 15000 };

static const struct {
    const char *one, *other;
} pairs[] = {
    {"authd", "settingsd"}, {"authd", "maild"},   {"settingsd", "maild"},
    {"authd", "gateway"},   {"maild", "gateway"}, {"settingsd", "gateway"},
};

static struct suite *suite;

struct deaths {
    pid_t pids[2];
    int delay_us;
    pthread_t thread;
};

static void *deaths_thread(void *arg)
{
    struct deaths *self = arg;

    usleep((useconds_t)self->delay_us);
    for (size_t i = 0; i < ARRAY_SIZE(self->pids); i++)
        kill(self->pids[i], SIGKILL);
    return NULL;
}

static void deaths_begin(struct deaths *self, size_t pair, int delay_us)
{
    *self = (struct deaths){.delay_us = delay_us};
    self->pids[0] = suite_pid(suite, pairs[pair].one, "1");
    self->pids[1] = suite_pid(suite, pairs[pair].other, "1");
    CU_ASSERT_TRUE_FATAL(self->pids[0] > 0 && self->pids[1] > 0);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&self->thread, NULL, deaths_thread, self), 0);
}

static void deaths_end(struct deaths *self, size_t pair)
{
    pthread_join(self->thread, NULL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, pairs[pair].one, "1", self->pids[0]));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, pairs[pair].other, "1", self->pids[1]));
}

static bool all_relayed(void)
{
    return suite_count(suite, "select (select count(*) from auth.outbox) + (select count(*) from "
                              "settings.outbox)") == 0;
}

static void wait_relayed(void)
{
    int64_t deadline = clock_mono_ms() + SETTLED_MS;

    while (!all_relayed() && clock_mono_ms() < deadline)
        unit_sleep_ms(50);
    CU_ASSERT_TRUE(all_relayed());
}

/* True for 503, or 0: the gateway died before its response. */
static bool is_outage(int status)
{
    return status == 503 || status == 0;
}

/* Repeats a registration whose outcome is unknown: "failed" means that the first attempt
 * succeeded. */
static int register_again(const char *email)
{
    PERSON again = NULL;

    for (int i = 0; i < 20; i++) {
        person_destroy(&again);
        again = person_register(suite, email);
        if (!is_outage(again->status))
            break;
        unit_sleep_ms(200);
    }
    return again->status;
}

static void check_registration(const struct person *person, const char *label)
{
    PERSON in = person_sign_in(suite, "Patient", person->email, person->password, NULL);
    char *mail = suite_mail(suite, person->email, SETTLED_MS);

    UNIT_CHECK(in->status == 200, "%s: sign-in %d", label, in->status);
    UNIT_CHECK(mail != NULL, "%s: no mail", label);
    UNIT_CHECK(suite_count(suite, "select count(*) from auth.account where email = '%s'",
                           person->email) == 1,
               "%s", label);
    UNIT_CHECK(suite_count(suite,
                           "select count(*) from auth.membership m join auth.account a on a.id = "
                           "m.account_id where a.email = '%s'",
                           person->email) == 1,
               "%s", label);
    free(mail);
}

static void registrations_while_two_daemons_die(void)
{
    enum { STEPS = 6, STEP_US = 24000 }; /* a registration takes some 100 ms */
    struct person *people[ARRAY_SIZE(pairs) * STEPS];
    size_t made = 0, acknowledged = 0;

    for (size_t pair = 0; pair < ARRAY_SIZE(pairs); pair++) {
        for (int step = 0; step < STEPS; step++) {
            struct deaths deaths;
            char label[80];

            snprintf(label, sizeof(label), "%s and %s after %d ms", pairs[pair].one,
                     pairs[pair].other, step * STEP_US / 1000);
            deaths_begin(&deaths, pair, step * STEP_US);
            struct person *person = people[made++] = person_register(suite, NULL);
            deaths_end(&deaths, pair);
            acknowledged += person->status == 200;
            UNIT_CHECK(person->status == 200 || is_outage(person->status), "%s: %d", label,
                       person->status);
            if (person->status != 200) {
                int status = register_again(person->email);

                UNIT_CHECK(status == 200 || status == 400, "%s: again %d", label, status);
            }
            check_registration(person, label);
        }
    }
    CU_ASSERT_TRUE(acknowledged > 0 &&
                   acknowledged < made); /* kills happened before and after the response */
    wait_relayed();
    unit_sleep_ms(2000); /* time for a duplicate email */
    for (size_t i = 0; i < made; i++) {
        CU_ASSERT_EQUAL(suite_mail_count(suite, people[i]->email), 1);
        person_destroy(&people[i]);
    }
}

static struct http_answer *make_project(const char *bearer, const char *code)
{
    return http_post(suite_url(suite), "/v1/slim/project/child", bearer,
                     json_pack("{s:s, s:s}", "name", "Branch", "tenantCode", code));
}

static int make_again(const char *bearer, const char *code)
{
    int status = 0;

    for (int i = 0; i < 20 && is_outage(status); i++) {
        HTTP_ANSWER again = make_project(bearer, code);

        status = again->status;
        unit_sleep_ms(is_outage(status) ? 200 : 0);
    }
    return status;
}

/* Checks that the project's maker is its only admin, and immediately so if the project was
 * acknowledged. */
static void check_project(const char *code, bool acknowledged, const char *label)
{
    PERSON in = person_sign_in(suite, "Practitioner", suite_text(suite, "demo.adminEmail"),
                               suite_text(suite, "demo.adminPassword"), code);

    UNIT_CHECK(!acknowledged || in->status == 200, "%s: sign-in %d", label, in->status);
    wait_relayed();
    PERSON later = person_sign_in(suite, "Practitioner", suite_text(suite, "demo.adminEmail"),
                                  suite_text(suite, "demo.adminPassword"), code);
    UNIT_CHECK(later->status == 200, "%s: later %d", label, later->status);
    HTTP_ANSWER settings = http_get(suite_url(suite), "/v1/project/settings", later->access);
    CHECK_STATUS(settings, 200);
    UNIT_CHECK(suite_count(suite,
                           "select count(*) from auth.membership m join settings.tenant_code c on "
                           "c.project_id = m.project_id where m.admin and c.code = '%s'",
                           code) == 1,
               "%s", label);
}

static void projects_while_two_daemons_die(void)
{
    enum { STEPS = 5, STEP_US = 5000 }; /* a project takes some 10 ms */
    size_t made = 0, acknowledged = 0;
    PERSON admin = person_admin(suite);

    for (size_t pair = 0; pair < ARRAY_SIZE(pairs); pair++) {
        for (int step = 0; step < STEPS; step++) {
            struct deaths deaths;
            char label[80], code[32];

            snprintf(label, sizeof(label), "%s and %s after %d ms", pairs[pair].one,
                     pairs[pair].other, step * STEP_US / 1000);
            snprintf(code, sizeof(code), "branch-%zu-%d", pair, step);
            deaths_begin(&deaths, pair, step * STEP_US);
            HTTP_ANSWER answer = make_project(admin->access, code);
            deaths_end(&deaths, pair);
            made++;
            acknowledged += answer->status == 200;
            UNIT_CHECK(answer->status == 200 || is_outage(answer->status), "%s: %d %s", label,
                       answer->status, answer->body);
            if (answer->status != 200) {
                int status = make_again(admin->access, code);

                UNIT_CHECK(status == 200 || status == 409, "%s: again %d", label, status);
            }
            check_project(code, answer->status == 200, label);
        }
    }
    CU_ASSERT_TRUE(acknowledged > 0 && acknowledged < made);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from settings.tenant_code where code like '%s'",
                                "branch-%"),
                    (long)made);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.project where name = '%s'",
                                "Branch"),
                    (long)made);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(registrations_while_two_daemons_die),
    CASE(projects_while_two_daemons_die),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(NULL);
    return unit_run("two deaths", cases, ARRAY_SIZE(cases));
}
