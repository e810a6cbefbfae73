/* disposition.c - see disposition.h. */
#include "docd/document/disposition.h"

#include <stdio.h>
#include <string.h>

/* attr-char of RFC 5987, section 3.2.1 */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "!#$&+-.^_`|~";

/* Avoids characters that only some clients unescape in quotes. */
static char *to_ascii(struct arena *arena, const char *name)
{
    char *text = arena_strdup(arena, name), *to = text;

    for (const char *at = name; *at; at++) {
        if (*at < ' ' || *at > '~' || strchr("\"\\%/:", *at)) {
            if (((unsigned char)*at & 0xc0) != 0x80)
                *to++ = '_';
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
    return text;
}

static char *to_percent(struct arena *arena, const char *name)
{
    char *text = arena_alloc(arena, 3 * strlen(name) + 1), *to = text;

    for (const char *at = name; *at; at++) {
        if (strchr(plain, *at))
            *to++ = *at;
        else
            to += sprintf(to, "%%%02X", (unsigned char)*at);
    }
    return text;
}

const char *disposition(struct arena *arena, bool attachment, const char *file_name)
{
    return arena_printf(arena, "%s; filename=\"%s\"; filename*=UTF-8''%s",
                        attachment ? "attachment" : "inline", to_ascii(arena, file_name),
                        to_percent(arena, file_name));
}
