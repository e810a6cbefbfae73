/*
 * address.c - client addresses behind proxies.  Called by exchange.c for requests that reach a daemon: the
 * address counts for throttles, so an untrusted X-Forwarded-For must not choose it.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/address.h"

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static void address_from_v4(const void *v4, struct address *ret)
{
    memcpy(ret->bytes, mapped_prefix, sizeof(mapped_prefix));
    memcpy(ret->bytes + 12, v4, 4);
}

static int parse_plain(const char *text, struct address *ret)
{
    struct in_addr v4;

    if (inet_pton(AF_INET, text, &v4) == 1) {
        address_from_v4(&v4, ret);
        return 0;
    }
    return inet_pton(AF_INET6, text, ret->bytes) == 1 ? 0 : -1;
}

int address_parse(const char *text, struct address *ret)
{
    char copy[INET6_ADDRSTRLEN + 8];
    size_t length = strlen(text);
    char *colon;

    if (length >= sizeof(copy))
        return -1;
    memcpy(copy, text, length + 1);
    if (copy[0] == '[') {
        char *end = strchr(copy, ']');

        if (!end)
            return -1;
        *end = '\0';
        return parse_plain(copy + 1, ret);
    }
    colon = strchr(copy, ':');
    if (colon && !strchr(colon + 1, ':'))
        *colon = '\0';
    return parse_plain(copy, ret);
}

void address_from_socket(const struct sockaddr *socket, struct address *ret)
{
    *ret = (struct address){0};
    if (socket && socket->sa_family == AF_INET)
        address_from_v4(&((const struct sockaddr_in *)(const void *)socket)->sin_addr, ret);
    else if (socket && socket->sa_family == AF_INET6)
        memcpy(ret->bytes, &((const struct sockaddr_in6 *)(const void *)socket)->sin6_addr, 16);
}

void address_format(const struct address *self, char text[static INET6_ADDRSTRLEN])
{
    bool v4 = memcmp(self->bytes, mapped_prefix, sizeof(mapped_prefix)) == 0;

    if (!inet_ntop(v4 ? AF_INET : AF_INET6, self->bytes + (v4 ? 12 : 0), text, INET6_ADDRSTRLEN))
        text[0] = '\0';
}

static int network_parse(const char *text, struct address_network *ret)
{
    char copy[INET6_ADDRSTRLEN + 8];
    char *slash, *end;
    size_t length = strlen(text);
    unsigned long prefix;

    if (length >= sizeof(copy))
        return -1;
    memcpy(copy, text, length + 1);
    slash = strchr(copy, '/');
    if (slash)
        *slash++ = '\0';
    if (parse_plain(copy, &ret->address) < 0)
        return -1;
    ret->prefix = 128;
    if (!slash)
        return 0;
    prefix = strtoul(slash, &end, 10);
    if (*slash < '0' || *slash > '9' || *end || prefix > (strchr(copy, ':') ? 128 : 32))
        return -1;
    ret->prefix = (unsigned)prefix + (strchr(copy, ':') ? 0 : 96);
    return 0;
}

int address_networks_parse(const char *const *texts, struct arena *arena,
                           struct address_networks *ret, struct error *err)
{
    size_t count = 0;

    while (texts && texts[count])
        count++;
    ret->items = arena_calloc(arena, count, sizeof(*ret->items));
    ret->count = count;
    for (size_t i = 0; i < count; i++)
        if (network_parse(texts[i], &ret->items[i]) < 0)
            return error_set(err, ERR_BAD_REQUEST,
                             "trusted_proxies: \"%s\" is not an address or network", texts[i]);
    return 0;
}

static bool network_has(const struct address_network *self, const struct address *address)
{
    unsigned whole = self->prefix / 8, rest = self->prefix % 8;
    uint8_t mask = (uint8_t)(0xff00 >> rest);

    if (memcmp(self->address.bytes, address->bytes, whole) != 0)
        return false;
    return rest == 0 || ((self->address.bytes[whole] ^ address->bytes[whole]) & mask) == 0;
}

bool address_networks_have(const struct address_networks *self, const struct address *address)
{
    for (size_t i = 0; i < self->count; i++)
        if (network_has(&self->items[i], address))
            return true;
    return false;
}

/* Takes the last entry off `list`, whose length is *length; empty ones are none (RFC 9110, section 5.6.1). 1: an
 * address in *ret, 0: the list is at its end, -1: no address. */
static int last_entry(const char *list, size_t *length, struct address *ret)
{
    static const char gap[] = ", \t";
    char entry[INET6_ADDRSTRLEN + 8];
    size_t end = *length, start;

    while (end > 0 && strchr(gap, list[end - 1]))
        end--;
    start = end;
    while (start > 0 && !strchr(gap, list[start - 1]))
        start--;
    *length = start;
    if (start == end)
        return 0;
    if (end - start >= sizeof(entry))
        return -1;
    memcpy(entry, list + start, end - start);
    entry[end - start] = '\0';
    return address_parse(entry, ret) < 0 ? -1 : 1;
}

struct address address_client(const struct address_networks *trusted, const struct address *peer,
                              const char *const *forwarded, size_t count)
{
    struct address client = *peer;

    for (size_t i = count; i-- > 0;) {
        size_t length = strlen(forwarded[i]);
        struct address entry;
        int found;

        while ((found = last_entry(forwarded[i], &length, &entry)) > 0) {
            if (!address_networks_have(trusted, &client))
                return client;
            client = entry;
        }
        if (found < 0)
            return client;
    }
    return client;
}
