/*
 * bots.h - bots of both kinds in a suite of their own: an HTTP server that answers for them
 * (bot_server.py), and programs in the operator's directory.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BOTS_H
#define ATRIUM_TESTS_SUPPORT_BOTS_H

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define BOTS_PATH "/v1/project/bots"
#define BOTS_SYSTEM "urn:bots"

struct bots {
    struct suite *suite;
    struct person *admin, *patient;
    struct program *server;
    char url[64]; /* of the server */
};

/* False when there is no server. */
bool bots_start(struct bots *self);
void bots_stop(struct bots *self);

/* Puts a script into the operator's directory. */
void bots_install(const struct bots *self, const char *name, const char *text);

/* The body of a bot: "http" or "program", and its address or file; the same with one member
 * more. */
json_t *bots_body(const char *value, const char *kind, const char *target);
json_t *bots_with(json_t *body, const char *name, json_t *value);

/* Makes a bot; the answer is the caller's. */
struct http_answer *bots_make(const struct bots *self, json_t *body);

/* One at this path of the server. */
void bots_make_http(const struct bots *self, const char *value, const char *path);

/* A program of this text, named like the bot. */
void bots_make_program(const struct bots *self, const char *value, const char *text,
                       int64_t timeout_ms, bool warm);

/* As the patient; the input is consumed, NULL: {}. */
struct http_answer *bots_run(const struct bots *self, const char *value, json_t *input);

/* Cases of which some need something that confines programs: these are left out where there is
 * nothing. As unit_run(). */
enum { BOTS_CASES_MAX = 32 };
struct bots_case {
    struct unit_case run;
    bool program;
};
int bots_run_cases(const char *suite, const struct bots_case *cases, size_t count);

#endif
