/*
 * password_list.h - reads a list of passwords of any size and hands out each key
 * (password_filter.h).
 *
 * Lines of UTF-8, or of "SHA-1" or "SHA-1:count" in hex as Have I Been Pwned publishes them; the
 * first entry says which. Empty lines and # lines at the top do not count.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_LIST_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_LIST_H

#include <stdio.h>

#include "common/base/base.h"
#include "common/base/error.h"

enum { PASSWORD_LIST_LINE_MAX = 4096 }; /* bytes: no password may be longer */

struct password_list_counts {
    int64_t lines, bytes; /* read so far */
    int64_t entries;      /* handed out */
    int64_t skipped;      /* lines that are no UTF-8 or too long, which no password can be */
};

struct password_list_reader {
    /* For each entry: -1 with err set ends the reading. */
    int (*take)(void *arg, uint64_t key, struct error *err);
    /* May be NULL. Every few thousand entries. */
    void (*progress)(void *arg, const struct password_list_counts *counts);
    void *arg;
};

/* Reads to the end; `name` is for messages. A password counts normalised, its ASCII letters in
 * lower case. ERR_BAD_REQUEST: unreadable, no text, or hashes of another kind. */
int password_list_read(FILE *file, const char *name, const struct password_list_reader *reader,
                       struct password_list_counts *ret, struct error *err) MUST_USE;

#endif
