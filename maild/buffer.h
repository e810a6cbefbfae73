/* buffer.h - a text that grows in an arena. */
#ifndef ATRIUM_MAILD_BUFFER_H
#define ATRIUM_MAILD_BUFFER_H

#include "common/base/arena.h"

struct buffer {
    struct arena *arena;
    char *text; /* NUL-terminated after each call; NULL before the first */
    size_t size, capacity;
};

/* Appends `size` bytes; buffer_text() and buffer_printf() append texts. */
void buffer_add(struct buffer *self, const char *bytes, size_t size);
void buffer_text(struct buffer *self, const char *text);
void buffer_printf(struct buffer *self, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
