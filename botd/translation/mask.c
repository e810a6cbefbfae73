/* mask.c - see mask.h. mask_scan.c cuts the text. */
#include "botd/translation/mask.h"

#include <stdlib.h>
#include <string.h>

#include "common/wire/codec.h"

/* A piece, or neighboring BREAKs, shown as one <xN/>. */
struct mark {
    size_t piece, pieces;
    enum mask_kind kind;
    size_t block, partner; /* partner: mark of an OPEN or CLOSE */
    bool filled;           /* OPEN: contains text */
    bool loose;            /* OPEN, CLOSE: a blank is on its inner side */
    bool used;             /* found in the answer */
    size_t texts;          /* OPEN: texts before it in the answer */
};

static const char *bytes_of(const struct mask *self, const struct mask_piece *piece)
{
    return self->text + piece->start;
}

static void write_text(struct codec_buffer *out, const char *text)
{
    codec_write(out, text, strlen(text));
}

static const char *finished(struct codec_buffer *out)
{
    codec_write(out, "", 1);
    return (const char *)out->bytes;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- comparing the result with the source ---- */

struct span {
    const char *bytes;
    size_t size;
};

static int compare_spans(const void *a, const void *b)
{
    const struct span *one = a, *other = b;
    int order = memcmp(one->bytes, other->bytes, MIN(one->size, other->size));

    return order != 0 ? order : (one->size > other->size) - (one->size < other->size);
}

static struct span *spans_of(struct arena *arena, const struct mask *self, size_t *ret_count)
{
    struct span *spans = arena_calloc(arena, self->count, sizeof(*spans));

    *ret_count = 0;
    for (size_t i = 0; i < self->count; i++) {
        struct span span = {bytes_of(self, &self->pieces[i]), self->pieces[i].size};

        if (self->pieces[i].kind != MASK_TEXT && self->pieces[i].kind != MASK_SPACE &&
            strspn(span.bytes, " \t") < span.size)
            spans[(*ret_count)++] = span;
    }
    qsort(spans, *ret_count, sizeof(*spans), compare_spans);
    return spans;
}

static bool has_same_markup(struct arena *arena, const struct mask *self, const char *text)
{
    struct mask other;
    size_t count, other_count;
    struct span *spans, *others;

    if (self->part)
        return true;
    other = mask_scan(arena, text);
    spans = spans_of(arena, self, &count);
    others = spans_of(arena, &other, &other_count);
    if (count != other_count || self->structure != other.structure)
        return false;
    for (size_t i = 0; i < count; i++)
        if (compare_spans(&spans[i], &others[i]) != 0)
            return false;
    return true;
}

/* ---- stretch by stretch ---- */

const char **mask_texts(struct arena *arena, const struct mask *self)
{
    const char **texts = arena_calloc(arena, self->texts + 1, sizeof(*texts));
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++)
        if (self->pieces[i].kind == MASK_TEXT)
            texts[count++] =
                arena_strndup(arena, bytes_of(self, &self->pieces[i]), self->pieces[i].size);
    return texts;
}

/* True when a pair or a block has lost its text. */
static bool empties_some(struct arena *arena, const struct mask *self, const char *const *texts)
{
    size_t *source = arena_calloc(arena, self->count + 1, sizeof(*source));
    size_t *result = arena_calloc(
        arena, self->count + 1, sizeof(*result)); /* number of non-empty texts before each piece */
    size_t text = 0, start = 0;

    for (size_t i = 0; i < self->count; i++) {
        bool is_text = self->pieces[i].kind == MASK_TEXT;

        source[i + 1] = source[i] + is_text;
        result[i + 1] = result[i] + (is_text && texts[text++][0] != '\0');
    }
    for (size_t i = 0; i <= self->count && !self->part; i++) {
        bool block = i == self->count || self->pieces[i].kind == MASK_BREAK;
        size_t end = block ? i : self->pieces[i].partner;
        size_t from = block ? start : i;

        if (block)
            start = i;
        if ((block || self->pieces[i].kind == MASK_OPEN) && source[end] > source[from] &&
            result[end] == result[from])
            return true;
    }
    return false;
}

int mask_join(struct arena *arena, const struct mask *self, const char *const *texts,
              const char **ret)
{
    struct codec_buffer out;
    size_t text = 0;

    if (empties_some(arena, self, texts))
        return -1;
    codec_buffer_init(&out, arena);
    for (size_t i = 0; i < self->count; i++) {
        if (self->pieces[i].kind == MASK_TEXT)
            write_text(&out, texts[text++]);
        else
            codec_write(&out, bytes_of(self, &self->pieces[i]), self->pieces[i].size);
    }
    *ret = finished(&out);
    return has_same_markup(arena, self, *ret) ? 0 : -1;
}

static bool has_doubled_blanks(const struct mask *self, const struct mask_piece *piece)
{
    const char *text = bytes_of(self, piece);

    for (size_t i = 1; i < piece->size; i++)
        if (is_blank(text[i]) && is_blank(text[i - 1]))
            return true;
    return false;
}

/* Merges double blanks of dropped words, unless the source has some (`doubled`), and trims. */
static void tidy(char *text, bool doubled)
{
    size_t kept = 0;

    for (size_t i = strspn(text, " \t\r\n"); text[i] != '\0'; i++) {
        if (is_blank(text[i]) && !doubled && kept > 0 && is_blank(text[kept - 1]))
            continue;
        text[kept++] = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
    }
    while (kept > 0 && is_blank(text[kept - 1]))
        kept--;
    text[kept] = '\0';
}

/* ---- superblanks: [0] [1], and escapes ---- */

/* Skips neighboring marks; *ret: a sentence ends there. */
static size_t gap_end(const struct mask *self, size_t at, bool *ret_ends_sentence)
{
    *ret_ends_sentence = false;
    while (at < self->count && self->pieces[at].kind != MASK_TEXT)
        *ret_ends_sentence = self->pieces[at++].ends_sentence || *ret_ends_sentence;
    return at;
}

static void write_stream(struct codec_buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (strchr("[]{}^$/\\@<>", text[i]))
            codec_write(out, "\\", 1);
        codec_write(out, text + i, 1);
    }
}

/* Adds a full stop, marked [.], to headings and list items. The last [] ends the text. */
static const char *render_superblanks(struct arena *arena, const struct mask *self)
{
    struct codec_buffer out;
    size_t gap = 0;
    bool ends;

    codec_buffer_init(&out, arena);
    for (size_t i = 0; i < self->count;) {
        const struct mask_piece *piece = &self->pieces[i];

        if (piece->kind == MASK_TEXT) {
            write_stream(&out, bytes_of(self, piece), piece->size);
            i++;
            continue;
        }
        i = gap_end(self, i, &ends);
        if (ends)
            write_text(&out, "[.].");
        write_text(&out, arena_printf(arena, "[%zu]", gap++));
    }
    write_text(&out, "[.].[]");
    return finished(&out);
}

static char *take_stream(struct arena *arena, const char **at)
{
    const char *end = *at;
    char *text, *to;

    while (*end != '\0' && *end != '[')
        end += *end == '\\' && end[1] != '\0' ? 2 : 1;
    text = to = arena_alloc_raw(arena, (size_t)(end - *at) + 1);
    while (*at < end) {
        *at += **at == '\\' && *at + 1 < end;
        *to++ = *(*at)++;
    }
    *to = '\0';
    return text;
}

/* Accepts this superblank, optionally after an added full stop. */
static int take_superblank(const char **at, const char *want)
{
    size_t length = strlen(want);

    *at += strspn(*at, " \t\n");
    if (strncmp(*at, "[.]", 3) == 0) {
        *at += 3;
        *at += strspn(*at, " \t\n");
        *at += **at == '.';
        *at += strspn(*at, " \t\n");
    }
    if (strncmp(*at, want, length) != 0)
        return -1;
    *at += length;
    return 0;
}

static int restore_superblanks(struct arena *arena, const struct mask *self, const char *answer,
                               const char **ret)
{
    const char **texts = arena_calloc(arena, self->texts + 1, sizeof(*texts));
    size_t gap = 0, count = 0;
    bool ends;

    for (size_t i = 0; i < self->count;) {
        const struct mask_piece *piece = &self->pieces[i];

        if (piece->kind == MASK_TEXT) {
            char *text = take_stream(arena, &answer);

            tidy(text, has_doubled_blanks(self, piece));
            texts[count++] = text;
            i++;
            continue;
        }
        i = gap_end(self, i, &ends);
        if (take_superblank(&answer, arena_printf(arena, "[%zu]", gap++)) < 0)
            return -1;
    }
    if (take_superblank(&answer, "[]") < 0 || answer[strspn(answer, " \t\n")] != '\0')
        return -1;
    return mask_join(arena, self, texts, ret);
}

/* ---- elements: <x0/> <x1/> ---- */

struct marks {
    struct mark *items;
    size_t count;
    bool *filled; /* per block: contains text */
};

static bool is_loose(const struct mask *self, size_t i)
{
    size_t inner = self->pieces[i].kind == MASK_CLOSE ? i - 1 : i + 1;

    return inner < self->count && self->pieces[inner].kind == MASK_SPACE;
}

static struct marks marks_of(struct arena *arena, const struct mask *self)
{
    struct marks marks = {.items = arena_calloc(arena, self->count + 1, sizeof(struct mark)),
                          .filled = arena_calloc(arena, self->count + 2, sizeof(bool))};
    size_t *mark_of = arena_calloc(arena, self->count + 1, sizeof(*mark_of)), block = 0;

    for (size_t i = 0; i < self->count; i++) {
        enum mask_kind kind = self->pieces[i].kind;
        struct mark *last = marks.count > 0 ? &marks.items[marks.count - 1] : NULL;

        marks.filled[block] = marks.filled[block] || kind == MASK_TEXT;
        if (kind == MASK_TEXT || kind == MASK_SPACE)
            continue;
        if (kind == MASK_BREAK && last && last->kind == MASK_BREAK &&
            last->piece + last->pieces == i) {
            last->pieces++;
            continue;
        }
        block += kind == MASK_BREAK;
        mark_of[i] = marks.count;
        marks.items[marks.count++] = (struct mark){
            .piece = i, .pieces = 1, .kind = kind, .block = block, .loose = is_loose(self, i)};
        if (kind != MASK_CLOSE)
            continue;
        last = &marks.items[mark_of[self->pieces[i].partner]];
        last->partner = marks.count - 1;
        marks.items[marks.count - 1].partner = (size_t)(last - marks.items);
        for (size_t at = last->piece; at < i && !last->filled; at++)
            last->filled = self->pieces[at].kind == MASK_TEXT;
    }
    return marks;
}

static void write_element_text(struct codec_buffer *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '&')
            write_text(out, "&amp;");
        else if (text[i] == '<')
            write_text(out, "&lt;");
        else if (text[i] == '>')
            write_text(out, "&gt;");
        else
            codec_write(out, text + i, 1);
    }
}

static const char *render_elements(struct arena *arena, const struct mask *self)
{
    struct marks marks = marks_of(arena, self);
    struct codec_buffer out;
    size_t mark = 0;

    codec_buffer_init(&out, arena);
    for (size_t i = 0; i < self->count; i++) {
        const struct mask_piece *piece = &self->pieces[i];

        if (piece->kind == MASK_TEXT) {
            write_element_text(&out, bytes_of(self, piece), piece->size);
        } else if (piece->kind == MASK_SPACE) {
            write_text(&out, " ");
        } else {
            write_text(&out, arena_printf(arena, "<x%zu/>", mark));
            i += marks.items[mark++].pieces - 1;
        }
    }
    return finished(&out);
}

/* Parses <x7/>, <x7> or <X7 />; 0: none. `end_tag`: </x7>. */
static size_t element_at(const char *text, bool end_tag, size_t *ret_number)
{
    const char *at = text + 1 + end_tag;
    char *end;

    if (text[0] != '<' || (text[1] == '/') != end_tag || (*at != 'x' && *at != 'X') ||
        at[1] < '0' || at[1] > '9')
        return 0;
    *ret_number = strtoul(at + 1, &end, 10);
    end += strspn(end, " ");
    end += *end == '/';
    return *end == '>' ? (size_t)(end + 1 - text) : 0;
}

static size_t entity_at(const char *text, char *ret)
{
    static const struct {
        const char *entity;
        char plain;
    } entities[] = {
        {"&amp;", '&'},  {"&lt;", '<'},   {"&gt;", '>'},
        {"&quot;", '"'}, {"&#39;", '\''}, {"&#x27;", '\''},
    };

    for (size_t i = 0; i < ARRAY_SIZE(entities); i++) {
        if (strncmp(text, entities[i].entity, strlen(entities[i].entity)) == 0) {
            *ret = entities[i].plain;
            return strlen(entities[i].entity);
        }
    }
    return 0;
}

/* True for "<x7" or "</x7", which a text contains as "&lt;x7". */
static bool begins_element(const char *text)
{
    const char *at = text + 1 + (text[0] != '\0' && text[1] == '/');

    return text[0] == '<' && (*at == 'x' || *at == 'X') && at[1] >= '0' && at[1] <= '9';
}

/* Takes the text before the next element; NULL if an element is unfinished. */
static char *take_element_text(struct arena *arena, const char **at)
{
    const char *end = *at;
    size_t number;
    char *text, *to;

    while (*end != '\0' && element_at(end, false, &number) == 0 &&
           element_at(end, true, &number) == 0) {
        if (begins_element(end))
            return NULL;
        end++;
    }
    text = to = arena_alloc_raw(arena, (size_t)(end - *at) + 1);
    while (*at < end) {
        size_t size;

        *to = **at;
        size = entity_at(*at, to++);
        *at += MAX(size, (size_t)1);
    }
    *to = '\0';
    return text;
}

struct reading {
    const struct mask *mask;
    struct marks marks;
    struct codec_buffer out;
    size_t *open; /* unclosed OPEN marks */
    size_t depth, block, texts, used;
    size_t block_texts;
    const struct mark *last; /* NULL after anything but blanks */
    bool doubled;            /* the source has double blanks */
};

static bool is_filled_alike(const struct reading *self)
{
    return self->marks.filled[self->block] == (self->texts > self->block_texts);
}

static int read_mark(struct reading *self, size_t number)
{
    struct mark *mark = number < self->marks.count ? &self->marks.items[number] : NULL;
    const struct mask_piece *piece;

    if (!mark || mark->used)
        return -1;
    if (mark->block != self->block + (mark->kind == MASK_BREAK))
        return -1;
    if (mark->kind == MASK_BREAK) {
        if (!is_filled_alike(self))
            return -1;
        self->block_texts = self->texts;
    } else if (mark->kind == MASK_OPEN) {
        mark->texts = self->texts;
        self->open[self->depth++] = number;
    } else if (mark->kind == MASK_CLOSE) {
        if (self->depth == 0 || self->open[--self->depth] != mark->partner)
            return -1;
        if (self->marks.items[mark->partner].filled !=
            (self->marks.items[mark->partner].texts < self->texts))
            return -1;
    }
    self->block = mark->block;
    mark->used = true;
    self->used++;
    self->last = mark;
    piece = &self->mask->pieces[mark->piece];
    for (size_t i = 0; i < mark->pieces; i++)
        codec_write(&self->out, bytes_of(self->mask, &piece[i]), piece[i].size);
    return 0;
}

/* Writes the source's blanks beside a mark, or one. */
static void write_blanks(struct reading *self, const struct mark *mark, bool behind)
{
    size_t at = behind ? mark->piece + mark->pieces : mark->piece - 1;
    const struct mask_piece *piece = at < self->mask->count ? &self->mask->pieces[at] : NULL;

    if (piece && piece->kind == MASK_SPACE)
        codec_write(&self->out, bytes_of(self->mask, piece), piece->size);
    else
        write_text(&self->out, " ");
}

/* Reads a text of the answer. Where the source has no blank between a mark and its word, a blank
 * would change the meaning. */
static int read_text(struct reading *self, char *text, const struct mark *next)
{
    bool before = is_blank(text[0]), after;
    bool first = !self->last || self->last->kind == MASK_BREAK;
    bool last = !next || next->kind == MASK_BREAK;
    size_t length = strlen(text);

    after = length > 0 && is_blank(text[length - 1]);
    tidy(text, self->doubled);
    if (text[0] == '\0') {
        if ((before || after) && !first && !last)
            write_blanks(self, self->last, true);
        return 0;
    }
    if ((before && self->last && self->last->kind == MASK_OPEN && !self->last->loose) ||
        (after && next && next->kind == MASK_CLOSE && !next->loose))
        return -1;
    if (before && !first)
        write_blanks(self, self->last, true);
    write_text(&self->out, text);
    if (after && !last)
        write_blanks(self, next, false);
    self->texts++;
    self->last = NULL;
    return 0;
}

static int restore_elements(struct arena *arena, const struct mask *self, const char *answer,
                            const char **ret)
{
    struct reading reading = {.mask = self, .marks = marks_of(arena, self)};
    size_t number = 0, previous = SIZE_MAX, size;

    codec_buffer_init(&reading.out, arena);
    reading.open = arena_calloc(arena, reading.marks.count + 1, sizeof(*reading.open));
    for (size_t i = 0; i < self->count && !reading.doubled; i++)
        reading.doubled =
            self->pieces[i].kind == MASK_TEXT && has_doubled_blanks(self, &self->pieces[i]);
    while (*answer != '\0') {
        if ((size = element_at(answer, false, &number)) > 0) {
            if (read_mark(&reading, number) < 0)
                return -1;
            previous = number;
        } else if ((size = element_at(answer, true, &number)) > 0) {
            if (number != previous) /* HTML parsers write </x7> after an empty <x7> */
                return -1;
        } else {
            char *text = take_element_text(arena, &answer);
            size_t behind = element_at(answer, false, &number);

            if (!text ||
                read_text(&reading, text,
                          behind > 0 && number < reading.marks.count ? &reading.marks.items[number]
                                                                     : NULL) < 0)
                return -1;
            previous = SIZE_MAX;
        }
        answer += size;
    }
    if (reading.used != reading.marks.count || (!self->part && !is_filled_alike(&reading)))
        return -1;
    *ret = finished(&reading.out);
    return has_same_markup(arena, self, *ret) ? 0 : -1;
}

/* ---- both styles ---- */

const char *mask_render(struct arena *arena, const struct mask *self, enum mask_style style)
{
    return style == MASK_SUPERBLANK ? render_superblanks(arena, self)
                                    : render_elements(arena, self);
}

int mask_restore(struct arena *arena, const struct mask *self, enum mask_style style,
                 const char *answer, const char **ret)
{
    return style == MASK_SUPERBLANK ? restore_superblanks(arena, self, answer, ret)
                                    : restore_elements(arena, self, answer, ret);
}
