/* project.c - creates, finds and suspends projects. */
#include "authd/authd_api.h"

#include <string.h>

#include "authd/operation_api.h"
#include "common/base/clock.h"
#include "common/service/sql/hold.h"
#include "settingsd/project_api.h"
#include "settingsd/settingsd.h"
#include "settingsd/sql/project.h"
#include "settingsd/tenant_api.h"
#include "settingsd/tenant_code.h"

enum {
    CODE_ATTEMPTS = 5,
    CHILDREN_PER_HOUR = 30,           /* per account */
    TREE_MAX = CHANGE_OTHERS_MAX + 1, /* announced together; maximum of projects_per_root */
};
static_assert((int)TREE_MAX == (int)PROJECT_TREE_MAX,
              "the answer of project_tree has room for them");

/* A child project starts closed; its admin opens it. */
static const char child_settings[] =
    "{\"PATIENT_REGISTRATION_ENABLED\":false,\"PRACTITIONER_REGISTRATION_ENABLED\":false}";

struct project {
    struct uuid id, parent;
    const char *name;
    const char *settings;           /* JSON object */
    const char *account_policy;     /* JSON object or NULL */
    const struct sql_outbox *grant; /* written with the project, or NULL */
    struct uuid root, maker;        /* for a child: top of its tree, account that creates it */
};

static int require_tenant(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Tenant not found.");
}

struct tenant tenant_of(struct arena *arena, const struct sql_tenant_row *row)
{
    struct tenant whole = *row->tenant;

    whole.accountPolicy = account_policy_from_json(arena, row->account_policy);
    return whole;
}

static struct field_list tenants(struct arena *arena, const struct sql_tenant_rows *rows)
{
    struct tenant *items = arena_calloc(arena, rows->count, sizeof(*items));

    for (size_t i = 0; i < rows->count; i++)
        items[i] = tenant_of(arena, &rows->items[i]);
    return (struct field_list){items, rows->count};
}

static int project_by_code(struct settingsd *d, const struct request *req, const char *code,
                           bool branding, struct tenant *out, struct error *err)
{
    const struct sql_tenant_find_by_code_in find = {.code = code, .branding = branding};
    struct sql_tenant_find_by_code_row row;

    if (require_tenant(sql_tenant_find_by_code(d->svc.db, req, &find, &row, err), err) < 0)
        return -1;
    *out = tenant_of(req->arena, &row.project);
    out->branding = branding_from_json(req->arena, row.branding_json);
    return 0;
}

int project_find(struct settingsd *d, const struct request *req, const char *text,
                 struct tenant *out, struct error *err)
{
    const struct tenant_lookup_in which = tenant_lookup_from_text(text);

    return tenant_lookup(d, req, &which, out, err);
}

int project_find_writable(struct settingsd *d, const struct request *req, const char *text,
                          struct tenant *out, struct error *err)
{
    if (project_find(d, req, text, out, err) < 0)
        return -1;
    return out->deleting ? error_set(err, ERR_CONFLICT, "The project is being deleted.") : 0;
}

int project_id_of(void *daemon, const struct request *req, const char *name, struct uuid *ret,
                  struct error *err)
{
    struct settingsd *d = daemon;
    struct tenant tenant = {0};

    if ((req->safe ? project_find(d, req, name, &tenant, err)
                   : project_find_writable(d, req, name, &tenant, err)) < 0)
        return -1;
    *ret = tenant.projectId;
    return 0;
}

int project_by_id(struct settingsd *d, const struct request *req, struct uuid id,
                  struct tenant *out, struct error *err)
{
    struct sql_tenant_row row;

    if (require_tenant(
            sql_tenant_get(d->svc.db, req, &(struct sql_tenant_get_in){.id = id}, &row, err), err) <
        0)
        return -1;
    *out = tenant_of(req->arena, &row);
    return 0;
}

/* Checks the limits of the locked tree and of the maker. */
static int limits_check(struct settingsd *d, const struct request *req,
                        const struct project *project, struct db_tx *tx, struct error *err)
{
    const struct settingsd_config *config = d->svc.config;
    const struct sql_project_lock_in lock = {.project = project->root};
    const struct sql_project_find_open_in open = {.project = project->parent};
    struct sql_project_find_open_row parent;
    const struct sql_project_count_in count = {.parent = project->parent,
                                               .root = project->root,
                                               .account = project->maker,
                                               .since = req->now_ms - HOURS(1),
                                               .most_children = config->children_per_project,
                                               .most_projects = config->projects_per_root,
                                               .most_made = CHILDREN_PER_HOUR};
    struct sql_project_count_row there;

    if (sql_project_lock(tx, req, &lock, err) < 0 ||
        sql_require(sql_project_find_open(tx, req, &open, &parent, err), err, ERR_FORBIDDEN,
                    "The project is suspended.") < 0)
        return -1;
    if (parent.read_only)
        return refuse_read_only(err);
    if (sql_project_count(tx, req, &count, &there, err) < 0)
        return -1;
    if (there.children >= config->children_per_project)
        return error_set(err, ERR_CONFLICT, "The project has reached its limit of child projects.");
    if (there.projects >= config->projects_per_root)
        return error_set(err, ERR_CONFLICT, "The organization has reached its limit of projects.");
    if (there.made >= CHILDREN_PER_HOUR)
        return error_retry(err, ERR_THROTTLED, (*there.oldest - count.since) / 1000 + 1,
                           "Too many projects. Try again later.");
    return 0;
}

static int project_insert(struct settingsd *d, const struct request *req,
                          const struct project *project, const char *code, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_project_insert_in insert = {
        .id = project->id,
        .parent = project->parent,
        .name = project->name,
        .settings = project->settings,
        .account_policy = project->account_policy,
        .code = code,
        .maker = project->maker,
        .now = req->now_ms,
        .history = history_of(req),
        .outbox = project->grant ? *project->grant : (struct sql_outbox){.method = NULL},
        .audit = project_audit(req, "project.create", project->id, NULL)};

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0)
        return -1;
    if (uuid_is_set(&project->root) && limits_check(d, req, project, tx, err) < 0)
        return -1;
    if (sql_project_insert(tx, req, &insert, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Makes a project; its code comes from the name if none is given. */
static int project_make(struct settingsd *d, const struct request *req,
                        const struct project *project, const char *given,
                        struct project_child_out *out, struct error *err)
{
    for (int attempt = 0; attempt < CODE_ATTEMPTS; attempt++) {
        const char *code =
            given ? given : tenant_code_from_name(req->arena, project->name, attempt > 0);

        error_clear(err);
        if (project_insert(d, req, project, code, err) == 0) {
            *out = (struct project_child_out){project->id, code, project->name};
            return 0;
        }
        if (strcmp(err->constraint, "tenant_code_pkey") != 0)
            return -1;
        if (given)
            return error_set(err, ERR_CONFLICT,
                             "The tenant code is already in use. Choose another one.");
    }
    return error_set(err, ERR_CONFLICT, "No free tenant code was found: please give one.");
}

/* ---- handlers ---- */

/* Creates a child project with the caller as admin. The outbox row of the grant is in the same
 * commit, so no project lacks an admin. UNAVAILABLE: authd is down, nothing was written. UNCERTAIN:
 * authd adds the admin when it is back. */
int project_child(struct settingsd *d, const struct request *req, const struct project_child_in *in,
                  struct project_child_out *out, struct error *err)
{
    struct uuid id = uuid_ordered(req->now_ms);
    struct admin_grant_in grant = {.key = id, .account = req->caller->account, .projectId = id};
    struct sql_outbox row;
    struct project project = {.id = id,
                              .parent = req->caller->project,
                              .name = in->name,
                              .settings = child_settings,
                              .grant = &row,
                              .maker = req->caller->account};
    struct tenant parent = {0};

    if (!bus_has_peer(d->svc.bus, "authd"))
        return error_retry(err, ERR_UNAVAILABLE, 1, "The service is not available.");
    if (project_by_id(d, req, project.parent, &parent, err) < 0)
        return -1;
    project.root = parent.rootId;
    row = outbox_row(d->svc.outbox, req->arena, &authd_admin_grant_method, id, &grant);
    if (project_make(d, req, &project, in->tenantCode, out, err) < 0)
        return -1;
    return publish_row(d, req, &authd_admin_grant_method, &grant, &row,
                       "The project was created. Its admin will be added shortly.", err);
}

static int find_tenant(struct settingsd *d, const struct request *req,
                       const struct tenant_lookup_in *in, struct tenant *out, struct error *err)
{
    if (in->tenantCode && project_by_code(d, req, in->tenantCode, in->branding, out, err) == 0)
        return 0;
    if (in->tenantCode && (err->code != ERR_NOT_FOUND || !uuid_is_set(&in->projectId)))
        return -1;
    error_clear(err);
    return project_by_id(d, req, in->projectId, out, err);
}

/* Finds suspended projects too. Only atriumctl finds a project that is being deleted, so that no
 * daemon writes new rows for it. */
int tenant_lookup(struct settingsd *d, const struct request *req, const struct tenant_lookup_in *in,
                  struct tenant *out, struct error *err)
{
    if (find_tenant(d, req, in, out, err) < 0)
        return -1;
    return require_tenant(!out->deleting || strcmp(req->service, "ctl") == 0, err);
}

/* Returns the tenants of these projects, and skips unknown ids. */
int tenants_of(struct settingsd *d, const struct request *req, const struct tenants_of_in *in,
               struct tenant_list *out, struct error *err)
{
    struct sql_tenant_get_many_in get = {
        .ids = db_array_new(req->arena, in->projectIds.count, sizeof(struct uuid))};
    struct sql_tenant_rows rows;
    struct uuid id;

    for (size_t i = 0; i < in->projectIds.count; i++) {
        if (uuid_parse(in->projectIds.items[i], &id) < 0)
            return error_set(err, ERR_BAD_REQUEST, "A project id is not a uuid.");
        db_array_add(&get.ids, id.text);
    }
    if (sql_tenant_get_many(d->svc.db, req, &get, &rows, err) < 0)
        return -1;
    out->tenants = tenants(req->arena, &rows);
    return 0;
}

int project_create(struct settingsd *d, const struct request *req,
                   const struct project_create_in *in, struct project_child_out *out,
                   struct error *err)
{
    struct project project = {.id = uuid_ordered(req->now_ms),
                              .name = in->name,
                              .settings = "{}",
                              .account_policy = in->strict ? account_policy_strict : NULL};

    if (!in->noCode)
        return project_make(d, req, &project, in->tenantCode, out, err);
    *out = (struct project_child_out){project.id, NULL, project.name};
    return project_insert(d, req, &project, NULL, err);
}

int project_list(struct settingsd *d, const struct request *req, const struct project_list_in *in,
                 struct tenant_list *out, struct error *err)
{
    const struct sql_tenant_list_in list = {.after = in->after, .most = in->count};
    struct sql_tenant_rows rows;

    if (sql_tenant_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    out->tenants = tenants(req->arena, &rows);
    return 0;
}

/* Starts or ends read-only for `below`, the project and those below it. */
static int hold_write(struct db_tx *tx, const struct request *req,
                      const struct project_suspend_in *in, struct uuid project,
                      const struct sql_project_below_rows *below, struct error *err)
{
    const struct sql_hold_remove_in remove = {.holder = project};
    struct sql_hold_add_in add = {.holder = project,
                                  .projects =
                                      db_array_new(req->arena, below->count, sizeof(struct uuid)),
                                  .now = clock_real_ms()};
    struct sql_hold_add_row row;

    if (!in->readOnly)
        return sql_hold_remove(tx, req, &remove, err) < 0 ? -1 : sql_hold_apply(tx, req, err);
    for (size_t i = 0; i < below->count; i++)
        db_array_add(&add.projects, below->items[i].id.text);
    return sql_hold_add(tx, req, &add, &row, err) < 0 ? -1 : sql_hold_apply(tx, req, err);
}

static const char *suspend_action(const struct project_suspend_in *in)
{
    if (in->readOnly)
        return "project.read-only";
    return in->suspended ? "project.suspend" : "project.resume";
}

/* Writes the state and the message for the project and all below it. Ends read-only first, which
 * would reject the change. */
static int suspend_write(struct settingsd *d, const struct request *req,
                         const struct project_suspend_in *in, const struct tenant *tenant,
                         struct change_publish_in *change, struct sql_outbox *row,
                         struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_project_lock_in lock = {.project = tenant->rootId};
    const struct sql_project_below_in tree = {.project = tenant->projectId, .most = TREE_MAX};
    struct sql_project_suspend_in suspend = {.project = tenant->projectId,
                                             .suspended = in->suspended,
                                             .audit = project_audit(req, suspend_action(in),
                                                                    tenant->projectId, NULL)};
    struct sql_project_below_rows below;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_project_lock(tx, req, &lock, err) < 0 ||
        sql_project_below_tx(tx, req, &tree, &below, err) < 0 ||
        hold_write(tx, req, in, tenant->projectId, &below, err) < 0)
        return -1;
    *change = (struct change_publish_in){.kind = "project", .id = tenant->projectId};
    change->others.items = arena_calloc(req->arena, below.count, sizeof(*change->others.items));
    for (size_t i = 1; i < below.count; i++)
        change->others.items[change->others.count++] = below.items[i].id.text;
    *row =
        outbox_row(d->svc.outbox, req->arena, &authd_change_publish_method, uuid_random(), change);
    suspend.outbox = *row;
    if ((in->readOnly
             ? sql_project_hold_publish(
                   tx, req,
                   &(struct sql_project_hold_publish_in){
                       .project = tenant->projectId, .outbox = *row, .audit = suspend.audit},
                   err)
             : sql_project_suspend(tx, req, &suspend, err)) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Suspends a project and all below it, makes them read-only, or ends both, on every gateway. A
 * child's own state stays. CONFLICT: a suspended project cannot become read-only. */
int project_suspend(struct settingsd *d, const struct request *req,
                    const struct project_suspend_in *in, struct tenant *out, struct error *err)
{
    struct change_publish_in change;
    struct sql_outbox row;

    if (project_find_writable(d, req, in->tenantCode, out, err) < 0)
        return -1;
    if (in->readOnly && (in->suspended || out->suspended))
        return error_set(err, ERR_CONFLICT, "The project is suspended. Resume it first.");
    if (suspend_write(d, req, in, out, &change, &row, err) < 0 ||
        publish_row(d, req, &authd_change_publish_method, &change, &row,
                    "The change is stored, but not yet in force everywhere.", err) < 0)
        return -1;
    return project_by_id(d, req, out->projectId, out, err);
}

int project_tree(struct settingsd *d, const struct request *req, const struct tenant_lookup_in *in,
                 struct project_tree_out *out, struct error *err)
{
    struct sql_project_below_in tree = {.most = TREE_MAX};
    struct sql_project_below_rows below;
    struct tenant tenant;

    if (tenant_lookup(d, req, in, &tenant, err) < 0)
        return -1;
    tree.project = tenant.projectId;
    if (sql_project_below(d->svc.db, req, &tree, &below, err) < 0)
        return -1;
    out->projectIds.items = arena_calloc(req->arena, below.count, sizeof(*out->projectIds.items));
    for (size_t i = 0; i < below.count; i++)
        out->projectIds.items[out->projectIds.count++] = below.items[i].id.text;
    return 0;
}
