/*
 * trail_proof.c - see trail_proof.h.
 */
#include "tests/support/trail_proof.h"

#include <sodium.h>
#include <string.h>

#include "common/base/merkle.h"

static bool hash_read(const char *text, struct merkle_hash *ret)
{
    size_t size = 0;

    return text &&
           sodium_base642bin(ret->bytes, sizeof(ret->bytes), text, strcspn(text, "\n"), NULL, &size,
                             NULL, sodium_base64_VARIANT_ORIGINAL) == 0 &&
           size == sizeof(ret->bytes);
}

/* Reads a checkpoint's third line. */
static bool root_read(const char *note, struct merkle_hash *ret)
{
    for (int line = 0; note && line < 2; line++) {
        note = strchr(note, '\n');
        note = note ? note + 1 : NULL;
    }
    return hash_read(note, ret);
}

bool trail_proof_holds(const json_t *answer)
{
    const char *record = json_string_value(json_object_get(answer, "record"));
    const json_t *hashes = json_object_get(answer, "hashes");
    struct merkle_proof proof = {.count = json_array_size(hashes)};
    struct merkle_hash root, leaf;

    if (!record || proof.count > MERKLE_PROOF_MAX ||
        !root_read(json_string_value(json_object_get(answer, "checkpoint")), &root))
        return false;
    for (size_t i = 0; i < proof.count; i++) {
        if (!hash_read(json_string_value(json_array_get(hashes, i)), &proof.hashes[i]))
            return false;
    }
    merkle_leaf_hash(record, strlen(record), &leaf);
    return merkle_check_leaf(&proof, json_integer_value(json_object_get(answer, "size")), &root,
                             json_integer_value(json_object_get(answer, "index")), &leaf);
}
