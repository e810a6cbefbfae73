/*
 * multipart.h - parses a form with one file (multipart/form-data, RFC 7578) as it arrives.
 *
 * Fields before the part "file" are kept, within content.h's limits. Anything after it is ignored.
 */
#ifndef ATRIUM_GATEWAY_HTTP_MULTIPART_H
#define ATRIUM_GATEWAY_HTTP_MULTIPART_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/domain/content.h"
#include "common/wire/codec.h"

enum { MULTIPART_BOUNDARY_MAX = 70, MULTIPART_DELIMITER_MAX = MULTIPART_BOUNDARY_MAX + 4 };

enum multipart_state {
    MULTIPART_PREAMBLE,
    MULTIPART_BORDER, /* after a delimiter */
    MULTIPART_HEADERS,
    MULTIPART_FIELD,
    MULTIPART_FILE,
    MULTIPART_OVER, /* after the file, or a form without one */
};

struct multipart {
    struct arena *arena;
    enum multipart_state state;
    bool file_begun, file_ended;
    char delimiter[MULTIPART_DELIMITER_MAX + 1]; /* CR LF, "--", boundary */
    size_t delimiter_size;
    size_t matched; /* bytes of the delimiter at the last piece's end */
    size_t text;    /* bytes before the file */
    struct codec_buffer buffer;
    char *name;
    struct form_field fields[FORM_FIELDS_MAX];
    size_t field_count;
    void (*on_file)(void *arg, const uint8_t *bytes, size_t size);
    void *arg;
};

/* Prepares to read a form. ERR_UNSUPPORTED_MEDIA: not a form. Uses the arena. */
int multipart_init(struct multipart *self, const char *content_type, struct arena *arena,
                   struct error *err) MUST_USE;

/* Reads a piece of the form. ERR_BAD_REQUEST: malformed or too large. */
int multipart_feed(struct multipart *self, const uint8_t *bytes, size_t size,
                   struct error *err) MUST_USE;

#endif
