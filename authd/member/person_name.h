/*
 * person_name.h - the names that people are searched by, folded (common/domain/fold.h).
 */
#ifndef ATRIUM_AUTHD_MEMBER_PERSON_NAME_H
#define ATRIUM_AUTHD_MEMBER_PERSON_NAME_H

#include "authd/authd.h"

enum { PERSON_NAME_KEYS_MAX = 12 };

/* The keys of a person: all names from each word on and around, and from what is behind an
 * apostrophe, which is left out; "o'brien" is found by "obrien" and by "brien". Of a script without
 * spaces from each character on. */
size_t person_name_keys(struct arena *arena, const char *name, const char *surname,
                        const char *ret[static PERSON_NAME_KEYS_MAX]);

/* What the keys of those begin with who are searched by that; "" when it is no name, but an
 * address, or nothing that names have. */
const char *person_name_search(struct arena *arena, const char *search);

/* Folds the names of accounts that are due (schema/0125_account_name.sql), and notes in
 * d->names_folded that once all were done; a run of service_every(). Parks. */
int person_name_fold(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
