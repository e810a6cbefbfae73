/*
 * rotation.h - the update that rotates a refresh token, for several renewals in one statement and
 * one commit (common/runtime/batch.h).
 *
 * The statement skips a row that is locked, so no renewal waits for another one's lock, and of
 * several with one token one wins.
 */
#ifndef ATRIUM_AUTHD_SESSION_ROTATION_H
#define ATRIUM_AUTHD_SESSION_ROTATION_H

#include "common/base/secret.h"
#include "common/domain/request.h"
#include "common/runtime/batch.h"

struct authd;

struct rotation {
    struct uuid project, session;
    const uint8_t *hash, *next_hash; /* SECRET_HASH_SIZE bytes each */
    struct sealed successor;
};

/* d->rotations */
extern const struct batch_kind rotation_batch;

/* 1: rotated. 0: the session has no such current token, or is locked. Fails: UNCERTAIN when the
 * answer was lost. Parks. */
int rotation_run(struct authd *d, const struct request *req, const struct rotation *in,
                 struct error *err) MUST_USE;

#endif
