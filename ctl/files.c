/* files.c - see files.h. */
#include "ctl/files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/wire/codec.h"

char *files_read(struct arena *arena, const char *path, struct error *err)
{
    CLEANUP(file_close) FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    char *text = NULL;
    size_t size = 0, room = 0;

    if (!file) {
        error_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
        return NULL;
    }
    file_skip_mark(file);
    do {
        char *grown = arena_alloc(arena, room = room ? 4 * room : 4096);

        memcpy(grown, text ? text : "", size);
        text = grown;
        size += fread(text + size, 1, room - size - 1, file);
    } while (size == room - 1 && room <= FILES_MAX);
    if (ferror(file) || size > FILES_MAX || !codec_is_text(text, size)) {
        error_set(err, ERR_BAD_REQUEST, "%s: not a text of at most %d bytes", path, FILES_MAX);
        return NULL;
    }
    return text;
}

const char *files_program_dir(struct arena *arena)
{
    char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);

    path[MAX(size, 0)] = '\0';
    if (strrchr(path, '/'))
        *strrchr(path, '/') = '\0';
    return arena_strdup(arena, path);
}

const char *files_seal_key(struct arena *arena, const char *keys, const char *dir,
                           const char *service)
{
    if (!keys)
        keys = dir ? arena_printf(arena, "%s/keys", dir) : "/etc/atrium";
    return arena_printf(arena, "%s/%s.key", keys, service);
}

static int like(int fd, const char *path)
{
    struct stat stat_now;

    return stat(path, &stat_now) < 0 || fchmod(fd, stat_now.st_mode & 07777) < 0 ||
                   fchown(fd, stat_now.st_uid, stat_now.st_gid) < 0
               ? -1
               : 0;
}

static int sync_directory_of(const char *path)
{
    char *name = memory_text(path);
    int result = file_sync_folder(AT_FDCWD, dirname(name));

    free(name);
    return result;
}

/* Writes a new file and renames it. `exchanges`: keeps mode and owner, and syncs. */
static int put(const char *path, mode_t mode, bool exchanges, const char *text, struct error *err)
{
    size_t size = strlen(text);
    char fresh[4096];
    int fd, n = snprintf(fresh, sizeof(fresh), "%s.new", path);
    bool written;

    if (n < 0 || (size_t)n >= sizeof(fresh))
        return error_set(err, ERR_BAD_REQUEST, "%s: path too long", path);
    unlink(fresh);
    fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return error_set(err, ERR_INTERNAL, "%s: %s", fresh, strerror(errno));
    written = write(fd, text, size) == (ssize_t)size &&
              (!exchanges || (like(fd, path) == 0 && fsync(fd) == 0));
    if (close(fd) < 0 || !written || rename(fresh, path) < 0 ||
        (exchanges && sync_directory_of(path) < 0)) {
        error_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
        unlink(fresh);
        return -1;
    }
    return 0;
}

int files_replace(const char *path, mode_t mode, const char *text, struct error *err)
{
    return put(path, mode, false, text, err);
}

int files_exchange(const char *path, const char *text, struct error *err)
{
    return put(path, 0600, true, text, err);
}
