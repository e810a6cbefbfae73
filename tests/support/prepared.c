/*
 * prepared.c - see prepared.h.
 */
#include "tests/support/prepared.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/log.h"

const char *prepared_parent(void)
{
    return getenv("ATRIUM_PREPARED");
}

static NORETURN void give_up(const char *what, const char *path)
{
    fprintf(stderr, "prepared directories: %s: %s\n", path, what);
    exit(1);
}

static void run(const char *const words[])
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        execvp(words[0], (char *const *)(uintptr_t)words); /* which does not modify them */
        _exit(127);
    }
    if (waitpid(pid, &status, 0) < 0 || status != 0)
        give_up(words[0], words[2]);
}

static char *path_in_parent(const char *name, const char *end)
{
    char *path = NULL;

    if (asprintf(&path, "%s/%s%s", prepared_parent(), name, end) < 0)
        log_die("prepared", "out of memory");
    return path;
}

/* Makes it under another name and renames it when complete, because the maker may be killed. */
static void make_once(const char *name, const char *path, void (*make)(const char *dir, void *arg),
                      void *arg)
{
    char *lock = path_in_parent(name, ".lock"), *fresh = path_in_parent(name, ".new");
    char *dense = path_in_parent(name, ".dense");
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0 || flock(fd, LOCK_EX) < 0)
        give_up("cannot be locked", lock);
    if (access(path, F_OK) < 0) {
        run((const char *const[]){"rm", "-rf", fresh, NULL});
        run((const char *const[]){"rm", "-rf", dense, NULL});
        if (mkdir(dense, 0700) < 0)
            give_up("cannot be made", dense);
        make(dense, arg);
        /* Sparse copies need no memory for the unused write-ahead log. */
        run((const char *const[]){"cp", "-a", dense, fresh, "--sparse=always", NULL});
        run((const char *const[]){"rm", "-rf", dense, NULL});
        if (rename(fresh, path) < 0)
            give_up("cannot be renamed", fresh);
    }
    close(fd);
    free(dense);
    free(fresh);
    free(lock);
}

struct unit_dir prepared_unit_dir(void)
{
    struct unit_dir dir;
    const char *parent = prepared_parent();
    int length =
        snprintf(dir.path, sizeof(dir.path), "%s/atrium-unit-XXXXXX", parent ? parent : "");

    if (!parent || (size_t)length >= sizeof(dir.path))
        return unit_dir_make();
    if (!mkdtemp(dir.path))
        give_up("mkdtemp failed", parent);
    return dir;
}

bool prepared_copy(const char *name, const char *dir, void (*make)(const char *dir, void *arg),
                   void *arg)
{
    char *path, *content;

    if (!prepared_parent())
        return false;
    path = path_in_parent(name, "");
    content = path_in_parent(name, "/.");
    make_once(name, path, make, arg);
    run((const char *const[]){"cp", "-a", content, dir, "--reflink=auto", NULL});
    free(content);
    free(path);
    return true;
}
