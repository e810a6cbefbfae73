/*
 * one_step.c - sign-in in one request, through a client application: e-mail and password against
 * tokens.
 *
 * The checks, limits and texts are those of login_start.c and login_token.c.  The switch of a role
 * is looked at once its password was right: before that it is not known which role it will be.
 */

#include "authd/account/deletion.h"
#include "authd/account/email_verified.h"
#include "authd/authd_api.h"
#include "authd/credential/password.h"
#include "authd/passkey/passkey_factor.h"
#include "authd/session/session.h"
#include "authd/signin/admission.h"
#include "authd/signin/arrival.h"
#include "authd/signin/login.h"
#include "authd/sql/signin.h"
#include "authd/tenant.h"

/* One of the roles that /v2/auth/login tries. */
struct attempt {
    const char *role;
    struct throttle_keys keys;
    struct candidate who;
    bool enabled; /* the tenant's switch */
    bool locked;  /* at a limit: not looked at, costs the same */
    bool right, common;
};

static int not_enabled(struct error *err)
{
    return error_set(err, ERR_FORBIDDEN, "Login is not enabled.");
}

/* The same once the password was right. */
static int refuse_disabled(struct authd *d, const struct request *req, const struct candidate *who,
                           struct error *err)
{
    if (sign_in_refused(d, req, &who->is, "not-enabled", err) < 0)
        return -1;
    return not_enabled(err);
}

/* Refuses a proven candidate that has a second factor: with a challenge the sign-in goes on at
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

/* The password or the membership went meanwhile. */
static int refuse_late(struct authd *d, const struct request *req, const struct candidate *who,
                       struct error *err)
{
    if (sign_in_refused(d, req, &who->is, "password", err) < 0)
        return -1;
    return error_set(err, ERR_BAD_REQUEST, "Username or password is incorrect.");
}

/* Makes the session of a proven candidate and answers its tokens. */
static int sign_in(struct authd *d, const struct request *req, const char *role,
                   const struct candidate *who, const char *email, const struct tenant *tenant,
                   struct token_response *out, struct error *err)
{
    CLEANUP(session_draft_wipe) struct session_draft draft;
    struct session_created created;
    struct sql_sign_in_in in;
    struct holder holder;
    int found;

    if (admission_check_sign_in(d, req, role, who->is.account, tenant->projectId, err) < 0)
        return -1;
    session_draft(d, req, tenant->projectId, who->is.account, role, email, "password", &draft);
    in = (struct sql_sign_in_in){.account = who->is.account,
                                 .changes = who->changes,
                                 .role = role,
                                 .sessions_most = d->config->sessions_per_account,
                                 .session = session_values(req, &draft),
                                 .audit = session_audit(req, "session.create", &draft,
                                                        who->is.account, role),
                                 .deletion = deletion_abort_values(req, who->is.account, role)};
    found = sql_sign_in(d->svc.db, req, &in, &created, err);
    if (found <= 0)
        return found < 0 ? -1 : refuse_late(d, req, who, err);
    if (session_begun(d, req, &created, &draft, role, email, who->display, &holder, err) < 0)
        return -1;
    return session_answer(d, req, &holder, &draft, tenant->name, who->display, out, err);
}

/* ---- /v2/auth/login ---- */

static int attempt_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const char *email, struct attempt *self, struct error *err)
{
    throttle_keys(d, req, self->role, tenant->projectId, email, req->address, &self->keys);
    self->locked = candidate_find(d, req, self->role, tenant->projectId, email, &self->keys,
                                  &self->who, err) < 0;
    if (self->locked && err->code != ERR_THROTTLED)
        return -1;
    error_clear(err);
    return 0;
}

static int attempt_verify(struct authd *d, const struct request *req, const char *password,
                          struct attempt *self, struct error *err)
{
    if (self->locked) /* costs what it would and, without a place, is never right */
        self->who =
            (struct candidate){.is = {.project = self->who.is.project, .role = self->who.is.role},
                               .hash = self->who.hash,
                               .email = self->who.email};
    if (candidate_verify(d, req, &self->who, password, &self->right, err) < 0)
        return -1;
    self->common = self->right && candidate_is_common(d, password);
    return 0;
}

/* It is one sign-in: of the account that there is, of the practitioner's when there are two. */
static struct sql_audit attempts_failure(const struct request *req,
                                         const struct attempt tried[static 2])
{
    struct sign_in who = {.project = tried[0].who.is.project};

    for (size_t i = 2; i-- > 0;) {
        if (uuid_is_set(&tried[i].who.is.account))
            who = tried[i].who.is;
    }
    return sign_in_failure(req, &who, "password");
}

/* Neither password was right. A role that is locked makes it a 429: who owns that account is not
 * to be told that its password is wrong. */
static int attempts_reject(struct authd *d, const struct request *req,
                           const struct attempt tried[static 2], struct error *err)
{
    const struct attempt *locked = tried[0].locked ? &tried[0] : &tried[1];
    const struct attempt *open = tried[0].locked ? &tried[1] : &tried[0];
    const struct sql_audit audit = attempts_failure(req, tried);

    if (locked->locked) {
        if (throttle_fail(d, req, &open->keys, &audit, err) < 0 ||
            throttle_check(d, req, &locked->keys, err) < 0)
            return -1;
    } else if (throttle_fail_both(d, req, &tried[0].keys, &tried[1].keys, &audit, err) < 0) {
        return -1;
    }
    ++*d->count.sign_in_bad;
    return error_set(err, ERR_BAD_REQUEST, "Username or password is incorrect.");
}

/* Signs in as the first role that was right, is switched on and is not locked. */
static int attempts_answer(struct authd *d, const struct request *req,
                           const struct attempt tried[static 2], const struct client_login_in *in,
                           const struct tenant *tenant, struct token_response *out,
                           struct error *err)
{
    if (!tried[0].right && !tried[1].right)
        return attempts_reject(d, req, tried, err);
    for (size_t i = 0; i < 2; i++) {
        struct candidate who = tried[i].who;

        if (!tried[i].right || !tried[i].enabled || who.locked)
            continue;
        if (throttle_check(d, req, &tried[i].keys, err) < 0 ||
            (tried[i].common && candidate_check_common(d, req, &who, &tried[i].keys, err) < 0) ||
            email_check_sign_in(d, req, tenant, &who.is, NULL, err) < 0 ||
            passkey_factor_demand(d, req, tenant, &who, err) < 0)
            return -1;
        if (who.mfa)
            return refuse_mfa(d, req, &who, &tried[i].keys, tenant, in->codeChallenge, err);
        return sign_in(d, req, tried[i].role, &who, in->email, tenant, out, err);
    }
    for (size_t i = 0; i < 2; i++) {
        if (tried[i].right && tried[i].enabled &&
            candidate_check_lock(d, req, &tried[i].who, &tried[i].keys, err) < 0)
            return -1;
    }
    return refuse_disabled(d, req, tried[0].right ? &tried[0].who : &tried[1].who, err);
}

/* Signs in to the project of a client application: as its practitioner, else as its patient.
 * Both passwords are always verified, so that time does not tell which accounts there are. Fails:
 * NOT_FOUND, THROTTLED, BAD_REQUEST; FORBIDDEN and MFA_REQUIRED when the password was right. */
int client_login(struct authd *d, const struct request *req, const struct client_login_in *in,
                 struct token_response *out, struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct attempt tried[2] = {{.role = "Practitioner"}, {.role = "Patient"}};
    struct tenant tenant;

    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        tenant_open_client(d, req, in->clientId, &tenant, err) < 0)
        return -1;
    tried[0].enabled = tenant.practitionerLogin;
    tried[1].enabled = tenant.patientLogin;
    if (!tried[0].enabled && !tried[1].enabled)
        return not_enabled(err);
    for (size_t i = 0; i < ARRAY_SIZE(tried); i++) {
        if (attempt_find(d, req, &tenant, in->email, &tried[i], err) < 0)
            return -1;
    }
    if (tried[0].locked && tried[1].locked && throttle_check(d, req, &tried[0].keys, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(tried); i++) {
        if (attempt_verify(d, req, in->password, &tried[i], err) < 0)
            return -1;
    }
    secret_wipe_text(in->password);
    return attempts_answer(d, req, tried, in, &tenant, out, err);
}

/* ---- /auth/b2b/login ---- */

/* The project named, when the practitioner belongs to it (*ret_locked: and is locked there); else
 * its only child that the practitioner belongs to. *ret_found: whether there is one. */
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

/* Signs a practitioner in to a project or to its own child of it. Fails: NOT_FOUND, THROTTLED,
 * BAD_REQUEST, FORBIDDEN, MFA_REQUIRED. */
int b2b_login(struct authd *d, const struct request *req, const struct b2b_login_in *in,
              struct token_response *out, struct error *err)
{
    static const char role[] = "Practitioner";
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
        return refuse_disabled(d, req, &who, err);
    if (email_check_sign_in(d, req, &tenant, &who.is, NULL, err) < 0 ||
        passkey_factor_demand(d, req, &tenant, &who, err) < 0)
        return -1;
    if (who.mfa)
        return refuse_mfa(d, req, &who, &keys, &tenant, in->codeChallenge, err);
    return sign_in(d, req, role, &who, in->email, &tenant, out, err);
}
