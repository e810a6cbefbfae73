/*
 * program.h - a program as a child process, ours or another: what it is given on stdin, what it
 * says, how it ends. Its arguments are a vector, never the text of a command.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PROGRAM_H
#define ATRIUM_TESTS_SUPPORT_PROGRAM_H

#include <jansson.h>
#include <sys/types.h>

#include "common/base/base.h"

/* Exit codes of our programs: done, it could not be, the command line is wrong. */
enum { DONE, FAILED, USAGE };

struct program {
    pid_t pid; /* 0 once it has ended */
    int code;  /* exit code, or 128 + the signal that ended it; -1 while it runs */
    char *out; /* what it has written to stdout so far, as of the last call */
    char *err;
    json_t *json; /* stdout as JSON, when it has ended and wrote JSON */
    int files[2]; /* that stdout and stderr go to; anonymous */
    int terminal; /* the near end of the one that stderr is; -1: none */
};

/* The path of a program that was built with this test, "atriumctl" (caller frees). */
char *program_path(const char *name);

/* Starts argv[0] (a path) with `input` on stdin (NULL: nothing). It gets SIGTERM when the test
 * dies. */
struct program *program_start(const char *const *argv, const char *input);

/* Waits until stdout holds the text; false when the program ended without, or after the time
 * limit. */
bool program_wait_output(struct program *self, const char *text, int timeout_ms);

/* Waits for the end; false when it still runs after the time limit. */
bool program_wait_end(struct program *self, int timeout_ms);

/* SIGKILL when it still runs. */
void program_destroy(struct program **self_p);
#define PROGRAM CLEANUP(program_destroy) UNUSED struct program *

/* Starts it and waits 30 s for its end. Never NULL. */
struct program *program_run(const char *const *argv, const char *input);

/* The same with a terminal of that many columns as stderr: `err` is what that was sent. */
struct program *program_run_terminal(const char *const *argv, const char *input, int columns);

/* CUnit assertions that show what the program said instead. CHECK_REFUSED: it ended with `want`,
 * said nothing on stdout and one line on stderr that holds the text. */
#define CHECK_EXIT(program, want) program_check((program), (want), NULL, __FILE__, __LINE__)
#define CHECK_REFUSED(program, want, text) \
    program_check((program), (want), (text), __FILE__, __LINE__)
bool program_check(const struct program *self, int want, const char *complaint, const char *file,
                   int line);

#endif
