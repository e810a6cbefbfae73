/*
 * common_password.c - see common_password.h. The Makefile makes the built-in filter from
 * authd/data/common_passwords.txt.
 */
#include "authd/credential/common_password.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/domain/password_filter_build.h"
#include "common/domain/password_list.h"

enum { LIST_SIZE_MAX = 16 << 20 };

__asm__(".section .rodata\n.balign 16\n"
        "common_passwords_filter:\n.incbin \"authd/common_passwords.filter\"\n"
        "common_passwords_end:\n.byte 0\n.previous\n");
extern const uint8_t common_passwords_filter[], common_passwords_end[];

static int add_key(void *builder, uint64_t key, struct error *err)
{
    return password_filter_builder_add(builder, key, err);
}

/* Opens a list. A file of this size has no more passwords than the builder can hold in memory. */
static struct password_filter *open_list(FILE *file, const char *path, struct arena *arena,
                                         struct error *err)
{
    CLEANUP(password_filter_builder_destroy)
    struct password_filter_builder *builder =
        password_filter_builder_new(&(struct password_filter_options){.folder = NULL});
    const struct password_list_reader reader = {.take = add_key, .arg = builder};
    CLEANUP(file_close_descriptor) int fd = memfd_create("common passwords", MFD_CLOEXEC);
    struct password_list_counts counts;

    if (fd < 0) {
        error_set(err, ERR_INTERNAL, "%s: no memory for a filter: %s", path, strerror(errno));
        return NULL;
    }
    if (password_list_read(file, path, &reader, &counts, err) < 0)
        return NULL;
    if (counts.entries == 0) {
        error_set(err, ERR_BAD_REQUEST, "%s: names no password", path);
        return NULL;
    }
    if (password_filter_builder_write(builder, fd, NULL, err) < 0)
        return NULL;
    return password_filter_open(fd, path, arena, err);
}

struct password_filter *common_passwords_open(const char *path, struct arena *arena,
                                              struct error *err)
{
    CLEANUP(file_close) FILE *file = path ? fopen(path, "re") : NULL;
    struct stat status;
    uint8_t first = 0;

    if (!path)
        return password_filter_from_bytes(common_passwords_filter,
                                          (size_t)(common_passwords_end - common_passwords_filter),
                                          "common_passwords", arena, err);
    if (!file || fstat(fileno(file), &status) < 0 ||
        (S_ISREG(status.st_mode) && pread(fileno(file), &first, 1, 0) < 0)) {
        error_set(err, ERR_BAD_REQUEST, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (S_ISREG(status.st_mode) && password_filter_begins(&first, 1))
        return password_filter_open(fileno(file), path, arena, err);
    if (!S_ISREG(status.st_mode) || status.st_size > LIST_SIZE_MAX) {
        error_set(err, ERR_BAD_REQUEST,
                  "%s: must be a filter of passwords, or a list of at most %d bytes", path,
                  LIST_SIZE_MAX);
        return NULL;
    }
    return open_list(file, path, arena, err);
}
