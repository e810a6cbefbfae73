/*
 * test_documents_large.c - a gibibyte up and down through a gateway and a docd that use little
 * memory, and many slow clients.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/document.h"
#include "tests/support/unit.h"

enum { RESIDENT_MAX_KIB = 40 * 1024 + UNIT_KEPT_KIB, TIME_LIMIT_S = 300 };

static const int64_t large = 1024 * 1024 * 1024;

static struct suite *suite;
static struct person *patient;

static uint8_t byte_at(int64_t at)
{
    return (uint8_t)((at >> 12) * 131 + at * 7);
}

static void fill(char *bytes, int64_t at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)byte_at(at + (int64_t)i);
}

static long peak_kib(const char *daemon)
{
    char path[64], line[256];
    long kib = -1;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)suite_pid(suite, daemon, "1"));
    file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "VmHWM: %ld kB", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib;
}

struct source {
    const char *head, *tail;
    size_t head_size, tail_size;
    int64_t at; /* offset in the whole body */
};

static size_t give(char *bytes, size_t size, size_t count, void *arg)
{
    struct source *self = arg;
    size_t room = size * count, given = 0;

    while (given < room) {
        int64_t in_file = self->at - (int64_t)self->head_size, in_tail = in_file - large;
        size_t more;

        if (in_file < 0) {
            more = MIN(room - given, (size_t)-in_file);
            memcpy(bytes + given, self->head + self->at, more);
        } else if (in_tail < 0) {
            more = (size_t)MIN((int64_t)(room - given), -in_tail);
            fill(bytes + given, in_file, more);
        } else {
            more = MIN(room - given, self->tail_size - (size_t)in_tail);
            memcpy(bytes + given, self->tail + in_tail, more);
            if (more == 0)
                break;
        }
        given += more;
        self->at += (int64_t)more;
    }
    return given;
}

static long post_large(const struct http_answer *made)
{
    struct form_body form = form_body_of(http_member(made, "uploadOptions.fields"), "", 0);
    const char *middle = strstr(form.bytes, "application/octet-stream\r\n\r\n") + 28;
    struct source source = {.head = form.bytes,
                            .head_size = (size_t)(middle - form.bytes),
                            .tail = middle,
                            .tail_size = form.size - (size_t)(middle - form.bytes)};
    struct curl_slist *headers = NULL;
    CURL *easy = curl_easy_init();
    char type[160];
    long status = 0;

    snprintf(type, sizeof(type), "Content-Type:%s", form.type);
    headers = curl_slist_append(headers, type);
    curl_easy_setopt(easy, CURLOPT_URL, http_text(made, "uploadOptions.url"));
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, give);
    curl_easy_setopt(easy, CURLOPT_READDATA, &source);
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 512L * 1024);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)((int64_t)form.size + large));
    curl_easy_setopt(easy, CURLOPT_TIMEOUT, (long)TIME_LIMIT_S);
    CU_ASSERT_EQUAL(curl_easy_perform(easy), CURLE_OK);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    form_body_free(&form);
    return status;
}

struct sink {
    int64_t at;
    bool wrong;
};

static size_t take(char *bytes, size_t size, size_t count, void *arg)
{
    struct sink *self = arg;

    for (size_t i = 0; i < size * count; i++)
        self->wrong |= (uint8_t)bytes[i] != byte_at(self->at + (int64_t)i);
    self->at += (int64_t)(size * count);
    return size * count;
}

static void get_large(const char *id, const char *range, int64_t first, int64_t size)
{
    struct sink sink = {.at = first};
    struct curl_slist *headers = NULL;
    CURL *easy = curl_easy_init();
    char url[256], *bearer = NULL;

    snprintf(url, sizeof(url), "%s/document/%s", suite_url(suite), id);
    if (asprintf(&bearer, "Authorization: Bearer %s", patient->access) < 0)
        abort();
    headers = curl_slist_append(headers, bearer);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_RANGE, range);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &sink);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 512L * 1024);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT, (long)TIME_LIMIT_S);
    CU_ASSERT_EQUAL(curl_easy_perform(easy), CURLE_OK);
    CU_ASSERT_EQUAL(sink.at, first + size);
    CU_ASSERT_FALSE(sink.wrong);
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    free(bearer);
}

static void a_gibibyte_passes_through_little_memory(void)
{
    HTTP_ANSWER made = document_make(suite, patient->access, "large", "application/octet-stream");
    const char *id = http_text(made, "id");
    int64_t start = clock_mono_ms(), middle;

    CU_ASSERT_EQUAL(post_large(made), 204);
    middle = clock_mono_ms();
    get_large(id, NULL, 0, large);
    fprintf(stderr, "  up %lld ms, down %lld ms; gateway %ld KiB, docd %ld KiB\n",
            (long long)(middle - start), (long long)(clock_mono_ms() - middle), peak_kib("gateway"),
            peak_kib("docd"));
    get_large(id, "1000000000-", 1000000000, large - 1000000000);
    CU_ASSERT_TRUE(peak_kib("gateway") > 0 && peak_kib("gateway") < RESIDENT_MAX_KIB);
    CU_ASSERT_TRUE(peak_kib("docd") > 0 && peak_kib("docd") < RESIDENT_MAX_KIB);
    HTTP_ANSWER list = http_get(suite_url(suite), "/document", patient->access);
    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "resources.0.size")), large);
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
    CHECK_STATUS(gone, 200);
    CU_ASSERT_EQUAL(stored_files(suite), 0);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_gibibyte_passes_through_little_memory),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.max_upload = "2147483648"});
    patient = person_register(suite, NULL);
    return unit_run("large documents", cases, ARRAY_SIZE(cases));
}
