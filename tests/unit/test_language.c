/*
 * test_language.c - language tags and their canonical form.
 */
#include <string.h>

#include "common/domain/language.h"
#include "tests/support/unit.h"

static const struct {
    const char *text, *want, *base; /* want NULL: not a tag */
} tags[] = {
    {NULL, "", ""},
    {"", "", ""},
    {"EN", "en", "en"},
    {"PT-br", "pt-BR", "pt"},
    {"zh-hant-tw", "zh-Hant-TW", "zh"},
    {"e", NULL, NULL},
    {"en-", NULL, NULL},
    {"en--US", NULL, NULL},
    {"en_US", NULL, NULL},
    {"-en", NULL, NULL},
    {"123456789", NULL, NULL},
    {"12", NULL, NULL},
    {"english", "english", "english"},
    {"languages9", NULL, NULL},
    {"ES-419", "es-419", "es"},
    {"zh-yue-hant-hk", "zh-yue-Hant-HK", "zh"},
    {"zh-aaa-bbb-ccc-ddd", NULL, NULL},
    {"de-CH-1996", "de-CH-1996", "de"},
    {"sl-ROZAJ-biske", "sl-rozaj-biske", "sl"},
    {"en-US-us", NULL, NULL},
    {"en-US-latn", NULL, NULL},
    {"en-U-CA-gregory", "en-u-ca-gregory", "en"},
    {"en-u", NULL, NULL},
    {"en-u-x-a", NULL, NULL},
    {"en-X-a-B", "en-x-a-b", "en"},
    {"en-x", NULL, NULL},
    {"x-private", NULL, NULL},
    {"d\xc3\xa9", NULL, NULL},
    {"en-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd", NULL, NULL},
};

static void test_spells_language_tags_in_one_way(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char *tag = language_tag(arena, tags[i].text);

        UNIT_CHECK(!tag == !tags[i].want, "%s", tags[i].text);
        if (!tag || !tags[i].want)
            continue;
        UNIT_CHECK(strcmp(tag, tags[i].want) == 0, "%s: %s", tags[i].text, tag);
        UNIT_CHECK(strcmp(language_base(arena, tag), tags[i].base) == 0, "%s", tags[i].text);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_spells_language_tags_in_one_way),
    };

    return unit_run("language", cases, ARRAY_SIZE(cases));
}
