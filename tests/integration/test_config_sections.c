/*
 * test_config_sections.c - all daemons share one configuration: each knows every section's keys and
 * refuses another section's key with file and line.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/unit.h"

enum { FILE_MAX = 32 * 1024, WORD_MAX = 64 };

static const struct {
    const char *name, *key;
} daemons[] = {
    {"gateway", "admin_listen"}, {"authd", "fresh_sign_in"}, {"settingsd", "children_per_project"},
    {"maild", "mail_dir"},       {"docd", "storage_dir"},    {"botd", "bot_dir"},
};

static struct unit_dir dir;

static struct program *run(const char *daemon, const char *file, const char *option)
{
    char name[WORD_MAX], *path;
    struct program *self;

    snprintf(name, sizeof(name), "atrium-%s", daemon);
    path = program_path(name);
    self = program_run((const char *const[]){path, "--config", file, option, NULL}, NULL);
    free(path);
    return self;
}

/* Prints a daemon's section with every key; those without a value get one that other daemons
 * ignore. */
static void print_section(const char *daemon, char ret[static FILE_MAX])
{
    PROGRAM program = run(daemon, "/dev/null", "--print-config");
    char *rest = program->out, *line, key[WORD_MAX], mark[2];
    bool inside = false;
    size_t keys = 0;

    CHECK_EXIT(program, 0);
    *ret = '\0';
    while ((line = strsep(&rest, "\n"))) {
        if (*line != ' ')
            inside = strcmp(line, daemon) == 0;
        if (!inside)
            continue;
        if (*line != ' ' || sscanf(line, " %63[a-z0-9_] %1[=]", key, mark) == 2)
            strcat(strcat(ret, line), "\n");
        else if (sscanf(line, " # %63[a-z0-9_] is not %1[s]", key, mark) == 2)
            strcat(strcat(strcat(ret, "    "), key), " = \"x\"\n");
        keys++;
    }
    UNIT_CHECK(keys > 5, "%s prints %zu lines", daemon, keys);
}

static void every_key_is_known_to_all(void)
{
    static char text[FILE_MAX];

    for (size_t owner = 0; owner < ARRAY_SIZE(daemons); owner++) {
        const char *file;

        print_section(daemons[owner].name, text);
        file = unit_dir_write(&dir, "known.conf", text);
        for (size_t reader = 0; reader < ARRAY_SIZE(daemons); reader++) {
            if (reader == owner)
                continue;
            PROGRAM check = run(daemons[reader].name, file, "--check-config");
            UNIT_CHECK(check->code == 0, "%s in %s: %s", daemons[owner].name, daemons[reader].name,
                       check->err);
        }
    }
}

static void check_refused(const char *reader, const char *text, const char *want)
{
    const char *file = unit_dir_write(&dir, "wrong.conf", text);
    PROGRAM check = run(reader, file, "--check-config");

    UNIT_CHECK(check->code != 0 && strstr(check->err, want), "%s: %s: %s", reader, want,
               check->err);
}

static void a_key_in_anothers_section_is_refused(void)
{
    for (size_t owner = 0; owner < ARRAY_SIZE(daemons); owner++) {
        for (size_t other = 0; other < ARRAY_SIZE(daemons); other++) {
            char text[256], want[256];

            if (owner == other)
                continue;
            snprintf(text, sizeof(text), "common\n%s\n    %s = \"x\"\n", daemons[other].name,
                     daemons[owner].key);
            snprintf(want, sizeof(want), "wrong.conf:3: section \\\"%s\\\" has no key \\\"%s\\\"",
                     daemons[other].name, daemons[owner].key);
            for (size_t reader = 0; reader < ARRAY_SIZE(daemons); reader++)
                check_refused(daemons[reader].name, text, want);
        }
    }
}

static void a_section_that_no_program_has_is_refused(void)
{
    for (size_t reader = 0; reader < ARRAY_SIZE(daemons); reader++)
        check_refused(daemons[reader].name, "common\nauthdd\n    fresh_sign_in = 15m\n",
                      "wrong.conf:2: no program has a section \\\"authdd\\\"");
}

static const struct unit_case cases[] = {
    CASE(every_key_is_known_to_all),
    CASE(a_key_in_anothers_section_is_refused),
    CASE(a_section_that_no_program_has_is_refused),
};

int main(void)
{
    int result;

    dir = unit_dir_make();
    result = unit_run("config sections", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
