/*
 * visit_brand.c - see visit_brand.h.
 */
#include "authd/page/visit_brand.h"

#include <string.h>

#include "common/domain/language.h"
#include "settingsd/brand_api.h"
#include "settingsd/tenant_api.h"

/* Finds the row of a language, ignoring its region; NULL: none. */
static const struct branding_text *text_in(struct arena *arena, const struct field_list *texts,
                                           const char *language)
{
    const struct branding_text *rows = texts->items;

    for (size_t i = 0; language && i < texts->count; i++)
        if (strcmp(rows[i].language, language) == 0)
            return &rows[i];
    for (size_t i = 0; language && i < texts->count; i++)
        if (strcmp(language_base(arena, rows[i].language), language) == 0)
            return &rows[i];
    return NULL;
}

static const struct branding_text *text_of(struct arena *arena, const struct tenant *tenant,
                                           enum page_language language)
{
    const struct field_list *texts = &tenant->branding->texts;
    const struct branding_text *text = text_in(arena, texts, page_language_tag(language));

    if (!text)
        text = text_in(arena, texts, tenant->defaultLanguage);
    return text || texts->count == 0 ? text : texts->items;
}

struct visit_brand visit_brand_of(struct arena *arena, const struct tenant *tenant,
                                  enum page_language language)
{
    const struct branding *branding = tenant->branding;
    struct visit_brand brand = {.name = tenant->name};
    const struct branding_text *text;

    if (!branding)
        return brand;
    text = text_of(arena, tenant, language);
    if (branding->name)
        brand.name = branding->name;
    brand.style = branding->style;
    brand.logo = branding->logo ? arena_printf(arena, "/t/%s/brand.png?v=%s", tenant->tenantCode,
                                               branding->logo)
                                : NULL;
    brand.intro = text ? text->intro : NULL;
    brand.help = text ? text->help : NULL;
    brand.imprint = branding->imprintUrl;
    brand.privacy = branding->privacyUrl;
    return brand;
}

const char *visit_brand_style_source(struct arena *arena, const struct visit_brand *self,
                                     const char *url, const char *code)
{
    return self->style ? arena_printf(arena, " %s/t/%s/brand.css", url, code) : "";
}

const char *visit_brand_image_directive(struct arena *arena, const struct visit_brand *self,
                                        const char *url, const char *code)
{
    return self->logo ? arena_printf(arena, "; img-src %s/t/%s/brand.png", url, code) : "";
}
