/*
 * key.h - the signing keys of the suite: made once, shared through the database, rotated without
 * downtime.
 *
 * A new key signs only KEY_LEAD after it was announced, so that every gateway has its public half
 * before it sees a token of it; the old one is accepted until its last token expired.
 */
#ifndef ATRIUM_AUTHD_SESSION_KEY_H
#define ATRIUM_AUTHD_SESSION_KEY_H

#include "authd/authd.h"
#include "authd/session/jws.h"

#define KEY_SEAL_PURPOSE "authd signing key"
#define KEY_LEAD SECONDS(10)

/* Reads the keys, makes the first one if there is none. Parks. Call once, at start. */
int key_open(struct authd *d, const struct request *req, struct error *err) MUST_USE;
void key_close(struct authd *d);

/* Reads the keys again: every few seconds, and when a caller wants them. Parks. */
int key_reload(struct authd *d, const struct request *req, struct error *err) MUST_USE;

/* The key that signs at this contract time. Valid until the fiber parks. Never NULL after
 * key_open(). */
const struct jws_key *key_current(const struct authd *d, int64_t now_ms);

#endif
