/*
 * webauthn.c - see webauthn.h.
 */
#include "authd/passkey/webauthn.h"

#include <cbor.h>
#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#include <jansson.h>
#include <sodium.h>
#include <string.h>

#include "common/base/secret.h"

/* Authenticator data (section 6.1): hash of the relying party's id, flags, signature counter, then
 * as the flags say. */
enum {
    RP_HASH_SIZE = 32,
    FLAGS_AT = 32,
    COUNT_AT = 33,
    HEAD_SIZE = 37,
    AAGUID_SIZE = 16,
    FLAG_PRESENT = 0x01,
    FLAG_VERIFIED = 0x04,
    FLAG_BACKUP_ELIGIBLE = 0x08,
    FLAG_BACKED_UP = 0x10,
    FLAG_CREDENTIAL = 0x40,
    FLAG_EXTENSIONS = 0x80,
};

enum { CBOR_DEPTH_MAX = 6, CBOR_ITEMS_MAX = 256 };

/* ---- client data ---- */

static bool member_is(const json_t *object, const char *name, const char *want)
{
    const char *value = json_string_value(json_object_get(object, name));

    return value && strcmp(value, want) == 0;
}

static const char *check_challenge(const struct webauthn_ceremony *ceremony, const json_t *object)
{
    const char *text = json_string_value(json_object_get(object, "challenge"));
    uint8_t bytes[WEBAUTHN_CHALLENGE_SIZE];
    size_t size;

    if (!text || secret_decode(text, bytes, sizeof(bytes), &size) < 0 || size != sizeof(bytes) ||
        ceremony->challenge.size != sizeof(bytes) ||
        sodium_memcmp(bytes, ceremony->challenge.bytes, sizeof(bytes)) != 0)
        return "challenge";
    return NULL;
}

static const char *check_origin(const struct webauthn_ceremony *ceremony, const json_t *object)
{
    const char *const *origin = ceremony->origins;

    while (*origin && !member_is(object, "origin", *origin))
        origin++;
    return *origin ? NULL : "origin";
}

/* Refuses frames of other origins, which aren't supported. */
static const char *check_cross_origin(const json_t *object)
{
    const json_t *cross = json_object_get(object, "crossOrigin");

    if ((cross && !json_is_false(cross)) || json_object_get(object, "topOrigin"))
        return "cross-origin";
    return NULL;
}

static const char *check_client_data(const struct webauthn_ceremony *ceremony, const char *type,
                                     struct field_bytes client_data)
{
    const char *wrong = "client-data";
    json_t *object;

    if (client_data.size == 0 || client_data.size > WEBAUTHN_CLIENT_DATA_MAX)
        return "size";
    object =
        json_loadb((const char *)client_data.bytes, client_data.size, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(object)) {
        wrong = member_is(object, "type", type) ? NULL : "type";
        if (!wrong)
            wrong = check_challenge(ceremony, object);
        if (!wrong)
            wrong = check_origin(ceremony, object);
        if (!wrong)
            wrong = check_cross_origin(object);
    }
    json_decref(object);
    return wrong;
}

/* ---- CBOR ---- */

/* Depth and number of items. Scanned first, because libcbor recurses to build a tree. */
struct scan {
    uint64_t open[CBOR_DEPTH_MAX]; /* missing items at each depth */
    size_t depth, items;
    bool refused;
};

static void scan_item(struct scan *self)
{
    self->items++;
    while (self->depth > 0 && --self->open[self->depth - 1] == 0)
        self->depth--;
}

static void scan_open(struct scan *self, uint64_t count)
{
    if (count > CBOR_ITEMS_MAX || self->depth == CBOR_DEPTH_MAX)
        self->refused = true;
    else if (count == 0)
        scan_item(self);
    else
        self->open[self->depth++] = count;
    self->items++;
}

static void scan_array(void *scan, size_t count)
{
    scan_open(scan, count);
}

static void scan_map(void *scan, size_t count)
{
    scan_open(scan, count > CBOR_ITEMS_MAX ? count : 2 * count);
}

static void scan_text(void *scan, cbor_data bytes UNUSED, size_t size UNUSED)
{
    scan_item(scan);
}

static void scan_int8(void *scan, uint8_t value UNUSED)
{
    scan_item(scan);
}

static void scan_int16(void *scan, uint16_t value UNUSED)
{
    scan_item(scan);
}

static void scan_int32(void *scan, uint32_t value UNUSED)
{
    scan_item(scan);
}

static void scan_int64(void *scan, uint64_t value UNUSED)
{
    scan_item(scan);
}

static void scan_float(void *scan, float value UNUSED)
{
    scan_item(scan);
}

static void scan_double(void *scan, double value UNUSED)
{
    scan_item(scan);
}

static void scan_bool(void *scan, bool value UNUSED)
{
    scan_item(scan);
}

static void scan_simple(void *scan)
{
    scan_item(scan);
}

/* Rejects indefinite lengths and tags, which CTAP2's canonical form (section 8) does not have. */
static void scan_refuse(void *scan)
{
    ((struct scan *)scan)->refused = true;
}

static void scan_refuse_tag(void *scan, uint64_t value UNUSED)
{
    scan_refuse(scan);
}

static const struct cbor_callbacks scan_callbacks = {
    .uint8 = scan_int8,
    .uint16 = scan_int16,
    .uint32 = scan_int32,
    .uint64 = scan_int64,
    .negint8 = scan_int8,
    .negint16 = scan_int16,
    .negint32 = scan_int32,
    .negint64 = scan_int64,
    .byte_string_start = scan_refuse,
    .byte_string = scan_text,
    .string = scan_text,
    .string_start = scan_refuse,
    .indef_array_start = scan_refuse,
    .array_start = scan_array,
    .indef_map_start = scan_refuse,
    .map_start = scan_map,
    .tag = scan_refuse_tag,
    .float2 = scan_float,
    .float4 = scan_float,
    .float8 = scan_double,
    .undefined = scan_simple,
    .null = scan_simple,
    .boolean = scan_bool,
    .indef_break = scan_refuse,
};

/* True if the item's number has the shortest form. */
static bool is_shortest(const uint8_t *head)
{
    unsigned length = head[0] & 0x1f;

    if (head[0] >> 5 == 7) /* a float */
        return true;
    return length == 24   ? head[1] >= 24
           : length == 25 ? head[1] > 0
           : length == 26 ? head[1] > 0 || head[2] > 0
           : length == 27 ? head[1] > 0 || head[2] > 0 || head[3] > 0 || head[4] > 0
                          : true;
}

/* True for exactly `count` items within the bounds. `shortest`: numbers are in CTAP2's canonical
 * form (section 8). Authenticators and libfido2 keep to that; clients needn't. */
static bool is_bounded(struct field_bytes text, size_t count, bool shortest)
{
    struct scan scan = {.depth = 0};
    size_t at = 0, roots = 0;

    while (at < text.size) {
        struct cbor_decoder_result step =
            cbor_stream_decode(text.bytes + at, text.size - at, &scan_callbacks, &scan);

        if (step.status != CBOR_DECODER_FINISHED || scan.refused || scan.items > CBOR_ITEMS_MAX ||
            (shortest && !is_shortest(text.bytes + at)))
            return false;
        at += step.read;
        roots += scan.depth == 0;
    }
    return scan.depth == 0 && roots == count;
}

static bool text_is(const cbor_item_t *item, const char *text)
{
    return cbor_isa_string(item) && cbor_string_length(item) == strlen(text) &&
           memcmp(cbor_string_handle(item), text, strlen(text)) == 0;
}

static bool is_number(const cbor_item_t *item)
{
    return cbor_isa_uint(item) || cbor_isa_negint(item);
}

static bool keys_are_equal(const cbor_item_t *one, const cbor_item_t *other)
{
    if (cbor_typeof(one) != cbor_typeof(other))
        return false;
    if (is_number(one))
        return cbor_get_int(one) == cbor_get_int(other);
    return cbor_string_length(one) == cbor_string_length(other) &&
           memcmp(cbor_string_handle(one), cbor_string_handle(other), cbor_string_length(one)) == 0;
}

/* True if all maps have unique keys, numbers or texts. Readers differ in which duplicate they use.
 * is_bounded() limited the depth. */
static bool has_sound_keys(const cbor_item_t *item)
{
    const struct cbor_pair *pairs = cbor_isa_map(item) ? cbor_map_handle(item) : NULL;
    bool sound = true;

    for (size_t i = 0; cbor_isa_array(item) && i < cbor_array_size(item); i++)
        sound = sound && has_sound_keys(cbor_array_handle(item)[i]);
    for (size_t i = 0; pairs && sound && i < cbor_map_size(item); i++) {
        sound = (is_number(pairs[i].key) || cbor_isa_string(pairs[i].key)) &&
                has_sound_keys(pairs[i].value);
        for (size_t k = 0; sound && k < i; k++)
            sound = !keys_are_equal(pairs[i].key, pairs[k].key);
    }
    return sound;
}

/* Reads a map with sound keys and moves *text past it. NULL: not such a map. */
static cbor_item_t *read_map(struct field_bytes *text)
{
    struct cbor_load_result loaded;
    cbor_item_t *map = cbor_load(text->bytes, text->size, &loaded);

    if (map && !(cbor_isa_map(map) && has_sound_keys(map)))
        cbor_decref(&map);
    if (map)
        *text = (struct field_bytes){text->bytes + loaded.read, text->size - loaded.read};
    return map;
}

static bool skip_map(struct field_bytes *text)
{
    cbor_item_t *map = read_map(text);
    bool found = map != NULL;

    if (map)
        cbor_decref(&map);
    return found;
}

static const cbor_item_t *member(const cbor_item_t *map, const char *name)
{
    const struct cbor_pair *pairs = cbor_map_handle(map);

    for (size_t i = 0; i < cbor_map_size(map); i++) {
        if (text_is(pairs[i].key, name))
            return pairs[i].value;
    }
    return NULL;
}

/* True for the registered formats (RFC 8809) except "none". */
static bool is_known_format(const cbor_item_t *format)
{
    static const char *const known[] = {"packed",   "tpm",  "android-key", "android-safetynet",
                                        "fido-u2f", "apple"};

    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        if (text_is(format, known[i]))
            return true;
    }
    return false;
}

/* Finds "authData" in an attestation object (section 6.5). Ignores statements of known formats,
 * because none is requested; that of "none" must be empty (section 8.7). */
static bool find_auth_data(const cbor_item_t *root, struct field_bytes *ret)
{
    const cbor_item_t *format = member(root, "fmt"), *statement = member(root, "attStmt"),
                      *data = member(root, "authData");

    if (!format || !statement || !cbor_isa_map(statement) || !data || !cbor_isa_bytestring(data))
        return false;
    *ret = (struct field_bytes){cbor_bytestring_handle(data), cbor_bytestring_length(data)};
    return text_is(format, "none") ? cbor_map_size(statement) == 0 : is_known_format(format);
}

/* ---- authenticator data ---- */

/* True if exactly what the flags say follows the header: AAGUID, length, credential id and key;
 * extensions. */
static bool is_exact(struct field_bytes auth_data)
{
    uint8_t flags = auth_data.bytes[FLAGS_AT];
    bool credential = flags & FLAG_CREDENTIAL, extensions = flags & FLAG_EXTENSIONS;
    size_t at = HEAD_SIZE;
    struct field_bytes rest;

    if (credential) {
        at += AAGUID_SIZE + 2;
        if (auth_data.size < at)
            return false;
        at += (size_t)auth_data.bytes[at - 2] << 8 | auth_data.bytes[at - 1];
    }
    if (auth_data.size < at)
        return false;
    rest = (struct field_bytes){auth_data.bytes + at, auth_data.size - at};
    return is_bounded(rest, (size_t)credential + extensions, true) &&
           (!credential || skip_map(&rest)) && (!extensions || skip_map(&rest));
}

static const char *check_auth_data(const struct webauthn_ceremony *ceremony,
                                   struct field_bytes auth_data)
{
    uint8_t want[RP_HASH_SIZE], flags;

    if (auth_data.size < HEAD_SIZE || auth_data.size > WEBAUTHN_AUTH_DATA_MAX)
        return "size";
    flags = auth_data.bytes[FLAGS_AT];
    secret_hash(ceremony->rp_id, want);
    if (sodium_memcmp(want, auth_data.bytes, sizeof(want)) != 0)
        return "rp";
    if (!(flags & FLAG_PRESENT))
        return "presence";
    if (!(flags & FLAG_VERIFIED))
        return "verification";
    if ((flags & FLAG_BACKED_UP) && !(flags & FLAG_BACKUP_ELIGIBLE)) /* section 6.1.3 */
        return "format";
    return is_exact(auth_data) ? NULL : "format";
}

static uint32_t sign_count(struct field_bytes auth_data)
{
    const uint8_t *at = auth_data.bytes + COUNT_AT;

    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool is_backed_up(struct field_bytes auth_data)
{
    return (auth_data.bytes[FLAGS_AT] & FLAG_BACKED_UP) != 0;
}

/* ---- registration ---- */

/* libfido2's functions for keys of an algorithm, with one type for all. */
#define KEY_FUNCTIONS(kind)                                                      \
    static void *kind##_load(const uint8_t *bytes, size_t size)                  \
    {                                                                            \
        kind##_pk_t *pk = kind##_is_sound(bytes, size) ? kind##_pk_new() : NULL; \
                                                                                 \
        if (pk && kind##_pk_from_ptr(pk, bytes, size) != FIDO_OK)                \
            kind##_pk_free(&pk);                                                 \
        return pk;                                                               \
    }                                                                            \
    static void kind##_unload(void *key)                                         \
    {                                                                            \
        kind##_pk_t *pk = key;                                                   \
                                                                                 \
        kind##_pk_free(&pk);                                                     \
    }                                                                            \
    static EVP_PKEY *kind##_build(const void *key)                               \
    {                                                                            \
        return kind##_pk_to_EVP_PKEY(key);                                       \
    }

/* libfido2 omits this check. Anyone can sign for an unsound key. */
static bool es256_is_sound(const uint8_t *bytes UNUSED, size_t size UNUSED)
{
    return true;
}

/* Rejects points of small order. */
static bool eddsa_is_sound(const uint8_t *bytes, size_t size)
{
    return size == crypto_core_ed25519_BYTES && crypto_core_ed25519_is_valid_point(bytes) == 1;
}

/* Requires a modulus of 256 bytes and an exponent of three. Both must be odd, and the exponent not
 * 1. */
static bool rs256_is_sound(const uint8_t *bytes, size_t size)
{
    return size == WEBAUTHN_KEY_MAX && bytes[255] & 1 && bytes[258] & 1 &&
           (bytes[256] || bytes[257] || bytes[258] > 1);
}

KEY_FUNCTIONS(es256)
KEY_FUNCTIONS(eddsa)
KEY_FUNCTIONS(rs256)

static const struct key_kind {
    enum webauthn_algorithm algorithm;
    void *(*load)(const uint8_t *bytes, size_t size); /* NULL: not a key */
    void (*unload)(void *key);
    EVP_PKEY *(*build)(const void *key); /* NULL: not a key, such as a point off the curve */
} key_kinds[] = {
    {WEBAUTHN_ES256, es256_load, es256_unload, es256_build},
    {WEBAUTHN_EDDSA, eddsa_load, eddsa_unload, eddsa_build},
    {WEBAUTHN_RS256, rs256_load, rs256_unload, rs256_build},
};

/* Checks a public key with OpenSSL. For RSA, this also rejects a prime modulus. */
static bool is_checked(EVP_PKEY *pkey)
{
    EVP_PKEY_CTX *context = pkey ? EVP_PKEY_CTX_new(pkey, NULL) : NULL;
    bool checked = context && (!EVP_PKEY_is_a(pkey, "RSA") || EVP_PKEY_public_check(context) == 1);

    EVP_PKEY_CTX_free(context);
    return checked;
}

static bool key_is_valid(const struct key_kind *kind, const uint8_t *bytes, size_t size)
{
    void *key = kind->load(bytes, size);
    EVP_PKEY *pkey = key ? kind->build(key) : NULL;
    bool valid = is_checked(pkey);

    EVP_PKEY_free(pkey);
    if (key)
        kind->unload(key);
    return valid;
}

static const char *copy_credential(const fido_cred_t *cred, const struct key_kind *kind,
                                   struct webauthn_credential *ret)
{
    size_t id_size = fido_cred_id_len(cred), key_size = fido_cred_pubkey_len(cred);

    if (id_size == 0 || id_size > sizeof(ret->id))
        return "credential";
    if (key_size == 0 || key_size > sizeof(ret->key) ||
        !key_is_valid(kind, fido_cred_pubkey_ptr(cred), key_size))
        return "key";
    memcpy(ret->id, fido_cred_id_ptr(cred), id_size);
    memcpy(ret->key, fido_cred_pubkey_ptr(cred), key_size);
    ret->id_size = id_size;
    ret->key_size = key_size;
    ret->algorithm = kind->algorithm;
    return NULL;
}

/* libfido2 accepts only the one algorithm that it expects. */
static const char *read_credential(struct field_bytes auth_data, struct webauthn_credential *ret)
{
    for (size_t i = 0; i < ARRAY_SIZE(key_kinds); i++) {
        fido_cred_t *cred = fido_cred_new();
        bool read = cred && fido_cred_set_type(cred, key_kinds[i].algorithm) == FIDO_OK &&
                    fido_cred_set_authdata_raw(cred, auth_data.bytes, auth_data.size) == FIDO_OK;
        const char *wrong = read ? copy_credential(cred, &key_kinds[i], ret) : NULL;

        fido_cred_free(&cred);
        if (read)
            return wrong;
    }
    return "algorithm";
}

static const char *check_new(const struct webauthn_ceremony *ceremony, struct field_bytes auth_data,
                             struct webauthn_credential *ret)
{
    const char *wrong = check_auth_data(ceremony, auth_data);

    if (wrong)
        return wrong;
    if (!(auth_data.bytes[FLAGS_AT] & FLAG_CREDENTIAL))
        return "credential";
    ret->sign_count = sign_count(auth_data);
    ret->backed_up = is_backed_up(auth_data);
    return read_credential(auth_data, ret);
}

/* libfido2 reads keys only within authenticator data, so builds one with any relying party. */
const char *webauthn_read_credential(struct field_bytes id, struct field_bytes key,
                                     struct webauthn_credential *ret)
{
    enum { ID_AT = HEAD_SIZE + AAGUID_SIZE + 2 };
    uint8_t data[WEBAUTHN_AUTH_DATA_MAX] = {0};
    struct field_bytes rest = key;

    if (id.size == 0 || id.size > WEBAUTHN_CREDENTIAL_ID_MAX)
        return "credential";
    if (key.size == 0 || key.size > sizeof(data) - ID_AT - id.size || !is_bounded(key, 1, false) ||
        !skip_map(&rest))
        return "key";
    data[FLAGS_AT] = FLAG_PRESENT | FLAG_VERIFIED | FLAG_CREDENTIAL;
    data[ID_AT - 2] = (uint8_t)(id.size >> 8);
    data[ID_AT - 1] = (uint8_t)id.size;
    memcpy(data + ID_AT, id.bytes, id.size);
    memcpy(data + ID_AT + id.size, key.bytes, key.size);
    return read_credential((struct field_bytes){data, ID_AT + id.size + key.size}, ret);
}

const char *webauthn_check_registration(const struct webauthn_ceremony *ceremony,
                                        struct field_bytes client_data,
                                        struct field_bytes attestation,
                                        struct webauthn_credential *ret)
{
    const char *wrong = check_client_data(ceremony, "webauthn.create", client_data);
    struct field_bytes auth_data = {NULL, 0}, rest = attestation;
    cbor_item_t *root;

    if (wrong)
        return wrong;
    if (attestation.size == 0 || attestation.size > WEBAUTHN_ATTESTATION_MAX)
        return "size";
    root = is_bounded(attestation, 1, false) ? read_map(&rest) : NULL;
    if (!root)
        return "format";
    *ret = (struct webauthn_credential){.id_size = 0};
    wrong = find_auth_data(root, &auth_data) ? check_new(ceremony, auth_data, ret) : "format";
    cbor_decref(&root);
    return wrong;
}

/* ---- assertion ---- */

static bool fill_assertion(fido_assert_t *assert, const char *rp_id, struct field_bytes client_data,
                           struct field_bytes auth_data, struct field_bytes signature)
{
    uint8_t hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(hash, client_data.bytes, client_data.size);
    return fido_assert_set_count(assert, 1) == FIDO_OK &&
           fido_assert_set_clientdata_hash(assert, hash, sizeof(hash)) == FIDO_OK &&
           fido_assert_set_rp(assert, rp_id) == FIDO_OK &&
           fido_assert_set_up(assert, FIDO_OPT_TRUE) == FIDO_OK &&
           fido_assert_set_uv(assert, FIDO_OPT_TRUE) == FIDO_OK &&
           fido_assert_set_authdata_raw(assert, 0, auth_data.bytes, auth_data.size) == FIDO_OK &&
           fido_assert_set_sig(assert, 0, signature.bytes, signature.size) == FIDO_OK;
}

static const char *verify(const char *rp_id, const struct key_kind *kind, const void *key,
                          struct field_bytes client_data, struct field_bytes auth_data,
                          struct field_bytes signature)
{
    fido_assert_t *assert = fido_assert_new();
    const char *wrong = "format";

    if (assert && fill_assertion(assert, rp_id, client_data, auth_data, signature))
        wrong = fido_assert_verify(assert, 0, kind->algorithm, key) == FIDO_OK ? NULL : "signature";
    fido_assert_free(&assert);
    return wrong;
}

static const char *verify_by(const char *rp_id, enum webauthn_algorithm algorithm,
                             struct field_bytes key, struct field_bytes client_data,
                             struct field_bytes auth_data, struct field_bytes signature)
{
    for (size_t i = 0; i < ARRAY_SIZE(key_kinds); i++) {
        void *loaded =
            key_kinds[i].algorithm == algorithm ? key_kinds[i].load(key.bytes, key.size) : NULL;
        const char *wrong;

        if (!loaded)
            continue;
        wrong = verify(rp_id, &key_kinds[i], loaded, client_data, auth_data, signature);
        key_kinds[i].unload(loaded);
        return wrong;
    }
    return "key";
}

const char *webauthn_check_assertion(const struct webauthn_ceremony *ceremony,
                                     enum webauthn_algorithm algorithm, struct field_bytes key,
                                     struct field_bytes client_data, struct field_bytes auth_data,
                                     struct field_bytes signature, struct webauthn_assertion *ret)
{
    const char *wrong = check_client_data(ceremony, "webauthn.get", client_data);

    if (!wrong)
        wrong = check_auth_data(ceremony, auth_data);
    if (!wrong && (signature.size == 0 || signature.size > WEBAUTHN_SIGNATURE_MAX))
        wrong = "size";
    if (!wrong)
        wrong = verify_by(ceremony->rp_id, algorithm, key, client_data, auth_data, signature);
    if (!wrong)
        *ret = (struct webauthn_assertion){.sign_count = sign_count(auth_data),
                                           .backed_up = is_backed_up(auth_data)};
    return wrong;
}
