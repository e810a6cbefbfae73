/*
 * test_small_scopes.c - access of every token that is not a plain session: issuers' tokens of any
 * scope and grant, SMART tokens, API keys, other tokens, and each after its end. Calls all route
 * rows and compares with the lists below, which a new route with wider access must join.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/device.h"
#include "tests/support/document.h"
#include "tests/support/members.h"
#include "tests/support/rows.h"
#include "tests/support/suite_command.h"
#include "tests/support/things.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define BASE "https://records.example/r4"
#define REPORTS "https://reports.example/"
#define ASK                                                                                    \
    "&response_type=code&state=st8" OAUTH_PKCE "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&" \
    "scope="

static struct suite *suite;
static struct person *admin, *owner, *neighbour, *doctor, *foreign;
static char *own, *theirs; /* a first-party and a third-party client */
static char *tv, *chart;   /* third-party clients for devices and for a FHIR server */
static char *server;       /* the FHIR server's id */
static char api[160];      /* "&resource=" of Atrium's own API */
static struct things things;

/* ---- access of routes ---- */

enum who {
    ANY_CLIENT,      /* no token is read */
    ANY_CLIENT_LIVE, /* the same, but a token that is sent must be valid */
    PEOPLE,          /* any valid token of a person */
    PEOPLE_AND_KEYS, /* API keys too */
    PRACTITIONERS,
    ADMINS,
    LOGOUT, /* any valid token of a person, or one that has signed out */
};

/* Routes without a row are PEOPLE below /auth/ and ADMINS elsewhere. */
static const struct rule {
    enum who who;
    const char *method, *path; /* a path ending in '*' is a prefix */
} rules[] = {
    {ANY_CLIENT, "POST", "/auth/tenant/*"},
    {ANY_CLIENT, "POST", "/v2/auth/login"},
    {ANY_CLIENT, "POST", "/auth/register"},
    {ANY_CLIENT, "POST", "/auth/b2b/login"},
    {ANY_CLIENT, "POST", "/auth/b2b/register"},
    {ANY_CLIENT, "POST", "/auth/refresh-token"},
    {ANY_CLIENT, "POST", "/auth/reset-password"},
    {ANY_CLIENT, "POST", "/auth/set-password"},
    {ANY_CLIENT, "POST", "/auth/invitation"},
    {ANY_CLIENT, "POST", "/auth/undo-email"},
    {ANY_CLIENT, "GET", "/.well-known/webauthn"},
    {ANY_CLIENT, "GET", "/document/public/{token}"},
    {ANY_CLIENT, "POST", "/storage/{bucket}"},
    {ANY_CLIENT_LIVE, "POST", "/auth/verify-email"},
    {ANY_CLIENT_LIVE, "POST", "/auth/verify-email/send"},
    {PEOPLE_AND_KEYS, "POST", "/document"},
    {PEOPLE_AND_KEYS, "GET", "/document"},
    {PEOPLE_AND_KEYS, "GET", "/document/{id}"},
    {PEOPLE_AND_KEYS, "PATCH", "/document/{id}"},
    {PEOPLE_AND_KEYS, "POST", "/document/{id}"},
    {PEOPLE_AND_KEYS, "DELETE", "/document/{id}"},
    {PEOPLE_AND_KEYS, "GET", "/cms/{type}/map/{language}"},
    {PEOPLE_AND_KEYS, "GET", "/cms/{type}/{key}/{language}"},
    {PEOPLE_AND_KEYS, "GET", "/locales"},
    {PEOPLE_AND_KEYS, "POST", "/bots"},
    {PEOPLE_AND_KEYS, "POST", "/ai/translation"},
    {PRACTITIONERS, "GET", "/organizations/code"},
    {PRACTITIONERS, "POST", "/organizations/code/email"},
    {PRACTITIONERS, "GET", "/v1/project/settings"},
    {PRACTITIONERS, "GET", "/v1/project/account-policy"},
    {PRACTITIONERS, "POST", "/v1/launch"},
    {LOGOUT, "POST", "/auth/logout"},
    {LOGOUT, "POST", "/v1/auth/logout"},
};

static bool rule_fits(const struct rule *rule, const struct route *route)
{
    size_t length = strcspn(rule->path, "*");

    return strcmp(rule->method, route->method) == 0 &&
           (rule->path[length] ? strncmp(rule->path, route->path, length) == 0
                               : strcmp(rule->path, route->path) == 0);
}

static enum who who_may(const struct route *route)
{
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
        if (rule_fits(&rules[i], route))
            return rules[i].who;
    return strncmp(route->path, "/auth/", 6) == 0 ? PEOPLE : ADMINS;
}

/* ---- holders of tokens ---- */

enum rights {
    OF_NO_ONE = 0,    /* gets 401 everywhere */
    OF_SUSPENDED_KEY, /* API key of a suspended project */
    OF_SUSPENDED,
    OF_KEY,
    OF_PATIENT,
    OF_PRACTITIONER,
    OF_ADMIN,
};

struct holder {
    const char *name;
    char *token; /* freed by holders_check() */
    enum rights rights;
    bool userinfo;          /* opens the issuer's userinfo too */
    bool signed_out;        /* this token has signed out */
    const char *scheme;     /* NULL: Bearer */
    const struct jose *key; /* proves each request; NULL: no proof */
};

static bool opens(const struct holder *holder, enum who who)
{
    if (who == ANY_CLIENT)
        return true;
    if (who == LOGOUT)
        return holder->signed_out || holder->rights == OF_SUSPENDED || holder->rights >= OF_PATIENT;
    if (holder->rights == OF_KEY)
        return who == PEOPLE_AND_KEYS;
    return (who == ADMINS          ? holder->rights == OF_ADMIN
            : who == PRACTITIONERS ? holder->rights >= OF_PRACTITIONER
                                   : holder->rights >= OF_PATIENT);
}

static struct http_answer *show(const struct holder *holder, const char *method, const char *path,
                                const char *raw, const char *type)
{
    char line[8192], url[512], *proof = NULL, *source = fresh_source();
    struct http_answer *answer;

    snprintf(line, sizeof(line), "Authorization: %s %s", holder->scheme ? holder->scheme : "Bearer",
             holder->token);
    snprintf(url, sizeof(url), "%s%.*s", suite_text(suite, "publicUrl"), (int)strcspn(path, "?"),
             path);
    if (holder->key)
        proof = oauth_proof(holder->key, &(struct oauth_proof){
                                             .method = method, .url = url, .token = holder->token});
    answer = http_call(suite_url(suite), &(struct http_request){.method = method,
                                                                .path = path,
                                                                .raw = raw,
                                                                .content_type = type,
                                                                .headers = {line, proof},
                                                                .source = source});
    free(source);
    free(proof);
    return answer;
}

static void fill_path(const struct route *route, char path[static 256])
{
    rows_fill_path(route, path);
    strcat(path, "?%");
}

/* Sends an invalid query, which is read after all checks of the caller: an admitted caller gets 400
 * and nothing happens. */
static void check_route(const struct holder *holder, const struct route *route)
{
    enum who who = who_may(route);
    int want = opens(holder, who) ? 400 : holder->rights == OF_NO_ONE ? 401 : 403;
    char path[256];

    if (who == LOGOUT && holder->signed_out)
        want = 204;
    fill_path(route, path);
    HTTP_ANSWER answer = show(holder, route->method, path, NULL, NULL);
    UNIT_CHECK(answer->status == want, "%s %s is %d instead of %d for %s: %s", route->method,
               route->path, answer->status, want, holder->name, answer->body);
}

static void fill_tenant_path(const struct route *route, char path[static 256])
{
    size_t size = 0;

    for (const char *at = route->path; *at && size < 200;) {
        if (*at != '{') {
            path[size++] = *at++;
            continue;
        }
        size += (size_t)snprintf(path + size, 256 - size, "%s",
                                 strncmp(at, "{tenantCode}", 12) == 0 ? "demo" : server);
        at = strchr(at, '}') + 1;
    }
    path[size] = '\0';
}

/* The issuer's documents are public; for a person, only userinfo takes a token. The tenant has no
 * branding. */
static void check_endpoint(const struct holder *holder, const struct route *route)
{
    bool open = route->flags & R_CACHED;
    bool userinfo = strstr(route->path, "/userinfo");
    char path[256];

    fill_tenant_path(route, path);
    HTTP_ANSWER answer =
        show(holder, route->method, path, strcmp(route->method, "POST") == 0 ? "a=b" : NULL,
             "application/x-www-form-urlencoded");
    if (userinfo)
        UNIT_CHECK(answer->status == (holder->userinfo ? 200 : 401), "%s %s is %d for %s",
                   route->method, path, answer->status, holder->name);
    else
        UNIT_CHECK((answer->status == 200) == open, "%s %s is %d for %s: %s", route->method, path,
                   answer->status, holder->name, answer->body);
}

static void check_holder(const struct holder *holder)
{
    UNIT_REQUIRE(holder->token && *holder->token, "there is no %s", holder->name);
    for (const struct route *route = test_routes; route->method; route++)
        if (who_may(route) != ANY_CLIENT)
            check_route(holder, route);
    for (const struct route *route = test_endpoints; route->method; route++)
        check_endpoint(holder, route);
}

/* Checks each holder at every route and endpoint, and frees the tokens. */
static void holders_check(struct holder *holders, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_holder(&holders[i]);
        free(holders[i].token);
    }
}

static char *copy(const struct http_answer *answer, const char *name)
{
    return strdup(http_text(answer, name));
}

/* ---- tokens of an issuer ---- */

static bool is_asked_for_consent(const struct browser *browser)
{
    return browser->page->status == 200 && browser_sees(browser, "Allow access?");
}

static char *code_of(struct browser *browser, const struct person *person, const char *client,
                     const char *behind)
{
    char *code = oauth_code(browser, person, client, behind);

    if (!is_asked_for_consent(browser))
        return code;
    free(code);
    oauth_consent(browser, "allow");
    return oauth_parameter(browser, "code");
}

static struct http_answer *tokens_with(const struct person *person, const char *client,
                                       const char *behind, const char *proof)
{
    BROWSER browser = browser_open(suite);
    char *code = code_of(browser, person, client, behind);
    struct http_answer *answer =
        oauth_post_with(suite, "token", oauth_redeeming(client, code), proof);

    free(code);
    return answer;
}

static struct http_answer *tokens_of(const struct person *person, const char *client,
                                     const char *behind)
{
    struct http_answer *answer = tokens_with(person, client, behind, NULL);

    CHECK_STATUS(answer, 200);
    return answer;
}

static char *token_of(const struct person *person, const char *client, const char *behind)
{
    HTTP_ANSWER answer = tokens_of(person, client, behind);

    return copy(answer, "access_token");
}

/* Returns a request's parameters for that scope, in a static buffer. */
static const char *ask_for(const char *scope, const char *more)
{
    static char behind[1024];

    snprintf(behind, sizeof(behind), "%s%s%s", ASK, scope, more);
    return behind;
}

static char *api_token_of(const struct person *person, const char *scope)
{
    return token_of(person, own, ask_for(scope, api));
}

static char *device_token_of(const struct person *person, const char *client, const char *more)
{
    DEVICE device = device_begin(suite, client, more);

    device_approve(suite, person, device.shown);
    HTTP_ANSWER answer = device_poll(suite, client, device.code);
    CHECK_STATUS(answer, 200);
    return copy(answer, "access_token");
}

static struct http_answer *machine_answer(const char *client, const char *secret, const char *more)
{
    char form[512];

    snprintf(form, sizeof(form), "grant_type=client_credentials%s", more);
    return oauth_post_with(suite, "token", form, oauth_basic(client, secret));
}

static char *machine_token(const char *client, const char *secret, const char *more)
{
    HTTP_ANSWER answer = machine_answer(client, secret, more);

    CHECK_STATUS(answer, 200);
    return copy(answer, "access_token");
}

/* ---- setup ---- */

static void register_clients(void)
{
    own = oauth_register(suite, admin,
                         "{\"name\":\"Own\",\"grantTypes\":[\"authorization_code\","
                         "\"refresh_token\",\"" DEVICE_GRANT "\"]}");
    theirs = oauth_register(suite, admin, "{\"name\":\"Theirs\",\"firstParty\":false}");
    tv = oauth_register(suite, admin,
                        "{\"name\":\"Television\",\"firstParty\":false," DEVICE_GRANTS "}");
    chart = oauth_register(
        suite, admin,
        "{\"name\":\"Chart\",\"scopes\":[\"openid\",\"fhirUser\",\"launch\",\"launch/patient\"],"
        "\"audiences\":[\"" BASE
        "\"],\"grantTypes\":[\"authorization_code\",\"refresh_token\",\"" DEVICE_GRANT
        "\"],\"patientScopes\":[\"patient/*.rs\"],"
        "\"practitionerScopes\":[\"patient/*.rs\",\"user/*.rs\"]}");
}

static void register_server(void)
{
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/resources", admin->access,
                  json_pack("{s:s, s:s, s:[s], s:[s,s]}", "name", "Records", "base", BASE,
                            "patientScopes", "patient/DocumentReference.rs", "practitionerScopes",
                            "patient/*.rs", "user/Patient.rs"));

    CHECK_STATUS(made, 200);
    server = copy(made, "id");
}

static void the_scene_is_set(void)
{
    char id[37];

    admin = person_admin(suite);
    owner = things_patient(suite, THINGS_NAME);
    neighbour = person_register(suite, NULL);
    doctor = member_join(suite, admin, "Practitioner", false, id);
    suite_make_open_project(suite, "elsewhere");
    PROGRAM made = suite_create_admin(suite, "elsewhere", "olga@elsewhere.example",
                                      "correct horse battery staple");
    CHECK_EXIT(made, 0);
    foreign = person_sign_in(suite, "Practitioner", "olga@elsewhere.example",
                             "correct horse battery staple", "elsewhere");
    snprintf(api, sizeof(api), "&resource=%s", suite_text(suite, "publicUrl"));
    register_server();
    register_clients();
    things = things_make(suite, admin, owner);
}

/* ---- cases ---- */

static void each_rule_is_of_a_route(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        const struct route *route = test_routes;

        while (route->method && !rule_fits(&rules[i], route))
            route++;
        UNIT_CHECK(route->method, "%s %s", rules[i].method, rules[i].path);
    }
}

static void without_a_token_these_routes_alone_answer(void)
{
    for (const struct route *route = test_routes; route->method; route++) {
        bool open = who_may(route) <= ANY_CLIENT_LIVE;
        char path[256], *source = fresh_source();

        rows_fill_path(route, path);
        HTTP_ANSWER answer =
            http_call(suite_url(suite),
                      &(struct http_request){
                          .method = route->method, .path = path, .raw = "{", .source = source});
        UNIT_CHECK(open ? answer->status != 401 && answer->status != 403 : answer->status == 401,
                   "%s %s is %d", route->method, route->path, answer->status);
        free(source);
    }
}

static void tokens_of_small_scopes_open_no_route(void)
{
    char *machine = oauth_register(
        suite, admin,
        "{\"name\":\"Machine\",\"type\":\"confidential\",\"authMethod\":\"client_secret_basic\","
        "\"grantTypes\":[\"client_credentials\"],\"firstParty\":false,\"scopes\":[\"reports\"],"
        "\"redirectUris\":[],\"audiences\":[\"" REPORTS "\"]}");
    char *secret = oauth_secret(suite, admin, machine);
    struct holder holders[] = {
        {.name = "openid of a third party",
         .token = token_of(neighbour, theirs, ASK "openid"),
         .userinfo = true},
        {.name = "openid and profile",
         .token = token_of(neighbour, theirs, ASK "openid+profile"),
         .userinfo = true},
        {.name = "openid of the tenant's own client",
         .token = token_of(neighbour, own, ASK "openid"),
         .userinfo = true},
        {.name = "an admin's openid",
         .token = token_of(admin, own, ASK "openid+profile+email+offline_access"),
         .userinfo = true},
        {.name = "openid of a device",
         .token = device_token_of(neighbour, tv, "&scope=openid"),
         .userinfo = true},
        {.name = "a client's own", .token = machine_token(machine, secret, "")},
        {.name = "a client's for a resource",
         .token = machine_token(machine, secret, "&resource=" REPORTS)},
    };

    holders_check(holders, ARRAY_SIZE(holders));
    free(secret);
    free(machine);
}

static char *chart_token_of(const struct person *person, const char *scope, const char *launch)
{
    char more[256];

    snprintf(more, sizeof(more), "&aud=" BASE "%s%s", *launch ? "&launch=" : "", launch);
    return token_of(person, chart, ask_for(scope, more));
}

static const char *id_of(const struct person *person)
{
    return strchr(person->profile, '/') + 1;
}

static char *launch_for(const struct person *patient)
{
    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/launch", doctor->access,
                                 json_pack("{s:s, s:s, s:s}", "clientId", chart, "resource", server,
                                           "patient", id_of(patient)));

    CHECK_STATUS(made, 200);
    return copy(made, "launch");
}

static void tokens_for_a_fhir_server_open_no_route(void)
{
    char *launch = launch_for(owner);
    struct holder holders[] = {
        {.name = "a patient's documents",
         .token = chart_token_of(neighbour, "patient/DocumentReference.rs", "")},
        {.name = "a patient's launch",
         .token =
             chart_token_of(neighbour, "openid+launch/patient+patient/DocumentReference.rs", "")},
        {.name = "a practitioner's",
         .token = chart_token_of(doctor, "openid+fhirUser+user/Patient.rs", "")},
        {.name = "a practitioner's of a launch",
         .token = chart_token_of(doctor, "launch+patient/Patient.rs", launch)},
        {.name = "an admin's", .token = chart_token_of(admin, "user/*.rs", "")},
        {.name = "a device's",
         .token = device_token_of(neighbour, chart,
                                  "&scope=patient/DocumentReference.rs&resource=" BASE)},
    };

    holders_check(holders, ARRAY_SIZE(holders));
    free(launch);
}

static char *step_of(const struct person *person, const char *member)
{
    HTTP_ANSWER step = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                        body_login_start(person->email, person->password, "demo"));

    CHECK_STATUS(step, 200);
    return copy(step, member);
}

static char *cookie_of(const struct person *person)
{
    BROWSER browser = browser_open(suite);

    CU_ASSERT_TRUE(browser_signs_in(browser, person->email, FORM_PASSWORD));
    return strdup(strchr(browser->cookie, '=') + 1);
}

static char *spare_code(const struct person *person)
{
    BROWSER browser = browser_open(suite);

    return code_of(browser, person, own, ASK "openid");
}

static char *webhook_secret(void)
{
    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/project/webhooks", admin->access,
                                 json_pack("{s:s, s:[s]}", "url", "https://hooks.example/all",
                                           "events", "account.created"));

    CHECK_STATUS(made, 200);
    return copy(made, "secret");
}

static void what_is_no_access_token_opens_no_route(void)
{
    PERSON careful = person_register(suite, NULL);
    HTTP_ANSWER granted = tokens_of(neighbour, own, ASK "openid+offline_access");
    DEVICE device = device_begin(suite, tv, "&scope=openid");
    uint8_t totp[TOTP_SECRET];

    totp_enrol(suite, careful, suite_now(suite), totp);
    struct holder holders[] = {
        {.name = "an ID token", .token = copy(granted, "id_token")},
        {.name = "a grant's refresh token", .token = copy(granted, "refresh_token")},
        {.name = "a session's refresh token", .token = strdup(neighbour->refresh)},
        {.name = "a sign-in that waits for its factor", .token = step_of(careful, "loginId")},
        {.name = "a sign-in that waits for its token", .token = step_of(neighbour, "sessionCode")},
        {.name = "the cookie of the pages", .token = cookie_of(neighbour)},
        {.name = "a code", .token = spare_code(neighbour)},
        {.name = "a device code", .token = strdup(device.code)},
        {.name = "a user code", .token = strdup(device.shown)},
        {.name = "a launch", .token = launch_for(neighbour)},
        {.name = "the secret of a webhook", .token = webhook_secret()},
        {.name = "a session under another scheme",
         .token = strdup(neighbour->access),
         .scheme = "Token"},
        {.name = "a session as if it were bound",
         .token = strdup(neighbour->access),
         .scheme = "DPoP"},
    };

    holders_check(holders, ARRAY_SIZE(holders));
}

/* ---- access to the API ---- */

static char *all_policy_of(const struct person *who)
{
    HTTP_ANSWER policy = http_post(suite_url(suite), "/v1/project/access-policies", who->access,
                                   json_loads(suite_all_policy, 0, NULL));
    char *reference;

    CHECK_STATUS(policy, 200);
    if (asprintf(&reference, "AccessPolicy/%s", http_text(policy, "id")) < 0)
        abort();
    return reference;
}

/* Makes an API key that can do everything a policy can name; *ret_id may be NULL. */
static char *key_of(const struct person *who, char **ret_id)
{
    char *reference = all_policy_of(who);
    HTTP_ANSWER key = http_post(suite_url(suite), "/v1/project/api-keys", who->access,
                                json_pack("{s:s, s:s}", "name", "All", "accessPolicy", reference));

    CHECK_STATUS(key, 200);
    free(reference);
    if (ret_id)
        *ret_id = copy(key, "id");
    return copy(key, "key");
}

static char *bound_token_of(const struct person *person, const struct jose *key)
{
    char *nonce = oauth_nonce(suite, own, key),
         *proof = oauth_proof_for(suite, "token", key, nonce);
    HTTP_ANSWER tokens = tokens_with(person, own, ask_for("openid", api), proof);

    CU_ASSERT_STRING_EQUAL(http_text(tokens, "token_type"), "DPoP");
    free(proof);
    free(nonce);
    return copy(tokens, "access_token");
}

/* A scope limits what a client learns about a person. A first-party client can act as the
 * person. */
static void tokens_for_the_api_open_what_their_person_may(void)
{
    char more[256];

    snprintf(more, sizeof(more), "&scope=openid%s", api);
    struct holder holders[] = {
        {.name = "a patient's session", .token = strdup(neighbour->access), .rights = OF_PATIENT},
        {.name = "a patient's", .token = api_token_of(neighbour, "openid"), .rights = OF_PATIENT},
        {.name = "a patient's of more scopes",
         .token = api_token_of(neighbour, "openid+profile+email+fhirUser+offline_access"),
         .rights = OF_PATIENT},
        {.name = "a patient's device",
         .token = device_token_of(neighbour, own, more),
         .rights = OF_PATIENT},
        {.name = "a practitioner's",
         .token = api_token_of(doctor, "openid"),
         .rights = OF_PRACTITIONER},
        {.name = "an admin's", .token = api_token_of(admin, "openid"), .rights = OF_ADMIN},
        {.name = "an admin's key", .token = key_of(admin, NULL), .rights = OF_KEY},
        {.name = "a key of another tenant", .token = key_of(foreign, NULL), .rights = OF_KEY},
    };

    holders_check(holders, ARRAY_SIZE(holders));
}

static void a_bound_token_opens_nothing_without_its_proof(void)
{
    JOSE mine = jose_new("ES256", NULL);
    JOSE another = jose_new("ES256", NULL);
    char *token = bound_token_of(neighbour, mine);
    struct holder holders[] = {
        {.name = "one that is bound, as bearer", .token = strdup(token)},
        {.name = "the same with a proof", .token = strdup(token), .key = mine},
        {.name = "one without a proof", .token = strdup(token), .scheme = "DPoP"},
        {.name = "one with another key", .token = strdup(token), .scheme = "DPoP", .key = another},
        {.name = "one with its proof",
         .token = strdup(token),
         .rights = OF_PATIENT,
         .scheme = "DPoP",
         .key = mine},
    };

    holders_check(holders, ARRAY_SIZE(holders));
    free(token);
}

struct held {
    struct person *person;
    char *access, *api, *issuer, *refresh;
};

static struct held held_by(struct person *person)
{
    HTTP_ANSWER for_api = tokens_of(person, own, ask_for("openid+offline_access", api));

    return (struct held){.person = person,
                         .access = strdup(person->access),
                         .api = copy(for_api, "access_token"),
                         .issuer = token_of(person, theirs, ASK "openid+offline_access"),
                         .refresh = copy(for_api, "refresh_token")};
}

static void held_wipe(struct held *self)
{
    person_destroy(&self->person);
    free(self->access);
    free(self->api);
    free(self->issuer);
    free(self->refresh);
}

static const char *account_of(const struct held *held)
{
    static char text[64];
    char sql[256], *id;

    snprintf(sql, sizeof(sql), "select id from auth.account where email = '%s'",
             held->person->email);
    id = suite_query(suite, sql);
    snprintf(text, sizeof(text), "%s", id);
    free(id);
    return text;
}

static void by_the_owner_elsewhere(struct held *held)
{
    PERSON again =
        person_sign_in(suite, "Patient", held->person->email, held->person->password, NULL);
    HTTP_ANSWER ended = http_delete(suite_url(suite), "/auth/session/other", again->access);

    CHECK_STATUS(ended, 200);
}

static void by_another_password(struct held *held)
{
    PERSON again =
        person_sign_in(suite, "Patient", held->person->email, held->person->password, NULL);
    HTTP_ANSWER changed = http_post(suite_url(suite), "/auth/change-password", again->access,
                                    json_pack("{s:s, s:s}", "oldPassword", held->person->password,
                                              "newPassword", "another horse battery staple"));

    CHECK_STATUS(changed, 204);
}

static void act(const struct held *held, const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "/v1/project/accounts/%s/%s", account_of(held), name);
    HTTP_ANSWER answer =
        http_post(suite_url(suite), path, admin->access, json_pack("{s:s}", "reason", "a test"));
    CHECK_STATUS(answer, 204);
}

static void by_an_admin(struct held *held)
{
    act(held, "end-sessions");
}

static void by_a_lock(struct held *held)
{
    act(held, "lock");
}

static void by_an_operators_lock(struct held *held)
{
    PROGRAM done = ATRIUMCTL(suite, NULL, "user", "lock", held->person->email, "--role", "Patient");

    CHECK_EXIT(done, 0);
}

static void by_a_deletion(struct held *held)
{
    HTTP_ANSWER answer =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/delete",
                                                           .bearer = held->access,
                                                           .body = json_pack("{s:i}", "days", 0)});

    CHECK_STATUS(answer, 200);
}

static void check_ended(struct held *held, const char *how)
{
    char names[3][80];
    struct holder holders[] = {
        {.name = names[0], .token = strdup(held->access)},
        {.name = names[1], .token = strdup(held->api)},
        {.name = names[2], .token = strdup(held->issuer)},
    };

    snprintf(names[0], sizeof(names[0]), "a session ended %s", how);
    snprintf(names[1], sizeof(names[1]), "a grant ended %s", how);
    snprintf(names[2], sizeof(names[2]), "a third party's grant ended %s", how);
    holders_check(holders, ARRAY_SIZE(holders));
    HTTP_ANSWER renewed = oauth_renew(suite, own, held->refresh, "");
    UNIT_CHECK(renewed->status == 400, "%s: %s", how, renewed->body);
    UNIT_CHECK(suite_refresh_status(suite, held->person->refresh) == 401, "%s", how);
}

static void ended_tokens_open_no_route(void)
{
    static const struct {
        const char *how;
        void (*end)(struct held *held);
    } rows[] = {
        {"from another session", by_the_owner_elsewhere},
        {"by another password", by_another_password},
        {"by an admin", by_an_admin},
        {"by a lock", by_a_lock},
        {"by an operator's lock", by_an_operators_lock},
        {"by a deletion", by_a_deletion},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct held held = held_by(person_register(suite, NULL));

        rows[i].end(&held);
        check_ended(&held, rows[i].how);
        held_wipe(&held);
    }
}

static void a_removed_member_opens_no_route(void)
{
    char id[37];
    struct held held = held_by(member_join(suite, admin, "Practitioner", false, id));
    HTTP_ANSWER removed = member_withdraw(suite, admin->access, id);

    CHECK_STATUS(removed, 200);
    check_ended(&held, "by a removal");
    held_wipe(&held);
}

static struct http_answer *grant_of(struct browser *browser, const struct person *person,
                                    char **ret_code)
{
    struct http_answer *answer;

    *ret_code = code_of(browser, person, own, ask_for("openid", api));
    answer = oauth_exchange(suite, own, *ret_code);
    CHECK_STATUS(answer, 200);
    return answer;
}

static void give_back(struct browser *browser UNUSED, const char *code UNUSED, const char *access)
{
    char form[4096];

    snprintf(form, sizeof(form), "client_id=%s&token=%s", own, access);
    HTTP_ANSWER answer = oauth_post(suite, "revoke", form);
    CHECK_STATUS(answer, 200);
}

static void redeem_again(struct browser *browser UNUSED, const char *code,
                         const char *access UNUSED)
{
    HTTP_ANSWER answer = oauth_exchange(suite, own, code);

    CHECK_STATUS(answer, 400);
}

static void sign_out(struct browser *browser, const char *code UNUSED, const char *access UNUSED)
{
    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
}

static void check_form(const struct http_answer *made, const char *how)
{
    HTTP_ANSWER answer = document_upload(suite, made, "abc", 3);

    UNIT_CHECK(answer->status == 403, "a form %s is %d %s", how, answer->status, answer->body);
}

static void a_grant_for_the_api_ends_with_what_made_it(void)
{
    static const struct {
        const char *how;
        void (*end)(struct browser *browser, const char *code, const char *access);
    } rows[] = {
        {"given back by its client", give_back},
        {"of a code that came twice", redeem_again},
        {"of a browser that has signed out", sign_out},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        BROWSER browser = browser_open(suite);
        char *code;
        HTTP_ANSWER granted = grant_of(browser, neighbour, &code);
        HTTP_ANSWER form =
            document_make(suite, http_text(granted, "access_token"), "a.txt", "text/plain");
        struct holder holders[] = {{.name = rows[i].how, .token = copy(granted, "access_token")}};

        CHECK_STATUS(form, 200);
        rows[i].end(browser, code, http_text(granted, "access_token"));
        holders_check(holders, ARRAY_SIZE(holders));
        check_form(form, rows[i].how);
        free(code);
    }
}

static void who_has_signed_out_may_do_so_again(void)
{
    PERSON person = person_register(suite, NULL);
    char *api_token = api_token_of(person, "openid");
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", person->access, NULL);
    HTTP_ANSWER grant_out = http_post(suite_url(suite), "/v1/auth/logout", api_token, NULL);
    struct holder holders[] = {
        {.name = "a session signed out with", .token = strdup(person->access), .signed_out = true},
        {.name = "a grant signed out with", .token = api_token, .signed_out = true},
    };

    CHECK_STATUS(out, 204);
    CHECK_STATUS(grant_out, 204);
    holders_check(holders, ARRAY_SIZE(holders));
}

static void keys_that_are_none_open_no_route(void)
{
    char *id, *ended = key_of(admin, &id), *altered = key_of(admin, NULL), path[128];

    snprintf(path, sizeof(path), "/v1/project/api-keys/%s", id);
    HTTP_ANSWER before = http_get(suite_url(suite), "/locales", ended);
    HTTP_ANSWER form = document_make(suite, ended, "a.txt", "text/plain");
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(before, 200);
    CHECK_STATUS(gone, 204);
    altered[strlen(altered) - 1] ^= 1;
    struct holder holders[] = {
        {.name = "a key that was removed", .token = ended},
        {.name = "a key with another letter", .token = altered},
        {.name = "the id of a key", .token = id},
        {.name = "a key as if it were bound", .token = key_of(admin, NULL), .scheme = "DPoP"},
    };
    holders_check(holders, ARRAY_SIZE(holders));
    check_form(form, "of a key that was removed");
}

static void those_of_a_suspended_project_can_sign_out_alone(void)
{
    struct holder holders[] = {
        {.name = "an admin", .token = strdup(foreign->access), .rights = OF_SUSPENDED},
        {.name = "a key", .token = key_of(foreign, NULL), .rights = OF_SUSPENDED_KEY},
    };
    PROGRAM done = ATRIUMCTL(suite, NULL, "project", "suspend", "elsewhere");
    CHECK_EXIT(done, 0);

    holders_check(holders, ARRAY_SIZE(holders));
    PROGRAM resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "elsewhere", "--resume");
    CHECK_EXIT(resumed, 0);
}

static void small_tokens_see_nothing_of_others(void)
{
    JOSE mine = jose_new("ES256", NULL);
    char more[256];
    char *tokens[8];
    struct things_caller callers[8];
    size_t count = 0;

    snprintf(more, sizeof(more), "&scope=openid%s", api);
    const struct {
        const char *name;
        char *token;
    } rows[] = {
        {"another patient's token for the API", api_token_of(neighbour, "openid")},
        {"another patient's device", device_token_of(neighbour, own, more)},
        {"another patient's application",
         chart_token_of(neighbour, "patient/DocumentReference.rs", "")},
        {"a practitioner's application", chart_token_of(doctor, "user/Patient.rs", "")},
        {"the owner's application", chart_token_of(owner, "patient/DocumentReference.rs", "")},
        {"the owner's third party", token_of(owner, theirs, ASK "openid+profile")},
        {"the owner's bound token", bound_token_of(owner, mine)},
        {"a key of another tenant", key_of(foreign, NULL)},
    };

    for (; count < ARRAY_SIZE(rows); count++) {
        tokens[count] = rows[count].token;
        callers[count] = (struct things_caller){rows[count].name, rows[count].token};
    }
    things_check_closed(&things, callers, count);
    things_check_lists(&things, callers, count);
    while (count > 0)
        free(tokens[--count]);
}

static void pages_look_at_no_token(void)
{
    char *tokens[] = {strdup(neighbour->access), api_token_of(admin, "openid"),
                      key_of(admin, NULL)};

    for (const struct route *route = test_page_rows; route->method; route++) {
        char path[256];

        if (strcmp(route->method, "GET") != 0)
            continue;
        fill_tenant_path(route, path);
        HTTP_ANSWER without = http_get(suite_url(suite), path, NULL);
        for (size_t i = 0; i < ARRAY_SIZE(tokens); i++) {
            HTTP_ANSWER with = http_get(suite_url(suite), path, tokens[i]);

            UNIT_CHECK(with->status == without->status && !strstr(with->body, neighbour->email) &&
                           !strstr(with->body, admin->email),
                       "%s is %d with token %zu: %s", path, with->status, i, with->body);
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(tokens); i++)
        free(tokens[i]);
}

/* ---- attempts at wider access ---- */

static void check_word(const struct http_answer *answer, const char *word)
{
    UNIT_CHECK(answer->status == 400 && strcmp(http_text(answer, "error"), word) == 0,
               "%d %s instead of %s", answer->status, answer->body, word);
}

static void small_scopes_are_not_exchanged_for_more(void)
{
    char more[256];
    HTTP_ANSWER small = tokens_of(neighbour, theirs, ASK "openid+offline_access");
    const char *refresh = http_text(small, "refresh_token");
    BROWSER browser = browser_open(suite);
    char *code = code_of(browser, neighbour, theirs, ASK "openid"), form[1400];

    HTTP_ANSWER wider = oauth_renew(suite, theirs, refresh, "&scope=openid+profile");
    check_word(wider, "invalid_scope");
    HTTP_ANSWER to_api = oauth_renew(suite, theirs, refresh, api);
    check_word(to_api, "invalid_target");
    HTTP_ANSWER of_another = oauth_renew(suite, own, refresh, "");
    check_word(of_another, "invalid_grant");
    HTTP_ANSWER of_a_session = oauth_renew(suite, own, neighbour->refresh, "");
    check_word(of_a_session, "invalid_grant");
    snprintf(form, sizeof(form), "%s%s", oauth_redeeming(theirs, code), api);
    HTTP_ANSWER redeemed = oauth_post(suite, "token", form);
    check_word(redeemed, "invalid_target");
    snprintf(more, sizeof(more), "&scope=openid%s", api);
    HTTP_ANSWER device = device_ask(suite, tv, more);
    check_word(device, "invalid_target");
    CU_ASSERT_EQUAL(suite_refresh_status(suite, refresh), 401);
    HTTP_ANSWER still = oauth_renew(suite, theirs, refresh, "");
    CHECK_STATUS(still, 200);
    free(code);
}

static void the_scene_is_left(void)
{
    free(own);
    free(theirs);
    free(tv);
    free(chart);
    free(server);
    person_destroy(&admin);
    person_destroy(&owner);
    person_destroy(&neighbour);
    person_destroy(&doctor);
    person_destroy(&foreign);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(each_rule_is_of_a_route),
    CASE(without_a_token_these_routes_alone_answer),
    CASE(tokens_of_small_scopes_open_no_route),
    CASE(tokens_for_a_fhir_server_open_no_route),
    CASE(what_is_no_access_token_opens_no_route),
    CASE(tokens_for_the_api_open_what_their_person_may),
    CASE(a_bound_token_opens_nothing_without_its_proof),
    CASE(ended_tokens_open_no_route),
    CASE(a_removed_member_opens_no_route),
    CASE(a_grant_for_the_api_ends_with_what_made_it),
    CASE(who_has_signed_out_may_do_so_again),
    CASE(keys_that_are_none_open_no_route),
    CASE(those_of_a_suspended_project_can_sign_out_alone),
    CASE(small_tokens_see_nothing_of_others),
    CASE(pages_look_at_no_token),
    CASE(small_scopes_are_not_exchanged_for_more),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){0});
    return unit_run("small scopes", cases, ARRAY_SIZE(cases));
}
