/*
 * suite_command.h - atriumctl for a suite.
 */
#ifndef ATRIUM_TESTS_SUPPORT_SUITE_COMMAND_H
#define ATRIUM_TESTS_SUPPORT_SUITE_COMMAND_H

#include "tests/support/program.h"

struct suite;

/* `atriumctl --dir <the suite's> words...`: ATRIUMCTL(suite, NULL, "project", "list", "--json") */
#define ATRIUMCTL(suite, input, ...) \
    suite_command((suite), (input), (const char *const[]){__VA_ARGS__, NULL})
struct program *suite_command(const struct suite *suite, const char *input,
                              const char *const *words);

/* The same, which goes on beside the test. */
struct program *suite_command_start(const struct suite *suite, const char *const *words);

/* Who of the demo tenant must have a second factor ("everyone"), set by the operator: an admin
 * without one could not take it back. */
void suite_require_mfa(const struct suite *suite, const char *whom);

/* A text in the JSON answer by dotted path; "" when absent. */
const char *program_text(const struct program *self, const char *path);

#endif
