/*
 * test_oauth_claims.c - requested acr, sub and ID token claims, and what the person must show
 * (OpenID Connect Core 1.0, sections 3.1.2.1 and 5.5).
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/domain/jwt.h"
#include "tests/support/oauth.h"
#include "tests/support/passkeys.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define ONE "urn%3Aatrium%3Aacr%3Aone-factor"
#define TWO "urn%3Aatrium%3Aacr%3Atwo-factors"
#define ACR_VALUES(values) "&acr_values=" values

static struct suite *suite;
static struct person *admin, *patient;
static char *app; /* a first-party client */

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &app, NULL);
}

/* One known acr value of several is enough; a non-essential one is optional. */
static void an_acr_is_met_by_one_of_its_values(void)
{
#define ACR(text) OAUTH_USUAL "&claims=%7B%22id_token%22%3A%7B%22acr%22%3A%7B" text "%7D%7D%7D"
    static const char *const behind[] = {
        ACR("%22essential%22%3Atrue"),
        ACR("%22essential%22%3Atrue%2C%22values%22%3A%5B%22urn%3Amace%3Asilver%22%2C"
            "%22urn%3Aatrium%3Aacr%3Aone-factor%22%5D"),
        ACR("%22values%22%3A%5B%22urn%3Amace%3Asilver%22%5D"),
        ACR("%22essential%22%3Afalse%2C%22value%22%3A%22urn%3Amace%3Asilver%22"),
    };
    BROWSER browser = browser_open(suite);

    for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
        char *code = oauth_code(browser, patient, app, behind[i]);

        UNIT_CHECK(*code != '\0', "%s", behind[i]);
        free(code);
    }
}

/* Enrolls a second factor and signs in with it, as the request demands. Returns the code, which the
 * caller frees. */
static char *code_of_two_factors(struct browser *browser, struct person *person)
{
    uint8_t secret[TOTP_SECRET];
    char digits[7], form[2048], *step, *next;

    totp_enrol(suite, person, suite_now(suite), secret);
    suite_advance_clock(suite, 2 * TOTP_STEP);
    oauth_ask(browser, app, OAUTH_USUAL OAUTH_TWO_FACTORS);
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    oauth_sign_in(browser, person->email, person->password);
    step = browser_value(browser, "step");
    next = browser_value(browser, "next");
    snprintf(form, sizeof(form), "step=%s&next=%s&code=%s", step, next,
             totp_code(secret, suite_now(suite), digits));
    browser_post(browser, "mfa", form);
    oauth_follow(browser);
    free(next);
    free(step);
    return oauth_parameter(browser, "code");
}

static void a_factor_enrolled_elsewhere_is_asked_for(void)
{
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char *before = oauth_code(browser, other, app, OAUTH_USUAL);
    char *code = code_of_two_factors(browser, other);
    HTTP_ANSWER tokens = oauth_exchange(suite, app, code);
    json_t *claims = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(claims, "acr")),
                           "urn:atrium:acr:two-factors");
    json_decref(claims);
    free(code);
    free(before);
}

static void check_acr(const struct http_answer *tokens, const char *id_acr, const char *access_acr)
{
    json_auto_t *id = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");
    json_auto_t *access = oauth_claims(suite, http_text(tokens, "access_token"), "at+jwt", "ES256");

    UNIT_CHECK(strcmp(jwt_text(id, "acr"), id_acr) == 0, "%s, not %s", jwt_text(id, "acr"), id_acr);
    UNIT_CHECK(strcmp(jwt_text(access, "acr"), access_acr) == 0, "%s", jwt_text(access, "acr"));
}

/* OpenID Connect Core 1.0, section 5.5.1.1: the ID token's acr is one of the requested values. A
 * person who showed two factors also satisfies the one-factor class. Refreshes keep the value. */
static void an_essential_acr_is_answered_by_a_value_that_was_named(void)
{
    static const char one[] = "urn:atrium:acr:one-factor", two[] = "urn:atrium:acr:two-factors";
    static const struct {
        const char *behind, *want;
    } rows[] = {
        {OAUTH_USUAL, two},
        {ACR("%22essential%22%3Atrue"), two},
        {ACR("%22essential%22%3Atrue%2C%22value%22%3A%22" ONE "%22"), one},
        {ACR("%22essential%22%3Atrue%2C%22values%22%3A%5B%22urn%3Amace%3Asilver%22%2C%22" ONE
             "%22%5D"),
         one},
        {ACR("%22essential%22%3Atrue%2C%22values%22%3A%5B%22" ONE "%22%2C%22" TWO "%22%5D"), two},
        {ACR("%22value%22%3A%22" ONE "%22"), two}, /* not essential */
    };
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    free(code_of_two_factors(browser, other));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER tokens = oauth_tokens(suite, browser, other, app, rows[i].behind);
        HTTP_ANSWER renewed = oauth_renew(suite, app, http_text(tokens, "refresh_token"), "");

        check_acr(tokens, rows[i].want, two);
        check_acr(renewed, rows[i].want, two);
    }
}

static char *claims_request(const char *scope, const char *claims)
{
    char *text, *at;

    if (asprintf(&text,
                 "&response_type=code&redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb&scope=%s"
                 "%s&claims=%*s",
                 scope, OAUTH_PKCE, (int)strlen(claims) * 3, "") < 0)
        abort();
    at = strstr(text, "&claims=") + strlen("&claims=");
    for (; *claims; claims++, at += 3)
        snprintf(at, 4, "%%%02X", (unsigned char)*claims);
    return text;
}

/* The ID token agrees with userinfo about the person, for the claims in `want`. */
static void check_person(const struct http_answer *tokens, const char *const *want)
{
    static const char *const all[] = {"name",   "given_name", "family_name",
                                      "locale", "email",      "email_verified"};
    json_auto_t *id = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");
    HTTP_ANSWER shown = oauth_userinfo(suite, "GET", http_text(tokens, "access_token"), NULL);

    CHECK_STATUS(shown, 200);
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        const json_t *found = json_object_get(id, all[i]);
        size_t j = 0;

        while (want[j] && strcmp(want[j], all[i]) != 0)
            j++;
        UNIT_CHECK(want[j] ? found && json_equal(found, http_member(shown, all[i])) : !found, "%s",
                   all[i]);
    }
}

static void id_tokens_have_the_claims_that_are_named(void)
{
    static const struct {
        const char *scope, *claims;
        const char *want[5];
    } rows[] = {
        {"openid+profile+email", "{\"id_token\":{}}", {NULL}},
        {"openid+profile+email", "{\"userinfo\":{\"email\":null}}", {NULL}},
        {"openid+profile+email", "{\"id_token\":{\"email\":null}}", {"email"}},
        {"openid+profile+email",
         "{\"id_token\":{\"name\":null,\"given_name\":{\"essential\":true},"
         "\"family_name\":{\"value\":\"x\"},\"email_verified\":{\"essential\":false}}}",
         {"name", "given_name", "family_name", "email_verified"}},
        {"openid+email",
         "{\"id_token\":{\"name\":{\"essential\":true},\"email\":{\"essential\":true},"
         "\"phone_number\":{\"essential\":true},\"locale\":null}}",
         {"email"}},
        {"openid", "{\"id_token\":{\"email\":{\"essential\":true},\"name\":null}}", {NULL}},
    };
    BROWSER browser = browser_open(suite);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *behind = claims_request(rows[i].scope, rows[i].claims);
        HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, behind);
        HTTP_ANSWER renewed = oauth_renew(suite, app, http_text(tokens, "refresh_token"), "");

        check_person(tokens, rows[i].want);
        check_person(renewed, rows[i].want);
        free(behind);
    }
}

static void id_tokens_of_a_narrowed_renewal_have_less(void)
{
    static const char *const email[] = {"email", NULL}, *const both[] = {"name", "email", NULL};
    char *behind =
        claims_request("openid+profile+email", "{\"id_token\":{\"email\":null,\"name\":null}}");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, app, behind);
    HTTP_ANSWER less =
        oauth_renew(suite, app, http_text(first, "refresh_token"), "&scope=openid+email");
    HTTP_ANSWER all = oauth_renew(suite, app, http_text(less, "refresh_token"), "");

    check_person(first, both);
    check_person(less, email);
    check_person(all, both);
    free(behind);
}

static void claims_are_consented_to_by_their_scopes(void)
{
    static const char *const email[] = {"email", NULL};
    char *theirs = oauth_register(suite, admin, "{\"firstParty\":false}");
    char *behind = claims_request("openid+email", "{\"id_token\":{\"email\":null,\"name\":null}}");
    char *code;
    BROWSER browser = browser_open(suite);

    oauth_ask(browser, theirs, behind);
    oauth_follow(browser);
    oauth_sign_in(browser, patient->email, FORM_PASSWORD);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
    oauth_consent(browser, "allow"); /* the sign-in and consent pages carried the request */
    code = oauth_parameter(browser, "code");
    HTTP_ANSWER tokens = oauth_exchange(suite, theirs, code);
    CHECK_STATUS(tokens, 200);
    check_person(tokens, email);
    free(code);
    free(behind);
    free(theirs);
}

static void a_sub_that_is_named_is_the_one_that_signs_in(void)
{
#define OTHER "\"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\""
    static const struct {
        const char *before, *behind; /* JSON around the person's id; behind NULL: `before` is all */
        const char *error;
    } rows[] = {
        {"{\"value\":\"", "\"}", ""},
        {"{\"values\":[" OTHER ",\"", "\"]}", ""},
        {"{\"value\":" OTHER "}", NULL, "login_required"},
        {"{\"values\":[" OTHER ",\"x ", "\"]}", "login_required"},
        {"{\"value\":[\"", "\"]}", "login_required"},
        {"{\"values\":[]}", NULL, "login_required"},
        {"{\"essential\":true}", NULL, ""},
        {"null", NULL, ""},
    };
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    json_auto_t *id = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char json[256], *behind, *error;

        snprintf(json, sizeof(json), "{\"id_token\":{\"sub\":%s%s%s}}", rows[i].before,
                 rows[i].behind ? jwt_text(id, "sub") : "", rows[i].behind ? rows[i].behind : "");
        behind = claims_request("openid", json);
        oauth_ask(browser, app, behind);
        error = oauth_parameter(browser, "error");
        UNIT_CHECK(strcmp(error, rows[i].error) == 0, "%s: %s", json, error);
        free(error);
        free(behind);
    }
}

static void enrol_passkey(const struct person *person)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, "https://patient.demo.example");
    HTTP_ANSWER made = passkey_enroll(suite, person->access, key);

    CHECK_STATUS(made, 200);
}

/* A preferred two-factor class makes a person with a passkey show it. The first known value counts.
 * Nothing is required with prompt=none, or of an account without a factor. */
static void a_preferred_factor_is_asked_for(void)
{
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    BROWSER without = browser_open(suite);
    char *code;

    enrol_passkey(other);
    free(oauth_code(without, patient, app, OAUTH_USUAL));
    free(oauth_code(browser, other, app, OAUTH_USUAL));
    oauth_check_asked(without, app, OAUTH_USUAL ACR_VALUES(TWO), false);
    oauth_check_asked(browser, app, OAUTH_USUAL ACR_VALUES(ONE "+" TWO), false);
    oauth_check_asked(browser, app, OAUTH_USUAL ACR_VALUES("urn%3Amace%3Asilver"), false);
    oauth_check_asked(browser, app, OAUTH_USUAL ACR_VALUES(TWO) "&prompt=none", false);
    oauth_check_asked(browser, app, OAUTH_USUAL ACR_VALUES("urn%3Amace%3Asilver+" TWO "+" ONE),
                      true);
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "name=\"password\""));
    oauth_sign_in(browser, other->email,
                  other->password); /* a password alone is enough: the factor is only preferred */
    code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    free(code);
}

#define ID_CLAIMS "\"idTokenClaims\":[\"name\",\"email\",\"email_verified\"]"

/* Lists the person's claims in the ID token, separated by spaces, in a static buffer. */
static const char *claims_had(const struct http_answer *tokens)
{
    static const char *const names[] = {"name",  "given_name",     "family_name", "locale",
                                        "email", "email_verified", "fhirUser"};
    static char had[128];
    json_auto_t *id = oauth_claims(suite, http_text(tokens, "id_token"), "JWT", "RS256");

    had[0] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (json_object_get(id, names[i]))
            snprintf(had + strlen(had), sizeof(had) - strlen(had), "%s%s", *had ? " " : "",
                     names[i]);
    return had;
}

static void check_claims_had(const char *label, const struct http_answer *tokens, const char *want)
{
    const char *had = claims_had(tokens);

    UNIT_CHECK(strcmp(had, want) == 0, "%s: \"%s\" instead of \"%s\"", label, had, want);
}

/* A client such as Auth.js, which reads the ID token and cannot send `claims`, gets its registered
 * claims of the granted scopes, also at each refresh. */
static void a_registration_names_claims_of_id_tokens(void)
{
    static const char openid[] =
        "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&scope=openid" OAUTH_PKCE;
    static const char email[] = "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
                                "&scope=openid+email" OAUTH_PKCE;
    char *client = oauth_register(suite, admin, "{" ID_CLAIMS "}");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER all = oauth_tokens(suite, browser, patient, client, OAUTH_USUAL);
    HTTP_ANSWER none = oauth_tokens(suite, browser, patient, client, openid);
    HTTP_ANSWER some = oauth_tokens(suite, browser, patient, client, email);
    HTTP_ANSWER more = oauth_tokens(suite, browser, patient, client,
                                    OAUTH_USUAL "&claims=%7B%22id_token%22%3A%7B%22family_name%22"
                                                "%3Anull%7D%7D");
    HTTP_ANSWER other = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER renewed = oauth_renew(suite, client, http_text(all, "refresh_token"), "");
    HTTP_ANSWER less =
        oauth_renew(suite, client, http_text(renewed, "refresh_token"), "&scope=openid+profile");
    json_auto_t *id = oauth_claims(suite, http_text(all, "id_token"), "JWT", "RS256");
    HTTP_ANSWER me = oauth_userinfo(suite, "GET", http_text(all, "access_token"), NULL);

    check_claims_had("all", all, "name email email_verified");
    check_claims_had("without their scopes", none, "");
    check_claims_had("of one scope", some, "email email_verified");
    check_claims_had("with those of the request", more, "name family_name email email_verified");
    check_claims_had("another client", other, "");
    check_claims_had("renewed", renewed, "name email email_verified");
    check_claims_had("renewed for less", less, "name");
    CU_ASSERT_STRING_EQUAL(jwt_text(id, "email"), patient->email);
    CU_ASSERT_STRING_EQUAL(jwt_text(id, "name"), http_text(me, "name"));
    free(client);
}

static void only_claims_of_a_person_are_registered(void)
{
    HTTP_ANSWER refused =
        http_post(suite_url(suite), "/v1/project/clients", admin->access,
                  json_pack("{s:s, s:[s,s]}", "name", "X", "idTokenClaims", "email", "sub"));

    CHECK_PROBLEM(refused, "idTokenClaims.1");
}

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &app);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(an_acr_is_met_by_one_of_its_values),
    CASE(a_factor_enrolled_elsewhere_is_asked_for),
    CASE(an_essential_acr_is_answered_by_a_value_that_was_named),
    CASE(id_tokens_have_the_claims_that_are_named),
    CASE(id_tokens_of_a_narrowed_renewal_have_less),
    CASE(claims_are_consented_to_by_their_scopes),
    CASE(a_sub_that_is_named_is_the_one_that_signs_in),
    CASE(a_preferred_factor_is_asked_for),
    CASE(a_registration_names_claims_of_id_tokens),
    CASE(only_claims_of_a_person_are_registered),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth claims", cases, ARRAY_SIZE(cases));
}
