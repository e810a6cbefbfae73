/*
 * authenticator.h - an authenticator of Web Authentication Level 3 in software: one key, which
 * answers what a browser would hand to the server. What a test wants to be wrong it sets before.
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

/* Bytes of an answer. */
struct authenticator_bytes {
    uint8_t bytes[AUTHENTICATOR_TEXT_MAX];
    size_t size;
};

struct authenticator_answer {
    struct authenticator_bytes client_data;
    struct authenticator_bytes attestation; /* of a new credential */
    struct authenticator_bytes auth_data, signature;
};

struct authenticator {
    void *key; /* EVP_PKEY */
    int algorithm;
    uint8_t id[32];
    char handle[129];   /* base64url; what it knows its owner by */
    uint32_t count;     /* of the next answer; 0: it does not count */
    uint8_t flags;      /* PRESENT | VERIFIED unless a test sets others */
    const char *origin; /* of the page that asks */
    const char *type;   /* NULL: what it should be */
    const char *rp_id;  /* NULL: of the options */
    bool cross_origin;  /* a frame asks */
    const void *tail;   /* bytes behind the authenticator data, which are signed */
    size_t tail_size;
};

/* A new key; the origin is borrowed. Usable with CLEANUP. */
struct authenticator *authenticator_new(int algorithm, const char *origin);
void authenticator_destroy(struct authenticator **self_p);
#define AUTHENTICATOR CLEANUP(authenticator_destroy) struct authenticator *

/* The public key in COSE (RFC 9053). */
void authenticator_public_key(const struct authenticator *self, struct authenticator_bytes *ret);

/* Answers in bytes: to a challenge in base64url. */
void authenticator_make(struct authenticator *self, const char *rp_id, const char *challenge,
                        struct authenticator_answer *ret);
void authenticator_sign(struct authenticator *self, const char *rp_id, const char *challenge,
                        struct authenticator_answer *ret);

/* Answers to options of the server, as PublicKeyCredential.toJSON() gives them. New references. */
json_t *authenticator_create(struct authenticator *self, const json_t *options);
json_t *authenticator_get(struct authenticator *self, const json_t *options);

#endif
