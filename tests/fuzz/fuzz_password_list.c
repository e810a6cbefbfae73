/*
 * fuzz_password_list.c - a password list of any bytes: refused, or made into a filter with each
 * entry.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/domain/password_filter.h"
#include "common/domain/password_filter_build.h"
#include "common/domain/password_list.h"
#include "tests/fuzz/fuzz.h"

static int add(void *builder, uint64_t key, struct error *err)
{
    return password_filter_builder_add(builder, key, err);
}

static int find(void *filter, uint64_t key, struct error *err UNUSED)
{
    FUZZ_REQUIRE(password_filter_has_key(filter, key));
    return 0;
}

int fuzz_password_list(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) uint8_t *bytes = fuzz_bytes(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(password_filter_builder_destroy)
    struct password_filter_builder *builder = password_filter_builder_new(
        &(struct password_filter_options){.keys = 1024, .shard_keys = 16});
    CLEANUP(file_close) FILE *list = size > 0 ? fmemopen(bytes, size, "r") : NULL;
    CLEANUP(file_close_descriptor) int fd = memfd_create("filter", MFD_CLOEXEC);
    struct password_list_counts counts, again;
    struct password_filter *filter;
    struct error err;

    if (!list)
        return 0;
    error_init(&err, arena);
    FUZZ_REQUIRE(fd >= 0);
    if (password_list_read(list, "list",
                           &(struct password_list_reader){.take = add, .arg = builder}, &counts,
                           &err) < 0 ||
        password_filter_builder_write(builder, fd, NULL, &err) < 0) {
        fuzz_require_error(&err);
        return 0;
    }
    FUZZ_REQUIRE(counts.bytes == (int64_t)size && counts.entries > 0);
    FUZZ_REQUIRE(counts.entries + counts.skipped <= counts.lines);
    filter = password_filter_open(fd, "file", arena, &err);
    FUZZ_REQUIRE(filter && password_filter_info(filter).passwords <= counts.entries);
    rewind(list);
    FUZZ_REQUIRE(password_list_read(list, "list",
                                    &(struct password_list_reader){.take = find, .arg = filter},
                                    &again, &err) == 0);
    FUZZ_REQUIRE(again.entries == counts.entries && again.lines == counts.lines);
    return 0;
}
