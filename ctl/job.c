/*
 * job.c - `atriumctl job ...`: the jobs of maild and when they are due.
 */
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "maild/job_api.h"
#include "maild/maild_api.h"

enum { JOB_COUNT = 100, JOB_COUNT_MAX = 1000 };

int job_list_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"id",       "kind",  "account",   "dueAt",
                                          "attempts", "state", "lastError", NULL};
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct job_list_in in = {.state = arguments_get(&ctl->args, "--state")};
    struct job_list_out out = {0};

    if (arguments_int(&ctl->args, "--count", JOB_COUNT, 1, JOB_COUNT_MAX, &in.count, err) < 0)
        return -1;
    if (!in.state)
        in.state = "waiting";
    if (maild_job_list(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &job_row_table, &out.jobs, columns);
    output_note(ctl, "%lld %s in all.", (long long)out.total, in.state);
    return 0;
}

int job_run_due_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct nothing in = {0};
    struct job_run_due_out out = {0};

    if (maild_job_run_due(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &job_run_due_out_table, &out);
    if (out.left > 0)
        return error_set(err, ERR_UNAVAILABLE, "%lld jobs are not done yet", (long long)out.left);
    return 0;
}
