/* brand_style.h - the style that a tenant's colours make on the hosted pages. Pure. */
#ifndef ATRIUM_SETTINGSD_BRAND_STYLE_H
#define ATRIUM_SETTINGSD_BRAND_STYLE_H

#include "common/base/arena.h"

/* brand.css, from the arena; NULL without colours. A colour that is not "#rrggbb" counts as
 * none. */
const char *brand_style(struct arena *arena, const char *light, const char *dark);

/* Names bytes in a URL: 32 hexadecimal digits of their SHA-256, from the arena. */
const char *brand_version(struct arena *arena, const void *bytes, size_t size);

#endif
