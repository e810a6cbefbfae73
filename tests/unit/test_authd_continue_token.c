/*
 * test_authd_continue_token.c - the token of a continue-as-patient link: recipient, place and
 * validity.
 */
#include <CUnit/CUnit.h>
#include <sodium.h>
#include <string.h>

#include "authd/credential/continue_token.h"
#include "tests/support/unit.h"

#define EXPIRES INT64_C(1800000000000)

static const struct uuid north = {"11111111-1111-4111-8111-111111111111"};
static const struct uuid south = {"22222222-2222-4222-8222-222222222222"};
static const char ana[] = "ana@lakeside.example";

static void test_for_whom_where_how_long(void)
{
    const struct {
        const char *label;
        uint8_t key;
        struct uuid project;
        const char *email;
        int64_t now;
        int want;
    } rows[] = {
        {"as it was made", 1, north, ana, 0, 0},
        {"its last millisecond", 1, north, ana, EXPIRES - 1, 0},
        {"over", 1, north, ana, EXPIRES, -1},
        {"long over", 1, north, ana, INT64_MAX, -1},
        {"another key", 2, north, ana, 0, -1},
        {"another project", 1, south, ana, 0, -1},
        {"another address", 1, north, "eva@lakeside.example", 0, -1},
        {"an address that goes on", 1, north, "ana@lakeside.example.org", 0, -1},
        {"a part of the address", 1, north, "ana@lakeside", 0, -1},
        {"no address", 1, north, "", 0, -1},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct seal_keys own = unit_seal_keys(1);
    const char *text = continue_token_new(arena, &own, north, ana, EXPIRES);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct seal_keys keys = unit_seal_keys(rows[i].key);
        struct continue_token token = {.expires_at = -1};

        UNIT_CHECK(continue_token_read(&keys, rows[i].project, rows[i].email, text, rows[i].now,
                                       &token) == rows[i].want,
                   "%s", rows[i].label);
        UNIT_CHECK(token.expires_at == (rows[i].want == 0 ? EXPIRES : -1), "%s", rows[i].label);
    }
}

/* Changes each character in turn, and the length. */
static void test_altered(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct seal_keys keys = unit_seal_keys(1);
    const char *text = continue_token_new(arena, &keys, north, ana, EXPIRES);
    size_t length = strlen(text);
    const char *const others[] = {
        "",
        "x",
        arena_printf(arena, "%sA", text),
        arena_printf(arena, "%s=", text),
        arena_printf(arena, " %s", text),
        arena_printf(arena, "%s%s", text, text),
        arena_strndup(arena, text, length - 1),
        arena_strndup(arena, text, length - 4),
    };
    struct continue_token token;

    CU_ASSERT_EQUAL(length, 75);
    for (size_t i = 0; i < length; i++) {
        char *altered = arena_strdup(arena, text);

        altered[i] = altered[i] == 'A' ? 'B' : 'A';
        UNIT_CHECK(continue_token_read(&keys, north, ana, altered, 0, &token) < 0, "at %zu", i);
    }
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        UNIT_CHECK(continue_token_read(&keys, north, ana, others[i], 0, &token) < 0, "%s",
                   others[i]);
}

static void test_each_is_another(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct seal_keys keys = unit_seal_keys(1);
    struct continue_token one, two;

    CU_ASSERT_EQUAL(continue_token_read(&keys, north, ana,
                                        continue_token_new(arena, &keys, north, ana, EXPIRES), 0,
                                        &one),
                    0);
    CU_ASSERT_EQUAL(continue_token_read(&keys, north, ana,
                                        continue_token_new(arena, &keys, north, ana, EXPIRES), 0,
                                        &two),
                    0);
    CU_ASSERT_FALSE(uuid_equal(&one.id, &two.id));
}

static const struct unit_case cases[] = {
    CASE(test_for_whom_where_how_long),
    CASE(test_altered),
    CASE(test_each_is_another),
};

int main(void)
{
    return sodium_init() < 0 ? 1 : unit_run("continue_token", cases, ARRAY_SIZE(cases));
}
