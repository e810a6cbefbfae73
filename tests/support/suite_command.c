/*
 * suite_command.c - see suite_command.h.
 */
#include "tests/support/suite_command.h"

#include <CUnit/CUnit.h>
#include <stdlib.h>

#include "tests/support/suite.h"

enum { WORDS_MAX = 24 };

static struct program *start(const struct suite *suite, const char *input, const char *const *words,
                             struct program *(*run)(const char *const *argv, const char *input))
{
    char *path = program_path("atriumctl");
    const char *argv[WORDS_MAX] = {path, "--dir", suite_dir(suite)};
    struct program *self;

    for (size_t i = 3; *words && i < WORDS_MAX - 1; i++)
        argv[i] = *words++;
    self = run(argv, input);
    free(path);
    return self;
}

struct program *suite_command(const struct suite *suite, const char *input,
                              const char *const *words)
{
    return start(suite, input, words, program_run);
}

struct program *suite_command_start(const struct suite *suite, const char *const *words)
{
    return start(suite, NULL, words, program_start);
}

void suite_require_mfa(const struct suite *suite, const char *whom)
{
    PROGRAM set = ATRIUMCTL(suite, NULL, "project", "policy", "demo", "requireMfa", whom);

    CU_ASSERT_EQUAL(set->code, 0);
}

const char *program_text(const struct program *self, const char *path)
{
    const struct http_answer as_answer = {.json = self->json};

    return http_text(&as_answer, path);
}
