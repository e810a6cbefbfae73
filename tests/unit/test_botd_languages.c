/*
 * test_botd_languages.c - valid names of languages.
 */
#include <string.h>

#include "botd/translation/languages.h"
#include "tests/support/unit.h"

static const struct {
    const char *text, *code; /* NULL: not a language */
} named[] = {
    {"en", "en"},
    {"EN", "en"},
    {"eng", "en"},
    {"English", "en"},
    {"eNGLISH", "en"},
    {"es", "es"},
    {"Spanish", "es"},
    {"castilian", "es"},
    {"espa\xc3\xb1ol", "es"},
    {"Espanol", "es"},
    {"pt-BR", "pt"},
    {"zh-Hant-TW", "zh"},
    {"German", "de"},
    {"Deutsch", "de"},
    {"ger", "de"},
    {"\xd1\x80\xd1\x83\xd1\x81\xd1\x81\xd0\xba\xd0\xb8\xd0\xb9", "ru"},
    {"\xd0\xa0\xd1\x83\xd1\x81\xd1\x81\xd0\xba\xd0\xb8\xd0\xb9", "ru"},
    {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "ja"},
    {"\xd8\xa7\xd9\x84\xd8\xb9\xd8\xb1\xd8\xa8\xd9\x8a\xd8\xa9", "ar"},
    {"Norwegian Nynorsk", "nn"},
    {"xx", NULL},
    {"xx-US", NULL},
    {"Klingon", NULL},
    {"English|Spanish", NULL},
    {"|", NULL},
    {"Engl", NULL},
    {"", NULL},
    {" en", NULL},
    {"en_US", NULL},
};

static void test_knows_languages_by_their_names(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
        const struct language *language = language_find(arena, named[i].text);

        UNIT_CHECK(!language == !named[i].code, "%s", named[i].text);
        if (language && named[i].code)
            UNIT_CHECK(strcmp(language->code, named[i].code) == 0, "%s: %s", named[i].text,
                       language->code);
    }
    CU_ASSERT_STRING_EQUAL(language_name(arena, language_find(arena, "spa")), "Spanish");
}

int main(void)
{
    static const struct unit_case cases[] = {CASE(test_knows_languages_by_their_names)};

    return unit_run("botd languages", cases, ARRAY_SIZE(cases));
}
