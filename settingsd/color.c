/* color.c - see color.h. */
#include "settingsd/color.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/base.h"

static double linear(int channel)
{
    double value = channel / 255.0;

    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* sscanf would accept signs and blanks. */
static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);

    return c != '\0' && at ? (int)(at - digits) : -1;
}

double color_luminance(const char *color)
{
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;

    if (strlen(color) != 7 || color[0] != '#')
        return -1;
    for (int i = 0; i < 3; i++) {
        int high = digit(color[1 + 2 * i]), low = digit(color[2 + 2 * i]);

        if (high < 0 || low < 0)
            return -1;
        sum += weights[i] * linear(16 * high + low);
    }
    return sum;
}

double color_contrast(const char *a, const char *b)
{
    double x = color_luminance(a), y = color_luminance(b);

    return (MAX(x, y) + 0.05) / (MIN(x, y) + 0.05);
}

static int check(const char *value, const char *ground, const char *sheet, char why[static 96])
{
    double contrast;

    snprintf(why, 96, "must be a colour such as #0b5cad");
    if (color_luminance(value) < 0)
        return -1;
    contrast = MIN(color_contrast(value, ground), color_contrast(value, sheet));
    snprintf(why, 96, "must have a contrast of at least 4.5:1 on %s and %s, not %.2f:1", ground,
             sheet, floor(contrast * 100) / 100);
    return contrast >= COLOR_CONTRAST_MIN ? 0 : -1;
}

int color_light_check(const char *value, char why[static 96])
{
    return check(value, COLOR_LIGHT_GROUND, COLOR_LIGHT_SHEET, why);
}

int color_dark_check(const char *value, char why[static 96])
{
    return check(value, COLOR_DARK_GROUND, COLOR_DARK_SHEET, why);
}
