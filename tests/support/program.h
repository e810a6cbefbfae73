/*
 * program.h - a child process: its stdin, output and exit. Arguments are a vector, never a command
 * line.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PROGRAM_H
#define ATRIUM_TESTS_SUPPORT_PROGRAM_H

#include <jansson.h>
#include <sys/types.h>

#include "common/base/base.h"

enum { DONE, FAILED, USAGE };

struct program {
    pid_t pid; /* 0 after its end */
    int code;  /* exit code, or 128 + signal; -1 while it runs */
    char *out; /* the last call's stdout */
    char *err;
    json_t *json; /* parsed stdout after the end; NULL: not JSON */
    int files[2]; /* anonymous files of stdout and stderr */
    int terminal; /* controlling side of the terminal that is stderr; -1: none */
};

/* Returns the path of a program built with this test, "atriumctl" (caller frees). */
char *program_path(const char *name);

/* Starts argv[0] (a path) with `input` on stdin (NULL: empty). It gets SIGTERM when the test
 * dies. */
struct program *program_start(const char *const *argv, const char *input);

/* Waits for the text on stdout. Returns false when the program ended without it or at the time
 * limit. */
bool program_wait_output(struct program *self, const char *text, int timeout_ms);

bool program_wait_end(struct program *self, int timeout_ms);

/* Kills it with SIGKILL if it still runs. */
void program_destroy(struct program **self_p);
#define PROGRAM CLEANUP(program_destroy) UNUSED struct program *

/* Starts it and waits up to 30 s. Never NULL. */
struct program *program_run(const char *const *argv, const char *input);

/* Like program_run(), with a terminal of that many columns as stderr, whose output is `err`. */
struct program *program_run_terminal(const char *const *argv, const char *input, int columns);

/* Assert, and show the program's output on failure. CHECK_REFUSED: it ended with `want`, an empty
 * stdout, and one line on stderr with the text. */
#define CHECK_EXIT(program, want) program_check((program), (want), NULL, __FILE__, __LINE__)
#define CHECK_REFUSED(program, want, text) \
    program_check((program), (want), (text), __FILE__, __LINE__)
bool program_check(const struct program *self, int want, const char *complaint, const char *file,
                   int line);

#endif
