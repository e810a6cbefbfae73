/*
 * cgroup.c - see cgroup.h. A group disappears a moment after its last process, so removal is
 * retried.
 */
#include "botd/sandbox/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "common/base/memory.h"

#define MOUNTED "/sys/fs/cgroup"
#define SHARED_NAME "atrium-botd-" /* followed by the pid */

enum {
    LEAVING_MAX = 256,
    RUNS_MAX = 1024, /* largest value of the setting `programs` */
    VALUE_SIZE = 32,
};

struct cgroups {
    bool shared;                        /* version 1: `base` for all runs */
    char base[CGROUP_PATH_SIZE - 96];   /* botd's part of the tree */
    char parent[CGROUP_PATH_SIZE - 96]; /* version 1: parent of botds' groups */
    uint64_t last;
    uint64_t leaving[LEAVING_MAX + RUNS_MAX]; /* ended runs whose groups may remain */
    size_t leaving_count;
};

/* Writes a control file of the group at `path` ("": botd's own part). Sets errno on failure. */
static int put(const struct cgroups *self, const char *path, const char *file, const char *value)
{
    char name[CGROUP_PATH_SIZE + 64];
    int fd, rc;

    snprintf(name, sizeof(name), "%s%s/%s", self->base, path, file);
    fd = open(name, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    rc = write(fd, value, strlen(value)) < 0 ? -1 : 0;
    close(fd);
    return rc;
}

static void get(const struct cgroups *self, const char *file, char ret[static 256])
{
    char name[CGROUP_PATH_SIZE + 64];
    ssize_t size = -1;
    int fd;

    snprintf(name, sizeof(name), "%s/%s", self->base, file);
    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        size = read(fd, ret, 255);
        close(fd);
    }
    ret[MAX(size, 0)] = '\0';
    ret[strcspn(ret, "\n")] = '\0';
}

static int make_folder(const struct cgroups *self, const char *path)
{
    char name[CGROUP_PATH_SIZE + 64];

    snprintf(name, sizeof(name), "%s%s", self->base, path);
    return mkdir(name, 0755) < 0 && errno != EEXIST ? -1 : 0;
}

static int remove_folder(const struct cgroups *self, const char *path)
{
    char name[CGROUP_PATH_SIZE + 64];

    snprintf(name, sizeof(name), "%s%s", self->base, path);
    return rmdir(name) < 0 && errno != ENOENT ? -1 : 0;
}

/* ---- botd's part of the tree ---- */

/* Finds botd's group. False: no version 2 tree, or botd is in its root, which belongs to all. */
static bool find_base(struct cgroups *self)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    struct statfs mounted;
    char line[200];
    bool found = false;

    while (file && !found && fgets(line, sizeof(line), file)) {
        char *end = strchr(line, '\n');

        found = end && strncmp(line, "0::/", 4) == 0;
        if (found) {
            *end = '\0';
            snprintf(self->base, sizeof(self->base), MOUNTED "%.200s", line + 3);
        }
    }
    if (file)
        fclose(file);
    return found && strcmp(self->base, MOUNTED "/") != 0 && statfs(MOUNTED, &mounted) == 0 &&
           mounted.f_type == CGROUP2_SUPER_MAGIC;
}

/* Moves botd into a subgroup, because a group that delegates controllers must have no processes of
 * its own. Fails if botd shares the group with other processes. */
static int move_down(struct cgroups *self)
{
    if (make_folder(self, "/botd") < 0)
        return -1;
    if (put(self, "/botd", "cgroup.procs", "0") == 0 &&
        put(self, "", "cgroup.subtree_control", "+memory +pids") == 0)
        return 0;
    (void)put(self, "", "cgroup.procs", "0");
    (void)remove_folder(self, "/botd");
    return -1;
}

static int make_runs(struct cgroups *self)
{
    char memory[256], value[VALUE_SIZE];

    if (make_folder(self, "/runs") < 0 ||
        put(self, "/runs", "cgroup.subtree_control", "+memory +pids") < 0)
        return -1;
    get(self, "memory.max", memory);
    snprintf(value, sizeof(value), "%" PRId64, (int64_t)(strtoll(memory, NULL, 10) / 4 * 3));
    if (strcmp(memory, "max") != 0 && put(self, "/runs", "memory.max", value) < 0)
        return -1;
    /* Linux before 5.15 has no idle groups. Some trees do not divide CPU time. */
    if (put(self, "", "cgroup.subtree_control", "+cpu") == 0 &&
        put(self, "/runs", "cpu.idle", "1") < 0)
        (void)put(self, "/runs", "cpu.weight", "1");
    return 0;
}

/* ---- version 1 ---- */

/* Finds the CPU controller's group: a line "3:cpu,cpuacct:/path". */
static bool find_cpu(struct cgroups *self)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[200], controllers[64], path[128];
    bool found = false;

    while (file && !found && fgets(line, sizeof(line), file)) {
        path[0] = '\0';
        found = sscanf(line, "%*d:%63[^:]:%127[^\n]", controllers, path) == 2 &&
                (strncmp(controllers, "cpu,", 4) == 0 || strcmp(controllers, "cpu") == 0);
    }
    if (file)
        fclose(file);
    if (found)
        snprintf(self->base, sizeof(self->base), MOUNTED "/%s%s", controllers,
                 strcmp(path, "/") == 0 ? "" : path);
    return found;
}

static bool read_name(const char *pid, char ret[static 32])
{
    char path[64];
    FILE *file;
    bool read;

    snprintf(path, sizeof(path), "/proc/%s/comm", pid);
    file = fopen(path, "re");
    read = file && fgets(ret, 32, file);
    if (file)
        fclose(file);
    return read;
}

/* True if the process is a botd: the pid may have been reused. */
static bool is_botd(int pid)
{
    char number[16], name[32], own[32];

    if (pid == getpid())
        return true;
    if (kill(pid, 0) < 0 && errno == ESRCH)
        return false;
    snprintf(number, sizeof(number), "%d", pid);
    return !read_name(number, name) || !read_name("self", own) || strcmp(name, own) == 0;
}

/* Removes killed botds' groups, unless they still have processes. */
static void remove_stale(const struct cgroups *self)
{
    DIR *dir = opendir(self->parent);
    const struct dirent *entry;
    int pid;

    while (dir && (entry = readdir(dir))) {
        if (sscanf(entry->d_name, SHARED_NAME "%d", &pid) == 1 && !is_botd(pid))
            (void)unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
    }
    if (dir)
        closedir(dir);
}

static bool make_shared(struct cgroups *self)
{
    char group[sizeof(self->base) + 32];

    if (!find_cpu(self))
        return false;
    memcpy(self->parent, self->base, sizeof(self->parent));
    remove_stale(self);
    snprintf(group, sizeof(group), "%s/" SHARED_NAME "%d", self->base, (int)getpid());
    if (strlen(group) >= sizeof(self->base) || (mkdir(group, 0755) < 0 && errno != EEXIST))
        return false;
    memcpy(self->base, group, strlen(group) + 1);
    self->shared = put(self, "", "cpu.idle", "1") == 0 || put(self, "", "cpu.shares", "2") == 0;
    if (!self->shared)
        (void)remove_folder(self, "");
    return self->shared;
}

static void end_stale_runs(struct cgroups *self)
{
    char name[CGROUP_PATH_SIZE + 64];
    const struct dirent *entry;
    DIR *dir;

    snprintf(name, sizeof(name), "%s/runs", self->base);
    dir = opendir(name);
    while (dir && (entry = readdir(dir))) {
        char *end;
        uint64_t run = strtoull(entry->d_name, &end, 10);

        if (run == 0 || *end != '\0')
            continue;
        self->last = MAX(self->last, run);
        cgroup_end(self, run);
    }
    if (dir)
        closedir(dir);
}

int cgroups_open(struct cgroups **ret, struct error *err)
{
    struct cgroups *self = memory_new(sizeof(*self));

    if (make_shared(self)) {
        *ret = self;
        return 0;
    }
    if (!find_base(self))
        error_set(err, ERR_UNAVAILABLE, "we are in no group of version 2");
    else if (move_down(self) < 0)
        error_set(err, ERR_UNAVAILABLE, "%s is not ours alone: %s", self->base, strerror(errno));
    else if (make_runs(self) < 0)
        error_set(err, ERR_UNAVAILABLE, "%s cannot be divided: %s", self->base, strerror(errno));
    else {
        end_stale_runs(self);
        *ret = self;
        return 0;
    }
    free(self);
    return -1;
}

/* ---- runs ---- */

static void run_path(uint64_t run, char ret[static 64])
{
    snprintf(ret, 64, "/runs/%" PRIu64, run);
}

static void sweep(struct cgroups *self)
{
    size_t kept = 0;
    char path[64];

    for (size_t i = 0; i < self->leaving_count; i++) {
        run_path(self->leaving[i], path);
        if (remove_folder(self, path) < 0)
            self->leaving[kept++] = self->leaving[i];
    }
    self->leaving_count = kept;
}

void cgroups_sweep(struct cgroups *self)
{
    if (self->shared)
        remove_stale(self);
    else
        sweep(self);
}

void cgroups_destroy(struct cgroups **self_p)
{
    if (!*self_p)
        return;
    sweep(*self_p);
    (void)remove_folder(*self_p, (*self_p)->shared ? "" : "/runs");
    free(*self_p);
    *self_p = NULL;
}

int cgroup_make(struct cgroups *self, int64_t memory, int64_t processes, uint64_t *ret_run,
                char ret_entry[static CGROUP_PATH_SIZE], struct error *err)
{
    char path[64], bytes[VALUE_SIZE], count[VALUE_SIZE];
    uint64_t run = self->last + 1;

    *ret_run = 0;
    if (self->shared) {
        snprintf(ret_entry, CGROUP_PATH_SIZE, "%s/cgroup.procs", self->base);
        return 0;
    }
    sweep(self);
    if (self->leaving_count >= LEAVING_MAX)
        return error_retry(err, ERR_OVERLOADED, 1, "Too many bots are running. Try again.");
    run_path(run, path);
    snprintf(bytes, sizeof(bytes), "%" PRId64, memory);
    snprintf(count, sizeof(count), "%" PRId64, processes);
    if (make_folder(self, path) < 0 || put(self, path, "memory.max", bytes) < 0 ||
        put(self, path, "memory.oom.group", "1") < 0 || put(self, path, "pids.max", count) < 0) {
        error_retry(err, ERR_UNAVAILABLE, 1,
                    "The bot can't be started right now. Please try again later.");
        error_detail(err, "control group %" PRIu64 ": %s", run, strerror(errno));
        (void)remove_folder(self, path);
        return -1;
    }
    /* some systems have no swap */
    (void)put(self, path, "memory.swap.max", "0");
    self->last = run;
    *ret_run = run;
    snprintf(ret_entry, CGROUP_PATH_SIZE, "%s%s/cgroup.procs", self->base, path);
    return 0;
}

void cgroup_end(struct cgroups *self, uint64_t run)
{
    char path[64];

    if (run == 0)
        return;
    run_path(run, path);
    /* before Linux 5.14, the sandbox's first process ends the others */
    (void)put(self, path, "cgroup.kill", "1");
    if (self->leaving_count < ARRAY_SIZE(self->leaving))
        self->leaving[self->leaving_count++] = run;
    sweep(self);
}
