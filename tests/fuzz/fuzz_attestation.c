/*
 * fuzz_attestation.c - a new credential's attestation object: CBOR with authenticator data.
 */
#include <string.h>

#include "tests/fuzz/ceremony.h"
#include "tests/fuzz/fuzz.h"

static const char client_data[] = FUZZ_CLIENT_DATA("create");

int fuzz_attestation(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) uint8_t *copy = fuzz_bytes(data, size);
    const struct field_bytes text = {(const uint8_t *)client_data, sizeof(client_data) - 1};
    struct webauthn_credential one, two;
    const char *wrong;

    if (webauthn_check_registration(&fuzz_ceremony, text, (struct field_bytes){copy, size}, &one))
        return 0;
    FUZZ_REQUIRE(one.id_size > 0 && one.id_size <= sizeof(one.id));
    FUZZ_REQUIRE(one.key_size > 0 && one.key_size <= sizeof(one.key));
    wrong =
        webauthn_check_registration(&fuzz_ceremony, text, (struct field_bytes){copy, size}, &two);
    /* OpenSSL tests an RSA modulus with random bases, so a bad modulus can pass in one run and fail
     * in another. */
    FUZZ_REQUIRE(!wrong || (one.algorithm == WEBAUTHN_RS256 && strcmp(wrong, "key") == 0));
    FUZZ_REQUIRE(wrong ||
                 (one.key_size == two.key_size && memcmp(one.key, two.key, one.key_size) == 0));
    return 0;
}
