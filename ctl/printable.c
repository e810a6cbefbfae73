/* printable.c - see printable.h. */
#include "ctl/printable.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/base.h"
#include "common/wire/json_number.h"

static size_t control_size(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;

    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
        return 2;
    return (c[0] > 0 && c[0] < 0x20) || c[0] == 0x7f ? 1 : 0;
}

static char *blank(char *text, const char *kept)
{
    for (char *c = text; *c; c++)
        if (!strchr(kept, *c))
            memset(c, ' ', control_size(c));
    return text;
}

char *printable_line(char *text)
{
    return blank(text, "");
}

char *printable_lines(char *text)
{
    return blank(text, "\n\t");
}

void printable_put(const char *text, FILE *to)
{
    for (size_t blanks = 0; *text; text++) {
        blanks = MAX(blanks, control_size(text));
        putc(blanks > 0 ? ' ' : *text, to);
        blanks -= blanks > 0;
    }
}

/* Escapes control characters, which JSON has only in strings. */
void printable_json_text(const char *text, FILE *to)
{
    for (; *text; text++) {
        size_t size = strchr("\t\r\n", *text) ? 0 : control_size(text);

        if (size == 0)
            putc(*text, to);
        else
            fprintf(to, "\\u%04X", (unsigned)(unsigned char)text[size - 1]);
        text += size == 2;
    }
}

void printable_json(const json_t *json, size_t flags, FILE *to)
{
    char *text = json_dumps(json, flags);

    if (text)
        json_number_unmark(text);
    printable_json_text(text ? text : "{}", to);
    free(text);
}
