/*
 * test_uri.c - which addresses a client application may register, and which of a request's are one
 * of them.
 */
#include <string.h>

#include "common/domain/uri.h"
#include "tests/support/unit.h"

static void redirect_uris_lead_to_the_client_alone(void)
{
    static const struct {
        const char *uri;
        bool fine;
    } rows[] = {
        {"https://portal.example/callback", true},
        {"https://portal.example", true},
        {"https://portal.example:8443/cb?x=1", true},
        {"http://127.0.0.1/callback", true},
        {"http://127.0.0.1:8990/callback", true},
        {"http://[::1]:1/", true},
        {"http://localhost:3000", true},
        {"com.example.app:/callback", true},
        {"com.example.app://callback", true},
        {"http://portal.example/callback", false},
        {"http://127.0.0.1.evil.example/", false},
        {"http://127.0.0.1:80@evil.example/", false},
        {"http://127.0.0.1:/", false},
        {"http://127.0.0.1:123456/", false},
        {"http://localhost.evil.example/", false},
        {"http://localhost\\@evil.example/", false},
        {"https://portal.example/#part", false},
        {"https://user@portal.example/", false},
        {"https://", false},
        {"https://:443/", false},
        {"https:///callback", false},
        {"https://portal.example/a b", false},
        {"https://p\xc3\xb6rtal.example/", false},
        {"myapp:/callback", false},
        {"javascript:alert(1)", false},
        {"data:text/html,x", false},
        {"com.example.app:", false},
        {"1.example:/", false},
        {"/callback", false},
        {"", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char why[96];

        UNIT_CHECK((uri_redirect_check(rows[i].uri, why) == 0) == rows[i].fine, "%s", rows[i].uri);
    }
}

static void only_a_loopback_port_may_differ(void)
{
    static const struct {
        const char *registered, *given;
        bool same;
    } rows[] = {
        {"https://a.example/cb", "https://a.example/cb", true},
        {"https://a.example/cb", "https://a.example/cb/", false},
        {"https://a.example/cb", "https://a.example/CB", false},
        {"https://a.example/cb", "https://a.example:443/cb", false},
        {"https://a.example/cb", "https://a.example/cb?x=1", false},
        {"https://a.example/cb", "https://a.example.evil/cb", false},
        {"http://127.0.0.1/cb", "http://127.0.0.1:51004/cb", true},
        {"http://127.0.0.1:80/cb", "http://127.0.0.1/cb", true},
        {"http://[::1]/cb", "http://[::1]:9/cb", true},
        {"http://127.0.0.1/cb", "http://[::1]/cb", false},
        {"http://127.0.0.1/cb", "http://localhost/cb", false},
        {"http://127.0.0.1/cb", "https://127.0.0.1/cb", false},
        {"http://127.0.0.1/cb", "http://127.0.0.1:1/cb2", false},
        {"http://127.0.0.1/cb", "http://127.0.0.1:1@evil.example/cb", false},
        {"http://127.0.0.1/cb", "http://127.0.0.1:999999/cb", false},
        {"com.example.app:/cb", "com.example.app:/cb", true},
        {"com.example.app:/cb", "com.example.app:/cb2", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(uri_redirect_matches(rows[i].registered, rows[i].given) == rows[i].same,
                   "%s, %s", rows[i].registered, rows[i].given);
}

static void resources_are_absolute(void)
{
    char why[96];

    CU_ASSERT_EQUAL(uri_resource_check("https://fhir.example/r4", why), 0);
    CU_ASSERT_EQUAL(uri_resource_check("urn:example:records", why), 0);
    CU_ASSERT_EQUAL(uri_resource_check("/r4", why), -1);
    CU_ASSERT_EQUAL(uri_resource_check("https://fhir.example/r4#x", why), -1);
    CU_ASSERT_EQUAL(uri_https_check("http://127.0.0.1/jwks", why), -1);
    CU_ASSERT_EQUAL(uri_https_check("https://a.example/jwks", why), 0);
}

static void below_ends_at_a_slash(void)
{
    CU_ASSERT_TRUE(uri_is_below("http://localhost:8080", "http://localhost:8080"));
    CU_ASSERT_TRUE(uri_is_below("http://localhost:8080", "http://localhost:8080/r4"));
    CU_ASSERT_FALSE(uri_is_below("http://localhost:8080", "http://localhost:80801/r4"));
    CU_ASSERT_FALSE(uri_is_below("https://id.example", "https://id.example.org/r4"));
    CU_ASSERT_FALSE(uri_is_below("https://id.example", "https://fhir.example"));
}

static const struct unit_case cases[] = {
    CASE(redirect_uris_lead_to_the_client_alone),
    CASE(only_a_loopback_port_may_differ),
    CASE(resources_are_absolute),
    CASE(below_ends_at_a_slash),
};

int main(void)
{
    return unit_run("uri", cases, ARRAY_SIZE(cases));
}
