/*
 * mask_html.c - measures HTML markup like the standard's tokenizer (13.2.5); see mask_private.h.
 */
#include <string.h>
#include <strings.h>

#include "botd/translation/mask_private.h"

enum { ENTITY_MAX = 32 };

struct name {
    const char *text;
    size_t size;
};

/* Tags that separate sentences. */
static const char *const blocks[] = {
    "address",  "article",  "aside",      "blockquote", "body",    "br",     "button", "caption",
    "center",   "col",      "colgroup",   "dd",         "details", "dialog", "div",    "dl",
    "dt",       "fieldset", "figcaption", "figure",     "footer",  "form",   "h1",     "h2",
    "h3",       "h4",       "h5",         "h6",         "head",    "header", "hr",     "html",
    "legend",   "li",       "link",       "main",       "meta",    "nav",    "ol",     "optgroup",
    "option",   "p",        "section",    "select",     "summary", "table",  "tbody",  "td",
    "template", "tfoot",    "th",         "thead",      "title",   "tr",     "ul",     NULL,
};

static const char *const containers[] = {
    "article", "aside",    "blockquote", "body",    "center", "details", "div",
    "dl",      "fieldset", "figure",     "footer",  "form",   "header",  "html",
    "main",    "nav",      "ol",         "section", "table",  "ul",      NULL,
};

static const char *const voids[] = {"area",  "base",   "br",    "col",  "embed",
                                    "hr",    "img",    "input", "link", "meta",
                                    "param", "source", "track", "wbr",  NULL};

static const struct raw {
    const char *name, *end;
    bool block;
    bool ends; /* without an end tag, the element ends with the text */
} raws[] = {
    {"code", "</code", false, false},       {"iframe", "</iframe", true, true},
    {"kbd", "</kbd", false, false},         {"math", "</math", false, false},
    {"noembed", "</noembed", true, true},   {"noframes", "</noframes", true, true},
    {"plaintext", NULL, true, true},        {"pre", "</pre", true, true},
    {"samp", "</samp", false, false},       {"script", "</script", true, true},
    {"style", "</style", true, true},       {"svg", "</svg", false, false},
    {"textarea", "</textarea", true, true}, {"var", "</var", false, false},
    {"xmp", "</xmp", true, true},
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

size_t mask_find(struct mask_scanner *self, enum mask_end which, const char *end, size_t from)
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

/* Returns the end of the markup, or of the text if the markup has none, as in browsers. */
static size_t find_or_all(struct mask_scanner *self, enum mask_end which, const char *end,
                          size_t from)
{
    size_t found = mask_find(self, which, end, from);

    return found > 0 ? found : self->size;
}

static bool is_space(char c) /* U+0020 and the standard's equivalents */
{
    return mask_is_space(c) || c == '\f';
}

static bool is_behind_name(char c)
{
    return is_space(c) || c == '/' || c == '>';
}

static bool is_ascii_letter(char c)
{
    return mask_is_letter(c) && (unsigned char)c < 0x80;
}

static bool follows(const struct mask_scanner *self, size_t at, const char *text)
{
    return at < self->size && strncasecmp(self->text + at, text, strlen(text)) == 0;
}

/* ---- tags ---- */

struct tag {
    struct name name;
    enum tristate translate;
    size_t end; /* 0: none */
};

static struct name name_at(const struct mask_scanner *self, size_t at)
{
    size_t end = at;

    while (end < self->size && !is_behind_name(self->text[end]))
        end++;
    return (struct name){self->text + at, end - at};
}

static bool has_word(const struct name *list, const char *word)
{
    for (size_t at = 0, end; at < list->size; at = end + 1) {
        for (end = at; end < list->size && !is_space(list->text[end]);)
            end++;
        if (is_name(&(struct name){list->text + at, end - at}, word))
            return true;
    }
    return false;
}

/* Reads translate="no" and its equivalents. */
static void read_attribute(struct tag *tag, const struct name *name, const struct name *value)
{
    if (is_name(name, "translate"))
        tag->translate = is_name(value, "no") ? TRISTATE_FALSE : TRISTATE_TRUE;
    else if (is_name(name, "class") && has_word(value, "notranslate"))
        tag->translate = TRISTATE_FALSE;
}

static struct name part_at(struct mask_scanner *self, size_t at, size_t limit, const char *signs)
{
    size_t end = at;

    while (end < limit && !strchr(signs, self->text[end])) {
        size_t placeholder = mask_placeholder(self, end);

        end = MIN(end + MAX(placeholder, (size_t)1), limit);
    }
    return (struct name){self->text + at, end - at};
}

static size_t skip(const struct mask_scanner *self, size_t at, size_t limit, bool slashes)
{
    while (at < limit && (is_space(self->text[at]) || (slashes && self->text[at] == '/')))
        at++;
    return at;
}

static size_t value_at(struct mask_scanner *self, size_t at, size_t limit, struct name *ret)
{
    char quote;

    at = skip(self, at, limit, false);
    quote = at < limit ? self->text[at] : '\0';
    if (quote != '"' && quote != '\'') {
        *ret = part_at(self, at, limit, " \t\r\n\f>");
        return at + ret->size;
    }
    *ret = part_at(self, at + 1, limit, (const char[]){quote, '\0'});
    return MIN(at + ret->size + 2, limit);
}

static void read_tag(struct mask_scanner *self, size_t at, struct tag *tag)
{
    size_t start = at, limit = MIN(self->size, at + self->attribute_bytes);

    tag->translate = TRISTATE_UNSET;
    while ((at = skip(self, at, limit, true)) < limit) {
        struct name name, value = {"", 0};

        if (self->text[at] == '>') {
            tag->end = at + 1;
            return;
        }
        name = part_at(self, at + 1, limit, " \t\r\n\f/>="); /* the first character can be '=' */
        name = (struct name){name.text - 1, name.size + 1};
        at = skip(self, at + name.size, limit, false);
        if (at < limit && self->text[at] == '=')
            at = value_at(self, at + 1, limit, &value);
        read_attribute(tag, &name, &value);
    }
    self->attribute_bytes -= limit - start;
    tag->end = mask_find(self, END_ANGLE, ">", start);
}

static struct tag tag_at(struct mask_scanner *self, size_t at)
{
    struct tag tag = {.name = name_at(self, at)};

    read_tag(self, at + tag.name.size, &tag);
    return tag;
}

/* ---- raw content ---- */

/* Returns the end of the next "</name"; 0: none. */
static size_t end_tag(struct mask_scanner *self, size_t which, size_t from)
{
    size_t first = from;

    while (from < self->none_from[END_RAW + which]) {
        from = mask_find(self, END_RAW + which, raws[which].end, from);
        if (from == 0 || is_behind_name(mask_at(self, from)))
            return from;
    }
    self->none_from[END_RAW + which] = MIN(first, self->none_from[END_RAW + which]);
    return 0;
}

/* Returns the end of a script, in which "<!-- <script>" hides the next "</script>". */
static size_t script_end(const struct mask_scanner *self, size_t at)
{
    bool escaped = false, twice = false;

    for (; at < self->size; at++) {
        if (follows(self, at, "<!--")) {
            escaped = true;
            at++; /* the dashes can belong to "-->" */
        } else if (follows(self, at, "-->")) {
            escaped = twice = false;
        } else if (escaped && follows(self, at, "<script") &&
                   is_behind_name(mask_at(self, at + strlen("<script")))) {
            twice = true;
        } else if (follows(self, at, "</script") &&
                   is_behind_name(mask_at(self, at + strlen("</script")))) {
            if (!twice)
                return at + strlen("</script");
            twice = false;
        }
    }
    return 0;
}

/* Finds where a raw element ends; 0: it has no end tag. */
static size_t raw_element(struct mask_scanner *self, const struct name *name, size_t from,
                          bool *ret_block)
{
    for (size_t i = 0; i < ARRAY_SIZE(raws); i++) {
        size_t end = 0;
        struct tag tag = {.end = 0};

        if (!is_name(name, raws[i].name))
            continue;
        *ret_block = raws[i].block;
        if (is_name(name, "script"))
            end = script_end(self, from);
        else if (raws[i].end)
            end = end_tag(self, i, from);
        if (end > 0)
            read_tag(self, end, &tag);
        return tag.end > 0 || !raws[i].ends ? tag.end : self->size;
    }
    return 0;
}

/* ---- markup at a place ---- */

static struct mask_found closing_tag(struct mask_scanner *self, size_t at)
{
    struct tag tag = tag_at(self, at + 2);
    struct mask_found found = {.size = tag.end > 0 ? tag.end - at : 0,
                               .kind = MASK_CLOSE,
                               .name = tag.name.text,
                               .name_size = tag.name.size,
                               .tag = TAG_END,
                               .container = is_among(&tag.name, containers),
                               .translate = TRISTATE_UNSET};

    found.ends_sentence = is_among(&tag.name, blocks);
    if (found.ends_sentence)
        found.kind = MASK_BREAK;
    return found;
}

static struct mask_found opening_tag(struct mask_scanner *self, size_t at)
{
    struct tag tag = tag_at(self, at + 1);
    struct mask_found found = {.size = tag.end > 0 ? tag.end - at : 0,
                               .kind = MASK_OPEN,
                               .name = tag.name.text,
                               .name_size = tag.name.size,
                               .tag = TAG_START,
                               .container = is_among(&tag.name, containers),
                               .translate = tag.translate};
    size_t raw = tag.end > 0 ? raw_element(self, &tag.name, tag.end, &found.ends_sentence) : 0;

    if (raw > 0)
        return (struct mask_found){.size = raw - at,
                                   .kind = found.ends_sentence ? MASK_BREAK : MASK_ATOM,
                                   .ends_sentence = found.ends_sentence};
    found.ends_sentence = is_among(&tag.name, blocks);
    if (is_among(&tag.name, voids))
        found.tag = TAG_NONE;
    if (found.ends_sentence)
        found.kind = MASK_BREAK;
    else if (found.tag == TAG_NONE || (tag.end > 0 && self->text[tag.end - 2] == '/'))
        found.kind = MASK_ATOM;
    return found;
}

/* Returns the end of a comment, which can also be "<!-->", "<!--->", or "--!>" where "-->" is
 * missing. */
static size_t comment_end(struct mask_scanner *self, size_t at)
{
    size_t end;

    if (follows(self, at, "<!-->") || follows(self, at, "<!--->"))
        return mask_find(self, END_ANGLE, ">", at);
    end = mask_find(self, END_COMMENT, "-->", at + 4);
    return end > 0 ? end : find_or_all(self, END_COMMENT_BANG, "--!>", at + 4);
}

/* Returns the end of a <? ?>, which Markdown ends later than HTML. */
static size_t instruction_end(struct mask_scanner *self, size_t at)
{
    size_t end = mask_find(self, END_INSTRUCTION, "?>", at + 2);

    return end > 0 ? end : find_or_all(self, END_ANGLE, ">", at + 2);
}

struct mask_found mask_html_tag(struct mask_scanner *self, size_t at)
{
    char second = mask_at(self, at + 1), third = mask_at(self, at + 2);
    bool declares = second == '?' || (second == '!' && mask_is_letter(third));
    size_t end = at;

    if (is_ascii_letter(second))
        return opening_tag(self, at);
    if (second == '/' && is_ascii_letter(third))
        return closing_tag(self, at);
    if (follows(self, at, "<!--"))
        end = comment_end(self, at);
    else if (follows(self, at, "<![CDATA["))
        end = find_or_all(self, END_CDATA, "]]>", at + 9);
    else if (second == '?')
        end = instruction_end(self, at);
    else if (second == '!' || (second == '/' && third != '\0'))
        end = find_or_all(self, END_ANGLE, ">", at + 2);
    return (struct mask_found){.size = end - at,
                               .kind = declares || end == self->size ? MASK_BREAK : MASK_ATOM,
                               .translate = TRISTATE_UNSET};
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
