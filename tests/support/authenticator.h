/*
 * authenticator.h - a software authenticator (Web Authentication Level 3) with one key. It answers
 * like a browser; tests set members to make answers wrong.
 */
#ifndef ATRIUM_TESTS_SUPPORT_AUTHENTICATOR_H
#define ATRIUM_TESTS_SUPPORT_AUTHENTICATOR_H

#include <jansson.h>
#include <stdint.h>

#include "common/base/base.h"

enum { AUTHENTICATOR_ES256 = -7, AUTHENTICATOR_EDDSA = -8, AUTHENTICATOR_RS256 = -257 };

enum {
    AUTHENTICATOR_PRESENT = 0x01,
    AUTHENTICATOR_VERIFIED = 0x04,
    AUTHENTICATOR_BACKUP_ELIGIBLE = 0x08,
    AUTHENTICATOR_BACKED_UP = 0x10,
};

enum { AUTHENTICATOR_TEXT_MAX = 4096 };

struct authenticator_bytes {
    uint8_t bytes[AUTHENTICATOR_TEXT_MAX];
    size_t size;
};

struct authenticator_answer {
    struct authenticator_bytes client_data;
    struct authenticator_bytes attestation;
    struct authenticator_bytes auth_data, signature;
};

struct authenticator {
    void *key; /* EVP_PKEY */
    int algorithm;
    uint8_t id[32];
    char handle[129];   /* base64url user handle */
    uint32_t count;     /* next signature counter; 0: no counter */
    uint8_t flags;      /* PRESENT | VERIFIED by default */
    const char *origin; /* origin of the requesting page */
    const char *type;   /* NULL: the correct type */
    const char *rp_id;  /* NULL: from the options */
    bool cross_origin;  /* the request comes from a frame */
    const void *tail;   /* signed bytes after the authenticator data */
    size_t tail_size;
};

/* Makes a key. Borrows the origin. */
struct authenticator *authenticator_new(int algorithm, const char *origin);
void authenticator_destroy(struct authenticator **self_p);
#define AUTHENTICATOR CLEANUP(authenticator_destroy) struct authenticator *

/* Returns the public key in COSE (RFC 9053). */
void authenticator_public_key(const struct authenticator *self, struct authenticator_bytes *ret);

/* Take a base64url challenge and return the parts of the answer as raw bytes. */
void authenticator_make(struct authenticator *self, const char *rp_id, const char *challenge,
                        struct authenticator_answer *ret);
void authenticator_sign(struct authenticator *self, const char *rp_id, const char *challenge,
                        struct authenticator_answer *ret);

/* Answer the server's options as PublicKeyCredential.toJSON() does. Return new references. */
json_t *authenticator_create(struct authenticator *self, const json_t *options);
json_t *authenticator_get(struct authenticator *self, const json_t *options);

#endif
