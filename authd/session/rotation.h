/*
 * rotation.h - the update that rotates a refresh token, for several renewals in one statement and
 * one commit (common/runtime/batch.h).
 *
 * The statement skips a row that is locked, so no renewal waits for another one's lock, and of
 * several with one token one wins. It looks itself at all that PostgreSQL knows of the session, the
 * member and the account. What settingsd knows, whether the member may come in from where it is, is
 * either settled before, or an `open` list of the admission cache says for which policies it is:
 * then the statement compares the member's policy and the number of the last change with those, so
 * that it needs no look at the token before.
 */
#ifndef ATRIUM_AUTHD_SESSION_ROTATION_H
#define ATRIUM_AUTHD_SESSION_ROTATION_H

#include "authd/session/admission_cache.h"
#include "authd/session/session.h"
#include "common/base/secret.h"
#include "common/domain/request.h"
#include "common/runtime/batch.h"

struct rotation {
    struct uuid project, session;
    const uint8_t *hash, *next_hash; /* SECRET_HASH_SIZE bytes each */
    struct sealed successor;
    const struct admission_list *open; /* NULL: the member may come in */
};

/* d->rotations */
extern const struct batch_kind rotation_batch;

/* 1: rotated, *ret is who the token is for, from the request's arena. 0: the session has no such
 * current token, is over or is locked, or `open` does not let its member in. Fails: UNCERTAIN when
 * the answer was lost. Parks. */
int rotation_run(struct authd *d, const struct request *req, const struct rotation *in,
                 struct token_subject *ret, struct error *err) MUST_USE;

#endif
