/*
 * test_smart_scope.c - SMART scopes of both versions, and their intersection.
 */
#include <string.h>

#include "authd/session/smart_scope.h"
#include "tests/support/unit.h"

static void only_scopes_of_the_standard_are_read(void)
{
    static const struct {
        const char *word;
        bool fine;
    } rows[] = {
        {"patient/Observation.rs", true},
        {"patient/*.cruds", true},
        {"user/Observation.r", true},
        {"system/*.rs", true},
        {"patient/Observation.read", true},
        {"patient/Observation.write", true},
        {"patient/*.*", true},
        {"patient/Observation.rs?category=laboratory", true},
        {"patient/Observation.sr", false},
        {"patient/Observation.rr", false},
        {"patient/Observation.rsx", false},
        {"patient/Observation.", false},
        {"patient/Observation", false},
        {"patient/observation.rs", false},
        {"patient/Obs-1.rs", false},
        {"patient/.rs", false},
        {"patient/**.rs", false},
        {"/Observation.rs", false},
        {"group/Observation.rs", false},
        {"patient/Observation.rs?", false},
        {"patient/Observation.?category=x", false},
        {"patient/Observation.read?category=x", false},
        {"launch/patient", false},
        {"openid", false},
        {"", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct smart_scope scope;

        UNIT_CHECK((smart_scope_parse(rows[i].word, &scope) == 0) == rows[i].fine, "%s",
                   rows[i].word);
    }
}

static void what_two_allow_is_no_more_than_either(void)
{
    static const struct {
        const char *wanted, *limit, *both; /* NULL: nothing */
    } rows[] = {
        {"patient/Observation.rs", "patient/*.rs", "patient/Observation.rs"},
        {"patient/*.rs", "patient/Observation.rs", "patient/Observation.rs"},
        {"patient/*.cruds", "patient/*.rs", "patient/*.rs"},
        {"patient/Observation.cr", "patient/Observation.rs", "patient/Observation.r"},
        {"patient/Observation.c", "patient/Observation.rs", NULL},
        {"patient/Observation.rs", "patient/Condition.rs", NULL},
        {"patient/Observation.rs", "user/Observation.rs", NULL},
        {"user/Observation.rs", "system/Observation.rs", NULL},
        {"patient/Observation.read", "patient/*.rs", "patient/Observation.read"},
        {"patient/Observation.read", "patient/*.r", "patient/Observation.r"},
        {"patient/*.*", "patient/Observation.cud", "patient/Observation.write"},
        {"patient/*.*", "patient/*.cruds", "patient/*.*"},
        {"patient/Observation.rs", "patient/Observation.rs?category=a",
         "patient/Observation.rs?category=a"},
        {"patient/Observation.read", "patient/Observation.rs?category=a",
         "patient/Observation.rs?category=a"},
        {"patient/Observation.rs?category=a", "patient/*.rs", "patient/Observation.rs?category=a"},
        {"patient/Observation.rs?category=a", "patient/*.rs?category=a",
         "patient/Observation.rs?category=a"},
        {"patient/Observation.rs?category=a", "patient/Observation.rs?category=b", NULL},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct smart_scope wanted, limit, both;
        const char *text = "";

        UNIT_CHECK(smart_scope_parse(rows[i].wanted, &wanted) == 0, "%s", rows[i].wanted);
        UNIT_CHECK(smart_scope_parse(rows[i].limit, &limit) == 0, "%s", rows[i].limit);
        if (smart_scope_meet(&wanted, &limit, &both))
            text = smart_scope_print(arena, &both);
        UNIT_CHECK(strcmp(text, rows[i].both ? rows[i].both : "") == 0, "%s, %s: %s",
                   rows[i].wanted, rows[i].limit, text);
    }
}

static void a_registration_says_them_in_version_2(void)
{
    static const struct {
        const char *value;
        bool patient, practitioner;
    } rows[] = {
        {"patient/*.rs", true, true},
        {"user/*.cruds", false, true},
        {"system/*.rs", false, false},
        {"patient/*.read", false, false},
        {"launch", false, false},
        {"patient/Observation.rs?code=\"x", false, false},
        {"patient/Observation.rs?code=a b", false, false},
    };
    char why[96];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        UNIT_CHECK((smart_scope_patient_check(rows[i].value, why) == 0) == rows[i].patient, "%s",
                   rows[i].value);
        UNIT_CHECK((smart_scope_practitioner_check(rows[i].value, why) == 0) ==
                       rows[i].practitioner,
                   "%s", rows[i].value);
    }
}

static const struct unit_case cases[] = {
    CASE(only_scopes_of_the_standard_are_read),
    CASE(what_two_allow_is_no_more_than_either),
    CASE(a_registration_says_them_in_version_2),
};

int main(void)
{
    return unit_run("smart scopes", cases, ARRAY_SIZE(cases));
}
