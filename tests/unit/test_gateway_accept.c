/*
 * test_gateway_accept.c - clients that prefer a page to JSON (RFC 9110, section 12.5.1).
 */
#include "common/domain/accept.h"
#include "gateway/http/accept.h"
#include "tests/support/unit.h"

static void browsers_prefer_html(void)
{
    static const struct {
        const char *accept;
        bool html;
    } rows[] = {
        {NULL, false},
        {"", false},
        {"*/*", false},
        {"text/html", true},
        {"TEXT/HTML", true},
        {"text/*", true},
        {"text/html, */*;q=0.8", true},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", true},
        {"*/*;q=0.8,text/html", true},
        {"text/html;charset=utf-8, */*;q=0.1", true},
        {"text/html;q=0.001", true},
        {"text/html ; q=0.7 , application/json ; q=0.6", true},
        {"text/html, application/*;q=0.9", true},
        {"text/html;q=0.9, text/*, */*;q=0.5", true},
        {"application/json", false},
        {"application/json, text/plain, */*", false},
        {"application/json, text/html", false},
        {"text/html, application/json", false},
        {"text/html;q=0.5, application/json;q=0.6", false},
        {"text/html;q=0, */*", false},
        {"text/html;q=0", false},
        {"text/html;q=2", false},
        {"text/html;q=", false},
        {"text/html;q", false},
        {"text/html;q=0.2, */*;q=0.5", false},
        {"text/htmlx, text", false},
        {"application/fhir+json", false},
        {",;=,/,*", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(accept_prefers_html(rows[i].accept) == rows[i].html, "%s",
                   rows[i].accept ? rows[i].accept : "none");
}

static void weights_are_read_within_the_entry(void)
{
    CU_ASSERT_EQUAL(accept_weight("de;q=0.8,en;q=0.1", 8), 800);
    CU_ASSERT_EQUAL(accept_weight("de,en;q=0.1", 2), 1000);
    CU_ASSERT_EQUAL(accept_weight("de;level=1;Q=0.25", 17), 250);
    CU_ASSERT_EQUAL(accept_weight("de;q,en", 4), 0);
    CU_ASSERT_EQUAL(accept_weight("de;q=,1", 5), 0);
    CU_ASSERT_EQUAL(accept_weight("de;q=nan", 8), 0);
    CU_ASSERT_EQUAL(accept_weight("de;", 3), 1000);
}

static const struct unit_case cases[] = {
    CASE(browsers_prefer_html),
    CASE(weights_are_read_within_the_entry),
};

int main(void)
{
    return unit_run("gateway accept", cases, ARRAY_SIZE(cases));
}
