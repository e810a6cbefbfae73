/*
 * login_start.c - the first step of a sign-in: email and password. See login.h.
 */
#include "authd/signin/login.h"

#include "authd/account/email_verified.h"
#include "authd/credential/password.h"
#include "authd/session/session.h"
#include "authd/signin/passkey_factor.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/signin.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

static struct uuid login_id(const struct request *req, const struct candidate *who)
{
    if (uuid_is_set(&who->login))
        return who->login;
    return who->mfa ? uuid_random() : uuid_ordered(req->now_ms);
}

int login_begin(struct authd *d, const struct request *req, const struct candidate *who,
                const struct throttle_keys *keys, struct uuid project, const char *challenge,
                struct login_step *out, struct error *err)
{
    const char *code = secret_random_text(req->arena, LOGIN_CODE_SIZE);
    uint8_t hash[SECRET_HASH_SIZE];
    struct sql_login_create_in create = {.id = login_id(req, who),
                                         .account = who->is.account,
                                         .project = project,
                                         .within = who->within,
                                         .identity = who->identity,
                                         .sid = who->provider_sid,
                                         .challenge = challenge,
                                         .auth_method =
                                             who->auth_method ? who->auth_method : "password",
                                         .expires_at = req->now_ms + LOGIN_LIFE,
                                         .known_until = req->now_ms + KNOWN_ADDRESS_LIFE,
                                         .changes = who->changes,
                                         .throttle_limits = throttle_limit_values(req, keys),
                                         .password = {who->hash, who->renewed, req->now_ms}};
    struct sql_login_create_row row;

    secret_hash(code, hash);
    if (!who->mfa)
        create.code_hash = (struct field_bytes){hash, sizeof(hash)};
    if (sql_login_create(d->svc.db, req, &create, &row, err) < 0 ||
        throttle_result(d, req, row.pair, row.address, row.account, err) < 0)
        return -1;
    if (!row.created)
        return who->auth_method ? candidate_refuse_login(err)
                                : candidate_reject(d, req, who, keys, err);
    *d->count.passwords_renewed += row.renewed;
    if (who->mfa) {
        out->nextStep = "mfa";
        out->loginId = create.id;
    } else {
        out->nextStep = "token";
        out->sessionCode = code;
    }
    return 0;
}

/* The order of errors is fixed: NOT_FOUND, FORBIDDEN, THROTTLED, BAD_REQUEST. */
int patient_login_start(struct authd *d, const struct request *req,
                        const struct patient_login_start_in *in, struct login_step *out,
                        struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct throttle_keys keys;
    struct candidate who;
    struct tenant tenant;

    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        tenant_open(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    if (!tenant.patientLogin)
        return error_set(err, ERR_FORBIDDEN, "Login is not enabled.");
    throttle_keys(d, req, ROLE_PATIENT, tenant.projectId, in->email, req->address, &keys);
    if (candidate_find(d, req, ROLE_PATIENT, tenant.projectId, in->email, &keys, &who, err) < 0 ||
        candidate_authenticate(d, req, &who, &keys, in->password, err) < 0 ||
        email_check_sign_in(d, req, &tenant, &who.is, &keys, err) < 0 ||
        passkey_factor_demand(d, req, &tenant, &who, err) < 0)
        return -1;
    return login_begin(d, req, &who, &keys, tenant.projectId, in->codeChallenge, out, err);
}

struct field_list login_choices(const struct request *req, const struct candidate *who,
                                struct field_list tenants)
{
    struct login_tenant *list = arena_calloc(req->arena, tenants.count, sizeof(*list));
    const struct tenant *open = tenants.items;

    for (size_t t = 0; t < tenants.count; t++) {
        size_t p = 0;

        while (!uuid_equal(&who->places[p].project, &open[t].projectId))
            p++;
        list[t] = (struct login_tenant){
            .tenantCode = open[t].tenantCode,
            .project = session_reference(req->arena, "Project", open[t].projectId, open[t].name),
            .profile = session_reference(req->arena, role_text(ROLE_PRACTITIONER),
                                         who->places[p].profile, who->display),
        };
    }
    return (struct field_list){list, tenants.count};
}

int login_places(struct authd *d, const struct request *req, const struct candidate *who,
                 struct field_list *ret, struct error *err)
{
    const char **ids = arena_calloc(req->arena, who->count, sizeof(*ids));

    for (size_t p = 0; p < who->count; p++)
        ids[p] = who->places[p].project.text;
    return tenants_open(d, req, (struct field_texts){ids, who->count}, ret, err);
}

int login_start_account(struct authd *d, const struct request *req, const char *email,
                        const char *password, const char *challenge, struct login_step *out,
                        struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    const struct uuid none = {""};
    struct throttle_keys keys;
    struct candidate who;

    if (password_slot_acquire(d, req, &slot, err) < 0)
        return -1;
    throttle_keys(d, req, ROLE_PRACTITIONER, none, email, req->address, &keys);
    if (candidate_find(d, req, ROLE_PRACTITIONER, none, email, &keys, &who, err) < 0)
        return -1;
    who.anywhere = true;
    if (candidate_authenticate(d, req, &who, &keys, password, err) < 0)
        return -1;
    return login_begin(d, req, &who, &keys, none, challenge, out, err);
}

/* Starts a practitioner's sign-in. A named tenant restricts it to the places in that tenant. */
int practitioner_login_start(struct authd *d, const struct request *req,
                             const struct practitioner_login_start_in *in, struct login_step *out,
                             struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct tenant tenant = {.projectId.text = ""};
    struct field_list tenants = {&tenant, 1};
    struct throttle_keys keys;
    struct candidate who;

    if (password_slot_acquire(d, req, &slot, err) < 0)
        return -1;
    if (in->tenantCode && tenant_open(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    throttle_keys(d, req, ROLE_PRACTITIONER, tenant.projectId, in->email, req->address, &keys);
    if (candidate_find(d, req, ROLE_PRACTITIONER, tenant.projectId, in->email, &keys, &who, err) <
            0 ||
        candidate_authenticate(d, req, &who, &keys, in->password, err) < 0)
        return -1;
    if (!in->tenantCode && login_places(d, req, &who, &tenants, err) < 0)
        return -1;
    if (tenants.count == 0) /* all suspended: answer as for a wrong password */
        return candidate_reject(d, req, &who, &keys, err);
    if (in->tenantCode && passkey_factor_demand(d, req, &tenant, &who, err) < 0)
        return -1;
    if (!who.mfa) /* otherwise listed after the second factor */
        out->tenants = login_choices(req, &who, tenants);
    return login_begin(d, req, &who, &keys, tenant.projectId, in->codeChallenge, out, err);
}
