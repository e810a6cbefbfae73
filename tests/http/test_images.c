/*
 * test_images.c - resized images on both routes: caching, sharing, ETag, Range, errors for other
 * files, and deletion with the document. See tests/integration/test_docd_image.c for pixels.
 *
 * tier: time
 */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/document.h"
#include "tests/support/unit.h"

enum { MANY = 10 };

static struct suite *suite;
static struct person *patient;

static struct http_answer *get(const struct person *who, const char *path, const char *query,
                               const char *header)
{
    char text[512];

    snprintf(text, sizeof(text), "%s%s", path, query);
    return http_call(suite_url(suite), &(struct http_request){.path = text,
                                                              .bearer = who ? who->access : NULL,
                                                              .headers = {header}});
}

static void check_sides(const struct http_answer *answer, int width, int height, const char *label)
{
    char *type = http_header(answer, "Content-Type");
    int real_width, real_height;

    test_png_sides(answer, &real_width, &real_height);
    UNIT_CHECK(answer->status == 200 && real_width == width && real_height == height && type &&
                   strcmp(type, "image/png") == 0,
               "%s: %d %s, %d x %d", label, answer->status, type ? type : "-", real_width,
               real_height);
    free(type);
}

static void check_header(const struct http_answer *answer, const char *name, const char *want)
{
    char *value = http_header(answer, name);

    UNIT_CHECK(value && strcmp(value, want) == 0, "%s: %s", name, value ? value : "-");
    free(value);
}

static char *put_picture(int width, int height)
{
    size_t size;
    char *png = test_png(width, height, &size);
    char *id = document_put(suite, patient->access, "picture.png", "image/png", png, size);

    free(png);
    return id;
}

static long counted(const char *name)
{
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    size_t length = strlen(name);
    long sum = 0;

    for (const char *line = metrics->body; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && strchr(line, ' '))
            sum += strtol(strchr(line, ' ') + 1, NULL, 10);
    }
    return sum;
}

#define DECODES counted("atrium_doc_image_decodes_total{")

static void a_picture_is_resized(void)
{
    static const struct {
        const char *query;
        int width, height;
    } rows[] = {
        {"?width=100&height=50", 100, 50},
        {"?width=100&height=50&fit=cover", 100, 50},
        {"?width=100&height=50&fit=contain", 100, 50},
        {"?width=100&height=50&fit=fill", 100, 50},
        {"?width=100&height=50&fit=inside", 67, 50},
        {"?width=100&height=50&fit=outside", 100, 75},
        {"?width=100", 100, 75},
        {"?height=30", 40, 30},
        {"?width=800&height=1&fit=fill", 800, 1},
        {"?fit=fill", 400, 300}, /* fit without a size: the original file */
        {"", 400, 300},
    };
    char *id = put_picture(400, 300);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = get(patient, document_path(id), rows[i].query, NULL);

        check_sides(answer, rows[i].width, rows[i].height, rows[i].query);
    }
    HTTP_ANSWER answer = get(patient, document_path(id), "?width=10", NULL);
    char *sniffed = http_header(answer, "X-Content-Type-Options");
    char *disposition = http_header(answer, "Content-Disposition");
    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(sniffed && strcmp(sniffed, "nosniff") == 0);
    CU_ASSERT_TRUE(disposition && strstr(disposition, "picture.png"));
    free(sniffed);
    free(disposition);
    free(id);
}

static void tags_and_ranges_are_honoured(void)
{
    char *id = put_picture(700, 500), header[128];
    HTTP_ANSWER whole = get(patient, document_path(id), "", NULL);
    HTTP_ANSWER wide = get(patient, document_path(id), "?width=600", NULL);
    HTTP_ANSWER narrow = get(patient, document_path(id), "?width=60", NULL);
    char *etag = http_header(wide, "ETag"), *other = http_header(narrow, "ETag"),
         *original = http_header(whole, "ETag");
    long decodes = DECODES;

    CU_ASSERT_FATAL(etag && other && original);
    CU_ASSERT_STRING_NOT_EQUAL(etag, other);
    CU_ASSERT_STRING_NOT_EQUAL(etag, original);
    snprintf(header, sizeof(header), "If-None-Match: %s", etag);
    HTTP_ANSWER same = get(patient, document_path(id), "?width=600", header);
    CHECK_STATUS(same, 304);
    HTTP_ANSWER another = get(patient, document_path(id), "?width=60", header);
    CHECK_STATUS(another, 200);
    snprintf(header, sizeof(header), "ETag: %s", etag);
    HTTP_ANSWER named = get(patient, document_path(id), "?width=600", header);
    CHECK_STATUS(named, 304);
    CU_ASSERT_EQUAL(named->size, 0);
    HTTP_ANSWER part = get(patient, document_path(id), "?width=600", "Range: bytes=1-3");
    CHECK_STATUS(part, 206);
    CU_ASSERT_TRUE(part->size == 3 && memcmp(part->body, "PNG", 3) == 0);
    HTTP_ANSWER head =
        http_call(suite_url(suite), &(struct http_request){.method = "HEAD",
                                                           .path = document_path(id),
                                                           .bearer = patient->access});
    CHECK_STATUS(head, 200);
    CU_ASSERT_EQUAL(DECODES, decodes);
    free(etag);
    free(other);
    free(original);
    free(id);
}

static void share(const char *id, char path[static 256])
{
    HTTP_ANSWER shared =
        http_call(suite_url(suite), &(struct http_request){.method = "PATCH",
                                                           .path = document_path(id),
                                                           .bearer = patient->access,
                                                           .raw = "{\"isPublic\":true}"});

    snprintf(path, 256, "/document/public/%s", http_text(shared, "publicToken"));
}

static void the_public_route_resizes_too(void)
{
    char *id = put_picture(120, 90), path[256], header[128];
    share(id, path);
    HTTP_ANSWER found = get(NULL, path, "?width=60&height=60&fit=inside", NULL);
    check_sides(found, 60, 45, "public");
    char *etag = http_header(found, "ETag");
    snprintf(header, sizeof(header), "If-None-Match: %s", etag);
    HTTP_ANSWER same = get(NULL, path, "?width=60&height=60&fit=inside", header);
    CHECK_STATUS(same, 304);
    HTTP_ANSWER bad = get(NULL, path, "?width=0", NULL);
    CHECK_PROBLEM(bad, "width");
    /* any cache can store a public document, for the configured time */
    check_header(found, "Cache-Control", "public, max-age=60, must-revalidate");
    check_header(same, "Cache-Control", "public, max-age=60, must-revalidate");
    check_header(bad, "Cache-Control", "no-store");
    HTTP_ANSWER own = get(patient, document_path(id), "", NULL);
    check_header(own, "Cache-Control", "private, no-cache");
    free(etag);
    free(id);
}

/* A black WebP of 16 x 12 pixels with a GPS position. */
static const char placed[] = "RIFF\x6e\0\0\0WEBP"
                             "VP8X\x0a\0\0\0\x08\0\0\0\x0f\0\0\x0b\0\0"
                             "VP8 \x18\0\0\0\x30\1\0\x9d\1\x2a\x10\0\x0c\0"
                             "\2\0\x34\x25\xa4\0\3\x70\0\xfe\xfb\xfd\x50\0"
                             "EXIF\x30\0\0\0Exif\0\0II*\0\x08\0\0\0\1\0"
                             "\x0e\1\2\0\x10\0\0\0\x1a\0\0\0\0\0\0\0GPS47.37N08.54E\0";

static void a_resized_picture_does_not_say_where_it_was_taken(void)
{
    static const char place[] = "GPS47.37N";
    char *id = document_put(suite, patient->access, "here.webp", "image/webp", placed,
                            sizeof(placed) - 1),
         path[256];
    share(id, path);
    HTTP_ANSWER whole = get(NULL, path, "", NULL);
    CHECK_BYTES(whole, placed, sizeof(placed) - 1);
    HTTP_ANSWER public = get(NULL, path, "?width=8", NULL);
    HTTP_ANSWER own = get(patient, document_path(id), "?height=6", NULL);
    const struct http_answer *answers[] = {public, own};

    for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
        CHECK_STATUS(answers[i], 200);
        check_header(answers[i], "Content-Type", "image/webp");
        CU_ASSERT_TRUE(answers[i]->size > 20 && memcmp(answers[i]->body + 8, "WEBPVP8 ", 8) == 0);
        CU_ASSERT_PTR_NULL(memmem(answers[i]->body, answers[i]->size, place, strlen(place)));
    }
    free(id);
}

static void a_name_follows_the_format(void)
{
    static const char gif[] = "GIF89a\1\0\1\0\x80\0\0\xff\xff\xff\0\0\0"
                              ",\0\0\0\0\1\0\1\0\0\2\2D\1\0;";
    static const struct {
        const char *name, *want;
    } rows[] = {
        {"cat.gif", "inline; filename=\"cat.png\"; filename*=UTF-8''cat.png"},
        {"cat.v2.GIF", "inline; filename=\"cat.v2.png\"; filename*=UTF-8''cat.v2.png"},
        {"cat", "inline; filename=\"cat\"; filename*=UTF-8''cat"},
        {"cat.png", "inline; filename=\"cat.png\"; filename*=UTF-8''cat.png"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *id =
                 document_put(suite, patient->access, "before", "image/gif", gif, sizeof(gif) - 1),
             header[128];
        HTTP_ANSWER before = get(patient, document_path(id), "?width=2", NULL);
        HTTP_ANSWER renamed =
            http_call(suite_url(suite),
                      &(struct http_request){.method = "PATCH",
                                             .path = document_path(id),
                                             .bearer = patient->access,
                                             .body = json_pack("{s:s}", "fileName", rows[i].name)});
        char *etag = http_header(before, "ETag");

        snprintf(header, sizeof(header), "If-None-Match: %s", etag);
        free(etag);
        HTTP_ANSWER answer = get(patient, document_path(id), "?width=2", header);

        check_sides(answer, 2, 2, rows[i].name);
        check_header(answer, "Content-Disposition", rows[i].want);
        HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
        free(id);
    }
}

static void bad_sizes_are_refused(void)
{
    static const struct {
        const char *query, *path;
    } rows[] = {
        {"?width=0", "width"},         {"?width=6001", "width"},   {"?width=-1", "width"},
        {"?width=ten", "width"},       {"?width=1.5", "width"},    {"?width=", "width"},
        {"?height=0", "height"},       {"?height=6001", "height"}, {"?width=9&fit=crop", "fit"},
        {"?width=9&fit=COVER", "fit"},
    };
    char *id = put_picture(20, 20);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = get(patient, document_path(id), rows[i].query, NULL);

        UNIT_CHECK(CHECK_PROBLEM(answer, rows[i].path), "%s", rows[i].query);
    }
    HTTP_ANSWER largest = get(patient, document_path(id), "?width=6000&height=1&fit=fill", NULL);
    check_sides(largest, 6000, 1, "the largest");
    free(id);
}

static void check_message(const struct http_answer *answer, const char *path, const char *message)
{
    CHECK_STATUS(answer, 422);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "message.0.path"), path);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "message.0.message"), message);
}

static void what_is_no_image_is_refused(void)
{
    static const char svg[] =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>";
    static const char no_image[] = "needs a JPEG, PNG, WebP, GIF, HEIF or AVIF image";
    size_t size;
    char *png = test_png(200, 200, &size);
    char *drawing =
        document_put(suite, patient->access, "d.png", "image/png", svg, sizeof(svg) - 1);
    char *text = document_put(suite, patient->access, "t.txt", "text/plain", "text", 4);
    char *nothing = document_put(suite, patient->access, "n.png", "image/png", "", 0);
    char *cut = document_put(suite, patient->access, "c.png", "image/png", png, size / 2);

    memcpy(png + 16, "\x00\x00\xea\x60\x00\x00\xea\x60", 8); /* claims 3,600 megapixels */
    memcpy(png + 29, "\x0f\xb0\xe2\x15", 4);                 /* and its checksum */
    char *bomb = document_put(suite, patient->access, "b.png", "image/png", png, size);
    HTTP_ANSWER of_drawing = get(patient, document_path(drawing), "?width=9", NULL);
    check_message(of_drawing, "width", no_image);
    HTTP_ANSWER of_text = get(patient, document_path(text), "?height=9", NULL);
    check_message(of_text, "height", no_image);
    HTTP_ANSWER of_nothing = get(patient, document_path(nothing), "?width=9", NULL);
    check_message(of_nothing, "width", no_image);
    HTTP_ANSWER of_cut = get(patient, document_path(cut), "?width=9", NULL);
    check_message(of_cut, "width", "needs an undamaged image");
    HTTP_ANSWER of_bomb = get(patient, document_path(bomb), "?width=9", NULL);
    check_message(of_bomb, "width", "needs an image of at most 100 megapixels");
    HTTP_ANSWER absent =
        get(patient, "/document/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b", "?width=9", NULL);
    CHECK_ERROR(absent, 404, "Document not found.");
    HTTP_ANSWER made = document_make(suite, patient->access, "later.png", "image/png");
    HTTP_ANSWER early = get(patient, document_path(http_text(made, "id")), "?width=9", NULL);
    CHECK_ERROR(early, 404, "File not uploaded yet.");
    PERSON other = person_register(suite, NULL);
    HTTP_ANSWER hidden = get(other, document_path(cut), "?width=9", NULL);
    CHECK_ERROR(hidden, 404, "Document not found.");
    free(png);
    free(drawing);
    free(text);
    free(nothing);
    free(cut);
    free(bomb);
}

static void equal_requests_decode_once(void)
{
    char *id = put_picture(3000, 2000), path[128];
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    long before = DECODES;

    snprintf(path, sizeof(path), "%s?width=333", document_path(id));
    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.path = path, .bearer = patient->access};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        check_sides(answers[i], 333, 222, "one of ten");
        CU_ASSERT_EQUAL(answers[i]->size, answers[0]->size);
    }
    CU_ASSERT_EQUAL(DECODES, before + 1);
    http_answers_destroy(answers, MANY);
    HTTP_ANSWER later = get(patient, document_path(id), "?width=333", NULL);
    check_sides(later, 333, 222, "later");
    CU_ASSERT_EQUAL(DECODES, before + 1);
    free(id);
}

static void large_results_are_streamed(void)
{
    char *id = put_picture(900, 700);
    HTTP_ANSWER first = get(patient, document_path(id), "?width=2000&height=1500&fit=fill", NULL);
    HTTP_ANSWER again = get(patient, document_path(id), "?width=2000&height=1500&fit=fill", NULL);
    HTTP_ANSWER end =
        get(patient, document_path(id), "?width=2000&height=1500&fit=fill", "Range: bytes=-8");

    check_sides(first, 2000, 1500, "large");
    CU_ASSERT_TRUE(first->size > 300 * 1024);
    CHECK_BYTES(again, first->body, first->size);
    CHECK_STATUS(end, 206);
    CU_ASSERT_TRUE(end->size == 8 && memcmp(end->body, first->body + first->size - 8, 8) == 0);
    free(id);
}

static void variants_go_with_their_document(void)
{
    char *id = put_picture(60, 40);
    size_t before = stored_files(suite);
    HTTP_ANSWER small = get(patient, document_path(id), "?width=9", NULL);
    HTTP_ANSWER large = get(patient, document_path(id), "?width=99", NULL);

    CHECK_STATUS(small, 200);
    CHECK_STATUS(large, 200);
    CU_ASSERT_EQUAL(stored_files(suite), before + 2);
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
    CHECK_STATUS(gone, 200);
    CU_ASSERT_EQUAL(stored_files(suite), before - 1);
    HTTP_ANSWER after = get(patient, document_path(id), "?width=9", NULL);
    CHECK_ERROR(after, 404, "Document not found.");
    free(id);
}

static void a_new_file_has_new_variants(void)
{
    static const char name[] = "{\"fileName\":\"new.png\",\"contentType\":\"image/png\"}";
    char *id = put_picture(60, 40);
    size_t size;
    char *png = test_png(40, 60, &size);
    HTTP_ANSWER before = get(patient, document_path(id), "?width=20", NULL);
    HTTP_ANSWER replaced =
        http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                           .path = document_path(id),
                                                           .bearer = patient->access,
                                                           .raw = name});
    HTTP_ANSWER meanwhile = get(patient, document_path(id), "?width=20", NULL);
    HTTP_ANSWER uploaded = document_upload(suite, replaced, png, size);
    HTTP_ANSWER after = get(patient, document_path(id), "?width=20", NULL);

    check_sides(before, 20, 13, "before");
    check_sides(meanwhile, 20, 13, "meanwhile");
    CHECK_STATUS(uploaded, 204);
    check_sides(after, 20, 30, "after");
    free(png);
    free(id);
}

static void deaths_leave_nothing_in_the_way(void)
{
    char *id = put_picture(3000, 2000), paths[MANY][128];
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];

    for (int round = 0; round < 4; round++) {
        const char *instance = round % 2 ? "2" : "1";
        pid_t pid = suite_pid(suite, "docd", instance), child = fork();

        if (child == 0) {
            usleep(120000 + 40000 * (useconds_t)round);
            kill(pid, SIGKILL);
            _exit(0);
        }
        for (int i = 0; i < MANY; i++) {
            snprintf(paths[i], sizeof(paths[i]), "%s?width=%d", document_path(id),
                     100 * round + i + 1);
            requests[i] = (struct http_request){.path = paths[i], .bearer = patient->access};
        }
        http_call_many(suite_url(suite), requests, MANY, MANY, answers);
        for (int i = 0; i < MANY; i++)
            UNIT_CHECK(answers[i]->status == 200 || answers[i]->status == 503, "%d",
                       answers[i]->status);
        http_answers_destroy(answers, MANY);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", instance, pid));
        http_call_many(suite_url(suite), requests, MANY, MANY, answers);
        for (int i = 0; i < MANY; i++)
            check_sides(answers[i], 100 * round + i + 1,
                        (int)((100 * round + i + 1) * 2 / 3.0 + 0.5), "again");
        http_answers_destroy(answers, MANY);
    }
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
    CHECK_STATUS(gone, 200);
    free(id);
}

static pid_t parent_of(pid_t pid)
{
    char path[64], text[512] = "";
    pid_t parent = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (!file)
        return 0;
    if (fgets(text, sizeof(text), file) && strrchr(text, ')'))
        sscanf(strrchr(text, ')'), ") %*c %d", &parent);
    fclose(file);
    return parent;
}

/* Returns the descendant `steps` levels below `ancestor` (keeper, process, decoder), or 0. */
static pid_t descendant_of(pid_t ancestor, int steps)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    pid_t found = 0;

    while (processes && !found && (entry = readdir(processes))) {
        pid_t pid = (pid_t)atoi(entry->d_name), at = pid;

        for (int i = 0; i < steps && at > 1; i++)
            at = parent_of(at);
        found = pid > 1 && at == ancestor ? pid : 0;
    }
    if (processes)
        closedir(processes);
    return found;
}

static pid_t kill_decoder_soon(int steps)
{
    pid_t one = suite_pid(suite, "docd", "1"), two = suite_pid(suite, "docd", "2"), child = fork();

    if (child != 0)
        return child;
    for (int i = 0; i < 2000; i++) {
        pid_t decoder = descendant_of(one, steps);

        if (decoder == 0)
            decoder = descendant_of(two, steps);
        if (decoder != 0) {
            usleep(100000); /* in the middle of decoding */
            kill(decoder, SIGKILL);
            _exit(0);
        }
        usleep(5000);
    }
    _exit(1);
}

static char *put_large_picture(void)
{
    size_t size;
    char *png = test_png_bits(10000, 10000, &size);
    char *id = document_put(suite, patient->access, "large.png", "image/png", png, size);

    free(png);
    return id;
}

static void a_decoder_that_dies_costs_one_answer(void)
{
    enum { DECODER = 3, PROCESS = 2 };
    char *id = put_large_picture();
    pid_t docd = suite_pid(suite, "docd", "1");

    for (int steps = DECODER; steps >= PROCESS; steps--) {
        char query[32], again[32];
        int status = 1;
        pid_t child;

        /* restart docd to end the decoders of earlier images */
        suite_signal(suite, "docd", "1", SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", docd));
        docd = suite_pid(suite, "docd", "2");
        suite_signal(suite, "docd", "2", SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "2", docd));
        docd = suite_pid(suite, "docd", "1");
        snprintf(query, sizeof(query), "?width=%d", 700 + steps);
        snprintf(again, sizeof(again), "?width=%d", 710 + steps);
        child = kill_decoder_soon(steps);
        HTTP_ANSWER lost = get(patient, document_path(id), query, NULL);
        /* the gateway may have used the other instance, where nothing died */
        UNIT_CHECK(lost->status == 503 || lost->status == 200, "%d", lost->status);
        CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
        CU_ASSERT_EQUAL(status, 0);
        HTTP_ANSWER made = get(patient, document_path(id), again, NULL);
        check_sides(made, 710 + steps, 710 + steps, "after that");
        HTTP_ANSWER next = get(patient, document_path(id), query, NULL);
        check_sides(next, 700 + steps, 700 + steps, "the same again");
        CU_ASSERT_EQUAL(suite_pid(suite, "docd", "1"), docd);
    }
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
    free(id);
}

enum { LARGE_READS = 24, THUMBNAILS = 40 };

static char *public_path(const char *id)
{
    char *path = NULL;
    HTTP_ANSWER shared = http_call(
        suite_url(suite), &(struct http_request){.method = "PATCH",
                                                 .path = document_path(id),
                                                 .bearer = patient->access,
                                                 .body = json_pack("{s:b}", "isPublic", 1)});

    CU_ASSERT(asprintf(&path, "/document/public/%s", http_text(shared, "publicToken")) > 0);
    return path;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Requests thumbnails, each of its own size, and returns the second-slowest one's time in seconds:
 * the slowest may wait for its decoder to start. */
static double slowest_thumbnail(const char *path, int first)
{
    double seconds[THUMBNAILS];

    for (int i = 0; i < THUMBNAILS; i++) {
        char query[256];

        snprintf(query, sizeof(query), "%s?width=%d", path, first + i);
        HTTP_ANSWER answer = http_call(
            suite_url(suite), &(struct http_request){.path = query, .source = "127.7.7.7"});
        CHECK_STATUS(answer, 200);
        seconds[i] = answer->seconds;
    }
    qsort(seconds, THUMBNAILS, sizeof(*seconds), by_time);
    UNIT_CHECK(seconds[THUMBNAILS - 1] < 1, "the slowest took %.3f s", seconds[THUMBNAILS - 1]);
    return seconds[THUMBNAILS - 2];
}

/* Requests the image in many sizes concurrently, and waits until each is served or rejected by the
 * limit. */
static pid_t read_large(const char *path)
{
    struct http_request requests[LARGE_READS];
    struct http_answer *answers[LARGE_READS];
    char paths[LARGE_READS][256];
    pid_t child = fork();
    int wrong = 0;

    if (child != 0)
        return child;
    for (int i = 0; i < LARGE_READS; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s?width=%d", path, 1000 + i);
        requests[i] = (struct http_request){.path = paths[i], .source = "127.6.6.6"};
    }
    http_call_many(suite_url(suite), requests, LARGE_READS, LARGE_READS, answers);
    for (int i = 0; i < LARGE_READS; i++) {
        if (answers[i]->status == 200 || answers[i]->status == 429)
            continue;
        fprintf(stderr, "large picture %d: %d\n", i, answers[i]->status);
        wrong++;
    }
    _exit(wrong > 0);
}

static void large_pictures_delay_no_other_client(void)
{
    char *large = put_large_picture(), *small = put_picture(800, 600);
    char *large_path = public_path(large), *small_path = public_path(small);
    double alone = slowest_thumbnail(small_path, 100), beside;
    int status = 1;
    pid_t child = read_large(large_path);

    usleep(500000);
    beside = slowest_thumbnail(small_path, 200);
    UNIT_CHECK(beside <= 2 * alone + 0.05, "%.3f s alone, %.3f s beside large pictures", alone,
               beside);
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    CU_ASSERT_EQUAL(status, 0);
    HTTP_ANSWER first = http_delete(suite_url(suite), document_path(large), patient->access);
    HTTP_ANSWER second = http_delete(suite_url(suite), document_path(small), patient->access);
    free(large_path);
    free(small_path);
    free(large);
    free(small);
}

static void the_scene_is_set(void)
{
    patient = person_register(suite, NULL);
    CU_ASSERT_FATAL(patient->status == 200);
}

static void the_suite_ends(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_picture_is_resized),
    CASE(tags_and_ranges_are_honoured),
    CASE(the_public_route_resizes_too),
    CASE(a_resized_picture_does_not_say_where_it_was_taken),
    CASE(a_name_follows_the_format),
    CASE(bad_sizes_are_refused),
    CASE(what_is_no_image_is_refused),
    CASE(equal_requests_decode_once),
    CASE(large_results_are_streamed),
    CASE(variants_go_with_their_document),
    CASE(a_new_file_has_new_variants),
    CASE(deaths_leave_nothing_in_the_way),
    CASE(a_decoder_that_dies_costs_one_answer),
    CASE(large_pictures_delay_no_other_client),
    CASE_ALWAYS(the_suite_ends),
};

int main(void)
{
    suite = suite_start(
        &(struct suite_options){.instances = "docd=2", .set = "docd.public_max_age=60"});
    return unit_run("images", cases, ARRAY_SIZE(cases));
}
