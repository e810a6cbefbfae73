/* language.c - see language.h. */
#include "common/domain/language.h"

#include <ctype.h>

/* Parts of a tag, in order. Extlangs repeat, and so do all parts from variants on. */
enum part {
    PART_LANGUAGE,
    PART_EXTLANG, /* up to three */
    PART_SCRIPT,
    PART_REGION,
    PART_VARIANT,
    PART_EXTENSION, /* a singleton with its subtags */
    PART_PRIVATE,
    PART_NONE,
};

enum { SUBTAG_MAX = 8, EXTLANGS_MAX = 3 };

static bool consists_of(const char *text, size_t length, int (*is)(int))
{
    for (size_t i = 0; i < length; i++)
        if (!is((unsigned char)text[i]))
            return false;
    return length >= 1 && length <= SUBTAG_MAX;
}

/* Classifies a subtag by its shape and the part before. */
static enum part part_of(const char *text, size_t length, enum part before)
{
    bool letters = consists_of(text, length, isalpha);

    if (!consists_of(text, length, isalnum))
        return PART_NONE;
    if (before == PART_PRIVATE)
        return PART_PRIVATE;
    if (length == 1)
        return tolower((unsigned char)text[0]) == 'x' ? PART_PRIVATE : PART_EXTENSION;
    if (before == PART_EXTENSION)
        return PART_EXTENSION;
    if (letters && length == 3 && before <= PART_EXTLANG)
        return PART_EXTLANG;
    if (letters && length == 4)
        return PART_SCRIPT;
    if ((letters && length == 2) || (length == 3 && consists_of(text, length, isdigit)))
        return PART_REGION;
    return length >= 5 || (length == 4 && isdigit((unsigned char)text[0])) ? PART_VARIANT
                                                                           : PART_NONE;
}

static bool part_fits(enum part part, enum part before)
{
    bool repeats = part == PART_EXTLANG || part >= PART_VARIANT;

    return part != PART_NONE && (repeats ? part >= before : part > before);
}

static void spell(char *text, size_t length, enum part part)
{
    for (size_t i = 0; i < length; i++) {
        bool capital = part == PART_REGION || (part == PART_SCRIPT && i == 0);

        text[i] =
            (char)(capital ? toupper((unsigned char)text[i]) : tolower((unsigned char)text[i]));
    }
}

static bool spell_rest(char *rest)
{
    enum part before = PART_LANGUAGE, part;
    size_t length, extlangs = 0;
    bool open = false; /* true after a singleton, which needs a subtag */

    for (char *p = rest; *p == '-'; p += length) {
        length = strcspn(++p, "-");
        part = part_of(p, length, before);

        bool introduces = length == 1 && before != PART_PRIVATE;

        extlangs += part == PART_EXTLANG;
        if (!part_fits(part, before) || extlangs > EXTLANGS_MAX || (introduces && open))
            return false;
        spell(p, length, part);
        open = introduces;
        before = part;
    }
    return !open;
}

char *language_tag(struct arena *arena, const char *text)
{
    char *tag = arena_strdup(arena, text ? text : "");
    size_t length = strcspn(tag, "-");

    if (tag[0] == '\0')
        return tag;
    if (strlen(tag) > LANGUAGE_TAG_MAX || length < 2 || !consists_of(tag, length, isalpha))
        return NULL;
    spell(tag, length, PART_LANGUAGE);
    return spell_rest(tag + length) ? tag : NULL;
}

char *language_base(struct arena *arena, const char *tag)
{
    return arena_strndup(arena, tag, strcspn(tag, "-"));
}
