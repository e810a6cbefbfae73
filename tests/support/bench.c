/*
 * bench.c - see bench.h.
 */
#include "tests/support/bench.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"

static size_t take(char *data, size_t size, size_t count, void *arg)
{
    struct bench_client *self = arg;

    if (self->size + size * count >= sizeof(self->body))
        return 0;
    memcpy(self->body + self->size, data, size * count);
    self->size += size * count;
    self->body[self->size] = '\0';
    return size * count;
}

void bench_client_open(struct bench_client *self, const char *url)
{
    self->url = url;
    self->curl = curl_easy_init();
    curl_easy_setopt(self->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(self->curl, CURLOPT_TIMEOUT, 10L);
    curl_easy_setopt(self->curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(self->curl, CURLOPT_WRITEDATA, self);
}

long bench_client_ask(struct bench_client *self, const char *path, const char *body,
                      const char *access, int64_t *us)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    char text[BENCH_TOKEN_MAX + 64];
    int64_t began;
    long status = 0;

    snprintf(text, sizeof(text), "Authorization: Bearer %s", access ? access : "");
    if (access)
        headers = curl_slist_append(headers, text);
    snprintf(text, sizeof(text), "%s%s", self->url, path);
    curl_easy_setopt(self->curl, CURLOPT_URL, text);
    curl_easy_setopt(self->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(self->curl, CURLOPT_HTTPGET, 1L);
    if (body)
        curl_easy_setopt(self->curl, CURLOPT_COPYPOSTFIELDS, body);
    self->size = 0;
    began = clock_mono_us();
    if (curl_easy_perform(self->curl) == CURLE_OK)
        curl_easy_getinfo(self->curl, CURLINFO_RESPONSE_CODE, &status);
    *us += clock_mono_us() - began;
    curl_slist_free_all(headers);
    return status;
}

bool bench_client_text(const struct bench_client *self, const char *name, char *ret, size_t size)
{
    json_t *json = json_loadb(self->body, self->size, 0, NULL);
    const char *text = json_string_value(json_object_get(json, name));
    bool fits = text && snprintf(ret, size, "%s", text) < (int)size;

    json_decref(json);
    return fits;
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

void bench_sort(int64_t *us, size_t count)
{
    qsort(us, count, sizeof(*us), by_size);
}

bool bench_copy_end(PGconn *db)
{
    bool good = PQputCopyEnd(db, NULL) == 1;
    PGresult *result;

    while (good && (result = PQgetResult(db))) {
        good = PQresultStatus(result) == PGRES_COMMAND_OK;
        PQclear(result);
    }
    return good;
}
