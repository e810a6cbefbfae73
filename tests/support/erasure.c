/*
 * erasure.c - see erasure.h.
 */
#include "tests/support/erasure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "tests/support/unit.h"

enum { JOBS = 3 };

struct program *erasure_receipt(struct suite *suite, const char *account)
{
    return ATRIUMCTL(suite, NULL, "user", "receipt", account, "--json");
}

struct program *erasure_delete(struct suite *suite, const char *account)
{
    return ATRIUMCTL(suite, NULL, "user", "delete", account, "--yes", "--json");
}

bool erasure_is_complete(const struct program *receipt)
{
    return json_is_true(json_object_get(receipt->json, "complete"));
}

struct program *erasure_complete_receipt(struct suite *suite, const char *account)
{
    int64_t until = clock_mono_ms() + ERASURE_DONE_MS;
    struct program *receipt = erasure_receipt(suite, account);

    while (!erasure_is_complete(receipt) && clock_mono_ms() < until) {
        program_destroy(&receipt);
        receipt = erasure_receipt(suite, account);
    }
    UNIT_CHECK(erasure_is_complete(receipt), "%s%s", receipt->out, receipt->err);
    return receipt;
}

long erasure_number(const json_t *receipt, const char *daemon, const char *table, const char *what)
{
    const json_t *part = http_find(json_object_get(receipt, "parts"), "daemon", daemon);
    const json_t *row = http_find(json_object_get(part, "erased"), "table", table);

    return (long)json_integer_value(json_object_get(row, what));
}

void erasure_add_documents(struct suite *suite, const struct person *person, int count)
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

void erasure_add_traces(struct suite *suite, const struct person *person, const char *account)
{
    const char *project = suite_text(suite, "demo.projectId");
    long long now = clock_real_ms(); /* recent, so that no sweep deletes it */

    suite_count(suite,
                "with made as (insert into settings.setting_history (project_id, version, name, "
                "changed_at, profile_id, profile_display) select '%s', i, 'test %s', 1, "
                "case when i > %d then gen_random_uuid() else '%s' end, 'Ana Almeida %s' "
                "from generate_series(1, %d) i returning 1) select count(*) from made",
                project, account, ERASURE_CHANGES, person->profile + strlen("Patient/"), account,
                ERASURE_CHANGES + 1);
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
                project, account, now, ERASURE_EXECUTIONS, person->profile, ERASURE_EXECUTIONS + 1);
}

void erasure_check_traces(struct suite *suite, const struct person *person, const char *account,
                          const struct program *receipt)
{
    long jobs = erasure_number(receipt->json, "maild", "job", "rows");

    UNIT_CHECK(erasure_number(receipt->json, "settingsd", "setting_history", "rows") ==
                   ERASURE_CHANGES,
               "%s", receipt->out);
    /* one more if the deletion's own job had already reached maild */
    UNIT_CHECK(jobs == JOBS || jobs == JOBS + 1, "%s", receipt->out);
    UNIT_CHECK(erasure_number(receipt->json, "botd", "execution", "rows") == ERASURE_EXECUTIONS,
               "%s", receipt->out);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from settings.setting_history where name = "
                                "'test %s' and profile_display is null",
                                account),
                    ERASURE_CHANGES);
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
                    ERASURE_EXECUTIONS + 1);
}

PGconn *erasure_hold(struct suite *suite, const char *sql)
{
    PGconn *connection = suite_database(suite);

    PQclear(PQexec(connection, "begin"));
    PGresult *res = PQexec(connection, sql);
    UNIT_CHECK(PQresultStatus(res) == PGRES_COMMAND_OK || PQresultStatus(res) == PGRES_TUPLES_OK,
               "%s", PQerrorMessage(connection));
    PQclear(res);
    return connection;
}
