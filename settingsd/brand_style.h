/* brand_style.h - the CSS of a tenant's colours. */
#ifndef ATRIUM_SETTINGSD_BRAND_STYLE_H
#define ATRIUM_SETTINGSD_BRAND_STYLE_H

#include "common/base/arena.h"

/* Returns brand.css, or NULL without valid "#rrggbb" colours. */
const char *brand_style(struct arena *arena, const char *light, const char *dark);

/* Returns 32 hexadecimal digits of the bytes' SHA-256, for URLs. */
const char *brand_version(struct arena *arena, const void *bytes, size_t size);

#endif
