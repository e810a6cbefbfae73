/* suite_dir.c - see suite_dir.h. */
#include "dev/suite_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/secret.h"
#include "common/wire/codec.h"
#include "ctl/files.h"

enum {
    SOCKET_DIR_HASH = 6,
    LOG_END = 1000, /* printed before the log is removed */
};

char *suite_dir_sockets(struct arena *arena, const char *dir)
{
    uint8_t hash[SECRET_HASH_SIZE];
    char digits[2 * SOCKET_DIR_HASH + 1];

    secret_hash(dir, hash);
    for (size_t i = 0; i < SOCKET_DIR_HASH; i++)
        snprintf(digits + 2 * i, 3, "%02x", hash[i]);
    return arena_printf(arena, "/tmp/atrium-%u-%s", (unsigned)getuid(), digits);
}

static int remove_entry(const char *path, const struct stat *status UNUSED, int kind UNUSED,
                        struct FTW *position UNUSED)
{
    remove(path);
    return 0;
}

/* /tmp is shared: rejects another user's directory or link. */
static int make_socket_dir(const char *path, struct error *err)
{
    struct stat status;

    if (mkdir(path, 0700) == 0)
        return 0;
    if (errno != EEXIST || lstat(path, &status) < 0)
        return error_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(status.st_mode) || status.st_uid != getuid() || (status.st_mode & 077) != 0)
        return error_set(err, ERR_FORBIDDEN,
                         "%s is not this user's directory with mode 0700: remove it", path);
    /* This suite has the lock: these are leftovers. */
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return error_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
    return 0;
}

/* Rejects a directory to which others can write, because it contains keys and programs. With umask
 * 002 the user's own group can write. */
static int check_owner(const char *path, struct error *err)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return error_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
    if (status.st_uid != getuid())
        return error_set(err, ERR_FORBIDDEN, "%s belongs to another user", path);
    if ((status.st_mode & S_IWOTH) != 0)
        return error_set(err, ERR_FORBIDDEN, "all users can write to %s", path);
    return 0;
}

static int take_lock(struct suite_dir *self, struct arena *arena, struct error *err)
{
    const char *path = suite_dir_path(self, arena, "lock");
    struct stat status;

    self->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (self->lock < 0)
        return error_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
    /* A failed suite unlinks its lock before closing it. */
    if (flock(self->lock, LOCK_EX | LOCK_NB) == 0 && fstat(self->lock, &status) == 0 &&
        status.st_nlink > 0)
        return 0;
    close(self->lock);
    self->lock = -1;
    return error_set(err, ERR_CONFLICT, "a suite already runs in %s", self->path);
}

/* True when it contains only what take_lock() has made. */
static bool is_fresh(const char *dir)
{
    static const char *const own[] = {".", "..", "lock"};
    DIR *directory = opendir(dir);
    const struct dirent *entry = NULL;
    bool fresh = directory != NULL;

    while (fresh && (entry = readdir(directory))) {
        fresh = false;
        for (size_t i = 0; i < ARRAY_SIZE(own); i++)
            fresh = fresh || strcmp(entry->d_name, own[i]) == 0;
    }
    if (directory)
        closedir(directory);
    return fresh;
}

static int check_name(const char *path, struct error *err)
{
    if (strpbrk(path, "\"\n"))
        return error_set(err, ERR_BAD_REQUEST, "DIR cannot contain a quote or a line break");
    if (!codec_is_text(path, strlen(path)))
        return error_set(err, ERR_BAD_REQUEST, "DIR is not UTF-8");
    return 0;
}

int suite_dir_open(struct suite_dir *self, const char *dir, struct arena *arena, struct error *err)
{
    char path[PATH_MAX];

    self->lock = -1;
    self->emptied = false;
    if (check_name(dir, err) < 0)
        return -1;
    self->made = mkdir(dir, 0700) == 0;
    if (!self->made && errno != EEXIST)
        return error_set(err, ERR_INTERNAL, "%s: %s", dir, strerror(errno));
    if (!realpath(dir, path))
        return error_set(err, ERR_INTERNAL, "%s: %s", dir, strerror(errno));
    if (check_name(path, err) < 0 || check_owner(path, err) < 0) {
        if (self->made)
            (void)rmdir(path);
        return -1;
    }
    self->path = arena_strdup(arena, path);
    self->bin_dir = files_program_dir(arena);
    self->socket_dir = suite_dir_sockets(arena, self->path);
    if (take_lock(self, arena, err) < 0)
        return -1;
    self->fresh = is_fresh(self->path);
    if (make_socket_dir(self->socket_dir, err) < 0) {
        close(self->lock);
        return -1;
    }
    return 0;
}

static int remove_below(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    return walk->level > 0 ? remove_entry(path, status, type, walk) : 0;
}

static void show_end(const char *path, const char *name)
{
    CLEANUP(file_close) FILE *file = fopen(path, "re");
    char text[LOG_END + 1];
    size_t size;

    if (!file)
        return;
    if (fseek(file, -LOG_END, SEEK_END) < 0)
        rewind(file);
    size = fread(text, 1, LOG_END, file);
    text[size] = '\0';
    if (size > 0)
        fprintf(stderr, "%s: ...\n%s%s", name, text, text[size - 1] == '\n' ? "" : "\n");
}

static void remove_sockets(struct suite_dir *self)
{
    if (!self->emptied)
        nftw(self->socket_dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    self->emptied = true;
}

static void show_logs(const struct suite_dir *self)
{
    char path[PATH_MAX];
    DIR *logs;

    snprintf(path, sizeof(path), "%s/log", self->path);
    logs = opendir(path);
    for (const struct dirent *entry; logs && (entry = readdir(logs));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/log/%s", self->path, entry->d_name);
        show_end(path, entry->d_name);
    }
    if (logs)
        closedir(logs);
}

void suite_dir_discard(struct suite_dir *self, bool failed)
{
    if (!self->fresh)
        return;
    remove_sockets(self); /* after this, the next suite can use the path */
    if (failed)
        show_logs(self);
    nftw(self->path, remove_below, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    if (self->made)
        (void)rmdir(self->path);
}

void suite_dir_close(struct suite_dir *self)
{
    remove_sockets(self);
    close(self->lock);
    self->lock = -1;
}

const char *suite_dir_path(const struct suite_dir *self, struct arena *arena, const char *name)
{
    return arena_printf(arena, "%s/%s", self->path, name);
}

int suite_dir_make_directory(const struct suite_dir *self, struct arena *arena, const char *name,
                             struct error *err)
{
    const char *path = suite_dir_path(self, arena, name);

    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return 0;
    return error_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
}

const char *suite_dir_key(const struct suite_dir *self, struct arena *arena, const char *daemon,
                          struct error *err)
{
    const char *path = arena_printf(arena, "%s/keys/%s.key", self->path, daemon);
    CLEANUP(secret_wipe) struct secret key = {.length = SEAL_KEY_SIZE};
    char digits[2 * SEAL_KEY_SIZE + 2];

    if (access(path, F_OK) == 0)
        return path;
    if (getrandom(key.bytes, SEAL_KEY_SIZE, 0) != SEAL_KEY_SIZE) {
        error_set(err, ERR_INTERNAL, "no random numbers available: %s", strerror(errno));
        return NULL;
    }
    for (size_t i = 0; i < SEAL_KEY_SIZE; i++)
        snprintf(digits + 2 * i, 3, "%02x", key.bytes[i]);
    strcpy(digits + 2 * SEAL_KEY_SIZE, "\n");
    if (files_replace(path, 0600, digits, err) < 0)
        path = NULL;
    secret_wipe_text(digits);
    return path;
}

const char *suite_dir_log(const struct suite_dir *self, struct arena *arena, const char *name)
{
    const char *path = arena_printf(arena, "%s/log/%s.log", self->path, name);

    rename(path, arena_printf(arena, "%s.old", path));
    return path;
}

bool suite_dir_has_program(const struct suite_dir *self, const char *name)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof(path), "%s/%s", self->bin_dir, name) < (int)sizeof(path) &&
           access(path, X_OK) == 0;
}
