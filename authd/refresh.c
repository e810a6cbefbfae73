/*
 * refresh.c - renewing a session (handler refresh_token).
 *
 * The current token rotates: one statement, guarded by its hash, so one of many at once wins.  The
 * token before it, presented again while its successor was not used, gets that same successor: a
 * lost answer can be had again, and a browser's tabs may renew at the same time.  One of ours from
 * before that was copied by somebody: the session ends.
 */
#include <string.h>

#include "authd/session.h"

static const char SUCCESSOR_PURPOSE[] = "authd refresh successor";

static int refuse(struct authd *d, struct error *err)
{
    ++*d->count.refresh_refused;
    return error_set(err, ERR_UNAUTHORIZED, "Refresh token is invalid or has expired.");
}

/* The columns account, membership, profile, role and admin that both statements begin with. */
static void read_holder(const struct request *req, const struct db_result *res,
                        const struct refresh_token *token, struct holder *ret)
{
    *ret = (struct holder){.project = token->project,
                           .membership = db_uuid(res, 0, 1),
                           .profile = db_uuid(res, 0, 2),
                           .session = token->session,
                           .role = arena_strdup(req->arena, db_text(res, 0, 3)),
                           .admin = db_bool(res, 0, 4)};
}

static int answer(struct authd *d, const struct request *req, const struct holder *holder,
                  const char *successor, struct refresh_token_out *out, struct error *err)
{
    if (session_access_token(d, req, holder, &out->access_token, err) < 0)
        return -1;
    out->refresh_token = successor;
    out->expires_in = ACCESS_TOKEN_LIFE / 1000;
    out->token_type = "Bearer";
    return 0;
}

/* 1: rotated, *ret_successor is current now. 0: the token is not the current one of a live
 * session. */
static int rotate(struct authd *d, const struct request *req, const struct refresh_token *token,
                  struct holder *ret_holder, const char **ret_successor, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    CLEANUP(refresh_token_wipe) struct refresh_token next;
    CLEANUP(secret_wipe) struct secret key;
    struct sealed sealed;

    refresh_token_new(&d->svc.seal_key, token->project, token->session, &next);
    refresh_token_successor_key(token, &key);
    sealed = secret_seal(req->arena, &key, SUCCESSOR_PURPOSE, next.text, strlen(next.text));
    if (db_query(d->svc.db, req, SQL_REFRESH_ROTATE, &res, err, DB_UUID(token->project),
                 DB_UUID(token->session), DB_BYTES(token->hash, SECRET_HASH_SIZE),
                 DB_BYTES(next.hash, SECRET_HASH_SIZE), DB_SEALED(sealed), DB_INT(req->now_ms),
                 DB_INT(req->now_ms + SESSION_IDLE_LIFE)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return 0;
    if (db_is_null(res, 0, 4)) /* no member any more: the session is about to end */
        return refuse(d, err);
    read_holder(req, res, token, ret_holder);
    *ret_successor = arena_strdup(req->arena, next.text);
    return 1;
}

/* The successor that the token got when it rotated; NULL when it cannot be opened. */
static const char *open_successor(const struct request *req, const struct refresh_token *token,
                                  struct field_bytes sealed)
{
    CLEANUP(secret_wipe) struct secret key;
    uint8_t *text = NULL;
    size_t size = 0;

    refresh_token_successor_key(token, &key);
    if (secret_open(req->arena, &key, SUCCESSOR_PURPOSE, (struct sealed){sealed.bytes, sealed.size},
                    &text, &size) < 0)
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
    size_t count;

    if (!refresh_token_genuine(token, &d->svc.seal_key))
        return refuse(d, err);
    ++*d->count.refresh_theft;
    log_event(LOG_NOTICE, "refresh", "an old token came back: session ended", "session",
              token->session.text, "trace", req->trace, NULL);
    if (session_end(d, req, &which, &count, err) < 0)
        return -1;
    return refuse(d, err);
}

/* Decides what becomes of a token that is not the current one. */
static int judge(struct authd *d, const struct request *req, const struct refresh_token *token,
                 struct refresh_token_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct holder holder;
    const char *verdict, *successor;

    if (db_query(d->svc.db, req, SQL_REFRESH_VERDICT, &res, err, DB_UUID(token->project),
                 DB_UUID(token->session), DB_BYTES(token->hash, SECRET_HASH_SIZE),
                 DB_INT(req->now_ms), DB_INT(d->config->refresh_retry_window)) < 0)
        return -1;
    if (db_rows(res) == 0 || db_is_null(res, 0, 4))
        return refuse(d, err);
    verdict = db_text(res, 0, 5);
    if (strcmp(verdict, "over") == 0)
        return refuse(d, err);
    if (strcmp(verdict, "theft") == 0)
        return end_theft(d, req, token, db_uuid(res, 0, 0), err);
    successor = open_successor(req, token, db_bytes(res, 0, 6));
    if (successor == NULL)
        return error_set(err, ERR_INTERNAL, "The refresh token's successor cannot be opened.");
    ++*d->count.refresh_again;
    read_holder(req, res, token, &holder);
    return answer(d, req, &holder, successor, out, err);
}

/* Exchanges a refresh token. Fails: UNAUTHORIZED. */
int refresh_token(struct authd *d, const struct request *req, const struct refresh_token_in *in,
                  struct refresh_token_out *out, struct error *err)
{
    CLEANUP(refresh_token_wipe) struct refresh_token token;
    struct holder holder;
    const char *successor = NULL;
    int rc;

    if (refresh_token_parse(in->refresh_token, &token) < 0)
        return refuse(d, err);
    rc = rotate(d, req, &token, &holder, &successor, err);
    if (rc < 0)
        return -1;
    if (rc == 0)
        return judge(d, req, &token, out, err);
    ++*d->count.refresh_rotated;
    return answer(d, req, &holder, successor, out, err);
}
