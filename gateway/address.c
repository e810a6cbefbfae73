/*
 * address.c - client addresses behind proxies.  Called by exchange.c for requests that reach a daemon: the
 * address counts for throttles, so an untrusted X-Forwarded-For must not choose it.
 */
#include <string.h>

#include "gateway/address.h"

int address_networks_parse(const char *const *texts, struct arena *arena,
                           struct address_networks *ret, struct error *err)
{
    size_t count = 0;

    while (texts && texts[count])
        count++;
    ret->items = arena_calloc(arena, count, sizeof(*ret->items));
    ret->count = count;
    for (size_t i = 0; i < count; i++)
        if (address_network_parse(texts[i], &ret->items[i]) < 0)
            return error_set(err, ERR_BAD_REQUEST,
                             "trusted_proxies: \"%s\" is not an address or network", texts[i]);
    return 0;
}

bool address_networks_have(const struct address_networks *self, const struct address *address)
{
    for (size_t i = 0; i < self->count; i++)
        if (address_network_has(&self->items[i], address))
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
