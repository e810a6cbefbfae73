/*
 * test_keepers.c - the session keepers of clients/python and clients/go: two processes that share a
 * session go through the faults of tests/client/faults.mjs, while both authd are killed in turn.
 *
 * Where there is no Node, Go or Python with requests, the cases say so and are left out, unless
 * ATRIUM_REQUIRE_ALL is set.
 *
 * tier: fault
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { BUILD_MS = 120000, FAULTS_MS = 600000, LINES_MAX = 300 };

static struct suite *suite;
static struct unit_dir dir;

/* Whether the program runs; a case that needs it is left out otherwise. */
static bool have(const char *const *argv, const char *what)
{
    PROGRAM run = program_run(argv, NULL);

    if (run->code == 0) {
        unit_optional();
        return true;
    }
    unit_leave_out("%s", what);
    CU_ASSERT_PTR_NULL(getenv("ATRIUM_REQUIRE_ALL"));
    return false;
}

static bool have_node(void)
{
    return have((const char *const[]){"/usr/bin/env", "node", "--version", NULL},
                "there is no node");
}

static void check_size(const char *path)
{
    char *text = unit_read_file(path);

    UNIT_CHECK(unit_occurrences(text, "\n") <= LINES_MAX, "%s has more than %d lines", path,
               LINES_MAX);
    free(text);
}

/* Runs the faults with a program that keeps a session; `word`: its argument, or NULL. */
static void go_through_the_faults(const char *name, const char *program, const char *word)
{
    char port[8], place[128];
    const char *const argv[] = {"/usr/bin/env",   "node", "tests/client/keepers.mjs",
                                suite_dir(suite), place,  port,
                                program,          word,   NULL};
    const char *const make[] = {"/usr/bin/env", "mkdir", place, NULL};

    snprintf(place, sizeof(place), "%s/%s", dir.path, name);
    snprintf(port, sizeof(port), "%d", unit_free_port());
    PROGRAM made = program_run(make, NULL);
    CHECK_EXIT(made, 0);
    PROGRAM run = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(run, FAULTS_MS));
    UNIT_CHECK(run->code == 0, "%d %s%s", run->code, run->err, *run->err ? "" : run->out);
}

static void python_processes_keep_a_session(void)
{
    static const char *const requests[] = {"/usr/bin/python3", "-c", "import requests", NULL};

    check_size("clients/python/atrium.py");
    if (have_node() && have(requests, "python3-requests is not installed"))
        go_through_the_faults("python", "/usr/bin/python3", "tests/client/keeper.py");
}

/* Builds it outside of the tree, as a program that uses the package. */
static bool build_go(char *program, size_t size)
{
    char module[512], cache[128], root[256];
    const char *const argv[] = {
        "/usr/bin/env", "-C",    dir.path, cache, "GOFLAGS=-mod=mod", "go", "build",
        "-o",           program, ".",      NULL};
    char *source = unit_read_file("tests/client/keeper.go");

    snprintf(program, size, "%s/keeper", dir.path);
    snprintf(cache, sizeof(cache), "GOCACHE=%s/go-cache", dir.path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(root, sizeof(root)));
    snprintf(module, sizeof(module),
             "module keeper\n\ngo 1.19\n\nrequire atrium v0.0.0\n\n"
             "replace atrium => %s/clients/go\n",
             root);
    unit_dir_write(&dir, "go.mod", module);
    unit_dir_write(&dir, "main.go", source);
    free(source);
    PROGRAM built = program_start(argv, NULL);
    return program_wait_end(built, BUILD_MS) && CHECK_EXIT(built, 0);
}

static void go_processes_keep_a_session(void)
{
    static const char *const version[] = {"/usr/bin/env", "go", "version", NULL};
    char program[128];

    check_size("clients/go/atrium.go");
    if (have_node() && have(version, "there is no go") && build_go(program, sizeof(program)))
        go_through_the_faults("go", program, NULL);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(python_processes_keep_a_session),
    CASE(go_processes_keep_a_session),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    const struct suite_options options = {.instances = "authd=2", .test_clock = true};
    int result;

    dir = unit_dir_make();
    suite = suite_start(&options);
    result = unit_run("keepers", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
