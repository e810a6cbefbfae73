/*
 * test_sign_in_hours.c - sign-ins per hour of a project, as its admins see them.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/trail.h"
#include "tests/support/unit.h"

#define SIGN_INS "/v1/project/sign-ins"

enum { HOURS = 25, LAST = HOURS - 1, HOUR = 3600, SEALED_MS = 10000 };

static struct suite *suite;
static struct person *patient;
static time_t began; /* the middle of an hour, after all setup */

/* Sign-ins in an hour after `began`, and their row in the final response; -1: none. */
static const struct step {
    int hour, row;
    int right, wrong;
} steps[] = {
    {29, -1, 1, 1}, /* an hour too old */
    {30, 0, 2, 1},
    {53, 23, 0, 2},
    {54, LAST, 1, 0},
};

static void set_hour(int hour)
{
    suite_set_clock(suite, began + hour * HOUR - time(NULL));
}

static void sign_in(const char *password, int status)
{
    HTTP_ANSWER answer = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                          body_login_start(patient->email, password, "demo"));

    CHECK_STATUS(answer, status);
}

static void the_scene_is_set(void)
{
    suite = suite_start(&(struct suite_options){.test_clock = true});
    trail_open(suite);
    patient = person_register(suite, NULL);
    PERSON child = person_admin_of_child(suite, "lakeside");
    UNIT_REQUIRE(patient->access && child->access, "two people");
    began = time(NULL) / HOUR * HOUR + HOUR / 2;
}

static void only_admins_read_them(void)
{
    HTTP_ANSWER without = http_get(suite_url(suite), SIGN_INS, NULL);
    HTTP_ANSWER read = http_get(suite_url(suite), SIGN_INS, patient->access);

    CHECK_STATUS(without, 401);
    CHECK_STATUS(read, 403);
}

static long number_at(const struct http_answer *list, int row, const char *name)
{
    char path[64];

    snprintf(path, sizeof(path), "resources.%d.%s", row, name);
    return (long)json_integer_value(http_member(list, path));
}

static struct http_answer *list_of(const struct person *who, long succeeded, long failed)
{
    int64_t until = clock_mono_ms() + SEALED_MS;

    for (;; usleep(100000)) {
        struct http_answer *list = http_get(suite_url(suite), SIGN_INS, who->access);
        long good = 0, bad = 0;

        for (int i = 0; i < HOURS; i++) {
            good += number_at(list, i, "succeeded");
            bad += number_at(list, i, "failed");
        }
        if ((good >= succeeded && bad >= failed) || clock_mono_ms() > until) {
            CHECK_STATUS(list, 200);
            UNIT_CHECK(good == succeeded && bad == failed, "%ld and %ld: %s", good, bad,
                       list->body);
            return list;
        }
        http_answer_destroy(&list);
    }
}

static void check_row(const struct http_answer *list, int row, long succeeded, long failed)
{
    UNIT_CHECK(number_at(list, row, "succeeded") == succeeded &&
                   number_at(list, row, "failed") == failed,
               "row %d: %ld and %ld", row, number_at(list, row, "succeeded"),
               number_at(list, row, "failed"));
}

/* The setup's sign-ins are older than a day by then. */
static void each_sign_in_is_counted_in_its_hour(void)
{
    long want[HOURS][2] = {{0}}, good = 1, bad = 0;

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        set_hour(steps[i].hour);
        for (int n = 0; n < steps[i].right; n++) {
            PERSON again =
                person_sign_in(suite, "Patient", patient->email, patient->password, NULL);

            UNIT_CHECK(again->access != NULL, "%d", again->status);
        }
        for (int n = 0; n < steps[i].wrong; n++)
            sign_in("wrong", 400);
        if (steps[i].row < 0)
            continue;
        want[steps[i].row][0] = steps[i].right;
        want[steps[i].row][1] = steps[i].wrong;
        good += steps[i].right;
        bad += steps[i].wrong;
    }
    PERSON admin = person_admin(suite); /* this sign-in counts too */
    want[LAST][0]++;
    HTTP_ANSWER list = list_of(admin, good, bad);

    CU_ASSERT_EQUAL(json_array_size(http_member(list, "resources")), HOURS);
    for (int i = 0; i < HOURS; i++) {
        time_t hour = began - HOUR / 2 + (time_t)(steps[3].hour - LAST + i) * HOUR;
        char path[64], text[40];

        strftime(text, sizeof(text), "%Y-%m-%dT%H:00:00.000Z", gmtime(&hour));
        snprintf(path, sizeof(path), "resources.%d.hour", i);
        CU_ASSERT_STRING_EQUAL(http_text(list, path), text);
        check_row(list, i, want[i][0], want[i][1]);
    }
}

static void those_of_another_project_are_not_counted(void)
{
    PERSON child = person_sign_in(suite, "Practitioner", suite_text(suite, "demo.adminEmail"),
                                  suite_text(suite, "demo.adminPassword"), "lakeside");
    HTTP_ANSWER list = list_of(child, 1, 0);

    for (int i = 0; i < HOURS; i++)
        check_row(list, i, i == LAST, 0);
}

static void a_reason_that_looks_like_a_sign_in_is_none(void)
{
    static const char *const reasons[] = {
        "\"action\":\"session.create\",\"outcome\":\"success\"",
        "\\\",\"action\":\"session.create\",\"outcome\":\"failure\",\"x\":\"",
    };
    PERSON admin = person_admin(suite);
    HTTP_ANSWER me = http_get(suite_url(suite), "/v1/project/accounts?role=Patient", admin->access);
    char path[128];

    for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
        snprintf(path, sizeof(path), "/v1/project/accounts/%s/%s", http_text(me, "resources.0.id"),
                 i == 0 ? "lock" : "unlock");
        HTTP_ANSWER done = http_post(suite_url(suite), path, admin->access,
                                     json_pack("{s:s}", "reason", reasons[i]));
        CHECK_STATUS(done, 204);
    }
    PERSON again = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    HTTP_ANSWER list =
        list_of(admin, 6, 3); /* the two sign-ins above are sealed later than the other rows */

    CU_ASSERT_TRUE(again->access != NULL);
    check_row(list, LAST, 4, 0);
}

static void a_day_later_there_is_none(void)
{
    set_hour(steps[3].hour + HOURS);
    PERSON admin = person_admin(suite);
    HTTP_ANSWER list = list_of(admin, 1, 0);

    check_row(list, LAST, 1, 0);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(only_admins_read_them),
    CASE(each_sign_in_is_counted_in_its_hour),
    CASE(those_of_another_project_are_not_counted),
    CASE(a_reason_that_looks_like_a_sign_in_is_none),
    CASE(a_day_later_there_is_none),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("sign-in hours", cases, ARRAY_SIZE(cases));
}
