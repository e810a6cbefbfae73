/*
 * test_gateway_address.c - client addresses behind trusted and untrusted proxies.
 */
#include <arpa/inet.h>
#include <string.h>

#include "gateway/http/address.h"
#include "tests/support/unit.h"

static void addresses_are_normalised(void)
{
    static const struct {
        const char *text, *want; /* want NULL: refused */
    } rows[] = {
        {"192.0.2.1", "192.0.2.1"},
        {"192.0.2.1:8080", "192.0.2.1"},
        {"::ffff:192.0.2.1", "192.0.2.1"},
        {"2001:DB8:0::1", "2001:db8::1"},
        {"[2001:db8::1]:443", "2001:db8::1"},
        {"[2001:db8::1]", "2001:db8::1"},
        {"", NULL},
        {"unknown", NULL},
        {"192.0.2", NULL},
        {"192.0.2.256", NULL},
        {"[2001:db8::1", NULL},
        {"1111:2222:3333:4444:5555:6666:7777:8888:9999", NULL},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char text[INET6_ADDRSTRLEN];
        struct address address;
        int result = address_parse(rows[i].text, &address);

        UNIT_CHECK((result == 0) == (rows[i].want != NULL), "%s", rows[i].text);
        if (result < 0 || !rows[i].want)
            continue;
        address_format(&address, text);
        UNIT_CHECK(strcmp(text, rows[i].want) == 0, "%s: %s", rows[i].text, text);
    }
}

static void sockets_have_addresses(void)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct address address;
    char text[INET6_ADDRSTRLEN];

    inet_pton(AF_INET, "198.51.100.7", &v4.sin_addr);
    address_from_socket((const struct sockaddr *)&v4, &address);
    address_format(&address, text);
    CU_ASSERT_STRING_EQUAL(text, "198.51.100.7");
    inet_pton(AF_INET6, "::ffff:198.51.100.7", &v6.sin6_addr);
    address_from_socket((const struct sockaddr *)&v6, &address);
    address_format(&address, text);
    CU_ASSERT_STRING_EQUAL(text, "198.51.100.7");
}

static void networks_are_matched(void)
{
    static const struct {
        const char *network, *address;
        int want; /* -1: the network is refused */
    } rows[] = {
        {"10.0.0.0/8", "10.255.0.1", 1},
        {"10.0.0.0/8", "11.0.0.1", 0},
        {"192.0.2.128/25", "192.0.2.127", 0},
        {"192.0.2.128/25", "192.0.2.128", 1},
        {"192.0.2.7", "192.0.2.7", 1},
        {"192.0.2.7", "192.0.2.6", 0},
        {"0.0.0.0/0", "203.0.113.9", 1},
        {"0.0.0.0/0", "2001:db8::1", 0},
        {"::/0", "2001:db8::1", 1},
        {"::/0", "203.0.113.9", 0},
        {"fd00::/8", "fdff::1", 1},
        {"fd00::/8", "fe00::1", 0},
        {"2001:db8::/33", "2001:db8:8000::1", 0},
        {"10.0.0.0/33", "", -1},
        {"10.0.0.0/", "", -1},
        {"10.0.0.0/-1", "", -1},
        {"10.0.0.0/8x", "", -1},
        {"10.0.0/8", "", -1},
        {"fd00::/129", "", -1},
        {"example.org", "", -1},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *texts[] = {rows[i].network, NULL};
        struct arena *arena = arena_new();
        struct address_networks networks;
        struct address address;
        struct error err;
        int result;

        error_init(&err, NULL);
        result = address_networks_parse("trusted_proxies", texts, arena, &networks, &err);
        UNIT_CHECK((result == 0) == (rows[i].want >= 0), "%s", rows[i].network);
        if (result == 0 && address_parse(rows[i].address, &address) == 0)
            UNIT_CHECK(address_networks_have(&networks, &address) == (rows[i].want == 1), "%s %s",
                       rows[i].network, rows[i].address);
        arena_destroy(&arena);
    }
}

/* "first second": the counted networks; the second has eight times the limit. */
static void clients_count_as_networks(void)
{
    static const struct {
        const char *text, *first, *second; /* second NULL: none */
    } rows[] = {
        {"192.0.2.7", "192.0.2.7", NULL},
        {"192.0.2.7:4711", "192.0.2.7", NULL},
        {"::ffff:192.0.2.7", "192.0.2.7", NULL},
        {"64:ff9b::192.0.2.7", "192.0.2.7", NULL},
        {"64:ff9b:1::192.0.2.7", "64:ff9b:1::/64", "64:ff9b:1::/48"},
        {"64:ff9b::1:192.0.2.7", "64:ff9b::/64", "64:ff9b::/48"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"},
        {"2001:db8:1:2:ffff::", "2001:db8:1:2::/64", "2001:db8:1::/48"},
        {"2001:db8:1:3::1", "2001:db8:1:3::/64", "2001:db8:1::/48"},
        {"2001:db8:2:3::1", "2001:db8:2:3::/64", "2001:db8:2::/48"},
        {"::1", "::/64", "::/48"},
        {"", "", NULL},
        {"no address", "no address", NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct address_subjects subjects;

        address_subjects_of(rows[i].text, &subjects);
        UNIT_CHECK(subjects.count == (rows[i].second ? 2 : 1), "%s", rows[i].text);
        UNIT_CHECK(strcmp(subjects.items[0].text, rows[i].first) == 0, "%s: %s", rows[i].text,
                   subjects.items[0].text);
        CU_ASSERT_EQUAL(subjects.items[0].factor, 1);
        if (!rows[i].second || subjects.count < 2)
            continue;
        UNIT_CHECK(strcmp(subjects.items[1].text, rows[i].second) == 0, "%s: %s", rows[i].text,
                   subjects.items[1].text);
        CU_ASSERT_EQUAL(subjects.items[1].factor, ADDRESS_WIDE_FACTOR);
    }
}

struct hops {
    const char *label, *peer, *first, *second, *want;
};

static void check_hops(bool standard, const struct hops *rows, size_t count)
{
    static const char *const proxies[] = {"10.0.0.0/8", "fd00::/8", NULL};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct address_networks trusted;
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT_EQUAL_FATAL(address_networks_parse("trusted_proxies", proxies, arena, &trusted, &err),
                          0);
    for (size_t i = 0; i < count; i++) {
        const char *const headers[] = {rows[i].first, rows[i].second};
        struct address peer, client;
        char text[INET6_ADDRSTRLEN];

        CU_ASSERT_EQUAL(address_parse(rows[i].peer, &peer), 0);
        client = address_client(&trusted, &peer, standard, headers,
                                rows[i].second  ? 2
                                : rows[i].first ? 1
                                                : 0);
        address_format(&client, text);
        UNIT_CHECK(strcmp(text, rows[i].want) == 0, "%s: %s", rows[i].label, text);
    }
}

static void the_right_most_untrusted_entry_is_the_client(void)
{
    static const struct hops rows[] = {
        {"no header", "10.0.0.1", NULL, NULL, "10.0.0.1"},
        {"untrusted peer", "192.0.2.1", "203.0.113.9", NULL, "192.0.2.1"},
        {"one hop", "10.0.0.1", "203.0.113.9", NULL, "203.0.113.9"},
        {"spoofed left", "10.0.0.1", "1.2.3.4, 203.0.113.9", NULL, "203.0.113.9"},
        {"two hops", "10.0.0.1", "203.0.113.9, 10.0.0.2", NULL, "203.0.113.9"},
        {"all trusted", "10.0.0.1", "10.0.0.3,10.0.0.2", NULL, "10.0.0.3"},
        {"two headers", "10.0.0.1", "1.2.3.4", "203.0.113.9", "203.0.113.9"},
        {"two headers, trusted last", "10.0.0.1", "203.0.113.9", "10.0.0.2", "203.0.113.9"},
        {"IPv6", "fd00::1", " 2001:db8::7 ", NULL, "2001:db8::7"},
        {"mapped", "::ffff:10.0.0.1", "::ffff:203.0.113.9", NULL, "203.0.113.9"},
        {"port", "10.0.0.1", "203.0.113.9:1234", NULL, "203.0.113.9"},
        {"garbage ends the walk", "10.0.0.1", "203.0.113.9, x, 10.0.0.2", NULL, "10.0.0.2"},
        {"empty entry", "10.0.0.1", "203.0.113.9,", NULL, "203.0.113.9"},
        {"only garbage", "10.0.0.1", "unknown", NULL, "10.0.0.1"},
        {"empty header", "10.0.0.1", "", NULL, "10.0.0.1"},
        {"a quote of the client", "10.0.0.1", "\", 203.0.113.9", NULL, "203.0.113.9"},
        {"the other header's form", "10.0.0.1", "for=203.0.113.9", NULL, "10.0.0.1"},
    };

    check_hops(false, rows, ARRAY_SIZE(rows));
}

/* RFC 7239. */
static void the_standard_header_is_read_alike(void)
{
    static const struct hops rows[] = {
        {"no header", "10.0.0.1", NULL, NULL, "10.0.0.1"},
        {"untrusted peer", "192.0.2.1", "for=203.0.113.9", NULL, "192.0.2.1"},
        {"one hop", "10.0.0.1", "for=203.0.113.9", NULL, "203.0.113.9"},
        {"case and parameters", "10.0.0.1", "proto=https;For=203.0.113.9;by=\"x;y,z\"", NULL,
         "203.0.113.9"},
        {"IPv6 with port", "fd00::1", "for=\"[2001:db8::7]:4711\"", NULL, "2001:db8::7"},
        {"spoofed left", "10.0.0.1", "for=1.2.3.4, for=203.0.113.9", NULL, "203.0.113.9"},
        {"a quote of the client", "10.0.0.1", "for=\", for=203.0.113.9;proto=http", NULL,
         "203.0.113.9"},
        {"an escaped quote", "10.0.0.1", "for=1.2.3.4, for=203.0.113.9;by=\"a\\\",for=5.6.7.8\"",
         NULL, "203.0.113.9"},
        {"two hops", "10.0.0.1", "for=203.0.113.9, for=10.0.0.2", NULL, "203.0.113.9"},
        {"two headers", "10.0.0.1", "for=1.2.3.4", "for=203.0.113.9", "203.0.113.9"},
        {"unknown ends the walk", "10.0.0.1", "for=203.0.113.9, for=unknown", NULL, "10.0.0.1"},
        {"hidden ends the walk", "10.0.0.1", "for=203.0.113.9, for=\"_x\"", NULL, "10.0.0.1"},
        {"no for ends the walk", "10.0.0.1", "for=203.0.113.9, proto=http", NULL, "10.0.0.1"},
        {"the other header's form", "10.0.0.1", "203.0.113.9", NULL, "10.0.0.1"},
        {"only separators", "10.0.0.1", ",;,\"", NULL, "10.0.0.1"},
    };

    check_hops(true, rows, ARRAY_SIZE(rows));
}

static const struct unit_case cases[] = {
    CASE(addresses_are_normalised),
    CASE(sockets_have_addresses),
    CASE(networks_are_matched),
    CASE(clients_count_as_networks),
    CASE(the_right_most_untrusted_entry_is_the_client),
    CASE(the_standard_header_is_read_alike),
};

int main(void)
{
    return unit_run("gateway address", cases, ARRAY_SIZE(cases));
}
