/*
 * buffer.c - see buffer.h. The inputs are limited by field tables.
 */
#include "maild/buffer.h"

#include <string.h>

enum { CAPACITY_MIN = 1024 };

void buffer_add(struct buffer *self, const char *bytes, size_t size)
{
    if (self->size + size + 1 > self->capacity) {
        size_t capacity = MAX((size_t)CAPACITY_MIN, 2 * (self->size + size + 1));
        char *text = arena_alloc(self->arena, capacity);

        if (self->size > 0)
            memcpy(text, self->text, self->size);
        self->text = text;
        self->capacity = capacity;
    }
    memcpy(self->text + self->size, bytes, size);
    self->size += size;
    self->text[self->size] = '\0';
}

void buffer_text(struct buffer *self, const char *text)
{
    buffer_add(self, text, strlen(text));
}

void buffer_printf(struct buffer *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buffer_text(self, arena_vprintf(self->arena, format, args));
    va_end(args);
}
