/*
 * tenant_sample.c - see tenant_sample.h.
 */
#include "tests/support/tenant_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/file.h"

const char *tenant_sample_path(struct arena *arena, const struct unit_dir *dir, const char *name)
{
    return arena_printf(arena, "%s/%s", dir->path, name);
}

uint8_t *tenant_sample_load(struct arena *arena, const char *path, size_t *ret_size)
{
    CLEANUP(file_close) FILE *file = fopen(path, "re");
    struct stat stat_of;
    uint8_t *bytes;

    if (!file || fstat(fileno(file), &stat_of) < 0)
        abort();
    bytes = arena_alloc(arena, (size_t)stat_of.st_size + TENANT_CHUNK_SIZE);
    *ret_size = fread(bytes, 1, (size_t)stat_of.st_size, file);
    return bytes;
}

void tenant_sample_store(const char *path, const uint8_t *bytes, size_t size)
{
    CLEANUP(file_close) FILE *file = fopen(path, "we");

    if (!file || fwrite(bytes, 1, size, file) != size)
        abort();
}

struct tenant_key tenant_sample_key(uint8_t byte)
{
    struct seal_keys keys = unit_seal_keys(byte);

    return tenant_key_derive(seal_keys_current(&keys));
}

const struct tenant_sample tenant_samples[TENANT_SAMPLES] = {
    {"settingsd.client", 3, 40},
    {"settingsd.empty", 0, 0},
    {"authd.account", 2000, 150},
    {"docd.nothing", 2, 0},
    {"docd.one_chunk", 2, TENANT_PLAIN_SIZE},
    {"docd.bytes", 2, 300 * 1000},
    {"docd.most", 1, TENANT_ROW_MAX},
};

void tenant_sample_fill(uint8_t *row, const struct tenant_sample *sample, size_t number)
{
    for (size_t i = 0; i < sample->size; i++)
        row[i] = (uint8_t)(sample->table[i % strlen(sample->table)] + 7 * number + i / 251);
}

int tenant_sample_write_tables(struct tenant_writer *writer, size_t count, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    uint8_t *row = arena_alloc(arena, TENANT_ROW_MAX);

    for (size_t i = 0; i < count; i++) {
        if (tenant_writer_table(writer, tenant_samples[i].table, err) < 0)
            return -1;
        for (size_t j = 0; j < tenant_samples[i].rows; j++) {
            tenant_sample_fill(row, &tenant_samples[i], j);
            if (tenant_writer_row(writer, row, tenant_samples[i].size, err) < 0)
                return -1;
        }
    }
    return 0;
}

int tenant_sample_write(const char *path, const struct tenant_key *to, size_t count,
                        struct error *err)
{
    CLEANUP(tenant_writer_destroy)
    struct tenant_writer *writer = tenant_writer_create(path, to, NULL, TENANT_SAMPLE_HEAD, err);

    if (!writer || tenant_sample_write_tables(writer, count, err) < 0)
        return -1;
    return tenant_writer_finish(writer, err);
}

int tenant_sample_read(const char *path, uint8_t key, struct error *err)
{
    struct seal_keys keys = unit_seal_keys(key);
    CLEANUP(tenant_reader_destroy)
    struct tenant_reader *reader = tenant_reader_open(path, &keys, err);
    struct tenant_row row;
    int result = reader ? 1 : -1;

    while (result > 0)
        result = tenant_reader_next(reader, &row, err);
    return result;
}
