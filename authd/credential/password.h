/*
 * password.h - Argon2id (RFC 9106) through libsodium, on a bounded pool of threads: 19 MiB, two
 * passes, one lane. Hashes that came from another system (password_scheme.h) are verified on
 * threads of their own, until the first right password replaces them.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PASSWORD_H
#define ATRIUM_AUTHD_CREDENTIAL_PASSWORD_H

#include <sodium.h>

#include "authd/authd.h"
#include "common/base/address.h"

enum { PASSWORD_OPSLIMIT = 2, PASSWORD_MEMLIMIT = 19 * 1024 * 1024 };

/* How the hashes begin that are made here: with these parameters. A hash that begins otherwise is
 * an imported one, or an older one; the index credential_imported has those. */
#define PASSWORD_HASH_PREFIX "$argon2id$v=19$m=19456,t=2,p=1$"

/* Opens the pool and makes the hash that unknown accounts are verified against. Call once, at
 * start. */
void password_open(struct authd *d);
void password_close(struct authd *d);

/* Gives the memory of threads that have not hashed since the last run back to the system; for
 * service_every(). */
int password_trim(void *daemon, const struct request *req, struct error *err);

/* A place among the requests that will hash a password: as many as the pool can hash and queue.
 * Taken before anything else of such a request is done, so that of a flood all but those are
 * answered 503 at once (ERR_OVERLOADED), and neither the database nor the bus fills up with work
 * that the pool would refuse.
 *
 * A client may have as many places as are left for all others: one alone gets half of them, two a
 * third each, and a flood of one leaves the others room. A /48 of IPv6 gets eight times that.
 *
 * A request that comes to verify an imported hash changes its place for some of imported_slots, as
 * many as the verification may take milliseconds; a client has a share of those as of the others.
 * There are five seconds' worth for each of the threads, so none waits for longer than about that:
 * the others are answered 503 with the time after which there may be room. */
struct password_slot {
    struct authd *daemon; /* NULL: none acquired */
    const struct request *request;
    struct password_slots *slots; /* whose places it has; NULL: none any more */
    size_t places;
    struct password_slot *next, **link;
    struct address_subjects client;
};
int password_slot_acquire(struct authd *d, const struct request *req, struct password_slot *slot,
                          struct error *err) MUST_USE;

/* Usable with CLEANUP on a struct password_slot variable. */
void password_slot_leave(struct password_slot *slot);

/* The hash of a password in PHC form, of its normalised text (password_text.h), from the request's
 * arena. ERR_OVERLOADED when the pool's queue is full, or without memory for the hash. Parks. */
int password_hash(struct authd *d, const struct request *req, const char *password,
                  const char **ret, struct error *err) MUST_USE;

/* Whether the password belongs to the hash. hash NULL does the work of one made here and is never
 * right. *ret_renewed, which may be NULL: the hash to replace it with, from the request's arena,
 * when the password is right and its hash was made with other parameters, by another system, or
 * before passwords were normalised; else NULL. 0 whatever the outcome; -1 when it could not be
 * computed (ERR_OVERLOADED: queue, places of imported hashes, or memory), which is no failure of
 * the account's and must not be counted as one. Parks. */
int password_verify(struct authd *d, const struct request *req, const char *hash,
                    const char *password, bool *ret_right, const char **ret_renewed,
                    struct error *err) MUST_USE;

/* A well-formed hash of our parameters that no password has, from the arena. */
const char *password_dummy(struct arena *arena);

#endif
