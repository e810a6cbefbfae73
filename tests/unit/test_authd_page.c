/*
 * test_authd_page.c - values in pages: every context, every language, and attacks.
 */
#include <string.h>

#include "authd/page/page_time.h"
#include "tests/support/page_kit/pages.h"
#include "tests/support/unit.h"

static const char *put(struct arena *arena, enum page_context context, const char *value)
{
    struct page page;

    page_init(&page, arena, PAGE_EN);
    page_put(&page, context, value);
    UNIT_CHECK(page.length == strlen(page.text), "%s", value);
    return page.text;
}

static void values_are_escaped_for_their_place(void)
{
    static const struct {
        enum page_context context;
        const char *value, *written;
    } rows[] = {
        {PAGE_HTML, "a < b & \"c\" > 'd'", "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;"},
        {PAGE_HTML, "Zoë\tMüller 李", "Zoë\tMüller 李"},
        {PAGE_HTML, NULL, ""},
        {PAGE_HTML, "a\x01\x1b\x7f\rb", "a\uFFFD\uFFFD\uFFFD\uFFFDb"},
        {PAGE_HTML, "\xff\xc0\x80\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
        {PAGE_HTML, "cut \xe2\x80", "cut \uFFFD\uFFFD"},
        {PAGE_HTML, "\xf4\x90\x80\x80\xf0\x8f\xbf\xbf\xf5",
         "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
        {PAGE_HTML,
         "a\xC2\x85"
         "b\uFDD0\uFFFE\U0010FFFF\uFDF0",
         "a\uFFFDb\uFFFD\uFFFD\uFFFD\uFDF0"},
        {PAGE_HTML, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {PAGE_ATTRIBUTE, "\" onfocus=\"x", "&quot; onfocus=&quot;x"},
        {PAGE_URL, "https://a.example/b?c=d&e=%20#f", "https://a.example/b?c=d&amp;e=%20#f"},
        {PAGE_URL, "http://127.0.0.1:8080/", "http://127.0.0.1:8080/"},
        {PAGE_URL, "/t/acme/ü \"<>", "/t/acme/%C3%BC%20%22%3C%3E"},
        {PAGE_URL, "javascript:alert(1)", "#"},
        {PAGE_IMAGE, "data:image/png;base64,AB+/==", "data:image/png;base64,AB+/=="},
        {PAGE_IMAGE, "/t/acme/logo.png", "/t/acme/logo.png"},
        {PAGE_IMAGE, "data:image/png;base64,A\" onload=\"x", "data:,"},
        {PAGE_IMAGE, "data:image/svg+xml,<svg/>", "data:,"},
        {PAGE_IMAGE, "https://evil.example/x.png", "data:,"},
        {PAGE_IMAGE, NULL, "data:,"},
        {PAGE_URL, "data:text/html,x", "#"},
        {PAGE_URL, " javascript:alert(1)", "#"},
        {PAGE_URL, "//evil.example/", "#"},
        {PAGE_URL, "/\\evil.example/", "#"},
        {PAGE_URL, "/\t/evil.example/", "#"},
        {PAGE_URL, "HTTPS:evil", "#"},
        {PAGE_URL, "", "#"},
        {PAGE_URL, NULL, "#"},
        {PAGE_URL_SEGMENT, "acme", "acme"},
        {PAGE_URL_SEGMENT, "a/b?c#d&e", "a%2Fb%3Fc%23d%26e"},
        {PAGE_URL_SEGMENT, "", "-"},
        {PAGE_URL_SEGMENT, ".", "-"},
        {PAGE_URL_SEGMENT, "..", "-"},
        {PAGE_URL_SEGMENT, "...", "..."},
        {PAGE_URL_QUERY, "a&b=c+d e", "a%26b%3Dc%2Bd%20e"},
        {PAGE_URL_QUERY, "", ""},
        {PAGE_URL, "/AZaz09-._~{|}^`/?#=&%:@!$*+,;[]()'",
         "/AZaz09-._~%7B%7C%7D%5E%60/?#=&amp;%:@!$*+,;[]()&#39;"},
        {PAGE_URL_QUERY, "AZaz09-._~/?#=&%:@!$*+,;[]()'",
         "AZaz09-._~%2F%3F%23%3D%26%25%3A%40%21%24%2A%2B%2C%3B%5B%5D%28%29%27"},
        {PAGE_JSON, "!\"#$%&'()*+,-./0189:;<=>?@AOPZ[\\]^_`aopz{|}~\x7f\x1f ",
         "\"!\\u0022#$%\\u0026\\u0027()*+,-./0189:;\\u003C=\\u003E?@AOPZ[\\u005C]^_`aopz{|}~\uFFFD"
         "\uFFFD \""},
        {PAGE_ATTRIBUTE, "!\"#$%&'()*+,-./0189:;<=>?@AOPZ[\\]^_`aopz{|}~\x7f\x1f ",
         "!&quot;#$%&amp;&#39;()*+,-./0189:;&lt;=&gt;?@AOPZ[\\]^_`aopz{|}~\uFFFD\uFFFD "},
        {PAGE_JSON, "a\"b\\c\n</script><!--&'",
         "\"a\\u0022b\\u005Cc\\u000A\\u003C/script\\u003E\\u003C!--\\u0026\\u0027\""},
        {PAGE_JSON, "\u2028\u2029\u2030", "\"\\u2028\\u2029\u2030\""},
        {PAGE_JSON, NULL, "\"\""},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *written = put(arena, rows[i].context, rows[i].value);

        UNIT_CHECK(strcmp(written, rows[i].written) == 0, "row %zu: %s", i, written);
    }
}

static const char *every(struct arena *arena, enum page_language language,
                         const struct kit_every_in *in)
{
    struct page page;

    page_init(&page, arena, language);
    kit_every(&page, in);
    return page.text;
}

static void has(const char *page, const char *piece)
{
    UNIT_CHECK(strstr(page, piece) != NULL, "%s is not in %s", piece, page);
}

static void a_page_holds_each_value_escaped(void)
{
    static const struct kit_every_row rows[] = {
        {.label = "first <b>", .current = false},
        {.label = "second", .current = true},
    };
    static const struct kit_every_in in = {
        .name = "<i>\"",
        .url = "javascript:x",
        .id = "../x",
        .query = "a&b",
        .open = true,
        .problem = KIT_TEXT_ERROR_WRONG,
        .row = rows,
        .row_count = ARRAY_SIZE(rows),
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *page = every(arena, PAGE_EN, &in);

    UNIT_CHECK(strncmp(page, "<!doctype html>\n<html lang=\"en\">\n", 33) == 0, "%s", page);
    has(page, "<title>That was wrong - Hello &lt;i&gt;&quot; &amp; friends</title>");
    has(page, "<style>h1 {\nmargin: 0;\n}</style>");
    has(page, "<h1>Hello &lt;i&gt;&quot; &amp; friends</h1>");
    has(page, "<p id=\"problem\">That was wrong</p>");
    has(page, "<form action=\"#\">");
    has(page, "value=\"&lt;i&gt;&quot;\" title=\"Hello &lt;i&gt;&quot; &amp; friends\" checked>");
    has(page, "<textarea name=\"more\">&lt;i&gt;&quot;</textarea>");
    has(page, "<li>first &lt;b&gt;</li><li class=\"current\">second</li>");
    has(page, "href=\"/t/..%2Fx/sign-in?hint=a%26b#a%26b\">a&amp;b</a>");
    has(page, "{\"name\": \"\\u003Ci\\u003E\\u0022\", \"list\": [\"a\\u0026b\"]}</script>");
    UNIT_CHECK(!strstr(page, "No rows") && !strstr(page, "All is well"), "%s", page);
}

static void a_page_speaks_each_language(void)
{
    static const struct {
        enum page_language language;
        const char *tag, *greeting, *fine;
    } rows[] = {
        {PAGE_EN, "lang=\"en\"", "Hello Ada &amp; friends", "All is well"},
        {PAGE_DE, "lang=\"de\"", "Hallo Ada &amp; Freunde", "Alles in Ordnung"},
        {PAGE_ES, "lang=\"es\"", "Hola, Ada &amp; amigos", "Todo está bien"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *page = every(arena, rows[i].language, &(struct kit_every_in){.name = "Ada"});

        has(page, rows[i].tag);
        has(page, rows[i].greeting);
        has(page, rows[i].fine);
        UNIT_CHECK(!strstr(page, "id=\"problem\"") && !strstr(page, " checked"), "%s", page);
    }
    CU_ASSERT_STRING_EQUAL(kit_text(PAGE_DE, KIT_TEXT_ERROR_WRONG), "Das war falsch");
    CU_ASSERT_STRING_EQUAL(kit_text(PAGE_DE, KIT_NO_TEXT), "");
}

/* The CSP's hash: printf 'h1 {\nmargin: 0;\n}' | openssl dgst -sha256 -binary | base64 */
static void the_style_has_the_hash_of_its_text(void)
{
    CU_ASSERT_STRING_EQUAL(KIT_STYLE_HASH, "'sha256-6lXZro8UQBoKlTpOih8ce3D0Wme1O5VxtySgLIOsU44='");
}

static void a_long_value_makes_the_page_grow(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    enum { LENGTH = 100 * 1000 };
    char *value = arena_alloc(arena, LENGTH + 1);
    const char *written;

    memset(value, '<', LENGTH);
    written = put(arena, PAGE_HTML, value);
    UNIT_CHECK(strlen(written) == 4 * LENGTH, "%zu", strlen(written));
    UNIT_CHECK(strncmp(written + 4 * LENGTH - 8, "&lt;&lt;", 8) == 0, "%s",
               written + 4 * LENGTH - 8);
}

static void times_are_written_as_the_reader_does(void)
{
    static const struct {
        enum page_language language;
        const char *accept;
        int64_t at_ms;
        const char *written;
    } rows[] = {
        {PAGE_EN, "en-US,en;q=0.9", 1795847760000, "November 28, 2026, 6:36 AM"},
        {PAGE_EN, "EN-us", 1795847760000 + 12L * 3600 * 1000, "November 28, 2026, 6:36 PM"},
        {PAGE_EN, "de, en-US;q=0.8, en-GB;q=0.5", 1769815800000, "January 30, 2026, 11:30 PM"},
        {PAGE_EN, "en-US", 1769817600000, "January 31, 2026, 12:00 AM"},
        {PAGE_EN, "en-US", 1769860800000, "January 31, 2026, 12:00 PM"},
        {PAGE_EN, "en-GB, en-US;q=0.5", 1795847760000, "28 November 2026, 06:36"},
        {PAGE_EN, "en", 1795847760000, "28 November 2026, 06:36"},
        {PAGE_EN, "eng-US, zen-US", 1795847760000, "28 November 2026, 06:36"},
        {PAGE_EN, NULL, 0, "1 January 1970, 00:00"},
        {PAGE_DE, "en-US", 1795847760000, "28. November 2026, 06:36 Uhr"},
        {PAGE_ES, "es-MX", 1795847760000, "28 de noviembre de 2026, 6:36"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *text = page_time(arena, rows[i].language, rows[i].accept, rows[i].at_ms);

        UNIT_CHECK(strcmp(text, rows[i].written) == 0, "%zu: %s", i, text);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(values_are_escaped_for_their_place), CASE(a_page_holds_each_value_escaped),
        CASE(a_page_speaks_each_language),        CASE(the_style_has_the_hash_of_its_text),
        CASE(a_long_value_makes_the_page_grow),   CASE(times_are_written_as_the_reader_does),
    };

    return unit_run("authd page", cases, ARRAY_SIZE(cases));
}
