/*
 * key.h - the API's signing keys: shared through the database, rotated without downtime. A key
 * signs KEY_LEAD after its announcement, when every gateway has it, and is accepted until its last
 * token has expired.
 */
#ifndef ATRIUM_AUTHD_SESSION_KEY_H
#define ATRIUM_AUTHD_SESSION_KEY_H

#include "authd/authd.h"
#include "authd/session/jws.h"

#define KEY_SEAL_PURPOSE "authd signing key"
#define KEY_LEAD SECONDS(10)

/* Reads the keys, and creates the first. Call it once, at start. Parks. */
int key_open(struct authd *d, const struct request *req, struct error *err) MUST_USE;
void key_close(struct authd *d);

/* Reads the keys again, every few seconds and on a caller's request. Parks. */
int key_reload(struct authd *d, const struct request *req, struct error *err) MUST_USE;

/* Returns the key that signs now, valid until the fiber parks. Never NULL after key_open(). */
const struct jws_key *key_current(const struct authd *d, int64_t now_ms);

#endif
