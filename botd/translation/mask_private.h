/*
 * mask_private.h - between the files of the scanner: mask_scan.c goes through a text, mask_html.c
 * and mask_markdown.c say how long the markup at one place is.
 *
 * Linear time: code that looks ahead for an end that is not there remembers so (scan_find), or
 * looks at a bounded number of bytes.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_MASK_PRIVATE_H
#define ATRIUM_BOTD_TRANSLATION_MASK_PRIVATE_H

#include "botd/translation/mask.h"
#include "common/wire/codec.h"

/* Ends that are looked for. */
enum mask_end {
    END_BRACES2,
    END_BRACES3,
    END_COMMENT,
    END_CDATA,
    END_ANGLE,
    END_RAW, /* and one for each element of raw content */
    END_COUNT = END_RAW + 12,
};

enum { MASK_DEPTH_MAX = 32 }; /* pairs within each other; what is nested deeper is not paired */

struct mask_opened {
    size_t piece;
    const char *name; /* "b" of <b>, "**" */
    size_t name_size;
    bool markdown; /* ended by the end of its block */
};

struct mask_scanner {
    const char *text;
    size_t size, at;
    size_t text_start; /* of what was not cut off yet */
    struct arena *arena;
    struct codec_buffer pieces;
    struct mask_opened opened[MASK_DEPTH_MAX];
    size_t depth;
    size_t none_from[END_COUNT]; /* no such end behind this place */
    size_t attribute_bytes;      /* that may still be looked at in tags without an end */
};

/* What stands at a place: `size` 0 when it is nothing. */
struct mask_found {
    size_t size;
    enum mask_kind kind;
    bool ends_sentence;
    const char *name; /* OPEN, CLOSE */
    size_t name_size;
};

/* {{name}} or {{{name}}} at '{'. */
size_t mask_variable(struct mask_scanner *self, size_t at);

/* A tag, comment, autolink or element of raw content at '<'; an entity at '&'. */
struct mask_found mask_html_tag(struct mask_scanner *self, size_t at);
size_t mask_html_entity(const struct mask_scanner *self, size_t at);

/* What introduces a line: quote, list, heading, fenced code, rule, link definition. */
size_t mask_line_start(const struct mask_scanner *self, size_t at);

/* Inline code at '`', the rest of a link at ']', a footnote at '['. */
size_t mask_code(const struct mask_scanner *self, size_t at);
size_t mask_link_end(const struct mask_scanner *self, size_t at);
size_t mask_footnote(const struct mask_scanner *self, size_t at);

/* A run of one of * _ ~ = at `at`. ATOM: it stays as it is; TEXT: it is no markup. */
struct mask_found mask_emphasis(const struct mask_scanner *self, size_t at);

/* A URL or an e-mail address that begins here. */
size_t mask_address(struct mask_scanner *self, size_t at);

/* '\0' behind the end and before the start. */
static inline char mask_at(const struct mask_scanner *self, size_t at)
{
    return at < self->size ? self->text[at] : '\0';
}

static inline bool mask_is_letter(char c) /* any of another script counts */
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
