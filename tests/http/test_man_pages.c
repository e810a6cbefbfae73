/*
 * test_man_pages.c - the man pages document exactly the programs' configuration keys, commands and
 * options. Compares --print-config and --help of the built programs with the pages' sources.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { PAGE_MAX = 64 * 1024, WORD_MAX = 64 };

static const char ctl_page[] = "ctl/atriumctl.1";

/* Each configuration section with the program that prints it and the page that documents it. */
static const struct {
    const char *section, *program, *page;
} sections[] = {
    {"common", "atrium-gateway", "common/service/atrium.conf.5"},
    {"gateway", "atrium-gateway", "gateway/gateway.8"},
    {"authd", "atrium-authd", "authd/authd.8"},
    {"settingsd", "atrium-settingsd", "settingsd/settingsd.8"},
    {"maild", "atrium-maild", "maild/maild.8"},
    {"docd", "atrium-docd", "docd/docd.8"},
    {"botd", "atrium-botd", "botd/botd.8"},
};

/* Returns a page as plain words, without escapes, quotes and parenthesized defaults. Starts after
 * the heading, if any; `tags` selects tagged paragraphs' first lines (caller frees). */
static char *page_text(const char *path, const char *heading, bool tags)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, PAGE_MAX), line[1024], *to = text;
    bool inside = !heading, tag = false;

    UNIT_CHECK(file != NULL, "%s", path);
    while (file && fgets(line, sizeof(line), file) && to - text < PAGE_MAX - (int)sizeof(line)) {
        bool is_tag = tag;

        tag = strncmp(line, ".TP", 3) == 0;
        if (heading && strncmp(line, ".SH ", 4) == 0)
            inside = strncmp(line + 4, heading, strlen(heading)) == 0;
        if (!inside || (tags && !is_tag))
            continue;
        for (const char *from = line + (is_tag ? strcspn(line, " \n") : 0); *from; from++) {
            if (strncmp(from, "\\f", 2) == 0)
                from += 2;
            else if (*from == '(' && tags && strchr(from, ')'))
                from = strchr(from, ')');
            else if (*from != '"' && *from != '\\')
                *to++ = *from;
        }
    }
    if (file)
        fclose(file);
    return text;
}

/* Returns the raw tag lines of CONFIGURATION (caller frees). */
static char *page_tags(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, PAGE_MAX), line[1024];
    bool inside = false, tag = false;

    while (file && fgets(line, sizeof(line), file) && strlen(text) < PAGE_MAX - sizeof(line)) {
        if (strncmp(line, ".SH ", 4) == 0)
            inside = strncmp(line + 4, "CONFIGURATION", 13) == 0;
        if (inside && tag)
            strcat(text, line);
        tag = strncmp(line, ".TP", 3) == 0;
    }
    if (file)
        fclose(file);
    return text;
}

static bool holds(const char *text, const char *words)
{
    static const char inner[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";

    for (const char *at = text; (at = strstr(at, words)); at++) {
        char after = at[strlen(words)];

        if ((at == text || !strchr(inner, at[-1])) && (after == '\0' || !strchr(inner, after)))
            return true;
    }
    return false;
}

/* Returns the output of a program built with this test (caller frees). */
static char *ask(const char *name, const char *const *arguments)
{
    char *path = program_path(name), *out;
    const char *argv[8] = {path};

    for (size_t i = 0; arguments[i]; i++)
        argv[i + 1] = arguments[i];
    PROGRAM program = program_run(argv, NULL);
    CHECK_EXIT(program, 0);
    out = strdup(program->out);
    free(path);
    return out;
}

static char *keys_of(const char *program, const char *section)
{
    char *config =
        ask(program, (const char *const[]){"--config", "/dev/null", "--print-config", NULL});
    char *keys = calloc(1, strlen(config) + 2), *rest = config, *line;
    bool inside = false;

    while ((line = strsep(&rest, "\n"))) {
        char key[WORD_MAX], mark[2];

        if (*line != ' ')
            inside = strcmp(line, section) == 0;
        if (inside && (sscanf(line, " %63[a-z0-9_] %1[=]", key, mark) == 2 ||
                       sscanf(line, " # %63[a-z0-9_] is not %1[s]", key, mark) == 2))
            strcat(strcat(keys, key), " ");
    }
    free(config);
    return keys;
}

static void every_key_is_documented(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
        char *keys = keys_of(sections[i].program, sections[i].section), *rest = keys, *key;
        char *page = page_text(sections[i].page, "CONFIGURATION", true);

        CU_ASSERT_TRUE(*keys != '\0');
        while ((key = strsep(&rest, " "))) {
            if (*key)
                UNIT_CHECK(holds(page, key), "%s lacks the key %s", sections[i].page, key);
        }
        free(page);
        free(keys);
    }
}

/* Returns the section's lines of --print-config from `key`'s description on, or NULL. */
static bool is_marked(const char *config, const char *section, const char *key)
{
    char line[WORD_MAX + 16], unset[WORD_MAX + 24];
    const char *at = strstr(config, section), *found, *from;

    snprintf(line, sizeof(line), "\n    %s = ", key);
    snprintf(unset, sizeof(unset), "\n    # %s is not set", key);
    found = at ? strstr(at, line) : NULL;
    found = found ? found : at ? strstr(at, unset) : NULL;
    for (from = found; from && from > config && from[-1] != '\n'; from--)
        ;
    return found && found - from > 8 && strncmp(found - 8, "[reload]", 8) == 0;
}

static void the_pages_say_what_a_reload_applies(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
        char *config = ask(sections[i].program,
                           (const char *const[]){"--config", "/dev/null", "--print-config", NULL});
        char *keys = keys_of(sections[i].program, sections[i].section), *rest = keys, *key;
        char section[WORD_MAX], *page = page_tags(sections[i].page);

        snprintf(section, sizeof(section), "%s\n", sections[i].section);
        while ((key = strsep(&rest, " "))) {
            const char *tag = *key ? strstr(page, key) : NULL;
            bool says = tag && memmem(tag, strcspn(tag, "\n"), "reload)", strlen("reload)"));

            if (*key)
                UNIT_CHECK(says == is_marked(config, section, key), "%s: %s %s", sections[i].page,
                           key, says ? "needs a restart" : "can be reloaded");
        }
        free(page);
        free(keys);
        free(config);
    }
}

static void no_key_is_documented_that_is_gone(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
        char *keys = keys_of(sections[i].program, sections[i].section), *key;
        char *page = page_text(sections[i].page, "CONFIGURATION", true), *rest = page;

        while ((key = strsep(&rest, ", \n"))) {
            if (*key)
                UNIT_CHECK(holds(keys, key), "%s has the key %s", sections[i].page, key);
        }
        free(page);
        free(keys);
    }
}

/* The first line of a command's help has its options: "usage: atriumctl ... [--code CODE]". */
static void check_options(const char *command, const char *page)
{
    char *words = strdup(command), *second = strchr(words, ' '), *help, *rest, *word;

    if (second)
        *second++ = '\0';
    help = ask("atriumctl", (const char *const[]){words, second ? second : "--help",
                                                  second ? "--help" : NULL, NULL});
    help[strcspn(help, "\n")] = '\0';
    rest = help;
    while ((word = strsep(&rest, " []"))) {
        if (strncmp(word, "--", 2) == 0)
            UNIT_CHECK(holds(page, word), "%s lacks %s of %s", ctl_page, word, command);
    }
    free(help);
    free(words);
}

static void every_command_is_documented(void)
{
    char *help = ask("atriumctl", (const char *const[]){"--help", NULL}), *rest = help, *line;
    char *tags = page_text(ctl_page, NULL, true), *page = page_text(ctl_page, NULL, false);
    size_t count = 0;

    while ((line = strsep(&rest, "\n"))) {
        char command[WORD_MAX], *gap = *line == ' ' ? strstr(line + 2, "  ") : NULL;

        if (!gap || line[2] == '-')
            continue;
        *gap = '\0';
        snprintf(command, sizeof(command), "atriumctl %s", line + 2);
        UNIT_CHECK(holds(tags, line + 2) || holds(page, command), "%s lacks %s", ctl_page, command);
        check_options(line + 2, page);
        count++;
    }
    CU_ASSERT_TRUE(count > 10);
    free(page);
    free(tags);
    free(help);
}

static const struct unit_case cases[] = {
    CASE(every_key_is_documented),
    CASE(the_pages_say_what_a_reload_applies),
    CASE(no_key_is_documented_that_is_gone),
    CASE(every_command_is_documented),
};

int main(void)
{
    return unit_run("man pages", cases, ARRAY_SIZE(cases));
}
