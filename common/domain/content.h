/*
 * content.h - bytes that pass the gateway without lying in its memory: files that are fetched, and
 * forms that bring one.
 *
 * R_CONTENT, a route whose answer is a file: its output is struct content. What is small comes
 * along; the rest the gateway fetches, as fast as its client reads, by the operation `content_read`
 * of the same service. The input may have a text member `kept`: the handle of the file that the
 * gateway has for this target, whose bytes need not come along. And a text member `fileTo`: who
 * gets open files over the socket CONTENT_FILES_SOCKET of an instance on the same host, if that is
 * wanted (docd/store/file_sender.h).
 *
 * R_FORM, a route that takes a multipart/form-data body: its input has a member `const struct form
 * *form`, and it is called when the fields are there and the file begins. Its output is struct
 * form_ticket, with which the gateway passes the file on, in pieces that may overtake each other,
 * by `form_write`, then says `form_end`, or `form_abort` when it will not come. All are operations
 * of the same service (OP rows for the caller "gateway"), and any instance may get any of them.
 */
#ifndef ATRIUM_COMMON_DOMAIN_CONTENT_H
#define ATRIUM_COMMON_DOMAIN_CONTENT_H

#include "common/wire/fields.h"

enum {
    CONTENT_INLINE_MAX = 64 * 1024, /* bytes of a file that come with struct content */
    CONTENT_PIECE_MAX = 256 * 1024,
    CONTENT_HANDLE_MAX = 128,
    FORM_FIELDS_MAX = 32,
    CONTENT_RECEIVER_SIZE = 32, /* characters of a `fileTo` */
    FORM_NO_QUOTA = -1,
    FORM_TEXT_MAX = 64 * 1024, /* bytes of all fields before the file, names and headers included */
};

#define CONTENT_FILES_SOCKET "files" /* of an instance, beside those of the bus */

/* ---- R_CONTENT ---- */

struct content {
    const char *etag; /* quoted */
    const char *contentType;
    const char *disposition; /* Content-Disposition */
    int64_t maxAge;          /* seconds that a shared cache may serve it unasked; 0: none may */
    int64_t size, lastModified;
    const char *handle;       /* for content_read */
    struct field_bytes bytes; /* all of it, or absent */
    int64_t file;             /* number of the open file that was sent to `fileTo`; 0: none */
};
FIELD_DECLARE(content);

struct content_read_in {
    const char *handle;
    int64_t offset, length;
};
FIELD_DECLARE(content_read_in);

struct content_read_out {
    struct field_bytes bytes; /* all that were asked for, less at the end only */
};
FIELD_DECLARE(content_read_out);

/* ---- R_FORM ---- */

struct form_field {
    const char *name, *value;
};
FIELD_DECLARE(form_field);

struct form {
    struct field_list fields; /* struct form_field; those before the file, in order */
};
FIELD_DECLARE(form);

struct form_ticket {
    const char *ticket;
    int64_t sizeMin, sizeMax; /* of the file; the gateway sees to it */
    int64_t quotaLeft;        /* bytes of the file that may still be kept; FORM_NO_QUOTA: any */
    struct uuid session;      /* that got the form, which ends with it; absent: unknown */
};
FIELD_DECLARE(form_ticket);

struct form_write_in {
    const char *ticket;
    int64_t offset;
    struct field_bytes bytes;
};
FIELD_DECLARE(form_write_in);

struct form_end_in {
    const char *ticket;
    int64_t size;
};
FIELD_DECLARE(form_end_in);

struct form_abort_in {
    const char *ticket;
};
FIELD_DECLARE(form_abort_in);

/* Keeps up to 64 MiB of freed memory for the next pieces: returning and clearing it each time costs
 * more than a copy. Call at the start. */
void content_tune_malloc(void);

/* Gives that memory back: when no pieces pass, or once a minute. Takes milliseconds. */
void content_give_memory_back(void);

#endif
