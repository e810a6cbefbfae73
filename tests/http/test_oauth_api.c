/*
 * test_oauth_api.c - the API with an issuer's access tokens: which tokens are accepted, and DPoP
 * proofs (RFC 9449, section 7).
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/domain/jwt.h"
#include "tests/support/oauth.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define ME "/auth/me"
#define FORM "application/x-www-form-urlencoded"

enum { AT_ONCE = 64, INSTANCES = 4 };

static struct suite *suite;
static struct person *admin, *patient;
static char api[128], me_url[160], token_url[160];
static char *client; /* first-party */
static char behind[1024];

static struct http_answer *get_with(const char *path, const char *scheme, const char *token,
                                    const char *proof, const char *other)
{
    char line[6000];

    snprintf(line, sizeof(line), "Authorization: %s %s", scheme, token);
    return http_call(suite_url(suite),
                     &(struct http_request){.path = path, .headers = {line, proof, other}});
}

static void check_challenge(const struct http_answer *answer, const char *scheme, const char *word)
{
    char *challenge = http_header(answer, "WWW-Authenticate"), want[80];

    snprintf(want, sizeof(want), "%s error=\"%s\"", scheme, word);
    UNIT_CHECK(answer->status == 401 && challenge && strncmp(challenge, want, strlen(want)) == 0 &&
                   strcmp(http_text(answer, "error"), "Unauthorized") == 0,
               "%d %s, %s, instead of %s", answer->status, answer->body,
               challenge ? challenge : "no challenge", want);
    free(challenge);
}

static struct http_answer *exchange(const char *form, const char *proof)
{
    return http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                              .path = "/t/demo/token",
                                                              .raw = form,
                                                              .content_type = FORM,
                                                              .headers = {proof}});
}

static struct http_answer *tokens_of(const struct person *person, const char *proof)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, person, client, behind), form[1024];

    snprintf(form, sizeof(form),
             "grant_type=authorization_code&client_id=%s&code=%s&redirect_uri=" OAUTH_REDIRECT
             "&code_verifier=" OAUTH_VERIFIER,
             client, code);
    free(code);
    return exchange(form, proof);
}

/* The suite has another port after a restart. */
static void read_addresses(void)
{
    snprintf(api, sizeof(api), "%s", suite_text(suite, "publicUrl"));
    snprintf(me_url, sizeof(me_url), "%s" ME, api);
    snprintf(token_url, sizeof(token_url), "%s/t/demo/token", api);
    snprintf(behind, sizeof(behind), "%s&resource=%s", OAUTH_USUAL, api);
}

static void the_scene_is_set(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    client = oauth_register(suite, admin, NULL);
    read_addresses();
}

static void a_person_uses_the_api_by_a_token_of_the_issuer(void)
{
    HTTP_ANSWER tokens = tokens_of(patient, NULL);
    HTTP_ANSWER own = http_get(suite_url(suite), ME, patient->access);

    CHECK_STATUS(tokens, 200);
    for (int i = 0; i < INSTANCES; i++) { /* reaches every gateway */
        HTTP_ANSWER me = http_get(suite_url(suite), ME, http_text(tokens, "access_token"));

        CHECK_STATUS(me, 200);
        CU_ASSERT_STRING_EQUAL(http_text(me, "profile.reference"),
                               http_text(own, "profile.reference"));
    }
    HTTP_ANSWER forbidden =
        http_get(suite_url(suite), "/v1/project/settings", http_text(tokens, "access_token"));
    CHECK_STATUS(forbidden, 403);
}

static void an_admin_administers_by_one(void)
{
    HTTP_ANSWER tokens = tokens_of(admin, NULL);
    HTTP_ANSWER settings =
        http_get(suite_url(suite), "/v1/project/settings", http_text(tokens, "access_token"));

    CHECK_STATUS(settings, 200);
}

static void tokens_for_others_do_not_open_the_api(void)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, client, OAUTH_USUAL);
    HTTP_ANSWER tokens = oauth_exchange(suite, client, code);
    HTTP_ANSWER for_api = tokens_of(patient, NULL);
    HTTP_ANSWER to_issuer = http_get(suite_url(suite), ME, http_text(tokens, "access_token"));
    HTTP_ANSWER id_token = http_get(suite_url(suite), ME, http_text(for_api, "id_token"));
    HTTP_ANSWER refresh = http_get(suite_url(suite), ME, http_text(for_api, "refresh_token"));
    HTTP_ANSWER unbound = get_with(ME, "DPoP", http_text(for_api, "access_token"), NULL, NULL);
    HTTP_ANSWER userinfo =
        http_get(suite_url(suite), "/t/demo/userinfo", http_text(for_api, "access_token"));

    CHECK_ERROR(to_issuer, 401, "Unauthorized");
    CHECK_ERROR(id_token, 401, "Unauthorized");
    CHECK_ERROR(refresh, 401, "Unauthorized");
    check_challenge(unbound, "Bearer", "invalid_token");
    CHECK_STATUS(userinfo, 401);
    free(code);
}

static void a_third_party_gets_none_for_the_api(void)
{
    BROWSER browser = browser_open(suite);
    char *other = oauth_register(suite, admin, "{\"firstParty\":false}");
    char *code = oauth_code(browser, patient, other, behind);
    char *word = oauth_parameter(browser, "error");

    CU_ASSERT_STRING_EQUAL(code, "");
    CU_ASSERT_STRING_EQUAL(word, "invalid_target");
    free(word);
    free(code);
    free(other);
}

static void it_ends_with_its_session(void)
{
    PERSON other = person_register(suite, NULL);
    HTTP_ANSWER tokens = tokens_of(other, NULL);
    const char *access = http_text(tokens, "access_token");
    HTTP_ANSWER before = http_get(suite_url(suite), ME, access);
    HTTP_ANSWER ended = http_delete(suite_url(suite), "/auth/session/all", access);

    CHECK_STATUS(before, 200);
    CU_ASSERT(ended->status == 200 || ended->status == 204);
    for (int i = 0; i < INSTANCES; i++) {
        HTTP_ANSWER after = http_get(suite_url(suite), ME, access);

        CHECK_ERROR(after, 401, "Unauthorized");
    }
}

static void the_keys_of_the_issuers_are_not_those_of_the_api(void)
{
    HTTP_ANSWER keys = http_get(suite_url(suite), "/.well-known/jwks.json", NULL);
    HTTP_ANSWER issuers = http_get(suite_url(suite), "/t/demo/jwks", NULL);
    json_t *key, *other;
    size_t i, j;

    CU_ASSERT_EQUAL(json_array_size(http_member(keys, "keys")), 1);
    json_array_foreach(http_member(keys, "keys"), i, key)
        json_array_foreach(http_member(issuers, "keys"), j, other)
            CU_ASSERT_STRING_NOT_EQUAL(jwt_text(key, "kid"), jwt_text(other, "kid"));
}

static char *fresh_nonce(const struct jose *key)
{
    char *proof = oauth_proof(key, &(struct oauth_proof){.method = "POST", .url = token_url});
    HTTP_ANSWER answer = tokens_of(patient, proof);

    CU_ASSERT_STRING_EQUAL(http_text(answer, "error"), "use_dpop_nonce");
    free(proof);
    return http_header(answer, "DPoP-Nonce");
}

static struct http_answer *bound_tokens(const struct jose *key, const char *nonce)
{
    char *proof =
        oauth_proof(key, &(struct oauth_proof){.method = "POST", .url = token_url, .nonce = nonce});
    struct http_answer *answer = tokens_of(patient, proof);

    CU_ASSERT_STRING_EQUAL(http_text(answer, "token_type"), "DPoP");
    free(proof);
    return answer;
}

static void a_bound_token_needs_its_proof(void)
{
    JOSE mine = jose_new("ES256", NULL);
    JOSE foreign = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(mine);
    HTTP_ANSWER tokens = bound_tokens(mine, nonce);
    const char *access = http_text(tokens, "access_token");
    const struct {
        const char *label;
        const struct jose *key;
        struct oauth_proof of;
        const char *word; /* NULL: valid */
    } rows[] = {
        {"as it should be", mine, {"GET", me_url, NULL, access, 0}, NULL},
        {"with our nonce", mine, {"GET", me_url, nonce, access, 0}, NULL},
        {"another's key", foreign, {"GET", me_url, NULL, access, 0}, "invalid_token"},
        {"another method", mine, {"POST", me_url, NULL, access, 0}, "invalid_dpop_proof"},
        {"another address", mine, {"GET", token_url, NULL, access, 0}, "invalid_dpop_proof"},
        {"of no token", mine, {"GET", me_url, NULL, NULL, 0}, "invalid_dpop_proof"},
        {"another token", mine, {"GET", me_url, NULL, "x.y.z", 0}, "invalid_dpop_proof"},
        {"old", mine, {"GET", me_url, NULL, access, time(NULL) - 90}, "use_dpop_nonce"},
        {"early", mine, {"GET", me_url, NULL, access, time(NULL) + 90}, "use_dpop_nonce"},
        {"old by its clock", mine, {"GET", me_url, nonce, access, time(NULL) - 90}, NULL},
        {"a nonce of its own", mine, {"GET", me_url, "AAAA", access, 0}, "use_dpop_nonce"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *proof = oauth_proof(rows[i].key, &rows[i].of);
        HTTP_ANSWER answer = get_with(ME, "DPoP", access, proof, NULL);

        if (rows[i].word)
            check_challenge(answer, "DPoP", rows[i].word);
        else
            UNIT_CHECK(answer->status == 200, "%s: %s", rows[i].label, answer->body);
        free(proof);
    }
    free(nonce);
}

static void a_bound_token_is_shown_in_no_other_way(void)
{
    JOSE mine = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(mine);
    HTTP_ANSWER tokens = bound_tokens(mine, nonce);
    const char *access = http_text(tokens, "access_token");
    char *one = oauth_proof(mine, &(struct oauth_proof){"GET", me_url, NULL, access, 0});
    char *other = oauth_proof(mine, &(struct oauth_proof){"GET", me_url, NULL, access, 0});
    HTTP_ANSWER as_bearer = get_with(ME, "Bearer", access, one, NULL);
    HTTP_ANSWER alone = get_with(ME, "DPoP", access, NULL, NULL);
    HTTP_ANSWER twice = get_with(ME, "DPoP", access, one, other);
    HTTP_ANSWER then = get_with(ME, "DPoP", access, one, NULL);

    check_challenge(as_bearer, "DPoP", "invalid_token");
    check_challenge(alone, "DPoP", "invalid_token");
    check_challenge(twice, "DPoP", "invalid_dpop_proof");
    CHECK_STATUS(then, 200); /* none of those requests consumed the proof */
    free(one);
    free(other);
    free(nonce);
}

static void a_proof_counts_once_for_all_instances(void)
{
    JOSE mine = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(mine), line[6000];
    HTTP_ANSWER tokens = bound_tokens(mine, nonce);
    const char *access = http_text(tokens, "access_token");
    char *proof = oauth_proof(mine, &(struct oauth_proof){"GET", me_url, NULL, access, 0});
    struct http_request requests[AT_ONCE];
    struct http_answer *answers[AT_ONCE];
    size_t good = 0, refused = 0;

    snprintf(line, sizeof(line), "Authorization: DPoP %s", access);
    for (size_t i = 0; i < AT_ONCE; i++)
        requests[i] = (struct http_request){.path = ME, .headers = {line, proof}};
    http_call_many(suite_url(suite), requests, AT_ONCE, AT_ONCE, answers);
    for (size_t i = 0; i < AT_ONCE; i++) {
        good += answers[i]->status == 200;
        refused += answers[i]->status == 401;
    }
    UNIT_CHECK(good == 1 && refused == AT_ONCE - 1, "%zu good, %zu refused", good, refused);
    http_answers_destroy(answers, AT_ONCE);
    free(proof);
    free(nonce);
}

static void proofs_of_another_key_leave_no_rows(void)
{
    enum { PROOFS = 16 };
    JOSE mine = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(mine);
    HTTP_ANSWER tokens = bound_tokens(mine, nonce);
    const char *access = http_text(tokens, "access_token");
    long before = suite_count(suite, "select count(*) from auth.oauth_once"), after;

    for (size_t i = 0; i < PROOFS; i++) {
        JOSE made_up = jose_new("ES256", NULL);
        char *proof = oauth_proof(made_up, &(struct oauth_proof){"GET", me_url, NULL, access, 0});
        HTTP_ANSWER answer = get_with(ME, "DPoP", access, proof, NULL);

        check_challenge(answer, "DPoP", "invalid_token");
        free(proof);
    }
    after = suite_count(suite, "select count(*) from auth.oauth_once");
    UNIT_CHECK(after <= before, "%ld rows", after - before);
    free(nonce);
}

static void proofs_of_an_ended_session_leave_no_rows(void)
{
    enum { PROOFS = 16 };
    JOSE mine = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(mine);
    HTTP_ANSWER tokens = bound_tokens(mine, nonce);
    const char *access = http_text(tokens, "access_token");
    long before, after;

    PERSON again = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    HTTP_ANSWER ended = http_delete(suite_url(suite), "/auth/session/all", again->access);
    CU_ASSERT(ended->status == 200 || ended->status == 204);
    before = suite_count(suite, "select count(*) from auth.oauth_once");
    for (size_t i = 0; i < PROOFS; i++) {
        char *proof = oauth_proof(mine, &(struct oauth_proof){"GET", me_url, nonce, access, 0});
        HTTP_ANSWER answer = get_with(ME, "DPoP", access, proof, NULL);

        CHECK_STATUS(answer, 401);
        free(proof);
    }
    after = suite_count(suite, "select count(*) from auth.oauth_once");
    UNIT_CHECK(after <= before, "%ld rows", after - before);
    free(nonce);
}

static void a_renewed_token_is_bound_to_the_same_key(void)
{
    JOSE mine = jose_new("ES256", NULL);
    JOSE foreign = jose_new("ES256", NULL);
    char *nonce = fresh_nonce(mine), form[1024];
    HTTP_ANSWER tokens = bound_tokens(mine, nonce);
    const struct oauth_proof of = {"POST", token_url, nonce, NULL, 0};
    char *theirs = oauth_proof(foreign, &of), *own = oauth_proof(mine, &of), *proof;

    snprintf(form, sizeof(form), "grant_type=refresh_token&client_id=%s&refresh_token=%s", client,
             http_text(tokens, "refresh_token"));
    HTTP_ANSWER stolen = exchange(form, theirs);
    HTTP_ANSWER renewed = exchange(form, own);
    CHECK_STATUS(stolen, 400);
    CHECK_STATUS(renewed, 200);
    proof = oauth_proof(mine, &(struct oauth_proof){"GET", me_url, NULL,
                                                    http_text(renewed, "access_token"), 0});
    HTTP_ANSWER me = get_with(ME, "DPoP", http_text(renewed, "access_token"), proof, NULL);
    CHECK_STATUS(me, 200);
    free(proof);
    free(own);
    free(theirs);
    free(nonce);
}

/* A gateway fetches keys that it does not know. New keys sign from a day after they are made. */
static void it_is_by_the_keys_of_the_day(void)
{
    HTTP_ANSWER before = tokens_of(patient, NULL);
    PROGRAM rotated = ATRIUMCTL(suite, NULL, "keys", "rotate", "--issuer");

    CU_ASSERT_EQUAL(rotated->code, 0);
    suite_set_clock(suite, 25 * 3600);
    HTTP_ANSWER after = tokens_of(patient, NULL);
    HTTP_ANSWER expired = http_get(suite_url(suite), ME, http_text(before, "access_token"));
    struct http_answer *me = http_get(suite_url(suite), ME, http_text(after, "access_token"));

    /* The test clock skipped that day, so the other authd may not have the new key yet. The gateway
     * asks again after a second. */
    for (int i = 0; me->status == 401 && i < 50; i++) {
        http_answer_destroy(&me);
        usleep(100000);
        me = http_get(suite_url(suite), ME, http_text(after, "access_token"));
    }
    CHECK_STATUS(me, 200);
    http_answer_destroy(&me);
    CHECK_ERROR(expired, 401, "Unauthorized");
}

static void the_scene_is_left(void)
{
    free(client);
    person_destroy(&patient);
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_person_uses_the_api_by_a_token_of_the_issuer),
    CASE(an_admin_administers_by_one),
    CASE(tokens_for_others_do_not_open_the_api),
    CASE(a_third_party_gets_none_for_the_api),
    CASE(it_ends_with_its_session),
    CASE(the_keys_of_the_issuers_are_not_those_of_the_api),
    CASE(a_bound_token_needs_its_proof),
    CASE(a_bound_token_is_shown_in_no_other_way),
    CASE(a_proof_counts_once_for_all_instances),
    CASE(proofs_of_another_key_leave_no_rows),
    CASE(proofs_of_an_ended_session_leave_no_rows),
    CASE(a_renewed_token_is_bound_to_the_same_key),
    CASE(it_is_by_the_keys_of_the_day),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("the API by tokens of an issuer", cases, ARRAY_SIZE(cases));
}
