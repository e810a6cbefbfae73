/* json_number.c - see json_number.h. */
#include "common/wire/json_number.h"

#define MARK "\"\\u0000" /* jansson's spelling too */

enum {
    MARK_SIZE = sizeof(MARK) - 1,
    PLAIN_MAX = 18, /* digits that always fit int64 */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True for numbers that jansson reproduces: any int64 except -0. */
static bool is_plain(const char *number, size_t size)
{
    bool negative = *number == '-';
    size_t digits = 0;

    while (negative + digits < size && is_digit(number[negative + digits]))
        digits++;
    return negative + digits == size && digits > 0 && digits <= PLAIN_MAX &&
           !(negative && number[1] == '0');
}

/* Returns the end of a string; *ret_zero: it contains U+0000. */
static const char *skip_string(const char *at, const char *end, bool *ret_zero)
{
    for (at++; at < end && *at != '"'; at++) {
        if (*at != '\\')
            continue;
        *ret_zero |= end - at >= 6 && memcmp(at, "\\u0000", 6) == 0;
        at += at + 1 < end;
    }
    return at < end ? at + 1 : end;
}

static size_t run_length(const char *at, const char *end)
{
    const char *first = at;

    while (at < end && *at != '\0' && strchr("0123456789+-.eE", *at))
        at++;
    return (size_t)(at - first);
}

bool json_number_mark(const char *text, size_t size, struct codec_buffer *out)
{
    const char *at = text, *end = text + size, *done = text;
    bool has_zero = false;

    while (at < end) {
        size_t length = run_length(at, end);

        if (length > 0 && !is_plain(at, length) && codec_number_size(at, end) == length) {
            codec_write(out, done, (size_t)(at - done));
            codec_write(out, MARK, MARK_SIZE);
            codec_write(out, at, length);
            codec_write(out, "\"", 1);
            done = at + length;
        }
        at = *at == '"' ? skip_string(at, end, &has_zero) : at + MAX(length, (size_t)1);
    }
    if (done > text)
        codec_write(out, done, (size_t)(end - done));
    return done > text && !has_zero;
}

void json_number_unmark(char *text)
{
    char *to = strstr(text, MARK), *from = to;

    while (from) {
        size_t length = strcspn(from += MARK_SIZE, "\"");
        char *next;

        memmove(to, from, length);
        to += length;
        from += length + 1;
        next = strstr(from, MARK);
        length = next ? (size_t)(next - from) : strlen(from) + 1;
        memmove(to, from, length);
        to += length;
        from = next;
    }
}

int json_number_shift(const char *marked, size_t end)
{
    int shift = 0;

    for (size_t at = 0; at < end; at++)
        if (marked[at] == '\n')
            shift = 0;
        else if (end - at >= MARK_SIZE && memcmp(marked + at, MARK, MARK_SIZE) == 0)
            shift += MARK_SIZE + 1;
    return shift;
}

const char *json_number_text(const json_t *string)
{
    const char *text = json_string_value(string);

    return text && json_string_length(string) > 0 && *text == '\0' ? text + 1 : NULL;
}
