/*
 * client_keys.h - public keys of OAuth clients, from their registration or `jwksUri`. The URI is
 * fetched as bots fetch a project's URLs (common/service/fetch.h): https, checked address, no
 * redirects, limited size and time.
 *
 * Sets are cached for their `max-age` (RFC 9111, section 5.2.2.1), at least five minutes, which is
 * also the default, and at most a day. While the host fails, a set is used for at most a day, so
 * that removed keys expire. An unknown key id refetches the set, once a minute. Unusable keys are
 * skipped and logged.
 */
#ifndef ATRIUM_AUTHD_OAUTH_CLIENT_KEYS_H
#define ATRIUM_AUTHD_OAUTH_CLIENT_KEYS_H

#include <jansson.h>

#include "authd/authd.h"

struct oauth_client;

#define CLIENT_KEYS_FRESH_LEAST MINUTES(5)
#define CLIENT_KEYS_FRESH_MOST HOURS(24)
#define CLIENT_KEYS_STALE HOURS(24)
#define CLIENT_KEYS_AGAIN MINUTES(1)

struct client_keys;

struct client_keys *client_keys_new(struct authd *d);
void client_keys_destroy(struct client_keys **self_p);

/* Returns a new reference to the client's `keys`, possibly empty, or NULL with err set. kid: the
 * wanted key; "": any. Parks. */
json_t *client_keys_get(struct authd *d, const struct request *req,
                        const struct oauth_client *client, const char *kid, struct error *err);

#endif
