/*
 * db_jobs.c - see db_jobs.h.
 */
#include "tests/support/db_jobs.h"

static void run_job(void *arg)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct db_job *job = arg;
    struct db_fixture *self = job->fixture;
    struct db_param params[] = {DB_INT(job->a), DB_INT(job->b)};
    int64_t timeout_ms = job->timeout_ms ? job->timeout_ms : 10000;

    error_init(&job->err, NULL);
    job->rc = db_kit_query(self->db, loop_mono_ms(self->loop) + timeout_ms,
                           &self->options.sql[job->statement], &res, &job->err, params,
                           (size_t)job->params);
    if (job->rc == 0 && job->statement == SQL_ADD)
        job->value = db_int(res, 0, 0);
    job->done = true;
}

void db_jobs_start(struct db_fixture *self, struct db_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jobs[i].fixture = self;
        if (fiber_start(self->loop, run_job, &jobs[i], &self->err) < 0)
            CU_FAIL("fiber_start");
    }
}

void db_jobs_wait(struct db_fixture *self, const struct db_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        while (!jobs[i].done &&
               fiber_sleep_until(self->loop, loop_mono_ms(self->loop) + 1, &self->err) == 0)
            ;
}

int64_t db_jobs_count_things(struct db_fixture *self)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (DB_KIT_QUERY(self, SQL_COUNT, &res) < 0)
        return -1;
    return db_int(res, 0, 0);
}
