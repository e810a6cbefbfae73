/*
 * refresh_token.c - see refresh_token.h.
 */
#include "authd/refresh_token.h"

#include <sodium.h>
#include <string.h>

enum {
    PROJECT_AT = 0,
    SESSION_AT = 16,
    FAMILY_AT = 32,
    RANDOM_AT = FAMILY_AT + REFRESH_FAMILY_SIZE,
    RAW_SIZE = RANDOM_AT + REFRESH_RANDOM_SIZE,
};

_Static_assert(sodium_base64_ENCODED_LEN(RAW_SIZE, sodium_base64_VARIANT_URLSAFE_NO_PADDING) ==
                   REFRESH_TEXT_SIZE,
               "the text fits exactly");

/* Everything but the text from the bytes, the hashes from both. */
static void fill(const uint8_t raw[static RAW_SIZE], struct refresh_token *self)
{
    uuid_from_bytes(raw + PROJECT_AT, &self->project);
    uuid_from_bytes(raw + SESSION_AT, &self->session);
    memcpy(self->family, raw + FAMILY_AT, REFRESH_FAMILY_SIZE);
    secret_hash(self->text, self->hash);
    crypto_hash_sha256(self->family_hash, self->family, REFRESH_FAMILY_SIZE);
}

static void make(struct uuid project, struct uuid session, const uint8_t *family,
                 struct refresh_token *ret)
{
    uint8_t raw[RAW_SIZE];

    uuid_to_bytes(&project, raw + PROJECT_AT);
    uuid_to_bytes(&session, raw + SESSION_AT);
    memcpy(raw + FAMILY_AT, family, REFRESH_FAMILY_SIZE);
    randombytes_buf(raw + RANDOM_AT, REFRESH_RANDOM_SIZE);
    sodium_bin2base64(ret->text, sizeof(ret->text), raw, sizeof(raw),
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    fill(raw, ret);
    sodium_memzero(raw, sizeof(raw));
}

void refresh_token_new(struct uuid project, struct uuid session, struct refresh_token *ret)
{
    uint8_t family[REFRESH_FAMILY_SIZE];

    randombytes_buf(family, sizeof(family));
    make(project, session, family, ret);
    sodium_memzero(family, sizeof(family));
}

void refresh_token_next(const struct refresh_token *self, struct refresh_token *ret)
{
    make(self->project, self->session, self->family, ret);
}

int refresh_token_parse(const char *text, struct refresh_token *ret)
{
    uint8_t raw[RAW_SIZE];
    size_t size = 0;

    if (strlen(text) != REFRESH_TEXT_SIZE - 1 || secret_decode(text, raw, sizeof(raw), &size) < 0 ||
        size != RAW_SIZE)
        return -1;
    memcpy(ret->text, text, REFRESH_TEXT_SIZE);
    fill(raw, ret);
    sodium_memzero(raw, sizeof(raw));
    return 0;
}

void refresh_token_key(const struct refresh_token *self, struct secret *ret)
{
    ret->length = SEAL_KEY_SIZE;
    crypto_generichash(ret->bytes, SEAL_KEY_SIZE, (const uint8_t *)self->text,
                       REFRESH_TEXT_SIZE - 1, NULL, 0);
}

void refresh_token_wipe(struct refresh_token *self)
{
    sodium_memzero(self, sizeof(*self));
}
