/*
 * erasure.c - see erasure.h.
 */
#include "common/service/erasure.h"

static const struct field erased_table_rows[] = {
    FIELD_TEXT(struct erased_table, table, 1, 64, FIELD_REQUIRED, "Table.", "document"),
    FIELD_INT(struct erased_table, rows, 0, INT64_MAX, 0, FIELD_REQUIRED, "Rows that were deleted.",
              "3"),
    FIELD_INT(struct erased_table, bytes, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Bytes of complete files.", "4096"),
};
FIELD_TABLE(erased_table);
