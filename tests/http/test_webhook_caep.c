/*
 * test_webhook_caep.c - session ends as Security Event Tokens (RFC 8417, CAEP 1.0), pushed to a
 * receiver that verifies them with npm's jose and the issuer's keys (tests/webhooks/receiver.cjs,
 * `make npm`), whatever receiver, maild or authd do.
 *
 * tier: browser
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/certificate.h"
#include "tests/support/oauth.h"
#include "tests/support/receiver.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"
#include "tests/support/webhook.h"

#define AUDIENCE "https://events.example/"
#define EVENT "https://schemas.openid.net/secevent/caep/event-type/session-revoked"

enum { SOON_MS = 20000, LATER_MS = 90000, HOUR = 3600 };

static struct suite *suite;
static struct person *admin;
static struct unit_dir dir;
static struct receiver receiver;
static char issuer[200], jwks[200];

static bool have_receiver(void)
{
    return access("build/npm/installed/webhooks", R_OK) == 0;
}

static void expect(const char *name, const char *audience)
{
    HTTP_ANSWER set = receiver_command(&receiver, "PUT", name,
                                       json_pack("{s:s, s:s, s:s}", "jwks", jwks, "issuer", issuer,
                                                 "audience", audience));

    CHECK_STATUS(set, 200);
}

struct hook {
    char name[32], id[40];
};

static json_t *body_to(const char *host, const char *name, const char *event, const char *audience)
{
    char url[64];

    snprintf(url, sizeof(url), "https://%s:%d/set/%s", host, receiver.port, name);
    return json_pack("{s:s, s:[s], s:s, s:s*}", "url", url, "events", event, "format", "caep",
                     "audience", audience);
}

static json_t *body(const char *name, const char *event, const char *audience)
{
    return body_to("127.0.0.1", name, event, audience);
}

static struct http_answer *create(json_t *webhook)
{
    return http_post(suite_url(suite), WEBHOOKS, admin->access, webhook);
}

static struct hook hook_to(const char *host, const char *name)
{
    HTTP_ANSWER made = create(body_to(host, name, "session.revoked", AUDIENCE));
    struct hook hook;

    CHECK_STATUS(made, 200);
    snprintf(hook.name, sizeof(hook.name), "%s", name);
    snprintf(hook.id, sizeof(hook.id), "%s", http_text(made, "id"));
    expect(name, AUDIENCE);
    return hook;
}

static struct hook hook_new(const char *name)
{
    return hook_to("127.0.0.1", name);
}

static const char *project(void)
{
    return strchr(admin->project, '/') + 1;
}

/* Adds ends of invented sessions of `accounts` accounts in turn, as authd would write them,
 * numbered from `first` on. account_of() names the accounts. */
static void ends_make(int first, int count, int accounts)
{
    suite_count(suite,
                "with made as (insert into auth.audit (at, project_id, entity, event) "
                "select extract(epoch from clock_timestamp()) * 1000, '%s', "
                "'Session/00000000-0000-7000-8' || to_char(i %% %d, 'FM000') || '-000' || "
                "to_char(i, 'FM000000000'), "
                "json_build_object('action', 'session.end', 'outcome', 'success', 'account', "
                "'00000000-0000-4000-8000-' || to_char(i %% %d, 'FM000000000000'), "
                "'role', 'Patient') "
                "from generate_series(%d, %d) i order by i returning 1) "
                "select count(*) from made",
                project(), accounts, accounts, first, first + count - 1);
}

static const char *account_of(int number)
{
    static char text[40];

    snprintf(text, sizeof(text), "00000000-0000-7000-8%03d", number);
    return text;
}

static void try_now(const struct hook *hook)
{
    suite_count(suite,
                "with due as (update mail.webhook_delivery set due_at = 0 where webhook_id = '%s' "
                "and state = 'waiting' returning 1), "
                "q as (update mail.webhook_queue set due_at = 0 "
                "where webhook_id = '%s' and lease is null returning 1) select count(*) from due",
                hook->id, hook->id);
}

static const char *came_text(const struct http_answer *came, const char *list, size_t i)
{
    const char *text = json_string_value(json_array_get(http_member(came, list), i));

    return text ? text : "";
}

static bool tries_come_to(const struct hook *hook, long want)
{
    return suite_comes_to(suite, 1, SOON_MS,
                          "select least(count(*), 1) from mail.webhook_delivery "
                          "where webhook_id = '%s' and state = 'waiting' and attempts >= %ld",
                          hook->id, want);
}

static void the_scene_is_set(void)
{
    char set[200];

    dir = unit_dir_make();
    certificate_make(&dir);
    receiver_start_webhooks(&receiver, dir.path);
    snprintf(set, sizeof(set),
             "maild.allow_networks=127.0.0.1/32,maild.webhook_ca_file=%s/cert.pem", dir.path);
    suite = suite_start(
        &(struct suite_options){.instances = "maild=2,authd=2", .set = set, .test_clock = true});
    admin = person_admin(suite);
    UNIT_REQUIRE(admin->access, "an admin");

    HTTP_ANSWER described =
        http_get(suite_url(suite), "/t/demo/.well-known/openid-configuration", NULL);

    CHECK_STATUS(described, 200);
    snprintf(issuer, sizeof(issuer), "%s", http_text(described, "issuer"));
    snprintf(jwks, sizeof(jwks), "%s/t/demo/jwks", suite_url(suite));
}

static void the_format_has_its_own_rules(void)
{
    HTTP_ANSWER other = create(body("rules", "session.created", AUDIENCE));
    HTTP_ANSWER without = create(body("rules", "session.revoked", NULL));
    HTTP_ANSWER standard = create(json_pack("{s:s, s:[s], s:s}", "url", "https://a.example/",
                                            "events", "session.revoked", "audience", AUDIENCE));
    HTTP_ANSWER plain =
        create(json_pack("{s:s, s:[s]}", "url", "https://a.example/", "events", "session.revoked"));
    HTTP_ANSWER made = create(body("rules", "session.revoked", AUDIENCE));
    struct hook hook = {"rules", ""}, former = {"plain", ""};

    snprintf(hook.id, sizeof(hook.id), "%s", http_text(made, "id"));
    snprintf(former.id, sizeof(former.id), "%s", http_text(plain, "id"));

    HTTP_ANSWER secret =
        http_post(suite_url(suite), webhook_path(hook.id, "/secret"), admin->access, json_object());
    HTTP_ANSWER changed = http_put(suite_url(suite), webhook_path(former.id, ""), admin->access,
                                   body("rules", "session.revoked", AUDIENCE));
    HTTP_ANSWER kept = http_put(suite_url(suite), webhook_path(hook.id, ""), admin->access,
                                json_pack("{s:s, s:[s]}", "url", "https://b.example/", "events",
                                          "session.revoked"));

    CHECK_PROBLEM(other, "events");
    CHECK_PROBLEM(without, "audience");
    CHECK_PROBLEM(standard, "audience");
    CHECK_STATUS(plain, 200);
    CU_ASSERT_STRING_EQUAL(http_text(plain, "format"), "standard");
    CU_ASSERT(json_is_null(http_member(plain, "audience")));
    CHECK_STATUS(made, 200);
    CU_ASSERT(!http_member(made, "secret"));
    CHECK_STATUS(secret, 409);
    CHECK_STATUS(changed, 409);
    CHECK_STATUS(kept, 200);
    CU_ASSERT_STRING_EQUAL(http_text(kept, "format"), "caep");
    CU_ASSERT_STRING_EQUAL(http_text(kept, "audience"), AUDIENCE);
    webhook_delete(suite, admin, hook.id);
    webhook_delete(suite, admin, former.id);
}

static void an_end_is_told_by_a_token_of_the_issuer(void)
{
    struct hook hook = hook_new("told");
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", patient->access, json_object());

    CU_ASSERT(out->status < 300);
    CU_ASSERT(receiver_comes_to(&receiver, "told", "events", 1, SOON_MS));

    HTTP_ANSWER came = receiver_command(&receiver, "GET", "told", NULL);
    const json_t *set = json_array_get(http_member(came, "bodies"), 0);
    const json_t *subject = json_object_get(set, "sub_id");
    const json_t *event = json_object_get(json_object_get(set, "events"), EVENT);
    const json_t *user = json_object_get(subject, "user");
    const char *token = came_text(came, "tokens", 0);

    CU_ASSERT_EQUAL(receiver_count(&receiver, "told", "unverified"), 0);
    UNIT_REQUIRE(event && user && *token, "an event of a user");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(set, "aud")), AUDIENCE);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(subject, "format")), "complex");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(user, "sub")),
                           strchr(patient->profile, '/') + 1);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(user, "iss")), issuer);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(event, "initiating_entity")), "user");
    CU_ASSERT_PTR_NOT_NULL(json_object_get(event, "reason_admin"));
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "select count(*) from auth.session where id = '%s' and end_reason = 'logout' "
                    "and ended_at / 1000 = %lld",
                    json_string_value(json_object_get(json_object_get(subject, "session"), "id")),
                    json_integer_value(json_object_get(event, "event_timestamp"))),
        1);
    CU_ASSERT(!strchr(came->body, '@') && !strstr(came->body, "127."));

    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", token);
    HTTP_ANSWER info = http_get(suite_url(suite), "/t/demo/userinfo", token);

    CHECK_STATUS(me, 401);
    CHECK_STATUS(info, 401);
    webhook_delete(suite, admin, hook.id);
}

/* Any other response is retried with the same token. Of its body, however nested, only a reason in
 * RFC 8935 is stored. Closed networks and redirects as for all webhooks. */
static void only_a_202_takes_a_token(void)
{
    static const struct {
        const char *name, *host, *mode, *error;
        int status;
    } rows[] = {
        {"plain", "127.0.0.1", "plain", "", 200},
        {"bad", "127.0.0.1", "bad", "", 400},
        {"strange", "127.0.0.1", "strange", "", 400},
        {"deep", "127.0.0.1", "deep", "", 400},
        {"unready", "127.0.0.1", "unready", "invalid_key", 400},
        {"fail", "127.0.0.1", "fail", "", 500},
        {"redirect", "127.0.0.1", "redirect", "", 307},
        {"closed", "127.0.0.2", "ok", "FORBIDDEN", 0},
        {"nameless", "localhost", "ok", "UNAVAILABLE", 0},
    };
    struct hook hooks[ARRAY_SIZE(rows)];
    pid_t first = suite_pid(suite, "maild", "1"), second = suite_pid(suite, "maild", "2");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        hooks[i] = hook_to(rows[i].host, rows[i].name);
        receiver_set_mode(&receiver, rows[i].name, rows[i].mode, NULL);
    }
    ends_make(1, 1, 1);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CU_ASSERT(tries_come_to(&hooks[i], 1));

        HTTP_ANSWER list =
            http_get(suite_url(suite), webhook_path(hooks[i].id, "/deliveries"), admin->access);

        UNIT_CHECK(strcmp(http_text(list, "resources.0.state"), "waiting") == 0 &&
                       strcmp(http_text(list, "resources.0.error"), rows[i].error) == 0 &&
                       json_integer_value(http_member(list, "resources.0.status")) ==
                           rows[i].status,
                   "%s: %s", rows[i].name, list->body);
        CU_ASSERT(!strstr(list->body, "secret of the receiver"));
        receiver_set_mode(&receiver, rows[i].name, "ok", NULL);
        try_now(&hooks[i]);
        if (rows[i].status == 0)
            continue;
        CU_ASSERT(webhook_state_comes_to(suite, hooks[i].id, "delivered", 1, SOON_MS));

        HTTP_ANSWER came = receiver_command(&receiver, "GET", rows[i].name, NULL);

        CU_ASSERT(json_array_size(http_member(came, "tokens")) >= 2);
        CU_ASSERT_STRING_EQUAL(came_text(came, "tokens", 0), came_text(came, "tokens", 1));
        CU_ASSERT_EQUAL(receiver_count(&receiver, rows[i].name, "events"), 1);
    }
    CU_ASSERT_EQUAL(suite_pid(suite, "maild", "1"), first);
    CU_ASSERT_EQUAL(suite_pid(suite, "maild", "2"), second);
    CU_ASSERT_EQUAL(receiver_count(&receiver, "closed", "requests"), 0);
    CU_ASSERT_EQUAL(receiver_count(&receiver, "elsewhere", "requests"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        webhook_delete(suite, admin, hooks[i].id);
}

static void a_refusal_is_for_good_and_holds_up_nothing(void)
{
    struct hook hook = hook_new("refused");

    expect("refused", "https://elsewhere.example/");
    ends_make(1, 2, 1);
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "failed", 2, SOON_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "refused", "unverified"), 2);

    HTTP_ANSWER list =
        http_get(suite_url(suite), webhook_path(hook.id, "/deliveries"), admin->access);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");

    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "resources.0.status")), 400);
    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "resources.0.attempts")), 1);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.error"), "invalid_audience");
    CU_ASSERT(strstr(doctor->out, "were rejected") && strstr(doctor->out, hook.id));

    HTTP_ANSWER mended = http_put(suite_url(suite), webhook_path(hook.id, ""), admin->access,
                                  body("refused", "session.revoked", "https://elsewhere.example/"));
    HTTP_ANSWER again = http_post(suite_url(suite), webhook_path(hook.id, "/redeliver"),
                                  admin->access, json_object());

    CHECK_STATUS(mended, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(again, "count")), 2);
    CU_ASSERT(receiver_comes_to(&receiver, "refused", "events", 2, SOON_MS));
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", 2, SOON_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "refused", "disorder"), 0);
    webhook_delete(suite, admin, hook.id);
}

static void one_that_fails_or_hangs_holds_up_no_other(void)
{
    struct hook hanging = hook_new("hanging"), slow = hook_new("slow"), some = hook_new("some");
    int64_t began = clock_mono_ms();

    receiver_set_mode(&receiver, "hanging", "hang", NULL);
    receiver_set_mode(&receiver, "slow", "slow", NULL);
    receiver_set_mode(&receiver, "some", "unready", account_of(1));
    ends_make(10, 30, 3);
    CU_ASSERT(receiver_comes_to(&receiver, "some", "events", 20, SOON_MS));
    CU_ASSERT(clock_mono_ms() - began < 8000);
    CU_ASSERT(webhook_state_comes_to(suite, some.id, "waiting", 10, SOON_MS));
    CU_ASSERT(tries_come_to(&some, 1));
    receiver_set_mode(&receiver, "some", "ok", NULL);
    try_now(&some);
    CU_ASSERT(receiver_comes_to(&receiver, "some", "events", 30, SOON_MS));
    CU_ASSERT(receiver_comes_to(&receiver, "slow", "events", 30, LATER_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "some", "disorder"), 0);
    CU_ASSERT_EQUAL(receiver_count(&receiver, "slow", "disorder"), 0);
    CU_ASSERT(suite_comes_to(suite, 1, SOON_MS,
                             "select least(count(*), 1) from mail.webhook_delivery "
                             "where webhook_id = '%s' and error = 'DEADLINE'",
                             hanging.id));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "hanging", "events"), 0);
    webhook_delete(suite, admin, hanging.id);
    webhook_delete(suite, admin, slow.id);
    webhook_delete(suite, admin, some.id);
}

static void what_was_missed_comes_later_in_order_and_410_ends_it(void)
{
    struct hook hook = hook_new("down");

    receiver_stop(&receiver);
    ends_make(100, 20, 1);
    CU_ASSERT(tries_come_to(&hook, 1));
    receiver_start_webhooks(&receiver, dir.path);
    expect("down", AUDIENCE);
    CU_ASSERT(receiver_comes_to(&receiver, "down", "events", 20, LATER_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "down", "disorder"), 0);
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", 20, SOON_MS));
    receiver_set_mode(&receiver, "down", "gone", NULL);
    ends_make(200, 1, 1);
    CU_ASSERT(suite_comes_to(suite, 1, LATER_MS,
                             "select count(*) from mail.webhook where id = '%s' and not enabled "
                             "and gone_at is not null",
                             hook.id));
    receiver_set_mode(&receiver, "down", "ok", NULL);

    HTTP_ANSWER on = http_put(suite_url(suite), webhook_path(hook.id, ""), admin->access,
                              body("down", "session.revoked", NULL));

    CHECK_STATUS(on, 200);
    CU_ASSERT(receiver_comes_to(&receiver, "down", "events", 21, LATER_MS));
    webhook_delete(suite, admin, hook.id);
}

/* Checks that maild attempts no delivery for a few seconds, long enough that it otherwise would. */
static void check_untried(const struct hook *hook)
{
    long tries = suite_count(suite,
                             "select attempts from mail.webhook_delivery where webhook_id = '%s' "
                             "and state = 'waiting'",
                             hook->id);
    long requests = receiver_count(&receiver, hook->name, "requests");

    try_now(hook);
    sleep(7);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select attempts from mail.webhook_delivery "
                                "where webhook_id = '%s' and state = 'waiting'",
                                hook->id),
                    tries);
    CU_ASSERT_EQUAL(receiver_count(&receiver, hook->name, "requests"), requests);
}

static void check_jti(const struct hook *hook)
{
    HTTP_ANSWER came = receiver_command(&receiver, "GET", hook->name, NULL);
    const json_t *set = json_array_get(http_member(came, "bodies"), 0);

    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from mail.webhook_delivery "
                                "where webhook_id = '%s' and event_id = '%s'",
                                hook->id, json_string_value(json_object_get(set, "jti"))),
                    1);
}

static void an_authd_that_is_away_is_no_try(void)
{
    struct hook hook = hook_new("away");
    pid_t pids[] = {suite_pid(suite, "authd", "1"), suite_pid(suite, "authd", "2")};

    receiver_set_mode(&receiver, "away", "fail", NULL);
    ends_make(300, 1, 1);
    CU_ASSERT(tries_come_to(&hook, 1));
    kill(pids[0], SIGSTOP);
    kill(pids[1], SIGSTOP);
    sleep(1);
    receiver_set_mode(&receiver, "away", "ok", NULL);
    check_untried(&hook);
    kill(pids[0], SIGCONT);
    kill(pids[1], SIGCONT);
    CU_ASSERT(receiver_comes_to(&receiver, "away", "events", 1, LATER_MS));
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", 1, SOON_MS));
    check_jti(&hook);
    webhook_delete(suite, admin, hook.id);
}

/* A suspended project's issuer returns 404, so no keys could verify it. */
static void ends_in_a_suspended_project_wait_until_it_is_open(void)
{
    struct hook hook = hook_new("suspended");
    PROGRAM done = ATRIUMCTL(suite, NULL, "project", "suspend", "demo");

    CHECK_EXIT(done, 0);
    ends_make(400, 1, 1);
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "waiting", 1, SOON_MS));
    check_untried(&hook);
    CU_ASSERT_EQUAL(receiver_count(&receiver, "suspended", "requests"), 0);

    PROGRAM resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--resume");

    CHECK_EXIT(resumed, 0);
    CU_ASSERT(receiver_comes_to(&receiver, "suspended", "events", 1, LATER_MS));
    check_jti(&hook);
    webhook_delete(suite, admin, hook.id);
}

static void a_killed_maild_or_authd_loses_nothing(void)
{
    enum { EVENTS = 200, KILLS = 4 };
    struct hook hook = hook_new("killed");

    for (int i = 0; i < KILLS; i++) {
        const char *daemon = i % 2 ? "authd" : "maild";
        pid_t pids[] = {suite_pid(suite, daemon, "1"), suite_pid(suite, daemon, "2")};

        ends_make(1000 + i * EVENTS / KILLS, EVENTS / KILLS, 5);
        waitpid(suite_kill_both_later(suite, daemon, 400 * i), NULL, 0);
        CU_ASSERT(suite_wait_new_pid(suite, daemon, "1", pids[0]));
        CU_ASSERT(suite_wait_new_pid(suite, daemon, "2", pids[1]));
    }
    CU_ASSERT(receiver_comes_to(&receiver, "killed", "events", EVENTS, LATER_MS));
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", EVENTS, SOON_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "killed", "events"), EVENTS); /* distinct jti */
    CU_ASSERT_EQUAL(receiver_count(&receiver, "killed", "disorder"), 0);
    printf("%ld requests for %d events, ", receiver_count(&receiver, "killed", "requests"), EVENTS);
    suite_wait_ready(suite, SOON_MS);
    webhook_delete(suite, admin, hook.id);
}

/* A retry is signed by the current key; the old key verifies until then. */
static void the_keys_of_the_day_sign(void)
{
    struct hook hook = hook_new("rotated");
    PROGRAM rotated = ATRIUMCTL(suite, NULL, "keys", "rotate", "--issuer");

    CU_ASSERT_EQUAL(rotated->code, 0);
    CU_ASSERT_TRUE(oauth_keys_come_to(suite, 4));
    receiver_set_mode(&receiver, "rotated", "fail", NULL);
    ends_make(500, 1, 1);
    CU_ASSERT(tries_come_to(&hook, 1));
    suite_set_clock(suite, 25 * HOUR);
    receiver_set_mode(&receiver, "rotated", "ok", NULL);
    try_now(&hook);
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", 1, SOON_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "rotated", "unverified"), 0);
    CU_ASSERT_EQUAL(receiver_count(&receiver, "rotated", "events"), 1);
    check_jti(&hook);

    HTTP_ANSWER came = receiver_command(&receiver, "GET", "rotated", NULL);
    size_t last = json_array_size(http_member(came, "kids")) - 1;

    CU_ASSERT(last > 0);
    CU_ASSERT_STRING_NOT_EQUAL(came_text(came, "kids", 0), came_text(came, "kids", last));
    /* sign in again: the access token has expired */
    person_destroy(&admin);
    admin = person_admin(suite);
    webhook_delete(suite, admin, hook.id);
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
    CASE(the_format_has_its_own_rules),
    CASE(an_end_is_told_by_a_token_of_the_issuer),
    CASE(only_a_202_takes_a_token),
    CASE(a_refusal_is_for_good_and_holds_up_nothing),
    CASE(one_that_fails_or_hangs_holds_up_no_other),
    CASE(what_was_missed_comes_later_in_order_and_410_ends_it),
    CASE(an_authd_that_is_away_is_no_try),
    CASE(ends_in_a_suspended_project_wait_until_it_is_open),
    CASE(a_killed_maild_or_authd_loses_nothing),
    CASE(the_keys_of_the_day_sign),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    if (have_receiver() || getenv("ATRIUM_REQUIRE_ALL")) {
        unit_optional();
        return unit_run("webhook caep", cases, ARRAY_SIZE(cases));
    }
    return unit_leave_out_suite("webhook caep", "its receiver is not installed (make npm)");
}
