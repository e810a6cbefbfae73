/*
 * test_settingsd_values.c - tenant codes made from names, and valid URLs in settings.
 */
#include <string.h>

#include "settingsd/setting_names.h"
#include "settingsd/tenant_code.h"
#include "tests/support/unit.h"

/* A `want` that ends in '?' allows any suffix. */
static const struct {
    const char *name, *want;
} names[] = {
    {"Lakeside Clinic", "lakeside-clinic"},
    {"  St. Mary's -- Hospital!  ", "st-mary-s-hospital"},
    {"Clínica Ñandú", "clinica-nandu"},
    {"Łódź Öffentliche Straße", "lodz-offentliche-strase"},
    {"病院", "project-?"},
    {"病院 24 h", "24-h"},
    {"A", "a-?"},
    {"-", "project-?"},
    {"Praxis 12345678901234567890123456789012345678901234567890 und noch viel mehr",
     "praxis-12345678901234567890123456789012345678901234567890"},
};

static const struct {
    const char *url;
    bool ok;
} urls[] = {
    {"https://my.example.org", true},
    {"HTTP://localhost:8080/app/", true},
    {"https://example.org/#", true},
    {"https://[2001:db8::1]:8443/", true},
    {"https://xn--bcher-kva.example/?a=b&c=%20", true},
    {"", false},
    {"example.org", false},
    {"/app", false},
    {"//example.org", false},
    {"ftp://example.org", false},
    {"javascript:alert(1)", false},
    {"https://", false},
    {"https:///app", false},
    {"https://?x", false},
    {"https://user:secret@example.org", false},
    {"https://example.org:0", false},
    {"https://example.org:65536", false},
    {"https://example.org:", false},
    {"https://example.org:8o", false},
    {"https://exa mple.org", false},
    {"https://example.org/a b", false},
    {"https://example.org/\"><script>", false},
    {"https://example.org/\n", false},
    {"https://b\xC3\xBC"
     "cher.example",
     false},
    {"https://[::1", false},
    {"https://[]", false},
    {"https://.example.org", false},
    {"https://*", false},
    {"https://[evil]/", false},
    {"https://a..example.org", false},
    {"https://example.org/%zz", false},
    {"https://co.uk", false},
    {"HTTPS://Example.org:443", true},
    {"http://portal:3000/", true},
};

static bool is_code(const char *text)
{
    size_t length = strlen(text);

    return length >= 3 && length <= 64 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static void test_makes_a_tenant_code_from_a_name(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char *code = tenant_code_from_name(arena, names[i].name, false);
        size_t fixed = strcspn(names[i].want, "?");

        UNIT_CHECK(strncmp(code, names[i].want, fixed) == 0, "%s: %s", names[i].name, code);
        UNIT_CHECK((strlen(code) > fixed) == (names[i].want[fixed] == '?'), "%s: %s", names[i].name,
                   code);
        UNIT_CHECK(is_code(code), "%s: %s", names[i].name, code);
    }
}

static void test_makes_another_one_when_that_is_taken(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char *first = tenant_code_from_name(arena, names[i].name, true);
        char *second = tenant_code_from_name(arena, names[i].name, true);

        UNIT_CHECK(strcmp(first, second) != 0, "%s", first);
        UNIT_CHECK(is_code(first), "%s", first);
    }
}

static void test_takes_absolute_http_and_https_urls_only(void)
{
    char text[4096] = "https://example.org/";

    for (size_t i = 0; i < ARRAY_SIZE(urls); i++)
        UNIT_CHECK(setting_is_url(urls[i].url) == urls[i].ok, "%s", urls[i].url);
    memset(text + strlen(text), 'a', 2048 - strlen(text));
    UNIT_CHECK(setting_is_url(text), "2,048 bytes");
    text[2048] = 'a';
    UNIT_CHECK(!setting_is_url(text), "2,049 bytes");
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_makes_a_tenant_code_from_a_name),
        CASE(test_makes_another_one_when_that_is_taken),
        CASE(test_takes_absolute_http_and_https_urls_only),
    };

    return unit_run("settingsd values", cases, ARRAY_SIZE(cases));
}
