/*
 * test_maild_render.c - placeholders in templates and the pauses between attempts.
 */
#include <string.h>

#include "maild/deliver_backoff.h"
#include "maild/render.h"
#include "tests/support/unit.h"

static const char variables_json[] =
    "{\"projectName\":\"Lake & Side\",\"appUrl\":\"https://a.example/?x=1&y=\\\"2\\\"\","
    "\"recipientName\":\"<b>Ana</b> {{appUrl}}\",\"count\":3,"
    "\"recipientEmail\":\"ana+b@example.org\",\"inviterName\":\"Zo\u00eb & #1\","
    "\"verifyUrl\":\"https://a.example/v?id=1&secret=2\"}";

static const struct {
    const char *label, *text, *want_text, *want_html;
} renderings[] = {
    {"nothing to replace", "Hello.", "Hello.", "Hello."},
    {"empty", "", "", ""},
    {"a value", "At {{projectName}}!", "At Lake & Side!", "At Lake &amp; Side!"},
    {"quotes in an attribute", "<a href=\"{{appUrl}}\">",
     "<a href=\"https://a.example/?x=1&y=\"2\"\">",
     "<a href=\"https://a.example/?x=1&amp;y=&quot;2&quot;\">"},
    {"values are not templates and hold no markup", "{{recipientName}}", "<b>Ana</b> {{appUrl}}",
     "&lt;b&gt;Ana&lt;/b&gt; {{appUrl}}"},
    {"spaces inside", "{{ projectName }}", "Lake & Side", "Lake &amp; Side"},
    {"side by side", "{{projectName}}{{projectName}}", "Lake & SideLake & Side",
     "Lake &amp; SideLake &amp; Side"},
    {"absent and no text", "[{{tenantCode}}{{count}}]", "[]", "[]"},
    {"not closed", "a {{projectName", "a {{projectName", "a {{projectName"},
    {"single braces", "{projectName} }}", "{projectName} }}", "{projectName} }}"},
    {"in a link's query", "https://b.example/?to={{recipientEmail}}&by={{inviterName}}!",
     "https://b.example/?to=ana%2Bb%40example.org&by=Zo%C3%AB%20%26%20%231!",
     "https://b.example/?to=ana%2Bb%40example.org&by=Zo%C3%AB%20%26%20%231!"},
    {"in that of an attribute", "<a href='https://b.example/x?a=1&amp;n={{inviterName}}'>",
     "<a href='https://b.example/x?a=1&amp;n=Zo%C3%AB%20%26%20%231'>",
     "<a href='https://b.example/x?a=1&amp;n=Zo%C3%AB%20%26%20%231'>"},
    {"without quotes", "<a href=https://b.example/?n={{inviterName}}>",
     "<a href=https://b.example/?n=Zo%C3%AB%20%26%20%231>",
     "<a href=https://b.example/?n=Zo%C3%AB%20%26%20%231>"},
    {"in its fragment", "https://b.example/#{{inviterName}}",
     "https://b.example/#Zo%C3%AB%20%26%20%231", "https://b.example/#Zo%C3%AB%20%26%20%231"},
    {"in a mail link's", "<a href=\"mailto:a@b.example?subject={{ inviterName }}\">",
     "<a href=\"mailto:a@b.example?subject=Zo%C3%AB%20%26%20%231\">",
     "<a href=\"mailto:a@b.example?subject=Zo%C3%AB%20%26%20%231\">"},
    {"a link in a query", "https://b.example/?next={{verifyUrl}}",
     "https://b.example/?next=https%3A%2F%2Fa.example%2Fv%3Fid%3D1%26secret%3D2",
     "https://b.example/?next=https%3A%2F%2Fa.example%2Fv%3Fid%3D1%26secret%3D2"},
    {"behind a variable that begins the link", "{{verifyUrl}}&n={{inviterName}}",
     "https://a.example/v?id=1&secret=2&n=Zo%C3%AB%20%26%20%231",
     "https://a.example/v?id=1&amp;secret=2&n=Zo%C3%AB%20%26%20%231"},
    {"the link itself, and behind it", "({{verifyUrl}}) \"{{verifyUrl}}\" {{inviterName}}",
     "(https://a.example/v?id=1&secret=2) \"https://a.example/v?id=1&secret=2\" Zo\u00eb & #1",
     "(https://a.example/v?id=1&amp;secret=2) \"https://a.example/v?id=1&amp;secret=2\" Zo\u00eb "
     "&amp; #1"},
    {"in its path", "https://b.example/{{tenantCode}}/{{inviterName}}",
     "https://b.example//Zo\u00eb & #1", "https://b.example//Zo\u00eb &amp; #1"},
    {"behind a link in a text without blanks", "\u8bf7{{verifyUrl}}\u3002{{inviterName}}",
     "\u8bf7https://a.example/v?id=1&secret=2\u3002Zo\u00eb & #1",
     "\u8bf7https://a.example/v?id=1&amp;secret=2\u3002Zo\u00eb &amp; #1"},
    {"a question", "Who? {{inviterName}} Really?{{inviterName}}",
     "Who? Zo\u00eb & #1 Really?Zo\u00eb & #1", "Who? Zo\u00eb &amp; #1 Really?Zo\u00eb &amp; #1"},
};

static const struct {
    const char *template, *text;
    int problems;
} checks[] = {
    {"PATIENT_WELCOME", "{{appUrl}} {{projectName}} {{ recipientEmail }}", 0},
    {"PATIENT_WELCOME", NULL, 0},
    {"PATIENT_WELCOME", "{{resetUrl}}", 1},
    {"PATIENT_WELCOME", "{{}} {{#if x}} {{appurl}}", 3},
    {"PATIENT_WELCOME", "{{appUrl", 1},
    {"PATIENT_WELCOME", "{{nope}} {{appUrl", 2},
    {"PASSWORD_RESET", "{{resetUrl}}", 0},
    {"ORGANIZATION_CODE", "{{tenantCode}}", 0},
};

static void test_replaces_placeholders_escaped_in_html(void)
{
    json_t *variables = json_loads(variables_json, 0, NULL);

    for (size_t i = 0; i < ARRAY_SIZE(renderings); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char *text = render(arena, renderings[i].text, variables, RENDER_TEXT);
        char *html = render(arena, renderings[i].text, variables, RENDER_HTML);

        UNIT_CHECK(strcmp(text, renderings[i].want_text) == 0, "%s: %s", renderings[i].label, text);
        UNIT_CHECK(strcmp(html, renderings[i].want_html) == 0, "%s: %s", renderings[i].label, html);
    }
    json_decref(variables);
}

static void test_finds_placeholders_that_a_template_has_not(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const struct template_name *name = template_name_find(checks[i].template);
        struct error err;
        int result;

        error_init(&err, arena);
        UNIT_REQUIRE(name, "%s", checks[i].template);
        result = render_check(name, "text", checks[i].text, &err);
        UNIT_CHECK(err.problem_count == checks[i].problems, "%s: %d", checks[i].text,
                   err.problem_count);
        UNIT_CHECK((result < 0) == (checks[i].problems > 0), "%s", checks[i].text);
    }
    UNIT_CHECK(!template_name_find("PATIENT_WELCOM"), "an unknown template");
}

static void test_doubles_the_pause_up_to_an_hour(void)
{
    UNIT_CHECK(deliver_backoff_ms(1) == 1000, "after the first attempt");
    UNIT_CHECK(deliver_backoff_ms(2) == 2000, "after the second");
    UNIT_CHECK(deliver_backoff_ms(12) == 2048000, "after the twelfth");
    UNIT_CHECK(deliver_backoff_ms(13) == 3600000, "an hour at most");
    UNIT_CHECK(deliver_backoff_ms(1000000) == 3600000, "for ever");
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_replaces_placeholders_escaped_in_html),
        CASE(test_finds_placeholders_that_a_template_has_not),
        CASE(test_doubles_the_pause_up_to_an_hour),
    };

    return unit_run("maild render", cases, ARRAY_SIZE(cases));
}
