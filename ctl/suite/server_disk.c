/*
 * server_disk.c - see server_disk.h. A postmaster's working directory contains postmaster.pid.
 */
#include "ctl/suite/server_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PID_PORT = 3, PID_SOCKET_DIR = 4, PID_LINES = 6, PATH_SIZE = 512, LINE_SIZE = 512 };

/* Lines: pid, data directory, start, port, socket directory, address. */
struct postmaster {
    char lines[PID_LINES][LINE_SIZE];
};

/* Opens a regular file only: any user can create such a file, and a FIFO would block. */
static FILE *open_regular(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;
    FILE *file = NULL;

    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        file = fdopen(fd, "r");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

static bool read_postmaster(const char *pid, struct postmaster *ret)
{
    char path[PATH_SIZE];
    size_t count = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%s/cwd/postmaster.pid", pid);
    file = open_regular(path);
    if (!file)
        return false;
    while (count < PID_LINES && fgets(ret->lines[count], LINE_SIZE, file)) {
        ret->lines[count][strcspn(ret->lines[count], "\n")] = '\0';
        count++;
    }
    fclose(file);
    return count == PID_LINES && strcmp(ret->lines[0], pid) == 0;
}

static bool is_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ||
           strcmp(host, "localhost") == 0;
}

static bool listens_at(const struct postmaster *self, const char *server)
{
    char host[LINE_SIZE], port[16];

    if (sscanf(server, "host=%511s port=%15s", host, port) != 2 ||
        strcmp(port, self->lines[PID_PORT]) != 0)
        return false;
    return host[0] == '/' ? strcmp(host, self->lines[PID_SOCKET_DIR]) == 0 : is_loopback(host);
}

/* Finds the server's main process; "": not visible. */
static void find_postmaster(const char *server, char ret[static 16])
{
    struct postmaster postmaster;
    const struct dirent *entry;
    DIR *all = opendir("/proc");

    ret[0] = '\0';
    while (all && !ret[0] && (entry = readdir(all))) {
        if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name) ||
            strlen(entry->d_name) > 15)
            continue;
        if (read_postmaster(entry->d_name, &postmaster) && listens_at(&postmaster, server))
            strcpy(ret, entry->d_name);
    }
    if (all)
        closedir(all);
}

/* Finds the longest mount point, as the server sees it. */
static void find_mount(const char *pid, const char *path, struct arena *arena,
                       struct server_disk *ret)
{
    char mounts[PATH_SIZE];
    const struct mntent *entry;
    size_t best = 0;
    FILE *file;

    ret->device = ret->mount = "";
    snprintf(mounts, sizeof(mounts), "/proc/%s/mounts", pid);
    file = setmntent(mounts, "r");
    while (file && (entry = getmntent(file))) {
        size_t length = strlen(entry->mnt_dir);

        if (length < best || strncmp(path, entry->mnt_dir, length) != 0 ||
            (length > 1 && path[length] != '/' && path[length] != '\0'))
            continue;
        best = length;
        ret->device = arena_strdup(arena, entry->mnt_fsname);
        ret->mount = arena_strdup(arena, entry->mnt_dir);
    }
    if (file)
        endmntent(file);
}

static size_t add_disk(const char *pid, const char *name, struct arena *arena, dev_t *seen,
                       struct server_disk *ret, size_t count)
{
    char path[PATH_SIZE + 256], real[PATH_SIZE + 256];
    struct statvfs room;
    struct stat status;
    ssize_t length;

    snprintf(path, sizeof(path), "/proc/%s/cwd/%s", pid, name);
    if (count == SERVER_DISKS_MAX || stat(path, &status) < 0 || statvfs(path, &room) < 0)
        return count;
    for (size_t i = 0; i < count; i++)
        if (seen[i] == status.st_dev)
            return count;
    length = readlink(path, real, sizeof(real) - 1);
    if (length < 0) { /* not a link, so inside the data directory */
        snprintf(path, sizeof(path), "/proc/%s/cwd", pid);
        length = readlink(path, real, sizeof(real) - 1);
    }
    if (length < 0)
        return count;
    real[length] = '\0';
    ret[count] = (struct server_disk){.path = arena_strdup(arena, real),
                                      .free = (int64_t)(room.f_bavail * room.f_frsize),
                                      .size = (int64_t)(room.f_blocks * room.f_frsize)};
    find_mount(pid, real, arena, &ret[count]);
    seen[count] = status.st_dev;
    return count + 1;
}

size_t server_disks(const char *server, struct arena *arena,
                    struct server_disk ret[static SERVER_DISKS_MAX])
{
    char pid[16], path[PATH_SIZE], name[PATH_SIZE];
    dev_t seen[SERVER_DISKS_MAX];
    const struct dirent *entry;
    size_t count = 0;
    DIR *spaces;

    find_postmaster(server, pid);
    if (!pid[0])
        return 0;
    count = add_disk(pid, ".", arena, seen, ret, count);
    count = add_disk(pid, "pg_wal", arena, seen, ret, count);
    snprintf(path, sizeof(path), "/proc/%s/cwd/pg_tblspc", pid);
    spaces = opendir(path);
    while (spaces && (entry = readdir(spaces))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof(name), "pg_tblspc/%s", entry->d_name);
        count = add_disk(pid, name, arena, seen, ret, count);
    }
    if (spaces)
        closedir(spaces);
    return count;
}
