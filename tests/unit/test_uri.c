/*
 * test_uri.c - URIs that a client application can register, and their comparison with a request's.
 */
#include <stdio.h>
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
        {"HTTPS://Portal.Example/callback", true},
        {"HTTP://LOCALHOST:3000/", true},
        {"http://127.0.0.1:65536/", false},
        {"http://127.0.0.1:0/", false},
        {"com.example.app:/%zz", false},
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

/* For https URLs of any purpose; only the host differs. */
static void hosts_are_those_of_the_standards(void)
{
    static const struct {
        const char *host;
        bool fine;
    } rows[] = {
        {"a.example", true},
        {"A.Example", true},
        {"a.example:1", true},
        {"a.example:65535", true},
        {"a-b.c--d.example", true},
        {"a_b.example", true},
        {"xn--bcher-kva.example", true},
        {"1.a.example", true},
        {"a.example.", true},
        {"intranet", true},
        {"localhost", true},
        {"192.0.2.1", true},
        {"[2001:db8::1]", true},
        {"[2001:db8::1]:8443", true},
        {"[::ffff:192.0.2.1]", true},
        {"example.co.uk", true},
        {"a123456789012345678901234567890123456789012345678901234567890.example", true},
        {"", false},
        {"*", false},
        {"*.example", false},
        {"a.*", false},
        {".", false},
        {".a.example", false},
        {"a..b.example", false},
        {"a.example..", false},
        {"-a.example", false},
        {"a-.example", false},
        {"a.-.example", false},
        {"a,b.example", false},
        {"a;b.example", false},
        {"a'b.example", false},
        {"a!b.example", false},
        {"a%2eb.example", false},
        {"a%zz.example", false},
        {"a@b.example", false},
        {"a:b@c.example", false},
        {"[evil]", false},
        {"[]", false},
        {"[::1", false},
        {"::1", false},
        {"[::1]x", false},
        {"[v1.a]", false},
        {"[fe80::1%25eth0]", false},
        {"[192.0.2.1]", false},
        {"a[b].example", false},
        {"192.0.2", false},
        {"192.0.2.256", false},
        {"1", false},
        {"0x7f.1", false},
        {"a.0x7f", false},
        {"a.example:", false},
        {"a.example:0", false},
        {"a.example:65536", false},
        {"a.example:000443", false},
        {"a.example:8o", false},
        {"a.example:-1", false},
        {"a.example:80:80", false},
        {"com", false},
        {"co.uk", false},
        {"CO.UK", false},
        {"co.uk.", false},
        {"github.io", false},
        {"a12345678901234567890123456789012345678901234567890123456789012.example", true},
        {"a123456789012345678901234567890123456789012345678901234567890123.example", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        static const char *const rests[] = {"", "/", "/cb?x=1"};

        for (size_t j = 0; j < ARRAY_SIZE(rests); j++) {
            char text[256], why[96];

            snprintf(text, sizeof(text), "https://%s%s", rows[i].host, rests[j]);
            UNIT_CHECK((uri_https_check(text, why) == 0) == rows[i].fine, "https %s", text);
            UNIT_CHECK((uri_redirect_check(text, why) == 0) == rows[i].fine, "redirect %s", text);
            UNIT_CHECK((uri_app_check(text, why) == 0) == rows[i].fine, "setting %s", text);
        }
    }
}

static void an_octet_has_two_digits(void)
{
    static const struct {
        const char *uri;
        bool fine;
    } rows[] = {
        {"https://a.example/%7e%C3%A4", true}, {"https://a.example/%zz", false},
        {"https://a.example/%", false},        {"https://a.example/%a", false},
        {"https://a.example/?%a%20", false},   {"https://a.example/?x=100%", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char why[96];

        UNIT_CHECK((uri_https_check(rows[i].uri, why) == 0) == rows[i].fine, "%s", rows[i].uri);
        UNIT_CHECK((uri_redirect_check(rows[i].uri, why) == 0) == rows[i].fine, "%s", rows[i].uri);
        UNIT_CHECK((uri_resource_check(rows[i].uri, why) == 0) == rows[i].fine, "%s", rows[i].uri);
        UNIT_CHECK((uri_app_check(rows[i].uri, why) == 0) == rows[i].fine, "%s", rows[i].uri);
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
        {"https://*", "https://*", true}, /* compared exactly as it was registered */
        {"HTTP://localhost/cb", "HTTP://localhost:9/cb", true},
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
    CU_ASSERT_TRUE(uri_is_below("https://id.example", "HTTPS://ID.example:443/r4"));
    CU_ASSERT_TRUE(uri_is_below("https://id.example/a", "https://id.example/a?x"));
    CU_ASSERT_FALSE(uri_is_below("https://id.example/a", "https://id.example/ab"));
    CU_ASSERT_FALSE(uri_is_below("https://id.example", "urn:example:records"));
}

static void parameters_are_encoded(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    CU_ASSERT_STRING_EQUAL(uri_encode(arena, "aZ9-._~"), "aZ9-._~");
    CU_ASSERT_STRING_EQUAL(uri_encode(arena, " +&=%\xc3\xa9"), "%20%2B%26%3D%25%C3%A9");
    CU_ASSERT_STRING_EQUAL(uri_add(arena, "https://a/b", "c", "d e"), "https://a/b?c=d%20e");
    CU_ASSERT_STRING_EQUAL(uri_add(arena, "https://a/?b=1", "c", ""), "https://a/?b=1&c=");
    CU_ASSERT_STRING_EQUAL(uri_add(arena, "https://a/", "c", NULL), "https://a/");
}

static const struct unit_case cases[] = {
    CASE(redirect_uris_lead_to_the_client_alone),
    CASE(hosts_are_those_of_the_standards),
    CASE(an_octet_has_two_digits),
    CASE(only_a_loopback_port_may_differ),
    CASE(resources_are_absolute),
    CASE(below_ends_at_a_slash),
    CASE(parameters_are_encoded),
};

int main(void)
{
    return unit_run("uri", cases, ARRAY_SIZE(cases));
}
