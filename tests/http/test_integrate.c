/*
 * test_integrate.c - runs what the guides show: the commands under "Operate" in README.md in a
 * directory with the suite of `make run`, docs/sign-in.md's request, and docs/integrate.md's code
 * with tests/integrate/run.mjs. The last needs `node`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { README_MAX = 256 * 1024, RUN_MS = 120000, PATH_SIZE = 512 };

static struct suite *suite;
static struct unit_dir dir;

static char *operate_script(void)
{
    char *text = calloc(1, README_MAX), *script = calloc(1, README_MAX), *rest, *line, *to = script;
    FILE *file = fopen("README.md", "r");
    bool inside = false;

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_TRUE(fread(text, 1, README_MAX - 1, file) > 0);
    fclose(file);
    to = stpcpy(to, "set -eu -o pipefail\n");
    for (rest = text; (line = strsep(&rest, "\n"));) {
        if (strncmp(line, "## ", 3) == 0)
            inside = strcmp(line, "## Operate") == 0;
        else if (inside && strncmp(line, "    ", 4) == 0)
            to += sprintf(to, "%s\n", line + 4);
    }
    free(text);
    return script;
}

static void make_tree(void)
{
    char *ctl = program_path("atriumctl"), target[PATH_SIZE], *path;
    char *absolute = realpath(ctl, NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL(absolute);
    *strrchr(absolute, '/') = '\0';
    snprintf(target, sizeof(target), "%s/build", dir.path);
    CU_ASSERT_EQUAL(mkdir(target, 0700), 0);
    snprintf(target, sizeof(target), "%s/build/bin", dir.path);
    CU_ASSERT_EQUAL(symlink(absolute, target), 0);
    snprintf(target, sizeof(target), "%s/var", dir.path);
    path = realpath(suite_dir(suite), NULL);
    CU_ASSERT_EQUAL(symlink(path, target), 0);
    free(path);
    free(absolute);
    free(ctl);
}

static void the_readmes_commands_run(void)
{
    char *script = operate_script();
    const char *const argv[] = {"/usr/bin/env", "-C", dir.path, "bash", NULL};

    CU_ASSERT_PTR_NOT_NULL(strstr(script, "create-admin"));
    make_tree();
    PROGRAM run = program_start(argv, script);
    CU_ASSERT_TRUE(program_wait_end(run, RUN_MS));
    CHECK_EXIT(run, 0);
    CU_ASSERT_TRUE(strlen(unit_dir_read(&dir, "north.json")) > 100);
    char *mail = suite_mail(suite, "nora@example.org", 10000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mail);
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "/t/north/invitation?"));
    free(mail);
    free(script);
}

/* Runs the block with only the gateway's URL changed, in the directory of the README's commands. */
static void the_request_of_the_sign_in_guide_signs_in(void)
{
    static const char script[] =
        "eval \"$(awk '/^```/ { inside = 0 } inside || $0 == \"# one request\" { inside = 1; "
        "print }' \"$0\" | sed \"s,http://127.0.0.1:8080,$1,\")\"";
    char *guide = realpath("docs/sign-in.md", NULL);
    const char *const argv[] = {
        "/usr/bin/env", "-C",   dir.path, "bash",           "-euo", "pipefail",
        "-c",           script, guide,    suite_url(suite), NULL};
    HTTP_ANSWER registered = http_post(
        suite_url(suite), "/auth/tenant/Patient/register", NULL,
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", "ana@example.org", "password",
                  "correct horse", "name", "Ana", "surname", "Prova", "tenantCode", "demo"));

    CHECK_STATUS(registered, 200);
    PROGRAM run = program_run(argv, NULL);
    CHECK_EXIT(run, 0);
    UNIT_CHECK(strncmp(run->out, "{\"accessToken\":", 15) == 0, "%s", run->out);
    free(guide);
}

static void the_code_of_the_integration_guide_runs(void)
{
    char mails[PATH_SIZE];
    const char *const argv[] = {"/usr/bin/env",
                                "node",
                                "tests/integrate/run.mjs",
                                suite_url(suite),
                                mails,
                                suite_text(suite, "demo.adminEmail"),
                                suite_text(suite, "demo.adminPassword"),
                                NULL};
    const char *const version[] = {"/usr/bin/env", "node", "--version", NULL};
    PROGRAM node = program_run(version, NULL);

    if (node->code != 0) {
        unit_leave_out("there is no node");
        return;
    }
    unit_optional();
    snprintf(mails, sizeof(mails), "%s/mail", suite_dir(suite));
    PROGRAM run = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(run, RUN_MS));
    CHECK_EXIT(run, 0);
    UNIT_CHECK(strstr(run->out, "blocks ran") != NULL, "%s", run->out);
}

static const struct unit_case cases[] = {
    CASE(the_readmes_commands_run),
    CASE(the_request_of_the_sign_in_guide_signs_in),
    CASE(the_code_of_the_integration_guide_runs),
};

int main(void)
{
    int result;

    dir = unit_dir_make();
    suite = suite_start(NULL);
    result = unit_run("integrate", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
