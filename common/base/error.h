/*
 * error.h - the one way a function says why it failed.
 *
 * It fills a struct error, its last parameter, and returns -1; callers pass it on untouched. The
 * message is for the client: no secret, no email address, no SQL. What only the operator may see
 * goes into the detail, which is logged and never sent.
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
    int status;       /* HTTP status */
    int level;        /* syslog priority */
    bool shown;       /* the wire name is the "code" member of the answer */
};

/* A problem of a 422, or a further member of the error body, in the order of their report. */
struct error_item {
    struct error_item *next;
    const char *name;  /* dotted path of the field; or name of the member */
    const char *value; /* what is wrong with it; or the member's text */
};

enum { ERROR_ITEMS_MAX = 64 }; /* problems kept of one request; the rest is counted as "and more" */

struct error {
    enum error_code code; /* ERR_NONE: nothing failed */
    char message[256];    /* for the client */
    bool foreign;         /* the message was written by others (a bot): never logged */
    char detail[256];     /* for the log */
    char sqlstate[6];     /* "" unless PostgreSQL refused a statement */
    char constraint[64];  /* name of the violated constraint, or "" */
    struct arena *arena;  /* where items come from */
    struct error_item *problems, **problems_tail;
    struct error_item *members, **members_tail;
    int problem_count;
    int64_t retry_after_s; /* Retry-After, 0: none */
    /* RateLimit-Limit and -Remaining, when limit > 0 and the code is THROTTLED or NONE */
    int64_t limit, remaining;
    int64_t reset_s; /* RateLimit-Reset; of STEP_UP_REQUIRED how old a proof may be, s */
};

/* Starts clean. arena must outlive the error; NULL is allowed where no problem list can arise. */
void error_init(struct error *self, struct arena *arena);
void error_clear(struct error *self);

/* Copies all but the arena; the lists go into self's own arena (without one there are none). */
void error_copy(struct error *self, const struct error *from);

/* Sets code and message and returns -1, so that `return error_set(...)` reads as one step. */
int error_set(struct error *self, enum error_code code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Notes a limit that admitted the caller, for the answer; of several the one with least left. */
void error_limit(struct error *self, int64_t limit, int64_t remaining, int64_t reset_s);

/* Adds operator's detail to an error already set; returns -1. */
int error_detail(struct error *self, const char *format, ...) PRINTF_LIKE(2, 3);

/* Adds a problem at a dotted path; the error becomes a 422 unless it is one already. Returns -1. */
int error_problem(struct error *self, const char *path, const char *format, ...) PRINTF_LIKE(3, 4);

/* Adds a text member to the answer's JSON; "details.url" is the member url of an object. */
void error_member(struct error *self, const char *name, const char *value);

/* ERR_THROTTLED / 503 with the time after which another try makes sense; returns -1. */
int error_retry(struct error *self, enum error_code code, int64_t after_s, const char *message);

#ifdef __clang_analyzer__ /* it looks at one file at a time: what these return, always */
#define error_set(...) ((void)error_set(__VA_ARGS__), -1)
#define error_detail(...) ((void)error_detail(__VA_ARGS__), -1)
#define error_problem(...) ((void)error_problem(__VA_ARGS__), -1)
#define error_retry(...) ((void)error_retry(__VA_ARGS__), -1)
#endif

const struct error_kind *error_kind(enum error_code code);

/* The code of a wire name; ERR_INTERNAL for one that this build does not know. */
enum error_code error_from_wire(const char *wire);

/* The standard name of an HTTP status, "Not Found"; "Error" for one without. */
const char *error_status_name(int status);

#endif
