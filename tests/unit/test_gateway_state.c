/*
 * test_gateway_state.c - the gateway's state: revoked sessions, identities, bounded cache; and
 * request ids, error bodies, metrics.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/cache.h"
#include "common/service/metric_rows.h"
#include "gateway/auth/identity.h"
#include "gateway/auth/revoke.h"
#include "gateway/endpoint/admin.h"
#include "gateway/http/answer.h"
#include "gateway/http/trace.h"
#include "tests/support/unit.h"

static void revocations_are_checked(void)
{
    struct revocations *set = revocations_new();
    struct uuid session = uuid_random(), other = uuid_random(), token = uuid_random();
    struct uuid none = {""}, another = uuid_random();

    CU_ASSERT_EQUAL(revocations_check(set, &session, &token), REVOCATION_NONE);
    revocations_add(set, &session, &token, 1000);
    revocations_add(set, &other, &none, 1000);
    CU_ASSERT_EQUAL(revocations_check(set, &session, &token), REVOCATION_LOGOUT);
    CU_ASSERT_EQUAL(revocations_check(set, &session, &another), REVOCATION_ENDED);
    CU_ASSERT_EQUAL(revocations_check(set, &other, &token), REVOCATION_ENDED);
    revocations_add(set, &session, &none, 1000);
    CU_ASSERT_EQUAL(revocations_check(set, &session, &token), REVOCATION_LOGOUT);
    CU_ASSERT_EQUAL(revocations_count(set), 2);
    revocations_destroy(&set);
}

static void sweep_all(struct revocations *set, int64_t now_ms)
{
    for (int i = 0; i < 64; i++)
        revocations_sweep(set, now_ms);
}

static void old_revocations_go(void)
{
    struct revocations *set = revocations_new();
    struct uuid ids[5000], none = {""};

    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        ids[i] = uuid_ordered(1700000000000 + (int64_t)i);
        revocations_add(set, &ids[i], &none, i % 2 ? 1000 : 2000000);
    }
    CU_ASSERT_EQUAL(revocations_count(set), 5000);
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
        CU_ASSERT_EQUAL(revocations_check(set, &ids[i], &none), REVOCATION_ENDED);
    sweep_all(set, 2000);
    CU_ASSERT_EQUAL(revocations_count(set), 5000);
    sweep_all(set, 1000000);
    CU_ASSERT_EQUAL(revocations_count(set), 2500);
    CU_ASSERT_EQUAL(revocations_check(set, &ids[0], &none), REVOCATION_ENDED);
    CU_ASSERT_EQUAL(revocations_check(set, &ids[1], &none), REVOCATION_NONE);
    revocations_destroy(&set);
}

static int dropped;

static void drop(void *value)
{
    dropped++;
    free(value);
}

static struct cache_key number_key(uint64_t number)
{
    struct cache_key key = {0};

    memcpy(key.bytes, &number, sizeof(number));
    number %= 7; /* few values, so that hash chains grow */
    memcpy(key.bytes + CACHE_KEY_SIZE - sizeof(number), &number, sizeof(number));
    return key;
}

static int *number_value(int number)
{
    int *value = malloc(sizeof(*value));

    *value = number;
    return value;
}

static bool is_odd(const void *value, const void *arg UNUSED)
{
    return *(const int *)value % 2;
}

static void the_cache_is_bounded(void)
{
    struct cache *cache = cache_new(100, drop);
    struct cache_key hot = number_key(0), last;

    dropped = 0;
    for (int i = 0; i < 1000; i++) {
        struct cache_key key = number_key((uint64_t)i);
        int *value;

        cache_put(cache, &key, number_value(i));
        value = cache_get(cache, &hot);
        UNIT_CHECK(value && *value == 0, "the entry in use stays, round %d", i);
    }
    CU_ASSERT_EQUAL(cache_count(cache), 100);
    last = number_key(999);
    CU_ASSERT_PTR_NOT_NULL(cache_get(cache, &last));
    CU_ASSERT_EQUAL(dropped, 900);
    cache_put(cache, &hot, number_value(5));
    CU_ASSERT_EQUAL(*(int *)cache_get(cache, &hot), 5);
    CU_ASSERT_EQUAL(cache_count(cache), 100);
    cache_remove_if(cache, is_odd, NULL);
    CU_ASSERT_PTR_NULL(cache_get(cache, &hot));
    CU_ASSERT_TRUE(cache_count(cache) > 0 && cache_count(cache) < 100);
    for (int i = 0; i < 300; i++) {
        struct cache_key key = number_key((uint64_t)(5000 + i));

        cache_put(cache, &key, number_value(i));
    }
    CU_ASSERT_EQUAL(cache_count(cache), 100);
    cache_destroy(&cache);
    CU_ASSERT_EQUAL(dropped, 1301);
}

/* A cache full of unused entries makes space for new ones, whether used immediately or not. */
static void new_entries_do_not_push_each_other_out(void)
{
    enum { CAPACITY = 100 };
    struct cache *cache = cache_new(CAPACITY, drop);
    int there = 0;

    for (int i = 0; i < CAPACITY; i++) {
        struct cache_key key = number_key((uint64_t)i);

        cache_put(cache, &key, number_value(i));
        CU_ASSERT_PTR_NOT_NULL(cache_get(cache, &key));
    }
    for (int i = CAPACITY; i < 2 * CAPACITY; i++) {
        struct cache_key key = number_key((uint64_t)i);

        cache_put(cache, &key, number_value(i));
    }
    for (int i = CAPACITY; i < 2 * CAPACITY; i++) {
        struct cache_key key = number_key((uint64_t)i);

        there += cache_get(cache, &key) != NULL;
    }
    UNIT_CHECK(there == CAPACITY, "%d of %d are there", there, CAPACITY);
    cache_destroy(&cache);
}

static const char project_1[] = "11111111-1111-4111-8111-111111111111";
static const char policy_1[] = "22222222-2222-4222-8222-222222222222";
static const char membership_1[] = "44444444-4444-4444-8444-444444444444";
static const char account_1[] = "33333333-3333-4333-8333-333333333333";

static struct identity *someone(const struct uuid *session, const char *project, const char *policy)
{
    struct caller caller = {.session = *session, .role = ROLE_PATIENT, .display = "Ana"};

    if (uuid_parse(project, &caller.project) < 0 || uuid_parse(policy, &caller.policy) < 0 ||
        uuid_parse(account_1, &caller.account) < 0 ||
        uuid_parse(membership_1, &caller.membership) < 0)
        abort();
    caller.policyResource = "[]";
    return identity_new(&caller, false, NULL, NULL);
}

static bool known(struct identities *all, const struct uuid *session, int64_t mono_ms)
{
    struct identity *found = identities_get(all, session, mono_ms);
    bool result = found && strcmp(found->caller.display, "Ana") == 0 &&
                  strcmp(found->caller.policyResource, "[]") == 0 && !found->caller.projectName;

    identity_release(&found);
    return result;
}

static void put(struct identities *all, const struct uuid *session)
{
    struct identity *identity = someone(session, project_1, policy_1);

    CU_ASSERT_TRUE(identities_put(all, identity, identities_generation(all), 0));
    identity_release(&identity);
}

static void changes_drop_identities(void)
{
    static const struct {
        const char *kind, *id; /* id NULL: the session's own */
        bool dropped;
    } rows[] = {
        {"membership", membership_1, true}, {"membership", project_1, false},
        {"policy", policy_1, true},         {"policy", project_1, false},
        {"project", project_1, true},       {"project", policy_1, false},
        {"account", account_1, true},       {"account", project_1, false},
        {"unheard of", NULL, false},
    };
    struct identities *all = identities_new();
    struct uuid session = uuid_random(), id;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        put(all, &session);
        UNIT_CHECK(known(all, &session, IDENTITY_AGE_MAX_MS - 1), "%s", rows[i].kind);
        UNIT_CHECK(!known(all, &session, IDENTITY_AGE_MAX_MS), "%s", rows[i].kind);
        id = session;
        if (rows[i].id)
            CU_ASSERT_EQUAL(uuid_parse(rows[i].id, &id), 0);
        identities_forget(all, rows[i].kind, &id);
        UNIT_CHECK(known(all, &session, 0) != rows[i].dropped, "%s %s", rows[i].kind, id.text);
    }
    identities_clear(all);
    CU_ASSERT_FALSE(known(all, &session, 0));
    identities_destroy(&all);
}

/* Stores an identity that was fetched since a generation. Returns whether it was kept and can be
 * read. */
static bool fits(struct identities *all, struct identity *identity, uint64_t since)
{
    bool kept = identities_put(all, identity, since, 0);

    if (kept) {
        CU_ASSERT_TRUE(known(all, &identity->caller.session, 0));
        identities_forget(all, "membership", &identity->caller.membership);
    }
    CU_ASSERT_FALSE(known(all, &identity->caller.session, 0));
    return kept;
}

static void a_fetch_that_a_change_overtook_is_not_kept(void)
{
    static const struct {
        const char *kind, *id;
    } rows[] = {{"membership", membership_1},
                {"policy", policy_1},
                {"project", project_1},
                {"account", account_1}};
    struct identities *all = identities_new();
    struct uuid session = uuid_random(), other = uuid_random(), id;
    struct identity *identity = someone(&session, project_1, policy_1);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        uint64_t generation = identities_generation(all);

        CU_ASSERT_EQUAL(uuid_parse(rows[i].id, &id), 0);
        identities_forget(all, rows[i].kind, &id);
        for (int n = 1; n < IDENTITY_CHANGES_KEPT; n++)
            identities_forget(all, "account", &other);
        UNIT_CHECK(!fits(all, identity, generation), "%s", rows[i].kind);
        UNIT_CHECK(fits(all, identity, generation + 1), "after %s", rows[i].kind);
    }
    uint64_t generation = identities_generation(all);
    identities_clear(all);
    CU_ASSERT_FALSE(fits(all, identity, generation));
    CU_ASSERT_TRUE(fits(all, identity, identities_generation(all)));
    /* An identity that was dropped stays usable for the request that holds it. */
    CU_ASSERT_STRING_EQUAL(identity->caller.display, "Ana");
    identity_release(&identity);
    identities_destroy(&all);
}

/* Only a change of the same person restarts a fetch, because in a large installation someone else
 * changes all the time. */
static void a_fetch_goes_on_through_changes_of_others(void)
{
    struct identities *all = identities_new();
    struct uuid session = uuid_random(), other = uuid_random();
    struct identity *identity = someone(&session, project_1, policy_1);
    uint64_t generation = identities_generation(all);

    for (int n = 0; n < IDENTITY_CHANGES_KEPT; n++)
        identities_forget(all, n % 2 ? "account" : "project", &other);
    CU_ASSERT_TRUE(fits(all, identity, generation));
    generation = identities_generation(all);
    for (int n = 0; n <= IDENTITY_CHANGES_KEPT; n++)
        identities_forget(all, "account", &other);
    CU_ASSERT_FALSE(fits(all, identity, generation));
    identity_release(&identity);
    identities_destroy(&all);
}

static void request_ids_are_sane(void)
{
    static const struct {
        const char *id, *parent, *want; /* want NULL: a new one */
    } rows[] = {
        {"my-request.1_A", NULL, "my-request.1_A"},
        {"", NULL, NULL},
        {"a b", NULL, NULL},
        {"a\nb", NULL, NULL},
        {"1234567890123456789012345678901234567890123456789012345678901234", NULL,
         "1234567890123456789012345678901234567890123456789012345678901234"},
        {"12345678901234567890123456789012345678901234567890123456789012345", NULL, NULL},
        {NULL, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
         "4bf92f3577b34da6a3ce929d0e0e4736"},
        {"own", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "own"},
        {NULL, "00-00000000000000000000000000000000-00f067aa0ba902b7-01", NULL},
        {NULL, "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", NULL},
        {NULL, "00-4bf92f3577b34da6a3ce929d0e0e4736", NULL},
    };
    struct trace_source source;
    char previous[TRACE_SIZE] = "";

    trace_source_init(&source);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct trace_context parent;
        bool has = rows[i].parent && traceparent_read(rows[i].parent, &parent) == 0;
        char trace[TRACE_SIZE];

        trace_choose(&source, rows[i].id, has ? &parent : NULL, trace);
        if (rows[i].want) {
            UNIT_CHECK(strcmp(trace, rows[i].want) == 0, "%s: %s", rows[i].want, trace);
        } else {
            UNIT_CHECK(strlen(trace) == 32 && strcmp(trace, previous) != 0, "row %zu: %s", i,
                       trace);
            strcpy(previous, trace);
        }
    }
}

static void errors_become_bodies(void)
{
    struct arena *arena = arena_new();
    struct answer answer;
    struct error err;

    error_init(&err, arena);
    (void)error_set(&err, ERR_NOT_FOUND, "Cannot GET /%s", "\"x");
    answer_from_error(&err, arena, &answer);
    CU_ASSERT_EQUAL(answer.status, 404);
    CU_ASSERT_STRING_EQUAL(
        answer.body,
        "{\"statusCode\":404,\"message\":\"Cannot GET /\\\"x\",\"error\":\"Not Found\"}");
    error_clear(&err);
    (void)error_set(&err, ERR_INTERNAL, "relation does not exist");
    answer_from_error(&err, arena, &answer);
    CU_ASSERT_STRING_EQUAL(answer.body, "{\"statusCode\":500,\"message\":\"Internal server error\","
                                        "\"error\":\"Internal Server Error\"}");
    error_clear(&err);
    (void)error_set(&err, ERR_UNAVAILABLE, "%s", "");
    answer_from_error(&err, arena, &answer);
    CU_ASSERT_PTR_NOT_NULL(strstr(answer.body, "\"Service unavailable. Try again.\""));
    error_clear(&err);
    (void)error_problem(&err, "email", "must be a valid e-mail address");
    (void)error_problem(&err, "name", "is required");
    answer_from_error(&err, arena, &answer);
    CU_ASSERT_STRING_EQUAL(
        answer.body,
        "{\"statusCode\":422,\"message\":[{\"path\":\"email\",\"message\":\"must be a valid e-mail "
        "address\",\"code\":\"INVALID_FORMAT\",\"params\":{\"format\":\"email\"}},{\"path\":"
        "\"name\","
        "\"message\":\"is required\",\"code\":\"REQUIRED\"}],\"error\":\"Unprocessable Entity\"}");
    error_clear(&err);
    (void)error_set(&err, ERR_MFA_REQUIRED, "A code is needed.");
    error_member(&err, "loginId", "7");
    answer_from_error(&err, arena, &answer);
    CU_ASSERT_PTR_NOT_NULL(strstr(answer.body, "\"code\":\"MFA_REQUIRED\",\"loginId\":\"7\""));
    arena_destroy(&arena);
}

static void metrics_are_written_by_family(void)
{
    static const struct metric_row first[] = {
        {"b_total", "x=\"1\"", "Second.", "counter", 5},
        {"a_us_bucket", "le=\"64\"", "First.", "histogram", 1},
        {"a_us_bucket", "le=\"+Inf\"", "First.", "histogram", 2},
        {"a_us_sum", "", "First.", "histogram", 90},
        {"a_us_count", "", "First.", "histogram", 2},
    };
    static const struct metric_row second[] = {{"b_total", NULL, "Second.", "counter", 7},
                                               {"b_total", "service=\"x\"", "Second.", "counter",
                                                8}};
    static const struct metrics_part parts[] = {{"authd", "1", {first, ARRAY_SIZE(first)}},
                                                {"authd", "2", {second, ARRAY_SIZE(second)}}};
    struct arena *arena = arena_new();

    CU_ASSERT_STRING_EQUAL(metrics_text(parts, ARRAY_SIZE(parts), arena),
                           "# HELP a_us First.\n# TYPE a_us histogram\n"
                           "a_us_bucket{service=\"authd\",instance=\"1\",le=\"64\"} 1\n"
                           "a_us_bucket{service=\"authd\",instance=\"1\",le=\"+Inf\"} 2\n"
                           "a_us_sum{service=\"authd\",instance=\"1\"} 90\n"
                           "a_us_count{service=\"authd\",instance=\"1\"} 2\n"
                           "# HELP b_total Second.\n# TYPE b_total counter\n"
                           "b_total{service=\"authd\",instance=\"1\",x=\"1\"} 5\n"
                           "b_total{service=\"authd\",instance=\"2\"} 7\n"
                           "b_total{service=\"authd\",instance=\"2\",exported_service=\"x\"} 8\n");
    CU_ASSERT_STRING_EQUAL(metrics_text(NULL, 0, arena), "");
    arena_destroy(&arena);
}

static const struct unit_case cases[] = {
    CASE(revocations_are_checked),
    CASE(old_revocations_go),
    CASE(the_cache_is_bounded),
    CASE(new_entries_do_not_push_each_other_out),
    CASE(changes_drop_identities),
    CASE(a_fetch_that_a_change_overtook_is_not_kept),
    CASE(a_fetch_goes_on_through_changes_of_others),
    CASE(request_ids_are_sane),
    CASE(errors_become_bodies),
    CASE(metrics_are_written_by_family),
};

int main(void)
{
    return unit_run("gateway state", cases, ARRAY_SIZE(cases));
}
