/*
 * test_units.c - the systemd units: systemd-analyze can read them and rates each service's exposure
 * as low. Skipped if that program is missing. `make test-systemd` shows that the daemons work so
 * confined.
 */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { PATH_SIZE = 1024 };

/* Maximum exposure of a service, times ten. botd makes sandboxes, so it needs namespaces and
 * mounts. */
enum { EXPOSURE_MAX = 15, EXPOSURE_BOTD_MAX = 30 };

static const char *analyze(void)
{
    static const char *const places[] = {"/usr/bin/systemd-analyze", "/bin/systemd-analyze"};

    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

/* Copies a unit: a template's first instance, with the built program. */
static void copy_unit(const struct unit_dir *dir, const char *name)
{
    char *program = program_path("atriumctl"), *real = realpath(program, NULL);
    const char *instance = strchr(name, '@');
    int length = instance ? (int)(instance + 1 - name) : 0;
    char rule[PATH_SIZE], unit[PATH_SIZE], copy[PATH_SIZE];
    const char *const argv[] = {"/usr/bin/sed", rule, unit, NULL};

    *strrchr(real, '/') = '\0';
    snprintf(rule, sizeof(rule), "s|=/usr/bin/|=%s/|", real);
    snprintf(unit, sizeof(unit), "systemd/%s", name);
    snprintf(copy, sizeof(copy), "%.*s%s%s", length, name, instance ? "1" : "", name + length);
    PROGRAM sed = program_run(argv, NULL);
    CHECK_EXIT(sed, 0);
    unit_dir_write(dir, copy, sed->out);
    free(program);
    free(real);
}

static bool ends(const char *name, const char *with)
{
    size_t length = strlen(name), end = strlen(with);

    return length > end && strcmp(name + length - end, with) == 0;
}

static int is_unit(const struct dirent *entry)
{
    return ends(entry->d_name, ".service") || ends(entry->d_name, ".socket") ||
           ends(entry->d_name, ".timer") || ends(entry->d_name, ".target");
}

static void each_unit(void (*each)(const char *path))
{
    struct unit_dir dir = unit_dir_make();
    struct dirent **list;
    char path[PATH_SIZE];
    int count = scandir("systemd", &list, is_unit, alphasort), copies;

    CU_ASSERT_TRUE_FATAL(count > 0);
    for (int i = 0; i < count; i++) {
        copy_unit(&dir, list[i]->d_name);
        free(list[i]);
    }
    free(list);
    copies = scandir(dir.path, &list, is_unit, alphasort);
    CU_ASSERT_EQUAL(copies, count);
    for (int i = 0; i < copies; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir.path, list[i]->d_name);
        each(path);
        free(list[i]);
    }
    free(list);
    unit_dir_remove(&dir);
}

static void check_run(const char *const *argv)
{
    PROGRAM run = program_run(argv, NULL);

    UNIT_CHECK(run->code == 0, "%s %s: %s%s", argv[1], argv[3], run->out, run->err);
    UNIT_CHECK(strcmp(argv[1], "verify") != 0 || run->err[0] == '\0', "%s", run->err);
}

static void check_readable(const char *path)
{
    check_run((const char *const[]){analyze(), "verify", "--man=no", path, NULL});
}

static void check_exposure(const char *path)
{
    char threshold[32];

    if (!ends(path, ".service"))
        return;
    snprintf(threshold, sizeof(threshold), "--threshold=%d",
             ends(path, "/atrium-botd@1.service") ? EXPOSURE_BOTD_MAX : EXPOSURE_MAX);
    check_run((const char *const[]){analyze(), "security", "--offline=true", path, threshold,
                                    "--no-pager", NULL});
}

static void test_systemd_can_read_each(void)
{
    each_unit(check_readable);
}

static void test_each_leaves_little_exposed(void)
{
    each_unit(check_exposure);
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
