/*
 * address.c - client addresses behind proxies.  Called by exchange.c for requests that reach a daemon: the
 * address counts for throttles, so an untrusted X-Forwarded-For must not choose it.
 */
#include <string.h>

#include "gateway/address.h"

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
