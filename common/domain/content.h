/*
 * content.h - files, and forms with a file, that pass through the gateway in pieces.
 *
 * R_CONTENT: the output is struct content. It has a small file's bytes; other files' pieces come
 * from `content_read` as the client reads. Optional input: `kept`, the handle of the gateway's
 * cached file, and `fileTo`, the receiver of open files on socket CONTENT_FILES_SOCKET
 * (docd/store/file_sender.h).
 *
 * R_FORM: the input has `const struct form *form`; the route runs when the file begins. The gateway
 * sends pieces for its output, struct form_ticket, with `form_write`, maybe out of order, then
 * calls `form_end` or `form_abort` (OP rows for "gateway", on any instance).
 */
#ifndef ATRIUM_COMMON_DOMAIN_CONTENT_H
#define ATRIUM_COMMON_DOMAIN_CONTENT_H

#include "common/wire/fields.h"

enum {
    CONTENT_INLINE_MAX = 64 * 1024, /* bytes of a file that struct content itself contains */
    CONTENT_PIECE_MAX = 256 * 1024,
    CONTENT_HANDLE_MAX = 128,
    FORM_FIELDS_MAX = 32,
    CONTENT_RECEIVER_SIZE = 32, /* characters of `fileTo` */
    FORM_NO_QUOTA = -1,
    FORM_TEXT_MAX = 64 * 1024, /* bytes of the fields before the file, with names and headers */
};

#define CONTENT_FILES_SOCKET "files" /* name of an instance's socket, see bus_listen_beside() */

/* ---- R_CONTENT ---- */

struct content {
    const char *etag; /* quoted */
    const char *contentType;
    const char *disposition;
    int64_t maxAge; /* seconds for shared caches; 0: private */
    int64_t size, lastModified;
    const char *handle;
    struct field_bytes bytes; /* all bytes, or absent */
    int64_t file;             /* number of the open file that was sent to `fileTo` */
};
FIELD_DECLARE(content);

struct content_read_in {
    const char *handle;
    int64_t offset, length;
};
FIELD_DECLARE(content_read_in);

struct content_read_out {
    struct field_bytes bytes; /* fewer than requested only at the end */
};
FIELD_DECLARE(content_read_out);

/* ---- R_FORM ---- */

struct form_field {
    const char *name, *value;
};
FIELD_DECLARE(form_field);

struct form {
    struct field_list fields; /* struct form_field before the file */
};
FIELD_DECLARE(form);

struct form_ticket {
    const char *ticket;
    int64_t sizeMin, sizeMax; /* enforced by the gateway */
    int64_t quotaLeft;        /* file bytes, or FORM_NO_QUOTA */
    struct uuid session;      /* the form ends with this session; absent: unknown */
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

/* Keeps up to 64 MiB of freed memory for further pieces: returning and clearing it costs more than
 * a copy. */
void content_tune_malloc(void);

/* Returns that memory to the system, which takes milliseconds: when no pieces pass, or once a
 * minute. */
void content_give_memory_back(void);

#endif
