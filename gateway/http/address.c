/*
 * address.c - see address.h.
 *
 * Throttles count by address, so clients must not be able to choose it. Headers are parsed from the
 * end, so that a client's own entries don't affect those of proxies.
 */
#include "gateway/http/address.h"

#include <strings.h>

enum { ENTRY_SIZE = INET6_ADDRSTRLEN + 8 };

struct span {
    const char *at;
    size_t size;
};

static struct span span_trim(struct span self)
{
    for (; self.size > 0 && strchr(" \t", *self.at); self.size--)
        self.at++;
    while (self.size > 0 && strchr(" \t", self.at[self.size - 1]))
        self.size--;
    return self;
}

static bool is_escaped(const char *text, size_t at)
{
    size_t start = at;

    while (start > 0 && text[start - 1] == '\\')
        start--;
    return (at - start) % 2 == 1;
}

/* Removes the text after the last separator from *rest, with the separator, and returns it. */
static struct span span_last(struct span *rest, const char *separators, bool quotes)
{
    size_t start = rest->size;
    bool quoted = false;
    struct span part;

    while (start > 0 && (quoted || !strchr(separators, rest->at[start - 1]))) {
        start--;
        if (quotes && rest->at[start] == '"' && !(quoted && is_escaped(rest->at, start)))
            quoted = !quoted;
    }
    part = (struct span){rest->at + start, rest->size - start};
    rest->size = start > 0 ? start - 1 : 0;
    return span_trim(part);
}

static int span_address(struct span self, struct address *ret)
{
    char text[ENTRY_SIZE];

    if (self.size >= sizeof(text))
        return -1;
    memcpy(text, self.at, self.size);
    text[self.size] = '\0';
    return address_parse(text, ret);
}

/* Parses 'for=192.0.2.1;proto=https' (RFC 7239, section 4). Fails for "unknown" and "_hidden". */
static int element_address(struct span element, struct address *ret)
{
    static const char name[] = "for=";
    const size_t length = sizeof(name) - 1;

    while (element.size > 0) {
        struct span pair = span_last(&element, ";", true);

        if (pair.size <= length || strncasecmp(pair.at, name, length) != 0)
            continue;
        pair.at += length;
        pair.size -= length;
        if (pair.size >= 2 && *pair.at == '"' && pair.at[pair.size - 1] == '"')
            pair = (struct span){pair.at + 1, pair.size - 2};
        return span_address(pair, ret);
    }
    return -1;
}

/* Removes the last entry that isn't empty (RFC 9110, section 5.6.1). Returns 1 with its address, 0
 * at the end of the list, -1 for an entry without an address. */
static int last_entry(struct span *list, bool standard, struct address *ret)
{
    while (list->size > 0) {
        struct span entry = span_last(list, standard ? "," : ", \t", standard);

        if (entry.size > 0)
            return (standard ? element_address(entry, ret) : span_address(entry, ret)) < 0 ? -1 : 1;
    }
    return 0;
}

struct address address_client(const struct address_networks *trusted, const struct address *peer,
                              bool standard, const char *const *forwarded, size_t count)
{
    struct address client = *peer;

    for (size_t i = count; i-- > 0;) {
        struct span list = {forwarded[i], strlen(forwarded[i])};
        struct address entry;
        int found;

        while ((found = last_entry(&list, standard, &entry)) > 0) {
            if (!address_networks_have(trusted, &client))
                return client;
            client = entry;
        }
        if (found < 0)
            return client;
    }
    return client;
}
