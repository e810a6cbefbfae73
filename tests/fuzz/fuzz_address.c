/*
 * fuzz_address.c - client addresses and access policies' networks. Input: one text.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/address.h"
#include "tests/fuzz/fuzz.h"

enum { MAPPED_BITS = 96 };

static bool same(const struct address *a, const struct address *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

static void check_address(const struct address *address)
{
    char text[INET6_ADDRSTRLEN], again[INET6_ADDRSTRLEN], with_port[INET6_ADDRSTRLEN + 16];
    struct address read;

    address_format(address, text);
    FUZZ_REQUIRE(address_parse(text, &read) == 0 && same(address, &read));
    address_format(&read, again);
    FUZZ_REQUIRE(strcmp(text, again) == 0);
    snprintf(with_port, sizeof(with_port), strchr(text, ':') ? "[%s]:65535" : "%s:65535", text);
    FUZZ_REQUIRE(address_parse(with_port, &read) == 0 && same(address, &read));
}

/* Checks that its members differ only after its prefix. */
static void check_members(const struct address_network *network)
{
    struct address own = network->address;

    for (unsigned bit = 0; bit < 128; bit++) {
        struct address other = own;

        other.bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        if (bit < network->prefix)
            FUZZ_REQUIRE(!address_network_has(network, &other));
        else if (network->prefix >= MAPPED_BITS)
            FUZZ_REQUIRE(address_network_has(network, &other));
    }
    FUZZ_REQUIRE(network->prefix < MAPPED_BITS || address_network_has(network, &own));
}

static void check_network(const struct address_network *network)
{
    char address[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 8];
    struct address_network read;
    bool v4;

    FUZZ_REQUIRE(network->prefix <= 128);
    address_format(&network->address, address);
    v4 = !strchr(address, ':');
    /* ::ffff:10.0.0.0/90 is not a network of IPv4 addresses, so it has no shorter form. */
    if (!v4 || network->prefix >= MAPPED_BITS) {
        snprintf(text, sizeof(text), "%s/%u", address, network->prefix - (v4 ? MAPPED_BITS : 0));
        FUZZ_REQUIRE(address_network_parse(text, &read) == 0);
        FUZZ_REQUIRE(same(&read.address, &network->address) && read.prefix == network->prefix);
    }
    check_members(network);
}

int fuzz_address(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *text = fuzz_text(data, size);
    struct address_network network;
    struct address address;

    if (address_parse(text, &address) == 0) {
        FUZZ_REQUIRE(text[strspn(text, "0123456789abcdefABCDEF.:[]")] == '\0');
        check_address(&address);
    }
    if (address_network_parse(text, &network) == 0)
        check_network(&network);
    return 0;
}
