/*
 * account_session.c - see account_session.h.
 */
#include "authd/session/account_session.h"

#include <string.h>

#include "authd/credential/mailed_code.h"
#include "authd/credential/throttle.h"
#include "authd/credential/user_agent.h"
#include "authd/mail.h"
#include "authd/session/address_key.h"
#include "authd/sql/account.h"
#include "authd/sql/account_session.h"
#include "authd/sql/signin.h"

enum {
    MAILED_MAX = 5, /* emailed codes per account and hour */
    WRONG_MAX = 10, /* wrong codes per account and day */
};
#define TOUCH_AFTER SECONDS(30) /* between two updates of a session's last use */

static const char mailed_kind[] = "account code mailed", wrong_kind[] = "account code wrong";

static struct sql_audit session_event(const struct request *req, const char *action,
                                      struct uuid account, struct uuid session, const char *detail,
                                      bool failure)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .failure = failure,
                                          .account = account,
                                          .role = ROLE_PRACTITIONER,
                                          .type = "Session",
                                          .id = session,
                                          .detail = detail});
}

int account_session_find(struct authd *d, const struct request *req, const char *cookie,
                         struct account_session *ret, struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_account_session_get_in get = {.cookie_hash = {hash, sizeof(hash)},
                                                   .now = req->now_ms};
    struct sql_account_session_touch_in touch = {.now = req->now_ms,
                                                 .idle_until = req->now_ms + ACCOUNT_IDLE_LIFE};
    struct sql_account_session_get_row row;
    int found;

    secret_hash(cookie, hash);
    found = sql_account_session_get(d->svc.db, req, &get, &row, err);
    if (found <= 0)
        return found;
    *ret = (struct account_session){.waiting = row.waiting,
                                    .email = row.email,
                                    .caller = {.account = row.account,
                                               .session = row.id,
                                               .role = row.role,
                                               .display = row.display,
                                               .addressKey = row.address_key,
                                               .until = row.until ? *row.until : 0,
                                               .secondFactor = row.second_factor}};
    address_key_complete(d, req, &ret->caller);
    touch.id = row.id;
    if (!row.waiting && row.used_at <= req->now_ms - TOUCH_AFTER &&
        sql_account_session_touch(d->svc.db, req, &touch, err) < 0)
        return -1;
    return 1;
}

/* ---- codes ---- */

static int admit_code(struct authd *d, const struct request *req, const struct account_login *login,
                      struct error *err)
{
    bool admitted, mail = false;

    if (throttle_check_act(d, req, wrong_kind, login->account.text, DAYS(1), WRONG_MAX, err) < 0 ||
        throttle_admit(d, req, mailed_kind, login->account.text, HOURS(1), MAILED_MAX, &admitted,
                       err) < 0 ||
        (admitted && mail_admit(d, req, login->email, &mail, err) < 0))
        return -1;
    return mail ? 0
                : error_set(err, ERR_THROTTLED,
                            "Too many codes were entered. Please try again later.");
}

static struct sql_outbox code_mail(struct authd *d, const struct request *req,
                                   const struct account_login *login, const char *code)
{
    const struct mail mail = {.template = "ACCOUNT_CODE",
                              .to = login->email,
                              .display = login->display,
                              .expires_at = req->now_ms + ACCOUNT_CODE_LIFE,
                              .variables = {{"code", code}}};

    return mail_row(d, req, &mail);
}

/* ---- starting ---- */

/* Commits, and cancels a scheduled deletion, as any sign-in does. */
static int complete(struct authd *d, const struct request *req, struct db_tx **tx_p,
                    struct uuid account, struct error *err)
{
    struct session_ended changed = {.count = 0};
    const struct sql_deletion_abort_in abort = {
        .account = account,
        .audit = audit_row(req, &(struct audit){.action = "deletion.abort",
                                                .account = account,
                                                .role = ROLE_PRACTITIONER,
                                                .type = "Account",
                                                .id = account})};
    int aborted = sql_deletion_abort(*tx_p, req, &abort, err);

    if (aborted < 0 ||
        (aborted > 0 && session_ended_account(*tx_p, req, account, &changed, err) < 0) ||
        db_commit(tx_p, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    ++*d->count.sign_in_good;
    return session_revocation_wait(d, req, &changed, err);
}

int account_session_begin(struct authd *d, const struct request *req,
                          const struct account_login *login, const char *cookie, bool *ret_waits,
                          struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const char *code = mailed_code_new(req->arena);
    uint8_t cookie_hash[SECRET_HASH_SIZE], code_hash[SECRET_HASH_SIZE];
    bool waits = !login->by_own_passkey;
    struct sql_account_session_create_in create = {
        .login = login->login,
        .id = uuid_ordered(req->now_ms),
        .now = req->now_ms,
        .cookie_hash = {cookie_hash, sizeof(cookie_hash)},
        .address = req->address,
        .browser = user_agent_browser(req->userAgent),
        .os = user_agent_os(req->userAgent),
        .factor = strchr(login->auth_method, '+') || login->by_own_passkey,
        .idle_until = req->now_ms + (waits ? ACCOUNT_CODE_LIFE : ACCOUNT_IDLE_LIFE),
        .absolute_until = req->now_ms + ACCOUNT_ABSOLUTE_LIFE};

    *ret_waits = waits;
    if (waits && admit_code(d, req, login, err) < 0)
        return -1;
    secret_hash(cookie, cookie_hash);
    mailed_code_hash(create.id, code, code_hash);
    if (waits) {
        create.code_hash = (struct field_bytes){code_hash, sizeof(code_hash)};
        create.mail = code_mail(d, req, login, code);
    }
    create.audit = session_event(req, waits ? "session.begin" : "session.create", login->account,
                                 create.id, login->auth_method, false);
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_require(sql_account_session_create(tx, req, &create, err), err, ERR_BAD_REQUEST,
                    "Login session is invalid or has expired.") < 0)
        return -1;
    if (!waits)
        return complete(d, req, &tx, login->account, err);
    if (db_commit(&tx, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}

/* Counts a wrong code against the account's daily limit; the transaction has already counted it for
 * the session. */
static int refuse_code(struct authd *d, const struct request *req, struct db_tx **tx_p,
                       const struct account_session *session, struct error *err)
{
    const struct sql_sign_in_refuse_in refuse = {
        .audit = session_event(req, "session.create", session->caller.account,
                               session->caller.session, "mail-code", true)};
    bool admitted;

    if (db_commit(tx_p, err) < 0 || sql_sign_in_refuse(d->svc.db, req, &refuse, err) < 0 ||
        throttle_admit(d, req, wrong_kind, session->caller.account.text, DAYS(1), WRONG_MAX,
                       &admitted, err) < 0)
        return -1;
    ++*d->count.sign_in_bad;
    return error_set(err, ERR_BAD_REQUEST, "The code is incorrect.");
}

int account_session_confirm(struct authd *d, const struct request *req,
                            const struct account_session *session, const char *code,
                            const char *cookie, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    uint8_t code_hash[SECRET_HASH_SIZE], cookie_hash[SECRET_HASH_SIZE];
    const struct sql_account_session_try_in try = {.id = session->caller.session,
                                                   .code_hash = {code_hash, sizeof(code_hash)}};
    const struct sql_account_session_confirm_in confirm = {
        .id = session->caller.session,
        .cookie_hash = {cookie_hash, sizeof(cookie_hash)},
        .now = req->now_ms,
        .idle_until = req->now_ms + ACCOUNT_IDLE_LIFE,
        .audit = session_event(req, "session.create", session->caller.account,
                               session->caller.session, "mail-code", false)};
    struct sql_account_session_try_row row;

    mailed_code_hash(session->caller.session, code, code_hash);
    secret_hash(cookie, cookie_hash);
    if (throttle_check_act(d, req, wrong_kind, session->caller.account.text, DAYS(1), WRONG_MAX,
                           err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_require(sql_account_session_try(tx, req, &try, &row, err), err, ERR_BAD_REQUEST,
                    "The code is incorrect.") < 0)
        return -1;
    if (!row.matches)
        return refuse_code(d, req, &tx, session, err);
    if (sql_account_session_confirm(tx, req, &confirm, err) < 0)
        return -1;
    return complete(d, req, &tx, session->caller.account, err);
}

int account_session_end(struct authd *d, const struct request *req, struct uuid id,
                        struct uuid account, struct error *err)
{
    const struct sql_account_session_delete_in end = {
        .id = id,
        .account = account,
        .audit = session_event(req, "session.end", account, id, "revoked", false)};

    return MIN(sql_account_session_delete(d->svc.db, req, &end, err), 0);
}
