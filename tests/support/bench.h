/*
 * bench.h - a connection to a suite, times, and COPY, for tests/bench.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BENCH_H
#define ATRIUM_TESTS_SUPPORT_BENCH_H

#include <curl/curl.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_BODY_MAX = 64 * 1024, BENCH_TOKEN_MAX = 4096 };

/* A persistent connection with its last response. */
struct bench_client {
    const char *url;
    CURL *curl;
    char body[BENCH_BODY_MAX];
    size_t size;
};

/* Opens it with a timeout of 10 s. Close with curl_easy_cleanup(self->curl). */
void bench_client_open(struct bench_client *self, const char *url);

/* Returns the status, or 0 if the response is missing or too long. body NULL: GET; access NULL: no
 * token. Adds the duration to *us. */
long bench_client_ask(struct bench_client *self, const char *path, const char *body,
                      const char *access, int64_t *us);

/* Copies a text of the last response by name. Returns false if it is missing or too long. */
bool bench_client_text(const struct bench_client *self, const char *name, char *ret, size_t size);

void bench_sort(int64_t *us, size_t count);

/* Ends a COPY. On false, the connection has the error message. */
bool bench_copy_end(PGconn *db);

#endif
