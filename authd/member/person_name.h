/*
 * person_name.h - folded names (common/domain/fold.h) for the search of people.
 */
#ifndef ATRIUM_AUTHD_MEMBER_PERSON_NAME_H
#define ATRIUM_AUTHD_MEMBER_PERSON_NAME_H

#include "authd/authd.h"

/* Returns the prefix of matching keys, or "" if `search` is an address or can't be a name. */
const char *person_name_search(struct arena *arena, const char *search);

/* Folds the names of due accounts (schema/0125_account_name.sql). Sets d->names_folded when all are
 * done. For service_every(). Parks. */
int person_name_fold(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
