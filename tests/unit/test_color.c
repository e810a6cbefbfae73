/*
 * test_color.c - luminance and contrast (WCAG 2.2), and valid branding colors.
 */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settingsd/color.h"
#include "tests/support/unit.h"

static void contrast_is_that_of_wcag(void)
{
    static const struct {
        const char *a, *b;
        double contrast;
    } rows[] = {
        {"#000000", "#ffffff", 21},
        {"#ffffff", "#000000", 21},
        {"#777777", "#ffffff", 4.478},
        {"#767676", "#ffffff", 4.542},
        {"#ff0000", "#ffffff", 3.998},
        {"#0000ff", "#ffffff", 8.592},
        {"#123456", "#123456", 1},
        {"#ABCDEF", "#abcdef", 1},
        {"#0b5cad", COLOR_LIGHT_GROUND, 6.103},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        double contrast = color_contrast(rows[i].a, rows[i].b);

        UNIT_CHECK(fabs(contrast - rows[i].contrast) < 0.01, "%s on %s: %f", rows[i].a, rows[i].b,
                   contrast);
    }
}

static void what_is_no_colour_has_no_luminance(void)
{
    static const char *const rows[] = {"",        "#",         "#fff",       "0b5cad",
                                       "#0b5cag", "#0b5cad ",  "#0b5cad;}",  "red",
                                       " #0b5ca", "#-1-1-1",   "#0x0x0x",    "url(//x)",
                                       "#0b5ca",  "#0b5cad\n", "rgb(0,0,0)", "#\xc3\xa4zyx"};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char why[96];

        UNIT_CHECK(color_luminance(rows[i]) < 0, "%s", rows[i]);
        UNIT_CHECK(color_light_check(rows[i], why) < 0 && color_dark_check(rows[i], why) < 0, "%s",
                   rows[i]);
    }
}

/* The greys with just enough contrast: on the darker light background and on the lighter dark
 * one. */
static void the_limit_holds_on_both_grounds(void)
{
    char why[96];

    CU_ASSERT(color_contrast("#747474", COLOR_LIGHT_SHEET) > COLOR_CONTRAST_MIN);
    CU_ASSERT(color_contrast("#747474", COLOR_LIGHT_GROUND) < COLOR_CONTRAST_MIN);
    CU_ASSERT(color_light_check("#747474", why) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(why, "4.5:1"));
    CU_ASSERT(color_light_check("#6e6e6e", why) == 0);
    CU_ASSERT(color_contrast("#828282", COLOR_DARK_GROUND) > COLOR_CONTRAST_MIN);
    CU_ASSERT(color_contrast("#828282", COLOR_DARK_SHEET) < COLOR_CONTRAST_MIN);
    CU_ASSERT(color_dark_check("#828282", why) < 0);
    CU_ASSERT(color_dark_check("#8c8c8c", why) == 0);
}

/* Palette, server and console have the same backgrounds. */
static void grounds_are_those_of_the_pages(void)
{
    static const char palette[] = "authd/page/template/part/palette.css",
                      console[] = "web/console/lib/contrast.js";
    static const struct {
        const char *file, *text;
    } rows[] = {{palette, "--ground: " COLOR_LIGHT_GROUND ";"},
                {palette, "--sheet: #fff;"},
                {palette, "--ground: " COLOR_DARK_GROUND ";"},
                {palette, "--sheet: " COLOR_DARK_SHEET ";"},
                {console, "light: ['" COLOR_LIGHT_GROUND "', '" COLOR_LIGHT_SHEET "']"},
                {console, "dark: ['" COLOR_DARK_GROUND "', '" COLOR_DARK_SHEET "']"}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        FILE *file = fopen(rows[i].file, "r");
        char text[16384];

        CU_ASSERT_PTR_NOT_NULL_FATAL(file);
        text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
        fclose(file);
        UNIT_CHECK(strstr(text, rows[i].text) != NULL, "%s: %s", rows[i].file, rows[i].text);
    }
}

static const struct unit_case cases[] = {
    CASE(contrast_is_that_of_wcag),
    CASE(what_is_no_colour_has_no_luminance),
    CASE(the_limit_holds_on_both_grounds),
    CASE(grounds_are_those_of_the_pages),
};

int main(void)
{
    return unit_run("color", cases, ARRAY_SIZE(cases));
}
