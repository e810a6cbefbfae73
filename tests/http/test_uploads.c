/*
 * test_uploads.c - upload forms over HTTP: accepted variants, and forged, altered or truncated
 * forms, which are refused with their status and leave nothing.
 */
#include <CUnit/CUnit.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/document.h"
#include "tests/support/program.h"
#include "tests/support/unit.h"

enum { UPLOAD_MAX = 2 * 1024 * 1024 };

static const char forged[] = "The upload form is invalid or has expired. Request a new one.";
static const char malformed[] = "The form is malformed.";

static struct suite *suite;
static struct person *patient;

static struct http_answer *fresh(void)
{
    return document_make(suite, patient->access, "a.bin", "image/png");
}

static bool is_uploaded(const struct http_answer *made)
{
    HTTP_ANSWER read = document_get(suite, patient->access, http_text(made, "id"));

    return read->status == 200;
}

struct forgery {
    const char *label;
    const char *field, *value; /* the changed field; value NULL: removed */
    const char *extra;         /* an added field */
    const char *path;          /* NULL: unchanged */
    int status;
    const char *message;
};

static struct http_answer *post_forgery(const struct forgery *forgery,
                                        const struct http_answer *made)
{
    json_t *fields = json_deep_copy(http_member(made, "uploadOptions.fields"));
    struct form_body form;
    struct http_answer *answer;

    if (forgery->field && forgery->value)
        json_object_set_new(fields, forgery->field, json_string(forgery->value));
    else if (forgery->field)
        json_object_del(fields, forgery->field);
    if (forgery->extra)
        json_object_set_new(fields, forgery->extra, json_string("x"));
    form = form_body_of(fields, "abc", 3);
    answer = form_post(suite, forgery->path, &form);
    form_body_free(&form);
    json_decref(fields);
    return answer;
}

static void forged_fields_are_refused(void)
{
    static const struct forgery rows[] = {
        {"another key", "key", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b/x", NULL, NULL, 403, forged},
        {"a key that climbs", "key", "../../../etc/passwd", NULL, NULL, 403, forged},
        {"an empty key", "key", "", NULL, NULL, 403, forged},
        {"no key", "key", NULL, NULL, NULL, 403, forged},
        {"another type", "Content-Type", "text/html", NULL, NULL, 403, forged},
        {"no type", "Content-Type", NULL, NULL, NULL, 403, forged},
        {"another bucket", "bucket", "other", NULL, NULL, 403, forged},
        {"no bucket", "bucket", NULL, NULL, NULL, 403, forged},
        {"posted to another bucket", NULL, NULL, NULL, "/storage/other", 403, forged},
        {"posted to a bucket that climbs", NULL, NULL, NULL, "/storage/%2e%2e", 403, forged},
        {"another policy", "policy",
         "eyJleHBpcmF0aW9uIjoiMjA5OS0wMS0wMVQwMDowMDowMC4wMDBaIn0=", NULL, NULL, 403, forged},
        {"no policy", "policy", NULL, NULL, NULL, 403, forged},
        {"another signature", "x-amz-signature",
         "0000000000000000000000000000000000000000000000000000000000000000", NULL, NULL, 403,
         forged},
        {"a short signature", "x-amz-signature", "00", NULL, NULL, 403, forged},
        {"no signature", "x-amz-signature", NULL, NULL, NULL, 403, forged},
        {"another algorithm", "x-amz-algorithm", "none", NULL, NULL, 403, forged},
        {"somebody else's credential", "x-amz-credential", "me/20260101/local/s3/aws4_request",
         NULL, NULL, 403, forged},
        {"another date", "x-amz-date", "20990101T000000Z", NULL, NULL, 403, forged},
        {"another field", NULL, NULL, "acl", NULL, 403, forged},
        {"a status of one's own", NULL, NULL, "success_action_status", NULL, 403, forged},
        {"a redirection", NULL, NULL, "success_action_redirect", NULL, 403, forged},
        {"a key twice, in another case", NULL, NULL, "KEY", NULL, 403, forged},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made = fresh();
        HTTP_ANSWER answer = post_forgery(&rows[i], made);

        if (!CHECK_ERROR(answer, rows[i].status, rows[i].message))
            fprintf(stderr, "  %s\n", rows[i].label);
        UNIT_CHECK(!is_uploaded(made), "%s", rows[i].label);
    }
    CU_ASSERT_EQUAL(stored_files(suite), 0);
}

static void forms_cannot_be_mixed(void)
{
    HTTP_ANSWER mine = fresh();
    HTTP_ANSWER other = fresh();
    const char *name;
    json_t *value, *theirs = http_member(other, "uploadOptions.fields");

    json_object_foreach(theirs, name, value)
    {
        struct forgery forgery = {.field = name, .value = json_string_value(value)};

        if (strcmp(name, "key") != 0 && strcmp(name, "policy") != 0 &&
            strcmp(name, "x-amz-signature") != 0)
            continue; /* equal in both */
        HTTP_ANSWER answer = post_forgery(&forgery, mine);
        CHECK_ERROR(answer, 403, forged);
    }
    CU_ASSERT_FALSE(is_uploaded(mine));
    CU_ASSERT_FALSE(is_uploaded(other));
}

static void forms_expire(void)
{
    HTTP_ANSWER made = fresh();
    struct forgery none = {.field = NULL};

    suite_set_clock(suite, 3605);
    HTTP_ANSWER late = post_forgery(&none, made);
    CHECK_ERROR(late, 403, forged);
    suite_set_clock(suite, 3500);
    HTTP_ANSWER early = post_forgery(&none, made);
    CHECK_STATUS(early, 204);
    suite_set_clock(suite, 0);
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), document_path(http_text(made, "id")), patient->access);
    CHECK_STATUS(gone, 200);
    HTTP_ANSWER deleted = post_forgery(&none, made);
    CHECK_ERROR(deleted, 403, forged);
    CU_ASSERT_EQUAL(stored_files(suite), 0);
}

struct broken {
    const char *label;
    /* Writes the body from a valid form's fields. */
    void (*write)(struct form_body *form, json_t *fields);
    const char *type; /* replaces the form's own */
    int status;
    const char *message;
};

static void write_fields(struct form_body *form, json_t *fields)
{
    const char *name;
    json_t *value;

    json_object_foreach(fields, name, value) form_body_field(form, name, json_string_value(value));
}

static void write_no_file(struct form_body *form, json_t *fields)
{
    write_fields(form, fields);
    form_body_end(form);
}

static void write_file_first(struct form_body *form, json_t *fields)
{
    form_body_file(form, "file", "abc", 3);
    write_fields(form, fields);
    form_body_end(form);
}

static void write_file_by_another_name(struct form_body *form, json_t *fields)
{
    write_fields(form, fields);
    form_body_file(form, "upload", "abc", 3);
    form_body_end(form);
}

static void write_nul_in_a_value(struct form_body *form, json_t *fields)
{
    static const char part[] = "--------------------------4e1f9c2a7b60d385\r\n"
                               "Content-Disposition: form-data; name=\"key\"\r\n\r\na\0b\r\n";

    fwrite(part, 1, sizeof(part) - 1, form->out);
    write_fields(form, fields);
    form_body_file(form, "file", "abc", 3);
    form_body_end(form);
}

static void write_nul_in_a_name(struct form_body *form, json_t *fields)
{
    static const char part[] = "--------------------------4e1f9c2a7b60d385\r\n"
                               "Content-Disposition: form-data; name=\"k\0y\"\r\n\r\nab\r\n";

    fwrite(part, 1, sizeof(part) - 1, form->out);
    write_fields(form, fields);
    form_body_file(form, "file", "abc", 3);
    form_body_end(form);
}

static void write_large_field(struct form_body *form, json_t *fields)
{
    char *large = malloc(10 * 1024 * 1024 + 1);

    memset(large, 'a', 10 * 1024 * 1024);
    large[10 * 1024 * 1024] = '\0';
    form_body_field(form, "key", large);
    free(large);
    write_fields(form, fields);
    form_body_file(form, "file", "abc", 3);
    form_body_end(form);
}

static void write_many_fields(struct form_body *form, json_t *fields)
{
    for (int i = 0; i < 1000; i++)
        form_body_field(form, "x", "y");
    write_fields(form, fields);
    form_body_file(form, "file", "abc", 3);
    form_body_end(form);
}

static void write_no_end(struct form_body *form, json_t *fields)
{
    write_fields(form, fields);
    form_body_file(form, "file", "abc", 3);
    fflush(form->out);
    form->size -= 2;
}

static void write_garbage(struct form_body *form, json_t *fields UNUSED)
{
    fprintf(form->out, "GARBAGE\r\n\r\n");
    fflush(form->out);
}

static void write_nothing(struct form_body *form, json_t *fields UNUSED)
{
    form_body_end(form);
}

static void write_part_without_name(struct form_body *form, json_t *fields)
{
    fprintf(form->out, "--------------------------4e1f9c2a7b60d385\r\nX: y\r\n\r\nab\r\n");
    write_no_file(form, fields);
}

static void write_good(struct form_body *form, json_t *fields)
{
    write_fields(form, fields);
    form_body_file(form, "file", "abc", 3);
    form_body_end(form);
}

static void write_too_much(struct form_body *form, json_t *fields)
{
    char *bytes = test_bytes(UPLOAD_MAX + 1, 1);

    write_fields(form, fields);
    form_body_file(form, "file", bytes, UPLOAD_MAX + 1);
    form_body_end(form);
    free(bytes);
}

static void write_far_too_much(struct form_body *form, json_t *fields)
{
    char *bytes = test_bytes(20 * UPLOAD_MAX, 1);

    write_fields(form, fields);
    form_body_file(form, "file", bytes, 20 * UPLOAD_MAX);
    form_body_end(form);
    free(bytes);
}

static void a_document_has_twenty_forms(void)
{
    HTTP_ANSWER made = fresh();
    struct http_answer *last = NULL;

    for (int i = 0; i < 40; i++) {
        http_answer_destroy(&last);
        last = http_post(suite_url(suite), document_path(http_text(made, "id")), patient->access,
                         json_pack("{s:s, s:s}", "fileName", "b.bin", "contentType", "image/png"));
        CHECK_STATUS(last, 200);
    }
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from doc.upload where document_id = '%s'",
                                http_text(made, "id")),
                    20);
    HTTP_ANSWER early = document_upload(suite, made, "abc", 3);
    CHECK_ERROR(early, 403, forged);
    HTTP_ANSWER late = document_upload(suite, last, "abc", 3);
    CHECK_STATUS(late, 204);
    http_answer_destroy(&last);
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), document_path(http_text(made, "id")), patient->access);
    CHECK_STATUS(gone, 200);
}

static void forged_forms_are_refused(void)
{
    static const char too_large[] = "Your proposed upload exceeds the maximum allowed size.";
    static const char no_form[] = "The Content-Type must be multipart/form-data.";
    static const struct broken rows[] = {
        {"no file", write_no_file, NULL, 400, "The form has no field `file`."},
        {"a file of another name", write_file_by_another_name, NULL, 400,
         "The form has no field `file`."},
        {"the file first", write_file_first, NULL, 403, forged},
        {"NUL in a value", write_nul_in_a_value, NULL, 400, malformed},
        {"NUL in a name", write_nul_in_a_name, NULL, 400, malformed},
        {"a field of 10 MiB", write_large_field, NULL, 400, "The form's fields are too large."},
        {"a thousand fields", write_many_fields, NULL, 400, "The form has too many fields."},
        {"a part without a name", write_part_without_name, NULL, 400, malformed},
        {"no end", write_no_end, NULL, 400, malformed},
        {"garbage", write_garbage, NULL, 400, "The form has no field `file`."},
        {"nothing", write_nothing, NULL, 400, "The form has no field `file`."},
        {"a byte too much", write_too_much, NULL, 400, too_large},
        {"far too much", write_far_too_much, NULL, 400, too_large},
        {"no form", write_good, " application/octet-stream", 415, no_form},
        {"no boundary", write_good, " multipart/form-data", 415, no_form},
        {"JSON", write_good, " application/json", 415, no_form},
        {"another boundary", write_good, " multipart/form-data; boundary=xyz", 400,
         "The form has no field `file`."},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made = fresh();
        struct form_body form;

        form_body_begin(&form);
        rows[i].write(&form, http_member(made, "uploadOptions.fields"));
        if (rows[i].type)
            snprintf(form.type, sizeof(form.type), "%s", rows[i].type);
        HTTP_ANSWER answer = form_post(suite, NULL, &form);
        if (!CHECK_ERROR(answer, rows[i].status, rows[i].message))
            fprintf(stderr, "  %s\n", rows[i].label);
        CU_ASSERT_EQUAL(strcmp(http_text(answer, "code"), "EntityTooLarge") == 0,
                        rows[i].message == too_large);
        UNIT_CHECK(!is_uploaded(made), "%s", rows[i].label);
        form_body_free(&form);
    }
    CU_ASSERT_TRUE(stored_files_become(suite, 0, 5000));
    char *objects = suite_query(suite, "select count(*) from doc.object");
    CU_ASSERT_STRING_EQUAL(objects, "0");
    free(objects);
}

static void write_fields_behind(struct form_body *form, json_t *fields)
{
    write_fields(form, fields);
    form_body_file(form, "file", "abc", 3);
    form_body_field(form, "key", "ignored");
    form_body_field(form, "x", "ignored");
    form_body_end(form);
}

static void write_upper_case(struct form_body *form, json_t *fields)
{
    const char *name;
    json_t *value;

    json_object_foreach(fields, name, value)
    {
        char upper[64] = "";

        for (size_t i = 0; name[i] && i < sizeof(upper) - 1; i++)
            upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 32 : name[i]);
        form_body_field(form, upper, json_string_value(value));
    }
    form_body_file(form, "file", "abc", 3);
    form_body_end(form);
}

static void good_forms_are_taken(void)
{
    static void (*const rows[])(struct form_body * form, json_t * fields) = {
        write_good, write_fields_behind, write_upper_case};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made = fresh();
        struct form_body form;

        form_body_begin(&form);
        rows[i](&form, http_member(made, "uploadOptions.fields"));
        HTTP_ANSWER answer = form_post(suite, NULL, &form);
        UNIT_CHECK(answer->status == 204, "row %zu: %d %s", i, answer->status, answer->body);
        HTTP_ANSWER read = document_get(suite, patient->access, http_text(made, "id"));
        CHECK_BYTES(read, "abc", 3);
        form_body_free(&form);
        HTTP_ANSWER gone =
            http_delete(suite_url(suite), document_path(http_text(made, "id")), patient->access);
        CHECK_STATUS(gone, 200);
    }
}

static void exactly_the_limit_is_taken(void)
{
    HTTP_ANSWER made = fresh();
    char *bytes = test_bytes(UPLOAD_MAX, 2);
    HTTP_ANSWER answer = document_upload(suite, made, bytes, UPLOAD_MAX);
    HTTP_ANSWER read = document_get(suite, patient->access, http_text(made, "id"));

    CHECK_STATUS(answer, 204);
    CHECK_BYTES(read, bytes, UPLOAD_MAX);
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), document_path(http_text(made, "id")), patient->access);
    CHECK_STATUS(gone, 200);
    free(bytes);
}

static void a_client_that_goes_away_leaves_nothing(void)
{
    char *bytes = test_bytes(UPLOAD_MAX, 3);
    HTTP_ANSWER made = fresh();
    struct form_body form =
        form_body_of(http_member(made, "uploadOptions.fields"), bytes, UPLOAD_MAX);
    static const size_t cuts[] = {100, 3000, 300 * 1024, 1500 * 1024};

    for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
        int file = form_open(suite, &form, NULL);

        form_send(file, form.bytes, cuts[i]);
        usleep(100000);
        close(file);
    }
    CU_ASSERT_TRUE(stored_files_become(suite, 0, 10000));
    CU_ASSERT_FALSE(is_uploaded(made));
    HTTP_ANSWER after = form_post(suite, NULL, &form);
    CHECK_STATUS(after, 204);
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), document_path(http_text(made, "id")), patient->access);
    CHECK_STATUS(gone, 200);
    form_body_free(&form);
    free(bytes);
}

/* Makes an incomplete form whose fields exceed the limit by one byte at the last byte of the file's
 * header, so it fails exactly when the file begins. */
static char *form_that_fails_at_its_file(size_t *ret_size)
{
    static const char head[] = "POST /storage/documents HTTP/1.1\r\nHost: a\r\n"
                               "Content-Length: 1000000\r\n"
                               "Content-Type: multipart/form-data; boundary=b\r\n\r\n";
    static const char field[] = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n";
    static const char file[] = "\r\n--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n";
    size_t value = 64 * 1024 + 1 - (sizeof(field) - 1) - (sizeof(file) - 1);
    size_t size = sizeof(head) - 1 + 64 * 1024 + 1;
    char *bytes = malloc(size);

    memset(bytes, 'a', size);
    memcpy(bytes, head, sizeof(head) - 1);
    memcpy(bytes + sizeof(head) - 1, field, sizeof(field) - 1);
    memcpy(bytes + sizeof(head) - 1 + sizeof(field) - 1 + value, file, sizeof(file) - 1);
    *ret_size = size;
    return bytes;
}

/* Starts a gateway without daemons, where requests wait for a second. */
static struct program *start_alone(char url[static 64])
{
    char *gateway = program_path("atrium-gateway"), path[512];
    const char *const argv[] = {gateway, "--config", path, NULL};
    struct program *program;
    FILE *config;

    snprintf(url, 64, "http://127.0.0.1:%d", unit_free_port());
    snprintf(path, sizeof(path), "%s/alone.conf", suite_dir(suite));
    config = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(config);
    fprintf(config,
            "common\n    run_dir = \"%s/alone\"\n"
            "gateway\n    listen = \"%s\"\n    admin_listen = \"127.0.0.1:%d\"\n",
            suite_dir(suite), url + strlen("http://"), unit_free_port());
    fclose(config);
    program = program_start(argv, NULL);
    free(gateway);
    return program;
}

static bool is_healthy(const char *url)
{
    HTTP_ANSWER answer = http_get(url, "/partner/health-check", NULL);

    return answer->status == 200;
}

static void send_and_reset(const char *url, const char *bytes, size_t size)
{
    const struct linger reset = {.l_onoff = 1};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    to.sin_port = htons((uint16_t)atoi(strrchr(url, ':') + 1));
    CU_ASSERT_EQUAL(connect(connection, (struct sockaddr *)&to, sizeof(to)), 0);
    CU_ASSERT_EQUAL(setsockopt(connection, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
    form_send(connection, bytes, size);
    usleep(100000);
    close(connection);
}

/* The gateway processes the request after that second. If it still used the closed connection's
 * memory, AddressSanitizer would end it. */
static void a_client_that_goes_away_while_its_form_waits_takes_nothing_along(void)
{
    char url[64];
    PROGRAM gateway = start_alone(url);
    size_t size;
    char *bytes = form_that_fails_at_its_file(&size), *answer;

    for (int i = 0; i < 500 && !is_healthy(url); i++)
        usleep(10000);
    send_and_reset(url, bytes, size);
    usleep(1500000);
    CU_ASSERT_TRUE(is_healthy(url));
    answer = http_raw(url, bytes, size, true, 3000);
    UNIT_CHECK(strstr(answer, "The form's fields are too large."), "%s", answer);
    free(answer);
    free(bytes);
    kill(gateway->pid, SIGTERM);
    CU_ASSERT_TRUE(program_wait_end(gateway, 15000));
    CHECK_EXIT(gateway, DONE);
}

/* Chunks of odd sizes, without a Content-Length. */
static void chunked_forms_are_taken(void)
{
    char *bytes = test_bytes(700000, 4), line[32];
    HTTP_ANSWER made = fresh();
    struct form_body form = form_body_of(http_member(made, "uploadOptions.fields"), bytes, 700000);
    int file = form_open(suite, &form, "Transfer-Encoding: chunked");

    for (size_t at = 0, step = 1; at < form.size; step = step * 3 % 70001) {
        size_t count = MIN(step, form.size - at);

        form_send(file, line, (size_t)snprintf(line, sizeof(line), "%zx\r\n", count));
        form_send(file, form.bytes + at, count);
        form_send(file, "\r\n", 2);
        at += count;
    }
    form_send(file, "0\r\n\r\n", 5);
    CU_ASSERT_EQUAL(form_answer(file), 204);
    HTTP_ANSWER read = document_get(suite, patient->access, http_text(made, "id"));
    CHECK_BYTES(read, bytes, 700000);
    form_body_free(&form);
    free(bytes);
}

static void slow_forms_are_taken(void)
{
    HTTP_ANSWER made = fresh();
    struct form_body form = form_body_of(http_member(made, "uploadOptions.fields"), "abc", 3);
    int file = form_open(suite, &form, NULL);

    for (size_t i = 0; i < form.size; i++) {
        form_send(file, form.bytes + i, 1);
        if (i % 100 == 0)
            usleep(1000);
    }
    CU_ASSERT_EQUAL(form_answer(file), 204);
    HTTP_ANSWER read = document_get(suite, patient->access, http_text(made, "id"));
    CHECK_BYTES(read, "abc", 3);
    form_body_free(&form);
}

static void a_refused_form_does_not_shift_answers(void)
{
    static const char next[] = "GET /partner/health-check HTTP/1.1\r\nHost: a\r\n"
                               "Connection: close\r\n\r\n";
    char *bytes = test_bytes(500000, 5), answer[4096] = "";
    struct form_body form = form_body_of(NULL, bytes, 500000);
    size_t size = 0;
    ssize_t more;
    int file = form_open(suite, &form, NULL);

    form_send(file, form.bytes, form.size);
    form_send(file, next, sizeof(next) - 1);
    while ((more = recv(file, answer + size, sizeof(answer) - 1 - size, 0)) > 0)
        size += (size_t)more;
    CU_ASSERT_EQUAL(strncmp(answer, "HTTP/1.1 403", 12), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(answer, "HTTP/1.1 200"));
    close(file);
    form_body_free(&form);
    free(bytes);
}

static void equal_forms_race(void)
{
    enum { MANY = 16, SIZE = 300000 };
    HTTP_ANSWER made = fresh();
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    struct form_body forms[MANY];
    char *bytes[MANY];
    bool whole = false;

    for (int i = 0; i < MANY; i++) {
        bytes[i] = test_bytes(SIZE, (unsigned)i + 10);
        forms[i] = form_body_of(http_member(made, "uploadOptions.fields"), bytes[i], SIZE);
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/storage/documents",
                                            .raw = forms[i].bytes,
                                            .raw_size = forms[i].size,
                                            .content_type = forms[i].type};
    }
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    HTTP_ANSWER read = document_get(suite, patient->access, http_text(made, "id"));
    for (int i = 0; i < MANY; i++) {
        CU_ASSERT_EQUAL(answers[i]->status, 204);
        whole |= read->size == SIZE && memcmp(read->body, bytes[i], SIZE) == 0;
        form_body_free(&forms[i]);
        free(bytes[i]);
    }
    CU_ASSERT_TRUE(whole);
    http_answers_destroy(answers, MANY);
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), document_path(http_text(made, "id")), patient->access);
    CHECK_STATUS(gone, 200);
}

/* Limits docd's file size, which acts like a full disk. */
static void limit_files(rlim_t size)
{
    struct rlimit limit = {size, RLIM_INFINITY};

    CU_ASSERT_EQUAL(prlimit(suite_pid(suite, "docd", "1"), RLIMIT_FSIZE, &limit, NULL), 0);
}

static void a_full_disk_is_503(void)
{
    char *bytes = test_bytes(1500000, 6);
    HTTP_ANSWER made = fresh();
    pid_t pid = suite_pid(suite, "docd", "1");
    size_t before = stored_files(suite);

    limit_files(1000000);
    HTTP_ANSWER refused = document_upload(suite, made, bytes, 1500000);
    CHECK_ERROR(refused, 503, "The file can't be stored right now. Please try again later.");
    char *retry = http_header(refused, "Retry-After");
    CU_ASSERT_PTR_NOT_NULL(retry);
    free(retry);
    CU_ASSERT_TRUE(stored_files_become(suite, before, 5000));
    HTTP_ANSWER small = fresh();
    HTTP_ANSWER taken = document_upload(suite, small, bytes, 500000);
    CHECK_STATUS(taken, 204);
    limit_files(RLIM_INFINITY);
    HTTP_ANSWER again = document_upload(suite, made, bytes, 1500000);
    CHECK_STATUS(again, 204);
    HTTP_ANSWER read = document_get(suite, patient->access, http_text(made, "id"));
    CHECK_BYTES(read, bytes, 1500000);
    CU_ASSERT_EQUAL(suite_pid(suite, "docd", "1"), pid);
    free(bytes);
}

static void a_form_ends_with_its_session(void)
{
    static const struct {
        const char *label, *method, *path;
    } rows[] = {
        {"logged out", "POST", "/auth/logout"},
        {"all sessions revoked", "DELETE", "/auth/session/all"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PERSON leaver = person_register(suite, NULL);
        PERSON again = NULL;
        HTTP_ANSWER made = document_make(suite, leaver->access, "a.bin", "a/b");
        size_t before = stored_files(suite);
        HTTP_ANSWER left = http_call(suite_url(suite), &(struct http_request){
                                                           .method = rows[i].method,
                                                           .path = rows[i].path,
                                                           .bearer = leaver->access,
                                                       });
        UNIT_CHECK(left->status / 100 == 2, "%s: %d", rows[i].label, left->status);
        HTTP_ANSWER refused = document_upload(suite, made, "abc", 3);
        CHECK_ERROR(refused, 403, forged);
        CU_ASSERT_TRUE(stored_files_become(suite, before, 5000));
        /* The document can still be replaced in another session. */
        again = person_sign_in(suite, "Patient", leaver->email, leaver->password, NULL);
        HTTP_ANSWER replaced =
            http_post(suite_url(suite), document_path(http_text(made, "id")), again->access,
                      json_pack("{s:s, s:s}", "fileName", "b.bin", "contentType", "a/b"));
        CHECK_STATUS(replaced, 200);
        HTTP_ANSWER taken = document_upload(suite, replaced, "abc", 3);
        CHECK_STATUS(taken, 204);
    }
}

static void without_authd_no_form_is_taken(void)
{
    HTTP_ANSWER made = fresh();
    int64_t until_ms = clock_mono_ms() + 20000;
    int status = 204;

    suite_signal(suite, "authd", "1", SIGSTOP);
    while (status != 503 && clock_mono_ms() < until_ms) {
        HTTP_ANSWER answer = document_upload(suite, made, "abc", 3);

        status = answer->status;
    }
    CU_ASSERT_EQUAL(status, 503);
    suite_signal(suite, "authd", "1", SIGCONT);
    CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
    HTTP_ANSWER taken = document_upload(suite, made, "abc", 3);
    CHECK_STATUS(taken, 204);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(forged_fields_are_refused),
    CASE(forms_cannot_be_mixed),
    CASE(forms_expire),
    CASE(a_document_has_twenty_forms),
    CASE(forged_forms_are_refused),
    CASE(good_forms_are_taken),
    CASE(exactly_the_limit_is_taken),
    CASE(a_client_that_goes_away_leaves_nothing),
    CASE(a_client_that_goes_away_while_its_form_waits_takes_nothing_along),
    CASE(chunked_forms_are_taken),
    CASE(slow_forms_are_taken),
    CASE(a_refused_form_does_not_shift_answers),
    CASE(equal_forms_race),
    CASE(a_full_disk_is_503),
    CASE(a_form_ends_with_its_session),
    CASE(without_authd_no_form_is_taken),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    char limit[32];

    snprintf(limit, sizeof(limit), "%d", UPLOAD_MAX);
    suite = suite_start(&(struct suite_options){.test_clock = true, .max_upload = limit});
    patient = person_register(suite, NULL);
    return unit_run("uploads", cases, ARRAY_SIZE(cases));
}
