/*
 * history.c - who changed which setting of a project, and when.
 *
 * The rows are written by the statements that change something, in one with the change.
 */
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"

struct history_writer history_writer(const struct request *req)
{
    const struct caller *caller = req->caller;

    if (!caller)
        return (struct history_writer){.display = NULL};
    return (struct history_writer){caller->membership, caller->profile, caller->display};
}

/* Whoever changes settings is a practitioner: the routes admit nobody else. */
static const struct reference *reference_of(struct arena *arena, struct uuid profile,
                                            const char *display)
{
    struct reference *who;

    if (!uuid_is_set(&profile))
        return NULL;
    who = arena_alloc(arena, sizeof(*who));
    who->reference = arena_printf(arena, "Practitioner/%s", profile.text);
    who->display = arena_strdup(arena, display);
    return who;
}

/* ---- handlers ---- */

/* Changes of the caller's project, newest first. */
int settings_history(struct settingsd *d, const struct request *req,
                     const struct settings_history_in *in, struct settings_history *out,
                     struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *count = NULL, *res = NULL;
    struct uuid project = req->caller->project;
    struct setting_change *changes;

    if (db_query(d->svc.db, req, SQL_SETTING_HISTORY_COUNT, &count, err, DB_UUID(project)) < 0 ||
        db_query(d->svc.db, req, SQL_SETTING_HISTORY, &res, err, DB_UUID(project),
                 DB_INT(in->_count), DB_INT(in->_offset)) < 0)
        return -1;
    changes = arena_calloc(req->arena, db_rows(res), sizeof(*changes));
    for (size_t i = 0; i < db_rows(res); i++) {
        db_row(res, i, &setting_change_table, req->arena, &changes[i]);
        changes[i].who = reference_of(req->arena, db_uuid(res, i, 4),
                                      db_is_null(res, i, 5) ? NULL : db_text(res, i, 5));
    }
    out->total = db_int(count, 0, 0);
    out->resources = (struct field_list){changes, db_rows(res)};
    return 0;
}
