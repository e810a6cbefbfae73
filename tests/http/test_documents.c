/*
 * test_documents.c - documents over HTTP: create, upload, read in full and in part, list, share,
 * replace, delete, and the access policy. See test_uploads.c for the form.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/document.h"
#include "tests/support/unit.h"

static const char nobody[] = "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b";
static const char not_found[] = "Document not found.";

static struct suite *suite;
static struct person *patient;

static struct http_answer *ask(const char *method, const char *path, const char *access,
                               const char *json)
{
    return http_call(
        suite_url(suite),
        &(struct http_request){.method = method, .path = path, .bearer = access, .raw = json});
}

static void check_header(const struct http_answer *answer, const char *name, const char *want)
{
    char *value = http_header(answer, name);

    UNIT_CHECK(want ? value && strcmp(value, want) == 0 : !value, "%s: %s", name,
               value ? value : "none");
    free(value);
}

/* ---- a document from upload to deletion ---- */

static void a_document_is_created_uploaded_read_and_deleted(void)
{
    static const char text[] = "Hello, \r\n--world";
    HTTP_ANSWER made = document_make(suite, patient->access, "letter.txt", "text/plain");
    char *id = strdup(http_text(made, "id"));

    CHECK_STATUS(made, 200);
    CU_ASSERT_STRING_EQUAL(http_text(made, "fileName"), "letter.txt");
    CU_ASSERT_STRING_EQUAL(http_text(made, "contentType"), "text/plain");
    CU_ASSERT_STRING_EQUAL(http_text(made, "author.reference"), patient->profile);
    CU_ASSERT_STRING_EQUAL(http_text(made, "author.display"), "Ana Prova");
    CU_ASSERT_EQUAL(strlen(http_text(made, "lastUpdated")), 24);
    CU_ASSERT_TRUE(json_is_null(http_member(made, "size")));
    CU_ASSERT_TRUE(json_is_null(http_member(made, "publicToken")));
    CU_ASSERT_PTR_NULL(http_member(made, "meta"));
    HTTP_ANSWER early = document_get(suite, patient->access, id);
    CHECK_ERROR(early, 404, "File not uploaded yet.");
    HTTP_ANSWER uploaded = document_upload(suite, made, text, sizeof(text) - 1);
    CHECK_STATUS(uploaded, 204);
    CU_ASSERT_EQUAL(uploaded->size, 0);
    HTTP_ANSWER read = document_get(suite, patient->access, id);
    CHECK_BYTES(read, text, sizeof(text) - 1);
    check_header(read, "Content-Type", "text/plain");
    check_header(read, "X-Content-Type-Options", "nosniff");
    check_header(read, "Content-Disposition",
                 "inline; filename=\"letter.txt\"; filename*=UTF-8''letter.txt");
    CU_ASSERT_PTR_NOT_NULL(strstr(read->header_text, "sandbox"));
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
    CHECK_STATUS(gone, 200);
    CU_ASSERT_STRING_EQUAL(http_text(gone, "message"), "Document deleted successfully");
    CU_ASSERT_EQUAL(stored_files(suite), 0);
    HTTP_ANSWER after = document_get(suite, patient->access, id);
    CHECK_ERROR(after, 404, not_found);
    HTTP_ANSWER again = http_delete(suite_url(suite), document_path(id), patient->access);
    CHECK_ERROR(again, 404, not_found);
    free(id);
}

/* Sizes around the limits for one send, several sends, and parallel ones. */
static void files_of_all_sizes_come_back(void)
{
    static const size_t sizes[] = {
        0, 1, 65535, 65536, 65537, 256 * 1024, 256 * 1024 + 1, 1024 * 1024, 5 * 1024 * 1024 + 7};

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        char *bytes = test_bytes(sizes[i], (unsigned)i);
        char *id = document_put(suite, patient->access, "a.bin", "application/octet-stream", bytes,
                                sizes[i]);
        HTTP_ANSWER read = document_get(suite, patient->access, id);
        HTTP_ANSWER head =
            http_call(suite_url(suite), &(struct http_request){.method = "HEAD",
                                                               .path = document_path(id),
                                                               .bearer = patient->access});
        char size[32];

        CHECK_BYTES(read, bytes, sizes[i]);
        snprintf(size, sizeof(size), "%zu", sizes[i]);
        CHECK_STATUS(head, 200);
        check_header(head, "Content-Length", size);
        CU_ASSERT_EQUAL(head->size, 0);
        HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
        CHECK_STATUS(gone, 200);
        free(id);
        free(bytes);
    }
    CU_ASSERT_EQUAL(stored_files(suite), 0);
}

static void bad_requests_are_refused(void)
{
    static const struct {
        const char *method, *path, *body, *problem;
    } rows[] = {
        {"POST", "/document", "{}", "fileName"},
        {"POST", "/document", "{}", "contentType"},
        {"POST", "/document", "{\"fileName\":\"\",\"contentType\":\"image/png\"}", "fileName"},
        {"POST", "/document", "{\"fileName\":\"a\\nb\",\"contentType\":\"image/png\"}", "fileName"},
        {"POST", "/document", "{\"fileName\":7,\"contentType\":\"image/png\"}", "fileName"},
        {"POST", "/document", "{\"fileName\":\"a\",\"contentType\":\"image\"}", "contentType"},
        {"POST", "/document", "{\"fileName\":\"a\",\"contentType\":\"/png\"}", "contentType"},
        {"POST", "/document", "{\"fileName\":\"a\",\"contentType\":\"image/\"}", "contentType"},
        {"POST", "/document", "{\"fileName\":\"a\",\"contentType\":\"a/b c\"}", "contentType"},
        {"POST", "/document", "{\"fileName\":\"a\",\"contentType\":\"text/plain; foo\"}",
         "contentType"},
        {"POST", "/document", "{\"fileName\":\"a\",\"contentType\":\"text/plain; foo=\"}",
         "contentType"},
        {"POST", "/document", "{\"fileName\":\"a\",\"contentType\":\"text/plain; foo=\\\"b\"}",
         "contentType"},
        {"POST", "/document", "{\"fileName\":\"a\",\"contentType\":\"image/p g\\r\\nX: y\"}",
         "contentType"},
        {"POST", "/document", "{\"fileName\":\"a\",\"contentType\":\"a/b\",\"isPublic\":\"yes\"}",
         "isPublic"},
        {"GET", "/document?_count=0", NULL, "_count"},
        {"GET", "/document?_count=1001", NULL, "_count"},
        {"GET", "/document?_count=x", NULL, "_count"},
        {"GET", "/document?_offset=-1", NULL, "_offset"},
        {"GET", "/document?_sort=size", NULL, "_sort"},
        {"GET", "/document?kind=picture", NULL, "kind"},
        {"GET", "/document?_sort=fileName,", NULL, "_sort"},
        {"GET", "/document?_sort=fileName,-fileName", NULL, "_sort"},
        {"GET", "/document?_sort=--fileName", NULL, "_sort"},
        {"GET", "/document/no-uuid", NULL, "id"},
        {"DELETE", "/document/no-uuid", NULL, "id"},
        {"PATCH", "/document/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", "{\"isPublic\":3}", "isPublic"},
        {"PATCH", "/document/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", "{\"fileName\":\"\"}",
         "fileName"},
        {"POST", "/document/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", "{\"fileName\":\"a\"}",
         "contentType"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = ask(rows[i].method, rows[i].path, patient->access, rows[i].body);

        if (!CHECK_PROBLEM(answer, rows[i].problem))
            fprintf(stderr, "  %s %s %s\n", rows[i].method, rows[i].path, rows[i].body);
    }
}

/* ---- reading ---- */

static void an_unchanged_file_is_304(void)
{
    char *bytes = test_bytes(1000, 1);
    char *id = document_put(suite, patient->access, "a", "a/b", bytes, 1000);
    HTTP_ANSWER read = document_get(suite, patient->access, id);
    char *etag = http_header(read, "ETag"), line[200];
    static const char *const same[] = {"If-None-Match: ", "ETag: ", "If-None-Match: \"x\", ",
                                       "If-None-Match: W/"};

    CU_ASSERT_TRUE(etag && etag[0] == '"' && strlen(etag) > 32);
    for (size_t i = 0; etag && i < ARRAY_SIZE(same); i++) {
        snprintf(line, sizeof(line), "%s%s", same[i], etag);
        HTTP_ANSWER answer = document_get_with(suite, patient->access, id, NULL, line);
        CHECK_STATUS(answer, 304);
        CU_ASSERT_EQUAL(answer->size, 0);
        check_header(answer, "ETag", etag);
    }
    HTTP_ANSWER any = document_get_with(suite, patient->access, id, NULL, "If-None-Match: *");
    CHECK_STATUS(any, 304);
    /* Only the request header ETag accepts a tag without quotes. */
    snprintf(line, sizeof(line), "ETag: %.*s", etag ? (int)strlen(etag) - 2 : 0, etag + 1);
    HTTP_ANSWER bare = document_get_with(suite, patient->access, id, NULL, line);
    CHECK_STATUS(bare, 304);
    snprintf(line, sizeof(line), "If-None-Match: %.*s", etag ? (int)strlen(etag) - 2 : 0, etag + 1);
    HTTP_ANSWER strict = document_get_with(suite, patient->access, id, NULL, line);
    CHECK_STATUS(strict, 200);
    HTTP_ANSWER other = document_get_with(suite, patient->access, id, NULL, "ETag: \"0123\"");
    CHECK_BYTES(other, bytes, 1000);
    /* Equal bytes have equal tags, different bytes different ones. */
    char *twin = document_put(suite, patient->access, "b", "a/b", bytes, 1000);
    HTTP_ANSWER twin_read = document_get(suite, patient->access, twin);
    check_header(twin_read, "ETag", etag);
    char *third = document_put(suite, patient->access, "b", "a/b", bytes, 999);
    HTTP_ANSWER third_read = document_get(suite, patient->access, third);
    char *third_etag = http_header(third_read, "ETag");
    CU_ASSERT_TRUE(third_etag && etag && strcmp(third_etag, etag) != 0);
    free(third_etag);
    free(third);
    free(twin);
    free(etag);
    free(id);
    free(bytes);
}

/* Revalidates a cached response `known`; 304 means that the cache would continue to serve it. */
static struct http_answer *revalidate(const char *path, const struct http_answer *known)
{
    char *etag = http_header(known, "ETag"), line[200];

    snprintf(line, sizeof(line), "If-None-Match: %s", etag);
    free(etag);
    return http_call(suite_url(suite), &(struct http_request){.path = path,
                                                              .bearer = patient->access,
                                                              .headers = {line}});
}

#define NAMED(name) "inline; filename=\"" name "\"; filename*=UTF-8''" name

/* A cached name or type can be outdated. A 304 omits both headers, because most caches would keep
 * their own anyway. */
static void a_new_name_or_type_is_seen_by_caches(void)
{
    char *bytes = test_bytes(1000, 1), public[200];
    char *id = document_put(suite, patient->access, "a", "a/b", bytes, 1000), path[64];

    snprintf(path, sizeof(path), "%s", document_path(id));
    HTTP_ANSWER first = document_get(suite, patient->access, id);
    HTTP_ANSWER shared = ask("PATCH", path, patient->access, "{\"isPublic\":true}");
    snprintf(public, sizeof(public), "/document/public/%s", http_text(shared, "publicToken"));
    HTTP_ANSWER same_name = ask("PATCH", path, patient->access, "{\"fileName\":\"a\"}");
    HTTP_ANSWER same = revalidate(path, first);
    CHECK_STATUS(same, 304);
    HTTP_ANSWER by_link = revalidate(public, first);
    CHECK_STATUS(by_link, 304);

    HTTP_ANSWER renamed = ask("PATCH", path, patient->access, "{\"fileName\":\"b\"}");
    CHECK_STATUS(renamed, 200);
    const char *const paths[] = {path, public};
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        HTTP_ANSWER second = revalidate(paths[i], first);
        CHECK_BYTES(second, bytes, 1000);
        check_header(second, "Content-Disposition", NAMED("b"));
        HTTP_ANSWER known = revalidate(paths[i], second);
        CHECK_STATUS(known, 304);
    }
    HTTP_ANSWER second = document_get(suite, patient->access, id);

    HTTP_ANSWER form =
        ask("POST", path, patient->access, "{\"fileName\":\"b\",\"contentType\":\"c/d\"}");
    HTTP_ANSWER not_yet = revalidate(path, second);
    CHECK_STATUS(not_yet, 304);
    HTTP_ANSWER uploaded = document_upload(suite, form, bytes, 1000);
    CHECK_STATUS(uploaded, 204);
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        HTTP_ANSWER third = revalidate(paths[i], second);
        CHECK_BYTES(third, bytes, 1000);
        check_header(third, "Content-Type", "c/d");
        HTTP_ANSWER older = revalidate(paths[i], first);
        check_header(older, "Content-Type", "c/d");
    }
    free(id);
    free(bytes);
}

static void check_range(const char *id, const char *range, const char *bytes, size_t size,
                        int first, int last)
{
    char line[64], want[64];

    snprintf(line, sizeof(line), "Range: %s", range);
    HTTP_ANSWER answer = document_get_with(suite, patient->access, id, NULL, line);
    if (last < 0) {
        UNIT_CHECK(answer->status == 416, "%s: %d", range, answer->status);
        snprintf(want, sizeof(want), "bytes */%zu", size);
        check_header(answer, "Content-Range", want);
        return;
    }
    UNIT_CHECK(answer->status == 206 && answer->size == (size_t)(last - first + 1) &&
                   memcmp(answer->body, bytes + first, answer->size) == 0,
               "%s: %d, %zu bytes", range, answer->status, answer->size);
    snprintf(want, sizeof(want), "bytes %d-%d/%zu", first, last, size);
    check_header(answer, "Content-Range", want);
}

static void ranges_are_served(void)
{
    static const size_t sizes[] = {1000, 1000 * 1000};

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        int size = (int)sizes[i];
        char *bytes = test_bytes(sizes[i], 2), text[64];
        char *id = document_put(suite, patient->access, "a", "a/b", bytes, sizes[i]);

        check_range(id, "bytes=0-0", bytes, sizes[i], 0, 0);
        check_range(id, "bytes=10-499", bytes, sizes[i], 10, 499);
        check_range(id, "bytes=-7", bytes, sizes[i], size - 7, size - 1);
        check_range(id, "bytes=900-", bytes, sizes[i], 900, size - 1);
        check_range(id, "bytes=5-99999999999999999999", bytes, sizes[i], 5, size - 1);
        check_range(id, "bytes=-99999999", bytes, sizes[i], 0, size - 1);
        snprintf(text, sizeof(text), "bytes=%d-", size);
        check_range(id, text, bytes, sizes[i], 0, -1);
        check_range(id, "bytes=-0", bytes, sizes[i], 0, -1);
        HTTP_ANSWER several =
            document_get_with(suite, patient->access, id, NULL, "Range: bytes=0-1,5-6");
        CHECK_BYTES(several, bytes, sizes[i]);
        HTTP_ANSWER strange =
            document_get_with(suite, patient->access, id, NULL, "Range: lines=0-1");
        CHECK_BYTES(strange, bytes, sizes[i]);
        HTTP_ANSWER backwards =
            document_get_with(suite, patient->access, id, NULL, "Range: bytes=9-3");
        CHECK_BYTES(backwards, bytes, sizes[i]);
        free(id);
        free(bytes);
    }
}

static void a_range_of_another_version_is_the_whole(void)
{
    char *bytes = test_bytes(1000, 3), line[200];
    char *id = document_put(suite, patient->access, "a", "a/b", bytes, 1000);
    HTTP_ANSWER read = document_get(suite, patient->access, id);
    char *etag = http_header(read, "ETag"), *modified = http_header(read, "Last-Modified");
    static const char *const others[] = {"If-Range: \"other\"",
                                         "If-Range: Sun, 06 Nov 1994 08:49:37 GMT"};

    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        HTTP_ANSWER answer = http_call(
            suite_url(suite), &(struct http_request){.path = document_path(id),
                                                     .bearer = patient->access,
                                                     .headers = {"Range: bytes=0-9", others[i]}});
        CHECK_BYTES(answer, bytes, 1000);
    }
    snprintf(line, sizeof(line), "If-Range: %s", etag);
    HTTP_ANSWER same =
        http_call(suite_url(suite), &(struct http_request){.path = document_path(id),
                                                           .bearer = patient->access,
                                                           .headers = {"Range: bytes=0-9", line}});
    CHECK_STATUS(same, 206);
    snprintf(line, sizeof(line), "If-Modified-Since: %s", modified);
    HTTP_ANSWER unmodified = document_get_with(suite, patient->access, id, NULL, line);
    CHECK_STATUS(unmodified, 304);
    HTTP_ANSWER later = document_get_with(suite, patient->access, id, NULL,
                                          "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK_BYTES(later, bytes, 1000);
    free(etag);
    free(modified);
    free(id);
    free(bytes);
}

static void active_files_are_attachments(void)
{
    static const char html[] = "<!DOCTYPE html><html><script>alert(1)</script></html>";
    static const char svg[] = "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\">"
                              "<script>alert(1)</script></svg>";
    static const char png[] =
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0\x1f\x15\xc4\x89";
    static const struct {
        const char *type, *bytes;
        size_t size;
        bool attachment;
    } rows[] = {
        {"text/html", html, sizeof(html) - 1, true},
        {"text/html; charset=utf-8", "plain", 5, true},
        {"image/png", html, sizeof(html) - 1, true},
        {"application/octet-stream", html, sizeof(html) - 1, true},
        {"image/svg+xml", svg, sizeof(svg) - 1, true},
        {"IMAGE/SVG+XML", svg, sizeof(svg) - 1, true},
        {"image/png", svg, sizeof(svg) - 1, true},
        {"application/xhtml+xml", html, sizeof(html) - 1, true},
        {"text/xml", "<a/>", 4, true},
        {"image/png", png, sizeof(png) - 1, false},
        {"text/plain", "plain", 5, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *id = document_put(suite, patient->access, "a.png", rows[i].type, rows[i].bytes,
                                rows[i].size);
        HTTP_ANSWER read = document_get(suite, patient->access, id);
        char *how = http_header(read, "Content-Disposition");
        char *csp = http_header(read, "Content-Security-Policy");

        CHECK_BYTES(read, rows[i].bytes, rows[i].size);
        UNIT_CHECK(how && (strncmp(how, "attachment;", 11) == 0) == rows[i].attachment, "%s: %s",
                   rows[i].type, how);
        CU_ASSERT_TRUE(csp && strstr(csp, "sandbox"));
        check_header(read, "X-Content-Type-Options", "nosniff");
        check_header(read, "Content-Type", rows[i].type);
        free(csp);
        free(how);
        free(id);
    }
}

static void names_are_encoded(void)
{
    static const struct {
        const char *name, *want;
    } rows[] = {
        {"Brust \"links\".png",
         "inline; filename=\"Brust _links_.png\"; filename*=UTF-8''Brust%20%22links%22.png"},
        {"r\xc3\xb6ntgen \xe2\x82\xac.png",
         "inline; filename=\"r_ntgen _.png\"; filename*=UTF-8''r%C3%B6ntgen%20%E2%82%AC.png"},
        {"../../etc/passwd",
         "inline; filename=\".._.._etc_passwd\"; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd"},
        {"100%;a='b'", "inline; filename=\"100_;a='b'\"; filename*=UTF-8''100%25%3Ba%3D%27b%27"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *id = document_put(suite, patient->access, rows[i].name, "image/png", "x", 1);
        HTTP_ANSWER read = document_get(suite, patient->access, id);

        check_header(read, "Content-Disposition", rows[i].want);
        free(id);
    }
}

/* ---- lists ---- */

static char *names_of(const struct http_answer *answer)
{
    json_t *list = http_member(answer, "resources");
    char *text = NULL;
    size_t size, i;
    FILE *out = open_memstream(&text, &size);
    json_t *each;

    json_array_foreach(list, i, each)
        fprintf(out, "%s%s", i ? " " : "", json_string_value(json_object_get(each, "fileName")));
    fclose(out);
    return text;
}

static void check_list(const char *access, const char *query, const char *names, int total)
{
    char path[200];

    snprintf(path, sizeof(path), "/document%s", query);
    HTTP_ANSWER list = http_get(suite_url(suite), path, access);
    char *found = names_of(list);

    UNIT_CHECK(list->status == 200 && strcmp(found, names) == 0 &&
                   json_integer_value(http_member(list, "total")) == total,
               "%s: %d, %s of %lld", query, list->status, found,
               (long long)json_integer_value(http_member(list, "total")));
    free(found);
}

static void documents_are_found_by_name_and_kind(void)
{
    static const struct {
        const char *name, *type;
    } rows[] = {{"Knie-R\u00f6ntgen_links.PNG", "Image/PNG"},
                {"zq_scan-2026.pdf", "application/pdf; a=b"},
                {"zq 100%.txt", "text/plain"},
                {"zq.json", "application/json"},
                {"zq.docx", "application/msword"}};
    static const struct {
        const char *query, *names;
        int total;
    } found[] = {
        {"?search=rontgen%20links", "Knie-R\u00f6ntgen_links.PNG", 1},
        {"?search=KNIE%20links", "Knie-R\u00f6ntgen_links.PNG", 1},
        {"?search=ntge%20zq", "", 0},
        {"?search=zq&_sort=fileName", "zq 100%.txt zq.docx zq.json zq_scan-2026.pdf", 4},
        {"?search=zq&_sort=-fileName&_count=1&_offset=1", "zq.json", 4},
        {"?search=q&_sort=fileName", "", 0},
        {"?search=z%2020&_sort=fileName", "zq_scan-2026.pdf", 1},
        {"?search=zq%20100%25", "zq 100%.txt", 1},
        {"?search=zq&kind=text&_sort=_lastUpdated", "zq 100%.txt zq.json", 2},
        {"?search=zq&kind=video", "", 0},
        {"?search=-%25_", "", 0},
        {"?search=%20", "", 0},
    };
    static const struct {
        const char *query, *names;
        int total;
    } own[] = {
        {"?kind=image", "Knie-R\u00f6ntgen_links.PNG", 1},
        {"?kind=pdf&_sort=-fileName", "zq_scan-2026.pdf", 1},
        {"?kind=text&_sort=-fileName", "zq.json zq 100%.txt", 2},
        {"?kind=text&_sort=contentType", "zq.json zq 100%.txt", 2},
        {"?kind=other", "zq.docx", 1},
        {"?kind=audio", "", 0},
        {"?kind=text&_offset=1", "zq 100%.txt", 2},
        {"?search=", "zq.docx zq.json zq 100%.txt zq_scan-2026.pdf Knie-R\u00f6ntgen_links.PNG", 5},
    };
    PERSON other = person_register(suite, NULL);
    PERSON none = person_register(suite, NULL);
    PERSON admin = person_admin(suite);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made = document_make(suite, other->access, rows[i].name, rows[i].type);
        CHECK_STATUS(made, 200);
        usleep(3000); /* lastUpdated has milliseconds */
    }
    for (size_t i = 0; i < ARRAY_SIZE(found); i++) {
        check_list(other->access, found[i].query, found[i].names, found[i].total);
        check_list(admin->access, found[i].query, found[i].names, found[i].total);
        check_list(none->access, found[i].query, "", 0);
    }
    for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
        check_list(other->access, own[i].query, own[i].names, own[i].total);
        check_list(none->access, own[i].query, "", 0);
    }
}

/* Pages of a kind, or of all kinds, are the whole sorted list. */
static void pages_of_a_kind_do_not_overlap(void)
{
    static const char *const queries[] = {"_sort=fileName", "_sort=-fileName", "_sort=_lastUpdated",
                                          "kind=text&_sort=fileName", "kind=text"};
    PERSON admin = person_admin(suite);

    for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
        char path[200];
        snprintf(path, sizeof(path), "/document?%s&_count=1000", queries[i]);
        HTTP_ANSWER all = http_get(suite_url(suite), path, admin->access);
        size_t count = json_array_size(http_member(all, "resources"));

        UNIT_CHECK(count > 2 && count == (size_t)json_integer_value(http_member(all, "total")),
                   "%s: %zu", queries[i], count);
        for (size_t j = 0; j < count; j++) {
            snprintf(path, sizeof(path), "/document?%s&_count=1&_offset=%zu", queries[i], j);
            HTTP_ANSWER page = http_get(suite_url(suite), path, admin->access);
            char member[64];

            snprintf(member, sizeof(member), "resources.%zu.id", j);
            UNIT_CHECK(strcmp(http_text(page, "resources.0.id"), http_text(all, member)) == 0,
                       "%s: row %zu", queries[i], j);
        }
    }
}

/* Consecutive requests reach both docd. */
static void check_everywhere(const char *access, const char *query, const char *names, int total)
{
    for (int i = 0; i < 6; i++)
        check_list(access, query, names, total);
}

static void check_token_everywhere(const char *access, const char *token)
{
    for (int i = 0; i < 6; i++) {
        HTTP_ANSWER list = http_get(suite_url(suite), "/document", access);
        CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.publicToken"), token);
    }
}

static char *name_by_hand(const char *id)
{
    char sql[160];

    snprintf(sql, sizeof(sql),
             "update doc.document set file_name = 'r' where id = '%s' returning 1", id);
    return suite_query(suite, sql);
}

static void documents_are_listed(void)
{
    static const struct {
        const char *name, *type;
        bool uploaded;
    } rows[] = {{"b", "text/plain", true}, {"c", "image/png", false}, {"a", "text/plain", true}};
    PERSON other = person_register(suite, NULL);

    check_list(other->access, "", "", 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made = document_make(suite, other->access, rows[i].name, rows[i].type);
        usleep(3000);
        if (rows[i].uploaded) {
            HTTP_ANSWER uploaded = document_upload(suite, made, "xyz", 3);
            CHECK_STATUS(uploaded, 204);
        }
        usleep(3000); /* lastUpdated has milliseconds */
    }
    check_list(other->access, "", "a c b", 3);
    check_list(other->access, "?_sort=-_lastUpdated", "a c b", 3);
    check_list(other->access, "?_sort=_lastUpdated", "b c a", 3);
    check_list(other->access, "?_sort=fileName", "a b c", 3);
    check_list(other->access, "?_sort=-fileName", "c b a", 3);
    check_list(other->access, "?_sort=contentType,fileName", "c a b", 3);
    check_list(other->access, "?_sort=-contentType,-fileName", "b a c", 3);
    check_list(other->access, "?_sort=", "a c b", 3);
    check_list(other->access, "?_count=2", "a c", 3);
    check_list(other->access, "?_count=2&_offset=2", "b", 3);
    check_list(other->access, "?_offset=3", "", 3);
    check_list(other->access, "?_sort=fileName&_count=1&_offset=1", "b", 3);
    HTTP_ANSWER list = http_get(suite_url(suite), "/document", other->access);
    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "resources.0.size")), 3);
    CU_ASSERT_TRUE(json_is_null(http_member(list, "resources.1.size")));
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.contentType"), "text/plain");
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.author.reference"), other->profile);
    CU_ASSERT_TRUE(json_is_null(http_member(list, "resources.0.publicToken")));
    CU_ASSERT_PTR_NULL(http_member(list, "resources.0.uploadOptions"));
}

/* One instance's change shows in the other's cached list, and so does a manual change of the
 * table. */
static void a_list_is_as_the_database_has_it(void)
{
    PERSON other = person_register(suite, NULL);
    PERSON third = person_register(suite, NULL);
    HTTP_ANSWER a = document_make(suite, other->access, "a", "a/b");
    HTTP_ANSWER b = document_make(suite, third->access, "b", "a/b");

    for (int i = 0; i < 6; i++) {
        char name[16], body[64];

        check_everywhere(other->access, "", i > 0 ? "r" : "a", 1);
        check_everywhere(third->access, "", "b", 1);
        snprintf(name, sizeof(name), "n%d", i);
        snprintf(body, sizeof(body), "{\"fileName\":\"%s\"}", name);
        HTTP_ANSWER renamed = ask("PATCH", document_path(http_text(a, "id")), other->access, body);
        CHECK_STATUS(renamed, 200);
        check_everywhere(other->access, "", name, 1);
        check_everywhere(other->access, "?_offset=1", "", 1);
        HTTP_ANSWER more = document_make(suite, other->access, "z", "a/b");
        snprintf(body, sizeof(body), "%s z", name);
        check_everywhere(other->access, "?_sort=fileName", body, 2);
        HTTP_ANSWER public = ask("PATCH", document_path(http_text(more, "id")), other->access,
                                 "{\"isPublic\":true}");
        check_token_everywhere(other->access, http_text(public, "publicToken"));
        HTTP_ANSWER deleted =
            ask("DELETE", document_path(http_text(more, "id")), other->access, NULL);
        CHECK_STATUS(deleted, 200);
        check_everywhere(other->access, "?_sort=fileName", name, 1);
        free(name_by_hand(http_text(a, "id")));
    }
    check_everywhere(third->access, "", "b", 1);
    HTTP_ANSWER uploaded = document_upload(suite, b, "xyz", 3);
    CHECK_STATUS(uploaded, 204);
    for (int i = 0; i < 8; i++) {
        HTTP_ANSWER list = http_get(suite_url(suite), "/document", third->access);
        CU_ASSERT_EQUAL(json_integer_value(http_member(list, "resources.0.size")), 3);
    }
}

/* ---- sharing ---- */

static void a_public_token_opens_one_file(void)
{
    char *bytes = test_bytes(100000, 4), path[200];
    char *id = document_put(suite, patient->access, "a", "a/b", bytes, 100000);
    HTTP_ANSWER closed = http_get(suite_url(suite), "/document/public/nobody-has-this", NULL);
    CHECK_ERROR(closed, 404, not_found);
    HTTP_ANSWER shared = ask("PATCH", document_path(id), patient->access, "{\"isPublic\":true}");
    const char *token = http_text(shared, "publicToken");

    CHECK_STATUS(shared, 200);
    CU_ASSERT_TRUE(strlen(token) >= 43);
    CU_ASSERT_EQUAL(strlen(http_text(shared, "meta.lastUpdated")), 24);
    CU_ASSERT_PTR_NULL(http_member(shared, "lastUpdated"));
    snprintf(path, sizeof(path), "/document/public/%s", token);
    HTTP_ANSWER read = http_get(suite_url(suite), path, NULL);
    CHECK_BYTES(read, bytes, 100000);
    check_header(read, "Cache-Control", "private, no-cache");
    char *etag = http_header(read, "ETag"), line[200];
    snprintf(line, sizeof(line), "ETag: %s", etag);
    HTTP_ANSWER same =
        http_call(suite_url(suite), &(struct http_request){.path = path, .headers = {line}});
    CHECK_STATUS(same, 304);
    free(etag);
    HTTP_ANSWER again = ask("PATCH", document_path(id), patient->access, "{\"isPublic\":\"true\"}");
    CU_ASSERT_STRING_EQUAL(http_text(again, "publicToken"), token);
    HTTP_ANSWER list = http_get(suite_url(suite), "/document?_count=1", patient->access);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.publicToken"), token);
    HTTP_ANSWER renamed = ask("PATCH", document_path(id), patient->access, "{\"fileName\":\"b\"}");
    CU_ASSERT_STRING_EQUAL(http_text(renamed, "publicToken"), token);
    CU_ASSERT_STRING_EQUAL(http_text(renamed, "fileName"), "b");
    /* The old link stays closed: making the document public again makes another token. */
    HTTP_ANSWER ended = ask("PATCH", document_path(id), patient->access, "{\"isPublic\":false}");
    CU_ASSERT_TRUE(json_is_null(http_member(ended, "publicToken")));
    HTTP_ANSWER refused = http_get(suite_url(suite), path, NULL);
    CHECK_ERROR(refused, 404, not_found);
    HTTP_ANSWER second = ask("PATCH", document_path(id), patient->access, "{\"isPublic\":true}");
    CU_ASSERT_STRING_NOT_EQUAL(http_text(second, "publicToken"), token);
    HTTP_ANSWER still = http_get(suite_url(suite), path, NULL);
    CHECK_STATUS(still, 404);
    free(id);
    free(bytes);
}

static void a_document_can_be_public_from_the_start(void)
{
    char path[200];
    HTTP_ANSWER made = ask("POST", "/document", patient->access,
                           "{\"fileName\":\"a\",\"contentType\":\"a/b\",\"isPublic\":\"true\"}");

    CHECK_STATUS(made, 200);
    snprintf(path, sizeof(path), "/document/public/%s", http_text(made, "publicToken"));
    HTTP_ANSWER early = http_get(suite_url(suite), path, NULL);
    CHECK_ERROR(early, 404, "File not uploaded yet.");
    HTTP_ANSWER uploaded = document_upload(suite, made, "xyz", 3);
    CHECK_STATUS(uploaded, 204);
    HTTP_ANSWER read = http_get(suite_url(suite), path, NULL);
    CHECK_BYTES(read, "xyz", 3);
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), document_path(http_text(made, "id")), patient->access);
    CHECK_STATUS(gone, 200);
    HTTP_ANSWER after = http_get(suite_url(suite), path, NULL);
    CHECK_ERROR(after, 404, not_found);
}

static void tokens_are_not_in_the_database(void)
{
    char *id = document_put(suite, patient->access, "a", "a/b", "xyz", 3), sql[512];
    HTTP_ANSWER shared = ask("PATCH", document_path(id), patient->access, "{\"isPublic\":true}");

    snprintf(sql, sizeof(sql),
             "select count(*) from doc.document d where position('%s' in d::text) > 0 or "
             "position(convert_to('%s', 'UTF8') in public_token) > 0",
             http_text(shared, "publicToken"), http_text(shared, "publicToken"));
    char *count = suite_query(suite, sql);
    CU_ASSERT_STRING_EQUAL(count, "0");
    free(count);
    free(id);
}

/* ---- replacing ---- */

static void a_replacement_serves_when_it_is_complete(void)
{
    char *id = document_put(suite, patient->access, "old.txt", "text/plain", "old", 3), path[200];
    HTTP_ANSWER shared = ask("PATCH", document_path(id), patient->access, "{\"isPublic\":true}");
    HTTP_ANSWER replaced = ask("POST", document_path(id), patient->access,
                               "{\"fileName\":\"new.csv\",\"contentType\":\"text/csv\"}");

    CHECK_STATUS(replaced, 200);
    CU_ASSERT_STRING_EQUAL(http_text(replaced, "id"), id);
    CU_ASSERT_STRING_EQUAL(http_text(replaced, "fileName"), "new.csv");
    CU_ASSERT_STRING_EQUAL(http_text(replaced, "contentType"), "text/csv");
    CU_ASSERT_EQUAL(strlen(http_text(replaced, "lastUpdated")), 24);
    HTTP_ANSWER before = document_get(suite, patient->access, id);
    CHECK_BYTES(before, "old", 3);
    check_header(before, "Content-Type", "text/plain");
    HTTP_ANSWER uploaded = document_upload(suite, replaced, "newer", 5);
    CHECK_STATUS(uploaded, 204);
    HTTP_ANSWER after = document_get(suite, patient->access, id);
    CHECK_BYTES(after, "newer", 5);
    check_header(after, "Content-Type", "text/csv");
    check_header(after, "Content-Disposition",
                 "inline; filename=\"new.csv\"; filename*=UTF-8''new.csv");
    snprintf(path, sizeof(path), "/document/public/%s", http_text(shared, "publicToken"));
    HTTP_ANSWER public = http_get(suite_url(suite), path, NULL);
    CHECK_BYTES(public, "newer", 5);
    /* Deleting the document removes the replaced content. */
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
    CHECK_STATUS(gone, 200);
    free(id);
}

static void the_later_form_wins(void)
{
    HTTP_ANSWER first = document_make(suite, patient->access, "1", "a/b");
    char *id = strdup(http_text(first, "id"));
    HTTP_ANSWER second = ask("POST", document_path(id), patient->access,
                             "{\"fileName\":\"2\",\"contentType\":\"a/b\"}");
    HTTP_ANSWER third = ask("POST", document_path(id), patient->access,
                            "{\"fileName\":\"3\",\"contentType\":\"a/b\"}");

    HTTP_ANSWER one = document_upload(suite, second, "two", 3);
    CHECK_STATUS(one, 204);
    HTTP_ANSWER late = document_upload(suite, first, "one", 3);
    CHECK_ERROR(late, 403, "The upload form is invalid or has expired. Request a new one.");
    HTTP_ANSWER read = document_get(suite, patient->access, id);
    CHECK_BYTES(read, "two", 3);
    HTTP_ANSWER two = document_upload(suite, third, "three", 5);
    CHECK_STATUS(two, 204);
    /* a retry, as after a lost response */
    HTTP_ANSWER again = document_upload(suite, third, "three", 5);
    CHECK_STATUS(again, 204);
    HTTP_ANSWER last = document_get(suite, patient->access, id);
    CHECK_BYTES(last, "three", 5);
    free(id);
}

static void a_new_name_outlives_the_upload(void)
{
    HTTP_ANSWER made = document_make(suite, patient->access, "first", "a/b");
    char *id = strdup(http_text(made, "id"));
    HTTP_ANSWER renamed =
        ask("PATCH", document_path(id), patient->access, "{\"fileName\":\"second\"}");
    CHECK_STATUS(renamed, 200);
    HTTP_ANSWER uploaded = document_upload(suite, made, "x", 1);
    CHECK_STATUS(uploaded, 204);
    HTTP_ANSWER list = http_get(suite_url(suite), "/document?_count=1", patient->access);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.fileName"), "second");
    free(id);
}

static void documents_of_other_authors_are_hidden(void)
{
    static const struct {
        const char *method, *body;
    } rows[] = {
        {"GET", NULL},
        {"PATCH", "{\"isPublic\":true}"},
        {"POST", "{\"fileName\":\"a\",\"contentType\":\"a/b\"}"},
        {"DELETE", NULL},
    };
    PERSON other = person_register(suite, NULL);
    PERSON admin = person_admin(suite);
    PERSON stranger = person_admin_of_child(suite, "documents");
    char *id = document_put(suite, patient->access, "mine", "a/b", "xyz", 3);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER hidden = ask(rows[i].method, document_path(id), other->access, rows[i].body);
        CHECK_ERROR(hidden, 404, not_found);
        HTTP_ANSWER abroad = ask(rows[i].method, document_path(id), stranger->access, rows[i].body);
        CHECK_ERROR(abroad, 404, not_found);
        HTTP_ANSWER absent =
            ask(rows[i].method, document_path(nobody), patient->access, rows[i].body);
        CHECK_ERROR(absent, 404, not_found);
    }
    check_list(other->access, "", "", 0);
    check_list(other->access, "?_sort=fileName", "", 0);
    check_list(stranger->access, "", "", 0);
    HTTP_ANSWER seen = document_get(suite, admin->access, id);
    CHECK_BYTES(seen, "xyz", 3);
    HTTP_ANSWER list = http_get(suite_url(suite), "/document?_count=1", admin->access);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.fileName"), "mine");
    HTTP_ANSWER sorted = http_get(suite_url(suite),
                                  "/document?_sort=-_lastUpdated,fileName&_count=1", admin->access);
    CU_ASSERT_STRING_EQUAL(http_text(sorted, "resources.0.fileName"), "mine");
    free(id);
}

static void a_policy_decides(void)
{
    static const struct {
        const char *method, *path, *body;
        const char *interaction;
    } rows[] = {
        {"POST", "", "{\"fileName\":\"a\",\"contentType\":\"a/b\"}", "create"},
        {"GET", "", NULL, "search"},
        {"GET", "id", NULL, "read"},
        {"PATCH", "id", "{\"fileName\":\"b\"}", "update"},
        {"POST", "id", "{\"fileName\":\"a\",\"contentType\":\"a/b\"}", "update"},
        {"DELETE", "id", NULL, "delete"},
    };
    static const char *const interactions[] = {"create", "search", "read", "update", "delete"};
    PERSON admin = person_admin(suite);
    HTTP_ANSWER before = http_get(suite_url(suite), "/v1/project/settings", admin->access);
    char *restore = strdup(http_text(before, "defaultPatientAccessPolicy"));

    for (size_t p = 0; p < ARRAY_SIZE(interactions); p++) {
        char policy[256], value[128];

        snprintf(policy, sizeof(policy),
                 "{\"name\":\"P\",\"resource\":[{\"resourceType\":\"DocumentReference\","
                 "\"interaction\":[\"%s\"]},{\"resourceType\":\"Bot\"}]}",
                 interactions[p]);
        HTTP_ANSWER made = ask("POST", "/v1/project/access-policies", admin->access, policy);
        CHECK_STATUS(made, 200);
        snprintf(value, sizeof(value), "{\"value\":\"AccessPolicy/%s\"}", http_text(made, "id"));
        HTTP_ANSWER set =
            ask("PUT", "/v1/project/default-patient-access-policy", admin->access, value);
        CHECK_STATUS(set, 200);
        PERSON bound = person_register(suite, NULL);
        char *id = document_put(suite, patient->access, "a", "a/b", "xyz", 3);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            bool may = strcmp(rows[i].interaction, interactions[p]) == 0;
            HTTP_ANSWER answer =
                ask(rows[i].method, *rows[i].path ? document_path(id) : "/document", bound->access,
                    rows[i].body);

            UNIT_CHECK(answer->status == (may ? 200 : 403), "%s %s with %s: %d", rows[i].method,
                       rows[i].path, interactions[p], answer->status);
            if (!may)
                CHECK_ERROR(answer, 403, "Forbidden");
        }
        free(id);
    }
    char value[128];
    snprintf(value, sizeof(value), "{\"value\":\"%s\"}", restore);
    HTTP_ANSWER back =
        ask("PUT", "/v1/project/default-patient-access-policy", admin->access, value);
    CHECK_STATUS(back, 200);
    free(restore);
}

static void a_wiped_account_takes_its_documents_along(void)
{
    PERSON going = person_register(suite, NULL);
    char *mine = document_put(suite, patient->access, "mine", "a/b", "xyz", 3);
    size_t files = stored_files(suite);
    char *bytes = test_bytes(100000, 9);

    for (int i = 0; i < 3; i++)
        free(document_put(suite, going->access, "theirs", "a/b", bytes, 100000));
    HTTP_ANSWER replaced = ask("POST", "/document", going->access,
                               "{\"fileName\":\"a\",\"contentType\":\"a/b\",\"isPublic\":true}");
    HTTP_ANSWER uploaded = document_upload(suite, replaced, bytes, 70000);
    CHECK_STATUS(uploaded, 204);
    CU_ASSERT_EQUAL(stored_files(suite), files + 4);
    HTTP_ANSWER gone = ask("DELETE", "/auth/delete", going->access, "{\"days\":0,\"wipe\":true}");
    CHECK_STATUS(gone, 200);
    CU_ASSERT_TRUE(stored_files_become(suite, files, 15000));
    char path[200];
    snprintf(path, sizeof(path), "/document/public/%s", http_text(replaced, "publicToken"));
    HTTP_ANSWER public = http_get(suite_url(suite), path, NULL);
    CHECK_ERROR(public, 404, not_found);
    HTTP_ANSWER read = document_get(suite, patient->access, mine);
    CHECK_BYTES(read, "xyz", 3);
    free(bytes);
    free(mine);
}

static void what_was_never_uploaded_is_swept(void)
{
    PERSON other = person_register(suite, NULL);
    HTTP_ANSWER empty = document_make(suite, other->access, "empty", "a/b");
    HTTP_ANSWER full = document_make(suite, other->access, "full", "a/b");
    HTTP_ANSWER uploaded = document_upload(suite, full, "xyz", 3);
    CHECK_STATUS(uploaded, 204);
    size_t files = stored_files(suite);

    suite_set_clock(suite, 23 * 3600);
    usleep(1500000);
    PERSON same = person_sign_in(suite, "Patient", other->email, other->password, NULL);
    check_list(same->access, "?_sort=fileName", "empty full", 2);
    suite_set_clock(suite, 25 * 3600);
    for (int i = 0; i < 50; i++) {
        HTTP_ANSWER list = http_get(suite_url(suite), "/document", same->access);
        if (json_integer_value(http_member(list, "total")) == 1)
            break;
        usleep(100000);
    }
    PERSON later = person_sign_in(suite, "Patient", other->email, other->password, NULL);
    check_list(later->access, "", "full", 1);
    CU_ASSERT_TRUE(stored_files(suite) <= files);
    HTTP_ANSWER read = document_get(suite, later->access, http_text(full, "id"));
    CHECK_BYTES(read, "xyz", 3);
    HTTP_ANSWER late = document_upload(suite, empty, "xyz", 3);
    CHECK_ERROR(late, 403, "The upload form is invalid or has expired. Request a new one.");
    suite_set_clock(suite, 0);
}

static void replaced_bytes_are_swept(void)
{
    char *id = document_put(suite, patient->access, "a", "a/b", "old", 3);
    size_t files = stored_files(suite);
    HTTP_ANSWER replaced = ask("POST", document_path(id), patient->access,
                               "{\"fileName\":\"a\",\"contentType\":\"a/b\"}");
    HTTP_ANSWER uploaded = document_upload(suite, replaced, "new", 3);
    CHECK_STATUS(uploaded, 204);
    suite_set_clock(suite, 900);
    for (int i = 0; i < 50 && stored_files(suite) > files; i++)
        usleep(100000);
    CU_ASSERT_TRUE(stored_files(suite) <= files);
    suite_set_clock(suite, 0);
    HTTP_ANSWER read = document_get(suite, patient->access, id);
    CHECK_BYTES(read, "new", 3);
    free(id);
}

static void every_change_is_audited(void)
{
    HTTP_ANSWER made = document_make(suite, patient->access, "a", "a/b");
    const char *id = http_text(made, "id");
    HTTP_ANSWER uploaded = document_upload(suite, made, "x", 1);
    HTTP_ANSWER shared = ask("PATCH", document_path(id), patient->access, "{\"isPublic\":true}");
    HTTP_ANSWER replaced = ask("POST", document_path(id), patient->access,
                               "{\"fileName\":\"a\",\"contentType\":\"a/b\"}");
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
    char sql[512];

    CHECK_STATUS(uploaded, 204);
    CHECK_STATUS(shared, 200);
    CHECK_STATUS(replaced, 200);
    CHECK_STATUS(gone, 200);
    snprintf(sql, sizeof(sql),
             "select string_agg(event->>'action' || coalesce(':' || (event->>'detail'), ''), ' ' "
             "order by id) from doc.audit where entity = 'DocumentReference/%s'",
             id);
    char *trail = suite_query(suite, sql);
    CU_ASSERT_STRING_EQUAL(trail, "document.create document.upload document.update:public "
                                  "document.replace document.delete");
    free(trail);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_document_is_created_uploaded_read_and_deleted),
    CASE(files_of_all_sizes_come_back),
    CASE(bad_requests_are_refused),
    CASE(an_unchanged_file_is_304),
    CASE(a_new_name_or_type_is_seen_by_caches),
    CASE(ranges_are_served),
    CASE(a_range_of_another_version_is_the_whole),
    CASE(active_files_are_attachments),
    CASE(names_are_encoded),
    CASE(documents_are_listed),
    CASE(documents_are_found_by_name_and_kind),
    CASE(pages_of_a_kind_do_not_overlap),
    CASE(a_list_is_as_the_database_has_it),
    CASE(a_public_token_opens_one_file),
    CASE(a_document_can_be_public_from_the_start),
    CASE(tokens_are_not_in_the_database),
    CASE(a_replacement_serves_when_it_is_complete),
    CASE(the_later_form_wins),
    CASE(a_new_name_outlives_the_upload),
    CASE(documents_of_other_authors_are_hidden),
    CASE(a_policy_decides),
    CASE(every_change_is_audited),
    CASE(a_wiped_account_takes_its_documents_along),
    CASE(replaced_bytes_are_swept),
    CASE(what_was_never_uploaded_is_swept),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "docd=2", .test_clock = true});
    patient = person_register(suite, NULL);
    return unit_run("documents", cases, ARRAY_SIZE(cases));
}
