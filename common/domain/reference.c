/* reference.c - see reference.h. */
#include "common/domain/reference.h"

static const struct field reference_rows[] = {
    FIELD_TEXT(struct reference, reference, 1, REFERENCE_MAX, FIELD_REQUIRED,
               "Type and ID, such as `Patient/<id>`.",
               "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT_OR(struct reference, display, 0, REFERENCE_DISPLAY_MAX, "\"\"", FIELD_CHARACTERS,
                  "Display name.", "Ana Lima"),
};
FIELD_TABLE(reference);
