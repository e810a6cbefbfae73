/* db_array.c - PostgreSQL arrays as text, see db.h. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/pg/db.h"

struct db_array db_array_new(struct arena *arena, size_t items, size_t item_max)
{
    struct db_array self = {.size = items * (item_max + 1) + sizeof("{}"), .length = 1};

    self.text = arena_alloc(arena, self.size);
    memcpy(self.text, "{}", sizeof("{}"));
    return self;
}

static char *add(struct db_array *self, size_t length)
{
    char *at = self->text + self->length;

    assert(self->length + length + sizeof(",}") <= self->size);
    if (self->length > 1)
        *at++ = ',';
    memcpy(at + length, "}", sizeof("}"));
    self->length = (size_t)(at - self->text) + length;
    return at;
}

void db_array_add(struct db_array *self, const char *item)
{
    size_t length = strlen(item);

    memcpy(add(self, length), item, length);
}

void db_array_add_int(struct db_array *self, int64_t number)
{
    char text[DB_ARRAY_INT + 1];

    snprintf(text, sizeof(text), "%" PRId64, number);
    db_array_add(self, text);
}

void db_array_add_bytes(struct db_array *self, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef", prefix[] = "\\\\x";
    char *at = add(self, DB_ARRAY_BYTES(size));

    memcpy(at, prefix, sizeof(prefix) - 1);
    at += sizeof(prefix) - 1;
    for (size_t i = 0; i < size; i++) {
        *at++ = digits[bytes[i] >> 4];
        *at++ = digits[bytes[i] & 15];
    }
}

/* Counts two characters that need a backslash in quotes (PostgreSQL 15, 8.15.6). */
static size_t quoted_length(const char *item)
{
    size_t length = sizeof("\"\"") - 1;

    for (; *item; item++)
        length += *item == '"' || *item == '\\' ? 2 : 1;
    return length;
}

static void add_quoted(struct db_array *self, const char *item, size_t length)
{
    char *at = add(self, length);

    *at++ = '"';
    for (; *item; item++) {
        if (*item == '"' || *item == '\\')
            *at++ = '\\';
        *at++ = *item;
    }
    *at = '"';
}

struct db_array db_array_texts(struct arena *arena, const char *const *items, size_t count)
{
    static const char null[] = "NULL";
    struct db_array self;
    size_t total = 0;

    for (size_t i = 0; i < count; i++)
        total += (items[i] ? quoted_length(items[i]) : sizeof(null) - 1) + 1;
    self = db_array_new(arena, 1, total); /* item lengths differ widely */
    for (size_t i = 0; i < count; i++)
        if (items[i])
            add_quoted(&self, items[i], quoted_length(items[i]));
        else
            db_array_add(&self, null);
    return self;
}
