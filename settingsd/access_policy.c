/*
 * access_policy.c - a project's access policies for documents, bots and content.
 */
#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/domain/etag.h"
#include "common/service/list_write.h"
#include "settingsd/access_policy_check.h"
#include "settingsd/policy_api.h"
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/sql/policy.h"
#include "settingsd/sql/project.h"

static const struct list_rule policies_rule = {
    LIST_LIMIT("access policies"), &sql_project_lock_statement, &sql_access_policy_size_statement};

static int require_policy(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Access policy not found.");
}

static int in_use(struct error *err)
{
    return error_set(err, ERR_CONFLICT,
                     "The access policy is in use. Remove it from members and settings first.");
}

static struct sql_audit policy_audit(const struct request *req, const char *action,
                                     struct uuid project, struct uuid policy)
{
    return audit_row(
        req, &(struct audit){
                 .action = action, .project = project, .type = "AccessPolicy", .id = policy});
}

static int policy_insert(struct settingsd *d, const struct request *req,
                         const struct access_policy_in *in, struct access_policy *out,
                         struct error *err)
{
    struct uuid project = request_project(req);
    CLEANUP(list_write_end)
    struct list_write write = {.rule = &policies_rule, .project = project};
    struct uuid id = uuid_random();
    const struct sql_access_policy_insert_in insert = {.project = project,
                                                       .id = id,
                                                       .name = in->name,
                                                       .resource = in->resource,
                                                       .ip_access_rule = in->ipAccessRule,
                                                       .now = req->now_ms,
                                                       .audit = policy_audit(req, "policy.create",
                                                                             project, id)};

    if (list_write_begin(&write, d->svc.db, req, err) < 0 ||
        sql_require(sql_access_policy_insert(write.tx, req, &insert, out, err), err, ERR_NOT_FOUND,
                    "Project not found.") < 0)
        return -1;
    return list_write_commit(&write, req, err);
}

static int policy_read(struct settingsd *d, const struct request *req, struct uuid id,
                       struct access_policy *out, struct error *err)
{
    const struct sql_access_policy_get_in get = {.project = request_project(req), .id = id};

    return require_policy(sql_access_policy_get(d->svc.db, req, &get, out, err), err);
}

/* Returns after every gateway has dropped the old rules. */
static int policy_update(struct settingsd *d, const struct request *req,
                         const struct access_policy_in *in, struct access_policy *out,
                         struct error *err)
{
    struct uuid project = request_project(req);
    CLEANUP(list_write_end)
    struct list_write write = {.rule = &policies_rule, .project = project};
    struct sql_access_policy_update_in update = {
        .project = project,
        .id = in->id,
        .name = in->name,
        .resource = in->resource,
        .ip_access_rule = in->ipAccessRule,
        .now = req->now_ms,
        .outbox = publish_change_row(d, req, "policy", in->id),
        .audit = policy_audit(req, "policy.replace", project, in->id)};
    int rows;

    if ((in->ifMatch &&
         (policy_read(d, req, in->id, out, err) < 0 ||
          etag_bind(in->ifMatch, out->etag, "access policy", &update.etag, err) < 0)) ||
        list_write_begin(&write, d->svc.db, req, err) < 0)
        return -1;
    rows = sql_access_policy_update(write.tx, req, &update, out, err);
    if (rows == 0 && update.etag)
        return etag_lost("access policy", err);
    if (require_policy(rows, err) < 0 || list_write_commit(&write, req, err) < 0)
        return -1;
    return publish_change(d, req, &update.outbox, "policy", in->id, err);
}

/* Inserts a policy if in->id is not set. */
static int policy_put(struct settingsd *d, const struct request *req,
                      const struct access_policy_in *in, struct access_policy *out,
                      struct error *err)
{
    struct access_policy_in checked = *in;

    if (access_policy_check(req->arena, &checked.resource, &checked.ipAccessRule, err) < 0)
        return -1;
    if (!uuid_is_set(&in->id))
        return policy_insert(d, req, &checked, out, err);
    return policy_update(d, req, &checked, out, err);
}

int access_policies(struct settingsd *d, const struct request *req, const struct nothing *in UNUSED,
                    struct access_policy_list *out, struct error *err)
{
    const struct sql_access_policy_list_in list = {.project = request_project(req),
                                                   .most = LIST_SIZE_MAX};

    return sql_access_policy_list(d->svc.db, req, &list, &out->resources, err) < 0 ? -1 : 0;
}

int access_policy_create(struct settingsd *d, const struct request *req,
                         const struct access_policy_in *in, struct access_policy *out,
                         struct error *err)
{
    struct access_policy_in made = *in;

    made.id = (struct uuid){""};
    return policy_put(d, req, &made, out, err);
}

int access_policy_get(struct settingsd *d, const struct request *req, const struct id_in *in,
                      struct access_policy *out, struct error *err)
{
    return policy_read(d, req, in->id, out, err);
}

int access_policy_replace(struct settingsd *d, const struct request *req,
                          const struct access_policy_in *in, struct access_policy *out,
                          struct error *err)
{
    return policy_put(d, req, in, out, err);
}

/* Deletes a policy. CONFLICT also means that the project changed meanwhile: perhaps this policy
 * became its default. */
int access_policy_delete(struct settingsd *d, const struct request *req, const struct id_in *in,
                         struct nothing *out UNUSED, struct error *err)
{
    struct uuid project = request_project(req);
    const struct policy_in_use_in use = {.projectId = project, .policyId = in->id};
    const struct sql_access_policy_get_use_in get = {.project = project, .id = in->id};
    struct sql_access_policy_delete_in delete = {.project = project,
                                                 .id = in->id,
                                                 .audit = policy_audit(req, "policy.delete",
                                                                       project, in->id)};
    struct sql_access_policy_get_use_row read;
    struct policy_in_use_out used = {0};

    if (require_policy(sql_access_policy_get_use(d->svc.db, req, &get, &read, err), err) < 0)
        return -1;
    if (read.is_default)
        return in_use(err);
    if (authd_policy_in_use(d->svc.bus, req, &use, &used, err) < 0)
        return -1;
    if (used.inUse)
        return in_use(err);
    delete.version = read.version;
    return project_require_unchanged(sql_access_policy_delete(d->svc.db, req, &delete, err), err);
}
