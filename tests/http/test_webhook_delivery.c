/*
 * test_webhook_delivery.c - webhook deliveries over https to a receiver that verifies them with
 * npm's standardwebhooks (tests/webhooks/receiver.cjs, `make npm`): every event, in order per
 * account, whatever receiver or maild do.
 *
 * tier: time
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/certificate.h"
#include "tests/support/document.h"
#include "tests/support/receiver.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"
#include "tests/support/webhook.h"

#define ALL                                                                                     \
    "account.created", "account.deleted", "session.created", "session.revoked", "member.added", \
        "settings.changed", "document.created"

enum {
    ACCOUNTS = 50,
    SOON_MS = 10000,
    LATER_MS = 60000,
    LOAD = 10000,
    RATE_MIN = 1000, /* minimum events/s of a local receiver */
};

static struct suite *suite;
static struct person *admin, *child;
static struct unit_dir dir;
static struct receiver receiver;

static bool have_receiver(void)
{
    return access("build/npm/installed/webhooks", R_OK) == 0;
}

static void set_secret(const char *name, const char *secret)
{
    HTTP_ANSWER set =
        receiver_command(&receiver, "PUT", name, json_pack("{s:[s]}", "secrets", secret));

    CHECK_STATUS(set, 200);
}

struct hook {
    char name[32], id[40], secret[64];
};

static struct hook hook_to(const struct person *who, const char *name, const char *url,
                           json_t *events)
{
    HTTP_ANSWER made = http_post(suite_url(suite), WEBHOOKS, who->access,
                                 json_pack("{s:s, s:o}", "url", url, "events", events));
    struct hook hook;

    CHECK_STATUS(made, 200);
    snprintf(hook.name, sizeof(hook.name), "%s", name);
    snprintf(hook.id, sizeof(hook.id), "%s", http_text(made, "id"));
    snprintf(hook.secret, sizeof(hook.secret), "%s", http_text(made, "secret"));
    return hook;
}

static struct hook hook_new(const struct person *who, const char *name, json_t *events)
{
    char url[64];
    struct hook hook;

    snprintf(url, sizeof(url), "https://127.0.0.1:%d/hook/%s", receiver.port, name);
    hook = hook_to(who, name, url, events);
    set_secret(name, hook.secret);
    return hook;
}

static const char *project_of(const struct person *who)
{
    return strchr(who->project, '/') + 1;
}

/* Adds sessions of `accounts` invented accounts in turn, as authd would write them, numbered from
 * `first` on. */
static void events_make(const struct person *who, int first, int count, int accounts)
{
    suite_count(suite,
                "with made as (insert into auth.audit (at, project_id, entity, event) "
                "select extract(epoch from clock_timestamp()) * 1000, '%s', "
                "'Session/00000000-0000-7000-8000-000' || to_char(i, 'FM000000000'), "
                "json_build_object('action', 'session.create', 'outcome', 'success', 'account', "
                "'00000000-0000-4000-8000-' || to_char(i %% %d, 'FM000000000000'), "
                "'role', 'Patient', 'address', '192.0.2.77') "
                "from generate_series(%d, %d) i order by i returning 1) "
                "select count(*) from made",
                project_of(who), accounts, first, first + count - 1);
}

static const char *account_of(int number)
{
    static char text[40];

    snprintf(text, sizeof(text), "00000000-0000-4000-8000-%012d", number);
    return text;
}

static void the_scene_is_set(void)
{
    char set[200];

    dir = unit_dir_make();
    certificate_make(&dir);
    receiver_start_webhooks(&receiver, dir.path);
    snprintf(set, sizeof(set),
             "maild.allow_networks=127.0.0.1/32,maild.webhook_ca_file=%s/cert.pem", dir.path);
    suite = suite_start(&(struct suite_options){.instances = "maild=2,authd=2", .set = set});
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "lakeside");
    UNIT_REQUIRE(admin->access && child->access, "two admins");
    /* A webhook also gets events of the second before it was made (webhook_event_insert.sql). None
     * is to get these sign-ins, in any order of cases. */
    usleep(1100000);
}

static bool has_event(const struct http_answer *came, const char *type)
{
    const json_t *event;
    size_t i;

    json_array_foreach(http_member(came, "bodies"), i, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "type")), type) == 0)
            return true;
    }
    return false;
}

static bool event_comes(const char *name, const char *type)
{
    int64_t until = clock_mono_ms() + SOON_MS;

    while (clock_mono_ms() < until) {
        HTTP_ANSWER came = receiver_command(&receiver, "GET", name, NULL);

        if (has_event(came, type))
            return true;
        usleep(50000);
    }
    return UNIT_CHECK(false, "%s: no %s", name, type);
}

/* Every offered event happens once, and no delivery names a person. */
static void what_happens_is_posted(void)
{
    static const char *const types[] = {ALL};
    struct hook hook = hook_new(admin, "all",
                                json_pack("[s,s,s,s,s,s,s]", types[0], types[1], types[2], types[3],
                                          types[4], types[5], types[6]));
    PERSON patient = person_register(suite, NULL);
    TEXT document = document_put(suite, patient->access, "f.txt", "text/plain", "text", 4);
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", patient->access, json_object());
    PROGRAM deleted = ATRIUMCTL(suite, NULL, "user", "delete", patient->email, "--yes");
    PROGRAM joined = ATRIUMCTL(suite, "a long password of the second admin\n", "user",
                               "create-admin", "--project", "demo", "--email",
                               "second@admins.example", "--name", "Rui", "--surname", "Costa");
    PROGRAM left = ATRIUMCTL(suite, NULL, "user", "delete", "second@admins.example", "--yes");

    CU_ASSERT_EQUAL(patient->status, 200);
    CU_ASSERT_PTR_NOT_NULL(document);
    CHECK_EXIT(deleted, 0);
    CHECK_EXIT(joined, 0);
    CHECK_EXIT(left, 0);
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        CU_ASSERT(event_comes("all", types[i]));
    CU_ASSERT(suite_comes_to(suite, 2, SOON_MS,
                             "select count(distinct body::json#>>'{data,role}') "
                             "from mail.webhook_delivery where type = 'account.deleted'"));

    HTTP_ANSWER came = receiver_command(&receiver, "GET", "all", NULL);

    CU_ASSERT(!strchr(came->body, '@') && !strstr(came->body, "127."));
    CU_ASSERT(!strstr(came->body, "Rui") && !strstr(came->body, "f.txt"));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "all", "unverified"), 0);
    webhook_delete(suite, admin, hook.id);
}

static void a_project_without_webhooks_writes_nothing(void)
{
    struct hook hook = hook_new(admin, "mine", json_pack("[s]", "session.created"));

    events_make(child, 0, 200, ACCOUNTS);
    events_make(admin, 0, 1, 1);
    CU_ASSERT(receiver_comes_to(&receiver, "mine", "events", 1, SOON_MS));
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from mail.webhook_delivery where project_id = '%s'",
                    project_of(child)),
        0);
    webhook_delete(suite, admin, hook.id);
    CU_ASSERT(suite_comes_to(suite, 0, SOON_MS,
                             "select count(*) from mail.webhook_delivery where webhook_id = '%s'",
                             hook.id));
}

static void two_secrets_sign_while_one_is_exchanged(void)
{
    struct hook hook = hook_new(admin, "secrets", json_pack("[s]", "session.created"));
    HTTP_ANSWER exchanged =
        http_post(suite_url(suite), webhook_path(hook.id, "/secret"), admin->access, json_object());
    HTTP_ANSWER both = receiver_command(&receiver, "PUT", "secrets",
                                        json_pack("{s:[s,s]}", "secrets", hook.secret,
                                                  http_text(exchanged, "secret")));

    CHECK_STATUS(exchanged, 200);
    CHECK_STATUS(both, 200);
    events_make(admin, 1, 1, 1);
    CU_ASSERT(receiver_comes_to(&receiver, "secrets", "events", 1, SOON_MS));

    HTTP_ANSWER came = receiver_command(&receiver, "GET", "secrets", NULL);

    CHECK_STATUS(came, 200);
    for (size_t i = 0; i < 2; i++)
        UNIT_CHECK(json_integer_value(json_array_get(http_member(came, "verified"), i)) == 1,
                   "secret %zu: %s", i, came->body);

    HTTP_ANSWER again = http_post(suite_url(suite), webhook_path(hook.id, "/secret"), admin->access,
                                  json_pack("{s:i}", "previousHours", 0));

    CHECK_STATUS(again, 200);
    set_secret("secrets", http_text(exchanged, "secret"));
    events_make(admin, 2, 1, 1);
    CU_ASSERT(receiver_comes_to(&receiver, "secrets", "unverified", 1, SOON_MS));
    set_secret("secrets", http_text(again, "secret"));
    CU_ASSERT(receiver_comes_to(&receiver, "secrets", "events", 2, SOON_MS));
    webhook_delete(suite, admin, hook.id);
}

static char *seal_key_of(const struct hook *hook, const char *column)
{
    char sql[200];

    snprintf(sql, sizeof(sql),
             "select encode(substr(%s, 17, 8), 'hex') from mail.webhook where id = '%s'", column,
             hook->id);
    return suite_query(suite, sql);
}

static void secrets_survive_an_exchange_of_the_seal_key(void)
{
    static const char *const columns[] = {"secret_sealed", "previous_sealed"};
    struct hook hook = hook_new(admin, "sealed", json_pack("[s]", "session.created"));
    HTTP_ANSWER exchanged =
        http_post(suite_url(suite), webhook_path(hook.id, "/secret"), admin->access, json_object());
    HTTP_ANSWER both = receiver_command(&receiver, "PUT", "sealed",
                                        json_pack("{s:[s,s]}", "secrets", hook.secret,
                                                  http_text(exchanged, "secret")));
    char *before[ARRAY_SIZE(columns)];

    CHECK_STATUS(exchanged, 200);
    CHECK_STATUS(both, 200);
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        before[i] = seal_key_of(&hook, columns[i]);
    PROGRAM done = ATRIUMCTL(suite, NULL, "keys", "rotate", "--seal");
    CHECK_EXIT(done, 0);
    CU_ASSERT_TRUE(suite_wait_ready(suite, LATER_MS));
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
        TEXT after = seal_key_of(&hook, columns[i]);

        UNIT_CHECK(strlen(after) == 16 && strcmp(before[i], after) != 0, "%s: %s", columns[i],
                   after);
        free(before[i]);
    }
    events_make(admin, 1, 1, 1);
    CU_ASSERT(receiver_comes_to(&receiver, "sealed", "events", 1, LATER_MS));

    HTTP_ANSWER came = receiver_command(&receiver, "GET", "sealed", NULL);

    CU_ASSERT_TRUE(json_integer_value(json_array_get(http_member(came, "verified"), 0)) >= 1);
    CU_ASSERT_TRUE(json_equal(json_array_get(http_member(came, "verified"), 0),
                              json_array_get(http_member(came, "verified"), 1)));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "sealed", "unverified"), 0);
    webhook_delete(suite, admin, hook.id);
}

static void only_the_address_itself_is_asked(void)
{
    static const struct {
        const char *name, *host, *path, *mode, *error;
        int status;
    } rows[] = {
        {"closed", "127.0.0.2", "hook/closed", "ok", "FORBIDDEN", 0},
        {"inner", "[::1]", "hook/inner", "ok", "FORBIDDEN", 0},
        {"metadata", "169.254.169.254", "", "ok", "FORBIDDEN", 0},
        {"redirect", "127.0.0.1", "hook/redirect", "redirect", "", 307},
        {"large", "127.0.0.1", "hook/large", "large", "TOO_LARGE", 0},
        {"failing", "127.0.0.1", "hook/failing", "fail", "", 500},
        {"nameless", "localhost", "hook/nameless", "ok", "UNAVAILABLE", 0},
    };
    struct hook hooks[ARRAY_SIZE(rows)];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char url[96];

        snprintf(url, sizeof(url), "https://%s:%d/%s", rows[i].host, receiver.port, rows[i].path);
        hooks[i] = hook_to(admin, rows[i].name, url, json_pack("[s]", "session.created"));
        set_secret(rows[i].name, hooks[i].secret);
        receiver_set_mode(&receiver, rows[i].name, rows[i].mode, NULL);
    }
    events_make(admin, 3, 1, 1);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CU_ASSERT(suite_comes_to(suite, 1, SOON_MS,
                                 "select count(*) from mail.webhook_delivery "
                                 "where webhook_id = '%s' and attempts > 0 and state = 'waiting'",
                                 hooks[i].id));

        HTTP_ANSWER list =
            http_get(suite_url(suite), webhook_path(hooks[i].id, "/deliveries"), admin->access);

        CHECK_STATUS(list, 200);
        UNIT_CHECK(strcmp(http_text(list, "resources.0.error"), rows[i].error) == 0, "%s: %s",
                   rows[i].name, list->body);
        UNIT_CHECK(json_integer_value(http_member(list, "resources.0.status")) == rows[i].status,
                   "%s: %s", rows[i].name, list->body);
        CU_ASSERT(!strstr(list->body, "secret of the receiver"));
        webhook_delete(suite, admin, hooks[i].id);
    }
    CU_ASSERT_EQUAL(receiver_count(&receiver, "elsewhere", "requests"), 0);
}

static void an_account_that_fails_holds_up_no_other(void)
{
    struct hook hook = hook_new(admin, "poison", json_pack("[s]", "session.created"));

    receiver_set_mode(&receiver, "poison", "fail", account_of(7));
    events_make(admin, 1000, 10 * ACCOUNTS, ACCOUNTS);
    CU_ASSERT(receiver_comes_to(&receiver, "poison", "events", 10 * (ACCOUNTS - 1), SOON_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "poison", "events"), 10 * (ACCOUNTS - 1));
    receiver_set_mode(&receiver, "poison", "ok", NULL);
    CU_ASSERT(receiver_comes_to(&receiver, "poison", "events", 10 * ACCOUNTS, LATER_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "poison", "disorder"), 0);
    webhook_delete(suite, admin, hook.id);
}

static void a_receiver_that_hangs_holds_up_no_other(void)
{
    struct hook hangs = hook_new(admin, "hangs", json_pack("[s]", "session.created"));
    struct hook slow = hook_new(admin, "slow", json_pack("[s]", "session.created"));
    struct hook well = hook_new(admin, "well", json_pack("[s]", "session.created"));

    receiver_set_mode(&receiver, "hangs", "hang", NULL);
    receiver_set_mode(&receiver, "slow", "slow", NULL);
    events_make(admin, 2000, ACCOUNTS, ACCOUNTS);
    CU_ASSERT(receiver_comes_to(&receiver, "well", "events", ACCOUNTS, 4000));
    CU_ASSERT(receiver_count(&receiver, "slow", "events") < ACCOUNTS);
    CU_ASSERT_EQUAL(receiver_count(&receiver, "hangs", "events"), 0);
    CU_ASSERT(receiver_comes_to(&receiver, "slow", "events", ACCOUNTS, SOON_MS + LATER_MS));
    receiver_set_mode(&receiver, "hangs", "ok", NULL);
    CU_ASSERT(receiver_comes_to(&receiver, "hangs", "events", ACCOUNTS, LATER_MS));
    webhook_delete(suite, admin, hangs.id);
    webhook_delete(suite, admin, slow.id);
    webhook_delete(suite, admin, well.id);
}

/* True when the list shows since when the webhook fails. */
static bool is_failing(const struct hook *hook)
{
    HTTP_ANSWER list = http_get(suite_url(suite), WEBHOOKS "?_count=100", admin->access);
    json_t *row = http_find(http_member(list, "resources"), "id", hook->id);

    CHECK_STATUS(list, 200);
    return UNIT_CHECK(row, "%s is not listed", hook->id) &&
           json_is_string(json_object_get(row, "failingSince"));
}

static void what_a_receiver_missed_while_it_was_down_comes_later(void)
{
    struct hook hook = hook_new(admin, "down", json_pack("[s]", "session.created"));

    CU_ASSERT_FALSE(is_failing(&hook));
    receiver_stop(&receiver);
    events_make(admin, 3000, 4 * ACCOUNTS, ACCOUNTS);
    CU_ASSERT(suite_comes_to(suite, 4 * ACCOUNTS, SOON_MS,
                             "select count(*) from mail.webhook_delivery where webhook_id = '%s'",
                             hook.id));
    CU_ASSERT(suite_comes_to(suite, 1, SOON_MS,
                             "select count(*) from mail.webhook_queue "
                             "where webhook_id = '%s' and failures >= 3",
                             hook.id));
    CU_ASSERT_TRUE(is_failing(&hook));
    receiver_start_webhooks(&receiver, dir.path);
    set_secret("down", hook.secret);
    CU_ASSERT(receiver_comes_to(&receiver, "down", "events", 4 * ACCOUNTS, LATER_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "down", "disorder"), 0);
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", 4 * ACCOUNTS, SOON_MS));
    CU_ASSERT_FALSE(is_failing(&hook));
    webhook_delete(suite, admin, hook.id);
}

static void a_410_switches_a_webhook_off(void)
{
    struct hook hook = hook_new(admin, "gone", json_pack("[s]", "session.created"));

    receiver_set_mode(&receiver, "gone", "gone", NULL);
    events_make(admin, 4000, 1, 1);
    CU_ASSERT(suite_comes_to(suite, 1, SOON_MS,
                             "select count(*) from mail.webhook where id = '%s' and not enabled "
                             "and gone_at is not null",
                             hook.id));
    CU_ASSERT(suite_comes_to(suite, 1, SOON_MS,
                             "select count(*) from mail.audit where entity = 'Webhook/%s' "
                             "and event->>'action' = 'webhook.gone'",
                             hook.id));
    events_make(admin, 4001, 1, 1);
    sleep(2);
    CU_ASSERT_EQUAL(receiver_count(&receiver, "gone", "requests"), 1);

    HTTP_ANSWER on = http_put(suite_url(suite), webhook_path(hook.id, ""), admin->access,
                              json_pack("{s:s, s:[s]}", "url", "https://127.0.0.1:1/", "events",
                                        "session.created"));
    char url[64];

    CHECK_STATUS(on, 200);
    CU_ASSERT(json_is_null(http_member(on, "goneAt")));
    snprintf(url, sizeof(url), "https://127.0.0.1:%d/hook/gone", receiver.port);
    receiver_set_mode(&receiver, "gone", "ok", NULL);

    HTTP_ANSWER back = http_put(suite_url(suite), webhook_path(hook.id, ""), admin->access,
                                json_pack("{s:s, s:[s]}", "url", url, "events", "session.created"));

    CHECK_STATUS(back, 200);
    events_make(admin, 4002, 1, 1);
    /* only the new event: those from while it was disabled are not sent */
    CU_ASSERT(receiver_comes_to(&receiver, "gone", "events", 2, LATER_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "gone", "events"), 2);
    webhook_delete(suite, admin, hook.id);
}

/* The webhook's row moves with the tenant, so the 410 is stored only when the tenant is open again;
 * before, it counts as a failure and is retried. */
static void a_410_counts_when_the_tenant_is_open_again(void)
{
    struct hook hook = hook_new(admin, "held", json_pack("[s]", "session.created"));

    receiver_set_mode(&receiver, "held", "gone", NULL);
    PROGRAM held = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--read-only");
    CHECK_EXIT(held, 0);
    events_make(admin, 4100, 1, 1);
    CU_ASSERT(receiver_comes_to(&receiver, "held", "requests", 1, SOON_MS));
    sleep(2);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from mail.webhook where id = '%s' and enabled "
                                "and gone_at is null",
                                hook.id),
                    1);
    PROGRAM opened = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--resume");
    CHECK_EXIT(opened, 0);
    CU_ASSERT(suite_comes_to(suite, 1, LATER_MS,
                             "select count(*) from mail.webhook where id = '%s' and not enabled "
                             "and gone_at is not null",
                             hook.id));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from mail.audit where entity = 'Webhook/%s' "
                                "and event->>'action' = 'webhook.gone'",
                                hook.id),
                    1);
    webhook_delete(suite, admin, hook.id);
}

static void a_killed_maild_loses_nothing(void)
{
    enum { EVENTS = 3000, KILLS = 6 };
    struct hook hook = hook_new(admin, "killed", json_pack("[s]", "session.created"));

    for (int i = 0; i < KILLS; i++) {
        pid_t pids[] = {suite_pid(suite, "maild", "1"), suite_pid(suite, "maild", "2")};
        pid_t killer;

        events_make(admin, 10000 + i * EVENTS / KILLS, EVENTS / KILLS, ACCOUNTS);
        if (i % 2)
            CU_ASSERT(
                receiver_comes_to(&receiver, "killed", "events", i * EVENTS / KILLS + 1, LATER_MS));
        killer = suite_kill_both_later(suite, "maild", 40 * i);
        waitpid(killer, NULL, 0);
        CU_ASSERT(suite_wait_new_pid(suite, "maild", "1", pids[0]));
        CU_ASSERT(suite_wait_new_pid(suite, "maild", "2", pids[1]));
    }
    CU_ASSERT(receiver_comes_to(&receiver, "killed", "events", EVENTS, LATER_MS));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "killed", "disorder"), 0);
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", EVENTS, SOON_MS));
    printf("%ld requests for %d events, ", receiver_count(&receiver, "killed", "requests"), EVENTS);
    webhook_delete(suite, admin, hook.id);
}

static struct http_answer *redeliver(const struct hook *hook, json_t *body)
{
    return http_post(suite_url(suite), webhook_path(hook->id, "/redeliver"), admin->access, body);
}

static void what_is_given_up_is_named_and_delivered_on_demand(void)
{
    struct hook hook = hook_new(admin, "dead", json_pack("[s]", "session.created"));
    HTTP_ANSWER foreign = http_post(suite_url(suite), webhook_path(hook.id, "/redeliver"),
                                    child->access, json_object());
    HTTP_ANSWER hidden =
        http_get(suite_url(suite), webhook_path(hook.id, "/deliveries"), child->access);

    CHECK_STATUS(foreign, 404);
    CHECK_STATUS(hidden, 404);
    receiver_set_mode(&receiver, "dead", "fail", NULL);
    events_make(admin, 20000, 3, 1);
    CU_ASSERT(suite_comes_to(suite, 3, SOON_MS,
                             "select count(*) from mail.webhook_delivery where webhook_id = '%s'",
                             hook.id));
    suite_count(
        suite,
        "with aged as (update mail.webhook_delivery set created_at = created_at - 259300000 "
        "where webhook_id = '%s' returning 1) select count(*) from aged",
        hook.id);
    suite_count(suite,
                "with due as (update mail.webhook_queue set due_at = 0 where webhook_id = '%s' and "
                "lease is null returning 1) select count(*) from due",
                hook.id);
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "failed", 3, 2 * LATER_MS));

    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    HTTP_ANSWER failed =
        http_get(suite_url(suite), webhook_path(hook.id, "/deliveries?state=failed&_count=2"),
                 admin->access);
    char more[4500];

    CU_ASSERT(strstr(doctor->out, "failed after three days") && strstr(doctor->out, hook.id));
    CU_ASSERT_EQUAL(json_array_size(http_member(failed, "resources")), 2);
    snprintf(more, sizeof(more), "/deliveries?state=failed&_count=2&_cursor=%s",
             http_text(failed, "next"));

    HTTP_ANSWER rest = http_get(suite_url(suite), webhook_path(hook.id, more), admin->access);

    CU_ASSERT_EQUAL(json_array_size(http_member(rest, "resources")), 1);
    CU_ASSERT(json_is_null(http_member(rest, "next")));
    snprintf(more, sizeof(more), "/deliveries?_cursor=%s", http_text(failed, "next"));

    HTTP_ANSWER other = http_get(suite_url(suite), webhook_path(hook.id, more), admin->access);
    int64_t first = json_integer_value(http_member(rest, "resources.0.id"));

    CHECK_PROBLEM(other, "_cursor");
    receiver_set_mode(&receiver, "dead", "ok", NULL);

    HTTP_ANSWER one = redeliver(&hook, json_pack("{s:I}", "delivery", (json_int_t)first));

    CHECK_STATUS(one, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(one, "count")), 1);
    CU_ASSERT(receiver_comes_to(&receiver, "dead", "events", 1, SOON_MS));

    HTTP_ANSWER all = redeliver(&hook, json_object());

    CU_ASSERT_EQUAL(json_integer_value(http_member(all, "count")), 2);
    CU_ASSERT(receiver_comes_to(&receiver, "dead", "events", 3, SOON_MS));
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", 3, SOON_MS));

    PROGRAM well = ATRIUMCTL(suite, NULL, "doctor");

    CU_ASSERT(!strstr(well->out, "failed after three days"));
    webhook_delete(suite, admin, hook.id);
}

static void a_thousand_events_a_second_come_through(void)
{
    struct hook hook = hook_new(admin, "load", json_pack("[s]", "session.created"));
    int64_t from = clock_mono_ms(), ms;

    events_make(admin, 100000, LOAD, ACCOUNTS);
    CU_ASSERT(receiver_comes_to(&receiver, "load", "events", LOAD, 2 * LATER_MS));
    ms = clock_mono_ms() - from;
    printf("%ld events/s, ", (long)(LOAD * 1000 / ms));
    UNIT_CHECK(LOAD * 1000 / ms >= RATE_MIN, "%ld events/s", (long)(LOAD * 1000 / ms));
    CU_ASSERT_EQUAL(receiver_count(&receiver, "load", "disorder"), 0);
    CU_ASSERT_EQUAL(receiver_count(&receiver, "load", "unverified"), 0);
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", LOAD, SOON_MS));
    webhook_delete(suite, admin, hook.id);
}

static void the_scene_is_left(void)
{
    person_destroy(&child);
    person_destroy(&admin);
    suite_stop(&suite);
    receiver_stop(&receiver);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(what_happens_is_posted),
    CASE(a_project_without_webhooks_writes_nothing),
    CASE(two_secrets_sign_while_one_is_exchanged),
    CASE(secrets_survive_an_exchange_of_the_seal_key),
    CASE(only_the_address_itself_is_asked),
    CASE(an_account_that_fails_holds_up_no_other),
    CASE(a_receiver_that_hangs_holds_up_no_other),
    CASE(what_a_receiver_missed_while_it_was_down_comes_later),
    CASE(a_410_switches_a_webhook_off),
    CASE(a_410_counts_when_the_tenant_is_open_again),
    CASE(a_killed_maild_loses_nothing),
    CASE(what_is_given_up_is_named_and_delivered_on_demand),
    CASE(a_thousand_events_a_second_come_through),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    if (have_receiver() || getenv("ATRIUM_REQUIRE_ALL")) {
        unit_optional();
        return unit_run("webhook delivery", cases, ARRAY_SIZE(cases));
    }
    return unit_leave_out_suite("webhook delivery", "its receiver is not installed (make npm)");
}
