/*
 * test_ctl_tenant_resume.c - resumes a tenant's encrypted file whose writer was killed: it becomes
 * identical to a complete one, or stays unchanged.
 *
 * tier: fault
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tenant_sample.h"

enum { FROM = 1, TO = 2 }; /* the two installations' keys */

/* A complete file, and the key that was stored beside it until then. */
struct whole {
    uint8_t *bytes, *key;
    size_t size, key_size;
};

static struct whole whole_make(struct arena *arena, const struct unit_dir *dir)
{
    const char *path = tenant_sample_path(arena, dir, "whole");
    struct tenant_key to = tenant_sample_key(TO), own = tenant_sample_key(FROM);
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    struct whole self;
    struct error err;

    error_init(&err, arena);
    writer = tenant_writer_create(path, &to, &own, TENANT_SAMPLE_HEAD, &err);
    if (!writer)
        abort();
    self.key =
        tenant_sample_load(arena, tenant_sample_path(arena, dir, "whole.part.key"), &self.key_size);
    if (tenant_sample_write_tables(writer, TENANT_SAMPLES, &err) < 0 ||
        tenant_writer_finish(writer, &err) < 0)
        abort();
    CU_ASSERT(access(tenant_sample_path(arena, dir, "whole.part.key"), F_OK) < 0);
    self.bytes = tenant_sample_load(arena, path, &self.size);
    return self;
}

/* Stores what a killed writer leaves: the file up to this size. */
static void store_cut(struct arena *arena, const struct unit_dir *dir, const struct whole *whole,
                      size_t size)
{
    tenant_sample_store(tenant_sample_path(arena, dir, "file.part"), whole->bytes, size);
    tenant_sample_store(tenant_sample_path(arena, dir, "file.part.key"), whole->key,
                        whole->key_size);
}

static struct tenant_writer *resume(struct arena *arena, const struct unit_dir *dir,
                                    struct error *err)
{
    struct seal_keys keys = unit_seal_keys(FROM);
    struct tenant_key to = tenant_sample_key(TO);

    return tenant_writer_resume(tenant_sample_path(arena, dir, "file"), &to, &keys, err);
}

static void check_resumes(struct arena *arena, const struct unit_dir *dir,
                          const struct whole *whole, size_t cut)
{
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    const char *path = tenant_sample_path(arena, dir, "file");
    uint8_t *bytes;
    struct error err;
    size_t size;

    error_init(&err, arena);
    writer = resume(arena, dir, &err);
    UNIT_REQUIRE(writer && strcmp(tenant_writer_head(writer), TENANT_SAMPLE_HEAD) == 0, "%zu: %s",
                 cut, err.message);
    UNIT_REQUIRE(tenant_sample_write_tables(writer, TENANT_SAMPLES, &err) == 0 &&
                     tenant_writer_finish(writer, &err) == 0,
                 "%zu: %s", cut, err.message);
    bytes = tenant_sample_load(arena, path, &size);
    UNIT_CHECK(size == whole->size && memcmp(bytes, whole->bytes, size) == 0, "cut at %zu", cut);
    CU_ASSERT(access(tenant_sample_path(arena, dir, "file.part"), F_OK) < 0 &&
              access(tenant_sample_path(arena, dir, "file.part.key"), F_OK) < 0);
    CU_ASSERT(unlink(path) == 0);
}

/* The result is identical byte for byte, whatever was on the disk. */
static void what_was_cut_anywhere_is_resumed(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct whole whole = whole_make(arena, &dir);

    for (size_t chunk = 1; TENANT_HEADER_SIZE + chunk * TENANT_CHUNK_SIZE < whole.size; chunk++) {
        size_t at = TENANT_HEADER_SIZE + chunk * TENANT_CHUNK_SIZE;
        const size_t cuts[] = {at, at + 1, at + TENANT_CHUNK_SIZE / 2, at + TENANT_CHUNK_SIZE - 1};

        for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
            store_cut(arena, &dir, &whole, MIN(cuts[i], whole.size - 1));
            check_resumes(arena, &dir, &whole, cuts[i]);
        }
    }
    store_cut(arena, &dir, &whole, whole.size); /* complete, but not renamed yet */
    check_resumes(arena, &dir, &whole, whole.size);
}

/* A power failure can leave an unwritten chunk before written ones. */
static void what_is_behind_an_altered_chunk_is_written_anew(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct whole whole = whole_make(arena, &dir);
    uint8_t *altered = arena_alloc(arena, whole.size);

    for (size_t chunk = 1; chunk < 6; chunk++) {
        size_t at = TENANT_HEADER_SIZE + chunk * TENANT_CHUNK_SIZE + 100;

        memcpy(altered, whole.bytes, whole.size);
        altered[at] ^= 1;
        store_cut(arena, &dir, &(struct whole){altered, whole.key, whole.size, whole.key_size},
                  whole.size);
        check_resumes(arena, &dir, &whole, at);
    }
}

static void check_refused(struct arena *arena, const struct unit_dir *dir, uint8_t keys_of,
                          uint8_t to_key, enum error_code want, const char *label)
{
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    struct seal_keys keys = unit_seal_keys(keys_of);
    struct tenant_key to = tenant_sample_key(to_key);
    struct stat before, after;
    struct error err;

    error_init(&err, arena);
    CU_ASSERT(stat(tenant_sample_path(arena, dir, "file.part"), &before) == 0);
    writer = tenant_writer_resume(tenant_sample_path(arena, dir, "file"), &to, &keys, &err);
    UNIT_CHECK(!writer && err.code == want, "%s: %d %s", label, err.code, err.message);
    UNIT_CHECK(stat(tenant_sample_path(arena, dir, "file.part"), &after) == 0 &&
                   before.st_size == after.st_size,
               "%s", label);
}

static void what_cannot_be_resumed_is_left(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct whole whole = whole_make(arena, &dir);
    const size_t cut = TENANT_HEADER_SIZE + 3 * TENANT_CHUNK_SIZE + 10;
    struct tenant_writer *writer;
    struct error err;

    error_init(&err, arena);
    UNIT_CHECK(!resume(arena, &dir, &err) && err.code == ERR_NOT_FOUND, "%s", err.message);
    CU_ASSERT(access(tenant_sample_path(arena, &dir, "file.part"), F_OK) < 0);
    store_cut(arena, &dir, &whole, cut);
    check_refused(arena, &dir, 3, TO, ERR_FORBIDDEN, "the keys of another installation");
    check_refused(arena, &dir, FROM, 3, ERR_CONFLICT, "another receiver");
    writer = resume(arena, &dir, &err);
    UNIT_REQUIRE(writer, "%s", err.message);
    check_refused(arena, &dir, FROM, TO, ERR_CONFLICT, "another process");
    CU_ASSERT(tenant_writer_keep(writer));
    tenant_writer_destroy(&writer);
    store_cut(arena, &dir, &whole, TENANT_HEADER_SIZE + TENANT_CHUNK_SIZE - 1);
    check_refused(arena, &dir, FROM, TO, ERR_NOT_FOUND, "no chunk is whole");
    store_cut(arena, &dir, &whole, cut);
    tenant_sample_store(tenant_sample_path(arena, &dir, "file.part.key"), whole.key,
                        whole.key_size - 1);
    check_refused(arena, &dir, FROM, TO, ERR_NOT_FOUND, "a truncated key");
    CU_ASSERT(unlink(tenant_sample_path(arena, &dir, "file.part.key")) == 0);
    check_refused(arena, &dir, FROM, TO, ERR_NOT_FOUND, "no key");
    store_cut(arena, &dir, &whole, cut);
    tenant_sample_store(tenant_sample_path(arena, &dir, "file"), whole.bytes, whole.size);
    check_refused(arena, &dir, FROM, TO, ERR_CONFLICT, "a file of that name");
}

/* A resume is refused if the rest of a cut record has changed since it was encrypted, or if the
 * table is another one. */
static void what_has_changed_since_is_refused(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct whole whole = whole_make(arena, &dir);
    uint8_t *row = arena_alloc(arena, TENANT_ROW_MAX);

    for (int i = 0; i < 2; i++) {
        CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
        struct error err;
        int result;

        error_init(&err, arena);
        store_cut(arena, &dir, &whole, TENANT_HEADER_SIZE + TENANT_CHUNK_SIZE);
        writer = resume(arena, &dir, &err);
        UNIT_REQUIRE(writer, "%s", err.message);
        result =
            tenant_writer_table(writer, i == 0 ? tenant_samples[0].table : "settingsd.other", &err);
        for (size_t j = 0; result == 0 && j < tenant_samples[0].rows; j++)
            result = tenant_writer_row(writer, row, tenant_samples[0].size, &err);
        if (result == 0 && tenant_writer_table(writer, tenant_samples[1].table, &err) == 0)
            result = tenant_writer_table(writer, tenant_samples[2].table, &err);
        for (size_t j = 0; result == 0 && j < tenant_samples[2].rows; j++)
            result = tenant_writer_row(writer, row, tenant_samples[2].size, &err);
        UNIT_CHECK(result < 0 && err.code == ERR_CONFLICT && strstr(err.message, "changed"),
                   "%d: %s", i, err.message);
    }
}

static void the_last_row_tells_where_to_resume(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(tenant_writer_destroy) struct tenant_writer *writer = NULL;
    struct whole whole = whole_make(arena, &dir);
    uint8_t *row = arena_alloc(arena, TENANT_ROW_MAX), *bytes;
    const struct tenant_sample *last = &tenant_samples[5];
    const struct tenant_last *found;
    struct error err;
    size_t size;

    error_init(&err, arena);
    store_cut(arena, &dir, &whole,
              whole.size - TENANT_ROW_MAX - 100 * 1000); /* inside its second row */
    writer = resume(arena, &dir, &err);
    UNIT_REQUIRE(writer, "%s", err.message);
    CU_ASSERT_PTR_NULL(tenant_writer_last(writer, tenant_samples[4].table));
    found = tenant_writer_last(writer, last->table);
    UNIT_REQUIRE(found && found->size == last->size, "%s", last->table);
    tenant_sample_fill(row, last, 0);
    CU_ASSERT(memcmp(found->bytes, row, sizeof(found->bytes)) == 0);
    CU_ASSERT(tenant_sample_write_tables(writer, 5, &err) == 0 &&
              tenant_writer_table(writer, last->table, &err) == 0);
    tenant_sample_fill(row, last, 1);
    CU_ASSERT(tenant_writer_row(writer, row, last->size, &err) == 0);
    tenant_sample_fill(row, &tenant_samples[6], 0);
    UNIT_CHECK(tenant_writer_table(writer, tenant_samples[6].table, &err) == 0 &&
                   tenant_writer_row(writer, row, tenant_samples[6].size, &err) == 0 &&
                   tenant_writer_finish(writer, &err) == 0,
               "%s", err.message);
    bytes = tenant_sample_load(arena, tenant_sample_path(arena, &dir, "file"), &size);
    CU_ASSERT(size == whole.size && memcmp(bytes, whole.bytes, size) == 0);
}

static const struct unit_case cases[] = {
    CASE(what_was_cut_anywhere_is_resumed),   CASE(what_is_behind_an_altered_chunk_is_written_anew),
    CASE(what_cannot_be_resumed_is_left),     CASE(what_has_changed_since_is_refused),
    CASE(the_last_row_tells_where_to_resume),
};

int main(void)
{
    return unit_run("tenant file, resumed", cases, ARRAY_SIZE(cases));
}
