/*
 * multipart.h - a form with one file (multipart/form-data, RFC 7578) taken apart as it arrives.
 *
 * Fields before the part "file" are kept, within content.h's limits; the file's bytes are passed
 * on; what follows it is ignored.
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
    MULTIPART_BORDER, /* behind a delimiter: "--" or the end of the line */
    MULTIPART_HEADERS,
    MULTIPART_FIELD,
    MULTIPART_FILE,
    MULTIPART_OVER, /* the file is complete, or the form ended without one */
};

struct multipart {
    struct arena *arena;
    enum multipart_state state;
    bool file_begun, file_ended;
    char delimiter[MULTIPART_DELIMITER_MAX + 1]; /* CR LF - - boundary */
    size_t delimiter_size;
    size_t matched;             /* bytes of the delimiter that the last piece ended with */
    size_t text;                /* bytes before the file */
    struct codec_buffer buffer; /* of the header or the value that is being read */
    char *name;                 /* of the field that is being read */
    struct form_field fields[FORM_FIELDS_MAX];
    size_t field_count;
    void (*on_file)(void *arg, const uint8_t *bytes, size_t size); /* the file's next bytes */
    void *arg;
};

/* ERR_UNSUPPORTED_MEDIA: the Content-Type is no form's. Texts in the arena. */
int multipart_init(struct multipart *self, const char *content_type, struct arena *arena,
                   struct error *err) MUST_USE;

/* The next bytes of the body. ERR_BAD_REQUEST when they are no such form, or too much of one. */
int multipart_feed(struct multipart *self, const uint8_t *bytes, size_t size,
                   struct error *err) MUST_USE;

#endif
