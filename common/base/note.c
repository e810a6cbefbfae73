/* note.c - see note.h. */
#include "common/base/note.h"

#include <sodium.h>
#include <stdio.h>

#define DASH "\xe2\x80\x94 " /* em dash and blank before a signature */

enum {
    ED25519 = 1, /* algorithm byte before a public key */
    HASH_SIZE = 4,
    VERIFIER_SIZE = 1 + NOTE_PUBLIC_SIZE,
    SIGNATURE_SIZE = HASH_SIZE + crypto_sign_BYTES,
    NAME_MAX_LENGTH = 512,
};
_Static_assert(NOTE_PUBLIC_SIZE == crypto_sign_PUBLICKEYBYTES, "size of a public key");
_Static_assert(NOTE_SECRET_SIZE == crypto_sign_SECRETKEYBYTES, "size of a secret key");

const char *note_base64(struct arena *arena, const void *bytes, size_t size)
{
    size_t most = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
    char *text = arena_alloc(arena, most);

    return sodium_bin2base64(text, most, bytes, size, sodium_base64_VARIANT_ORIGINAL);
}

struct verifier {
    const char *name;
    uint8_t key[VERIFIER_SIZE], hash[HASH_SIZE];
};

static void hash_key(struct verifier *self)
{
    uint8_t hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;

    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, (const uint8_t *)self->name, strlen(self->name));
    crypto_hash_sha256_update(&state, (const uint8_t *)"\n", 1);
    crypto_hash_sha256_update(&state, self->key, sizeof(self->key));
    crypto_hash_sha256_final(&state, hash);
    memcpy(self->hash, hash, sizeof(self->hash));
}

static struct verifier verifier_of(const char *name, const uint8_t public[static NOTE_PUBLIC_SIZE])
{
    struct verifier self = {.name = name, .key = {ED25519}};

    memcpy(self.key + 1, public, NOTE_PUBLIC_SIZE);
    hash_key(&self);
    return self;
}

const char *note_key(struct arena *arena, const char *name,
                     const uint8_t public[static NOTE_PUBLIC_SIZE])
{
    const struct verifier self = verifier_of(name, public);

    return arena_printf(arena, "%s+%02x%02x%02x%02x+%s", name, self.hash[0], self.hash[1],
                        self.hash[2], self.hash[3], note_base64(arena, self.key, sizeof(self.key)));
}

static bool decode(const char *text, size_t length, uint8_t *ret, size_t size)
{
    size_t got;

    return sodium_base642bin(ret, size, text, length, NULL, &got, NULL,
                             sodium_base64_VARIANT_ORIGINAL) == 0 &&
           got == size;
}

static bool parse_key(struct arena *arena, const char *key, struct verifier *ret)
{
    size_t name = strcspn(key, "+ \n"), hash;
    char text[2 * HASH_SIZE + 1];

    if (name == 0 || name > NAME_MAX_LENGTH || key[name] != '+')
        return false;
    hash = strcspn(key + name + 1, "+");
    if (hash != 2 * HASH_SIZE || key[name + 1 + hash] != '+')
        return false;
    ret->name = arena_strndup(arena, key, name);
    key += name + 1;
    if (!decode(key + hash + 1, strlen(key + hash + 1), ret->key, sizeof(ret->key)) ||
        ret->key[0] != ED25519)
        return false;
    hash_key(ret);
    sodium_bin2hex(text, sizeof(text), ret->hash, sizeof(ret->hash));
    return strncmp(key, text, hash) == 0;
}

const char *note_sign(struct arena *arena, const char *name, const char *text,
                      const uint8_t public[static NOTE_PUBLIC_SIZE],
                      const uint8_t secret[static NOTE_SECRET_SIZE])
{
    const struct verifier self = verifier_of(name, public);
    uint8_t signature[SIGNATURE_SIZE];

    memcpy(signature, self.hash, HASH_SIZE);
    crypto_sign_detached(signature + HASH_SIZE, NULL, (const uint8_t *)text, strlen(text), secret);
    return arena_printf(arena, "%s\n" DASH "%s %s\n", text, name,
                        note_base64(arena, signature, sizeof(signature)));
}

static const char *find_end(const char *note)
{
    const char *end = NULL;

    for (const char *at = note; (at = strstr(at, "\n\n")); at++)
        end = at + 1;
    return end;
}

/* Returns 1 for a valid signature, 0 for another key's line, otherwise -1. */
static int check_line(const struct verifier *verifier, const char *line, size_t length,
                      const char *text, size_t size)
{
    size_t name = strlen(verifier->name), dash = strlen(DASH);
    uint8_t signature[SIGNATURE_SIZE];

    if (length < dash || strncmp(line, DASH, dash) != 0)
        return -1;
    line += dash;
    length -= dash;
    if (length <= name || strncmp(line, verifier->name, name) != 0 || line[name] != ' ')
        return 0;
    if (!decode(line + name + 1, length - name - 1, signature, sizeof(signature)))
        return -1;
    if (memcmp(signature, verifier->hash, HASH_SIZE) != 0)
        return 0;
    return crypto_sign_verify_detached(signature + HASH_SIZE, (const uint8_t *)text, size,
                                       verifier->key + 1) == 0
               ? 1
               : -1;
}

const char *note_open(struct arena *arena, const char *note, const char *key)
{
    const char *end = find_end(note), *line;
    struct verifier verifier;
    bool good = false;

    if (!end || !parse_key(arena, key, &verifier))
        return NULL;
    for (line = end + 1; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");
        int checked = line[length] == '\n'
                          ? check_line(&verifier, line, length, note, (size_t)(end - note))
                          : -1;

        if (checked < 0)
            return NULL;
        good = good || checked > 0;
    }
    return good ? arena_strndup(arena, note, (size_t)(end - note)) : NULL;
}
