/*
 * test_oauth_renewal.c - refreshed tokens, and the lifetime of grants: the browser's session,
 * offline access, and the client's registration.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void check_unnamed(const char *token, int status, const char *error)
{
    char form[512];

    snprintf(form, sizeof(form), "grant_type=refresh_token&refresh_token=%s", token);
    HTTP_ANSWER answer = oauth_post(suite, "token", form);
    CHECK_STATUS(answer, status);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "error"), error);
}

/* RFC 6749, section 6: npm's fhirclient sends no id. A client with a secret must send it. */
static void a_public_client_renews_without_its_id(void)
{
    BROWSER browser = browser_open(suite);
    BROWSER browser_of_server = browser_open(suite);
    char *server = oauth_register(suite, admin,
                                  "{\"type\":\"confidential\",\"authMethod\":"
                                  "\"client_secret_post\"}");
    char *secret = oauth_secret(suite, admin, server), form[1024];
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    char *code = oauth_code(browser_of_server, patient, server, OAUTH_USUAL);

    snprintf(form, sizeof(form),
             "grant_type=authorization_code&client_id=%s&client_secret=%s&code=%s&redirect_uri="
             "https%%3A%%2F%%2Fapp.example%%2Fcb&code_verifier=" OAUTH_VERIFIER,
             server, secret, code);
    HTTP_ANSWER guarded = oauth_post(suite, "token", form);
    CHECK_STATUS(guarded, 200);
    check_unnamed(http_text(guarded, "refresh_token"), 401, "invalid_client");
    check_unnamed(http_text(first, "access_token"), 400, "invalid_grant");
    check_unnamed(patient->refresh, 400, "invalid_grant");
    check_unnamed("x", 400, "invalid_grant");

    snprintf(form, sizeof(form), "grant_type=refresh_token&refresh_token=%s",
             http_text(first, "refresh_token"));
    HTTP_ANSWER next = oauth_post(suite, "token", form);
    CHECK_STATUS(next, 200);
    CU_ASSERT_STRING_EQUAL(http_text(next, "scope"), "openid profile email");
    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
    check_unnamed(http_text(next, "refresh_token"), 400, "invalid_grant");
    free(server);
    free(secret);
    free(code);
}

/* authd caches the result of a signature by the whole token text, so a token made of two valid ones
 * is refused. */
static void a_token_that_was_taken_vouches_for_no_other(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER second = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    const char *one = http_text(first, "access_token"), *two = http_text(second, "access_token");
    const int unsigned_size = (int)(strrchr(one, '.') - one);
    char *foreign, *forged = strdup(two);

    if (asprintf(&foreign, "%.*s%s", unsigned_size, one, strrchr(two, '.')) < 0)
        abort();
    forged[strlen(forged) - 10] ^= 1;
    for (int i = 0; i < 8; i++) { /* both instances have cached both tokens */
        HTTP_ANSWER good = oauth_userinfo(suite, "GET", i % 2 ? one : two, NULL);
        CHECK_STATUS(good, 200);
    }
    for (int i = 0; i < 8; i++) {
        HTTP_ANSWER bad = oauth_userinfo(suite, "GET", i % 2 ? foreign : forged, NULL);
        CHECK_STATUS(bad, 401);
    }
    free(foreign);
    free(forged);
}

/* OpenID Connect Core 1.0, section 12.2: nonce belongs to the request whose code was exchanged. */
static void id_tokens_of_renewals_have_no_nonce(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL "&nonce=n1");
    HTTP_ANSWER next = oauth_renew(suite, app, http_text(first, "refresh_token"), "");
    json_auto_t *had = oauth_claims(suite, http_text(first, "id_token"), "JWT", "RS256");
    json_auto_t *has = oauth_claims(suite, http_text(next, "id_token"), "JWT", "RS256");

    CU_ASSERT_STRING_EQUAL(jwt_text(had, "nonce"), "n1");
    CU_ASSERT_STRING_EQUAL(jwt_text(has, "sub"), jwt_text(had, "sub"));
    CU_ASSERT_TRUE(
        json_equal(json_object_get(has, "auth_time"), json_object_get(had, "auth_time")));
    CU_ASSERT_PTR_NULL(json_object_get(has, "nonce"));
}

static void a_narrowed_token_shows_no_more_than_it_says(void)
{
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER less =
        oauth_renew(suite, app, http_text(first, "refresh_token"), "&scope=openid+email");
    HTTP_ANSWER none = oauth_renew(suite, app, http_text(less, "refresh_token"), "&scope=profile");
    HTTP_ANSWER all = oauth_renew(suite, app, http_text(none, "refresh_token"), "");
    HTTP_ANSWER shown_less = oauth_userinfo(suite, "GET", http_text(less, "access_token"), NULL);
    HTTP_ANSWER shown_none = oauth_userinfo(suite, "GET", http_text(none, "access_token"), NULL);
    HTTP_ANSWER shown_all = oauth_userinfo(suite, "GET", http_text(all, "access_token"), NULL);

    CHECK_STATUS(shown_less, 200);
    CU_ASSERT_STRING_EQUAL(http_text(shown_less, "email"), patient->email);
    CU_ASSERT_PTR_NULL(http_member(shown_less, "name"));
    CU_ASSERT_PTR_NULL(http_member(shown_less, "family_name"));
    CHECK_STATUS(shown_none, 403);
    CU_ASSERT_STRING_EQUAL(http_text(shown_none, "error"), "insufficient_scope");
    CHECK_STATUS(shown_all, 200);
    CU_ASSERT_PTR_NOT_NULL(http_member(shown_all, "name"));
}

static void rewrite(const char *client, const char *more)
{
    json_t *body =
        json_loads("{\"name\":\"Diary\",\"type\":\"public\",\"redirectUris\":[\"" OAUTH_REDIRECT
                   "\"],"
                   "\"grantTypes\":[\"authorization_code\",\"refresh_token\"],\"firstParty\":true,"
                   "\"scopes\":[\"openid\",\"profile\",\"email\"]}",
                   0, NULL);
    json_t *others = json_loads(more, 0, NULL);
    char path[128];

    json_object_update(body, others);
    json_decref(others);
    snprintf(path, sizeof(path), "/v1/project/clients/%s", client);
    HTTP_ANSWER written = http_put(suite_url(suite), path, admin->access, body);
    CHECK_STATUS(written, 200);
}

static void check_not_renewed(const char *client, const struct http_answer *tokens,
                              const char *label)
{
    HTTP_ANSWER refused = oauth_renew(suite, client, http_text(tokens, "refresh_token"), "");

    UNIT_CHECK(refused->status == 400 && strcmp(http_text(refused, "error"), "invalid_grant") == 0,
               "%s: %d %s", label, refused->status, refused->body);
}

/* A grant ends when its client loses a scope or resource or becomes third-party, which needs
 * consent. Restoring them does not restore the grant. */
static void what_a_client_has_lost_is_not_renewed(void)
{
#define AUDIENCE "\"audiences\":[\"https://api.example\"]"
#define SMALL                                                                   \
    "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=st8" \
    "&scope=openid+email" OAUTH_PKCE
    char *client = oauth_register(suite, admin, "{" AUDIENCE "}"), own[512];
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER first = oauth_tokens(suite, browser, patient, client, OAUTH_USUAL);
    HTTP_ANSWER small = oauth_tokens(suite, browser, patient, client, SMALL);
    HTTP_ANSWER target =
        oauth_tokens(suite, browser, patient, client, SMALL "&resource=https%3A%2F%2Fapi.example");

    snprintf(own, sizeof(own), "%s&resource=%s", SMALL, suite_text(suite, "publicUrl"));
    HTTP_ANSWER api = oauth_tokens(suite, browser, patient, client, own);

    rewrite(client, "{" AUDIENCE ",\"scopes\":[\"openid\",\"email\"]}");
    check_not_renewed(client, first, "a scope");
    HTTP_ANSWER kept = oauth_renew(suite, client, http_text(small, "refresh_token"), "");
    CHECK_STATUS(kept, 200);
    CU_ASSERT_STRING_EQUAL(http_text(kept, "scope"), "openid email");
    rewrite(client, "{}");
    check_not_renewed(client, target, "a resource");
    HTTP_ANSWER again = oauth_renew(suite, client, http_text(kept, "refresh_token"), "");
    CHECK_STATUS(again, 200);
    rewrite(client, "{\"firstParty\":false}");
    check_not_renewed(client, again, "the first party");
    check_not_renewed(client, api, "the API");

    rewrite(client, "{" AUDIENCE "}");
    check_not_renewed(client, first, "a scope that came back");
    check_not_renewed(client, target, "a resource that came back");
    check_not_renewed(client, again, "the first party that came back");
    free(client);
}

static void grants_end_with_the_browser_but_for_offline_access(void)
{
    static const char offline[] = "&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
                                  "&scope=openid+offline_access" OAUTH_PKCE;
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER without = oauth_tokens(suite, browser, patient, app, OAUTH_USUAL);
    HTTP_ANSWER with = oauth_tokens(suite, browser, patient, app, offline);

    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
    HTTP_ANSWER ended = oauth_userinfo(suite, "GET", http_text(without, "access_token"), NULL);
    HTTP_ANSWER lives = oauth_userinfo(suite, "GET", http_text(with, "access_token"), NULL);
    HTTP_ANSWER renewed = oauth_renew(suite, app, http_text(without, "refresh_token"), "");
    HTTP_ANSWER again = oauth_renew(suite, app, http_text(with, "refresh_token"), "");
    CHECK_STATUS(ended, 401);
    CHECK_STATUS(lives, 200);
    CHECK_STATUS(renewed, 400);
    CHECK_STATUS(again, 200);
}

static size_t named_in(const struct http_answer *list, const char *member, const char *client)
{
    size_t named = 0, i;
    json_t *each;

    json_array_foreach(http_member(list, member), i, each)
    {
        json_t *of = json_object_get(each, "client");
        const char *id = json_string_value(json_object_get(of, "id"));

        UNIT_CHECK(!of || json_object_size(of) == 2, "client has id and name");
        if (id && strcmp(id, client) == 0 &&
            strcmp(json_string_value(json_object_get(of, "name")), "Growth <b>chart") == 0)
            named++;
    }
    return named;
}

/* Both session lists and the page name a grant's client; a sign-in has none. /auth/me does not look
 * it up, because applications call it on every page. */
static void a_grant_is_listed_by_its_client(void)
{
    char *client = oauth_register(suite, admin, "{\"name\":\"Growth <b>chart\"}");
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER tokens = oauth_tokens(suite, browser, patient, client, OAUTH_USUAL);
    char *account, path[128], query[256];

    CHECK_STATUS(tokens, 200);
    snprintf(query, sizeof(query),
             "select s.account_id from auth.session s join auth.oauth_grant g on "
             "g.session_id = s.id where g.client_id = '%s'",
             client);
    account = suite_query(suite, query);
    snprintf(path, sizeof(path), "/v1/project/accounts/%s/sessions", account);
    HTTP_ANSWER own = http_get(suite_url(suite), "/auth/session", patient->access);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);
    HTTP_ANSWER all = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(own, 200);
    CHECK_STATUS(me, 200);
    CHECK_STATUS(all, 200);
    CU_ASSERT_EQUAL(named_in(own, "sessions", client), 1);
    CU_ASSERT_EQUAL(named_in(all, "resources", client), 1);
    CU_ASSERT_TRUE(json_array_size(http_member(own, "sessions")) > 1);
    CU_ASSERT_PTR_NULL(strstr(me->body, "Growth"));
    browser_get(browser, "account");
    CU_ASSERT_TRUE(browser_sees(browser, "<bdi>Growth &lt;b&gt;chart</bdi>"));
    CU_ASSERT_TRUE(browser_sees(browser, "aria-label=\"End session: Growth &lt;b&gt;chart\""));
    free(account);
    free(client);
}

static void signing_out_voids_the_code(void)
{
    BROWSER browser = browser_open(suite);
    char *code = oauth_code(browser, patient, app, OAUTH_USUAL);

    browser_get(browser, "account");
    CU_ASSERT_EQUAL(browser_post(browser, "account", "do=sign-out"), 303);
    HTTP_ANSWER answer = oauth_exchange(suite, app, code);
    CHECK_STATUS(answer, 400);
    free(code);
}

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &app);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_public_client_renews_without_its_id),
    CASE(a_token_that_was_taken_vouches_for_no_other),
    CASE(id_tokens_of_renewals_have_no_nonce),
    CASE(a_narrowed_token_shows_no_more_than_it_says),
    CASE(what_a_client_has_lost_is_not_renewed),
    CASE(grants_end_with_the_browser_but_for_offline_access),
    CASE(a_grant_is_listed_by_its_client),
    CASE(signing_out_voids_the_code),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth renewal", cases, ARRAY_SIZE(cases));
}
