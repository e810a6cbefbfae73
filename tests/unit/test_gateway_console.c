/*
 * test_gateway_console.c - the built console's files: look-up, policies, and size of the first
 * load.
 */
#include <stdio.h>
#include <string.h>

#include "common/domain/uri.h"
#include "gateway/endpoint/console.h"
#include "tests/support/unit.h"

enum { FIRST_LOAD_MAX = 70 * 1024 };

static const struct console_file *file_of(enum console_kind kind)
{
    for (size_t i = 0; i < console_file_count; i++)
        if (console_files[i].kind == kind)
            return &console_files[i];
    return NULL;
}

static const struct console_file *asset(const char *name)
{
    for (size_t i = 0; i < console_file_count; i++)
        if (strncmp(console_files[i].name, "assets/", 7) == 0 &&
            strncmp(console_files[i].name + 7, name, strlen(name)) == 0)
            return &console_files[i];
    return NULL;
}

static bool is_script(const struct console_file *file)
{
    return strstr(file->name, ".js") != NULL;
}

static void an_address_without_a_file_is_the_document(void)
{
    static const struct {
        const char *name;
        enum console_kind kind;
    } rows[] = {
        {"", CONSOLE_DOCUMENT},
        {"people", CONSOLE_DOCUMENT},
        {"people/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", CONSOLE_DOCUMENT},
        {"..", CONSOLE_DOCUMENT},
        {"../etc/passwd", CONSOLE_DOCUMENT},
        {"preview.html", CONSOLE_PREVIEW},
        {"preview.html/", CONSOLE_DOCUMENT},
        {"index.html", CONSOLE_DOCUMENT},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct console_file *file = console_find(rows[i].name);

        UNIT_CHECK(file && file->kind == rows[i].kind, "row %zu", i);
    }
    CU_ASSERT_PTR_EQUAL(console_find(asset("app-")->name), asset("app-"));
}

/* An old document that requests its own script must not get HTML. */
static void an_unknown_asset_is_no_document(void)
{
    CU_ASSERT_PTR_NULL(console_find("assets/"));
    CU_ASSERT_PTR_NULL(console_find("assets/app-0000000000000000.js"));
    CU_ASSERT_PTR_NULL(console_find("assets/../preview.html"));
}

static void the_policy_admits_the_scripts_and_the_styles_by_hash(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *policy = console_policy(file_of(CONSOLE_DOCUMENT), "", arena);
    const char *wider = console_policy(file_of(CONSOLE_DOCUMENT), "https://s3.example.org", arena);

    CU_ASSERT_PTR_NOT_NULL(strstr(policy, arena_printf(arena, "script-src %s;", console_scripts)));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, arena_printf(arena, "style-src %s;", console_styles)));
    CU_ASSERT_EQUAL(strncmp(console_styles, "'sha256-", 8), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "default-src 'none';"));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "frame-ancestors 'none'"));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "require-trusted-types-for 'script'"));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "connect-src 'self';"));
    CU_ASSERT_PTR_NOT_NULL(strstr(wider, "connect-src 'self' https://s3.example.org;"));
    CU_ASSERT_PTR_NULL(strstr(policy, "unsafe"));
}

static void the_reference_admits_its_own_scripts_alone(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *policy =
        console_policy(file_of(CONSOLE_REFERENCE), "https://s3.example.org", arena);

    CU_ASSERT_PTR_NOT_NULL(
        strstr(policy, arena_printf(arena, "script-src %s;", reference_scripts)));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, arena_printf(arena, "style-src %s;", reference_styles)));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "connect-src 'self';"));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "frame-ancestors 'none'"));
    CU_ASSERT_PTR_NULL(strstr(policy, "unsafe"));
    CU_ASSERT_EQUAL(console_find("reference")->kind, CONSOLE_DOCUMENT);
}
static void the_document_has_the_scripts_of_the_policy(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct console_bytes *document = &file_of(CONSOLE_DOCUMENT)->plain;
    const struct console_bytes *reference = &file_of(CONSOLE_REFERENCE)->plain;
    const char *text = arena_strndup(arena, document->bytes, document->size);
    const char *other = arena_strndup(arena, reference->bytes, reference->size);
    size_t scripts = 0;

    for (size_t i = 0; i < console_file_count; i++) {
        const struct console_file *file = &console_files[i];
        const char *named = arena_printf(arena, "src=\"/console/%s\" integrity=\"", file->name);
        const char *at = strstr(text, named);
        const char *admitted = at ? console_scripts : reference_scripts;

        if (!is_script(file))
            continue;
        scripts++;
        at = at ? at : strstr(other, named);
        UNIT_CHECK(at != NULL, "%s is not in the document", file->name);
        if (!at)
            continue;
        at += strlen(named);
        at = arena_printf(arena, "'%.*s'", (int)strcspn(at, "\""), at);
        UNIT_CHECK(strstr(admitted, at) != NULL, "%s: %s", file->name, at);
    }
    CU_ASSERT_TRUE(scripts > 10);
    CU_ASSERT_PTR_NULL(strstr(text, "@MODULES@"));
    CU_ASSERT_PTR_NULL(strstr(text, "@STYLE@"));
    CU_ASSERT_PTR_NULL(strchr(strstr(other, "<main"), '@'));
}

static void the_preview_runs_nothing_and_loads_nothing(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *policy = console_policy(file_of(CONSOLE_PREVIEW), "https://s3.example.org", arena);

    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "default-src 'none'"));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "img-src data:;"));
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "frame-ancestors 'self'"));
    CU_ASSERT_PTR_NULL(strstr(policy, "script"));
    CU_ASSERT_PTR_NULL(strstr(policy, "http"));
}

static void an_origin_cannot_add_to_the_policy(void)
{
    static const struct {
        const char *text;
        bool good;
    } rows[] = {
        {"https://s3.example.org", true},
        {"http://127.0.0.1:9000", true},
        {"https://[2001:db8::1]:443", true},
        {"https://", false},
        {"s3.example.org", false},
        {"https://s3.example.org/path", false},
        {"https://s3.example.org; script-src *", false},
        {"https://s3.example.org *", false},
        {"https://*", false},
        {"https://'unsafe-inline'", false},
        {"javascript:", false},
        {"", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(uri_is_origin(rows[i].text) == rows[i].good, "row %zu", i);
}

/* The German overview: document, application, screen, texts. */
static void the_first_load_is_small(void)
{
    const struct console_file *const files[] = {file_of(CONSOLE_DOCUMENT), asset("app-"),
                                                asset("overview-"), asset("de-")};
    size_t gzip = 0, brotli = 0;

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        gzip += files[i]->gzip.size;
        brotli += files[i]->brotli.size;
    }
    UNIT_CHECK(gzip <= FIRST_LOAD_MAX, "%zu bytes by gzip", gzip);
    CU_ASSERT_TRUE(brotli < gzip);
    printf("console: first load %zu bytes by gzip, %zu by brotli\n", gzip, brotli);
}

static void each_screen_is_a_file_of_its_own(void)
{
    static const struct {
        const char *words, *name;
    } rows[] = {
        {"Can this person sign in?", "person-"},
        {"How this works", "audit-"},
        {"No email failed in the last 30 days.", "overview-"},
        {"Email preview", "templates-"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (size_t j = 0; j < console_file_count; j++) {
            const struct console_file *file = &console_files[j];
            bool has =
                is_script(file) &&
                strstr(arena_strndup(arena, file->plain.bytes, file->plain.size), rows[i].words);
            bool is_language = asset("de-") == file || asset("es-") == file;

            UNIT_CHECK(has == (file == asset(rows[i].name)) || is_language, "row %zu in %s", i,
                       file->name);
        }
}

static const struct unit_case cases[] = {
    CASE(an_address_without_a_file_is_the_document),
    CASE(an_unknown_asset_is_no_document),
    CASE(the_policy_admits_the_scripts_and_the_styles_by_hash),
    CASE(the_reference_admits_its_own_scripts_alone),
    CASE(the_document_has_the_scripts_of_the_policy),
    CASE(the_preview_runs_nothing_and_loads_nothing),
    CASE(an_origin_cannot_add_to_the_policy),
    CASE(the_first_load_is_small),
    CASE(each_screen_is_a_file_of_its_own),
};

int main(void)
{
    return unit_run("gateway console", cases, ARRAY_SIZE(cases));
}
