/*
 * page.c - see page.h.
 */
#include "authd/page/page.h"

#include <string.h>

enum { FIRST_CAPACITY = 16 * 1024 }; /* fits most pages */

void page_init(struct page *self, struct arena *arena, enum page_language language)
{
    *self = (struct page){
        .arena = arena,
        .language = language,
        .text = arena_alloc_raw(arena, FIRST_CAPACITY),
        .capacity = FIRST_CAPACITY,
    };
    self->text[0] = '\0';
}

const char *page_language_tag(enum page_language language)
{
    static const char *const tags[PAGE_LANGUAGES] = {"en", "de", "es"};

    return tags[language];
}

void page_raw(struct page *self, const char *text, size_t length)
{
    if (length >= self->capacity - self->length) {
        size_t capacity = 2 * (self->length + length + 1);
        char *larger = arena_alloc_raw(self->arena, capacity);

        memcpy(larger, self->text, self->length);
        self->text = larger;
        self->capacity = capacity;
    }
    memcpy(self->text + self->length, text, length);
    self->length += length;
    self->text[self->length] = '\0';
}

bool page_has(const char *value)
{
    return value && *value != '\0';
}
