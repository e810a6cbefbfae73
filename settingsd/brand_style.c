/*
 * brand_style.c - see brand_style.h. authd/page/template/part/palette.css has the variables.
 */
#include "settingsd/brand_style.h"

#include <sodium.h>

#include "common/base/base.h"
#include "settingsd/color.h"

enum { VERSION_SIZE = 16 }; /* bytes of the hash */

/* Returns the rules of a colour. Text on the tenant's colour has the page's colour, so the same
 * contrast. */
static const char *rules(struct arena *arena, const char *color, const char *on)
{
    return arena_printf(arena, ":root{--accent:%s;--on-accent:%s}", color, on);
}

static bool is_color(const char *color)
{
    return color && color_luminance(color) >= 0;
}

const char *brand_style(struct arena *arena, const char *light, const char *dark)
{
    const char *day = "", *night = "";

    if (!is_color(light) && !is_color(dark))
        return NULL;
    if (is_color(light))
        day = arena_printf(arena, "@media (prefers-color-scheme:light){%s}",
                           rules(arena, light, COLOR_LIGHT_SHEET));
    if (is_color(dark))
        night = arena_printf(arena, "@media (prefers-color-scheme:dark){%s}",
                             rules(arena, dark, COLOR_DARK_GROUND));
    return arena_printf(arena, "%s%s\n", day, night);
}

const char *brand_version(struct arena *arena, const void *bytes, size_t size)
{
    char *text = arena_alloc(arena, 2 * VERSION_SIZE + 1);
    uint8_t hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(hash, bytes, size);
    return sodium_bin2hex(text, 2 * VERSION_SIZE + 1, hash, VERSION_SIZE);
}
