/*
 * account_policy.c - a project's rules for accounts: password length, verified addresses, second
 * factors, quotas.
 *
 * The project's row holds the members that were set; others have defaults. A write requires the
 * version that was read, and is announced like any change of a project: sign-in and gateways read
 * the policy with the project.
 */
#include <string.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/domain/etag.h"
#include "common/wire/codec.h"
#include "settingsd/policy_api.h"
#include "settingsd/settingsd.h"
#include "settingsd/sql/setting.h"

const char account_policy_strict[] =
    "{\"passwordMinLength\":15,\"passwordMinLengthWithMfa\":8,\"refuseCommonPasswords\":true,"
    "\"onSignIn\":\"mail\",\"requireVerifiedEmail\":true,\"requireMfa\":\"admins\"}";

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
    if (in->onSignIn)
        self->onSignIn = in->onSignIn;
    if (in->requireMfa)
        self->requireMfa = in->requireMfa;
    merge_bool(&self->mailCode, in->mailCode);
    merge_int(&self->documentsPerAccount, in->documentsPerAccount);
    merge_int(&self->bytesPerAccount, in->bytesPerAccount);
    merge_int(&self->bytesPerProject, in->bytesPerProject);
}

/* Overlays the defaults with the stored members that fit the table. */
static void policy_read_json(const char *text, struct arena *arena, struct account_policy *out)
{
    struct account_policy_in in;
    struct error ignored;
    json_auto_t *json = NULL;

    *out = account_policy_default;
    error_init(&ignored, arena);
    json = codec_parse_json(text, strlen(text), true, &ignored);
    if (!json)
        return;
    /* Invalid members stay absent. */
    (void)!fields_read(&account_policy_in_table, &(struct field_source){.body = json}, arena, &in,
                       &ignored);
    policy_merge(out, &in);
}

const struct account_policy *account_policy_from_json(struct arena *arena, const char *json)
{
    struct account_policy *policy;

    if (!json)
        return NULL;
    policy = arena_alloc(arena, sizeof(*policy));
    policy_read_json(json, arena, policy);
    return policy;
}

/* `json` is NULL if not set. */
static struct account_policy policy_of(struct arena *arena, const char *json, const char *etag)
{
    const struct account_policy *stored = account_policy_from_json(arena, json);
    struct account_policy policy = stored ? *stored : account_policy_default;

    policy.etag = etag;
    return policy;
}

static const char *policy_patch(struct arena *arena, const struct account_policy_in *in)
{
    struct account_policy_in members = *in;

    members.ifMatch = NULL;
    return fields_text(&account_policy_in_table, &members, arena);
}

static int policy_read(struct settingsd *d, const struct request *req, struct uuid project,
                       struct account_policy *out, int64_t *ret_version, struct error *err)
{
    const struct sql_account_policy_get_in get = {.project = project};
    struct sql_account_policy_get_row row;

    if (sql_require(sql_account_policy_get(d->svc.db, req, &get, &row, err), err, ERR_NOT_FOUND,
                    "Project not found.") < 0)
        return -1;
    *out = policy_of(req->arena, row.account_policy, row.etag);
    *ret_version = row.version;
    return 0;
}

static bool demands_more(const struct account_policy *self, const struct account_policy *before)
{
    for (int admin = 0; admin < 2; admin++) {
        if (account_policy_requires_mfa(self, ROLE_PRACTITIONER, admin) &&
            !account_policy_requires_mfa(before, ROLE_PRACTITIONER, admin))
            return true;
    }
    return false;
}

/* Rejects required second factors while the project has people who cannot set one up here. For
 * those who become such a person later, an operator runs `atriumctl account reset-mfa`. */
static int check_mfa(struct settingsd *d, const struct request *req, struct uuid project,
                     const struct account_policy_in *in, const struct account_policy *before,
                     struct error *err)
{
    const struct shared_people_in which = {project};
    struct account_policy after = *before;
    struct shared_people_out found = {0};

    policy_merge(&after, in);
    if (!demands_more(&after, before))
        return 0;
    if (authd_shared_people(d->svc.bus, req, &which, &found, err) < 0)
        return -1;
    if (found.people == 0)
        return 0;
    return error_set(err, ERR_CONFLICT,
                     "requireMfa: practitioners of the project who are in several organizations "
                     "(%lld) cannot set up a second factor, because this installation has no "
                     "account pages (public_url).",
                     (long long)found.people);
}

int account_policy_get(struct settingsd *d, const struct request *req,
                       const struct nothing *in UNUSED, struct account_policy *out,
                       struct error *err)
{
    int64_t version;

    return policy_read(d, req, request_project(req), out, &version, err);
}

int account_policy_put(struct settingsd *d, const struct request *req,
                       const struct account_policy_in *in, struct account_policy *out,
                       struct error *err)
{
    struct uuid project = request_project(req);
    struct sql_account_policy_write_in write = {
        .project = project,
        .members = policy_patch(req->arena, in),
        .history = history_of(req),
        .outbox = publish_change_row(d, req, "project", project),
        .audit = project_audit(req, "account-policy.write", project, NULL)};
    struct sql_account_policy_write_row row;

    if (policy_read(d, req, project, out, &write.version, err) < 0)
        return -1;
    if (!etag_admits(in->ifMatch, out->etag))
        return project_require_unchanged(0, err);
    if (check_mfa(d, req, project, in, out, err) < 0)
        return -1;
    if (project_require_unchanged(sql_account_policy_write(d->svc.db, req, &write, &row, err),
                                  err) < 0)
        return -1;
    *out = policy_of(req->arena, row.account_policy, row.etag);
    return publish_change(d, req, &write.outbox, "project", project, err);
}
