/*
 * test_maild_sql.c - maild's statements on a real server: prepared, and with index conditions.
 */
#include "common/service/sql/erasure.h"
#include "maild/sql/job.h"
#include "maild/sql/mail.h"
#include "tests/support/plans.h"

extern const struct db_migration maild_migrations[];

static const struct plans plans = {
    .schema = "mail",
    .migrations = maild_migrations,
    .sql = {maild_sql, service_erasure_sql},
    .small = "webhook_source",
    .emptied = "message",
    .blocking = "0005_listed",
};

static struct pg *server;

static void test_every_statement_has_its_index(void)
{
    plans_make_schema(&plans, server);
    plans_check(&plans, server, "");
}

static void test_an_erasure_reads_no_job_of_others(void)
{
    plans_check_filled(&plans, server,
                       "insert into job (id, kind, due_at, account_id, schedule_id, project_id, "
                       "created_at) select gen_random_uuid(), 'account-delete', 1, "
                       "gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1 "
                       "from generate_series(1, 20000)",
                       sql_job_erase_statement, "job_of_account on job");
}

/* Without a mail server, every email of the installation is a failed one. */
static void test_failures_of_a_project_are_read_without_its_other_mail(void)
{
    plans_check_filled(&plans, server,
                       "insert into message (id, project_id, template, sealed, state, due_at, "
                       "created_at, last_error) select gen_random_uuid(), "
                       "('00000000-0000-0000-0000-00000000000' || i % 2)::uuid, 'X', "
                       "case when i % 10 = 0 then '' end::bytea, "
                       "case when i % 10 = 0 then 'queued' else 'sent' end, i, i, "
                       "case when i % 10 = 0 then 'smtp: answered 451' end "
                       "from generate_series(1, 20000) i",
                       sql_mail_failure_list_statement, "message_failed on message");
}

static const struct unit_case cases[] = {
    CASE(test_every_statement_has_its_index),
    CASE(test_failures_of_a_project_are_read_without_its_other_mail),
    CASE(test_an_erasure_reads_no_job_of_others),
};

int main(void)
{
    int failed;

    server = pg_new();
    failed = unit_run("maild sql", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return failed;
}
