/*
 * odd_passkey.c - see odd_passkey.h.
 */
#include "tests/support/odd_passkey.h"

#include <string.h>

enum { AT = 0x40, ED = 0x80, HEAD_SIZE = 37, KEY_SIZE = 77 /* ES256 */ };

#define BYTES(text) text, sizeof(text) - 1

/* Writes literals for the CBOR members before the authenticator data. */
#define FMT(format) \
    "\x63"          \
    "fmt" format
#define NONE FMT("\x64none")
#define STATEMENT \
    "\x67"        \
    "attStmt"
#define DATA \
    "\x68"   \
    "authData"
#define HEAD(text) .head = text, .head_size = sizeof(text) - 1
#define FOOT(text) .foot = text, .foot_size = sizeof(text) - 1
#define TAIL(text) .tail = text, .tail_size = sizeof(text) - 1
#define KEY(text) .key = text, .key_size = sizeof(text) - 1

#define SAME(all) .authd = all, .simplewebauthn = all, .fido2 = all
#define DIFFER(authd_, simple_, fido2_, why_) \
    .authd = authd_, .simplewebauthn = simple_, .fido2 = fido2_, .why = why_

#define DUPLICATES \
    "CTAP2, section 8: decoders should reject a map with a key twice; fido2 takes the last"
#define SHORTEST "CTAP2, section 8: not canonical; fido2 does not look"
#define CUT_STRING "a byte string is shorter than it says; both peers take what there is"
#define NO_MAP "section 6.1: extensions are a map; fido2 takes anything"

const struct odd_passkey odd_passkeys[] = {
    {"a credential", true, SAME(true)},
    {"a byte behind", true, SAME(false), TAIL("\x00")},
    {"a map behind, without ED", true, SAME(false), TAIL("\xa0")},
    {"ED and nothing", true, SAME(false), .flags = ED},
    {"ED and an empty map", true, SAME(true), .flags = ED, TAIL("\xa0")},
    {"ED and an extension", true, SAME(true), .flags = ED,
     TAIL("\xa1\x6b"
          "credProtect\x02")},
    {"ED, a map and a byte", true, SAME(false), .flags = ED, TAIL("\xa0\x00")},
    {"ED, a map and a map", true, SAME(false), .flags = ED, TAIL("\xa0\xa0")},
    {"ED and a number", true, DIFFER(false, false, true, NO_MAP), .flags = ED, TAIL("\x01")},
    {"ED and a map that ends early", true, SAME(false), .flags = ED,
     TAIL("\xa1\x61"
          "a")},
    {"ED and a string that ends early", true, DIFFER(false, true, true, CUT_STRING), .flags = ED,
     TAIL("\xa1\x61"
          "a\x44xy")},
    {"ED and a key twice", true, DIFFER(false, false, true, DUPLICATES), .flags = ED,
     TAIL("\xa2\x61"
          "a\x01\x61"
          "a\x02")},
    {"ED and a number in two bytes", true, DIFFER(false, false, true, SHORTEST), .flags = ED,
     TAIL("\xa1\x61"
          "a\x18\x01")},
    {"no AT, but the data", true, SAME(false), .flags = AT},
    {"AT and nothing", true, SAME(false), .cut = 16 + 2 + 32 + KEY_SIZE},
    {"AT and an AAGUID", true, SAME(false), .cut = 2 + 32 + KEY_SIZE},
    {"AT and an id without key", true, SAME(false), .cut = KEY_SIZE},
    {"a key with its algorithm twice", true, DIFFER(false, false, true, DUPLICATES),
     KEY("\x03\x26")},
    {"a key with a label in two bytes", true, DIFFER(false, false, true, SHORTEST),
     KEY("\x38\x03\x01")},
    {"a key with one more label", true, SAME(true), KEY("\x23\x01")},
    {"a key with labels in another order", true,
     DIFFER(false, true, true, "CTAP2, section 8: not canonical; libfido2 looks"), KEY("\x05\x01")},

    {"an unknown format", true, SAME(false),
     HEAD("\xa3" FMT("\x63"
                     "foo") STATEMENT "\xa0" DATA)},
    {"None", true, SAME(false),
     HEAD("\xa3" FMT("\x64"
                     "None") STATEMENT "\xa0" DATA)},
    {"an empty format", true, SAME(false), HEAD("\xa3" FMT("\x60") STATEMENT "\xa0" DATA)},
    {"a format of bytes", true, SAME(false), HEAD("\xa3" FMT("\x44none") STATEMENT "\xa0" DATA)},
    {"none with a statement", true, SAME(false),
     HEAD("\xa3" NONE STATEMENT "\xa1\x61"
          "a\x01" DATA)},
    {"none with a list", true,
     DIFFER(false, true, false, "section 8.7: an empty map; simplewebauthn takes what has no size"),
     HEAD("\xa3" NONE STATEMENT "\x80" DATA)},
    {"packed without a signature", true,
     DIFFER(true, false, false, "no statement is asked for, so that of a known format is not read"),
     HEAD("\xa3" FMT("\x66"
                     "packed") STATEMENT "\xa0" DATA)},
    {"no format", true, SAME(false), HEAD("\xa2" STATEMENT "\xa0" DATA)},
    {"no statement", true, SAME(false), HEAD("\xa2" NONE DATA)},
    {"two formats", true, DIFFER(false, false, true, DUPLICATES),
     HEAD("\xa4" NONE NONE STATEMENT "\xa0" DATA)},
    {"two authData", true, DIFFER(false, false, true, DUPLICATES),
     HEAD("\xa4" NONE STATEMENT "\xa0" DATA "\x41x" DATA)},
    {"another order", true, SAME(true), HEAD("\xa3" DATA), FOOT(NONE STATEMENT "\xa0")},
    {"a length in two bytes", true,
     DIFFER(true, false, true,
            "made by the client, not by the authenticator; simplewebauthn looks"),
     HEAD("\xa3" FMT("\x78\x04none") STATEMENT "\xa0" DATA)},
    {"one more member", true,
     DIFFER(true, true, false, "later versions may add members; fido2 knows those of CTAP2.1"),
     HEAD("\xa4\x61x\x01" NONE STATEMENT "\xa0" DATA)},
    {"a byte behind the object", true,
     DIFFER(false, true, false, "simplewebauthn reads the first item"), FOOT("\x00")},
    {"a map of unknown length", true, SAME(false), HEAD("\xbf" NONE STATEMENT "\xa0" DATA),
     FOOT("\xff")},

    {"an assertion", false, SAME(true)},
    {"a byte behind an assertion", false, SAME(false), TAIL("\x00")},
    {"a map behind an assertion, without ED", false, SAME(false), TAIL("\xa0")},
    {"an assertion with ED and nothing", false, SAME(false), .flags = ED},
    {"an assertion with ED and an empty map", false, SAME(true), .flags = ED, TAIL("\xa0")},
    {"an assertion with ED, a map and a byte", false, SAME(false), .flags = ED, TAIL("\xa0\x00")},
    {"an assertion with ED and a number", false, DIFFER(false, false, true, NO_MAP), .flags = ED,
     TAIL("\x01")},
    {"an assertion with ED and a key twice", false, DIFFER(false, false, true, DUPLICATES),
     .flags = ED,
     TAIL("\xa2\x61"
          "a\x01\x61"
          "a\x02")},
    {"an assertion with ED and a number in two bytes", false, DIFFER(false, false, true, SHORTEST),
     .flags = ED,
     TAIL("\xa1\x61"
          "a\x18\x01")},
    {"an assertion with ED and a string that ends early", false,
     DIFFER(false, true, true, CUT_STRING), .flags = ED,
     TAIL("\xa1\x61"
          "a\x44xy")},
    {"an assertion with AT and nothing", false, SAME(false), .flags = AT},
    {"an assertion with AT and a credential", false, SAME(true), .flags = AT, .credential = true},
    {"an assertion with a credential, without AT", false, SAME(false), .credential = true},
    {"an assertion with AT, a credential and a byte", false, SAME(false), .flags = AT,
     .credential = true, TAIL("\x00")},
};

const size_t odd_passkey_count = ARRAY_SIZE(odd_passkeys);

static void add(struct authenticator_bytes *to, const void *bytes, size_t size)
{
    if (size > 0)
        memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

/* Adds AAGUID, length of the id, id, and key. */
static void add_credential(const struct authenticator *key, struct authenticator_bytes *to)
{
    static const uint8_t aaguid[16], length[] = {0, sizeof(key->id)};
    struct authenticator_bytes cose;

    authenticator_public_key(key, &cose);
    add(to, aaguid, sizeof(aaguid));
    add(to, length, sizeof(length));
    add(to, key->id, sizeof(key->id));
    add(to, cose.bytes, cose.size);
}

/* A new credential has no signature, so it is assembled here. */
static void make(const struct odd_passkey *self, struct authenticator_answer *answer)
{
    static const char usual[] = "\xa3" NONE STATEMENT "\xa0" DATA;
    struct authenticator_bytes data = answer->auth_data, *to = &answer->attestation;
    size_t key_at = data.size - self->tail_size - KEY_SIZE;

    if (self->key_size > 0) {
        data.bytes[key_at]++; /* one more pair */
        data.size = key_at + KEY_SIZE;
        add(&data, self->key, self->key_size);
        add(&data, self->tail, self->tail_size);
    }
    data.size -= self->cut;
    to->size = 0;
    add(to, self->head ? self->head : usual, self->head ? self->head_size : sizeof(usual) - 1);
    add(to, (const uint8_t[]){0x59, (uint8_t)(data.size >> 8), (uint8_t)data.size}, 3);
    add(to, data.bytes, data.size);
    add(to, self->foot, self->foot_size);
}

void odd_passkey_make(const struct odd_passkey *self, struct authenticator *key, const char *rp_id,
                      const char *challenge, struct authenticator_answer *ret)
{
    struct authenticator_bytes tail = {.size = 0};
    uint8_t flags = key->flags;

    if (self->credential)
        add_credential(key, &tail);
    add(&tail, self->tail, self->tail_size);
    key->flags |= (uint8_t)(self->flags & (self->is_new ? ED : AT | ED));
    key->tail = tail.bytes;
    key->tail_size = tail.size;
    if (self->is_new)
        authenticator_make(key, rp_id, challenge, ret);
    else
        authenticator_sign(key, rp_id, challenge, ret);
    key->tail = NULL;
    key->tail_size = 0;
    key->flags = flags;
    if (!self->is_new)
        return;
    ret->auth_data.bytes[32] ^= (uint8_t)(self->flags & AT);
    make(self, ret);
}
