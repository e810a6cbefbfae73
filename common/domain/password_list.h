/*
 * password_list.h - reads a password list of any size into keys (password_filter.h).
 *
 * Lines are UTF-8 passwords, or "SHA-1" or "SHA-1:count" in hex as from Have I Been Pwned; the
 * first entry decides. Skips empty lines, and # lines at the top.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_LIST_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_LIST_H

#include <stdio.h>

#include "common/base/base.h"
#include "common/base/error.h"

enum { PASSWORD_LIST_LINE_MAX = 4096 }; /* above any password's limit */

struct password_list_counts {
    int64_t lines, bytes;
    int64_t entries;
    int64_t skipped; /* lines too long or not UTF-8 */
};

struct password_list_reader {
    /* Receives each key; -1 with err set ends the reading. */
    int (*take)(void *arg, uint64_t key, struct error *err);
    /* Runs every few thousand entries; can be NULL. */
    void (*progress)(void *arg, const struct password_list_counts *counts);
    void *arg;
};

/* Reads a list; passwords are normalised, with ASCII letters lowered. Fails with ERR_BAD_REQUEST:
 * unreadable, not text, or other hashes. */
int password_list_read(FILE *file, const char *name, const struct password_list_reader *reader,
                       struct password_list_counts *ret, struct error *err) MUST_USE;

#endif
