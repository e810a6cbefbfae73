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

/* Two commands at once: each has read what is there before either writes. `lock` is a statement
 * that holds what both wait for in that daemon. Starts both again when a busy machine let one wait
 * for longer than the daemon does. Fails the running test unless both end with 0. */
void suite_command_race(struct suite *suite, const char *daemon, const char *lock,
                        const char *const *one, const char *const *other);

/* A project with that tenant code; one that patients can register in, by a policy of its own. */
void suite_make_project(const struct suite *suite, const char *name, const char *code);
void suite_make_open_project(const struct suite *suite, const char *code);

/* The policy that may do everything, as JSON. */
extern const char suite_all_policy[];

/* `user create-admin --json` of Olga Petrova; password: as on standard input. */
struct program *suite_create_admin(const struct suite *suite, const char *code, const char *email,
                                   const char *password);

/* Who of the demo tenant must have a second factor ("everyone"), set by the operator: an admin
 * without one could not take it back. */
void suite_require_mfa(const struct suite *suite, const char *whom);

/* A text in the JSON answer by dotted path; "" when absent. */
const char *program_text(const struct program *self, const char *path);

#endif
