/* job.c - `atriumctl job ...`: maild's jobs. */
#include "ctl/call.h"
#include "ctl/output.h"
#include "maild/job_api.h"
#include "maild/maild_api.h"

int job_list_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"id",       "kind",  "account",   "dueAt",
                                          "attempts", "state", "lastError", NULL};
    struct job_list_in in = {.state = "waiting"};
    struct job_list_out out;

    if (call(ctl, &maild_job_list_method, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &job_row_table, &out.jobs, columns);
    output_note(ctl, "%lld %s in all.", (long long)out.total, in.state);
    return 0;
}

int job_run_due_command(struct ctl *ctl, struct error *err)
{
    struct nothing in = {0};
    struct job_run_due_out out;

    if (call(ctl, &maild_job_run_due_method, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &job_run_due_out_table, &out);
    if (out.left > 0)
        return error_set(err, ERR_UNAVAILABLE, "%lld jobs are not done yet", (long long)out.left);
    return 0;
}
