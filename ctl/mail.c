/* mail.c - `atriumctl mail ...`: queued and failed emails. */
#include "common/base/clock.h"
#include "ctl/call.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "maild/mail_api.h"
#include "maild/maild_api.h"

int mail_queue_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"id",        "template", "state",     "attempts",
                                          "createdAt", "dueAt",    "lastError", NULL};
    struct mail_queue_in in = {.state = "queued"};
    struct mail_queue_out out;

    if (call(ctl, &maild_mail_queue_method, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &mail_queue_row_table, &out.messages, columns);
    output_note(ctl, "%lld %s in all.", (long long)out.total, in.state);
    return 0;
}

static int retry_all(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct mail_retry_all_in in = {.since = 0};
    struct mail_retry_all_out out = {0};
    const char *since = arguments_get(&ctl->args, "--since");

    if (arguments_has(&ctl->args, "--project") && project_from_args(ctl, &in.projectId, err) < 0)
        return -1;
    if (since && clock_parse_iso(since, &in.since) < 0)
        return error_set(err, ERR_BAD_REQUEST,
                         "--since: must be a time such as 2026-01-31T09:30:00Z");
    if (maild_mail_retry_all(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &mail_retry_all_out_table, &out);
    return 0;
}

int mail_retry_command(struct ctl *ctl, struct error *err)
{
    struct mail_id_in in = {0};
    struct nothing out;
    bool one = arguments_has(&ctl->args, "ID");
    bool many = arguments_has(&ctl->args, "--all") || arguments_has(&ctl->args, "--project") ||
                arguments_has(&ctl->args, "--since");

    if (one == many)
        return error_set(err, ERR_BAD_REQUEST, "either ID, or one of --all, --project, --since");
    if (many)
        return retry_all(ctl, err);
    if (call(ctl, &maild_mail_retry_method, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "It is due now.");
    return 0;
}
