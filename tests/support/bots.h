/*
 * bots.h - bots of both kinds in a suite: an HTTP server (bot_server.py), and programs in the
 * operator's directory.
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
    char url[64];
};

/* bots_start() returns false if the server cannot start. */
bool bots_start(struct bots *self);
void bots_stop(struct bots *self);

void bots_install(const struct bots *self, const char *name, const char *text);

/* bots_body() makes a bot's JSON body: kind "http" or "program", with its URL or file; bots_with()
 * adds a member to the body. */
json_t *bots_body(const char *value, const char *kind, const char *target);
json_t *bots_with(json_t *body, const char *name, json_t *value);

/* Makes a bot and returns the response, which the caller owns. */
struct http_answer *bots_make(const struct bots *self, json_t *body);

void bots_make_http(const struct bots *self, const char *value, const char *path);

void bots_make_program(const struct bots *self, const char *value, const char *text,
                       int64_t timeout_ms, bool warm);

/* Runs a bot as the patient. Consumes the input; NULL: {}. */
struct http_answer *bots_run(const struct bots *self, const char *value, json_t *input);

/* Like unit_run(). Cases marked `program` are left out where nothing can confine programs. */
enum { BOTS_CASES_MAX = 32 };
struct bots_case {
    struct unit_case run;
    bool program;
};
int bots_run_cases(const char *suite, const struct bots_case *cases, size_t count);

#endif
