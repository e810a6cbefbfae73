/* fields_pack.c - structs as msgpack maps of the present members. */
#include "common/wire/codec.h"
#include "common/wire/fields_value.h"

/* Inlines msgpack-c's encoders, which take 1.5 times as long through function pointers. */
#define msgpack_pack_inline_func(name) static inline int put##name
#define msgpack_pack_inline_func_cint(name) static inline int put##name
#define msgpack_pack_inline_func_fixint(name) static inline int put_fix##name
#define msgpack_pack_user struct codec_buffer *
#define msgpack_pack_append_buffer(out, bytes, size) \
    return codec_write(out, (const char *)(bytes), size)
#include <msgpack/pack_template.h>

static const void *object_of(const void *member)
{
    const void *object;

    memcpy(&object, member, sizeof(object));
    return object;
}

static bool is_set(const struct field *row, const void *member)
{
    bool omit_empty = row->flags & FIELD_OMIT_EMPTY;

    switch (row->type) {
    case FIELD_TYPE_TEXT:
    case FIELD_TYPE_EMAIL:
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        return *(const char *const *)member != NULL;
    case FIELD_TYPE_ENUM:
        return *(const unsigned *)member != 0;
    case FIELD_TYPE_UUID:
        return uuid_is_set(member);
    case FIELD_TYPE_INT:
        return !(row->flags & FIELD_OMIT_ZERO && *(const int64_t *)member == 0) &&
               !(row->flags & FIELD_OMIT_NEGATIVE && *(const int64_t *)member < 0);
    case FIELD_TYPE_BOOL:
        return true;
    case FIELD_TYPE_TRISTATE:
        return *(const enum tristate *)member != TRISTATE_UNSET;
    case FIELD_TYPE_TIME:
        return *(const int64_t *)member != 0;
    case FIELD_TYPE_OBJECT:
        return object_of(member) != NULL;
    case FIELD_TYPE_OBJECTS:
        return !omit_empty || ((const struct field_list *)member)->count > 0;
    case FIELD_TYPE_TEXTS:
        return !omit_empty || ((const struct field_texts *)member)->count > 0;
    case FIELD_TYPE_BYTES:
        return ((const struct field_bytes *)member)->bytes != NULL;
    }
    return false;
}

static void pack_text(struct codec_buffer *out, const char *text, size_t size)
{
    codec_buffer_reserve(out, size + 5);
    put_str(out, size);
    put_str_body(out, text, size);
}

static void pack_objects(const struct field *row, const struct field_list *list,
                         struct codec_buffer *out)
{
    const char *items = list->items;

    put_array(out, list->count);
    for (size_t i = 0; i < list->count; i++)
        fields_pack(row->table, items + i * row->table->size, out);
}

static void pack_texts(const struct field_texts *texts, struct codec_buffer *out)
{
    put_array(out, texts->count);
    for (size_t i = 0; i < texts->count; i++)
        if (texts->items[i])
            pack_text(out, texts->items[i], strlen(texts->items[i]));
        else
            put_nil(out);
}

static void pack_bytes(const struct field_bytes *bytes, struct codec_buffer *out)
{
    put_bin(out, bytes->size);
    put_bin_body(out, bytes->bytes, bytes->size);
}

static void pack_json(const char *text, struct codec_buffer *out)
{
    size_t size = strlen(text);

    put_ext(out, size, VALUE_EXT_JSON);
    put_ext_body(out, text, size);
}

static void pack_bool(bool value, struct codec_buffer *out)
{
    if (value)
        put_true(out);
    else
        put_false(out);
}

static void pack_enum(const struct field *row, unsigned value, struct codec_buffer *out)
{
    const char *text = row->choices[value - 1];

    pack_text(out, text, strlen(text));
}

static void pack_member(const struct field *row, const void *member, struct codec_buffer *out)
{
    switch (row->type) {
    case FIELD_TYPE_TEXT:
    case FIELD_TYPE_EMAIL:
        pack_text(out, *(const char *const *)member, strlen(*(const char *const *)member));
        break;
    case FIELD_TYPE_ENUM:
        pack_enum(row, *(const unsigned *)member, out);
        break;
    case FIELD_TYPE_UUID:
        pack_text(out, member, sizeof(struct uuid) - 1);
        break;
    case FIELD_TYPE_INT:
    case FIELD_TYPE_TIME:
        put_int64(out, *(const int64_t *)member);
        break;
    case FIELD_TYPE_BOOL:
        pack_bool(*(const bool *)member, out);
        break;
    case FIELD_TYPE_TRISTATE:
        pack_bool(*(const enum tristate *)member == TRISTATE_TRUE, out);
        break;
    case FIELD_TYPE_OBJECT:
        fields_pack(row->table, object_of(member), out);
        break;
    case FIELD_TYPE_OBJECTS:
        pack_objects(row, member, out);
        break;
    case FIELD_TYPE_TEXTS:
        pack_texts(member, out);
        break;
    case FIELD_TYPE_BYTES:
        pack_bytes(member, out);
        break;
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        pack_json(*(const char *const *)member, out);
        break;
    }
}

void fields_pack_more(const struct field_table *table, const void *in, size_t more,
                      struct codec_buffer *out)
{
    uint64_t set = 0;

    for (size_t i = 0; i < table->count; i++)
        set |= (uint64_t)is_set(&table->rows[i], (const char *)in + table->rows[i].offset) << i;
    put_map(out, (size_t)__builtin_popcountll(set) + more);
    for (; set != 0; set &= set - 1) {
        const struct field *row = &table->rows[__builtin_ctzll(set)];

        pack_text(out, row->name, row->name_size);
        pack_member(row, (const char *)in + row->offset, out);
    }
}

void fields_pack(const struct field_table *table, const void *in, struct codec_buffer *out)
{
    fields_pack_more(table, in, 0, out);
}
