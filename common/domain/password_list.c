/* password_list.c - see password_list.h. */
#include "common/domain/password_list.h"

#include <errno.h>
#include <sodium.h>
#include <unistr.h>

#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/domain/password_filter.h"
#include "common/domain/password_text.h"

enum { BUFFER_SIZE = 256 * 1024, SHA1_DIGITS = 40, HASH_DIGITS_MIN = 32, PROGRESS_ENTRIES = 4096 };

enum kind { KIND_UNKNOWN, KIND_TEXTS, KIND_HASHES };

struct reading {
    const struct password_list_reader *reader;
    const char *name;
    struct password_list_counts counts;
    enum kind kind;
    bool heading_read;
    struct error *err;
};

/* Returns the number of hex digits at the start of a line; 0 if neither the line's end nor a colon
 * and a number follows them. */
static size_t hash_digits(const char *line, bool *ret_count)
{
    size_t digits = strspn(line, "0123456789abcdefABCDEF");
    const char *rest = line + digits;

    *ret_count = *rest == ':';
    if (*ret_count)
        rest += 1 + strspn(rest + 1, "0123456789");
    return *rest == '\0' ? digits : 0;
}

/* Finds the list's kind by its first entry. Hashes of another kind, taken for passwords, would
 * match nothing. */
static int find_kind(struct reading *self, const char *line)
{
    bool count;
    size_t digits = hash_digits(line, &count);

    if (digits != SHA1_DIGITS && digits >= HASH_DIGITS_MIN && count)
        return error_set(self->err, ERR_BAD_REQUEST,
                         "%s: has hashes of %zu hexadecimal digits, but SHA-1 has %d", self->name,
                         digits, SHA1_DIGITS);
    self->kind = digits == SHA1_DIGITS ? KIND_HASHES : KIND_TEXTS;
    return 0;
}

static int hand_out(struct reading *self, uint64_t key)
{
    const struct password_list_reader *reader = self->reader;

    if (++self->counts.entries % PROGRESS_ENTRIES == 0 && reader->progress)
        reader->progress(reader->arg, &self->counts);
    return reader->take(reader->arg, key, self->err);
}

static int take_hash(struct reading *self, const char *line)
{
    bool count;
    char digits[17] = "";

    if (hash_digits(line, &count) != SHA1_DIGITS)
        return error_set(self->err, ERR_BAD_REQUEST, "%s:%lld: is not a SHA-1 hash", self->name,
                         (long long)self->counts.lines);
    memcpy(digits, line, sizeof(digits) - 1);
    return hand_out(self, strtoull(digits, NULL, 16));
}

static int take_text(struct reading *self, const char *line, size_t length)
{
    CLEANUP(password_text_destroy) char *normal = NULL;

    if (u8_check((const uint8_t *)line, length)) {
        self->counts.skipped++;
        return 0;
    }
    normal = password_text_normalize(line);
    if (normal) {
        line = normal;
        length = strlen(normal);
    }
    return hand_out(self, password_key(line, length, true));
}

static int take_line(struct reading *self, char *line, size_t length)
{
    self->counts.lines++;
    if (length > 0 && line[length - 1] == '\r')
        line[--length] = '\0';
    if (line[0] == '#' && !self->heading_read)
        return 0;
    self->heading_read = true;
    if (length == 0)
        return 0;
    if (length > PASSWORD_LIST_LINE_MAX) {
        self->counts.skipped++;
        return 0;
    }
    if (self->kind == KIND_UNKNOWN && find_kind(self, line) < 0)
        return -1;
    return self->kind == KIND_HASHES ? take_hash(self, line) : take_text(self, line, length);
}

/* Takes the complete lines. *ret_rest is the start of the incomplete last line. */
static int take_lines(struct reading *self, char *buffer, size_t size, bool *skipping,
                      size_t *ret_rest)
{
    char *at = buffer, *end = buffer + size, *newline;

    while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
        *newline = '\0';
        if (*skipping)
            self->counts.lines++;
        else if (take_line(self, at, (size_t)(newline - at)) < 0)
            return -1;
        *skipping = false;
        at = newline + 1;
    }
    *ret_rest = (size_t)(at - buffer);
    return 0;
}

/* `buffer` has BUFFER_SIZE + 1 bytes. */
static int read_all(struct reading *self, FILE *file, char *buffer)
{
    size_t kept = 0, got, rest;
    bool skipping = false; /* skips the rest of a line that is too long */

    while ((got = fread(buffer + kept, 1, BUFFER_SIZE - kept, file)) > 0) {
        self->counts.bytes += (int64_t)got;
        if (memchr(buffer + kept, '\0', got))
            return error_set(self->err, ERR_BAD_REQUEST,
                             "%s: is not a list of passwords: not a text", self->name);
        if (take_lines(self, buffer, kept + got, &skipping, &rest) < 0)
            return -1;
        kept += got - rest;
        if (kept == BUFFER_SIZE) {
            self->counts.skipped += !skipping;
            skipping = true;
            kept = 0;
        }
        memmove(buffer, buffer + rest, kept);
    }
    if (ferror(file))
        return error_set(self->err, ERR_BAD_REQUEST, "%s: %s", self->name, strerror(errno));
    buffer[kept] = '\0';
    return kept == 0 || skipping ? 0 : take_line(self, buffer, kept);
}

static void wipe(char **buffer_p)
{
    sodium_memzero(*buffer_p, BUFFER_SIZE + 1);
    free(*buffer_p);
}

int password_list_read(FILE *file, const char *name, const struct password_list_reader *reader,
                       struct password_list_counts *ret, struct error *err)
{
    CLEANUP(wipe) char *buffer = memory_raw(BUFFER_SIZE + 1);
    struct reading self = {.reader = reader, .name = name, .err = err};
    int result;

    file_skip_mark(file);
    result = read_all(&self, file, buffer);
    *ret = self.counts;
    return result;
}
