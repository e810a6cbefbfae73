/* trace_context.c - see trace_context.h. */
#include "common/base/trace_context.h"

enum { MEMBERS_MAX = 32, KEY_MAX = 256, TENANT_MAX = 241, SYSTEM_MAX = 14, VALUE_MAX = 256 };

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Stops at a NUL, which is no digit. */
static bool read_hex(const char *text, uint8_t *ret, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int high = digit(text[2 * i]), low = high < 0 ? -1 : digit(text[2 * i + 1]);

        if (low < 0)
            return false;
        ret[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool trace_id_is_set(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return true;
    return false;
}

/* Offsets in 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01. */
enum { AT_TRACE_ID = 3, AT_SPAN_ID = 36, AT_FLAGS = 53, AT_END = 55 };

int traceparent_read(const char *text, struct trace_context *ret)
{
    struct trace_context read;
    uint8_t version, flags;

    if (!read_hex(text, &version, 1) || version == 0xff || text[AT_TRACE_ID - 1] != '-' ||
        !read_hex(text + AT_TRACE_ID, read.trace_id, TRACE_ID_BYTES) ||
        text[AT_SPAN_ID - 1] != '-' || !read_hex(text + AT_SPAN_ID, read.span_id, SPAN_ID_BYTES) ||
        text[AT_FLAGS - 1] != '-' || !read_hex(text + AT_FLAGS, &flags, 1))
        return -1;
    if (text[AT_END] != '\0' && (version == 0 || text[AT_END] != '-'))
        return -1;
    if (!trace_id_is_set(read.trace_id, TRACE_ID_BYTES) ||
        !trace_id_is_set(read.span_id, SPAN_ID_BYTES))
        return -1;
    read.sampled = flags & 1;
    *ret = read;
    return 0;
}

void trace_hex(const uint8_t *bytes, size_t size, char *ret)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        ret[2 * i] = digits[bytes[i] >> 4];
        ret[2 * i + 1] = digits[bytes[i] & 15];
    }
    ret[2 * size] = '\0';
}

void traceparent_write(const struct trace_context *context, char ret[static TRACEPARENT_SIZE])
{
    strcpy(ret, "00-");
    trace_hex(context->trace_id, TRACE_ID_BYTES, ret + AT_TRACE_ID);
    ret[AT_SPAN_ID - 1] = '-';
    trace_hex(context->span_id, SPAN_ID_BYTES, ret + AT_SPAN_ID);
    strcpy(ret + AT_FLAGS - 1, context->sampled ? "-01" : "-00");
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_key_char(char c)
{
    return is_lower(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '*' || c == '/';
}

static bool are_key_chars(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is_key_char(text[i]))
            return false;
    return true;
}

/* True for a key of tracestate: "vendor", or "tenant@vendor". */
static bool is_key(const char *text, size_t length)
{
    const char *at = memchr(text, '@', length);
    size_t tenant = at ? (size_t)(at - text) : 0, system = at ? length - tenant - 1 : 0;

    if (!at)
        return length > 0 && length <= KEY_MAX && is_lower(text[0]) && are_key_chars(text, length);
    return tenant > 0 && tenant <= TENANT_MAX && system > 0 && system <= SYSTEM_MAX &&
           (is_lower(text[0]) || (text[0] >= '0' && text[0] <= '9')) && is_lower(at[1]) &&
           are_key_chars(text, tenant) && are_key_chars(at + 1, system);
}

static bool is_value(const char *text, size_t length)
{
    if (length == 0 || length > VALUE_MAX || text[length - 1] == ' ')
        return false;
    for (size_t i = 0; i < length; i++)
        if (text[i] < 0x20 || text[i] > 0x7e || text[i] == ',' || text[i] == '=')
            return false;
    return true;
}

static bool is_member(const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    size_t key = equals ? (size_t)(equals - text) : 0;

    return equals && is_key(text, key) && is_value(equals + 1, length - key - 1);
}

bool tracestate_is_valid(const char *text)
{
    size_t members = 0;

    if (strnlen(text, TRACESTATE_MAX + 1) > TRACESTATE_MAX)
        return false;
    for (;;) {
        size_t length;

        text += strspn(text, " \t");
        length = strcspn(text, ",");
        while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
            length--;
        /* Empty members are valid and not counted. */
        if (length > 0 && (++members > MEMBERS_MAX || !is_member(text, length)))
            return false;
        text += strcspn(text, ",");
        if (*text++ == '\0')
            return members > 0;
    }
}
