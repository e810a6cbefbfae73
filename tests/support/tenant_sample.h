/*
 * tenant_sample.h - what the tests of the encrypted file of a tenant write into it and read of it.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TENANT_SAMPLE_H
#define ATRIUM_TESTS_SUPPORT_TENANT_SAMPLE_H

#include "ctl/tenant/tenant_file.h"
#include "tests/support/unit.h"

/* The parts of a file, and its tables here. */
enum {
    TENANT_HEADER_SIZE = 128,
    TENANT_PLAIN_SIZE = 64 * 1024,
    TENANT_CHUNK_SIZE = TENANT_PLAIN_SIZE + 17,
    TENANT_SAMPLES = 7,
};

#define TENANT_SAMPLE_HEAD "{\"project\":\"demo\"}"

struct tenant_sample {
    const char *table;
    size_t rows, size; /* of each row */
};

extern const struct tenant_sample tenant_samples[TENANT_SAMPLES];

/* A file of the directory; its bytes, with room for one more chunk behind them; to write it. */
const char *tenant_sample_path(struct arena *arena, const struct unit_dir *dir, const char *name);
uint8_t *tenant_sample_load(struct arena *arena, const char *path, size_t *ret_size);
void tenant_sample_store(const char *path, const uint8_t *bytes, size_t size);

/* Of the installation whose seal key is all `byte`. */
struct tenant_key tenant_sample_key(uint8_t byte);

/* Bytes that tell the table and the number of the row. */
void tenant_sample_fill(uint8_t *row, const struct tenant_sample *sample, size_t number);

/* Writes the first `count` tables; as a whole file. 0, or -1 as the writer says. */
int tenant_sample_write_tables(struct tenant_writer *writer, size_t count, struct error *err);
int tenant_sample_write(const char *path, const struct tenant_key *to, size_t count,
                        struct error *err);

/* Reads to the end: 0, or -1 as the reader says. */
int tenant_sample_read(const char *path, uint8_t key, struct error *err);

#endif
