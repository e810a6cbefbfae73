/*
 * test_console.c - the console: its files, and its screens in Chromium (tests/console/console.mjs)
 * and Firefox (tests/console/firefox.mjs). Browser cases need these browsers and `make npm`.
 *
 * tier: browser
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { BROWSER_MS = 900000 };

static struct suite *suite;
static struct unit_dir dir;

static const struct unit_need needs[] = {
    {"/usr/bin/chromium", NULL},
    {"build/npm/installed/console", "npm"},
    {NULL, NULL},
};
static const struct unit_need firefox_needs[] = {
    {"/usr/bin/firefox-esr", NULL},
    {"build/npm/installed/console", "npm"},
    {NULL, NULL},
};

static struct http_answer *ask(const char *method, const char *path, const char *header)
{
    return http_call(suite_url(suite), &(struct http_request){.method = method,
                                                              .path = path,
                                                              .headers = {header, NULL}});
}

static bool header_has(const struct http_answer *answer, const char *name, const char *text)
{
    char *value = http_header(answer, name);
    bool has = text ? value && strstr(value, text) : !value;

    free(value);
    return has;
}

static void script_path(char path[static 128])
{
    HTTP_ANSWER page = http_get(suite_url(suite), "/console/", NULL);
    const char *at = page->body ? strstr(page->body, "/console/assets/app-") : NULL;

    snprintf(path, 128, "%.*s", at ? (int)strcspn(at, "\"") : 0, at ? at : "");
}

static void every_address_is_the_document(void)
{
    static const char *const paths[] = {
        "/console",
        "/console/",
        "/console/people",
        "/console/people/a%20b?search=x",
        "/console/a/b/c/d/e/f/g",
        "/console/%2e%2e/%2e%2e/etc/passwd",
        "/console/../../etc/passwd",
    };

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        HTTP_ANSWER page = http_get(suite_url(suite), paths[i], NULL);

        UNIT_CHECK(page->status == 200, "%s: %d", paths[i], page->status);
        CU_ASSERT_TRUE(header_has(page, "Content-Type", "text/html; charset=utf-8"));
        CU_ASSERT_TRUE(header_has(page, "Cache-Control", "no-cache"));
        CU_ASSERT_PTR_NOT_NULL(strstr(page->body, "<div id=\"app\">"));
    }
}

static void the_document_can_be_framed_and_scripted_by_no_other_page(void)
{
    HTTP_ANSWER page = http_get(suite_url(suite), "/console/", NULL);

    CU_ASSERT_TRUE(header_has(page, "Content-Security-Policy", "script-src 'sha256-"));
    CU_ASSERT_TRUE(header_has(page, "Content-Security-Policy", "connect-src 'self';"));
    CU_ASSERT_TRUE(header_has(page, "Content-Security-Policy", "frame-src 'self' blob:;"));
    CU_ASSERT_TRUE(header_has(page, "Content-Security-Policy", "frame-ancestors 'none'"));
    CU_ASSERT_TRUE(header_has(page, "Content-Security-Policy", "require-trusted-types-for"));
    CU_ASSERT_TRUE(header_has(page, "X-Frame-Options", "DENY"));
    CU_ASSERT_TRUE(header_has(page, "X-Content-Type-Options", "nosniff"));
    CU_ASSERT_TRUE(header_has(page, "Referrer-Policy", "no-referrer"));
    CU_ASSERT_TRUE(header_has(page, "Cross-Origin-Opener-Policy", "same-origin"));
    CU_ASSERT_TRUE(header_has(page, "Access-Control-Allow-Origin", NULL));
    CU_ASSERT_TRUE(header_has(page, "Set-Cookie", NULL));
}

static void an_asset_is_kept_for_ever_and_an_unknown_one_is_not_there(void)
{
    char path[128];

    script_path(path);
    HTTP_ANSWER script = http_get(suite_url(suite), path, NULL);
    HTTP_ANSWER unknown = http_get(suite_url(suite), "/console/assets/app-0.js", NULL);

    CHECK_STATUS(script, 200);
    CU_ASSERT_TRUE(header_has(script, "Content-Type", "text/javascript"));
    CU_ASSERT_TRUE(header_has(script, "Cache-Control", "public, max-age=31536000, immutable"));
    CHECK_ERROR(unknown, 404, "File not found.");
    CU_ASSERT_TRUE(header_has(unknown, "Cache-Control", "no-store"));
}

static void the_coding_is_what_the_client_takes(void)
{
    static const struct {
        const char *accept, *encoding;
    } rows[] = {
        {"Accept-Encoding: gzip, deflate, br, zstd", "br"},
        {"Accept-Encoding: gzip", "gzip"},
        {"Accept-Encoding: br;q=0, gzip", "gzip"},
        {"Accept-Encoding: identity", NULL},
        {"Accept-Encoding: brx", NULL},
    };
    char path[128];
    size_t plain = 0;

    script_path(path);
    for (size_t i = ARRAY_SIZE(rows); i-- > 0;) {
        HTTP_ANSWER answer = ask("GET", path, rows[i].accept);

        CHECK_STATUS(answer, 200);
        UNIT_CHECK(header_has(answer, "Content-Encoding", rows[i].encoding), "row %zu", i);
        CU_ASSERT_TRUE(header_has(answer, "Vary", "Accept-Encoding"));
        plain = MAX(plain, answer->size);
        UNIT_CHECK(!rows[i].encoding || answer->size < plain / 2, "row %zu: %zu", i, answer->size);
    }
}

static void a_known_document_is_not_sent_again(void)
{
    HTTP_ANSWER first = http_get(suite_url(suite), "/console/", NULL);
    char *etag = http_header(first, "ETag"), header[96];

    snprintf(header, sizeof(header), "If-None-Match: %s", etag);
    HTTP_ANSWER again = ask("GET", "/console/people", header);
    HTTP_ANSWER other = ask("GET", "/console/", "If-None-Match: W/\"0\"");
    HTTP_ANSWER head = ask("HEAD", "/console/", NULL);

    CHECK_STATUS(again, 304);
    CU_ASSERT_EQUAL(again->size, 0);
    CU_ASSERT_TRUE(header_has(again, "Content-Security-Policy", "script-src"));
    CHECK_STATUS(other, 200);
    CHECK_STATUS(head, 200);
    CU_ASSERT_EQUAL(head->size, 0);
    CU_ASSERT_TRUE(header_has(head, "ETag", etag));
    free(etag);
}

static void other_methods_are_refused(void)
{
    HTTP_ANSWER post = ask("POST", "/console/people", NULL);
    HTTP_ANSWER bad = http_get(suite_url(suite), "/console/%2Fetc", NULL);

    CHECK_ERROR(post, 405, "Method not allowed.");
    CU_ASSERT_TRUE(header_has(post, "Allow", "GET, HEAD"));
    CHECK_STATUS(bad, 400);
}

/* Prints the script's figures, which are indented, and its failed steps. */
static void print_figures(const char *out)
{
    while (*out) {
        size_t length = strcspn(out, "\n");

        if (*out == ' ' || strncmp(out, "FAILED", 6) == 0)
            printf("\n%.*s", (int)length, out);
        out += length + (out[length] == '\n');
    }
}

static void run_script(const struct unit_need *script_needs, const char *script, const char *part)
{
    const char *const argv[] = {"/usr/bin/env", "node", script, suite_dir(suite), part, NULL};

    if (!unit_has(script_needs, "ATRIUM_REQUIRE_ALL"))
        return;
    PROGRAM browser = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(browser, BROWSER_MS));
    CHECK_EXIT(browser, 0);
    print_figures(browser->out);
}

static void run_browser(const char *part)
{
    run_script(needs, "tests/console/console.mjs", part);
}

static void each_screen_does_its_main_job_by_keyboard(void)
{
    run_browser("jobs");
}

static void each_screen_is_accessible_in_both_colour_schemes(void)
{
    run_browser("axe");
}

static void what_goes_wrong_is_shown_and_loses_nothing(void)
{
    run_browser("trouble");
}

static void an_admin_does_twelve_jobs_in_firefox(void)
{
    run_script(firefox_needs, "tests/console/firefox.mjs", NULL);
}

static const struct unit_case cases[] = {
    CASE(every_address_is_the_document),
    CASE(the_document_can_be_framed_and_scripted_by_no_other_page),
    CASE(an_asset_is_kept_for_ever_and_an_unknown_one_is_not_there),
    CASE(the_coding_is_what_the_client_takes),
    CASE(a_known_document_is_not_sent_again),
    CASE(other_methods_are_refused),
    CASE(each_screen_does_its_main_job_by_keyboard),
    CASE(each_screen_is_accessible_in_both_colour_schemes),
    CASE(what_goes_wrong_is_shown_and_loses_nothing),
    CASE(an_admin_does_twelve_jobs_in_firefox),
};

int main(void)
{
    int result;

    dir = unit_dir_make();
    suite = suite_start(&(struct suite_options){.test_clock = true});
    setenv("TMPDIR", dir.path, 1); /* for Chromium's profile */
    result = unit_run("console", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
