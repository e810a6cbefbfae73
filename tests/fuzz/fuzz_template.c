/*
 * fuzz_template.c - mail templates: checked when stored, including their HTML, filled when sent.
 * Input: a line with the template's name, then its text.
 */
#include <string.h>

#include "common/wire/codec.h"
#include "maild/render.h"
#include "maild/template_html.h"
#include "tests/fuzz/fuzz.h"

static const char special[] = "<>\"'&";

/* Makes each variable's value its own placeholder, so that a filled text does not change. */
static json_t *own_names(struct arena *arena, const struct template_name *name)
{
    json_t *values = template_name_samples(name), *value;
    const char *key;

    json_object_foreach(values, key, value)
        json_object_set_new(values, key, json_string(arena_printf(arena, "{{%s}}", key)));
    return values;
}

static json_t *special_values(const struct template_name *name)
{
    json_t *values = template_name_samples(name), *value;
    const char *key;

    json_object_foreach(values, key, value) json_object_set_new(values, key, json_string(special));
    return values;
}

static size_t occurrences(const char *text, char c)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == c;
    return count;
}

static void check_html(struct arena *arena, const char *text)
{
    const char *why = template_html_check(arena, text);

    FUZZ_REQUIRE(!why || (*why != '\0' && codec_is_text(why, strlen(why))));
    FUZZ_REQUIRE(!why || strstr(text, "Url"));
}

static void check_rendered(struct arena *arena, const struct template_name *name, const char *text)
{
    json_t *own = own_names(arena, name), *values = special_values(name);
    const char *once = render(arena, text, own, RENDER_TEXT);
    const char *twice = render(arena, once, own, RENDER_TEXT);
    const char *html = render(arena, text, values, RENDER_HTML);
    struct error err;

    error_init(&err, arena);
    FUZZ_REQUIRE(strcmp(once, twice) == 0);
    FUZZ_REQUIRE(render_check(name, "text", once, &err) == 0);
    /* Values have no meaning in HTML; special characters come from the template. */
    FUZZ_REQUIRE(codec_is_text(html, strlen(html)));
    for (const char *c = special; *c && *c != '&'; c++)
        FUZZ_REQUIRE(occurrences(html, *c) == occurrences(text, *c));
    json_decref(own);
    json_decref(values);
}

int fuzz_template(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *line = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *text = fuzz_text(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct template_name *name = template_name_find(line);
    struct error err;

    if (!name)
        name = template_name_find("PATIENT_WELCOME");
    if (!codec_is_text(text, strlen(text)))
        return 0;
    error_init(&err, arena);
    if (render_check(name, "text", text, &err) < 0)
        fuzz_require_error(&err);
    else
        check_rendered(arena, name, text);
    if (err.code == ERR_NONE)
        check_html(arena, text);
    return 0;
}
