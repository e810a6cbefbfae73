/*
 * password_memory.h - the memory that passwords are hashed in, kept from one hash to the next
 * (password.c).
 *
 * libsodium maps 19 MiB for each hash and unmaps them afterwards, and takes no memory from its
 * caller. To find, clear, map and take back 4,864 pages costs the kernel as much as the hash itself
 * costs. So the program has an mmap() and a munmap() of its own, which libsodium's calls come to
 * before libc's: the mapping that a hash needs is answered with a piece that the thread was lent,
 * and wiped where libsodium unmaps it. Every other call goes to the kernel as it is. Should
 * libsodium ever ask for its memory in another way, then a hash is as right as before, and as slow.
 *
 * A hash reads 1 KiB here and there in all of its memory, which is more than the processor's table
 * of pages covers. In huge pages, where the kernel has them, it takes a sixth less time.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PASSWORD_MEMORY_H
#define ATRIUM_AUTHD_CREDENTIAL_PASSWORD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Pieces of PASSWORD_MEMLIMIT bytes, as many as were lent at once. Any thread may lend and give
 * back. */
struct password_memory;
struct password_memory *password_memory_new(void);

/* Every piece has been given back. NULL is fine. */
void password_memory_destroy(struct password_memory **self_p);

/* Lends the calling thread, which has none, a piece for its next hashes, one at a time. Without
 * memory for one it gets none: a hash then maps its own, and fails if that cannot be had either. */
void password_memory_lend(struct password_memory *self);
void password_memory_give_back(struct password_memory *self);

/* Whether the calling thread was refused memory since it was last lent some.
 * crypto_pwhash_str_verify() answers that as it answers a wrong password, with the same errno
 * (libsodium 1.0.18): only who maps the memory can tell. */
bool password_memory_failed(void);

/* Unmaps what has not been lent since the last call. */
void password_memory_trim(struct password_memory *self);

#endif
