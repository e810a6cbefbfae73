/*
 * test_backchannel_logout.c - OpenID Connect Back-Channel Logout 1.0: each ended grant is posted to
 * its client over https (receiver: tests/openid/logout_receiver.cjs) after commit, whatever
 * receiver or authd do.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/domain/jwt.h"
#include "tests/support/certificate.h"
#include "tests/support/oauth.h"
#include "tests/support/receiver.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define EVENT "http://schemas.openid.net/event/backchannel-logout"

enum { SOON_MS = 10000, LATER_MS = 60000, GRANTS = 12 };

static struct suite *suite;
static struct person *admin;
static struct unit_dir dir;
static struct receiver receiver;

static void start_receiver(void)
{
    receiver_start(&receiver,
                   (const char *const[]){"/usr/bin/env", "node", "tests/openid/logout_receiver.cjs",
                                         dir.path, NULL});
}

static void set_mode(const char *name, const char *mode)
{
    HTTP_ANSWER set = receiver_command(&receiver, "PUT", name, json_pack("{s:s}", "mode", mode));

    CHECK_STATUS(set, 200);
}

static size_t tokens(const char *name)
{
    HTTP_ANSWER answer = receiver_command(&receiver, "GET", name, NULL);

    return json_array_size(http_member(answer, "tokens"));
}

static bool tokens_come_to(const char *name, size_t want, int timeout_ms)
{
    int64_t until = clock_mono_ms() + timeout_ms;
    size_t have;

    while ((have = tokens(name)) < want && clock_mono_ms() < until)
        usleep(50000);
    return UNIT_CHECK(have == want, "%s: %zu tokens instead of %zu", name, have, want);
}

static bool requests_come_to(const char *name, long want)
{
    int64_t until = clock_mono_ms() + SOON_MS;

    while (receiver_count(&receiver, name, "requests") < want && clock_mono_ms() < until)
        usleep(50000);
    return receiver_count(&receiver, name, "requests") >= want;
}

static bool is_delivered(const char *name, const char *session)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    HTTP_ANSWER answer = receiver_command(&receiver, "GET", name, NULL);
    bool found = false;
    json_t *token;
    struct jwt jwt;
    size_t i;

    json_array_foreach(http_member(answer, "tokens"), i, token)
    {
        if (jwt_read(json_string_value(token), arena, &jwt) < 0)
            continue;
        found = found || strcmp(jwt_text(jwt.claims, "sid"), session) == 0;
        jwt_clear(&jwt);
    }
    return found;
}

/* Makes a client whose logouts go to this host name of the receiver. The caller frees its id. */
static char *client_of(const char *host, const char *name, bool first_party)
{
    char more[256];

    snprintf(more, sizeof(more),
             "{\"name\":\"%s\",\"firstParty\":%s,\"backchannelLogoutUri\":\"https://%s:%d/%s\"}",
             name, first_party ? "true" : "false", host, receiver.port, name);
    return oauth_register(suite, admin, more);
}

struct held {
    struct browser *browser;
    struct person *person;
    char *code, *session, *access, *refresh;
    const char *client;
};

static char *session_of(const char *access)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct jwt jwt;
    char *session;

    if (jwt_read(access, arena, &jwt) < 0)
        return strdup("");
    session = strdup(jwt_text(jwt.claims, "sid"));
    jwt_clear(&jwt);
    return session;
}

static void give(struct held *held, const char *client)
{
    oauth_ask(held->browser, client, OAUTH_USUAL);
    if (oauth_follow(held->browser) == 200 && browser_sees(held->browser, "name=\"password\""))
        oauth_sign_in(held->browser, held->person->email, FORM_PASSWORD);
    if (browser_sees(held->browser, "Allow access?"))
        oauth_consent(held->browser, "allow");
    held->code = oauth_parameter(held->browser, "code");
    HTTP_ANSWER answer = oauth_exchange(suite, client, held->code);
    CHECK_STATUS(answer, 200);
    held->client = client;
    held->access = strdup(http_text(answer, "access_token"));
    held->refresh = strdup(http_text(answer, "refresh_token"));
    held->session = session_of(held->access);
}

static struct held hold(const char *client)
{
    struct held held = {.browser = browser_open(suite), .person = browser_person(suite)};

    give(&held, client);
    return held;
}

static void held_clear(struct held *held)
{
    browser_close(&held->browser);
    person_destroy(&held->person);
    free(held->code);
    free(held->session);
    free(held->access);
    free(held->refresh);
}
#define HELD CLEANUP(held_clear) struct held

static void sign_out(struct held *held)
{
    browser_get(held->browser, "account");
    CU_ASSERT_EQUAL(browser_post(held->browser, "account", "do=sign-out"), 303);
}

static bool state_comes_to(const char *session, const char *state)
{
    return UNIT_CHECK(suite_comes_to(suite, 1, SOON_MS,
                                     "select count(*) from auth.logout_delivery "
                                     "where session_id = '%s' and state = '%s'",
                                     session, state),
                      "%s is not %s", session, state);
}

static void the_scene_is_set(void)
{
    char set[200];

    dir = unit_dir_make();
    certificate_make(&dir);
    start_receiver();
    snprintf(set, sizeof(set), "authd.allow_networks=127.0.0.1/32,authd.client_ca_file=%s/cert.pem",
             dir.path);
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .set = set});
    admin = person_admin(suite);
    UNIT_REQUIRE(admin->access != NULL, "an admin");
}

static void discovery_names_what_is_supported(void)
{
    HTTP_ANSWER page = http_get(suite_url(suite), "/t/demo/.well-known/openid-configuration", NULL);

    CU_ASSERT_TRUE(json_is_true(http_member(page, "backchannel_logout_supported")));
    CU_ASSERT_TRUE(json_is_true(http_member(page, "backchannel_logout_session_supported")));
}

static const char *text_of(const json_t *claims, const char *name)
{
    const char *text = json_string_value(json_object_get(claims, name));

    return text ? text : "";
}

/* OpenID Connect Back-Channel Logout 1.0, section 2.4. */
static void logout_tokens_have_what_the_standard_demands(void)
{
    char *client = client_of("127.0.0.1", "claims", true);
    HELD held = hold(client);
    HTTP_ANSWER who = http_get(suite_url(suite), "/t/demo/userinfo", held.access);
    HTTP_ANSWER discovery =
        http_get(suite_url(suite), "/t/demo/.well-known/openid-configuration", NULL);
    json_t *claims, *events;
    int64_t issued, now = clock_real_ms() / 1000;

    sign_out(&held);
    CU_ASSERT_TRUE(tokens_come_to("claims", 1, SOON_MS));
    HTTP_ANSWER came = receiver_command(&receiver, "GET", "claims", NULL);
    CU_ASSERT_STRING_EQUAL(http_text(came, "types.0"), "application/x-www-form-urlencoded");
    claims = oauth_claims(suite, http_text(came, "tokens.0"), "logout+jwt", "RS256");
    CU_ASSERT_PTR_NOT_NULL_FATAL(claims);
    CU_ASSERT_STRING_EQUAL(text_of(claims, "iss"), http_text(discovery, "issuer"));
    CU_ASSERT_STRING_EQUAL(text_of(claims, "aud"), client);
    CU_ASSERT_STRING_EQUAL(text_of(claims, "sub"), http_text(who, "sub"));
    CU_ASSERT_STRING_EQUAL(text_of(claims, "sid"), held.session);
    CU_ASSERT_STRING_NOT_EQUAL(text_of(claims, "jti"), "");
    CU_ASSERT_PTR_NULL(json_object_get(claims, "nonce"));
    events = json_object_get(claims, "events");
    CU_ASSERT_EQUAL(json_object_size(events), 1);
    CU_ASSERT_EQUAL(json_object_size(json_object_get(events, EVENT)), 0);
    CU_ASSERT_TRUE(json_is_object(json_object_get(events, EVENT)));
    issued = json_integer_value(json_object_get(claims, "iat"));
    CU_ASSERT_TRUE(issued >= now && issued < now + 20);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(claims, "exp")), issued + 120);
    json_decref(claims);
    CU_ASSERT_TRUE(state_comes_to(held.session, "delivered"));
    free(client);
}

static void by_logout_page(struct held *held)
{
    browser_get(held->browser, "/t/demo/logout");
    CU_ASSERT_EQUAL(browser_post(held->browser, "logout", "do=end"), 303);
}

static void by_delete_session(struct held *held)
{
    char path[128];

    snprintf(path, sizeof(path), "/auth/session/%s", held->session);
    HTTP_ANSWER ended = http_delete(suite_url(suite), path, held->person->access);
    CHECK_STATUS(ended, 200);
}

static void by_revocation(struct held *held)
{
    char form[1024];

    snprintf(form, sizeof(form), "client_id=%s&token=%s", held->client, held->refresh);
    HTTP_ANSWER revoked = oauth_post(suite, "revoke", form);
    CHECK_STATUS(revoked, 200);
}

static void by_code_reuse(struct held *held)
{
    HTTP_ANSWER again = oauth_exchange(suite, held->client, held->code);

    CHECK_STATUS(again, 400);
}

static void by_consent(struct held *held)
{
    char path[128];

    snprintf(path, sizeof(path), "/auth/consent?clientId=%s", held->client);
    HTTP_ANSWER withdrawn = http_delete(suite_url(suite), path, held->person->access);
    CHECK_STATUS(withdrawn, 200);
}

static void by_operator_lock(struct held *held)
{
    PROGRAM lock = ATRIUMCTL(suite, NULL, "user", "lock", held->person->email, "--role", "Patient");

    CU_ASSERT_EQUAL(lock->code, 0);
}

static void by_operator_delete(struct held *held)
{
    PROGRAM gone = ATRIUMCTL(suite, NULL, "user", "delete", held->person->email, "--yes");

    CU_ASSERT_EQUAL(gone->code, 0);
}

static void by_password(struct held *held)
{
    HTTP_ANSWER changed =
        http_post(suite_url(suite), "/auth/change-password", held->person->access,
                  json_pack("{s:s, s:s}", "oldPassword", "correct horse battery staple",
                            "newPassword", "another horse of the battery"));

    CHECK_STATUS(changed, 204);
}

static void by_reset(struct held *held)
{
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s, s:s}", "email", held->person->email, "role",
                                   "Patient", "tenantCode", "demo"));
    struct mail_link link =
        suite_mail_link(suite, held->person->email, "https://patient.demo.example/set-password");
    HTTP_ANSWER set =
        suite_post_link(suite, "/auth/set-password", &link, NULL, "another horse of the battery");

    CHECK_STATUS(requested, 200);
    CHECK_STATUS(set, 204);
}

static void each_end_is_delivered_once(void)
{
    static const struct {
        const char *label;
        void (*end)(struct held *held);
    } ends[] = {
        {"logout", by_logout_page},     {"sign-out", sign_out},
        {"session", by_delete_session}, {"revocation", by_revocation},
        {"reuse", by_code_reuse},       {"consent", by_consent},
        {"lock", by_operator_lock},     {"deletion", by_operator_delete},
        {"password", by_password},      {"reset", by_reset},
    };

    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        char *client = client_of("127.0.0.1", ends[i].label, false);
        HELD held = hold(client);

        UNIT_CHECK(suite_count(suite,
                               "select count(*) from auth.logout_delivery where session_id = '%s'",
                               held.session) == 0,
                   "%s: delivered before", ends[i].label);
        ends[i].end(&held);
        UNIT_CHECK(tokens_come_to(ends[i].label, 1, SOON_MS) &&
                       is_delivered(ends[i].label, held.session) &&
                       state_comes_to(held.session, "delivered"),
                   "%s is not delivered", ends[i].label);
        free(client);
    }
}

static void clients_without_an_address_get_nothing(void)
{
    char *client = oauth_register(suite, admin, NULL);
    HELD held = hold(client);

    sign_out(&held);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, SOON_MS,
                                  "select count(*) from auth.logout_delivery "
                                  "where session_id = '%s'",
                                  held.session));
    free(client);
}

static void instances_share_the_work(void)
{
    char *client = client_of("127.0.0.1", "many", true);
    HELD held = hold(client);

    for (int i = 1; i < GRANTS; i++) {
        free(held.code);
        free(held.session);
        free(held.access);
        free(held.refresh);
        give(&held, client);
    }
    sign_out(&held);
    CU_ASSERT_TRUE(tokens_come_to("many", GRANTS, SOON_MS));
    CU_ASSERT_TRUE(state_comes_to(held.session, "delivered"));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "many", "requests"), GRANTS);
    free(client);
}

static void receiver_that_is_down_is_served_later(void)
{
    char *client = client_of("127.0.0.1", "down", true);
    HELD held = hold(client);

    receiver_stop(&receiver);
    sign_out(&held);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, SOON_MS,
                                  "select count(*) from auth.logout_delivery where session_id = "
                                  "'%s' and state = 'waiting' and attempts > 0 and error = "
                                  "'UNAVAILABLE'",
                                  held.session));
    start_receiver();
    CU_ASSERT_TRUE(tokens_come_to("down", 1, LATER_MS));
    CU_ASSERT_TRUE(is_delivered("down", held.session));
    free(client);
}

static void deaths_lose_no_logout(void)
{
    char *client = client_of("127.0.0.1", "death", true);
    HELD held = hold(client);
    pid_t one = suite_pid(suite, "authd", "1"), other = suite_pid(suite, "authd", "2");

    set_mode("death", "hang");
    sign_out(&held);
    CU_ASSERT_TRUE(requests_come_to("death", 1));
    suite_signal(suite, "authd", "1", 9);
    suite_signal(suite, "authd", "2", 9);
    set_mode("death", "ok");
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", one));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", other));
    CU_ASSERT_TRUE(tokens_come_to("death", 1, LATER_MS));
    CU_ASSERT_TRUE(is_delivered("death", held.session));
    CU_ASSERT_TRUE(state_comes_to(held.session, "delivered"));
    free(client);
}

static void receiver_that_hangs_holds_up_no_other(void)
{
    char *slow = client_of("127.0.0.1", "hanging", true),
         *quick = client_of("127.0.0.1", "quick", true);
    HELD held = hold(slow);
    HELD other = hold(quick);

    for (int i = 1; i < GRANTS; i++) {
        free(held.code);
        free(held.session);
        free(held.access);
        free(held.refresh);
        give(&held, slow);
    }
    set_mode("hanging", "hang");
    sign_out(&held);
    CU_ASSERT_TRUE(requests_come_to("hanging", 1));
    sign_out(&other);
    CU_ASSERT_TRUE(tokens_come_to("quick", 1, SOON_MS));
    set_mode("hanging", "ok");
    CU_ASSERT_TRUE(tokens_come_to("hanging", GRANTS, LATER_MS));
    free(slow);
    free(quick);
}

static void gone_gives_up(void)
{
    char *client = client_of("127.0.0.1", "gone", true);
    HELD held = hold(client);

    set_mode("gone", "gone");
    sign_out(&held);
    CU_ASSERT_TRUE(state_comes_to(held.session, "failed"));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "gone", "requests"), 1);
    free(client);
}

static void inner_addresses_get_nothing(void)
{
    char *inner = client_of("127.0.0.2", "inner", true);
    char *sent = client_of("127.0.0.1", "sent", true);
    HELD held = hold(inner);
    HELD other = hold(sent);

    set_mode("sent", "redirect");
    sign_out(&held);
    sign_out(&other);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, SOON_MS,
                                  "select count(*) from auth.logout_delivery where session_id = "
                                  "'%s' and state = 'waiting' and error = 'FORBIDDEN'",
                                  held.session));
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, SOON_MS,
                                  "select count(*) from auth.logout_delivery where session_id = "
                                  "'%s' and state = 'waiting' and status = 307",
                                  other.session));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "inner", "requests"), 0);
    CU_ASSERT_EQUAL(receiver_count(&receiver, "elsewhere", "requests"), 0);
    free(inner);
    free(sent);
}

static void the_scene_is_left(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
    receiver_stop(&receiver);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(discovery_names_what_is_supported),
    CASE(logout_tokens_have_what_the_standard_demands),
    CASE(each_end_is_delivered_once),
    CASE(clients_without_an_address_get_nothing),
    CASE(instances_share_the_work),
    CASE(receiver_that_is_down_is_served_later),
    CASE(deaths_lose_no_logout),
    CASE(receiver_that_hangs_holds_up_no_other),
    CASE(gone_gives_up),
    CASE(inner_addresses_get_nothing),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    if (receiver_has_node())
        return unit_run("backchannel logout", cases, ARRAY_SIZE(cases));
    return unit_leave_out_suite("backchannel logout", "node is not installed");
}
