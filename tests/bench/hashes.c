/*
 * hashes.c - how many Argon2id hashes a second this machine does with all its cores, with the
 * parameters of authd's passwords. Prints the rate over `SECONDS` (first argument, default 5).
 */
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "authd/credential/password.h"
#include "common/base/clock.h"

static atomic_bool stop;
static atomic_int hashes;

static void *verify(void *hash)
{
    while (!atomic_load(&stop)) {
        if (crypto_pwhash_str_verify(hash, "a wrong password", 16) == 0)
            abort();
        atomic_fetch_add(&hashes, 1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN), seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
    char hash[crypto_pwhash_STRBYTES];
    pthread_t threads[64];
    int64_t start;

    if (sodium_init() < 0 ||
        crypto_pwhash_str(hash, "correct horse", 13, PASSWORD_OPSLIMIT, PASSWORD_MEMLIMIT) != 0)
        return 1;
    start = clock_mono_us();
    for (long i = 0; i < cores && i < 64; i++)
        pthread_create(&threads[i], NULL, verify, hash);
    sleep((unsigned)seconds);
    atomic_store(&stop, true);
    for (long i = 0; i < cores && i < 64; i++)
        pthread_join(threads[i], NULL);
    printf("%.1f\n", atomic_load(&hashes) * 1e6 / (double)(clock_mono_us() - start));
    return 0;
}
