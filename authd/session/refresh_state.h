/*
 * refresh_state.h - what a refresh token is at the time, and whose: read for several renewals in
 * one statement (common/runtime/batch.h).
 */
#ifndef ATRIUM_AUTHD_SESSION_REFRESH_STATE_H
#define ATRIUM_AUTHD_SESSION_REFRESH_STATE_H

#include "authd/session/refresh_token.h"
#include "common/domain/request.h"
#include "common/runtime/batch.h"

struct authd;

/* Tokens only grow older: of all states only REFRESH_CURRENT can be overtaken. */
enum refresh_status {
    REFRESH_OVER,    /* there is no such session, or it has ended */
    REFRESH_CURRENT, /* may rotate */
    REFRESH_AGAIN,   /* the one before, within the retry window */
    REFRESH_THEFT,   /* an older one, or none of this session's */
};

/* Texts and bytes are in the request's arena. */
struct refresh_state {
    enum refresh_status status;
    struct uuid account, membership, profile, policy;
    enum role role;
    bool admin;
    bool grant;               /* see oauth/grant.h */
    const uint8_t *successor; /* sealed; of REFRESH_AGAIN */
    size_t successor_size;
    int64_t change; /* see admission_cache.h */
};

/* d->refresh_states */
extern const struct batch_kind refresh_state_batch;

/* Parks. All members but the status are empty for REFRESH_OVER. */
int refresh_state_read(struct authd *d, const struct request *req,
                       const struct refresh_token *token, struct refresh_state *ret,
                       struct error *err) MUST_USE;

#endif
