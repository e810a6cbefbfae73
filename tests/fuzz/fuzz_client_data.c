/*
 * fuzz_client_data.c - a browser's clientDataJSON.
 */
#include <string.h>

#include "tests/fuzz/ceremony.h"
#include "tests/fuzz/fuzz.h"

static bool is_about_text(const char *wrong)
{
    static const char *const words[] = {"size",   "client-data",  "type", "challenge",
                                        "origin", "cross-origin", NULL};
    const char *const *word = words;

    while (*word && strcmp(*word, wrong) != 0)
        word++;
    return *word != NULL;
}

int fuzz_client_data(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) uint8_t *copy = fuzz_bytes(data, size);
    struct field_bytes text = {copy, size}, attestation = {(const uint8_t *)"\x80", 1};
    struct webauthn_credential credential;
    const char *wrong = webauthn_check_registration(&fuzz_ceremony, text, attestation, &credential);

    FUZZ_REQUIRE(wrong);
    /* accepted so far: it names its ceremony */
    if (!is_about_text(wrong))
        FUZZ_REQUIRE(memmem(copy, size, FUZZ_CHALLENGE_TEXT, sizeof(FUZZ_CHALLENGE_TEXT) - 1) ||
                     memchr(copy, '\\', size));
    return 0;
}
