/*
 * client_keys.h - public keys of OAuth clients, from their registration or `jwksUri`; see
 * authd/federation/key_set.h.
 */
#ifndef ATRIUM_AUTHD_OAUTH_CLIENT_KEYS_H
#define ATRIUM_AUTHD_OAUTH_CLIENT_KEYS_H

#include <jansson.h>

#include "authd/authd.h"

struct oauth_client;

/* Returns a new reference to the client's `keys`, possibly empty, or NULL with err set. kid: the
 * wanted key; "": any. Parks. */
json_t *client_keys_get(struct authd *d, const struct request *req,
                        const struct oauth_client *client, const char *kid, struct error *err);

#endif
