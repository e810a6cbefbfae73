/* color.h - colours of sRGB as CSS writes them, and how well one is read on another. */
#ifndef ATRIUM_SETTINGSD_COLOR_H
#define ATRIUM_SETTINGSD_COLOR_H

/* Backgrounds of the hosted pages (authd/page/template/part/page.css): page and sheet. A tenant's
 * colour must be readable on both. */
#define COLOR_LIGHT_GROUND "#f3f5f7"
#define COLOR_LIGHT_SHEET "#ffffff"
#define COLOR_DARK_GROUND "#111418"
#define COLOR_DARK_SHEET "#1a1f25"

/* For text (WCAG 2.2, success criterion 1.4.3). */
#define COLOR_CONTRAST_MIN 4.5

/* The relative luminance (WCAG 2.2) of "#rrggbb", 0 to 1; -1: it is no such text. */
double color_luminance(const char *color);

/* The contrast of two colours (WCAG 2.2), 1 to 21. Both are "#rrggbb". */
double color_contrast(const char *a, const char *b);

/* field_check functions (common/wire/fields.h): "#rrggbb" with that contrast on light or dark
 * backgrounds. */
int color_light_check(const char *value, char why[static 96]);
int color_dark_check(const char *value, char why[static 96]);

#endif
