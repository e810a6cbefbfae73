/*
 * multipart.h - streaming parser of a form with one file (multipart/form-data, RFC 7578).
 *
 * Keeps fields before the part "file", within content.h's limits, passes the file's bytes on and
 * ignores the rest.
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
    MULTIPART_BORDER, /* after a delimiter: "--" or a line's end */
    MULTIPART_HEADERS,
    MULTIPART_FIELD,
    MULTIPART_FILE,
    MULTIPART_OVER, /* the file is complete, or the form has none */
};

struct multipart {
    struct arena *arena;
    enum multipart_state state;
    bool file_begun, file_ended;
    char delimiter[MULTIPART_DELIMITER_MAX + 1]; /* CR LF "--" boundary */
    size_t delimiter_size;
    size_t matched;             /* bytes of a delimiter at the end of the last piece */
    size_t text;                /* bytes before the file */
    struct codec_buffer buffer; /* header or value being read */
    char *name;                 /* of the field being read */
    struct form_field fields[FORM_FIELDS_MAX];
    size_t field_count;
    void (*on_file)(void *arg, const uint8_t *bytes, size_t size); /* the file's next bytes */
    void *arg;
};

/* ERR_UNSUPPORTED_MEDIA: the Content-Type isn't a form's. Texts are in the arena. */
int multipart_init(struct multipart *self, const char *content_type, struct arena *arena,
                   struct error *err) MUST_USE;

/* Parses the next bytes. ERR_BAD_REQUEST: malformed or too large. */
int multipart_feed(struct multipart *self, const uint8_t *bytes, size_t size,
                   struct error *err) MUST_USE;

#endif
