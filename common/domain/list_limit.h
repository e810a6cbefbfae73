/*
 * list_limit.h - limits on a project's rows of one kind and their texts.
 *
 * A whole list fits in a bus message of 4 MiB: LIST_ROWS_MAX rows, LIST_SIZE_MAX bytes and 200 per
 * row. A write first locks the project's list. Only later statements compare the sizes before and
 * after the write, because a statement that waits for the lock sees the state at its own start.
 */
#ifndef ATRIUM_COMMON_DOMAIN_LIST_LIMIT_H
#define ATRIUM_COMMON_DOMAIN_LIST_LIMIT_H

#include "common/wire/fields.h"

enum { LIST_ROWS_MAX = 1000, LIST_SIZE_MAX = 3 * 1024 * 1024 };

struct list_size {
    int64_t rows, bytes;
};
FIELD_DECLARE(list_size);

struct list_limit {
    int64_t rows, bytes;
    const char *many, *large; /* messages for too many rows or bytes */
};

/* Limit of a list that is answered whole; what: "bots". */
#define LIST_LIMIT(what)                                                         \
    {                                                                            \
        LIST_ROWS_MAX, LIST_SIZE_MAX, "The project has 1,000 " what " already.", \
            "The project's " what " have at most 3 MiB together."                \
    }

/* Fails with CONFLICT if a write grows the list beyond the limit. A list that an older release let
 * grow can shrink or stay. */
int list_limit_check(const struct list_limit *limit, const struct list_size *before,
                     const struct list_size *after, struct error *err) MUST_USE;

#endif
