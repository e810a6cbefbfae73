/*
 * session.c - `atriumctl session ...`: where a person is signed in, and the end of it.
 */
#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "authd/session/session_api.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"

static const char *const columns[] = {"id",      "lastUpdated", "authMethod", "remoteAddress",
                                      "browser", "os",          NULL};

static struct operator_sessions_in person(const struct ctl *ctl)
{
    return (struct operator_sessions_in){.email = arguments_get(&ctl->args, "--email"),
                                         .tenantCode = arguments_get(&ctl->args, "--project")};
}

int session_list_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct operator_sessions_in in = person(ctl);
    struct session_list out = {0};

    if (authd_operator_sessions(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &session_record_table, &out.sessions, columns);
    return 0;
}

int session_revoke_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct operator_sessions_in in = person(ctl);
    struct session_list out = {0};

    if (authd_operator_sessions_revoke(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &session_record_table, &out.sessions, columns);
    output_note(ctl, "All sessions are ended.");
    return 0;
}
