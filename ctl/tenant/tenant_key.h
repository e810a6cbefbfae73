/*
 * tenant_key.h - the key pair to which another installation encrypts a tenant's file
 * (ctl/tenant/tenant_file.h).
 *
 * The pair (X25519) is derived from a seal key, so that there is no further secret to keep, and a
 * file that was made before an exchange of the seal key is opened as long as that key is known.
 * Only the public half is shown; it tells nothing of the seal key.
 */
#ifndef ATRIUM_CTL_TENANT_TENANT_KEY_H
#define ATRIUM_CTL_TENANT_TENANT_KEY_H

#include "common/service/seal_keys.h"

enum {
    TENANT_KEY_SIZE = 32,
    TENANT_KEY_ID_SIZE = 8,
    TENANT_KEY_ID_TEXT = 2 * TENANT_KEY_ID_SIZE + 1,
    TENANT_STREAM_KEY_SIZE = 32,
    TENANT_BOX_SIZE = TENANT_STREAM_KEY_SIZE + 48, /* a stream key, encrypted to a public key */
};

/* The public half. */
struct tenant_key {
    uint8_t bytes[TENANT_KEY_SIZE];
};

/* That of the seal key. */
struct tenant_key tenant_key_derive(const struct secret *seal_key);

/* As operators copy it: "atrium-tenant-", then base64url of the key and of a check of 4 bytes. From
 * the arena. */
char *tenant_key_print(struct arena *arena, const struct tenant_key *self);

/* Back. Fails on any other text, and on a key to which nothing can be encrypted. */
int tenant_key_parse(const char *text, struct tenant_key *ret, struct error *err) MUST_USE;

/* Tells one key from another; hexadecimal. */
void tenant_key_id(const struct tenant_key *self, char ret[static TENANT_KEY_ID_TEXT]);

/* Encrypts a stream key: libsodium's sealed box. Fails when the key is none. */
int tenant_key_encrypt(const struct tenant_key *self,
                       const uint8_t stream_key[static TENANT_STREAM_KEY_SIZE],
                       uint8_t ret[static TENANT_BOX_SIZE]) MUST_USE;

/* Decrypts by the seal key whose pair has that id. ERR_FORBIDDEN when none has it or the box is not
 * for it. */
int tenant_key_decrypt(const struct seal_keys *keys, const char *id,
                       const uint8_t box[static TENANT_BOX_SIZE],
                       uint8_t ret[static TENANT_STREAM_KEY_SIZE], struct error *err) MUST_USE;

#endif
