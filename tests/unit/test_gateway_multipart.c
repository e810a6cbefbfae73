/*
 * test_gateway_multipart.c - forms with a file, cut into pieces at any point; and byte ranges.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/http/multipart.h"
#include "gateway/http/range.h"
#include "tests/support/unit.h"

#define TYPE "multipart/form-data; boundary=xYz"

/* A form's content as text: "name=value;" per field, "file=<bytes>" and "." at the end. */
struct reading {
    char text[4096];
    size_t size;
};

static void take_file(void *arg, const uint8_t *bytes, size_t size)
{
    struct reading *reading = arg;

    memcpy(reading->text + reading->size, bytes, size);
    reading->size += size;
}

/* Feeds the body in pieces of `step` bytes. Returns the error message if refused. */
static const char *read_form(const char *type, const char *body, size_t size, size_t step,
                             struct arena *arena)
{
    struct multipart form;
    struct reading *reading = arena_alloc(arena, sizeof(*reading));
    struct error err;
    char *text;
    bool refused = false;

    error_init(&err, arena);
    if (multipart_init(&form, type, arena, &err) < 0)
        return arena_strdup(arena, err.message);
    form.on_file = take_file;
    form.arg = reading;
    for (size_t at = 0; at < size && !refused; at += step)
        refused = multipart_feed(&form, (const uint8_t *)body + at, MIN(step, size - at), &err) < 0;
    if (refused)
        return arena_strdup(arena, err.message);
    text = arena_strdup(arena, "");
    for (size_t i = 0; i < form.field_count; i++)
        text = arena_printf(arena, "%s%s=%s;", text, form.fields[i].name, form.fields[i].value);
    if (form.file_begun)
        text = arena_printf(arena, "%sfile=%.*s%s", text, (int)reading->size, reading->text,
                            form.file_ended ? "." : "");
    return text;
}

#define PART(name) "--xYz\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n"
#define END "\r\n--xYz--\r\n"

static void forms_are_read_however_they_are_cut(void)
{
    static const char malformed[] = "The form is malformed.";
    static const struct {
        const char *label, *body, *want;
    } rows[] = {
        {"a file alone", PART("file") "abc" END, "file=abc."},
        {"an empty file", PART("file") END, "file=."},
        {"fields before it", PART("a") "1\r\n" PART("b") "\r\n" PART("file") "x" END,
         "a=1;b=;file=x."},
        {"fields behind it", PART("file") "x\r\n" PART("a") "1" END, "file=x."},
        {"nonsense behind it", PART("file") "x\r\n--xYz\r\nnot: a\r\npart", "file=x."},
        {"no file", PART("a") "1" END, "a=1;"},
        {"nothing", "--xYz--\r\n", ""},
        {"an empty body", "", ""},
        {"a preamble", "to be\r\nskipped\r\n" PART("file") "x" END, "file=x."},
        {"a preamble that looks like one", "--xY\r\n--xYy\r\n" PART("file") "x" END, "file=x."},
        {"cut off in the file", PART("file") "abc", "file=abc"},
        {"cut off in the delimiter", PART("file") "abc\r\n--xY", "file=abc"},
        {"beginnings of delimiters in the file",
         PART("file") "\r\r\n\r\n-\r\n--\r\n--x\r\n--xY\r\n--xYy\r\r\n--xY" END,
         "file=\r\r\n\r\n-\r\n--\r\n--x\r\n--xY\r\n--xYy\r\r\n--xY."},
        {"a delimiter without CR", PART("file") "a\n--xYz\nb" END, "file=a\n--xYz\nb."},
        {"headers of all kinds",
         "--xYz \t\r\nX: y\r\ncontent-DISPOSITION:form-data;filename=\"a;name=b\"; name=file\r\n"
         "Content-Type: a/b\r\n\r\nx" END,
         "file=x."},
        {"an escaped name", PART("a\\\"b\\\\c") "1\r\n" PART("file") "x" END, "a\"b\\c=1;file=x."},
        {"the first disposition counts",
         "--xYz\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: form-data; "
         "name=file\r\n\r\n1\r\n" PART("file") "x" END,
         "a=1;file=x."},
        {"a file of another name", PART("File") "x\r\n" PART("file") "y" END, "File=x;file=y."},
        {"no name", "--xYz\r\nContent-Disposition: form-data\r\n\r\nx" END, malformed},
        {"no disposition", "--xYz\r\nX: y\r\n\r\nx" END, malformed},
        {"an open quote", "--xYz\r\nContent-Disposition: form-data; name=\"file\r\n\r\nx" END,
         malformed},
        {"text behind a delimiter", "--xYzz\r\n\r\nx" END, malformed},
        {"a value that is no text", PART("a") "\xff\r\n" PART("file") "x" END, malformed},
        {"a name that is no text", PART("\xc0\x80") "1\r\n" PART("file") "x" END, malformed},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t size = strlen(rows[i].body);

        for (size_t step = 1; step <= size + 1; step += step < 40 ? 1 : 17) {
            CLEANUP(arena_destroy) struct arena *arena = arena_new();
            const char *got = read_form(TYPE, rows[i].body, size, step, arena);

            UNIT_CHECK(strcmp(got, rows[i].want) == 0, "%s, %zu at a time: %s", rows[i].label, step,
                       got);
        }
    }
}

static void zeros_are_for_files_only(void)
{
    static const struct {
        const char *label, *body;
        size_t size;
        bool good;
    } rows[] = {
        {"file", PART("file") "a\0b" END, sizeof(PART("file") "a\0b" END) - 1, true},
        {"value", PART("a") "a\0b\r\n" PART("file") "x" END,
         sizeof(PART("a") "a\0b\r\n" PART("file") "x" END) - 1, false},
        {"name", PART("a\0b") "1" END, sizeof(PART("a\0b") "1" END) - 1, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const char *got = read_form(TYPE, rows[i].body, rows[i].size, 5, arena);

        UNIT_CHECK((strcmp(got, "The form is malformed.") != 0) == rows[i].good, "%s: %s",
                   rows[i].label, got);
    }
}

static void content_types_are_forms_or_not(void)
{
    static const struct {
        const char *type;
        bool good;
    } rows[] = {
        {TYPE, true},
        {"Multipart/Form-Data;boundary=\"xYz\"; charset=utf-8", true},
        {"multipart/form-data; charset=\"a;boundary=b\"; boundary=xYz", true},
        {"multipart/form-data", false},
        {"multipart/form-data; boundary=", false},
        {"multipart/form-data; boundary=\"\"", false},
        {"multipart/form-data; boundary=\"xYz", false},
        {"multipart/mixed; boundary=xYz", false},
        {"application/json", false},
        {NULL, false},
        {"multipart/form-data; "
         "boundary=01234567890123456789012345678901234567890123456789012345678901234567890",
         false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const char body[] = PART("file") "x" END;
        const char *got = read_form(rows[i].type, body, sizeof(body) - 1, 100, arena);

        UNIT_CHECK(strcmp(got, rows[i].good ? "file=x."
                                            : "The content type must be multipart/form-data.") == 0,
                   "%s: %s", rows[i].type, got);
    }
}

static void what_is_kept_is_bounded(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    char *value = calloc(1, FORM_TEXT_MAX + 1), *body = NULL;
    size_t size;
    FILE *out;

    memset(value, 'v', FORM_TEXT_MAX);
    body = arena_printf(arena, PART("a") "%s\r\n" PART("file") "x" END, value);
    CU_ASSERT_STRING_EQUAL(read_form(TYPE, body, strlen(body), 1000, arena),
                           "The form's fields are too large.");
    body = arena_printf(arena, "%s%s" PART("file") "x" END, value, "\r\n");
    CU_ASSERT_STRING_EQUAL(read_form(TYPE, body, strlen(body), 1000, arena),
                           "The form's fields are too large.");
    value[FORM_TEXT_MAX - 300] = '\0';
    body = arena_printf(arena, PART("a") "%s\r\n" PART("file") "x" END, value);
    CU_ASSERT_EQUAL(strlen(read_form(TYPE, body, strlen(body), 1000, arena)),
                    strlen(value) + strlen("a=;file=x."));
    value[9000] = '\0';
    body = arena_printf(arena, "--xYz\r\nX: %s\r\n\r\n1" END, value);
    CU_ASSERT_STRING_EQUAL(read_form(TYPE, body, strlen(body), 1000, arena),
                           "The form's fields are too large.");
    for (int count = FORM_FIELDS_MAX; count <= FORM_FIELDS_MAX + 1; count++) {
        out = open_memstream(&body, &size);
        for (int i = 0; i < count; i++)
            fputs(PART("a") "1\r\n", out);
        fputs(PART("file") "x" END, out);
        fclose(out);
        CU_ASSERT_EQUAL(strcmp(read_form(TYPE, body, size, 1000, arena),
                               "The form has too many fields.") == 0,
                        count > FORM_FIELDS_MAX);
        free(body);
    }
    free(value);
}

static void ranges_are_decided(void)
{
    static const char date[] = "Sun, 06 Nov 1994 08:49:37 GMT";
    static const struct {
        struct range_request request;
        unsigned status;
        int64_t first, size;
    } rows[] = {
        {{.range = NULL}, 200, 0, 100},
        {{.range = "bytes=0-"}, 206, 0, 100},
        {{.range = "bytes=0-0"}, 206, 0, 1},
        {{.range = "bytes=99-"}, 206, 99, 1},
        {{.range = "bytes=100-"}, 416, 0, 0},
        {{.range = "bytes=-1"}, 206, 99, 1},
        {{.range = "bytes=-100"}, 206, 0, 100},
        {{.range = "bytes=-101"}, 206, 0, 100},
        {{.range = "bytes=-0"}, 416, 0, 0},
        {{.range = "Bytes=10-19"}, 206, 10, 10},
        {{.range = "bytes=10-1000"}, 206, 10, 90},
        {{.range = "bytes=10-99999999999999999999999"}, 206, 10, 90},
        {{.range = "bytes=99999999999999999999999-"}, 416, 0, 0},
        {{.range = "bytes=19-10"}, 200, 0, 100},
        {{.range = "bytes=-"}, 200, 0, 100},
        {{.range = "bytes=1"}, 200, 0, 100},
        {{.range = "bytes=1-2,3-4"}, 200, 0, 100},
        {{.range = "bytes=a-b"}, 200, 0, 100},
        {{.range = "bytes=+1-2"}, 200, 0, 100},
        {{.range = "items=1-2"}, 200, 0, 100},
        {{.range = ""}, 200, 0, 100},
        {{.if_none_match = "\"e\""}, 304, 0, 0},
        {{.if_none_match = "W/\"e\""}, 304, 0, 0},
        {{.if_none_match = "\"a\", \"e\""}, 304, 0, 0},
        {{.if_none_match = "\"a,\"e\"\""}, 200, 0, 100},
        {{.if_none_match = "*"}, 304, 0, 0},
        {{.if_none_match = "e"}, 200, 0, 100},
        {{.if_none_match = "\"e"}, 200, 0, 100},
        {{.if_none_match = ""}, 200, 0, 100},
        {{.etag = "\"e\""}, 304, 0, 0},
        {{.etag = "\"f\""}, 200, 0, 100},
        {{.etag = "e"}, 304, 0, 0},
        {{.etag = "f"}, 200, 0, 100},
        {{.etag = ""}, 200, 0, 100},
        {{.if_none_match = "\"f\"", .etag = "\"e\""}, 304, 0, 0},
        {{.if_none_match = "\"e\"", .range = "bytes=0-1"}, 304, 0, 0},
        {{.if_modified_since = date}, 304, 0, 0},
        {{.if_modified_since = "Sun, 06 Nov 1994 08:49:36 GMT"}, 200, 0, 100},
        {{.if_modified_since = "yesterday"}, 200, 0, 100},
        {{.if_modified_since = date, .if_none_match = "\"f\""}, 200, 0, 100},
        {{.range = "bytes=0-1", .if_range = "\"e\""}, 206, 0, 2},
        {{.range = "bytes=0-1", .if_range = "W/\"e\""}, 200, 0, 100},
        {{.range = "bytes=0-1", .if_range = "\"f\""}, 200, 0, 100},
        {{.range = "bytes=0-1", .if_range = date}, 206, 0, 2},
        {{.range = "bytes=0-1", .if_range = "Sun, 06 Nov 1994 08:49:38 GMT"}, 200, 0, 100},
    };
    const struct range_file file = {"\"e\"", 784111777123, 100}, empty = {"\"e\"", 0, 0};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct range_answer got = range_decide(&rows[i].request, &file);

        UNIT_CHECK(
            got.status == rows[i].status && got.first == rows[i].first && got.size == rows[i].size,
            "row %zu: %u, %lld of %lld", i, got.status, (long long)got.first, (long long)got.size);
    }
    CU_ASSERT_EQUAL(range_decide(&(struct range_request){.range = "bytes=0-"}, &empty).status, 416);
    CU_ASSERT_EQUAL(range_decide(&(struct range_request){.range = "bytes=-5"}, &empty).status, 416);
    CU_ASSERT_EQUAL(range_decide(&(struct range_request){.range = NULL}, &empty).status, 200);
    char text[HTTP_DATE_SIZE];
    http_date_format(784111777123, text);
    CU_ASSERT_STRING_EQUAL(text, date);
}

static const struct unit_case cases[] = {
    CASE(forms_are_read_however_they_are_cut),
    CASE(zeros_are_for_files_only),
    CASE(content_types_are_forms_or_not),
    CASE(what_is_kept_is_bounded),
    CASE(ranges_are_decided),
};

int main(void)
{
    return unit_run("gateway multipart", cases, ARRAY_SIZE(cases));
}
