/*
 * confine_watch.c - memory of a program and its descendants. The keeper was forked from a process
 * with threads, so this neither allocates nor locks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/runtime/confine_private.h"

enum {
    PROCESSES_MAX = 256,
    LISTING_SIZE = 4096,
    ENTRY_LENGTH = 16, /* offsets in struct linux_dirent64: length, name */
    ENTRY_NAME = 19,
};

struct found {
    pid_t pids[PROCESSES_MAX];
    size_t count;
};

static const char *read_text(const char *path, char text[static LISTING_SIZE])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = 0, more;

    while (fd >= 0 && size < LISTING_SIZE - 1 &&
           (more = read(fd, text + size, (size_t)(LISTING_SIZE - 1 - size))) > 0)
        size += more;
    if (fd >= 0)
        close(fd);
    text[size] = '\0';
    return text;
}

static void add_children(struct found *found, pid_t process, const char *thread)
{
    char path[64], text[LISTING_SIZE], *at = text, *end;

    snprintf(path, sizeof(path), "/proc/%d/task/%s/children", process, thread);
    read_text(path, text);
    while (found->count < PROCESSES_MAX) {
        long pid = strtol(at, &end, 10);

        if (end == at)
            return;
        found->pids[found->count++] = (pid_t)pid;
        at = end;
    }
}

/* Adds the children of each thread, since the kernel lists a child under the thread that forked
 * it. */
static void add_children_of_threads(struct found *found, pid_t process)
{
    char path[64], listing[LISTING_SIZE];
    long size;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/task", process);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && (size = syscall(SYS_getdents64, fd, listing, sizeof(listing))) > 0) {
        for (long at = 0; at < size;) {
            const char *name = listing + at + ENTRY_NAME;
            unsigned short length;

            memcpy(&length, listing + at + ENTRY_LENGTH, sizeof(length));
            if (name[0] != '.')
                add_children(found, process, name);
            at += length;
        }
    }
    if (fd >= 0)
        close(fd);
}

static void find(struct found *found)
{
    found->count = 0;
    add_children_of_threads(found, getpid());
    for (size_t i = 0; i < found->count; i++)
        add_children_of_threads(found, found->pids[i]);
}

/* Parses "<name>   <n> kB". */
static int64_t line_bytes(const char *text, const char *name)
{
    const char *line = strstr(text, name);

    return line ? strtoll(line + strlen(name), NULL, 10) * 1024 : 0;
}

/* Returns anonymous and shared memory and page tables; the kernel can drop file pages. */
static int64_t resident(pid_t pid)
{
    char path[64], text[LISTING_SIZE];

    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    read_text(path, text);
    return line_bytes(text, "\nRssAnon:") + line_bytes(text, "\nRssShmem:") +
           line_bytes(text, "\nVmPTE:");
}

/* Returns memory with shared pages divided, if the kernel reports it. */
static int64_t proportional(pid_t pid)
{
    char path[64], text[LISTING_SIZE];
    int64_t bytes;

    snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
    read_text(path, text);
    bytes = line_bytes(text, "\nPss_Anon:") + line_bytes(text, "\nPss_Shmem:");
    return bytes > 0 ? bytes : resident(pid);
}

int64_t confine_watch_memory(int64_t enough)
{
    struct found found;
    int64_t bytes = 0;

    find(&found);
    for (size_t i = 0; i < found.count; i++)
        bytes += resident(found.pids[i]);
    if (bytes <= enough)
        return bytes;
    /* Pages shared after a fork were counted in each process: count again, exactly but slowly. */
    bytes = 0;
    for (size_t i = 0; i < found.count; i++)
        bytes += proportional(found.pids[i]);
    return bytes;
}

void confine_watch_kill(void)
{
    struct found found;

    find(&found);
    for (size_t i = 0; i < found.count; i++)
        kill(found.pids[i], SIGKILL);
}
