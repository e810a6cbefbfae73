/*
 * fuzz_auth_data.c - an assertion's authenticator data with another data's signature: always
 * refused.
 */
#include "tests/fuzz/ceremony.h"
#include "tests/fuzz/fuzz.h"

static const char client_data[] = FUZZ_CLIENT_DATA("get");
/* The public key of RFC 8032, section 7.1, test 1. */
static const uint8_t key[] = {0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe,
                              0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6,
                              0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a};
static const uint8_t signature[64] = {1};

int fuzz_auth_data(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) uint8_t *copy = fuzz_bytes(data, size);
    struct webauthn_assertion assertion;

    FUZZ_REQUIRE(webauthn_check_assertion(
        &fuzz_ceremony, WEBAUTHN_EDDSA, (struct field_bytes){key, sizeof(key)},
        (struct field_bytes){(const uint8_t *)client_data, sizeof(client_data) - 1},
        (struct field_bytes){copy, size}, (struct field_bytes){signature, sizeof(signature)},
        &assertion));
    return 0;
}
