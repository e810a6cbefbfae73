/*
 * list_cache.h - caches lists of an author's documents.
 *
 * Each change of a patient's documents replaces the list's version (schema 0020) in its
 * transaction. A cached list is current while the database has its version, whichever instance
 * writes.
 */
#ifndef ATRIUM_DOCD_DOCUMENT_LIST_CACHE_H
#define ATRIUM_DOCD_DOCUMENT_LIST_CACHE_H

#include "common/base/uuid.h"

/* Bytes of all lists, and of the largest list that is cached. */
enum { LIST_CACHE_BYTES = 8 << 20, LIST_CACHE_LIST_BYTES = 128 << 10 };

struct list_key {
    struct uuid project, author;
    int64_t count, offset;
    const struct document_sort *sort;
};

struct list_cache;
struct list_cache *list_cache_new(size_t bytes_max);
void list_cache_destroy(struct list_cache **self_p);

/* True when a list is cached: its version is worth a query. */
bool list_cache_has(struct list_cache *self, const struct list_key *key);

/* Returns the list with that version, or NULL. Valid until the next put. */
const struct documents *list_cache_get(struct list_cache *self, const struct list_key *key,
                                       int64_t version);

/* Copies the list, without the members that lists omit. */
void list_cache_put(struct list_cache *self, const struct list_key *key, int64_t version,
                    const struct documents *list);

#endif
