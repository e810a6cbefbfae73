/* texts.c - see texts.h. */
#include "common/wire/texts.h"

struct field_texts field_texts_split(struct arena *arena, const char *list)
{
    struct field_texts texts = {arena_calloc(arena, strlen(list) + 1, sizeof(*texts.items)), 0};
    char *copy = arena_strdup(arena, list), *rest = NULL;

    for (char *item = strtok_r(copy, ",", &rest); item; item = strtok_r(NULL, ",", &rest))
        texts.items[texts.count++] = item;
    return texts;
}
