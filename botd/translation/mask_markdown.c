/*
 * mask_markdown.c - how long the Markdown (CommonMark 0.30, with GitHub's tables and ~~) at one
 * place is, and where a URL ends.  See mask_private.h.
 */
#include <string.h>
#include <strings.h>

#include "botd/translation/mask_private.h"

enum {
    LINK_DEPTH_MAX = 32,
    LIST_DIGITS_MAX = 9,
    HEADING_MAX = 6,
    LABEL_MAX = 200,
    CODE_TICKS_MAX = 8,
    MARKERS_MAX = 16
};

static bool is_line_end(const struct mask_scanner *self, size_t at)
{
    return at >= self->size || self->text[at] == '\n' || self->text[at] == '\r';
}

static size_t line_end(const struct mask_scanner *self, size_t at)
{
    while (!is_line_end(self, at))
        at++;
    return at;
}

static size_t run_of(const struct mask_scanner *self, size_t at)
{
    size_t end = at;

    while (end < self->size && self->text[end] == self->text[at])
        end++;
    return end - at;
}

static size_t blanks(const struct mask_scanner *self, size_t at)
{
    size_t end = at;

    while (mask_is_blank(mask_at(self, end)))
        end++;
    return end - at;
}

/* ---- at the start of a line ---- */

/* "> ", "- ", "* ", "+ ", "12. ", "3) ", also with a task's "[x] ". */
static size_t item_marker(const struct mask_scanner *self, size_t at)
{
    size_t end = at + blanks(self, at), digits = 0;

    if (mask_at(self, end) == '>')
        return end + 1 + blanks(self, end + 1) - at;
    while (mask_is_digit(mask_at(self, end + digits)))
        digits++;
    if (digits > 0 && digits <= LIST_DIGITS_MAX &&
        (mask_at(self, end + digits) == '.' || mask_at(self, end + digits) == ')'))
        end += digits + 1;
    else if (digits == 0 && end < self->size && strchr("-*+", self->text[end]))
        end++;
    else
        return 0;
    if (!mask_is_blank(mask_at(self, end)) && !is_line_end(self, end))
        return 0;
    end += blanks(self, end);
    if (mask_at(self, end) == '[' && mask_at(self, end + 1) != '\0' &&
        strchr(" xX", mask_at(self, end + 1)) && mask_at(self, end + 2) == ']')
        end += 3 + blanks(self, end + 3);
    return end - at;
}

static size_t heading(const struct mask_scanner *self, size_t at)
{
    size_t start = at + blanks(self, at), end;

    if (mask_at(self, start) != '#' || run_of(self, start) > HEADING_MAX)
        return 0;
    end = start + run_of(self, start);
    return mask_is_blank(mask_at(self, end)) || is_line_end(self, end)
               ? end + blanks(self, end) - at
               : 0;
}

/* A line of nothing else: ---, ***, ===, |---|:-:|. */
static size_t rule(const struct mask_scanner *self, size_t at)
{
    size_t end = at, signs = 0;

    for (; !is_line_end(self, end) && strchr("-=*_:| \t", self->text[end]); end++)
        signs += !mask_is_blank(self->text[end]);
    return signs >= 3 && is_line_end(self, end) ? end - at : 0;
}

/* A line that ends a fence: at least as long a run, and nothing behind it. */
static bool ends_fence(const struct mask_scanner *self, size_t at, char sign, size_t length)
{
    at += blanks(self, at);
    if (mask_at(self, at) != sign || run_of(self, at) < length)
        return false;
    at += run_of(self, at);
    return is_line_end(self, at + blanks(self, at));
}

/* ``` or ~~~ and all lines to its end, or to that of the text. */
static size_t fence(const struct mask_scanner *self, size_t at)
{
    size_t start = at + blanks(self, at), length, end;
    char sign = mask_at(self, start);

    if (sign != '`' && sign != '~')
        return 0;
    length = run_of(self, start);
    end = line_end(self, start + length);
    if (length < 3 ||
        (sign == '`' && memchr(self->text + start + length, '`', end - start - length)))
        return 0;
    while (end < self->size) {
        size_t line = end + 1;

        end = line_end(self, line);
        if (ends_fence(self, line, sign, length))
            break;
    }
    return MIN(end, self->size) - at;
}

/* "[label]: target", the whole line. */
static size_t definition(const struct mask_scanner *self, size_t at)
{
    size_t start = at + blanks(self, at), end = start + 1;

    if (mask_at(self, start) != '[')
        return 0;
    while (!is_line_end(self, end) && !strchr("[]", self->text[end]) && end - start < LABEL_MAX)
        end++;
    return mask_at(self, end) == ']' && mask_at(self, end + 1) == ':' ? line_end(self, end) - at
                                                                      : 0;
}

size_t mask_line_start(const struct mask_scanner *self, size_t at)
{
    size_t end = at, size = 1;

    for (size_t i = 0; i < MARKERS_MAX && size > 0 && !is_line_end(self, end); i++) {
        size = rule(self, end);
        if (size == 0)
            size = item_marker(self, end);
        end += size;
    }
    size = heading(self, end);
    if (size == 0)
        size = fence(self, end);
    if (size == 0)
        size = definition(self, end);
    return end + size - at;
}

/* ---- within a line ---- */

/* A paragraph has at most one run of each length that finds no other, and CODE_TICKS_MAX lengths
 * count. */
size_t mask_code(const struct mask_scanner *self, size_t at)
{
    size_t ticks = run_of(self, at), end = at + ticks;

    while (ticks <= CODE_TICKS_MAX && end < self->size) {
        size_t run = self->text[end] == '`' ? run_of(self, end) : 0;

        if (run == ticks)
            return end + run - at;
        if (self->text[end] == '\n' && is_line_end(self, end + 1 + blanks(self, end + 1)))
            break;
        end += MAX(run, (size_t)1);
    }
    return 0;
}

/* "(target "title")" or "[label]" behind the "]". */
size_t mask_link_end(const struct mask_scanner *self, size_t at)
{
    size_t end = at + 1, depth = 0;

    if (mask_at(self, end) == '[') {
        for (end++; !is_line_end(self, end) && !strchr("[]", self->text[end]); end++)
            if (end - at > LABEL_MAX)
                return 0;
        return mask_at(self, end) == ']' ? end + 1 - at : 0;
    }
    if (mask_at(self, end) != '(')
        return 0;
    for (; !is_line_end(self, end) && depth <= LINK_DEPTH_MAX; end++) {
        depth += self->text[end] == '(';
        if (self->text[end] == ')' && --depth == 0)
            return end + 1 - at;
    }
    return 0;
}

size_t mask_footnote(const struct mask_scanner *self, size_t at)
{
    size_t end = at + 2;

    if (mask_at(self, at + 1) != '^')
        return 0;
    while (!is_line_end(self, end) && !strchr("[] ", self->text[end]) && end - at < LABEL_MAX)
        end++;
    return mask_at(self, end) == ']' && end > at + 2 ? end + 1 - at : 0;
}

struct mask_found mask_emphasis(const struct mask_scanner *self, size_t at)
{
    char sign = self->text[at], before = at > 0 ? self->text[at - 1] : ' ', behind;
    size_t size = run_of(self, at);
    bool within = sign == '_', opens, closes;

    behind = at + size < self->size ? self->text[at + size] : ' ';
    opens = !mask_is_space(behind) && !(within && mask_is_word(before));
    closes = !mask_is_space(before) && !(within && mask_is_word(behind));
    if (sign == '=' && size != 2)
        opens = closes = false;
    if (!opens && !closes && (sign == '=' || (within && size < 3)))
        return (struct mask_found){.size = size, .kind = MASK_TEXT};
    return (struct mask_found){size,
                               closes  ? MASK_CLOSE
                               : opens ? MASK_OPEN
                                       : MASK_ATOM,
                               false, self->text + at, size};
}

/* ---- addresses ---- */

static bool is_local(char c)
{
    return mask_is_word(c) || (c != '\0' && strchr(".+-_%", c));
}

static size_t email(const struct mask_scanner *self, size_t at)
{
    size_t end = at, dots = 0;

    if (at > 0 && is_local(self->text[at - 1]))
        return 0;
    while (is_local(mask_at(self, end)))
        end++;
    if (end == at || mask_at(self, end) != '@')
        return 0;
    for (end++; mask_is_word(mask_at(self, end)) ||
                (strchr(".-", mask_at(self, end)) && mask_is_word(mask_at(self, end + 1)));
         end++)
        dots += self->text[end] == '.';
    return dots > 0 ? end - at : 0;
}

/* Signs behind a URL that belong to the sentence. */
static size_t trim_url(const struct mask_scanner *self, size_t at, size_t end)
{
    size_t open = 0, close = 0;

    for (size_t i = at; i < end; i++) {
        open += self->text[i] == '(';
        close += self->text[i] == ')';
    }
    for (; end > at; end--) {
        char last = self->text[end - 1];

        if (last == ')' && close > open)
            close--;
        else if (last == ')' || !strchr(".,;:!?'\"*_~]", last))
            break;
    }
    return end;
}

static size_t url(struct mask_scanner *self, size_t at)
{
    static const char *const starts[] = {"https://", "http://", "ftp://",
                                         "mailto:",  "tel:",    "www."};
    size_t end = at, length = 0, variable;

    for (size_t i = 0; i < ARRAY_SIZE(starts) && length == 0; i++)
        if (strncasecmp(self->text + at, starts[i], strlen(starts[i])) == 0)
            length = strlen(starts[i]);
    if (length == 0)
        return 0;
    for (end += length; end < self->size; end += MAX(variable, (size_t)1)) {
        variable = mask_variable(self, end);
        if (variable == 0 && strchr(" \t\r\n<>\"`|\\^[", self->text[end]))
            break;
    }
    end = trim_url(self, at, end);
    return end > at + length ? end - at : 0;
}

size_t mask_address(struct mask_scanner *self, size_t at)
{
    size_t size = 0;

    if (at == 0 || !mask_is_word(self->text[at - 1]))
        size = url(self, at);
    return size > 0 ? size : email(self, at);
}
