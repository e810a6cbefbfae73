/*
 * audit_tree.c - `atriumctl audit checkpoint` and `audit proof`: the signed head of a project's
 * tree, and the proof that a row is in it, see docs/audit.md.
 */
#include "authd/authd_api.h"
#include "authd/trail/trail_api.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"

int audit_checkpoint_command(struct ctl *ctl, struct error *err)
{
    struct operator_audit_checkpoint_in in = {0};
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct project_audit_checkpoint out = {0};

    if (arguments_int(&ctl->args, "--from", 0, 0, INT64_MAX, &in.from, err) < 0 ||
        project_audited(ctl, &in.projectId, err) < 0 ||
        authd_operator_audit_checkpoint(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &project_audit_checkpoint_table, &out);
    return 0;
}

int audit_proof_command(struct ctl *ctl, struct error *err)
{
    struct operator_audit_proof_in in = {.id = arguments_get(&ctl->args, "ID")};
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct project_audit_proof out = {0};

    if (project_audited(ctl, &in.projectId, err) < 0 ||
        authd_operator_audit_proof(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &project_audit_proof_table, &out);
    return 0;
}
