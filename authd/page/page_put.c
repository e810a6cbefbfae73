/*
 * page_put.c - escapes values for each context.
 */
#include <string.h>
#include <unictype.h>
#include <unistr.h>

#include "authd/page/page.h"
#include "common/base/base.h"
#include "common/domain/uri.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

static const char digits[] = "0123456789ABCDEF";

/* Where an ASCII character needs no escape: '1' HTML; '2' HTML and JSON; '3' also URLs (RFC 3986,
 * section 2.3); '0' nowhere. */
static const char plain_in[] = "0000000000000000"
                               "0000000000000000"
                               "2202220022222332"  /* blank ! " # $ % & ' ( ) * + , - . / */
                               "3333333333220202"  /* 0 to 9 : ; < = > ? */
                               "2333333333333333"  /* @ A to O */
                               "3333333333321223"  /* P to Z [ \ ] ^ _ */
                               "2333333333333333"  /* ` a to o */
                               "3333333333322230"; /* p to z { | } ~ */

/* Returns the size of the character at `text`, or 1 if it isn't UTF-8. *ret_taken: HTML allows it
 * (HTML, section 13.1.3). */
static size_t character(const char *text, bool *ret_taken)
{
    ucs4_t code;
    int length = u8_strmbtouc(&code, (const uint8_t *)text);

    *ret_taken =
        length > 0 &&
        (code == '\t' || code == '\n' ||
         (!uc_is_general_category(code, UC_CONTROL) && !uc_is_property_not_a_character(code)));
    return (size_t)MAX(length, 1);
}

/* Text and attributes escape all five characters, so a value is safe in both. */
static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void put_html(struct page *self, const char *text, size_t length)
{
    const char *named = length == 1 ? entity(*text) : NULL;

    page_raw(self, named ? named : text, named ? strlen(named) : length);
}

static void put_percent(struct page *self, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char code[] = {'%', digits[text[i] >> 4 & 15], digits[text[i] & 15]};

        page_raw(self, code, sizeof(code));
    }
}

/* Keeps a URL's delimiters and percent-encodes the rest. */
static void put_url(struct page *self, const char *text, size_t length)
{
    if (length == 1 && strchr("/?#=&%:@!$*+,;[]()'", *text))
        put_html(self, text, length);
    else
        put_percent(self, text, length);
}

/* \u003C and \u003E can't end a script; "&" is for XML parsers. U+2028 and U+2029 ended lines in
 * JavaScript before 2019. */
static void put_json(struct page *self, const char *text, size_t length)
{
    const char escaped[] = {'\\', 'u', '0', '0', digits[*text >> 4 & 15], digits[*text & 15]};

    if (length == 3 && memcmp(text, "\xE2\x80\xA8", 3) == 0)
        page_raw(self, "\\u2028", 6);
    else if (length == 3 && memcmp(text, "\xE2\x80\xA9", 3) == 0)
        page_raw(self, "\\u2029", 6);
    else if (length > 1)
        page_raw(self, text, length);
    else
        page_raw(self, escaped, sizeof(escaped));
}

/* Returns how many bytes can be copied unchanged. */
static size_t plain_length(enum page_context context, const char *text)
{
    static const char least[] = {
        [PAGE_HTML] = '1',        [PAGE_ATTRIBUTE] = '1', [PAGE_URL] = '3',
        [PAGE_URL_SEGMENT] = '3', [PAGE_URL_QUERY] = '3', [PAGE_JSON] = '2',
        [PAGE_IMAGE] = '1',
    };
    const unsigned char *at = (const unsigned char *)text;

    while (*at < 0x80 && plain_in[*at] >= least[context])
        at++;
    return (size_t)(at - (const unsigned char *)text);
}

/* True for https, http, or this host. Browsers drop tabs and line feeds, and take "\" for "/". */
static bool is_safe_url(const char *value)
{
    bool secure;

    if (strpbrk(value, "\t\n\r\\"))
        return false;
    return uri_after_http(value, &secure) || (value[0] == '/' && value[1] != '/');
}

/* True for PNG data or a file of this host. */
static bool is_safe_image(const char *value)
{
    static const char data[] = "data:image/png;base64,";
    const char *bytes = value + sizeof(data) - 1;

    if (strncmp(value, data, sizeof(data) - 1) == 0)
        return bytes[strspn(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789+/=")] == '\0';
    return value[0] == '/' && is_safe_url(value);
}

void page_put(struct page *self, enum page_context context, const char *value)
{
    static void (*const write[])(struct page *, const char *, size_t) = {
        [PAGE_HTML] = put_html,           [PAGE_ATTRIBUTE] = put_html,    [PAGE_URL] = put_url,
        [PAGE_URL_SEGMENT] = put_percent, [PAGE_URL_QUERY] = put_percent, [PAGE_JSON] = put_json,
        [PAGE_IMAGE] = put_html,
    };
    const char *at = value ? value : "";
    bool is_taken;

    if (context == PAGE_URL && !is_safe_url(at))
        at = "#";
    if (context == PAGE_IMAGE && !is_safe_image(at))
        at = "data:,";
    if (context == PAGE_URL_SEGMENT &&
        (*at == '\0' || strcmp(at, ".") == 0 || strcmp(at, "..") == 0))
        at = "-";
    if (context == PAGE_JSON)
        page_raw(self, "\"", 1);
    for (size_t length; *at != '\0'; at += length) {
        length = plain_length(context, at);
        if (length > 0) {
            page_raw(self, at, length);
            continue;
        }
        length = character(at, &is_taken);
        write[context](self, is_taken ? at : REPLACEMENT,
                       is_taken ? length : sizeof(REPLACEMENT) - 1);
    }
    if (context == PAGE_JSON)
        page_raw(self, "\"", 1);
}
