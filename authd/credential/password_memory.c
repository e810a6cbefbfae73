/*
 * password_memory.c - see password_memory.h.
 *
 * mmap() has no argument for the piece, so a thread-local variable holds it.
 */
#include "authd/credential/password_memory.h"

#include <assert.h>
#include <pthread.h>
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "authd/credential/password.h"
#include "common/base/log.h"

enum { HUGE_PAGE = 2 * 1024 * 1024 }; /* x86-64, and arm64 with pages of 4 KiB */

struct piece {
    struct piece *next;
    void *bytes;
    bool mapped; /* in use by libsodium */
    bool used;   /* since the last trim */
};

struct password_memory {
    pthread_mutex_t mutex;
    struct piece *idle;
};

static _Thread_local struct piece *acquired;
static _Thread_local bool failed; /* mmap() failed since the last acquire */

/* ---- what libsodium calls ---- */

_Static_assert(sizeof(off_t) == sizeof(long), "the system call takes the offset as it is");

static void *map(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

static int unmap(void *address, size_t size)
{
    return (int)syscall(SYS_munmap, address, size);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    const int fresh = MAP_ANONYMOUS | MAP_PRIVATE;

    if (!acquired || acquired->mapped || address || size != PASSWORD_MEMLIMIT ||
        protection != (PROT_READ | PROT_WRITE) || (flags & (fresh | MAP_FIXED)) != fresh) {
        void *mapped = map(address, size, protection, flags, fd, offset);

        failed = failed || mapped == MAP_FAILED;
        return mapped;
    }
    acquired->mapped = true;
    return acquired->bytes;
}

int munmap(void *address, size_t size)
{
    if (!acquired || !acquired->mapped || address != acquired->bytes || size != PASSWORD_MEMLIMIT)
        return unmap(address, size);
    sodium_memzero(acquired->bytes, PASSWORD_MEMLIMIT);
    acquired->mapped = false;
    return 0;
}

/* ---- pieces ---- */

/* Aligns the bytes to HUGE_PAGE. Returns MAP_FAILED if there is no memory. */
static void *map_bytes(void)
{
    char *start = map(NULL, PASSWORD_MEMLIMIT + HUGE_PAGE, PROT_READ | PROT_WRITE,
                      MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
    char *bytes;

    if (start == MAP_FAILED)
        return MAP_FAILED;
    bytes = start + (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
    if (bytes > start)
        unmap(start, (size_t)(bytes - start));
    unmap(bytes + PASSWORD_MEMLIMIT, (size_t)(start + HUGE_PAGE - bytes));
    return bytes;
}

/* Returns NULL if there is no memory. The advice only makes hashes faster, so its failure is
 * ignored. */
static struct piece *piece_new(void)
{
    struct piece *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("password", "out of memory");
    self->bytes = map_bytes();
    if (self->bytes == MAP_FAILED) {
        free(self);
        return NULL;
    }
    (void)madvise(self->bytes, PASSWORD_MEMLIMIT, MADV_DONTDUMP);
    (void)madvise(self->bytes, PASSWORD_MEMLIMIT, MADV_HUGEPAGE);
    (void)madvise(self->bytes, PASSWORD_MEMLIMIT, MADV_POPULATE_WRITE);
    return self;
}

static void piece_destroy(struct piece *self)
{
    unmap(self->bytes, PASSWORD_MEMLIMIT);
    free(self);
}

struct password_memory *password_memory_new(void)
{
    struct password_memory *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("password", "out of memory");
    pthread_mutex_init(&self->mutex, NULL);
    return self;
}

void password_memory_destroy(struct password_memory **self_p)
{
    struct password_memory *self = *self_p;

    if (!self)
        return;
    for (struct piece *piece; (piece = self->idle);) {
        self->idle = piece->next;
        piece_destroy(piece);
    }
    pthread_mutex_destroy(&self->mutex);
    free(self);
    *self_p = NULL;
}

void password_memory_acquire(struct password_memory *self)
{
    struct piece *piece;

    assert(!acquired);
    pthread_mutex_lock(&self->mutex);
    piece = self->idle;
    if (piece)
        self->idle = piece->next;
    pthread_mutex_unlock(&self->mutex);
    acquired = piece ? piece : piece_new();
    failed = false;
}

bool password_memory_failed(void)
{
    return failed;
}

void password_memory_release(struct password_memory *self)
{
    struct piece *piece = acquired;

    if (!piece)
        return;
    assert(!piece->mapped);
    acquired = NULL;
    piece->used = true;
    pthread_mutex_lock(&self->mutex);
    piece->next = self->idle;
    self->idle = piece;
    pthread_mutex_unlock(&self->mutex);
}

void password_memory_trim(struct password_memory *self)
{
    pthread_mutex_lock(&self->mutex);
    for (struct piece **link = &self->idle; *link;) {
        struct piece *piece = *link;

        if (piece->used) {
            piece->used = false;
            link = &piece->next;
        } else {
            *link = piece->next;
            piece_destroy(piece);
        }
    }
    pthread_mutex_unlock(&self->mutex);
}
