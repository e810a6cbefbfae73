/* sigv4.c - see sigv4.h. */
#include "docd/store/sigv4.h"

#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { HMAC_SIZE = crypto_auth_hmacsha256_BYTES };

void sigv4_stamp(int64_t ms, char ret[static SIGV4_STAMP_SIZE])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;

    gmtime_r(&seconds, &parts);
    if (strftime(ret, SIGV4_STAMP_SIZE, "%Y%m%dT%H%M%SZ", &parts) == 0)
        ret[0] = '\0';
}

const char *sigv4_credential(const struct sigv4_signer *signer, const char *stamp,
                             struct arena *arena)
{
    return arena_printf(arena, "%s/%.8s/%s/s3/aws4_request", signer->access_key, stamp,
                        signer->region);
}

static void hmac(const void *key, size_t key_size, const char *text, size_t size,
                 uint8_t ret[static HMAC_SIZE])
{
    crypto_auth_hmacsha256_state state;

    crypto_auth_hmacsha256_init(&state, key, key_size);
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)text, size);
    crypto_auth_hmacsha256_final(&state, ret);
    sodium_memzero(&state, sizeof(state));
}

void sigv4_sign(const struct sigv4_signer *signer, const char *stamp, const char *text,
                char ret[static SIGV4_SIGNATURE_SIZE])
{
    char secret[SIGV4_SECRET_MAX + sizeof("AWS4")];
    uint8_t key[HMAC_SIZE];

    snprintf(secret, sizeof(secret), "AWS4%s", signer->secret_key);
    hmac(secret, strlen(secret), stamp, MIN(strlen(stamp), (size_t)8), key);
    sodium_memzero(secret, sizeof(secret));
    hmac(key, sizeof(key), signer->region, strlen(signer->region), key);
    hmac(key, sizeof(key), "s3", 2, key);
    hmac(key, sizeof(key), "aws4_request", strlen("aws4_request"), key);
    hmac(key, sizeof(key), text, strlen(text), key);
    sodium_bin2hex(ret, SIGV4_SIGNATURE_SIZE, key, sizeof(key));
    sodium_memzero(key, sizeof(key));
}

void sigv4_hash(const void *bytes, size_t size, char ret[static SIGV4_SIGNATURE_SIZE])
{
    uint8_t hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(hash, bytes, size);
    sodium_bin2hex(ret, SIGV4_SIGNATURE_SIZE, hash, sizeof(hash));
}

static const char *header_value(const struct sigv4_request *request, const char *name)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (strcmp(request->headers[i].name, name) == 0)
            return request->headers[i].value;
    assert(!"a header that is always signed");
    return "";
}

const char *sigv4_authorization(const struct sigv4_signer *signer,
                                const struct sigv4_request *request, struct arena *arena)
{
    const char *stamp = header_value(request, "x-amz-date"), *lines = "", *names = "", *text;
    const char *by = sigv4_credential(signer, stamp, arena), *scope = strchr(by, '/') + 1;
    char hash[SIGV4_SIGNATURE_SIZE], signature[SIGV4_SIGNATURE_SIZE];

    for (size_t i = 0; i < request->header_count; i++) {
        const struct sigv4_header *each = &request->headers[i];

        assert(i == 0 || strcmp(each[-1].name, each->name) < 0);
        lines = arena_printf(arena, "%s%s:%s\n", lines, each->name, each->value);
        names = arena_printf(arena, "%s%s%s", names, *names ? ";" : "", each->name);
    }
    text =
        arena_printf(arena, "%s\n%s\n%s\n%s\n%s\n%s", request->method, request->path,
                     request->query, lines, names, header_value(request, "x-amz-content-sha256"));
    sigv4_hash(text, strlen(text), hash);
    text = arena_printf(arena, SIGV4_ALGORITHM "\n%s\n%s\n%s", stamp, scope, hash);
    sigv4_sign(signer, stamp, text, signature);
    return arena_printf(arena, SIGV4_ALGORITHM " Credential=%s,SignedHeaders=%s,Signature=%s", by,
                        names, signature);
}
