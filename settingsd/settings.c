/*
 * settings.c - a project's settings, and its default patient policy.
 *
 * Each write reads the project and checks the new value against it. One statement stores the value
 * if the project still has the version that was read.
 */
#include <string.h>

#include "common/domain/etag.h"
#include "common/domain/policy.h"
#include "settingsd/policy_api.h"
#include "settingsd/setting_api.h"
#include "settingsd/setting_names.h"
#include "settingsd/settingsd.h"
#include "settingsd/sql/policy.h"
#include "settingsd/sql/setting.h"

static struct settings_record record_of(const struct sql_settings_row *row)
{
    struct settings_record record = *row->record;

    record.settings = row->settings;
    return record;
}

static int record_read(struct settingsd *d, const struct request *req, struct uuid project,
                       struct settings_record *out, int64_t *ret_version, struct error *err)
{
    const struct sql_settings_get_in get = {.project = project};
    struct sql_settings_row row;

    if (sql_require(sql_settings_get(d->svc.db, req, &get, &row, err), err, ERR_NOT_FOUND,
                    "Project not found.") < 0)
        return -1;
    *out = record_of(&row);
    *ret_version = row.version;
    return 0;
}

static int invalid_value(struct error *err, const char *path, const char *why)
{
    error_set(err, ERR_INVALID_SETTING_VALUE, "The value is not valid for this setting.");
    return error_problem(err, path, "%s", why);
}

/* Reads the state for a write's checks. Fails if the client's If-Match names another state. */
static int write_begin(struct settingsd *d, const struct request *req, struct uuid project,
                       const char *if_match, struct settings_record *out, int64_t *ret_version,
                       struct error *err)
{
    if (record_read(d, req, project, out, ret_version, err) < 0)
        return -1;
    return etag_admits(if_match, out->etag) ? 0 : project_require_unchanged(0, err);
}

/* Stores a switch or text (or neither: unsets) if the project has the version that was read.
 * Returns 0 once the change is in force everywhere. */
static int write_store(struct settingsd *d, const struct request *req, struct uuid project,
                       int64_t version, const char *name, enum tristate on, const char *text,
                       struct settings_record *out, struct error *err)
{
    const struct sql_setting_write_in write = {
        .project = project,
        .version = version,
        .name = name,
        .enabled = on,
        .value = text,
        .history = history_of(req),
        .outbox = publish_change_row(d, req, "project", project),
        .audit = project_audit(req, "setting.write", project, name)};
    struct sql_settings_row row;

    if (project_require_unchanged(sql_setting_write(d->svc.db, req, &write, &row, err), err) < 0)
        return -1;
    *out = record_of(&row);
    return publish_change(d, req, &write.outbox, "project", project, err);
}

/* Checks that "AccessPolicy/<id>" belongs to the project, and writes it in canonical form. */
static int check_policy(struct settingsd *d, const struct request *req, struct uuid project,
                        const char **value, struct error *err)
{
    struct sql_access_policy_get_in get = {.project = project};
    struct access_policy policy;
    int found;

    if (policy_reference(*value, &get.id) < 0)
        return invalid_value(err, "value", "must be AccessPolicy/<id>");
    found = sql_access_policy_get(d->svc.db, req, &get, &policy, err);
    if (found <= 0)
        return found < 0
                   ? -1
                   : invalid_value(err, "value", "must name an access policy of this project");
    *value = arena_printf(req->arena, POLICY_REFERENCE_PREFIX "%s", get.id.text);
    return 0;
}

/* Writes a text setting, or unsets it if `value` is "". */
static int write_text(struct settingsd *d, const struct request *req, const char *name,
                      const char *value, const char *if_match, struct settings_record *out,
                      struct error *err)
{
    struct uuid project = request_project(req);
    const struct setting *setting = setting_find(name);
    struct settings_record before = {0};
    int64_t version;

    if (!setting || setting->kind == SETTING_SWITCH)
        return error_set(err, ERR_NOT_FOUND, "Setting not found.");
    if (write_begin(d, req, project, if_match, &before, &version, err) < 0)
        return -1;
    if (value[0] == '\0')
        value = NULL;
    else if (setting->kind == SETTING_URL && !setting_is_url(value))
        return invalid_value(err, "value", "must be an absolute http or https URL");
    else if (setting->kind == SETTING_POLICY && check_policy(d, req, project, &value, err) < 0)
        return -1;
    return write_store(d, req, project, version, setting->name, TRISTATE_UNSET, value, out, err);
}

int settings_get(struct settingsd *d, const struct request *req, const struct nothing *in UNUSED,
                 struct settings_record *out, struct error *err)
{
    int64_t version;

    return record_read(d, req, request_project(req), out, &version, err);
}

/* Writes a switch. INVALID_SETTING_VALUE also for open practitioner registration without a default
 * practitioner policy. */
int setting_switch(struct settingsd *d, const struct request *req,
                   const struct setting_switch_in *in, struct settings_record *out,
                   struct error *err)
{
    struct uuid project = request_project(req);
    const struct setting *setting = setting_find(in->name);
    struct settings_record before = {0};
    int64_t version;

    if (!setting || setting->kind != SETTING_SWITCH)
        return error_set(err, ERR_NOT_FOUND, "Setting not found.");
    if (write_begin(d, req, project, in->ifMatch, &before, &version, err) < 0)
        return -1;
    if (in->enabled && strcmp(setting->name, "PRACTITIONER_REGISTRATION_ENABLED") == 0 &&
        !before.settings->DEFAULT_PRACTITIONER_ACCESS_POLICY)
        return invalid_value(err, "enabled", "needs DEFAULT_PRACTITIONER_ACCESS_POLICY first");
    return write_store(d, req, project, version, setting->name,
                       in->enabled ? TRISTATE_TRUE : TRISTATE_FALSE, NULL, out, err);
}

/* Writes or, with an empty value, unsets a text setting. */
int setting_value(struct settingsd *d, const struct request *req, const struct setting_value_in *in,
                  struct settings_record *out, struct error *err)
{
    const struct setting *setting = setting_find(in->name);

    if (setting && setting->hidden)
        return error_set(err, ERR_NOT_FOUND, "Setting not found.");
    return write_text(d, req, in->name, in->value, in->ifMatch, out, err);
}

/* Sets or unsets the access policy of patients who register. */
int default_policy(struct settingsd *d, const struct request *req,
                   const struct default_policy_in *in, struct settings_record *out,
                   struct error *err)
{
    return write_text(d, req, SETTING_DEFAULT_PATIENT_POLICY, in->value, in->ifMatch, out, err);
}
