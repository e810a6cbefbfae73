/*
 * test_markup.c - CommonMark's specification examples and html5lib's inputs with simulated
 * translations: accepted results keep their structure in commonmark.js and parse5. Needs both (make
 * npm). ATRIUM_MARKUP_SEED=N selects other damages.
 *
 * tier: browser
 */
#include <CUnit/CUnit.h>
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "botd/translation/mask.h"
#include "common/wire/codec.h"
#include "tests/support/program.h"
#include "tests/support/unit.h"

enum { JUDGE_MS = 300000, DAMAGES = 12, SHOWN_MAX = 20, SHARE = 90 /* per cent */ };

static const struct unit_need needs[] = {
    {"build/npm/installed/markup", "npm"},
    {NULL, NULL},
};

static struct unit_dir dir;
static unsigned seed = 20261128;

enum language { SHIFTED, PUNCTUATED, CYRILLIC, LANGUAGES };
static const char *const languages[] = {"shifted", "punctuated", "cyrillic"};

static void add_word(struct codec_buffer *out, const char *word, size_t size, enum language to)
{
    if (to == PUNCTUATED)
        codec_write(out, "\xc2\xa1", 2);
    for (size_t i = 0; i < size; i++) {
        char next = (char)(word[i] == 'z' || word[i] == 'Z' ? word[i] - 25 : word[i] + 1);

        if (to == CYRILLIC)
            codec_write(out, "\xd1\x8f", 2);
        else
            codec_write(out, &next, 1);
    }
    if (to == PUNCTUATED)
        codec_write(out, "!", 1);
}

/* Replaces words outside marks. */
static const char *translated(struct arena *arena, const char *shown, enum mask_style style,
                              enum language to)
{
    struct codec_buffer out;

    codec_buffer_init(&out, arena);
    for (const char *at = shown, *end; *at; at = end) {
        end = at + 1;
        if (style == MASK_SUPERBLANK && *at == '\\' && at[1])
            end++;
        else if (*at == (style == MASK_ELEMENT ? '<' : '['))
            end = strchr(at, style == MASK_ELEMENT ? '>' : ']') + 1;
        else if (style == MASK_ELEMENT && *at == '&')
            end = strchr(at, ';') + 1;
        else
            while (isalpha((unsigned char)*at) && isalpha((unsigned char)*end))
                end++;
        if (isalpha((unsigned char)*at))
            add_word(&out, at, (size_t)(end - at), to);
        else
            codec_write(&out, at, (size_t)(end - at));
    }
    codec_write(&out, "", 1);
    return (const char *)out.bytes;
}

/* Drops, doubles or moves a stretch of an answer, or adds foreign markup. */
static const char *damaged(struct arena *arena, const char *answer)
{
    static const char *const additions[] = {
        "*",         "**",  "_",     "`",      "[",     "]",    "](x)",      "(",
        "|",         "\\",  "~~",    "# ",     "\n# ",  "\n- ", "1. ",       "> ",
        "\n\n",      "\n",  "    ",  "\n    ", "```",   "<!--", "-->",       "---",
        "===",       "<b>", "</",    "<?",     "{{x}}", "${x}", "&lt;b&gt;", "&lt;!--",
        "&amp;amp;", "%s",  "</x0>", "<x0/>",  "<x1/>", "[0]",  "[1]",
    };
    size_t size = strlen(answer), from, length, to;

    if (size == 0)
        return answer;
    from = (size_t)rand_r(&seed) % size;
    length = 1 + (size_t)rand_r(&seed) % MIN(size - from, (size_t)12);
    to = (size_t)rand_r(&seed) % size;
    switch (rand_r(&seed) % 4) {
    case 0:
        return arena_printf(arena, "%.*s%.*s%s", (int)to, answer, (int)length, answer + from,
                            answer + to);
    case 1:
        return arena_printf(arena, "%.*s%s", (int)from, answer, answer + from + length);
    case 2:
        to = MAX(to, from + length);
        return arena_printf(arena, "%.*s%.*s%.*s%s", (int)from, answer, (int)(to - from - length),
                            answer + from + length, (int)length, answer + from, answer + to);
    default:
        return arena_printf(arena, "%.*s%s%s", (int)to, answer,
                            additions[(size_t)rand_r(&seed) % ARRAY_SIZE(additions)], answer + to);
    }
}

struct tally {
    json_t *results;
    size_t inputs, translatable, taken[LANGUAGES], damages, damages_taken;
};

static void add_result(struct tally *self, const char *name, const char *by, const char *source,
                       const char *result, bool moved)
{
    if (strcmp(source, result) != 0 && codec_is_text(result, strlen(result)))
        json_array_append_new(self->results,
                              json_pack("{s:s, s:s, s:s, s:s, s:b}", "name", name, "by", by,
                                        "source", source, "result", result, "moved", (int)moved));
}

/* Joins stretches; the one at `bad` is damaged. */
static bool join(struct arena *arena, const struct mask *mask, enum mask_style style,
                 enum language to, size_t bad, const char **ret)
{
    const char **texts = mask_texts(arena, mask);

    for (size_t i = 0; i < mask->texts; i++) {
        struct mask plain = mask_plain(arena, texts[i]);
        const char *answer = translated(arena, mask_render(arena, &plain, style), style, to);

        if (i == bad)
            answer = damaged(arena, answer);
        if (!codec_is_text(answer, strlen(answer)) ||
            mask_restore(arena, &plain, style, answer, &texts[i]) < 0)
            return false;
    }
    return mask_join(arena, mask, texts, ret) == 0;
}

/* Translates as a whole, and if that is refused, stretch by stretch. */
static void translate(struct tally *self, const char *name, const char *text, enum mask_style style,
                      enum language to)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct mask mask = mask_scan(arena, text);
    const char *answer = translated(arena, mask_render(arena, &mask, style), style, to), *result;

    if (mask_restore(arena, &mask, style, answer, &result) < 0 &&
        !join(arena, &mask, style, to, SIZE_MAX, &result))
        return;
    self->taken[to] += style == MASK_ELEMENT;
    add_result(self, name, languages[to], text, result, false);
}

static void damage(struct tally *self, const char *name, const char *text, enum mask_style style)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct mask mask = mask_scan(arena, text);
    const char *answer = translated(arena, mask_render(arena, &mask, style), style, SHIFTED);

    for (size_t i = 0; i < DAMAGES; i++) {
        const char *bad = damaged(arena, answer), *result;

        self->damages += 2;
        if (codec_is_text(bad, strlen(bad)) &&
            mask_restore(arena, &mask, style, bad, &result) == 0) {
            self->damages_taken++;
            add_result(self, name, "damaged", text, result, true);
        }
        if (join(arena, &mask, style, SHIFTED, (size_t)rand_r(&seed) % mask.texts, &result)) {
            self->damages_taken++;
            add_result(self, name, "damaged stretch", text, result, true);
        }
    }
}

static struct tally translate_inputs(const char *inputs)
{
    struct tally self = {.results = json_array()};
    json_t *all = json_loads(inputs, 0, NULL), *text;
    const char *name;

    json_object_foreach(all, name, text)
    {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct mask mask = mask_scan(arena, json_string_value(text));

        self.inputs++;
        self.translatable += mask.translatable;
        if (!mask.translatable)
            continue;
        for (enum mask_style style = MASK_SUPERBLANK; style <= MASK_ELEMENT; style++) {
            for (enum language to = 0; to < LANGUAGES; to++)
                translate(&self, name, json_string_value(text), style, to);
            damage(&self, name, json_string_value(text), style);
        }
    }
    json_decref(all);
    return self;
}

static void what_is_taken_has_the_structure_of_its_source(void)
{
    char path[160];
    size_t count = 0;
    struct tally tally;
    char *rest = NULL;

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return;
    PROGRAM inputs = program_run((const char *const[]){"/usr/bin/env", "node",
                                                       "tests/markup/markup.mjs", "inputs", NULL},
                                 NULL);
    CHECK_EXIT(inputs, 0);
    tally = translate_inputs(inputs->out);
    printf("%zu inputs, %zu to be translated; taken", tally.inputs, tally.translatable);
    for (size_t i = 0; i < LANGUAGES; i++)
        printf(" %zu", tally.taken[i]);
    printf(", damaged %zu of %zu\n", tally.damages_taken, tally.damages);
    UNIT_CHECK(tally.inputs > 7000 && tally.damages_taken > tally.damages / 10, "%zu, %zu",
               tally.inputs, tally.damages_taken);
    for (size_t i = 0; i < LANGUAGES; i++)
        UNIT_CHECK(100 * tally.taken[i] >= SHARE * tally.translatable, "%s: %zu of %zu",
                   languages[i], tally.taken[i], tally.translatable);

    snprintf(path, sizeof(path), "%s/results", dir.path);
    CU_ASSERT_FATAL(json_dump_file(tally.results, path, 0) == 0);
    json_decref(tally.results);
    PROGRAM judge =
        program_start((const char *const[]){"/usr/bin/env", "node", "tests/markup/markup.mjs",
                                            "judge", path, NULL},
                      NULL);
    UNIT_CHECK(program_wait_end(judge, JUDGE_MS) && judge->code == 0, "%s", judge->err);
    for (const char *line = strtok_r(judge->out, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (count++ < SHOWN_MAX)
            printf("%s\n", line);
    UNIT_CHECK(count == 0, "%zu of the structures changed", count);
}

static const struct unit_case cases[] = {
    CASE(what_is_taken_has_the_structure_of_its_source),
};

int main(void)
{
    const char *chosen = getenv("ATRIUM_MARKUP_SEED");
    int rc;

    if (chosen)
        seed = (unsigned)strtoul(chosen, NULL, 10);
    dir = unit_dir_make();
    rc = unit_run("botd markup", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return rc;
}
