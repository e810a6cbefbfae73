/* fold.c - see fold.h. libunistring has Unicode's data. */
#include "common/domain/fold.h"

#include <errno.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/wire/codec.h"

enum {
    DENSE_FROM = 0xe00,   /* Thai, the first script without spaces */
    VOICED_KANA = 0x3099, /* and the next code point */
    LONG_VOWEL = 0x30fc,  /* kana, although its script is Common */
    MIDDLE_DOT = 0xb7,    /* Catalan, within a word */
    ZERO_WIDTH_SPACE = 0x200b,
    TATWEEL = 0x640,        /* stretches an Arabic word */
    IOTA_SUBSCRIPT = 0x345, /* a mark that case folding makes a letter */
};

static const struct letter {
    ucs4_t from;
    const char *to;
} letters[] = {
#define FOLD(from, to) {from, to},
#include "common/domain/fold_letters.def"
};

/* ---- what a character is ---- */

static bool is_of(ucs4_t c, const char *const *scripts)
{
    const uc_script_t *script = uc_script(c);

    for (; script && *scripts; scripts++)
        if (strcmp(script->name, *scripts) == 0)
            return true;
    return false;
}

static bool is_mark(ucs4_t c)
{
    return c >= 0x300 && uc_is_general_category(c, UC_MARK);
}

static bool is_dropped_mark(ucs4_t c)
{
    static const char *const scripts[] = {"Inherited", "Common", "Latin",  "Greek",  "Cyrillic",
                                          "Hebrew",    "Arabic", "Syriac", "Coptic", NULL};

    if (c == VOICED_KANA || c == VOICED_KANA + 1)
        return false;
    return uc_combining_class(c) == UC_CCC_NK || is_of(c, scripts);
}

static bool is_dense(ucs4_t c)
{
    static const char *const scripts[] = {"Han",    "Hiragana", "Katakana", "Bopomofo",
                                          "Hangul", "Yi",       "Thai",     "Lao",
                                          "Khmer",  "Myanmar",  NULL};

    return c >= DENSE_FROM && (c == LONG_VOWEL || is_of(c, scripts));
}

static bool is_apostrophe(ucs4_t c)
{
    return c == '\'' || (c >= 0x2b9 && c <= 0x2bf) || (c >= 0x2018 && c <= 0x201b);
}

static bool is_word_character(ucs4_t c)
{
    if (c < 0x80)
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
    return uc_is_general_category(c, UC_LETTER) || uc_is_general_category(c, UC_NUMBER) ||
           uc_is_general_category(c, UC_MARK);
}

static bool is_ignored(ucs4_t c)
{
    return c == TATWEEL ||
           (c != ZERO_WIDTH_SPACE && c >= 0x80 && uc_is_property_default_ignorable_code_point(c));
}

static int compare_letter(const void *key, const void *row)
{
    ucs4_t c = *(const ucs4_t *)key, from = ((const struct letter *)row)->from;

    return c < from ? -1 : c > from;
}

/* ---- a text ---- */

struct points {
    uint32_t *items;
    size_t count, room;
};

static void push(struct points *to, ucs4_t c)
{
    if (to->count == to->room) {
        to->room = MAX(2 * to->room, (size_t)64);
        to->items = memory_resize(to->items, to->room, sizeof(*to->items));
    }
    to->items[to->count++] = c;
}

static void take(struct points *points, uint32_t *items, size_t count)
{
    if (!items && count > 0)
        log_die("fold", "out of memory");
    free(points->items);
    *points = (struct points){items, count, count};
}

static void normalize(struct points *points, uninorm_t form)
{
    size_t count = 0;
    uint32_t *items = u32_normalize(form, points->items, points->count, NULL, &count);

    take(points, items, count);
}

static void fold_case(struct points *points)
{
    size_t count = 0;
    uint32_t *items = u32_casefold(points->items, points->count, NULL, UNINORM_NFKD, NULL, &count);

    take(points, items, count);
}

static void drop_iota_subscripts(struct points *points)
{
    size_t count = 0;

    for (size_t i = 0; i < points->count; i++)
        if (points->items[i] != IOTA_SUBSCRIPT)
            points->items[count++] = points->items[i];
    points->count = count;
}

static void push_letter(struct points *to, ucs4_t c)
{
    const struct letter *letter =
        bsearch(&c, letters, ARRAY_SIZE(letters), sizeof(*letters), compare_letter);
    int digit = c >= 0x80 ? uc_decimal_value(c) : -1;
    const char *text = letter ? letter->to : "";

    if (digit >= 0) {
        push(to, '0' + (ucs4_t)digit);
        return;
    }
    if (!letter)
        push(to, c);
    while (*text) {
        text += u8_strmbtouc(&c, (const uint8_t *)text);
        push(to, c);
    }
}

static void push_word(struct points *to, ucs4_t *between, ucs4_t c)
{
    if (*between && to->count > 0)
        push(to, *between);
    *between = 0;
    push_letter(to, c);
}

/* True for a middle dot between two l, which Catalan writes within a word. */
static bool is_between_l(const struct points *points, size_t at)
{
    return at > 0 && at + 1 < points->count && points->items[at - 1] == 'l' &&
           points->items[at + 1] == 'l';
}

static void keep_words(struct points *points)
{
    struct points words = {0};
    ucs4_t between = 0;

    for (size_t i = 0; i < points->count; i++) {
        ucs4_t c = points->items[i];

        if (is_ignored(c) || (is_mark(c) && is_dropped_mark(c)))
            continue;
        if (is_apostrophe(c))
            between = between ? ' ' : '\'';
        else if (is_word_character(c))
            push_word(&words, &between, c);
        else if (c != MIDDLE_DOT || !is_between_l(points, i))
            between = ' ';
    }
    free(points->items);
    *points = words;
}

static char *fold_ascii(struct arena *arena, const char *text, size_t size)
{
    char *folded = arena_alloc_raw(arena, size + 1), *to = folded, between = 0;

    for (size_t i = 0; i < size; i++) {
        char c = text[i];

        if (!is_word_character((ucs4_t)c)) {
            between = c == '\'' && !between ? '\'' : ' ';
            continue;
        }
        if (between && to > folded)
            *to++ = between;
        between = 0;
        *to++ = c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
    }
    *to = '\0';
    return folded;
}

static char *to_text(struct arena *arena, const struct points *points)
{
    char *text = arena_alloc_raw(arena, 4 * points->count + 1);
    size_t size = 0;

    for (size_t i = 0; i < points->count; i++)
        size += (size_t)u8_uctomb((uint8_t *)text + size, points->items[i], 4);
    text[size] = '\0';
    return text;
}

static size_t size_of(const char *text, size_t most)
{
    const char *end = text;

    for (size_t i = 0; *end && i < most; i++)
        for (end++; ((uint8_t)*end & 0xc0) == 0x80; end++)
            ;
    return (size_t)(end - text);
}

char *fold(struct arena *arena, const char *text, size_t most)
{
    size_t size = size_of(text, most), ascii = 0;
    struct points points = {0};
    char *folded;

    while (ascii < size && (uint8_t)text[ascii] < 0x80)
        ascii++;
    if (ascii == size)
        return fold_ascii(arena, text, size);
    points.items = u8_to_u32((const uint8_t *)text, size, NULL, &points.count);
    if (!points.items) {
        if (errno == ENOMEM)
            log_die("fold", "out of memory");
        return arena_strdup(arena, ""); /* invalid UTF-8, which requests and the database reject */
    }
    normalize(&points, UNINORM_NFKD);
    drop_iota_subscripts(&points);
    fold_case(&points);
    keep_words(&points);
    normalize(&points, UNINORM_NFC);
    folded = to_text(arena, &points);
    free(points.items);
    return folded;
}

/* ---- its words ---- */

static ucs4_t peek(const char *at)
{
    ucs4_t c = 0;

    (void)u8_strmbtouc(&c, (const uint8_t *)at);
    return c;
}

static const char *behind(const char *at)
{
    for (at++; ((uint8_t)*at & 0xc0) == 0x80; at++)
        ;
    return at;
}

static const char *behind_unit(const char *at)
{
    for (at = behind(at); *at && is_mark(peek(at)); at = behind(at))
        ;
    return at;
}

bool fold_next(const char **at, struct fold_word *ret)
{
    const char *from = *at + strspn(*at, " '"), *to;

    if (!*from)
        return false;
    ret->text = from;
    if (is_dense(peek(from))) {
        *at = to = behind_unit(from);
        ret->kind = is_dense(peek(to)) ? FOLD_PAIR : FOLD_LAST;
        if (ret->kind == FOLD_PAIR)
            to = behind_unit(to);
    } else {
        for (to = from; *to && *to != ' ' && *to != '\'' && !is_dense(peek(to)); to = behind(to))
            ;
        *at = to;
        ret->kind = FOLD_WORD;
    }
    ret->size = (size_t)(to - from);
    return true;
}
