/*
 * test_uuid.c - RFC 9562 identifiers.
 */
#include <string.h>

#include "common/base/uuid.h"
#include "tests/support/unit.h"

static void test_reading(void)
{
    static const struct {
        const char *text, *want; /* want NULL: refused */
    } rows[] = {
        {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
        {"5F0C4A52-8C1E-4D8A-9B0E-0E8F1C2D3A4B", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
        {"00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"},
        {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4", NULL},
        {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b0", NULL},
        {"5f0c4a528c1e4d8a9b0e0e8f1c2d3a4b", NULL},
        {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4g", NULL},
        {"5f0c4a52-8c1e-4d8a-9b0e\r0e8f1c2d3a4b", NULL},
        {"{f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", NULL},
        {"", NULL},
        {"-", NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct uuid id = {"before"};
        int result = uuid_parse(rows[i].text, &id);
        const char *want = rows[i].want ? rows[i].want : "before";

        UNIT_CHECK(result == (rows[i].want ? 0 : -1) && strcmp(id.text, want) == 0,
                   "'%s' gave '%s'", rows[i].text, id.text);
    }
}

static void test_bytes_and_back(void)
{
    static const uint8_t bytes[16] = {0x5f, 0x0c, 0x4a, 0x52, 0x8c, 0x1e, 0x4d, 0x8a,
                                      0x9b, 0x0e, 0x0e, 0x8f, 0x1c, 0x2d, 0x3a, 0xff};
    static const struct uuid unset;
    uint8_t back[16];
    struct uuid id;

    uuid_from_bytes(bytes, &id);
    CU_ASSERT_STRING_EQUAL(id.text, "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3aff");
    uuid_to_bytes(&id, back);
    CU_ASSERT(memcmp(bytes, back, sizeof(back)) == 0);
    CU_ASSERT(uuid_is_set(&id) && !uuid_is_set(&unset));
    CU_ASSERT(uuid_equal(&id, &id) && !uuid_equal(&id, &unset));
}

static void test_random_ones(void)
{
    struct uuid a = uuid_random(), b = uuid_random(), parsed;

    CU_ASSERT(!uuid_equal(&a, &b));
    CU_ASSERT(uuid_parse(a.text, &parsed) == 0);
    CU_ASSERT(a.text[14] == '4' && strchr("89ab", a.text[19]));
}

static void test_ordered_ones(void)
{
    struct uuid a = uuid_ordered(1769851800000), b = uuid_ordered(1769851800001),
                c = uuid_ordered(1769851800001);

    CU_ASSERT(strncmp(a.text, "019c1363-49c0-7", 15) == 0);
    CU_ASSERT(strchr("89ab", a.text[19]) != NULL);
    CU_ASSERT(strcmp(a.text, b.text) < 0);
    CU_ASSERT(!uuid_equal(&b, &c));
}

/* More than one draw of random bytes. */
static void test_a_pool_gives_none_twice(void)
{
    enum { COUNT = 300 };
    static struct uuid ids[COUNT];
    struct uuid_pool pool = {.left = 0};

    for (size_t i = 0; i < COUNT; i++) {
        bool ordered = i % 3 > 0;

        ids[i] = ordered ? uuid_pool_ordered(&pool, 1769851800000) : uuid_pool_random(&pool);
        CU_ASSERT(!ordered || strncmp(ids[i].text, "019c1363-49c0-7", 15) == 0);
        CU_ASSERT(ids[i].text[14] == (ordered ? '7' : '4'));
        CU_ASSERT(strchr("89ab", ids[i].text[19]) != NULL);
        for (size_t k = 0; k < i; k++)
            UNIT_CHECK(strcmp(ids[k].text + 19, ids[i].text + 19) != 0, "%s twice", ids[i].text);
    }
}

/* More than fit into one ms, and a clock set back. */
static void test_a_pool_goes_up(void)
{
    struct uuid_pool pool = {.left = 0};
    struct uuid last = uuid_pool_ordered(&pool, 1769851800000), next;

    CU_ASSERT(strncmp(last.text, "019c1363-49c0-7000-", 19) == 0);
    for (int i = 1; i < 10000; i++) {
        next = uuid_pool_ordered(&pool, 1769851800000 - i);
        UNIT_CHECK(strcmp(last.text, next.text) < 0, "%s before %s", last.text, next.text);
        last = next;
    }
    CU_ASSERT(strncmp(last.text, "019c1363-49c2-7", 15) == 0);
    next = uuid_pool_ordered(&pool, 1769851900000);
    CU_ASSERT(strncmp(next.text, "019c1364-d060-7000-", 19) == 0);
}

static const struct unit_case cases[] = {
    CASE(test_reading),      CASE(test_bytes_and_back),          CASE(test_random_ones),
    CASE(test_ordered_ones), CASE(test_a_pool_gives_none_twice), CASE(test_a_pool_goes_up),
};

int main(void)
{
    return unit_run("uuid", cases, ARRAY_SIZE(cases));
}
