/*
 * test_gateway_file_cache.c - the gateway's file cache: content, size, lifetime.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/domain/content.h"
#include "gateway/transfer/file_cache.h"
#include "tests/support/unit.h"

static uint8_t bytes[FILE_CACHE_FILE_MAX + 1];

static void note_at(struct file_cache *files, const char *path, const char *handle, size_t size,
                    int64_t now_ms)
{
    struct MHD_IoVec places[] = {{bytes, size / 3}, {bytes + size / 3, size - size / 3}};

    file_cache_note(files, &(struct target){path, ""}, handle, places, 2, now_ms);
}

/* Loads a file twice, because only a repeated one is cached. */
static void keep(struct file_cache *files, const char *path, const char *handle, size_t size)
{
    note_at(files, path, handle, size, 0);
    note_at(files, path, handle, size, 0);
}

static struct cached_file *find(struct file_cache *files, const char *path, const char *query)
{
    return file_cache_find(files, &(struct target){path, query}, 0);
}

static bool is_kept(struct file_cache *files, const char *path)
{
    struct cached_file *kept = find(files, path, "");
    bool found = kept != NULL;

    cached_file_release(&kept);
    return found;
}

static void files_noted_twice_are_cached(void)
{
    struct file_cache *files = file_cache_new();
    struct cached_file *kept;

    CU_ASSERT_FALSE(is_kept(files, "/a"));
    note_at(files, "/a", "one", 1000, 0);
    CU_ASSERT_FALSE(is_kept(files, "/a"));
    CU_ASSERT_EQUAL(file_cache_size(files), 0);
    note_at(files, "/a", "one", 1000, 0);
    kept = find(files, "/a", "");
    if (UNIT_CHECK(kept != NULL, "not kept")) {
        CU_ASSERT_STRING_EQUAL(cached_file_handle(kept), "one");
        CU_ASSERT_EQUAL(cached_file_size(kept), 1000);
        CU_ASSERT_EQUAL(memcmp(cached_file_bytes(kept), bytes, 1000), 0);
    }
    cached_file_release(&kept);
    CU_ASSERT_PTR_NULL(kept);
    cached_file_release(&kept);
    note_at(files, "/a", "one", 1000, 0);
    CU_ASSERT_EQUAL(file_cache_size(files), 1000);
    CU_ASSERT_FALSE(is_kept(files, "/b"));
    CU_ASSERT_PTR_NULL(find(files, "/a", "width=3"));
    CU_ASSERT_PTR_NULL(find(files, "/", "a"));
    file_cache_destroy(&files);
    file_cache_destroy(&files);
}

static void another_file_takes_its_place(void)
{
    struct file_cache *files = file_cache_new();
    struct cached_file *before;

    keep(files, "/a", "one", 1000);
    before = find(files, "/a", "");
    note_at(files, "/a", "two", 500, 0);
    CU_ASSERT_FALSE(is_kept(files, "/a"));
    CU_ASSERT_EQUAL(file_cache_size(files), 1000); /* still being sent */
    CU_ASSERT_EQUAL(memcmp(cached_file_bytes(before), bytes, 1000), 0);
    cached_file_release(&before);
    CU_ASSERT_EQUAL(file_cache_size(files), 0);
    note_at(files, "/a", "two", 500, 0);
    CU_ASSERT_TRUE(is_kept(files, "/a"));
    CU_ASSERT_EQUAL(file_cache_size(files), 500);
    file_cache_destroy(&files);
}

static void its_bytes_are_bounded(void)
{
    enum { COUNT = 2 * FILE_CACHE_SIZE_MAX / FILE_CACHE_FILE_MAX };
    struct file_cache *files = file_cache_new();
    struct cached_file *sent[COUNT] = {NULL};
    char long_handle[CONTENT_HANDLE_MAX + 2], path[16];
    size_t held = 0;

    memset(long_handle, 'a', sizeof(long_handle) - 1);
    long_handle[sizeof(long_handle) - 1] = '\0';
    keep(files, "/large", "one", FILE_CACHE_FILE_MAX + 1);
    keep(files, "/empty", "one", 0);
    keep(files, "/long", long_handle, 10);
    keep(files, "/longest", long_handle + 1, 10);
    CU_ASSERT_EQUAL(file_cache_size(files), 10);
    keep(files, "/first", "one", FILE_CACHE_FILE_MAX);
    for (int i = 0; i < COUNT; i++) {
        snprintf(path, sizeof(path), "/%d", i);
        keep(files, path, "one", FILE_CACHE_FILE_MAX);
        CU_ASSERT_TRUE(file_cache_size(files) <= FILE_CACHE_SIZE_MAX);
        CU_ASSERT_TRUE(is_kept(files, path));
        CU_ASSERT_EQUAL(is_kept(files, "/first"), true); /* stays: used all the time */
    }
    CU_ASSERT_FALSE(is_kept(files, "/longest"));
    CU_ASSERT_FALSE(is_kept(files, "/0"));
    CU_ASSERT_EQUAL(file_cache_size(files), FILE_CACHE_SIZE_MAX);
    /* Files being sent stay, so there is no space for more. */
    for (int i = 0; i < COUNT; i++) {
        snprintf(path, sizeof(path), "/%d", i);
        sent[i] = find(files, path, "");
        held += sent[i] != NULL;
    }
    CU_ASSERT_EQUAL(held, FILE_CACHE_SIZE_MAX / FILE_CACHE_FILE_MAX - 1);
    /* replaces the first, which has no reader */
    keep(files, "/next", "one", FILE_CACHE_FILE_MAX);
    CU_ASSERT_TRUE(is_kept(files, "/next"));
    sent[0] = find(files, "/next", "");
    keep(files, "/none", "one", FILE_CACHE_FILE_MAX);
    CU_ASSERT_FALSE(is_kept(files, "/none"));
    CU_ASSERT_EQUAL(file_cache_size(files), FILE_CACHE_SIZE_MAX);
    for (int i = 0; i < COUNT; i++)
        cached_file_release(&sent[i]);
    note_at(files, "/none", "one", FILE_CACHE_FILE_MAX, 0);
    CU_ASSERT_TRUE(is_kept(files, "/none"));
    CU_ASSERT_EQUAL(file_cache_size(files), FILE_CACHE_SIZE_MAX);
    file_cache_destroy(&files);
}

static void targets_are_bounded(void)
{
    struct file_cache *files = file_cache_new();
    size_t kept = 0;
    char path[16];

    for (int i = 0; i < 3 * FILE_CACHE_TARGETS_MAX; i++) {
        snprintf(path, sizeof(path), "/%d", i);
        keep(files, path, "one", 10);
    }
    for (int i = 0; i < 3 * FILE_CACHE_TARGETS_MAX; i++) {
        snprintf(path, sizeof(path), "/%d", i);
        kept += is_kept(files, path);
    }
    CU_ASSERT_EQUAL(kept, FILE_CACHE_TARGETS_MAX);
    CU_ASSERT_EQUAL(file_cache_size(files), 10 * FILE_CACHE_TARGETS_MAX);
    file_cache_destroy(&files);
}

/* Loads a set of files in turn, several times. Returns the number of cached ones. */
static size_t read_in_turn(struct file_cache *files, int count)
{
    size_t kept = 0;
    char path[16];

    for (int i = 0; i < 3 * count; i++) {
        snprintf(path, sizeof(path), "/set/%d", i % count);
        note_at(files, path, "one", FILE_CACHE_FILE_MAX, 0);
    }
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "/set/%d", i);
        kept += is_kept(files, path);
    }
    return kept;
}

static void files_that_do_not_fit_together_are_not_copied(void)
{
    enum { FIT = FILE_CACHE_SIZE_MAX / FILE_CACHE_FILE_MAX };
    struct file_cache *files = file_cache_new();

    keep(files, "/hot", "one", FILE_CACHE_FILE_MAX);
    CU_ASSERT_EQUAL(read_in_turn(files, FIT + 1), 0);
    CU_ASSERT_TRUE(is_kept(files, "/hot"));
    CU_ASSERT_EQUAL(file_cache_size(files), FILE_CACHE_FILE_MAX);
    file_cache_destroy(&files);

    files = file_cache_new();
    CU_ASSERT_EQUAL(read_in_turn(files, FIT), FIT);
    CU_ASSERT_EQUAL(file_cache_size(files), FILE_CACHE_SIZE_MAX);
    file_cache_destroy(&files);
}

static void unread_files_expire(void)
{
    struct file_cache *files = file_cache_new();
    struct cached_file *entry;

    keep(files, "/a", "one", 1000);
    keep(files, "/b", "two", 100);
    note_at(files, "/once", "three", 10, 0);
    entry = file_cache_find(files, &(struct target){"/a", ""}, FILE_CACHE_IDLE_MS / 2);
    file_cache_sweep(files, FILE_CACHE_IDLE_MS - 1);
    CU_ASSERT_EQUAL(file_cache_size(files), 1100);
    file_cache_sweep(files, FILE_CACHE_IDLE_MS);
    CU_ASSERT_EQUAL(file_cache_size(files), 1000);
    note_at(files, "/once", "three", 10,
            FILE_CACHE_IDLE_MS); /* too late for the second time: counts as a first one */
    CU_ASSERT_FALSE(is_kept(files, "/once"));
    file_cache_sweep(files, FILE_CACHE_IDLE_MS + FILE_CACHE_IDLE_MS / 2);
    CU_ASSERT_EQUAL(file_cache_size(files), 1000); /* still being sent */
    cached_file_release(&entry);
    CU_ASSERT_EQUAL(file_cache_size(files), 0);
    file_cache_destroy(&files);
}

static const struct unit_case cases[] = {
    CASE(files_noted_twice_are_cached),
    CASE(another_file_takes_its_place),
    CASE(its_bytes_are_bounded),
    CASE(targets_are_bounded),
    CASE(files_that_do_not_fit_together_are_not_copied),
    CASE(unread_files_expire),
};

int main(void)
{
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 31 >> 3);
    return unit_run("gateway kept", cases, ARRAY_SIZE(cases));
}
