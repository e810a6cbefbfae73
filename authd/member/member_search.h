/* member_search.h - the folded keys that the people of a project are searched by. */
#ifndef ATRIUM_AUTHD_MEMBER_MEMBER_SEARCH_H
#define ATRIUM_AUTHD_MEMBER_MEMBER_SEARCH_H

#include "authd/authd.h"

/* Returns what the keys of the people begin with whom `search` finds; "" when it has no letter and
 * no digit. With an '@' it finds addresses only. */
const char *member_search_words(struct arena *arena, const char *search);

/* Writes the keys of new and changed accounts (schema/0135_member_search.sql); a run of
 * service_every(). Parks. */
int member_search_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
