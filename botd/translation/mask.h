/*
 * mask.h - protects what a translator must not change, and compares the result.
 *
 * A text is cut into prose and pieces to keep: placeholders, HTML, Markdown syntax, code, URLs,
 * email addresses, line breaks. Texts name no format, so both HTML and CommonMark (md4c) apply. The
 * translator gets the whole text with a short mark per kept piece: measured with Apertium, 99.9 %
 * of the words are then translated as without marks, but only 88.6 % when each stretch between
 * marks is translated alone. A result with wrong marks or new markup is rejected; mask_texts() and
 * mask_join() then translate stretch by stretch. Everything takes linear time and never parks or
 * fails.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_MASK_H
#define ATRIUM_BOTD_TRANSLATION_MASK_H

#include "common/base/arena.h"
#include "common/base/base.h"

enum mask_kind {
    MASK_TEXT,  /* no blank at either end */
    MASK_SPACE, /* blanks between TEXT and a mark */
    MASK_ATOM,  /* can move within its block: a variable, an entity, a URL */
    MASK_OPEN,  /* paired: inline tags, emphasis, links */
    MASK_CLOSE,
    MASK_BREAK, /* never reordered: line breaks, block tags, list markers */
};

struct mask_piece {
    size_t start, size; /* bytes of the text */
    enum mask_kind kind;
    bool ends_sentence; /* BREAK */
    bool unpaired;      /* ATOM: an unpaired tag, whose order counts */
    size_t partner;     /* index of an OPEN's or CLOSE's partner */
};

struct mask {
    const char *text; /* borrowed */
    size_t size;
    struct mask_piece *pieces;
    size_t count;
    size_t texts;      /* MASK_TEXT pieces */
    bool translatable; /* contains letters */
    bool part;         /* a stretch: checked with the whole text */
    /* Hash of the nesting; pairs can be reordered within their block. */
    uint64_t structure;
};

enum mask_style {
    MASK_SUPERBLANK, /* Apertium's stream format: neighboring marks are one [0], [1], ... */
    MASK_ELEMENT,    /* HTML: <x0/>, <x1/>, ... for each mark, and &amp; &lt; &gt; */
};

struct mask mask_scan(struct arena *arena, const char *text);

/* Makes a mask of a stretch: a single piece of text, whatever the stretch contains. */
struct mask mask_plain(struct arena *arena, const char *text);

const char *mask_render(struct arena *arena, const struct mask *self, enum mask_style style);

/* Replaces marks with their pieces. -1: a mark is missing, repeated or misplaced, or there is new
 * markup. */
int mask_restore(struct arena *arena, const struct mask *self, enum mask_style style,
                 const char *answer, const char **ret) MUST_USE;

/* Returns the MASK_TEXT stretches. */
const char **mask_texts(struct arena *arena, const struct mask *self);

/* Returns the text with these stretches. -1: new markup. */
int mask_join(struct arena *arena, const struct mask *self, const char *const *texts,
              const char **ret) MUST_USE;

#endif
