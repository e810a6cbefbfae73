/*
 * mail_code.c - sign-in by an emailed code.
 *
 * Unknown addresses get a row too, which no code fits, so answers, counts and writes are the same.
 * The row is found by the hash of an id that only the client has, and the code is hashed with it,
 * so a reader of the table can't try codes. A code doesn't replace a second factor. It verifies the
 * address, but only for the tenant's organization.
 */
#include <stdio.h>

#include "authd/account/credential.h"
#include "authd/account/email_verified.h"
#include "authd/account/mail_route.h"
#include "authd/account/ownership.h"
#include "authd/credential/mailed_code.h"
#include "authd/credential/password.h"
#include "authd/session/session.h"
#include "authd/signin/login.h"
#include "authd/signin/passkey_factor.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/account.h"
#include "authd/sql/mail_code.h"
#include "authd/tenant.h"
#include "settingsd/policy_api.h"
#include "settingsd/tenant_api.h"

enum {
    START_ANSWER_MS = 250,  /* minimum, see start() */
    START_CLIENT_MAX = 100, /* starts per client and window; a clinic is one client */
    MAILED_MAX = 5,         /* codes per account and hour */
    WRONG_MAX = 10,         /* wrong codes per account and day */
};
#define START_WINDOW MINUTES(15)
#define MAILED_WINDOW HOURS(1)
#define WRONG_WINDOW DAYS(1)
#define CODE_LIFE MINUTES(10)

static const char mailed_kind[] = "mail-code mailed", wrong_kind[] = "mail-code wrong";

/* Hashes in a sign-in's row. */
struct code_hashes {
    uint8_t id[SECRET_HASH_SIZE], code[SECRET_HASH_SIZE];
};

static void hash_code(struct uuid id, const char *code, struct code_hashes *ret)
{
    secret_hash(id.text, ret->id);
    mailed_code_hash(id, code, ret->code);
}

/* Returns the email address, and for patients the project. */
static const char *subject_of(const struct request *req, enum role role, struct uuid project,
                              const char *email)
{
    return arena_printf(req->arena, "%s %s %s", role_text(role),
                        role == ROLE_PATIENT ? project.text : "", email);
}

/* Checks the setting for patients. For practitioners, the token step checks it. */
static int check_enabled(const struct tenant *tenant, enum role role, struct error *err)
{
    const struct account_policy *policy =
        tenant->accountPolicy ? tenant->accountPolicy : &account_policy_default;

    if (role == ROLE_PATIENT && !tenant->patientLogin)
        return error_set(err, ERR_FORBIDDEN, "Login is not enabled.");
    if (!policy->mailCode)
        return error_set(err, ERR_FORBIDDEN, "Sign-in with an emailed code is disabled.");
    return 0;
}

/* Counts an emailed code, also for unknown addresses. */
static int admit(struct authd *d, const struct request *req, const char *subject, const char *email,
                 bool *ret_admitted, struct error *err)
{
    bool mailed, mail = false;

    *ret_admitted = false;
    if (throttle_check_act(d, req, wrong_kind, subject, WRONG_WINDOW, WRONG_MAX, err) < 0) {
        if (err->code != ERR_THROTTLED)
            return -1;
        error_clear(err); /* the answer is the same as for an admitted request */
        return 0;
    }
    if (throttle_admit(d, req, mailed_kind, subject, MAILED_WINDOW, MAILED_MAX, &mailed, err) < 0 ||
        (mailed && mail_admit(d, req, email, &mail, err) < 0))
        return -1;
    *ret_admitted = mail;
    return 0;
}

/* Adds the email with the code to the sign-in's row. If there is no account, no email is
 * written. */
static int write_mail(struct authd *d, const struct request *req, const struct tenant *tenant,
                      const struct candidate *who, const char *code,
                      struct sql_mail_code_create_in *create, struct error *err)
{
    struct uuid account = uuid_is_set(&who->is.account) ? who->is.account : uuid_random();
    struct mail mail = {.template = "SIGN_IN_CODE",
                        .builtin = true,
                        .to = who->email,
                        .display = who->display ? who->display : "",
                        .expires_at = create->expires_at,
                        .variables = {{"code", code}}};
    struct mail_route route;

    if (mail_route_find(d, req, tenant, who->is.role, account, &route, err) < 0)
        return -1;
    mail.tenant = route.tenant;
    create->mail = mail_row(d, req, &mail);
    create->audit = audit_row(req, &(struct audit){.action = "mail-code.send",
                                                   .project = tenant->projectId,
                                                   .account = account,
                                                   .type = "Account",
                                                   .id = account});
    return 0;
}

static int begin(struct authd *d, const struct request *req, const struct code_start_in *in,
                 const struct tenant *tenant, const struct candidate *who, struct uuid *ret_id,
                 struct error *err)
{
    const char *subject = subject_of(req, who->is.role, tenant->projectId, in->email);
    struct code_hashes hashes;
    struct sql_mail_code_create_in create = {.id_hash = {hashes.id, SECRET_HASH_SIZE},
                                             .code_hash = {hashes.code, SECRET_HASH_SIZE},
                                             .role = who->is.role,
                                             .tenant = tenant->projectId,
                                             .email = in->email,
                                             .challenge = in->codeChallenge,
                                             .expires_at = req->now_ms + CODE_LIFE};
    const char *code = mailed_code_new(req->arena);
    bool admitted;

    *ret_id = uuid_random();
    hash_code(*ret_id, code, &hashes);
    if (admit(d, req, subject, in->email, &admitted, err) < 0 ||
        write_mail(d, req, tenant, who, code, &create, err) < 0)
        return -1;
    if (admitted && candidate_is_member(who))
        create.account = who->is.account;
    if (sql_mail_code_create(d->svc.db, req, &create, err) < 0)
        return -1;
    secret_wipe_text(code);
    outbox_wake(d->svc.outbox);
    return 0;
}

/* Starts a sign-in. The answer comes at a fixed time, after any work for a known account. */
static int start(struct authd *d, const struct request *req, enum role role,
                 const struct code_start_in *in, struct code_step *out, struct error *err)
{
    int64_t answer_at = clock_mono_ms() + START_ANSWER_MS;
    struct throttle_keys keys;
    struct candidate who;
    struct tenant tenant;

    if (tenant_open(d, req, in->tenantCode, &tenant, err) < 0 ||
        check_enabled(&tenant, role, err) < 0 ||
        throttle_limit_client(d, req, "mail-code start", req->address, START_WINDOW,
                              START_CLIENT_MAX, err) < 0)
        return -1;
    throttle_keys(d, req, role, tenant.projectId, in->email, req->address, &keys);
    if (candidate_find(d, req, role, tenant.projectId, in->email, &keys, &who, err) < 0 ||
        begin(d, req, in, &tenant, &who, &out->loginId, err) < 0)
        return -1;
    out->nextStep = "code";
    return fiber_sleep_until(d->svc.loop, answer_at, err);
}

/* The order of errors is fixed: NOT_FOUND, FORBIDDEN, THROTTLED. */
int patient_code_start(struct authd *d, const struct request *req, const struct code_start_in *in,
                       struct code_step *out, struct error *err)
{
    return start(d, req, ROLE_PATIENT, in, out, err);
}

int practitioner_code_start(struct authd *d, const struct request *req,
                            const struct code_start_in *in, struct code_step *out,
                            struct error *err)
{
    return start(d, req, ROLE_PRACTITIONER, in, out, err);
}

/* A waiting sign-in with the entered code. */
struct entered {
    struct code_hashes hashes;
    struct tenant tenant;
    struct candidate who; /* no places: there is no account */
    const char *email, *challenge, *subject;
    bool proven;            /* the address is verified for the tenant's organization */
    struct ownership found; /* whether the tenant owns the account; only if not `proven` */
    struct throttle_keys keys;
    uint8_t wrong_key[THROTTLE_KEY_SIZE]; /* counts the day's wrong codes */
};

/* Finds the account with its places. If there is none, runs the same statements. */
static int find_account(struct authd *d, const struct request *req, enum role role,
                        struct uuid account, struct entered *self, struct error *err)
{
    const struct sql_email_is_verified_in in = {.account =
                                                    uuid_is_set(&account) ? account : uuid_random(),
                                                .organization = tenant_organization(&self->tenant)};
    struct sql_email_is_verified_row row;

    if (candidate_of_account(d, req, role, in.account, self->tenant.projectId, false, &self->who,
                             err) < 0 ||
        sql_email_is_verified(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    self->who.is.project = self->tenant.projectId;
    self->proven = row.verified;
    if (!self->proven &&
        ownership_find(d, req, in.account, self->tenant.projectId, &self->found, err) < 0)
        return -1;
    /* the first verification deletes an unverified account's passkeys */
    return self->proven ? passkey_factor_demand(d, req, &self->tenant, &self->who, err) : 0;
}

static int find(struct authd *d, const struct request *req, enum role role,
                const struct login_code_in *in, struct entered *ret, struct error *err)
{
    const struct sql_mail_code_get_in get = {
        .id_hash = {ret->hashes.id, SECRET_HASH_SIZE}, .role = role, .now = req->now_ms};
    struct sql_mail_code_get_row row;
    int found;

    hash_code(in->loginId, in->code, &ret->hashes);
    found = sql_mail_code_get(d->svc.db, req, &get, &row, err);
    if (found <= 0)
        return found < 0 ? -1 : candidate_refuse_login(err);
    ret->email = row.email;
    ret->challenge = row.challenge;
    ret->subject = subject_of(req, role, row.tenant, row.email);
    if (tenant_open_id(d, req, row.tenant, &ret->tenant, err) < 0 ||
        check_enabled(&ret->tenant, role, err) < 0)
        return -1;
    throttle_keys(d, req, role, row.tenant, row.email, req->address, &ret->keys);
    throttle_act_key(d, req, wrong_kind, ret->subject, ret->wrong_key);
    if (throttle_check(d, req, &ret->keys, err) < 0)
        return -1;
    return find_account(d, req, role, row.account, ret, err);
}

/* Counts a wrong code for the sign-in, and also as a wrong password. `tx` has already counted it
 * for the day. */
static int refuse(struct authd *d, const struct request *req, struct db_tx **tx_p,
                  const struct entered *self, struct error *err)
{
    const struct sql_mail_code_fail_in failed = {.id_hash = {self->hashes.id, SECRET_HASH_SIZE},
                                                 .now = req->now_ms};
    const struct sql_audit audit = sign_in_failure(req, &self->who.is, "mail-code");
    int counted = sql_mail_code_fail(*tx_p, req, &failed, err);

    if (counted <= 0)
        return counted < 0 ? -1 : candidate_refuse_login(err);
    if (db_commit(tx_p, err) < 0 || throttle_fail(d, req, &self->keys, &audit, err) < 0)
        return -1;
    ++*d->count.sign_in_bad;
    return error_set(err, ERR_BAD_REQUEST, "The code is incorrect.");
}

/* Uses the code and locks the day's count, so that each concurrent guess sees those before it.
 * Counts the code unless *ret_right. */
static int spend(struct db_tx *tx, const struct request *req, const struct entered *self,
                 bool *ret_right, struct error *err)
{
    const struct sql_mail_code_spend_in in = {.id_hash = {self->hashes.id, SECRET_HASH_SIZE},
                                              .code_hash = {self->hashes.code, SECRET_HASH_SIZE},
                                              .now = req->now_ms};
    bool admitted;
    int spent;

    if (throttle_admit_tx(tx, req, self->wrong_key, WRONG_WINDOW, WRONG_MAX, &admitted, err) < 0)
        return -1;
    if (!admitted)
        return error_set(err, ERR_THROTTLED, "Too many wrong codes. Please try again tomorrow.");
    spent = candidate_is_member(&self->who) ? sql_mail_code_spend(tx, req, &in, err) : 0;
    if (spent < 0)
        return -1;
    *ret_right = spent > 0;
    return *ret_right ? throttle_withdraw_tx(tx, req, self->wrong_key, err) : 0;
}

/* Answers the login's session code, or its id for the second factor. */
static int begin_login(struct db_tx *tx, const struct request *req, const struct entered *self,
                       struct login_step *out, struct error *err)
{
    const char *code = secret_random_text(req->arena, LOGIN_CODE_SIZE);
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_mail_code_login_in in = {.id = uuid_random(),
                                              .code_hash = {hash, sizeof(hash)},
                                              .account = self->who.is.account,
                                              .email = self->email,
                                              .project = self->tenant.projectId,
                                              .challenge = self->challenge,
                                              .demanded = self->who.mfa,
                                              .now = req->now_ms,
                                              .expires_at = req->now_ms + LOGIN_LIFE};
    struct sql_mail_code_login_row row;
    int begun;

    secret_hash(code, hash);
    begun = sql_mail_code_login(tx, req, &in, &row, err);
    if (begun <= 0)
        return begun < 0 ? -1 : candidate_refuse_login(err);
    out->nextStep = row.mfa ? "mfa" : "token";
    if (row.mfa)
        out->loginId = in.id;
    else
        out->sessionCode = code;
    return 0;
}

/* Verifies the address for the first time, which ends whatever others have started in the account.
 * The tenant must own it, otherwise EMAIL_NOT_VERIFIED. */
static int claim(struct authd *d, const struct request *req, struct db_tx **tx_p,
                 const struct entered *self, struct login_step *out, struct error *err)
{
    struct credential_owner owner = {.account = self->who.is.account,
                                     .email = self->email,
                                     .display = self->who.display,
                                     .tenant = self->tenant,
                                     .organization = tenant_organization(&self->tenant)};

    if (ownership_hold(d, *tx_p, req, owner.account, &self->found, err) < 0) {
        if (err->code != ERR_ACCOUNT_SHARED)
            return -1;
        error_clear(err);
        return email_refuse_unverified(d, req, err);
    }
    if (email_claim(*tx_p, req, &owner, EMAIL_BY_CODE, password_dummy(req->arena), err) < 0 ||
        begin_login(*tx_p, req, self, out, err) < 0)
        return -1;
    return credential_change_commit(d, req, tx_p, &owner, "Password", (struct uuid){""}, err);
}

static int enter(struct authd *d, const struct request *req, enum role role,
                 const struct login_code_in *in, struct entered *self, struct login_step *out,
                 struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    bool right;

    if (find(d, req, role, in, self, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0)
        return -1;
    if (spend(tx, req, self, &right, err) < 0) {
        db_tx_destroy(&tx);
        /* this error has Retry-After */
        if (err->code == ERR_THROTTLED)
            (void)!throttle_check_act(d, req, wrong_kind, self->subject, WRONG_WINDOW, WRONG_MAX,
                                      err);
        return -1;
    }
    if (!right)
        return refuse(d, req, &tx, self, err);
    if (self->who.locked)
        return db_commit(&tx, err) < 0 ? -1
                                       : candidate_check_lock(d, req, &self->who, &self->keys, err);
    if (!self->proven)
        return claim(d, req, &tx, self, out, err);
    return begin_login(tx, req, self, out, err) < 0 ? -1 : db_commit(&tx, err);
}

int patient_login_code(struct authd *d, const struct request *req, const struct login_code_in *in,
                       struct login_step *out, struct error *err)
{
    struct entered entered;

    return enter(d, req, ROLE_PATIENT, in, &entered, out, err);
}

int practitioner_login_code(struct authd *d, const struct request *req,
                            const struct login_code_in *in, struct login_step *out,
                            struct error *err)
{
    struct entered entered;

    if (enter(d, req, ROLE_PRACTITIONER, in, &entered, out, err) < 0)
        return -1;
    if (out->sessionCode) /* otherwise listed after the second factor */
        out->tenants = login_choices(req, &entered.who, (struct field_list){&entered.tenant, 1});
    return 0;
}
