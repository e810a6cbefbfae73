/*
 * statement_kit.c - see statement_kit.h.
 */
#include "tests/support/statement_kit.h"

static const struct field kit_thing_rows[] = {
    FIELD_INT(struct kit_thing, id, 0, 0, 0, FIELD_REQUIRED, "Its number", "1"),
    FIELD_TEXT(struct kit_thing, name, 0, 64, 0, "Its name", "cup"),
    FIELD_TEXT(struct kit_thing, label, 0, 64, 0, "Its label", "blue"),
};
FIELD_TABLE(kit_thing);
