/*
 * project_delete.c - `atriumctl project delete`: starts or joins a deletion, which the daemons
 * continue.
 */
#include <stdio.h>
#include <string.h>

#include "authd/authd_api.h"
#include "authd/member/member_api.h"
#include "authd/operation_api.h"
#include "common/base/clock.h"
#include "ctl/confirm.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/progress.h"
#include "settingsd/project_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum { POLL_MS = 200, STALL_MS = MINUTES(1) /* a daemon may be down */ };

static int count_members(struct ctl *ctl, const char *code, int64_t *ret, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct operator_members_in in = {.tenantCode = code, .count = 1};
    struct member_list page = {0};

    if (ctl_bus_wait(ctl->bus, "authd", CTL_BUS_PEER_MS, err) < 0 ||
        authd_operator_members(ctl->bus->bus, &req, &in, &page, err) < 0)
        return -1;
    *ret = page.total;
    return 0;
}

/* Asks for confirmation, unless a deletion is in progress, which was confirmed before. */
static int check_and_confirm(struct ctl *ctl, const char *code, struct error *err)
{
    struct tenant tenant = {0};
    const char *question;
    int64_t members = 0;

    if (project_find(ctl, code, &tenant, err) < 0)
        return -1;
    if (tenant.deleting)
        return 0;
    if (count_members(ctl, code, &members, err) < 0)
        return -1;
    if (members > 0 && !arguments_has(&ctl->args, "--force"))
        return error_set(err, ERR_CONFLICT,
                         "%s has %lld member%s or invitation%s: --force deletes them too", code,
                         (long long)members, members == 1 ? "" : "s", members == 1 ? "" : "s");
    question = arena_printf(ctl->arena,
                            "The project %s (%s) will be deleted with all its data: %lld members, "
                            "their documents, content, bots, emails, settings.",
                            code, tenant.name, (long long)members);
    return confirm(ctl, question, code, err);
}

/* Starts the deletion. ERR_UNCERTAIN means that it has begun, so a second call returns the
 * progress. */
static int begin(struct ctl *ctl, const char *code, struct project_deletion *ret, struct error *err)
{
    const struct project_delete_in in = {code};
    struct request req;
    int rc;

    for (int attempt = 0; attempt < 2; attempt++) {
        error_clear(err);
        req = ctl_bus_request(ctl->bus, ctl->arena);
        rc = settingsd_project_delete(ctl->bus->bus, &req, &in, ret, err);
        if (rc == 0 || err->code != ERR_UNCERTAIN)
            return rc;
    }
    return -1;
}

static int64_t total_removed(const struct project_deletion *state)
{
    const struct deletion_part *parts = state->parts.items;
    int64_t sum = 0;

    for (size_t i = 0; i < state->parts.count; i++)
        sum += parts[i].removed + parts[i].done;
    return sum;
}

static int stalled(const struct project_deletion *state, struct error *err)
{
    const struct deletion_part *parts = state->parts.items;

    for (size_t i = 0; i < state->parts.count; i++)
        if (!parts[i].done)
            return error_set(err, ERR_UNAVAILABLE,
                             "the deletion waits for %s (%s) and continues in the background; "
                             "repeat the command to see the progress",
                             parts[i].service,
                             parts[i].lastError ? parts[i].lastError : "no answer yet");
    return 0;
}

/* Ignores failed polls: settingsd may be restarting. */
static int wait_until_done(struct ctl *ctl, struct project_deletion *state, struct error *err)
{
    CLEANUP(progress_end) struct progress progress = {.what = NULL};
    const struct project_deletion_in in = {state->projectId};
    int64_t moved_ms = clock_mono_ms(), seen = total_removed(state);

    progress_start(&progress, "deletion", "rows", ctl->json);
    while (!state->done) {
        struct request req = ctl_bus_request(ctl->bus, ctl->arena);
        struct project_deletion now = {0};

        if (clock_mono_ms() - moved_ms > STALL_MS)
            return stalled(state, err);
        if (fiber_sleep_until(ctl->bus->loop, clock_mono_ms() + POLL_MS, err) < 0)
            return -1;
        error_clear(err);
        if (settingsd_project_deletion(ctl->bus->bus, &req, &in, &now, err) < 0)
            continue;
        now.tenantCode = state->tenantCode;
        *state = now;
        if (total_removed(state) != seen)
            moved_ms = clock_mono_ms();
        seen = total_removed(state);
        progress_count(&progress, seen, 0);
    }
    error_clear(err);
    return 0;
}

static void show(struct ctl *ctl, const struct project_deletion *state)
{
    static const char *const columns[] = {"service", "removed", "done", NULL};

    if (ctl->json)
        output_record(ctl, &project_deletion_table, state);
    else
        output_list(ctl, &deletion_part_table, &state->parts, columns);
}

int project_delete_command(struct ctl *ctl, struct error *err)
{
    const char *code = arguments_get(&ctl->args, "CODE");
    struct project_deletion state = {0};
    int rc;

    if (check_and_confirm(ctl, code, err) < 0 || begin(ctl, code, &state, err) < 0)
        return -1;
    rc = wait_until_done(ctl, &state, err);
    show(ctl, &state);
    if (rc == 0)
        output_note(
            ctl, "\nThe project %s was deleted. Its audit log remains: audit search --project %s",
            code, state.projectId.text);
    return rc;
}
