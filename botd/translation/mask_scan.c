/*
 * mask_scan.c - cuts a text into what is to be translated and what is not.  See mask.h and
 * mask_private.h.
 */
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "botd/translation/mask_private.h"

enum { ATTRIBUTES_BYTES = 4 }; /* looked at in tags that do not end, for each byte of the text */

static struct mask_piece *piece_at(const struct mask_scanner *self, size_t index)
{
    return (struct mask_piece *)(void *)self->pieces.bytes + index;
}

static size_t piece_count(const struct mask_scanner *self)
{
    return self->pieces.size / sizeof(struct mask_piece);
}

static void add(struct mask_scanner *self, size_t start, size_t size, enum mask_kind kind,
                bool ends_sentence)
{
    struct mask_piece piece = {start, size, kind, ends_sentence, SIZE_MAX};

    if (size > 0)
        codec_write(&self->pieces, (const char *)&piece, sizeof(piece));
}

/* What is neither markup nor cut off yet, its blanks apart. */
static void add_text(struct mask_scanner *self)
{
    size_t start = self->text_start, end = self->at;

    while (start < end && mask_is_blank(self->text[start]))
        start++;
    while (end > start && mask_is_blank(self->text[end - 1]))
        end--;
    add(self, self->text_start, start - self->text_start, MASK_SPACE, false);
    add(self, start, end - start, MASK_TEXT, false);
    add(self, end, self->at - end, MASK_SPACE, false);
}

/* `size` bytes from here on are a mark. */
static void mark(struct mask_scanner *self, size_t size, enum mask_kind kind, bool ends_sentence)
{
    add_text(self);
    add(self, self->at, size, kind, ends_sentence);
    self->at += size;
    self->text_start = self->at;
}

/* ---- pairs ---- */

static void mark_open(struct mask_scanner *self, size_t size, const char *name, size_t name_size,
                      bool markdown)
{
    mark(self, size, MASK_ATOM, false); /* until its end is found */
    if (self->depth < MASK_DEPTH_MAX)
        self->opened[self->depth++] =
            (struct mask_opened){piece_count(self) - 1, name, name_size, markdown};
}

/* Whether something of that name is open; what was opened within it and never closed is no pair
 * then. */
static bool mark_close(struct mask_scanner *self, size_t size, const char *name, size_t name_size,
                       bool markdown)
{
    size_t depth = self->depth;

    while (depth > 0) {
        const struct mask_opened *opened = &self->opened[--depth];

        if (opened->markdown != markdown || opened->name_size != name_size ||
            strncasecmp(opened->name, name, name_size) != 0)
            continue;
        self->depth = depth;
        mark(self, size, MASK_CLOSE, false);
        piece_at(self, opened->piece)->kind = MASK_OPEN;
        piece_at(self, opened->piece)->partner = piece_count(self) - 1;
        piece_at(self, piece_count(self) - 1)->partner = opened->piece;
        return true;
    }
    return false;
}

/* Markdown does not reach from one block into another. */
static void end_block(struct mask_scanner *self)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->depth; i++)
        if (!self->opened[i].markdown)
            self->opened[kept++] = self->opened[i];
    self->depth = kept;
}

/* ---- what stands where ---- */

/* Blanks: with a line break among them they are a mark, and so is what introduces the next line. */
static void scan_space(struct mask_scanner *self)
{
    size_t end = self->at, lines = 0, marker;

    while (mask_is_space(mask_at(self, end)))
        lines += self->text[end++] == '\n';
    if (lines == 0 && !memchr(self->text + self->at, '\r', end - self->at)) {
        self->at = end;
        return;
    }
    /* the indentation is the marker's */
    while (mask_is_blank(self->text[end - 1]))
        end--;
    marker = mask_line_start(self, end);
    mark(self, end + marker - self->at, MASK_BREAK, lines > 1 || marker > 0);
    if (lines > 1 || marker > 0)
        end_block(self);
}

static void scan_variable(struct mask_scanner *self)
{
    size_t size = mask_variable(self, self->at), name_size = 0;
    const char *name = self->text + self->at + 3;

    if (size == 0) {
        self->at++;
        return;
    }
    while (3 + name_size < size && mask_is_word(name[name_size]))
        name_size++;
    /* {{#each items}} ... {{/each}} */
    if (name[-1] == '#')
        mark_open(self, size, name, name_size, false);
    else if (name[-1] != '/' || !mark_close(self, size, name, name_size, false))
        mark(self, size, MASK_ATOM, false);
}

static void scan_tag(struct mask_scanner *self)
{
    struct mask_found tag = mask_html_tag(self, self->at);

    if (tag.size == 0)
        self->at++;
    else if (tag.kind == MASK_OPEN)
        mark_open(self, tag.size, tag.name, tag.name_size, false);
    else if (tag.kind != MASK_CLOSE || !mark_close(self, tag.size, tag.name, tag.name_size, false))
        mark(self, tag.size, tag.kind == MASK_CLOSE ? MASK_ATOM : tag.kind, tag.ends_sentence);
}

static void scan_emphasis(struct mask_scanner *self)
{
    struct mask_found run = mask_emphasis(self, self->at);

    if (run.kind == MASK_TEXT)
        self->at += run.size;
    else if (run.kind == MASK_ATOM)
        mark(self, run.size, MASK_ATOM, false);
    else if (run.kind != MASK_CLOSE || !mark_close(self, run.size, run.name, run.name_size, true))
        mark_open(self, run.size, run.name, run.name_size, true);
}

static void scan_bracket(struct mask_scanner *self)
{
    size_t image = self->text[self->at] == '!' ? 1 : 0, size;

    if (self->text[self->at] == ']') {
        size = mask_link_end(self, self->at);
        if (size == 0 || !mark_close(self, size, "[", 1, true))
            mark(self, MAX(size, (size_t)1), MASK_ATOM, false);
    } else if (image && mask_at(self, self->at + 1) != '[') {
        self->at++;
    } else if ((size = mask_footnote(self, self->at)) > 0) {
        mark(self, size, MASK_ATOM, false);
    } else {
        mark_open(self, image + 1, "[", 1, true);
    }
}

static void scan_code(struct mask_scanner *self)
{
    size_t size = mask_code(self, self->at);

    if (size == 0) /* it begins nothing */
        while (mask_at(self, self->at + size) == '`')
            size++;
    mark(self, size, MASK_ATOM, false);
}

static void scan_word(struct mask_scanner *self)
{
    size_t size = mask_address(self, self->at);

    if (size > 0) {
        mark(self, size, MASK_ATOM, false);
        return;
    }
    while (mask_is_word(mask_at(self, self->at)))
        self->at++;
}

static void mark_or_skip(struct mask_scanner *self, size_t size)
{
    if (size > 0)
        mark(self, size, MASK_ATOM, false);
    else
        self->at++;
}

static void scan_one(struct mask_scanner *self)
{
    static const char escapable[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    char c = self->text[self->at], next = mask_at(self, self->at + 1);

    if (mask_is_word(c))
        scan_word(self);
    else if (mask_is_space(c))
        scan_space(self);
    else if (c == '{')
        scan_variable(self);
    else if (c == '<')
        scan_tag(self);
    else if (c == '&')
        mark_or_skip(self, mask_html_entity(self, self->at));
    else if (c == '`')
        scan_code(self);
    else if (c == '[' || c == ']' || c == '!')
        scan_bracket(self);
    else if (c == '*' || c == '_' || c == '~' || c == '=')
        scan_emphasis(self);
    else if (c == '|')
        mark(self, 1, MASK_BREAK, true);
    else
        mark_or_skip(self, c == '\\' && next != '\0' && strchr(escapable, next) ? 2 : 0);
}

/* Soft hyphens are none, and all that translators make of them is nothing. */
static bool has_letters(const char *text, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        if (size - at >= 2 && memcmp(text + at, "\xc2\xad", 2) == 0)
            at++;
        else if (mask_is_letter(text[at]))
            return true;
    }
    return false;
}

/* Blanks at the edges and beside the border of a block stay where they are; the rest may move with
 * the words. */
static void finish(struct mask *self)
{
    for (size_t i = 0; i < self->count; i++) {
        struct mask_piece *piece = &self->pieces[i];
        bool border = i == 0 || i + 1 == self->count || piece[-1].kind == MASK_BREAK ||
                      piece[1].kind == MASK_BREAK;

        if (piece->kind == MASK_SPACE && border)
            piece->kind = MASK_BREAK;
        if (piece->kind != MASK_TEXT)
            continue;
        self->texts++;
        self->translatable =
            self->translatable || has_letters(self->text + piece->start, piece->size);
    }
}

struct mask mask_scan(struct arena *arena, const char *text)
{
    struct mask_scanner scanner = {.text = text, .size = strlen(text), .arena = arena};
    struct mask self = {.text = text, .size = scanner.size};

    codec_buffer_init(&scanner.pieces, arena);
    for (size_t i = 0; i < END_COUNT; i++)
        scanner.none_from[i] = SIZE_MAX;
    scanner.attribute_bytes = ATTRIBUTES_BYTES * scanner.size;
    mark(&scanner, mask_line_start(&scanner, 0), MASK_BREAK, true);
    while (scanner.at < scanner.size)
        scan_one(&scanner);
    add_text(&scanner);
    self.pieces = (struct mask_piece *)(void *)scanner.pieces.bytes;
    self.count = piece_count(&scanner);
    finish(&self);
    return self;
}

struct mask mask_plain(struct arena *arena, const char *text)
{
    struct mask self = {.text = text, .size = strlen(text), .count = 1, .part = true};

    self.pieces = arena_calloc(arena, 1, sizeof(*self.pieces));
    self.pieces[0] = (struct mask_piece){.size = self.size, .kind = MASK_TEXT};
    finish(&self);
    return self;
}
