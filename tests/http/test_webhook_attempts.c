/*
 * test_webhook_attempts.c - what an admin sees of deliveries, with a receiver over http on the same
 * machine that verifies them with npm's standardwebhooks (tests/webhooks/receiver.cjs, `make npm`).
 *
 * tier: browser
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/certificate.h"
#include "tests/support/receiver.h"
#include "tests/support/unit.h"
#include "tests/support/webhook.h"

enum { SOON_MS = 10000, ATTEMPTS_MAX = 20 };

static struct suite *suite;
static struct person *admin;
static struct unit_dir dir;
static struct receiver receiver;

struct hook {
    char name[32], id[40];
};

static struct hook hook_new(const char *name)
{
    char url[64];
    struct hook hook;

    snprintf(url, sizeof(url), "http://127.0.0.1:%d/hook/%s", receiver.command_port, name);

    HTTP_ANSWER made =
        http_post(suite_url(suite), WEBHOOKS, admin->access,
                  json_pack("{s:s, s:[s]}", "url", url, "events", "session.created"));
    HTTP_ANSWER set = receiver_command(&receiver, "PUT", name,
                                       json_pack("{s:[s]}", "secrets", http_text(made, "secret")));

    CHECK_STATUS(made, 200);
    CHECK_STATUS(set, 200);
    snprintf(hook.name, sizeof(hook.name), "%s", name);
    snprintf(hook.id, sizeof(hook.id), "%s", http_text(made, "id"));
    return hook;
}

/* Adds a session of an invented account, as authd would write it. */
static void event_make(int number)
{
    suite_count(suite,
                "with made as (insert into auth.audit (at, project_id, entity, event) "
                "select extract(epoch from clock_timestamp()) * 1000, '%s', "
                "'Session/00000000-0000-7000-8000-000%09d', "
                "json_build_object('action', 'session.create', 'outcome', 'success', 'account', "
                "'00000000-0000-4000-8000-000000000001', 'role', 'Patient') returning 1) "
                "select count(*) from made",
                strchr(admin->project, '/') + 1, number);
}

static long send_test(const struct hook *hook)
{
    HTTP_ANSWER sent =
        http_post(suite_url(suite), webhook_path(hook->id, "/test"), admin->access, NULL);

    CHECK_STATUS(sent, 200);
    return (long)json_integer_value(http_member(sent, "delivery"));
}

static struct http_answer *retry(const struct hook *hook, long delivery)
{
    return http_post(suite_url(suite), webhook_path(hook->id, "/redeliver"), admin->access,
                     json_pack("{s:I}", "delivery", (json_int_t)delivery));
}

static struct http_answer *read_delivery(const struct hook *hook, long delivery)
{
    char rest[64];

    snprintf(rest, sizeof(rest), "/deliveries/%ld", delivery);
    return http_get(suite_url(suite), webhook_path(hook->id, rest), admin->access);
}

static bool attempts_come_to(const struct hook *hook, long want)
{
    return suite_comes_to(suite, 1, SOON_MS,
                          "select count(*) from mail.webhook_delivery "
                          "where webhook_id = '%s' and attempts >= %ld",
                          hook->id, want);
}

static void the_scene_is_set(void)
{
    dir = unit_dir_make();
    certificate_make(&dir);
    receiver_start_webhooks(&receiver, dir.path);
    suite = suite_start(&(struct suite_options){.set = NULL});
    admin = person_admin(suite);
    UNIT_REQUIRE(admin->access, "an admin");
    usleep(1100000); /* a webhook also gets events of the second before, see webhook_event_insert */
}

static void a_test_event_comes_over_http_and_is_verified(void)
{
    struct hook hook = hook_new("tried");
    long delivery = send_test(&hook);

    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", 1, SOON_MS));

    HTTP_ANSWER came = receiver_command(&receiver, "GET", "tried", NULL);
    HTTP_ANSWER shown = read_delivery(&hook, delivery);
    json_auto_t *payload = json_loads(http_text(shown, "payload"), 0, NULL);

    CU_ASSERT_EQUAL(receiver_count(&receiver, "tried", "unverified"), 0);
    CHECK_STATUS(shown, 200);
    CU_ASSERT_STRING_EQUAL(http_text(shown, "state"), "delivered");
    CU_ASSERT(json_is_null(http_member(shown, "expiresAt")));
    CU_ASSERT(json_equal(payload, http_member(came, "bodies.0")));
    CU_ASSERT_EQUAL(json_array_size(http_member(shown, "history")), 1);
    CU_ASSERT_EQUAL(json_integer_value(http_member(shown, "history.0.status")), 204);
    CU_ASSERT(json_is_null(http_member(shown, "history.0.error")));
    CU_ASSERT(json_integer_value(http_member(shown, "history.0.duration")) < SOON_MS);
    webhook_delete(suite, admin, hook.id);
}

/* The second event of an account waits for the first. */
static void a_delivery_says_what_it_waits_for_and_is_retried_on_demand(void)
{
    struct hook hook = hook_new("waits");

    receiver_set_mode(&receiver, "waits", "fail", NULL);
    event_make(1);
    CU_ASSERT(attempts_come_to(&hook, 1));
    event_make(2);
    CU_ASSERT(suite_comes_to(suite, 2, SOON_MS,
                             "select count(*) from mail.webhook_delivery where webhook_id = '%s'",
                             hook.id));

    HTTP_ANSWER list =
        http_get(suite_url(suite), webhook_path(hook.id, "/deliveries"), admin->access);
    long first = (long)json_integer_value(http_member(list, "resources.1.id"));
    long second = (long)json_integer_value(http_member(list, "resources.0.id"));
    HTTP_ANSWER shown = read_delivery(&hook, second);
    HTTP_ANSWER later = retry(&hook, second);

    CHECK_STATUS(list, 200);
    CU_ASSERT(!http_member(list, "resources.1.waitsFor"));
    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "resources.0.waitsFor")), first);
    CU_ASSERT_EQUAL(json_integer_value(http_member(list, "resources.1.status")), 500);
    CU_ASSERT_EQUAL(json_integer_value(http_member(shown, "waitsFor")), first);
    CU_ASSERT_EQUAL(json_array_size(http_member(shown, "history")), 0);
    CU_ASSERT(!strstr(shown->body, "secret of the receiver"));
    CHECK_STATUS(later, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(later, "count")), 0);

    /* as after an hour's back-off */
    suite_count(suite,
                "with late as (update mail.webhook_delivery set due_at = due_at + 3600000 "
                "where webhook_id = '%s' returning 1), "
                "paused as (update mail.webhook_queue set due_at = due_at + 3600000 "
                "where webhook_id = '%s' returning 1) select count(*) from late, paused",
                hook.id, hook.id);
    receiver_set_mode(&receiver, "waits", "ok", NULL);

    HTTP_ANSWER now = retry(&hook, first);

    CHECK_STATUS(now, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(now, "count")), 1);
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", 2, SOON_MS));

    HTTP_ANSWER done = read_delivery(&hook, first);

    CU_ASSERT(json_array_size(http_member(done, "history")) >= 2);
    CU_ASSERT_EQUAL(json_integer_value(http_member(done, "attempts")),
                    (json_int_t)json_array_size(http_member(done, "history")));
    CU_ASSERT_EQUAL(json_integer_value(http_member(done, "history.0.status")), 204);
    CU_ASSERT_EQUAL(json_integer_value(http_member(done, "history.1.status")), 500);
    CU_ASSERT_EQUAL(receiver_count(&receiver, "waits", "disorder"), 0);
    webhook_delete(suite, admin, hook.id);
}

/* Redelivering adds attempts to the kept ones, of which there are at most 20. */
static void the_attempts_of_a_delivery_are_bounded(void)
{
    struct hook hook = hook_new("bounded");
    long delivery = send_test(&hook);

    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", 1, SOON_MS));
    suite_count(suite,
                "with old as (update mail.webhook_delivery set earlier = (select "
                "jsonb_agg(jsonb_build_object('at', 1000 + i, 'status', 500, 'duration', i)) "
                "from generate_series(1, %d) i) where sequence = %ld returning 1) "
                "select count(*) from old",
                ATTEMPTS_MAX - 1, delivery);

    HTTP_ANSWER again = retry(&hook, delivery);

    CHECK_STATUS(again, 200);
    CU_ASSERT(receiver_comes_to(&receiver, "bounded", "requests", 2, SOON_MS));
    CU_ASSERT(webhook_state_comes_to(suite, hook.id, "delivered", 1, SOON_MS));

    HTTP_ANSWER shown = read_delivery(&hook, delivery);
    char oldest[32];

    snprintf(oldest, sizeof(oldest), "history.%d.duration", ATTEMPTS_MAX - 1);
    CU_ASSERT_EQUAL(json_array_size(http_member(shown, "history")), ATTEMPTS_MAX);
    CU_ASSERT_EQUAL(json_integer_value(http_member(shown, "history.0.status")), 204);
    CU_ASSERT_EQUAL(json_integer_value(http_member(shown, "history.1.status")), 204);
    CU_ASSERT_EQUAL(json_integer_value(http_member(shown, oldest)), ATTEMPTS_MAX - 2);
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
    CASE(a_test_event_comes_over_http_and_is_verified),
    CASE(a_delivery_says_what_it_waits_for_and_is_retried_on_demand),
    CASE(the_attempts_of_a_delivery_are_bounded),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    if (access("build/npm/installed/webhooks", R_OK) == 0 || getenv("ATRIUM_REQUIRE_ALL")) {
        unit_optional();
        return unit_run("webhook attempts", cases, ARRAY_SIZE(cases));
    }
    return unit_leave_out_suite("webhook attempts", "its receiver is not installed (make npm)");
}
