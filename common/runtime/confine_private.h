/* confine_private.h - private to confine*.c. */
#ifndef ATRIUM_COMMON_RUNTIME_CONFINE_PRIVATE_H
#define ATRIUM_COMMON_RUNTIME_CONFINE_PRIVATE_H

#include <linux/filter.h>
#include <signal.h>

#include "common/runtime/confine.h"

enum {
    CONFINE_PROGRAM_FD = 3, /* descriptor of the program's file until it runs */
    CONFINE_FILTER_FD = 4,  /* for bubblewrap */
    CONFINE_UIDS = 384,     /* 60800 to 61183, unused in systemd's list of uids */
    CONFINE_FIRST_UID = 60800,
    CONFINE_STACK = 1024 * 1024,
    CONFINE_FILE_SIZE = 16 * 1024 * 1024, /* by default */
    CONFINE_FILES = 256,
};
/* Address space that a program can reserve; its page tables take 32 MiB. */
#define CONFINE_ADDRESSES ((int64_t)16 << 30)

static inline bool confine_is_bubblewrap(enum confine_means means)
{
    return means == CONFINE_BUBBLEWRAP || means == CONFINE_BUBBLEWRAP_BARE;
}

struct confine_plan {
    enum confine_means means;
    const struct confine_rules *rules;
    const struct confine_program *program;
    const struct sock_fprog *filter;
    const char *const *argv; /* command line of bubblewrap or the program */
    const char *path;
    const char *const *environment;
    pid_t caller;
    uid_t uid; /* 0: unchanged */
    int64_t tasks;
    int ruleset;   /* for Landlock, or -1 */
    int filter_fd; /* for bubblewrap, or -1 */
    int own_fd;    /* program at offset 0, for bubblewrap; -1: program->fd */
    int report;    /* receives struct confine_report */
};

struct confine_report {
    int error; /* errno; 0: the program follows */
    char step[32];
};

/* ---- confine_filter.c ---- */

enum confine_filter {
    CONFINE_FILTER_NAMESPACES, /* within bubblewrap */
    CONFINE_FILTER_SHARED,     /* other processes and files exist */
    CONFINE_FILTER_SILENT,     /* as CONFINE_FILTER_SHARED, without signals */
    CONFINE_FILTER_COUNT
};

/* Returns instructions for free(). Ends the process on failure: the rules are constant. */
struct sock_fprog confine_filter_make(enum confine_filter which);

/* ---- confine_landlock.c ---- */

/* Returns the kernel's Landlock version, or 0 with errno. */
int confine_landlock_version(void);

/* Returns a ruleset that executes the program, reads and executes /usr, and reads `read`; or -1
 * with errno. */
int confine_landlock_make(int version, const struct confine_rules *rules, int program_fd);

/* ---- confine_child.c: in the children ---- */

NORETURN void confine_keeper(const struct confine_plan *plan);

/* ---- confine_watch.c ---- */

/* Returns the memory of all descendants. Shared pages count once if the kernel reports it. */
int64_t confine_watch_memory(int64_t enough);

void confine_watch_kill(void);

#endif
