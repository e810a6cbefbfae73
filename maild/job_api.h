/* job_api.h - scheduled jobs of authd. */
#ifndef ATRIUM_MAILD_JOB_API_H
#define ATRIUM_MAILD_JOB_API_H

#include "common/wire/fields.h"

/* A job at a set time. Idempotent by id. Drops the waiting job of the schedule `replaces`. */
struct job_put_in {
    struct uuid id;
    const char *kind; /* "account-delete", "account-reminder" */
    int64_t dueAt;    /* contract time */
    struct uuid account, schedule, projectId;
    struct uuid replaces; /* absent: nothing */
};
FIELD_DECLARE(job_put_in);

struct job_list_in {
    const char *state; /* "waiting" (default) or "done" */
    int64_t count;
};
FIELD_DECLARE(job_list_in);

struct job_row {
    struct uuid id, account;
    const char *kind, *state, *lastError;
    int64_t attempts, dueAt, createdAt; /* dueAt: contract time */
};
FIELD_DECLARE(job_row);

struct job_list_out {
    int64_t total;
    struct field_list jobs; /* struct job_row */
};
FIELD_DECLARE(job_list_out);

struct job_run_due_out {
    int64_t due, left;
};
FIELD_DECLARE(job_run_due_out);

#endif
