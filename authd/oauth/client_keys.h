/*
 * client_keys.h - the public keys of OAuth clients that sign: those of their registration, or of
 * their `jwksUri`, which is asked as bots ask a project's URLs (common/service/fetch.h): https, the
 * address of the connected socket, no redirect, bounds of size and time.
 *
 * A key set that was fetched is used as long as `max-age` of its Cache-Control says (RFC 9111,
 * section 5.2.2.1), for five minutes at least, also when it does not say, and a day at most; and
 * for a day while its host fails, so that a key that was taken out counts no longer. A key id that
 * it lacks has it fetched again, once a minute. One fetch of a set at a time. Keys that cannot be
 * used are skipped and logged.
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

/* The `keys` array of the client's set, a new reference; kid: the key that is looked for, "" for
 * any. An empty array: none can be had. NULL: err is set. Parks. */
json_t *client_keys_get(struct authd *d, const struct request *req,
                        const struct oauth_client *client, const char *kid, struct error *err);

#endif
