/*
 * candidate.c - see candidate.h.
 *
 * Every reject path does the same work: the account is looked up together with its memberships, a
 * password is verified (against a dummy hash when there is no account), a failure is counted, and
 * the answer is the same.
 */
#include "authd/signin/candidate.h"

#include <string.h>

#include "authd/credential/password.h"

enum {
    CANDIDATE_COLUMNS = 9
}; /* and behind them, of the first two, those of SQL_THROTTLE_LIMITS */

/* Rows of SQL_PATIENT_FIND, SQL_PRACTITIONER_FIND or SQL_LOGIN_WAITING. */
static void read_candidate(const struct request *req, const struct db_result *res, const char *role,
                           struct uuid only, struct candidate *ret)
{
    size_t rows = db_rows(res) > 0 && !db_is_null(res, 0, 0) ? db_rows(res) : 0;

    *ret = (struct candidate){.is = {.project = only, .role = role},
                              .places = arena_calloc(req->arena, rows, sizeof(*ret->places))};
    if (rows == 0)
        return;
    ret->is.account = db_uuid(res, 0, 0);
    ret->hash = arena_strdup(req->arena, db_text(res, 0, 1));
    ret->display = arena_printf(req->arena, "%s %s", db_text(res, 0, 2), db_text(res, 0, 3));
    ret->changes = db_int(res, 0, 6);
    ret->mfa = db_bool(res, 0, 7);
    ret->locked = db_bool(res, 0, 8);
    for (size_t row = 0; row < rows; row++) {
        struct place place = {db_uuid(res, row, 4), db_uuid(res, row, 5)};

        if (!uuid_is_set(&only) || uuid_equal(&only, &place.project))
            ret->places[ret->count++] = place;
    }
}

int candidate_find(struct authd *d, const struct request *req, const char *role,
                   struct uuid project, const char *email, const struct throttle_keys *keys,
                   struct candidate *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    int rc = strcmp(role, "Patient") == 0
                 ? db_query(d->svc.db, req, SQL_PATIENT_FIND, &res, err, DB_THROTTLE(req, keys),
                            DB_UUID(project), DB_TEXT(email))
                 : db_query(d->svc.db, req, SQL_PRACTITIONER_FIND, &res, err,
                            DB_THROTTLE(req, keys), DB_TEXT(email));

    if (rc < 0)
        return -1;
    read_candidate(req, res, role, project, ret);
    return throttle_result(d, req, res, CANDIDATE_COLUMNS, err);
}

int candidate_of_login(struct authd *d, const struct request *req, const char *role,
                       struct uuid login, struct candidate *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_LOGIN_WAITING, &res, err, DB_UUID(login), DB_TEXT(role),
                 DB_INT(req->now_ms)) < 0)
        return -1;
    read_candidate(req, res, role, (struct uuid){""}, ret);
    if (ret->count == 1)
        ret->is.project = ret->places[0].project;
    return 0;
}

int candidate_reject(struct authd *d, const struct request *req, const struct candidate *who,
                     const struct throttle_keys *keys, struct error *err)
{
    const struct sql_audit audit = sign_in_failure(req, &who->is, "password");

    if (throttle_fail(d, req, keys, &audit, err) < 0)
        return -1;
    ++*d->count.sign_in_bad;
    return error_set(err, ERR_BAD_REQUEST, "Username or password is incorrect.");
}

int candidate_check_lock(struct authd *d, const struct request *req, const struct candidate *who,
                         const struct throttle_keys *keys, struct error *err)
{
    if (!who->locked)
        return 0;
    if (throttle_check(d, req, keys, err) < 0 ||
        sign_in_refused(d, req, &who->is, "locked", err) < 0)
        return -1;
    return error_set(err, ERR_ACCOUNT_LOCKED, "Login is not enabled.");
}

/* Renews a hash of older parameters. Best effort: it must not spoil a good sign-in. */
static void rehash(struct authd *d, const struct request *req, const struct candidate *who,
                   const char *password)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct error ignored;
    const char *hash;

    error_init(&ignored, req->arena);
    if (password_hash(d, req, password, &hash, &ignored) < 0 ||
        db_query(d->svc.db, req, SQL_CREDENTIAL_REHASH, &res, &ignored, DB_UUID(who->is.account),
                 DB_TEXT(who->hash), DB_TEXT(hash), DB_INT(req->now_ms)) < 0)
        log_event(LOG_WARNING, "login", "a password hash was not renewed", "trace", req->trace,
                  NULL);
}

int candidate_verify(struct authd *d, const struct request *req, const struct candidate *who,
                     const char *password, bool *ret_right, struct error *err)
{
    bool right, stale;

    if (password_verify(d, req, who->hash, password, &right, &stale, err) < 0)
        return -1;
    *ret_right = right && who->count > 0;
    if (*ret_right && stale)
        rehash(d, req, who, password);
    return 0;
}

int candidate_authenticate(struct authd *d, const struct request *req, const struct candidate *who,
                           const struct throttle_keys *keys, const char *password,
                           struct error *err)
{
    bool right;

    if (candidate_verify(d, req, who, password, &right, err) < 0)
        return -1;
    if (!right)
        return candidate_reject(d, req, who, keys, err);
    secret_wipe_text(password);
    return candidate_check_lock(d, req, who, keys, err);
}
