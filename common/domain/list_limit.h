/*
 * list_limit.h - how much a project may have of one kind: rows, and bytes of their texts together.
 *
 * What one answer lists whole has to fit in a message of the bus, 4 MiB: LIST_ROWS_MAX rows of
 * LIST_SIZE_MAX bytes, with some 200 bytes of each row for the names of its members.
 *
 * A transaction that writes a row (common/service/list_write.h) takes a lock of the project's list
 * first, since a statement that waits sees only what there was when it began to wait. Then it reads
 * the size, writes, and reads the size again. Pure: no database, no loop.
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

/* Refuses a write behind which there is more than the limit, and more than before: what an older
 * release, or another installation, has let grow larger may still shrink or stay. Fails:
 * CONFLICT. */
int list_limit_check(const struct list_limit *limit, const struct list_size *before,
                     const struct list_size *after, struct error *err) MUST_USE;

#endif
