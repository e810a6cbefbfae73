/*
 * note.h - texts with an Ed25519 signature: signed notes (https://c2sp.org/signed-note), which
 * golang.org/x/mod/sumdb/note opens.
 *
 *     text, each line with a line feed
 *
 *     - NAME <key hash and signature, base64>
 *
 * (The last line begins with an em dash.) Names have no blank or '+'.
 */
#ifndef ATRIUM_COMMON_BASE_NOTE_H
#define ATRIUM_COMMON_BASE_NOTE_H

#include "common/base/arena.h"
#include "common/base/base.h"

enum { NOTE_PUBLIC_SIZE = 32, NOTE_SECRET_SIZE = 64 }; /* libsodium's Ed25519 sizes */

const char *note_base64(struct arena *arena, const void *bytes, size_t size);

/* Returns the text with its signature. The text must end with a line feed. */
const char *note_sign(struct arena *arena, const char *name, const char *text,
                      const uint8_t public[static NOTE_PUBLIC_SIZE],
                      const uint8_t secret[static NOTE_SECRET_SIZE]);

/* Returns the verifier key: "NAME+<key hash, hex>+<algorithm and key, base64>". */
const char *note_key(struct arena *arena, const char *name,
                     const uint8_t public[static NOTE_PUBLIC_SIZE]);

/* Returns the text if the key signed it, or NULL. */
const char *note_open(struct arena *arena, const char *note, const char *key);

#endif
