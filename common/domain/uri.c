/*
 * uri.c - see uri.h.
 */
#include "common/domain/uri.h"

#include <stdio.h>
#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

enum { PORT_DIGITS_MAX = 5 };

static const char *const loopback_hosts[] = {"http://127.0.0.1", "http://[::1]",
                                             "http://localhost"};

/* Printable ASCII without what RFC 3986, section 2, has in no URI, and without a fragment. */
static bool is_plain(const char *value)
{
    for (; *value; value++) {
        if (*value <= ' ' || *value > '~' || strchr("\"<>\\^`{|}#", *value))
            return false;
    }
    return true;
}

/* A scheme (RFC 3986, section 3.1) and its colon, as a number of bytes; 0: there is none. */
static size_t scheme_length(const char *value)
{
    size_t length = strspn(value, LETTERS DIGITS "+-.");

    return length && strchr(LETTERS, *value) && value[length] == ':' ? length + 1 : 0;
}

static bool is_https(const char *value)
{
    static const char scheme[] = "https://";
    const char *host = value + sizeof(scheme) - 1;
    size_t length;

    if (strncmp(value, scheme, sizeof(scheme) - 1) != 0 || !is_plain(value))
        return false;
    length = strcspn(host, "/?");
    return length && *host != ':' && !memchr(host, '@', length);
}

/* What follows scheme, host and port of an http URI on the loopback interface, *ret_host the number
 * of bytes before the port; NULL: it is none. */
static const char *after_loopback(const char *value, size_t *ret_host)
{
    for (size_t i = 0; i < sizeof(loopback_hosts) / sizeof(*loopback_hosts); i++) {
        const char *rest = value + strlen(loopback_hosts[i]);
        size_t digits;

        if (strncmp(value, loopback_hosts[i], strlen(loopback_hosts[i])) != 0)
            continue;
        *ret_host = strlen(loopback_hosts[i]);
        if (*rest == ':') {
            digits = strspn(rest + 1, DIGITS);
            if (digits < 1 || digits > PORT_DIGITS_MAX)
                return NULL;
            rest += 1 + digits;
        }
        return *rest == '\0' || *rest == '/' || *rest == '?' ? rest : NULL;
    }
    return NULL;
}

static bool is_private(const char *value)
{
    size_t scheme = scheme_length(value);

    return scheme && memchr(value, '.', scheme) && value[scheme];
}

int uri_https_check(const char *value, char why[static 96])
{
    snprintf(why, 96, "must be an absolute https URL without user and fragment");
    return is_https(value) ? 0 : -1;
}

int uri_redirect_check(const char *value, char why[static 96])
{
    size_t host;

    snprintf(why, 96,
             "must be https, http on 127.0.0.1 or [::1], or a scheme with a dot, no fragment");
    if (!is_plain(value))
        return -1;
    return is_https(value) || after_loopback(value, &host) || is_private(value) ? 0 : -1;
}

int uri_resource_check(const char *value, char why[static 96])
{
    size_t scheme = scheme_length(value);

    snprintf(why, 96, "must be an absolute URI without fragment");
    return scheme && value[scheme] && is_plain(value) ? 0 : -1;
}

bool uri_redirect_matches(const char *registered, const char *given)
{
    size_t registered_host, given_host;
    const char *registered_rest, *given_rest;

    if (strcmp(registered, given) == 0)
        return true;
    registered_rest = after_loopback(registered, &registered_host);
    given_rest = after_loopback(given, &given_host);
    return registered_rest && given_rest && registered_host == given_host &&
           strncmp(registered, given, given_host) == 0 && strcmp(registered_rest, given_rest) == 0;
}

bool uri_is_below(const char *base, const char *address)
{
    size_t length = strlen(base);

    return strncmp(address, base, length) == 0 &&
           (address[length] == '\0' || address[length] == '/');
}
