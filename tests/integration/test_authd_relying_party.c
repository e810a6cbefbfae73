/*
 * test_authd_relying_party.c - authd as a client of an identity provider: discovery, the sign-in's
 * requests, and each rule of its ID token, with a provider that breaks one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "authd/federation/document.h"
#include "authd/federation/key_set.h"
#include "authd/federation/relying_party.h"
#include "common/runtime/fiber.h"
#include "tests/support/certificate.h"
#include "tests/support/identity_provider.h"
#include "tests/support/jose.h"

#define CLIENT "client 1"
#define SECRET "a b:c%/+&~\xc3\xa9" /* each needs an encoding, or must not be encoded twice */
#define CALLBACK "https://atrium.example/t/demo/idp/1/callback"
#define REFUSED "The identity provider's answer was refused."
#define SILENT "The identity provider can't be reached."

enum { LONG_MS = 20000, SKEW_S = 60 };

static struct unit_dir dir;
static struct identity_provider *idp;

static void start(void)
{
    dir = unit_dir_make();
    certificate_make(&dir);
    idp = identity_provider_start(&dir, CLIENT, SECRET);
}

static void stop(void)
{
    identity_provider_stop(&idp);
    unit_dir_remove(&dir);
}

/* As much of a daemon as the client needs. */
struct rig {
    struct authd d;
    struct authd_config config;
    char ca_file[128];
    struct arena *arena;
    struct provider provider;
    struct request req;
};

static const char *const loopback[] = {"127.0.0.0/8", NULL};

static void allow(struct rig *self, const char *const *networks)
{
    struct error err;

    error_init(&err, self->arena);
    CU_ASSERT_EQUAL(network_rules_read("x", networks, self->arena, &self->d.networks, &err), 0);
}

static void rig_open(struct rig *self, struct loop *loop)
{
    *self = (struct rig){.arena = arena_new()};
    snprintf(self->ca_file, sizeof(self->ca_file), "%s/cert.pem", dir.path);
    self->config.client_ca_file = self->ca_file;
    self->d.config = &self->config;
    self->d.svc.loop = loop;
    self->d.svc.offload = offload_new(loop, 1, 16);
    allow(self, loopback);
    self->d.relying_party = relying_party_new(&self->d);
    self->provider = (struct provider){.preset = "oidc",
                                       .issuer = identity_provider_issuer(idp),
                                       .client_id = CLIENT,
                                       .secret = SECRET,
                                       .scopes = "openid email profile"};
    self->req = (struct request){.arena = self->arena,
                                 .trace = "test",
                                 .now_ms = clock_real_ms(),
                                 .deadline_mono_ms = clock_mono_ms() + LONG_MS};
}

static void rig_close(struct rig *self)
{
    relying_party_destroy(&self->d.relying_party);
    offload_destroy(&self->d.svc.offload);
    arena_destroy(&self->arena);
    identity_provider_bend(idp, NULL);
}

static void in_rig(struct loop *loop, void *arg)
{
    void (*const *fn)(struct rig * self) = arg;
    struct rig rig;

    rig_open(&rig, loop);
    (*fn)(&rig);
    rig_close(&rig);
}

static void run(void (*fn)(struct rig *self))
{
    unit_on_fiber(in_rig, &fn);
}

/* ---- one sign-in ---- */

struct outcome {
    struct error err; /* ERR_NONE: signed in */
    const char *rule; /* the first that failed, or "" */
    struct id_claims claims;
    struct field_list rules;
};

static const struct rule *first_failed(struct field_list rules)
{
    const struct rule *items = rules.items;

    for (size_t i = 0; i < rules.count; i++)
        if (!items[i].passed)
            return &items[i];
    return NULL;
}

static struct authorization authorization_of(const struct rig *self)
{
    return (struct authorization){.redirect_uri = CALLBACK,
                                  .state = "state-1",
                                  .nonce = "nonce-1",
                                  .verifier = "verifier-verifier-verifier-verifier-verifier-1",
                                  .started_ms = self->req.now_ms};
}

/* Signs in at the stand-in and redeems the code. */
static void sign_in(struct rig *self, bool fresh, struct outcome *ret)
{
    struct authorization authorization = authorization_of(self);
    char *callback = NULL, *code = NULL, *iss = NULL;
    struct discovery discovery;
    const struct rule *failed;

    authorization.fresh = fresh;
    *ret = (struct outcome){.rule = "discovery"};
    error_init(&ret->err, self->arena);
    if (relying_party_discover(&self->d, &self->req, self->provider.issuer, &discovery, &ret->err) <
        0)
        return;
    callback = identity_provider_visit(idp, relying_party_url(self->arena, &self->provider,
                                                              &discovery, &authorization));
    UNIT_REQUIRE(callback != NULL, "no redirect");
    code = identity_provider_parameter(callback, "code");
    iss = identity_provider_parameter(callback, "iss");
    if (relying_party_redeem(&self->d, &self->req, &self->provider, &authorization, code, iss,
                             &ret->claims, &ret->rules, &ret->err) < 0)
        UNIT_CHECK(!strstr(ret->err.detail, code), "%s", ret->err.detail);
    failed = first_failed(ret->rules);
    ret->rule = failed ? failed->name : "";
    free(callback);
    free(code);
    free(iss);
}

static void check_outcome(const char *label, const struct outcome *outcome, const char *rule,
                          enum error_code code)
{
    UNIT_CHECK(strcmp(outcome->rule, rule) == 0, "%s: failed by \"%s\" (%s)", label, outcome->rule,
               outcome->err.detail);
    UNIT_CHECK(outcome->err.code == code, "%s: %s", label, error_kind(outcome->err.code)->wire);
    if (code != ERR_NONE) {
        CU_ASSERT_STRING_EQUAL(outcome->err.message, code == ERR_UNAVAILABLE ? SILENT : REFUSED);
        UNIT_CHECK(strncmp(outcome->err.detail, rule, strlen(rule)) == 0, "%s",
                   outcome->err.detail);
    }
}

/* Signs in, and fails by this rule. */
static void check_sign_in(struct rig *self, const char *label, bool fresh, const char *rule)
{
    struct outcome outcome;

    sign_in(self, fresh, &outcome);
    check_outcome(label, &outcome, rule, *rule ? ERR_BAD_REQUEST : ERR_NONE);
}

static json_t *parse(const char *text)
{
    return text ? json_loads(text, 0, NULL) : NULL;
}

/* ---- the ID token ---- */

static void an_honest_sign_in_gives_claims(struct rig *self)
{
    struct outcome outcome;

    identity_provider_person(idp,
                             json_pack("{s:s, s:s, s:b, s:s, s:s, s:s, s:s, s:[s,s], s:i}", "sub",
                                       "s-1", "email", "ann@clinic.example", "email_verified", 1,
                                       "name", "Ann Ray", "given_name", "Ann", "family_name", "Ray",
                                       "sid", "session-1", "amr", "pwd", "mfa", "unknown", 1));
    sign_in(self, true, &outcome);
    check_outcome("honest", &outcome, "", ERR_NONE);
    UNIT_REQUIRE(outcome.claims.subject != NULL, "no claims");
    CU_ASSERT_STRING_EQUAL(outcome.claims.subject, "s-1");
    CU_ASSERT_STRING_EQUAL(outcome.claims.email, "ann@clinic.example");
    CU_ASSERT_TRUE(outcome.claims.email_verified);
    CU_ASSERT_STRING_EQUAL(outcome.claims.name, "Ann Ray");
    CU_ASSERT_STRING_EQUAL(outcome.claims.given_name, "Ann");
    CU_ASSERT_STRING_EQUAL(outcome.claims.family_name, "Ray");
    CU_ASSERT_STRING_EQUAL(outcome.claims.sid, "session-1");
    CU_ASSERT_PTR_NULL(outcome.claims.acr);
    CU_ASSERT_EQUAL(outcome.claims.amr.count, 2);
    CU_ASSERT_STRING_EQUAL(outcome.claims.amr.items[1], "mfa");
    CU_ASSERT(outcome.claims.auth_time_ms >= self->req.now_ms / 1000 * 1000);
    CU_ASSERT_PTR_NOT_NULL(strstr(outcome.claims.all, "\"unknown\":1"));
    UNIT_CHECK(outcome.rules.count == 13, "%zu rules", outcome.rules.count);
}

static void honest(void)
{
    run(an_honest_sign_in_gives_claims);
}

static void an_address_counts_unless_it_says_no(struct rig *self)
{
    static const struct {
        const char *claims;
        bool want;
    } rows[] = {{"{}", true},
                {"{\"email_verified\":true}", true},
                {"{\"email_verified\":false}", false},
                {"{\"email_verified\":\"false\"}", false}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct outcome outcome;

        identity_provider_bend(idp, &(struct identity_bend){.claims = parse(rows[i].claims)});
        sign_in(self, false, &outcome);
        UNIT_CHECK(outcome.claims.email_verified == rows[i].want, "%s", rows[i].claims);
    }
}

static void email_verified(void)
{
    identity_provider_person(idp, json_pack("{s:s, s:s}", "sub", "s-1", "email", "ann@a.example"));
    run(an_address_counts_unless_it_says_no);
}

struct bent {
    const char *label, *rule; /* rule: the first that fails; "": none */
    const char *claims, *header, *answer, *metadata;
    const char *alg, *iss;
    const char *time_claim; /* is set to now and so many seconds */
    int seconds;
    bool unpublished, fresh;
    const char *acr; /* the provider's requiredAcr */
};

static const struct bent bents[] = {
    {.label = "ES256", .rule = "", .alg = "ES256"},
    {.label = "RS256", .rule = "", .alg = "RS256"},
    {.label = "PS256", .rule = "", .alg = "PS256"},
    {.label = "EdDSA", .rule = "", .alg = "EdDSA"},
    {.label = "no signature", .rule = "alg", .alg = "none"},
    {.label = "HMAC with the public key", .rule = "alg", .alg = "HS256"},
    {.label = "another header's alg", .rule = "alg", .header = "{\"alg\":\"ES384\"}"},
    {.label = "another key type's alg", .rule = "signature", .header = "{\"alg\":\"RS256\"}"},
    {.label = "a key that is not published", .rule = "signature", .unpublished = true},
    {.label = "an unknown key id", .rule = "signature", .header = "{\"kid\":\"other\"}"},
    {.label = "crit", .rule = "token", .header = "{\"crit\":[\"exp\"]}"},
    {.label = "no JWT", .rule = "token", .answer = "{\"id_token\":\"a.b\"}"},
    {.label = "no ID token", .rule = "token request", .answer = "{\"id_token\":null}"},
    {.label = "another issuer", .rule = "iss", .claims = "{\"iss\":\"https://other.example\"}"},
    {.label = "a list of issuers", .rule = "iss", .claims = "{\"iss\":[\"https://a.example\"]}"},
    {.label = "another audience", .rule = "aud", .claims = "{\"aud\":\"client 2\"}"},
    {.label = "no audience", .rule = "aud", .claims = "{\"aud\":null}"},
    {.label = "a list without azp", .rule = "aud", .claims = "{\"aud\":[\"client 1\"]}"},
    {.label = "a list without us",
     .rule = "aud",
     .claims = "{\"aud\":[\"client 2\"],\"azp\":\"client 1\"}"},
    {.label = "a list of another's",
     .rule = "aud",
     .claims = "{\"aud\":[\"client 1\",\"client 2\"],\"azp\":\"client 2\"}"},
    {.label = "a list of ours",
     .rule = "",
     .claims = "{\"aud\":[\"client 2\",\"client 1\"],\"azp\":\"client 1\"}"},
    {.label = "another's azp", .rule = "aud", .claims = "{\"azp\":\"client 2\"}"},
    {.label = "expired", .rule = "exp", .time_claim = "exp", .seconds = -SKEW_S - 5},
    {.label = "expired just now", .rule = "", .time_claim = "exp", .seconds = -SKEW_S + 20},
    {.label = "no exp", .rule = "exp", .claims = "{\"exp\":null}"},
    {.label = "exp as text", .rule = "exp", .claims = "{\"exp\":\"9999999999\"}"},
    {.label = "from the future", .rule = "iat", .time_claim = "iat", .seconds = SKEW_S + 20},
    {.label = "a clock ahead", .rule = "", .time_claim = "iat", .seconds = SKEW_S - 10},
    {.label = "no iat", .rule = "iat", .claims = "{\"iat\":null}"},
    {.label = "not valid yet", .rule = "iat", .time_claim = "nbf", .seconds = SKEW_S + 20},
    {.label = "no subject", .rule = "sub", .claims = "{\"sub\":null}"},
    {.label = "an empty subject", .rule = "sub", .claims = "{\"sub\":\"\"}"},
    {.label = "a number", .rule = "sub", .claims = "{\"sub\":1}"},
    {.label = "another nonce", .rule = "nonce", .claims = "{\"nonce\":\"nonce-2\"}"},
    {.label = "no nonce", .rule = "nonce", .claims = "{\"nonce\":null}"},
    {.label = "another at_hash", .rule = "at_hash", .claims = "{\"at_hash\":\"AAAA\"}"},
    {.label = "no at_hash", .rule = "", .claims = "{\"at_hash\":null}"},
    {.label = "no access token", .rule = "at_hash", .answer = "{\"access_token\":null}"},
    {.label = "a fresh sign-in", .rule = "", .fresh = true},
    {.label = "without time", .rule = "auth_time", .fresh = true, .claims = "{\"auth_time\":null}"},
    {.label = "an old sign-in",
     .rule = "auth_time",
     .fresh = true,
     .time_claim = "auth_time",
     .seconds = -2},
    {.label = "a future sign-in",
     .rule = "auth_time",
     .time_claim = "auth_time",
     .seconds = SKEW_S + 20},
    {.label = "an old sign-in is enough", .rule = "", .time_claim = "auth_time", .seconds = -9999},
    {.label = "acr", .rule = "", .acr = "two", .claims = "{\"acr\":\"two\"}"},
    {.label = "no acr", .rule = "acr", .acr = "two"},
    {.label = "another acr", .rule = "acr", .acr = "two", .claims = "{\"acr\":\"one\"}"},
    {.label = "another callback iss", .rule = "callback iss", .iss = "https://other.example"},
    {.label = "no callback iss", .rule = "callback iss", .iss = ""},
    {.label = "iss is not announced",
     .rule = "",
     .iss = "",
     .metadata = "{\"authorization_response_iss_parameter_supported\":null}"},
    {.label = "another iss, not announced",
     .rule = "callback iss",
     .iss = "https://other.example",
     .metadata = "{\"authorization_response_iss_parameter_supported\":false}"},
};

static void bend_as(const struct rig *self, const struct bent *row)
{
    json_t *claims = row->claims ? parse(row->claims) : json_object();

    UNIT_REQUIRE(claims != NULL, "%s: no JSON", row->label);
    if (row->time_claim)
        json_object_set_new(claims, row->time_claim,
                            json_integer(self->req.now_ms / 1000 + row->seconds));
    identity_provider_bend(idp, &(struct identity_bend){.claims = claims,
                                                        .header = parse(row->header),
                                                        .answer = parse(row->answer),
                                                        .metadata = parse(row->metadata),
                                                        .alg = row->alg,
                                                        .iss = row->iss,
                                                        .unpublished = row->unpublished});
}

static const struct bent *row_now;

static void a_bent_answer_is_refused(struct rig *self)
{
    long tokens = identity_provider_count(idp, IDENTITY_TOKEN);
    bool unsent = strcmp(row_now->rule, "callback iss") == 0;

    self->provider.required_acr = row_now->acr;
    bend_as(self, row_now);
    check_sign_in(self, row_now->label, row_now->fresh, row_now->rule);
    UNIT_CHECK(identity_provider_count(idp, IDENTITY_TOKEN) == tokens + !unsent, "%s",
               row_now->label);
}

static void bent_answers_are_refused_by_their_rule(void)
{
    identity_provider_person(idp, json_pack("{s:s}", "sub", "s-1"));
    for (row_now = bents; row_now < bents + ARRAY_SIZE(bents); row_now++)
        run(a_bent_answer_is_refused);
}

/* An issuer in another spelling is another one. */
static void only_the_exact_issuer_counts(struct rig *self)
{
    json_t *slash = json_pack("{s:s+}", "iss", identity_provider_issuer(idp), "/");

    identity_provider_bend(idp, &(struct identity_bend){.claims = json_incref(slash)});
    check_sign_in(self, "token", false, "iss");
    identity_provider_bend(idp, NULL);
    self->provider.issuer = arena_printf(self->arena, "%s/", identity_provider_issuer(idp));
    check_sign_in(self, "provider", false, "discovery");
    json_decref(slash);
}

static void exact_issuer(void)
{
    run(only_the_exact_issuer_counts);
}

/* ---- the client ---- */

static void the_client_proves_itself(struct rig *self)
{
    identity_provider_bend(idp, &(struct identity_bend){.by_post = true});
    check_sign_in(self, "basic where post is wanted", false, "token request");
    self->provider.by_post = true;
    check_sign_in(self, "post", false, "");
    identity_provider_bend(idp, NULL);
    check_sign_in(self, "post where basic is wanted", false, "token request");
    self->provider.by_post = false;
    check_sign_in(self, "basic", false, "");
    self->provider.secret = "another";
    check_sign_in(self, "another secret", false, "token request");
}

static void client_secrets(void)
{
    run(the_client_proves_itself);
}

static void check_parameter(const char *url, const char *name, const char *want)
{
    char *value = identity_provider_parameter(url, name);

    UNIT_CHECK(want ? value && strcmp(value, want) == 0 : !value, "%s is %s", name,
               value ? value : "absent");
    free(value);
}

static void a_request_asks_for_what_is_needed(struct rig *self)
{
    const struct discovery discovery = {.authorization_endpoint = "https://a.example/x?y=1"};
    struct authorization authorization = authorization_of(self);
    const char *url;

    authorization.login_hint = "ann+1@clinic.example";
    self->provider.required_acr = "urn:two factors";
    url = relying_party_url(self->arena, &self->provider, &discovery, &authorization);
    CU_ASSERT_EQUAL(strncmp(url, "https://a.example/x?y=1&", 24), 0);
    check_parameter(url, "response_type", "code");
    check_parameter(url, "client_id", CLIENT);
    check_parameter(url, "redirect_uri", CALLBACK);
    check_parameter(url, "scope", "openid email profile");
    check_parameter(url, "state", "state-1");
    check_parameter(url, "nonce", "nonce-1");
    check_parameter(url, "code_challenge_method", "S256");
    check_parameter(url, "login_hint", "ann+1@clinic.example");
    check_parameter(url, "acr_values", "urn:two factors");
    check_parameter(url, "max_age", NULL);
    check_parameter(url, "prompt", NULL);
    CU_ASSERT_PTR_NULL(strstr(url, authorization.verifier));
    authorization.fresh = true;
    url = relying_party_url(self->arena, &self->provider, &discovery, &authorization);
    check_parameter(url, "max_age", "0");
    check_parameter(url, "prompt", "login");
    self->provider.preset = "google";
    url = relying_party_url(self->arena, &self->provider, &discovery, &authorization);
    check_parameter(url, "claims", "{\"id_token\":{\"auth_time\":{\"essential\":true}}}");
    check_parameter(url, "prompt", NULL);
}

static void request_parameters(void)
{
    run(a_request_asks_for_what_is_needed);
}

/* ---- discovery ---- */

static enum error_code discover(struct rig *self)
{
    struct discovery discovery;
    struct error err;

    error_init(&err, self->arena);
    return relying_party_discover(&self->d, &self->req, self->provider.issuer, &discovery, &err) < 0
               ? err.code
               : ERR_NONE;
}

static const char *metadata_now;

static void a_document_is_refused(struct rig *self)
{
    identity_provider_bend(idp, &(struct identity_bend){.metadata = parse(metadata_now)});
    UNIT_CHECK(discover(self) == ERR_BAD_REQUEST, "%s", metadata_now);
    identity_provider_bend(idp, NULL);
    self->req.now_ms += SECONDS(5);
    UNIT_CHECK(discover(self) == ERR_NONE, "%s, corrected", metadata_now);
}

static void wrong_documents_are_refused(void)
{
    static const char *const rows[] = {
        "{\"issuer\":\"https://other.example\"}",
        "{\"issuer\":null}",
        "{\"authorization_endpoint\":null}",
        "{\"authorization_endpoint\":\"http://127.0.0.1/a\"}",
        "{\"authorization_endpoint\":\"javascript:alert(1)\"}",
        "{\"authorization_endpoint\":\"https://a@b.example/\"}",
        "{\"authorization_endpoint\":\"https://a.example/;x y\"}",
        "{\"token_endpoint\":\"http://127.0.0.1/a\"}",
        "{\"token_endpoint\":[]}",
        "{\"jwks_uri\":\"file:///etc/passwd\"}",
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        metadata_now = rows[i];
        run(a_document_is_refused);
    }
}

static const struct trouble {
    const char *rule;
    enum identity_endpoint endpoint;
    enum identity_trouble trouble;
    enum error_code code;
} troubles[] = {
    {"discovery", IDENTITY_DISCOVERY, IDENTITY_CUT, ERR_UNAVAILABLE},
    {"discovery", IDENTITY_DISCOVERY, IDENTITY_FAILS, ERR_UNAVAILABLE},
    {"discovery", IDENTITY_DISCOVERY, IDENTITY_REDIRECT, ERR_BAD_REQUEST},
    {"discovery", IDENTITY_DISCOVERY, IDENTITY_GARBAGE, ERR_BAD_REQUEST},
    {"discovery", IDENTITY_DISCOVERY, IDENTITY_HUGE, ERR_BAD_REQUEST},
    {"", IDENTITY_DISCOVERY, IDENTITY_SLOW, ERR_NONE},
    {"keys", IDENTITY_KEYS, IDENTITY_CUT, ERR_UNAVAILABLE},
    {"keys", IDENTITY_KEYS, IDENTITY_FAILS, ERR_UNAVAILABLE},
    {"keys", IDENTITY_KEYS, IDENTITY_REDIRECT, ERR_BAD_REQUEST},
    {"keys", IDENTITY_KEYS, IDENTITY_GARBAGE, ERR_BAD_REQUEST},
    {"keys", IDENTITY_KEYS, IDENTITY_HUGE, ERR_BAD_REQUEST},
    {"token request", IDENTITY_TOKEN, IDENTITY_CUT, ERR_UNAVAILABLE},
    {"token request", IDENTITY_TOKEN, IDENTITY_FAILS, ERR_UNAVAILABLE},
    {"token request", IDENTITY_TOKEN, IDENTITY_REDIRECT, ERR_BAD_REQUEST},
    {"token request", IDENTITY_TOKEN, IDENTITY_GARBAGE, ERR_BAD_REQUEST},
    {"token request", IDENTITY_TOKEN, IDENTITY_HUGE, ERR_BAD_REQUEST},
};

static const struct trouble *trouble_now;

static void trouble_fails_a_sign_in(struct rig *self)
{
    struct identity_bend bend = {.alg = NULL};
    struct outcome outcome;
    char label[48];

    bend.trouble[trouble_now->endpoint] = trouble_now->trouble;
    snprintf(label, sizeof(label), "endpoint %d, trouble %d", (int)trouble_now->endpoint,
             (int)trouble_now->trouble);
    identity_provider_bend(idp, &bend);
    sign_in(self, false, &outcome);
    check_outcome(label, &outcome, trouble_now->rule, trouble_now->code);
}

static void each_endpoint_can_fail(void)
{
    for (trouble_now = troubles; trouble_now < troubles + ARRAY_SIZE(troubles); trouble_now++)
        run(trouble_fails_a_sign_in);
}

static void no_closed_address_is_asked(struct rig *self)
{
    static const char *const none[] = {NULL};
    long before = identity_provider_count(idp, IDENTITY_DISCOVERY);

    allow(self, none);
    CU_ASSERT_EQUAL(discover(self), ERR_BAD_REQUEST);
    CU_ASSERT_EQUAL(identity_provider_count(idp, IDENTITY_DISCOVERY), before);
}

static void closed_addresses(void)
{
    run(no_closed_address_is_asked);
}

/* A provider's metadata must not lead to an address inside either. */
static void no_plain_endpoint_is_asked(struct rig *self)
{
    identity_provider_bend(
        idp, &(struct identity_bend){
                 .metadata = json_pack("{s:s}", "jwks_uri", "https://169.254.169.254/keys")});
    check_sign_in(self, "closed key set", false, "keys");
}

static void closed_endpoints(void)
{
    run(no_plain_endpoint_is_asked);
}

/* ---- caches ---- */

static void check_count(enum identity_endpoint endpoint, long before, long want, const char *label)
{
    long got = identity_provider_count(idp, endpoint) - before;

    UNIT_CHECK(got == want, "%s: %ld requests, not %ld", label, got, want);
}

static void documents_are_fetched_once_and_kept(struct rig *self)
{
    long before = identity_provider_count(idp, IDENTITY_DISCOVERY);
    int64_t start_ms = self->req.now_ms;
    struct identity_bend failing = {.trouble[IDENTITY_DISCOVERY] = IDENTITY_FAILS};

    CU_ASSERT_EQUAL(discover(self), ERR_NONE);
    self->req.now_ms = start_ms + MINUTES(5) - 1;
    CU_ASSERT_EQUAL(discover(self), ERR_NONE);
    check_count(IDENTITY_DISCOVERY, before, 1, "five minutes");
    identity_provider_bend(idp, &(struct identity_bend){.cache_control = "max-age=3600"});
    self->req.now_ms = start_ms + MINUTES(5);
    CU_ASSERT_EQUAL(discover(self), ERR_NONE);
    self->req.now_ms += MINUTES(60) - 1;
    CU_ASSERT_EQUAL(discover(self), ERR_NONE);
    check_count(IDENTITY_DISCOVERY, before, 2, "an hour");
    identity_provider_bend(idp, &failing);
    self->req.now_ms += 1;
    CU_ASSERT_EQUAL(discover(self), ERR_NONE);
    check_count(IDENTITY_DISCOVERY, before, 3, "stale");
    self->req.now_ms = start_ms + MINUTES(5) + HOURS(24);
    CU_ASSERT_EQUAL(discover(self), ERR_UNAVAILABLE);
    check_count(IDENTITY_DISCOVERY, before, 4, "a day");
    self->req.now_ms += SECONDS(5) - 1;
    CU_ASSERT_EQUAL(discover(self), ERR_UNAVAILABLE);
    check_count(IDENTITY_DISCOVERY, before, 4, "a failure is remembered");
    identity_provider_bend(idp, NULL);
    self->req.now_ms += 1;
    CU_ASSERT_EQUAL(discover(self), ERR_NONE);
    check_count(IDENTITY_DISCOVERY, before, 5, "and tried again");
}

static void discovery_cache(void)
{
    run(documents_are_fetched_once_and_kept);
}

static void a_rotated_key_is_fetched_once_a_minute(struct rig *self)
{
    long before = identity_provider_count(idp, IDENTITY_KEYS);
    int64_t start_ms = self->req.now_ms;

    check_sign_in(self, "first", false, "");
    identity_provider_rotate(idp);
    check_sign_in(self, "within a minute", false, "signature");
    check_count(IDENTITY_KEYS, before, 1, "within a minute");
    self->req.now_ms = start_ms + KEY_SET_AGAIN;
    check_sign_in(self, "after a minute", false, "");
    check_count(IDENTITY_KEYS, before, 2, "after a minute");
    identity_provider_bend(idp, &(struct identity_bend){.header = parse("{\"kid\":\"other\"}")});
    self->req.now_ms = start_ms + 2 * KEY_SET_AGAIN;
    check_sign_in(self, "unknown", false, "signature");
    check_sign_in(self, "unknown twice", false, "signature");
    check_count(IDENTITY_KEYS, before, 3, "unknown twice");
}

static void key_rotation(void)
{
    identity_provider_person(idp, json_pack("{s:s}", "sub", "s-1"));
    run(a_rotated_key_is_fetched_once_a_minute);
}

/* 51 keys are more than a set may have. A set's unusable keys are skipped. */
static void huge_and_mixed_key_sets(struct rig *self)
{
    JOSE key = jose_new("ES256", NULL);
    json_t *keys = json_array();

    for (int i = 0; i < 51; i++)
        json_array_append_new(keys, jose_jwk(key));
    identity_provider_bend(idp, &(struct identity_bend){.keys = json_pack("{s:o}", "keys", keys)});
    check_sign_in(self, "51 keys", false, "keys");
    self->req.now_ms += KEY_SET_AGAIN;
    identity_provider_bend(
        idp, &(struct identity_bend){
                 .keys = parse("{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"AA\"},"
                               "{\"kty\":\"oct\",\"k\":\"AAAA\"},{}]}")});
    check_sign_in(self, "no usable key", false, "signature");
}

static void key_sets(void)
{
    run(huge_and_mixed_key_sets);
}

/* ---- silence ---- */

enum { AT_ONCE = 8 };

struct visitor {
    struct rig *rig;
    struct request req;
    struct provider provider;
    bool redeems; /* a code, instead of discovery */
    enum error_code code;
    bool ended;
};

static void visit(void *arg)
{
    struct visitor *self = arg;
    struct authorization authorization = authorization_of(self->rig);
    struct discovery discovery;
    struct id_claims claims;
    struct error err;
    int rc;

    error_init(&err, NULL);
    rc = self->redeems
             ? relying_party_redeem(&self->rig->d, &self->req, &self->provider, &authorization,
                                    "code", self->provider.issuer, &claims, NULL, &err)
             : relying_party_discover(&self->rig->d, &self->req, self->provider.issuer, &discovery,
                                      &err);
    self->code = rc < 0 ? err.code : ERR_NONE;
    self->ended = true;
}

static void start_visit(struct rig *self, struct visitor *visitor, const char *issuer, bool redeems)
{
    struct error err;

    *visitor = (struct visitor){
        .rig = self, .req = self->req, .provider = self->provider, .redeems = redeems};
    visitor->provider.issuer = issuer;
    error_init(&err, self->arena);
    CU_ASSERT_EQUAL(fiber_start(self->d.svc.loop, visit, visitor, &err), 0);
}

static void pause_ms(struct rig *self, int64_t ms)
{
    struct error err;

    error_init(&err, self->arena);
    (void)!fiber_sleep_until(self->d.svc.loop, clock_mono_ms() + ms, &err);
}

static void check_end(struct rig *self, const struct visitor *visitor, enum error_code want)
{
    int64_t until = clock_mono_ms() + LONG_MS;

    while (!visitor->ended && clock_mono_ms() < until)
        pause_ms(self, 5);
    CU_ASSERT_TRUE(visitor->ended);
    UNIT_CHECK(visitor->code == want, "%s", error_kind(visitor->code)->wire);
}

/* One request is under way for all; a neighbour's provider answers meanwhile. */
static void a_silent_provider_delays_no_other(struct rig *self)
{
    struct identity_provider *neighbour = identity_provider_start(&dir, CLIENT, SECRET);
    struct identity_bend silent = {.trouble[IDENTITY_DISCOVERY] = IDENTITY_SILENT};
    long before = identity_provider_count(idp, IDENTITY_DISCOVERY);
    struct visitor waiting[AT_ONCE], other;

    identity_provider_bend(idp, &silent);
    for (size_t i = 0; i < AT_ONCE; i++)
        start_visit(self, &waiting[i], identity_provider_issuer(idp), false);
    start_visit(self, &other, identity_provider_issuer(neighbour), false);
    check_end(self, &other, ERR_NONE);
    for (size_t i = 0; i < AT_ONCE; i++)
        CU_ASSERT_FALSE(waiting[i].ended);
    identity_provider_bend(idp, NULL);
    for (size_t i = 0; i < AT_ONCE; i++)
        check_end(self, &waiting[i], ERR_NONE);
    check_count(IDENTITY_DISCOVERY, before, 1, "at once");
    identity_provider_stop(&neighbour);
}

static void silence(void)
{
    run(a_silent_provider_delays_no_other);
}

/* The 65th token request of a project is refused without being sent, while another project's is
 * sent. */
static void a_project_has_so_many_token_requests(struct rig *self)
{
    static struct visitor waiting[RELYING_PARTY_REQUESTS_MAX], more, other;
    struct identity_bend silent = {.trouble[IDENTITY_TOKEN] = IDENTITY_SILENT};
    const char *issuer = identity_provider_issuer(idp);
    long before = identity_provider_count(idp, IDENTITY_TOKEN);

    self->provider.project = uuid_random();
    CU_ASSERT_EQUAL(discover(self), ERR_NONE);
    identity_provider_bend(idp, &silent);
    for (size_t i = 0; i < ARRAY_SIZE(waiting); i++)
        start_visit(self, &waiting[i], issuer, true);
    pause_ms(self, 5);
    start_visit(self, &more, issuer, true);
    check_end(self, &more, ERR_UNAVAILABLE);
    self->provider.project = uuid_random();
    start_visit(self, &other, issuer, true);
    pause_ms(self, 5);
    identity_provider_bend(idp, NULL);
    check_end(self, &other, ERR_BAD_REQUEST); /* there is no such code */
    for (size_t i = 0; i < ARRAY_SIZE(waiting); i++)
        check_end(self, &waiting[i], ERR_BAD_REQUEST);
    check_count(IDENTITY_TOKEN, before, RELYING_PARTY_REQUESTS_MAX + 1, "sent");
}

static void many_token_requests(void)
{
    run(a_project_has_so_many_token_requests);
}

static void silence_ends_after_five_seconds(struct rig *self)
{
    struct identity_bend silent = {.trouble[IDENTITY_TOKEN] = IDENTITY_SILENT};
    int64_t start_ms = clock_mono_ms();
    struct outcome outcome;

    identity_provider_bend(idp, &silent);
    sign_in(self, false, &outcome);
    check_outcome("silent", &outcome, "token request", ERR_UNAVAILABLE);
    UNIT_CHECK(clock_mono_ms() - start_ms >= 5000, "after %" PRId64 " ms",
               clock_mono_ms() - start_ms);
}

static void silent_token_endpoint(void)
{
    run(silence_ends_after_five_seconds);
}

/* ---- logout tokens ---- */

struct logout_row {
    const char *label, *rule, *claims, *alg;
    int expires_s; /* 0: two minutes */
};

static const struct logout_row logout_rows[] = {
    {"honest", "", NULL, NULL, 0},
    {"sid alone", "", "{\"sub\":null,\"sid\":\"session-1\"}", NULL, 0},
    {"neither sub nor sid", "sub, sid", "{\"sub\":null}", NULL, 0},
    {"another issuer", "iss", "{\"iss\":\"https://other.example\"}", NULL, 0},
    {"another audience", "aud", "{\"aud\":\"client 2\"}", NULL, 0},
    {"no signature", "alg", NULL, "none", 0},
    {"HMAC", "alg", NULL, "HS256", 0},
    {"expired", "exp", NULL, NULL, -SKEW_S - 5},
    {"no exp", "exp", "{\"exp\":null}", NULL, 0},
    {"expires in a year", "exp", NULL, NULL, 365 * 86400},
    {"no iat", "iat", "{\"iat\":null}", NULL, 0},
    {"a nonce", "nonce", "{\"nonce\":\"nonce-1\"}", NULL, 0},
    {"no event", "events", "{\"events\":null}", NULL, 0},
    {"another event", "events", "{\"events\":{\"other\":{}}}", NULL, 0},
    {"no object", "events",
     "{\"events\":{\"http://schemas.openid.net/event/backchannel-logout\":1}}", NULL, 0},
    {"no jti", "jti", "{\"jti\":null}", NULL, 0},
};

static void logout_tokens_are_read(struct rig *self)
{
    for (size_t i = 0; i < ARRAY_SIZE(logout_rows); i++) {
        const struct logout_row *row = &logout_rows[i];
        json_t *claims = row->claims ? parse(row->claims) : json_object();
        struct logout_claims read = {.jti = NULL};
        struct error err;
        char *token;
        int rc;

        if (row->expires_s)
            json_object_set_new(claims, "exp",
                                json_integer(self->req.now_ms / 1000 + row->expires_s));
        identity_provider_bend(idp, &(struct identity_bend){.alg = row->alg});
        token = identity_provider_logout_token(idp, claims);
        error_init(&err, self->arena);
        rc = logout_token_read(&self->d, &self->req, &self->provider, token, &read, &err);
        UNIT_CHECK((rc == 0) == !*row->rule, "%s: %s", row->label, err.detail);
        UNIT_CHECK(strncmp(err.detail, row->rule, strlen(row->rule)) == 0, "%s: %s", row->label,
                   err.detail);
        if (rc == 0) {
            CU_ASSERT(read.jti && read.exp_ms > self->req.now_ms);
            CU_ASSERT(read.sid ? strcmp(read.sid, "session-1") == 0 && !read.subject
                               : strcmp(read.subject, "s-1") == 0);
        }
        free(token);
    }
}

static void logout_tokens(void)
{
    identity_provider_person(idp, json_pack("{s:s}", "sub", "s-1"));
    run(logout_tokens_are_read);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(start),
    CASE(honest),
    CASE(email_verified),
    CASE(bent_answers_are_refused_by_their_rule),
    CASE(exact_issuer),
    CASE(client_secrets),
    CASE(request_parameters),
    CASE(wrong_documents_are_refused),
    CASE(each_endpoint_can_fail),
    CASE(closed_addresses),
    CASE(closed_endpoints),
    CASE(discovery_cache),
    CASE(key_rotation),
    CASE(key_sets),
    CASE(silence),
    CASE(many_token_requests),
    CASE(silent_token_endpoint),
    CASE(logout_tokens),
    CASE_ALWAYS(stop),
};

int main(void)
{
    return unit_run("authd relying party", cases, ARRAY_SIZE(cases));
}
