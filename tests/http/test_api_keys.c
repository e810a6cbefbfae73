/*
 * test_api_keys.c - API keys: what they open, who makes and revokes them, and that a revocation
 * applies on every gateway before the response.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/secret.h"
#include "tests/support/document.h"
#include "tests/support/rows.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define KEYS "/v1/project/api-keys"
#define ALL_RULES "*"
#define UNKNOWN "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum {
    MANY = 24, /* fresh connections, enough to reach each gateway */
    LIMIT = 50,
    RACES = 12, /* API keys that are revoked while in use */
    DAY = 86400,
    FRESH = 900,
};

static struct suite *suite;
static struct person *admin, *child;
static char policy[64]; /* allows reading languages and all of documents */

static void make_policy(const struct person *who, char ret[static 64], json_t *rules)
{
    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/project/access-policies", who->access,
                                 json_pack("{s:s, s:o}", "name", "Machines", "resource", rules));

    CHECK_STATUS(made, 200);
    snprintf(ret, 64, "AccessPolicy/%s", http_text(made, "id"));
}

static json_t *body_key(const char *of_policy)
{
    return json_pack("{s:s, s:s}", "name", "Laboratory", "accessPolicy", of_policy);
}

static struct http_answer *make_key_of(const struct person *who, json_t *body)
{
    return http_post(suite_url(suite), KEYS, who->access, body);
}

struct key {
    char id[40], text[64];
};

static struct key make_key(void)
{
    HTTP_ANSWER made = make_key_of(admin, body_key(policy));
    struct key key;

    CHECK_STATUS(made, 200);
    snprintf(key.id, sizeof(key.id), "%s", http_text(made, "id"));
    snprintf(key.text, sizeof(key.text), "%s", http_text(made, "key"));
    return key;
}

static struct http_answer *delete_key(const struct person *who, const char *id)
{
    char path[128];

    snprintf(path, sizeof(path), KEYS "/%s", id);
    return http_delete(suite_url(suite), path, who->access);
}

static void end_key(const struct key *key)
{
    HTTP_ANSWER done = delete_key(admin, key->id);

    CHECK_STATUS(done, 204);
}

static size_t count_answers(const char *bearer, int status, size_t count)
{
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    size_t good = 0;

    for (size_t i = 0; i < count; i++)
        requests[i] = (struct http_request){.path = "/locales", .bearer = bearer};
    http_call_many(suite_url(suite), requests, count, 8, answers);
    for (size_t i = 0; i < count; i++)
        good += answers[i]->status == status;
    http_answers_destroy(answers, count);
    return good;
}

static bool everywhere(const char *bearer, int status, size_t count)
{
    size_t good = count_answers(bearer, status, count);

    return UNIT_CHECK(good == count, "%zu of %zu answered %d", good, count, status);
}

/* Like everywhere(), but retries for 20 s, because gateways recover late after an interruption. */
static bool soon_everywhere(const char *bearer, int status)
{
    int64_t until = clock_mono_ms() + 20000;

    while (count_answers(bearer, status, MANY) < MANY && clock_mono_ms() < until)
        usleep(100000);
    return everywhere(bearer, status, MANY);
}

static int locales_from(const char *bearer, const char *source)
{
    HTTP_ANSWER answer =
        http_call(suite_url(suite),
                  &(struct http_request){.path = "/locales", .bearer = bearer, .source = source});

    return answer->status;
}

static json_t *listed(const struct person *who, const char *id)
{
    HTTP_ANSWER list = http_get(suite_url(suite), KEYS, who->access);

    CHECK_STATUS(list, 200);
    return json_incref(http_find(http_member(list, "resources"), "id", id));
}

static void a_key_is_shown_once_and_stored_as_a_hash(void)
{
    struct key key = make_key();
    uint8_t hash[SECRET_HASH_SIZE];
    char hex[2 * SECRET_HASH_SIZE + 1];
    json_auto_t *row = listed(admin, key.id);

    CU_ASSERT_EQUAL(strncmp(key.text, "atk_", 4), 0);
    CU_ASSERT_EQUAL(strlen(key.text), 4 + 43);
    CU_ASSERT_PTR_NOT_NULL(row);
    CU_ASSERT_PTR_NULL(json_object_get(row, "key"));
    CU_ASSERT_TRUE(json_is_null(json_object_get(row, "lastUsedAt")));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(row, "createdBy")), admin->profile);
    CU_ASSERT_TRUE(json_is_string(json_object_get(row, "createdByName")));
    secret_hash(key.text, hash);
    for (size_t i = 0; i < sizeof(hash); i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.api_key where hash = '\\x%s'", hex), 1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.api_key k where k::text like '%%%s%%'",
                                key.text + 4),
                    0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'ApiKey/%s' and "
                                "event->>'action' = 'api-key.create' and event::text not like "
                                "'%%%s%%'",
                                key.id, key.text + 4),
                    1);
    end_key(&key);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'ApiKey/%s' and "
                                "event->>'action' = 'api-key.delete'",
                                key.id),
                    1);
}

static void what_is_wrong_with_a_new_one_is_said(void)
{
    HTTP_ANSWER none = make_key_of(admin, json_pack("{s:s}", "name", "X"));
    HTTP_ANSWER foreign =
        make_key_of(admin, body_key("AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"));
    HTTP_ANSWER lasting = make_key_of(admin, json_pack("{s:s, s:s, s:i}", "name", "X",
                                                       "accessPolicy", policy, "days", 366));
    HTTP_ANSWER network =
        make_key_of(admin, json_pack("{s:s, s:s, s:[s, s]}", "name", "X", "accessPolicy", policy,
                                     "addresses", "192.0.2.0/24", "here"));

    CHECK_PROBLEM(none, "accessPolicy");
    CHECK_PROBLEM(foreign, "accessPolicy");
    CHECK_PROBLEM(lasting, "days");
    CHECK_PROBLEM(network, "addresses.1");
}

static void only_admins_have_keys(void)
{
    PERSON patient = person_register(suite, NULL);
    struct key key = make_key();
    HTTP_ANSWER list = http_get(suite_url(suite), KEYS, patient->access);
    HTTP_ANSWER made = make_key_of(patient, body_key(policy));
    HTTP_ANSWER ended = delete_key(patient, key.id);
    HTTP_ANSWER elsewhere = delete_key(child, key.id);
    json_auto_t *row = listed(child, key.id);

    CHECK_STATUS(list, 403);
    CHECK_STATUS(made, 403);
    CHECK_STATUS(ended, 403);
    CHECK_STATUS(elsewhere, 404);
    CU_ASSERT_PTR_NULL(row);
    CU_ASSERT_EQUAL(locales_from(key.text, NULL), 200);
    end_key(&key);
}

static void it_opens_what_a_policy_can_name_and_nothing_else(void)
{
    char wide[64], path[256];
    size_t opened = 0, shut = 0;

    make_policy(admin, wide, json_pack("[{s:s}]", "resourceType", ALL_RULES));
    HTTP_ANSWER made = make_key_of(admin, body_key(wide));
    for (const struct route *route = test_routes; route->method; route++) {
        if (route->access == ACCESS_PUBLIC)
            continue;
        rows_fill_path(route, path);
        HTTP_ANSWER answer =
            http_call(suite_url(suite), &(struct http_request){.method = route->method,
                                                               .path = path,
                                                               .bearer = http_text(made, "key"),
                                                               .raw = "{}"});
        if (route->flags & R_KEY) {
            opened++;
            UNIT_CHECK(answer->status != 401 && answer->status != 403, "%s %s is %d", route->method,
                       route->path, answer->status);
        } else {
            shut++;
            UNIT_CHECK(answer->status == 403, "%s %s is %d", route->method, route->path,
                       answer->status);
        }
        UNIT_CHECK(!(route->flags & R_KEY) || strncmp(route->path, "/auth/", 6) != 0, "%s opens",
                   route->path);
    }
    CU_ASSERT_TRUE(opened >= 10 && shut > 60);
    HTTP_ANSWER ended = delete_key(admin, http_text(made, "id"));
    CHECK_STATUS(ended, 204);
}

static void a_policy_that_is_changed_counts_at_once(void)
{
    char own[64], path[128];

    make_policy(admin, own, json_pack("[{s:s}]", "resourceType", "Locale"));
    HTTP_ANSWER made = make_key_of(admin, body_key(own));
    const char *key = http_text(made, "key");
    CU_ASSERT_TRUE(everywhere(key, 200, MANY));
    HTTP_ANSWER documents = http_get(suite_url(suite), "/document", key);
    CHECK_STATUS(documents, 403);
    snprintf(path, sizeof(path), "/v1/project/access-policies/%s", own + strlen("AccessPolicy/"));
    HTTP_ANSWER used = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(used, 409); /* in use: an API key has this policy */
    HTTP_ANSWER put = http_put(suite_url(suite), path, admin->access,
                               json_pack("{s:s, s:[{s:s}]}", "name", "Machines", "resource",
                                         "resourceType", "DocumentReference"));
    CHECK_STATUS(put, 200);
    CU_ASSERT_TRUE(everywhere(key, 403, MANY));
    HTTP_ANSWER ended = delete_key(admin, http_text(made, "id"));
    CHECK_STATUS(ended, 204);
    HTTP_ANSWER unused = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(unused, 204);
}

static void documents_are_its_own(void)
{
    struct key key = make_key();
    char *id = document_put(suite, key.text, "result.txt", "text/plain", "42", 2);
    HTTP_ANSWER read = document_get(suite, key.text, id);
    HTTP_ANSWER list = http_get(suite_url(suite), "/document", key.text);
    char author[64];

    CHECK_BYTES(read, "42", 2);
    snprintf(author, sizeof(author), "Device/%s", key.id);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.author.reference"), author);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.author.display"), "Laboratory");
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from doc.audit where event->>'action' = "
                                "'document.create' and event->'agent'->>'profile' = '%s'",
                                author),
                    1);
    HTTP_ANSWER form = document_make(suite, key.text, "late.txt", "text/plain");
    end_key(&key);
    HTTP_ANSWER late = document_upload(suite, form, "x", 1);
    CHECK_STATUS(late, 403); /* the upload form became invalid with the API key */
    free(id);
}

static void addresses_bind_it(void)
{
    HTTP_ANSWER made =
        make_key_of(admin, json_pack("{s:s, s:s, s:[s, s]}", "name", "Fixed", "accessPolicy",
                                     policy, "addresses", "127.9.0.0/16", "2001:db8::/32"));
    const char *key = http_text(made, "key");

    CHECK_STATUS(made, 200);
    CU_ASSERT_EQUAL(locales_from(key, "127.9.1.1"), 200);
    CU_ASSERT_EQUAL(locales_from(key, "127.8.1.1"), 403);
    HTTP_ANSWER ended = delete_key(admin, http_text(made, "id"));
    CHECK_STATUS(ended, 204);
}

static void the_addresses_of_its_policy_bind_it(void)
{
    char rules[64];
    HTTP_ANSWER put = http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                                json_pack("{s:s, s:[{s:s}], s:[{s:s, s:s}]}", "name", "Inside",
                                          "resource", "resourceType", "Locale", "ipAccessRule",
                                          "ip", "127.9.0.0/16", "action", "allow"));

    CHECK_STATUS(put, 200);
    snprintf(rules, sizeof(rules), "AccessPolicy/%s", http_text(put, "id"));
    HTTP_ANSWER made = make_key_of(admin, body_key(rules));
    CU_ASSERT_EQUAL(locales_from(http_text(made, "key"), "127.9.1.1"), 200);
    CU_ASSERT_EQUAL(locales_from(http_text(made, "key"), "127.8.1.1"), 403);
    HTTP_ANSWER ended = delete_key(admin, http_text(made, "id"));
    CHECK_STATUS(ended, 204);
}

static void other_texts_are_401(void)
{
    static const char *const texts[] = {"atk_", "atk_kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE",
                                        "atk_'; drop table api_key; --"};
    char longer[200];

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        CU_ASSERT_EQUAL(locales_from(texts[i], NULL), 401);
    memset(longer, 'a', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    memcpy(longer, "atk_", 4);
    CU_ASSERT_EQUAL(locales_from(longer, NULL), 401);
}

static void its_end_holds_on_every_gateway_before_the_answer(void)
{
    for (int i = 0; i < RACES; i++) {
        struct key key = make_key();

        CU_ASSERT_TRUE(everywhere(key.text, 200, MANY));
        end_key(&key);
        if (!everywhere(key.text, 401, MANY))
            break;
    }
}

/* A gateway with a request in progress must not cache its older result. */
static void requests_under_way_do_not_bring_it_back(void)
{
    for (int i = 0; i < RACES; i++) {
        struct key key = make_key();
        char path[128];
        struct http_request requests[MANY];
        struct http_answer *answers[MANY];

        snprintf(path, sizeof(path), KEYS "/%s", key.id);
        for (int k = 0; k < MANY; k++)
            requests[k] = k == MANY / 2
                              ? (struct http_request){.method = "DELETE",
                                                      .path = path,
                                                      .bearer = admin->access}
                              : (struct http_request){.path = "/locales", .bearer = key.text};
        http_call_many(suite_url(suite), requests, MANY, 8, answers);
        CU_ASSERT_EQUAL(answers[MANY / 2]->status, 204);
        http_answers_destroy(answers, MANY);
        if (!everywhere(key.text, 401, MANY))
            break;
    }
}

static void it_stays_ended_when_gateways_forget_why(void)
{
    struct key key = make_key();

    CU_ASSERT_TRUE(everywhere(key.text, 200, MANY));
    end_key(&key);
    suite_advance_clock(suite, 2 * 3600); /* longer than gateways remember a revocation */
    CU_ASSERT_TRUE(everywhere(key.text, 401, MANY));
    person_destroy(&admin);
    admin = person_admin(suite);
}

static void it_expires(void)
{
    HTTP_ANSWER made = make_key_of(admin, json_pack("{s:s, s:s, s:i}", "name", "Short",
                                                    "accessPolicy", policy, "days", 1));
    const char *key = http_text(made, "key");

    CU_ASSERT_TRUE(everywhere(key, 200, MANY));
    suite_advance_clock(suite, DAY + 1);
    CU_ASSERT_TRUE(everywhere(key, 401, MANY));
    person_destroy(&admin);
    admin = person_admin(suite);
    json_auto_t *row = listed(admin, http_text(made, "id")); /* admins still see the expired key */
    CU_ASSERT_PTR_NOT_NULL(row);
}

static void making_and_ending_need_a_fresh_proof(void)
{
    struct key key = make_key();

    suite_advance_clock(suite, FRESH + 1);
    HTTP_ANSWER made = make_key_of(admin, body_key(policy));
    CHECK_STATUS(made, 401);
    CU_ASSERT_STRING_EQUAL(http_text(made, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER ended = delete_key(admin, key.id);
    CHECK_STATUS(ended, 401);
    HTTP_ANSWER unknown = delete_key(admin, UNKNOWN); /* the fresh proof is checked last */
    CHECK_STATUS(unknown, 404);
    CU_ASSERT_EQUAL(locales_from(key.text, NULL), 200);
    person_destroy(&admin);
    admin = person_admin(suite);
    end_key(&key);
}

static void without_authd_it_is_refused(void)
{
    struct key key = make_key();
    pid_t pids[2] = {suite_pid(suite, "authd", "1"), suite_pid(suite, "authd", "2")};

    CU_ASSERT_TRUE(everywhere(key.text, 200, MANY));
    kill(pids[0], SIGSTOP);
    kill(pids[1], SIGSTOP);
    usleep(7 * 1000 * 1000);
    CU_ASSERT_TRUE(everywhere(key.text, 503, 4));
    kill(pids[0], SIGCONT);
    kill(pids[1], SIGCONT);
    CU_ASSERT_TRUE(suite_wait_ready(suite, 20000));
    CU_ASSERT_TRUE(soon_everywhere(key.text, 200));
    end_key(&key);
}

static void it_outlives_its_maker(void)
{
    struct key key = make_key();
    char sql[256];

    snprintf(sql, sizeof(sql),
             "update auth.api_key set created_by = gen_random_uuid() where id = '%s' returning id",
             key.id);
    free(suite_query(suite, sql));
    CU_ASSERT_TRUE(everywhere(key.text, 200, MANY));
    json_auto_t *row = listed(admin, key.id);
    CU_ASSERT_TRUE(json_is_null(json_object_get(row, "createdByName")));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(row, "createdBy")), admin->profile);
    end_key(&key);
}

static char *last_use(const char *id)
{
    char sql[128];

    snprintf(sql, sizeof(sql), "select last_used_at from auth.api_key where id = '%s'", id);
    return suite_query(suite, sql);
}

static void its_use_is_noted_once_an_hour(void)
{
    struct key key = make_key();
    char *none = last_use(key.id), *first, *same, *later;

    CU_ASSERT_STRING_EQUAL(none, "");
    everywhere(key.text, 200, MANY);
    first = last_use(key.id);
    CU_ASSERT_STRING_NOT_EQUAL(first, "");
    suite_advance_clock(suite, 600);
    everywhere(key.text, 200, MANY);
    same = last_use(key.id);
    CU_ASSERT_STRING_EQUAL(first, same);
    suite_advance_clock(suite, 3600);
    /* a resumed project empties the gateways' caches */
    CLEANUP(program_destroy)
    struct program *resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--resume");
    CU_ASSERT_EQUAL(resumed->code, 0);
    everywhere(key.text, 200, MANY);
    later = last_use(key.id);
    CU_ASSERT_STRING_NOT_EQUAL(first, later);
    free(none);
    free(first);
    free(same);
    free(later);
    person_destroy(&admin);
    admin = person_admin(suite);
    end_key(&key);
}

static void a_project_has_fifty_at_most(void)
{
    char own[64];
    int status = 200, made = 0;

    make_policy(child, own, json_pack("[{s:s}]", "resourceType", "Locale"));
    while (status == 200 && made <= LIMIT) {
        HTTP_ANSWER answer = make_key_of(child, body_key(own));
        status = answer->status;
        made += status == 200;
    }
    CU_ASSERT_EQUAL(made, LIMIT);
    CU_ASSERT_EQUAL(status, 409);
    HTTP_ANSWER first = http_get(suite_url(suite), KEYS "?_count=30", child->access);
    char path[4300];
    snprintf(path, sizeof(path), KEYS "?_count=30&_cursor=%s", http_text(first, "next"));
    HTTP_ANSWER rest = http_get(suite_url(suite), path, child->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(first, "resources")), 30);
    CU_ASSERT_EQUAL(json_array_size(http_member(rest, "resources")), LIMIT - 30);
    CU_ASSERT_TRUE(json_is_null(http_member(rest, "next")));
    HTTP_ANSWER foreign = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(foreign, 422);
}

static void revoked_keys_do_not_pile_up(void)
{
    make_key();
    free(suite_query(suite,
                     "with k as (insert into auth.api_key (project_id, id, name, hash, policy_id, "
                     "addresses, created_by, profile_id, created_at, expires_at, revoked_at) "
                     "select k.project_id, gen_random_uuid(), k.name, sha256(i::text::bytea), "
                     "k.policy_id, k.addresses, k.created_by, k.profile_id, k.created_at, "
                     "k.expires_at, k.created_at + i from (select * from auth.api_key "
                     "where revoked_at is null order by id desc limit 1) k, "
                     "generate_series(1, 300) i returning 1) select count(*) from k"));
    struct key next = make_key();
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.api_key where project_id = (select "
                                "project_id from auth.api_key where id = '%s') and "
                                "revoked_at is not null",
                                next.id),
                    200);
}

static void operators_list_and_revoke(void)
{
    struct key key = make_key();
    CLEANUP(program_destroy)
    struct program *list = ATRIUMCTL(suite, NULL, "api-key", "list", "--project", "demo");
    CU_ASSERT_PTR_NOT_NULL(strstr(list->out, key.id));
    CU_ASSERT_PTR_NULL(strstr(list->out, key.text));
    CLEANUP(program_destroy)
    struct program *done = ATRIUMCTL(suite, NULL, "api-key", "revoke", "--project", "demo", key.id);
    CU_ASSERT_EQUAL(done->code, 0);
    CU_ASSERT_TRUE(everywhere(key.text, 401, MANY));
    CLEANUP(program_destroy)
    struct program *again =
        ATRIUMCTL(suite, NULL, "api-key", "revoke", "--project", "demo", key.id);
    CU_ASSERT_NOT_EQUAL(again->code, 0);
}

static void keys_of_a_suspended_project_open_nothing(void)
{
    struct key key = make_key();
    CLEANUP(program_destroy)
    UNUSED struct program *done = ATRIUMCTL(suite, NULL, "project", "suspend", "demo");
    CU_ASSERT_TRUE(everywhere(key.text, 403, MANY));
    CLEANUP(program_destroy)
    struct program *list = ATRIUMCTL(suite, NULL, "api-key", "list", "--project", "demo");
    CU_ASSERT_PTR_NOT_NULL(strstr(list->out, key.id));
    CLEANUP(program_destroy)
    UNUSED struct program *resumed =
        ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--resume");
    CU_ASSERT_TRUE(everywhere(key.text, 200, MANY));
    end_key(&key);
}

static void suite_starts(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    suite_advance_clock(suite, 0);
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "keys-child");
    make_policy(admin, policy,
                json_pack("[{s:s}, {s:s}]", "resourceType", "Locale", "resourceType",
                          "DocumentReference"));
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&child);
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE(a_key_is_shown_once_and_stored_as_a_hash),
    CASE(what_is_wrong_with_a_new_one_is_said),
    CASE(only_admins_have_keys),
    CASE(it_opens_what_a_policy_can_name_and_nothing_else),
    CASE(a_policy_that_is_changed_counts_at_once),
    CASE(documents_are_its_own),
    CASE(addresses_bind_it),
    CASE(the_addresses_of_its_policy_bind_it),
    CASE(other_texts_are_401),
    CASE(its_end_holds_on_every_gateway_before_the_answer),
    CASE(requests_under_way_do_not_bring_it_back),
    CASE(a_project_has_fifty_at_most),
    CASE(revoked_keys_do_not_pile_up),
    CASE(operators_list_and_revoke),
    CASE(keys_of_a_suspended_project_open_nothing),
    CASE(it_outlives_its_maker),
    CASE(making_and_ending_need_a_fresh_proof),
    CASE(its_use_is_noted_once_an_hour),
    CASE(it_stays_ended_when_gateways_forget_why),
    CASE(it_expires),
    CASE(without_authd_it_is_refused),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("api keys", cases, ARRAY_SIZE(cases));
}
