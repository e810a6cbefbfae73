/*
 * test_branding.c - the look of a tenant's pages: only its admin writes it, the next page shows it,
 * and it can only be text, two colors and a re-encoded image.
 */
#include <CUnit/CUnit.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/browser.h"
#include "tests/support/document.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define BRANDING "/v1/project/branding"
#define LOGO BRANDING "/logo"

static struct suite *suite;

static struct http_answer *put_raw(const struct person *admin, const char *json, const char *header)
{
    return http_call(suite_url(suite), &(struct http_request){.method = "PUT",
                                                              .path = BRANDING,
                                                              .bearer = admin->access,
                                                              .raw = json,
                                                              .headers = {header}});
}

static struct http_answer *put_picture(const struct person *admin, const void *bytes, size_t size)
{
    size_t room = sodium_base64_encoded_len(size, sodium_base64_VARIANT_ORIGINAL);
    char *text = malloc(room);
    struct http_answer *answer;

    sodium_bin2base64(text, room, bytes, size, sodium_base64_VARIANT_ORIGINAL);
    answer = http_call(suite_url(suite),
                       &(struct http_request){.method = "PUT",
                                              .path = LOGO,
                                              .bearer = admin->access,
                                              .body = json_pack("{s:s}", "image", text)});
    free(text);
    return answer;
}

static bool header_is(const struct http_answer *answer, const char *name, const char *value)
{
    char *text = http_header(answer, name);
    bool is = text && strstr(text, value);

    free(text);
    return is;
}

/* Gets "brand.css" or "brand.png" of a tenant; version NULL: none in the URL. */
static struct http_answer *get_file(const char *code, const char *name, const char *version)
{
    char path[256];

    snprintf(path, sizeof(path), "/t/%s/%s%s%s", code, name, version ? "?v=" : "",
             version ? version : "");
    return http_get(suite_url(suite), path, NULL);
}

static const char whole[] =
    "{\"name\":\"Seeblick\",\"colorLight\":\"#7a1f5c\",\"colorDark\":\"#f2a7d8\","
    "\"imprintUrl\":\"https://seeblick.example/imprint\","
    "\"privacyUrl\":\"https://seeblick.example/privacy\","
    "\"texts\":[{\"language\":\"EN\",\"intro\":\"Welcome to the clinic.\","
    "\"help\":\"Call 555 0100.\"}]}";

static void branding_is_drawn_from_the_next_page_on(void)
{
    PERSON admin = person_admin_of_child(suite, "brand-drawn");
    HTTP_ANSWER none = http_get(suite_url(suite), BRANDING, admin->access);
    HTTP_ANSWER written = put_raw(admin, whole, NULL);
    const char *style = http_text(written, "style");
    BROWSER browser = browser_open(suite);
    char source[512];

    CHECK_STATUS(none, 200);
    CU_ASSERT_TRUE(json_is_null(http_member(none, "colorLight")));
    CHECK_STATUS(written, 200);
    CU_ASSERT_STRING_EQUAL(http_text(written, "texts.0.language"), "en");
    for (int i = 0; i < 6; i++) {
        CU_ASSERT_EQUAL(browser_get(browser, "/t/brand-drawn/sign-in"), 200);
        CU_ASSERT_TRUE(browser_sees(browser, "<p class=\"tenant\"><bdi>Seeblick</bdi></p>"));
        CU_ASSERT_TRUE(browser_sees(browser, "<p class=\"lead\">Welcome to the clinic.</p>"));
        CU_ASSERT_TRUE(browser_sees(browser, "Call 555 0100."));
    }
    CU_ASSERT_TRUE(browser_sees(browser, "<a href=\"https://seeblick.example/imprint\">"));
    CU_ASSERT_TRUE(browser_sees(browser, "<a href=\"https://seeblick.example/privacy\">"));
    CU_ASSERT_TRUE(browser_sees(browser, "<bdi>brand-drawn</bdi>"));
    CU_ASSERT_TRUE(browser_sees(browser, strstr(browser->origin, "://") + 3));
    /* the CSP names the file instead of 'self' */
    snprintf(source, sizeof(source), "' %s/t/brand-drawn/brand.css; form-action 'self';",
             browser->origin);
    CU_ASSERT_TRUE(header_is(browser->page, "Content-Security-Policy", source));
    CU_ASSERT_FALSE(header_is(browser->page, "Content-Security-Policy", "unsafe"));
    CU_ASSERT_FALSE(header_is(browser->page, "Content-Security-Policy", "img-src"));
    /* a page without custom texts has the frame */
    CU_ASSERT_EQUAL(browser_get(browser, "/t/brand-drawn/reset-password"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Call 555 0100."));
    CU_ASSERT_TRUE(browser_sees(browser, "brand.css?v="));
    /* a language without texts shows the texts of the only language that has them */
    browser->language = strdup("de");
    CU_ASSERT_EQUAL(browser_get(browser, "/t/brand-drawn/sign-in"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Welcome to the clinic."));
    CU_ASSERT_TRUE(browser_sees(browser, ">Impressum</a>"));

    HTTP_ANSWER css = get_file("brand-drawn", "brand.css", style);
    CHECK_STATUS(css, 200);
    CU_ASSERT_TRUE(header_is(css, "Content-Type", "text/css"));
    CU_ASSERT_TRUE(header_is(css, "Cache-Control", "public, max-age=31536000, immutable"));
    CU_ASSERT_TRUE(header_is(css, "X-Content-Type-Options", "nosniff"));
    CU_ASSERT_PTR_NOT_NULL(strstr(css->body, ":root{--accent:#7a1f5c;"));
    CU_ASSERT_PTR_NOT_NULL(strstr(css->body, ":root{--accent:#f2a7d8;"));
    HTTP_ANSWER other = get_file("brand-drawn", "brand.css", "0");
    CU_ASSERT_TRUE(header_is(other, "Cache-Control", "no-cache"));
    CU_ASSERT_STRING_EQUAL(other->body, css->body);
}

/* Any uploaded image is re-encoded as a PNG, with limited width and height. */
static void a_logo_is_made_anew(void)
{
    PERSON admin = person_admin_of_child(suite, "brand-logo");
    BROWSER browser = browser_open(suite);
    char source[256], picture[256];
    int width, height;
    size_t size;
    char *png = test_png(320, 150, &size);
    HTTP_ANSWER put = put_picture(admin, png, size);

    CHECK_STATUS(put, 200);
    HTTP_ANSWER logo = get_file("brand-logo", "brand.png", http_text(put, "logo"));
    CHECK_STATUS(logo, 200);
    CU_ASSERT_TRUE(header_is(logo, "Content-Type", "image/png"));
    CU_ASSERT_TRUE(header_is(logo, "Cache-Control", "immutable"));
    test_png_sides(logo, &width, &height);
    CU_ASSERT_EQUAL(width, 205);
    CU_ASSERT_EQUAL(height, 96);
    CU_ASSERT_FALSE(logo->size == size && memcmp(logo->body, png, size) == 0);

    snprintf(picture, sizeof(picture), "src=\"/t/brand-logo/brand.png?v=%s\"",
             http_text(put, "logo"));
    snprintf(source, sizeof(source), "; img-src %s/t/brand-logo/brand.png", browser->origin);
    CU_ASSERT_EQUAL(browser_get(browser, "/t/brand-logo/sign-in"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, picture));
    CU_ASSERT_TRUE(header_is(browser->page, "Content-Security-Policy", source));

    /* logo and other fields do not affect each other */
    HTTP_ANSWER fields = put_raw(admin, whole, NULL);
    CU_ASSERT_STRING_EQUAL(http_text(fields, "logo"), http_text(put, "logo"));
    HTTP_ANSWER gone = http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                                          .path = LOGO,
                                                                          .bearer = admin->access});
    CHECK_STATUS(gone, 200);
    CU_ASSERT_TRUE(json_is_null(http_member(gone, "logo")));
    CU_ASSERT_STRING_EQUAL(http_text(gone, "name"), "Seeblick");
    HTTP_ANSWER missing = get_file("brand-logo", "brand.png", http_text(put, "logo"));
    CHECK_STATUS(missing, 404);
    CU_ASSERT_EQUAL(browser_get(browser, "/t/brand-logo/sign-in"), 200);
    CU_ASSERT_FALSE(browser_sees(browser, "<img"));
    free(png);
}

/* Attack: markup or a decompression bomb as an image. */
static void what_is_no_picture_is_refused(void)
{
    /* its header claims 30,000 x 30,000 pixels */
    static const unsigned char bomb[] =
        "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x75\x30\0\0\x75\x30\x08\x06\0\0\0\x8e\x8c\x1d\xee";
    static const char svg[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\">"
                              "<script>alert(1)</script></svg>";
    static const char html[] = "<!doctype html><script>alert(1)</script>";
    static const char disguised[] = "\x89PNG\r\n\x1a\n<html><script>alert(1)</script>";
    PERSON admin = person_admin_of_child(suite, "brand-no-picture");
    size_t size;
    char *png = test_png(64, 64, &size), *large = calloc(1, 600 * 1024);
    const struct {
        const void *bytes;
        size_t size;
    } rows[] = {{svg, sizeof(svg) - 1},   {html, sizeof(html) - 1}, {disguised, sizeof(disguised)},
                {bomb, sizeof(bomb) - 1}, {png, size / 2},          {large, 600 * 1024}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = put_picture(admin, rows[i].bytes, rows[i].size);

        CHECK_PROBLEM(answer, "image");
    }
    HTTP_ANSWER text =
        http_call(suite_url(suite),
                  &(struct http_request){.method = "PUT",
                                         .path = LOGO,
                                         .bearer = admin->access,
                                         .body = json_pack("{s:s}", "image", "no base64!")});
    CHECK_PROBLEM(text, "image");
    char *beyond = calloc(1, 900 * 1024);
    HTTP_ANSWER body = put_picture(admin, beyond, 900 * 1024);
    CHECK_STATUS(body, 413);
    HTTP_ANSWER none = get_file("brand-no-picture", "brand.png", NULL);
    CHECK_STATUS(none, 404);
    free(beyond);
    free(large);
    free(png);
}

/* Attack: styles, scripts or URLs in any field. */
static void fields_that_are_no_plain_values_are_refused(void)
{
    static const struct {
        const char *json, *path;
    } rows[] = {
        {"{\"colorLight\":\"red\"}", "colorLight"},
        {"{\"colorLight\":\"#fff\"}", "colorLight"},
        {"{\"colorLight\":\"#0b5cad;}body{display:none}\"}", "colorLight"},
        {"{\"colorLight\":\"}*{a:b\"}", "colorLight"},
        {"{\"colorDark\":\"url(x)\"}", "colorDark"},
        {"{\"colorDark\":\"#8fc1f\\n\"}", "colorDark"},
        /* each color has too little contrast in its theme, but would have enough in the other */
        {"{\"colorLight\":\"#8fc1f5\"}", "colorLight"},
        {"{\"colorDark\":\"#0b5cad\"}", "colorDark"},
        {"{\"imprintUrl\":\"javascript:alert(1)\"}", "imprintUrl"},
        {"{\"imprintUrl\":\"http://seeblick.example\"}", "imprintUrl"},
        {"{\"imprintUrl\":\"//seeblick.example\"}", "imprintUrl"},
        {"{\"privacyUrl\":\"https://user@seeblick.example\"}", "privacyUrl"},
        {"{\"privacyUrl\":\"data:text/html,x\"}", "privacyUrl"},
        {"{\"name\":\"a\\u202eb\"}", "name"},
        {"{\"name\":\"\\u0007\"}", "name"},
        {"{\"texts\":[{\"language\":\"fr\",\"intro\":\"x\"}]}", "texts.0.language"},
        {"{\"texts\":[{\"language\":\"../en\",\"intro\":\"x\"}]}", "texts.0.language"},
        {"{\"texts\":[{\"language\":\"en\"},{\"language\":\"EN\"}]}", "texts.1.language"},
        {"{\"texts\":[{\"language\":\"en\",\"help\":\"a\\u0000b\"}]}", "texts.0.help"},
    };
    PERSON admin = person_admin_of_child(suite, "brand-fields");
    char longer[1024];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = put_raw(admin, rows[i].json, NULL);

        UNIT_CHECK(answer->status == 422 || answer->status == 400, "%s: %d", rows[i].json,
                   answer->status);
        if (answer->status == 422)
            CHECK_PROBLEM(answer, rows[i].path);
    }
    snprintf(longer, sizeof(longer), "{\"texts\":[{\"language\":\"en\",\"help\":\"%0201d\"}]}", 0);
    HTTP_ANSWER capped = put_raw(admin, longer, NULL);
    CHECK_PROBLEM(capped, "texts.0.help");
    HTTP_ANSWER none = get_file("brand-fields", "brand.css", NULL);
    CHECK_STATUS(none, 404);
}

static void texts_are_text(void)
{
    static const char json[] =
        "{\"name\":\"</title><script>alert(1)</script>\",\"texts\":[{\"language\":\"en\","
        "\"intro\":\"\\\"><img src=x onerror=alert(2)>\",\"help\":\"<style>*{}</style>\"}],"
        "\"imprintUrl\":\"https://seeblick.example/?a=1&b='x'\"}";
    PERSON admin = person_admin_of_child(suite, "brand-markup");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER put = put_raw(admin, json, NULL);

    CHECK_STATUS(put, 200);
    CU_ASSERT_EQUAL(browser_get(browser, "/t/brand-markup/sign-in"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "&lt;script&gt;alert(1)"));
    CU_ASSERT_FALSE(browser_sees(browser, "<script>alert"));
    CU_ASSERT_FALSE(browser_sees(browser, "<img"));
    CU_ASSERT_FALSE(browser_sees(browser, "<style>*"));
    CU_ASSERT_TRUE(
        browser_sees(browser, "href=\"https://seeblick.example/?a=1&amp;b=&#39;x&#39;\""));
}

/* Attack: another program's row. Values that the field table rejects are left out. */
static void what_was_written_past_the_api_is_left_out(void)
{
    PERSON admin = person_admin_of_child(suite, "brand-row");
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "with u as (update settings.project set branding = "
                    "'{\"colorLight\":\"red}body{display:none\",\"imprintUrl\":\"javascript:x\","
                    "\"name\":\"Kept\"}' where id = '%s' returning 1) select count(*) from u",
                    strchr(admin->project, '/') + 1),
        1);
    CU_ASSERT_EQUAL(browser_get(browser, "/t/brand-row/sign-in"), 200);
    CU_ASSERT_FALSE(browser_sees(browser, "brand.css"));
    CU_ASSERT_FALSE(browser_sees(browser, "javascript:"));
    CU_ASSERT_FALSE(browser_sees(browser, "display:none"));
}

static void one_tenants_branding_is_no_others(void)
{
    PERSON admin = person_admin_of_child(suite, "brand-mine");
    PERSON other = person_admin_of_child(suite, "brand-other");
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    size_t size;
    char *png = test_png(32, 32, &size);
    HTTP_ANSWER mine = put_raw(admin, whole, NULL);
    HTTP_ANSWER logo = put_picture(admin, png, size);

    CHECK_STATUS(mine, 200);
    CHECK_STATUS(logo, 200);
    HTTP_ANSWER theirs = http_get(suite_url(suite), BRANDING, other->access);
    CU_ASSERT_TRUE(json_is_null(http_member(theirs, "name")));
    HTTP_ANSWER picture = get_file("brand-other", "brand.png", http_text(logo, "logo"));
    CHECK_STATUS(picture, 404);
    HTTP_ANSWER style = get_file("brand-other", "brand.css", http_text(mine, "style"));
    CHECK_STATUS(style, 404);
    HTTP_ANSWER nowhere = get_file("brand-nowhere", "brand.css", NULL);
    CHECK_STATUS(nowhere, 404);
    CU_ASSERT_EQUAL(browser_get(browser, "/t/brand-other/sign-in"), 200);
    CU_ASSERT_FALSE(browser_sees(browser, "Seeblick"));
    CU_ASSERT_FALSE(browser_sees(browser, "brand."));

    HTTP_ANSWER reads = http_get(suite_url(suite), BRANDING, patient->access);
    CHECK_STATUS(reads, 403);
    HTTP_ANSWER writes = put_raw(patient, whole, NULL);
    CHECK_STATUS(writes, 403);
    HTTP_ANSWER uploads = put_picture(patient, png, size);
    CHECK_STATUS(uploads, 403);
    HTTP_ANSWER removes = http_call(
        suite_url(suite),
        &(struct http_request){.method = "DELETE", .path = LOGO, .bearer = patient->access});
    CHECK_STATUS(removes, 403);
    PROGRAM suspended = ATRIUMCTL(suite, NULL, "project", "suspend", "brand-mine");
    CHECK_EXIT(suspended, 0);
    HTTP_ANSWER closed = get_file("brand-mine", "brand.css", http_text(mine, "style"));
    CHECK_STATUS(closed, 404);
    free(png);
}

static void a_stale_state_loses_and_history_tells(void)
{
    PERSON admin = person_admin_of_child(suite, "brand-stale");
    HTTP_ANSWER first = put_raw(admin, "{\"name\":\"One\"}", NULL);
    char *etag = http_header(first, "ETag"), header[64];

    snprintf(header, sizeof(header), "If-Match: %s", etag);
    HTTP_ANSWER second = put_raw(admin, "{\"name\":\"Two\",\"colorLight\":\"#7a1f5c\"}", header);
    CHECK_STATUS(second, 200);
    HTTP_ANSWER stale = put_raw(admin, "{\"name\":\"Three\"}", header);
    CHECK_ERROR(stale, 409, "The project changed during the write.");
    HTTP_ANSWER history = http_get(suite_url(suite), "/v1/project/settings/history", admin->access);
    CU_ASSERT_STRING_EQUAL(http_text(history, "resources.0.name"), "branding.colorLight");
    CU_ASSERT_STRING_EQUAL(http_text(history, "resources.0.new"), "#7a1f5c");
    CU_ASSERT_STRING_EQUAL(http_text(history, "resources.1.name"), "branding.name");
    CU_ASSERT_STRING_EQUAL(http_text(history, "resources.1.old"), "One");
    free(etag);
}

static struct http_answer *preview(const char *access, const char *json)
{
    return http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                              .path = BRANDING "/preview",
                                                              .bearer = access,
                                                              .raw = json});
}

/* The page is text in an answer to the admin: it has no URL, its form no token, and nothing is
 * saved. */
static void a_preview_is_the_sign_in_page_unsaved(void)
{
    static const char typed[] =
        "{\"language\":\"de-AT\",\"name\":\"Typed <b>\",\"colorLight\":\"#7a1f5c\","
        "\"imprintUrl\":\"https://typed.example/\","
        "\"texts\":[{\"language\":\"de\",\"intro\":\"Getippt.\"}]}";
    PERSON admin = person_admin_of_child(suite, "brand-preview");
    PERSON patient = person_register(suite, NULL);
    size_t size;
    char *png = test_png(64, 64, &size);
    HTTP_ANSWER logo = put_picture(admin, png, size);
    HTTP_ANSWER shown = preview(admin->access, typed);
    HTTP_ANSWER stored = http_get(suite_url(suite), BRANDING, admin->access);
    HTTP_ANSWER forbidden = preview(patient->access, typed);
    HTTP_ANSWER nobody = preview(NULL, typed);
    HTTP_ANSWER unreadable =
        preview(admin->access, "{\"language\":\"en\",\"colorLight\":\"#ffcc00\"}");
    const char *html = http_text(shown, "html");

    CHECK_STATUS(logo, 200);
    CHECK_STATUS(shown, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(html, "<html lang=\"de\">"));
    CU_ASSERT_PTR_NOT_NULL(strstr(html, "<bdi>Typed &lt;b&gt;</bdi>"));
    CU_ASSERT_PTR_NOT_NULL(strstr(html, "<p class=\"lead\">Getippt.</p>"));
    CU_ASSERT_PTR_NOT_NULL(strstr(html, "href=\"https://typed.example/\">Impressum"));
    CU_ASSERT_PTR_NOT_NULL(strstr(html, "src=\"/t/brand-preview/brand.png?v="));
    CU_ASSERT_PTR_NOT_NULL(strstr(html, "name=\"formToken\" value=\"\""));
    CU_ASSERT_PTR_NULL(strstr(html, "brand.css"));
    CU_ASSERT_PTR_NULL(strstr(html, "<script"));
    CU_ASSERT_TRUE(json_is_null(http_member(stored, "name")));
    CHECK_STATUS(forbidden, 403);
    CHECK_STATUS(nobody, 401);
    CHECK_PROBLEM(unreadable, "colorLight");
    free(png);
}

static bool mail_has(const char *to, const char *header)
{
    char *mail = suite_mail(suite, to, 10000);
    bool has = mail && strstr(mail, header);

    UNIT_CHECK(has, "%s: %.300s", header, mail ? mail : "no email");
    free(mail);
    return has;
}

static void put_template(const struct person *admin, const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "/v1/project/email-templates/%s", name);
    HTTP_ANSWER put = http_put(suite_url(suite), path, admin->access,
                               json_pack("{s:s, s:s}", "subject", "From {{brandName}}", "text",
                                         "{{projectName}}: {{brandName}}"));
    CHECK_STATUS(put, 200);
}

static struct http_answer *invite(const struct person *admin, const char *email)
{
    return http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                     json_pack("{s:s, s:s, s:s, s:s}", "email", email, "firstName", "A", "lastName",
                               "B", "type", "Practitioner"));
}

/* In emails of both daemons that send any. The operator's name stays if the branding has none. */
static void the_name_is_in_emails_and_of_the_project(void)
{
    PERSON admin = person_admin(suite);
    char *first = person_address(), *second = person_address(), *third = person_address();
    const char *const told[] = {first, second};
    char subject[128], text[128];

    put_template(admin, "ORGANIZATION_CODE");
    put_template(admin, "INVITE_TO_PROJECT");
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", "https://staff.example");
    HTTP_ANSWER plain = invite(admin, third);
    HTTP_ANSWER before = http_get(suite_url(suite), "/auth/me", admin->access);
    CHECK_STATUS(plain, 200);
    snprintf(subject, sizeof(subject), "Subject: From %s\r\n", http_text(before, "project.name"));
    snprintf(text, sizeof(text), "%s: Seeblick\r\n", http_text(before, "project.name"));
    CU_ASSERT_STRING_EQUAL(http_text(before, "project.brandName"),
                           http_text(before, "project.name"));
    mail_has(third, subject);
    mail_has(third, "From: <");

    HTTP_ANSWER written = put_raw(admin, whole, NULL);
    HTTP_ANSWER code = http_post(suite_url(suite), "/organizations/code/email", admin->access,
                                 json_pack("{s:s}", "email", first));
    HTTP_ANSWER invited = invite(admin, second);
    CHECK_STATUS(written, 200);
    CHECK_STATUS(code, 200);
    CHECK_STATUS(invited, 200);
    for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
        mail_has(told[i], "From: Seeblick <");
        mail_has(told[i], "Subject: From Seeblick\r\n");
        mail_has(told[i], text);
    }
    HTTP_ANSWER after = http_get(suite_url(suite), "/auth/me", admin->access);
    CU_ASSERT_STRING_EQUAL(http_text(after, "project.brandName"), "Seeblick");
    CU_ASSERT_STRING_EQUAL(http_text(after, "project.name"), http_text(before, "project.name"));
    free(first);
    free(second);
    free(third);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(branding_is_drawn_from_the_next_page_on),
    CASE(a_logo_is_made_anew),
    CASE(what_is_no_picture_is_refused),
    CASE(fields_that_are_no_plain_values_are_refused),
    CASE(texts_are_text),
    CASE(what_was_written_past_the_api_is_left_out),
    CASE(one_tenants_branding_is_no_others),
    CASE(a_stale_state_loses_and_history_tells),
    CASE(a_preview_is_the_sign_in_page_unsaved),
    CASE(the_name_is_in_emails_and_of_the_project),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "settingsd=2,authd=2,gateway=2"});
    return unit_run("branding", cases, ARRAY_SIZE(cases));
}
