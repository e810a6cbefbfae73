/* secret.c - see secret.h. */
#include "common/base/secret.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"

enum { BASE64 = sodium_base64_VARIANT_URLSAFE_NO_PADDING };

static_assert(SECRET_HASH_SIZE == crypto_hash_sha256_BYTES, "SHA-256");
static_assert(SEAL_KEY_SIZE == crypto_secretbox_KEYBYTES, "key of secretbox");
static_assert(SEAL_KEY_SIZE >= crypto_generichash_KEYBYTES_MIN, "key of generichash");

void secret_wipe(struct secret *self)
{
    sodium_memzero(self, sizeof(*self));
}

char *secret_random_text(struct arena *arena, size_t size)
{
    uint8_t bytes[SECRET_MAX];
    char *text;

    assert(size <= sizeof(bytes));
    randombytes_buf(bytes, size);
    text = secret_encode(arena, bytes, size);
    sodium_memzero(bytes, size);
    return text;
}

void secret_hash(const char *text, uint8_t ret[static SECRET_HASH_SIZE])
{
    crypto_hash_sha256(ret, (const uint8_t *)text, strlen(text));
}

char *secret_encode(struct arena *arena, const void *bytes, size_t size)
{
    size_t capacity = sodium_base64_encoded_len(size, BASE64);

    return sodium_bin2base64(arena_alloc(arena, capacity), capacity, bytes, size, BASE64);
}

int secret_decode(const char *text, void *ret, size_t max, size_t *ret_size)
{
    return sodium_base642bin(ret, max, text, strlen(text), NULL, ret_size, NULL, BASE64);
}

/* Returns what is wrong with a key file, or NULL. Group read is allowed: a systemd credential's
 * access list shows as the group's mode. */
static const char *key_file_fault(const struct stat *stat)
{
    if (!S_ISREG(stat->st_mode))
        return "is not a regular file";
    if ((stat->st_mode & (S_IRWXO | S_IWGRP)) != 0)
        return "must not be accessible to others (chmod 600)";
    return NULL;
}

static int open_key_file(const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const char *fault;
    struct stat stat;

    if (fd < 0)
        return error_set(err, ERR_INTERNAL, "%s: %s.", path, strerror(errno));
    fault = fstat(fd, &stat) < 0 ? strerror(errno) : key_file_fault(&stat);
    if (!fault)
        return fd;
    close(fd);
    return error_set(err, ERR_INTERNAL, "%s: %s.", path, fault);
}

/* Sets *ret_end after the key. Returns -1 for too few digits. */
static int decode_key(const char *text, struct secret *ret, const char **ret_end)
{
    size_t size;

    if (sodium_hex2bin(ret->bytes, SEAL_KEY_SIZE, text, strlen(text), NULL, &size, ret_end) != 0 ||
        size != SEAL_KEY_SIZE)
        return -1;
    ret->length = size;
    return 0;
}

static int decode_keys(const char *text, struct secret *ret, size_t max, size_t *ret_count)
{
    const char *at = text;

    for (*ret_count = 0; *ret_count == 0 || *at != '\0'; ++*ret_count) {
        if (*ret_count == max || decode_key(at, &ret[*ret_count], &at) < 0)
            return -1;
        if (*at != '\n' && *at != '\0')
            return -1;
        at += *at == '\n';
    }
    return 0;
}

static int load_keys(const char *path, struct secret *ret, size_t max, size_t *ret_count,
                     struct error *err)
{
    char text[SEAL_FILE_KEYS * (SEAL_KEY_SIZE * 2 + 1) + 2];
    int fd = open_key_file(path, err), result;
    ssize_t length;

    if (fd < 0)
        return -1;
    length = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[MAX(length, (ssize_t)0)] = '\0';
    result = decode_keys(text, ret, max, ret_count);
    sodium_memzero(text, sizeof(text));
    if (result == 0)
        return 0;
    sodium_memzero(ret, max * sizeof(*ret));
    return error_set(err, ERR_INTERNAL, "%s: must contain %d hexadecimal digits%s.", path,
                     SEAL_KEY_SIZE * 2, max > 1 ? " on one line, or two such lines" : "");
}

int secret_load_key(const char *path, struct secret *ret, struct error *err)
{
    size_t count;

    return load_keys(path, ret, 1, &count, err);
}

int secret_load_keys(const char *path, struct secret ret[static SEAL_FILE_KEYS], size_t *ret_count,
                     struct error *err)
{
    return load_keys(path, ret, SEAL_FILE_KEYS, ret_count, err);
}

int secret_load_text(const char *path, struct secret *ret, struct error *err)
{
    int fd = open_key_file(path, err);
    ssize_t size;

    if (fd < 0)
        return -1;
    size = read(fd, ret->bytes, sizeof(ret->bytes) - 1);
    close(fd);
    ret->bytes[MAX(size, (ssize_t)0)] = '\0';
    if (strncmp((char *)ret->bytes, FILE_MARK, strlen(FILE_MARK)) == 0)
        memmove(ret->bytes, ret->bytes + strlen(FILE_MARK), (size_t)size + 1 - strlen(FILE_MARK));
    ret->length = strcspn((char *)ret->bytes, "\r\n");
    if (ret->length == 0 || ret->length == sizeof(ret->bytes) - 1) {
        secret_wipe(ret);
        return error_set(err, ERR_INTERNAL, "%s: its first line must have 1 to %zu bytes.", path,
                         sizeof(ret->bytes) - 2);
    }
    sodium_memzero(ret->bytes + ret->length, sizeof(ret->bytes) - ret->length);
    return 0;
}

int secret_check_file(const char *path, struct error *err)
{
    int fd = open_key_file(path, err);
    struct stat stat;
    bool foreign;

    if (fd < 0)
        return -1;
    foreign = fstat(fd, &stat) < 0 || (stat.st_uid != 0 && stat.st_uid != geteuid());
    close(fd);
    if (foreign)
        return error_set(err, ERR_INTERNAL, "%s: belongs to another user (%u).", path,
                         (unsigned)stat.st_uid);
    return 0;
}

void secret_derive(const struct secret *key, const char *purpose, uint8_t ret[static SEAL_KEY_SIZE])
{
    assert(key->length == SEAL_KEY_SIZE);
    crypto_generichash(ret, SEAL_KEY_SIZE, (const uint8_t *)purpose, strlen(purpose), key->bytes,
                       key->length);
}

struct sealed secret_seal(struct arena *arena, const struct secret *key, const char *purpose,
                          const void *plain, size_t size)
{
    return secret_seal_marked(arena, key, purpose, NULL, 0, plain, size);
}

struct sealed secret_seal_marked(struct arena *arena, const struct secret *key, const char *purpose,
                                 const uint8_t *mark, size_t mark_size, const void *plain,
                                 size_t size)
{
    uint8_t subkey[SEAL_KEY_SIZE];
    struct sealed sealed;
    uint8_t *bytes;

    sealed.size = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + size;
    sealed.bytes = bytes = arena_alloc(arena, sealed.size);
    randombytes_buf(bytes, crypto_secretbox_NONCEBYTES);
    if (mark_size > 0)
        memcpy(bytes + crypto_secretbox_NONCEBYTES - mark_size, mark, mark_size);
    secret_derive(key, purpose, subkey);
    crypto_secretbox_easy(bytes + crypto_secretbox_NONCEBYTES, plain, size, bytes, subkey);
    sodium_memzero(subkey, sizeof(subkey));
    return sealed;
}

int secret_open(struct arena *arena, const struct secret *key, const char *purpose,
                struct sealed sealed, uint8_t **ret_plain, size_t *ret_size)
{
    uint8_t subkey[SEAL_KEY_SIZE];
    uint8_t *plain;
    size_t size;
    int failed;

    if (sealed.size < crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES)
        return -1;
    size = sealed.size - crypto_secretbox_NONCEBYTES - crypto_secretbox_MACBYTES;
    plain = arena_alloc(arena, size + 1);
    secret_derive(key, purpose, subkey);
    failed =
        crypto_secretbox_open_easy(plain, sealed.bytes + crypto_secretbox_NONCEBYTES,
                                   sealed.size - crypto_secretbox_NONCEBYTES, sealed.bytes, subkey);
    sodium_memzero(subkey, sizeof(subkey));
    if (failed)
        return -1;
    *ret_plain = plain;
    *ret_size = size;
    return 0;
}

void secret_wipe_text(const char *text)
{
    if (text)
        sodium_memzero((char *)(uintptr_t)text, strlen(text));
}
