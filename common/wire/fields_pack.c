/*
 * fields_pack.c - a struct as a msgpack map, with what is set and nothing else.
 *
 * Called by the gateway for each request, by the daemons for each answer and call.
 */
#include <string.h>

#include "common/wire/codec.h"
#include "common/wire/fields_value.h"

/* A member of type `const struct x *`, for any x. */
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

static void pack_objects(const struct field *row, const struct field_list *list,
                         msgpack_packer *packer)
{
    const char *items = list->items;

    msgpack_pack_array(packer, list->count);
    for (size_t i = 0; i < list->count; i++)
        fields_pack(row->table, items + i * row->table->size, packer);
}

static void pack_texts(const struct field_texts *texts, msgpack_packer *packer)
{
    msgpack_pack_array(packer, texts->count);
    for (size_t i = 0; i < texts->count; i++)
        codec_pack_text(packer, texts->items[i]);
}

static void pack_bytes(const struct field_bytes *bytes, msgpack_packer *packer)
{
    msgpack_pack_bin(packer, bytes->size);
    msgpack_pack_bin_body(packer, bytes->bytes, bytes->size);
}

static void pack_json(const char *text, msgpack_packer *packer)
{
    size_t size = strlen(text);

    msgpack_pack_ext(packer, size, VALUE_EXT_JSON);
    msgpack_pack_ext_body(packer, text, size);
}

static void pack_bool(bool value, msgpack_packer *packer)
{
    if (value)
        msgpack_pack_true(packer);
    else
        msgpack_pack_false(packer);
}

static void pack_member(const struct field *row, const void *member, msgpack_packer *packer)
{
    switch (row->type) {
    case FIELD_TYPE_TEXT:
    case FIELD_TYPE_EMAIL:
        codec_pack_text(packer, *(const char *const *)member);
        break;
    case FIELD_TYPE_UUID:
        codec_pack_text(packer, ((const struct uuid *)member)->text);
        break;
    case FIELD_TYPE_INT:
    case FIELD_TYPE_TIME:
        msgpack_pack_int64(packer, *(const int64_t *)member);
        break;
    case FIELD_TYPE_BOOL:
        pack_bool(*(const bool *)member, packer);
        break;
    case FIELD_TYPE_TRISTATE:
        pack_bool(*(const enum tristate *)member == TRISTATE_TRUE, packer);
        break;
    case FIELD_TYPE_OBJECT:
        fields_pack(row->table, object_of(member), packer);
        break;
    case FIELD_TYPE_OBJECTS:
        pack_objects(row, member, packer);
        break;
    case FIELD_TYPE_TEXTS:
        pack_texts(member, packer);
        break;
    case FIELD_TYPE_BYTES:
        pack_bytes(member, packer);
        break;
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        pack_json(*(const char *const *)member, packer);
        break;
    }
}

void fields_pack(const struct field_table *table, const void *in, msgpack_packer *packer)
{
    size_t count = 0;

    for (size_t i = 0; i < table->count; i++)
        count += is_set(&table->rows[i], (const char *)in + table->rows[i].offset);
    msgpack_pack_map(packer, count);
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];
        const void *member = (const char *)in + row->offset;

        if (!is_set(row, member))
            continue;
        codec_pack_text(packer, row->name);
        pack_member(row, member, packer);
    }
}
