/*
 * history.c - history of a project's settings: settings_history, and account_wipe and
 * account_erased for authd.
 *
 * The statement of a change also writes its row. Rows outlive their author's account, without the
 * name.
 */
#include "common/domain/reference.h"
#include "common/service/audit.h"
#include "common/service/erasure.h"
#include "settingsd/setting_api.h"
#include "settingsd/settingsd.h"
#include "settingsd/sql/setting.h"

enum {
    BLANK_PAGE = 1000,
    TRIM_ROWS = 1000,  /* per statement: with more, it could time out again and again */
    KEEP_LEAST = 1000, /* changes that are always kept: as many as one answer shows */
};

struct sql_history history_of(const struct request *req)
{
    const struct caller *caller = req->caller;

    if (!caller)
        return (struct sql_history){.at = req->now_ms};
    return (struct sql_history){.at = req->now_ms,
                                .account = caller->account,
                                .membership = caller->membership,
                                .profile = caller->profile,
                                .display = caller->display};
}

/* Returns the reference of a change's author; only practitioners change settings. */
static const struct reference *reference_of(struct arena *arena, struct uuid profile,
                                            const char *display)
{
    struct reference *who;

    if (!uuid_is_set(&profile))
        return NULL;
    who = arena_alloc(arena, sizeof(*who));
    who->reference = arena_printf(arena, "Practitioner/%s", profile.text);
    who->display = display;
    return who;
}

int settings_history(struct settingsd *d, const struct request *req,
                     const struct settings_history_in *in, struct settings_history *out,
                     struct error *err)
{
    struct uuid project = req->caller->project;
    const struct sql_setting_history_count_in all = {.project = project};
    const struct sql_setting_history_list_in page = {
        .project = project, .most = in->_count, .skip = in->_offset};
    struct sql_setting_history_count_row count;
    struct sql_setting_history_list_rows rows;
    struct setting_change *changes;

    if (sql_setting_history_count(d->svc.db, req, &all, &count, err) < 0 ||
        sql_setting_history_list(d->svc.db, req, &page, &rows, err) < 0)
        return -1;
    changes = arena_calloc(req->arena, rows.count, sizeof(*changes));
    for (size_t i = 0; i < rows.count; i++) {
        changes[i] = *rows.items[i].change;
        changes[i].who = reference_of(req->arena, rows.items[i].profile, rows.items[i].display);
    }
    out->total = count.total;
    out->resources = (struct field_list){changes, rows.count};
    return 0;
}

/* Trims a page of projects, in rotation. A page that runs out of time continues in the next run. */
int history_trim(void *daemon, const struct request *req, struct error *err)
{
    struct settingsd *d = daemon;
    const struct settingsd_config *config = d->svc.config;
    const struct uuid first = {UUID_NIL};
    struct sql_setting_history_trim_in trim = {
        .project = uuid_is_set(&d->trimmed_project) ? d->trimmed_project : first,
        .keep = MAX(config->history_keep, KEEP_LEAST),
        .most = TRIM_ROWS};
    struct sql_setting_history_trim_row last;
    int trimmed;

    if (config->history_keep == 0)
        return 0;
    do {
        trimmed = sql_setting_history_trim(d->svc.db, req, &trim, &last, err);
    } while (trimmed > 0 && last.deleted == TRIM_ROWS && !d->svc.stopping);
    if (trimmed < 0)
        return -1;
    d->trimmed_project = trimmed > 0 ? last.project : first;
    return 0;
}

static int blank_names(void *daemon, const struct request *req, const struct membership_ref *place,
                       struct uuid account, struct error *err)
{
    struct settingsd *d = daemon;
    const struct sql_setting_history_blank_in in = {
        .project = place->project,
        .profile = place->profile,
        .most = BLANK_PAGE,
        .erasure = {.account = account},
        .audit = audit_row(req, &(struct audit){.action = "history.erase",
                                                .project = place->project,
                                                .account = account,
                                                .type = "Project",
                                                .id = place->project})};

    return sql_setting_history_blank(d->svc.db, req, &in, err);
}

static const struct erasure_work names = {"setting_history", BLANK_PAGE, blank_names};

int account_wipe(struct settingsd *d, const struct request *req, const struct account_wipe_in *in,
                 struct nothing *out UNUSED, struct error *err)
{
    return erasure_carry_out(&d->svc, req, in, &names, err);
}

int account_erased(struct settingsd *d, const struct request *req,
                   const struct account_erased_in *in, struct account_erased_out *out,
                   struct error *err)
{
    return erasure_read(&d->svc, req, in, out, err);
}
