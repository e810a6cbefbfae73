/* member_search.h - search keys of a project's people: folded names and addresses. A search finds
 * the people with a key that begins with the searched words. */
#ifndef ATRIUM_AUTHD_MEMBER_MEMBER_SEARCH_H
#define ATRIUM_AUTHD_MEMBER_MEMBER_SEARCH_H

#include "authd/authd.h"

/* Returns the beginning of the keys that `search` finds, or "" if it has no letter or digit. A
 * search with an '@' finds only addresses. */
const char *member_search_words(struct arena *arena, const char *search);

/* Writes the search keys of new and changed accounts (schema/0135_member_search.sql). For
 * service_every(). Parks. */
int member_search_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
