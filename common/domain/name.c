/* name.c - see name.h. */
#include "common/domain/name.h"

#include <ctype.h>
#include <stdio.h>

#define WORD_JOINER "\xe2\x81\xa0"

struct span {
    uint32_t first, last;
};

static const struct span controls[] = {
    {0x00, 0x1f}, {0x7f, 0x9f}, {0x2028, 0x2029}, {0x202a, 0x202e}, {0x2066, 0x2069},
};

/* Spaces (category Zs) and invisible characters (Default_Ignorable_Code_Point). */
static const struct span invisible[] = {
    {0x20, 0x20},       {0xa0, 0xa0},       {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},
    {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2000, 0x200f},
    {0x202f, 0x202f},   {0x205f, 0x206f},   {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164},
    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

static bool is_in(const struct span *spans, size_t count, uint32_t point)
{
    for (size_t i = 0; i < count; i++)
        if (point >= spans[i].first && point <= spans[i].last)
            return true;
    return false;
}

static uint32_t point_next(const char **text)
{
    uint8_t lead = (uint8_t) * (*text)++;
    uint32_t point = lead < 0xe0 ? lead & 0x1f : lead < 0xf0 ? lead & 0x0f : lead & 0x07;

    if (lead < 0x80)
        return lead;
    while (((uint8_t) * *text & 0xc0) == 0x80)
        point = point << 6 | ((uint8_t) * (*text)++ & 0x3f);
    return point;
}

int name_check(const char *value, char why[static 96])
{
    bool visible = false;

    while (*value) {
        uint32_t point = point_next(&value);

        if (is_in(controls, ARRAY_SIZE(controls), point)) {
            snprintf(why, 96, "must not contain control characters or overrides of direction");
            return -1;
        }
        visible |= !is_in(invisible, ARRAY_SIZE(invisible), point);
    }
    if (visible)
        return 0;
    snprintf(why, 96, "must contain something visible");
    return -1;
}

/* Bytes beyond ASCII count as letters. */
static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* True if an email program could take the text for part of an address. */
static bool joins_address(const char *text, const char *at)
{
    if (strncmp(at, "://", 3) == 0)
        return true;
    return (*at == '.' || *at == '@') && at > text && is_word(at[-1]) && is_word(at[1]);
}

char *name_shown(struct arena *arena, const char *name)
{
    char *shown = arena_alloc(arena, strlen(name) * (sizeof(WORD_JOINER) + 1) + 1), *end = shown;
    const char *at = name;

    for (size_t count = 0; *at && count < NAME_SHOWN_MAX; count++) {
        const char *begin = at;
        uint32_t point = point_next(&at);

        if (is_in(controls, ARRAY_SIZE(controls), point)) {
            *end++ = ' ';
            continue;
        }
        end = mempcpy(end, begin, (size_t)(at - begin));
        if (joins_address(name, begin))
            end = mempcpy(end, WORD_JOINER, strlen(WORD_JOINER));
    }
    *end = '\0';
    return shown;
}
