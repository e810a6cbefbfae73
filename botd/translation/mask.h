/*
 * mask.h - what a translator must not touch: found before, held against the source after.
 *
 * A text is cut into what is to be translated and what is to stay byte for byte: {{variables}} and
 * other placeholders, HTML, Markdown syntax, code, URLs, e-mail addresses, line breaks.  No format
 * is named, so a text is both: tags and comments are found as a browser finds them, and md4c says
 * which bytes are prose in CommonMark and which are syntax.  The translator is shown the
 * whole text with a short mark in place of each such piece, since the words around it are what a
 * good translation needs: with real apertium 0.999 of the words come out as they would without any
 * mark, and only 0.886 when each stretch between two marks is translated by itself.  An answer that
 * lost, doubled or misplaced a mark is not taken, and none whose words make other markup than the
 * source has: the result is scanned, too.  mask_texts() and mask_join() then do it stretch by
 * stretch, where no mark can go astray.
 *
 * Nothing here parks, fails or takes more than linear time, whatever the text is.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_MASK_H
#define ATRIUM_BOTD_TRANSLATION_MASK_H

#include "common/base/arena.h"
#include "common/base/base.h"

enum mask_kind {
    MASK_TEXT,  /* to be translated; neither begins nor ends with a blank */
    MASK_SPACE, /* blanks between TEXT and a mark */
    MASK_ATOM,  /* may stand elsewhere in its block: a variable, an entity, a URL */
    MASK_OPEN,  /* begins what its partner ends: inline tags, emphasis, links */
    MASK_CLOSE,
    MASK_BREAK, /* between two blocks: line breaks, block tags, list markers. Order never changes */
};

struct mask_piece {
    size_t start, size; /* bytes of the text */
    enum mask_kind kind;
    bool ends_sentence; /* BREAK */
    bool unpaired;      /* ATOM: a tag without its partner, whose place among the tags counts */
    size_t partner;     /* OPEN, CLOSE: index of the other piece */
};

struct mask {
    const char *text; /* borrowed */
    size_t size;
    struct mask_piece *pieces; /* without a gap, from the arena */
    size_t count;
    size_t texts;      /* pieces that are MASK_TEXT */
    bool translatable; /* some of them have letters */
    bool part;         /* of a text that is looked at as a whole later: mask_plain() */
    /* Hash of the nesting of blocks, spans and tags; pairs may change places within their block. */
    uint64_t structure;
};

/* How marks look to a translator. */
enum mask_style {
    MASK_SUPERBLANK, /* the stream format of apertium: neighbouring marks are one [0], [1], ... */
    MASK_ELEMENT,    /* HTML: <x0/>, <x1/>, ... for each mark, the text with &amp; &lt; &gt; */
};

struct mask mask_scan(struct arena *arena, const char *text);

/* One stretch of mask_texts() as a text of its own: one piece, whatever it looks like by itself. */
struct mask mask_plain(struct arena *arena, const char *text);

/* What the translator is given. From the arena. */
const char *mask_render(struct arena *arena, const struct mask *self, enum mask_style style);

/* Puts the pieces back into the answer. -1: a mark is missing, repeated or misplaced (blocks in
 * order, marks in their block, pairs nested and not emptied), or there is new markup. */
int mask_restore(struct arena *arena, const struct mask *self, enum mask_style style,
                 const char *answer, const char **ret) MUST_USE;

/* The `texts` stretches of MASK_TEXT, from the arena. */
const char **mask_texts(struct arena *arena, const struct mask *self);

/* The text with these stretches. -1: it has markup that the source has not. */
int mask_join(struct arena *arena, const struct mask *self, const char *const *texts,
              const char **ret) MUST_USE;

#endif
