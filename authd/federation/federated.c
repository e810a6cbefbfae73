/*
 * federated.c - see federated.h. Handlers: patient_federated_start, practitioner_federated_start,
 * own_identity_link_start, step_up_federated_start, identity_provider_test.
 */
#include "authd/federation/federated.h"

#include <string.h>

#include "authd/account/app_url.h"
#include "authd/account/email_verified.h"
#include "authd/credential/throttle.h"
#include "authd/federation/federated_api.h"
#include "authd/federation/identity.h"
#include "authd/federation/provider_api.h"
#include "authd/federation/relying_party.h"
#include "authd/session/step_up_check.h"
#include "authd/signin/login.h"
#include "authd/signin/passkey_factor.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/credential.h"
#include "authd/sql/federation.h"
#include "authd/tenant.h"
#include "common/base/clock.h"
#include "common/base/secret.h"
#include "common/domain/page.h"
#include "common/service/audit.h"
#include "settingsd/client_api.h"
#include "settingsd/settingsd_api.h"

enum {
    STATE_SIZE = 24,    /* random bytes */
    VERIFIER_SIZE = 32, /* 43 characters (RFC 7636, section 4.1) */
    STARTS_MAX = 100,   /* per client and window; a clinic is one client */
};
#define STARTS_WINDOW SECONDS(10)
#define FEDERATED_LIFE MINUTES(10)

/* ---- the start ---- */

static int check_enabled(const struct tenant *tenant, enum role role, struct error *err)
{
    if (role == ROLE_PATIENT ? tenant->patientLogin : tenant->practitionerLogin)
        return 0;
    return error_set(err, ERR_FORBIDDEN, "Login is not enabled.");
}

static int find_provider(struct authd *d, const struct request *req, const struct tenant *tenant,
                         struct uuid id, enum role role, struct provider *ret, struct error *err)
{
    if (provider_find(d, req, tenant->projectId, id, ret, err) < 0)
        return -1;
    if (ret->state == PROVIDER_ACTIVE &&
        (role == ROLE_PATIENT ? ret->patients : ret->practitioners))
        return 0;
    return error_set(err, ERR_NOT_FOUND, "Identity provider not found.");
}

/* A provider has one redirect URI, of its own project's issuer. */
static int callback_url(struct authd *d, const struct request *req, const struct provider *provider,
                        const char **ret, struct error *err)
{
    const char *url = d->svc.common->public_url;
    struct tenant own;

    if (tenant_open_id(d, req, provider->project, &own, err) < 0)
        return -1;
    if (!url || !own.tenantCode || !page_is_code(own.tenantCode))
        return error_set(err, ERR_NOT_FOUND, "Identity provider not found.");
    *ret =
        arena_printf(req->arena, "%s/t/%s/idp/%s/callback", url, own.tenantCode, provider->id.text);
    return 0;
}

static int keep(struct authd *d, const struct request *req, const struct federated_begin *in,
                const struct authorization *authorization, struct uuid *ret, struct error *err)
{
    uint8_t state[SECRET_HASH_SIZE], browser[SECRET_HASH_SIZE];
    struct sql_federated_login_create_in create = {.id = uuid_random(),
                                                   .provider = in->provider,
                                                   .project = in->tenant->projectId,
                                                   .role = in->role,
                                                   .state_hash = {state, sizeof(state)},
                                                   .nonce = authorization->nonce,
                                                   .verifier = authorization->verifier,
                                                   .challenge = in->challenge,
                                                   .redirect_uri = in->redirect_uri,
                                                   .account = in->account,
                                                   .session = in->session,
                                                   .step_up = in->step_up,
                                                   .test = in->test,
                                                   .next = in->next,
                                                   .now = req->now_ms,
                                                   .expires_at = req->now_ms + FEDERATED_LIFE};

    secret_hash(authorization->state, state);
    if (in->cookie) {
        secret_hash(in->cookie, browser);
        create.browser_hash = (struct field_bytes){browser, sizeof(browser)};
    }
    *ret = create.id;
    return sql_federated_login_create(d->svc.db, req, &create, err) < 0 ? -1 : 0;
}

static int find_enabled(struct authd *d, const struct request *req,
                        const struct federated_begin *in, struct provider *ret, struct error *err)
{
    bool links = uuid_is_set(&in->account) && !in->step_up;

    if (check_enabled(in->tenant, in->role, err) < 0 ||
        find_provider(d, req, in->tenant, in->provider, in->role, ret, err) < 0)
        return -1;
    /* A link is an act of the provider's project. */
    if (!links || uuid_equal(&ret->project, &in->tenant->projectId))
        return 0;
    return error_set(err, ERR_NOT_FOUND, "Identity provider not found.");
}

/* For a test: in any state, but not an inherited one. */
static int find_own(struct authd *d, const struct request *req, const struct federated_begin *in,
                    struct provider *ret, struct error *err)
{
    if (provider_find(d, req, in->tenant->projectId, in->provider, ret, err) < 0)
        return -1;
    if (uuid_equal(&ret->project, &in->tenant->projectId))
        return 0;
    return error_set(err, ERR_NOT_FOUND, "Identity provider not found.");
}

int federated_begin(struct authd *d, const struct request *req, const struct federated_begin *in,
                    struct uuid *ret_login, const char **ret_provider_name, const char **ret_url,
                    struct error *err)
{
    struct authorization authorization = {.state = secret_random_text(req->arena, STATE_SIZE),
                                          .nonce = secret_random_text(req->arena, STATE_SIZE),
                                          .verifier = secret_random_text(req->arena, VERIFIER_SIZE),
                                          .login_hint = in->login_hint,
                                          .fresh = in->step_up,
                                          .started_ms = req->now_ms};
    struct discovery discovery;
    struct provider provider;

    *ret_provider_name = NULL;
    if (throttle_limit_client(d, req, "federated start", req->address, STARTS_WINDOW, STARTS_MAX,
                              err) < 0 ||
        (in->test ? find_own(d, req, in, &provider, err)
                  : find_enabled(d, req, in, &provider, err)) < 0)
        return -1;
    *ret_provider_name = provider.name;
    if (callback_url(d, req, &provider, &authorization.redirect_uri, err) < 0 ||
        relying_party_discover(d, req, provider.issuer, &discovery, err) < 0 ||
        keep(d, req, in, &authorization, ret_login, err) < 0)
        return -1;
    *ret_url = relying_party_url(req->arena, &provider, &discovery, &authorization);
    return 0;
}

/* An open redirector would hand out session codes, so the URI is compared byte by byte (RFC 9700,
 * section 2.1). A session code is not limited by scopes, so only the project's own clients get
 * one. */
static int check_redirect(struct authd *d, const struct request *req, const struct tenant *tenant,
                          enum role role, const char *uri, struct error *err)
{
    const char *app = role == ROLE_PATIENT ? tenant->patientAppUrl : tenant->practitionerAppUrl;
    const struct client_redirect_in in = {tenant->projectId, uri};
    struct nothing found;

    if (app && strcmp(uri, arena_printf(req->arena, "%s/federated", app)) == 0)
        return 0;
    if (strncmp(uri, "https://", strlen("https://")) == 0 &&
        settingsd_client_redirect(d->svc.bus, req, &in, &found, err) == 0)
        return 0;
    if (err->code != ERR_NONE && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return error_problem(err, "redirectUri",
                         "must be the project's app URL for the role, followed by /federated, or "
                         "an https redirect URI of a first-party client");
}

static int start(struct authd *d, const struct request *req, enum role role,
                 const struct federated_start_in *in, struct federated_start_out *out,
                 struct error *err)
{
    struct tenant tenant;
    const struct federated_begin begin = {.tenant = &tenant,
                                          .provider = in->providerId,
                                          .role = role,
                                          .challenge = in->codeChallenge,
                                          .redirect_uri = in->redirectUri};
    const char *name;

    if (tenant_open(d, req, in->tenantCode, &tenant, err) < 0 ||
        check_redirect(d, req, &tenant, role, in->redirectUri, err) < 0)
        return -1;
    return federated_begin(d, req, &begin, &out->loginId, &name, &out->authorizeUrl, err);
}

int patient_federated_start(struct authd *d, const struct request *req,
                            const struct federated_start_in *in, struct federated_start_out *out,
                            struct error *err)
{
    return start(d, req, ROLE_PATIENT, in, out, err);
}

int practitioner_federated_start(struct authd *d, const struct request *req,
                                 const struct federated_start_in *in,
                                 struct federated_start_out *out, struct error *err)
{
    return start(d, req, ROLE_PRACTITIONER, in, out, err);
}

/* Starts a round of the caller, who returns to the session's project and application. */
static int start_own(struct authd *d, const struct request *req, struct federated_begin begin,
                     struct federated_start_out *out, struct error *err)
{
    struct tenant tenant;
    const char *name;

    begin.tenant = &tenant;
    begin.role = req->caller->role;
    begin.account = req->caller->account;
    begin.session = req->caller->session;
    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0 ||
        check_redirect(d, req, &tenant, begin.role, begin.redirect_uri, err) < 0)
        return -1;
    return federated_begin(d, req, &begin, &out->loginId, &name, &out->authorizeUrl, err);
}

/* *ret: the provider that made the caller's session; not set: none. */
static int session_provider(struct authd *d, const struct request *req, struct uuid *ret,
                            struct error *err)
{
    const struct sql_session_provider_in in = {.project = req->caller->project,
                                               .session = req->caller->session};
    struct sql_session_provider_row row;

    if (sql_require(sql_session_provider(d->svc.db, req, &in, &row, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0)
        return -1;
    *ret = row.provider;
    return 0;
}

int own_identity_link_start(struct authd *d, const struct request *req,
                            const struct own_identity_link_start_in *in,
                            struct federated_start_out *out, struct error *err)
{
    const struct federated_begin begin = {.provider = in->providerId,
                                          .challenge = in->codeChallenge,
                                          .redirect_uri = in->redirectUri};
    struct uuid made_by;

    if (session_provider(d, req, &made_by, err) < 0)
        return -1;
    if (uuid_is_set(&made_by))
        return error_set(err, ERR_FORBIDDEN,
                         "Sign in without an identity provider to link another one.");
    return step_up_check(d, NULL, req, err) < 0 ? -1 : start_own(d, req, begin, out, err);
}

int step_up_federated_start(struct authd *d, const struct request *req,
                            const struct step_up_federated_start_in *in,
                            struct federated_start_out *out, struct error *err)
{
    struct federated_begin begin = {
        .challenge = in->codeChallenge, .redirect_uri = in->redirectUri, .step_up = true};

    if (session_provider(d, req, &begin.provider, err) < 0)
        return -1;
    if (!uuid_is_set(&begin.provider))
        return error_set(err, ERR_BAD_REQUEST, "No identity provider has made your session.");
    return start_own(d, req, begin, out, err);
}

int identity_provider_test(struct authd *d, const struct request *req,
                           const struct identity_provider_id_in *in,
                           struct federated_start_out *out, struct error *err)
{
    struct tenant tenant;
    const struct federated_begin begin = {
        .tenant = &tenant, .provider = in->id, .role = ROLE_PRACTITIONER, .test = true};
    const char *name;

    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0 ||
        step_up_check(d, NULL, req, err) < 0)
        return -1;
    return federated_begin(d, req, &begin, &out->loginId, &name, &out->authorizeUrl, err);
}

/* ---- the callback ---- */

static int refuse_state(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "The sign-in has expired. Please start again.");
}

int federated_find(struct authd *d, const struct request *req,
                   const struct federated_callback_in *in, struct federated *ret, struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_federated_login_get_in get = {.state_hash = {hash, sizeof(hash)},
                                                   .now = req->now_ms};
    struct sql_federated_login_get_row row;
    int found;

    if (!in->state)
        return refuse_state(err);
    secret_hash(in->state, hash);
    found = sql_federated_login_get(d->svc.db, req, &get, &row, err);
    if (found < 0)
        return -1;
    /* A sign-in that began at one provider does not end at another (RFC 9700, section 4.4). */
    if (found == 0 || strcmp(row.provider.text, in->id) != 0)
        return refuse_state(err);
    *ret = (struct federated){.id = row.id,
                              .provider = row.provider,
                              .project = row.project,
                              .role = row.role,
                              .challenge = row.challenge,
                              .redirect_uri = row.redirect_uri,
                              .next = row.next,
                              .account = row.account,
                              .step_up = row.step_up,
                              .test = row.test,
                              .state = in->state,
                              .nonce = row.nonce,
                              .verifier = row.verifier,
                              .browser_hash = row.browser_hash,
                              .started_ms = row.created_at};
    return tenant_open_id(d, req, row.project, &ret->tenant, err);
}

bool federated_is_of_browser(const struct federated *self, const char *cookie)
{
    uint8_t hash[SECRET_HASH_SIZE];

    if (self->browser_hash.size != sizeof(hash))
        return false;
    secret_hash(cookie, hash);
    return memcmp(hash, self->browser_hash.bytes, sizeof(hash)) == 0;
}

static int spend(struct authd *d, const struct request *req, const struct federated *self,
                 struct error *err)
{
    const struct sql_federated_login_spend_in in = {.id = self->id, .now = req->now_ms};
    int spent = sql_federated_login_spend(d->svc.db, req, &in, err);

    if (spent < 0)
        return -1;
    return spent > 0 ? 0 : refuse_state(err);
}

/* RFC 8176, section 2: "mfa", or something known and something owned. */
static bool shows_two(const struct id_claims *claims)
{
    static const char known[] = " kba pin pwd ", owned[] = " hwk otp sc sms swk tel ";
    bool knows = false, owns = false;

    for (size_t i = 0; i < claims->amr.count; i++) {
        char word[16];
        int size = snprintf(word, sizeof(word), " %s ", claims->amr.items[i]);

        if (size >= (int)sizeof(word) || strchr(claims->amr.items[i], ' '))
            continue;
        if (strcmp(word, " mfa ") == 0)
            return true;
        knows |= strstr(known, word) != NULL;
        owns |= strstr(owned, word) != NULL;
    }
    return (knows && owns) ||
           (claims->acr &&
            (strcmp(claims->acr, "urn:atrium:acr:two-factors") == 0 ||
             strcmp(claims->acr, "http://schemas.openid.net/pape/policies/2007/06/multi-factor") ==
                 0));
}

static int redeem(struct authd *d, const struct request *req, const struct federated *self,
                  const struct provider *provider, const struct federated_callback_in *in,
                  struct id_claims *ret, struct field_list *ret_rules, struct error *err)
{
    struct authorization authorization = {.state = self->state,
                                          .nonce = self->nonce,
                                          .verifier = self->verifier,
                                          .fresh = self->step_up,
                                          .started_ms = self->started_ms};

    if (in->error || !in->code)
        return error_set(err, ERR_BAD_REQUEST, "The identity provider did not sign you in.");
    if (callback_url(d, req, provider, &authorization.redirect_uri, err) < 0)
        return -1;
    return relying_party_redeem(d, req, provider, &authorization, in->code, in->iss, ret, ret_rules,
                                err);
}

/* Sets who.mfa if the account must show its own second factor. */
static int demand_factor(struct authd *d, const struct request *req, const struct federated *self,
                         const struct provider *provider, const struct id_claims *claims,
                         struct candidate *who, struct error *err)
{
    const struct sql_factor_is_on_in in = {.account = who->is.account};
    struct sql_factor_is_on_row row = {.enrolled = false};

    if (provider->trusted_for_mfa && shows_two(claims)) {
        who->auth_method = "federated+mfa";
        return 0;
    }
    if (sql_factor_is_on(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    who->mfa = row.enrolled;
    return passkey_factor_demand(d, req, &self->tenant, who, err);
}

static int refuse_person(struct authd *d, const struct request *req, const struct federated *self,
                         const struct sign_in *who, struct error *err)
{
    const char *why = err->detail[0] != '\0' ? err->detail : "federated";
    struct error ignored;

    error_init(&ignored, req->arena);
    if (err->code == ERR_BAD_REQUEST || err->code == ERR_ACCEPT_SIGNED_IN) {
        (void)!sign_in_refused(d, req, who, arena_printf(req->arena, "%s %s", why, self->name),
                               &ignored);
        ++*d->count.sign_in_bad;
    }
    return -1;
}

/* The checks of a sign-in, in the order of the other routes. */
static int admit(struct authd *d, const struct request *req, const struct federated *self,
                 const struct provider *provider, const struct id_claims *claims,
                 const struct identity_person *person, struct candidate *who, struct error *err)
{
    if (candidate_of_account(d, req, self->role, person->account, self->project, true, who, err) <
        0)
        return -1;
    who->is.project = self->project;
    who->email = person->email;
    who->auth_method = "federated";
    who->login = self->id;
    who->within = provider->project;
    who->identity = person->identity;
    who->provider_sid = claims->sid;
    if (!candidate_is_member(who)) {
        (void)error_set(err, ERR_BAD_REQUEST, "You aren't a member here. Ask an administrator.");
        (void)error_detail(err, "not-a-member");
        return refuse_person(d, req, self, &who->is, err);
    }
    if (candidate_check_lock(d, req, who, NULL, err) < 0 ||
        email_check_sign_in(d, req, &self->tenant, &who->is, NULL, err) < 0)
        return -1;
    return demand_factor(d, req, self, provider, claims, who, err);
}

/* Uses the state, and takes the answer of the provider, which must still be active. */
static int finish(struct authd *d, const struct request *req, struct federated *self,
                  const struct federated_callback_in *in, struct provider *ret,
                  struct id_claims *ret_claims, struct error *err)
{
    const struct sign_in who = {
        .project = self->project, .account = self->account, .role = self->role};

    if (spend(d, req, self, err) < 0 || check_enabled(&self->tenant, self->role, err) < 0 ||
        find_provider(d, req, &self->tenant, self->provider, self->role, ret, err) < 0)
        return -1;
    self->name = ret->name;
    if (redeem(d, req, self, ret, in, ret_claims, NULL, err) == 0)
        return 0;
    err->detail[0] = '\0';
    return refuse_person(d, req, self, &who, err);
}

int federated_finish(struct authd *d, const struct request *req, struct federated *self,
                     const struct federated_callback_in *in, const char *challenge,
                     struct login_step *out, struct error *err)
{
    struct sign_in unknown = {.project = self->project, .role = self->role};
    struct identity_person person;
    struct throttle_keys keys;
    struct provider provider;
    struct id_claims claims;
    struct candidate who;
    const struct identity_arrival arrival = {&provider, &self->tenant, self->role, &claims};

    if (finish(d, req, self, in, &provider, &claims, err) < 0)
        return -1;
    if (identity_find_person(d, req, &arrival, &person, err) < 0)
        return refuse_person(d, req, self, &unknown, err);
    if (admit(d, req, self, &provider, &claims, &person, &who, err) < 0)
        return -1;
    throttle_keys(d, req, self->role, self->project, person.email, req->address, &keys);
    return login_begin(d, req, &who, &keys, self->project, challenge, out, err);
}

int federated_prove(struct authd *d, const struct request *req, struct federated *self,
                    const struct federated_callback_in *in, const char **ret, struct error *err)
{
    const char *code = secret_random_text(req->arena, LOGIN_CODE_SIZE);
    struct sql_federated_proof_keep_in keep_in;
    uint8_t hash[SECRET_HASH_SIZE];
    struct provider provider;
    struct id_claims claims;

    if (finish(d, req, self, in, &provider, &claims, err) < 0)
        return -1;
    secret_hash(code, hash);
    keep_in = (struct sql_federated_proof_keep_in){.id = self->id,
                                                   .code_hash = {hash, sizeof(hash)},
                                                   .subject = claims.subject,
                                                   .two_factors = provider.trusted_for_mfa &&
                                                                  shows_two(&claims)};
    *ret = code;
    return MIN(sql_federated_proof_keep(d->svc.db, req, &keep_in, err), 0);
}

/* ---- a test ---- */

static int note_success(struct authd *d, const struct request *req, const struct federated *self,
                        struct error *err)
{
    const struct audit audit = {.action = "provider.test",
                                .project = self->project,
                                .type = "IdentityProvider",
                                .id = self->provider};
    const struct sql_provider_note_test_in in = {.id = self->provider,
                                                 .started = self->started_ms,
                                                 .now = req->now_ms,
                                                 .audit = audit_row(req, &audit)};

    return MIN(sql_provider_note_test(d->svc.db, req, &in, err), 0);
}

/* A failure before the first rule is a rule, too. */
static void add_failure(const struct request *req, const struct error *why,
                        struct field_list *rules)
{
    struct rule *all = arena_calloc(req->arena, rules->count + 1, sizeof(*all));

    if (rules->count > 0)
        memcpy(all, rules->items, rules->count * sizeof(*all));
    all[rules->count] = (struct rule){
        .name = "answer",
        .detail = arena_strdup(req->arena, why->detail[0] != '\0' ? why->detail : why->message)};
    *rules = (struct field_list){all, rules->count + 1};
}

int federated_test(struct authd *d, const struct request *req, struct federated *self,
                   const struct federated_callback_in *in, struct federated_test *ret,
                   struct error *err)
{
    struct id_claims claims = {.all = NULL};
    struct provider provider;

    *ret = (struct federated_test){.passed = true};
    if (spend(d, req, self, err) < 0 ||
        provider_find(d, req, self->project, self->provider, &provider, err) < 0)
        return -1;
    self->name = provider.name;
    if (redeem(d, req, self, &provider, in, &claims, &ret->rules, err) < 0) {
        if (error_kind(err->code)->status >= 500 && err->code != ERR_UNAVAILABLE)
            return -1;
        add_failure(req, err, &ret->rules);
        error_clear(err);
        ret->passed = false;
    }
    ret->claims = claims.all;
    return ret->passed ? note_success(d, req, self, err) : 0;
}
