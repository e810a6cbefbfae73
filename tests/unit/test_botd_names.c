/*
 * test_botd_names.c - names of bots.
 */
#include <string.h>

#include "botd/bot/token_search.h"
#include "tests/support/unit.h"

static void a_token_names_system_and_value(void)
{
    static const struct {
        const char *text;
        bool good;
        const char *system, *value;
    } rows[] = {
        {"a|b", true, "a", "b"},
        {"|b", true, "", "b"},
        {"a|", true, "a", NULL},
        {"b", true, NULL, "b"},
        {"https://x.example/y|z", true, "https://x.example/y", "z"},
        {"a\\|b", true, NULL, "a|b"},
        {"a\\|b|c\\|d", true, "a|b", "c|d"},
        {"a\\\\|b", true, "a\\", "b"},
        {"a\\,b\\$c", true, NULL, "a,b$c"},
        {"a\\nb", true, NULL, "a\\nb"},
        {"a\\", true, NULL, "a\\"},
        {"a,b", true, NULL, "a,b"},
        {"", false, NULL, NULL},
        {"|", false, NULL, NULL},
        {"a|b|c", false, NULL, NULL},
        {"||b", false, NULL, NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct token_search token = {0};
        bool good = token_search_parse(arena, rows[i].text, &token) == 0;

        UNIT_CHECK(good == rows[i].good, "%s", rows[i].text);
        if (!good)
            continue;
        UNIT_CHECK(!token.system == !rows[i].system &&
                       (!token.system || strcmp(token.system, rows[i].system) == 0),
                   "%s", rows[i].text);
        UNIT_CHECK(!token.value == !rows[i].value &&
                       (!token.value || strcmp(token.value, rows[i].value) == 0),
                   "%s", rows[i].text);
    }
}

static const struct unit_case cases[] = {
    CASE(a_token_names_system_and_value),
};

int main(void)
{
    return unit_run("names of bots", cases, ARRAY_SIZE(cases));
}
