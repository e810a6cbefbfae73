/*
 * db_jobs.h - concurrent statements on one handle, one fiber each.
 */
#ifndef ATRIUM_TESTS_SUPPORT_DB_JOBS_H
#define ATRIUM_TESTS_SUPPORT_DB_JOBS_H

#include "tests/support/db_kit.h"

/* The first statements of a program that uses jobs; its own statements start at DB_JOBS. */
enum { SQL_ADD, SQL_SLEEP, SQL_PUT, SQL_PUT_SLOWLY, SQL_COUNT, SQL_PID, DB_JOBS };

#define DB_JOB_STATEMENTS                                                                          \
    DB_STATEMENT("SQL_ADD", READ, 2, "select $1::int8 + $2::int8"),                                \
        DB_STATEMENT("SQL_SLEEP", READ, 1, "select pg_sleep($1::float8 / 1000)"),                  \
        DB_STATEMENT("SQL_PUT", WRITE, 2, "insert into thing (id, size) values ($1, $2)"),         \
        DB_STATEMENT("SQL_PUT_SLOWLY", WRITE, 2,                                                   \
                     "insert into thing (id, size) select $1::int4, $2::int4 from pg_sleep(0.5)"), \
        DB_STATEMENT("SQL_COUNT", READ, 0, "select count(*) from thing"),                          \
        DB_STATEMENT("SQL_PID", READ, 0, "select pg_backend_pid()")

struct db_job {
    struct db_fixture *fixture;
    int statement;
    int64_t a, b;
    int params;
    int64_t timeout_ms; /* 0: ten seconds */
    struct error err;
    int64_t value;
    int rc;
    bool done;
};

void db_jobs_start(struct db_fixture *self, struct db_job *jobs, size_t count);
void db_jobs_wait(struct db_fixture *self, const struct db_job *jobs, size_t count);

/* Counts the table's rows, or returns -1 on an error. */
int64_t db_jobs_count_things(struct db_fixture *self);

#endif
