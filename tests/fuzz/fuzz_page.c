/*
 * fuzz_page.c - a value in each context of a page: an HTML parser finds the same elements as with a
 * harmless value, and the value in its place. Input: the value.
 */
#include <gumbo.h>
#include <string.h>
#include <strings.h>
#include <unistr.h>

#include "common/wire/codec.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/page_kit/pages.h"

enum { SHAPE_MAX = 4096 };

struct found {
    char shape[SHAPE_MAX];
    size_t length;
    char *text, *value, *json, *href, *action;
    struct arena *arena;
};

static void found_add(struct found *found, const char *name)
{
    size_t length = strlen(name);

    FUZZ_REQUIRE(found->length + length + 1 < SHAPE_MAX);
    memcpy(found->shape + found->length, name, length);
    found->length += length;
    found->shape[found->length++] = ' ';
}

static char *attribute(struct arena *arena, const GumboElement *element, const char *name)
{
    GumboAttribute *found = gumbo_get_attribute(&element->attributes, name);

    return found ? arena_strdup(arena, found->value) : NULL;
}

static char *own_text(struct arena *arena, const GumboElement *element)
{
    char *text = arena_strdup(arena, "");

    for (unsigned i = 0; i < element->children.length; i++) {
        const GumboNode *child = element->children.data[i];

        if (child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_WHITESPACE)
            text = arena_printf(arena, "%s%s", text, child->v.text.text);
    }
    return text;
}

static void look(struct found *found, const GumboNode *node)
{
    const GumboElement *element = &node->v.element;

    FUZZ_REQUIRE(node->type != GUMBO_NODE_COMMENT && node->type != GUMBO_NODE_CDATA);
    if (node->type != GUMBO_NODE_ELEMENT)
        return;
    found_add(found, gumbo_normalized_tagname(element->tag));
    for (unsigned i = 0; i < element->attributes.length; i++)
        found_add(found, ((const GumboAttribute *)element->attributes.data[i])->name);
    if (element->tag == GUMBO_TAG_LI)
        found->text = own_text(found->arena, element);
    if (element->tag == GUMBO_TAG_INPUT)
        found->value = attribute(found->arena, element, "value");
    if (element->tag == GUMBO_TAG_SCRIPT)
        found->json = own_text(found->arena, element);
    if (element->tag == GUMBO_TAG_A)
        found->href = attribute(found->arena, element, "href");
    if (element->tag == GUMBO_TAG_FORM)
        found->action = attribute(found->arena, element, "action");
    for (unsigned i = 0; i < element->children.length; i++)
        look(found, element->children.data[i]);
}

static void render_and_look(struct arena *arena, const char *value, struct found *found)
{
    const struct kit_every_row row = {.label = value, .current = true};
    struct page page;
    GumboOutput *output;

    page_init(&page, arena, PAGE_DE);
    kit_every(
        &page,
        &(struct kit_every_in){
            .name = value, .url = value, .id = value, .query = value, .row = &row, .row_count = 1});
    FUZZ_REQUIRE(page.length == strlen(page.text) && codec_is_text(page.text, page.length));
    *found = (struct found){.arena = arena};
    output = gumbo_parse_with_options(&kGumboDefaultOptions, page.text, page.length);
    look(found, output->root);
    gumbo_destroy_output(&kGumboDefaultOptions, output);
}

/* Checks for URLs of this host or of a scheme that runs nothing, in any case. */
static void check_addresses(const struct found *found)
{
    const char *href = found->href, *action = found->action;

    FUZZ_REQUIRE(strncmp(href, "/t/", 3) == 0 && !strpbrk(href, " \"'<>\\\n\t"));
    FUZZ_REQUIRE(href[3] != '/' && href[3] != '.' ? true : href[3] == '.' && href[4] != '/');
    FUZZ_REQUIRE(strncmp(strchr(href + 3, '/'), "/sign-in?hint=", 14) == 0);
    FUZZ_REQUIRE(strcmp(action, "#") == 0 || strncasecmp(action, "https://", 8) == 0 ||
                 strncasecmp(action, "http://", 7) == 0 ||
                 (action[0] == '/' && action[1] != '/' && action[1] != '\\'));
    FUZZ_REQUIRE(!strpbrk(action, " \"<>\\\n\t"));
}

/* Returns the value with U+FFFD for characters that HTML forbids. */
static const char *as_written(struct arena *arena, const char *value)
{
    const uint8_t *at = (const uint8_t *)value;
    char *text = arena_alloc_raw(arena, 3 * strlen(value) + 1), *end = text;
    ucs4_t code;

    for (int length; (length = u8_strmbtouc(&code, at)) > 0; at += length) {
        bool is_control = code < 0x20 ? code != '\t' && code != '\n' : code >= 0x7F && code < 0xA0;
        bool is_noncharacter = (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE;

        end += u8_uctomb((uint8_t *)end, is_control || is_noncharacter ? 0xFFFD : code, 4);
    }
    *end = '\0';
    return text;
}

int fuzz_page(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *value = fuzz_text(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct found plain, found;
    struct error err;
    json_t *json;

    render_and_look(arena, "x", &plain);
    render_and_look(arena, value, &found);
    FUZZ_REQUIRE(found.length == plain.length &&
                 memcmp(found.shape, plain.shape, plain.length) == 0);
    check_addresses(&found);
    error_init(&err, arena);
    json = codec_parse_json(found.json, strlen(found.json), true, &err);
    FUZZ_REQUIRE(json != NULL);
    if (codec_is_text(value, strlen(value))) {
        const char *expected = as_written(arena, value);

        FUZZ_REQUIRE(strcmp(found.value, expected) == 0);
        FUZZ_REQUIRE(strcmp(found.text, expected) == 0);
        FUZZ_REQUIRE(strcmp(json_string_value(json_object_get(json, "name")), expected) == 0);
    }
    json_decref(json);
    return 0;
}
