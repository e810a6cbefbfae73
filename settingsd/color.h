/* color.h - CSS colours (sRGB) and their contrast. */
#ifndef ATRIUM_SETTINGSD_COLOR_H
#define ATRIUM_SETTINGSD_COLOR_H

/* The hosted pages' backgrounds (authd/page/template/part/palette.css): page and sheet. A tenant's
 * colour must be readable on both. */
#define COLOR_LIGHT_GROUND "#f3f5f7"
#define COLOR_LIGHT_SHEET "#ffffff"
#define COLOR_DARK_GROUND "#111418"
#define COLOR_DARK_SHEET "#1a1f25"

/* For text (WCAG 2.2, success criterion 1.4.3). */
#define COLOR_CONTRAST_MIN 4.5

/* Returns the relative luminance (WCAG 2.2) of "#rrggbb", 0 to 1; -1 for other text. */
double color_luminance(const char *color);

/* Returns the contrast (WCAG 2.2), 1 to 21, of two "#rrggbb". */
double color_contrast(const char *a, const char *b);

/* field_check (common/wire/fields.h) for "#rrggbb" with enough contrast on light or dark
 * backgrounds. */
int color_light_check(const char *value, char why[static 96]);
int color_dark_check(const char *value, char why[static 96]);

#endif
