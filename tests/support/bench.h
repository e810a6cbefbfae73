/*
 * bench.h - what the programs of tests/bench share: a connection to a suite, times, and rows by
 * COPY.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BENCH_H
#define ATRIUM_TESTS_SUPPORT_BENCH_H

#include <curl/curl.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_BODY_MAX = 64 * 1024, BENCH_TOKEN_MAX = 4096 };

/* One connection, which stays open, and what came on it last. */
struct bench_client {
    const char *url;
    CURL *curl;
    char body[BENCH_BODY_MAX];
    size_t size;
};

/* An answer takes 10 s at most. To be closed by curl_easy_cleanup(self->curl). */
void bench_client_open(struct bench_client *self, const char *url);

/* The status; 0: there was no answer, or it is too long. body NULL: a GET; access NULL: no token.
 * *us grows by the time from request to answer. */
long bench_client_ask(struct bench_client *self, const char *path, const char *body,
                      const char *access, int64_t *us);

/* Copies a text of the last answer by name; false when it is missing or too long. */
bool bench_client_text(const struct bench_client *self, const char *name, char *ret, size_t size);

/* Puts times in order, so that a percentile is at its place. */
void bench_sort(int64_t *us, size_t count);

/* Ends a COPY; false: the message is that of the connection. */
bool bench_copy_end(PGconn *db);

#endif
