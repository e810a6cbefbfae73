/*
 * test_issuer_rotation.c - rotation of the issuers' keys: published before use, and rotated while
 * clients refresh.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/domain/jwt.h"
#include "tests/support/oauth.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define HOUR 3600

static struct suite *suite;
static struct person *admin, *patient;
static char *app; /* a first-party client */

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &app, NULL);
}

/* Uses a patient's ID token as hint: the patient gets a code, another person does not. */
static void check_hint(const char *id_token)
{
    static const char *const errors[] = {"", "login_required"};
    PERSON other = person_register(suite, NULL);
    const struct person *people[] = {patient, other};
    char behind[2048], *error;

    snprintf(behind, sizeof(behind), "%s&prompt=none&id_token_hint=%s", OAUTH_USUAL, id_token);
    for (size_t i = 0; i < ARRAY_SIZE(people); i++) {
        BROWSER browser = browser_open(suite);

        free(oauth_code(browser, people[i], app, OAUTH_USUAL));
        oauth_ask(browser, app, behind);
        error = oauth_parameter(browser, "error");
        CU_ASSERT_STRING_EQUAL(error, errors[i]);
        free(error);
    }
}

/* A new pair is published a day before it signs, the old one until a day after its last token. */
static void new_keys_are_published_before_they_sign(void)
{
    BROWSER before = browser_open(suite);
    BROWSER behind = browser_open(suite);
    PROGRAM rotated = ATRIUMCTL(suite, NULL, "keys", "rotate", "--issuer");
    json_t *claims;

    CU_ASSERT_EQUAL(rotated->code, 0);
    CU_ASSERT_TRUE(oauth_keys_come_to(suite, 4));
    HTTP_ANSWER first = oauth_tokens(suite, before, patient, app, OAUTH_USUAL);
    suite_advance_clock(suite, 24 * HOUR + 60);
    HTTP_ANSWER second = oauth_tokens(suite, behind, patient, app, OAUTH_USUAL);
    claims = oauth_claims(suite, http_text(second, "id_token"), "JWT", "RS256");
    CU_ASSERT_PTR_NOT_NULL(claims);
    json_decref(claims);
    /* The first 60 characters, the header, differ: it has the key's id, so another key signed. */
    CU_ASSERT_NOT_EQUAL(strncmp(http_text(first, "id_token"), http_text(second, "id_token"), 60),
                        0);
    claims = oauth_claims(suite, http_text(first, "id_token"), "JWT", "RS256");
    CU_ASSERT_PTR_NOT_NULL(claims);
    json_decref(claims);
    suite_advance_clock(suite, 26 * HOUR);
    CU_ASSERT_TRUE(oauth_keys_come_to(suite, 2));
    check_hint(http_text(first, "id_token")); /* still identifies the person */
}

enum {
    RENEWERS = 8,
    SIGNING_S = 3,
    PAUSE_MS = 100,
    PUBLISHING_S = 12 /* a gateway caches a key set for ten seconds */
};

/* A client that refreshes and verifies tokens with its copy of the key set. */
struct renewer {
    char *refresh;
    json_t *keys;
    char *kid; /* kid of its last ID token */
};

static json_t *fetch_keys(void)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), "/t/demo/jwks", NULL);

    CHECK_STATUS(answer, 200);
    return json_incref(http_member(answer, "keys"));
}

static bool has_key(const json_t *keys, const char *kid)
{
    const json_t *each;
    size_t i;

    json_array_foreach(keys, i, each)
    {
        if (strcmp(jwt_text(each, "kid"), kid) == 0)
            return true;
    }
    return false;
}

static char *kid_of(const char *token)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct jwt jwt;
    char *kid;

    if (jwt_read(token, arena, &jwt) < 0)
        return strdup("");
    kid = strdup(jwt_text(jwt.header, "kid"));
    jwt_clear(&jwt);
    return kid;
}

/* An unknown key id makes it fetch the set once. */
static void renewer_accept(struct renewer *self, const struct http_answer *answer)
{
    const char *token = http_text(answer, "id_token");
    json_t *claims;

    UNIT_CHECK(answer->status == 200, "%d %s", answer->status, answer->body);
    if (answer->status != 200)
        return;
    free(self->refresh);
    self->refresh = strdup(http_text(answer, "refresh_token"));
    free(self->kid);
    self->kid = kid_of(token);
    if (!has_key(self->keys, self->kid)) {
        json_decref(self->keys);
        self->keys = fetch_keys();
    }
    claims = oauth_claims_by(self->keys, token, "JWT", "RS256");
    UNIT_CHECK(claims != NULL, "not verified by the keys that are published: %s", self->kid);
    json_decref(claims);
}

static void renewers_open(struct renewer *self)
{
    static const char offline[] = "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
                                  "&scope=openid+offline_access" OAUTH_PKCE;
    BROWSER browser = browser_open(suite);

    for (size_t i = 0; i < RENEWERS; i++) {
        HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, app, offline);

        self[i] = (struct renewer){NULL, fetch_keys(), NULL};
        renewer_accept(&self[i], tokens);
    }
}

static void renewers_close(struct renewer *self)
{
    for (size_t i = 0; i < RENEWERS; i++) {
        free(self[i].refresh);
        free(self[i].kid);
        json_decref(self[i].keys);
    }
}

/* Runs all clients for this time and counts the refreshes. They pause between refreshes: sets are
 * fetched only every ten seconds, so a fully loaded core would show no more. */
static long renewers_run(struct renewer *self, int seconds)
{
    char forms[RENEWERS][1024];
    struct http_request requests[RENEWERS];
    struct http_answer *answers[RENEWERS];
    int64_t end_ms = clock_mono_ms() + seconds * 1000;
    long count = 0;

    for (; clock_mono_ms() < end_ms; count += RENEWERS) {
        for (size_t i = 0; i < RENEWERS; i++) {
            snprintf(forms[i], sizeof(forms[i]),
                     "grant_type=refresh_token&client_id=%s&refresh_token=%s", app,
                     self[i].refresh);
            requests[i] =
                (struct http_request){.method = "POST",
                                      .path = "/t/demo/token",
                                      .raw = forms[i],
                                      .content_type = "application/x-www-form-urlencoded"};
        }
        http_call_many(suite_url(suite), requests, RENEWERS, RENEWERS, answers);
        for (size_t i = 0; i < RENEWERS; i++)
            renewer_accept(&self[i], answers[i]);
        http_answers_destroy(answers, RENEWERS);
        unit_sleep_ms(PAUSE_MS);
    }
    return count;
}

/* Eight clients refresh and verify while a pair is made, published and used. None is refused, each
 * ID token verifies with the known keys or one fetch, and the retired key stays published. */
static void keys_are_rotated_under_load(void)
{
    static const char *const rotate[] = {"keys", "rotate", "--issuer", NULL};
    struct renewer renewers[RENEWERS];
    char *former;
    long count = 0;

    renewers_open(renewers);
    former = strdup(renewers[0].kid);
    PROGRAM rotated = suite_command_start(suite, rotate);
    for (int i = 0; i < 70 && !program_wait_end(rotated, 10); i++)
        count += renewers_run(renewers, 1);
    CHECK_EXIT(rotated, 0);
    count += renewers_run(renewers, PUBLISHING_S);
    CU_ASSERT_STRING_EQUAL(renewers[0].kid, former); /* the new key does not sign yet */
    suite_advance_clock(suite, 24 * HOUR + 60);
    count += renewers_run(renewers, SIGNING_S);
    for (size_t i = 0; i < RENEWERS; i++) {
        UNIT_CHECK(strcmp(renewers[i].kid, former) != 0, "%zu still by the former key", i);
        CU_ASSERT_TRUE(has_key(renewers[i].keys, former));
    }
    fprintf(stderr, "%ld renewals while keys were rotated\n", count);
    CU_ASSERT_TRUE(count > 10 * RENEWERS);
    free(former);
    renewers_close(renewers);
}

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &app);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(new_keys_are_published_before_they_sign),
    CASE(keys_are_rotated_under_load),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("issuer rotation", cases, ARRAY_SIZE(cases));
}
