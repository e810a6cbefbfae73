/*
 * http.h - HTTP as the tests speak it: libcurl underneath, one call per request, JSON parsed.
 *
 * Every call is written to the file named by ATRIUM_COVERAGE as "METHOD path status always", which
 * test_coverage holds against the route tables.
 */
#ifndef ATRIUM_TESTS_SUPPORT_HTTP_H
#define ATRIUM_TESTS_SUPPORT_HTTP_H

#include <jansson.h>

#include "common/base/base.h"

struct http_request {
    const char *method;       /* "GET" when NULL */
    const char *path;         /* from the base URL on, "/auth/me" */
    const char *bearer;       /* access token, or NULL */
    json_t *body;             /* consumed; sent as application/json */
    const char *raw;          /* instead of body: bytes as they stand */
    size_t raw_size;          /* 0: strlen(raw) */
    const char *content_type; /* of raw; NULL: application/json, "": none */
    const char *headers[6];   /* further header lines, "Name: value" */
    long limit_s;             /* instead of 30 s */
    const char *source;       /* own address to come from ("127.1.2.3"): all of 127/8 is ours */
};

struct http_answer {
    int status;        /* 0: no answer (connection refused, reset, or longer than the time limit) */
    json_t *json;      /* NULL when the body is not JSON */
    char *body;        /* NUL-terminated */
    size_t size;       /* bytes of body */
    char *header_text; /* all header lines as received */
    double seconds;    /* from the start of the request to the end of the answer */
};

/* The file of the authority that all servers of https:// must have a certificate of. Not copied. */
void http_trust(const char *authority);

/* Performs one request within 30 s or its own limit. Never NULL; destroy it. */
struct http_answer *http_call(const char *base_url, const struct http_request *request);
void http_answer_destroy(struct http_answer **self_p);

/* Performs `count` requests, `parallel` at a time, each on a connection of its own. Answers in
 * order. */
void http_call_many(const char *base_url, const struct http_request *requests, size_t count,
                    size_t parallel, struct http_answer **ret_answers);
void http_answers_destroy(struct http_answer **answers, size_t count);

/* The object of a list whose member is that text; NULL: none. */
json_t *http_find(const json_t *list, const char *member, const char *text);

/* How many of them have that status. */
int http_count_status(struct http_answer *const *answers, int count, int status);

/* Sends bytes on a fresh TCP connection, half-closes when `finish`, and returns what came back
 * within `timeout_ms` as text (caller frees; "" for nothing). */
char *http_raw(const char *base_url, const void *bytes, size_t size, bool finish, int timeout_ms);

/* A header's value (caller frees), or NULL. Name in any case. */
char *http_header(const struct http_answer *answer, const char *name);

/* Whether authd held the answer back for so many ms. Its clock counts whole ones: it can be one
 * less. */
bool http_took(const struct http_answer *answer, int ms);

/* Retry-After, seconds; 0: there is none. */
long http_retry_after(const struct http_answer *answer);

/* A text in the answer by dotted path ("profile.reference", "message.0.path"); "" when absent. */
const char *http_text(const struct http_answer *answer, const char *path);
json_t *http_member(const struct http_answer *answer, const char *path);

/* Shorthands. A body is consumed; bearer may be NULL. */
struct http_answer *http_get(const char *base_url, const char *path, const char *bearer);
struct http_answer *http_post(const char *base_url, const char *path, const char *bearer,
                              json_t *body);
struct http_answer *http_put(const char *base_url, const char *path, const char *bearer,
                             json_t *body);
struct http_answer *http_delete(const char *base_url, const char *path, const char *bearer);

#define HTTP_ANSWER CLEANUP(http_answer_destroy) UNUSED struct http_answer *

/* CUnit assertions that show what came instead. */
#define CHECK_STATUS(answer, want) http_check_status((answer), (want), __FILE__, __LINE__)
#define CHECK_ERROR(answer, status_, message_) \
    http_check_error((answer), (status_), (message_), __FILE__, __LINE__)
bool http_check_status(const struct http_answer *answer, int want, const char *file, int line);

/* The body is {statusCode, message, error} with this status and message. */
bool http_check_error(const struct http_answer *answer, int status, const char *message,
                      const char *file, int line);

/* A 422 whose list has an entry for the path. */
#define CHECK_PROBLEM(answer, path_) http_check_problem((answer), (path_), __FILE__, __LINE__)
bool http_check_problem(const struct http_answer *answer, const char *path, const char *file,
                        int line);

#endif
