/* variant_files.c - see variant_files.h. */
#include "docd/image/variant_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "docd/store/page_cache.h"

enum {
    PATH_SIZE = VARIANT_NAME_SIZE + 16,
    USED_EVERY_S = 60,   /* precision of the last use */
    LEFT_AFTER_S = 3600, /* age of a file that a crash has left */
    BLOCK_SIZE = 4096,
    /* A sweep frees 1/KEEP_PARTS extra. */
    KEEP_PARTS = 8,
};

static const char magic[] = "ATRIUM-1";

static void path_of(const struct variant_job *job, const char *end, char path[static PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%.2s/%s%s", job->name, job->name, end);
}

int variant_files_open(const char *dir)
{
    char name[16];
    int file;

    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return -1;
    file = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0 || faccessat(file, "ff", F_OK, 0) == 0) /* the folder ff is made last */
        return file;
    for (int i = 0; i < VARIANT_FOLDERS; i++) {
        snprintf(name, sizeof(name), "%02x", (unsigned)i);
        if (mkdirat(file, name, 0700) < 0 && errno != EEXIST) {
            close(file);
            return -1;
        }
    }
    return file;
}

/* ---- reading ---- */

static bool is_whole(const struct variant_head *head, const struct stat *status)
{
    return memcmp(head->magic, magic, sizeof(head->magic)) == 0 &&
           status->st_size == (int64_t)sizeof(*head) + head->size;
}

/* Fails with ENOENT for an incomplete file. */
static int read_head(int file, struct variant_head *head, struct stat *status)
{
    ssize_t size = file_read_all(file, head, sizeof(*head), 0);

    if (size < 0 || fstat(file, status) < 0)
        return -1;
    if (size == (ssize_t)sizeof(*head) && is_whole(head, status))
        return 0;
    errno = ENOENT;
    return -1;
}

static bool use_is_known(const struct stat *status)
{
    return status->st_mtime + USED_EVERY_S >= time(NULL);
}

static void note_use(int file, const struct stat *status)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};

    if (!use_is_known(status))
        (void)futimens(file, times);
}

static int read_target(int file, struct variant_job *job)
{
    ssize_t count =
        file_read_all(file, job->target, job->count, (int64_t)sizeof(job->head) + job->offset);

    job->count = (size_t)MAX(count, 0);
    return count < 0 ? -1 : 0;
}

void variant_files_read(void *arg)
{
    struct variant_job *job = arg;
    char path[PATH_SIZE];
    CLEANUP(file_close_descriptor) int opened = -1;
    int file = job->file;
    struct stat status;

    path_of(job, "", path);
    if (file < 0)
        file = opened = openat(job->dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    job->error = 0;
    if (file < 0 || read_head(file, &job->head, &status) < 0 ||
        (job->target && read_target(file, job) < 0))
        job->error = errno;
    else
        note_use(file, &status);
}

bool variant_files_read_cached(struct variant_job *job)
{
    struct iovec head = {&job->head, sizeof(job->head)}, target = {job->target, job->count};
    int64_t first = (int64_t)sizeof(job->head) + job->offset;
    struct stat status;
    char path[PATH_SIZE];
    ssize_t count;

    path_of(job, "", path);
    CLEANUP(file_close_descriptor) int file = page_cache_open(job->dir, path);
    if (file < 0 || page_cache_read(file, &head, 1, 0) != (ssize_t)head.iov_len ||
        fstat(file, &status) < 0 || !is_whole(&job->head, &status) || !use_is_known(&status))
        return false;
    count = page_cache_read(file, &target, 1, first);
    if (count != MIN((ssize_t)job->count, MAX(status.st_size - first, 0)))
        return false;
    job->count = (size_t)count;
    return true;
}

/* ---- making ---- */

/* True if the locked file still has its name: the lock's former owner may have renamed or removed
 * it. */
static bool is_named(const struct variant_job *job, const char *path)
{
    struct stat opened, named;

    return fstat(job->file, &opened) == 0 &&
           fstatat(job->dir, path, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

static bool is_made(const struct variant_job *job, const char *path)
{
    CLEANUP(file_close_descriptor)
    int file = openat(job->dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct variant_head head;
    struct stat status;

    return file >= 0 && read_head(file, &head, &status) == 0;
}

static int begin(struct variant_job *job)
{
    char path[PATH_SIZE], final[PATH_SIZE];

    path_of(job, ".new", path);
    path_of(job, "", final);
    job->file = openat(job->dir, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (job->file < 0)
        return errno;
    if (flock(job->file, LOCK_EX | LOCK_NB) < 0)
        return errno;
    if (!is_named(job, path))
        return EAGAIN;
    if (is_made(job, final)) {
        unlinkat(job->dir, path, 0);
        return EEXIST;
    }
    if (ftruncate(job->file, 0) < 0 || lseek(job->file, sizeof(job->head), SEEK_SET) < 0)
        return errno;
    return 0;
}

void variant_files_begin(void *arg)
{
    struct variant_job *job = arg;

    job->error = begin(job);
    if (job->error == 0)
        return;
    file_close_descriptor(&job->file);
    job->file = -1;
}

void variant_files_finish(void *arg)
{
    struct variant_job *job = arg;
    struct variant_head head = job->head;
    char from[PATH_SIZE], to[PATH_SIZE];

    path_of(job, ".new", from);
    path_of(job, "", to);
    memcpy(head.magic, magic, sizeof(head.magic));
    job->error = 0;
    if (pwrite(job->file, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
        renameat(job->dir, from, job->dir, to) < 0)
        job->error = errno;
}

static void unlink_named(struct variant_job *job, const char *end)
{
    char path[PATH_SIZE];

    path_of(job, end, path);
    job->error = unlinkat(job->dir, path, 0) < 0 && errno != ENOENT ? errno : 0;
}

void variant_files_abort(void *arg)
{
    unlink_named(arg, ".new");
}

void variant_files_drop(void *arg)
{
    unlink_named(arg, "");
}

/* ---- removing ---- */

static DIR *open_folder(int dir, const char *name)
{
    int file = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = file >= 0 ? fdopendir(file) : NULL;

    if (file >= 0 && !folder)
        close(file);
    return folder;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);

    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

/* Removes an object's variants, except files in progress. */
void variant_files_remove(void *arg)
{
    struct variant_job *job = arg;
    DIR *folder = open_folder(job->dir, (char[]){job->object.text[0], job->object.text[1], '\0'});
    size_t length = strlen(job->object.text);

    job->error = !folder ? errno : 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, job->object.text, length) == 0 &&
            !ends_with(entry->d_name, ".new") && unlinkat(dirfd(folder), entry->d_name, 0) < 0 &&
            errno != ENOENT)
            job->error = errno;
    }
    if (folder)
        closedir(folder);
}

void variant_files_objects(void *arg)
{
    struct variant_job *job = arg;
    char name[16];
    DIR *folder;

    snprintf(name, sizeof(name), "%02x", (unsigned)job->folder);
    folder = open_folder(job->dir, name);
    job->error = !folder ? errno : 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char text[sizeof(job->object.text)];
        struct uuid object;

        snprintf(text, sizeof(text), "%.36s", entry->d_name);
        if (uuid_parse(text, &object) == 0)
            id_page_add(&job->page, object);
    }
    if (folder)
        closedir(folder);
}

/* ---- sweeping ---- */

struct found {
    int64_t used_ns, bytes;
    char name[VARIANT_NAME_SIZE];
};

struct found_list {
    struct found *items;
    size_t count, room;
    int64_t bytes;
};

static void found_add(struct found_list *list, const char *name, const struct stat *status)
{
    struct found *item;

    if (list->count == list->room) {
        list->room = MAX(2 * list->room, (size_t)1024);
        list->items = reallocarray(list->items, list->room, sizeof(*list->items));
        if (!list->items)
            log_die("variant", "out of memory");
    }
    item = &list->items[list->count++];
    item->used_ns = status->st_mtim.tv_sec * 1000000000LL + status->st_mtim.tv_nsec;
    item->bytes = MAX((int64_t)status->st_blocks * 512, (int64_t)BLOCK_SIZE);
    snprintf(item->name, sizeof(item->name), "%s", name);
    list->bytes += item->bytes;
}

/* Removes files of a crashed process: nothing holds their lock. */
static void remove_left(int folder, const char *name, const struct stat *status)
{
    CLEANUP(file_close_descriptor) int file = -1;

    if (status->st_mtime + LEFT_AFTER_S > time(NULL))
        return;
    file = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
}

static void find_in(DIR *folder, struct found_list *list)
{
    struct stat status;

    for (struct dirent *entry; (entry = readdir(folder));) {
        if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(status.st_mode))
            continue;
        if (ends_with(entry->d_name, ".new"))
            remove_left(dirfd(folder), entry->d_name, &status);
        else
            found_add(list, entry->d_name, &status);
    }
}

static int by_use(const void *a, const void *b)
{
    const struct found *left = a, *right = b;

    return (left->used_ns > right->used_ns) - (left->used_ns < right->used_ns);
}

void variant_files_sweep(void *arg)
{
    struct variant_job *job = arg;
    struct found_list list = {0};
    char name[16];
    int64_t most;

    job->error = 0;
    job->removed = 0;
    for (int i = 0; i < VARIANT_FOLDERS; i++) {
        snprintf(name, sizeof(name), "%02x", (unsigned)i);
        DIR *folder = open_folder(job->dir, name);
        if (!folder)
            continue;
        find_in(folder, &list);
        closedir(folder);
    }
    most = list.bytes > job->bytes_max ? job->bytes_max - job->bytes_max / KEEP_PARTS : list.bytes;
    if (list.count > 0)
        qsort(list.items, list.count, sizeof(*list.items), by_use);
    for (size_t i = 0; i < list.count && list.bytes > most; i++) {
        if (job->keep && strcmp(list.items[i].name, job->keep) == 0)
            continue;
        job->name = list.items[i].name;
        variant_files_drop(job);
        list.bytes -= list.items[i].bytes;
        job->removed++;
    }
    job->bytes = list.bytes;
    free(list.items);
}
