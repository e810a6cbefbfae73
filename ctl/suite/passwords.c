/*
 * passwords.c - `atriumctl passwords ...`: makes password filters for authd; the Makefile uses it
 * too.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/domain/password_filter.h"
#include "common/domain/password_filter_build.h"
#include "common/domain/password_list.h"
#include "ctl/ctl.h"
#include "ctl/output.h"
#include "ctl/progress.h"

/* ---- output ---- */

struct passwords_info {
    const char *file, *hash;
    int64_t version, passwords, shards, size;
};
static const struct field passwords_info_rows[] = {
    FIELD_TEXT(struct passwords_info, file, 0, 4096, 0, "The filter", "breached.filter"),
    FIELD_INT(struct passwords_info, version, 0, 0, 0, 0, "Version of the format", "1"),
    FIELD_INT(struct passwords_info, passwords, 0, 0, 0, 0, "Different passwords", "1000000"),
    FIELD_INT(struct passwords_info, shards, 0, 0, 0, 0, "Parts", "1"),
    FIELD_INT(struct passwords_info, size, 0, 0, 0, 0, "Bytes", "2359392"),
    FIELD_TEXT(struct passwords_info, hash, 0, 64, 0, "BLAKE2b-256 hash of its content", "0d5f..."),
};
static FIELD_TABLE(passwords_info);

struct passwords_found {
    int64_t entries, skipped, missing;
};
static const struct field passwords_found_rows[] = {
    FIELD_INT(struct passwords_found, entries, 0, 0, 0, 0, "Passwords in the list", "1000000"),
    FIELD_INT(struct passwords_found, skipped, 0, 0, 0, 0, "Lines that cannot be passwords", "0"),
    FIELD_INT(struct passwords_found, missing, 0, 0, 0, 0, "Passwords that are not in the filter",
              "0"),
};
static FIELD_TABLE(passwords_found);

static struct password_filter *open_filter(struct ctl *ctl, const char *path, struct error *err)
{
    CLEANUP(file_close_descriptor) int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0)
        return password_filter_open(fd, path, ctl->arena, err);
    error_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
    return NULL;
}

/* Opens a list; "-" is stdin. */
static FILE *open_list(const char *path, struct error *err)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");

    if (!file)
        error_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
    return file;
}

static void show(const struct ctl *ctl, const char *path, const struct password_filter *filter)
{
    struct password_filter_info info = password_filter_info(filter);
    char hash[2 * PASSWORD_FILTER_HASH_SIZE + 1];
    struct passwords_info out = {.file = path,
                                 .hash = hash,
                                 .version = info.version,
                                 .passwords = info.passwords,
                                 .shards = info.shards,
                                 .size = info.size};

    sodium_bin2hex(hash, sizeof(hash), info.hash, sizeof(info.hash));
    output_record(ctl, &passwords_info_table, &out);
}

struct passwords_reading {
    struct password_filter_builder *builder;
    const struct password_filter *filter;
    struct progress progress;
    int64_t size; /* 0: unknown */
    int64_t missing;
};

static int add_key(void *arg, uint64_t key, struct error *err)
{
    struct passwords_reading *self = arg;

    return password_filter_builder_add(self->builder, key, err);
}

static int find_key(void *arg, uint64_t key, struct error *err UNUSED)
{
    struct passwords_reading *self = arg;

    self->missing += !password_filter_has_key(self->filter, key);
    return 0;
}

static void show_reading(void *arg, const struct password_list_counts *counts)
{
    struct passwords_reading *self = arg;

    progress_part(&self->progress, counts->entries, counts->bytes, self->size);
}

static int read_list(const struct ctl *ctl, const char *path, struct passwords_reading *self,
                     struct password_list_counts *ret, struct error *err)
{
    const struct password_list_reader reader = {
        .take = self->builder ? add_key : find_key, .progress = show_reading, .arg = self};
    CLEANUP(file_close) FILE *file = open_list(path, err);
    struct stat status;
    int result;

    if (!file)
        return -1;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode))
        self->size = status.st_size;
    progress_start(&self->progress, "list", "passwords", ctl->json);
    result = password_list_read(file, path, &reader, ret, err);
    progress_end(&self->progress);
    return result;
}

/* Replaces only filters, because the two names may have been swapped. */
static int check_target(const char *path, struct error *err)
{
    CLEANUP(file_close_descriptor) int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint8_t first;
    ssize_t n;

    if (fd < 0)
        return errno == ENOENT ? 0
                               : error_set(err, ERR_BAD_REQUEST, "%s: %s", path, strerror(errno));
    n = read(fd, &first, 1);
    return n == 1 && password_filter_begins(&first, 1)
               ? 0
               : error_set(err, ERR_CONFLICT,
                           "%s: exists and is not a filter, so it was not replaced", path);
}

static void show_shard(void *arg, size_t done, size_t total)
{
    progress_count(arg, (int64_t)done, (int64_t)total);
}

static int write_filter(struct ctl *ctl, struct password_filter_builder *builder, const char *path,
                        const char *folder, struct error *err)
{
    const char *fresh = arena_printf(ctl->arena, "%s.new", path);
    CLEANUP(file_close_descriptor)
    int fd = open(fresh, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    CLEANUP(file_close_descriptor)
    int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct progress progress;
    int result;

    if (fd < 0 || directory < 0)
        return error_set(err, ERR_INTERNAL, "%s: %s", fresh, strerror(errno));
    progress_start(&progress, "filter", "parts", ctl->json);
    result = password_filter_builder_write(
        builder, fd, &(struct password_filter_progress){show_shard, &progress}, err);
    progress_end(&progress);
    if (result == 0 && (fsync(fd) < 0 || rename(fresh, path) < 0 || fsync(directory) < 0))
        result = error_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
    if (result < 0)
        unlink(fresh);
    return result;
}

int passwords_build_command(struct ctl *ctl, struct error *err)
{
    const char *path = arguments_get(&ctl->args, "FILE");
    const char *folder = dirname(arena_strdup(ctl->arena, path));
    CLEANUP(password_filter_builder_destroy)
    struct password_filter_builder *builder =
        password_filter_builder_new(&(struct password_filter_options){.folder = folder});
    struct passwords_reading reading = {.builder = builder};
    struct password_list_counts counts;
    struct password_filter *filter;

    if (check_target(path, err) < 0 ||
        read_list(ctl, arguments_get(&ctl->args, "LIST"), &reading, &counts, err) < 0 ||
        write_filter(ctl, builder, path, folder, err) < 0)
        return -1;
    filter = open_filter(ctl, path, err);
    if (!filter)
        return -1;
    show(ctl, path, filter);
    if (counts.skipped > 0)
        output_note(ctl, "%lld lines were skipped, because they are too long or not UTF-8.",
                    (long long)counts.skipped);
    return 0;
}

int passwords_verify_command(struct ctl *ctl, struct error *err)
{
    const char *path = arguments_get(&ctl->args, "FILE");
    const char *list = arguments_get(&ctl->args, "--list");
    struct password_filter *filter = open_filter(ctl, path, err);
    struct passwords_reading reading = {.filter = filter};
    struct password_list_counts counts;
    struct passwords_found out;

    if (!filter)
        return -1;
    if (!list) {
        output_done(ctl, "%s is intact: %lld passwords.", path,
                    (long long)password_filter_info(filter).passwords);
        return 0;
    }
    if (read_list(ctl, list, &reading, &counts, err) < 0)
        return -1;
    out = (struct passwords_found){counts.entries, counts.skipped, reading.missing};
    output_record(ctl, &passwords_found_table, &out);
    return out.missing == 0 ? 0
                            : error_set(err, ERR_CONFLICT, "%lld passwords are not in the filter.",
                                        (long long)out.missing);
}

int passwords_info_command(struct ctl *ctl, struct error *err)
{
    const char *path = arguments_get(&ctl->args, "FILE");
    struct password_filter *filter = open_filter(ctl, path, err);

    if (!filter)
        return -1;
    show(ctl, path, filter);
    return 0;
}
