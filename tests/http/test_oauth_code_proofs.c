/*
 * test_oauth_code_proofs.c - codes bound to a key (RFC 9449, sections 10 and 10.1), and single use
 * of DPoP proofs.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/domain/jwk.h"
#include "common/domain/jwt.h"
#include "tests/support/oauth.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin, *patient;
static char *app; /* a first-party client */

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &app, NULL);
}

static struct http_answer *post_proven(const char *endpoint, const char *form,
                                       const struct jose *key)
{
    char *nonce, *proof;
    struct http_answer *answer;

    if (!key)
        return oauth_post(suite, endpoint, form);
    nonce = oauth_nonce(suite, app, key);
    proof = oauth_proof_for(suite, endpoint, key, nonce);
    answer = oauth_post_with(suite, endpoint, form, proof);
    free(proof);
    free(nonce);
    return answer;
}

static struct http_answer *redeem_proven(const char *code, const struct jose *key)
{
    return post_proven("token", oauth_redeeming(app, code), key);
}

/* Returns the key's RFC 7638 thumbprint (caller frees). */
static char *thumbprint(const struct jose *key)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    json_auto_t *jwk = jose_jwk(key);

    return strdup(jwk_thumbprint(jwk, arena));
}

/* Checks that a request with another key, or none, gets and consumes nothing. */
static void check_bound(const char *code, const struct jose *key, const struct jose *other)
{
    HTTP_ANSWER foreign = redeem_proven(code, other);
    HTTP_ANSWER bare = redeem_proven(code, NULL);
    HTTP_ANSWER own = redeem_proven(code, key);

    CHECK_STATUS(foreign, 400);
    CU_ASSERT_STRING_EQUAL(http_text(foreign, "error"), "invalid_grant");
    CHECK_STATUS(bare, 400);
    CU_ASSERT_STRING_EQUAL(http_text(bare, "error"), "invalid_dpop_proof");
    CHECK_STATUS(own, 200);
    CU_ASSERT_STRING_EQUAL(http_text(own, "token_type"), "DPoP");
}

static void a_code_is_redeemed_by_its_key_alone(void)
{
    BROWSER browser = browser_open(suite);
    JOSE key = jose_new("ES256", NULL);
    JOSE other = jose_new("ES256", NULL);
    char *jkt = thumbprint(key), behind[640], *code, *error;

    snprintf(behind, sizeof(behind), "%s&dpop_jkt=%s", OAUTH_USUAL, jkt);
    code = oauth_code(browser, patient, app, behind);
    check_bound(code, key, other);
    free(code);
    code = oauth_code(browser, patient, app, OAUTH_USUAL); /* unbound: any key works */
    HTTP_ANSWER answer = redeem_proven(code, other);
    CHECK_STATUS(answer, 200);
    free(code);
    oauth_ask(browser, app, OAUTH_USUAL "&dpop_jkt=short");
    error = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(error, "invalid_request");
    free(error);
    free(jkt);
}

static void the_proof_of_a_pushed_request_binds_its_code(void)
{
    BROWSER browser = browser_open(suite);
    JOSE key = jose_new("ES256", NULL);
    JOSE other = jose_new("ES256", NULL);
    char *jkt = thumbprint(key), form[1024], behind[256], *code;

    for (int named = 0; named < 2; named++) { /* bound by the proof, then also by dpop_jkt */
        snprintf(form, sizeof(form), "client_id=%s%s%s%s", app, OAUTH_USUAL,
                 named ? "&dpop_jkt=" : "", named ? jkt : "");
        HTTP_ANSWER pushed = post_proven("par", form, key);
        CHECK_STATUS(pushed, 201);
        snprintf(behind, sizeof(behind), "&request_uri=%s", http_text(pushed, "request_uri"));
        code = oauth_code(browser, patient, app, behind);
        check_bound(code, key, other);
        free(code);
    }
    HTTP_ANSWER differs = post_proven("par", form, other);
    HTTP_ANSWER alone = oauth_post(suite, "par", form);
    CHECK_STATUS(differs, 400);
    CU_ASSERT_STRING_EQUAL(http_text(differs, "error"), "invalid_dpop_proof");
    CHECK_STATUS(alone, 201);
    snprintf(behind, sizeof(behind), "&request_uri=%s", http_text(alone, "request_uri"));
    code = oauth_code(browser, patient, app, behind);
    check_bound(code, key, other);
    free(code);
    free(jkt);
}

static long proofs_noted(void)
{
    return suite_count(suite, "select count(*) from auth.oauth_once");
}

/* Proofs of invented keys leave no rows, whatever accompanies them. Anyone can send a public client
 * id or a device code. */
static void proofs_of_what_is_not_valid_leave_no_rows(void)
{
    enum { PROOFS = 8 };
    BROWSER browser = browser_open(suite);
    char *tv = oauth_register(suite, admin,
                              "{\"name\":\"Television\",\"grantTypes\":[\"urn:ietf:params:oauth:"
                              "grant-type:device_code\"],\"redirectUris\":[]}");
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL), form[1024];
    long before = proofs_noted();

    snprintf(form, sizeof(form), "client_id=%s&scope=openid", tv);
    HTTP_ANSWER device = oauth_post(suite, "device_authorization", form);
    const struct {
        const char *label, *endpoint, *client, *more, *value, *word;
    } rows[] = {
        {"no code", "token", app, "&grant_type=authorization_code&code=x", "", "invalid_grant"},
        {"another address", "token", app,
         "&grant_type=authorization_code&redirect_uri=x&code=", code, "invalid_grant"},
        {"no refresh token", "token", app, "&grant_type=refresh_token&refresh_token=x", "",
         "invalid_grant"},
        {"no device code", "token", tv,
         "&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x", "",
         "invalid_grant"},
        {"a device that waits", "token", tv,
         "&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=",
         http_text(device, "device_code"), NULL},
        {"no grant", "token", app, "&grant_type=x", "", "unsupported_grant_type"},
        {"a request that is refused", "par", app, "&response_type=code", "", "invalid_request"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        snprintf(form, sizeof(form), "client_id=%s%s%s", rows[i].client, rows[i].more,
                 rows[i].value);
        for (size_t n = 0; n < PROOFS; n++) {
            JOSE made_up = jose_new("ES256", NULL);
            HTTP_ANSWER answer = post_proven(rows[i].endpoint, form, made_up);
            const char *word = http_text(answer, "error");

            UNIT_CHECK(answer->status == 400 &&
                           (rows[i].word ? strcmp(word, rows[i].word) == 0
                                         : strcmp(word, "authorization_pending") == 0 ||
                                               strcmp(word, "slow_down") == 0),
                       "%s: %d %s", rows[i].label, answer->status, answer->body);
        }
        UNIT_CHECK(proofs_noted() <= before, "%s: %ld rows", rows[i].label,
                   proofs_noted() - before);
    }
    free(code);
    free(tv);
}

/* Requests userinfo with a bound token and a proof by its key, dated by the test clock, which is
 * ahead. */
static struct http_answer *userinfo_proven(const char *token, const struct jose *key)
{
    char *url, *nonce = oauth_nonce(suite, app, key), *proof, line[6000];
    struct http_answer *answer;

    if (asprintf(&url, "%s/t/demo/userinfo", suite_text(suite, "publicUrl")) < 0)
        abort();
    snprintf(line, sizeof(line), "Authorization: DPoP %s", token);
    proof = oauth_proof(key, &(struct oauth_proof){"GET", url, nonce, token, 0});
    answer = http_call(suite_url(suite), &(struct http_request){.path = "/t/demo/userinfo",
                                                                .headers = {line, proof}});
    free(proof);
    free(nonce);
    free(url);
    return answer;
}

static void proofs_without_a_valid_token_leave_no_rows(void)
{
    enum { PROOFS = 8 };
    BROWSER browser = browser_open(suite);
    JOSE key = jose_new("ES256", NULL);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER tokens = redeem_proven(code, key);
    const char *access = http_text(tokens, "access_token");
    long before = proofs_noted();

    for (size_t n = 0; n < PROOFS; n++) {
        JOSE made_up = jose_new("ES256", NULL);
        HTTP_ANSWER answer = userinfo_proven(access, made_up);

        CHECK_STATUS(answer, 401);
    }
    UNIT_CHECK(proofs_noted() <= before, "%ld rows", proofs_noted() - before);
    HTTP_ANSWER good = userinfo_proven(access, key);
    CHECK_STATUS(good, 200);
    before = proofs_noted();
    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
    for (size_t n = 0; n < PROOFS; n++) {
        HTTP_ANSWER answer = userinfo_proven(access, key);

        CHECK_STATUS(answer, 401);
    }
    UNIT_CHECK(proofs_noted() <= before, "%ld rows", proofs_noted() - before);
    free(code);
}

static void a_proof_redeems_one_code(void)
{
    enum { CODES = 16 };
    BROWSER browser = browser_open(suite);
    JOSE key = jose_new("ES256", NULL);
    char *nonce = oauth_nonce(suite, app, key),
         *proof = oauth_proof_for(suite, "token", key, nonce);
    char *codes[CODES], *forms[CODES];
    struct http_request requests[CODES];
    struct http_answer *answers[CODES];
    size_t good = 0, loser = 0;

    for (size_t i = 0; i < CODES; i++) {
        codes[i] = oauth_code(browser, patient, app, OAUTH_USUAL);
        forms[i] = strdup(oauth_redeeming(app, codes[i]));
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/t/demo/token",
                                            .raw = forms[i],
                                            .content_type = "application/x-www-form-urlencoded",
                                            .headers = {proof}};
    }
    http_call_many(suite_url(suite), requests, CODES, CODES, answers);
    for (size_t i = 0; i < CODES; i++) {
        bool won = answers[i]->status == 200;

        good += won;
        loser = won ? loser : i;
        UNIT_CHECK(won || strcmp(http_text(answers[i], "error"), "invalid_dpop_proof") == 0,
                   "%d %s", answers[i]->status, answers[i]->body);
    }
    CU_ASSERT_EQUAL(good, 1);
    HTTP_ANSWER later = redeem_proven(codes[loser], key);
    CHECK_STATUS(later, 200);
    http_answers_destroy(answers, CODES);
    for (size_t i = 0; i < CODES; i++) {
        free(codes[i]);
        free(forms[i]);
    }
    free(proof);
    free(nonce);
}

/* A replayed request, proof included, is refused for its proof first, on any instance. Its code or
 * refresh token does not end the session. */
static void a_request_with_a_used_proof_ends_nothing(void)
{
    BROWSER browser = browser_open(suite);
    JOSE key = jose_new("ES256", NULL);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL),
         *nonce = oauth_nonce(suite, app, key);
    char *first = oauth_proof_for(suite, "token", key, nonce),
         *second = oauth_proof_for(suite, "token", key, nonce);
    char form[1024], used[1024];
    HTTP_ANSWER tokens = oauth_post_with(suite, "token", oauth_redeeming(app, code), first);

    CHECK_STATUS(tokens, 200);
    snprintf(used, sizeof(used), "grant_type=refresh_token&client_id=%s&refresh_token=%s", app,
             http_text(tokens, "refresh_token"));
    HTTP_ANSWER renewed = oauth_post_with(suite, "token", used, second);
    CHECK_STATUS(renewed, 200);
    snprintf(form, sizeof(form), "grant_type=refresh_token&client_id=%s&refresh_token=%s", app,
             http_text(renewed, "refresh_token"));
    HTTP_ANSWER again = post_proven("token", form, key);
    CHECK_STATUS(again, 200);
    for (int i = 0; i < 4; i++) {
        HTTP_ANSWER of_code = oauth_post_with(suite, "token", oauth_redeeming(app, code), first);
        HTTP_ANSWER of_renewal = oauth_post_with(suite, "token", used, second);

        CU_ASSERT_STRING_EQUAL(http_text(of_code, "error"), "invalid_dpop_proof");
        CU_ASSERT_STRING_EQUAL(http_text(of_renewal, "error"), "invalid_dpop_proof");
    }
    HTTP_ANSWER who = userinfo_proven(http_text(again, "access_token"), key);
    CHECK_STATUS(who, 200);
    free(second);
    free(first);
    free(nonce);
    free(code);
}

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &app);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_code_is_redeemed_by_its_key_alone),
    CASE(the_proof_of_a_pushed_request_binds_its_code),
    CASE(proofs_of_what_is_not_valid_leave_no_rows),
    CASE(proofs_without_a_valid_token_leave_no_rows),
    CASE(a_proof_redeems_one_code),
    CASE(a_request_with_a_used_proof_ends_nothing),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth code proofs", cases, ARRAY_SIZE(cases));
}
