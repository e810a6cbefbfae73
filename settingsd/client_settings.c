/* client_settings.c - see client_settings.h. */
#include "settingsd/client_settings.h"

#include <jansson.h>
#include <string.h>

#include "common/wire/codec.h"
#include "common/wire/fields.h"
#include "settingsd/client_api.h"
#include "settingsd/client_check.h"

static struct codec_buffer packed(struct arena *arena, const struct oauth_settings *settings)
{
    struct codec_buffer buffer;

    codec_buffer_init(&buffer, arena);
    fields_pack(&oauth_settings_table, settings, &buffer);
    return buffer;
}

int client_settings_print(struct arena *arena, const struct oauth_settings *settings,
                          const char **ret, struct error *err)
{
    *ret = fields_text(&oauth_settings_table, settings, arena);
    return *ret ? 0 : error_set(err, ERR_INTERNAL, "The registration cannot be written.");
}

void client_settings_read(struct arena *arena, const char *text, struct oauth_settings *out)
{
    struct error ignored;
    json_auto_t *json = NULL;
    int result = -1;

    error_init(&ignored, arena);
    json = codec_parse_exact(text, strlen(text), true, &ignored);
    if (json)
        result = fields_read(&oauth_settings_table, &(struct field_source){.body = json}, arena,
                             out, &ignored);
    if (result == 0 && client_check(out, &ignored) == 0)
        return;
    memset(out, 0, sizeof(*out));
    error_init(&ignored, arena);
    (void)!client_check(out, &ignored);
}

bool client_settings_equal(struct arena *arena, const struct oauth_settings *one,
                           const struct oauth_settings *other)
{
    const struct codec_buffer a = packed(arena, one), b = packed(arena, other);

    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}
