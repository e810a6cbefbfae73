/* uri.c - see uri.h. */
#include "common/domain/uri.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <libpsl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/base.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

enum { PORT_DIGITS_MAX = 5, PORT_MAX = 65535, HOST_MAX = 253, LABEL_MAX = 63 };

/* True for printable ASCII that a URI can contain (RFC 3986, section 2); "%" begins an octet. */
static bool is_plain(const char *value)
{
    for (; *value; value++) {
        if (*value <= ' ' || *value > '~' || strchr("\"<>\\^`{|}", *value))
            return false;
        if (*value == '%' &&
            !(isxdigit((unsigned char)value[1]) && isxdigit((unsigned char)value[2])))
            return false;
    }
    return true;
}

size_t uri_scheme_length(const char *text)
{
    size_t length = strspn(text, LETTERS DIGITS "+-.");

    return length && strchr(LETTERS, *text) && text[length] == ':' ? length + 1 : 0;
}

const char *uri_after_http(const char *text, bool *ret_secure)
{
    static const char plain[] = "http://", secure[] = "https://";

    *ret_secure = strncasecmp(text, secure, sizeof(secure) - 1) == 0;
    if (*ret_secure)
        return text + sizeof(secure) - 1;
    return strncasecmp(text, plain, sizeof(plain) - 1) == 0 ? text + sizeof(plain) - 1 : NULL;
}

static bool is_address(int family, const char *text, size_t length)
{
    char copy[INET6_ADDRSTRLEN];
    uint8_t bytes[sizeof(struct in6_addr)];

    if (length >= sizeof(copy))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return inet_pton(family, copy, bytes) == 1;
}

static bool is_label(const char *text, size_t length)
{
    return length > 0 && length <= LABEL_MAX && text[0] != '-' && text[length - 1] != '-';
}

/* True for "1.2.3" and "0x7f.1": browsers take a name with a numeric last label for an address. */
static bool is_number(const char *text, size_t length)
{
    bool hex = length > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    size_t at = hex ? 2 : 0;

    while (at < length && strchr(hex ? DIGITS "ABCDEFabcdef" : DIGITS, text[at]))
        at++;
    return at == length;
}

/* True for a host name, also with a final dot. */
static bool is_name(const char *text, size_t length)
{
    size_t label = 0;

    if (length > 0 && text[length - 1] == '.')
        length--;
    if (length == 0 || length > HOST_MAX)
        return false;
    for (size_t at = 0; at < length; at += label + 1) {
        label = strspn(text + at, LETTERS DIGITS "-_");
        if (!is_label(text + at, label) || (at + label < length && text[at + label] != '.'))
            return false;
    }
    return text[length - 1] != '.' && !is_number(text + length - label, label);
}

static bool parse_host(struct uri *uri)
{
    const char *host = uri->host;
    size_t length = uri->host_length;

    if (length > 2 && host[0] == '[' && host[length - 1] == ']') {
        uri->kind = URI_IPV6;
        return is_address(AF_INET6, host + 1, length - 2);
    }
    uri->kind = is_address(AF_INET, host, length) ? URI_IPV4 : URI_NAME;
    return uri->kind == URI_IPV4 || is_name(host, length);
}

static bool parse_port(struct uri *uri, const char *text, const char *end)
{
    size_t digits;

    uri->port = uri->secure ? 443 : 80;
    if (text == end)
        return true;
    digits = strspn(text + 1, DIGITS);
    if (*text != ':' || digits < 1 || digits > PORT_DIGITS_MAX || text + 1 + digits != end)
        return false;
    uri->has_port = true;
    uri->port = strtol(text + 1, NULL, 10);
    return uri->port > 0 && uri->port <= PORT_MAX;
}

bool uri_parse(const char *text, struct uri *ret)
{
    const char *at = uri_after_http(text, &ret->secure), *end, *user;
    bool secure = ret->secure;

    *ret = (struct uri){.secure = secure};
    if (!at || !is_plain(text))
        return false;
    end = at + strcspn(at, "/?#");
    user = memrchr(at, '@', (size_t)(end - at));
    ret->has_user = user != NULL;
    ret->host = user ? user + 1 : at;
    at = memchr(ret->host, ']', (size_t)(end - ret->host));
    at = at ? at + 1 : ret->host + strcspn(ret->host, ":/?#");
    ret->host_length = (size_t)(at - ret->host);
    ret->rest = end;
    ret->has_fragment = strchr(end, '#') != NULL;
    ret->has_query = end[strcspn(end, "?#")] == '?';
    return parse_host(ret) && parse_port(ret, at, end);
}

bool uri_is_origin(const char *text)
{
    struct uri uri;

    return uri_parse(text, &uri) && !uri.has_user && *uri.rest == '\0';
}

bool uri_same_origin(const struct uri *self, const struct uri *other)
{
    return self->secure == other->secure && self->port == other->port &&
           self->host_length == other->host_length &&
           strncasecmp(self->host, other->host, self->host_length) == 0;
}

bool uri_is_loopback(const struct uri *self)
{
    static const char *const hosts[] = {"127.0.0.1", "[::1]", "localhost"};

    for (size_t i = 0; i < ARRAY_SIZE(hosts); i++)
        if (self->host_length == strlen(hosts[i]) &&
            strncasecmp(self->host, hosts[i], self->host_length) == 0)
            return true;
    return false;
}

/* Names below a public suffix have different owners (publicsuffix.org). A single label that is not
 * listed counts as private. */
static bool is_public_suffix(const struct uri *uri)
{
    char name[HOST_MAX + 1];
    psl_ctx_t *suffixes;
    size_t length = uri->host_length;
    bool found;

    if (uri->kind != URI_NAME)
        return false;
    length -= uri->host[length - 1] == '.';
    for (size_t i = 0; i < length; i++)
        name[i] = (char)tolower((unsigned char)uri->host[i]);
    name[length] = '\0';
    suffixes = psl_latest(NULL);
    found = suffixes &&
            psl_is_public_suffix2(suffixes, name, PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE) == 1;
    psl_free(suffixes);
    return found;
}

static bool is_own_address(const struct uri *uri)
{
    return !uri->has_user && !is_public_suffix(uri);
}

int uri_https_check(const char *value, char why[static 96])
{
    struct uri uri;

    snprintf(why, 96, "must be an absolute https URL without user and fragment");
    return uri_parse(value, &uri) && uri.secure && !uri.has_fragment && is_own_address(&uri) ? 0
                                                                                             : -1;
}

int uri_receiver_check(const char *value, char why[static 96])
{
    struct uri uri;

    if (!uri_parse(value, &uri) || uri.secure || !uri_is_loopback(&uri))
        return uri_https_check(value, why);
    snprintf(why, 96, "must be a URL without user and fragment");
    return uri.has_user || uri.has_fragment ? -1 : 0;
}

int uri_app_check(const char *value, char why[static 96])
{
    struct uri uri;

    snprintf(why, 96, "must be an absolute http or https URL");
    return uri_parse(value, &uri) && is_own_address(&uri) ? 0 : -1;
}

static bool is_private(const char *value)
{
    size_t scheme = uri_scheme_length(value);

    return scheme && memchr(value, '.', scheme) && value[scheme] && is_plain(value);
}

int uri_redirect_check(const char *value, char why[static 96])
{
    struct uri uri;
    bool http =
        uri_parse(value, &uri) && is_own_address(&uri) && (uri.secure || uri_is_loopback(&uri));

    snprintf(why, 96,
             "must be https, http on 127.0.0.1 or [::1], or a scheme with a dot, no fragment");
    return (http || is_private(value)) && !strchr(value, '#') ? 0 : -1;
}

int uri_resource_check(const char *value, char why[static 96])
{
    size_t scheme = uri_scheme_length(value);
    struct uri uri;
    bool secure, http = uri_after_http(value, &secure) != NULL;

    snprintf(why, 96, "must be an absolute URI without fragment");
    if (!scheme || !value[scheme] || !is_plain(value) || strchr(value, '#'))
        return -1;
    return !http || uri_parse(value, &uri) ? 0 : -1;
}

bool uri_redirect_matches(const char *registered, const char *given)
{
    struct uri own, other;
    size_t length;

    if (strcmp(registered, given) == 0)
        return true;
    if (!uri_parse(registered, &own) || !uri_parse(given, &other) || own.secure || own.has_user ||
        !uri_is_loopback(&own))
        return false;
    length = (size_t)(own.host - registered) + own.host_length;
    return own.host_length == other.host_length &&
           (size_t)(other.host - given) + other.host_length == length &&
           memcmp(registered, given, length) == 0 && strcmp(own.rest, other.rest) == 0;
}

bool uri_is_below(const char *base, const char *address)
{
    struct uri own, other;
    size_t length;

    if (!uri_parse(base, &own) || !uri_parse(address, &other) || !uri_same_origin(&own, &other))
        return false;
    length = strlen(own.rest);
    return strncmp(other.rest, own.rest, length) == 0 &&
           (other.rest[length] == '\0' || strchr("/?#", other.rest[length]));
}

const char *uri_encode(struct arena *arena, const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    char *out = arena_alloc(arena, 3 * strlen(text) + 1), *at = out;

    for (; *text; text++) {
        if (strchr(plain, *text))
            *at++ = *text;
        else
            at += sprintf(at, "%%%02X", (unsigned char)*text);
    }
    *at = '\0';
    return out;
}

const char *uri_add(struct arena *arena, const char *url, const char *name, const char *value)
{
    if (!value)
        return url;
    return arena_printf(arena, "%s%c%s=%s", url, strchr(url, '?') ? '&' : '?', name,
                        uri_encode(arena, value));
}
