/* framing.c - see framing.h. */
#include "gateway/http/framing.h"

#include <microhttpd.h>

enum state {
    START, /* skips empty lines (RFC 9112, section 2.2) */
    START_LF,
    METHOD,
    TARGET_FIRST,
    TARGET,
    VERSION,
    LINE_LF,
    NAME_FIRST, /* or CR after the last field */
    NAME,
    VALUE_FIRST,
    VALUE,
    VALUE_LF,
    FIELDS_LF,
    BODY,
    OPAQUE, /* unclear end, so the last request; see head_is_ambiguous() */
    SIZE_FIRST,
    SIZE,
    SIZE_SPACE,
    EXTENSION,
    SIZE_LF,
    CHUNK,
    CHUNK_CR,
    CHUNK_LF,
};

enum { TOKEN = 1, VISIBLE = 2 };
enum { SIGN = TOKEN | VISIBLE };

/* VISIBLE includes bytes beyond ASCII: a URI can't contain them, but clients send them in
 * targets. */
static const uint8_t classes[256] = {
    ['!'] = SIGN,
    ['"'] = VISIBLE,
    ['#' ... '\''] = SIGN,
    ['('] = VISIBLE,
    [')'] = VISIBLE,
    ['*'] = SIGN,
    ['+'] = SIGN,
    [','] = VISIBLE,
    ['-'] = SIGN,
    ['.'] = SIGN,
    ['/'] = VISIBLE,
    ['0' ... '9'] = SIGN,
    [':' ... '@'] = VISIBLE,
    ['A' ... 'Z'] = SIGN,
    ['[' ... ']'] = VISIBLE,
    ['^' ... 'z'] = SIGN,
    ['{'] = VISIBLE,
    ['|'] = SIGN,
    ['}'] = VISIBLE,
    ['~'] = SIGN,
    [0x80 ... 0xff] = VISIBLE,
};

/* Fields that say where a body ends. */
enum { LENGTH = 1, CODING = 2, FRAMING_FIELDS = LENGTH | CODING };
static const char *const names[] = {"content-length", "transfer-encoding"};
static const char coding[] = "chunked";
static const char version[] = "HTTP/d.d";

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

static int hex(uint8_t c)
{
    c = lower(c);
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool enter(struct framing *self, enum state state)
{
    self->state = (uint8_t)state;
    return true;
}

static bool expect(struct framing *self, bool good, enum state state)
{
    return good && enter(self, state);
}

static bool refuse(struct framing *self, unsigned status)
{
    self->status = (uint16_t)status;
    return false;
}

/* ---- the request line ---- */

static bool begin(struct framing *self, uint8_t c)
{
    if (c == '\r')
        return enter(self, START_LF);
    self->fields = 0;
    self->old = self->trailers = self->unclear = false;
    self->body = 0;
    return expect(self, classes[c] & TOKEN, METHOD);
}

static bool in_version(struct framing *self, uint8_t c)
{
    if (self->position == sizeof(version) - 1)
        return expect(self, c == '\r', LINE_LF);
    self->old |= self->position == sizeof(version) - 2 && c == '0';
    return version[self->position++] == 'd' ? is_digit(c) : c == version[self->position - 1];
}

static bool in_line(struct framing *self, uint8_t c)
{
    switch (self->state) {
    case START:
        return begin(self, c);
    case START_LF:
        return expect(self, c == '\n', START);
    case METHOD:
        return c == ' ' ? enter(self, TARGET_FIRST) : classes[c] & TOKEN;
    case TARGET_FIRST:
        return expect(self, classes[c] & VISIBLE, TARGET);
    case TARGET:
        self->position = 0;
        return c == ' ' ? enter(self, VERSION) : classes[c] & VISIBLE;
    case VERSION:
        return in_version(self, c);
    default:
        return expect(self, c == '\n', NAME_FIRST);
    }
}

/* ---- fields ---- */

static bool request_ends(struct framing *self)
{
    self->requests++;
    return enter(self, START);
}

static bool fields_end(struct framing *self, uint8_t c)
{
    if (c != '\n')
        return false;
    if (self->unclear)
        return enter(self, OPAQUE);
    if (!self->trailers && self->fields & CODING)
        return enter(self, SIZE_FIRST);
    return !self->trailers && self->body > 0 ? enter(self, BODY) : request_ends(self);
}

static void match_name(struct framing *self, uint8_t c)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (self->candidates & 1U << i && names[i][self->position] != lower(c))
            self->candidates &= (uint8_t) ~(1U << i);
    self->position++;
}

/* Handles the end of a field's name. A second framing field leaves the request's end unclear (RFC
 * 9112, section 6.3). HTTP/1.0 has no chunks. */
static bool name_ends(struct framing *self)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (self->candidates & 1U << i && names[i][self->position] == '\0')
            self->field = (uint8_t)(1U << i);
    self->position = 0;
    self->unclear |= self->field && (self->fields || (self->field == CODING && self->old));
    self->fields |= self->field;
    if (self->field == LENGTH)
        self->body = 0;
    return enter(self, VALUE_FIRST);
}

static bool in_name(struct framing *self, uint8_t c)
{
    if (self->state == NAME_FIRST) {
        if (c == '\r')
            return enter(self, FIELDS_LF);
        self->field = self->position = 0;
        self->candidates = self->trailers ? 0 : FRAMING_FIELDS;
        self->state = NAME;
    } else if (c == ':') {
        return name_ends(self);
    }
    if (self->candidates)
        match_name(self, c);
    return classes[c] & TOKEN;
}

static bool in_framing_value(struct framing *self, uint8_t c)
{
    if (self->gap)
        return false;
    if (self->field == CODING)
        return self->position < sizeof(coding) - 1 && coding[self->position++] == lower(c);
    if (!is_digit(c))
        return false;
    self->position = 1;
    if (__builtin_mul_overflow(self->body, 10U, &self->body) ||
        __builtin_add_overflow(self->body, (uint64_t)(c - '0'), &self->body))
        return refuse(self, MHD_HTTP_CONTENT_TOO_LARGE);
    return true;
}

static bool value_ends(struct framing *self)
{
    if ((self->field == CODING && self->position < sizeof(coding) - 1) ||
        (self->field == LENGTH && self->position == 0))
        return false;
    self->gap = false;
    return enter(self, VALUE_LF);
}

static bool in_value(struct framing *self, uint8_t c)
{
    if (c == '\r')
        return value_ends(self);
    if (is_space(c)) {
        self->gap = self->state == VALUE;
        return true;
    }
    if (!(classes[c] & VISIBLE) || (self->field && !in_framing_value(self, c)))
        return false;
    self->gap = false;
    return enter(self, VALUE);
}

/* ---- chunks ---- */

static bool in_size(struct framing *self, uint8_t c)
{
    int digit = hex(c);

    if (self->state == SIZE_FIRST)
        self->body = self->extension = 0;
    else if (c == '\r')
        return enter(self, SIZE_LF);
    else if (is_space(c))
        return enter(self, SIZE_SPACE);
    else if (c == ';')
        return enter(self, EXTENSION);
    if (digit < 0)
        return false;
    if (self->body >> 60)
        return refuse(self, MHD_HTTP_CONTENT_TOO_LARGE);
    self->body = self->body << 4 | (uint64_t)digit;
    return enter(self, SIZE);
}

static bool size_ends(struct framing *self, uint8_t c)
{
    self->trailers = self->body == 0;
    return expect(self, c == '\n', self->trailers ? NAME_FIRST : CHUNK);
}

static bool in_extension(struct framing *self, uint8_t c)
{
    if (++self->extension > FRAMING_EXTENSION_MAX)
        return false;
    if (self->state == SIZE_SPACE)
        return is_space(c) || expect(self, c == ';', EXTENSION);
    return c == '\r' ? enter(self, SIZE_LF) : is_space(c) || classes[c] & VISIBLE;
}

static bool step(struct framing *self, uint8_t c)
{
    switch (self->state) {
    case NAME_FIRST:
    case NAME:
        return in_name(self, c);
    case VALUE_FIRST:
    case VALUE:
        return in_value(self, c);
    case VALUE_LF:
        return expect(self, c == '\n', NAME_FIRST);
    case FIELDS_LF:
        return fields_end(self, c);
    case SIZE_FIRST:
    case SIZE:
        return in_size(self, c);
    case SIZE_SPACE:
    case EXTENSION:
        return in_extension(self, c);
    case SIZE_LF:
        return size_ends(self, c);
    case CHUNK_CR:
        return expect(self, c == '\r', CHUNK_LF);
    case CHUNK_LF:
        return expect(self, c == '\n', SIZE_FIRST);
    default:
        return in_line(self, c);
    }
}

/* Returns how many bytes belong to the body or chunk. */
static size_t skip(struct framing *self, size_t size)
{
    size_t some = size < self->body ? size : (size_t)self->body;

    self->body -= some;
    if (self->body == 0 && self->state == CHUNK)
        (void)enter(self, CHUNK_CR);
    else if (self->body == 0)
        (void)request_ends(self);
    return some;
}

static size_t plain_length(struct framing *self, const uint8_t *bytes, size_t size)
{
    uint8_t class = self->state == TARGET                                ? VISIBLE
                    : self->state == VALUE && !self->field && !self->gap ? VISIBLE
                    : self->state == NAME && !self->candidates           ? TOKEN
                                                                         : 0;
    size_t length = 0;

    if (self->state == OPAQUE)
        return size;
    if (self->state == BODY || self->state == CHUNK)
        return skip(self, size);
    while (length < size && classes[bytes[length]] & class)
        length++;
    return length;
}

/* Bytes from `out` to `in` are dropped. */
struct cursor {
    uint8_t *bytes;
    size_t in, out, gap; /* `gap`: start of white space that may be dropped */
};

static void keep(struct cursor *at, size_t from, size_t size)
{
    if (at->out != from)
        memmove(at->bytes + at->out, at->bytes + from, size);
    at->out += size;
}

static bool keep_gap(struct framing *self, struct cursor *at)
{
    size_t size = at->in - at->gap;

    if (self->gap_lost || size > FRAMING_GAP_MAX)
        return false;
    keep(at, at->gap, size);
    return true;
}

static bool take(struct framing *self, struct cursor *at)
{
    bool gap = self->gap;

    if (!step(self, at->bytes[at->in]))
        return false;
    if (self->gap && !gap)
        at->gap = at->in;
    if (gap && self->state == VALUE && !self->gap && !keep_gap(self, at))
        return false;
    if (!self->gap)
        self->gap_lost = false;
    if (!self->gap && self->state != SIZE_SPACE && self->state != EXTENSION)
        keep(at, at->in, 1);
    at->in++;
    return true;
}

static void hold_gap(struct framing *self, const struct cursor *at)
{
    size_t size = at->in - at->gap;

    self->gap_lost |= size > FRAMING_GAP_MAX;
    if (self->gap_lost)
        return;
    memcpy(self->held, at->bytes + at->gap, size);
    self->held_size = (uint16_t)size;
}

size_t framing_filter(struct framing *self, uint8_t *bytes, size_t size)
{
    struct cursor at = {.bytes = bytes, .in = self->held_size};
    size_t end = self->held_size + size, request = 0;

    memcpy(bytes, self->held, self->held_size);
    self->held_size = 0;
    while (at.in < end) {
        size_t plain = plain_length(self, bytes + at.in, end - at.in);

        if (plain > 0) {
            keep(&at, at.in, plain);
            at.in += plain;
        } else if (!take(self, &at)) {
            self->status = self->status ? self->status : MHD_HTTP_BAD_REQUEST;
            return request;
        }
        if (self->state == START)
            request = at.out;
    }
    if (self->gap)
        hold_gap(self, &at);
    return at.out;
}
