/*
 * audit_address.h - clients' network addresses in audit rows, sealed for their accounts.
 *
 * Each account has an X25519 key pair in authd (authd/session/address_key.h). All daemons get the
 * public key with the caller. The secret key is deleted with the account, and then nothing opens
 * the address. The hash covers the sealed text, so chain and proofs do not depend on the key.
 *
 * `addressSealed` is base64url of libsodium's sealed box over struct address, which hides family
 * and length. It is sealed for `agent.account` or, if that is absent, for `account`.
 */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_ADDRESS_H
#define ATRIUM_COMMON_SERVICE_AUDIT_ADDRESS_H

#include "common/base/secret.h"
#include "common/base/uuid.h"
#include "common/wire/fields.h"

enum {
    AUDIT_ADDRESS_KEY_TEXT = 43,    /* characters */
    AUDIT_ADDRESS_SEALED_TEXT = 86, /* characters */
};

/* Creates a key pair and returns the public key as text. */
const char *audit_address_key_new(struct arena *arena, struct secret *ret_secret);

/* Seals an address; NULL for an invalid key or IP address. */
const char *audit_address_seal(struct arena *arena, const char *public_key, const char *address);

/* Returns the address, or NULL if it was altered or sealed for another key. */
const char *audit_address_open(struct arena *arena, const char *public_key,
                               const struct secret *secret, const char *sealed);

struct audit_sealed {
    struct uuid account;
    const char *sealed;
};
FIELD_DECLARE(audit_sealed);

/* Returns false for an event without a sealed address. */
bool audit_sealed_of(struct arena *arena, const char *event, struct audit_sealed *ret);

/* Returns the event with `address` open, or `addressErased` for NULL or "". */
const char *audit_address_show(struct arena *arena, const char *event, const char *address);

#endif
