/* content.c - see content.h. */
#include "common/domain/content.h"

#include <malloc.h>

enum { TICKET_MAX = 512, ETAG_MAX = 256, HEADER_MAX = 2048 };

static const struct field content_rows[] = {
    FIELD_TEXT(struct content, etag, 2, ETAG_MAX, FIELD_REQUIRED, "Entity tag of the file.",
               "\"9f86d081\""),
    FIELD_TEXT(struct content, contentType, 1, HEADER_MAX, FIELD_REQUIRED, "MIME type.",
               "image/png"),
    FIELD_TEXT(struct content, disposition, 1, HEADER_MAX, FIELD_REQUIRED, "Content-Disposition.",
               "inline"),
    FIELD_INT(struct content, maxAge, 0, INT32_MAX, 0, FIELD_OMIT_ZERO,
              "Seconds for which shared caches can keep the file.", "60"),
    FIELD_INT(struct content, size, 0, INT64_MAX, 0, FIELD_REQUIRED, "Size of the file in bytes.",
              "1024"),
    FIELD_TIME(struct content, lastModified, 0, "When the file was changed."),
    FIELD_TEXT(struct content, handle, 1, CONTENT_HANDLE_MAX, FIELD_REQUIRED,
               "Handle of the content: a handle always means the same bytes.", "a"),
    FIELD_BYTES(struct content, bytes, CONTENT_INLINE_MAX, 0, "All bytes of a small file."),
    FIELD_INT(struct content, file, 0, INT64_MAX, 0, FIELD_OMIT_ZERO,
              "Number of the open file that was passed to the gateway.", "1"),
};
FIELD_TABLE(content);

static const struct field content_read_in_rows[] = {
    FIELD_TEXT(struct content_read_in, handle, 1, CONTENT_HANDLE_MAX, FIELD_REQUIRED,
               "Handle of the content.", "a"),
    FIELD_INT(struct content_read_in, offset, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Offset of the first byte.", "0"),
    FIELD_INT(struct content_read_in, length, 1, CONTENT_PIECE_MAX, 0, FIELD_REQUIRED,
              "Number of bytes.", "262144"),
};
FIELD_TABLE(content_read_in);

static const struct field content_read_out_rows[] = {
    FIELD_BYTES(struct content_read_out, bytes, CONTENT_PIECE_MAX, FIELD_REQUIRED,
                "The requested bytes."),
};
FIELD_TABLE(content_read_out);

static const struct field form_field_rows[] = {
    FIELD_TEXT(struct form_field, name, 0, FORM_TEXT_MAX, FIELD_REQUIRED, "Name.", "key"),
    FIELD_TEXT(struct form_field, value, 0, FORM_TEXT_MAX, FIELD_REQUIRED, "Value.", "a/b"),
};
FIELD_TABLE(form_field);

static const struct field form_rows[] = {
    FIELD_OBJECTS(struct form, fields, form_field, FORM_FIELDS_MAX, FIELD_REQUIRED,
                  "The fields before the file."),
};
FIELD_TABLE(form);

static const struct field form_ticket_rows[] = {
    FIELD_TEXT(struct form_ticket, ticket, 1, TICKET_MAX, FIELD_REQUIRED, "Ticket of the upload.",
               "a"),
    FIELD_INT(struct form_ticket, sizeMin, 0, INT64_MAX, 0, 0, "Minimum size of the file in bytes.",
              "0"),
    FIELD_INT(struct form_ticket, sizeMax, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Maximum size of the file in bytes.", "104857600"),
    FIELD_INT(struct form_ticket, quotaLeft, FORM_NO_QUOTA, INT64_MAX, FORM_NO_QUOTA, 0,
              "Bytes left in the quota.", "104857600"),
    FIELD_UUID(struct form_ticket, session, 0, "Session in which the form was created."),
};
FIELD_TABLE(form_ticket);

static const struct field form_write_in_rows[] = {
    FIELD_TEXT(struct form_write_in, ticket, 1, TICKET_MAX, FIELD_REQUIRED, "Ticket of the upload.",
               "a"),
    FIELD_INT(struct form_write_in, offset, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Offset of the first byte.", "0"),
    FIELD_BYTES(struct form_write_in, bytes, CONTENT_PIECE_MAX, FIELD_REQUIRED,
                "Bytes of the file."),
};
FIELD_TABLE(form_write_in);

static const struct field form_end_in_rows[] = {
    FIELD_TEXT(struct form_end_in, ticket, 1, TICKET_MAX, FIELD_REQUIRED, "Ticket of the upload.",
               "a"),
    FIELD_INT(struct form_end_in, size, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Size of the file in bytes.", "1"),
};
FIELD_TABLE(form_end_in);

static const struct field form_abort_in_rows[] = {
    FIELD_TEXT(struct form_abort_in, ticket, 1, TICKET_MAX, FIELD_REQUIRED, "Ticket of the upload.",
               "a"),
};
FIELD_TABLE(form_abort_in);

void content_tune_malloc(void)
{
    mallopt(M_MMAP_THRESHOLD, 4 * CONTENT_PIECE_MAX);
    mallopt(M_TRIM_THRESHOLD, 256 * CONTENT_PIECE_MAX);
}

void content_give_memory_back(void)
{
    malloc_trim(0);
}
