/*
 * json_scan.c - validates JSON in answers, such as an access policy's rules, without a tree.
 */
#include "common/wire/codec.h"

struct scan {
    const char *at, *end;
    int depth;
};

static bool scan_value(struct scan *self);

static void skip_space(struct scan *self)
{
    while (self->at < self->end && strchr(" \t\n\r", *self->at) && *self->at != '\0')
        self->at++;
}

static bool take(struct scan *self, char c)
{
    if (self->at == self->end || *self->at != c)
        return false;
    self->at++;
    return true;
}

static bool take_word(struct scan *self, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(self->end - self->at) < length || memcmp(self->at, word, length) != 0)
        return false;
    self->at += length;
    return true;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool scan_unit(struct scan *self, unsigned *ret)
{
    *ret = 0;
    for (int i = 0; i < 4; i++, self->at++) {
        if (self->at == self->end || !is_hex(*self->at))
            return false;
        *ret = *ret << 4 |
               (unsigned)(*self->at <= '9' ? *self->at - '0' : (*self->at | 32) - 'a' + 10);
    }
    return true;
}

/* Rejects U+0000 and half surrogate pairs. */
static bool scan_escape(struct scan *self)
{
    unsigned unit, low;

    if (self->at == self->end || *self->at == '\0' || !strchr("\"\\/bfnrtu", *self->at))
        return false;
    if (*self->at++ != 'u')
        return true;
    if (!scan_unit(self, &unit) || unit == 0)
        return false;
    if (unit < 0xd800 || unit > 0xdfff)
        return true;
    return unit <= 0xdbff && take_word(self, "\\u") && scan_unit(self, &low) && low >= 0xdc00 &&
           low <= 0xdfff;
}

static bool scan_string(struct scan *self)
{
    if (!take(self, '"'))
        return false;
    while (self->at < self->end) {
        char c = *self->at++;

        if (c == '"')
            return true;
        if ((unsigned char)c < 0x20 || (c == '\\' && !scan_escape(self)))
            return false;
    }
    return false;
}

static bool scan_digits(struct scan *self)
{
    const char *first = self->at;

    while (self->at < self->end && *self->at >= '0' && *self->at <= '9')
        self->at++;
    return self->at > first;
}

static bool scan_number(struct scan *self)
{
    (void)take(self, '-');
    if (!take(self, '0') && !scan_digits(self))
        return false;
    if (take(self, '.') && !scan_digits(self))
        return false;
    if (take(self, 'e') || take(self, 'E')) {
        if (!take(self, '+'))
            (void)take(self, '-');
        return scan_digits(self);
    }
    return true;
}

static bool scan_member(struct scan *self)
{
    skip_space(self);
    if (!scan_string(self))
        return false;
    skip_space(self);
    return take(self, ':') && scan_value(self);
}

static bool scan_elements(struct scan *self, char close, bool (*element)(struct scan *self))
{
    if (++self->depth > CODEC_DEPTH_MAX)
        return false;
    skip_space(self);
    if (!take(self, close)) {
        do {
            if (!element(self))
                return false;
        } while (take(self, ','));
        if (!take(self, close))
            return false;
    }
    self->depth--;
    return true;
}

static bool scan_value(struct scan *self)
{
    bool fine;

    skip_space(self);
    if (take(self, '{'))
        fine = scan_elements(self, '}', scan_member);
    else if (take(self, '['))
        fine = scan_elements(self, ']', scan_value);
    else if (self->at < self->end && *self->at == '"')
        fine = scan_string(self);
    else
        fine = take_word(self, "true") || take_word(self, "false") || take_word(self, "null") ||
               scan_number(self);
    skip_space(self);
    return fine;
}

size_t codec_number_size(const char *at, const char *end)
{
    struct scan scan = {at, end, 0};

    return scan_number(&scan) ? (size_t)(scan.at - at) : 0;
}

bool codec_is_json(const char *text, size_t size)
{
    struct scan scan = {text, text + size, 0};

    return scan_value(&scan) && scan.at == scan.end && codec_is_text(text, size);
}
