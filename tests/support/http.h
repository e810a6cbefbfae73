/*
 * http.h - HTTP for tests: libcurl, one call per request, parsed JSON. Every call is appended to
 * the file ATRIUM_COVERAGE as "METHOD path status always", for test_coverage.
 */
#ifndef ATRIUM_TESTS_SUPPORT_HTTP_H
#define ATRIUM_TESTS_SUPPORT_HTTP_H

#include <jansson.h>

#include "common/base/base.h"

struct http_request {
    const char *method;       /* NULL: "GET" */
    const char *path;         /* after the base URL, "/auth/me" */
    const char *bearer;       /* NULL: none */
    json_t *body;             /* consumed; sent as application/json */
    const char *raw;          /* unchanged bytes instead of body */
    size_t raw_size;          /* 0: strlen(raw) */
    const char *content_type; /* type of `raw`; NULL: application/json, "": none */
    const char *headers[6];   /* "Name: value" */
    long limit_s;             /* default 30 s */
    const char *source;       /* client address, any of 127/8 ("127.1.2.3") */
};

struct http_answer {
    int status;   /* 0: no response (refused, reset or timeout) */
    json_t *json; /* NULL: not JSON */
    char *body;
    size_t size;
    char *header_text; /* as received */
    double seconds;    /* whole request */
};

/* Sets the CA file for all https servers. Borrowed. */
void http_trust(const char *authority);

/* http_call() sends a request within 30 s or its limit. Never NULL. */
struct http_answer *http_call(const char *base_url, const struct http_request *request);
void http_answer_destroy(struct http_answer **self_p);

/* http_call_many() sends `count` requests, `parallel` at a time on separate connections. Responses
 * are in order. */
void http_call_many(const char *base_url, const struct http_request *requests, size_t count,
                    size_t parallel, struct http_answer **ret_answers);
void http_answers_destroy(struct http_answer **answers, size_t count);

/* Finds the list's object whose member is that text, or NULL. */
json_t *http_find(const json_t *list, const char *member, const char *text);

int http_count_status(struct http_answer *const *answers, int count, int status);

/* Sends bytes on a new TCP connection, half-closes if `finish`, and returns the response after at
 * most `timeout_ms`, "" for none (caller frees). */
char *http_raw(const char *base_url, const void *bytes, size_t size, bool finish, int timeout_ms);

/* Returns a header by case-insensitive name, or NULL (caller frees). */
char *http_header(const struct http_answer *answer, const char *name);

/* True when authd delayed the response by at least `ms`, minus 1 ms for rounding. */
bool http_took(const struct http_answer *answer, int ms);

long http_retry_after(const struct http_answer *answer);

/* Return a member by dotted path ("profile.reference", "message.0.path"). http_text() returns ""
 * for none. */
const char *http_text(const struct http_answer *answer, const char *path);
json_t *http_member(const struct http_answer *answer, const char *path);

/* Consume the body. bearer can be NULL. */
struct http_answer *http_get(const char *base_url, const char *path, const char *bearer);
struct http_answer *http_post(const char *base_url, const char *path, const char *bearer,
                              json_t *body);
struct http_answer *http_put(const char *base_url, const char *path, const char *bearer,
                             json_t *body);
struct http_answer *http_delete(const char *base_url, const char *path, const char *bearer);

#define HTTP_ANSWER CLEANUP(http_answer_destroy) UNUSED struct http_answer *

#define CHECK_STATUS(answer, want) http_check_status((answer), (want), __FILE__, __LINE__)
#define CHECK_ERROR(answer, status_, message_) \
    http_check_error((answer), (status_), (message_), __FILE__, __LINE__)
bool http_check_status(const struct http_answer *answer, int want, const char *file, int line);

bool http_check_error(const struct http_answer *answer, int status, const char *message,
                      const char *file, int line);

#define CHECK_PROBLEM(answer, path_) http_check_problem((answer), (path_), __FILE__, __LINE__)
bool http_check_problem(const struct http_answer *answer, const char *path, const char *file,
                        int line);

#endif
