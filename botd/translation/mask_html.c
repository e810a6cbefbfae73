/*
 * mask_html.c - how long the HTML at one place is.  See mask_private.h.
 *
 * Not a parser of documents: names and attributes stay as they are, and what no browser would take
 * for a tag is text.
 */
#include <string.h>
#include <strings.h>

#include "botd/translation/mask_private.h"

enum { ENTITY_MAX = 32 };

struct name {
    const char *text;
    size_t size;
};

/* They divide the text; never two sentences' words in one. */
static const char *const blocks[] = {
    "address", "article",  "aside",      "blockquote", "body",    "br",     "button", "caption",
    "center",  "col",      "colgroup",   "dd",         "details", "dialog", "div",    "dl",
    "dt",      "fieldset", "figcaption", "figure",     "footer",  "form",   "h1",     "h2",
    "h3",      "h4",       "h5",         "h6",         "head",    "header", "hr",     "html",
    "legend",  "li",       "link",       "main",       "meta",    "nav",    "ol",     "optgroup",
    "option",  "p",        "section",    "select",     "summary", "table",  "tbody",  "td",
    "tfoot",   "th",       "thead",      "title",      "tr",      "ul",     NULL,
};

/* They have no end. */
static const char *const voids[] = {"area",   "embed", "img", "input", "param",
                                    "source", "track", "wbr", NULL};

/* Nothing in them is prose. */
static const struct raw {
    const char *name, *end;
    bool block;
} raws[] = {
    {"code", "</code", false},  {"kbd", "</kbd", false},   {"math", "</math", false},
    {"pre", "</pre", true},     {"samp", "</samp", false}, {"script", "</script", true},
    {"style", "</style", true}, {"svg", "</svg", false},   {"textarea", "</textarea", true},
    {"var", "</var", false},
};
_Static_assert(ARRAY_SIZE(raws) <= END_COUNT - END_RAW, "each has an end of its own");

static bool is_name(const struct name *self, const char *name)
{
    return strlen(name) == self->size && strncasecmp(self->text, name, self->size) == 0;
}

static bool is_among(const struct name *self, const char *const *names)
{
    while (*names && !is_name(self, *names))
        names++;
    return *names != NULL;
}

/* The place behind the first `end` from `from` on, without regard to case; 0 when there is none. */
static size_t find(struct mask_scanner *self, enum mask_end which, const char *end, size_t from)
{
    size_t length = strlen(end);

    if (from >= self->none_from[which])
        return 0;
    for (size_t at = from; at + length <= self->size; at++)
        if (strncasecmp(self->text + at, end, length) == 0)
            return at + length;
    self->none_from[which] = from;
    return 0;
}

size_t mask_variable(struct mask_scanner *self, size_t at)
{
    size_t end = 0;

    if (mask_at(self, at) != '{' || mask_at(self, at + 1) != '{')
        return 0;
    if (mask_at(self, at + 2) == '{')
        end = find(self, END_BRACES3, "}}}", at + 3);
    if (end == 0)
        end = find(self, END_BRACES2, "}}", at + 2);
    return end > 0 ? end - at : 0;
}

static struct name name_at(const struct mask_scanner *self, size_t at)
{
    size_t end = at;

    while ((mask_is_word(mask_at(self, end)) && (unsigned char)mask_at(self, end) < 0x80) ||
           mask_at(self, end) == '-')
        end++;
    return (struct name){self->text + at, end - at};
}

/* Behind the '>' that ends the tag whose attributes begin at `at`; in quotes it is none. */
static size_t tag_end(struct mask_scanner *self, size_t at)
{
    char quote = '\0', before = '\0';
    size_t end = at;

    while (end < self->size && end - at < self->attribute_bytes) {
        char c = self->text[end];
        size_t variable = mask_variable(self, end);

        if (variable == 0 && quote == '\0' && c == '>')
            return end + 1;
        if (quote != '\0')
            quote = c == quote ? '\0' : quote;
        else if ((c == '"' || c == '\'') && before == '=')
            quote = c;
        before = mask_is_space(c) ? before : c;
        end += MAX(variable, (size_t)1);
    }
    self->attribute_bytes -= MIN(end - at, self->attribute_bytes);
    return find(self, END_ANGLE, ">", at);
}

/* <https://...> and <a@b.example>. */
static size_t autolink(const struct mask_scanner *self, size_t at)
{
    bool address = false;
    size_t end = at + 1;

    for (; end < self->size && !strchr(" \t\r\n<>", self->text[end]); end++)
        address = address || self->text[end] == ':' || self->text[end] == '@';
    return address && mask_at(self, end) == '>' ? end + 1 - at : 0;
}

static struct mask_found closing_tag(struct mask_scanner *self, size_t at)
{
    struct name name = name_at(self, at + 2);
    size_t end = name.size > 0 ? find(self, END_ANGLE, ">", at + 2 + name.size) : 0;

    if (end == 0)
        return (struct mask_found){.size = 0};
    if (is_among(&name, blocks))
        return (struct mask_found){end - at, MASK_BREAK, true, NULL, 0};
    return (struct mask_found){end - at, MASK_CLOSE, false, name.text, name.size};
}

/* From the start of an element of raw content to the end of its end tag; 0 when it has none. */
static size_t raw_element(struct mask_scanner *self, size_t which, size_t from)
{
    size_t end = find(self, END_RAW + which, raws[which].end, from);

    return end > 0 ? find(self, END_ANGLE, ">", end) : 0;
}

static struct mask_found opening_tag(struct mask_scanner *self, size_t at)
{
    struct name name = name_at(self, at + 1);
    char behind = mask_at(self, at + 1 + name.size);
    size_t end = 0;

    if (behind != '>' && behind != '/' && !mask_is_space(behind))
        return (struct mask_found){.size = autolink(self, at), .kind = MASK_ATOM};
    end = tag_end(self, at + 1 + name.size);
    if (end == 0)
        return (struct mask_found){.size = 0};
    for (size_t i = 0; i < ARRAY_SIZE(raws); i++) {
        size_t all = is_name(&name, raws[i].name) ? raw_element(self, i, end) : 0;

        if (all > 0)
            return (struct mask_found){all - at, raws[i].block ? MASK_BREAK : MASK_ATOM,
                                       raws[i].block, NULL, 0};
    }
    if (is_among(&name, blocks))
        return (struct mask_found){end - at, MASK_BREAK, true, NULL, 0};
    if (is_among(&name, voids) || self->text[end - 2] == '/')
        return (struct mask_found){end - at, MASK_ATOM, false, NULL, 0};
    return (struct mask_found){end - at, MASK_OPEN, false, name.text, name.size};
}

static bool follows(const struct mask_scanner *self, size_t at, const char *text)
{
    return self->size - at >= strlen(text) && memcmp(self->text + at, text, strlen(text)) == 0;
}

struct mask_found mask_html_tag(struct mask_scanner *self, size_t at)
{
    char second = mask_at(self, at + 1);
    size_t end = 0;

    if (mask_is_letter(second) && (unsigned char)second < 0x80)
        return opening_tag(self, at);
    if (second == '/')
        return closing_tag(self, at);
    if (follows(self, at, "<!--"))
        end = find(self, END_COMMENT, "-->", at + 4);
    else if (follows(self, at, "<![CDATA["))
        end = find(self, END_CDATA, "]]>", at + 9);
    else if (second == '!' || second == '?')
        end = find(self, END_ANGLE, ">", at + 2);
    return (struct mask_found){.size = end > 0 ? end - at : 0, .kind = MASK_ATOM};
}

size_t mask_html_entity(const struct mask_scanner *self, size_t at)
{
    size_t end = at + 1;

    if (mask_at(self, end) == '#')
        end++;
    else if (!mask_is_letter(mask_at(self, end)))
        return 0;
    while (end - at < ENTITY_MAX && mask_is_word(mask_at(self, end)) &&
           (unsigned char)mask_at(self, end) < 0x80)
        end++;
    return end > at + 1 && mask_at(self, end) == ';' ? end + 1 - at : 0;
}
