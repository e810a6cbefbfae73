/*
 * printable.h - prints untrusted texts without control characters, which a terminal would execute.
 */
#ifndef ATRIUM_CTL_PRINTABLE_H
#define ATRIUM_CTL_PRINTABLE_H

#include <jansson.h>
#include <stdio.h>

/* Replaces control characters in place. */
char *printable_line(char *text);

/* Replaces control characters in place, except line ends and tabs. */
char *printable_lines(char *text);

void printable_put(const char *text, FILE *to);

/* `flags` as for Jansson. Control characters become \uXXXX. */
void printable_json(const json_t *json, size_t flags, FILE *to);
void printable_json_text(const char *text, FILE *to);

#endif
