/* job_api.c - field tables of job_api.h. See maild_api.c. */
#include "maild/job_api.h"

enum { JOBS_MAX = 1000 };

static const char *const job_kinds[] = {"account-delete", "account-reminder", NULL};
static const char *const job_states[] = {"waiting", "done", NULL};

static const struct field job_put_in_rows[] = {
    FIELD_UUID(struct job_put_in, id, FIELD_REQUIRED, "Idempotency key."),
    FIELD_CHOICE(struct job_put_in, kind, job_kinds, FIELD_REQUIRED, "Kind of the job.",
                 "account-delete"),
    FIELD_INT(struct job_put_in, dueAt, 0, INT64_MAX, 0, FIELD_REQUIRED, "When.", "1769851800000"),
    FIELD_UUID(struct job_put_in, account, FIELD_REQUIRED, "Account that the job is about."),
    FIELD_UUID(struct job_put_in, schedule, FIELD_REQUIRED,
               "Schedule of the deletion; the job has no effect if the account has another one."),
    FIELD_UUID(struct job_put_in, projectId, FIELD_REQUIRED, "Project that sends the email."),
    FIELD_UUID(struct job_put_in, replaces, 0, "Schedule whose jobs are dropped."),
};
FIELD_TABLE(job_put_in);

static const struct field job_list_in_rows[] = {
    FIELD_CHOICE(struct job_list_in, state, job_states, 0, "Return only jobs in this state.",
                 "waiting"),
    FIELD_INT(struct job_list_in, count, 1, JOBS_MAX, 100, 0, "Maximum number of jobs to return.",
              "100"),
};
FIELD_TABLE(job_list_in);

static const struct field job_row_rows[] = {
    FIELD_UUID(struct job_row, id, FIELD_REQUIRED, "ID of the job."),
    FIELD_TEXT(struct job_row, kind, 1, 64, FIELD_REQUIRED, "Kind of the job.", "account-delete"),
    FIELD_UUID(struct job_row, account, FIELD_REQUIRED, "Account that the job is about."),
    FIELD_TEXT(struct job_row, state, 1, 32, FIELD_REQUIRED, "State of the job.", "waiting"),
    FIELD_TEXT(struct job_row, lastError, 0, 64, FIELD_NULLABLE, "Why the last attempt failed.",
               "UNAVAILABLE"),
    FIELD_INT(struct job_row, attempts, 0, INT64_MAX, 0, FIELD_REQUIRED, "Attempts so far.", "0"),
    FIELD_TIME(struct job_row, dueAt, FIELD_REQUIRED, "When."),
    FIELD_TIME(struct job_row, createdAt, FIELD_REQUIRED, "When the job was queued."),
};
FIELD_TABLE(job_row);

static const struct field job_list_out_rows[] = {
    FIELD_INT(struct job_list_out, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of jobs in this state.", "3"),
    FIELD_OBJECTS(struct job_list_out, jobs, job_row, JOBS_MAX, FIELD_REQUIRED,
                  "Jobs, in the order in which they are due."),
};
FIELD_TABLE(job_list_out);

static const struct field job_run_due_out_rows[] = {
    FIELD_INT(struct job_run_due_out, due, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of jobs that were due.", "2"),
    FIELD_INT(struct job_run_due_out, left, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of jobs that are still due.", "0"),
};
FIELD_TABLE(job_run_due_out);
