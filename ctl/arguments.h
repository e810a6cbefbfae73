/*
 * arguments.h - parses a command's arguments by its usage text, which --help prints too.
 *
 *     "CODE [--json-file FILE] [--force] --email E"
 *
 *   CODE            upper case: a positional argument
 *   default-policy  lower case: this word itself
 *   --email E       an option with a value ("--email X" or "--email=X")
 *   --force         an option without a value
 *   queued|dead     one of these
 *   [ ... ]         optional
 */
#ifndef ATRIUM_CTL_ARGUMENTS_H
#define ATRIUM_CTL_ARGUMENTS_H

#include "common/base/arena.h"
#include "common/base/error.h"

enum { ARGUMENTS_MAX = 24 };

struct argument {
    const char *name;   /* "--email", "CODE" */
    const char *value;  /* NULL: not given; "": no value */
    const char *holder; /* placeholder of the value: "E", "CODE"; NULL: none */
    bool option, optional;
};

struct arguments {
    struct argument items[ARGUMENTS_MAX];
    size_t count;
};

/* Reads the allowed arguments. Names are in the arena. */
void arguments_read_usage(struct arguments *self, const char *usage, struct arena *arena);

/* Returns "queued|dead" if the value must be one of these; NULL: any text. */
const char *argument_choices(const struct argument *self);

/* Parses `words` by the usage. Names are in the arena, values are borrowed. ERR_BAD_REQUEST names
 * the wrong or missing word. */
int arguments_parse(struct arguments *self, const char *usage, const char *const *words,
                    size_t count, struct arena *arena, struct error *err) MUST_USE;

/* Returns a value; NULL: not given. Asserts that the usage has that name. */
const char *arguments_get(const struct arguments *self, const char *name);
bool arguments_has(const struct arguments *self, const char *name);

/* Returns a number in [min, max]; `fallback` when not given. */
int arguments_int(const struct arguments *self, const char *name, int64_t fallback, int64_t min,
                  int64_t max, int64_t *ret, struct error *err) MUST_USE;

/* Parses any text; `what` names it in the message. */
int arguments_number(const char *what, const char *text, int64_t min, int64_t max, int64_t *ret,
                     struct error *err) MUST_USE;

#endif
