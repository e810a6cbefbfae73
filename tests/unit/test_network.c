/*
 * test_network.c - addresses that a project's URL can lead to.
 */
#include "common/service/network.h"
#include "tests/support/unit.h"

static void only_public_addresses_are_open(void)
{
    static const struct {
        const char *address;
        bool open;
    } rows[] = {
        {"93.184.216.34", true},
        {"8.8.8.8", true},
        {"172.15.255.255", true},
        {"172.32.0.1", true},
        {"100.128.0.1", true},
        {"2606:2800:220:1::1", true},
        {"2a00:1450::1", true},
        {"0.0.0.0", false},
        {"10.1.2.3", false},
        {"100.64.0.1", false},
        {"127.0.0.1", false},
        {"127.255.255.254", false},
        {"169.254.169.254", false},
        {"172.16.0.1", false},
        {"172.31.255.255", false},
        {"192.168.1.1", false},
        {"198.19.0.1", false},
        {"224.0.0.1", false},
        {"255.255.255.255", false},
        {"::", false},
        {"::1", false},
        {"::ffff:127.0.0.1", false},
        {"::ffff:169.254.169.254", false},
        {"::127.0.0.1", false},
        {"64:ff9b::7f00:1", false},
        {"2002:7f00:1::", false},
        {"2001:0:7f00:1::", false},
        {"fc00::1", false},
        {"fd12:3456::1", false},
        {"fe80::1", false},
        {"ff02::1", false},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct network_rules rules;
    struct error err;

    error_init(&err, arena);
    UNIT_REQUIRE(network_rules_read("allow_networks", NULL, arena, &rules, &err) == 0,
                 "they are read");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct address address;

        UNIT_REQUIRE(address_parse(rows[i].address, &address) == 0, "%s", rows[i].address);
        UNIT_CHECK(network_is_open(&rules, &address) == rows[i].open, "%s", rows[i].address);
    }
}

static void the_operator_may_open_more(void)
{
    const char *const texts[] = {"127.0.0.2/32", "fd00::/8", NULL};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct network_rules rules;
    struct address address;
    struct error err;

    error_init(&err, arena);
    UNIT_REQUIRE(network_rules_read("allow_networks", texts, arena, &rules, &err) == 0,
                 "they are read");
    UNIT_REQUIRE(address_parse("127.0.0.2", &address) == 0, "read");
    UNIT_CHECK(network_is_open(&rules, &address), "what is named is open");
    UNIT_REQUIRE(address_parse("127.0.0.1", &address) == 0, "read");
    UNIT_CHECK(!network_is_open(&rules, &address), "its neighbour is not");
    UNIT_REQUIRE(address_parse("fd00::1", &address) == 0, "read");
    UNIT_CHECK(network_is_open(&rules, &address), "of the other family too");
}

static const struct unit_case cases[] = {
    CASE(only_public_addresses_are_open),
    CASE(the_operator_may_open_more),
};

int main(void)
{
    return unit_run("networks of a project's URL", cases, ARRAY_SIZE(cases));
}
