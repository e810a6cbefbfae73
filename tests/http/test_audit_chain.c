/*
 * test_audit_chain.c - the hash chain over audit rows in a running suite, `atriumctl audit verify`
 * after tampering, and the export.
 */
#include <CUnit/CUnit.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/trail.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin;

static const char *project(void)
{
    return suite_text(suite, "demo.projectId");
}

static void the_scene_is_set(void)
{
    admin = person_admin(suite);
    trail_open(suite);
    for (int i = 0; i < 6; i++) {
        PERSON somebody = person_register(suite, NULL);

        CU_ASSERT_EQUAL(somebody->status, 200);
    }
    trail_check_sealed(suite);
}

static void rows_are_sealed_within_a_second(void)
{
    int late = 0;

    for (int i = 0; i < 20; i++) {
        char header[48], path[] = "/v1/project/clients";
        struct http_request request = {.method = "POST",
                                       .path = path,
                                       .bearer = admin->access,
                                       .body = json_pack("{s:s}", "name", "Portal"),
                                       .headers = {header}};
        int64_t start;

        snprintf(header, sizeof(header), "X-Request-Id: sealed-%d", i);
        HTTP_ANSWER answer = http_call(suite_url(suite), &request);
        CHECK_STATUS(answer, 200);
        start = clock_mono_ms();
        while (trail_number(suite,
                            "select count(*) from trail where event->>'trace' = 'sealed-%d' "
                            "and sequence is not null",
                            i) != 1 &&
               clock_mono_ms() - start < 10000)
            usleep(10000);
        late += clock_mono_ms() - start > 1000;
        usleep(37000); /* random offset in the chainer's period */
    }
    /* one stall of a loaded machine is allowed */
    UNIT_CHECK(late <= 1, "%d of 20 took longer than a second", late);
}

static void nothing_is_left_unsealed(void)
{
    trail_check_sealed(suite);
}

static void a_clock_that_jumps_breaks_nothing(void)
{
    static const int64_t jumps[] = {40LL * 86400, -700LL * 86400, 0};
    int64_t before = suite_clock_ahead(suite);
    struct tm day;
    char sql[128];
    time_t then;

    for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
        suite_set_clock(suite, before + jumps[i]);
        PERSON somebody = person_register(suite, NULL);
        CU_ASSERT_EQUAL(somebody->status, 200);
        then = suite_now(suite);
        gmtime_r(&then, &day);
        snprintf(sql, sizeof(sql),
                 "select count(to_regclass('auth.audit_%04d_%02d')) + "
                 "(select (count(*) > 0)::int from auth.audit_other)",
                 day.tm_year + 1900, day.tm_mon + 1);
        UNIT_CHECK(trail_number(suite, "%s", sql) > 0, "%s", sql);
    }
    trail_check_sealed(suite);
}

static void verification_finds_nothing(void)
{
    PROGRAM plain = ATRIUMCTL(suite, NULL, "audit", "verify");
    CHECK_EXIT(plain, 0);
    CU_ASSERT_STRING_EQUAL(plain->err, "");
    CU_ASSERT_PTR_NOT_NULL(strstr(plain->out, "settingsd"));
    PROGRAM mine = ATRIUMCTL(suite, NULL, "audit", "verify", "--project", "demo", "--json");
    CHECK_EXIT(mine, 0);
    CU_ASSERT_EQUAL(json_array_size(mine->json), 5);
    CU_ASSERT_EQUAL(strtol(program_text(mine, "0.rows"), NULL, 10), 0); /* numbers, not strings */
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(json_array_get(mine->json, 0), "ofProject")),
                    trail_number(suite, "select count(*) from auth.audit where project_id = '%s'",
                                 project()));
    PROGRAM nowhere = ATRIUMCTL(suite, NULL, "audit", "verify", "--project", "no-such-tenant");
    CHECK_REFUSED(nowhere, 1, "Tenant not found.");
}

static void tampering_is_found(void)
{
    static const struct {
        const char *change, *said;
    } rows[] = {
        {"update auth.audit set event = '{\"action\":\"nothing\"}' where sequence = 3",
         "authd: row 3 is not the row that was sealed"},
        {"update auth.audit set at = at + 1 where sequence = 3",
         "authd: row 3 is not the row that was sealed"},
        {"update auth.audit set project_id = gen_random_uuid() where sequence = 4",
         "authd: row 4 is not the row that was sealed"},
        {"delete from auth.audit where sequence = 5", "authd: row 5 is missing"},
        {"delete from auth.audit where sequence = (select max(sequence) from auth.audit)",
         "is missing"},
        {"update auth.audit set sequence = 13 - sequence where sequence in (6, 7)",
         "authd: row 6 was swapped"},
        {"insert into auth.audit (at, event, sequence, hash) "
         "select at, event, sequence, hash from auth.audit where sequence = 8",
         "authd: row 8 was inserted"},
        {"insert into settings.audit (at, event, sequence, hash) "
         "select at, event, sequence + 1, hash from settings.audit order by sequence desc limit 1",
         "settingsd: row"},
        {"update mail.audit_head set sequence = sequence + 1", "maild: row"},
    };
    static const char *const tables[] = {"auth.audit", "settings.audit", "mail.audit_head"};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
            trail_number(suite, "create table kept_%zu as table %s", t, tables[t]);
        trail_number(suite, "%s", rows[i].change);
        PROGRAM found = ATRIUMCTL(suite, NULL, "audit", "verify");
        CHECK_EXIT(found, 1);
        UNIT_CHECK(strstr(found->err, rows[i].said) != NULL, "%s: %s", rows[i].change, found->err);
        for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
            trail_number(suite,
                         "delete from %s; insert into %s overriding system value "
                         "select * from kept_%zu; drop table kept_%zu",
                         tables[t], tables[t], t, t);
    }
    trail_check_sound(suite);
}

/* An attacker who controls a daemon has the rights of its role, which cannot change sealed rows. */
static void a_daemons_role_leaves_sealed_rows_alone(void)
{
    static const char *const tries[] = {
        "update auth.audit set event = '{}' where sequence = 1",
        "update auth.audit set hash = '\\x00' where sequence = 1",
        "update auth.audit set sequence = null, hash = null where sequence = 1",
        "delete from auth.audit where sequence = 1",
        "delete from auth.audit where sequence is null",
        "insert into auth.audit (at, event, sequence, hash) values (1, '{}', 1, '\\x00')",
        "truncate auth.audit",
        "truncate auth.audit_other",
        "drop table auth.audit",
        "drop table auth.audit_other",
        "alter table auth.audit rename to mine",
        "alter table auth.audit disable trigger audit_guard",
        "alter table auth.audit detach partition auth.audit_other",
        "drop trigger audit_guard on auth.audit",
        "drop function auth.audit_guard() cascade",
        "create or replace function auth.audit_guard() returns trigger language plpgsql as "
        "$$ begin return new; end $$",
        "create trigger mine before update on auth.audit for each row execute function "
        "auth.audit_guard()",
        "create rule mine as on update to auth.audit do instead nothing",
        "drop schema auth cascade",
        "alter schema auth rename to mine",
        "select auth.audit_drop('audit_other')",
        "select auth.audit_month('audit_other_2', 0, 1)",
        "update auth.audit_head set sequence = 0, hash = ''",
        "delete from auth.audit_head",
        "insert into auth.audit_gap values (1, 2, '')",
        "delete from auth.audit_gap",
        "set role atrium_audit",
        "grant atrium_audit to \"atrium-authd\"",
        "set session_replication_role = replica",
    };
    static const char print[] =
        "select md5(string_agg(a::text, ',' order by sequence)) from auth.audit a where "
        "sequence is not null and sequence <= 20";
    char *before = suite_query(suite, print), *after;
    PGconn *conn = suite_database(suite);

    PQclear(PQexec(conn, "set session authorization \"atrium-authd\""));
    for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
        PGresult *result = PQexec(conn, tries[i]);

        UNIT_CHECK(PQresultStatus(result) == PGRES_FATAL_ERROR, "%s", tries[i]);
        PQclear(result);
    }
    PQfinish(conn);
    after = suite_query(suite, print);
    CU_ASSERT_STRING_EQUAL(after, before);
    trail_check_sound(suite);
    free(before);
    free(after);
}

/* A recomputed chain verifies, but does not have the hashes that were stored elsewhere. */
static void a_kept_hash_reveals_a_recomputed_chain(void)
{
    struct unit_dir dir = unit_dir_make();
    char path[128];
    PROGRAM before = ATRIUMCTL(suite, NULL, "audit", "verify", "--json");
    CHECK_EXIT(before, 0);
    snprintf(path, sizeof(path), "%s", unit_dir_write(&dir, "kept.json", before->out));
    PROGRAM same = ATRIUMCTL(suite, NULL, "audit", "verify", "--kept", path);
    CHECK_EXIT(same, 0);

    trail_number(suite, "update auth.audit set event = '{}' where sequence = 2");
    /* One transaction, with the head first: authd's chainer waits for that row and continues from
     * it. */
    trail_number(suite, "update auth.audit_head set sequence = 0, hash = ''; "
                        "update auth.audit set sequence = null, hash = null");
    trail_check_sealed(suite);
    trail_check_sound(suite);
    PROGRAM told = ATRIUMCTL(suite, NULL, "audit", "verify", "--kept", path);
    CHECK_EXIT(told, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(told->err, "does not have the kept hash"));
    unit_dir_write(&dir, "kept.json", "{}");
    PROGRAM bad = ATRIUMCTL(suite, NULL, "audit", "verify", "--kept", path);
    CHECK_REFUSED(bad, 1, "not the output of `audit verify --json`");
    unit_dir_remove(&dir);
}

/* A month that was dropped on purpose is skipped. A month that has just disappeared is missing. */
static void a_dropped_month_is_stepped_over(void)
{
    char *name = suite_query(suite, "select tableoid::regclass::text from settings.audit "
                                    "where sequence = 1");
    const char *month = strchr(name, '.');

    CU_ASSERT_PTR_NOT_NULL_FATAL(month);
    long dropped = trail_number(suite, "select count(*) from %s", name);
    CU_ASSERT_EQUAL(trail_number(suite, "set search_path = settings; select audit_drop('%s')",
                                 month + 1),
                    dropped);
    PROGRAM fine = ATRIUMCTL(suite, NULL, "audit", "verify", "--json");
    CHECK_EXIT(fine, 0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(json_array_get(fine->json, 1), "dropped")),
                    dropped);
    trail_number(suite, "delete from settings.audit_gap");
    PROGRAM missing = ATRIUMCTL(suite, NULL, "audit", "verify");
    CHECK_EXIT(missing, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(missing->err, "settingsd: row 1 is missing"));
    free(name);
}

static const char *text_at(const json_t *json, const char *path)
{
    char part[64];

    for (size_t length; json && *path != '\0'; path += length + (path[length] == '.')) {
        length = strcspn(path, ".");
        snprintf(part, sizeof(part), "%.*s", (int)length, path);
        json = json_is_array(json) ? json_array_get(json, strtoul(part, NULL, 10))
                                   : json_object_get(json, part);
    }
    return json_is_string(json) ? json_string_value(json) : "";
}

/* Checks what FHIR R4 requires of an AuditEvent, and its bound codes. */
static void check_event(const json_t *event)
{
    static const struct {
        const char *path, *one_of; /* NULL: any text */
    } rows[] = {
        {"resourceType", " AuditEvent "},
        {"id", NULL},
        {"type.system", NULL},
        {"type.code", NULL},
        {"subtype.0.system", NULL},
        {"subtype.0.code", NULL},
        {"action", " C R U D E "},
        {"recorded", NULL},
        {"outcome", " 0 4 8 12 "},
        {"source.observer.display", NULL},
        {"source.type.0.code", " 4 "},
        {"entity.0.type.code", " 2 "},
        {"entity.0.detail.0.type", NULL},
        {"entity.0.detail.0.valueString", NULL},
    };
    const json_t *agents = json_object_get(event, "agent"), *agent;
    char word[64];
    int64_t at;
    size_t i;

    for (i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *text = text_at(event, rows[i].path);

        snprintf(word, sizeof(word), " %s ", text);
        UNIT_CHECK(*text && (!rows[i].one_of || strstr(rows[i].one_of, word)), "%s: \"%s\"",
                   rows[i].path, text);
    }
    CU_ASSERT_EQUAL(clock_parse_iso(text_at(event, "recorded"), &at), 0);
    CU_ASSERT_TRUE(strlen(text_at(event, "id")) <= 64);
    CU_ASSERT_TRUE(json_array_size(agents) > 0);
    json_array_foreach(agents, i, agent)
    {
        CU_ASSERT_TRUE(json_is_boolean(json_object_get(agent, "requestor")));
        CU_ASSERT_TRUE(json_is_object(json_object_get(agent, "who")));
    }
}

static void the_export_is_fhir(void)
{
    PROGRAM done = ATRIUMCTL(suite, NULL, "audit", "export", "--project", "demo");
    json_auto_t *urls = json_object();
    const json_t *entries, *entry;
    long logins = 0;
    size_t i;

    CHECK_EXIT(done, 0);
    CU_ASSERT_STRING_EQUAL(program_text(done, "resourceType"), "Bundle");
    CU_ASSERT_STRING_EQUAL(program_text(done, "type"), "collection");
    entries = json_object_get(done->json, "entry");
    json_array_foreach(entries, i, entry)
    {
        check_event(json_object_get(entry, "resource"));
        json_object_set_new(urls, text_at(entry, "fullUrl"), json_true());
        logins += strcmp(text_at(entry, "resource.subtype.0.code"), "110122") == 0 &&
                  strcmp(text_at(entry, "resource.subtype.1.code"), "session.create") == 0 &&
                  strcmp(text_at(entry, "resource.outcome"), "0") == 0;
    }
    CU_ASSERT_EQUAL((long)json_array_size(entries),
                    trail_number(suite, "select count(*) from trail where project_id = '%s'",
                                 project()));
    CU_ASSERT_EQUAL(json_object_size(urls), json_array_size(entries));
    CU_ASSERT_EQUAL(logins, trail_number(suite,
                                         "select count(*) from trail where project_id = '%s' and "
                                         "event->>'action' = 'session.create' and "
                                         "event->>'outcome' = 'success'",
                                         project()));
    PROGRAM empty = ATRIUMCTL(suite, NULL, "audit", "export", "--project", "no-such-tenant");
    CHECK_EXIT(empty, 1);
}

/* Rows enter the chain within a second and are exported only then, so the export waits for them. */
static void the_export_has_what_was_written_before(void)
{
    for (int i = 0; i < 5; i++) {
        char code[16];

        snprintf(code, sizeof(code), "fresh-%d", i);
        PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", "Fresh", "--code", code);
        CHECK_EXIT(made, 0);
        PROGRAM done = ATRIUMCTL(suite, NULL, "audit", "export", "--project", code);
        CHECK_EXIT(done, 0);
        UNIT_CHECK(json_array_size(json_object_get(done->json, "entry")) > 0, "%s: no rows", code);
    }
}

static void write_part(const char *format, ...) PRINTF_LIKE(1, 2);
static void write_part(const char *format, ...)
{
    char path[600];
    FILE *file;
    va_list args;

    snprintf(path, sizeof(path), "%s/conf.d", suite_dir(suite));
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/conf.d/audit.conf", suite_dir(suite));
    file = fopen(path, "we");
    va_start(args, format);
    UNIT_REQUIRE(file && vfprintf(file, format, args) > 0 && fclose(file) == 0, "%s", path);
    va_end(args);
}

/* Counts the suite's exported files and finds the first with rows. */
static int find_exports(char path[static 700])
{
    char pattern[600];
    glob_t found;
    int count;

    snprintf(pattern, sizeof(pattern), "%s/exported/*.jsonl", suite_dir(suite));
    count = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    *path = '\0';
    for (int i = 0; i < count; i++) {
        struct stat status;

        if (stat(found.gl_pathv[i], &status) == 0 && status.st_size > 0)
            snprintf(path, 700, "%s", found.gl_pathv[i]);
    }
    globfree(&found);
    return count;
}

static void alter(const char *path)
{
    FILE *file = fopen(path, "r+e");
    char text[4096];
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    char *at;

    text[size] = '\0';
    at = strstr(text, "outcome");
    UNIT_REQUIRE(at != NULL, "%s", text);
    fseek(file, at - text, SEEK_SET);
    fputc('O', file);
    fclose(file);
}

static struct program *verify_marked(const char *path)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *copy = unit_dir_write(&dir, "marked.jsonl", "\xef\xbb\xbf");
    CLEANUP(file_close) FILE *from = fopen(path, "re");
    FILE *to = fopen(copy, "ae");
    int c;

    while (from && to && (c = getc(from)) != EOF)
        putc(c, to);
    if (to)
        fclose(to);
    return ATRIUMCTL(suite, NULL, "audit", "verify-file", copy);
}

static void old_months_are_exported_and_dropped(void)
{
    char path[700];
    long before = trail_number(suite, "select count(*) from auth.audit where sequence is not null");

    write_part("common\n    audit_keep_months = 2\n    audit_export_dir = \"%s/exported\"\n"
               "    audit_database = \"%s\"\n",
               suite_dir(suite), suite_text(suite, "postgres.conninfo"));
    PROGRAM early = ATRIUMCTL(suite, NULL, "audit", "prune", "--month", "2020-01");
    CHECK_EXIT(early, 0);
    CU_ASSERT_EQUAL(find_exports(path), 0);
    CU_ASSERT_TRUE(before > 0);
    PROGRAM prune = ATRIUMCTL(suite, NULL, "audit", "prune", "--month", "2199-01");
    CHECK_EXIT(prune, 0);
    CU_ASSERT_TRUE(find_exports(path) > 0 && *path);
    UNIT_CHECK(trail_number(suite, "select count(*) from auth.audit_gap") > 0, "%s", prune->out);
    PROGRAM whole = ATRIUMCTL(suite, NULL, "audit", "verify-file", path);
    CHECK_EXIT(whole, 0);
    PROGRAM marked = verify_marked(path);
    CHECK_EXIT(marked, 0);
    /* the previous case broke settingsd's chain */
    PROGRAM chain = ATRIUMCTL(suite, NULL, "audit", "verify", "--json");
    CU_ASSERT_STRING_EQUAL(
        json_string_value(json_object_get(json_array_get(chain->json, 0), "state")), "ok");
    alter(path);
    PROGRAM altered = ATRIUMCTL(suite, NULL, "audit", "verify-file", path);
    CHECK_EXIT(altered, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(altered->err, "was altered"));
}

static void a_file_holds_together_only_when_all_of_it_was_read(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = unit_dir_write(&dir, "bad.jsonl", "{}\n");

    PROGRAM folder = ATRIUMCTL(suite, NULL, "audit", "verify-file", dir.path);
    CHECK_REFUSED(folder, 1, "Is a directory");
    PROGRAM bad = ATRIUMCTL(suite, NULL, "audit", "verify-file", path);
    CHECK_REFUSED(bad, 1, "bad.jsonl:1: ");
}

/* Sets the clock and waits until authd's chainer has made that month. */
static void go_to(int64_t ahead_s, char name[static 32])
{
    char sql[128];
    struct tm day;
    time_t then;

    suite_set_clock(suite, ahead_s);
    then = suite_now(suite);
    gmtime_r(&then, &day);
    snprintf(name, 32, "audit_%04d_%02d", day.tm_year + 1900, day.tm_mon + 1);
    snprintf(sql, sizeof(sql), "select count(to_regclass('auth.%s'))", name);
    UNIT_CHECK(trail_comes_to(suite, 1, sql), "%s does not come", name);
}

/* A clock set back adds rows to a month already exported and dropped. The first export is the only
 * copy and must survive. */
static void a_month_that_comes_again_keeps_its_first_export(void)
{
    int64_t before = suite_clock_ahead(suite);
    char name[32], future[32], path[2][700], *first = NULL;

    write_part("common\n    audit_keep_months = 2\n    audit_export_dir = \"%s/exported\"\n"
               "    audit_database = \"%s\"\n",
               suite_dir(suite), suite_text(suite, "postgres.conninfo"));
    for (int round = 0; round < 2; round++) {
        go_to(before - 900LL * 86400, name);
        PERSON patient = person_register(suite, NULL);
        CU_ASSERT_EQUAL(patient->status, 200);
        CU_ASSERT_TRUE(
            trail_comes_to(suite, 0, "select count(*) from auth.audit where sequence is null"));
        go_to(before + (200 + round * 40) * 86400LL, future); /* never returns to the old month */
        suite_set_clock(suite, before);
        PROGRAM prune = ATRIUMCTL(suite, NULL, "audit", "prune");
        CHECK_EXIT(prune, 0);
        snprintf(path[round], sizeof(path[round]), "%s/exported/auth-%s%s.jsonl", suite_dir(suite),
                 name, round ? ".2" : "");
        PROGRAM whole = ATRIUMCTL(suite, NULL, "audit", "verify-file", path[round]);
        CHECK_EXIT(whole, 0);
        if (round == 0)
            first = unit_read_file(path[0]);
    }
    char *now = unit_read_file(path[0]);

    UNIT_CHECK(first && now && *first && strcmp(first, now) == 0, "%s is another file", path[0]);
    free(first);
    free(now);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(rows_are_sealed_within_a_second),
    CASE(nothing_is_left_unsealed),
    CASE(a_clock_that_jumps_breaks_nothing),
    CASE(verification_finds_nothing),
    CASE(the_export_is_fhir),
    CASE(the_export_has_what_was_written_before),
    CASE(tampering_is_found),
    CASE(a_daemons_role_leaves_sealed_rows_alone),
    CASE(a_kept_hash_reveals_a_recomputed_chain),
    CASE(a_dropped_month_is_stepped_over),
    CASE(a_file_holds_together_only_when_all_of_it_was_read),
    CASE(old_months_are_exported_and_dropped),
    CASE(a_month_that_comes_again_keeps_its_first_export),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.test_clock = true});
    return unit_run("audit chain", cases, ARRAY_SIZE(cases));
}
