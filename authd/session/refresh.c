/*
 * refresh.c - see refresh.h. Handler: refresh_token.
 *
 * The current token rotates (rotation.c), guarded by its hash, so one of many at once wins.  The
 * token before it, presented again while its successor was not used, gets that same successor: a
 * lost answer can be had again, and a browser's tabs may renew at the same time.  An older
 * one was copied: the session ends.
 *
 * No token rotates of who may not come in from where it is: it is found as it was by who may. Most
 * may from anywhere, which the admission cache knows, and the statement that rotates finds out
 * whether the subject is one of them. Otherwise, and when it does not rotate, what the token is
 * worth is read, and the subject's address looked at before anything is written.
 */
#include "authd/session/refresh.h"

#include <string.h>

#include "authd/session/admission.h"
#include "authd/session/refresh_state.h"
#include "authd/session/rotation.h"
#include "authd/session/session.h"
#include "authd/signin/sign_in_api.h"

enum {
    LOCK_WAIT_MIN_MS = 5,
    LOCK_WAIT_MAX_MS = 200
}; /* between looks at a session that is locked */

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

/* 1: rotated, *ret_successor is current now, and *ret who it is for. 0: the session is locked, or
 * the token was the current one until a moment ago; or `open` (see rotation.h) does not let it. */
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

/* The successor that the token got when it rotated; NULL when it cannot be opened. */
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

/* A token that is neither the current one nor the one before. Only one that we gave out proves a
 * theft. */
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

/* Reads what the token is worth; one that is worth nothing is refused. */
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

/* Whether the subject may come in from where it is; a project that is gone has no sessions. */
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

/* As rotate(), until the session is not locked. 0: the token rotated at another request. */
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
            return error_set(err, ERR_DEADLINE, "The request took too long.");
        if (fiber_sleep_until(d->svc.loop, next_ms, err) < 0)
            return -1;
    }
}

/* As rotate(), of a token of which nothing was read. */
static int rotate_unread(struct authd *d, const struct request *req,
                         const struct refresh_token *token, struct token_subject *ret,
                         const char **ret_successor, struct error *err)
{
    struct admission_list open;

    if (!admission_cache_list(d->admission_cache, &token->project, clock_mono_ms(), &open))
        return 0;
    return rotate(d, req, token, &open, ret, ret_successor, err);
}

/* Reads what the token is worth, and rotates it or has its successor. 1: rotated. Of a grant with a
 * check, of any other session without. */
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
    if (rotated == 0) /* it rotated before, or at another request a moment ago */
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

/* Exchanges a refresh token. Fails: UNAUTHORIZED, for those of grants, too; FORBIDDEN (suspended
 * project, address), which leaves the token as it is. */
int refresh_token(struct authd *d, const struct request *req, const struct refresh_token_in *in,
                  struct refresh_token_out *out, struct error *err)
{
    const char *successor;
    struct token_subject subject;

    if (refresh_run(d, req, in->refresh_token, NULL, NULL, &subject, &successor, err) < 0)
        return -1;
    return answer(d, req, &subject, successor, out, err);
}
