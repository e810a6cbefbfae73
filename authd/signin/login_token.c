/*
 * login_token.c - the last step of a sign-in.
 *
 * The statement that makes the session uses up the code. A second use or a wrong verifier means
 * that another client had the code, so its session ends (RFC 6749, section 4.1.2).
 */

#include "authd/account/email_verified.h"
#include "authd/credential/challenge.h"
#include "authd/passkey/passkey_opens.h"
#include "authd/session/account_session.h"
#include "authd/session/address_key.h"
#include "authd/session/admission.h"
#include "authd/session/deletion_abort.h"
#include "authd/session/session.h"
#include "authd/signin/arrival.h"
#include "authd/signin/login.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/signin.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

struct login {
    struct uuid id;
    struct sign_in is;                    /* project: of a patient, or named at the start */
    struct admission comes;               /* the admission check for that project */
    struct uuid session_project, session; /* made with the code */
    struct uuid within;                   /* the login leads only to this project and those below */
    const char *challenge, *auth_method, *email, *display;
    const char *provider; /* identity provider's name, or NULL */
    bool used;
};

static int find(struct authd *d, const struct request *req, enum role role, const char *code,
                struct login *ret, struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_login_get_in get = {
        .code_hash = {hash, sizeof(hash)}, .now = req->now_ms, .role = role};
    struct sql_login_get_row row;
    int found;

    secret_hash(code, hash);
    found = sql_login_get(d->svc.db, req, &get, &row, err);
    if (found <= 0)
        return found < 0 ? -1 : candidate_refuse_login(err);
    *ret = (struct login){
        .id = row.id,
        .is = {.project = row.project, .account = row.account, .role = role},
        .challenge = row.challenge,
        .auth_method = row.auth_method,
        .provider = row.provider,
        .used = row.used,
        .session_project = row.session_project,
        .session = row.session,
        .within = row.within,
        .email = row.email,
        .display = arena_printf(req->arena, "%s %s", row.name, row.surname),
    };
    ret->comes = (struct admission){.project = row.project,
                                    .account = row.account,
                                    .role = role,
                                    .policy = row.policy,
                                    .admin = row.admin == TRISTATE_TRUE,
                                    .change = row.change,
                                    .action = "session.create"};
    address_key_adopt(d, req, row.account, row.address_key);
    return 0;
}

/* Records the failure, see sign_in_refused(). */
static int refuse(struct authd *d, const struct request *req, const struct login *login,
                  const char *why, struct error *err)
{
    if (sign_in_refused(d, req, &login->is, why, err) < 0)
        return -1;
    return candidate_refuse_login(err);
}

/* Refuses a code that was used before, and ends its session. */
static int refuse_replay(struct authd *d, const struct request *req, enum role role,
                         const char *code, struct error *err)
{
    struct login login;
    struct session_end which;
    size_t count;

    if (find(d, req, role, code, &login, err) < 0)
        return -1;
    which = (struct session_end){.project = login.session_project,
                                 .account = login.is.account,
                                 .only = login.session,
                                 .reason = "login-replay"};
    if (uuid_is_set(&login.session) && session_end(d, req, &which, &count, err) < 0)
        return -1;
    return refuse(d, req, &login, "replay", err);
}

/* Opens the login of an unused code. A wrong verifier makes the code invalid. */
static int open_login(struct authd *d, const struct request *req, enum role role, const char *code,
                      const char *verifier, struct login *ret, struct error *err)
{
    struct sql_login_invalidate_in in = {.now = req->now_ms};
    int spent;

    if (find(d, req, role, code, ret, err) < 0)
        return -1;
    if (ret->used)
        return refuse_replay(d, req, role, code, err);
    if (challenge_matches(ret->challenge, verifier))
        return 0;
    in.id = ret->id;
    in.audit = sign_in_failure(req, &ret->is, "verifier");
    spent = sql_login_invalidate(d->svc.db, req, &in, err);
    if (spent != 0)
        return spent < 0 ? -1 : candidate_refuse_login(err);
    return refuse_replay(d, req, role, code, err); /* another request was first */
}

/* Finds the tenant that the request names. It must be one of the account's, and the one named at
 * the start of the sign-in, if any. */
static int named_tenant(struct authd *d, const struct request *req, const struct login *login,
                        const char *code, struct tenant *ret, struct error *err)
{
    struct field_texts held;

    if (tenant_open(d, req, code, ret, err) < 0)
        return -1;
    if (uuid_is_set(&login->is.project) && !uuid_equal(&login->is.project, &ret->projectId))
        return refuse(d, req, login, "not-a-member", err);
    if (account_projects(d, req, login->is.account, ret->projectId, true, &held, err) < 0)
        return -1;
    return held.count > 0 ? 0 : refuse(d, req, login, "not-a-member", err);
}

static int check_within(struct authd *d, const struct request *req, const struct login *login,
                        const struct tenant *tenant, struct error *err)
{
    bool open;

    if (!uuid_is_set(&login->within))
        return 0;
    if (passkey_opens(d, req, login->within, tenant->projectId, &open, err) < 0)
        return -1;
    return open ? 0 : refuse(d, req, login, "reach", err);
}

/* Finds the only possible tenant. */
static int only_tenant(struct authd *d, const struct request *req, const struct login *login,
                       struct tenant *ret, struct error *err)
{
    struct field_list tenants;
    struct field_texts held;

    if (account_projects(d, req, login->is.account, (struct uuid){""}, false, &held, err) < 0 ||
        tenants_open(d, req, held, &tenants, err) < 0 ||
        (uuid_is_set(&login->within) &&
         passkey_opens_tenants(d, req, login->within, &tenants, err) < 0))
        return -1;
    if (tenants.count == 0)
        return refuse(d, req, login, "not-a-member", err);
    if (tenants.count > 1)
        return error_problem(err, "tenantCode", "must be the tenant code of one of your projects");
    *ret = *(const struct tenant *)tenants.items;
    return 0;
}

/* Names the identity provider in the session's audit row, after the proofs. */
static struct sql_audit provider_audit(const struct request *req, const struct login *login,
                                       const struct session_draft *draft)
{
    struct session_draft named = *draft;

    named.auth_method = arena_printf(req->arena, "%s %s", draft->auth_method, login->provider);
    return session_audit(req, "session.create", &named, login->is.account, login->is.role);
}

/* Uses the code. `cookie`: of the browser that keeps the session, or NULL. */
static int spend(struct authd *d, const struct request *req, const char *code,
                 const struct login *login, struct uuid project, const char *name,
                 const char *cookie, struct token_response *out, struct error *err)
{
    CLEANUP(session_draft_wipe) struct session_draft draft;
    enum role role = login->is.role;
    struct sql_login_spend_in spend;
    struct session_created created;
    struct token_subject subject;
    int found;

    if (session_draft(d, req, project, login->is.account, role, login->email, login->auth_method,
                      &draft, err) < 0)
        return -1;
    session_draft_for_browser(&draft, cookie);
    spend = (struct sql_login_spend_in){
        .login = login->id,
        .role = role,
        .sessions_most = d->config->sessions_per_account,
        .session = session_values(req, &draft),
        .audit = session_audit(req, "session.create", &draft, login->is.account, role),
        .deletion = deletion_abort_values(req, login->is.account, role)};
    if (login->provider)
        spend.audit = provider_audit(req, login, &draft);
    found = sql_login_spend(d->svc.db, req, &spend, &created, err);
    if (found < 0)
        return -1;
    if (found == 0) /* another request was first */
        return refuse_replay(d, req, role, code, err);
    if (session_begun(d, req, &created, &draft, role, &subject, err) < 0)
        return -1;
    if (created.arrival)
        arrival_report(d, req, &draft, role, login->email, login->display);
    return session_answer(d, req, &subject, &draft, name, login->display, out, err);
}

int login_token_account(struct authd *d, const struct request *req, const char *code,
                        const char *verifier, const char *cookie, bool *ret_waits,
                        struct error *err)
{
    struct account_login account;
    struct login login;

    if (open_login(d, req, ROLE_PRACTITIONER, code, verifier, &login, err) < 0)
        return -1;
    /* a passkey for certain tenants */
    if (uuid_is_set(&login.within))
        return refuse(d, req, &login, "reach", err);
    account = (struct account_login){.login = login.id,
                                     .account = login.is.account,
                                     .auth_method = login.auth_method,
                                     .email = login.email,
                                     .display = login.display,
                                     .by_own_passkey = strstr(login.auth_method, "passkey")};
    return account_session_begin(d, req, &account, cookie, ret_waits, err);
}

int patient_login_token(struct authd *d, const struct request *req,
                        const struct patient_login_token_in *in, struct token_response *out,
                        struct error *err)
{
    struct login login;
    const char *name;

    if (open_login(d, req, ROLE_PATIENT, in->sessionCode, in->codeVerifier, &login, err) < 0 ||
        admission_open(d, req, &login.comes, &name, err) < 0)
        return -1;
    return spend(d, req, in->sessionCode, &login, login.is.project, name, in->cookie, out, err);
}

/* NOT_FOUND, FORBIDDEN and VALIDATION (name a tenant) leave the code valid. */
int practitioner_login_token(struct authd *d, const struct request *req,
                             const struct practitioner_login_token_in *in,
                             struct token_response *out, struct error *err)
{
    struct tenant tenant;
    struct login login;
    int rc;

    if (open_login(d, req, ROLE_PRACTITIONER, in->sessionCode, in->codeVerifier, &login, err) < 0)
        return -1;
    if (in->tenantCode)
        rc = named_tenant(d, req, &login, in->tenantCode, &tenant, err);
    else if (uuid_is_set(&login.is.project))
        rc = tenant_open_id(d, req, login.is.project, &tenant, err);
    else
        rc = only_tenant(d, req, &login, &tenant, err);
    if (rc < 0 || check_within(d, req, &login, &tenant, err) < 0)
        return -1;
    if (!tenant.practitionerLogin && sign_in_refused(d, req, &login.is, "not-enabled", err) < 0)
        return -1;
    if (!tenant.practitionerLogin)
        return error_set(err, ERR_FORBIDDEN, "Login is not enabled.");
    if (email_check_sign_in(d, req, &tenant, &login.is, NULL, err) < 0)
        return -1;
    if (uuid_is_set(&login.is.project))
        rc = admission_check(d, req, &login.comes, err);
    else
        rc =
            admission_check_sign_in(d, req, login.is.role, login.is.account, tenant.projectId, err);
    if (rc < 0)
        return -1;
    return spend(d, req, in->sessionCode, &login, tenant.projectId, tenant.name, in->cookie, out,
                 err);
}
