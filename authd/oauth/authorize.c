/*
 * authorize.c - the authorization endpoint and pushed requests (OpenID Connect Core 1.0, section
 * 3.1.2; RFC 6749, section 4.1; RFC 9126; RFC 9207). Handlers: authorize, authorize_post,
 * pushed_request.
 *
 * If a sign-in or consent is missing, the browser goes to a page with the sealed request, and
 * returns here.
 */
#include <string.h>

#include "authd/credential/throttle.h"
#include "authd/oauth/auth_request.h"
#include "authd/oauth/client_auth.h"
#include "authd/oauth/consent.h"
#include "authd/oauth/dpop.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/person_check.h"
#include "authd/oauth/redirect.h"
#include "authd/oauth/smart_grant.h"
#include "authd/page/visit.h"
#include "authd/session/issuer_key.h"
#include "authd/sql/oauth.h"
#include "common/domain/endpoint.h"
#include "common/domain/uri.h"
#include "common/wire/codec.h"

enum { CODE_SIZE = 32 }; /* random bytes: 43 characters */

#define CODE_KEEP HOURS(24)     /* retention of used codes */
#define PUSHED_AGAIN MINUTES(1) /* in which a double click gets another code */

struct authorization {
    struct authd *d;
    struct issuer issuer;
    struct visit visit;
    struct auth_request request;
    struct sql_oauth_session_get_row session; /* session of the browser */
};

/* ---- answers ---- */

/* RFC 6749, section 4.1.2. The issuer is included, so that no client takes a code to another one
 * (RFC 9207, section 2). 303 drops the POST body (RFC 9700, section 4.12). */
static void answer_redirect(const struct authorization *self, const char *name, const char *value,
                            const char *description, struct endpoint_answer *out)
{
    struct arena *arena = self->visit.req.arena;
    const char *url = self->request.in.redirect_uri;

    url = uri_add(arena, url, name, value);
    url = uri_add(arena, url, "error_description", description);
    url = uri_add(arena, url, "state", self->request.in.state);
    url = uri_add(arena, url, "iss", self->issuer.url);
    out->status = 303;
    out->location = url;
}

/* ---- pages ---- */

static int send_to(const struct authorization *self, const struct auth_request *request,
                   const char *page, struct endpoint_answer *out, struct error *err)
{
    const struct visit *visit = &self->visit;
    const char *sealed =
        auth_request_seal(self->d, &visit->req, self->issuer.tenant.projectId, request);

    if (!sealed)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request", "The request is too long.");
    out->status = 303;
    out->location = arena_printf(visit->req.arena, "/t/%s/%s?next=%s",
                                 self->issuer.tenant.tenantCode, page, sealed);
    return 0;
}

/* The page that leads to the provider of idp_hint ignores an unknown one. */
static const char *sign_in_page(const struct authorization *self)
{
    const char *hint = self->request.in.idp_hint;
    struct uuid provider;

    if (!hint || uuid_parse(hint, &provider) < 0)
        return "sign-in";
    return arena_printf(self->visit.req.arena, "idp/%s/start", provider.text);
}

/* Seals the browser's current session in the request, since only a different session proves a new
 * sign-in. */
static int send_to_sign_in(const struct authorization *self, struct endpoint_answer *out,
                           struct error *err)
{
    struct auth_request request = self->request;

    request.sent_at = self->visit.req.now_ms;
    request.session = self->visit.signed_in ? self->visit.caller.session.text : "";
    return send_to(self, &request, sign_in_page(self), out, err);
}

static bool request_wants_factor(const struct authorization *self)
{
    return !self->visit.caller.secondFactor && self->request.two_factors;
}

/* True if the person should be asked for a second factor, which the request prefers but does not
 * require. */
static bool request_prefers_factor(const struct authorization *self)
{
    return !self->visit.caller.secondFactor && self->request.prefers_two &&
           !(self->request.prompt & PROMPT_NONE);
}

/* True if the person must sign in again because of prompt or max_age (OpenID Connect Core 1.0,
 * section 3.1.2.1), or because a second factor was enrolled after this session's start. */
static bool must_sign_in(const struct authorization *self)
{
    const struct auth_request *request = &self->request;
    int64_t age_ms = self->visit.req.now_ms - self->session.signed_in_at;

    if (!self->visit.signed_in)
        return true;
    if (auth_request_signed_in_anew(request, self->visit.caller.session, self->session.created_at,
                                    self->visit.req.now_ms))
        return false;
    return request->prompt & PROMPT_LOGIN ||
           (request->max_age_s >= 0 && age_ms > request->max_age_s * 1000) ||
           (self->session.factor && (visit_lacks_factor(&self->visit) ||
                                     request_wants_factor(self) || request_prefers_factor(self)));
}

static int open_session(struct authorization *self, struct error *err)
{
    const struct visit *visit = &self->visit;
    const struct sql_oauth_session_get_in get = {.project = self->issuer.tenant.projectId,
                                                 .session = visit->caller.session,
                                                 .now = visit->req.now_ms};
    int found;

    if (!visit->signed_in)
        return 0;
    found = sql_oauth_session_get(self->d->svc.db, &visit->req, &get, &self->session, err);
    self->visit.signed_in = found > 0;
    return MIN(found, 0);
}

/* ---- requirements ---- */

static int deny(struct error *err, const char *text)
{
    return oauth_fail(err, ERR_BAD_REQUEST, "access_denied", text);
}

static int check_factor(const struct authorization *self, struct error *err)
{
    if (visit_lacks_factor(&self->visit))
        return deny(err, "The account must enrol a second factor first.");
    if (request_wants_factor(self))
        return oauth_fail(err, ERR_BAD_REQUEST, "unmet_authentication_requirements",
                          "The account has no second factor.");
    return 0;
}

/* OpenID Connect Core 1.0, section 3.1.2.1: id_token_hint must name this person. Accepts retired
 * keys. */
static int check_hint(const struct authorization *self, struct error *err)
{
    const char *hint = self->request.in.id_token_hint;
    json_auto_t *claims = NULL;
    const char *subject;

    if (!hint)
        return 0;
    if (issuer_verify_former(self->d, &self->visit.req, hint, "JWT", self->issuer.url, &claims,
                             err) < 0)
        return -1;
    subject = json_string_value(json_object_get(claims, "sub"));
    if (!subject)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request", "id_token_hint is not ours.");
    if (strcmp(subject, self->visit.caller.profile.text) != 0)
        return oauth_fail(err, ERR_BAD_REQUEST, "login_required", "Another person is signed in.");
    return 0;
}

/* Section 3.1.2.2: `claims` must allow this person. */
static int check_subject(const struct authorization *self, struct error *err)
{
    const char *subjects = self->request.subjects;

    if (!subjects || word_list_has(subjects, self->visit.caller.profile.text))
        return 0;
    return oauth_fail(err, ERR_BAD_REQUEST, "login_required", "Another person is signed in.");
}

/* ---- code ---- */

static int give_code(struct authorization *self, struct endpoint_answer *out, struct error *err)
{
    const struct auth_request *request = &self->request;
    const struct visit *visit = &self->visit;
    const char *code = secret_random_text(visit->req.arena, CODE_SIZE);
    uint8_t hash[SECRET_HASH_SIZE], pushed[SECRET_HASH_SIZE], launch[SECRET_HASH_SIZE];
    struct sql_oauth_code_create_in create = {.project = self->issuer.tenant.projectId,
                                              .code_hash = {hash, sizeof(hash)},
                                              .client_id = request->client.clientId,
                                              .account = visit->caller.account,
                                              .parent = visit->caller.session,
                                              .redirect_uri = request->in.redirect_uri,
                                              .challenge = request->in.code_challenge,
                                              .scope = request->scope,
                                              .resource = request->in.resource,
                                              .nonce = request->in.nonce,
                                              .jkt = request->in.dpop_jkt,
                                              .id_claims = request->id_claims,
                                              .id_acr = request->id_acr,
                                              .patient = request->patient,
                                              .pushed_since = visit->req.now_ms - PUSHED_AGAIN,
                                              .signed_in_at = self->session.signed_in_at,
                                              .now = visit->req.now_ms,
                                              .expires_at = visit->req.now_ms + CODE_LIFE,
                                              .keep_until = visit->req.now_ms + CODE_KEEP};
    struct sql_oauth_code_create_row row;
    int created;

    secret_hash(code, hash);
    if (request->pushed) {
        secret_hash(request->pushed, pushed);
        create.pushed = (struct field_bytes){pushed, sizeof(pushed)};
    }
    if (request->smart && request->in.launch) {
        secret_hash(request->in.launch, launch);
        create.launch = (struct field_bytes){launch, sizeof(launch)};
    }
    created = sql_oauth_code_create(self->d->svc.db, &visit->req, &create, &row, err);
    if (created < 0)
        return -1;
    if (created == 0)
        return oauth_fail(err, ERR_BAD_REQUEST,
                          request->pushed ? "invalid_request_uri" : "invalid_request",
                          "The request or its launch has expired, or was answered before.");
    answer_redirect(self, "code", code, NULL, out);
    return 0;
}

/* ---- steps ---- */

/* RFC 6749, section 4.1.2.1. */
static int refuse_repeated(struct error *err)
{
    return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request",
                      "A parameter appears twice. Send each parameter once.");
}

/* prompt=none (OpenID Connect Core 1.0, section 3.1.2.6). */
static int ask_nothing(const char *word, struct error *err)
{
    return oauth_fail(err, ERR_BAD_REQUEST, word, "The person must sign in or consent.");
}

static int proceed(struct authorization *self, bool repeated, struct endpoint_answer *out,
                   struct error *err)
{
    bool silent, consented;

    if (repeated)
        return refuse_repeated(err);
    if (auth_request_check(self->d, &self->visit.req, &self->issuer, &self->request, err) < 0)
        return -1;
    silent = self->request.prompt & PROMPT_NONE;
    if (self->request.denied)
        return deny(err, "The person has not consented.");
    if (open_session(self, err) < 0)
        return -1;
    if (must_sign_in(self))
        return silent ? ask_nothing("login_required", err) : send_to_sign_in(self, out, err);
    if (person_check(&self->visit, err) < 0 || check_factor(self, err) < 0 ||
        check_hint(self, err) < 0 || check_subject(self, err) < 0 ||
        smart_narrow(self->d, &self->visit.req, self->issuer.tenant.projectId, &self->visit.caller,
                     &self->request, err) < 0 ||
        consent_is_given(self->d, &self->visit.req, &self->request, &self->visit.caller, &consented,
                         err) < 0)
        return -1;
    if (!consented)
        return silent ? ask_nothing("consent_required", err)
                      : send_to(self, &self->request, "consent", out, err);
    return give_code(self, out, err);
}

/* Answers an error to the client, and spends a pushed request. */
static int answer_error(struct authorization *self, struct endpoint_answer *out, struct error *err)
{
    const char *word = oauth_word(err), *text = arena_strdup(self->visit.req.arena, err->message);

    if (!word)
        return -1;
    error_clear(err);
    if (auth_request_spend(self->d, &self->visit.req, &self->issuer, &self->request, err) < 0)
        return -1;
    answer_redirect(self, "error", word, text, out);
    return 0;
}

/* Shows a page, since client or redirect URI is unknown. */
static int answer_unknown(const struct authorization *self, struct endpoint_answer *out,
                          struct error *err)
{
    struct page_answer page = {.cookie = NULL};

    if (!oauth_word(err))
        return -1;
    error_clear(err);
    visit_say(&self->visit, 400, PAGE_TEXT_ERROR_CLIENT, PAGE_TEXT_ERROR_CLIENT_TEXT, &page);
    redirect_to_page(&page, out);
    return 0;
}

/* ---- handlers ---- */

int authorize(struct authd *d, const struct request *req, const struct authorize_in *in,
              struct endpoint_answer *out, struct error *err)
{
    struct authorization self = {.d = d};
    struct page_answer page;
    enum visit_step step =
        visit_open(d, req, in->tenantCode, in->visit->page, &self.visit, &page, err);

    if (step == VISIT_FAILED)
        return -1;
    if (step == VISIT_ANSWERED) {
        redirect_to_page(&page, out);
        return 0;
    }
    if (issuer_open(d, req, in->tenantCode, in->visit, &self.issuer, err) < 0)
        return -1;
    if (auth_request_read(d, req, &self.issuer, in, &self.request, err) < 0 ||
        auth_request_find_client(d, req, &self.issuer, &self.request, err) < 0)
        return answer_unknown(&self, out, err);
    return proceed(&self, in->visit->repeated, out, err) == 0 ? 0 : answer_error(&self, out, err);
}

#define POSTED(name)                               \
    {                                              \
#name, offsetof(struct authorize_in, name) \
    }

/* Redirects to a GET. The POST may come from another site without the cookie; after the redirect,
 * the browser's request has it (SameSite=Lax). */
int authorize_post(struct authd *d UNUSED, const struct request *req, const struct authorize_in *in,
                   struct endpoint_answer *out, struct error *err)
{
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = {
        POSTED(client_id),     POSTED(redirect_uri),   POSTED(response_type),
        POSTED(response_mode), POSTED(scope),          POSTED(state),
        POSTED(nonce),         POSTED(code_challenge), POSTED(code_challenge_method),
        POSTED(prompt),        POSTED(max_age),        POSTED(login_hint),
        POSTED(ui_locales),    POSTED(acr_values),     POSTED(claims),
        POSTED(id_token_hint), POSTED(resource),       POSTED(aud),
        POSTED(launch),        POSTED(dpop_jkt),       POSTED(idp_hint),
        POSTED(request),       POSTED(request_uri),    POSTED(next),
    };
    const char *url = arena_printf(req->arena, "/t/%s/authorize", in->tenantCode);
    bool names_client = in->client_id && (in->redirect_uri || in->request_uri);

    if (in->tenantCode[strspn(in->tenantCode, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0')
        return error_set(err, ERR_NOT_FOUND, "Tenant not found.");
    if (in->visit->repeated && !names_client)
        return refuse_repeated(err);
    /* The repeated parameters are gone by now; these record them. */
    for (int i = 0; i < 2 && in->visit->repeated; i++)
        url = uri_add(req->arena, url, "repeated", "1");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *value;

        memcpy(&value, (const char *)in + rows[i].offset, sizeof(value));
        url = uri_add(req->arena, url, rows[i].name, value);
    }
    if (strlen(url) > AUTH_REQUEST_MAX)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request", "The request is too long.");
    out->status = 303;
    out->location = url;
    return 0;
}

/* RFC 9126, section 2.2. */
static const char *pushed_answer(const struct request *req, const char *request_uri)
{
    json_auto_t *body = json_pack("{s:s, s:I}", "request_uri", request_uri, "expires_in",
                                  (json_int_t)(PUSHED_LIFE / 1000));

    return codec_dump_json(req->arena, body);
}

/* RFC 9449, section 10.1: the proof binds the code, like dpop_jkt, and must have the same key. */
static int bind_to_proof(struct authd *d, const struct request *req, const struct authorize_in *in,
                         struct auth_request *request, struct dpop_proof *ret, struct error *err)
{
    if (dpop_check(d, req, in->visit, ret, err) < 0)
        return -1;
    if (ret->jkt && in->dpop_jkt && strcmp(ret->jkt, in->dpop_jkt) != 0)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_dpop_proof",
                          "The proof is signed with another key than dpop_jkt names.");
    if (ret->jkt)
        request->in.dpop_jkt = ret->jkt;
    return 0;
}

/* Limits public clients per address: anyone can use their ids, and each pushed request adds a row.
 * A whole clinic can have one address. */
static int limit_pushes(struct authd *d, const struct request *req,
                        const struct oauth_client *client, struct error *err)
{
    if (client->settings->authMethod != CLIENT_AUTH_NONE)
        return 0;
    return throttle_limit_client(d, req, "pushed request", req->address, PUSHED_WINDOW, PUSHED_MAX,
                                 err);
}

/* RFC 9126, section 2. */
int pushed_request(struct authd *d, const struct request *req, const struct authorize_in *in,
                   struct endpoint_answer *out, struct error *err)
{
    const struct client_credentials given = CLIENT_CREDENTIALS(in);
    struct auth_request request = {.in = *in, .max_age_s = -1};
    const char *request_uri;
    struct dpop_proof proof;
    struct issuer issuer;

    if (issuer_open(d, req, in->tenantCode, in->visit, &issuer, err) < 0 ||
        client_authenticate(d, req, &issuer, &given, &request.client, err) < 0)
        return -1;
    if (in->request_uri)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request",
                          "A pushed request can't contain a request_uri.");
    request.in.client_id = request.client.clientId;
    if (bind_to_proof(d, req, in, &request, &proof, err) < 0 ||
        auth_request_find_client(d, req, &issuer, &request, err) < 0 ||
        auth_request_check(d, req, &issuer, &request, err) < 0 ||
        limit_pushes(d, req, &request.client, err) < 0 || dpop_spend(d, req, &proof, err) < 0 ||
        auth_request_push(d, req, &issuer, &request, &request_uri, err) < 0)
        return -1;
    out->status = 201;
    out->body = pushed_answer(req, request_uri);
    return 0;
}
