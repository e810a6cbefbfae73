/*
 * multipart.c - see multipart.h.
 *
 * Only a delimiter's first byte is CR. So a piece can end in the beginning of one delimiter at
 * most, and no byte is compared again after a mismatch.
 */
#include "gateway/http/multipart.h"

#include <strings.h>

enum { BORDER_MAX = 64, HEADERS_MAX = 8192 };

static const char malformed[] = "The form is malformed.";

static char *parameter(struct arena *arena, const char *header, const char *name)
{
    size_t length = strlen(name);
    const char *at = header;
    char *value, *to;

    while ((at = strchr(at, ';'))) {
        at += 1 + strspn(at + 1, " \t");
        if (strncasecmp(at, name, length) == 0 && at[length] == '=')
            break;
        at += strcspn(at, "=;");
        if (at[0] == '=' && at[1] == '"')
            for (at += 2; *at && *at != '"'; at++)
                at += at[0] == '\\' && at[1];
    }
    if (!at)
        return NULL;
    at += length + 1;
    if (*at != '"')
        return arena_strndup(arena, at, strcspn(at, "; \t"));
    value = to = arena_alloc(arena, strlen(at) + 1);
    for (at++; *at && *at != '"'; at++) {
        if (*at == '\\' && (at[1] == '"' || at[1] == '\\'))
            at++;
        *to++ = *at;
    }
    return *at == '"' ? value : NULL;
}

int multipart_init(struct multipart *self, const char *content_type, struct arena *arena,
                   struct error *err)
{
    static const char form[] = "multipart/form-data";
    const char *boundary = NULL;
    size_t length;

    *self = (struct multipart){.arena = arena};
    if (content_type && strncasecmp(content_type, form, sizeof(form) - 1) == 0)
        boundary = parameter(arena, content_type, "boundary");
    length = boundary ? strlen(boundary) : 0;
    if (length == 0 || length > MULTIPART_BOUNDARY_MAX || strpbrk(boundary, "\r\n"))
        return error_set(err, ERR_UNSUPPORTED_MEDIA,
                         "The Content-Type must be multipart/form-data.");
    self->delimiter_size =
        (size_t)snprintf(self->delimiter, sizeof(self->delimiter), "\r\n--%s", boundary);
    self->matched = 2; /* no line precedes the first delimiter */
    return 0;
}

static int keep(struct multipart *self, const uint8_t *bytes, size_t size, size_t max,
                struct error *err)
{
    if (self->buffer.size + size > max)
        return error_set(err, ERR_BAD_REQUEST, "The form's fields are too large.");
    codec_write(&self->buffer, (const char *)bytes, size);
    return 0;
}

static int headers_end(struct multipart *self, struct error *err)
{
    static const char wanted[] = "Content-Disposition:";
    char *text, *rest = NULL;

    codec_write(&self->buffer, "", 1);
    text = (char *)self->buffer.bytes;
    self->name = NULL;
    if (strlen(text) + 1 != self->buffer.size)
        return error_set(err, ERR_BAD_REQUEST, malformed);
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
        if (strncasecmp(line, wanted, sizeof(wanted) - 1) == 0 && !self->name)
            self->name = parameter(self->arena, line, "name");
    if (!self->name || !codec_is_text(self->name, strlen(self->name)))
        return error_set(err, ERR_BAD_REQUEST, malformed);
    codec_buffer_init(&self->buffer, self->arena);
    self->state = MULTIPART_FIELD;
    if (strcmp(self->name, "file") == 0) {
        self->state = MULTIPART_FILE;
        self->file_begun = true;
    } else if (self->field_count == FORM_FIELDS_MAX) {
        return error_set(err, ERR_BAD_REQUEST, "The form has too many fields.");
    }
    return 0;
}

static int field_end(struct multipart *self, struct error *err)
{
    size_t size = self->buffer.size;

    if (!codec_is_text((const char *)self->buffer.bytes, size))
        return error_set(err, ERR_BAD_REQUEST, malformed);
    codec_write(&self->buffer, "", 1);
    self->fields[self->field_count++] =
        (struct form_field){self->name, (const char *)self->buffer.bytes};
    return 0;
}

static int part_append(struct multipart *self, const uint8_t *bytes, size_t size, struct error *err)
{
    if (self->state == MULTIPART_FILE && size > 0)
        self->on_file(self->arg, bytes, size);
    return self->state == MULTIPART_FIELD ? keep(self, bytes, size, FORM_TEXT_MAX, err) : 0;
}

static int part_end(struct multipart *self, struct error *err)
{
    if (self->state == MULTIPART_FIELD && field_end(self, err) < 0)
        return -1;
    self->file_ended = self->state == MULTIPART_FILE;
    self->state = self->file_ended ? MULTIPART_OVER : MULTIPART_BORDER;
    codec_buffer_init(&self->buffer, self->arena);
    return 0;
}

/* Compares the rest of a delimiter. After a mismatch, its beginning belongs to the part. */
static int resume_delimiter(struct multipart *self, const uint8_t **bytes, size_t *size,
                            struct error *err)
{
    size_t left = self->delimiter_size - self->matched, matched = self->matched;
    size_t count = MIN(left, *size);

    if (memcmp(self->delimiter + matched, *bytes, count) != 0) {
        self->matched = 0;
        return self->state == MULTIPART_PREAMBLE
                   ? 0
                   : part_append(self, (const uint8_t *)self->delimiter, matched, err);
    }
    self->matched += count;
    *bytes += count;
    *size -= count;
    if (self->matched < self->delimiter_size)
        return 0;
    self->matched = 0;
    return part_end(self, err);
}

static int feed_part(struct multipart *self, const uint8_t **bytes, size_t *size, struct error *err)
{
    const uint8_t *found, *cr;
    size_t count;

    if (self->matched > 0)
        return resume_delimiter(self, bytes, size, err);
    found = memmem(*bytes, *size, self->delimiter, self->delimiter_size);
    cr = found ? NULL : memrchr(*bytes, '\r', *size);
    if (cr &&
        memcmp(cr, self->delimiter, MIN((size_t)(*bytes + *size - cr), self->delimiter_size)) != 0)
        cr = NULL;
    count = found ? (size_t)(found - *bytes) : cr ? (size_t)(cr - *bytes) : *size;
    if (part_append(self, *bytes, count, err) < 0)
        return -1;
    if (!found) {
        self->matched = *size - count;
        *size = 0;
        return 0;
    }
    *size -= count + self->delimiter_size;
    *bytes = found + self->delimiter_size;
    return part_end(self, err);
}

/* Collects text before `end`. Returns 1 when complete. */
static int feed_text(struct multipart *self, const char *end, size_t max, const uint8_t **bytes,
                     size_t *size, struct error *err)
{
    size_t length = strlen(end);

    while (*size > 0) {
        if (keep(self, *bytes, 1, max, err) < 0)
            return -1;
        ++*bytes;
        --*size;
        if (self->buffer.size >= length &&
            memcmp(self->buffer.bytes + self->buffer.size - length, end, length) == 0) {
            self->buffer.size -= length;
            return 1;
        }
    }
    return 0;
}

/* Reads what follows a delimiter: "--" ends the form, and any bytes can follow; otherwise only
 * blanks up to the line's end. */
static int feed_border(struct multipart *self, const uint8_t **bytes, size_t *size,
                       struct error *err)
{
    size_t head = self->buffer.size < 2 ? MIN(2 - self->buffer.size, *size) : 0, left = head;
    int found = feed_text(self, "\r\n", BORDER_MAX, bytes, &left, err);

    *size -= head - left;
    if (self->buffer.size >= 2 && memcmp(self->buffer.bytes, "--", 2) == 0) {
        self->state = MULTIPART_OVER;
        return 0;
    }
    if (found == 0)
        found = feed_text(self, "\r\n", BORDER_MAX, bytes, size, err);
    if (found <= 0)
        return found;
    for (size_t i = 0; i < self->buffer.size; i++)
        if (self->buffer.bytes[i] != ' ' && self->buffer.bytes[i] != '\t')
            return error_set(err, ERR_BAD_REQUEST, malformed);
    codec_buffer_init(&self->buffer, self->arena);
    self->state = MULTIPART_HEADERS;
    return 0;
}

static int feed_headers(struct multipart *self, const uint8_t **bytes, size_t *size,
                        struct error *err)
{
    int found = feed_text(self, "\r\n\r\n", HEADERS_MAX, bytes, size, err);

    return found <= 0 ? found : headers_end(self, err);
}

static int feed_some(struct multipart *self, const uint8_t **bytes, size_t *size, struct error *err)
{
    if (self->state == MULTIPART_BORDER)
        return feed_border(self, bytes, size, err);
    if (self->state == MULTIPART_HEADERS)
        return feed_headers(self, bytes, size, err);
    return feed_part(self, bytes, size, err);
}

int multipart_feed(struct multipart *self, const uint8_t *bytes, size_t size, struct error *err)
{
    while (size > 0 && self->state != MULTIPART_OVER) {
        size_t before = size;
        bool file = self->state == MULTIPART_FILE;

        if (feed_some(self, &bytes, &size, err) < 0)
            return -1;
        if (!file)
            self->text += before - size;
        if (self->text > FORM_TEXT_MAX)
            return error_set(err, ERR_BAD_REQUEST, "The form's fields are too large.");
    }
    return 0;
}
