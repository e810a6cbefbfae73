/* address.c - see address.h. */
#include "common/base/address.h"

#include <arpa/inet.h>
#include <stdio.h>

enum { MAPPED_BITS = 96, PREFIX_DIGITS_MAX = 3, PORT_DIGITS_MAX = 5 };

static const uint8_t mapped_prefix[MAPPED_BITS / 8] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static bool is_v4(const struct address *self)
{
    return memcmp(self->bytes, mapped_prefix, sizeof(mapped_prefix)) == 0;
}

static void address_from_v4(const void *v4, struct address *ret)
{
    memcpy(ret->bytes, mapped_prefix, sizeof(mapped_prefix));
    memcpy(ret->bytes + sizeof(mapped_prefix), v4, 4);
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

static bool is_port(const char *text)
{
    size_t digits = *text == ':' ? strspn(text + 1, "0123456789") : 0;

    return *text == '\0' || (digits >= 1 && digits <= PORT_DIGITS_MAX && text[1 + digits] == '\0');
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

        if (!end || !is_port(end + 1))
            return -1;
        *end = '\0';
        return parse_plain(copy + 1, ret);
    }
    colon = strchr(copy, ':');
    if (colon && !strchr(colon + 1, ':')) {
        if (!is_port(colon))
            return -1;
        *colon = '\0';
    }
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
    bool v4 = is_v4(self);

    if (!inet_ntop(v4 ? AF_INET : AF_INET6, self->bytes + (v4 ? sizeof(mapped_prefix) : 0), text,
                   INET6_ADDRSTRLEN))
        text[0] = '\0';
}

int address_network_parse(const char *text, struct address_network *ret)
{
    char copy[INET6_ADDRSTRLEN + 8];
    size_t length = strlen(text), digits;
    bool v6 = strchr(text, ':') != NULL;
    char *slash;
    unsigned prefix;

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
    digits = strspn(slash, "0123456789");
    if (digits < 1 || digits > PREFIX_DIGITS_MAX || slash[digits] != '\0')
        return -1;
    prefix = (unsigned)strtoul(slash, NULL, 10);
    if (prefix > (v6 ? 128 : 32))
        return -1;
    ret->prefix = prefix + (v6 ? 0 : MAPPED_BITS);
    return 0;
}

bool address_network_has(const struct address_network *self, const struct address *address)
{
    unsigned whole = self->prefix / 8, rest = self->prefix % 8;
    uint8_t mask = (uint8_t)(0xff00 >> rest);

    if (self->prefix < MAPPED_BITS && is_v4(address))
        return false;
    if (memcmp(self->address.bytes, address->bytes, whole) != 0)
        return false;
    return rest == 0 || ((self->address.bytes[whole] ^ address->bytes[whole]) & mask) == 0;
}

int address_networks_parse(const char *key, const char *const *texts, struct arena *arena,
                           struct address_networks *ret, struct error *err)
{
    size_t count = 0;

    while (texts && texts[count])
        count++;
    ret->items = arena_calloc(arena, count, sizeof(*ret->items));
    ret->count = count;
    for (size_t i = 0; i < count; i++)
        if (address_network_parse(texts[i], &ret->items[i]) < 0)
            return error_set(err, ERR_BAD_REQUEST, "%s: \"%s\" is not an address or network", key,
                             texts[i]);
    return 0;
}

bool address_networks_have(const struct address_networks *self, const struct address *address)
{
    for (size_t i = 0; i < self->count; i++)
        if (address_network_has(&self->items[i], address))
            return true;
    return false;
}

/* 64:ff9b::/96 (RFC 6052): the IPv6 form of an IPv4 client after a NAT64. */
static const uint8_t nat64_prefix[MAPPED_BITS / 8] = {0x00, 0x64, 0xff, 0x9b};

static void subject_add(struct address_subjects *ret, const struct address *address,
                        unsigned prefix, int64_t factor)
{
    struct address_subject *subject = &ret->items[ret->count++];
    char text[INET6_ADDRSTRLEN];

    *subject = (struct address_subject){.factor = factor};
    memcpy(subject->address.bytes, address->bytes, prefix / 8);
    address_format(&subject->address, text);
    if (prefix == 128)
        snprintf(subject->text, sizeof(subject->text), "%s", text);
    else
        snprintf(subject->text, sizeof(subject->text), "%s/%u", text, prefix);
}

void address_subjects(const struct address *address, struct address_subjects *ret)
{
    struct address v4 = *address;

    ret->count = 0;
    if (memcmp(address->bytes, nat64_prefix, sizeof(nat64_prefix)) == 0)
        address_from_v4(address->bytes + sizeof(nat64_prefix), &v4);
    if (is_v4(&v4)) {
        subject_add(ret, &v4, 128, 1);
        return;
    }
    subject_add(ret, address, 64, 1);
    subject_add(ret, address, 48, ADDRESS_WIDE_FACTOR);
}

void address_subjects_of(const char *text, struct address_subjects *ret)
{
    struct address address;

    if (address_parse(text, &address) == 0) {
        address_subjects(&address, ret);
        return;
    }
    ret->count = 1;
    ret->items[0] = (struct address_subject){.factor = 1};
    snprintf(ret->items[0].text, sizeof(ret->items[0].text), "%s", text);
}
