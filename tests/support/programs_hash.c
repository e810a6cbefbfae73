/*
 * programs_hash.c - see programs_hash.h.
 */
#include "tests/support/programs_hash.h"

#include <dirent.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/program.h"

enum { HASH_SIZE = 16, CHUNK_SIZE = 1 << 16 };

static void hash_file(crypto_generichash_state *state, const char *path)
{
    static uint8_t chunk[CHUNK_SIZE];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size;

    while (fd >= 0 && (size = read(fd, chunk, sizeof(chunk))) > 0)
        crypto_generichash_update(state, chunk, (size_t)size);
    if (fd >= 0)
        close(fd);
}

char *programs_hash(void)
{
    char *dir = program_path(""), *path = NULL, *digits = malloc(2 * HASH_SIZE + 1);
    uint8_t hash[HASH_SIZE];
    crypto_generichash_state state;
    struct dirent **entries = NULL;
    int count = scandir(dir, &entries, NULL, alphasort);

    crypto_generichash_init(&state, NULL, 0, sizeof(hash));
    for (int i = 0; i < count; i++) {
        if (asprintf(&path, "%s%s", dir, entries[i]->d_name) < 0)
            abort();
        hash_file(&state, path);
        free(path);
        free(entries[i]);
    }
    free(entries);
    free(dir);
    crypto_generichash_final(&state, hash, sizeof(hash));
    return sodium_bin2hex(digits, 2 * HASH_SIZE + 1, hash, sizeof(hash));
}
