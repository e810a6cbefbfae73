/*
 * test_ctl_arguments.c - a command's usage text is the grammar of its command line.
 */
#include <string.h>

#include "ctl/arguments.h"
#include "tests/support/unit.h"

enum { WORDS_MAX = 6 };

static size_t count_words(const char *const *words)
{
    size_t count = 0;

    while (words[count])
        count++;
    return count;
}

static void good_lines_are_read(void)
{
    static const struct {
        const char *usage;
        const char *words[WORDS_MAX]; /* NULL-terminated */
        const char *name, *value;     /* value NULL: not given */
    } rows[] = {
        {"", {NULL}, NULL, NULL},
        {"NAME", {"x"}, "NAME", "x"},
        {"NAME [--code CODE] [--no-code]", {"x"}, "--code", NULL},
        {"NAME [--code CODE] [--no-code]", {"x", "--code", "c"}, "--code", "c"},
        {"NAME [--code CODE] [--no-code]", {"--code=c", "x"}, "--code", "c"},
        {"NAME [--code CODE] [--no-code]", {"--code=", "x"}, "--code", ""},
        {"NAME [--code CODE] [--no-code]", {"--no-code", "x"}, "NAME", "x"},
        {"NAME [--code CODE] [--no-code]", {"--no-code", "x"}, "--no-code", ""},
        {"NAME [--code CODE] [--no-code]", {"--", "--code"}, "NAME", "--code"},
        {"--email E [--project CODE]", {"--email", "--project"}, "--email", "--project"},
        {"CODE default-policy VALUE", {"c", "default-policy", "v"}, "VALUE", "v"},
        {"[FILE]", {NULL}, "FILE", NULL},
        {"[FILE]", {"-"}, "FILE", "-"},
        {"[--state queued|dead]", {"--state", "dead"}, "--state", "dead"},
        {"[--state queued|dead]", {"--state=queued"}, "--state", "queued"},
        {"bash|zsh|fish", {"zsh"}, "bash|zsh|fish", "zsh"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct arguments args;
        struct error err;
        const char *value;

        error_init(&err, arena);
        UNIT_CHECK(arguments_parse(&args, rows[i].usage, rows[i].words, count_words(rows[i].words),
                                   arena, &err) == 0,
                   "row %zu: %s", i, err.message);
        if (!rows[i].name)
            continue;
        value = arguments_get(&args, rows[i].name);
        UNIT_CHECK(rows[i].value ? value && strcmp(value, rows[i].value) == 0 : !value,
                   "row %zu: %s is %s", i, rows[i].name, value ? value : "absent");
    }
}

static void bad_lines_name_the_word(void)
{
    static const struct {
        const char *usage;
        const char *words[WORDS_MAX]; /* NULL-terminated */
        const char *message;
    } rows[] = {
        {"", {"x"}, "x: one word too many"},
        {"NAME", {NULL}, "NAME is missing"},
        {"NAME", {"x", "--frob"}, "--frob: unknown option"},
        {"NAME", {"x", "--frob=1"}, "--frob: unknown option"},
        {"--email E", {"--email"}, "--email: a value must follow"},
        {"--email E", {"--email", "a", "--email", "b"}, "--email: given twice"},
        {"--email E", {"--emai", "a"}, "--emai: unknown option"},
        {"[--force]", {"--force=1"}, "--force: takes no value"},
        {"CODE default-policy VALUE", {"c", "other", "v"}, "other: expected default-policy here"},
        {"CODE default-policy VALUE",
         {"c", "default", "v"},
         "default: expected default-policy here"},
        {"[--state queued|dead]", {"--state", "dea"}, "--state: must be queued|dead"},
        {"[--state queued|dead]", {"--state=queued|dead"}, "--state: must be queued|dead"},
        {"[--state queued|dead]", {"--state="}, "--state: must be queued|dead"},
        {"bash|zsh|fish", {"csh"}, "csh: expected bash|zsh|fish here"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct arguments args;
        struct error err;

        error_init(&err, arena);
        UNIT_CHECK(arguments_parse(&args, rows[i].usage, rows[i].words, count_words(rows[i].words),
                                   arena, &err) < 0,
                   "row %zu", i);
        UNIT_CHECK(strcmp(err.message, rows[i].message) == 0, "row %zu: %s", i, err.message);
    }
}

static void numbers_are_whole_and_bounded(void)
{
    static const struct {
        const char *text;
        int result;
        int64_t value;
    } rows[] = {{"0", 0, 0},      {"65535", 0, 65535},
                {"65536", -1, 7}, {"-1", -1, 7},
                {"", -1, 7},      {"1x", -1, 7},
                {"x", -1, 7},     {"99999999999999999999", -1, 7},
                {"080", 0, 80}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int64_t value = 7;
        struct error err;

        error_init(&err, NULL);
        UNIT_CHECK(arguments_number("--port", rows[i].text, 0, 65535, &value, &err) ==
                           rows[i].result &&
                       value == rows[i].value,
                   "\"%s\"", rows[i].text);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(good_lines_are_read),
        CASE(bad_lines_name_the_word),
        CASE(numbers_are_whole_and_bounded),
    };

    return unit_run("ctl arguments", cases, ARRAY_SIZE(cases));
}
