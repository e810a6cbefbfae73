/*
 * passkey_form.c - see passkey_form.h.
 */
#include "authd/page/passkey_form.h"

#include <string.h>

#include "common/wire/codec.h"

const char *passkey_form_options(const struct visit *visit, const struct field_table *table,
                                 const void *options)
{
    struct arena *arena = visit->req.arena;
    struct codec_buffer buffer;
    msgpack_object map;
    struct error err;
    size_t size;

    error_init(&err, arena);
    codec_buffer_init(&buffer, arena);
    fields_pack(table, options, &buffer);
    if (codec_unpack(buffer.bytes, buffer.size, arena, &map, &err) < 0)
        return NULL;
    return fields_print(table, &map, arena, &size);
}

json_t *passkey_form_body(const char *credential, const char *member, const char *value)
{
    json_t *body = json_object(), *shown;
    struct error err;

    error_init(&err, NULL);
    shown = codec_parse_json(credential, strlen(credential), true, &err);
    if (shown)
        json_object_set_new(body, "credential", shown);
    if (member && value)
        json_object_set_new(body, member, json_string(value));
    return body;
}
