/*
 * statement_kit.h - a struct that statements of tests/support/statement_kit/sql fill by its field
 * table.
 */
#ifndef ATRIUM_TESTS_SUPPORT_STATEMENT_KIT_H
#define ATRIUM_TESTS_SUPPORT_STATEMENT_KIT_H

#include "common/wire/fields.h"

struct kit_thing {
    int64_t id;
    const char *name, *label;
};
extern const struct field_table kit_thing_table;

#endif
