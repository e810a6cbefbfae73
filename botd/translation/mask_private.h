/*
 * mask_private.h - between the files of the scanner: mask_scan.c goes through a text,
 * mask_placeholder.c, mask_html.c and mask_markdown.c say how long the markup at one place is.
 *
 * Linear time: code that looks ahead for an end that is not there remembers so (scan_find), or
 * looks at a bounded number of bytes.
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
    END_RAW, /* and one for each element of raw content */
    END_COUNT = END_RAW + 20,
};

/* What a byte is in Markdown. */
enum mask_class {
    CLASS_SYNTAX, /* never translated */
    CLASS_PROSE,  /* HTML and entities are prose to Markdown */
    CLASS_CODE,
    CLASS_INDENTED, /* code by indentation, which HTML often has for other reasons */
};

enum {
    MASK_DEPTH_MAX = 32, /* pairs within each other; what is nested deeper is not paired */
    MASK_KEPT_MAX = 8,   /* translate="no" and "yes" within each other */
};

struct mask_opened {
    size_t piece;
    const char *name; /* "b" of <b>, "**" */
    size_t name_size;
    bool markdown; /* ended by the end of its block */
};

/* An HTML element whose attribute says whether it is translated. */
struct mask_kept {
    const char *name;
    size_t name_size, depth; /* elements of that name within it, and itself */
    bool keep;
};

struct mask_scanner {
    const char *text;
    uint8_t *classes; /* enum mask_class of each byte */
    size_t size, at;
    size_t text_start; /* of what was not cut off yet */
    struct arena *arena;
    struct codec_buffer pieces;
    struct mask_opened opened[MASK_DEPTH_MAX];
    size_t depth;
    size_t none_from[END_COUNT]; /* no such end behind this place */
    size_t attribute_bytes;      /* that may still be looked at in tags without an end */
    size_t containers;           /* open elements of HTML that need an end tag: <div>, <table> */
    struct mask_kept kept[MASK_KEPT_MAX];
    size_t kept_depth, kept_start; /* start: of the stretch that is not translated */
    bool kept_whole;               /* it is one inline element so far */
    uint64_t structure;            /* of the Markdown; see mask.h */
};

/* What stands at a place: `size` 0 when it is nothing. */
struct mask_found {
    size_t size;
    enum mask_kind kind;
    bool ends_sentence;
    const char *name; /* OPEN, CLOSE, and other tags of HTML */
    size_t name_size;
    enum { TAG_NONE, TAG_START, TAG_END } tag; /* of an element that has content */
    bool container;                            /* it needs an end tag */
    enum tristate translate;                   /* START: as the attributes say */
};

/* The place behind the first `end` from `from` on, without regard to case; 0 when there is none. */
size_t mask_find(struct mask_scanner *self, enum mask_end which, const char *end, size_t from);

/* {{name}}, {{{name}}}, {% if %}, ${name}, %{name}, {name}, {n, plural, ...}, %s or %1$s. */
size_t mask_placeholder(struct mask_scanner *self, size_t at);

/* A tag, comment or element of raw content at '<'; an entity at '&'. */
struct mask_found mask_html_tag(struct mask_scanner *self, size_t at);
size_t mask_html_entity(const struct mask_scanner *self, size_t at);

/* Reads the text as Markdown: `classes`, `structure`. */
void mask_markdown_read(struct mask_scanner *self);

/* What introduces a line, quote, list or heading; or all of it, when none of it is prose. */
size_t mask_line_start(const struct mask_scanner *self, size_t at);

/* Inline code at '`', the rest of a link at ']', "[label]" of a link without another text or a
 * footnote at '['. */
size_t mask_code(const struct mask_scanner *self, size_t at);
size_t mask_link_end(const struct mask_scanner *self, size_t at);
size_t mask_reference(const struct mask_scanner *self, size_t at);
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

/* A sum in which the order of what is mixed counts. */
static inline uint64_t mask_mix(uint64_t sum, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (uint8_t)bytes[i]) * 0x100000001b3;
    return ((sum ^ sum >> 29) + 1) * 0x9e3779b97f4a7c15;
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
