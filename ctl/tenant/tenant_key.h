/*
 * tenant_key.h - the key pair (X25519) of an installation that receives files
 * (ctl/tenant/tenant_file.h). It is derived from a seal key; files remain readable as long as that
 * key is known.
 */
#ifndef ATRIUM_CTL_TENANT_TENANT_KEY_H
#define ATRIUM_CTL_TENANT_TENANT_KEY_H

#include "common/service/seal_keys.h"

enum {
    TENANT_KEY_SIZE = 32,
    TENANT_KEY_ID_SIZE = 8,
    TENANT_KEY_ID_TEXT = 2 * TENANT_KEY_ID_SIZE + 1,
    TENANT_STREAM_KEY_SIZE = 32,
    TENANT_BOX_SIZE = TENANT_STREAM_KEY_SIZE + 48, /* encrypted stream key */
};

/* The public half. */
struct tenant_key {
    uint8_t bytes[TENANT_KEY_SIZE];
};

struct tenant_key tenant_key_derive(const struct secret *seal_key);

/* Returns "atrium-tenant-" and base64url of the key and a 4-byte check. */
char *tenant_key_print(struct arena *arena, const struct tenant_key *self);

/* Parses a printed key. Fails for keys that cannot encrypt. */
int tenant_key_parse(const char *text, struct tenant_key *ret, struct error *err) MUST_USE;

/* Returns a hexadecimal id. */
void tenant_key_id(const struct tenant_key *self, char ret[static TENANT_KEY_ID_TEXT]);

/* Encrypts a stream key with libsodium's sealed box. */
int tenant_key_encrypt(const struct tenant_key *self,
                       const uint8_t stream_key[static TENANT_STREAM_KEY_SIZE],
                       uint8_t ret[static TENANT_BOX_SIZE]) MUST_USE;

/* Decrypts with the seal key of that id. ERR_FORBIDDEN: there is none, or the box is for another
 * key. */
int tenant_key_decrypt(const struct seal_keys *keys, const char *id,
                       const uint8_t box[static TENANT_BOX_SIZE],
                       uint8_t ret[static TENANT_STREAM_KEY_SIZE], struct error *err) MUST_USE;

#endif
