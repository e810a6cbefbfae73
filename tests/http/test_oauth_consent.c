/*
 * test_oauth_consent.c - consent: for which clients, which scopes, and how long.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/oauth.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin, *patient;
static char *app; /* a first-party client */

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &app, NULL);
}

static void others_clients_are_consented_to(void)
{
    char *theirs = oauth_register(suite, admin, "{\"name\":\"<b>Theirs\",\"firstParty\":false}");
    BROWSER browser = browser_open(suite);
    char *code, *error, path[256];
    PERSON person = person_register(suite, NULL);

    oauth_ask(browser, theirs, OAUTH_USUAL);
    oauth_follow(browser);
    CU_ASSERT_EQUAL(oauth_sign_in(browser, person->email, FORM_PASSWORD), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
    CU_ASSERT_TRUE(browser_sees(browser, "&lt;b&gt;Theirs"));
    CU_ASSERT_FALSE(browser_sees(browser, "<b>Theirs"));
    oauth_consent(browser, "deny");
    error = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(error, "access_denied");
    free(error);

    oauth_ask(browser, theirs, OAUTH_USUAL "&prompt=none");
    error = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(error, "consent_required");
    free(error);
    oauth_ask(browser, theirs, OAUTH_USUAL);
    oauth_follow(browser);
    oauth_consent(browser, "allow");
    code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    HTTP_ANSWER tokens = oauth_exchange(suite, theirs, code);
    CHECK_STATUS(tokens, 200);
    free(code);
    oauth_ask(browser, theirs, OAUTH_USUAL "&prompt=none"); /* the consent was stored */
    code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    oauth_ask(browser, theirs,
              "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&prompt=none"
              "&scope=openid+fhirUser" OAUTH_PKCE); /* a new scope needs consent */
    error = oauth_parameter(browser, "error");
    CU_ASSERT_STRING_EQUAL(error, "consent_required");
    free(error);
    oauth_ask(browser, theirs, OAUTH_USUAL "&prompt=consent");
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));

    HTTP_ANSWER list = http_get(suite_url(suite), "/auth/consent", person->access);
    HTTP_ANSWER none = http_get(suite_url(suite), "/auth/consent", NULL);
    CHECK_STATUS(list, 200);
    CHECK_STATUS(none, 401);
    CU_ASSERT_STRING_EQUAL(http_text(list, "consents.0.clientId"), theirs);
    snprintf(path, sizeof(path), "/auth/consent?clientId=%s", theirs);
    HTTP_ANSWER withdrawn = http_delete(suite_url(suite), path, person->access);
    HTTP_ANSWER twice = http_delete(suite_url(suite), path, person->access);
    HTTP_ANSWER ended = oauth_userinfo(suite, "GET", http_text(tokens, "access_token"), NULL);
    HTTP_ANSWER voided = oauth_exchange(suite, theirs, code);
    CHECK_STATUS(withdrawn, 200);
    CHECK_STATUS(twice, 404);
    CHECK_STATUS(ended, 401);
    CHECK_STATUS(voided, 400);
    free(code);
    free(theirs);
}

/* Returns the error of a request with this redirect URI and without a page, "" for a code (caller
 * frees). */
static char *silent_error(struct browser *browser, const char *client, const char *redirect_uri)
{
    char behind[512];

    snprintf(behind, sizeof(behind),
             "&response_type=code&scope=openid&prompt=none&redirect_uri=%s" OAUTH_PKCE,
             redirect_uri);
    oauth_ask(browser, client, behind);
    return oauth_parameter(browser, "error");
}

/* RFC 8252, section 8.6: any program of a device can use a private scheme or the loopback
 * interface. Only a secret or a host name identifies a client. */
static void a_client_that_others_can_pass_for_is_consented_to_each_time(void)
{
#define NATIVE                                                                                   \
    "\"redirectUris\":[\"https://app.example/cb\",\"http://127.0.0.1/cb\",\"example.app:/cb\"]," \
    "\"scopes\":[\"openid\"]"
    static const struct {
        const char *client, *redirect_uri, *error;
    } rows[] = {
        {"{" NATIVE ",\"firstParty\":false}", "https%3A%2F%2Fapp.example%2Fcb", ""},
        {"{" NATIVE ",\"firstParty\":false}", "http%3A%2F%2F127.0.0.1%3A4711%2Fcb",
         "consent_required"},
        {"{" NATIVE ",\"firstParty\":false}", "example.app%3A%2Fcb", "consent_required"},
        {"{" NATIVE ",\"firstParty\":false,\"type\":\"confidential\"}",
         "http%3A%2F%2F127.0.0.1%3A4711%2Fcb", ""},
        {"{" NATIVE "}", "http%3A%2F%2F127.0.0.1%3A4711%2Fcb", ""}, /* first-party */
    };
    BROWSER browser = browser_open(suite);

    free(oauth_code(browser, patient, app, OAUTH_USUAL));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *client = oauth_register(suite, admin, rows[i].client), behind[512], *code, *error;

        snprintf(behind, sizeof(behind),
                 "&response_type=code&scope=openid&redirect_uri=%s" OAUTH_PKCE,
                 rows[i].redirect_uri);
        oauth_ask(browser, client, behind);
        if (oauth_follow(browser) == 200)
            oauth_consent(browser, "allow");
        code = oauth_parameter(browser, "code");
        error = silent_error(browser, client, rows[i].redirect_uri);
        UNIT_CHECK(*code != '\0' && strcmp(error, rows[i].error) == 0, "%s at %s: \"%s\"",
                   rows[i].client, rows[i].redirect_uri, error);
        free(error);
        free(code);
        free(client);
    }
}

#define DIARY "https%3A%2F%2Fdiary.example"
#define SCALE "https%3A%2F%2Fscale.example"
#define TWO_RESOURCES \
    "\"firstParty\":false,\"audiences\":[\"https://diary.example\",\"https://scale.example\"]"

/* Requests scopes at a resource ("" for the issuer), with or without prompts. */
static void ask_at(struct browser *browser, const char *client, const char *scope,
                   const char *resource, const char *prompt)
{
    char behind[512];

    snprintf(behind, sizeof(behind),
             "&response_type=code&redirect_uri=https%%3A%%2F%%2Fapp.example%%2Fcb" OAUTH_PKCE
             "&scope=%s&resource=%s%s",
             scope, resource, prompt);
    oauth_ask(browser, client, behind);
}

static bool is_allowed(struct browser *browser, const char *client, const char *scope,
                       const char *resource)
{
    char *error, *code;
    bool allowed;

    ask_at(browser, client, scope, resource, "&prompt=none");
    error = oauth_parameter(browser, "error");
    code = oauth_parameter(browser, "code");
    allowed = *code != '\0';
    UNIT_CHECK(allowed || strcmp(error, "consent_required") == 0, "%s at %s: %s", scope, resource,
               error);
    free(code);
    free(error);
    return allowed;
}

static void allow_at(struct browser *browser, const char *client, const char *scope,
                     const char *resource)
{
    ask_at(browser, client, scope, resource, "");
    CU_ASSERT_EQUAL(oauth_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Allow access?"));
    oauth_consent(browser, "allow");
}

static void each_pair_of_scope_and_resource_is_asked_for(void)
{
    char *theirs = oauth_register(suite, admin, "{" TWO_RESOURCES "}");
    BROWSER browser = browser_open(suite);
    PERSON person = person_register(suite, NULL);

    CU_ASSERT_TRUE(browser_signs_in(browser, person->email, FORM_PASSWORD));
    allow_at(browser, theirs, "profile", DIARY);
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "profile", SCALE));
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "profile", ""));
    allow_at(browser, theirs, "email", SCALE);
    CU_ASSERT_TRUE(is_allowed(browser, theirs, "profile", DIARY));
    CU_ASSERT_TRUE(is_allowed(browser, theirs, "email", SCALE));
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "profile", SCALE));
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "email", DIARY));
    allow_at(browser, theirs, "email", DIARY);
    CU_ASSERT_TRUE(is_allowed(browser, theirs, "profile+email", DIARY)); /* earlier consent stays */
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "profile", SCALE));
    HTTP_ANSWER list = http_get(suite_url(suite), "/auth/consent", person->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "consents")), 1);
    CU_ASSERT_STRING_EQUAL(http_text(list, "consents.0.scope"), "profile email");
    free(theirs);
}

/* A consent page, and the thread that answers it. */
struct answering {
    struct browser *browser;
    pthread_t thread;
    int status;
};

static void *allow(void *arg)
{
    struct answering *self = arg;

    self->status = oauth_consent(self->browser, "allow");
    return NULL;
}

/* In two tabs, or on a page and for a device, neither consent undoes the other. */
static void two_consents_at_once_both_stay(void)
{
    static const char *const scopes[] = {"profile", "email"};
    char *theirs = oauth_register(suite, admin, "{" TWO_RESOURCES "}"), sql[256];
    struct answering tabs[ARRAY_SIZE(scopes)] = {{.browser = NULL}};
    PERSON person = person_register(suite, NULL);
    pid_t holder;

    for (size_t i = 0; i < ARRAY_SIZE(tabs); i++) {
        tabs[i].browser = browser_open(suite);
        CU_ASSERT_TRUE(browser_signs_in(tabs[i].browser, person->email, FORM_PASSWORD));
    }
    allow_at(tabs[0].browser, theirs, "openid", SCALE);
    for (size_t i = 0; i < ARRAY_SIZE(tabs); i++) {
        ask_at(tabs[i].browser, theirs, scopes[i], DIARY, "");
        CU_ASSERT_EQUAL(oauth_follow(tabs[i].browser), 200);
    }
    snprintf(sql, sizeof(sql), "select from auth.oauth_consent where client_id = '%s' for update",
             theirs);
    holder = suite_hold(suite, sql);
    for (size_t i = 0; i < ARRAY_SIZE(tabs); i++)
        pthread_create(&tabs[i].thread, NULL, allow, &tabs[i]);
    for (size_t i = 0; i < ARRAY_SIZE(tabs); i++)
        pthread_join(tabs[i].thread, NULL);
    waitpid(holder, NULL, 0);
    for (size_t i = 0; i < ARRAY_SIZE(tabs); i++)
        UNIT_CHECK(is_allowed(tabs[0].browser, theirs, scopes[i], DIARY), "%s", scopes[i]);
    HTTP_ANSWER list = http_get(suite_url(suite), "/auth/consent", person->access);
    const char *all = http_text(list, "consents.0.scope");
    UNIT_CHECK(strncmp(all, "openid ", 7) == 0 && strstr(all, "profile") && strstr(all, "email"),
               "%s", all);
    for (size_t i = 0; i < ARRAY_SIZE(tabs); i++)
        browser_close(&tabs[i].browser);
    free(theirs);
}

static void set_terms(const char *client, const char *version)
{
    char path[128], json[640];

    snprintf(path, sizeof(path), "/v1/project/clients/%s", client);
    snprintf(json, sizeof(json),
             "{\"name\":\"Diary\",\"type\":\"public\",\"redirectUris\":[\"" OAUTH_REDIRECT
             "\"],\"grantTypes\":[\"authorization_code\"],\"scopes\":[\"profile\"],"
             "\"tosVersion\":\"%s\"," TWO_RESOURCES "}",
             version);
    HTTP_ANSWER changed =
        http_put(suite_url(suite), path, admin->access, json_loads(json, 0, NULL));
    CHECK_STATUS(changed, 200);
}

static void new_terms_are_asked_for(void)
{
    char *theirs = oauth_register(suite, admin, "{" TWO_RESOURCES ",\"tosVersion\":\"1\"}");
    BROWSER browser = browser_open(suite);
    PERSON person = person_register(suite, NULL);

    CU_ASSERT_TRUE(browser_signs_in(browser, person->email, FORM_PASSWORD));
    allow_at(browser, theirs, "profile", DIARY);
    CU_ASSERT_TRUE(is_allowed(browser, theirs, "profile", DIARY));
    set_terms(theirs, "2");
    CU_ASSERT_FALSE(is_allowed(browser, theirs, "profile", DIARY));
    allow_at(browser, theirs, "profile", DIARY);
    CU_ASSERT_TRUE(is_allowed(browser, theirs, "profile", DIARY));
    free(theirs);
}

static void consent_is_not_given_by_other_sites(void)
{
    char *theirs = oauth_register(suite, admin, "{\"name\":\"Theirs\",\"firstParty\":false}");
    BROWSER browser = browser_open(suite);
    PERSON person = person_register(suite, NULL);
    char *next, *form;

    oauth_ask(browser, theirs, OAUTH_USUAL);
    oauth_follow(browser);
    oauth_sign_in(browser, person->email, FORM_PASSWORD);
    next = browser_value(browser, "next");
    if (asprintf(&form, "do=allow&next=%s", next) < 0)
        abort();
    browser->no_token = true;
    CU_ASSERT_EQUAL(browser_post(browser, "consent", form), 403);
    browser->no_token = false;
    free(browser->origin);
    browser->origin = strdup("https://evil.example");
    CU_ASSERT_EQUAL(browser_post(browser, "consent", form), 403);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.oauth_consent where client_id = "
                                "'%s'",
                                theirs),
                    0);
    free(next);
    free(form);
    free(theirs);
}

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &app);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(others_clients_are_consented_to),
    CASE(a_client_that_others_can_pass_for_is_consented_to_each_time),
    CASE(each_pair_of_scope_and_resource_is_asked_for),
    CASE(two_consents_at_once_both_stay),
    CASE(new_terms_are_asked_for),
    CASE(consent_is_not_given_by_other_sites),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth consent", cases, ARRAY_SIZE(cases));
}
