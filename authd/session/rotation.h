/*
 * rotation.h - the update that rotates refresh tokens, several in one statement and commit
 * (common/runtime/batch.h).
 *
 * It skips locked rows, so refreshes never wait for each other, and of several with one token one
 * wins. It checks session, member and account. Admission was checked before, or the statement
 * compares policy and change number with an `open` list of the admission cache.
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
    const struct admission_list *open; /* NULL: admission was checked */
};

extern const struct batch_kind rotation_batch;

/* Returns 1 and the token's subject, from the request's arena. 0: not current, session ended or
 * locked, or `open` excludes the member. Fails: UNCERTAIN (answer lost). Parks. */
int rotation_run(struct authd *d, const struct request *req, const struct rotation *in,
                 struct token_subject *ret, struct error *err) MUST_USE;

#endif
