/*
 * test_gateway_kept.c - the files that the gateway keeps: which, how many, for how long.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/domain/content.h"
#include "gateway/transfer/kept.h"
#include "tests/unit/unit.h"

static uint8_t bytes[KEPT_FILE_MAX + 1];

static void note_at(struct kept_files *files, const char *path, const char *handle, size_t size,
                    int64_t now_ms)
{
    struct MHD_IoVec places[] = {{bytes, size / 3}, {bytes + size / 3, size - size / 3}};

    kept_note(files, &(struct target){path, ""}, handle, places, 2, now_ms);
}

/* A target has brought a file once, and once more. */
static void keep(struct kept_files *files, const char *path, const char *handle, size_t size)
{
    note_at(files, path, handle, size, 0);
    note_at(files, path, handle, size, 0);
}

static struct kept *find(struct kept_files *files, const char *path, const char *query)
{
    return kept_find(files, &(struct target){path, query}, 0);
}

static bool is_kept(struct kept_files *files, const char *path)
{
    struct kept *kept = find(files, path, "");
    bool found = kept != NULL;

    kept_release(&kept);
    return found;
}

static void files_noted_twice_are_cached(void)
{
    struct kept_files *files = kept_files_new();
    struct kept *kept;

    CU_ASSERT_FALSE(is_kept(files, "/a"));
    note_at(files, "/a", "one", 1000, 0);
    CU_ASSERT_FALSE(is_kept(files, "/a"));
    CU_ASSERT_EQUAL(kept_files_size(files), 0);
    note_at(files, "/a", "one", 1000, 0);
    kept = find(files, "/a", "");
    if (UNIT_CHECK(kept != NULL, "not kept")) {
        CU_ASSERT_STRING_EQUAL(kept_handle(kept), "one");
        CU_ASSERT_EQUAL(kept_size(kept), 1000);
        CU_ASSERT_EQUAL(memcmp(kept_bytes(kept), bytes, 1000), 0);
    }
    kept_release(&kept);
    CU_ASSERT_PTR_NULL(kept);
    kept_release(&kept);
    note_at(files, "/a", "one", 1000, 0);
    CU_ASSERT_EQUAL(kept_files_size(files), 1000);
    CU_ASSERT_FALSE(is_kept(files, "/b"));
    CU_ASSERT_PTR_NULL(find(files, "/a", "width=3"));
    CU_ASSERT_PTR_NULL(find(files, "/", "a"));
    kept_files_destroy(&files);
    kept_files_destroy(&files);
}

static void another_file_takes_its_place(void)
{
    struct kept_files *files = kept_files_new();
    struct kept *before;

    keep(files, "/a", "one", 1000);
    before = find(files, "/a", "");
    note_at(files, "/a", "two", 500, 0);
    CU_ASSERT_FALSE(is_kept(files, "/a"));
    CU_ASSERT_EQUAL(kept_files_size(files), 1000); /* still being sent */
    CU_ASSERT_EQUAL(memcmp(kept_bytes(before), bytes, 1000), 0);
    kept_release(&before);
    CU_ASSERT_EQUAL(kept_files_size(files), 0);
    note_at(files, "/a", "two", 500, 0);
    CU_ASSERT_TRUE(is_kept(files, "/a"));
    CU_ASSERT_EQUAL(kept_files_size(files), 500);
    kept_files_destroy(&files);
}

static void its_bytes_are_bounded(void)
{
    enum { COUNT = 2 * KEPT_SIZE_MAX / KEPT_FILE_MAX };
    struct kept_files *files = kept_files_new();
    struct kept *sent[COUNT] = {NULL};
    char long_handle[CONTENT_HANDLE_MAX + 2], path[16];
    size_t held = 0;

    memset(long_handle, 'a', sizeof(long_handle) - 1);
    long_handle[sizeof(long_handle) - 1] = '\0';
    keep(files, "/large", "one", KEPT_FILE_MAX + 1);
    keep(files, "/empty", "one", 0);
    keep(files, "/long", long_handle, 10);
    keep(files, "/longest", long_handle + 1, 10);
    CU_ASSERT_EQUAL(kept_files_size(files), 10);
    keep(files, "/first", "one", KEPT_FILE_MAX);
    for (int i = 0; i < COUNT; i++) {
        snprintf(path, sizeof(path), "/%d", i);
        keep(files, path, "one", KEPT_FILE_MAX);
        CU_ASSERT_TRUE(kept_files_size(files) <= KEPT_SIZE_MAX);
        CU_ASSERT_TRUE(is_kept(files, path));
        CU_ASSERT_EQUAL(is_kept(files, "/first"), true); /* asked for all the time */
    }
    CU_ASSERT_FALSE(is_kept(files, "/longest"));
    CU_ASSERT_FALSE(is_kept(files, "/0"));
    CU_ASSERT_EQUAL(kept_files_size(files), KEPT_SIZE_MAX);
    /* What is being sent does not go: then there is no room for more. */
    for (int i = 0; i < COUNT; i++) {
        snprintf(path, sizeof(path), "/%d", i);
        sent[i] = find(files, path, "");
        held += sent[i] != NULL;
    }
    CU_ASSERT_EQUAL(held, KEPT_SIZE_MAX / KEPT_FILE_MAX - 1);
    keep(files, "/next", "one", KEPT_FILE_MAX); /* in place of the first, which has no reader */
    CU_ASSERT_TRUE(is_kept(files, "/next"));
    sent[0] = find(files, "/next", "");
    keep(files, "/none", "one", KEPT_FILE_MAX);
    CU_ASSERT_FALSE(is_kept(files, "/none"));
    CU_ASSERT_EQUAL(kept_files_size(files), KEPT_SIZE_MAX);
    for (int i = 0; i < COUNT; i++)
        kept_release(&sent[i]);
    note_at(files, "/none", "one", KEPT_FILE_MAX, 0);
    CU_ASSERT_TRUE(is_kept(files, "/none"));
    CU_ASSERT_EQUAL(kept_files_size(files), KEPT_SIZE_MAX);
    kept_files_destroy(&files);
}

static void targets_are_bounded(void)
{
    struct kept_files *files = kept_files_new();
    size_t kept = 0;
    char path[16];

    for (int i = 0; i < 3 * KEPT_TARGETS_MAX; i++) {
        snprintf(path, sizeof(path), "/%d", i);
        keep(files, path, "one", 10);
    }
    for (int i = 0; i < 3 * KEPT_TARGETS_MAX; i++) {
        snprintf(path, sizeof(path), "/%d", i);
        kept += is_kept(files, path);
    }
    CU_ASSERT_EQUAL(kept, KEPT_TARGETS_MAX);
    CU_ASSERT_EQUAL(kept_files_size(files), 10 * KEPT_TARGETS_MAX);
    kept_files_destroy(&files);
}

/* Each file of a set is brought in turn, several times: how many of them are kept in the end. */
static size_t read_in_turn(struct kept_files *files, int count)
{
    size_t kept = 0;
    char path[16];

    for (int i = 0; i < 3 * count; i++) {
        snprintf(path, sizeof(path), "/set/%d", i % count);
        note_at(files, path, "one", KEPT_FILE_MAX, 0);
    }
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "/set/%d", i);
        kept += is_kept(files, path);
    }
    return kept;
}

static void files_that_do_not_fit_together_are_not_copied(void)
{
    enum { FIT = KEPT_SIZE_MAX / KEPT_FILE_MAX };
    struct kept_files *files = kept_files_new();

    keep(files, "/hot", "one", KEPT_FILE_MAX);
    CU_ASSERT_EQUAL(read_in_turn(files, FIT + 1), 0);
    CU_ASSERT_TRUE(is_kept(files, "/hot"));
    CU_ASSERT_EQUAL(kept_files_size(files), KEPT_FILE_MAX);
    kept_files_destroy(&files);

    files = kept_files_new();
    CU_ASSERT_EQUAL(read_in_turn(files, FIT), FIT);
    CU_ASSERT_EQUAL(kept_files_size(files), KEPT_SIZE_MAX);
    kept_files_destroy(&files);
}

static void unread_files_expire(void)
{
    struct kept_files *files = kept_files_new();
    struct kept *entry;

    keep(files, "/a", "one", 1000);
    keep(files, "/b", "two", 100);
    note_at(files, "/once", "three", 10, 0);
    entry = kept_find(files, &(struct target){"/a", ""}, KEPT_MS / 2);
    kept_files_sweep(files, KEPT_MS - 1);
    CU_ASSERT_EQUAL(kept_files_size(files), 1100);
    kept_files_sweep(files, KEPT_MS);
    CU_ASSERT_EQUAL(kept_files_size(files), 1000);
    note_at(files, "/once", "three", 10, KEPT_MS); /* the first time again */
    CU_ASSERT_FALSE(is_kept(files, "/once"));
    kept_files_sweep(files, KEPT_MS + KEPT_MS / 2);
    CU_ASSERT_EQUAL(kept_files_size(files), 1000); /* still being sent */
    kept_release(&entry);
    CU_ASSERT_EQUAL(kept_files_size(files), 0);
    kept_files_destroy(&files);
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
