/*
 * client.h - an issuer's OAuth clients: the project's applications, and the installation's console.
 */
#ifndef ATRIUM_AUTHD_OAUTH_CLIENT_H
#define ATRIUM_AUTHD_OAUTH_CLIENT_H

#include "authd/authd.h"

struct oauth_client;
struct tenant;

#define CONSOLE_CLIENT "console"

struct settings_view;

/* Finds a client. An admin's changes apply from the next request. Fails: NOT_FOUND. Parks. */
int oauth_client_find(struct authd *d, const struct request *req, struct settings_view *view,
                      const struct tenant *tenant, const char *client_id, struct oauth_client *ret,
                      struct error *err) MUST_USE;

/* True if a list of the registration has the word. */
bool oauth_client_allows(const struct field_texts *list, const char *word);

#endif
