/*
 * arguments.h - the words behind a command, read by the command's own usage text.
 *
 * The usage that --help prints is the grammar: there is no second list to keep in step.
 *
 *     "CODE [--json-file FILE] [--force] --email E"
 *
 *   CODE            a word starting in upper case: a positional argument of any text
 *   default-policy  a word starting in lower case: must stand there literally
 *   --email E       an option with a value ("--email X" or "--email=X")
 *   --force         an option without one
 *   queued|dead     one of these, as a value or as a positional argument
 *   [ ... ]         may be left out
 */
#ifndef ATRIUM_CTL_ARGUMENTS_H
#define ATRIUM_CTL_ARGUMENTS_H

#include "common/base/arena.h"
#include "common/base/error.h"

enum { ARGUMENTS_MAX = 24 }; /* words of one usage text */

struct argument {
    const char *name;   /* "--email", "CODE" */
    const char *value;  /* NULL: not given; "" for a given option without value */
    const char *holder; /* what the usage has for the value: "E", "CODE"; NULL: there is none */
    bool option, optional;
};

struct arguments {
    struct argument items[ARGUMENTS_MAX];
    size_t count;
};

/* Reads what the usage allows, without values. Names live in the arena. */
void arguments_read_usage(struct arguments *self, const char *usage, struct arena *arena);

/* "queued|dead" when the value must be one of these, NULL when it may be any text. */
const char *argument_choices(const struct argument *self);

/* Reads `words` by the usage. Names live in the arena, values are borrowed. ERR_BAD_REQUEST names
 * the wrong or missing word. */
int arguments_parse(struct arguments *self, const char *usage, const char *const *words,
                    size_t count, struct arena *arena, struct error *err) MUST_USE;

/* The value of an argument; NULL: not given. Asserts that the usage has that name. */
const char *arguments_get(const struct arguments *self, const char *name);
bool arguments_has(const struct arguments *self, const char *name);

/* A whole number in [min, max]; `fallback` when not given. */
int arguments_int(const struct arguments *self, const char *name, int64_t fallback, int64_t min,
                  int64_t max, int64_t *ret, struct error *err) MUST_USE;

/* The same for any text; `what` names it in the message. */
int arguments_number(const char *what, const char *text, int64_t min, int64_t max, int64_t *ret,
                     struct error *err) MUST_USE;

#endif
