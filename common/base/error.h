/*
 * error.h - how a function reports failure: it fills its last parameter and returns -1.
 *
 * The message is for the client: no secrets, email addresses or SQL. The detail is for the
 * operator, logged and never sent.
 */
#ifndef ATRIUM_COMMON_BASE_ERROR_H
#define ATRIUM_COMMON_BASE_ERROR_H

#include <stdarg.h>

#include "common/base/arena.h"
#include "common/base/base.h"

enum error_code {
    ERR_NONE = 0,
#define ERROR(code, wire, status, level, shown) code,
#include "common/base/errors.def"
#undef ERROR
    ERROR_CODE_COUNT
};

struct error_kind {
    const char *wire; /* name on the bus */
    int status;
    int level;  /* syslog priority */
    bool shown; /* answers show the wire name as "code" */
};

/* A problem of a 422 answer, or a further member of the error body. */
struct error_item {
    struct error_item *next;
    const char *name;  /* field or member */
    const char *value; /* problem or text */
};

enum { ERROR_ITEMS_MAX = 64 }; /* further problems are counted as "and more" */

struct error {
    enum error_code code;
    char message[256];   /* for the client */
    bool foreign;        /* a bot's message: never logged */
    char detail[256];    /* for the log */
    char sqlstate[6];    /* PostgreSQL's code, or "" */
    char constraint[64]; /* violated constraint, or "" */
    struct arena *arena;
    struct error_item *problems, **problems_tail;
    struct error_item *members, **members_tail;
    int problem_count;
    int64_t retry_after_s; /* Retry-After, or 0 */
    /* RateLimit-Limit and -Remaining, if limit > 0 and the code is THROTTLED or NONE */
    int64_t limit, remaining;
    int64_t reset_s; /* RateLimit-Reset; for STEP_UP_REQUIRED the proof's maximum age in seconds */
};

/* Prepares an error. The arena must outlive it; NULL: no items can be added. */
void error_init(struct error *self, struct arena *arena);
void error_clear(struct error *self);

/* Also copies the items into self's arena; if self has no arena, leaves them out. */
void error_copy(struct error *self, const struct error *from);

/* Returns -1, so that `return error_set(...)` is one step. */
int error_set(struct error *self, enum error_code code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Notes a limit for the answer, which shows the one with the least left. */
void error_limit(struct error *self, int64_t limit, int64_t remaining, int64_t reset_s);

int error_detail(struct error *self, const char *format, ...) PRINTF_LIKE(2, 3);

/* Adds a problem at a dotted path, and makes the error a 422. Returns -1. */
int error_problem(struct error *self, const char *path, const char *format, ...) PRINTF_LIKE(3, 4);

/* Adds a member to the answer's JSON; "details.url" is member url of object details. */
void error_member(struct error *self, const char *name, const char *value);

/* Sets ERR_THROTTLED or a 503 with the time until a retry makes sense. Returns -1. */
int error_retry(struct error *self, enum error_code code, int64_t after_s, const char *message);

#ifdef __clang_analyzer__ /* the analyzer sees only one file at a time, so tell it the results */
#define error_set(...) ((void)error_set(__VA_ARGS__), -1)
#define error_detail(...) ((void)error_detail(__VA_ARGS__), -1)
#define error_problem(...) ((void)error_problem(__VA_ARGS__), -1)
#define error_retry(...) ((void)error_retry(__VA_ARGS__), -1)
#endif

const struct error_kind *error_kind(enum error_code code);

/* Returns a wire name's code, or ERR_INTERNAL for an unknown name. */
enum error_code error_from_wire(const char *wire);

const char *error_status_name(int status);

#endif
