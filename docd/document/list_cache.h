/*
 * list_cache.h - lists of documents that were read for their author, by page and order.
 *
 * What a patient's list shows has a number (schema 0020), which every change of one of its
 * documents replaces in the transaction of the change. A list that was read together with its
 * number is what the database has as long as it says that number, whichever instance made the
 * changes.
 */
#ifndef ATRIUM_DOCD_DOCUMENT_LIST_CACHE_H
#define ATRIUM_DOCD_DOCUMENT_LIST_CACHE_H

#include "common/base/uuid.h"

/* Bytes of all lists, and of one: a larger one is not kept. */
enum { LIST_CACHE_BYTES = 8 << 20, LIST_CACHE_LIST_BYTES = 128 << 10 };

/* Everything that selects a list. */
struct list_key {
    struct uuid project, author;
    int64_t count, offset;
    const struct document_sort *sort;
};

struct list_cache;
struct list_cache *list_cache_new(size_t bytes_max);
void list_cache_destroy(struct list_cache **self_p);

/* True when a list is kept, so that its number is worth asking for. */
bool list_cache_has(struct list_cache *self, const struct list_key *key);

/* The list with that number; NULL: none is kept. Valid until the next put. */
const struct documents *list_cache_get(struct list_cache *self, const struct list_key *key,
                                       int64_t version);

/* Keeps a copy, without the members that lists leave out. */
void list_cache_put(struct list_cache *self, const struct list_key *key, int64_t version,
                    const struct documents *list);

#endif
