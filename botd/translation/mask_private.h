/*
 * mask_private.h - shared by the scanner: mask_scan.c walks through a text; the others measure
 * markup at a place, in linear time (see mask_find()).
 */
#ifndef ATRIUM_BOTD_TRANSLATION_MASK_PRIVATE_H
#define ATRIUM_BOTD_TRANSLATION_MASK_PRIVATE_H

#include "botd/translation/mask.h"
#include "common/wire/codec.h"

enum mask_end {
    END_BRACES2,
    END_BRACES3,
    END_STATEMENT,
    END_COMMENT,
    END_COMMENT_BANG,
    END_CDATA,
    END_INSTRUCTION,
    END_ANGLE,
    END_RAW, /* and one more for each raw element */
    END_COUNT = END_RAW + 20,
};

enum mask_class {
    CLASS_SYNTAX, /* never translated */
    CLASS_PROSE,  /* includes HTML and entities */
    CLASS_CODE,
    CLASS_INDENTED, /* indented code, which can be ordinary HTML */
};

enum {
    MASK_DEPTH_MAX = 32, /* nesting of pairs; deeper ones are not paired */
    MASK_KEPT_MAX = 8,   /* nesting of translate attributes */
};

struct mask_opened {
    size_t piece;
    const char *name; /* "b" for <b>, "**" */
    size_t name_size;
    bool markdown; /* Markdown markup, which only its own block can close */
};

struct mask_kept {
    const char *name;
    size_t name_size, depth; /* nested elements with that name, plus itself */
    bool keep;
};

struct mask_scanner {
    const char *text;
    uint8_t *classes; /* enum mask_class per byte */
    size_t size, at;
    size_t text_start; /* where the text not yet cut starts */
    struct arena *arena;
    struct codec_buffer pieces;
    struct mask_opened opened[MASK_DEPTH_MAX];
    size_t depth;
    size_t none_from[END_COUNT]; /* from this place on, the text has no end of this kind */
    size_t attribute_bytes;      /* left for unfinished tags */
    size_t containers;           /* open elements that need an end tag: <div>, <table> */
    struct mask_kept kept[MASK_KEPT_MAX];
    size_t kept_depth, kept_start; /* kept_start: where the untranslated stretch begins */
    bool kept_whole;               /* the stretch is one inline element */
    uint64_t structure;            /* Markdown's part of the hash in mask.h */
};

/* Markup at a place; `size` 0: none. */
struct mask_found {
    size_t size;
    enum mask_kind kind;
    bool ends_sentence;
    const char *name; /* HTML tags */
    size_t name_size;
    enum { TAG_NONE, TAG_START, TAG_END } tag; /* tag of an element with content */
    bool container;                            /* needs an end tag */
    enum tristate translate;                   /* translate attribute of a START */
};

/* Returns the end of the next `end`, ignoring case; 0: none. Remembers a failed search. */
size_t mask_find(struct mask_scanner *self, enum mask_end which, const char *end, size_t from);

/* Measures {{name}}, {{{name}}}, {% if %}, ${name}, %{name}, {name}, {n, plural, ...}, %s or
 * %1$s. */
size_t mask_placeholder(struct mask_scanner *self, size_t at);

/* Measures a tag, comment or raw element at '<', or an entity at '&'. */
struct mask_found mask_html_tag(struct mask_scanner *self, size_t at);
size_t mask_html_entity(const struct mask_scanner *self, size_t at);

/* Fills `classes` and `structure`. */
void mask_markdown_read(struct mask_scanner *self);

/* Measures a line's prefix, or the whole line if it has no prose. */
size_t mask_line_start(const struct mask_scanner *self, size_t at);

/* Measures code at '`', the rest of a link at ']', "[label]" of a footnote or reference at '['. */
size_t mask_code(const struct mask_scanner *self, size_t at);
size_t mask_link_end(const struct mask_scanner *self, size_t at);
size_t mask_reference(const struct mask_scanner *self, size_t at);
size_t mask_footnote(const struct mask_scanner *self, size_t at);

/* Reads a run of * _ ~ or =. ATOM: kept; TEXT: no markup. */
struct mask_found mask_emphasis(const struct mask_scanner *self, size_t at);

/* Measures a URL or an email address. */
size_t mask_address(struct mask_scanner *self, size_t at);

/* Returns '\0' outside the text. */
static inline char mask_at(const struct mask_scanner *self, size_t at)
{
    return at < self->size ? self->text[at] : '\0';
}

/* Combines bytes; their order counts. */
static inline uint64_t mask_mix(uint64_t sum, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (uint8_t)bytes[i]) * 0x100000001b3;
    return ((sum ^ sum >> 29) + 1) * 0x9e3779b97f4a7c15;
}

static inline bool mask_is_letter(char c) /* includes all non-ASCII bytes */
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}
static inline bool mask_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool mask_is_word(char c)
{
    return mask_is_letter(c) || mask_is_digit(c);
}
static inline bool mask_is_blank(char c)
{
    return c == ' ' || c == '\t';
}
static inline bool mask_is_space(char c)
{
    return mask_is_blank(c) || c == '\n' || c == '\r';
}

#endif
