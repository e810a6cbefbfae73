/*
 * audit_address.h - a client's network address in audit rows, sealed for its account.
 *
 * Each account has an X25519 pair in authd (authd/session/address_key.h). Every daemon gets the
 * public key with the caller; the secret one is deleted with the account, and then nothing opens
 * what was sealed. The sealed text is hashed, so chain and proofs do not depend on the key.
 *
 * `addressSealed` is base64url of libsodium's sealed box over struct address: neither family nor
 * length shows, and no two texts are equal. It is sealed for `agent.account`, else for `account`.
 */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_ADDRESS_H
#define ATRIUM_COMMON_SERVICE_AUDIT_ADDRESS_H

#include "common/base/secret.h"
#include "common/base/uuid.h"
#include "common/wire/fields.h"

enum {
    AUDIT_ADDRESS_KEY_TEXT = 43,    /* characters of a public key */
    AUDIT_ADDRESS_SEALED_TEXT = 86, /* of a sealed address */
};

/* A new pair: the public key as text from the arena. */
const char *audit_address_key_new(struct arena *arena, struct secret *ret_secret);

/* From the arena; NULL when the key is none, or `address` is not an IP address. */
const char *audit_address_seal(struct arena *arena, const char *public_key, const char *address);

/* The address, canonical, from the arena; NULL when it was sealed for another key, or altered. */
const char *audit_address_open(struct arena *arena, const char *public_key,
                               const struct secret *secret, const char *sealed);

/* What an event has sealed, and for whom. */
struct audit_sealed {
    struct uuid account;
    const char *sealed;
};
FIELD_DECLARE(audit_sealed);

/* False: the event has no sealed address. Texts from the arena. */
bool audit_sealed_of(struct arena *arena, const char *event, struct audit_sealed *ret);

/* The stored event for a reader: with `address` in the open, or with `addressErased` for NULL or
 * "". From the arena. */
const char *audit_address_show(struct arena *arena, const char *event, const char *address);

#endif
