/*
 * list_limit.h - how much a project may have of one kind: rows, and bytes of their texts.
 *
 * A list answered whole fits in a bus message, 4 MiB: LIST_ROWS_MAX rows, LIST_SIZE_MAX bytes and
 * 200 per row. A write takes a lock of the project's list first, since a waiting statement sees
 * only its start, then compares the size before and after. Pure.
 */
#ifndef ATRIUM_COMMON_DOMAIN_LIST_LIMIT_H
#define ATRIUM_COMMON_DOMAIN_LIST_LIMIT_H

#include "common/wire/fields.h"

enum { LIST_ROWS_MAX = 1000, LIST_SIZE_MAX = 3 * 1024 * 1024 };

/* Of what a project has, as statements return it. */
struct list_size {
    int64_t rows, bytes;
};
FIELD_DECLARE(list_size);

struct list_limit {
    int64_t rows, bytes;
    const char *many, *large; /* messages: too many rows, too many bytes */
};

/* That of a list that is answered whole; what: "bots". */
#define LIST_LIMIT(what)                                                         \
    {                                                                            \
        LIST_ROWS_MAX, LIST_SIZE_MAX, "The project has 1,000 " what " already.", \
            "The project's " what " have at most 3 MiB together."                \
    }

/* Refuses a write that ends over the limit and with more than before: what an older release let
 * grow may shrink or stay. Fails: CONFLICT. */
int list_limit_check(const struct list_limit *limit, const struct list_size *before,
                     const struct list_size *after, struct error *err) MUST_USE;

#endif
