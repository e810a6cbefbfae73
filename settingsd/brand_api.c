/* brand_api.c - see brand_api.h. */
#include "settingsd/brand_api.h"

#include "common/domain/endpoint.h"
#include "common/domain/language.h"
#include "common/domain/name.h"
#include "common/domain/uri.h"
#include "settingsd/color.h"
#include "settingsd/shape_api.h"

enum {
    BRAND_URL_MAX = 500,
    BRAND_INTRO_MAX = 500,
    BRAND_HELP_MAX = 200,
    BRAND_BASE64_MAX = (BRAND_UPLOAD_MAX + 2) / 3 * 4,
};

static const struct field branding_text_rows[] = {
    FIELD_TEXT(struct branding_text, language, 1, LANGUAGE_TAG_MAX, FIELD_REQUIRED,
               "A language of the project.", "en"),
    FIELD_CHECKED(struct branding_text, intro, 1, BRAND_INTRO_MAX, name_check,
                  FIELD_CHARACTERS | FIELD_NULLABLE, "Text above the sign-in form.",
                  "Sign in to see your appointments."),
    FIELD_CHECKED(struct branding_text, help, 1, BRAND_HELP_MAX, name_check,
                  FIELD_CHARACTERS | FIELD_NULLABLE, "Text at the bottom of every page.",
                  "Help: +1 555 0100, Monday to Friday"),
};
FIELD_TABLE(branding_text);

/* Only writes are checked, see client_api.c. */
#define BRANDING_ROWS(s, url_check_)                                                         \
    FIELD_CHECKED(s, name, 1, BRAND_NAME_MAX, name_check, FIELD_CHARACTERS | FIELD_NULLABLE, \
                  "Name on the pages, instead of the project's name.", "Lakeside"),          \
        FIELD_CHECKED(s, colorLight, 7, 7, color_light_check, FIELD_NULLABLE,                \
                      "Color of buttons and links in light mode, as `#rrggbb`.", "#0b5cad"), \
        FIELD_CHECKED(s, colorDark, 7, 7, color_dark_check, FIELD_NULLABLE,                  \
                      "Color of buttons and links in dark mode, as `#rrggbb`.", "#8fc1f5"),  \
        FIELD_CHECKED(s, imprintUrl, 1, BRAND_URL_MAX, url_check_, FIELD_NULLABLE,           \
                      "URL of the imprint.", "https://lakeside.example/imprint"),            \
        FIELD_CHECKED(s, privacyUrl, 1, BRAND_URL_MAX, url_check_, FIELD_NULLABLE,           \
                      "URL of the privacy policy.", "https://lakeside.example/privacy"),     \
        FIELD_OBJECTS(s, texts, branding_text, LANGUAGES_MAX, 0,                             \
                      "More texts for the pages, one entry per language.")

static const struct field branding_rows[] = {
    BRANDING_ROWS(struct branding, NULL),
    FIELD_TEXT(struct branding, logo, 1, 64, FIELD_NULLABLE,
               "Version of the logo; null if there is none.", "3c1a7b5e2f904d68a1b2c3d4e5f60718"),
    FIELD_TEXT(struct branding, style, 1, 64, FIELD_NULLABLE,
               "Version of brand.css; null if no colors are set.",
               "9a0b1c2d3e4f5061728394a5b6c7d8e9"),
    FIELD_ETAG(struct branding),
};
FIELD_TABLE(branding);

static const struct field branding_in_rows[] = {
    BRANDING_ROWS(struct branding_in, uri_https_check),
    FIELD_IF_MATCH(struct branding_in, "the branding"),
};
FIELD_TABLE(branding_in);

static const struct field branding_preview_in_rows[] = {
    BRANDING_ROWS(struct branding_preview_in, uri_https_check),
    FIELD_TEXT(struct branding_preview_in, language, 1, LANGUAGE_TAG_MAX, FIELD_REQUIRED,
               "Language of the page. If the pages don't have it, English.", "de"),
};
FIELD_TABLE(branding_preview_in);

static const struct field brand_logo_in_rows[] = {
    FIELD_TEXT(struct brand_logo_in, image, 4, BRAND_BASE64_MAX, FIELD_REQUIRED,
               "Image of at most 512 KiB in base64: PNG, JPEG, WebP, GIF, HEIF or AVIF.",
               "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+"
               "M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
    FIELD_IF_MATCH(struct brand_logo_in, "the branding"),
};
FIELD_TABLE(brand_logo_in);

static const struct field brand_logo_delete_in_rows[] = {
    FIELD_IF_MATCH(struct brand_logo_delete_in, "the branding"),
};
FIELD_TABLE(brand_logo_delete_in);

static const struct field brand_in_rows[] = {
    FIELD_TEXT(struct brand_in, tenantCode, 1, 256, FIELD_PATH | FIELD_REQUIRED,
               "Tenant code of the project.", ""),
    FIELD_ENDPOINT(struct brand_in),
    FIELD_TEXT(struct brand_in, v, 0, 64, 0, "Version of the file in the page's link.", ""),
};
FIELD_TABLE(brand_in);
