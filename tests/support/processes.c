/*
 * processes.c - see processes.h.
 */
#include "tests/support/processes.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

long process_status(pid_t pid, const char *name)
{
    char path[64], line[256];
    long value = -1;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtol(line + strlen(name) + 1, NULL, 10);
    if (file)
        fclose(file);
    return value;
}

static bool has_text(const char *path, const char *text)
{
    char line[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, line, sizeof(line));

    if (fd >= 0)
        close(fd);
    return size > 0 && memmem(line, (size_t)size, text, strlen(text));
}

static bool descends(pid_t pid, pid_t ancestor)
{
    pid_t above = pid;

    while (above > 1 && above != ancestor)
        above = (pid_t)process_status(above, "PPid:");
    return above == ancestor && pid != ancestor;
}

size_t processes_with(const char *text, pid_t ancestor, pid_t *ret, size_t max)
{
    size_t count = 0;
    glob_t found;

    if (glob("/proc/[0-9]*/cmdline", 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        pid_t pid = atoi(found.gl_pathv[i] + strlen("/proc/"));

        if (!has_text(found.gl_pathv[i], text) || (ancestor != 0 && !descends(pid, ancestor)))
            continue;
        if (count < max)
            ret[count] = pid;
        count++;
    }
    globfree(&found);
    return count;
}

rlim_t process_lowest_descriptor(pid_t pid)
{
    char path[64];
    rlim_t number = 0;

    do
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, (int)number++);
    while (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
    return number - 1;
}

bool processes_confined(enum confine_means means)
{
    struct confine *confine = confine_new();
    struct error err;
    bool works;

    error_init(&err, NULL);
    works = confine_try(confine, means, &err) == 0;
    confine_destroy(&confine);
    return works;
}
