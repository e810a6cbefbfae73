/* fields.c - see fields.h; most is in fields_*.c. */
#include "common/wire/fields.h"

#include "common/base/secret.h"

const struct field_table nothing_table = {.name = "nothing", .size = sizeof(struct nothing)};

const struct field *fields_body(const struct field_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].flags & FIELD_BODY)
            return &table->rows[i];
    return NULL;
}

const struct field *fields_find(const struct field_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return &table->rows[i];
    return NULL;
}

unsigned fields_choice(const char *const *choices, const char *text)
{
    for (unsigned i = 0; text && choices[i]; i++)
        if (strcmp(choices[i], text) == 0)
            return i + 1;
    return 0;
}

static void wipe_texts(const struct field_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        secret_wipe_text(texts->items[i]);
}

/* Arena memory is writable, even through const pointers. */
static void wipe_object(const struct field *row, const void *member)
{
    void *object;

    memcpy(&object, member, sizeof(object));
    if (object)
        fields_wipe(row->table, object);
}

static void wipe_objects(const struct field *row, const void *member)
{
    struct field_list list;
    char *items;

    memcpy(&list, member, sizeof(list));
    memcpy(&items, &list.items, sizeof(items));
    for (size_t i = 0; i < list.count; i++)
        fields_wipe(row->table, items + i * row->table->size);
}

void fields_wipe(const struct field_table *table, void *in)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];
        void *member = (char *)in + row->offset;
        bool secret = row->flags & FIELD_SECRET;

        if (row->type == FIELD_TYPE_OBJECT)
            wipe_object(row, member);
        else if (row->type == FIELD_TYPE_OBJECTS)
            wipe_objects(row, member);
        else if (row->type == FIELD_TYPE_TEXTS && secret)
            wipe_texts(member);
        else if (secret && (row->type == FIELD_TYPE_TEXT || row->type == FIELD_TYPE_EMAIL ||
                            row->type == FIELD_TYPE_JSON || row->type == FIELD_TYPE_JSON_OBJECT))
            secret_wipe_text(*(const char **)member);
    }
}

struct field_texts field_texts_split(struct arena *arena, const char *list)
{
    struct field_texts texts = {arena_calloc(arena, strlen(list) + 1, sizeof(*texts.items)), 0};
    char *copy = arena_strdup(arena, list), *rest = NULL;

    for (char *item = strtok_r(copy, ",", &rest); item; item = strtok_r(NULL, ",", &rest))
        texts.items[texts.count++] = item;
    return texts;
}
