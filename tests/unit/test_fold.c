/*
 * test_fold.c - folding of texts for search: examples in many languages, every Unicode character,
 * and PostgreSQL's unaccent rules.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

#include "common/domain/fold.h"
#include "tests/support/unit.h"

enum { ALL = 1 << 30, LAST_POINT = 0x10ffff };

static const struct {
    const char *label, *text, *want;
} texts[] = {
    {"plain", "Hello, World 42!", "hello world 42"},
    {"nothing", " ,.- ", ""},
    {"accents", "Zoë Çelik-Đorđević", "zoe celik dordevic"},
    {"combining accents", "Zoe\u0308 Ünal", "zoe unal"},
    {"Polish", "Łódź ŻÓŁĆ", "lodz zolc"},
    {"Icelandic", "Þórður Æsir", "thordur aesir"},
    {"Danish", "Søren Ærø", "soren aero"},
    {"sharp s", "Straße STRASSE ẞ", "strasse strasse ss"},
    {"ligatures", "ﬁnal œuvre", "final oeuvre"},
    {"Turkish", "Işık İzmir ışık", "isik izmir isik"},
    {"Catalan", "Col·lecció paral·lel a·b", "colleccio parallel a b"},
    {"Vietnamese", "Nguyễn Thị Đào", "nguyen thi dao"},
    {"full width", "ＡＢＣ　ｄｅｆ１２", "abc def12"},
    {"Greek", "Ὀδυσσεύς ΣΊΣΥΦΟΣ ᾳ", "οδυσσευσ σισυφοσ α"},
    {"Cyrillic", "Ёлка Йод", "елка иод"},
    {"vocalized Arabic", "مُحَمَّد", "محمد"},
    {"hamza", "أحمد إيمان آدم", "احمد ايمان ادم"},
    {"tatweel", "محـــمد", "محمد"},
    {"presentation forms", "\ufefb\ufedf", "لال"},
    {"Persian letters", "کتاب‌های علی", "كتابهاي علي"},
    {"the same from an Arabic keyboard", "كتابهاي علي", "كتابهاي علي"},
    {"Arabic digits", "٤٢ ۴۲", "42 42"},
    {"Hebrew points", "שָׁלוֹם", "שלום"},
    {"Hindi keeps its vowels", "हिन्दी की", "हिन्दी की"},
    {"Hindi without nukta", "ज़रूर", "जरूर"},
    {"Tamil", "தமிழ்", "தமிழ்"},
    {"Thai", "ภาษาไทย", "ภาษาไทย"},
    {"Chinese", "头痛，发烧。", "头痛 发烧"},
    {"Japanese", "雨の日の頭痛", "雨の日の頭痛"},
    {"voiced kana", "ガか\u3099", "ガが"},
    {"narrow kana", "ｶﾞｷﾞ", "ガギ"},
    {"Korean", "두통이", "두통이"},
    {"conjoining jamo", "\u1103\u116e\u1110\u1169\u11bc", "두통"},
    {"apostrophes", "O'Brien O’Brien 'a' l’eau rock 'n' roll",
     "o'brien o'brien a l'eau rock n roll"},
    {"soft hyphen", "Kopf\u00adschmerz", "kopfschmerz"},
    {"superscript", "m² ½ №", "m2 1 2 no"},
    {"Roman number", "Ⅳ", "iv"},
    {"unit", "㎒ ㏒", "mhz log"},
    {"emoji", "a👍b", "a b"},
    {"zero width space", "a\u200bb", "a b"},
};

static void texts_are_folded(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        const char *folded = fold(arena, texts[i].text, ALL);

        UNIT_CHECK(strcmp(folded, texts[i].want) == 0, "%s: %s, not %s", texts[i].label, folded,
                   texts[i].want);
    }
}

static void the_beginning_of_a_text_is_folded(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    CU_ASSERT_STRING_EQUAL(fold(arena, "abcdef", 3), "abc");
    CU_ASSERT_STRING_EQUAL(fold(arena, "äöüß", 2), "ao");
    CU_ASSERT_STRING_EQUAL(fold(arena, "頭痛", 1), "頭");
    CU_ASSERT_STRING_EQUAL(fold(arena, "abc", 0), "");
}

static void words_are_found(void)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"one two", "one two "},
        {"o'brien", "o brien "},
        {"雨の日", "雨の+ の日+ 日. "},
        {"雨", "雨. "},
        {"日本のcms2024版", "日本+ 本の+ の. cms2024 版. "},
        {"हिन्दी की", "हिन्दी की "},
        {"ที่นี่", "ที่นี่+ นี่. "},
        {"두통이 a", "두통+ 통이+ 이. a "},
        {"コーヒー", "コー+ ーヒ+ ヒー+ ー. "},
        {"", ""},
    };
    static const char *const kinds[] = {[FOLD_WORD] = "", [FOLD_PAIR] = "+", [FOLD_LAST] = "."};
    char found[256];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *at = rows[i].text;
        struct fold_word word;
        int length = 0;

        found[0] = '\0';
        while (fold_next(&at, &word))
            length += snprintf(found + length, sizeof(found) - (size_t)length, "%.*s%s ",
                               (int)word.size, word.text, kinds[word.kind]);
        UNIT_CHECK(strcmp(found, rows[i].want) == 0, "%s: %s", rows[i].text, found);
    }
}

static char *normal(struct arena *arena, uninorm_t form, const char *text)
{
    size_t size = 0;
    uint8_t *result = u8_normalize(form, (const uint8_t *)text, strlen(text), NULL, &size);
    char *copy = arena_strndup(arena, (const char *)result, size);

    free(result);
    return copy;
}

static char *upper(struct arena *arena, const char *text)
{
    size_t size = 0;
    uint8_t *result = u8_toupper((const uint8_t *)text, strlen(text), NULL, NULL, NULL, &size);
    char *copy = arena_strndup(arena, (const char *)result, size);

    free(result);
    return copy;
}

/* True for words in one case and without marks, except in scripts whose letters keep them. */
static bool is_folded(const char *text)
{
    const char *latin = NULL;
    ucs4_t c;

    for (const char *at = text; *at;) {
        at += u8_strmbtouc(&c, (const uint8_t *)at);
        if (c < 0x80 && !strchr("abcdefghijklmnopqrstuvwxyz0123456789 '", (int)c))
            return false;
        if (c >= 0x80 && !uc_is_general_category(c, UC_LETTER) &&
            !uc_is_general_category(c, UC_MARK) && !uc_is_general_category(c, UC_NUMBER))
            return false;
        if (latin && uc_is_general_category(c, UC_MARK))
            return false;
        latin = c < 0x250 ? at : NULL;
    }
    return true;
}

static bool same(struct arena *arena, const char *folded, const char *text)
{
    return strcmp(folded, fold(arena, text, ALL)) == 0;
}

/* Selects the tested characters: all, but of ideographs, which fold alike, only some. */
static bool is_looked_at(ucs4_t c)
{
    bool ideograph = (c >= 0x3400 && c < 0xa000) || (c >= 0x20000 && c < 0x40000);

    return !uc_is_general_category(c, UC_UNASSIGNED) && !uc_is_general_category(c, UC_SURROGATE) &&
           !uc_is_general_category(c, UC_PRIVATE_USE) && (!ideograph || c % 97 == 0);
}

static void every_character_is_folded_as_its_equals_are(void)
{
    size_t looked = 0;

    for (ucs4_t c = 1; c <= LAST_POINT; c++) {
        CLEANUP(arena_destroy) struct arena *arena = NULL;
        char text[8] = "";
        const char *folded;

        if (!is_looked_at(c))
            continue;
        arena = arena_new();
        looked++;
        u8_uctomb((uint8_t *)text, c, 6);
        folded = fold(arena, text, ALL);
        UNIT_CHECK(is_folded(folded), "U+%04X: %s", c, folded);
        UNIT_CHECK(same(arena, folded, folded), "U+%04X: %s is folded once more", c, folded);
        UNIT_CHECK(same(arena, folded, normal(arena, UNINORM_NFD, text)), "U+%04X in NFD", c);
        UNIT_CHECK(same(arena, folded, normal(arena, UNINORM_NFKC, text)), "U+%04X in NFKC", c);
        /* the Greek iota subscript is a mark, but becomes a letter in capitals */
        UNIT_CHECK(same(arena, folded, upper(arena, text)) ||
                       strstr(normal(arena, UNINORM_NFD, text), "\u0345"),
                   "U+%04X in capitals", c);
    }
    UNIT_CHECK(looked > 40000, "%zu", looked);
}

static FILE *open_rules(void)
{
    static const char root[] = "/usr/share/postgresql";
    DIR *dir = opendir(root);
    FILE *file = NULL;
    struct dirent *entry;
    char path[512];

    while (dir && !file && (entry = readdir(dir))) {
        snprintf(path, sizeof(path), "%s/%s/tsearch_data/unaccent.rules", root, entry->d_name);
        file = fopen(path, "r");
    }
    if (dir)
        closedir(dir);
    return file;
}

static bool is_ascii_word(const char *text)
{
    return text[0] &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';
}

enum { BLACK_LETTER_H = 0x210c }; /* "x" in unaccent's rules, "H" in Unicode */

/* If unaccent's rules write a letter in ASCII, searching for that ASCII finds the letter. */
static void letters_are_those_of_unaccent(void)
{
    FILE *file = open_rules();
    char line[128], from[64], to[64];
    size_t compared = 0;

    UNIT_REQUIRE(file, "PostgreSQL's unaccent.rules is not there");
    while (fgets(line, sizeof(line), file)) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        ucs4_t c;

        if (sscanf(line, "%63[^\t]\t%63[^\n]", from, to) != 2 || !is_ascii_word(to) ||
            u8_strmbtouc(&c, (const uint8_t *)from) != (int)strlen(from) ||
            !uc_is_general_category(c, UC_LETTER) || c == BLACK_LETTER_H)
            continue;
        compared++;
        UNIT_CHECK(same(arena, fold(arena, from, ALL), to), "U+%04X: %s, not %s", c,
                   fold(arena, from, ALL), to);
    }
    fclose(file);
    UNIT_CHECK(compared > 800, "%zu", compared);
}

static const struct unit_case cases[] = {
    CASE(texts_are_folded),
    CASE(the_beginning_of_a_text_is_folded),
    CASE(words_are_found),
    CASE(every_character_is_folded_as_its_equals_are),
    CASE(letters_are_those_of_unaccent),
};

int main(void)
{
    return unit_run("fold", cases, ARRAY_SIZE(cases));
}
