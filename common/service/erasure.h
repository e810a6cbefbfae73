/*
 * erasure.h - what a daemon has erased of an account that is gone, as it counts it in the
 * statements that erase.
 */
#ifndef ATRIUM_COMMON_SERVICE_ERASURE_H
#define ATRIUM_COMMON_SERVICE_ERASURE_H

#include "common/wire/fields.h"

struct erased_table {
    const char *table;
    int64_t rows, bytes; /* bytes: of complete files */
};
FIELD_DECLARE(erased_table);

#endif
