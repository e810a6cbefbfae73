/*
 * brand_json.c - a project's stored branding. Reads apply the field table again, and leave out what
 * does not fit.
 */
#include <jansson.h>
#include <string.h>

#include "common/wire/codec.h"
#include "settingsd/brand_api.h"
#include "settingsd/brand_style.h"
#include "settingsd/settingsd.h"

const struct branding *branding_from_json(struct arena *arena, const char *json)
{
    struct branding *branding;
    struct error ignored;
    const char *style;
    json_auto_t *parsed = NULL;

    error_init(&ignored, arena);
    parsed = json ? codec_parse_json(json, strlen(json), true, &ignored) : NULL;
    if (!parsed)
        return NULL;
    branding = arena_alloc(arena, sizeof(*branding));
    /* Invalid members stay absent. */
    (void)!fields_read(&branding_table, &(struct field_source){.body = parsed}, arena, branding,
                       &ignored);
    style = brand_style(arena, branding->colorLight, branding->colorDark);
    branding->style = style ? brand_version(arena, style, strlen(style)) : NULL;
    return branding;
}
