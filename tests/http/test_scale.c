/*
 * test_scale.c - `make bench-scale` in small: it measures each operation and detects failures.
 *
 * tier: time
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { LIMIT_MS = 120000 };

static void put(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        abort();
}

static struct program *scale(const char *limit)
{
    const char *const argv[] = {"tests/bench/scale.sh", NULL};
    char *build = program_path("..");
    struct program *self;

    put("BUILD", build);
    put("TENANTS", "30");
    put("ACCOUNTS", "900");
    put("SCALE_ROUNDS", "2");
    put("SCALE_SAMPLE", "300");
    put("SCALE_LOGINS", "8");
    put("SCALE_LIMIT", limit);
    self = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(self, LIMIT_MS));
    free(build);
    return self;
}

/* Checks an operation's last two words: measured and failed counts. */
static void check_operation(const struct program *run, const char *label)
{
    const char *line = strstr(run->out, label);
    unsigned long times = 0, bad = 1;

    UNIT_REQUIRE(line != NULL, "no %s in:\n%s%s", label, run->out, run->err);
    UNIT_CHECK(sscanf(line + strlen(label), "%*f %*f %*f %*f %*f %lu %lu", &times, &bad) == 2 &&
                   times >= 16 && bad == 0,
               "%s: %lu times, %lu bad", label, times, bad);
}

static void test_growth_within_the_factor_passes(void)
{
    static const char *const labels[] = {
        "POST /auth/refresh-token",
        "GET /auth/me, first",
        "GET /auth/me, again",
        "GET /v1/project/settings, first",
        "GET /v1/project/settings, again",
        "login start + token",
    };
    PROGRAM run = scale("1000");

    CHECK_EXIT(run, 0);
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
        check_operation(run, labels[i]);
    CU_ASSERT_PTR_NOT_NULL(strstr(run->out, "scale: good: "));
    CU_ASSERT_PTR_NULL(strstr(run->out, "FAILED"));
}

static void test_growth_above_the_factor_fails(void)
{
    PROGRAM run = scale("0.001");

    CHECK_EXIT(run, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(run->out, "takes more than 0.00 times as long"));
    CU_ASSERT_PTR_NULL(strstr(run->out, "scale: good"));
}

static const struct unit_case cases[] = {
    CASE(test_growth_within_the_factor_passes),
    CASE(test_growth_above_the_factor_fails),
};

int main(void)
{
    return unit_run("scale", cases, ARRAY_SIZE(cases));
}
