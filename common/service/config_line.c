/* config_line.c - see config_line.h. */
#include "common/service/config_line.h"

#include <stdbool.h>
#include <string.h>

#define BLANKS " \t\r\v\f"
#define NAME_CHARS "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$-_@.&+/"

static const char wanted[] = "must be: name = \"value\"";
static const char unclosed[] = "must be: name = \"value\", with the quote that closes it";

static bool is_end(const char *text)
{
    text += strspn(text, BLANKS);
    return *text == '\0' || *text == '#';
}

/* Reads up to the same quote; the other kind can be inside. */
static const char *split_quoted(char *text, const char **ret)
{
    char *end = strchr(text + 1, *text);

    if (!end)
        return unclosed;
    if (!is_end(end + 1))
        return wanted;
    *end = '\0';
    *ret = text + 1;
    return NULL;
}

/* Reads up to a comment. In `name = #x` the value is "#x", as in zconfig. */
static void split_bare(char *text, const char **ret)
{
    size_t length = *text == '#' && text[-1] != '=' ? strlen(text) : strcspn(text, "#");

    while (length > 0 && strchr(BLANKS, text[length - 1]))
        length--;
    text[length] = '\0';
    *ret = text;
}

const char *config_line_split(char *line, struct config_line *ret)
{
    size_t name = strspn(line, NAME_CHARS);
    char *rest = line + name + strspn(line + name, BLANKS);

    *ret = (struct config_line){"", ""};
    if (name == 0 || *rest != '=') {
        if (!is_end(rest))
            return wanted;
    } else {
        rest += 1 + strspn(rest + 1, BLANKS);
        if (*rest == '"' || *rest == '\'') {
            const char *what = split_quoted(rest, &ret->value);

            if (what)
                return what;
        } else {
            split_bare(rest, &ret->value);
        }
    }
    line[name] = '\0';
    if (*line == '/' || (name > 0 && line[name - 1] == '/'))
        return wanted;
    ret->name = line;
    return NULL;
}
