/*
 * mask_scan.c - cuts a text into pieces. See mask.h and mask_private.h.
 */
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "botd/translation/mask_private.h"

enum { ATTRIBUTES_BYTES = 4 }; /* limit of bytes read in unfinished tags, per byte of the text */

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
    struct mask_piece piece = {start, size, kind, ends_sentence, false, SIZE_MAX};

    if (size > 0)
        codec_write(&self->pieces, (const char *)&piece, sizeof(piece));
}

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
    mark(self, size, MASK_ATOM, false); /* an ATOM until its end is found */
    if (self->depth < MASK_DEPTH_MAX)
        self->opened[self->depth++] =
            (struct mask_opened){piece_count(self) - 1, name, name_size, markdown};
}

/* True when an element of that name is open. Everything opened inside it stays unpaired. */
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
        piece_at(self, opened->piece)->unpaired = false;
        piece_at(self, opened->piece)->partner = piece_count(self) - 1;
        piece_at(self, piece_count(self) - 1)->partner = opened->piece;
        return true;
    }
    return false;
}

/* Markdown spans end with their block. */
static void end_block(struct mask_scanner *self)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->depth; i++)
        if (!self->opened[i].markdown)
            self->opened[kept++] = self->opened[i];
    self->depth = kept;
}

/* ---- translate attributes ---- */

static bool is_kept(const struct mask_scanner *self)
{
    return self->kept_depth > 0 && self->kept[self->kept_depth - 1].keep;
}

static void mark_kept(struct mask_scanner *self, bool whole)
{
    size_t size = self->at - self->kept_start;

    self->at = self->kept_start;
    mark(self, size, whole ? MASK_ATOM : MASK_BREAK, false);
}

/* Tracks elements with a translate attribute, and nested ones with the same name. */
static void follow_kept(struct mask_scanner *self, const struct mask_found *tag)
{
    struct mask_kept *top = self->kept_depth > 0 ? &self->kept[self->kept_depth - 1] : NULL;

    if (top && tag->tag != TAG_NONE && tag->name_size == top->name_size &&
        strncasecmp(tag->name, top->name, top->name_size) == 0) {
        /* a paragraph ends the previous one */
        bool begins = tag->tag == TAG_START && strncasecmp(tag->name, "p", tag->name_size) != 0;

        top->depth += begins ? 1 : (size_t)-1;
        if (top->depth == 0)
            self->kept_depth--;
    }
    if (tag->tag == TAG_START && tag->translate != TRISTATE_UNSET &&
        is_kept(self) == (tag->translate == TRISTATE_TRUE) && self->kept_depth < MASK_KEPT_MAX)
        self->kept[self->kept_depth++] =
            (struct mask_kept){tag->name, tag->name_size, 1, tag->translate == TRISTATE_FALSE};
}

static void scan_kept(struct mask_scanner *self)
{
    size_t depth = self->kept_depth;
    struct mask_found tag;

    if (self->text[self->at] != '<') {
        self->at++;
        return;
    }
    tag = mask_html_tag(self, self->at);
    follow_kept(self, &tag);
    self->kept_whole = self->kept_whole && tag.kind != MASK_BREAK;
    self->at += MAX(tag.size, (size_t)1);
    if (is_kept(self))
        return;
    mark_kept(self, self->kept_whole && self->kept_depth < depth);
}

/* ---- pieces ---- */

/* A mark includes the next line's prefix. */
static void scan_space(struct mask_scanner *self)
{
    size_t end = self->at, lines = 0, marker;

    while (mask_is_space(mask_at(self, end)))
        lines += self->text[end++] == '\n';
    if (lines == 0 && !memchr(self->text + self->at, '\r', end - self->at)) {
        self->at = end;
        return;
    }
    if (self->containers > 0)
        for (size_t at = end; self->classes[at] == CLASS_INDENTED; at++)
            self->classes[at] = CLASS_PROSE;
    /* the indentation belongs to the marker */
    while (mask_is_blank(self->text[end - 1]))
        end--;
    marker = mask_line_start(self, end);
    mark(self, end + marker - self->at, MASK_BREAK, lines > 1 || marker > 0);
    if (lines > 1 || marker > 0)
        end_block(self);
}

static void scan_placeholder(struct mask_scanner *self)
{
    size_t size = mask_placeholder(self, self->at), name_size = 0;
    const char *name = self->text + self->at + 3;
    bool block = size > 4 && name[-2] == '{';

    if (size == 0) {
        self->at++;
        return;
    }
    while (block && 3 + name_size < size && mask_is_word(name[name_size]))
        name_size++;
    /* {{#each items}} ... {{/each}} */
    if (block && name[-1] == '#')
        mark_open(self, size, name, name_size, false);
    else if (!block || name[-1] != '/' || !mark_close(self, size, name, name_size, false))
        mark(self, size, block && name[-1] == '%' ? MASK_BREAK : MASK_ATOM, false);
}

static void scan_tag(struct mask_scanner *self)
{
    struct mask_found tag = mask_html_tag(self, self->at);
    size_t start = self->at;

    if (tag.size == 0) {
        self->structure += tag.tag != TAG_NONE; /* browsers drop the text from here on */
        self->at++;
        return;
    }
    follow_kept(self, &tag);
    if (is_kept(self)) {
        add_text(self);
        self->text_start = self->kept_start = start;
        self->kept_whole = tag.kind != MASK_BREAK;
        self->at += tag.size;
        return;
    }
    if (tag.container && tag.tag == TAG_START)
        self->containers++;
    else if (tag.container && self->containers > 0)
        self->containers--;
    if (tag.kind == MASK_OPEN)
        mark_open(self, tag.size, tag.name, tag.name_size, false);
    else if (tag.kind != MASK_CLOSE || !mark_close(self, tag.size, tag.name, tag.name_size, false))
        mark(self, tag.size, tag.kind == MASK_CLOSE ? MASK_ATOM : tag.kind, tag.ends_sentence);
    if (tag.kind == MASK_OPEN || tag.kind == MASK_CLOSE)
        piece_at(self, piece_count(self) - 1)->unpaired =
            piece_at(self, piece_count(self) - 1)->kind == MASK_ATOM;
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
    } else if ((size = mask_reference(self, self->at + image)) > 0) {
        mark(self, image + size, MASK_ATOM, false);
    } else if ((size = mask_footnote(self, self->at)) > 0) {
        mark(self, size, MASK_ATOM, false);
    } else {
        mark_open(self, image + 1, "[", 1, true);
    }
}

/* Browsers do not know escapes: an escaped tag is one mark. */
static void scan_escape(struct mask_scanner *self)
{
    static const char escapable[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    char next = mask_at(self, self->at + 1);
    size_t size = 0;

    if (next == '<')
        size = mask_html_tag(self, self->at + 1).size;
    else if (next == '&')
        size = mask_html_entity(self, self->at + 1);
    if (next != '\0' && strchr(escapable, next))
        mark(self, 1 + MAX(size, (size_t)1), size > 0 ? MASK_BREAK : MASK_ATOM, false);
    else if (self->classes[self->at] == CLASS_SYNTAX)
        mark(self, 1, MASK_BREAK, false);
    else
        self->at++;
}

static void scan_code(struct mask_scanner *self)
{
    size_t size = mask_code(self, self->at);

    if (size == 0)
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

static void scan_entity(struct mask_scanner *self)
{
    size_t size = mask_html_entity(self, self->at);

    if (size > 0)
        mark(self, size, MASK_ATOM, false);
    else
        self->at++;
}

static void scan_syntax(struct mask_scanner *self)
{
    uint8_t class = self->classes[self->at];
    size_t size = 0;

    do
        size++;
    while (self->at + size < self->size && self->classes[self->at + size] == class &&
           !strchr(" \t\r\n<&[]|*_~`\\{", self->text[self->at + size]));
    mark(self, size, class == CLASS_CODE ? MASK_ATOM : MASK_BREAK, false);
}

static void scan_one(struct mask_scanner *self)
{
    char c = self->text[self->at];
    bool prose = self->classes[self->at] == CLASS_PROSE;

    if (is_kept(self))
        scan_kept(self);
    else if (mask_is_space(c))
        scan_space(self);
    else if (!prose && !strchr("<[]!|*_~`\\{", c))
        scan_syntax(self);
    else if (mask_is_word(c))
        scan_word(self);
    else if (c == '{' || c == '$' || c == '%')
        scan_placeholder(self);
    else if (c == '<')
        scan_tag(self);
    else if (c == '&')
        scan_entity(self);
    else if (c == '`')
        scan_code(self);
    else if (c == '[' || c == ']' || c == '!')
        scan_bracket(self);
    else if (c == '*' || c == '_' || c == '~' || c == '=')
        scan_emphasis(self);
    else if (c == '|')
        mark(self, 1, MASK_BREAK, true);
    else if (c == '\\')
        scan_escape(self);
    else
        self->at++;
}

/* Soft hyphens are not letters. */
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

/* Blanks inside a block can move with the words. */
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

/* Pairs can be reordered, unless a tag is unpaired, a pair contains blocks, or there is a
 * comment. */
static uint64_t structure_of(const struct mask *self)
{
    uint64_t within[MASK_DEPTH_MAX + 1] = {0}, sum = 0, order = 0;
    size_t depth = 0;
    bool ordered = false, text = false;

    for (size_t i = 0; i < self->count; i++) {
        const struct mask_piece *piece = &self->pieces[i];
        const char *bytes = self->text + piece->start;
        bool tag = bytes[0] == '<';

        if (piece->kind == MASK_TEXT && !text)
            order = mask_mix(order, "", 0);
        text = piece->kind == MASK_TEXT || (text && !tag);
        if (piece->kind == MASK_TEXT || piece->kind == MASK_SPACE)
            continue;
        if (tag)
            order = mask_mix(order, bytes, piece->size);
        ordered = ordered || piece->unpaired ||
                  (tag && (bytes[1] == '!' || (depth > 0 && piece->kind == MASK_BREAK)));
        if (piece->kind == MASK_CLOSE)
            depth--;
        else if (piece->kind == MASK_OPEN || tag)
            sum += mask_mix(within[depth], bytes, piece->size);
        if (piece->kind == MASK_OPEN) {
            within[depth + 1] = mask_mix(within[depth], bytes, piece->size);
            depth++;
        }
    }
    return ordered ? sum + order : sum;
}

struct mask mask_scan(struct arena *arena, const char *text)
{
    struct mask_scanner scanner = {.text = text, .size = strlen(text), .arena = arena};
    struct mask self = {.text = text, .size = scanner.size};

    codec_buffer_init(&scanner.pieces, arena);
    for (size_t i = 0; i < END_COUNT; i++)
        scanner.none_from[i] = SIZE_MAX;
    scanner.attribute_bytes = ATTRIBUTES_BYTES * scanner.size;
    scanner.classes = arena_calloc(arena, scanner.size + 1, 1);
    mask_markdown_read(&scanner);
    mark(&scanner, mask_line_start(&scanner, 0), MASK_BREAK, true);
    while (scanner.at < scanner.size)
        scan_one(&scanner);
    if (is_kept(&scanner))
        mark_kept(&scanner, false);
    add_text(&scanner);
    self.pieces = (struct mask_piece *)(void *)scanner.pieces.bytes;
    self.count = piece_count(&scanner);
    finish(&self);
    self.structure = scanner.structure ^ structure_of(&self);
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
