/* texts.h - lists of texts (struct field_texts) from elsewhere than a message. */
#ifndef ATRIUM_COMMON_WIRE_TEXTS_H
#define ATRIUM_COMMON_WIRE_TEXTS_H

#include "common/wire/fields.h"

/* Cuts a list that is separated by commas; "" has no items. From the arena. */
struct field_texts field_texts_split(struct arena *arena, const char *list);

#endif
