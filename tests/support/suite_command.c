/*
 * suite_command.c - see suite_command.h.
 */
#include "tests/support/suite_command.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { WORDS_MAX = 24, RACES_MAX = 10, RACE_MS = 3000, COMMAND_MS = 30000 };

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

/* True when both waited; otherwise neither has written anything. */
static bool race(struct suite *suite, const char *daemon, const char *lock,
                 const char *const *words[static 2])
{
    PGconn *holder = suite_database(suite);
    struct program *commands[2];
    PGresult *held;
    bool both;

    PQclear(PQexec(holder, "begin"));
    held = PQexec(holder, lock);
    UNIT_CHECK(PQresultStatus(held) == PGRES_TUPLES_OK, "%s", PQerrorMessage(holder));
    PQclear(held);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        commands[i] = suite_command_start(suite, words[i]);
    both = suite_comes_to(suite, 2, RACE_MS,
                          "select count(*) from pg_stat_activity where wait_event_type = 'Lock' "
                          "and application_name like 'atrium-%s.%%'",
                          daemon);
    for (size_t i = 0; i < ARRAY_SIZE(commands) && !both; i++)
        program_wait_end(commands[i], COMMAND_MS);
    PQfinish(holder);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        program_wait_end(commands[i], COMMAND_MS);
        if (both)
            CHECK_EXIT(commands[i], DONE);
        program_destroy(&commands[i]);
    }
    return both;
}

void suite_command_race(struct suite *suite, const char *daemon, const char *lock,
                        const char *const *one, const char *const *other)
{
    const char *const *words[] = {one, other};
    bool both = false;

    for (int i = 0; i < RACES_MAX && !both; i++)
        both = race(suite, daemon, lock, words);
    UNIT_CHECK(both, "%s: the two never waited together", one[0]);
}

void suite_make_project(const struct suite *suite, const char *name, const char *code)
{
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", name, "--code", code);

    CHECK_EXIT(made, DONE);
}

const char suite_all_policy[] = "{\"name\":\"All\",\"resource\":[{\"resourceType\":\"*\"}]}";

void suite_make_open_project(const struct suite *suite, const char *code)
{
    char policy[64];

    suite_make_project(suite, "Clinic", code);
    PROGRAM put =
        ATRIUMCTL(suite, suite_all_policy, "policy", "put", "--project", code, "-", "--json");
    CHECK_EXIT(put, DONE);
    snprintf(policy, sizeof(policy), "AccessPolicy/%s", program_text(put, "id"));
    PROGRAM set =
        ATRIUMCTL(suite, NULL, "project", "set", code, "default-patient-access-policy", policy);
    CHECK_EXIT(set, DONE);
}

struct program *suite_create_admin(const struct suite *suite, const char *code, const char *email,
                                   const char *password)
{
    return ATRIUMCTL(suite, password, "user", "create-admin", "--project", code, "--email", email,
                     "--name", "Olga", "--surname", "Petrova", "--json");
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
