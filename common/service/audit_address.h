/*
 * audit_address.h - the network address of a client in rows of the audit trail, sealed for the
 * account that was there.
 *
 * Each account has a pair of X25519 keys in authd (authd/session/address_key.h). The public one
 * goes along with the caller, so that every daemon can seal and only authd can open. The secret one
 * is deleted with the account: from then on no process, backup of the trail or export opens what
 * was sealed for it. The sealed text is a part of the row that is hashed, so chain, leaves and
 * proofs do not depend on the key.
 *
 * The member `addressSealed` of an event is base64url of libsodium's sealed box over the 16 bytes
 * of struct address: neither family nor length shows, and the same address is another text in
 * each row. It is of `agent.account`, where that is set, else of `account`.
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

/* The event for a reader: with `address` as if it had never been sealed, or, NULL or "", with
 * `addressErased` true. From the arena. What is hashed is the event as it is stored. */
const char *audit_address_show(struct arena *arena, const char *event, const char *address);

#endif
