/*
 * mask_placeholder.c - measures placeholders of Mustache, Handlebars, Jinja, Liquid, ICU, template
 * literals and printf. See mask_private.h and docs/integrate.md.
 */
#include <string.h>

#include "botd/translation/mask_private.h"

enum { BRACES_MAX = 16 }; /* nesting in ICU messages */

static size_t braces2(struct mask_scanner *self, size_t at)
{
    size_t end = 0;

    if (mask_at(self, at + 2) == '{')
        end = mask_find(self, END_BRACES3, "}}}", at + 3);
    if (end == 0)
        end = mask_find(self, END_BRACES2, "}}", at + 2);
    return end > 0 ? end - at : 0;
}

static size_t balanced(const struct mask_scanner *self, size_t at)
{
    size_t depth = 0;

    for (size_t end = at; end < self->size && depth <= BRACES_MAX; end++) {
        depth += self->text[end] == '{';
        if (self->text[end] == '}' && --depth == 0)
            return end + 1 - at;
    }
    return 0;
}

static size_t skip_spaces(const struct mask_scanner *self, size_t at)
{
    while (mask_is_space(mask_at(self, at)))
        at++;
    return at;
}

static bool is_name(char c)
{
    return mask_is_word(c) || (c != '\0' && strchr("_.-", c));
}

/* Measures {name} or {name, plural, one {# day} other {# days}}. */
static size_t argument(const struct mask_scanner *self, size_t at)
{
    size_t start = skip_spaces(self, at + 1), end = start;

    while (is_name(mask_at(self, end)))
        end++;
    if (end == start)
        return 0;
    end = skip_spaces(self, end);
    if (mask_at(self, end) == '}')
        return end + 1 - at;
    return mask_at(self, end) == ',' ? balanced(self, at) : 0;
}

/* Measures %s, %d, %1$s, %.2f, %@, but not "% d", as in "50 % discount". */
static size_t conversion(const struct mask_scanner *self, size_t at)
{
    size_t end = at + 1, digits = end;

    if (at > 0 && mask_is_digit(self->text[at - 1]))
        return 0;
    while (mask_is_digit(mask_at(self, digits)))
        digits++;
    if (mask_at(self, digits) == '$')
        end = digits + 1;
    if (mask_at(self, end) == '.')
        for (end++; mask_is_digit(mask_at(self, end));)
            end++;
    return mask_at(self, end) != '\0' && strchr("sdifux@", self->text[end]) &&
                   !mask_is_word(mask_at(self, end + 1))
               ? end + 1 - at
               : 0;
}

size_t mask_placeholder(struct mask_scanner *self, size_t at)
{
    char c = mask_at(self, at), next = mask_at(self, at + 1);
    size_t size;

    if (c == '{' && next == '{' && (size = braces2(self, at)) > 0)
        return size;
    if (c == '{' && next == '%') {
        size = mask_find(self, END_STATEMENT, "%}", at + 2);
        return size > 0 ? size - at : 0;
    }
    if (c == '{')
        return argument(self, at);
    if ((c == '$' || c == '%') && next == '{') {
        size = balanced(self, at + 1);
        return size > 0 ? size + 1 : 0;
    }
    return c == '%' ? conversion(self, at) : 0;
}
