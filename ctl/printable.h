/*
 * printable.h - texts of others on an operator's terminal, which would execute their control
 * characters: those of ASCII, and U+0080 to U+009F.
 */
#ifndef ATRIUM_CTL_PRINTABLE_H
#define ATRIUM_CTL_PRINTABLE_H

#include <jansson.h>
#include <stdio.h>

/* Replaces control characters by blanks, in place. */
char *printable_line(char *text);

/* Keeps line ends and tabs. */
char *printable_lines(char *text);

void printable_put(const char *text, FILE *to);

/* Prints JSON (flags: JSON_COMPACT, JSON_INDENT(n)) with control characters as \uXXXX. */
void printable_json(const json_t *json, size_t flags, FILE *to);
void printable_json_text(const char *text, FILE *to);

#endif
