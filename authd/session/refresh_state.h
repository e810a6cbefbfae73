/*
 * refresh_state.h - a refresh token's state and subject, read for several refreshes in one
 * statement (common/runtime/batch.h).
 */
#ifndef ATRIUM_AUTHD_SESSION_REFRESH_STATE_H
#define ATRIUM_AUTHD_SESSION_REFRESH_STATE_H

#include "authd/session/refresh_token.h"
#include "common/domain/request.h"
#include "common/runtime/batch.h"

struct authd;

/* Only REFRESH_CURRENT can be outdated when it is used, because tokens only grow older. */
enum refresh_status {
    REFRESH_OVER,    /* the session has ended or does not exist */
    REFRESH_CURRENT, /* can rotate */
    REFRESH_AGAIN,   /* previous token, within the retry window */
    REFRESH_THEFT,   /* an older token, or not of this session */
};

struct refresh_state {
    enum refresh_status status;
    struct uuid account, membership, profile, policy;
    enum role role;
    bool admin;
    bool grant;               /* see oauth/grant.h */
    const uint8_t *successor; /* sealed; for REFRESH_AGAIN */
    size_t successor_size;
    int64_t change; /* see admission_cache.h */
};

extern const struct batch_kind refresh_state_batch;

/* Reads a token's state. The data is in the request's arena; REFRESH_OVER has none. Parks. */
int refresh_state_read(struct authd *d, const struct request *req,
                       const struct refresh_token *token, struct refresh_state *ret,
                       struct error *err) MUST_USE;

#endif
