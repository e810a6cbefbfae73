/*
 * history.c - who changed which setting of a project, and when.
 *
 * The rows are written by the statements that change something, in one with the change.
 */
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/sql/setting.h"

struct sql_history history_of(const struct request *req)
{
    const struct caller *caller = req->caller;

    if (!caller)
        return (struct sql_history){.at = req->now_ms};
    return (struct sql_history){.at = req->now_ms,
                                .membership = caller->membership,
                                .profile = caller->profile,
                                .display = caller->display};
}

/* Only a practitioner can change settings: the routes refuse all others. */
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

/* ---- handlers ---- */

/* Changes of the caller's project, newest first. */
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
