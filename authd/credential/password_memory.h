/*
 * password_memory.h - keeps the memory of a password hash for the next one.
 *
 * libsodium maps and unmaps 19 MiB per hash, which takes as long as the hash itself. So mmap() and
 * munmap() here give libsodium the thread's piece, and pass other calls to the kernel. If libsodium
 * allocates in another way, hashes are only slower. Huge pages save a sixth of the time. Figures:
 * docs/adr/0011-memory-of-password-hashes.md.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PASSWORD_MEMORY_H
#define ATRIUM_AUTHD_CREDENTIAL_PASSWORD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Pieces of PASSWORD_MEMLIMIT bytes. Thread-safe. */
struct password_memory;
struct password_memory *password_memory_new(void);

/* Release all pieces first. NULL is allowed. */
void password_memory_destroy(struct password_memory **self_p);

/* Acquires a piece for this thread's next hashes. If there is no memory for a piece, each hash maps
 * its own memory, or fails. */
void password_memory_acquire(struct password_memory *self);
void password_memory_release(struct password_memory *self);

/* True when mmap() failed on this thread since password_memory_acquire(). libsodium 1.0.18 reports
 * that as a wrong password. */
bool password_memory_failed(void);

/* Unmaps pieces that weren't used since the last call. */
void password_memory_trim(struct password_memory *self);

#endif
