/* list_limit.c - see list_limit.h. */
#include "common/domain/list_limit.h"

static const struct field list_size_rows[] = {
    FIELD_INT(struct list_size, rows, INT64_MIN, INT64_MAX, 0, FIELD_REQUIRED, "Rows", "1"),
    FIELD_INT(struct list_size, bytes, INT64_MIN, INT64_MAX, 0, FIELD_REQUIRED,
              "Bytes of their texts", "100"),
};
FIELD_TABLE(list_size);

int list_limit_check(const struct list_limit *limit, const struct list_size *before,
                     const struct list_size *after, struct error *err)
{
    if (after->rows > limit->rows && after->rows > before->rows)
        return error_set(err, ERR_CONFLICT, "%s", limit->many);
    if (after->bytes > limit->bytes && after->bytes > before->bytes)
        return error_set(err, ERR_CONFLICT, "%s", limit->large);
    return 0;
}
