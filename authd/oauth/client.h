/*
 * client.h - the OAuth clients of an issuer: the client applications of its project, and the
 * console of the installation, which every tenant has.
 */
#ifndef ATRIUM_AUTHD_OAUTH_CLIENT_H
#define ATRIUM_AUTHD_OAUTH_CLIENT_H

#include "authd/authd.h"

struct oauth_client;
struct tenant;

#define CONSOLE_CLIENT "console"

struct settings_view; /* settings_cache.h */

/* The client of a request's `client_id`. It is read each time, so what an admin changes counts from
 * the next request on. Fails: NOT_FOUND. Parks. */
int oauth_client_find(struct authd *d, const struct request *req, struct settings_view *view,
                      const struct tenant *tenant, const char *client_id, struct oauth_client *ret,
                      struct error *err) MUST_USE;

/* Whether a list of its registration has the word. */
bool oauth_client_allows(const struct field_texts *list, const char *word);

#endif
