/*
 * test_ctl_server_disk.c - finds a PostgreSQL server's disks among all processes of the host,
 * whatever other users put in their working directories.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/suite/server_disk.h"
#include "tests/support/unit.h"

enum { LIMIT_S = 20 };

static pid_t work_in(const char *path)
{
    int ready[2];
    char byte = 0;
    pid_t pid;

    CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        if (chdir(path) < 0 || write(ready[1], &byte, 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    CU_ASSERT_EQUAL_FATAL(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Searches for the disks. If the search hangs, the alarm ends the program. */
static size_t find(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct server_disk disks[SERVER_DISKS_MAX];
    size_t count;

    alarm(LIMIT_S);
    count = server_disks("host=/nowhere/atrium-test port=59999", arena, disks);
    alarm(0);
    return count;
}

static void a_server_is_found_by_its_pid_file(void)
{
    struct unit_dir dir = unit_dir_make();
    char text[256];
    pid_t pid = work_in(dir.path);

    snprintf(text, sizeof(text), "%d\n/data\n1\n59999\n/nowhere/atrium-test\n\n", (int)pid);
    unit_dir_write(&dir, "postmaster.pid", text);
    CU_ASSERT_EQUAL(find(), 1);
    end(pid);
    CU_ASSERT_EQUAL(find(), 0);
    unit_dir_remove(&dir);
}

static void a_fifo_of_another_process_is_not_waited_for(void)
{
    struct unit_dir dir = unit_dir_make();
    char path[300];
    pid_t pid = work_in(dir.path);

    snprintf(path, sizeof(path), "%s/postmaster.pid", dir.path);
    UNIT_REQUIRE(mkfifo(path, 0600) == 0, "%s", path);
    CU_ASSERT_EQUAL(find(), 0);
    end(pid);
    unlink(path);
    unit_dir_remove(&dir);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(a_server_is_found_by_its_pid_file),
        CASE(a_fifo_of_another_process_is_not_waited_for),
    };

    return unit_run("ctl server disk", cases, ARRAY_SIZE(cases));
}
