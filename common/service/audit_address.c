/* audit_address.c - see audit_address.h. */
#include "common/service/audit_address.h"

#include <jansson.h>
#include <sodium.h>

#include "common/base/address.h"
#include "common/wire/codec.h"

enum { SEALED_SIZE = sizeof(struct address) + crypto_box_SEALBYTES };

static const struct field audit_sealed_rows[] = {
    FIELD_UUID(struct audit_sealed, account, FIELD_REQUIRED, "For whom it was sealed"),
    FIELD_TEXT(struct audit_sealed, sealed, 1, AUDIT_ADDRESS_SEALED_TEXT, FIELD_REQUIRED,
               "Member addressSealed of an event", ""),
};
FIELD_TABLE(audit_sealed);

const char *audit_address_key_new(struct arena *arena, struct secret *ret_secret)
{
    uint8_t public_key[crypto_box_PUBLICKEYBYTES];

    ret_secret->length = crypto_box_SECRETKEYBYTES;
    crypto_box_keypair(public_key, ret_secret->bytes);
    return secret_encode(arena, public_key, sizeof(public_key));
}

static bool decode(const char *text, uint8_t *ret, size_t size)
{
    size_t decoded = 0;

    return text && secret_decode(text, ret, size, &decoded) == 0 && decoded == size;
}

const char *audit_address_seal(struct arena *arena, const char *public_key, const char *address)
{
    uint8_t key[crypto_box_PUBLICKEYBYTES], sealed[SEALED_SIZE];
    struct address plain;

    if (!decode(public_key, key, sizeof(key)) || address_parse(address, &plain) < 0 ||
        crypto_box_seal(sealed, plain.bytes, sizeof(plain.bytes), key) < 0)
        return NULL;
    return secret_encode(arena, sealed, sizeof(sealed));
}

const char *audit_address_open(struct arena *arena, const char *public_key,
                               const struct secret *secret, const char *sealed)
{
    uint8_t key[crypto_box_PUBLICKEYBYTES], bytes[SEALED_SIZE];
    struct address plain;
    char text[INET6_ADDRSTRLEN];

    if (secret->length != crypto_box_SECRETKEYBYTES || !decode(public_key, key, sizeof(key)) ||
        !decode(sealed, bytes, sizeof(bytes)) ||
        crypto_box_seal_open(plain.bytes, bytes, sizeof(bytes), key, secret->bytes) < 0)
        return NULL;
    address_format(&plain, text);
    return arena_strdup(arena, text);
}

static const char *text_of(const json_t *json, const char *name)
{
    return json_string_value(json_object_get(json, name));
}

bool audit_sealed_of(struct arena *arena, const char *event, struct audit_sealed *ret)
{
    json_auto_t *json = json_loads(event, JSON_REJECT_DUPLICATES, NULL);
    const char *sealed = text_of(json, "addressSealed");
    const char *actor = text_of(json_object_get(json, "agent"), "account");
    const char *account = actor ? actor : text_of(json, "account");

    if (!sealed || strlen(sealed) != AUDIT_ADDRESS_SEALED_TEXT || !account ||
        uuid_parse(account, &ret->account) < 0)
        return false;
    ret->sealed = arena_strdup(arena, sealed);
    return true;
}

const char *audit_address_show(struct arena *arena, const char *event, const char *address)
{
    json_auto_t *json = json_loads(event, JSON_REJECT_DUPLICATES, NULL);

    if (!json_is_object(json))
        return event;
    json_object_del(json, "addressSealed");
    if (address && address[0] != '\0')
        json_object_set_new(json, "address", json_string(address));
    else
        json_object_set_new(json, "addressErased", json_true());
    return codec_dump_json(arena, json);
}
