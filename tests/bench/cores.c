/*
 * cores.c - `cores hashes|signatures [SECONDS]` prints how many Argon2id hashes (authd's
 * parameters) or ES256 signatures all cores make per second (default: over 5 seconds).
 */
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "authd/credential/password.h"
#include "common/base/base.h"
#include "common/base/clock.h"

enum { CORES_MAX = 64, TOKEN_SIZE = 500 /* bytes of an access token */ };

static atomic_bool stop;
static atomic_long made;

static char hash[crypto_pwhash_STRBYTES];
static EVP_PKEY *key;

static void prepare_hash(void)
{
    if (sodium_init() < 0 ||
        crypto_pwhash_str(hash, "correct horse", 13, PASSWORD_OPSLIMIT, PASSWORD_MEMLIMIT) != 0)
        abort();
}

static void make_hash(void)
{
    if (crypto_pwhash_str_verify(hash, "a wrong password", 16) == 0)
        abort();
}

static void prepare_key(void)
{
    key = EVP_EC_gen("P-256");
    if (!key)
        abort();
}

static void make_signature(void)
{
    static const unsigned char token[TOKEN_SIZE];
    unsigned char signature[128];
    size_t size = sizeof(signature);
    EVP_MD_CTX *context = EVP_MD_CTX_new();

    if (!context || EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) != 1 ||
        EVP_DigestSign(context, signature, &size, token, sizeof(token)) != 1)
        abort();
    EVP_MD_CTX_free(context);
}

static const struct kind {
    const char *name;
    void (*prepare)(void), (*make)(void);
} kinds[] = {{"hashes", prepare_hash, make_hash}, {"signatures", prepare_key, make_signature}};

static void *work(void *make)
{
    void (*const *once)(void) = make;

    while (!atomic_load(&stop)) {
        (*once)();
        atomic_fetch_add(&made, 1);
    }
    return NULL;
}

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; name && i < ARRAY_SIZE(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

int main(int argc, char **argv)
{
    long cores = MIN(sysconf(_SC_NPROCESSORS_ONLN), (long)CORES_MAX);
    long seconds = argc > 2 ? strtol(argv[2], NULL, 10) : 5;
    const struct kind *kind = kind_of(argv[1]);
    void (*make)(void);
    pthread_t threads[CORES_MAX];
    int64_t start;

    if (!kind) {
        fprintf(stderr, "usage: cores hashes|signatures [SECONDS]\n");
        return 2;
    }
    kind->prepare();
    make = kind->make;
    start = clock_mono_us();
    for (long i = 0; i < cores; i++)
        pthread_create(&threads[i], NULL, work, &make);
    sleep((unsigned)seconds);
    atomic_store(&stop, true);
    for (long i = 0; i < cores; i++)
        pthread_join(threads[i], NULL);
    EVP_PKEY_free(key);
    printf("%.1f\n", atomic_load(&made) * 1e6 / (double)(clock_mono_us() - start));
    return 0;
}
