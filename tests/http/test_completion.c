/*
 * test_completion.c - `atriumctl completion`: bash is run, and each shell's script has every
 * command and option of --help.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { COMMANDS_MAX = 128, WORDS_MAX = 12, LINE_SIZE = 512 };

static const char asking[] = ". \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _atriumctl; "
                             "printf '%s ' \"${COMPREPLY[@]}\"";

static struct unit_dir dir;
static char *commands[COMMANDS_MAX]; /* "project create", NULL-terminated */

static char *say(const char *const *words)
{
    char *path = program_path("atriumctl"), *out;
    const char *argv[WORDS_MAX] = {path};

    for (size_t i = 1; words[i - 1]; i++)
        argv[i] = words[i - 1];
    PROGRAM program = program_run(argv, NULL);
    CHECK_EXIT(program, 0);
    out = strdup(program->out);
    free(path);
    return out;
}
#define SAY(...) say((const char *const[]){__VA_ARGS__, NULL})

/* Splits at single spaces, in place, into a NULL-terminated list. A trailing "" is a word. */
static void split(char *text, const char *words[static WORDS_MAX])
{
    size_t count = 0;
    char *word;

    while ((word = strsep(&text, " ")) && count < WORDS_MAX - 1)
        words[count++] = word;
    words[count] = NULL;
}

/* Returns bash's completions of "atriumctl <line>" at its end, each with a space on both sides
 * (caller frees). */
static char *complete(const char *line)
{
    char path[128], *copy = strdup(line), *out = NULL;
    const char *words[WORDS_MAX],
        *argv[WORDS_MAX + 6] = {"/bin/bash", "-c", asking, path, "atriumctl"};

    snprintf(path, sizeof(path), "%s/bash", dir.path);
    split(copy, words);
    for (size_t i = 0; words[i]; i++)
        argv[5 + i] = words[i];
    PROGRAM bash = program_run(argv, NULL);
    UNIT_CHECK(bash->code == 0 && *bash->err == '\0', "%s: %s", line, bash->err);
    if (asprintf(&out, " %s", bash->out) < 0)
        abort();
    free(copy);
    return out;
}

static bool offers(const char *offered, const char *word)
{
    char padded[128];

    snprintf(padded, sizeof(padded), " %s ", word);
    return strstr(offered, padded) != NULL;
}

/* Calls fn for the options in a command's usage, except "--help". Modifies the usage. */
static void each_option(const char *command, void (*fn)(const char *command, const char *option))
{
    char *copy = strdup(command), *help, *rest, *word;
    const char *words[WORDS_MAX];

    split(copy, words);
    help = words[1] ? SAY(words[0], words[1], "--help") : SAY(words[0], "--help");
    help[strcspn(help, "\n")] = '\0';
    rest = help;
    while ((word = strsep(&rest, " []")))
        if (strncmp(word, "--", 2) == 0)
            fn(command, word);
    free(help);
    free(copy);
}

/* Reads lines such as "  project create     create a project". */
static void the_commands_are_read(void)
{
    char *help = SAY("--help"), *rest = help, *line, *script = SAY("completion", "bash");
    size_t count = 0;

    unit_dir_write(&dir, "bash", script);
    free(script);
    while ((line = strsep(&rest, "\n")) && count < COMMANDS_MAX - 1) {
        char *gap = *line == ' ' ? strstr(line + 2, "  ") : NULL;

        if (!gap || line[2] == '-')
            continue;
        *gap = '\0';
        commands[count++] = strdup(line + 2);
    }
    UNIT_CHECK(count > 10, "%zu commands", count);
    free(help);
}

static void bash_offers_option(const char *command, const char *option)
{
    char line[LINE_SIZE], *offered;

    snprintf(line, sizeof(line), "%s %s", command, option);
    offered = complete(line);
    UNIT_CHECK(offers(offered, option), "%s: %s", line, offered);
    free(offered);
}

static void bash_offers_everything(void)
{
    for (char **command = commands; *command; command++) {
        char first[LINE_SIZE];
        const char *space = strchr(*command, ' ');
        char *groups = complete(""), *words;

        snprintf(first, sizeof(first), "%.*s ", (int)strcspn(*command, " "), *command);
        words = complete(first);
        first[strlen(first) - 1] = '\0';
        UNIT_CHECK(offers(groups, first), "%s is not in %s", first, groups);
        UNIT_CHECK(!space || offers(words, space + 1), "%s: %s", *command, words);
        each_option(*command, bash_offers_option);
        free(groups);
        free(words);
    }
}

static void bash_knows_what_may_follow(void)
{
    static const struct {
        const char *line;
        const char *offers;
    } rows[] = {
        {"proj", " project "},
        {"nothing ", "  "},
        {"nothing here ", "  "},
        {"mail ", " queue retry drop "},
        {"mail q", " queue "},
        {"--json --dir /tmp mail q", " queue "},
        {"--dir=/tmp mail q", " queue "},
        {"--dir = /tmp mail q", " queue "},
        {"mail queue --s", " --state "},
        {"mail queue --state ", " queued dead "},
        {"mail queue --state d", " dead "},
        {"mail queue --state=dead --state", "  "},
        {"mail queue --state = d", " dead "},
        {"mail queue --state =", " queued dead "},
        {"mail queue --state dead --", " --count --dir --config --json --help --version "},
        {"--json mail queue --state dead --count 3 --", " --dir --config --help --version "},
        {"mail queue --count ", "  "},
        {"explain sign-in --role P", " Patient Practitioner "},
        {"project set code ", " default-patient-access-policy DEFAULT_PRACTITIONER_ACCESS_POLICY "
                              "PATIENT_APP_URL PRACTITIONER_APP_URL "
                              "PATIENT_REGISTRATION_ENABLED PATIENT_INVITATION_ENABLED "
                              "PATIENT_LOGIN_ENABLED PRACTITIONER_REGISTRATION_ENABLED "
                              "PRACTITIONER_INVITATION_ENABLED PRACTITIONER_LOGIN_ENABLED "
                              "CLINICIAN_INVITE_ON_BUSINESS_EMAIL inheritProviders "},
        {"project set code PRACTITIONER_A", " PRACTITIONER_APP_URL "},
        {"project set --json code d", " default-patient-access-policy "},
        {"project set code default-patient-access-policy A", "  "},
        {"completion ", " bash zsh fish "},
        {"content import --project demo tests/unit/test_ctl_com", "  "},
        {"content import --project demo tests/http/test_complet", " tests/http/test_completion.c "},
        {"template put W --text tests/http/test_complet", " tests/http/test_completion.c "},
        {"passwords build tests/http/test_complet", " tests/http/test_completion.c "},
        {"passwords verify a --list tests/http/test_complet", " tests/http/test_completion.c "},
        {"--config tests/http/test_complet", " tests/http/test_completion.c "},
        {"status --dir tests/ht", " tests/http "},
        {"status --dir tests/http/test_complet", "  "},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *offered = complete(rows[i].line);

        UNIT_CHECK(strcmp(offered, rows[i].offers) == 0, "\"%s\": \"%s\"", rows[i].line, offered);
        free(offered);
    }
}

static void bash_registers_it(void)
{
    char script[256];

    snprintf(script, sizeof(script), ". '%s/bash'; complete -p atriumctl", dir.path);
    PROGRAM bash = program_run((const char *const[]){"/bin/bash", "-euc", script, NULL}, NULL);
    CHECK_EXIT(bash, 0);
    CU_ASSERT_STRING_EQUAL(bash->out, "complete -F _atriumctl atriumctl\n");
}

static char *zsh, *fish;

static void others_have_option(const char *command, const char *option)
{
    char text[LINE_SIZE];

    UNIT_CHECK(strstr(zsh, option) != NULL, "zsh: %s %s", command, option);
    snprintf(text, sizeof(text), " -n '__atriumctl_in \"%s\"' -l %s", command, option + 2);
    if (!strstr(fish, text))
        snprintf(text, sizeof(text), "complete -c atriumctl -l %s", option + 2);
    UNIT_CHECK(strstr(fish, text) != NULL, "fish: %s %s", command, option);
}

static void zsh_and_fish_have_everything(void)
{
    zsh = SAY("completion", "zsh");
    fish = SAY("completion", "fish");
    for (char **command = commands; *command; command++) {
        const char *space = strchr(*command, ' ');
        char text[LINE_SIZE];

        snprintf(text, sizeof(text), "        '%s') set --", *command);
        UNIT_CHECK(strstr(zsh, text) != NULL, "zsh: %s", *command);
        if (space)
            snprintf(text, sizeof(text), "'__atriumctl_after %.*s' -a %s -d '",
                     (int)(space - *command), *command, space + 1);
        else
            snprintf(text, sizeof(text), "'__atriumctl_after \"\"' -a %s -d '", *command);
        UNIT_CHECK(strstr(fish, text) != NULL, "fish: %s", *command);
        each_option(*command, others_have_option);
    }
    CU_ASSERT_EQUAL(strncmp(zsh, "#compdef atriumctl\n", 19), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(fish, "\"mail queue\"' -l state -x -a 'queued dead'\n"));
    free(zsh);
    free(fish);
}

static void other_shells_are_refused(void)
{
    char *path = program_path("atriumctl");
    PROGRAM csh = program_run((const char *const[]){path, "completion", "csh", NULL}, NULL);

    CHECK_REFUSED(csh, 2, "csh: expected bash|zsh|fish here");
    free(path);
}

static const struct unit_case cases[] = {
    CASE(the_commands_are_read),        CASE(bash_offers_everything),
    CASE(bash_knows_what_may_follow),   CASE(bash_registers_it),
    CASE(zsh_and_fish_have_everything), CASE(other_shells_are_refused),
};

int main(void)
{
    int code;

    dir = unit_dir_make();
    code = unit_run("completion", cases, ARRAY_SIZE(cases));
    for (char **command = commands; *command; command++)
        free(*command);
    unit_dir_remove(&dir);
    return code;
}
