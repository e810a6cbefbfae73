/*
 * test_erasure.c - the receipt of an account that was deleted with all that it owned: what it says
 * was erased is what the database held, Go's own note accepts it, no death of a daemon loses or
 * changes it, and no request that was under way leaves anything behind. Over two authd.
 */
#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/base/clock.h"
#include "tests/support/audit_go.h"
#include "tests/support/document.h"
#include "tests/support/processes.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    DONE_MS = 30000,
    MANY = 450, /* documents: two whole batches of docd's and a part of one */
    LEFT = 50,  /* in the last batch */
    CHANGES = 2,
    JOBS = 3,
    EXECUTIONS = 1500, /* a whole batch of botd's and a part of one */
    ATTEMPTS = 8,      /* a statement waits two seconds for a lock */
    SLEEP_S = 6,       /* of a bot: longer than a deletion takes */
};

#define DOCD_WAITS                                                              \
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and " \
    "application_name like 'atrium-docd%%'"

static struct suite *suite;
static struct unit_dir dir;

/* ---- asking ---- */

static char *account_of(const struct person *person)
{
    char sql[200];

    snprintf(sql, sizeof(sql), "select account_id from auth.membership where profile_id = '%s'",
             person->profile + strlen("Patient/"));
    return suite_query(suite, sql);
}

static struct program *receipt_of(const char *account)
{
    return ATRIUMCTL(suite, NULL, "user", "receipt", account, "--json");
}

static struct program *delete_account(const char *account)
{
    return ATRIUMCTL(suite, NULL, "user", "delete", account, "--yes", "--json");
}

static bool is_complete(const struct program *receipt)
{
    return json_is_true(json_object_get(receipt->json, "complete"));
}

/* Waits for it (caller destroys). */
static struct program *complete_receipt_of(const char *account)
{
    int64_t until = clock_mono_ms() + DONE_MS;
    struct program *receipt = receipt_of(account);

    while (!is_complete(receipt) && clock_mono_ms() < until) {
        program_destroy(&receipt);
        receipt = receipt_of(account);
    }
    UNIT_CHECK(is_complete(receipt), "%s%s", receipt->out, receipt->err);
    return receipt;
}

/* A number of a table in a daemon's part, 0 where it is not named. */
static long erased(const json_t *receipt, const char *daemon, const char *table, const char *what)
{
    const json_t *part = http_find(json_object_get(receipt, "parts"), "daemon", daemon);
    const json_t *row = http_find(json_object_get(part, "erased"), "table", table);

    return (long)json_integer_value(json_object_get(row, what));
}

static void add_documents(const struct person *person, int count)
{
    char sql[500];

    snprintf(
        sql, sizeof(sql),
        "insert into doc.document (project_id, id, author_type, author_id, author_display, "
        "file_name, content_type, uploads, updated_at) select '%s', gen_random_uuid(), "
        "'Patient', '%s', 'Ana', 'a.txt', 'text/plain', 1, %lld + i from generate_series(1, %d) i",
        suite_text(suite, "demo.projectId"), person->profile + strlen("Patient/"),
        (long long)clock_real_ms(), count);
    free(suite_query(suite, sql));
}

/* What each of the daemons beside docd has of a person; of another one, too. */
static void add_traces(const struct person *person, const char *account)
{
    const char *project = suite_text(suite, "demo.projectId");
    long long now = clock_real_ms(); /* what is old is deleted as ever */

    suite_count(suite,
                "with made as (insert into settings.setting_history (project_id, version, name, "
                "changed_at, profile_id, profile_display) select '%s', i, 'test %s', 1, "
                "case when i > %d then gen_random_uuid() else '%s' end, 'Ana Almeida %s' "
                "from generate_series(1, %d) i returning 1) select count(*) from made",
                project, account, CHANGES, person->profile + strlen("Patient/"), account,
                CHANGES + 1);
    suite_count(suite,
                "with made as (insert into mail.job (id, kind, due_at, account_id, schedule_id, "
                "project_id, state, created_at, done_at) select gen_random_uuid(), "
                "'account-reminder', 9223372036854775807, '%s', gen_random_uuid(), '%s', "
                "case i when 1 then 'done' else 'waiting' end, %lld, case i when 1 then %lld end "
                "from generate_series(1, %d) i returning 1) select count(*) from made",
                account, project, now, now, JOBS);
    suite_count(suite,
                "with made as (insert into bot.execution select '%s', gen_random_uuid(), '%s', "
                "%lld, 1, 'success', case when i > %d then 'Patient/other' else '%s' end "
                "from generate_series(1, %d) i returning 1) select count(*) from made",
                project, account, now, EXECUTIONS, person->profile, EXECUTIONS + 1);
}

/* Those of the person are gone, and counted: as often as they were there. */
static void check_traces(const struct person *person, const char *account,
                         const struct program *receipt)
{
    long jobs = erased(receipt->json, "maild", "job", "rows");

    UNIT_CHECK(erased(receipt->json, "settingsd", "setting_history", "rows") == CHANGES, "%s",
               receipt->out);
    /* the job of the deletion itself comes before, or is not kept */
    UNIT_CHECK(jobs == JOBS || jobs == JOBS + 1, "%s", receipt->out);
    UNIT_CHECK(erased(receipt->json, "botd", "execution", "rows") == EXECUTIONS, "%s",
               receipt->out);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from settings.setting_history where name = "
                                "'test %s' and profile_display is null",
                                account),
                    CHANGES);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from settings.setting_history where name = "
                                "'test %s' and profile_display = 'Ana Almeida %s'",
                                account, account),
                    1);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from mail.job where account_id = '%s'", account), 0);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from bot.execution where profile = '%s'",
                                person->profile),
                    0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from bot.execution where bot_id = '%s' and "
                                "profile = 'Patient/other'",
                                account),
                    1);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from bot.execution where bot_id = '%s'",
                                account),
                    EXECUTIONS + 1);
}

/* Runs a query in a transaction that stays open; PQfinish() ends it. */
static PGconn *hold(const char *sql)
{
    PGconn *connection = suite_database(suite);

    PQclear(PQexec(connection, "begin"));
    PGresult *res = PQexec(connection, sql);
    UNIT_CHECK(PQresultStatus(res) == PGRES_COMMAND_OK || PQresultStatus(res) == PGRES_TUPLES_OK,
               "%s", PQerrorMessage(connection));
    PQclear(res);
    return connection;
}

static struct program *verify(const char *text, const char *key)
{
    return ATRIUMCTL(suite, NULL, "user", "verify-receipt", unit_dir_write(&dir, "receipt", text),
                     "--key", key, "--json");
}

/* ---- what it says ---- */

static void the_counts_are_what_the_database_held(void)
{
    PERSON person = person_register_settled(suite);
    PERSON other = person_register(suite, NULL);
    char *account = account_of(person), *one, *two, *others, sql[1200];

    one = document_put(suite, person->access, "one", "a/b", "12345", 5);
    two = document_put(suite, person->access, "two", "a/b", "1234567", 7);
    others = document_put(suite, other->access, "mine", "a/b", "abc", 3);
    add_documents(person, 1);
    snprintf(sql, sizeof(sql),
             "insert into auth.oauth_consent select '%s', '%s', 'client-' || i, 'C', 'openid', "
             "'r', '1', 1, 1 from generate_series(1, 3) i",
             suite_text(suite, "demo.projectId"), account);
    free(suite_query(suite, sql));
    snprintf(sql, sizeof(sql),
             "insert into auth.oauth_consent_resource select project_id, account_id, client_id, r, "
             "scope from auth.oauth_consent, unnest('{r,s}'::text[]) r where account_id = '%s'",
             account);
    free(suite_query(suite, sql));
    char *tables = suite_query(suite, "select string_agg(relname, ' ' order by relname) from "
                                      "pg_constraint c join pg_class t on t.oid = c.conrelid where "
                                      "confrelid = 'auth.account'::regclass and contype = 'f'");
    long before[64] = {0};
    size_t count = 0;
    char *names = strdup(tables);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
        before[count++] = suite_count(suite, "select count(*) from auth.%s where account_id = '%s'",
                                      name, account);
    CU_ASSERT_TRUE(count > 10);
    long objects = suite_count(
        suite, "select count(*) from doc.object where document_id in ('%s', '%s')", one, two);

    PROGRAM deleted = delete_account(account);
    CHECK_EXIT(deleted, 0);
    PROGRAM receipt = complete_receipt_of(account);
    strcpy(names, tables);
    count = 0;
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
        long said = erased(receipt->json, "authd", name, "rows");
        UNIT_CHECK(said == before[count], "%s: %ld of %ld", name, said, before[count]);
        count++;
    }
    CU_ASSERT_EQUAL(erased(receipt->json, "authd", "account", "rows"), 1);
    CU_ASSERT_EQUAL(erased(receipt->json, "authd", "oauth_consent", "rows"), 3);
    CU_ASSERT_EQUAL(erased(receipt->json, "authd", "oauth_consent_resource", "rows"), 6);
    CU_ASSERT_TRUE(erased(receipt->json, "authd", "session", "rows") > 0);
    CU_ASSERT_EQUAL(erased(receipt->json, "docd", "document", "rows"), 3);
    CU_ASSERT_EQUAL(erased(receipt->json, "docd", "document", "bytes"), 12);
    UNIT_CHECK(erased(receipt->json, "docd", "object", "rows") == objects && objects >= 2,
               "%ld objects", objects);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.object where erased_for = '%s'", account), 0);
    /* identifiers only */
    CU_ASSERT_PTR_NULL(strstr(receipt->out, person->email));
    HTTP_ANSWER kept = document_get(suite, other->access, others);
    CHECK_STATUS(kept, 200);
    free(tables);
    free(names);
    free(account);
    free(one);
    free(two);
    free(others);
}

/* What they changed stays; that they did does not. */
static void the_history_of_settings_names_no_one_who_is_gone(void)
{
    PERSON admin = person_admin(suite);
    PROGRAM joined = ATRIUMCTL(suite, "a long password of the second admin\n", "user",
                               "create-admin", "--project", "demo", "--email",
                               "erased@admins.example", "--name", "Rui", "--surname", "Castelo");
    PERSON second = person_sign_in(suite, "Practitioner", "erased@admins.example",
                                   "a long password of the second admin", NULL);
    char *account =
        suite_query(suite, "select id from auth.account where email = 'erased@admins.example'");

    CHECK_EXIT(joined, 0);
    suite_set_switch(suite, second->access, "PATIENT_REGISTRATION_ENABLED", false);
    suite_set_switch(suite, second->access, "PATIENT_REGISTRATION_ENABLED", true);
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", "https://app.example/");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.setting_history "
                                       "where profile_display = 'Rui Castelo'"),
                    2);
    long others = suite_count(suite, "select count(*) from settings.setting_history "
                                     "where profile_display <> 'Rui Castelo'");

    PROGRAM deleted = delete_account(account);
    PROGRAM receipt = complete_receipt_of(account);
    HTTP_ANSWER history = http_get(suite_url(suite), "/v1/project/settings/history", admin->access);

    CHECK_EXIT(deleted, 0);
    UNIT_CHECK(erased(receipt->json, "settingsd", "setting_history", "rows") == 2, "%s",
               receipt->out);
    CHECK_STATUS(history, 200);
    CU_ASSERT(!strstr(history->body, "Castelo") && strstr(history->body, "PATIENT_REGISTRATION"));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.setting_history h "
                                       "where h::text like '%%Castelo%%'"),
                    0);
    CU_ASSERT_TRUE(others > 0);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.setting_history "
                                       "where profile_display is not null"),
                    others);
    free(account);
}

static void every_daemon_erases_and_counts(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);

    add_traces(person, account);
    PROGRAM deleted = delete_account(account);
    PROGRAM receipt = complete_receipt_of(account);
    CHECK_EXIT(deleted, 0);
    check_traces(person, account, receipt);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from bot.audit where event->>'action' = "
                                       "'execution.erase'"),
                    2); /* a row for each batch */
    free(account);
}

/* As one is that a release without the others' parts has begun. */
static void an_erasure_of_before_names_authd_and_docd(void)
{
    static const char account[] = "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4c";

    suite_count(suite,
                "with begun as (insert into auth.erasure (account_id, deleted_at, requests) "
                "values ('%1$s', 1, 1)), asked as (insert into doc.erasure_step values ('%1$s', "
                "'%1$s', 2) returning 1) select count(*) from asked",
                account);
    PROGRAM receipt = receipt_of(account);
    CU_ASSERT_TRUE(is_complete(receipt));
    CU_ASSERT_EQUAL(json_array_size(json_object_get(receipt->json, "parts")), 2);
    CU_ASSERT_STRING_EQUAL(program_text(receipt, "parts.0.daemon"), "authd");
    CU_ASSERT_STRING_EQUAL(program_text(receipt, "parts.1.daemon"), "docd");
}

static void the_deletion_prints_it(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    PROGRAM deleted = delete_account(account);
    PROGRAM receipt = complete_receipt_of(account);
    PROGRAM again = delete_account(account);
    PROGRAM table = ATRIUMCTL(suite, NULL, "user", "receipt", account);

    CHECK_EXIT(deleted, 0);
    CU_ASSERT_STRING_EQUAL(program_text(deleted, "receipt.account"), account);
    CHECK_EXIT(again, 0);
    CU_ASSERT_TRUE(json_equal(json_object_get(again->json, "receipt"), receipt->json));
    CHECK_EXIT(table, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "credential"));
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "docd"));
    free(account);
}

static void only_what_was_erased_has_one(void)
{
    PERSON person = person_register(suite, NULL);
    char *account = account_of(person);
    PROGRAM living = receipt_of(account);
    PROGRAM unknown = receipt_of("5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");
    PROGRAM odd = receipt_of("ana");

    CHECK_REFUSED(living, 1, "No erasure of such an account is known.");
    CHECK_REFUSED(unknown, 1, "No erasure of such an account is known.");
    CHECK_REFUSED(odd, 1, "must be the id of an account");
    free(account);
}

/* ---- who vouches for it ---- */

static void go_accepts_it_and_no_other_byte(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    PROGRAM deleted = delete_account(account);
    PROGRAM receipt = complete_receipt_of(account);

    CHECK_EXIT(deleted, 0);
    if (audit_go_build(dir.path))
        audit_go_accepts(json_pack("{s:O, s:O}", "verifierKey",
                                   json_object_get(receipt->json, "verifierKey"), "receipt",
                                   json_object_get(receipt->json, "receipt")),
                         1);
    free(account);
}

static void the_command_accepts_it_and_nothing_else(void)
{
    PERSON person = person_register_settled(suite);
    PERSON next = person_register_settled(suite);
    char *account = account_of(person), *other = account_of(next);
    PROGRAM deleted = delete_account(account);
    PROGRAM receipt = complete_receipt_of(account);
    PROGRAM other_deleted = delete_account(other);
    const char *note = program_text(receipt, "receipt"),
               *key = program_text(receipt, "verifierKey");
    char *altered = strdup(note), *signature;

    PROGRAM by_json = verify(receipt->out, key);
    CHECK_EXIT(by_json, 0);
    CU_ASSERT_STRING_EQUAL(program_text(by_json, "account"), account);
    PROGRAM by_delete = verify(deleted->out, key);
    CU_ASSERT_EQUAL(
        by_delete->code,
        json_is_true(json_object_get(json_object_get(deleted->json, "receipt"), "complete")) ? 0
                                                                                             : 1);
    PROGRAM by_note = verify(note, key);
    CHECK_EXIT(by_note, 0);
    CU_ASSERT_STRING_EQUAL(by_note->out, by_json->out);

    memcpy(strstr(altered, account), other, strlen(other));
    PROGRAM refused = verify(altered, key);
    CHECK_REFUSED(refused, 1, "the receipt was altered");
    strcpy(altered, note);
    signature = strrchr(altered, '\n') - 10;
    *signature = *signature == 'A' ? 'B' : 'A';
    PROGRAM forged = verify(altered, key);
    CHECK_REFUSED(forged, 1, "the receipt was altered");
    free(altered);

    /* the key signs heads of trails too: they are no receipts */
    PROGRAM head = ATRIUMCTL(suite, NULL, "audit", "checkpoint", "--project", "demo", "--json");
    PROGRAM confused = verify(program_text(head, "checkpoint"), program_text(head, "verifierKey"));
    CHECK_REFUSED(confused, 1, "is not the receipt of an erasure");
    PROGRAM foreign = verify(note, program_text(head, "verifierKey"));
    CHECK_REFUSED(foreign, 1, "signed by another key");
    free(account);
    free(other);
}

/* ---- deaths ---- */

static void a_daemon_that_has_not_done_its_part_is_named(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    pid_t docd = suite_pid(suite, "docd", "1");

    add_documents(person, 2);
    suite_signal(suite, "docd", "1", SIGSTOP);
    PROGRAM deleted = delete_account(account);
    PROGRAM waiting = receipt_of(account);
    CHECK_EXIT(deleted, 0);
    CU_ASSERT_FALSE(is_complete(waiting));
    CU_ASSERT_STRING_EQUAL(
        json_string_value(json_array_get(json_object_get(waiting->json, "missing"), 0)), "docd");
    CU_ASSERT_TRUE(json_is_null(json_object_get(waiting->json, "receipt")));
    CU_ASSERT_EQUAL(erased(waiting->json, "authd", "account", "rows"), 1);
    PROGRAM unsigned_yet = verify(waiting->out, "a+00000000+AA==");
    CHECK_REFUSED(unsigned_yet, 1, "no receipt that is signed");
    suite_signal(suite, "docd", "1", SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", docd));
    PROGRAM receipt = complete_receipt_of(account);
    UNIT_CHECK(erased(receipt->json, "docd", "document", "rows") == 2, "%s", receipt->out);
    free(account);
}

static bool is_missing(const struct program *receipt, const char *daemon)
{
    const json_t *each;
    size_t i;

    json_array_foreach(json_object_get(receipt->json, "missing"), i, each)
    {
        if (strcmp(json_string_value(each), daemon) == 0)
            return true;
    }
    return false;
}

/* settingsd is asked before an account is deleted: it is down when that has happened. */
static void each_daemon_that_is_down_is_named(void)
{
    static const char *const daemons[] = {"maild", "botd", "settingsd"};
    PERSON person = person_register_settled(suite);
    char *account = account_of(person), *ctl = program_path("atriumctl");
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    struct program *deletion = NULL;
    pid_t pids[ARRAY_SIZE(daemons)];
    PGconn *holder;

    add_traces(person, account);
    holder = hold("lock table settings.erasure in share mode");
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pids[i] = suite_pid(suite, daemons[i], "1");
        if (strcmp(daemons[i], "settingsd") == 0) {
            deletion = program_start(argv, NULL);
            CU_ASSERT_TRUE(suite_comes_to(
                suite, 0, DONE_MS, "select count(*) from auth.account where id = '%s'", account));
        }
        suite_signal(suite, daemons[i], "1", SIGSTOP);
    }
    PQfinish(holder);
    CU_ASSERT_TRUE(program_wait_end(deletion, DONE_MS));
    program_destroy(&deletion);
    PROGRAM waiting = receipt_of(account);
    CU_ASSERT_FALSE(is_complete(waiting));
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        UNIT_CHECK(is_missing(waiting, daemons[i]), "%s: %s", daemons[i], waiting->out);
    CU_ASSERT_FALSE(is_missing(waiting, "docd"));
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        suite_signal(suite, daemons[i], "1", SIGKILL);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemons[i], "1", pids[i]));
    PROGRAM receipt = complete_receipt_of(account);
    check_traces(person, account, receipt);
    free(account);
    free(ctl);
}

/* Each daemon dies when it has erased, before it notes that it did what it was asked. */
static void deaths_before_the_answer_count_once(void)
{
    static const char *const daemons[] = {"settingsd", "maild", "botd"};
    PERSON person = person_register_settled(suite);
    char *account = account_of(person), *ctl = program_path("atriumctl");
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    struct program *deletion;
    pid_t pids[ARRAY_SIZE(daemons)];
    PGconn *holder;

    add_traces(person, account);
    holder = hold("lock table settings.erasure_step, mail.erasure_step, bot.erasure_step "
                  "in share mode");
    deletion = program_start(argv, NULL);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 3, DONE_MS,
        "select (select count(*) from settings.erasure where account_id = '%1$s' and rows = %2$d) "
        "+ (select count(*) from mail.erasure where account_id = '%1$s' and rows > 0) + "
        "(select count(*) from bot.erasure where account_id = '%1$s' and rows = %3$d)",
        account, CHANGES, EXECUTIONS));
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pids[i] = suite_pid(suite, daemons[i], "1");
        suite_signal(suite, daemons[i], "1", SIGKILL);
    }
    PQfinish(holder);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemons[i], "1", pids[i]));
    CU_ASSERT_TRUE(program_wait_end(deletion, DONE_MS));
    program_destroy(&deletion);
    PROGRAM receipt = complete_receipt_of(account);
    check_traces(person, account, receipt);
    free(account);
    free(ctl);
}

/* ---- requests that come late ---- */

/* All that daemons have counted, and been asked. */
static char *counted(const char *account)
{
    char sql[1200];

    snprintf(sql, sizeof(sql),
             "select string_agg(concat_ws(' ', s, t, r, b, n), ', ' order by s, t) from ("
             "select 'settings' as s, table_name as t, rows as r, bytes as b, (select count(*) "
             "from settings.erasure_step where account_id = '%1$s') as n from settings.erasure "
             "where account_id = '%1$s' union all "
             "select 'mail', table_name, rows, bytes, (select count(*) from mail.erasure_step "
             "where account_id = '%1$s') from mail.erasure where account_id = '%1$s' union all "
             "select 'bot', table_name, rows, bytes, (select count(*) from bot.erasure_step "
             "where account_id = '%1$s') from bot.erasure where account_id = '%1$s' union all "
             "select 'doc', table_name, rows, bytes, (select count(*) from doc.erasure_step "
             "where account_id = '%1$s') from doc.erasure where account_id = '%1$s') c",
             account);
    return suite_query(suite, sql);
}

/* All that authd has sent is sent again, also the job of the deletion itself. */
static void what_is_asked_again_is_counted_once(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person), *before, *after;

    add_traces(person, account);
    add_documents(person, 2);
    free(suite_query(suite,
                     "create table auth.outbox_seen (like auth.outbox); "
                     "create function auth.outbox_see() returns trigger language plpgsql "
                     "security definer as $$ begin insert into auth.outbox_seen select new.*; "
                     "return new; end $$; create trigger outbox_see before insert on auth.outbox "
                     "for each row execute function auth.outbox_see()"));
    PROGRAM deleted = delete_account(account);
    PROGRAM receipt = complete_receipt_of(account);
    CHECK_EXIT(deleted, 0);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, DONE_MS, "select count(*) from auth.outbox"));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(distinct method) from auth.outbox_seen where "
                                       "method like '%%.account_wipe' or method = 'maild.job_put'"),
                    5);
    before = counted(account);
    free(suite_query(suite, "drop trigger outbox_see on auth.outbox; drop function "
                            "auth.outbox_see; insert into auth.outbox select * from "
                            "auth.outbox_seen; drop table auth.outbox_seen"));
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, DONE_MS, "select count(*) from auth.outbox"));
    after = counted(account);
    CU_ASSERT_STRING_EQUAL(after, before);
    check_traces(person, account, receipt);
    free(before);
    free(after);
    free(account);
}

struct late {
    struct http_request request;
    struct http_answer *answer;
};

static void *late_run(void *arg)
{
    struct late *self = arg;

    self->answer = http_call(suite_url(suite), &self->request);
    return NULL;
}

/* A change that is in the middle when the erasure begins, since its project's row is locked; false
 * when it gave up before. */
static bool change_in_the_middle(int attempt)
{
    char email[64], sql[160];

    snprintf(email, sizeof(email), "late-%d@admins.example", attempt);
    PROGRAM joined =
        ATRIUMCTL(suite, "a long password of the third admin\n", "user", "create-admin",
                  "--project", "demo", "--email", email, "--name", "Late", "--surname", "Castelo");
    PERSON third =
        person_sign_in(suite, "Practitioner", email, "a long password of the third admin", NULL);
    snprintf(sql, sizeof(sql), "select id from auth.account where email = '%s'", email);
    char *account = suite_query(suite, sql), *ctl = program_path("atriumctl");
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    struct late late = {
        .request = {.method = "PUT",
                    .path = "/v1/project/settings/values/PATIENT_APP_URL",
                    .bearer = third->access,
                    .body = json_pack("{s:o}", "value",
                                      json_sprintf("https://late-%d.example/", attempt))}};
    struct program *deletion;
    pthread_t thread;
    PGconn *holder;
    bool changed;

    CHECK_EXIT(joined, 0);
    snprintf(sql, sizeof(sql), "select from settings.project where id = '%s' for update",
             suite_text(suite, "demo.projectId"));
    holder = hold(sql);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, late_run, &late), 0);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, DONE_MS,
                                  "select count(*) from pg_stat_activity where wait_event_type = "
                                  "'Lock' and application_name like 'atrium-settingsd%%'"));
    deletion = program_start(argv, NULL);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, DONE_MS,
                                  "select count(*) from settings.erasure where account_id = '%s'",
                                  account));
    PQfinish(holder);
    pthread_join(thread, NULL);
    CU_ASSERT_TRUE(program_wait_end(deletion, DONE_MS));
    program_destroy(&deletion);
    PROGRAM receipt = complete_receipt_of(account);
    CU_ASSERT_EQUAL(erased(receipt->json, "settingsd", "setting_history", "rows"), 0);
    changed = late.answer->status == 200;
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from settings.setting_history where new_value = "
                                "'\"https://late-%d.example/\"' and profile_display is null",
                                attempt),
                    changed);
    http_answer_destroy(&late.answer);
    free(account);
    free(ctl);
    return changed;
}

static void a_change_of_settings_under_way_names_no_one(void)
{
    bool changed = false;

    for (int attempt = 0; attempt < ATTEMPTS && !changed; attempt++)
        changed = change_in_the_middle(attempt);
    CU_ASSERT_TRUE(changed);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.setting_history where "
                                       "profile_display = 'Late Castelo'"),
                    0);
}

/* A document that is being added when the erasure begins, since its author's count is locked; false
 * when the statement gave up before. */
static bool document_in_the_middle(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person), *ctl = program_path("atriumctl"), sql[160];
    char *first = document_put(suite, person->access, "one", "a/b", "12345", 5);
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    const char *profile = person->profile + strlen("Patient/");
    struct late late = {
        .request = {.method = "POST",
                    .path = "/document",
                    .bearer = person->access,
                    .body = json_pack("{s:s, s:s}", "fileName", "two", "contentType", "a/b")}};
    struct program *deletion;
    pthread_t thread;
    PGconn *holder;
    bool added;

    snprintf(sql, sizeof(sql), "select from doc.document_usage where author_id = '%s' for update",
             profile);
    holder = hold(sql);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, late_run, &late), 0);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, DONE_MS, DOCD_WAITS));
    deletion = program_start(argv, NULL);
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, DONE_MS, DOCD_WAITS));
    PQfinish(holder);
    pthread_join(thread, NULL);
    CU_ASSERT_TRUE(program_wait_end(deletion, DONE_MS));
    program_destroy(&deletion);
    PROGRAM receipt = complete_receipt_of(account);
    added = late.answer->status == 200;
    UNIT_CHECK(erased(receipt->json, "docd", "document", "rows") == 1 + added, "%s", receipt->out);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.document where author_id = '%s'", profile), 0);
    http_answer_destroy(&late.answer);
    free(first);
    free(account);
    free(ctl);
    return added;
}

static void a_document_under_way_is_erased_too(void)
{
    bool added = false;

    for (int attempt = 0; attempt < ATTEMPTS && !added; attempt++)
        added = document_in_the_middle();
    CU_ASSERT_TRUE(added);
}

static struct http_answer *post(const struct person *who, const char *path, json_t *body)
{
    return http_post(suite_url(suite), path, who->access, body);
}

/* As requests meet docd that a gateway has let through just before the account was gone. */
static void what_comes_after_the_beginning_is_refused(void)
{
    PERSON person = person_register_settled(suite);
    PERSON admin = person_admin(suite);
    char *account = account_of(person), path[120];
    long documents = suite_count(suite, "select count(*) from doc.document");

    suite_count(suite,
                "with begun as (insert into doc.erasure values ('%s', 'document', 0, 0) "
                "returning 1) select count(*) from begun",
                account);
    HTTP_ANSWER made = document_make(suite, person->access, "a", "a/b");
    HTTP_ANSWER own = post(person, "/auth/export", json_object());
    snprintf(path, sizeof(path), "/v1/project/accounts/%s/export", account);
    HTTP_ANSWER by_admin = post(admin, path, json_pack("{s:s}", "reason", "a ticket"));
    CHECK_ERROR(made, 401, "Unauthorized");
    CHECK_ERROR(own, 401, "Unauthorized");
    CHECK_ERROR(by_admin, 404, "Account not found.");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from doc.document"), documents);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.export where account_id = '%s'", account), 0);
    free(account);
}

#define SETTING(name) "current_setting('test." #name "')::uuid"

/* What has asked before the erasure begins, and adds its row later, is waited for. */
static void what_had_asked_before_is_waited_for(void)
{
    static const struct {
        const char *daemon, *schema, *table, *insert;
    } rows[] = {
        {"docd", "doc", "document",
         "insert into document (project_id, id, author_type, author_id, author_display, file_name, "
         "content_type, uploads, updated_at) values (" SETTING(
             project) ", gen_random_uuid(), 'Patient', " SETTING(profile) ", 'Ana', 'a.txt', "
                                                                          "'text/plain', 1, 1)"},
        {"docd", "doc", "export",
         "insert into export (project_id, id, account_id, role, profile_id, asked_by, created_at, "
         "state, attempts, due_at) values (" SETTING(project) ", gen_random_uuid(), " SETTING(
             account) ", 'Patient', " SETTING(profile) ", " SETTING(account) ", 1, 'pending', 0, "
                                                                             "9223372036854775807"
                                                                             ")"},
        {"settingsd", "settings", "setting_history",
         "insert into setting_history (project_id, version, name, changed_at, profile_id, "
         "profile_display) values (" SETTING(project) ", 1, 'under way', 1, " SETTING(
             profile) ", 'Ana')"},
        {"maild", "mail", "job",
         "insert into job (id, kind, due_at, account_id, schedule_id, project_id, created_at) "
         "values (gen_random_uuid(), 'account-reminder', 9223372036854775807, " SETTING(
             account) ", gen_random_uuid(), " SETTING(project) ", 1)"},
        {"botd", "bot", "execution",
         "insert into execution values (" SETTING(
             project) ", gen_random_uuid(), gen_random_uuid(), 1, "
                      "1, 'success', 'Patient/' || " SETTING(profile) ")"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PERSON person = person_register_settled(suite);
        char *account = account_of(person), *ctl = program_path("atriumctl");
        const char *argv[] = {ctl,      "--dir", suite_dir(suite), "user",
                              "delete", account, "--yes",          NULL};
        char sql[1000];
        struct program *deletion;
        PGconn *holder;
        long said;

        snprintf(sql, sizeof(sql),
                 "set local search_path to %s; set local test.account = '%s'; "
                 "set local test.project = '%s'; set local test.profile = '%s'; "
                 "select erasure_begun('%s'); %s",
                 rows[i].schema, account, suite_text(suite, "demo.projectId"),
                 person->profile + strlen("Patient/"), account, rows[i].insert);
        holder = hold(sql);
        deletion = program_start(argv, NULL);
        UNIT_CHECK(suite_comes_to(suite, 1, DONE_MS,
                                  "select count(*) from pg_stat_activity where wait_event = "
                                  "'advisory' and application_name like 'atrium-%s%%'",
                                  rows[i].daemon),
                   "%s does not wait", rows[i].daemon);
        PQclear(PQexec(holder, "commit"));
        PQfinish(holder);
        CU_ASSERT_TRUE(program_wait_end(deletion, DONE_MS));
        program_destroy(&deletion);
        PROGRAM receipt = complete_receipt_of(account);
        said = erased(receipt->json, rows[i].daemon, rows[i].table, "rows");
        UNIT_CHECK(said == 1 || (said == 2 && strcmp(rows[i].table, "job") == 0), "%s: %s",
                   rows[i].daemon, receipt->out);
        free(account);
        free(ctl);
    }
}

/* A bot that still runs when the erasure is over; false when it had ended before. */
static bool execution_in_the_middle(const char *bot, const char *sleeping)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    struct late late = {.request = {.method = "POST",
                                    .path = "/bots?identifier=urn:erasure%7Csleeps",
                                    .bearer = person->access,
                                    .body = json_object()}};
    int64_t until = clock_mono_ms() + 2 * SLEEP_S * 1000;
    long before = suite_count(suite, "select count(*) from bot.execution where bot_id = '%s'", bot);
    pthread_t thread;
    bool in_the_middle;

    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, late_run, &late), 0);
    while (processes_with(sleeping, 0, NULL, 0) == 0 && clock_mono_ms() < until)
        continue;
    PROGRAM deleted = delete_account(account);
    PROGRAM receipt = complete_receipt_of(account);
    CHECK_EXIT(deleted, 0);
    in_the_middle =
        suite_count(suite, "select count(*) from bot.execution where bot_id = '%s'", bot) == before;
    pthread_join(thread, NULL);
    in_the_middle = in_the_middle && late.answer->status == 200;
    http_answer_destroy(&late.answer);
    free(account);
    return in_the_middle;
}

static void an_execution_under_way_names_no_one(void)
{
    PERSON admin = person_admin(suite);
    char path[300], sleeping[32];
    bool in_the_middle = false;
    FILE *file;

    snprintf(sleeping, sizeof(sleeping), "%d.017", SLEEP_S);
    snprintf(path, sizeof(path), "%s/sleeps", suite_text(suite, "botDir"));
    file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fprintf(file, "#!/bin/sh\nread -r line\nsleep %s\necho 1\n", sleeping);
    fclose(file);
    HTTP_ANSWER bot =
        http_post(suite_url(suite), "/v1/project/bots", admin->access,
                  json_pack("{s:[{s:s, s:s}], s:s, s:s, s:s, s:i}", "identifier", "system",
                            "urn:erasure", "value", "sleeps", "name", "sleeps", "kind", "program",
                            "program", "sleeps", "timeoutMs", 3 * SLEEP_S * 1000));
    CHECK_STATUS(bot, 200);
    for (int attempt = 0; attempt < ATTEMPTS && !in_the_middle; attempt++)
        in_the_middle = execution_in_the_middle(http_text(bot, "id"), sleeping);
    CU_ASSERT_TRUE(in_the_middle);
    snprintf(path, sizeof(path), "/v1/project/bots/%s/executions", http_text(bot, "id"));
    HTTP_ANSWER list = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.outcome"), "success");
    CU_ASSERT_PTR_NULL(strstr(list->body, "Patient/"));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from bot.execution where bot_id = '%s' and "
                                "profile is not null",
                                http_text(bot, "id")),
                    0);
}

/* ---- more deaths ---- */

/* docd dies after two batches of documents, authd too: each is counted once. */
static void deaths_in_the_middle_lose_no_count(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person), sql[300];
    const char *profile = person->profile + strlen("Patient/");
    pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
    pid_t docd = suite_pid(suite, "docd", "1"), holder, killer;
    char *ctl = program_path("atriumctl");
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    struct program *deletion;

    add_documents(person, MANY);
    snprintf(
        sql, sizeof(sql),
        "select 1 from doc.document where author_id = '%s' order by updated_at limit 1 for update",
        profile);
    holder = suite_hold(suite, sql);
    deletion = program_start(argv, NULL);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, LEFT, DONE_MS, "select count(*) from doc.document where author_id = '%s'", profile));
    suite_signal(suite, "docd", "1", SIGKILL);
    killer = suite_kill_both_later(suite, "authd", 0);
    waitpid(killer, NULL, 0);
    waitpid(holder, NULL, 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", docd));
    CU_ASSERT_TRUE(program_wait_end(deletion, DONE_MS));
    program_destroy(&deletion);
    PROGRAM receipt = complete_receipt_of(account);
    UNIT_CHECK(erased(receipt->json, "docd", "document", "rows") == MANY, "%s", receipt->out);
    PROGRAM again = receipt_of(account);
    CU_ASSERT_STRING_EQUAL(again->out, receipt->out);
    free(account);
    free(ctl);
}

/* Signed by both instances at once: one receipt. */
static void it_is_signed_once(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    char *ctl = program_path("atriumctl");
    const char *argv[] = {ctl,       "--dir", suite_dir(suite), "user",
                          "receipt", account, "--json",         NULL};
    struct program *both[8];

    suite_signal(suite, "docd", "1", SIGSTOP);
    PROGRAM deleted = delete_account(account);
    suite_signal(suite, "docd", "1", SIGCONT);
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, DONE_MS,
                                  "select count(*) from doc.erasure_step where account_id = '%s'",
                                  account));
    for (size_t i = 0; i < ARRAY_SIZE(both); i++)
        both[i] = program_start(argv, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
        CU_ASSERT_TRUE(program_wait_end(both[i], DONE_MS));
        CU_ASSERT_TRUE(is_complete(both[i]));
        CU_ASSERT_STRING_EQUAL(both[i]->out, both[0]->out);
    }
    for (size_t i = 0; i < ARRAY_SIZE(both); i++)
        program_destroy(&both[i]);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'Account/%s' and "
                                "event->>'action' = 'account.receipt'",
                                account),
                    1);
    free(account);
    free(ctl);
}

/* ---- projects ---- */

static void the_end_of_a_project_leaves_receipts(void)
{
    PERSON admin = person_admin(suite);
    PERSON child = person_admin_of_child(suite, "erasure-child");
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    PROGRAM deleted = delete_account(account);
    PROGRAM before = complete_receipt_of(account);
    PROGRAM gone = ATRIUMCTL(suite, NULL, "project", "delete", "erasure-child", "--force", "--yes");
    PROGRAM other = receipt_of(account);
    CU_ASSERT_PTR_NOT_NULL(admin);
    CU_ASSERT_PTR_NOT_NULL(child);
    CHECK_EXIT(gone, 0);
    CU_ASSERT_STRING_EQUAL(other->out, before->out);
    PROGRAM own = ATRIUMCTL(suite, NULL, "project", "delete", "demo", "--force", "--yes");
    PROGRAM after = receipt_of(account);
    CHECK_EXIT(own, 0);
    CU_ASSERT_STRING_EQUAL(after->out, before->out);
    free(account);
}

static void suite_starts(void)
{
    dir = unit_dir_make();
    suite = suite_start(&(struct suite_options){.instances = "authd=2"});
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE(the_counts_are_what_the_database_held),
    CASE(the_history_of_settings_names_no_one_who_is_gone),
    CASE(every_daemon_erases_and_counts),
    CASE(an_erasure_of_before_names_authd_and_docd),
    CASE(the_deletion_prints_it),
    CASE(only_what_was_erased_has_one),
    CASE(go_accepts_it_and_no_other_byte),
    CASE(the_command_accepts_it_and_nothing_else),
    CASE(a_daemon_that_has_not_done_its_part_is_named),
    CASE(each_daemon_that_is_down_is_named),
    CASE(deaths_before_the_answer_count_once),
    CASE(what_is_asked_again_is_counted_once),
    CASE(a_change_of_settings_under_way_names_no_one),
    CASE(a_document_under_way_is_erased_too),
    CASE(what_comes_after_the_beginning_is_refused),
    CASE(what_had_asked_before_is_waited_for),
    CASE(an_execution_under_way_names_no_one),
    CASE(deaths_in_the_middle_lose_no_count),
    CASE(it_is_signed_once),
    CASE(the_end_of_a_project_leaves_receipts),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("erasure", cases, ARRAY_SIZE(cases));
}
