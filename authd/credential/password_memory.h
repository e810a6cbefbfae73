/*
 * password_memory.h - the memory that passwords are hashed in, kept from one hash to the next
 * (password.c).
 *
 * libsodium maps 19 MiB for each hash and unmaps them afterwards, and takes no memory from its
 * caller. To find, clear, map and take back 4,864 pages costs the kernel as much as the hash itself
 * costs. So the program has an mmap() and a munmap() of its own, which libsodium's calls come to
 * before libc's: the mapping that a hash needs is answered with the piece that the thread has
 * acquired, and wiped where libsodium unmaps it. Every other call goes to the kernel as it is.
 * Should libsodium ever ask for its memory in another way, then a hash is as right as before, and
 * as slow. docs/adr/0011-memory-of-password-hashes.md has the figures, also of libargon2, which
 * takes memory from its caller and is slower.
 *
 * A hash reads 1 KiB here and there in all of its memory, which is more than the processor's table
 * of pages covers. In huge pages, where the kernel has them, it takes a sixth less time.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PASSWORD_MEMORY_H
#define ATRIUM_AUTHD_CREDENTIAL_PASSWORD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Pieces of PASSWORD_MEMLIMIT bytes, as many as were acquired at once. Any thread may acquire
 * and release. */
struct password_memory;
struct password_memory *password_memory_new(void);

/* Every piece must be released before. NULL is fine. */
void password_memory_destroy(struct password_memory **self_p);

/* Acquires a piece for the next hashes of the calling thread, which has none, one hash at a
 * time. Without memory for a piece it gets none: a hash then maps its own memory, and fails when
 * that fails too. */
void password_memory_acquire(struct password_memory *self);
void password_memory_release(struct password_memory *self);

/* Whether the kernel refused the calling thread memory since password_memory_acquire().
 * crypto_pwhash_str_verify() returns the same result and errno for that as for a wrong password
 * (libsodium 1.0.18), so only the caller of mmap() can distinguish them. */
bool password_memory_failed(void);

/* Unmaps the pieces that were not acquired since the last call. */
void password_memory_trim(struct password_memory *self);

#endif
