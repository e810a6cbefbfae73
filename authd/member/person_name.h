/*
 * person_name.h - the names that people are searched by, folded (common/domain/fold.h).
 */
#ifndef ATRIUM_AUTHD_MEMBER_PERSON_NAME_H
#define ATRIUM_AUTHD_MEMBER_PERSON_NAME_H

#include "authd/authd.h"

/* What the keys of those begin with who are searched by that; "" when it is no name, but an
 * address, or nothing that names have. */
const char *person_name_search(struct arena *arena, const char *search);

/* Folds the names of accounts that are due (schema/0125_account_name.sql), and notes in
 * d->names_folded that once all were done; a run of service_every(). Parks. */
int person_name_fold(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
