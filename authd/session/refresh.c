/*
 * refresh.c - see refresh.h. Handler: refresh_token.
 *
 * Rotation (rotation.c) compares the current token's hash, so one of concurrent requests wins. The
 * previous token gets the same successor until that is used, for lost answers and for a browser's
 * tabs. An older token was copied, so the session ends.
 *
 * A refused caller leaves the token unchanged. The rotating statement can check policies without
 * rules itself (admission cache); otherwise the address is checked before the rotation.
 */
#include "authd/session/refresh.h"

#include <string.h>

#include "authd/session/admission.h"
#include "authd/session/refresh_state.h"
#include "authd/session/rotation.h"
#include "authd/session/session.h"
#include "authd/signin/sign_in_api.h"

enum { LOCK_WAIT_MIN_MS = 5, LOCK_WAIT_MAX_MS = 200 }; /* between tries on a locked session */

static const char SUCCESSOR_PURPOSE[] = "authd refresh successor";

static int refuse(struct authd *d, struct error *err)
{
    ++*d->count.refresh_refused;
    return error_set(err, ERR_UNAUTHORIZED, "Refresh token is invalid or has expired.");
}

static int answer(struct authd *d, const struct request *req, const struct token_subject *subject,
                  const char *successor, struct refresh_token_out *out, struct error *err)
{
    if (session_access_token(d, req, subject, &out->access_token, err) < 0)
        return -1;
    out->refresh_token = successor;
    out->expires_in = ACCESS_TOKEN_LIFE / 1000;
    out->token_type = "Bearer";
    return 0;
}

/* Returns 1 after rotation. 0: the session is locked, the token was just rotated, or `open` (see
 * rotation.h) excludes the caller. */
static int rotate(struct authd *d, const struct request *req, const struct refresh_token *token,
                  const struct admission_list *open, struct token_subject *ret,
                  const char **ret_successor, struct error *err)
{
    CLEANUP(refresh_token_wipe) struct refresh_token next;
    CLEANUP(secret_wipe) struct secret key;
    struct rotation rotation;
    int rotated;

    refresh_token_new(&d->svc.seal, token->project, token->session, &next);
    refresh_token_successor_key(token, &key);
    rotation = (struct rotation){.project = token->project,
                                 .session = token->session,
                                 .hash = token->hash,
                                 .next_hash = next.hash,
                                 .successor = secret_seal(req->arena, &key, SUCCESSOR_PURPOSE,
                                                          next.text, strlen(next.text)),
                                 .open = open};
    rotated = rotation_run(d, req, &rotation, ret, err);
    if (rotated <= 0)
        return rotated;
    *ret_successor = arena_strdup(req->arena, next.text);
    return 1;
}

static const char *open_successor(const struct request *req, const struct refresh_token *token,
                                  struct sealed sealed)
{
    CLEANUP(secret_wipe) struct secret key;
    uint8_t *text = NULL;
    size_t size = 0;

    refresh_token_successor_key(token, &key);
    if (secret_open(req->arena, &key, SUCCESSOR_PURPOSE, sealed, &text, &size) < 0)
        return NULL;
    return (const char *)text;
}

/* Ends the session for an old token, which proves theft only if authd issued it. */
static int end_theft(struct authd *d, const struct request *req, const struct refresh_token *token,
                     struct uuid account, struct error *err)
{
    const struct session_end which = {
        .project = token->project, .account = account, .only = token->session, .reason = "theft"};
    const struct seal_keys *keys = &d->svc.seal;
    size_t count;

    if (!refresh_token_genuine(token, keys,
                               seal_keys_hashing(keys, req->now_ms, SESSION_ABSOLUTE_LIFE)))
        return refuse(d, err);
    ++*d->count.refresh_theft;
    log_event(LOG_NOTICE, "refresh", "an old refresh token was used again: session ended",
              "session", token->session.text, "trace", req->trace, NULL);
    if (session_end(d, req, &which, &count, err) < 0)
        return -1;
    return refuse(d, err);
}

/* Reads the token's state. Rejects tokens of ended sessions; an old token ends its session. */
static int judge(struct authd *d, const struct request *req, const struct refresh_token *token,
                 struct renewal *ret, struct error *err)
{
    struct refresh_state state;

    if (refresh_state_read(d, req, token, &state, err) < 0)
        return -1;
    if (state.status == REFRESH_OVER)
        return refuse(d, err);
    if (state.status == REFRESH_THEFT)
        return end_theft(d, req, token, state.account, err);
    *ret = (struct renewal){.subject = {.project = token->project,
                                        .membership = state.membership,
                                        .profile = state.profile,
                                        .session = token->session,
                                        .role = state.role,
                                        .admin = state.admin},
                            .account = state.account,
                            .policy = state.policy,
                            .change = state.change,
                            .current = state.status == REFRESH_CURRENT,
                            .grant = state.grant};
    if (ret->current)
        return 0;
    ret->successor =
        open_successor(req, token, (struct sealed){state.successor, state.successor_size});
    return ret->successor
               ? 0
               : error_set(err, ERR_INTERNAL, "The refresh token's successor cannot be opened.");
}

/* Checks the subject's admission. If the project was deleted, so was the session. */
static int admit(struct authd *d, const struct request *req, const struct renewal *renewal,
                 struct error *err)
{
    const struct admission who = {.project = renewal->subject.project,
                                  .account = renewal->account,
                                  .session = renewal->subject.session,
                                  .role = renewal->subject.role,
                                  .policy = renewal->policy,
                                  .admin = renewal->subject.admin,
                                  .change = renewal->change,
                                  .action = "session.refresh"};

    if (admission_check(d, req, &who, err) == 0)
        return 0;
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return refuse(d, err);
}

/* Retries while the session is locked. Returns 0 if another request rotated the token. */
static int rotate_current(struct authd *d, const struct request *req,
                          const struct refresh_token *token, struct renewal *renewal,
                          const char **ret_successor, struct error *err)
{
    for (int64_t wait_ms = LOCK_WAIT_MIN_MS;;
         wait_ms = MIN(2 * wait_ms, (int64_t)LOCK_WAIT_MAX_MS)) {
        int64_t next_ms = loop_mono_ms(d->svc.loop) + wait_ms;
        int rotated = rotate(d, req, token, NULL, &renewal->subject, ret_successor, err);

        if (rotated != 0)
            return rotated;
        if (judge(d, req, token, renewal, err) < 0)
            return -1;
        if (!renewal->current)
            return 0;
        if (next_ms >= req->deadline_mono_ms)
            return error_set(err, ERR_DEADLINE, "The request took too long. Please try again.");
        if (fiber_sleep_until(d->svc.loop, next_ms, err) < 0)
            return -1;
    }
}

/* Rotates without reading the token's state, if the cache allows it. */
static int rotate_unread(struct authd *d, const struct request *req,
                         const struct refresh_token *token, struct token_subject *ret,
                         const char **ret_successor, struct error *err)
{
    struct admission_list open;

    if (!admission_cache_list(d->admission_cache, &token->project, clock_mono_ms(), &open))
        return 0;
    return rotate(d, req, token, &open, ret, ret_successor, err);
}

/* Rotates the token (1) or gets its successor. Grants have a check, other sessions none. */
static int rotate_judged(struct authd *d, const struct request *req,
                         const struct refresh_token *token, refresh_check_fn *check, void *arg,
                         struct token_subject *ret, const char **ret_successor, struct error *err)
{
    struct renewal renewal;
    int rotated = 0;

    if (judge(d, req, token, &renewal, err) < 0)
        return -1;
    if (renewal.grant != (check != NULL))
        return refuse(d, err);
    if ((check && check(arg, &renewal, err) < 0) || admit(d, req, &renewal, err) < 0)
        return -1;
    if (renewal.current) {
        rotated = rotate_current(d, req, token, &renewal, ret_successor, err);
        if (rotated < 0)
            return -1;
    }
    *ret = renewal.subject;
    if (rotated == 0) /* rotated earlier, or by a concurrent request */
        *ret_successor = renewal.successor;
    return rotated;
}

int refresh_run(struct authd *d, const struct request *req, const char *text,
                refresh_check_fn *check, void *arg, struct token_subject *ret,
                const char **ret_successor, struct error *err)
{
    CLEANUP(refresh_token_wipe) struct refresh_token token;
    const char *successor = NULL;
    int rotated = 0;

    if (refresh_token_parse(text, &token) < 0)
        return refuse(d, err);
    if (!check)
        rotated = rotate_unread(d, req, &token, ret, &successor, err);
    if (rotated == 0)
        rotated = rotate_judged(d, req, &token, check, arg, ret, &successor, err);
    if (rotated < 0)
        return -1;
    if (!successor)
        return refuse(d, err);
    ++*(rotated > 0 ? d->count.refresh_rotated : d->count.refresh_again);
    *ret_successor = successor;
    return 0;
}

int refresh_token(struct authd *d, const struct request *req, const struct refresh_token_in *in,
                  struct refresh_token_out *out, struct error *err)
{
    const char *successor;
    struct token_subject subject;

    if (refresh_run(d, req, in->refresh_token, NULL, NULL, &subject, &successor, err) < 0)
        return -1;
    return answer(d, req, &subject, successor, out, err);
}
