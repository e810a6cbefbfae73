/*
 * password_scheme_verify.c - see password_scheme.h.
 *
 * libargon2 reports exhausted memory, unlike libsodium. Argon2's lanes run one after another, so
 * that a hash uses one core.
 */
#include <argon2.h>
#include <assert.h>
#include <crypt.h>
#include <errno.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <stdio.h>

#include "common/domain/password_scheme.h"

enum {
    BCRYPT_PASSWORD = 72,       /* bytes read */
    SHA512_CRYPT_PASSWORD = 511 /* bytes accepted by libxcrypt */
};

static int compare(const struct password_scheme *self, const uint8_t *computed)
{
    return sodium_memcmp(computed, self->hash.bytes, self->hash.size) == 0;
}

static int verify_argon2(const struct password_scheme *self, const char *password)
{
    uint8_t computed[PASSWORD_SCHEME_BYTES_MAX];
    struct password_bytes salt = self->salt;
    argon2_context context = {.out = computed,
                              .outlen = (uint32_t)self->hash.size,
                              .pwd = (uint8_t *)(uintptr_t)password, /* only wiped, if asked to */
                              .pwdlen = (uint32_t)strlen(password),
                              .salt = salt.bytes,
                              .saltlen = (uint32_t)salt.size,
                              .t_cost = (uint32_t)self->rounds,
                              .m_cost = (uint32_t)self->memory,
                              .lanes = (uint32_t)self->lanes,
                              .threads = 1,
                              .version = (uint32_t)self->version,
                              .flags = ARGON2_DEFAULT_FLAGS};
    int code = argon2_ctx(&context, self->algorithm == PASSWORD_ARGON2D   ? Argon2_d
                                    : self->algorithm == PASSWORD_ARGON2I ? Argon2_i
                                                                          : Argon2_id);

    if (code == ARGON2_MEMORY_ALLOCATION_ERROR)
        return -1;
    return code == ARGON2_OK && compare(self, computed);
}

static int scrypt(const struct password_scheme *self, const char *password, const uint8_t *salt,
                  size_t salt_size, uint8_t *ret, size_t size)
{
    return crypto_pwhash_scryptsalsa208sha256_ll((const uint8_t *)password, strlen(password), salt,
                                                 salt_size, UINT64_C(1) << self->memory,
                                                 (uint32_t)self->block, (uint32_t)self->lanes, ret,
                                                 size);
}

static int verify_scrypt(const struct password_scheme *self, const char *password)
{
    uint8_t computed[PASSWORD_SCHEME_BYTES_MAX];

    if (scrypt(self, password, self->salt.bytes, self->salt.size, computed, self->hash.size) < 0)
        return -1;
    return compare(self, computed);
}

/* Encrypts the signer key with scrypt's output; the counter starts at 0. */
static int verify_firebase(const struct password_scheme *self, const char *password)
{
    static const uint8_t counter[16] = {0};
    uint8_t salt[2 * PASSWORD_SCHEME_BYTES_MAX], key[32], computed[PASSWORD_SCHEME_BYTES_MAX];
    EVP_CIPHER_CTX *context;
    int size = 0, result = -1;

    memcpy(salt, self->salt.bytes, self->salt.size);
    memcpy(salt + self->salt.size, self->separator.bytes, self->separator.size);
    if (scrypt(self, password, salt, self->salt.size + self->separator.size, key, sizeof(key)) < 0)
        return -1;
    context = EVP_CIPHER_CTX_new();
    if (context && EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), NULL, key, counter) == 1 &&
        EVP_EncryptUpdate(context, computed, &size, self->key.bytes, (int)self->key.size) == 1)
        result = compare(self, computed);
    EVP_CIPHER_CTX_free(context);
    sodium_memzero(key, sizeof(key));
    return result;
}

static int verify_pbkdf2(const struct password_scheme *self, const char *password)
{
    const EVP_MD *digest = self->algorithm == PASSWORD_PBKDF2_SHA1     ? EVP_sha1()
                           : self->algorithm == PASSWORD_PBKDF2_SHA256 ? EVP_sha256()
                                                                       : EVP_sha512();
    uint8_t computed[PASSWORD_SCHEME_BYTES_MAX];

    if (PKCS5_PBKDF2_HMAC(password, (int)strlen(password), self->salt.bytes, (int)self->salt.size,
                          (int)self->rounds, digest, (int)self->hash.size, computed) != 1)
        return -1;
    return compare(self, computed);
}

static int verify_crypt(const struct password_scheme *self, const char *setting,
                        const char *password, size_t most)
{
    struct crypt_data *data = calloc(1, sizeof(*data));
    char phrase[SHA512_CRYPT_PASSWORD + 1];
    size_t size = strnlen(password, most), length;
    const char *computed;
    int result;

    if (!data)
        return -1;
    memcpy(phrase, password, size);
    phrase[size] = '\0';
    errno = 0;
    computed = crypt_rn(phrase, setting, data, sizeof(*data));
    result = !computed && errno == ENOMEM ? -1 : 0;
    length = computed ? strlen(computed) : 0;
    if (length >= self->hash.size)
        result = compare(self, (const uint8_t *)computed + length - self->hash.size);
    sodium_memzero(phrase, sizeof(phrase));
    sodium_memzero(data, sizeof(*data));
    free(data);
    return result;
}

/* Computes $2a$ and $2y$ as $2b$: libxcrypt's $2a$ only guards against its own old fault. */
static int verify_bcrypt(const struct password_scheme *self, const char *password)
{
    char setting[64];

    snprintf(setting, sizeof(setting), "$2b$%02d$%.*s", (int)self->rounds, (int)self->salt.size,
             (const char *)self->salt.bytes);
    return verify_crypt(self, setting, password, BCRYPT_PASSWORD);
}

static int verify_sha512_crypt(const struct password_scheme *self, const char *password)
{
    char setting[64];
    int result;

    snprintf(setting, sizeof(setting), "$6$rounds=%d$%.*s$", (int)self->rounds,
             (int)self->salt.size, (const char *)self->salt.bytes);
    result = verify_crypt(self, setting, password, SHA512_CRYPT_PASSWORD);
    return result > 0 && strnlen(password, SHA512_CRYPT_PASSWORD + 1) > SHA512_CRYPT_PASSWORD
               ? 0
               : result;
}

int password_scheme_verify(const struct password_scheme *self, const char *password)
{
    switch (self->algorithm) {
    case PASSWORD_ARGON2D:
    case PASSWORD_ARGON2I:
    case PASSWORD_ARGON2ID:
        return verify_argon2(self, password);
    case PASSWORD_BCRYPT:
        return verify_bcrypt(self, password);
    case PASSWORD_SCRYPT:
        return verify_scrypt(self, password);
    case PASSWORD_FIREBASE_SCRYPT:
        return verify_firebase(self, password);
    case PASSWORD_PBKDF2_SHA1:
    case PASSWORD_PBKDF2_SHA256:
    case PASSWORD_PBKDF2_SHA512:
        return verify_pbkdf2(self, password);
    case PASSWORD_SHA512_CRYPT:
        return verify_sha512_crypt(self, password);
    case PASSWORD_ALGORITHM_COUNT:
        break;
    }
    assert(false);
    return 0;
}
