/* config_files.c - lists a configuration's files in order. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/service/config.h"

static const char suffix[] = ".conf";

/* Ignores hidden files and leftovers of editors and dpkg (x.conf~, x.conf.dpkg-old). */
static bool is_config_name(const char *name)
{
    size_t length = strlen(name);

    return *name != '.' && length >= sizeof(suffix) &&
           strcmp(name + length - (sizeof(suffix) - 1), suffix) == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_directory(const char *path, struct arena *arena, const char **files, size_t count,
                         struct error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = arena_printf(arena, "%.*sconf.d", slash ? (int)(slash - path) + 1 : 0, path);
    CLEANUP(file_close_directory) DIR *directory = opendir(name);
    size_t first = count;

    if (!directory)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : error_set(err, ERR_BAD_REQUEST, "%s: %s", name, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (!is_config_name(entry->d_name))
            continue;
        if (count - first == CONFIG_FILES_MAX)
            return error_set(err, ERR_BAD_REQUEST, "%s has more than %d files", name,
                             CONFIG_FILES_MAX);
        files[count++] = arena_printf(arena, "%s/%s", name, entry->d_name);
    }
    qsort(files + first, count - first, sizeof(*files), compare_names);
    return 0;
}

int config_files(const char *defaults, const char *path, struct arena *arena, const char ***ret,
                 struct error *err)
{
    const char **files = arena_calloc(arena, CONFIG_FILES_MAX + 3, sizeof(*files));
    size_t count = 0;

    if (defaults && access(defaults, F_OK) == 0)
        files[count++] = defaults;
    if (count == 0 || access(path, F_OK) == 0)
        files[count++] = path;
    if (add_directory(path, arena, files, count, err) < 0)
        return -1;
    *ret = files;
    return 0;
}

static const char *package_defaults(struct arena *arena)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    char *slash;

    program[MAX(length, 0)] = '\0';
    slash = strrchr(program, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    slash = strrchr(program, '/');
    if (!slash || strcmp(slash, "/bin") != 0)
        return NULL;
    *slash = '\0';
    return arena_printf(arena, "%s/share/atrium/atrium.conf", program);
}

int config_files_of(const char *path, struct arena *arena, const char ***ret, struct error *err)
{
    const char *defaults = strcmp(path, CONFIG_FILE) == 0 ? package_defaults(arena) : NULL;

    return config_files(defaults, path, arena, ret, err);
}
