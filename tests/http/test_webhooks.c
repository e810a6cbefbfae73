/*
 * test_webhooks.c - a project's webhooks: permissions, validation and secrets. See
 * test_webhook_delivery.c for deliveries.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"
#include "tests/support/webhook.h"

#define UNKNOWN "/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum { WEBHOOKS_MAX = 20 };

static struct suite *suite;
static struct person *admin, *child, *patient;

static json_t *body(const char *url, const char *event)
{
    return json_pack("{s:s, s:[s]}", "url", url, "events", event);
}

static struct http_answer *create(const struct person *who, json_t *webhook)
{
    return http_post(suite_url(suite), WEBHOOKS, who->access, webhook);
}

static void the_scene_is_set(void)
{
    suite = suite_start(&(struct suite_options){.test_clock = true});
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "lakeside");
    patient = person_register(suite, NULL);
    UNIT_REQUIRE(admin->access && child->access && patient->access, "three people");
}

static void only_admins_have_them(void)
{
    HTTP_ANSWER without = http_get(suite_url(suite), WEBHOOKS, NULL);
    HTTP_ANSWER read = http_get(suite_url(suite), WEBHOOKS, patient->access);
    HTTP_ANSWER written = create(patient, body("https://a.example/", "session.created"));

    CHECK_STATUS(without, 401);
    CHECK_STATUS(read, 403);
    CHECK_STATUS(written, 403);
}

static void only_https_urls_are_taken(void)
{
    static const struct {
        const char *url;
        int status;
    } rows[] = {
        {"https://hooks.example/x?y=1", 200},
        {"https://hooks.example:8443", 200},
        {"http://hooks.example/", 422},
        {"https://", 422},
        {"https:///path", 422},
        {"https://?x", 422},
        {"https://user:password@hooks.example/", 422},
        {"https://hooks.example/#part", 422},
        {"https://hooks.example/a b", 422},
        {"https://h\xc3\xb6ks.example/", 422},
        {"ftp://hooks.example/", 422},
        {"hooks.example", 422},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made = create(child, body(rows[i].url, "session.created"));

        UNIT_CHECK(made->status == rows[i].status, "%s: %d", rows[i].url, made->status);
        if (rows[i].status == 422)
            CHECK_PROBLEM(made, "url");
        else {
            HTTP_ANSWER gone = http_delete(suite_url(suite),
                                           webhook_path(http_text(made, "id"), ""), child->access);

            CHECK_STATUS(gone, 204);
        }
    }
}

/* atriumctl dev permits a receiver on the same machine. */
static void plain_http_is_for_this_machine_only(void)
{
    static const struct {
        const char *url;
        int status;
    } rows[] = {
        {"http://127.0.0.1:9/x", 200},
        {"HTTP://localhost:9/x", 200},
        {"http://[::1]/", 200},
        {"http://127.0.0.2/", 422},
        {"http://10.0.0.1/", 422},
        {"http://localhost.example/", 422},
        {"http://user@localhost/", 422},
        {"http://localhost/#part", 422},
        {"http://localhost@hooks.example/", 422},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER made = create(child, body(rows[i].url, "session.created"));

        UNIT_CHECK(made->status == rows[i].status, "%s: %d", rows[i].url, made->status);
        if (rows[i].status == 422)
            CHECK_PROBLEM(made, "url");
        else
            webhook_delete(suite, child, http_text(made, "id"));
    }
}

static json_t *caep(void)
{
    return json_pack("{s:s, s:[s], s:s, s:s}", "url", "https://a.example/", "events",
                     "session.revoked", "format", "caep", "audience", "https://a.example/");
}

static struct http_answer *test_event(const struct person *who, const char *id)
{
    return http_post(suite_url(suite), webhook_path(id, "/test"), who->access, NULL);
}

static struct http_answer *delivery_of(const struct person *who, const char *id, long delivery)
{
    char rest[64];

    snprintf(rest, sizeof(rest), "/deliveries/%ld", delivery);
    return http_get(suite_url(suite), webhook_path(id, rest), who->access);
}

/* Nothing listens at the webhook's port, so the test event waits for its retry. */
static void a_test_event_is_delivered_and_shown_with_its_attempts(void)
{
    HTTP_ANSWER made = create(admin, body("https://127.0.0.1:9/", "document.created"));
    const char *id = http_text(made, "id");
    HTTP_ANSWER hidden = test_event(patient, id);
    HTTP_ANSWER foreign = test_event(child, id);
    HTTP_ANSWER sent = test_event(admin, id);
    long delivery = (long)json_integer_value(http_member(sent, "delivery"));

    CHECK_STATUS(hidden, 403);
    CHECK_ERROR(foreign, 404, "Webhook not found.");
    CHECK_STATUS(sent, 200);
    CU_ASSERT(suite_comes_to(suite, 1, 10000,
                             "select count(*) from mail.webhook_delivery "
                             "where sequence = %ld and attempts > 0",
                             delivery));

    HTTP_ANSWER second = test_event(admin, id);
    HTTP_ANSWER shown = delivery_of(admin, id, delivery);
    HTTP_ANSWER other = delivery_of(child, id, delivery);
    HTTP_ANSWER unknown = delivery_of(admin, id, delivery + 1);
    HTTP_ANSWER closed = delivery_of(patient, id, delivery);
    json_auto_t *payload = json_loads(http_text(shown, "payload"), 0, NULL);
    const char *project = strchr(admin->project, '/') + 1;

    CHECK_ERROR(second, 409, "A test event is already waiting to be delivered.");
    CHECK_STATUS(shown, 200);
    CU_ASSERT_STRING_EQUAL(http_text(shown, "type"), "webhook.test");
    CU_ASSERT_STRING_EQUAL(http_text(shown, "state"), "waiting");
    CU_ASSERT(json_is_string(http_member(shown, "expiresAt")));
    CU_ASSERT(!http_member(shown, "waitsFor"));
    CU_ASSERT_STRING_EQUAL(http_text(shown, "history.0.error"), "UNAVAILABLE");
    CU_ASSERT(json_is_integer(http_member(shown, "history.0.duration")));
    CU_ASSERT(!http_member(shown, "history.0.status"));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(payload, "type")), "webhook.test");
    CU_ASSERT_STRING_EQUAL(
        json_string_value(json_object_get(json_object_get(payload, "data"), "project")), project);
    CU_ASSERT(json_object_get(json_object_get(payload, "data"), "actor") != NULL);
    CU_ASSERT(!strchr(shown->body, '@'));
    CHECK_STATUS(other, 404);
    CHECK_ERROR(unknown, 404, "Delivery not found.");
    CHECK_STATUS(closed, 403);
    webhook_delete(suite, admin, id);
}

static void some_webhooks_have_no_test_event(void)
{
    HTTP_ANSWER off = create(admin, json_pack("{s:s, s:[s], s:b}", "url", "https://a.example/",
                                              "events", "session.created", "enabled", 0));
    HTTP_ANSWER tokens = create(admin, caep());
    HTTP_ANSWER disabled = test_event(admin, http_text(off, "id"));
    HTTP_ANSWER unsigned_ = test_event(admin, http_text(tokens, "id"));

    CHECK_ERROR(disabled, 409, "The webhook is disabled.");
    CHECK_ERROR(unsigned_, 409, "A webhook with the format caep has no test event: end a session.");
    webhook_delete(suite, admin, http_text(off, "id"));
    webhook_delete(suite, admin, http_text(tokens, "id"));
}

static void only_known_events_are_taken(void)
{
    HTTP_ANSWER unknown = create(admin, body("https://a.example/", "session.renewed"));
    HTTP_ANSWER none =
        create(admin, json_pack("{s:s, s:[]}", "url", "https://a.example/", "events"));
    HTTP_ANSWER absent = create(admin, json_pack("{s:s}", "url", "https://a.example/"));
    HTTP_ANSWER twice =
        create(child, json_pack("{s:s, s:[s,s,s]}", "url", "https://a.example/", "events",
                                "session.created", "session.revoked", "session.created"));
    HTTP_ANSWER gone =
        http_delete(suite_url(suite), webhook_path(http_text(twice, "id"), ""), child->access);

    CHECK_STATUS(unknown, 422);
    CHECK_STATUS(none, 422);
    CHECK_STATUS(absent, 422);
    CHECK_STATUS(twice, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(twice, "events")), 2);
    CHECK_STATUS(gone, 204);
}

static void a_secret_is_shown_once(void)
{
    HTTP_ANSWER made = create(admin, body("https://a.example/", "session.created"));
    const char *secret = http_text(made, "secret"), *id = http_text(made, "id");
    HTTP_ANSWER list = http_get(suite_url(suite), WEBHOOKS, admin->access);
    HTTP_ANSWER replaced = http_put(suite_url(suite), webhook_path(id, ""), admin->access,
                                    json_pack("{s:s, s:[s], s:b}", "url", "https://b.example/",
                                              "events", "document.created", "enabled", 0));
    HTTP_ANSWER exchanged =
        http_post(suite_url(suite), webhook_path(id, "/secret"), admin->access, json_object());
    HTTP_ANSWER at_once = http_post(suite_url(suite), webhook_path(id, "/secret"), admin->access,
                                    json_pack("{s:i}", "previousHours", 0));

    CHECK_STATUS(made, 200);
    CU_ASSERT(strncmp(secret, "whsec_", 6) == 0 && strlen(secret) == 6 + 44);
    CHECK_STATUS(list, 200);
    CU_ASSERT(!strstr(list->body, secret) && !strstr(list->body, "whsec_"));
    CHECK_STATUS(replaced, 200);
    CU_ASSERT_STRING_EQUAL(http_text(replaced, "url"), "https://b.example/");
    CU_ASSERT(json_is_false(http_member(replaced, "enabled")));
    CU_ASSERT(!http_member(replaced, "secret"));
    CHECK_STATUS(exchanged, 200);
    CU_ASSERT(strncmp(http_text(exchanged, "secret"), "whsec_", 6) == 0);
    CU_ASSERT_STRING_NOT_EQUAL(http_text(exchanged, "secret"), secret);
    CU_ASSERT(json_is_string(http_member(exchanged, "previousSecretUntil")));
    CHECK_STATUS(at_once, 200);
    CU_ASSERT(json_is_null(http_member(at_once, "previousSecretUntil")));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from mail.webhook "
                                "where position('whsec_' in encode(secret_sealed, 'escape')) "
                                "> 0"),
                    0);
}

static void those_of_another_project_are_not_found(void)
{
    HTTP_ANSWER made = create(admin, body("https://a.example/", "session.created"));
    const char *id = http_text(made, "id");
    HTTP_ANSWER list = http_get(suite_url(suite), WEBHOOKS, child->access);
    HTTP_ANSWER replaced = http_put(suite_url(suite), webhook_path(id, ""), child->access,
                                    body("https://evil.example/", "session.created"));
    HTTP_ANSWER exchanged =
        http_post(suite_url(suite), webhook_path(id, "/secret"), child->access, json_object());
    HTTP_ANSWER deleted = http_delete(suite_url(suite), webhook_path(id, ""), child->access);
    HTTP_ANSWER unknown = http_delete(suite_url(suite), WEBHOOKS UNKNOWN, admin->access);
    HTTP_ANSWER own = http_delete(suite_url(suite), webhook_path(id, ""), admin->access);

    CHECK_STATUS(list, 200);
    CU_ASSERT(!strstr(list->body, id));
    CHECK_ERROR(replaced, 404, "Webhook not found.");
    CHECK_ERROR(exchanged, 404, "Webhook not found.");
    CHECK_ERROR(deleted, 404, "Webhook not found.");
    CHECK_ERROR(unknown, 404, "Webhook not found.");
    CHECK_STATUS(own, 204);
}

/* Attack: a stolen access token. Reading needs no proof, and missing objects stay 404. */
static void changes_need_a_fresh_proof(void)
{
    HTTP_ANSWER made = create(admin, body("https://a.example/", "session.created"));
    const char *id = http_text(made, "id");

    suite_set_clock(suite, 16 * 60);

    HTTP_ANSWER unknown = http_delete(suite_url(suite), WEBHOOKS UNKNOWN, admin->access);
    struct http_answer *refused[] = {
        create(admin, body("https://evil.example/", "session.created")),
        http_put(suite_url(suite), webhook_path(id, ""), admin->access,
                 body("https://evil.example/", "session.created")),
        http_post(suite_url(suite), webhook_path(id, "/secret"), admin->access, json_object()),
        http_post(suite_url(suite), webhook_path(id, "/redeliver"), admin->access, json_object()),
        test_event(admin, id),
        http_delete(suite_url(suite), webhook_path(id, ""), admin->access),
    };
    HTTP_ANSWER list = http_get(suite_url(suite), WEBHOOKS, admin->access);
    HTTP_ANSWER deliveries =
        http_get(suite_url(suite), webhook_path(id, "/deliveries"), admin->access);
    HTTP_ANSWER proven = http_post(suite_url(suite), "/auth/step-up", admin->access,
                                   json_pack("{s:s}", "password", admin->password));
    struct http_answer *accepted[] = {
        create(admin, body("https://b.example/", "session.created")),
        http_put(suite_url(suite), webhook_path(id, ""), admin->access,
                 body("https://c.example/", "session.created")),
        http_post(suite_url(suite), webhook_path(id, "/secret"), admin->access, json_object()),
        http_post(suite_url(suite), webhook_path(id, "/redeliver"), admin->access, json_object()),
        test_event(admin, id),
        http_delete(suite_url(suite), webhook_path(id, ""), admin->access),
    };

    CHECK_ERROR(unknown, 404, "Webhook not found.");
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        UNIT_CHECK(refused[i]->status == 401 &&
                       strcmp(http_text(refused[i], "code"), "STEP_UP_REQUIRED") == 0,
                   "change %zu: %d", i, refused[i]->status);
    CHECK_STATUS(list, 200);
    CU_ASSERT(strstr(list->body, id) && !strstr(list->body, "evil.example"));
    CHECK_STATUS(deliveries, 200);
    CHECK_STATUS(proven, 204);
    for (size_t i = 0; i < ARRAY_SIZE(accepted); i++)
        UNIT_CHECK(accepted[i]->status == 200 || accepted[i]->status == 204, "change %zu: %d", i,
                   accepted[i]->status);
    http_answers_destroy(refused, ARRAY_SIZE(refused));
    http_answers_destroy(accepted, ARRAY_SIZE(accepted));
}

static void a_project_has_twenty_at_most(void)
{
    struct http_request requests[WEBHOOKS_MAX + 10];
    struct http_answer *answers[ARRAY_SIZE(requests)];
    size_t made = 0, refused = 0;

    for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = WEBHOOKS,
                                            .bearer = child->access,
                                            .body = body("https://a.example/", "session.created")};
    http_call_many(suite_url(suite), requests, ARRAY_SIZE(requests), 8, answers);
    for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
        made += answers[i]->status == 200;
        refused += answers[i]->status == 409;
    }
    CU_ASSERT_EQUAL(made, WEBHOOKS_MAX);
    CU_ASSERT_EQUAL(refused, 10);
    http_answers_destroy(answers, ARRAY_SIZE(requests));
}

static void a_list_goes_on_by_its_cursor(void)
{
    char cursor[4200] = "", path[4500];
    HTTP_ANSWER elsewhere =
        http_get(suite_url(suite), WEBHOOKS "?_count=7&_cursor=AAAA", child->access);
    size_t seen = 0, pages = 0;

    do {
        snprintf(path, sizeof(path), WEBHOOKS "?_count=7%s%s", *cursor ? "&_cursor=" : "", cursor);

        HTTP_ANSWER page = http_get(suite_url(suite), path, child->access);

        CHECK_STATUS(page, 200);
        seen += json_array_size(http_member(page, "resources"));
        snprintf(cursor, sizeof(cursor), "%s", http_text(page, "next"));
        if (++pages == 1) {
            HTTP_ANSWER foreign = http_get(suite_url(suite), path, admin->access);

            CHECK_STATUS(foreign, 200);
            snprintf(path, sizeof(path), WEBHOOKS "?_cursor=%s", cursor);

            HTTP_ANSWER stolen = http_get(suite_url(suite), path, admin->access);

            CHECK_PROBLEM(stolen, "_cursor");
        }
    } while (*cursor && pages < 10);
    CU_ASSERT_EQUAL(seen, WEBHOOKS_MAX);
    CU_ASSERT_EQUAL(pages, 3);
    CHECK_PROBLEM(elsewhere, "_cursor");
}

/* Attack: an admin lets a production suite post to its own loopback interface. */
static void plain_http_needs_the_operators_permission(void)
{
    HTTP_ANSWER kept = create(admin, body("http://127.0.0.1:9/", "session.created"));

    CHECK_STATUS(kept, 200);
    suite_reconfigure(suite, "maild.allow_plain_http=false");

    HTTP_ANSWER made = create(admin, body("http://127.0.0.1:9/", "session.created"));
    HTTP_ANSWER replaced = http_put(suite_url(suite), webhook_path(http_text(kept, "id"), ""),
                                    admin->access, body("http://localhost:9/", "session.created"));
    HTTP_ANSWER sent = test_event(admin, http_text(kept, "id"));

    CHECK_PROBLEM(made, "url");
    CHECK_PROBLEM(replaced, "url");
    CHECK_STATUS(sent, 200);
    CU_ASSERT(suite_comes_to(suite, 1, 10000,
                             "select count(*) from mail.webhook_delivery "
                             "where webhook_id = '%s' and error = 'FORBIDDEN'",
                             http_text(kept, "id")));
}

static void the_scene_is_left(void)
{
    person_destroy(&patient);
    person_destroy(&child);
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(only_admins_have_them),
    CASE(only_https_urls_are_taken),
    CASE(plain_http_is_for_this_machine_only),
    CASE(a_test_event_is_delivered_and_shown_with_its_attempts),
    CASE(some_webhooks_have_no_test_event),
    CASE(only_known_events_are_taken),
    CASE(a_secret_is_shown_once),
    CASE(those_of_another_project_are_not_found),
    CASE(a_project_has_twenty_at_most),
    CASE(a_list_goes_on_by_its_cursor),
    CASE(changes_need_a_fresh_proof),
    CASE(plain_http_needs_the_operators_permission),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("webhooks", cases, ARRAY_SIZE(cases));
}
