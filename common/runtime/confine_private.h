/* confine_private.h - what the files of confine share; nothing else includes it. */
#ifndef ATRIUM_COMMON_RUNTIME_CONFINE_PRIVATE_H
#define ATRIUM_COMMON_RUNTIME_CONFINE_PRIVATE_H

#include <linux/filter.h>
#include <signal.h>

#include "common/runtime/confine.h"

enum {
    CONFINE_PROGRAM_FD = 3, /* where the program's file is before it runs */
    CONFINE_FILTER_FD = 4,  /* where bubblewrap reads the filter from */
    CONFINE_UIDS = 384,     /* 60800 to 61183, which systemd's list of uids gives to no use */
    CONFINE_FIRST_UID = 60800,
    CONFINE_STACK = 1024 * 1024,
    CONFINE_FILE_SIZE = 16 * 1024 * 1024, /* unless the rules say more */
    CONFINE_FILES = 256,
};
/* Runtimes reserve more addresses than they use; the page tables of these are 32 MiB. */
#define CONFINE_ADDRESSES ((int64_t)16 << 30)

static inline bool confine_is_bubblewrap(enum confine_means means)
{
    return means == CONFINE_BUBBLEWRAP || means == CONFINE_BUBBLEWRAP_BARE;
}

/* Everything that the children need; they allocate nothing. */
struct confine_plan {
    enum confine_means means;
    const struct confine_rules *rules;
    const struct confine_program *program;
    const struct sock_fprog *filter;
    const char *const *argv; /* of what is executed: bubblewrap, or the program itself */
    const char *path;
    const char *const *environment;
    pid_t caller;
    uid_t uid;     /* to become; 0: none */
    int64_t tasks; /* RLIMIT_NPROC */
    int ruleset;   /* of Landlock; -1: none */
    int filter_fd; /* the filter as bytes, for bubblewrap; -1: none */
    int own_fd; /* the program, read from its first byte, for bubblewrap; -1: program->fd is used */
    int report; /* where struct confine_report goes, once */
};

struct confine_report {
    int error; /* errno; 0: what follows is the program */
    char step[32];
};

/* ---- confine_filter.c ---- */

enum confine_filter {
    CONFINE_FILTER_NAMESPACES, /* within bubblewrap */
    CONFINE_FILTER_SHARED,     /* among other processes and files */
    CONFINE_FILTER_SILENT,     /* the same without signals */
    CONFINE_FILTER_COUNT
};

/* The instructions are the caller's to free. Dies when it cannot: its rules are constant. */
struct sock_fprog confine_filter_make(enum confine_filter which);

/* ---- confine_landlock.c ---- */

/* The version of the kernel's Landlock; 0 with errno when it answers none. */
int confine_landlock_version(void);

/* Executes the program's file, reads and executes /usr, reads `read`. A descriptor, or -1 with
 * errno. */
int confine_landlock_make(int version, const struct confine_rules *rules, int program_fd);

/* ---- confine_child.c: in the children ---- */

/* The keeper: starts the program, watches over it and ends with its status. */
NORETURN void confine_keeper(const struct confine_plan *plan);

/* ---- confine_watch.c ---- */

/* Memory of the processes below this one; shared pages count once where the kernel tells. */
int64_t confine_watch_memory(int64_t enough);

void confine_watch_kill(void);

#endif
