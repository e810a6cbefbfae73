/*
 * tenant_sample.h - sample content of a tenant's encrypted file.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TENANT_SAMPLE_H
#define ATRIUM_TESTS_SUPPORT_TENANT_SAMPLE_H

#include "ctl/tenant/tenant_file.h"
#include "tests/support/unit.h"

/* The file's parts and tables. */
enum {
    TENANT_HEADER_SIZE = 128,
    TENANT_PLAIN_SIZE = 64 * 1024,
    TENANT_CHUNK_SIZE = TENANT_PLAIN_SIZE + 17,
    TENANT_SAMPLES = 7,
};

#define TENANT_SAMPLE_HEAD "{\"project\":\"demo\"}"

struct tenant_sample {
    const char *table;
    size_t rows, size;
};

extern const struct tenant_sample tenant_samples[TENANT_SAMPLES];

/* tenant_sample_path() returns a path in the directory, tenant_sample_load() reads a file, with
 * space for one more chunk, and tenant_sample_store() writes it. */
const char *tenant_sample_path(struct arena *arena, const struct unit_dir *dir, const char *name);
uint8_t *tenant_sample_load(struct arena *arena, const char *path, size_t *ret_size);
void tenant_sample_store(const char *path, const uint8_t *bytes, size_t size);

struct tenant_key tenant_sample_key(uint8_t byte);

/* Fills a row with bytes that identify its table and number. */
void tenant_sample_fill(uint8_t *row, const struct tenant_sample *sample, size_t number);

/* Write the first `count` tables to a writer, or as a whole file. Return 0, or the writer's -1. */
int tenant_sample_write_tables(struct tenant_writer *writer, size_t count, struct error *err);
int tenant_sample_write(const char *path, const struct tenant_key *to, size_t count,
                        struct error *err);

/* Reads to the end. Returns 0, or the reader's -1. */
int tenant_sample_read(const char *path, uint8_t key, struct error *err);

#endif
