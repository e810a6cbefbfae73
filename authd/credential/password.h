/*
 * password.h - Argon2id (RFC 9106) by libsodium on a bounded pool of threads: 19 MiB, two passes,
 * one lane.
 *
 * Imported hashes (password_scheme.h) are verified on other threads, until the first right password
 * replaces them.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PASSWORD_H
#define ATRIUM_AUTHD_CREDENTIAL_PASSWORD_H

#include <sodium.h>

#include "authd/authd.h"
#include "common/base/address.h"

enum { PASSWORD_OPSLIMIT = 2, PASSWORD_MEMLIMIT = 19 * 1024 * 1024 };

/* Prefix of own hashes with current parameters. The index credential_imported has all others. */
#define PASSWORD_HASH_PREFIX "$argon2id$v=19$m=19456,t=2,p=1$"

/* Opens the pool and makes the unknown accounts' dummy hash. Call once. */
void password_open(struct authd *d);
void password_close(struct authd *d);

/* Unmaps memory unused since the last call. For service_every(). */
int password_trim(void *daemon, const struct request *req, struct error *err);

/* A place among the requests that will hash a password: as many as the pool runs and queues. Take
 * it first, so that a flood gets 503 (ERR_OVERLOADED) immediately and loads neither database nor
 * bus.
 *
 * A client can have as many places as are left for others; an IPv6 /48 eight times that. To verify
 * an imported hash, a request exchanges its place for a place in imported_slots per millisecond of
 * work. Five seconds' worth per thread bounds the wait. Further clients get 503 with Retry-After.
 */
struct password_slot {
    struct authd *daemon; /* NULL: not acquired */
    const struct request *request;
    struct password_slots *slots; /* owner of its places, or NULL */
    size_t places;
    struct password_slot *next, **link;
    struct address_subjects client;
};
int password_slot_acquire(struct authd *d, const struct request *req, struct password_slot *slot,
                          struct error *err) MUST_USE;

/* For CLEANUP. */
void password_slot_leave(struct password_slot *slot);

/* Hashes the normalized password (password_text.h). ERR_OVERLOADED: queue or memory is full.
 * Parks. */
int password_hash(struct authd *d, const struct request *req, const char *password,
                  const char **ret, struct error *err) MUST_USE;

/* Sets *ret_right. `hash` NULL takes an own hash's time and is never right. *ret_renewed, unless
 * NULL: a hash that replaces an imported, outdated or unnormalized one. Returns -1 if it couldn't
 * verify (ERR_OVERLOADED: queue, places or memory); don't count that as a failure. Parks. */
int password_verify(struct authd *d, const struct request *req, const char *hash,
                    const char *password, bool *ret_right, const char **ret_renewed,
                    struct error *err) MUST_USE;

/* Makes a hash that no password has. Its salt begins with eight zero bytes, so that a statement can
 * recognize it. */
const char *password_dummy(struct arena *arena);

#endif
