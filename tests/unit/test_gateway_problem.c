/*
 * test_gateway_problem.c - the codes and params of a 422's problems.
 */
#include <string.h>

#include "common/wire/codec.h"
#include "common/wire/fields.h"
#include "gateway/http/problem.h"
#include "tests/support/unit.h"

struct item {
    int64_t n;
};
FIELD_DECLARE(item);
static const struct field item_rows[] = {FIELD_INT(struct item, n, 0, 9, 0, 0, "N.", "1")};
FIELD_TABLE(item);

struct body {
    const char *text, *wide, *choice, *email, *object;
    struct uuid id;
    int64_t number, at;
    bool flag;
    struct field_list items;
    struct field_texts filled;
};
FIELD_DECLARE(body);

static const char *const colors[] = {"red", "green", NULL};
static const struct field body_rows[] = {
    FIELD_TEXT(struct body, text, 2, 4, FIELD_REQUIRED, "Text.", "ab"),
    FIELD_TEXT(struct body, wide, 3, 4, 0, "Bytes.", "abc"),
    FIELD_CHOICE(struct body, choice, colors, 0, "Color.", "red"),
    FIELD_EMAIL(struct body, email, 0, "Address.", "ana@example.org"),
    FIELD_JSON_OBJECT(struct body, object, 8, 0, "Object.", "{}"),
    FIELD_UUID(struct body, id, 0, "ID."),
    FIELD_INT(struct body, number, 3, 7, 3, 0, "Number.", "4"),
    FIELD_TIME(struct body, at, 0, "Time."),
    FIELD_BOOL(struct body, flag, false, 0, "Flag."),
    FIELD_OBJECTS(struct body, items, item, 2, 0, "Items."),
    FIELD_TEXTS_FILLED(struct body, filled, 1, 4, 2, 0, "Some.", "word"),
};
FIELD_TABLE(body);

/* Returns what an answer says about a problem, without its path and message. */
static const char *answered(const struct error_item *item, struct arena *arena)
{
    json_t *json = problem_json(item, arena);
    const char *text;

    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(json, "path")), item->name);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(json, "message")), item->value);
    json_object_del(json, "path");
    json_object_del(json, "message");
    text = codec_dump_json(arena, json);
    json_decref(json);
    return text;
}

/* Each kind of check of a field table, made by that check. */
static void each_check_of_a_field_has_a_code(void)
{
    static const struct {
        const char *body, *want;
    } rows[] = {
        {"{}", "{\"code\":\"REQUIRED\"}"},
        {"{\"text\":1}", "{\"code\":\"WRONG_TYPE\",\"params\":{\"type\":\"string\"}}"},
        {"{\"text\":\"a\"}",
         "{\"code\":\"TOO_SHORT\",\"params\":{\"min\":2,\"unit\":\"character\"}}"},
        {"{\"text\":\"abcde\"}",
         "{\"code\":\"TOO_LONG\",\"params\":{\"max\":4,\"unit\":\"character\"}}"},
        {"{\"text\":\"ab\",\"wide\":\"\xc3\xa4\"}",
         "{\"code\":\"TOO_SHORT\",\"params\":{\"min\":3,\"unit\":\"byte\"}}"},
        {"{\"text\":\"ab\",\"wide\":\"\xc3\xa4\xc3\xa4\xc3\xa4\"}",
         "{\"code\":\"TOO_LONG\",\"params\":{\"max\":4,\"unit\":\"byte\"}}"},
        {"{\"text\":\"ab\",\"choice\":\"blue\"}",
         "{\"code\":\"UNKNOWN_VALUE\",\"params\":{\"allowed\":[\"red\",\"green\"]}}"},
        {"{\"text\":\"ab\",\"email\":\"ana\"}",
         "{\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"email\"}}"},
        {"{\"text\":\"ab\",\"id\":\"ana\"}",
         "{\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"uuid\"}}"},
        {"{\"text\":\"ab\",\"at\":\"soon\"}",
         "{\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"date-time\"}}"},
        {"{\"text\":\"ab\",\"object\":1}",
         "{\"code\":\"WRONG_TYPE\",\"params\":{\"type\":\"object\"}}"},
        {"{\"text\":\"ab\",\"object\":{\"a\":12345}}",
         "{\"code\":\"TOO_LONG\",\"params\":{\"max\":8,\"unit\":\"byte\"}}"},
        {"{\"text\":\"ab\",\"number\":\"4\"}",
         "{\"code\":\"WRONG_TYPE\",\"params\":{\"type\":\"integer\"}}"},
        {"{\"text\":\"ab\",\"number\":2}", "{\"code\":\"TOO_SMALL\",\"params\":{\"min\":3}}"},
        {"{\"text\":\"ab\",\"number\":8}", "{\"code\":\"TOO_LARGE\",\"params\":{\"max\":7}}"},
        {"{\"text\":\"ab\",\"flag\":1}",
         "{\"code\":\"WRONG_TYPE\",\"params\":{\"type\":\"boolean\"}}"},
        {"{\"text\":\"ab\",\"items\":1}",
         "{\"code\":\"WRONG_TYPE\",\"params\":{\"type\":\"array\"}}"},
        {"{\"text\":\"ab\",\"items\":[{},{},{}]}",
         "{\"code\":\"TOO_MANY\",\"params\":{\"max\":2}}"},
        {"{\"text\":\"ab\",\"filled\":[]}", "{\"code\":\"TOO_FEW\",\"params\":{\"min\":1}}"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct error err;
        struct body body;
        json_t *json;

        error_init(&err, arena);
        json = codec_parse_exact(rows[i].body, strlen(rows[i].body), false, &err);
        UNIT_REQUIRE(json != NULL, "%s", rows[i].body);
        UNIT_CHECK(fields_read(&body_table, &(struct field_source){.body = json}, arena, &body,
                               &err) < 0,
                   "%s", rows[i].body);
        json_decref(json);
        UNIT_REQUIRE(err.problems && !err.problems->next, "%s", rows[i].body);
        UNIT_CHECK(strcmp(answered(err.problems, arena), rows[i].want) == 0, "%s: %s", rows[i].body,
                   answered(err.problems, arena));
    }
}

/* A file's string literals and comments, with each literal in one piece. */
static char *source_of(const char *path)
{
    char *source = unit_read_file(path), *to = source;

    for (const char *from = source; from && *from != '\0';) {
        size_t gap = *from == '"' ? 1 + strspn(from + 1, " \n") : 0;

        if (gap > 1 && from[gap] == '"')
            from += gap + 1;
        else
            *to++ = *from++;
    }
    if (to)
        *to = '\0';
    return source;
}

/* Checks that the daemon's source has the text, up to its first value. */
static void check_source(const char *path, const char *text)
{
    char *source = source_of(path), head[64];

    snprintf(head, sizeof(head), "%.*s", (int)strcspn(text, "0123456789{"), text);
    UNIT_CHECK(source && strstr(source, head), "%s has another text than \"%s\"", path, head);
    free(source);
}

static void each_check_of_a_daemon_has_a_code(void)
{
    static const struct {
        const char *source, *text, *want;
    } rows[] = {
        {"authd/member/member.c",
         "is required, because the project has no default policy for this role",
         "{\"code\":\"REQUIRED\"}"},
        {"common/domain/name.c", "must contain a visible character", "{\"code\":\"REQUIRED\"}"},
        {NULL, "must be one of read search",
         "{\"code\":\"UNKNOWN_VALUE\",\"params\":{\"allowed\":[\"read\",\"search\"]}}"},
        {"settingsd/access_policy_check.c", "must be an array of at most 500 rules",
         "{\"code\":\"TOO_MANY\",\"params\":{\"max\":500}}"},
        {"settingsd/access_policy_check.c", "must be true or false",
         "{\"code\":\"WRONG_TYPE\",\"params\":{\"type\":\"boolean\"}}"},
        {"settingsd/locale.c", "must be one of the languages", "{\"code\":\"UNKNOWN_VALUE\"}"},
        {"settingsd/locale.c", "must not appear twice", "{\"code\":\"DUPLICATE\"}"},
        {"settingsd/locale.c", "must be a language tag such as en or pt-BR",
         "{\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"language-tag\"}}"},
        {"settingsd/branding.c", "must be a language of the project",
         "{\"code\":\"UNKNOWN_VALUE\"}"},
        {"settingsd/branding.c", "must have at most 1048576 bytes",
         "{\"code\":\"TOO_LONG\",\"params\":{\"max\":1048576,\"unit\":\"byte\"}}"},
        {"settingsd/color.c", "must be a color such as #0b5cad",
         "{\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"color\"}}"},
        {"settingsd/color.c",
         "must have a contrast of at least 4.5:1 on #ffffff and #f6f7f7, not 2.31:1",
         "{\"code\":\"LOW_CONTRAST\"}"},
        {"settingsd/settings.c", "must name an access policy of this project",
         "{\"code\":\"UNKNOWN_VALUE\"}"},
        {"settingsd/client_check.c", "is only allowed with authMethod private_key_jwt",
         "{\"code\":\"NOT_ALLOWED\"}"},
        {"settingsd/client_check.c", "must be absent if jwks is present",
         "{\"code\":\"NOT_ALLOWED\"}"},
        {"settingsd/client_check.c", "refresh_token needs authorization_code or the device grant",
         "{\"code\":\"INVALID\"}"},
        {"common/domain/uri.c", "must be an absolute https URL without user and fragment",
         "{\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"https-url\"}}"},
        {"common/domain/uri.c", "must be an absolute http or https URL",
         "{\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"url\"}}"},
        {"common/domain/uri.c",
         "must be https, http on 127.0.0.1 or [::1], or a scheme with a dot, no fragment",
         "{\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"redirect-uri\"}}"},
        {"authd/member/api_key.c", "must be an IP network such as 192.0.2.0/24",
         "{\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"ip-network\"}}"},
        {"authd/credential/password_rule.c", "must have at least 12 characters",
         "{\"code\":\"TOO_SHORT\",\"params\":{\"min\":12,\"unit\":\"character\"}}"},
        {"authd/credential/password_rule.c", "is one of the passwords that are tried first",
         "{\"code\":\"COMMON_PASSWORD\"}"},
        {"authd/credential/password_rule.c",
         "must not be a name, an e-mail address or a tenant code",
         "{\"code\":\"PERSONAL_PASSWORD\"}"},
        {"botd/bot/bot.c", "must have at least one entry", "{\"code\":\"TOO_FEW\"}"},
        {"docd/cms_api.c", "must contain only lower-case letters, digits and hyphens",
         "{\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"slug\"}}"},
        {"docd/image/image.c", "needs a JPEG, PNG, WebP, GIF, HEIF or AVIF image",
         "{\"code\":\"INVALID_IMAGE\"}"},
        {"docd/image/image.c", "needs an image of at most 50 megapixels",
         "{\"code\":\"IMAGE_TOO_LARGE\",\"params\":{\"max\":50}}"},
        {"maild/render.c",
         "must not contain {{user.age}}: this template doesn't have that variable",
         "{\"code\":\"UNKNOWN_VARIABLE\",\"params\":{\"variable\":\"user.age\"}}"},
        {"maild/render.c", "must not contain {{ without }}", "{\"code\":\"UNCLOSED_VARIABLE\"}"},
        {"maild/template.c", "must not contain a link with a secret",
         "{\"code\":\"SECRET_IN_SUBJECT\"}"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const struct error_item item = {.name = "at", .value = rows[i].text};

        UNIT_CHECK(strcmp(answered(&item, arena), rows[i].want) == 0, "%s: %s", rows[i].text,
                   answered(&item, arena));
        if (rows[i].source)
            check_source(rows[i].source, rows[i].text);
    }
}

static void an_unusual_text_has_no_params(void)
{
    static const char *const texts[] = {
        "",
        "must be",
        "must be at most",
        "must be at most ",
        "must be at most 8x",
        "must be at most 8 miles",
        "is",
        "%d",
        "*",
    };

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const struct error_item item = {.name = "at", .value = texts[i]};

        UNIT_CHECK(strcmp(answered(&item, arena), "{\"code\":\"INVALID\"}") == 0, "\"%s\": %s",
                   texts[i], answered(&item, arena));
    }
}

static void the_documentation_has_each_code(void)
{
    char *page = unit_read_file("docs/errors.md");

    for (size_t i = 0; problem_code(i); i++) {
        char line[64];

        snprintf(line, sizeof(line), "\n- `%s`", problem_code(i));
        UNIT_CHECK(page && strstr(page, line), "docs/errors.md has no line for %s",
                   problem_code(i));
    }
    free(page);
}

static const struct unit_case cases[] = {
    CASE(each_check_of_a_field_has_a_code),
    CASE(each_check_of_a_daemon_has_a_code),
    CASE(an_unusual_text_has_no_params),
    CASE(the_documentation_has_each_code),
};

int main(void)
{
    return unit_run("gateway_problem", cases, ARRAY_SIZE(cases));
}
