/*
 * password_scheme.c - see password_scheme.h. All numbers are bounded, so products cannot overflow.
 */
#include "common/domain/password_scheme.h"

/* Nanoseconds per unit of work, measured on the header's machine. */
enum {
    ARGON2_NS = 700,        /* per KiB and pass */
    BCRYPT_NS = 43000,      /* per round */
    SCRYPT_NS = 270,        /* per block of 128 bytes: N * r * p */
    PBKDF2_NS = 500,        /* per iteration of one output block */
    SHA512_CRYPT_NS = 1500, /* per round with 511 bytes; an eighth for 8 bytes */
};

enum { SPANS_MAX = 6, NUMBER_MAX = INT32_MAX };

static const char not_known[] = "is in no form of a password hash that is verified here";
static const char bad_base64[] = "has a salt or a hash that is not base64";
static const char bad_numbers[] = "has parameters that cannot be read";

struct span {
    const char *at;
    size_t size;
};

struct param {
    const char *key;
    int64_t *number;
    struct password_bytes *bytes;
    bool optional;
    bool seen;
};

static int refuse(const char **ret_why, const char *why)
{
    *ret_why = why;
    return -1;
}

static bool span_is(struct span span, const char *text)
{
    return span.size == strlen(text) && memcmp(span.at, text, span.size) == 0;
}

static int read_number(struct span span, int64_t *ret)
{
    int64_t value = 0;

    if (span.size == 0 || (span.at[0] == '0' && span.size > 1))
        return -1;
    for (size_t i = 0; i < span.size; i++) {
        if (span.at[i] < '0' || span.at[i] > '9')
            return -1;
        value = value * 10 + (span.at[i] - '0');
        if (value > NUMBER_MAX)
            return -1;
    }
    *ret = value;
    return 0;
}

static int sextet(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+' || c == '-' || c == '.')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

/* Decodes base64. Unused final bits must be zero, so that a hash has one text. */
static int read_base64(struct span span, struct password_bytes *ret)
{
    uint32_t bits = 0;
    size_t padding = 0, size = 0;
    int count = 0;

    while (padding < 2 && span.size > 0 && span.at[span.size - 1] == '=') {
        span.size--;
        padding++;
    }
    if (span.size % 4 == 1 || (padding > 0 && (span.size + padding) % 4 != 0) ||
        span.size > sizeof(ret->bytes) / 3 * 4)
        return -1;
    for (size_t i = 0; i < span.size; i++) {
        int value = sextet(span.at[i]);

        if (value < 0)
            return -1;
        bits = (bits << 6 | (uint32_t)value) & 0xffff;
        count += 6;
        if (count >= 8) {
            count -= 8;
            ret->bytes[size++] = (uint8_t)(bits >> count);
        }
    }
    if ((bits & ((1U << count) - 1)) != 0)
        return -1;
    ret->size = size;
    return 0;
}

static int read_text(struct span span, struct password_bytes *ret)
{
    if (span.size > sizeof(ret->bytes))
        return -1;
    memcpy(ret->bytes, span.at, span.size);
    ret->size = span.size;
    return 0;
}

static bool is_crypt_text(struct span span)
{
    for (size_t i = 0; i < span.size; i++)
        if (sextet(span.at[i]) < 0 || span.at[i] == '+' || span.at[i] == '-' || span.at[i] == '_')
            return false;
    return true;
}

static int read_param(struct span item, struct param *params, size_t count)
{
    const char *equals = memchr(item.at, '=', item.size);
    struct span key, value;

    if (!equals)
        return -1;
    key = (struct span){item.at, (size_t)(equals - item.at)};
    value = (struct span){equals + 1, item.size - key.size - 1};
    for (size_t i = 0; i < count; i++) {
        if (!span_is(key, params[i].key))
            continue;
        if (params[i].seen)
            return -1;
        params[i].seen = true;
        return params[i].number ? read_number(value, params[i].number)
                                : read_base64(value, params[i].bytes);
    }
    return -1;
}

static int read_params(struct span list, struct param *params, size_t count)
{
    while (list.size > 0) {
        const char *comma = memchr(list.at, ',', list.size);
        struct span item = {list.at, comma ? (size_t)(comma - list.at) : list.size};

        if (read_param(item, params, count) < 0 || (comma && item.size + 1 == list.size))
            return -1;
        list.at += item.size + (comma ? 1 : 0);
        list.size -= item.size + (comma ? 1 : 0);
    }
    for (size_t i = 0; i < count; i++)
        if (!params[i].seen && !params[i].optional)
            return -1;
    return 0;
}

static int weigh(struct password_scheme *self, int64_t ns, int64_t kib, const char **ret_why)
{
    self->cost_ms = MAX(ns / 1000000, (int64_t)1);
    self->memory_mib = MAX((kib + 1023) / 1024, (int64_t)1);
    if (self->memory_mib > PASSWORD_SCHEME_MEMORY_MAX)
        return refuse(ret_why, "needs more than 256 MiB of memory to be verified");
    if (self->cost_ms > PASSWORD_SCHEME_COST_MAX)
        return refuse(ret_why, "needs more than 2 s of CPU time to be verified");
    return 0;
}

static int read_salt_and_hash(struct password_scheme *self, struct span salt, struct span hash,
                              const char **ret_why)
{
    if (read_base64(salt, &self->salt) < 0 || read_base64(hash, &self->hash) < 0)
        return refuse(ret_why, bad_base64);
    if (self->salt.size == 0)
        return refuse(ret_why, "has no salt");
    if (self->hash.size < PASSWORD_SCHEME_HASH_MIN)
        return refuse(ret_why, "has fewer than 16 bytes of hash");
    return 0;
}

static int read_argon2(struct password_scheme *self, const struct span *spans, size_t count,
                       const char **ret_why)
{
    struct param version[] = {{.key = "v", .number = &self->version}};
    struct param params[] = {{.key = "m", .number = &self->memory},
                             {.key = "t", .number = &self->rounds},
                             {.key = "p", .number = &self->lanes}};
    size_t at = 2;

    if (count != 5 && count != 6)
        return refuse(ret_why, not_known);
    self->version = 16;
    if (count == 6 && read_params(spans[at++], version, ARRAY_SIZE(version)) < 0)
        return refuse(ret_why, bad_numbers);
    if (read_params(spans[at], params, ARRAY_SIZE(params)) < 0)
        return refuse(ret_why, bad_numbers);
    if (self->version != 16 && self->version != 19)
        return refuse(ret_why, "is of a version of Argon2 other than 16 and 19");
    if (self->rounds < 1 || self->lanes < 1 || self->memory < 8 * self->lanes)
        return refuse(ret_why, "has parameters that Argon2 does not allow");
    if (read_salt_and_hash(self, spans[at + 1], spans[at + 2], ret_why) < 0)
        return -1;
    if (self->salt.size < 8)
        return refuse(ret_why, "has a salt of fewer than 8 bytes");
    if (self->memory > PASSWORD_SCHEME_MEMORY_MAX * 1024)
        return weigh(self, 0, self->memory, ret_why);
    return weigh(self, self->memory * self->rounds * ARGON2_NS, self->memory, ret_why);
}

/* Estimates N = 2^memory times r blocks of 128 bytes. */
static int weigh_scrypt(struct password_scheme *self, const char **ret_why)
{
    int64_t blocks;

    if (self->memory < 1 || self->memory > 31 || self->block < 1 || self->lanes < 1)
        return refuse(ret_why, "has parameters that scrypt does not allow");
    blocks = self->block << self->memory;
    if (blocks / 8 > PASSWORD_SCHEME_MEMORY_MAX * 1024)
        return weigh(self, 0, blocks / 8, ret_why);
    /* includes PBKDF2's p blocks around it */
    return weigh(self, blocks * self->lanes * SCRYPT_NS,
                 (blocks + self->block * self->lanes) / 8 + 1, ret_why);
}

static int read_scrypt(struct password_scheme *self, const struct span *spans, size_t count,
                       const char **ret_why)
{
    struct param params[] = {{.key = "ln", .number = &self->memory},
                             {.key = "r", .number = &self->block},
                             {.key = "p", .number = &self->lanes}};

    if (count != 5)
        return refuse(ret_why, not_known);
    if (read_params(spans[2], params, ARRAY_SIZE(params)) < 0)
        return refuse(ret_why, bad_numbers);
    if (read_salt_and_hash(self, spans[3], spans[4], ret_why) < 0)
        return -1;
    return weigh_scrypt(self, ret_why);
}

static int read_firebase(struct password_scheme *self, const struct span *spans, size_t count,
                         const char **ret_why)
{
    struct param params[] = {{.key = "v", .number = &self->version},
                             {.key = "n", .number = &self->memory},
                             {.key = "r", .number = &self->block},
                             {.key = "p", .number = &self->lanes},
                             {.key = "ss", .bytes = &self->separator, .optional = true},
                             {.key = "sk", .bytes = &self->key}};

    if (count != 5)
        return refuse(ret_why, not_known);
    if (read_params(spans[2], params, ARRAY_SIZE(params)) < 0 || self->version != 1)
        return refuse(ret_why, bad_numbers);
    if (read_salt_and_hash(self, spans[3], spans[4], ret_why) < 0)
        return -1;
    if (self->key.size != self->hash.size)
        return refuse(ret_why, "has a hash that is not as long as its signer key");
    return weigh_scrypt(self, ret_why);
}

/* Estimates PBKDF2: each block of the hash, as long as the digest, takes all iterations. */
static int weigh_pbkdf2(struct password_scheme *self, const char **ret_why)
{
    size_t digest = self->algorithm == PASSWORD_PBKDF2_SHA1     ? 20
                    : self->algorithm == PASSWORD_PBKDF2_SHA256 ? 32
                                                                : 64;
    int64_t blocks = (int64_t)((self->hash.size + digest - 1) / digest);

    if (self->rounds < 1)
        return refuse(ret_why, "has no iterations");
    return weigh(self, self->rounds * blocks * PBKDF2_NS, 1, ret_why);
}

static int read_pbkdf2(struct password_scheme *self, const struct span *spans, size_t count,
                       const char **ret_why)
{
    int64_t length = 0;
    struct param params[] = {{.key = "i", .number = &self->rounds},
                             {.key = "l", .number = &length, .optional = true}};

    if (count != 5)
        return refuse(ret_why, not_known);
    if (read_number(spans[2], &self->rounds) < 0 &&
        read_params(spans[2], params, ARRAY_SIZE(params)) < 0)
        return refuse(ret_why, bad_numbers);
    if (read_salt_and_hash(self, spans[3], spans[4], ret_why) < 0)
        return -1;
    if (params[1].seen && length != (int64_t)self->hash.size)
        return refuse(ret_why, "has a hash of another length than it says");
    return weigh_pbkdf2(self, ret_why);
}

static int read_django_pbkdf2(struct password_scheme *self, const struct span *spans, size_t count,
                              const char **ret_why)
{
    if (count != 4)
        return refuse(ret_why, not_known);
    if (read_number(spans[1], &self->rounds) < 0)
        return refuse(ret_why, bad_numbers);
    if (read_salt_and_hash(self, spans[3], spans[3], ret_why) < 0)
        return -1;
    if (spans[2].size == 0 || read_text(spans[2], &self->salt) < 0)
        return refuse(ret_why, "has no salt, or one that is too long");
    return weigh_pbkdf2(self, ret_why);
}

/* Reads 22 characters of salt and 31 of hash, whose last two bits are zero. */
static int read_bcrypt(struct password_scheme *self, const struct span *spans, size_t count,
                       const char **ret_why)
{
    struct span text;
    char cost[3] = "";

    if (count != 4 || spans[2].size != 2)
        return refuse(ret_why, not_known);
    text = spans[3];
    memcpy(cost, spans[2].at, 2);
    if (cost[0] < '0' || cost[0] > '3' || cost[1] < '0' || cost[1] > '9')
        return refuse(ret_why, bad_numbers);
    self->rounds = (cost[0] - '0') * 10 + cost[1] - '0';
    if (self->rounds < 4 || self->rounds > 31)
        return refuse(ret_why, "has a cost that bcrypt does not allow");
    if (text.size != 53 || !is_crypt_text(text) || !strchr(".CGKOSWaeimquy26", text.at[52]) ||
        read_text((struct span){text.at, 22}, &self->salt) < 0 ||
        read_text((struct span){text.at + 22, 31}, &self->hash) < 0)
        return refuse(ret_why, "has not the 53 characters of bcrypt's salt and hash");
    return weigh(self, (int64_t)BCRYPT_NS << self->rounds, 4, ret_why);
}

static int read_sha512_crypt(struct password_scheme *self, const struct span *spans, size_t count,
                             const char **ret_why)
{
    struct param params[] = {{.key = "rounds", .number = &self->rounds}};
    size_t at = 2;

    if (count != 4 && count != 5)
        return refuse(ret_why, not_known);
    self->rounds = 5000;
    if (count == 5 && read_params(spans[at++], params, ARRAY_SIZE(params)) < 0)
        return refuse(ret_why, bad_numbers);
    if (self->rounds < 1000 || self->rounds > 999999999)
        return refuse(ret_why, "has a number of rounds that sha512crypt does not allow");
    if (spans[at].size == 0 || spans[at].size > 16 || !is_crypt_text(spans[at]) ||
        spans[at + 1].size != 86 || !is_crypt_text(spans[at + 1]) ||
        read_text(spans[at], &self->salt) < 0 || read_text(spans[at + 1], &self->hash) < 0)
        return refuse(ret_why, "has not the salt and the 86 characters of sha512crypt");
    return weigh(self, self->rounds * SHA512_CRYPT_NS, 32, ret_why);
}

/* The forms of hashes, found by their first span, or by the second if the first is empty. */
static const struct form {
    const char *first, *second;
    enum password_algorithm algorithm;
    const char *name;
    int (*read)(struct password_scheme *self, const struct span *spans, size_t count,
                const char **ret_why);
} forms[] = {
    {"", "argon2d", PASSWORD_ARGON2D, "argon2d", read_argon2},
    {"", "argon2i", PASSWORD_ARGON2I, "argon2i", read_argon2},
    {"", "argon2id", PASSWORD_ARGON2ID, "argon2id", read_argon2},
    {"", "2a", PASSWORD_BCRYPT, "bcrypt", read_bcrypt},
    {"", "2b", PASSWORD_BCRYPT, "bcrypt", read_bcrypt},
    {"", "2y", PASSWORD_BCRYPT, "bcrypt", read_bcrypt},
    {"", "scrypt", PASSWORD_SCRYPT, "scrypt", read_scrypt},
    {"", "fbscrypt", PASSWORD_FIREBASE_SCRYPT, "firebase-scrypt", read_firebase},
    {"", "pbkdf2", PASSWORD_PBKDF2_SHA1, "pbkdf2-sha1", read_pbkdf2},
    {"", "pbkdf2-sha1", PASSWORD_PBKDF2_SHA1, "pbkdf2-sha1", read_pbkdf2},
    {"", "pbkdf2-sha256", PASSWORD_PBKDF2_SHA256, "pbkdf2-sha256", read_pbkdf2},
    {"", "pbkdf2-sha512", PASSWORD_PBKDF2_SHA512, "pbkdf2-sha512", read_pbkdf2},
    {"", "6", PASSWORD_SHA512_CRYPT, "sha512-crypt", read_sha512_crypt},
    {"pbkdf2_sha1", NULL, PASSWORD_PBKDF2_SHA1, "pbkdf2-sha1", read_django_pbkdf2},
    {"pbkdf2_sha256", NULL, PASSWORD_PBKDF2_SHA256, "pbkdf2-sha256", read_django_pbkdf2},
};

/* Splits at '$'. Returns 0 for too many spans or an invalid character. */
static size_t cut(const char *hash, struct span ret[static SPANS_MAX])
{
    size_t count = 0;

    for (const char *at = hash, *start = hash;; at++) {
        if (*at == '$' || *at == '\0') {
            if (count == SPANS_MAX)
                return 0;
            ret[count++] = (struct span){start, (size_t)(at - start)};
            start = at + 1;
        }
        if (*at == '\0')
            return count;
        if (*at <= ' ' || *at > '~')
            return 0;
    }
}

/* Skips the name of Django's hasher before an Argon2 or bcrypt hash. */
static const char *without_prefix(const char *hash)
{
    static const char *const prefixes[] = {"argon2", "bcrypt$"};

    for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
        size_t size = strlen(prefixes[i]);

        if (strncmp(hash, prefixes[i], size) == 0 && hash[size] == '$')
            return hash + size;
    }
    return hash;
}

int password_scheme_parse(const char *hash, struct password_scheme *ret, const char **ret_why)
{
    struct span spans[SPANS_MAX];
    struct password_scheme scheme;
    size_t count;

    if (!hash || *hash == '\0')
        return refuse(ret_why, "is empty");
    if (strnlen(hash, PASSWORD_SCHEME_TEXT_MAX + 1) > PASSWORD_SCHEME_TEXT_MAX)
        return refuse(ret_why, "is longer than 512 bytes");
    count = cut(without_prefix(hash), spans);
    for (size_t i = 0; i < ARRAY_SIZE(forms) && count > 1; i++) {
        if (!span_is(spans[0], forms[i].first) ||
            (forms[i].second && !span_is(spans[1], forms[i].second)))
            continue;
        scheme = (struct password_scheme){.algorithm = forms[i].algorithm, .name = forms[i].name};
        if (forms[i].read(&scheme, spans, count, ret_why) < 0)
            return -1;
        *ret = scheme;
        return 0;
    }
    return refuse(ret_why, not_known);
}
