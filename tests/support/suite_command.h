/*
 * suite_command.h - atriumctl for a suite.
 */
#ifndef ATRIUM_TESTS_SUPPORT_SUITE_COMMAND_H
#define ATRIUM_TESTS_SUPPORT_SUITE_COMMAND_H

#include "tests/support/program.h"

struct suite;

/* Runs `atriumctl --dir <the suite's> words...`: ATRIUMCTL(suite, NULL, "project", "list",
 * "--json") */
#define ATRIUMCTL(suite, input, ...) \
    suite_command((suite), (input), (const char *const[]){__VA_ARGS__, NULL})
struct program *suite_command(const struct suite *suite, const char *input,
                              const char *const *words);

struct program *suite_command_start(const struct suite *suite, const char *const *words);

/* Runs two commands that both read before either writes. The statement `lock` blocks both in that
 * daemon. Repeats if one timed out on a busy machine. Fails the test unless both end with 0. */
void suite_command_race(struct suite *suite, const char *daemon, const char *lock,
                        const char *const *one, const char *const *other);

/* suite_make_project() makes a project with that tenant code; suite_make_open_project() one with
 * open registration of patients and its own policy. */
void suite_make_project(const struct suite *suite, const char *name, const char *code);
void suite_make_open_project(const struct suite *suite, const char *code);

extern const char suite_all_policy[];

/* Runs `user create-admin --json` for Olga Petrova; password: for standard input. */
struct program *suite_create_admin(const struct suite *suite, const char *code, const char *email,
                                   const char *password);

/* Sets by the operator which people of demo need a second factor ("everyone"); an admin without one
 * could not undo it. */
void suite_require_mfa(const struct suite *suite, const char *whom);

/* Returns a text of the JSON output by dotted path, "" if absent. */
const char *program_text(const struct program *self, const char *path);

#endif
