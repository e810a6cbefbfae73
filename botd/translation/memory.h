/*
 * memory.h - the translation memory: what texts of a project became, so that the same text need not
 * be translated again.
 *
 * A text is remembered as the provider was shown it, with marks in place of variables and markup,
 * between two languages, by one provider, for one project.  Rows are found by a keyed hash and hold
 * the translation sealed: who has the table and not the key learns neither, and cannot try out
 * texts either.  A project has a bounded number of entries and bytes; beyond that those go that
 * were not used for the longest time, and any that was not used for thirty days.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_MEMORY_H
#define ATRIUM_BOTD_TRANSLATION_MEMORY_H

#include "botd/botd.h"

enum { MEMORY_KEY_SIZE = 32 };

struct memory_text {
    const char *shown;  /* as mask_render() has it; NULL: this one is left out */
    const char *answer; /* the provider's; NULL: there is none */
    uint8_t key[MEMORY_KEY_SIZE];
    bool recalled;
    bool older; /* by a key that a seal key made which was exchanged: it is remembered anew */
};

/* The key of a text for a project: of its languages, of who translates it, and of itself. */
void memory_key(const struct secret *key, struct uuid project, const char *provider,
                const struct provider_call *call, const char *shown,
                uint8_t ret[static MEMORY_KEY_SIZE]);

/* Fills in the remembered answers, from the request's arena, and records the use. `call` has the
 * languages. Parks. */
int memory_recall(struct botd *d, const struct request *req, const struct provider_call *call,
                  struct memory_text *texts, size_t count, struct error *err) MUST_USE;

/* Rows for translation_record.sql: new answers. */
struct memory_rows {
    struct db_array keys, values;
    size_t count;
};
struct memory_rows memory_rows(struct botd *d, const struct request *req,
                               const struct memory_text *texts, size_t count);

/* Keeps the project within its bounds, once it has so many entries and bytes. Parks. */
int memory_trim(struct botd *d, const struct request *req, int64_t entries, int64_t bytes,
                struct error *err) MUST_USE;

/* Forgets what was not used for thirty days, of some projects. Parks. */
int memory_sweep(struct botd *d, const struct request *req, struct error *err) MUST_USE;

#endif
