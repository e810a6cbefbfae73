/*
 * mask_markdown.c - finds prose with md4c (CommonMark with GitHub's tables and ~~), and measures
 * Markdown markup and URLs. See mask_private.h.
 */
#include <md4c.h>
#include <string.h>
#include <strings.h>

#include "botd/translation/mask_private.h"
#include "common/base/log.h"

enum {
    LINK_DEPTH_MAX = 32,
    LIST_DIGITS_MAX = 9,
    HEADING_MAX = 6,
    LABEL_MAX = 999, /* CommonMark */
    CODE_TICKS_MAX = 8,
    FENCE_MIN = 3,
    MARKERS_MAX = 16
};

/* ---- callbacks of md4c ---- */

struct reader {
    struct mask_scanner *scanner;
    const char *text; /* a copy with placeholders made letters */
    MD_BLOCKTYPE block;
    bool indented;                   /* code */
    bool has_text;                   /* in this block */
    uint64_t spans;                  /* in this block */
    uint64_t within[MASK_DEPTH_MAX]; /* hash of each open span and those around it */
    size_t depth;
};

static void mix_number(struct reader *self, size_t number)
{
    self->scanner->structure =
        mask_mix(self->scanner->structure, (const char *)&number, sizeof(number));
}

/* Blocks are ordered, spans within a block are not. */
static void end_spans(struct reader *self)
{
    mix_number(self, self->spans);
    mix_number(self, self->has_text);
    self->spans = 0;
    self->has_text = false;
}

static void mix_block(struct reader *self, MD_BLOCKTYPE type, const void *detail)
{
    const MD_BLOCK_UL_DETAIL *ul = detail;
    const MD_BLOCK_OL_DETAIL *ol = detail;

    end_spans(self);
    mix_number(self, type);
    if (type == MD_BLOCK_UL)
        mix_number(self, (size_t)ul->is_tight << 8 | (uint8_t)ul->mark);
    else if (type == MD_BLOCK_OL)
        mix_number(self, (size_t)ol->start << 16 | (size_t)(ol->is_tight != 0) << 8 |
                             (uint8_t)ol->mark_delimiter);
    else if (type == MD_BLOCK_H)
        mix_number(self, ((const MD_BLOCK_H_DETAIL *)detail)->level);
    else if (type == MD_BLOCK_TH || type == MD_BLOCK_TD)
        mix_number(self, ((const MD_BLOCK_TD_DETAIL *)detail)->align);
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct reader *self = arg;

    mix_block(self, type, detail);
    self->block = type;
    self->indented = type == MD_BLOCK_CODE && ((MD_BLOCK_CODE_DETAIL *)detail)->fence_char == 0;
    return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    struct reader *self = arg;

    mix_block(self, type, detail);
    self->indented = false;
    return 0;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *arg)
{
    struct reader *self = arg;
    uint64_t sum = self->depth > 0 ? self->within[MIN(self->depth, (size_t)MASK_DEPTH_MAX) - 1] : 0;

    sum = mask_mix(sum, (const char *)&type, sizeof(type));
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
        const MD_SPAN_A_DETAIL *link = detail; /* an image has the same type */

        sum = mask_mix(sum, link->href.text, link->href.size);
        sum = mask_mix(sum, link->title.text, link->title.size);
    }
    if (self->depth < MASK_DEPTH_MAX)
        self->within[self->depth] = sum;
    self->depth++;
    self->spans += sum;
    return 0;
}

static int leave_span(UNUSED MD_SPANTYPE type, UNUSED void *detail, void *arg)
{
    ((struct reader *)arg)->depth--;
    return 0;
}

static int read_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *arg)
{
    struct reader *self = arg;
    enum mask_class class = type != MD_TEXT_CODE ? CLASS_PROSE
                            : self->indented     ? CLASS_INDENTED
                                                 : CLASS_CODE;

    if (type == MD_TEXT_BR || class == CLASS_CODE ||
        (type == MD_TEXT_HTML && self->block != MD_BLOCK_HTML))
        self->spans += mask_mix(type, text, size);
    for (MD_SIZE i = 0; i < size && !self->has_text; i++)
        self->has_text = !mask_is_space(text[i]);
    /* md4c passes line breaks and indentation in strings of its own */
    if (text >= self->text && text < self->text + self->scanner->size)
        memset(self->scanner->classes + (text - self->text), class, size);
    return 0;
}

void mask_markdown_read(struct mask_scanner *self)
{
    static const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = read_text,
    };
    char *text = arena_strndup(self->arena, self->text, self->size);
    struct reader reader = {.scanner = self, .text = text};

    /* letters instead of placeholders, so that Markdown reads each as a word */
    for (size_t at = 0, size; at < self->size; at += MAX(size, (size_t)1)) {
        size = mask_placeholder(self, at);
        memset(text + at, 'x', size);
    }
    if (md_parse(text, (MD_SIZE)self->size, &parser, &reader) != 0)
        log_die("mask", "out of memory");
}

static bool is_line_end(const struct mask_scanner *self, size_t at)
{
    return at >= self->size || self->text[at] == '\n' || self->text[at] == '\r';
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

/* Measures "> ", "- ", "* ", "+ ", "12. ", "3) ", also with a task's "[x] ". */
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

size_t mask_line_start(const struct mask_scanner *self, size_t at)
{
    size_t end = at, size = 1;
    bool prose = false;

    for (; !is_line_end(self, end) && !prose; end++)
        prose = self->classes[end] == CLASS_PROSE && !mask_is_blank(self->text[end]);
    if (!prose)
        return end - at;
    end = at;
    for (size_t i = 0; i < MARKERS_MAX && size > 0 && !is_line_end(self, end); i++) {
        size = item_marker(self, end);
        end += size;
    }
    return end + heading(self, end) - at;
}

/* ---- within a line ---- */

/* Takes linear time, because a text has at most one unmatched run per length up to
 * CODE_TICKS_MAX. */
size_t mask_code(const struct mask_scanner *self, size_t at)
{
    size_t ticks = run_of(self, at), end = at + ticks;
    /* md4c sees no code in HTML, but backticks on one line can mean it */
    bool one_line = self->classes[at] == CLASS_PROSE && ticks < FENCE_MIN;

    while (ticks <= CODE_TICKS_MAX && end < self->size) {
        size_t run = self->text[end] == '`' ? run_of(self, end) : 0;

        if (run == ticks)
            return end + run - at;
        if (is_line_end(self, end) &&
            (one_line || is_line_end(self, end + 1 + blanks(self, end + 1))))
            break;
        end += MAX(run, (size_t)1);
    }
    return 0;
}

static size_t title_end(const struct mask_scanner *self, size_t at)
{
    size_t end = at + 1;

    while (end < self->size && self->text[end] != self->text[at] &&
           self->classes[end] == CLASS_SYNTAX)
        end += self->text[end] == '\\' ? 2 : 1;
    return end + 1;
}

/* Measures "(target "title")" or "[label]" after "]". */
size_t mask_link_end(const struct mask_scanner *self, size_t at)
{
    char last = mask_at(self, at + 1) == '[' ? ']' : ')';
    uint8_t class = self->classes[at];
    size_t end = at + 1, depth = 0;

    if (mask_at(self, end) != '[' && mask_at(self, end) != '(')
        return 0;
    while (end < self->size && self->classes[end] == class && depth <= LINK_DEPTH_MAX &&
           end - at <= LABEL_MAX) {
        char c = self->text[end];

        depth += c == self->text[at + 1];
        if (c == last && --depth == 0)
            return end + 1 - at;
        if (class == CLASS_PROSE &&
            (is_line_end(self, end) || c == '<' || (last == ')' && mask_is_blank(c))))
            return 0;
        if (last == ')' && (c == '"' || c == '\'') && mask_is_space(self->text[end - 1]))
            end = title_end(self, end);
        else
            end += c == '\\' ? 2 : 1;
    }
    return 0;
}

/* A label is also the reference in "[label]" and "[label][]". */
size_t mask_reference(const struct mask_scanner *self, size_t at)
{
    size_t end = at + 1, rest;

    if (self->classes[at] != CLASS_SYNTAX)
        return 0;
    while (end < self->size && !strchr("[]", self->text[end]) && end - at <= LABEL_MAX)
        end += self->text[end] == '\\' ? 2 : 1;
    if (mask_at(self, end) != ']' || self->classes[end] != CLASS_SYNTAX)
        return 0;
    rest = mask_link_end(self, end);
    if (rest > strlen("][]") || (rest > 0 && self->text[end + 1] == '('))
        return 0;
    return end + MAX(rest, (size_t)1) - at;
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
    return (struct mask_found){.size = size,
                               .kind = closes  ? MASK_CLOSE
                                       : opens ? MASK_OPEN
                                               : MASK_ATOM,
                               .name = self->text + at,
                               .name_size = size};
}

/* ---- URLs and email addresses ---- */

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

/* Excludes punctuation that belongs to the sentence. */
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
        else if (last == ')' || !strchr(".,;:!?'\"*_~", last))
            break;
    }
    return end;
}

static size_t url(struct mask_scanner *self, size_t at)
{
    static const char *const starts[] = {"https://", "http://", "ftp://",
                                         "mailto:",  "tel:",    "www."};
    size_t end = at, length = 0, open = 0, bracket = 0, placeholder;

    for (size_t i = 0; i < ARRAY_SIZE(starts) && length == 0; i++)
        if (strncasecmp(self->text + at, starts[i], strlen(starts[i])) == 0)
            length = strlen(starts[i]);
    if (length == 0)
        return 0;
    for (end += length; end < self->size; end += MAX(placeholder, (size_t)1)) {
        char c = self->text[end];

        placeholder = mask_placeholder(self, end);
        if (placeholder > 0)
            continue;
        if (strchr(" \t\r\n<>\"`|\\^", c) || self->classes[end] == CLASS_SYNTAX ||
            (c == ']' && open == 0) || open == LINK_DEPTH_MAX)
            break;
        if (c == '[' && open == 0)
            bracket = end;
        open = open + (c == '[') - (c == ']');
    }
    end = trim_url(self, at, open > 0 ? bracket : end);
    return end > at + length ? end - at : 0;
}

size_t mask_address(struct mask_scanner *self, size_t at)
{
    size_t size = 0;

    if (at == 0 || !mask_is_word(self->text[at - 1]))
        size = url(self, at);
    return size > 0 ? size : email(self, at);
}
