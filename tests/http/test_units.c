/*
 * test_units.c - the systemd units: systemd can read them, and each leaves its daemon little to do
 * harm with.
 *
 * Asks systemd-analyze, which needs no running systemd; without that program there is nothing to
 * run. `make test-systemd` shows that the daemons can live with what is left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { PATH_SIZE = 1024 };

/* The greatest exposure, times ten. botd makes sandboxes for programs and so needs namespaces and
 * mounts. */
static const struct {
    const char *daemon;
    int exposure;
} rows[] = {
    {"gateway", 15}, {"authd", 15}, {"settingsd", 15}, {"docd", 15}, {"maild", 15}, {"botd", 30},
};

static const char *analyze(void)
{
    static const char *const places[] = {"/usr/bin/systemd-analyze", "/bin/systemd-analyze"};

    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

static void copy_unit(const struct unit_dir *dir, const char *name, const char *suffix)
{
    char *program = program_path("atriumctl"), *real = realpath(program, NULL);
    char rule[PATH_SIZE], unit[PATH_SIZE], copy[PATH_SIZE];
    const char *const argv[] = {"/usr/bin/sed", rule, unit, NULL};

    *strrchr(real, '/') = '\0';
    snprintf(rule, sizeof(rule), "s|=/usr/bin/|=%s/|", real);
    snprintf(unit, sizeof(unit), "systemd/atrium-%s@.%s", name, suffix);
    snprintf(copy, sizeof(copy), "atrium-%s@1.%s", name, suffix);
    PROGRAM sed = program_run(argv, NULL);
    CHECK_EXIT(sed, 0);
    unit_dir_write(dir, copy, sed->out);
    free(program);
    free(real);
}

/* The first instance of each unit, its program the one that was built. */
static void copy_units(const struct unit_dir *dir)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        copy_unit(dir, rows[i].daemon, "service");
    copy_unit(dir, "gateway", "socket");
}

static void check_run(const char *const *argv)
{
    PROGRAM run = program_run(argv, NULL);

    UNIT_CHECK(run->code == 0, "%s %s: %s%s", argv[1], argv[3], run->out, run->err);
    UNIT_CHECK(strcmp(argv[1], "verify") != 0 || run->err[0] == '\0', "%s", run->err);
}

static void test_systemd_can_read_each(void)
{
    struct unit_dir dir = unit_dir_make();
    char path[256];

    copy_units(&dir);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *const argv[] = {analyze(), "verify", "--man=no", path, NULL};

        snprintf(path, sizeof(path), "%s/atrium-%s@1.service", dir.path, rows[i].daemon);
        check_run(argv);
    }
    unit_dir_remove(&dir);
}

static void test_each_leaves_little_exposed(void)
{
    struct unit_dir dir = unit_dir_make();
    char path[256], threshold[32];

    copy_units(&dir);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *const argv[] = {analyze(),    "security", "--offline=true", path, threshold,
                                    "--no-pager", NULL};

        snprintf(path, sizeof(path), "%s/atrium-%s@1.service", dir.path, rows[i].daemon);
        snprintf(threshold, sizeof(threshold), "--threshold=%d", rows[i].exposure);
        check_run(argv);
    }
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE(test_systemd_can_read_each),
    CASE(test_each_leaves_little_exposed),
};

int main(void)
{
    if (!analyze())
        return unit_leave_out_suite("units", "no systemd-analyze");
    return unit_run("units", cases, ARRAY_SIZE(cases));
}
