/*
 * test_trail.c - a project's audit log with proofs: the admins' list, a checkpoint and proofs that
 * Go's note and tlog accept (tests/audit-go/verify.go), people's own rows, and trees that no crash
 * forks.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/audit_go.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/trail.h"
#include "tests/support/trail_proof.h"
#include "tests/support/unit.h"

#define AUDIT "/v1/project/audit"
#define ACTIVITY "/auth/activity"

enum {
    PAGES_MAX = 400,
    PROVEN = 40,        /* rows whose proofs Go verifies */
    BACKLOG = 4000,     /* rows made at the same time */
    LARGE = 60000,      /* rows of the project for timing; ATRIUM_TRAIL_ROWS */
    TIMED = 30,         /* timed proofs */
    PROOF_MS_MAX = 100, /* median, on a loaded machine */
    GROWN_MS = 60000,
};

static struct suite *suite;
static struct person *admin, *child;
static struct unit_dir dir;

static struct http_answer *get(const struct person *who, const char *path, const char *query)
{
    char text[5200];

    snprintf(text, sizeof(text), "%s%s", path, query);
    return http_get(suite_url(suite), text, who->access);
}

static long rows_of(const struct person *who)
{
    return trail_number(suite, "select count(*) from trail where project_id = '%s'",
                        who->project + strlen("Project/"));
}

static long leaves_of(const struct person *who)
{
    return suite_count(suite,
                       "select coalesce(sum(size), 0) from auth.trail_tree where "
                       "project_id = '%s'",
                       who->project + strlen("Project/"));
}

static bool grown(const struct person *who)
{
    int64_t until = clock_mono_ms() + GROWN_MS;

    while (leaves_of(who) < rows_of(who) && clock_mono_ms() < until)
        usleep(100000);
    return UNIT_CHECK(leaves_of(who) == rows_of(who) && rows_of(who) > 0, "%ld leaves of %ld rows",
                      leaves_of(who), rows_of(who));
}

/* Collects the resources of all pages. Returns a new reference. */
static json_t *walk(const struct person *who, const char *path, const char *query)
{
    json_t *all = json_array();
    char cursor[4300] = "", rest[5000];
    bool more = true;

    for (int page = 0; more && page < PAGES_MAX; page++) {
        snprintf(rest, sizeof(rest), "?%s%s%s", query, *cursor ? "&_cursor=" : "", cursor);
        HTTP_ANSWER answer = get(who, path, rest);
        more = CHECK_STATUS(answer, 200);
        json_array_extend(all, http_member(answer, "resources"));
        more = more && !json_is_null(http_member(answer, "next"));
        if (more)
            snprintf(cursor, sizeof(cursor), "%s", http_text(answer, "next"));
    }
    CU_ASSERT_FALSE(more);
    return all;
}

static const char *text_at(const json_t *list, size_t i, const char *name)
{
    return json_string_value(json_object_get(json_array_get(list, i), name));
}

static struct http_answer *proof_of(const struct person *who, const char *id)
{
    char path[160];

    snprintf(path, sizeof(path), AUDIT "/%s/proof", id);
    return http_get(suite_url(suite), path, who->access);
}

static json_t *line_of(const struct http_answer *proof)
{
    return json_pack("{s:O, s:O, s:[{s:O, s:O, s:O}]}", "verifierKey",
                     http_member(proof, "verifierKey"), "checkpoint",
                     http_member(proof, "checkpoint"), "proofs", "index",
                     http_member(proof, "index"), "record", http_member(proof, "record"), "hashes",
                     http_member(proof, "hashes"));
}

static void only_admins_read_it(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER empty = get(admin, AUDIT, "?_count=0");
    HTTP_ANSWER list = get(patient, AUDIT, "");
    HTTP_ANSWER head = get(patient, AUDIT, "/checkpoint");
    HTTP_ANSWER proof = proof_of(patient, "authd-1");

    CHECK_STATUS(empty, 422);
    CHECK_STATUS(list, 403);
    CHECK_STATUS(head, 403);
    CHECK_STATUS(proof, 403);
}

static void every_row_is_listed_once_the_newest_first(void)
{
    CU_ASSERT_TRUE(grown(admin));
    json_auto_t *all = walk(admin, AUDIT, "_count=7");
    json_auto_t *ids = json_object();

    for (size_t i = 0; i < json_array_size(all); i++) {
        json_object_set_new(ids, text_at(all, i, "id"), json_true());
        CU_ASSERT_STRING_EQUAL(text_at(all, i, "resourceType"), "AuditEvent");
    }
    UNIT_CHECK((long)json_array_size(all) == leaves_of(admin), "%zu listed", json_array_size(all));
    CU_ASSERT_EQUAL(json_object_size(ids), json_array_size(all));
    /* one daemon's rows are in its chain's order, which is that of time here */
    CU_ASSERT_TRUE(strcmp(text_at(all, 0, "recorded"),
                          text_at(all, json_array_size(all) - 1, "recorded")) >= 0);
}

static void check_filter(const char *query, const char *where)
{
    json_auto_t *found = walk(admin, AUDIT, query);
    long want = trail_number(suite, "select count(*) from trail where project_id = '%s' and %s",
                             admin->project + strlen("Project/"), where);

    UNIT_CHECK((long)json_array_size(found) == want && want > 0, "%s: %zu of %ld", query,
               json_array_size(found), want);
}

static void it_is_searched(void)
{
    char query[200], where[600], path[160],
        *at = suite_query(suite, "select max(at) from auth.audit where "
                                 "sequence is not null and sequence < 20");
    char iso[25];

    CU_ASSERT_TRUE(grown(admin));
    check_filter("action=session.create", "event->>'action' = 'session.create'");
    check_filter("action=session", "event->>'action' like 'session.%'");
    HTTP_ANSWER read = http_get(suite_url(suite), "/v1/project/accounts?_count=1", admin->access);
    snprintf(path, sizeof(path), "/v1/project/accounts/%s", http_text(read, "resources.0.id"));
    HTTP_ANSWER one = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(one, 200);
    CU_ASSERT_TRUE(grown(admin));
    char *profile = suite_query(suite, "select event#>>'{agent,profile}' from auth.audit "
                                       "where event->>'action' = 'account.read' limit 1");
    snprintf(query, sizeof(query), "actor=%s", profile);
    snprintf(
        where, sizeof(where),
        "(event#>>'{agent,profile}' = '%s' or event#>>'{agent,profile}' is null and "
        "event#>>'{agent,service}' = 'gateway' and event->>'account' = (select "
        "event#>>'{agent,account}' from trail where event#>>'{agent,profile}' = '%s' limit 1))",
        profile, profile);
    check_filter(query, where);
    free(profile);
    char *entity = suite_query(suite, "select max(entity) from auth.audit where entity like "
                                      "'Session/%'");
    snprintf(query, sizeof(query), "target=%s", entity);
    snprintf(where, sizeof(where), "entity = '%s'", entity);
    check_filter(query, where);
    clock_format_iso(strtoll(at, NULL, 10), iso);
    snprintf(query, sizeof(query), "until=%s", iso);
    snprintf(where, sizeof(where), "at <= %s", at);
    check_filter(query, where);
    snprintf(query, sizeof(query), "since=%s", iso);
    snprintf(where, sizeof(where), "at >= %s", at);
    check_filter(query, where);
    free(at);
    free(entity);
}

/* Makes a patient who registered, failed to sign in, signed in, made a document, and was read and
 * locked by the admin. */
static struct person *busy_patient(void)
{
    struct person *self;
    PERSON patient = person_register(suite, NULL);
    TEXT id = suite_account(suite, patient->email);
    char path[160];

    HTTP_ANSWER wrong =
        suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                         body_login_start(patient->email, "not the password", "demo"));
    CHECK_STATUS(wrong, 400);
    self = person_sign_in(suite, "Patient", patient->email, patient->password, "demo");
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/document", self->access,
                  json_pack("{s:s, s:s}", "fileName", "a.png", "contentType", "image/png"));
    CHECK_STATUS(made, 200);
    snprintf(path, sizeof(path), "/v1/project/accounts/%s", id);
    HTTP_ANSWER read = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(read, 200);
    snprintf(path, sizeof(path), "/v1/project/accounts/%s/lock", id);
    HTTP_ANSWER done = http_post(suite_url(suite), path, admin->access,
                                 json_pack("{s:s}", "reason", "lost phone"));
    CHECK_STATUS(done, 204);
    return self;
}

static size_t found_of(const char *filter, const char *value, const char *action)
{
    char query[300];

    snprintf(query, sizeof(query), "%s=%s&action=%s", filter, value, action);
    json_auto_t *rows = walk(admin, AUDIT, query);
    return json_array_size(rows);
}

static void one_filter_finds_all_of_a_person(void)
{
    static const struct {
        const char *action;
        size_t done, about; /* rows by the person; rows by or about them */
    } rows[] = {{"account.register", 1, 1},
                {"session.create", 2, 2},
                {"document.create", 1, 1},
                {"account.read", 0, 1},
                {"membership.lock", 0, 1}};
    PERSON patient = busy_patient();
    TEXT id = suite_account(suite, patient->email);
    char account[64];

    snprintf(account, sizeof(account), "Account/%s", id);
    CU_ASSERT_TRUE(grown(admin));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *const names[] = {account, patient->profile};

        for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
            size_t done = found_of("actor", names[k], rows[i].action);
            size_t about = found_of("target", names[k], rows[i].action);

            UNIT_CHECK(done == rows[i].done, "actor=%s: %s: %zu", names[k], rows[i].action, done);
            UNIT_CHECK(about == rows[i].about, "target=%s: %s: %zu", names[k], rows[i].action,
                       about);
        }
    }
    TEXT desk = suite_account(suite, admin->email);
    PROGRAM search = ATRIUMCTL(suite, NULL, "audit", "search", "--account", desk, "--action",
                               "membership.lock", "--json");
    CHECK_EXIT(search, 0);
    CU_ASSERT_TRUE(json_array_size(search->json) >= 1);
}

static void a_cursor_is_good_for_its_list(void)
{
    char path[4600];
    HTTP_ANSWER first = get(admin, AUDIT, "?_count=2");

    snprintf(path, sizeof(path), "?_count=2&action=session&_cursor=%s", http_text(first, "next"));
    HTTP_ANSWER other = get(admin, AUDIT, path);
    CHECK_PROBLEM(other, "_cursor");
    snprintf(path, sizeof(path), "?_count=2&_cursor=%s", http_text(first, "next"));
    HTTP_ANSWER foreign = get(child, AUDIT, path);
    CHECK_PROBLEM(foreign, "_cursor");
}

static void other_projects_see_nothing_of_it(void)
{
    CU_ASSERT_TRUE(grown(child));
    json_auto_t *own = walk(child, AUDIT, "_count=50");
    HTTP_ANSWER all = get(admin, AUDIT, "?_count=1&action=session.create");
    HTTP_ANSWER foreign = proof_of(child, http_text(all, "resources.0.id"));
    HTTP_ANSWER unknown = proof_of(admin, "authd-99999999");
    HTTP_ANSWER odd = proof_of(admin, "authd-0x1");

    UNIT_CHECK((long)json_array_size(own) == rows_of(child), "%zu", json_array_size(own));
    CHECK_STATUS(foreign, 404);
    CHECK_STATUS(unknown, 404);
    CHECK_STATUS(odd, 404);
}

/* Returns the list's person with this account; NULL: none. */
static const json_t *person_of(const struct http_answer *list, const char *account)
{
    const json_t *people = http_member(list, "people");

    for (size_t i = 0; i < json_array_size(people); i++)
        if (strcmp(text_at(people, i, "account"), account) == 0)
            return json_array_get(people, i);
    return NULL;
}

static void the_list_names_its_people_on_request(void)
{
    PERSON patient = busy_patient();
    TEXT id = suite_account(suite, patient->email);
    TEXT desk = suite_account(suite, admin->email);
    char query[160];

    CU_ASSERT_TRUE(grown(admin));
    snprintf(query, sizeof(query), "?target=Account/%s&action=membership.lock&people=true", id);
    HTTP_ANSWER list = get(admin, AUDIT, query);
    const json_t *found = person_of(list, id);

    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "people")), 2); /* one locked the other */
    CU_ASSERT_PTR_NOT_NULL(person_of(list, desk));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(found, "email")), patient->email);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(found, "profile")), patient->profile);
    CU_ASSERT_PTR_NOT_NULL(json_object_get(found, "firstName"));
    CU_ASSERT_PTR_NOT_NULL(json_object_get(found, "lastName"));
    TEXT events = json_dumps(http_member(list, "resources"), 0);
    CU_ASSERT_PTR_NULL(strstr(events, patient->email));
    *strstr(query, "&people") = '\0';
    HTTP_ANSWER plain = get(admin, AUDIT, query);
    CU_ASSERT_PTR_NULL(http_member(plain, "people"));
    CU_ASSERT_TRUE(json_equal(http_member(plain, "resources"), http_member(list, "resources")));
}

/* Neither a row nor a filter with the account of another project's person shows the name. */
static void it_names_no_other_projects_people(void)
{
    PERSON patient = person_register(suite, NULL); /* in the other project */
    TEXT id = suite_account(suite, patient->email);
    TEXT own = suite_account(suite, child->email);
    char query[160];

    trail_number(suite,
                 "insert into settings.audit (at, project_id, event) values (99, '%s', "
                 "'{\"action\":\"test.odd\",\"account\":\"%s\",\"agent\":{\"account\":\"%s\"}}')",
                 child->project + strlen("Project/"), id, own);
    CU_ASSERT_TRUE(grown(child));
    HTTP_ANSWER row = get(child, AUDIT, "?action=test.odd&people=true");
    CU_ASSERT_EQUAL(json_array_size(http_member(row, "resources")), 1);
    CU_ASSERT_EQUAL(json_array_size(http_member(row, "people")), 1);
    CU_ASSERT_PTR_NOT_NULL(person_of(row, own));
    for (int i = 0; i < 2; i++) {
        snprintf(query, sizeof(query), "?%s=Account/%s&people=true", i == 0 ? "actor" : "target",
                 id);
        HTTP_ANSWER foreign = get(child, AUDIT, query);
        CHECK_STATUS(foreign, 200);
        CU_ASSERT_PTR_NULL(person_of(foreign, id));
    }
}

static void go_accepts_the_head_and_every_proof(void)
{
    CU_ASSERT_TRUE(grown(admin));
    json_auto_t *all = walk(admin, AUDIT, "_count=100");

    if (!audit_go_build(dir.path))
        return;
    for (size_t i = 0; i < json_array_size(all) && i < PROVEN; i++) {
        HTTP_ANSWER proof = proof_of(admin, text_at(all, i, "id"));
        if (!CHECK_STATUS(proof, 200) || !audit_go_accepts(line_of(proof), 1))
            break;
    }
}

/* Checks the proof of /checkpoint?from=, that the older tree only grew. */
static void go_accepts_growth(const struct http_answer *older, const struct http_answer *head)
{
    audit_go_accepts(json_pack("{s:O, s:O, s:O, s:O}", "verifierKey",
                               http_member(head, "verifierKey"), "checkpoint",
                               http_member(head, "checkpoint"), "older",
                               http_member(older, "checkpoint"), "consistency",
                               http_member(head, "consistency")),
                     1);
}

static void go_accepts_that_the_tree_only_grew(void)
{
    char query[64];

    CU_ASSERT_TRUE(grown(admin));
    HTTP_ANSWER older = get(admin, AUDIT, "/checkpoint");
    PERSON patient = person_register(suite, NULL);
    CU_ASSERT_PTR_NOT_NULL(patient);
    CU_ASSERT_TRUE(grown(admin));
    snprintf(query, sizeof(query), "/checkpoint?from=%lld",
             (long long)json_integer_value(http_member(older, "size")));
    HTTP_ANSWER head = get(admin, AUDIT, query);
    HTTP_ANSWER beyond = get(admin, AUDIT, "/checkpoint?from=999999999");

    CHECK_STATUS(head, 200);
    CHECK_PROBLEM(beyond, "from");
    CU_ASSERT_TRUE(json_integer_value(http_member(head, "size")) >
                   json_integer_value(http_member(older, "size")));
    CU_ASSERT_TRUE(json_equal(http_member(head, "verifierKey"), http_member(older, "verifierKey")));
    if (audit_go_build(dir.path))
        go_accepts_growth(older, head);
}

static void the_record_is_the_row(void)
{
    HTTP_ANSWER list = get(admin, AUDIT, "?_count=1&action=session.create");
    const char *id = http_text(list, "resources.0.id");
    HTTP_ANSWER proof = proof_of(admin, id);
    json_error_t ignored;
    json_auto_t *record = json_loads(http_text(proof, "record"), 0, &ignored);
    char *event, sql[160];

    snprintf(sql, sizeof(sql),
             "select event::jsonb from trail where daemon = 'authd' and "
             "sequence = %s",
             id + strlen("authd-"));
    event = suite_query(suite, sql);
    json_auto_t *want = json_loads(event, 0, &ignored);
    CU_ASSERT_TRUE(json_equal(json_object_get(record, "event"), want));
    free(event);
}

/* PostgreSQL makes the text of which it hashes the leaf, and authd the text of the record. Both are
 * equal, whatever the row contains. */
static void a_leaf_is_the_record_whatever_the_row_has(void)
{
    static const char *const entities[] = {
        "null",
        "''",
        "'Session/1'",
        "E'a\"b\\\\c/d'",
        "E'\\x01\\x02\\x07\\b\\t\\n\\x0b\\f\\r\\x0e\\x0f\\x1a\\x1b\\x1c\\x1d\\x1e\\x1f\\x7f'",
        "E'\\u00e4\\u20ac\\U0001f600 \\\\u00AB %s %%'",
    };
    static const char event[] =
        "{ \"action\" : \"test.odd\",\t\"detail\":\"100 %s \\u00AB\\u000B\" }";

    for (size_t i = 0; i < ARRAY_SIZE(entities); i++)
        trail_number(suite,
                     "insert into settings.audit (at, project_id, entity, event) values "
                     "(%zu, '%s', %s, '%s')",
                     i + 1, admin->project + strlen("Project/"), entities[i], event);
    CU_ASSERT_TRUE(grown(admin));
    for (size_t i = 0; i < ARRAY_SIZE(entities); i++) {
        char id[40];

        snprintf(id, sizeof(id), "settingsd-%ld",
                 trail_number(suite, "select sequence from settings.audit where at = %zu", i + 1));
        HTTP_ANSWER proof = proof_of(admin, id);
        CHECK_STATUS(proof, 200);
        UNIT_CHECK(trail_proof_holds(proof->json), "%s: %s", entities[i],
                   http_text(proof, "record"));
    }
}

static void alter_row(const char *id, const char *word, const char *other)
{
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "with altered as (update auth.audit set "
                                 "event = replace(event::text, '%s', '%s')::json "
                                 "where sequence = %s returning 1) select count(*) from altered",
                                 word, other, id + strlen("authd-")),
                    1);
}

static void a_row_that_was_altered_is_found(void)
{
    CU_ASSERT_TRUE(grown(admin));
    HTTP_ANSWER list = get(admin, AUDIT, "?_count=1&action=session.create");
    const char *id = http_text(list, "resources.0.id");

    alter_row(id, "session.create", "session.delete");
    HTTP_ANSWER altered = proof_of(admin, id);
    alter_row(id, "session.delete", "session.create");
    CHECK_STATUS(altered, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(http_text(altered, "record"), "session.delete"));
    if (!audit_go_build(dir.path))
        return;
    audit_go_refuses(line_of(altered), "record");
}

/* Reverses the bits of each tile's first byte; twice restores it. */
static void turn_tiles(const struct person *who)
{
    trail_number(suite,
                 "with turned as (update auth.trail_tile set "
                 "hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0)) "
                 "where project_id = '%s' returning 1) select count(*) from turned",
                 who->project + strlen("Project/"));
}

/* The other tree's checkpoint has a valid signature, but the kept checkpoint refutes it. */
static void another_tree_does_not_begin_with_the_kept_head(void)
{
    char query[64];

    CU_ASSERT_TRUE(grown(admin));
    HTTP_ANSWER kept = get(admin, AUDIT, "/checkpoint");
    PERSON patient = person_register(suite, NULL);
    CU_ASSERT_PTR_NOT_NULL(patient);
    CU_ASSERT_TRUE(grown(admin));
    snprintf(query, sizeof(query), "/checkpoint?from=%lld",
             (long long)json_integer_value(http_member(kept, "size")));
    turn_tiles(admin);
    HTTP_ANSWER head = get(admin, AUDIT, query);
    turn_tiles(admin);
    CHECK_STATUS(head, 200);
    if (!audit_go_build(dir.path))
        return;
    audit_go_refuses(
        json_pack("{s:O, s:O, s:O, s:O}", "verifierKey", http_member(head, "verifierKey"),
                  "checkpoint", http_member(head, "checkpoint"), "older",
                  http_member(kept, "checkpoint"), "consistency", http_member(head, "consistency")),
        "consistency");
}

static void people_see_their_own_rows_with_proofs(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_register(suite, NULL);

    CU_ASSERT_TRUE(grown(admin));
    HTTP_ANSWER mine = get(patient, ACTIVITY, "");
    HTTP_ANSWER theirs = get(other, ACTIVITY, "");
    HTTP_ANSWER anonymous = http_get(suite_url(suite), ACTIVITY, NULL);
    json_t *rows = http_member(mine, "resources");

    CHECK_STATUS(anonymous, 401);
    CU_ASSERT_TRUE(json_array_size(rows) >= 1);
    CU_ASSERT_TRUE(json_is_string(http_member(mine, "resources.0.record")));
    CU_ASSERT_FALSE(json_equal(http_member(mine, "resources.0.index"),
                               http_member(theirs, "resources.0.index")));
    if (!audit_go_build(dir.path))
        return;
    audit_go_accepts(json_pack("{s:O, s:O, s:O}", "verifierKey", http_member(mine, "verifierKey"),
                               "checkpoint", http_member(mine, "checkpoint"), "proofs", rows),
                     (int)json_array_size(rows));
}

static void what_an_admin_did_shows_neither_address_nor_reason(void)
{
    static const char *const acts[] = {"lock", "unlock"};
    PERSON patient = person_register(suite, NULL);
    TEXT id = suite_account(suite, patient->email);
    char path[160];
    size_t done_by_others = 0, i;
    json_t *row;

    for (i = 0; i < ARRAY_SIZE(acts); i++) {
        snprintf(path, sizeof(path), "/v1/project/accounts/%s/%s", id, acts[i]);
        HTTP_ANSWER done = http_post(suite_url(suite), path, admin->access,
                                     json_pack("{s:s}", "reason", "called the desk"));
        CHECK_STATUS(done, 204);
    }
    PERSON again = person_sign_in(suite, "Patient", patient->email, patient->password, "demo");
    CU_ASSERT_TRUE(grown(admin));
    HTTP_ANSWER mine = get(again, ACTIVITY, "");
    CU_ASSERT_PTR_NULL(strstr(mine->body, "called the desk"));
    CU_ASSERT_PTR_NULL(strstr(mine->body, admin->profile));
    json_array_foreach(http_member(mine, "resources"), i, row)
    {
        char *text = json_dumps(json_object_get(row, "event"), 0);
        bool own = json_is_string(json_object_get(row, "record"));

        CU_ASSERT_TRUE(own || !strstr(text, "\"network\""));
        done_by_others += !own;
        free(text);
    }
    CU_ASSERT_EQUAL(done_by_others, ARRAY_SIZE(acts) + 1); /* plus the session that was ended */
}

static void check_whole(void)
{
    CU_ASSERT_TRUE(grown(admin));
    CU_ASSERT_TRUE(grown(child));
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "select count(*) from (select project_id, substr(places, 9 * n + 1, 9) p "
                    "from auth.trail_tile, generate_series(0, 31) n where level = 0 and "
                    "length(places) > 9 * n) leaf"),
        suite_count(suite,
                    "select count(distinct (project_id, p)) from (select project_id, "
                    "substr(places, 9 * n + 1, 9) p from auth.trail_tile, generate_series(0, 31) n "
                    "where level = 0 and length(places) > 9 * n) leaf"));
}

static void add_backlog(const struct person *who, const char *schema)
{
    trail_number(suite,
                 "insert into %s.audit (at, project_id, event) select "
                 "(extract(epoch from now()) * 1000)::bigint, '%s', "
                 "'{\"action\":\"test.backlog\",\"outcome\":\"success\"}' "
                 "from generate_series(1, %d)",
                 schema, who->project + strlen("Project/"), BACKLOG);
}

/* The deaths come between a row's seal and its leaf, while leaves are written, and afterwards. */
static void a_death_forks_no_tree(void)
{
    char query[64];
    HTTP_ANSWER older = get(admin, AUDIT, "/checkpoint");

    for (int round = 0; round < 5; round++) {
        pid_t killer;

        add_backlog(admin, "auth");
        add_backlog(child, "auth");
        add_backlog(admin, "settings");
        killer =
            suite_kill_both_later(suite, round == 4 ? "settingsd" : "authd", 100 + 250 * round);
        waitpid(killer, NULL, 0);
        CU_ASSERT_TRUE(suite_wait_ready(suite, 20000));
    }
    check_whole();
    snprintf(query, sizeof(query), "/checkpoint?from=%lld",
             (long long)json_integer_value(http_member(older, "size")));
    HTTP_ANSWER head = get(admin, AUDIT, query);
    CHECK_STATUS(head, 200);
    if (!audit_go_build(dir.path))
        return;
    go_accepts_growth(older, head);
    HTTP_ANSWER list = get(admin, AUDIT, "?_count=1");
    HTTP_ANSWER proof = proof_of(admin, http_text(list, "resources.0.id"));
    audit_go_accepts(line_of(proof), 1);
}

static void the_other_instance_goes_on(void)
{
    for (int round = 0; round < 2; round++) {
        const char *instance = round ? "2" : "1";
        pid_t pid = suite_pid(suite, "authd", instance);

        suite_signal(suite, "authd", instance, SIGSTOP);
        add_backlog(child, "settings");
        usleep(500000);
        suite_signal(suite, "authd", instance, SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", instance, pid));
    }
    check_whole();
}

static void the_database_restarts(void)
{
    pid_t pid = suite_pid(suite, "postgres", "");

    add_backlog(admin, "auth");
    usleep(300000);
    kill(pid, SIGQUIT);
    usleep(500000);
    CU_ASSERT_TRUE(trail_comes_to(suite, 1, "select 1"));
    CU_ASSERT_TRUE(suite_wait_ready(suite, 20000));
    check_whole();
}

static void a_proof_in_a_large_tree_takes_milliseconds(void)
{
    const char *rows = getenv("ATRIUM_TRAIL_ROWS");
    long large = rows ? strtol(rows, NULL, 10) : LARGE, size, last;
    double times[TIMED];
    int64_t begun;

    size = leaves_of(child);
    trail_number(
        suite,
        "insert into settings.audit (at, project_id, event) select "
        "(extract(epoch from now()) * 1000)::bigint, '%s', "
        "'{\"action\":\"test.large\",\"outcome\":\"success\"}' from generate_series(1, %ld)",
        child->project + strlen("Project/"), large);
    begun = clock_mono_ms();
    while (leaves_of(child) < size + large && clock_mono_ms() < begun + GROWN_MS + large / 10)
        usleep(100000);
    printf("%.0f rows/s are sealed and leaves\n",
           1e3 * (double)(leaves_of(child) - size) / (double)(clock_mono_ms() - begun));
    last = trail_number(suite, "select max(sequence) from settings.audit");
    for (int i = 0; i < TIMED; i++) {
        char id[40];

        snprintf(id, sizeof(id), "settingsd-%ld", last - i * (large / (TIMED + 1)));
        HTTP_ANSWER proof = proof_of(child, id);
        times[i] = proof->seconds;
        if (!CHECK_STATUS(proof, 200))
            break;
    }
    double median_ms = 1e3 * unit_median(times, TIMED);
    printf("a proof among %ld leaves: %.1f ms\n", leaves_of(child), median_ms);
    CU_ASSERT_TRUE(median_ms < PROOF_MS_MAX);
}

static void dropped_rows_stay_in_the_tree(void)
{
    PERSON fresh = person_register(suite, NULL);
    CU_ASSERT_PTR_NOT_NULL(fresh);
    CU_ASSERT_TRUE(grown(admin));
    HTTP_ANSWER list = get(admin, AUDIT, "?_count=1&action=account.register");
    const char *id = http_text(list, "resources.0.id");
    HTTP_ANSWER before = proof_of(admin, id);
    char *month = suite_query(suite, "select to_char(now() at time zone 'utc', "
                                     "'\"audit_\"YYYY_MM')");
    long leaves = leaves_of(admin);

    trail_check_sealed(suite);
    CU_ASSERT_TRUE(grown(admin));
    leaves = leaves_of(admin);
    CU_ASSERT_TRUE(trail_number(suite, "select auth.audit_drop('%s')", month) > 0);
    HTTP_ANSWER after = proof_of(admin, id);
    CHECK_STATUS(after, 200);
    CU_ASSERT_TRUE(json_is_null(http_member(after, "record")));
    CU_ASSERT_TRUE(leaves_of(admin) >= leaves);
    CU_ASSERT_TRUE(json_equal(http_member(before, "index"), http_member(after, "index")));
    free(month);
    if (!audit_go_build(dir.path))
        return;
    audit_go_accepts(json_pack("{s:O, s:O, s:[{s:O, s:O, s:O}]}", "verifierKey",
                               http_member(after, "verifierKey"), "checkpoint",
                               http_member(after, "checkpoint"), "proofs", "index",
                               http_member(after, "index"), "record", http_member(before, "record"),
                               "hashes", http_member(after, "hashes")),
                     1);
}

static void suite_starts(void)
{
    dir = unit_dir_make();
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2,settingsd=2"});
    trail_open(suite);
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "trail-child");
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&child);
    person_destroy(&admin);
    suite_stop(&suite);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE(only_admins_read_it),
    CASE(every_row_is_listed_once_the_newest_first),
    CASE(it_is_searched),
    CASE(one_filter_finds_all_of_a_person),
    CASE(a_cursor_is_good_for_its_list),
    CASE(other_projects_see_nothing_of_it),
    CASE(the_list_names_its_people_on_request),
    CASE(it_names_no_other_projects_people),
    CASE(go_accepts_the_head_and_every_proof),
    CASE(go_accepts_that_the_tree_only_grew),
    CASE(the_record_is_the_row),
    CASE(a_leaf_is_the_record_whatever_the_row_has),
    CASE(a_row_that_was_altered_is_found),
    CASE(another_tree_does_not_begin_with_the_kept_head),
    CASE(people_see_their_own_rows_with_proofs),
    CASE(what_an_admin_did_shows_neither_address_nor_reason),
    CASE(a_death_forks_no_tree),
    CASE(the_other_instance_goes_on),
    CASE(the_database_restarts),
    CASE(a_proof_in_a_large_tree_takes_milliseconds),
    CASE(dropped_rows_stay_in_the_tree),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("trail", cases, ARRAY_SIZE(cases));
}
