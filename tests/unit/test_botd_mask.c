/*
 * test_botd_mask.c - text hidden from the translator, and that no accepted answer lost or moved
 * any of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "botd/translation/mask.h"
#include "tests/support/marked_text.h"
#include "tests/support/unit.h"

static const struct {
    const char *text, *want; /* want: text with marks as elements; NULL: nothing to translate */
} cuts[] = {
    {"Hello world", "Hello world"},
    {"Hello {{name}}, you have {{ n }} mails", "Hello <x0/>, you have <x1/> mails"},
    {"Hello {{{raw.html}}}!", "Hello <x0/>!"},
    {"A {{#if x}}B{{else}}C{{/if}} D", "A <x0/>B<x1/>C<x2/> D"},
    {"open {{ only", "open {{ only"},
    {"Fish & chips < 3 > 2", "Fish &amp; chips &lt; 3 &gt; 2"},
    {"Fish &amp; chips&#33; &#x1F600;&bogus", "Fish <x0/> chips<x1/> <x2/>&amp;bogus"},
    {"<p class=\"a>b\">Hi <b>you</b></p>", "<x0/>Hi <x1/>you<x2/><x3/>"},
    {"<p> Hi </p>", "<x0/>Hi<x1/>"},
    {"a <b c", "a &lt;b c"},
    {"I <!-- not this --> am", "I <x0/> am"},
    {"Run <code>rm -rf {{x}}</code> now", "Run <x0/> now"},
    {"<script>var a = 'b';</script>", NULL},
    {"<a href='{{#if a > b}}x{{/if}}'>go</a>", "<x0/>go<x1/>"},
    {"<https://a.example/b> and <me@a.example>", "<x0/> and <x1/>"},
    {"See https://a.example/x?y={{ id }}&z=(1), or me@b.example.", "See <x0/>, or <x1/>."},
    {"(www.a.example), tel:1 it", "(<x0/>), <x1/> it"},
    {"# Title\n\nText\n- one\n- [x] two\n", "<x0/>Title<x1/>Text<x2/>one<x3/>two<x4/>"},
    {"> 1. quoted\n> 2) more", "<x0/>quoted<x1/>more"},
    {"a\nb\r\nc  \n  d", "a<x0/>b<x1/>c<x2/>d"},
    {"Some **bold *and* more** text", "Some <x0/>bold <x1/>and<x2/> more<x3/> text"},
    {"2 * 3 = 6, snake_case and _em_", "2 <x0/> 3 = 6, snake_case and <x1/>em<x2/>"},
    {"~~gone~~ ==lit== a~b", "<x0/>gone<x1/> <x2/>lit<x3/> a<x4/>b"},
    {"[text](https://a.example \"t\") ![alt](i.png)", "<x0/>text<x1/> <x2/>alt<x3/>"},
    {"[text][ref] [^1] [x]", "<x0/>text<x1/> <x2/> <x3/>x<x4/>"},
    {"[ref]: https://a.example", NULL},
    {"Use `a {{b}}` or ``c ` d`` but not `this", "Use <x0/> or <x1/> but not <x2/>this"},
    {"```sh\necho \"hi\"\n```\nAfter", "<x0/>After"},
    {"~~~\nnever closed\n", NULL},
    {"| a | b |\n|---|---|\n| c | d |", "<x0/>a<x1/>b<x2/>c<x3/>d<x4/>"},
    {"one\n\n---\n\ntwo", "one<x0/>two"},
    {"not \\*bold\\*", "not <x0/>bold<x1/>"},
    /* tags and comments as browsers read them */
    {"<v:shape style='a>b'>x</v:shape> <o:p class=c>y</o:p>", "<x0/>x<x1/> <x2/>y<x3/>"},
    {"<my_tag a=b>x</my_tag> <st1:place>y</st1:place>", "<x0/>x<x1/> <x2/>y<x3/>"},
    {"<a b==\"><i>x</i></a>", "<x0/><x1/>x<x2/><x3/>"},
    {"<a ='>'>x</a>", "<x0/>'&gt;x<x1/>"},
    {"a <!-- b\n\nc", "a<x0/>"},
    {"a <!--> b <!---> c <!-- d --!> e", "a <x0/> b <x1/> c <x2/> e"},
    {"a <? b > c ?> d </1 e> f", "a<x0/>d <x1/> f"},
    {"<script><!-- <script> </script> a </script> b", "<x0/>b"},
    {"<script>a </scripty> b", NULL},
    {"<svg><![CDATA[ a ]]></svg> b", "<x0/> b"},
    {"I <3 you, 1 < 2", "I &lt;3 you, 1 &lt; 2"},
    {"\\<b>x\\</b>", "<x0/>x<x1/>"},
    /* content that an attribute excludes, up to the element's end */
    {"By <span translate=\"no\">Good <b>Health</b></span>, hello", "By <x0/>, hello"},
    {"<b TRANSLATE=No>a <b>b</b> c</b> d", "<x0/> d"},
    {"<i class='x notranslate y'>a</i> b <i class=notranslated>c</i>", "<x0/> b <x1/>c<x2/>"},
    {"<p translate=no>a <i translate=yes>b</i> c</p> d", "<x0/>b<x1/>d"},
    {"<div translate='no'>a\n\n- b\n</div>\n\nc", "<x0/>c"},
    {"<br translate=no>a", "<x0/>a"},
    {"<p translate=no>a", NULL},
    {"<p translate=no>a<p>b", "<x0/>b"},
    {"<p translate=no>a<p translate=no>b<p>c", "<x0/>c"},
    {"<li translate=no>a<ul><li>b</li></ul></li> c", "<x0/>c"},
    /* reference links and their definitions */
    {"[a][b] [b] ![b][]\n\n[b]:\n  /u\n  'title'\n", "<x0/>a<x1/> <x2/> <x3/><x4/>"},
    {"[foo]: bar\nbaz [FOO]", "<x0/>baz <x1/>"},
    {"[a b]: no link\n[^1]: A note", "<x0/>a b<x1/>: no link<x2/><x3/>: A note"},
    {"[a](<b c>\n  \"t (\") d", "<x0/>a<x1/> d"},
    {"[sic](see page 3)", "<x0/>sic<x1/>(see page 3)"},
    /* indented code, unless it is indented HTML */
    {"a\n\n    b\n\n\tc\n\nd", "a<x0/>d"},
    {"a\n    b", "a<x0/>b"},
    {"- a\n\n      b\n\n  c", "<x0/>a<x1/>c"},
    {"<div>\n\n    <p>a</p>\n\n</div>\n\n    b", "<x0/>a<x1/>"},
    {"a\\\nb  \nc ##\n\n# d ##\n\ne\n===", "a<x0/>b<x1/>c ##<x2/>d<x3/>e<x4/>"},
    {"- `a\n- b`", "<x0/><x1/>a<x2/>b<x3/>"},
    /* URLs */
    {"https://a.example/?b[]=1&c[d]=2 [x](https://a.example/[e])", "<x0/> <x1/>x<x2/>"},
    {"a (http://[::1]:80/a), [https://b.example]", "a (<x0/>), <x1/><x2/><x3/>"},
    {"https://a.example[b", "<x0/><x1/>b"},
    /* placeholders */
    {"a ${b} %{c} {d} { e } {f.g} {0} ${h ? {} : 1}",
     "a <x0/> <x1/> <x2/> <x3/> <x4/> <x5/> <x6/>"},
    {"{n, plural, one {# day} other {{m, number} days}} left", "<x0/> left"},
    {"{% if a > b %}c{% else %}d{% endif %}", "<x0/>c<x1/>d<x2/>"},
    {"%s %1$s %.2f %d. 50% discount 5%d %sure", "<x0/> <x1/> <x2/> <x3/>. 50% discount 5%d %sure"},
    {"a {b c} {, d} {e, f", "a {b c} {, d} {e, f"},
    {"<a href='{% if a > b %}c{% endif %}'>d</a> *{{e*f}}*", "<x0/>d<x1/> <x2/><x3/><x4/>"},
    {"  12:30  ", NULL},
    {"\xc2\xad\xc2\xad", NULL},
    {"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d {{x}} \xf0\x9f\x98\x80",
     "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d <x0/> \xf0\x9f\x98\x80"},
    {"", NULL},
};

static void test_cuts_out_what_is_not_to_be_translated(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct mask mask = mask_scan(arena, cuts[i].text);
        const char *shown = mask_render(arena, &mask, MASK_ELEMENT);
        size_t end = 0;

        UNIT_CHECK(mask.translatable == (cuts[i].want != NULL), "%s", cuts[i].text);
        if (cuts[i].want)
            UNIT_CHECK(strcmp(shown, cuts[i].want) == 0, "%s: %s", cuts[i].text, shown);
        for (size_t p = 0; p < mask.count;
             p++, end = mask.pieces[p - 1].start + mask.pieces[p - 1].size)
            UNIT_CHECK(mask.pieces[p].start == end, "%s: gap at %zu", cuts[i].text, end);
        UNIT_CHECK(end == strlen(cuts[i].text), "%s", cuts[i].text);
    }
}

static const struct {
    enum mask_style style;
    const char *text, *answer, *want; /* want NULL: refused */
} answers[] = {
    {MASK_ELEMENT, "Hi {{a}} and {{b}}", "Hola <x1/> y <x0/>", "Hola {{b}} y {{a}}"},
    {MASK_ELEMENT, "Hi {{a}}", "Hola <X0 />", "Hola {{a}}"},
    {MASK_ELEMENT, "Hi {{a}}", "Hola <x0></x0>", "Hola {{a}}"},
    {MASK_ELEMENT, "Hi {{a}}", "Hola", NULL},
    {MASK_ELEMENT, "Hi {{a}}", "Hola <x0/> <x0/>", NULL},
    {MASK_ELEMENT, "Hi {{a}}", "Hola <x1/>", NULL},
    {MASK_ELEMENT, "Hi {{a}}", "Hola <x0/> {{b}}", NULL},
    {MASK_ELEMENT, "Hi {{a}}", "<script>x</script> <x0/>", NULL},
    {MASK_ELEMENT, "Hi {{a}}", "&lt;b&gt;Hola&lt;/b&gt; <x0/>", NULL},
    {MASK_ELEMENT, "Hi {{a}}", "Hola **<x0/>**", NULL},
    {MASK_ELEMENT, "Hi {{a}}", "Hola\n\n  <x0/>", "Hola {{a}}"},
    {MASK_ELEMENT, "Fish & chips", "Peces &amp; papas", "Peces & papas"},
    {MASK_ELEMENT, "a < b", "a &lt; b & c", "a < b & c"},
    {MASK_ELEMENT, "<b>red</b> <i>car</i>", "<x2/>coche<x3/> <x0/>rojo<x1/>",
     "<i>coche</i> <b>rojo</b>"},
    {MASK_ELEMENT, "<b>red</b> <i>car</i>", "<x0/>a<x2/>b<x1/>c<x3/>", NULL},
    {MASK_ELEMENT, "<b>red</b> car", "<x1/>coche<x0/> rojo", NULL},
    {MASK_ELEMENT, "<b>red</b> car", "coche rojo<x0/><x1/>", NULL},
    {MASK_ELEMENT, "**red** car", "coche <x0/> rojo<x1/>", NULL},
    {MASK_ELEMENT, "- a {{x}}\n- b", "<x0/>a<x2/>b <x1/>", NULL},
    {MASK_ELEMENT, "- a\n- b", "<x1/>b<x0/>a", NULL},
    {MASK_ELEMENT, "- a\n- b", "<x0/> A <x1/> B ", "- A\n- B"},
    {MASK_ELEMENT, "Hello", "", NULL},
    {MASK_ELEMENT, "Hello", "Hola <x0", NULL},
    {MASK_ELEMENT, "Hi {{a}}", "Hola <x0/> </X1", NULL},
    /* marks that are not nested as in the text */
    {MASK_ELEMENT, "<a><img> b</a> c", "<x1/> <x0/>d<x2/> e", NULL},
    {MASK_ELEMENT, "[![a](b)](c) d", "<x1/>e<x2/> <x0/>f<x3/>", NULL},
    {MASK_ELEMENT, "<b></b> a", "<x0/>b<x1/> c", NULL},
    {MASK_ELEMENT, "a <i> b </b> c", "d <x1/> e <x0/> f", NULL},
    {MASK_ELEMENT, "| a | b |\n|---|---|", "<x0/><x1/>c d<x2/>", NULL},
    {MASK_ELEMENT, "<p>a</p>", "b<x0/>c<x1/>", NULL},
    /* words that would become markup in their new place */
    {MASK_ELEMENT, "a", "1. b", NULL},
    {MASK_ELEMENT, "a\nb", "c<x0/>===", NULL},
    {MASK_ELEMENT, "a*b c*", "d!<x0/>\"e f<x1/>", "d!*\"e f*"},
    {MASK_ELEMENT, "a*\"b\"*", "c!<x0/>\"d\"<x1/>", NULL},
    {MASK_ELEMENT, "<b", "&lt;\xc3\xb1", NULL},
    {MASK_ELEMENT, "Hi", "{{name}}", NULL},
    {MASK_ELEMENT, "Hi", "%s", NULL},
    {MASK_ELEMENT, "a <x1 b", "a &lt;x1 c", "a <x1 c"},
    {MASK_SUPERBLANK, "Hi {{a}}, you", "Hola[0],  t\xc3\xba[.].[]", "Hola {{a}}, t\xc3\xba"},
    {MASK_SUPERBLANK, "<p>Hi <b>you</b></p>", "[0] Hola[1]t\xc3\xba[.].[2][.].[]",
     "<p>Hola <b>t\xc3\xba</b></p>"},
    {MASK_SUPERBLANK, "Hi {{a}} x {{b}}", "Hola[1]x[0][.].[]", NULL},
    {MASK_SUPERBLANK, "Hi {{a}}", "Hola[.].[]", NULL},
    {MASK_SUPERBLANK, "Hi {{a}}", "Hola[0]", NULL},
    {MASK_SUPERBLANK, "Hi {{a}}", "Hola[0][.].[] x", NULL},
    {MASK_SUPERBLANK, "<b>do</b> you go", "[0][1] van[.].[]", NULL},
    {MASK_SUPERBLANK, "a [b] c", "A[0]B[1]c\\/d[.].[]", "A [B] c/d"},
    {MASK_SUPERBLANK, "- one\n- two", "[0]uno[.].[1]dos[.].[]", "- uno\n- dos"},
    {MASK_SUPERBLANK, "Hello.", "Hola.[.].[]", "Hola."},
    {MASK_SUPERBLANK, "Hello", "Hola[.][]", "Hola"},
};

static void test_takes_answers_that_have_every_mark_in_its_place_and_no_other(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct mask mask = mask_scan(arena, answers[i].text);
        const char *got = NULL;
        int rc = mask_restore(arena, &mask, answers[i].style, answers[i].answer, &got);

        UNIT_CHECK(rc == (answers[i].want ? 0 : -1), "%s <- %s: %s", answers[i].text,
                   answers[i].answer, rc == 0 ? got : "refused");
        if (rc == 0 && answers[i].want)
            UNIT_CHECK(strcmp(got, answers[i].want) == 0, "%s: %s", answers[i].answer, got);
    }
}

enum { TEXTS = 1000 };

static void change_words(char *answer, char mark)
{
    for (char *at = answer; *at; at++) {
        if (*at == mark)
            at = strchr(at, mark == '<' ? '>' : ']');
        else if (*at == '&')
            at = strchr(at, ';');
        else if (*at >= 'a' && *at < 'z')
            ++*at;
    }
}

static void test_loses_nothing_of_a_thousand_texts(void)
{
    unsigned seed = 20260807;

    for (size_t i = 0; i < TEXTS; i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char *text = marked_text(&seed);
        struct mask mask = mask_scan(arena, text);

        for (enum mask_style style = MASK_SUPERBLANK; style <= MASK_ELEMENT; style++) {
            char *answer = arena_strdup(arena, mask_render(arena, &mask, style));
            const char *result = NULL;

            UNIT_CHECK(mask_restore(arena, &mask, style, answer, &result) == 0 &&
                           strcmp(result, text) == 0,
                       "the same words give the same text: %s -> %s", text, result ? result : "-");
            change_words(answer, style == MASK_ELEMENT ? '<' : '[');
            result = NULL;
            UNIT_CHECK(mask_restore(arena, &mask, style, answer, &result) == 0 &&
                           marked_text_kept(text, result),
                       "%s -> %s", text, result ? result : "-");
        }
        free(text);
    }
}

static void test_is_not_fooled_by_mangled_answers(void)
{
    unsigned seed = 7;
    size_t taken = 0, refused = 0;

    for (size_t i = 0; i < TEXTS; i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char *text = marked_text(&seed);
        struct mask mask = mask_scan(arena, text);

        for (enum mask_style style = MASK_SUPERBLANK; style <= MASK_ELEMENT; style++) {
            char *answer = arena_strdup(arena, mask_render(arena, &mask, style));
            size_t size = strlen(answer), from, length, to;
            char *mangled = arena_alloc(arena, 2 * size + 1);
            const char *result = NULL;

            if (size == 0)
                continue;
            from = (size_t)rand_r(&seed) % size;
            length = 1 + (size_t)rand_r(&seed) % MIN(size - from, (size_t)12);
            to = (size_t)rand_r(&seed) % size;
            /* doubles, drops or moves a stretch */
            switch (rand_r(&seed) % 3) {
            case 0:
                snprintf(mangled, 2 * size, "%.*s%.*s%s", (int)to, answer, (int)length,
                         answer + from, answer + to);
                break;
            case 1:
                snprintf(mangled, 2 * size, "%.*s%s", (int)from, answer, answer + from + length);
                break;
            default:
                memcpy(mangled, answer, from);
                memcpy(mangled + from, answer + from + length, size - from - length);
                to %= size - length + 1;
                memmove(mangled + to + length, mangled + to, size - length - to);
                memcpy(mangled + to, answer + from, length);
            }
            if (mask_restore(arena, &mask, style, mangled, &result) < 0) {
                refused++;
                continue;
            }
            taken++;
            UNIT_CHECK(marked_text_kept(text, result), "%s <- %s -> %s", text, mangled, result);
        }
        free(text);
    }
    CU_ASSERT_TRUE(taken > 100 && refused > 100);
}

static void test_puts_stretches_back_one_by_one(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct mask mask = mask_scan(arena, "<p>Hi <b>you</b>, {{x}} there</p>");
    struct mask plain = mask_plain(arena, "a {{x}} [b]");
    const char **texts = mask_texts(arena, &mask), *result = NULL;

    CU_ASSERT_EQUAL_FATAL(mask.texts, 4);
    CU_ASSERT_STRING_EQUAL(texts[2], ",");
    texts[0] = "Hola";
    texts[1] = "t\xc3\xba";
    texts[3] = "ah\xc3\xad";
    CU_ASSERT_EQUAL_FATAL(mask_join(arena, &mask, texts, &result), 0);
    CU_ASSERT_STRING_EQUAL(result, "<p>Hola <b>t\xc3\xba</b>, {{x}} ah\xc3\xad</p>");
    texts[3] = "<i>ah\xc3\xad";
    CU_ASSERT_EQUAL(mask_join(arena, &mask, texts, &result), -1);
    CU_ASSERT_STRING_EQUAL(mask_render(arena, &plain, MASK_SUPERBLANK),
                           "a \\{\\{x\\}\\} \\[b\\][.].[]");
}

/* Returns the CPU seconds for texts of `size` bytes that would take hours in quadratic time. */
static double scan_hostile_texts(size_t size)
{
    static const char *const patterns[] = {
        "{{",
        "{{{",
        "<",
        "<a ",
        "<a b=\"",
        "</",
        "<!--",
        "<![CDATA[",
        "<code>",
        "<svg><pre>",
        "`",
        "``a",
        "[",
        "](",
        "][",
        "](a",
        "![",
        "*a ",
        "**a",
        "_",
        "- ",
        "> ",
        "\n- ",
        "\n```",
        "\n~~~a",
        "|",
        "\n#",
        "\n[a",
        "a@",
        "a.",
        "http://",
        "(",
        "&",
        "&#",
        "\\",
        "~",
        "{{#a}}",
        "<b>",
        "<b></i>",
        "\n \n",
        "\t",
        "=",
        "==a",
        "\n---x",
        "a\n",
        "1. ",
        "mailto:a)",
        "{a,",
        "${",
        "{%",
        "%1$",
        "<?",
        "</1",
        "<p translate=no>",
        "<i translate=yes>",
        "<script><!--",
        "[a]: b\n\n[a] ",
        "\n    a",
        "<div>\n\n    a\n\n",
        "<a =",
        "](a ",
        "<code></codex ",
        "--!>",
        "|a\n|-\n",
        "> - ",
        "[a][",
        "https://a.example/[",
    };
    struct timespec before, after;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        size_t length = strlen(patterns[i]);
        char *text = arena_alloc(arena, size + 1);
        struct mask mask;

        for (size_t at = 0; at + length <= size; at += length)
            memcpy(text + at, patterns[i], length);
        mask = mask_scan(arena, text);
        UNIT_CHECK(mask.count > 0, "%s", patterns[i]);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    return (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
}

static void test_reads_hostile_texts_in_linear_time(void)
{
    double small = scan_hostile_texts(1 << 14), large = scan_hostile_texts(1 << 17);

    /* time for 8 times the size: linear 8, quadratic 64 */
    UNIT_CHECK(large < 24 * small, "%.3f s, then %.3f s", small, large);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_cuts_out_what_is_not_to_be_translated),
        CASE(test_takes_answers_that_have_every_mark_in_its_place_and_no_other),
        CASE(test_loses_nothing_of_a_thousand_texts),
        CASE(test_is_not_fooled_by_mangled_answers),
        CASE(test_puts_stretches_back_one_by_one),
        CASE(test_reads_hostile_texts_in_linear_time),
    };

    return unit_run("botd mask", cases, ARRAY_SIZE(cases));
}
