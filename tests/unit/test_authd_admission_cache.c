/*
 * test_authd_admission_cache.c - which members the admission cache admits without a query.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "authd/session/admission_cache.h"
#include "authd/session/change.h"
#include "tests/support/unit.h"

static struct admission_cache *cache;
static struct uuid project, policies[UNRULED_POLICIES_MAX + 1];

static void put(struct uuid policy, int64_t change, int64_t mono_ms)
{
    const struct admission_cache_key key = {project, policy, change};

    admission_cache_put(cache, &key, "Demo", mono_ms);
}

static bool has(struct uuid policy, int64_t change, int64_t mono_ms)
{
    const struct admission_cache_key key = {project, policy, change};
    const char *name = admission_cache_get(cache, &key, mono_ms);

    return name && strcmp(name, "Demo") == 0;
}

static void begin(void)
{
    cache = admission_cache_new();
    project = uuid_random();
    for (size_t i = 0; i < ARRAY_SIZE(policies); i++)
        policies[i] = uuid_random();
}

static void test_what_was_told_holds_for_its_project_policy_and_change(void)
{
    struct admission_list list;
    struct uuid other = uuid_random();

    begin();
    CU_ASSERT_FALSE(admission_cache_list(cache, &project, 0, &list));
    put(policies[0], 7, 0);
    CU_ASSERT_TRUE(has(policies[0], 7, 0));
    CU_ASSERT_FALSE(has(policies[1], 7, 0));
    CU_ASSERT_FALSE(has(policies[0], 8, 0));
    CU_ASSERT_FALSE(has(policies[0], 6, 0));
    CU_ASSERT_FALSE(admission_cache_list(cache, &other, 0, &list));
    CU_ASSERT_TRUE(admission_cache_list(cache, &project, 0, &list));
    CU_ASSERT_EQUAL(list.change, 7);
    CU_ASSERT_STRING_EQUAL(list.policies, policies[0].text);
    admission_cache_destroy(&cache);
}

/* A change drops all policies of the project even if its number is lower, as it is when earlier
 * changes were deleted. */
static void test_another_change_forgets_all_policies_of_the_project(void)
{
    static const int64_t changes[] = {8, 3};
    struct admission_list list;

    begin();
    put(policies[0], 7, 0);
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        put(policies[1], changes[i], 0);
        CU_ASSERT_FALSE(has(policies[0], changes[i], 0));
        CU_ASSERT_TRUE(admission_cache_list(cache, &project, 0, &list));
        CU_ASSERT_EQUAL(list.change, changes[i]);
        CU_ASSERT_STRING_EQUAL(list.policies, policies[1].text);
    }
    admission_cache_destroy(&cache);
}

static void test_each_policy_is_listed_until_its_own_time(void)
{
    struct admission_list list;
    char want[128];

    begin();
    put((struct uuid){""}, 7, 0);
    put(policies[0], 7, 10);
    snprintf(want, sizeof(want), "none %s", policies[0].text);
    CU_ASSERT_TRUE(admission_cache_list(cache, &project, CHANGE_ANSWER_LIFE - 1, &list));
    CU_ASSERT_STRING_EQUAL(list.policies, want);
    CU_ASSERT_TRUE(admission_cache_list(cache, &project, CHANGE_ANSWER_LIFE, &list));
    CU_ASSERT_STRING_EQUAL(list.policies, policies[0].text);
    CU_ASSERT_FALSE(has((struct uuid){""}, 7, CHANGE_ANSWER_LIFE));
    CU_ASSERT_FALSE(admission_cache_list(cache, &project, CHANGE_ANSWER_LIFE + 10, &list));
    put(policies[0], 7, CHANGE_ANSWER_LIFE + 10);
    CU_ASSERT_TRUE(has(policies[0], 7, CHANGE_ANSWER_LIFE + 11));
    admission_cache_destroy(&cache);
}

static void test_of_too_many_policies_the_first_one_goes(void)
{
    struct admission_list list;

    begin();
    for (size_t i = 0; i < ARRAY_SIZE(policies); i++)
        put(policies[i], 7, 0);
    CU_ASSERT_FALSE(has(policies[0], 7, 0));
    CU_ASSERT_TRUE(admission_cache_list(cache, &project, 0, &list));
    CU_ASSERT_EQUAL(strlen(list.policies), UNRULED_LIST_MAX - 1);
    for (size_t i = 1; i < ARRAY_SIZE(policies); i++) {
        CU_ASSERT_TRUE(has(policies[i], 7, 0));
        CU_ASSERT_PTR_NOT_NULL(strstr(list.policies, policies[i].text));
    }
    admission_cache_destroy(&cache);
}

static const struct unit_case cases[] = {
    CASE(test_what_was_told_holds_for_its_project_policy_and_change),
    CASE(test_another_change_forgets_all_policies_of_the_project),
    CASE(test_each_policy_is_listed_until_its_own_time),
    CASE(test_of_too_many_policies_the_first_one_goes),
};

int main(void)
{
    return unit_run("authd admission cache", cases, ARRAY_SIZE(cases));
}
