/*
 * challenge.c - see challenge.h.
 */
#include "authd/credential/challenge.h"

#include <sodium.h>
#include <string.h>

#include "authd/credential/pkce.h"
#include "common/base/secret.h"

bool challenge_matches(const char *challenge, const char *verifier)
{
    char
        want[sodium_base64_ENCODED_LEN(SECRET_HASH_SIZE, sodium_base64_VARIANT_URLSAFE_NO_PADDING)];
    uint8_t hash[SECRET_HASH_SIZE];
    char why[96];

    if (pkce_verifier_check(verifier, why) < 0)
        return false;
    secret_hash(verifier, hash);
    sodium_bin2base64(want, sizeof(want), hash, sizeof(hash),
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return strlen(challenge) == strlen(want) && sodium_memcmp(challenge, want, strlen(want)) == 0;
}
