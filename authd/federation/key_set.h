/*
 * key_set.h - other parties' public keys (RFC 7517, section 5), fetched by URL: those of OAuth
 * clients and of identity providers. An unknown key id refetches a set, once a minute. Unusable
 * keys are skipped and logged.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_KEY_SET_H
#define ATRIUM_AUTHD_FEDERATION_KEY_SET_H

#include "authd/federation/document.h"
#include "common/domain/jwt.h"

#define KEY_SET_AGAIN MINUTES(1)

/* Sets of RSA and EC keys; a provider's also of Ed25519 (RFC 8037). */
extern const struct document_kind client_key_sets, provider_key_sets;

/* Returns a new reference to a JWK set's `keys`, which are unchecked, or NULL. */
json_t *key_set_parse(const char *text, size_t size);

/* Reports if one of the keys signed the token with one of `algs`. Tries only a few keys of a set
 * without key ids, since each verification blocks the loop. */
bool key_set_signed(const json_t *keys, const struct jwt *token, const char *const *algs);

#endif
