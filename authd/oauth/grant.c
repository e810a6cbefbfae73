/*
 * grant.c - see grant.h. Also the grant types for codes (RFC 6749, section 4.1.3) and refresh
 * tokens (section 6).
 */
#include "authd/oauth/grant.h"

#include <string.h>

#include <openssl/sha.h>

#include "authd/credential/challenge.h"
#include "authd/credential/user_agent.h"
#include "authd/oauth/auth_request.h"
#include "authd/oauth/client.h"
#include "authd/oauth/consent.h"
#include "authd/oauth/grant_registered.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/person_claims.h"
#include "authd/oauth/smart_grant.h"
#include "authd/oauth/token_state.h"
#include "authd/session/address_key.h"
#include "authd/session/issuer_key.h"
#include "authd/session/refresh.h"
#include "authd/sql/oauth.h"

enum { SIGNINGS_MAX = 3 }; /* attempts per code, if the person's data change in between */

static int refuse(struct error *err, const char *text)
{
    return oauth_fail(err, ERR_BAD_REQUEST, "invalid_grant", text);
}

/* ---- tokens ---- */

static bool has_two_factors(const struct grant *grant)
{
    return grant->second_factor || strchr(grant->auth_method, '+') ||
           strcmp(grant->auth_method, "passkey") == 0;
}

static const char *acr_of(const struct grant *grant)
{
    return has_two_factors(grant) ? ACR_TWO_FACTORS : ACR_ONE_FACTOR;
}

/* RFC 8176, section 2. */
static json_t *amr_of(const struct grant *grant)
{
    static const struct {
        const char *method, *amr;
    } rows[] = {{"password", "pwd"},
                {"totp", "otp"},
                {"passkey", "swk"},
                {"mail-code", "otp"},
                {"recovery-code", "otp"}};
    json_t *list = json_array();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (strstr(grant->auth_method, rows[i].method))
            json_array_append_new(list, json_string(rows[i].amr));
    if (has_two_factors(grant))
        json_array_append_new(list, json_string("mfa"));
    return list;
}

static void set_text(json_t *claims, const char *name, const char *value)
{
    if (value)
        json_object_set_new(claims, name, json_string(value));
}

/* Sets the claims for Atrium's own API. */
static void set_member(json_t *claims, const struct token_subject *subject)
{
    set_text(claims, "mem", subject->membership.text);
    set_text(claims, "role", role_text(subject->role));
    json_object_set_new(claims, "adm", json_boolean(subject->admin));
}

static void set_fhir_user(json_t *claims, const struct grant *grant)
{
    if (word_list_has(grant->scope, "fhirUser"))
        json_object_set_new(claims, "fhirUser",
                            json_sprintf("%s/%s", role_text(grant->subject.role),
                                         grant->subject.profile.text));
}

/* Sets the claims for FHIR servers (SMART App Launch 2.2, token introspection). */
static void set_smart(json_t *claims, const struct grant *grant)
{
    set_fhir_user(claims, grant);
    if (uuid_is_set(&grant->patient))
        set_text(claims, "patient", grant->patient.text);
}

/* RFC 9068, section 2.2. */
static json_t *access_claims(const struct token_call *call, const struct grant *grant)
{
    int64_t now_s = call->req->now_ms / 1000;
    const char *audience = grant->resource ? grant->resource : call->issuer->url;
    json_t *claims =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:s, s:s, s:I, s:s}", "iss",
                  call->issuer->url, "sub", grant->subject.profile.text, "aud", audience, "exp",
                  (json_int_t)(now_s + ACCESS_TOKEN_LIFE / 1000), "iat", (json_int_t)now_s, "jti",
                  uuid_random().text, "client_id", call->client->clientId, "scope", grant->scope,
                  "sid", grant->subject.session.text, "prj", grant->subject.project.text,
                  "auth_time", (json_int_t)(grant->signed_in_at / 1000), "acr", acr_of(grant));

    if (grant->jkt)
        json_object_set_new(claims, "cnf", json_pack("{s:s}", "jkt", grant->jkt));
    if (grant->resource)
        set_smart(claims, grant);
    if (strcmp(audience, call->issuer->public_url) == 0)
        set_member(claims, &grant->subject);
    return claims;
}

/* OpenID Connect Core 1.0, section 3.1.3.6: the left half of the hash. */
static const char *at_hash(struct arena *arena, const char *token)
{
    uint8_t hash[SHA256_DIGEST_LENGTH];

    SHA256((const uint8_t *)token, strlen(token), hash);
    return secret_encode(arena, hash, sizeof(hash) / 2);
}

static json_t *id_claims(const struct token_call *call, const struct grant *grant,
                         const char *access_token)
{
    int64_t now_s = call->req->now_ms / 1000;
    const char *acr = grant->id_acr ? grant->id_acr : acr_of(grant);
    json_t *claims =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:o, s:s, s:s}", "iss", call->issuer->url,
                  "sub", grant->subject.profile.text, "aud", call->client->clientId, "exp",
                  (json_int_t)(now_s + ACCESS_TOKEN_LIFE / 1000), "iat", (json_int_t)now_s,
                  "auth_time", (json_int_t)(grant->signed_in_at / 1000), "acr", acr, "amr",
                  amr_of(grant), "at_hash", at_hash(call->req->arena, access_token), "sid",
                  grant->subject.session.text);

    set_text(claims, "nonce", grant->nonce);
    set_fhir_user(claims, grant);
    return claims;
}

static enum jws_alg id_token_alg(const struct oauth_client *client)
{
    const char *name = client->settings->idTokenAlg;
    enum jws_alg alg = JWS_RS256;

    if (name && jws_alg_parse(name, &alg) < 0)
        return JWS_RS256;
    return alg;
}

/* Returns the requested and registered claims; NULL: none. */
static const char *claims_wanted(const struct token_call *call, const struct grant *grant)
{
    const struct field_texts *registered = &call->client->settings->idTokenClaims;
    const char *names = grant->id_claims ? grant->id_claims : "";

    for (size_t i = 0; i < registered->count; i++)
        names = arena_printf(call->req->arena, "%s %s", names, registered->items[i]);
    return *names && word_list_has(grant->scope, "openid") ? names : NULL;
}

static const char *sign_id_token(struct authd *d, const struct token_call *call,
                                 const struct grant *grant, const struct sql_person_row *person,
                                 const char *access_token, struct error *err)
{
    json_t *claims = id_claims(call, grant, access_token);
    const char *names = claims_wanted(call, grant);

    if (names)
        person_claims_set(claims, call->issuer, person, grant->scope, names);
    return issuer_sign(d, call->req, id_token_alg(call->client), "JWT", claims, err);
}

/* Signs a grant's tokens. refresh: the refresh token of the answer, or NULL. */
static int sign_tokens(struct authd *d, const struct token_call *call, const struct grant *grant,
                       const struct sql_person_row *person, const char *refresh,
                       struct token_answer *out, struct error *err)
{
    const struct request *req = call->req;

    out->access_token = issuer_sign(d, req, JWS_ES256, "at+jwt", access_claims(call, grant), err);
    if (!out->access_token)
        return -1;
    out->token_type = grant->jkt ? "DPoP" : "Bearer";
    out->expires_in = ACCESS_TOKEN_LIFE / 1000;
    out->refresh_token = refresh;
    out->scope = grant->scope;
    if (uuid_is_set(&grant->patient))
        out->patient = arena_strdup(req->arena, grant->patient.text);
    if (!word_list_has(grant->scope, "openid"))
        return 0;
    out->id_token = sign_id_token(d, call, grant, person, out->access_token, err);
    return out->id_token ? 0 : -1;
}

int grant_sign(struct authd *d, const struct token_call *call, struct uuid parent,
               const struct sql_grant_insert *made, const struct refresh_token *refresh,
               struct grant *grant, struct sql_grant_signed *ret, struct token_answer *out,
               struct error *err)
{
    const struct request *req = call->req;
    const struct sql_grant_holder_get_in get = {.project = made->project,
                                                .session = parent,
                                                .organization = call->issuer->tenant.rootId,
                                                .now = req->now_ms};
    bool renews = oauth_client_allows(&call->client->settings->grantTypes, "refresh_token");
    struct sql_grant_holder_get_row row;
    int found = sql_grant_holder_get(d->svc.db, req, &get, &row, err);

    if (found <= 0)
        return found;
    grant->subject = (struct token_subject){.project = made->project,
                                            .membership = row.membership,
                                            .profile = row.person.profile,
                                            .session = made->id,
                                            .role = row.person.role,
                                            .admin = row.admin};
    grant->jkt = made->jkt;
    grant->auth_method = row.auth_method;
    grant->second_factor = row.second_factor;
    *ret = (struct sql_grant_signed){.membership = row.membership,
                                     .profile = row.person.profile,
                                     .admin = row.admin,
                                     .auth_method = row.auth_method,
                                     .second_factor = row.second_factor};
    return sign_tokens(d, call, grant, &row.person,
                       renews ? arena_strdup(req->arena, refresh->text) : NULL, out, err) < 0
               ? -1
               : 1;
}

/* Reads a grant, but does not set its subject. ERR_UNAUTHORIZED: there is no grant. Parks. */
static int grant_read(struct authd *d, const struct request *req, struct uuid project,
                      struct uuid session, struct grant *ret, const char **ret_client,
                      struct error *err)
{
    const struct sql_oauth_grant_get_in get = {.project = project, .session = session};
    struct sql_oauth_grant_get_row row;

    if (sql_require(sql_oauth_grant_get(d->svc.db, req, &get, &row, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0)
        return -1;
    ret->scope = row.scope;
    ret->resource = row.resource;
    ret->auth_method = row.auth_method;
    ret->jkt = row.jkt;
    ret->id_claims = row.id_claims;
    ret->id_acr = row.id_acr;
    ret->patient = row.patient;
    ret->second_factor = row.second_factor;
    ret->signed_in_at = row.signed_in_at;
    *ret_client = row.client_id;
    return 0;
}

/* ---- code ---- */

/* Ends the grant of a code that is used a second time, because two parties have the code (RFC 6749,
 * section 4.1.2). */
static int end_replayed(struct authd *d, const struct token_call *call,
                        const struct sql_oauth_code_get_row *code, struct error *err)
{
    const struct session_end which = {.project = call->issuer->tenant.projectId,
                                      .account = code->account,
                                      .only = code->session,
                                      .reason = "login-replay"};
    size_t count;

    if (uuid_is_set(&code->session) && session_end(d, call->req, &which, &count, err) < 0)
        return -1;
    return refuse(err, "The code was used before.");
}

static int find_code(struct authd *d, const struct token_call *call, const uint8_t *hash,
                     struct sql_oauth_code_get_row *ret, struct error *err)
{
    const struct sql_oauth_code_get_in get = {.project = call->issuer->tenant.projectId,
                                              .code_hash = {hash, SECRET_HASH_SIZE},
                                              .now = call->req->now_ms};
    int found = sql_oauth_code_get(d->svc.db, call->req, &get, ret, err);

    if (found < 0)
        return -1;
    if (found == 0 || strcmp(ret->client_id, call->client->clientId) != 0)
        return refuse(err, "The code is unknown.");
    address_key_load(d, call->req, ret->account);
    if (ret->used)
        return end_replayed(d, call, ret, err);
    return ret->over ? refuse(err, "The code has expired.") : 0;
}

static bool verifier_fits(const struct token_call *call, const char *challenge)
{
    const char *verifier = call->in->code_verifier;

    return challenge && verifier ? challenge_matches(challenge, verifier) : !challenge && !verifier;
}

/* Checks that the proof is signed with the key that the request named, if any (RFC 9449, section
 * 10). */
static int check_key(const struct token_call *call, const struct sql_oauth_code_get_row *code,
                     struct error *err)
{
    if (!code->jkt)
        return 0;
    if (!call->proof.jkt)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_dpop_proof",
                          "The code is bound to a key: send a DPoP proof.");
    return strcmp(call->proof.jkt, code->jkt) == 0
               ? 0
               : refuse(err, "The code is bound to another key.");
}

/* RFC 7636, section 4.6. A wrong verifier spends the code, against guesses. If the request had no
 * challenge, any verifier is wrong (RFC 9700, section 4.8.2). */
static int check_verifier(struct authd *d, const struct token_call *call, const uint8_t *hash,
                          const struct sql_oauth_code_get_row *code, struct error *err)
{
    const struct uuid project = call->issuer->tenant.projectId;
    const struct sql_oauth_code_spend_in spend = {
        .project = project,
        .code_hash = {hash, SECRET_HASH_SIZE},
        .now = call->req->now_ms,
        .audit = audit_row(call->req, &(struct audit){.action = "session.create",
                                                      .failure = true,
                                                      .project = project,
                                                      .account = code->account,
                                                      .role = code->role,
                                                      .detail = "verifier"})};
    struct sql_oauth_code_spend_row row;

    if (verifier_fits(call, code->challenge))
        return 0;
    if (sql_oauth_code_spend(d->svc.db, call->req, &spend, &row, err) < 0)
        return -1;
    return refuse(err, "The code verifier is wrong.");
}

static int check_code(struct authd *d, const struct token_call *call, const uint8_t *hash,
                      const struct sql_oauth_code_get_row *code, struct error *err)
{
    const char *redirect_uri = call->in->redirect_uri, *resource = call->in->resource;

    if (!redirect_uri || strcmp(redirect_uri, code->redirect_uri) != 0)
        return refuse(err, "redirect_uri is not that of the request.");
    if (resource && (!code->resource || strcmp(resource, code->resource) != 0))
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_target",
                          "The resource differs from the one in the authorization request.");
    return check_key(call, code, err) < 0 ? -1 : check_verifier(d, call, hash, code, err);
}

struct sql_grant_insert grant_values(struct authd *d, const struct token_call *call,
                                     const struct grant_held *held, struct refresh_token *refresh)
{
    const struct request *req = call->req;
    const struct uuid project = call->issuer->tenant.projectId;
    const struct uuid id = uuid_ordered(req->now_ms);

    refresh_token_new(&d->svc.seal, project, id, refresh);
    return (struct sql_grant_insert){.project = project,
                                     .id = id,
                                     .client_id = call->client->clientId,
                                     .client_name = call->client->name,
                                     .offline = word_list_has(held->scope, "offline_access"),
                                     .grant_types = held->grantTypes,
                                     .first_party = held->firstParty,
                                     .jkt = call->proof.jkt,
                                     .address = req->address,
                                     .browser = user_agent_browser(req->userAgent),
                                     .os = user_agent_os(req->userAgent),
                                     .now = req->now_ms,
                                     .refresh_hash = {refresh->hash, SECRET_HASH_SIZE},
                                     .idle_until = req->now_ms + SESSION_IDLE_LIFE,
                                     .absolute_until = req->now_ms + SESSION_ABSOLUTE_LIFE};
}

struct sql_audit grant_audit(const struct token_call *call, const struct sql_grant_insert *made,
                             struct uuid account, enum role role, const char *how)
{
    return audit_row(call->req, &(struct audit){.action = "session.create",
                                                .project = made->project,
                                                .account = account,
                                                .role = role,
                                                .type = "Session",
                                                .id = made->id,
                                                .detail = how});
}

/* Signs the tokens, then creates the session. Returns 0 if another request used the code, or the
 * person has changed. */
static int redeem(struct authd *d, const struct token_call *call, const uint8_t *hash,
                  const struct sql_oauth_code_get_row *code, const struct dpop_proof *proof,
                  struct token_answer *out, struct error *err)
{
    CLEANUP(refresh_token_wipe) struct refresh_token refresh = {.text = ""};
    const struct grant_held held =
        grant_held_of(call, code->role, code->scope, code->resource, code->patient);
    struct sql_oauth_code_redeem_in in = {.code_hash = {hash, SECRET_HASH_SIZE},
                                          .parent = code->parent,
                                          .sessions_most = d->config->sessions_per_account,
                                          .grant = grant_values(d, call, &held, &refresh)};
    struct grant grant = {.scope = code->scope,
                          .resource = code->resource,
                          .nonce = code->nonce,
                          .id_claims = code->id_claims,
                          .id_acr = code->id_acr,
                          .patient = code->patient,
                          .signed_in_at = code->signed_in_at};
    struct sql_oauth_code_redeem_row row;
    int64_t change;
    int made;

    if (grant_check_registered(d, call, code->account, &held, &change, err) < 0)
        return -1;
    made =
        grant_sign(d, call, code->parent, &in.grant, &refresh, &grant, &in.grant_signed, out, err);
    if (made == 0)
        return refuse(err, "The sign-in has ended.");
    if (made < 0 || dpop_spend(d, call->req, proof, err) < 0)
        return -1;
    in.grant_signed.change = change;
    in.audit = grant_audit(call, &in.grant, code->account, code->role, "oauth");
    made = sql_oauth_code_redeem(d->svc.db, call->req, &in, &row, err);
    if (made > 0 && row.surplus)
        session_end_surplus(d, call->req, code->account, in.grant.id);
    return made;
}

int grant_authorization_code(struct authd *d, const struct token_call *call,
                             struct token_answer *out, struct error *err)
{
    struct dpop_proof proof = call->proof;
    struct sql_oauth_code_get_row code;
    uint8_t hash[SECRET_HASH_SIZE];

    if (!call->in->code)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request", "code is missing.");
    secret_hash(call->in->code, hash);
    for (int i = 0; i < SIGNINGS_MAX; i++) {
        int made;

        /* After the first round, another request may have used the code, and its grant ends. */
        if (find_code(d, call, hash, &code, err) < 0 || check_code(d, call, hash, &code, err) < 0)
            return -1;
        made = redeem(d, call, hash, &code, &proof, out, err);
        if (made != 0)
            return MIN(made, 0);
        proof.jkt = NULL; /* spent in the first round */
    }
    return error_retry(err, ERR_UNAVAILABLE, 1,
                       "The account was changed by another request. Please try again.");
}

/* ---- refresh ---- */

int grant_client(struct authd *d, const struct request *req, const struct issuer *issuer,
                 const char *refresh, const char **ret_client, struct error *err)
{
    struct token_state state;
    struct grant grant;
    bool known;

    token_state_read(d, req, issuer, refresh, &state);
    known = state.refresh;
    token_state_clear(&state);
    if (!known)
        return refuse(err, "The refresh token is invalid.");
    if (grant_read(d, req, issuer->tenant.projectId, state.session, &grant, ret_client, err) == 0)
        return 0;
    return err->code == ERR_UNAUTHORIZED
               ? refuse(err, "The refresh token is invalid or has expired.")
               : -1;
}

struct renewing {
    struct authd *d;
    const struct token_call *call;
    struct grant grant;
};

/* Narrows only this access token. */
static int narrow(const struct token_call *call, struct grant *grant, struct error *err)
{
    char *rest = NULL, *text;

    if (!call->in->scope)
        return 0;
    text = arena_strdup(call->req->arena, call->in->scope);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!word_list_has(grant->scope, word))
            return oauth_fail(err, ERR_BAD_REQUEST, "invalid_scope",
                              "The scope exceeds what was granted.");
    grant->scope = call->in->scope;
    return 0;
}

/* Drops scopes that the client has lost: by its registration, by the FHIR server's, or by becoming
 * third-party. */
static int narrow_to_present(const struct renewing *self, const struct renewal *renewal,
                             struct grant *grant, struct error *err)
{
    const struct token_call *call = self->call;
    const struct caller caller = {.project = renewal->subject.project,
                                  .account = renewal->account,
                                  .role = renewal->subject.role};
    struct auth_request now = {.in = {.scope = grant->scope, .resource = grant->resource},
                               .client = *call->client,
                               .max_age_s = -1};

    if (auth_request_check_target(self->d, call->req, call->issuer, &now, err) < 0 ||
        consent_narrow(self->d, call->req, &caller, &now, err) < 0 ||
        smart_narrow_grant(self->d, call->req, &caller, grant->patient, &now, err) < 0) {
        if (!oauth_word(err))
            return -1;
        error_clear(err);
        now.scope = "";
    }
    grant->scope = now.scope;
    grant->patient = now.patient;
    return *now.scope ? 0 : refuse(err, "The client is no longer allowed what it was granted.");
}

/* Checks that the client owns the grant and requests no more than was granted (RFC 6749, section
 * 6), with the key of the grant (RFC 9449, section 5). */
static int check_renewal(void *arg, const struct renewal *renewal, struct error *err)
{
    struct renewing *self = arg;
    const struct token_call *call = self->call;
    const char *client_id, *jkt = call->proof.jkt;

    if (grant_read(self->d, call->req, renewal->subject.project, renewal->subject.session,
                   &self->grant, &client_id, err) < 0)
        return -1;
    if (strcmp(client_id, call->client->clientId) != 0 ||
        !uuid_equal(&renewal->subject.project, &call->issuer->tenant.projectId))
        return refuse(err, "The refresh token is unknown.");
    if (self->grant.jkt && (!jkt || strcmp(self->grant.jkt, jkt) != 0))
        return refuse(err, "The refresh token is bound to another key.");
    if (call->in->resource &&
        (!self->grant.resource || strcmp(call->in->resource, self->grant.resource) != 0))
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_target",
                          "The resource differs from the one of the grant.");
    if (narrow(call, &self->grant, err) < 0 ||
        narrow_to_present(self, renewal, &self->grant, err) < 0)
        return -1;
    return dpop_spend(self->d, call->req, &call->proof, err);
}

/* Reads the person for the ID token, which needs current data (OpenID Connect Core 1.0, sections
 * 5.5 and 12.2). */
static int read_person(struct authd *d, const struct token_call *call, const struct grant *grant,
                       struct sql_userinfo_get_row *ret, struct error *err)
{
    int found;

    if (!claims_wanted(call, grant))
        return 0;
    found = grant_person(d, call->req, call->issuer, grant->subject.session, ret, err);
    if (found < 0)
        return -1;
    return found ? 0 : refuse(err, "The sign-in has ended.");
}

/* A failure after the rotation is harmless: the previous token gets the same successor
 * (refresh.c). */
int grant_refresh_token(struct authd *d, const struct token_call *call, struct token_answer *out,
                        struct error *err)
{
    struct renewing renewing = {.d = d, .call = call};
    struct sql_userinfo_get_row row = {.number = 0};
    const char *successor;
    struct token_subject subject;

    if (!call->in->refresh_token)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request", "refresh_token is missing.");
    if (refresh_run(d, call->req, call->in->refresh_token, check_renewal, &renewing, &subject,
                    &successor, err) < 0)
        return oauth_word(err) || (err->code != ERR_UNAUTHORIZED && err->code != ERR_FORBIDDEN)
                   ? -1
                   : refuse(err, "The refresh token is invalid or has expired.");
    renewing.grant.subject = subject;
    if (read_person(d, call, &renewing.grant, &row, err) < 0)
        return -1;
    return sign_tokens(d, call, &renewing.grant, &row.person, successor, out, err);
}
