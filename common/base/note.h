/*
 * note.h - texts that are signed with Ed25519 so that others can verify them: signed notes
 * (https://c2sp.org/signed-note), which golang.org/x/mod/sumdb/note opens.
 *
 *     the text, of which each line ends with a line feed
 *
 *     - NAME <key hash and signature, base64>
 *
 * (The last line begins with an em dash.) Names have no blank and no '+'.
 */
#ifndef ATRIUM_COMMON_BASE_NOTE_H
#define ATRIUM_COMMON_BASE_NOTE_H

#include "common/base/arena.h"
#include "common/base/base.h"

enum { NOTE_PUBLIC_SIZE = 32, NOTE_SECRET_SIZE = 64 }; /* of Ed25519, as libsodium has them */

const char *note_base64(struct arena *arena, const void *bytes, size_t size);

/* The text, which ends with a line feed, and its signature. */
const char *note_sign(struct arena *arena, const char *name, const char *text,
                      const uint8_t public[static NOTE_PUBLIC_SIZE],
                      const uint8_t secret[static NOTE_SECRET_SIZE]);

/* What verifies it: "NAME+<key hash, hex>+<algorithm and key, base64>". */
const char *note_key(struct arena *arena, const char *name,
                     const uint8_t public[static NOTE_PUBLIC_SIZE]);

/* The text of a note that the key has signed; NULL: malformed, or not this key's signature. */
const char *note_open(struct arena *arena, const char *note, const char *key);

#endif
