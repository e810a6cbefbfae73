/*
 * one_step.c - sign-in with one request.
 *
 * Checks, limits and texts are as in login_start.c and login_token.c. The role isn't known before
 * the password was right, so its setting is checked after that.
 */

#include "authd/account/email_verified.h"
#include "authd/credential/password.h"
#include "authd/session/admission.h"
#include "authd/session/deletion_abort.h"
#include "authd/session/session.h"
#include "authd/signin/arrival.h"
#include "authd/signin/attempt.h"
#include "authd/signin/login.h"
#include "authd/signin/passkey_factor.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/signin.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

/* Refuses because a second factor is needed. With a code challenge, the sign-in can continue at
 * login_mfa.c. */
static int refuse_mfa(struct authd *d, const struct request *req, const struct candidate *who,
                      const struct throttle_keys *keys, const struct tenant *tenant,
                      const char *challenge, struct error *err)
{
    struct login_step step = {.nextStep = NULL};

    if (!challenge && sign_in_refused(d, req, &who->is, "second-factor", err) < 0)
        return -1;
    if (!challenge)
        return error_set(err, ERR_MFA_REQUIRED, "Use the tenant sign-in.");
    if (login_begin(d, req, who, keys, tenant->projectId, challenge, &step, err) < 0)
        return -1;
    error_set(err, ERR_MFA_REQUIRED, "A second factor is required.");
    error_member(err, "loginId", arena_strdup(req->arena, step.loginId.text));
    return -1;
}

/* Refuses because the password or membership changed meanwhile. */
static int refuse_late(struct authd *d, const struct request *req, const struct candidate *who,
                       struct error *err)
{
    if (sign_in_refused(d, req, &who->is, "password", err) < 0)
        return -1;
    return error_set(err, ERR_BAD_REQUEST, "Username or password is incorrect.");
}

/* Makes an authenticated candidate's session and answers its tokens. */
static int sign_in(struct authd *d, const struct request *req, enum role role,
                   const struct candidate *who, const char *email, const struct tenant *tenant,
                   struct token_response *out, struct error *err)
{
    CLEANUP(session_draft_wipe) struct session_draft draft;
    struct session_created created;
    struct sql_sign_in_in in;
    struct token_subject subject;
    int found;

    if (admission_check_sign_in(d, req, role, who->is.account, tenant->projectId, err) < 0)
        return -1;
    if (session_draft(d, req, tenant->projectId, who->is.account, role, email, "password", &draft,
                      err) < 0)
        return -1;
    in = (struct sql_sign_in_in){.account = who->is.account,
                                 .changes = who->changes,
                                 .role = role,
                                 .sessions_most = d->config->sessions_per_account,
                                 .password = {who->hash, who->renewed, req->now_ms},
                                 .session = session_values(req, &draft),
                                 .audit = session_audit(req, "session.create", &draft,
                                                        who->is.account, role),
                                 .deletion = deletion_abort_values(req, who->is.account, role)};
    found = sql_sign_in(d->svc.db, req, &in, &created, err);
    if (found <= 0)
        return found < 0 ? -1 : refuse_late(d, req, who, err);
    *d->count.passwords_renewed += created.renewed;
    if (session_begun(d, req, &created, &draft, role, &subject, err) < 0)
        return -1;
    if (created.arrival)
        arrival_report(d, req, &draft, role, email, who->display);
    return session_answer(d, req, &subject, &draft, tenant->name, who->display, out, err);
}

/* Tries the practitioner first. Always verifies both passwords, so that time doesn't reveal
 * accounts. */
int client_login(struct authd *d, const struct request *req, const struct client_login_in *in,
                 struct token_response *out, struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct attempt tried[ATTEMPTS];
    struct tenant tenant;

    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        tenant_open_client(d, req, in->clientId, &tenant, err) < 0 ||
        attempts_make(d, req, &tenant, in->email, in->password, tried, err) < 0)
        return -1;
    for (size_t i = 0; i < ATTEMPTS; i++) {
        if (!attempt_is_open(&tried[i]))
            continue;
        if (attempt_admit(d, req, &tenant, &tried[i], err) < 0)
            return -1;
        if (tried[i].who.mfa)
            return refuse_mfa(d, req, &tried[i].who, &tried[i].keys, &tenant, in->codeChallenge,
                              err);
        return sign_in(d, req, tried[i].role, &tried[i].who, in->email, &tenant, out, err);
    }
    return attempts_refuse(d, req, tried, err);
}

/* Chooses the named project if the practitioner is a member (*ret_locked: a locked one). Otherwise
 * chooses its child project, if they are a member of exactly one. */
static int choose(struct authd *d, const struct request *req, const struct candidate *who,
                  const struct tenant *named, struct tenant *ret, bool *ret_found, bool *ret_locked,
                  struct error *err)
{
    const char **ids = arena_calloc(req->arena, who->count, sizeof(*ids));
    struct field_list held;
    const struct tenant *tenants;
    size_t children = 0;

    *ret = *named;
    *ret_locked = candidate_is_locked_in(who, named->projectId);
    *ret_found = true;
    if (*ret_locked)
        return 0;
    for (size_t p = 0; p < who->count; p++) {
        ids[p] = who->places[p].project.text;
        if (uuid_equal(&who->places[p].project, &named->projectId))
            return 0;
    }
    if (tenants_open(d, req, (struct field_texts){ids, who->count}, &held, err) < 0)
        return -1;
    tenants = held.items;
    for (size_t t = 0; t < held.count; t++) {
        if (uuid_equal(&tenants[t].parentId, &named->projectId)) {
            *ret = tenants[t];
            children++;
        }
    }
    *ret_found = children == 1;
    return 0;
}

int b2b_login(struct authd *d, const struct request *req, const struct b2b_login_in *in,
              struct token_response *out, struct error *err)
{
    const enum role role = ROLE_PRACTITIONER;
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct tenant named, tenant;
    struct throttle_keys keys;
    struct candidate who;
    bool found, locked;

    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        tenant_open_business(d, req, in->clientId, in->tenantId, &named, err) < 0)
        return -1;
    throttle_keys(d, req, role, named.projectId, in->email, req->address, &keys);
    if (candidate_find(d, req, role, (struct uuid){""}, in->email, &keys, &who, err) < 0)
        return -1;
    who.is.project = named.projectId;
    if (candidate_authenticate(d, req, &who, &keys, in->password, err) < 0 ||
        throttle_check(d, req, &keys, err) < 0 ||
        choose(d, req, &who, &named, &tenant, &found, &locked, err) < 0)
        return -1;
    who.locked = locked;
    if (candidate_check_lock(d, req, &who, NULL, err) < 0)
        return -1;
    if (!found)
        return candidate_reject(d, req, &who, &keys, err);
    if (!tenant.practitionerLogin)
        return attempt_refuse_disabled(d, req, &who, err);
    if (email_check_sign_in(d, req, &tenant, &who.is, NULL, err) < 0 ||
        passkey_factor_demand(d, req, &tenant, &who, err) < 0)
        return -1;
    if (who.mfa)
        return refuse_mfa(d, req, &who, &keys, &tenant, in->codeChallenge, err);
    return sign_in(d, req, role, &who, in->email, &tenant, out, err);
}
