/* message.c - see message.h. Both transports send exactly these bytes. */
#include "maild/message.h"

#include <ctype.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/wire/codec.h"
#include "maild/buffer.h"

enum {
    LINE_MAX_BYTES = 998,  /* RFC 5322, section 2.1.1, without CRLF */
    PLAIN_HEADER_MAX = 66, /* a header text up to this length stays on one line of 78 */
    ENCODED_WORD_BYTES =
        39, /* 52 of base64, 12 around it and "Subject: ": at most 76 (RFC 2047, section 2) */
    QUOTED_LINE_MAX = 75, /* 76 with the soft line break's "=" (RFC 2045, section 6.7) */
};

static char *header_line(struct arena *arena, const char *text)
{
    char *line = arena_strdup(arena, text);

    for (char *p = line; *p; p++) {
        if (iscntrl((unsigned char)*p))
            *p = ' ';
    }
    return line;
}

/* Returns at most `max` bytes that end with a whole UTF-8 character. */
static size_t whole_characters(const char *text, size_t max)
{
    size_t length = strnlen(text, max);

    while (length > 1 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

/* Appends encoded words (RFC 2047), one per line. */
static void add_encoded(struct buffer *out, const char *line)
{
    const char *separator = "";

    while (*line) {
        size_t length = whole_characters(line, ENCODED_WORD_BYTES);
        char word[sodium_base64_ENCODED_LEN(ENCODED_WORD_BYTES, sodium_base64_VARIANT_ORIGINAL)];

        sodium_bin2base64(word, sizeof(word), (const unsigned char *)line, length,
                          sodium_base64_VARIANT_ORIGINAL);
        buffer_printf(out, "%s=?utf-8?B?%s?=", separator, word);
        separator = "\r\n ";
        line += length;
    }
}

static void add_subject(struct buffer *out, const char *text)
{
    const char *line = header_line(out->arena, text);

    buffer_text(out, "Subject: ");
    if (codec_is_ascii(line) && strlen(line) <= PLAIN_HEADER_MAX && !strstr(line, "=?"))
        buffer_text(out, line);
    else
        add_encoded(out, line);
    buffer_text(out, "\r\n");
}

/* Encodes a name of more than plain words, so that it needs no quoting. */
static void add_mailbox(struct buffer *out, const char *header, const char *name,
                        const char *address)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -";

    buffer_printf(out, "%s: ", header);
    if (strlen(name) <= PLAIN_HEADER_MAX && name[strspn(name, plain)] == '\0')
        buffer_text(out, name);
    else
        add_encoded(out, header_line(out->arena, name));
    buffer_printf(out, "%s<%s>\r\n", name[0] ? " " : "", header_line(out->arena, address));
}

static void add_date(struct buffer *out, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm utc;
    char text[64];

    gmtime_r(&seconds, &utc);
    strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S +0000", &utc);
    buffer_printf(out, "Date: %s\r\n", text);
}

static char *with_crlf(struct arena *arena, const char *text)
{
    struct buffer out = {.arena = arena};

    while (*text) {
        size_t length = strcspn(text, "\r\n");

        buffer_add(&out, text, length);
        buffer_text(&out, "\r\n");
        text += length;
        if (text[0] == '\r' && text[1] == '\n')
            text++;
        if (*text)
            text++;
    }
    buffer_text(&out, "");
    return out.text;
}

/* True when the text needs no encoding: ASCII without control characters, and no long line. */
static bool is_seven_bit(const char *text)
{
    size_t column = 0;

    for (; *text; text++) {
        if (*text == '\n')
            column = 0;
        else if (*text != '\r' && ++column > LINE_MAX_BYTES)
            return false;
        if ((unsigned char)*text >= 0x7F ||
            (iscntrl((unsigned char)*text) && !strchr("\r\n\t", *text)))
            return false;
    }
    return true;
}

/* Appends quoted-printable (RFC 2045, section 6.7). */
static void add_quoted(struct buffer *out, const char *text)
{
    size_t column = 0;

    for (; *text; text++) {
        bool blank = (*text == ' ' || *text == '\t') && text[1] != '\r';
        bool literal = blank || (*text > ' ' && *text <= '~' && *text != '=');

        if (text[0] == '\r' && text[1] == '\n') {
            buffer_add(out, text++, 2);
            column = 0;
            continue;
        }
        if (column + (literal ? 1 : 3) > QUOTED_LINE_MAX) {
            buffer_text(out, "=\r\n");
            column = 0;
        }
        if (literal)
            buffer_add(out, text, 1);
        else
            buffer_printf(out, "=%02X", (unsigned)(unsigned char)*text);
        column += literal ? 1 : 3;
    }
}

static void add_part(struct buffer *out, const char *type, const char *text)
{
    const char *body = with_crlf(out->arena, text);
    bool seven_bit = is_seven_bit(body);

    buffer_printf(out,
                  "Content-Type: %s; charset=utf-8\r\n"
                  "Content-Transfer-Encoding: %s\r\n\r\n",
                  type, seven_bit ? "7bit" : "quoted-printable");
    if (seven_bit)
        buffer_text(out, body);
    else
        add_quoted(out, body);
}

/* Adds text and HTML. Plain text comes first: readers show the last part they can (RFC 2046,
 * section 5.1.4). */
static void add_alternatives(struct buffer *out, const struct message *message)
{
    const char *id = message->id.text;

    buffer_printf(out, "Content-Type: multipart/alternative;\r\n boundary=\"=_%s\"\r\n\r\n", id);
    buffer_printf(out, "--=_%s\r\n", id);
    add_part(out, "text/plain", message->text);
    buffer_printf(out, "--=_%s\r\n", id);
    add_part(out, "text/html", message->html);
    buffer_printf(out, "--=_%s--\r\n", id);
}

char *message_build(struct arena *arena, const struct message *message)
{
    struct buffer out = {.arena = arena};
    const char *at = strrchr(message->from_address, '@');

    add_date(&out, message->date_ms);
    add_mailbox(&out, "From", message->from_name, message->from_address);
    add_mailbox(&out, "To", "", message->to);
    add_subject(&out, message->subject);
    buffer_printf(&out, "Message-ID: <%s%s>\r\n", message->id.text, at ? at : "@localhost");
    buffer_text(&out, "MIME-Version: 1.0\r\nAuto-Submitted: auto-generated\r\n");
    if (message->language[0])
        buffer_printf(&out, "Content-Language: %s\r\n", header_line(arena, message->language));
    if (message->html)
        add_alternatives(&out, message);
    else
        add_part(&out, "text/plain", message->text);
    return out.text;
}
