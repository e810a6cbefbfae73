/*
 * fuzz_attestation.c - the attestation object of a new credential: CBOR, and authenticator data in
 * it.
 */
#include <string.h>

#include "authd/passkey/webauthn.h"
#include "tests/fuzz/fuzz.h"

static const uint8_t challenge[WEBAUTHN_CHALLENGE_SIZE] = "0123456789abcdef0123456789abcde";
static const char *const origins[] = {"https://my.lakeside.example", NULL};
static const struct webauthn_ceremony ceremony = {
    .rp_id = "my.lakeside.example",
    .origins = origins,
    .challenge = {challenge, sizeof(challenge)},
};
static const char client_data[] =
    "{\"type\":\"webauthn.create\",\"challenge\":\"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZQA\","
    "\"origin\":\"https://my.lakeside.example\",\"crossOrigin\":false}";

int fuzz_attestation(const uint8_t *data, size_t size)
{
    CLEANUP(fuzz_free) uint8_t *copy = fuzz_bytes(data, size);
    const struct field_bytes text = {(const uint8_t *)client_data, sizeof(client_data) - 1};
    struct webauthn_credential one, two;

    if (webauthn_check_registration(&ceremony, text, (struct field_bytes){copy, size}, &one))
        return 0;
    FUZZ_REQUIRE(one.id_size > 0 && one.id_size <= sizeof(one.id));
    FUZZ_REQUIRE(one.key_size > 0 && one.key_size <= sizeof(one.key));
    FUZZ_REQUIRE(
        !webauthn_check_registration(&ceremony, text, (struct field_bytes){copy, size}, &two));
    FUZZ_REQUIRE(one.key_size == two.key_size && memcmp(one.key, two.key, one.key_size) == 0);
    return 0;
}
