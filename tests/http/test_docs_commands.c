/*
 * test_docs_commands.c - checks that README and docs name only existing things: commands of
 * atriumctl with their options, units, make targets, tests in the threat model, and link targets.
 * Commands run without a suite, so a valid command line fails later.
 */
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { CODE_MAX = 4096, WORDS_MAX = 24, PATH_SIZE = 256 };

static const char *const pages[] = {"README.md",   "CONTRIBUTING.md",
                                    "SECURITY.md", "clients/typescript/README.md",
                                    "docs/*.md",   "docs/*/*.md",
                                    "docs/*/*.yml"};
static glob_t files;

static size_t commands, targets, links;

/* Calls fn for each fenced block, each line indented by four spaces (not in YAML), and each `...`
 * elsewhere. A backslash at a line's end joins lines. */
static void each_code(const char *path, void (*fn)(const char *path, char *code))
{
    char *text = unit_read_file(path), *rest = text, *line;
    char *prose = calloc(1, strlen(text) + 2), *to = prose; /* a space replaces each line's end */
    bool yaml = strstr(path, ".yml") != NULL, fence = false, goes_on = false;
    char code[CODE_MAX];

    while ((line = strsep(&rest, "\n"))) {
        const char *start = line + strspn(line, " ");

        if (strncmp(start, "```", 3) == 0) {
            fence = !fence;
        } else if (fence || (!yaml && start - line >= 4)) {
            snprintf(code, sizeof(code), "%s%s", goes_on ? strdupa(code) : "", start);
            goes_on = *code && code[strlen(code) - 1] == '\\';
            if (goes_on)
                code[strlen(code) - 1] = ' ';
            else
                fn(path, code);
        } else {
            to += sprintf(to, "%s ", line);
        }
    }
    for (const char *at = prose, *end; (at = strchr(at, '`')) && (end = strchr(at + 1, '`'));
         at = end + 1) {
        snprintf(code, sizeof(code), "%.*s", (int)(end - at - 1), at + 1);
        fn(path, code);
    }
    free(prose);
    free(text);
}

/* Splits a shell command into words, in place, removes quotes, and returns the count. */
static size_t split(char *code, const char *words[static WORDS_MAX])
{
    size_t count = 0;
    char *to = code, quote = '\0';
    bool inside = false;

    for (char *at = code; *at && (quote || !strchr("|;<>&#", *at)); at++) {
        if (!quote && *at == ' ') {
            *to++ = '\0';
            inside = false;
            continue;
        }
        if (!inside && count < WORDS_MAX - 1)
            words[count++] = to;
        inside = true;
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? '\0' : *at;
        else
            *to++ = *at;
    }
    *to = '\0';
    words[count] = NULL;
    return count;
}

/* Looks up the options in the help, because `atriumctl dev` would start a suite. */
static void check_dev(const char *path, const char *const *words, const char *program)
{
    const char *const argv[] = {program, "dev", "--help", NULL};
    PROGRAM help = program_run(argv, NULL);

    for (; *words; words++)
        if (strncmp(*words, "--", 2) == 0) {
            char option[64];

            snprintf(option, sizeof(option), "%.*s", (int)strcspn(*words, "="), *words);
            UNIT_CHECK(strstr(help->out, option) || strcmp(option, "--help") == 0, "%s: dev %s",
                       path, option);
        }
}

/* Guides can omit options, so a missing option is no error. */
static void check_command(const char *path, const char *const *words)
{
    char *program = program_path("atriumctl"), line[512] = "";
    const char *argv[WORDS_MAX + 4] = {program, "--dir", "/nowhere"};

    for (size_t i = 0; words[i]; i++) {
        argv[3 + i] = words[i];
        snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s", words[i]);
    }
    commands++;
    if (strcmp(words[0], "dev") == 0) {
        check_dev(path, words + 1, program);
    } else {
        PROGRAM run = program_run(argv, NULL);

        UNIT_CHECK(run->code == 0 || run->code == 1 ||
                       (run->code == 2 && strstr(run->err, " is missing")),
                   "%s: atriumctl%s: %s", path, line, run->err);
    }
    free(program);
}

static void check_commands(const char *path, char *code)
{
    static const char name[] = "atriumctl ";

    for (char *at = code; (at = strstr(at, name)); at += strlen(name)) {
        const char *words[WORDS_MAX];
        char *copy = strdup(at + strlen(name));

        if ((at == code || !strchr("-/.", at[-1])) && split(copy, words) > 0)
            check_command(path, words);
        free(copy);
    }
}

static void every_command_exists(void)
{
    commands = 0;
    for (size_t i = 0; i < files.gl_pathc; i++)
        each_code(files.gl_pathv[i], check_commands);
    UNIT_CHECK(commands > 40, "%zu commands", commands);
}

static char *help;

static bool is_target(const char *word)
{
    static const char built[] = "build/";
    char text[PATH_SIZE];

    if (strncmp(word, built, sizeof(built) - 1) == 0) {
        snprintf(text, sizeof(text), "%s.c", word + sizeof(built) - 1);
        return access(text, R_OK) == 0;
    }
    snprintf(text, sizeof(text), "make %s ", word);
    return strstr(help, text) != NULL;
}

static void check_make(const char *path, char *code)
{
    const char *words[WORDS_MAX];
    size_t count = split(code, words);

    if (count == 0 || strcmp(words[0], "make") != 0)
        return;
    for (size_t i = 1; i < count; i++) {
        if (!strchr(words[i], '=') && strncmp(words[i], "-j", 2) != 0)
            UNIT_CHECK(is_target(words[i]), "%s: make %s", path, words[i]);
        targets++;
    }
}

static void every_target_exists(void)
{
    const char *const argv[] = {"/usr/bin/make", "-s", "help", NULL};
    PROGRAM made = program_run(argv, NULL);

    UNIT_REQUIRE(made->code == 0, "make help: %s", made->err);
    help = made->out;
    targets = 0;
    for (size_t i = 0; i < files.gl_pathc; i++)
        each_code(files.gl_pathv[i], check_make);
    UNIT_CHECK(targets > 15, "%zu targets", targets);
}

static void every_unit_exists(void)
{
    size_t count = 0;

    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *text = unit_read_file(files.gl_pathv[i]);

        for (const char *at = text; (at = strstr(at, "atrium-")); at++) {
            size_t length = strlen("atrium-");
            char path[PATH_SIZE];

            while (islower((unsigned char)at[length]))
                length++;
            if (at[length] != '@' || length == strlen("atrium-"))
                continue;
            snprintf(path, sizeof(path), "systemd/%.*s@.service", (int)length, at);
            UNIT_CHECK(access(path, R_OK) == 0, "%s: %s", files.gl_pathv[i], path);
            count++;
        }
        free(text);
    }
    UNIT_CHECK(count > 5, "%zu units", count);
}

static void make_anchor(const char *heading, char ret[static PATH_SIZE])
{
    size_t size = 0;

    for (; *heading && *heading != '\n' && size < PATH_SIZE - 1; heading++)
        if (isalnum((unsigned char)*heading) || *heading == '-' || *heading == '_')
            ret[size++] = (char)tolower((unsigned char)*heading);
        else if (*heading == ' ')
            ret[size++] = '-';
    ret[size] = '\0';
}

static bool has_anchor(const char *path, const char *anchor)
{
    char *text = unit_read_file(path), made[PATH_SIZE];
    bool found = false;

    for (const char *at = text; !found && (at = strstr(at, "\n#")); at++) {
        at += 1 + strspn(at + 1, "#");
        make_anchor(at + 1, made);
        found = strcmp(made, anchor) == 0;
    }
    free(text);
    return found;
}

static void check_link(const char *path, char *target)
{
    char *anchor = strchr(target, '#'), full[2 * PATH_SIZE];
    const char *slash = strrchr(path, '/');

    if (strstr(target, "://"))
        return;
    if (anchor)
        *anchor++ = '\0';
    snprintf(full, sizeof(full), "%.*s%s", slash && *target ? (int)(slash + 1 - path) : 0, path,
             *target ? target : path);
    UNIT_CHECK(access(full, R_OK) == 0, "%s: %s", path, target);
    UNIT_CHECK(!anchor || has_anchor(full, anchor), "%s: %s#%s", path, target, anchor);
    links++;
}

static void every_link_leads_somewhere(void)
{
    links = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *text = unit_read_file(files.gl_pathv[i]);

        for (char *at = text; (at = strstr(at, "](")); at += 2) {
            char target[PATH_SIZE];

            snprintf(target, sizeof(target), "%.*s", (int)strcspn(at + 2, ")"), at + 2);
            check_link(files.gl_pathv[i], target);
        }
        free(text);
    }
    UNIT_CHECK(links > 10, "%zu links", links);
}

static void function_name(const char *name, char *ret, size_t size)
{
    size_t length = 0;

    for (; *name != '\0' && length + 2 < size; name++) {
        if (isalnum((unsigned char)*name))
            ret[length++] = (char)tolower((unsigned char)*name);
        else if (*name != '\'' && length > 0 && ret[length - 1] != '_')
            ret[length++] = '_';
    }
    while (length > 0 && ret[length - 1] == '_')
        length--;
    ret[length] = '\0';
}

static bool text_has_case(const char *text, const char *name)
{
    static const char *const begins[] = {"CASE(", "CASE_ALWAYS(", "CASE(test_"};
    char function[PATH_SIZE], row[PATH_SIZE + 16];

    function_name(name, function, sizeof(function));
    for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
        snprintf(row, sizeof(row), "%s%s)", begins[i], function);
        if (strstr(text, row))
            return true;
    }
    return false;
}

static bool has_case(const char *program, const char *name)
{
    static const char *const folders[] = {"http", "fault", "integration", "unit"};
    char path[PATH_SIZE];
    bool found = false;

    for (size_t i = 0; i < ARRAY_SIZE(folders) && !found; i++) {
        snprintf(path, sizeof(path), "tests/%s/%s.c", folders[i], program);
        if (access(path, R_OK) == 0) {
            char *text = unit_read_file(path);

            found = *name == '\0' || text_has_case(text, name);
            free(text);
        }
    }
    return found;
}

/* Checks `test_members: another project is out of reach`. */
static size_t check_named_tests(const char *path)
{
    char *text = unit_read_file(path), program[64], name[PATH_SIZE];
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, "`test_")); at++) {
        size_t length = strcspn(at + 1, "`"), size = strcspn(at + 1, ":`");

        snprintf(program, sizeof(program), "%.*s", (int)size, at + 1);
        snprintf(name, sizeof(name), "%.*s", length > size + 2 ? (int)(length - size - 2) : 0,
                 at + 1 + size + 2);
        UNIT_CHECK(has_case(program, name), "%s: %s", program, name);
        count++;
    }
    free(text);
    return count;
}

static void every_named_test_exists(void)
{
    size_t threats = check_named_tests("docs/threat-model.md");
    size_t controls = check_named_tests("docs/asvs.md");
    size_t rules = check_named_tests("docs/openid.md");

    UNIT_CHECK(threats > 40 && controls > 30 && rules > 10, "%zu, %zu and %zu tests", threats,
               controls, rules);
}

static const struct unit_case cases[] = {
    CASE(every_command_exists),    CASE(every_target_exists),        CASE(every_unit_exists),
    CASE(every_named_test_exists), CASE(every_link_leads_somewhere),
};

int main(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
        if (glob(pages[i], i > 0 ? GLOB_APPEND : 0, NULL, &files) != 0)
            return 1;
    return unit_run("guide", cases, ARRAY_SIZE(cases));
}
