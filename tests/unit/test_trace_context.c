/*
 * test_trace_context.c - traceparent and tracestate with W3C's test cases
 * (trace-context/test/test.py).
 */
#include <string.h>

#include "common/base/trace_context.h"
#include "tests/support/unit.h"

#define TRACE_ID "12345678901234567890123456789012"
#define PARENT_ID "1234567890123456"
#define TENANT_241                                                                     \
    "t1234567890123456789012345678901234567890123456789012345678901234567890123456789" \
    "01234567890123456789012345678901234567890123456789012345678901234567890123456789" \
    "01234567890123456789012345678901234567890123456789012345678901234567890123456789" \
    "0"
#define KEY_256 TENANT_241 "123456789012345"

static void traceparent_is_read_strictly(void)
{
    static const struct {
        const char *label, *text;
        int want;
    } rows[] = {
        {"valid", "00-" TRACE_ID "-" PARENT_ID "-01", 0},
        {"not sampled", "00-" TRACE_ID "-" PARENT_ID "-00", 0},
        {"unknown flags", "00-" TRACE_ID "-" PARENT_ID "-ff", 0},
        {"empty", "", -1},
        {"version 00 with more", "00-" TRACE_ID "-" PARENT_ID "-01.", -1},
        {"version 00 with a part more", "00-" TRACE_ID "-" PARENT_ID "-01-what-the-future", -1},
        {"version cc", "cc-" TRACE_ID "-" PARENT_ID "-01", 0},
        {"version cc with a part more", "cc-" TRACE_ID "-" PARENT_ID "-01-what-the-future", 0},
        {"version cc with something else", "cc-" TRACE_ID "-" PARENT_ID "-01.what", -1},
        {"version ff", "ff-" TRACE_ID "-" PARENT_ID "-01", -1},
        {"version .0", ".0-" TRACE_ID "-" PARENT_ID "-01", -1},
        {"version 0.", "0.-" TRACE_ID "-" PARENT_ID "-01", -1},
        {"version 000", "000-" TRACE_ID "-" PARENT_ID "-01", -1},
        {"version 0", "0-" TRACE_ID "-" PARENT_ID "-01", -1},
        {"trace id of zeros", "00-00000000000000000000000000000000-" PARENT_ID "-01", -1},
        {"trace id with a dot", "00-.2345678901234567890123456789012-" PARENT_ID "-01", -1},
        {"trace id in upper case", "00-ABCDEF78901234567890123456789012-" PARENT_ID "-01", -1},
        {"trace id too long", "00-" TRACE_ID "3-" PARENT_ID "-01", -1},
        {"trace id too short", "00-1234567890123456789012345678901-" PARENT_ID "-01", -1},
        {"parent id of zeros", "00-" TRACE_ID "-0000000000000000-01", -1},
        {"parent id with a dot", "00-" TRACE_ID "-.234567890123456-01", -1},
        {"parent id too long", "00-" TRACE_ID "-" PARENT_ID "7-01", -1},
        {"parent id too short", "00-" TRACE_ID "-123456789012345-01", -1},
        {"flags .0", "00-" TRACE_ID "-" PARENT_ID "-.0", -1},
        {"flags 0.", "00-" TRACE_ID "-" PARENT_ID "-0.", -1},
        {"flags 001", "00-" TRACE_ID "-" PARENT_ID "-001", -1},
        {"flags 1", "00-" TRACE_ID "-" PARENT_ID "-1", -1},
        {"cut behind the version", "00-", -1},
        {"cut in the trace id", "00-1234", -1},
        {"not ASCII",
         "00-" TRACE_ID "-\xff\xff"
         "34567890123456-01",
         -1},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct trace_context context;

        UNIT_CHECK(traceparent_read(rows[i].text, &context) == rows[i].want, "%s", rows[i].label);
    }
}

static void traceparent_comes_back(void)
{
    static const char text[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    struct trace_context context;
    char again[TRACEPARENT_SIZE];

    CU_ASSERT_FATAL(traceparent_read(text, &context) == 0);
    CU_ASSERT(context.sampled && context.trace_id[0] == 0x4b && context.span_id[7] == 0xb7);
    traceparent_write(&context, again);
    CU_ASSERT_STRING_EQUAL(again, text);
    CU_ASSERT_FATAL(traceparent_read("cc-" TRACE_ID "-" PARENT_ID "-02-more", &context) == 0);
    CU_ASSERT(!context.sampled);
    traceparent_write(&context, again);
    CU_ASSERT_STRING_EQUAL(again, "00-" TRACE_ID "-" PARENT_ID "-00");
}

static void tracestate_is_of_its_grammar(void)
{
    static const struct {
        const char *label, *text;
        bool want;
    } rows[] = {
        {"one", "foo=1", true},
        {"two", "foo=1,bar=2", true},
        {"space around", "foo=1 \t , \t bar=2", true},
        {"empty members", "foo=1,,bar=2,", true},
        {"nothing", "", false},
        {"only commas", ",,", false},
        {"no value", "foo", false},
        {"an empty value", "foo=", false},
        {"a value that is one space", "foo= ", false},
        {"an empty key", "=1", false},
        {"an upper-case key", "FOO=1", false},
        {"a key that begins with a digit", "1foo=1", false},
        {"tenant@system", "fw529a3039@dt=FfIrsTiD", true},
        {"a tenant may begin with a digit", "1fo@o=1", true},
        {"a system may not", "foo@1=1", false},
        {"an empty tenant", "@foo=1", false},
        {"an empty system", "foo@=1", false},
        {"two at signs", "foo@bar@baz=1", false},
        {"all characters of a key", "foo-_*/bar=bar", true},
        {"a space in a key", "foo bar=1", false},
        {"two equals signs", "foo=bar=baz", false},
        {"all kinds of characters in a value", "foo=!\"#$%&'()*+-./0:;<>?@A[\\]^_`a{|}~", true},
        {"a tab in a value", "foo=a\tb", false},
        {"not ASCII", "foo=\xc3\xa4", false},
        {"a key of 256", KEY_256 "=1", true},
        {"a key of 257", KEY_256 "6=1", false},
        {"a tenant of 241 and a system of 14", TENANT_241 "@v1234567890123=1", true},
        {"a system of 15", TENANT_241 "@v12345678901234=1", false},
        {"a tenant of 242", TENANT_241 "1@v=1", false},
    };
    char many[256] = "", one[8], large[600];

    CU_ASSERT_EQUAL(strlen(KEY_256), 256);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(tracestate_is_valid(rows[i].text) == rows[i].want, "%s", rows[i].label);
    for (int i = 0; i < 32; i++) {
        snprintf(one, sizeof(one), "k%d=1,", i);
        strcat(many, one);
    }
    CU_ASSERT(tracestate_is_valid(many));
    strcat(many, "k=1");
    CU_ASSERT(!tracestate_is_valid(many));
    memset(large, ',', sizeof(large));
    memcpy(large, "foo=1", 5);
    large[TRACESTATE_MAX] = '\0';
    CU_ASSERT(tracestate_is_valid(large));
    large[TRACESTATE_MAX] = ',';
    large[TRACESTATE_MAX + 1] = '\0';
    CU_ASSERT(!tracestate_is_valid(large));
}

static const struct unit_case cases[] = {
    CASE(traceparent_is_read_strictly),
    CASE(traceparent_comes_back),
    CASE(tracestate_is_of_its_grammar),
};

int main(void)
{
    return unit_run("trace context", cases, ARRAY_SIZE(cases));
}
