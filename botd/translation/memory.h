/*
 * memory.h - the translation memory: a project's translations by text (with marks), languages and
 * provider. Rows have a keyed hash and the sealed translation, so the table alone reveals nothing.
 * Limits of entries and bytes apply; the least recently used, and all unused for thirty days, are
 * deleted.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_MEMORY_H
#define ATRIUM_BOTD_TRANSLATION_MEMORY_H

#include "botd/botd.h"

enum { MEMORY_KEY_SIZE = 32 };

struct memory_text {
    const char *shown;  /* NULL: skipped */
    const char *answer; /* NULL: none */
    uint8_t key[MEMORY_KEY_SIZE];
    bool recalled;
    bool older; /* from a former seal key: stored again */
};

/* Makes the key of a text from project, provider, languages and the text. */
void memory_key(const struct secret *key, struct uuid project, const char *provider,
                const struct provider_call *call, const char *shown,
                uint8_t ret[static MEMORY_KEY_SIZE]);

/* Fills in answers and records their use. Parks. */
int memory_recall(struct botd *d, const struct request *req, const struct provider_call *call,
                  struct memory_text *texts, size_t count, struct error *err) MUST_USE;

/* New answers for translation_record.sql. */
struct memory_rows {
    struct db_array keys, values;
    size_t count;
};
struct memory_rows memory_rows(struct botd *d, const struct request *req,
                               const struct memory_text *texts, size_t count);

/* Enforces the limits. Parks. */
int memory_trim(struct botd *d, const struct request *req, int64_t entries, int64_t bytes,
                struct error *err) MUST_USE;

/* Deletes what was unused for thirty days. Parks. */
int memory_sweep(struct botd *d, const struct request *req, struct error *err) MUST_USE;

#endif
