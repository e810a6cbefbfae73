/*
 * test_botd_cgroup.c - control groups left by a killed botd are removed at the next start and
 * sweep.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "botd/sandbox/cgroup.h"
#include "tests/support/unit.h"

static struct cgroups *groups;
static char parent[CGROUP_PATH_SIZE];
static bool shared; /* control groups version 1 */

static pid_t dead_pid(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    return pid;
}

static const char *leave_group(void)
{
    static char path[CGROUP_PATH_SIZE + 32];

    if (shared)
        snprintf(path, sizeof(path), "%s/atrium-botd-%d", parent, (int)dead_pid());
    else
        snprintf(path, sizeof(path), "%s/7777", parent);
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0755), 0);
    return path;
}

static bool is_gone(const char *path)
{
    return access(path, F_OK) < 0 && errno == ENOENT;
}

static void test_the_next_start_removes_them(void)
{
    const char *left;
    struct error err;

    error_init(&err, NULL);
    cgroups_destroy(&groups);
    if (!shared)
        mkdir(parent, 0755);
    left = leave_group();
    CU_ASSERT_EQUAL_FATAL(cgroups_open(&groups, &err), 0);
    CU_ASSERT_TRUE(is_gone(left));
}

static void test_a_sweep_removes_them(void)
{
    const char *left;

    if (!shared) {
        unit_leave_out("a group of version 2 is one botd's alone");
        return;
    }
    left = leave_group();
    cgroups_sweep(groups);
    CU_ASSERT_TRUE(is_gone(left));
}

static void test_a_number_that_another_program_has(void)
{
    char path[CGROUP_PATH_SIZE + 32];

    if (!shared) {
        unit_leave_out("groups of version 2 have no such numbers");
        return;
    }
    snprintf(path, sizeof(path), "%s/atrium-botd-1", parent);
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0755), 0);
    cgroups_sweep(groups);
    CU_ASSERT_TRUE(is_gone(path));
}

static const struct unit_case cases[] = {
    CASE(test_the_next_start_removes_them),
    CASE(test_a_sweep_removes_them),
    CASE(test_a_number_that_another_program_has),
};

int main(void)
{
    char entry[CGROUP_PATH_SIZE];
    struct error err;
    uint64_t run;
    int rc;

    error_init(&err, NULL);
    if (cgroups_open(&groups, &err) < 0)
        return unit_leave_out_suite("botd cgroup", err.message);
    if (cgroup_make(groups, 1 << 26, 10, &run, entry, &err) < 0)
        return unit_leave_out_suite("botd cgroup", err.message);
    shared = run == 0;
    cgroup_end(groups, run);
    snprintf(parent, sizeof(parent), "%s", entry);
    for (int i = 0; i < 2; i++) /* <parent>/<group>/cgroup.procs */
        *strrchr(parent, '/') = '\0';
    rc = unit_run("botd cgroup", cases, ARRAY_SIZE(cases));
    cgroups_destroy(&groups);
    return rc;
}
