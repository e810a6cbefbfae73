/*
 * account_policy.c - what a project asks of its accounts: length of passwords, proven addresses,
 * second factors, quotas.
 *
 * The project's row holds the members that were written, the others have their default.  A write
 * succeeds only if the project still has the version that was read, and is announced like every
 * change of a project: sign-in and gateways ask for the policy with the project.
 */
#include <jansson.h>
#include <string.h>

#include "common/wire/codec.h"
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"

const char account_policy_strict[] =
    "{\"passwordMinLength\":15,\"passwordMinLengthWithMfa\":8,\"refuseCommonPasswords\":true,"
    "\"requireVerifiedEmail\":true,\"requireMfa\":\"admins\"}";

static void merge_int(int64_t *member, int64_t written)
{
    if (written >= 0)
        *member = written;
}

static void merge_bool(bool *member, enum tristate written)
{
    if (written != TRISTATE_UNSET)
        *member = written == TRISTATE_TRUE;
}

static void policy_merge(struct account_policy *self, const struct account_policy_in *in)
{
    merge_int(&self->passwordMinLength, in->passwordMinLength);
    merge_int(&self->passwordMinLengthWithMfa, in->passwordMinLengthWithMfa);
    merge_bool(&self->refuseCommonPasswords, in->refuseCommonPasswords);
    merge_bool(&self->requireVerifiedEmail, in->requireVerifiedEmail);
    if (in->requireMfa)
        self->requireMfa = in->requireMfa;
    merge_int(&self->documentsPerAccount, in->documentsPerAccount);
    merge_int(&self->bytesPerAccount, in->bytesPerAccount);
    merge_int(&self->bytesPerProject, in->bytesPerProject);
}

/* The stored members over the defaults. What does not fit the table was not written by this program
 * and counts as absent. */
static void policy_from_json(const char *text, struct arena *arena, struct account_policy *out)
{
    struct account_policy_in in;
    struct error ignored;
    json_t *json;

    *out = account_policy_default;
    error_init(&ignored, arena);
    json = codec_parse_json(text, strlen(text), true, &ignored);
    if (!json)
        return;
    /* On failure the members that are wrong are left as absent ones. */
    (void)!fields_read(&account_policy_in_table, &(struct field_source){.body = json}, arena, &in,
                       &ignored);
    policy_merge(out, &in);
    json_decref(json);
}

const struct account_policy *account_policy_column(const struct db_result *res, size_t row,
                                                   struct arena *arena)
{
    struct account_policy *policy;

    if (db_is_null(res, row, 0))
        return NULL;
    policy = arena_alloc(arena, sizeof(*policy));
    policy_from_json(db_text(res, row, 0), arena, policy);
    return policy;
}

/* Reads a row of SQL_ACCOUNT_POLICY_GET or _WRITE. */
static void policy_from_row(const struct db_result *res, struct arena *arena,
                            struct account_policy *out)
{
    const struct account_policy *stored = account_policy_column(res, 0, arena);

    *out = stored ? *stored : account_policy_default;
    out->etag = arena_strdup(arena, db_text(res, 0, 2));
}

static void patch_int(json_t *patch, const char *name, int64_t value)
{
    if (value >= 0)
        json_object_set_new(patch, name, json_integer(value));
}

static void patch_bool(json_t *patch, const char *name, enum tristate value)
{
    if (value != TRISTATE_UNSET)
        json_object_set_new(patch, name, json_boolean(value == TRISTATE_TRUE));
}

/* The members that the input names, as JSON. */
static const char *policy_patch(struct arena *arena, const struct account_policy_in *in)
{
    json_t *patch = json_object();
    const char *text;

    patch_int(patch, "passwordMinLength", in->passwordMinLength);
    patch_int(patch, "passwordMinLengthWithMfa", in->passwordMinLengthWithMfa);
    patch_bool(patch, "refuseCommonPasswords", in->refuseCommonPasswords);
    patch_bool(patch, "requireVerifiedEmail", in->requireVerifiedEmail);
    if (in->requireMfa)
        json_object_set_new(patch, "requireMfa", json_string(in->requireMfa));
    patch_int(patch, "documentsPerAccount", in->documentsPerAccount);
    patch_int(patch, "bytesPerAccount", in->bytesPerAccount);
    patch_int(patch, "bytesPerProject", in->bytesPerProject);
    text = codec_dump_json(arena, patch);
    json_decref(patch);
    return text;
}

static int policy_read(struct settingsd *d, const struct request *req, struct uuid project,
                       struct account_policy *out, int64_t *ret_version, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_ACCOUNT_POLICY_GET, &res, err, DB_UUID(project)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_NOT_FOUND, "Project not found.");
    policy_from_row(res, req->arena, out);
    *ret_version = db_int(res, 0, 1);
    return 0;
}

int account_policy_write(struct settingsd *d, const struct request *req, struct uuid project,
                         const struct account_policy_in *in, struct account_policy *out,
                         struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct history_writer writer = history_writer(req);
    struct sql_audit audit = project_audit(req, "account-policy.write", project, NULL);
    struct sql_outbox row;
    int64_t version;

    if (policy_read(d, req, project, out, &version, err) < 0)
        return -1;
    if (!etag_matches(in->ifMatch, out->etag))
        return project_changed(err);
    row = publish_change_row(d, req, "project", project);
    if (db_query(d->svc.db, req, SQL_ACCOUNT_POLICY_WRITE, &res, err, DB_UUID(project),
                 DB_INT(version), DB_TEXT(policy_patch(req->arena, in)), DB_INT(req->now_ms),
                 DB_WRITER(writer), DB_OUTBOX(row), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return project_changed(err);
    policy_from_row(res, req->arena, out);
    return publish_change(d, req, &row, "project", project, err);
}

/* ---- handlers ---- */

/* The policy of the caller's project. */
int account_policy_get(struct settingsd *d, const struct request *req,
                       const struct nothing *in UNUSED, struct account_policy *out,
                       struct error *err)
{
    int64_t version;

    return policy_read(d, req, req->caller->project, out, &version, err);
}

/* Writes the members that the input names. Fails: CONFLICT (lost the race), UNCERTAIN. */
int account_policy_put(struct settingsd *d, const struct request *req,
                       const struct account_policy_in *in, struct account_policy *out,
                       struct error *err)
{
    return account_policy_write(d, req, req->caller->project, in, out, err);
}
