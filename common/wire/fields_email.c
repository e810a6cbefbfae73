/* fields_email.c - one spelling per email address (RFC 5321, section 4.1.2, dot-atom form). */
#include <idn2.h>

#include "common/wire/fields.h"

/* RFC 5321, section 4.5.3.1: the path's 256 bytes include angle brackets. */
enum { EMAIL_MAX = 254, LOCAL_MAX = 64, DOMAIN_MAX = 253, LABEL_MAX = 63 };

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alphanumeric(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void lower(char *text)
{
    for (; *text; text++)
        if (*text >= 'A' && *text <= 'Z')
            *text = (char)(*text - 'A' + 'a');
}

/* atext *("." atext), RFC 5322, section 3.2.3. */
static bool is_local_part(const char *text)
{
    size_t length = strlen(text);
    char before = '.';

    if (length == 0 || length > LOCAL_MAX || text[length - 1] == '.')
        return false;
    for (; *text; text++) {
        bool atom = is_alphanumeric(*text) || strchr("!#$%&'*+/=?^_`{|}~-", *text);

        if (!atom && (*text != '.' || before == '.'))
            return false;
        before = *text;
    }
    return true;
}

static bool is_label(const char *text, size_t length)
{
    if (length == 0 || length > LABEL_MAX || text[0] == '-' || text[length - 1] == '-')
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_alphanumeric(text[i]) && text[i] != '-')
            return false;
    return true;
}

/* Requires a last label that is no number: 127.0.0.1 is an address. */
static bool is_domain(const char *text)
{
    const char *dot;
    bool dotted = false;

    while ((dot = strchr(text, '.'))) {
        if (!is_label(text, (size_t)(dot - text)))
            return false;
        text = dot + 1;
        dotted = true;
    }
    return dotted && is_label(text, strlen(text)) && text[strspn(text, "0123456789")] != '\0';
}

static const char *ascii_domain(struct arena *arena, char *domain)
{
    uint8_t *ascii = NULL;
    const char *copy;
    bool plain = true;

    lower(domain);
    for (const char *at = domain; *at; at++)
        plain = plain && (uint8_t)*at < 0x80;
    if (plain && !strstr(domain, "xn--"))
        return domain;
    if (idn2_lookup_u8((const uint8_t *)domain, &ascii, IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT) !=
        IDN2_OK)
        return NULL;
    copy = arena_strdup(arena, (const char *)ascii);
    idn2_free(ascii);
    return copy;
}

const char *fields_domain(struct arena *arena, const char *text)
{
    const char *domain = ascii_domain(arena, arena_strdup(arena, text));

    return domain && is_domain(domain) && strlen(domain) <= DOMAIN_MAX ? domain : NULL;
}

const char *fields_email(struct arena *arena, const char *text)
{
    size_t length = strlen(text);
    const char *domain;
    char *local, *at;

    while (is_blank(*text)) {
        text++;
        length--;
    }
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    local = arena_strndup(arena, text, length);
    at = strchr(local, '@');
    if (!at)
        return NULL;
    *at = '\0';
    domain = ascii_domain(arena, at + 1);
    if (!domain || !is_local_part(local) || !is_domain(domain) ||
        strlen(local) + 1 + strlen(domain) > EMAIL_MAX)
        return NULL;
    lower(local);
    return arena_printf(arena, "%s@%s", local, domain);
}
