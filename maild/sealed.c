/* sealed.c - see sealed.h. The plain text is recipient, NUL, variables. */
#include "maild/sealed.h"

#include <string.h>

#include "common/wire/codec.h"

struct sealed sealed_pack(struct arena *arena, const struct seal_keys *keys, const char *to,
                          const char *variables)
{
    size_t to_size = strlen(to) + 1, size = to_size + strlen(variables);
    char *plain = arena_alloc(arena, size + 1);
    struct sealed sealed;

    memcpy(plain, to, to_size);
    memcpy(plain + to_size, variables, size - to_size);
    sealed = seal_value(arena, keys, SEALED_PURPOSE, plain, size);
    secret_wipe_text(plain + to_size);
    return sealed;
}

int sealed_open(struct arena *arena, const struct seal_keys *keys, struct sealed sealed,
                const char **ret_to, json_t **ret_variables)
{
    struct error err;
    uint8_t *plain;
    size_t size, to_size;

    error_init(&err, arena);
    if (seal_open(arena, keys, SEALED_PURPOSE, sealed, &plain, &size) < 0)
        return -1;
    to_size = strlen((char *)plain) + 1;
    if (to_size > size)
        return -1;

    json_t *variables = codec_parse_json((char *)plain + to_size, size - to_size, true, &err);

    secret_wipe_text((char *)plain + to_size);
    if (!variables)
        return -1;
    *ret_to = (char *)plain;
    *ret_variables = variables;
    return 0;
}
