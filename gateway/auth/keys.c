/* keys.c - see keys.h. Parses each key once, because that takes 0.26 ms (see
 * docs/adr/0014-own-jwt.md). */
#include "gateway/auth/keys.h"

#include <openssl/pem.h>

#include "authd/session/key_api.h"
#include "common/base/memory.h"

static char *copy_text(const char *text)
{
    return memory_text(text ? text : "");
}

static EVP_PKEY *parse_pem(const char *pem)
{
    BIO *bio = pem ? BIO_new_mem_buf(pem, -1) : NULL;
    EVP_PKEY *key = bio ? PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL) : NULL;
    char group[64] = "";

    BIO_free(bio);
    if (key && EVP_PKEY_is_a(key, "EC") &&
        EVP_PKEY_get_group_name(key, group, sizeof(group), NULL) == 1 &&
        strcmp(group, "prime256v1") == 0)
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

static int add_keys(struct key_set *self, const struct field_list *list, bool issuer)
{
    const struct public_key *rows = list->items;

    for (size_t i = 0; i < list->count; i++) {
        struct key *key = &self->keys[self->count++];

        *key = (struct key){.kid = copy_text(rows[i].kid),
                            .x = copy_text(rows[i].x),
                            .y = copy_text(rows[i].y),
                            .key = parse_pem(rows[i].pem),
                            .retire_at = rows[i].retireAt,
                            .issuer = issuer};
        if (!key->key)
            return -1;
    }
    return 0;
}

struct key_set *key_set_new(const struct keys_get_out *answer, struct error *err)
{
    struct key_set *self = memory_new(sizeof(*self));

    self->keys = memory_array(answer->keys.count + answer->issuerKeys.count, sizeof(*self->keys));
    self->issuer = copy_text(answer->issuer);
    self->audience = copy_text(answer->audience);
    self->public_url = copy_text(answer->publicUrl);
    if (add_keys(self, &answer->keys, false) < 0 || add_keys(self, &answer->issuerKeys, true) < 0) {
        (void)error_set(err, ERR_INTERNAL, "Internal server error");
        (void)error_detail(err, "key %s is not a P-256 public key",
                           self->keys[self->count - 1].kid);
        key_set_destroy(&self);
    }
    return self;
}

void key_set_destroy(struct key_set **self_p)
{
    struct key_set *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++) {
        free(self->keys[i].kid);
        free(self->keys[i].x);
        free(self->keys[i].y);
        EVP_PKEY_free(self->keys[i].key);
    }
    free(self->keys);
    free(self->issuer);
    free(self->audience);
    free(self->public_url);
    free(self);
}

bool key_set_equal(const struct key_set *a, const struct key_set *b)
{
    if (a->count != b->count || strcmp(a->issuer, b->issuer) != 0 ||
        strcmp(a->audience, b->audience) != 0 || strcmp(a->public_url, b->public_url) != 0)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->keys[i].kid, b->keys[i].kid) != 0 || a->keys[i].issuer != b->keys[i].issuer ||
            a->keys[i].retire_at != b->keys[i].retire_at ||
            EVP_PKEY_eq(a->keys[i].key, b->keys[i].key) != 1)
            return false;
    return true;
}

static bool key_is_live(const struct key *key, int64_t now_ms)
{
    return key->retire_at == 0 || now_ms < key->retire_at;
}

const struct key *key_set_find(const struct key_set *self, const char *kid, int64_t now_ms)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->keys[i].kid, kid) == 0 && key_is_live(&self->keys[i], now_ms))
            return &self->keys[i];
    return NULL;
}

json_t *key_set_jwks(const struct key_set *self, int64_t now_ms)
{
    json_t *keys = json_array();

    for (size_t i = 0; i < self->count; i++)
        if (key_is_live(&self->keys[i], now_ms) && !self->keys[i].issuer)
            json_array_append_new(keys, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "kty",
                                                  "EC", "crv", "P-256", "use", "sig", "alg",
                                                  "ES256", "kid", self->keys[i].kid, "x",
                                                  self->keys[i].x, "y", self->keys[i].y));
    return json_pack("{s:o}", "keys", keys);
}
