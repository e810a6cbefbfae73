/*
 * scim_group.c - groups of a project's directory (RFC 7643, section 4.2), and the access policies
 * of their members. Handlers: scim_groups, scim_group_create, scim_group_show, scim_group_replace,
 * scim_group_patch, scim_group_delete, scim_sent_groups, scim_mappings, scim_mappings_write,
 * scim_mappings_preview.
 *
 * A member gets the policy of the first mapping that has one of their groups, or else the default;
 * never admin rights. Without mappings, groups change nothing.
 */
#include <string.h>
#include <strings.h>

#include "authd/federation/scim.h"
#include "authd/federation/scim_api.h"
#include "authd/federation/scim_patch.h"
#include "authd/session/session.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/scim.h"
#include "authd/tenant.h"
#include "common/base/clock.h"
#include "common/domain/endpoint.h"
#include "common/service/audit.h"

enum {
    MEMBERS_MAX = 10000, /* per group, so that its answer fits */
    TEXT_MAX = 256,      /* bytes of displayName and externalId */
    APPLY_MAX = 500,     /* members whose policies one transaction changes */
};

struct wanted {
    struct uuid id;
    const char *display_name, *external_id;
};

/* ---- policies ---- */

static int apply_some(struct authd *d, const struct request *req, const struct tenant *tenant,
                      const struct db_array *users, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_scim_policy_apply_in apply = {
        .project = tenant->projectId,
        .users = *users,
        .default_policy = tenant->defaultPractitionerPolicy,
        .audit = audit_row(req, &(struct audit){.action = "membership.update",
                                                .role = ROLE_PRACTITIONER,
                                                .detail = "policy"})};
    struct session_ended changed = {.count = 0};
    struct sql_scim_policy_apply_rows rows;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_scim_policy_apply(tx, req, &apply, &rows, err) < 0)
        return -1;
    if (rows.count == 0)
        return 0;
    /* One change that concerns all is cheaper for gateways than many. */
    if ((rows.count == 1 ? session_ended_membership(tx, req, rows.items[0].id, &changed, err)
                         : session_ended_project(tx, req, tenant->projectId, &changed, err)) < 0 ||
        db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &changed, err);
}

/* Gives these users their policies, if there are mappings or there were. */
static int apply(struct authd *d, const struct request *req, const struct tenant *tenant,
                 const struct uuid *users, size_t count, struct error *err)
{
    if (!uuid_is_set(&tenant->defaultPractitionerPolicy))
        return 0;
    for (size_t i = 0; i < count; i += APPLY_MAX) {
        size_t end = MIN(i + APPLY_MAX, count);
        struct db_array some = db_array_new(req->arena, end - i, sizeof(users->text));

        for (size_t k = i; k < end; k++)
            db_array_add(&some, users[k].text);
        if (apply_some(d, req, tenant, &some, err) < 0)
            return -1;
    }
    return 0;
}

static int has_mappings(struct authd *d, const struct request *req, struct uuid project, bool *ret,
                        struct error *err)
{
    const struct sql_scim_mapping_list_in list = {.project = project};
    struct field_list mappings;

    if (sql_scim_mapping_list(d->svc.db, req, &list, &mappings, err) < 0)
        return -1;
    *ret = mappings.count > 0;
    return 0;
}

int scim_mappings(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                  struct scim_mapping_list *out, struct error *err)
{
    const struct sql_scim_mapping_list_in list = {.project = req->caller->project};

    return MIN(sql_scim_mapping_list(d->svc.db, req, &list, &out->resources, err), 0);
}

static int read_mappings(struct authd *d, const struct request *req,
                         const struct scim_mapping_list *in, struct sql_scim_mapping_set_in *ret,
                         struct error *err)
{
    const struct scim_mapping *items = in->resources.items;
    struct uuid policy;

    ret->groups = db_array_new(req->arena, in->resources.count, 4 * TEXT_MAX);
    ret->policies = db_array_new(req->arena, in->resources.count, sizeof(policy.text));
    for (size_t i = 0; i < in->resources.count; i++) {
        if (tenant_policy_of(d, req, ret->project, items[i].accessPolicy, &policy, err) < 0)
            return -1;
        db_array_add(&ret->groups, items[i].group);
        db_array_add(&ret->policies, policy.text);
    }
    return 0;
}

/* Every member of a group can get another policy. */
static int apply_all(struct authd *d, const struct request *req, const struct tenant *tenant,
                     struct error *err)
{
    struct sql_scim_grouped_list_in list = {
        .project = tenant->projectId, .after = {UUID_NIL}, .most = APPLY_MAX};
    struct sql_scim_grouped_list_rows rows;

    do {
        struct uuid *users;

        if (sql_scim_grouped_list(d->svc.db, req, &list, &rows, err) < 0)
            return -1;
        users = arena_calloc(req->arena, rows.count, sizeof(*users));
        for (size_t i = 0; i < rows.count; i++)
            users[i] = rows.items[i].id;
        if (apply(d, req, tenant, users, rows.count, err) < 0)
            return -1;
        if (rows.count > 0)
            list.after = rows.items[rows.count - 1].id;
    } while (rows.count == APPLY_MAX);
    return 0;
}

int scim_mappings_write(struct authd *d, const struct request *req,
                        const struct scim_mapping_list *in, struct scim_mapping_list *out,
                        struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_scim_mapping_set_in set = {
        .project = req->caller->project,
        .audit = audit_row(req, &(struct audit){.action = "scim.mapping-write"})};
    struct tenant tenant;

    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0 ||
        read_mappings(d, req, in, &set, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_scim_mapping_set(tx, req, &set, err) < 0 || step_up_check(d, tx, req, err) < 0 ||
        db_commit(&tx, err) < 0 || apply_all(d, req, &tenant, err) < 0)
        return -1;
    return scim_mappings(d, req, NULL, out, err);
}

/* As apply_all() would change it. */
int scim_mappings_preview(struct authd *d, const struct request *req,
                          const struct scim_mapping_list *in, struct scim_preview *out,
                          struct error *err)
{
    struct sql_scim_mapping_set_in set = {.project = req->caller->project};
    struct sql_scim_mapping_preview_in preview = {.project = set.project};
    struct tenant tenant;

    if (tenant_open_id(d, req, set.project, &tenant, err) < 0 ||
        read_mappings(d, req, in, &set, err) < 0)
        return -1;
    if (!uuid_is_set(&tenant.defaultPractitionerPolicy))
        return 0;
    preview.groups = set.groups;
    preview.policies = set.policies;
    preview.default_policy = tenant.defaultPractitionerPolicy;
    return MIN(sql_scim_mapping_preview(d->svc.db, req, &preview, &out->resources, err), 0);
}

int scim_sent_groups(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                     struct scim_sent_group_list *out, struct error *err)
{
    const struct sql_scim_sent_group_list_in list = {.project = req->caller->project};

    return MIN(sql_scim_sent_group_list(d->svc.db, req, &list, &out->resources, err), 0);
}

/* ---- showing ---- */

static int find(const struct scim *self, struct sql_scim_group_row *ret, struct error *err)
{
    struct sql_scim_group_get_in get = {.project = self->tenant.projectId};
    int found;

    if (uuid_parse(self->in->id, &get.id) < 0)
        return scim_not_found(err);
    found = sql_scim_group_get(self->d->svc.db, &self->req, &get, ret, err);
    return found > 0 ? 0 : found < 0 ? -1 : scim_not_found(err);
}

/* Directories leave members out of lists, because groups are large. */
static bool shows_members(const struct scim *self)
{
    const char *left_out = self->in->excludedAttributes, *wanted = self->in->attributes;

    return wanted ? strcasestr(wanted, "members") != NULL
                  : !left_out || !strcasestr(left_out, "members");
}

static int add_members(const struct scim *self, struct uuid id, json_t *json, struct error *err)
{
    const struct sql_scim_group_member_list_in list = {.project = self->tenant.projectId, .id = id};
    json_t *members = json_array();
    struct sql_scim_group_member_list_rows rows;

    json_object_set_new(json, "members", members);
    if (sql_scim_group_member_list(self->d->svc.db, &self->req, &list, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++)
        json_array_append_new(members, json_pack("{s:s}", "value", rows.items[i].id.text));
    return 0;
}

static json_t *group_json(const struct scim *self, const struct sql_scim_group_row *group)
{
    json_t *json = json_pack("{s:[s], s:s, s:s, s:o}", "schemas", SCIM_GROUP_SCHEMA, "id",
                             group->id.text, "displayName", group->display_name, "meta",
                             scim_meta(self, "Group", group->id.text, group->created));

    if (group->external_id)
        json_object_set_new(json, "externalId", json_string(group->external_id));
    return json;
}

static int show(const struct scim *self, const struct sql_scim_group_row *group, int status,
                struct endpoint_answer *out, struct error *err)
{
    json_t *json = group_json(self, group);

    if (shows_members(self) && add_members(self, group->id, json, err) < 0) {
        json_decref(json);
        return -1;
    }
    scim_answer(self, status, json, out);
    return 0;
}

static int show_again(const struct scim *self, struct uuid id, int status,
                      struct endpoint_answer *out, struct error *err)
{
    const struct sql_scim_group_get_in get = {.project = self->tenant.projectId, .id = id};
    struct sql_scim_group_row group;
    int found = sql_scim_group_get(self->d->svc.db, &self->req, &get, &group, err);

    if (found <= 0)
        return found < 0 ? -1 : scim_not_found(err);
    return show(self, &group, status, out, err);
}

/* ---- listing ---- */

/* Reads the groups that can match. */
static int read_groups(const struct scim *self, const struct scim_filter *filter,
                       struct sql_scim_group_rows *ret, struct error *err)
{
    const struct sql_scim_group_list_in list = {.project = self->tenant.projectId,
                                                .most = SCIM_GROUPS_MAX};
    struct sql_scim_group_find_in by = {.project = self->tenant.projectId};
    if (filter) {
        by.display_name = scim_filter_key(filter, "displayName", NULL);
        by.external_id = by.display_name ? NULL : scim_filter_key(filter, "externalId", NULL);
    }
    if (!by.display_name && !by.external_id)
        return MIN(sql_scim_group_list(self->d->svc.db, &self->req, &list, ret, err), 0);
    return MIN(sql_scim_group_find(self->d->svc.db, &self->req, &by, ret, err), 0);
}

/* Lists show groups without members, which a request for one group has. A filter of members reads
 * them. */
static int add_group(const struct scim *self, const struct scim_filter *filter,
                     const struct sql_scim_group_row *group, struct scim_page *page,
                     struct error *err)
{
    bool by_members = filter && strcasestr(self->in->filter, "members");
    json_t *json = group_json(self, group);

    if (by_members && add_members(self, group->id, json, err) < 0) {
        json_decref(json);
        return -1;
    }
    if (!filter || scim_filter_match(filter, json))
        scim_page_add(page, json);
    else
        json_decref(json);
    return 0;
}

static int list_groups(const struct scim *self, struct endpoint_answer *out, struct error *err)
{
    const struct scim_filter *filter = NULL;
    struct sql_scim_group_rows rows;
    struct scim_page page;

    if ((self->in->filter &&
         scim_filter_read(self->req.arena, self->in->filter, &filter, err) < 0) ||
        read_groups(self, filter, &rows, err) < 0)
        return -1;
    page = scim_page_read(self);
    for (size_t i = 0; i < rows.count; i++) {
        if (add_group(self, filter, &rows.items[i], &page, err) < 0) {
            json_decref(page.resources);
            return -1;
        }
    }
    scim_answer_page(self, &page, out);
    return 0;
}

/* ---- members ---- */

/* Reads the ids of a value: {"value": id}, or a list of these. Skips what is no id. */
static size_t read_users(const struct scim *self, const json_t *value, struct uuid **ret)
{
    size_t most = json_is_array(value) ? json_array_size(value) : 1, count = 0;
    struct uuid *users = arena_calloc(self->req.arena, most, sizeof(*users));

    for (size_t i = 0; i < most; i++) {
        const json_t *each = json_is_array(value) ? json_array_get(value, i) : value;
        const char *text =
            json_string_value(json_is_object(each) ? scim_member(each, "value") : each);

        if (text && uuid_parse(text, &users[count]) == 0)
            count++;
    }
    *ret = users;
    return count;
}

/* Users who came or went, whose policies can change. */
struct touched {
    struct uuid *users;
    size_t count, capacity;
};

static struct db_array as_array(const struct scim *self, const struct uuid *users, size_t count)
{
    struct db_array array = db_array_new(self->req.arena, count, sizeof(users->text));

    for (size_t i = 0; i < count; i++)
        db_array_add(&array, users[i].text);
    return array;
}

static void note(const struct scim *self, struct touched *touched, const struct uuid *users,
                 size_t count)
{
    if (touched->count + count > touched->capacity) {
        size_t capacity = 2 * (touched->count + count);
        struct uuid *all = arena_calloc(self->req.arena, capacity, sizeof(*all));

        for (size_t i = 0; i < touched->count; i++)
            all[i] = touched->users[i];
        touched->users = all;
        touched->capacity = capacity;
    }
    for (size_t i = 0; i < count; i++)
        touched->users[touched->count++] = users[i];
}

static int add(const struct scim *self, struct db_tx *tx, struct uuid id, const json_t *value,
               struct touched *touched, struct error *err)
{
    struct uuid *users;
    size_t count = read_users(self, value, &users);
    const struct sql_scim_group_add_in in = {
        .project = self->tenant.projectId, .id = id, .users = as_array(self, users, count)};

    note(self, touched, users, count);
    return count > 0 ? MIN(sql_scim_group_add(tx, &self->req, &in, err), 0) : 0;
}

static int remove_users(const struct scim *self, struct db_tx *tx, struct uuid id,
                        const struct uuid *users, size_t count, struct touched *touched,
                        struct error *err)
{
    const struct sql_scim_group_remove_in in = {
        .project = self->tenant.projectId, .id = id, .users = as_array(self, users, count)};

    note(self, touched, users, count);
    return count > 0 ? MIN(sql_scim_group_remove(tx, &self->req, &in, err), 0) : 0;
}

static int clear(const struct scim *self, struct db_tx *tx, struct uuid id, struct touched *touched,
                 struct error *err)
{
    const struct sql_scim_group_member_list_in list = {.project = self->tenant.projectId, .id = id};
    struct sql_scim_group_member_list_rows rows;
    struct uuid *users;

    if (sql_scim_group_member_list_tx(tx, &self->req, &list, &rows, err) < 0)
        return -1;
    users = arena_calloc(self->req.arena, rows.count, sizeof(*users));
    for (size_t i = 0; i < rows.count; i++)
        users[i] = rows.items[i].id;
    return remove_users(self, tx, id, users, rows.count, touched, err);
}

static int remove_some(const struct scim *self, struct db_tx *tx, struct uuid id,
                       const struct scim_operation *operation, struct touched *touched,
                       struct error *err)
{
    const struct scim_filter *filter = operation->path.filter;
    const char *key = filter ? scim_filter_key(filter, "value", NULL) : NULL;
    struct uuid one, *users = &one;
    size_t count = 0;

    if (!filter && !operation->value)
        return clear(self, tx, id, touched, err);
    if (!filter)
        count = read_users(self, operation->value, &users);
    else if (key && uuid_parse(key, &one) == 0)
        count = 1;
    return remove_users(self, tx, id, users, count, touched, err);
}

static int change_members(const struct scim *self, struct db_tx *tx, struct uuid id,
                          const struct scim_operation *operation, struct touched *touched,
                          struct error *err)
{
    if (operation->op == SCIM_REMOVE)
        return remove_some(self, tx, id, operation, touched, err);
    if (operation->op == SCIM_REPLACE && clear(self, tx, id, touched, err) < 0)
        return -1;
    return add(self, tx, id, operation->value, touched, err);
}

/* ---- changing ---- */

static int read_group(const struct scim *self, const json_t *json, struct wanted *ret,
                      struct error *err)
{
    const char *name = json_string_value(scim_member(json, "displayName"));
    const char *external = json_string_value(scim_member(json, "externalId"));

    if (!name || !*name || strlen(name) > TEXT_MAX || (external && strlen(external) > TEXT_MAX))
        return scim_fail(err, ERR_BAD_REQUEST, "invalidValue",
                         "displayName is missing, or a text is longer than 256 bytes.");
    ret->display_name = arena_strdup(self->req.arena, name);
    ret->external_id = external ? arena_strdup(self->req.arena, external) : NULL;
    return 0;
}

static struct sql_audit group_audit(const struct scim *self, const char *action, struct uuid id)
{
    return audit_row(&self->req, &(struct audit){.action = action, .type = "ScimGroup", .id = id});
}

static int put(const struct scim *self, struct db_tx *tx, const struct wanted *group,
               struct error *err)
{
    const struct sql_scim_group_put_in in = {.project = self->tenant.projectId,
                                             .id = group->id,
                                             .display_name = group->display_name,
                                             .external_id = group->external_id,
                                             .audit =
                                                 group_audit(self, "scim.group-update", group->id)};
    int changed = sql_scim_group_put(tx, &self->req, &in, err);

    return changed > 0 ? 0 : changed < 0 ? -1 : scim_not_found(err);
}

static int check_size(const struct scim *self, struct db_tx *tx, struct uuid id, struct error *err)
{
    const struct sql_scim_group_count_in in = {.project = self->tenant.projectId, .id = id};
    struct sql_scim_group_count_row row;

    if (sql_scim_group_count(tx, &self->req, &in, &row, err) < 0)
        return -1;
    return row.count <= MEMBERS_MAX
               ? 0
               : error_set(err, ERR_TOO_LARGE, "A group can have 10,000 members.");
}

/* Commits, and then gives the touched users their policies. */
static int settle(const struct scim *self, struct db_tx **tx, struct uuid id,
                  const struct touched *touched, struct error *err)
{
    bool mapped;

    if (check_size(self, *tx, id, err) < 0 || db_commit(tx, err) < 0 ||
        has_mappings(self->d, &self->req, self->tenant.projectId, &mapped, err) < 0)
        return -1;
    return mapped ? apply(self->d, &self->req, &self->tenant, touched->users, touched->count, err)
                  : 0;
}

static int insert(const struct scim *self, struct db_tx *tx, const struct wanted *group,
                  struct error *err)
{
    const struct sql_scim_group_insert_in in = {.project = self->tenant.projectId,
                                                .id = group->id,
                                                .display_name = group->display_name,
                                                .external_id = group->external_id,
                                                .now = self->req.now_ms,
                                                .audit = group_audit(self, "scim.group-create",
                                                                     group->id)};

    return sql_require(sql_scim_group_insert(tx, &self->req, &in, err), err, ERR_CONFLICT,
                       "The project has 1,000 groups already.");
}

/* Writes a new group, or all of an existing one. */
static int write_group(const struct scim *self, struct uuid id, bool exists, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct touched touched = {.count = 0};
    struct wanted group = {.id = id};

    if (read_group(self, self->body, &group, err) < 0 ||
        db_begin(self->d->svc.db, self->req.deadline_mono_ms, &tx, err) < 0 ||
        scim_lock(self, tx, err) < 0 ||
        (exists ? put(self, tx, &group, err) : insert(self, tx, &group, err)) < 0 ||
        (exists && clear(self, tx, id, &touched, err) < 0) ||
        add(self, tx, id, scim_member(self->body, "members"), &touched, err) < 0)
        return -1;
    return settle(self, &tx, id, &touched, err);
}

static bool is_of_members(const struct scim_operation *operation)
{
    return strcasecmp(operation->path.attribute, "members") == 0;
}

static int patch(const struct scim *self, const struct sql_scim_group_row *row, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    json_auto_t *json = group_json(self, row);
    struct touched touched = {.count = 0};
    struct wanted group = {.id = row->id};
    struct scim_operation *operations;
    size_t count;

    if (scim_patch_read(self->req.arena, self->body, &operations, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (!is_of_members(&operations[i]))
            scim_patch_apply(&operations[i], json);
    if (read_group(self, json, &group, err) < 0 ||
        db_begin(self->d->svc.db, self->req.deadline_mono_ms, &tx, err) < 0 ||
        scim_lock(self, tx, err) < 0 || put(self, tx, &group, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (is_of_members(&operations[i]) &&
            change_members(self, tx, row->id, &operations[i], &touched, err) < 0)
            return -1;
    return settle(self, &tx, row->id, &touched, err);
}

static int delete_group(const struct scim *self, struct uuid id, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_scim_group_delete_in in = {.project = self->tenant.projectId,
                                                .id = id,
                                                .audit =
                                                    group_audit(self, "scim.group-delete", id)};
    struct touched touched = {.count = 0};

    if (db_begin(self->d->svc.db, self->req.deadline_mono_ms, &tx, err) < 0 ||
        scim_lock(self, tx, err) < 0 || clear(self, tx, id, &touched, err) < 0 ||
        sql_scim_group_delete(tx, &self->req, &in, err) < 0)
        return -1;
    return settle(self, &tx, id, &touched, err);
}

/* ---- handlers ---- */

int scim_groups(struct authd *d, const struct request *req, const struct scim_in *in,
                struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;

    return scim_open(d, req, in, &self, err) < 0 ? -1 : list_groups(&self, out, err);
}

int scim_group_show(struct authd *d, const struct request *req, const struct scim_in *in,
                    struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;
    struct sql_scim_group_row group;

    if (scim_open(d, req, in, &self, err) < 0 || find(&self, &group, err) < 0)
        return -1;
    return show(&self, &group, 200, out, err);
}

int scim_group_create(struct authd *d, const struct request *req, const struct scim_in *in,
                      struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;
    struct uuid id = uuid_ordered(req->now_ms);

    if (scim_open(d, req, in, &self, err) < 0 || write_group(&self, id, false, err) < 0)
        return -1;
    return show_again(&self, id, 201, out, err);
}

int scim_group_replace(struct authd *d, const struct request *req, const struct scim_in *in,
                       struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;
    struct sql_scim_group_row group;

    if (scim_open(d, req, in, &self, err) < 0 || find(&self, &group, err) < 0 ||
        write_group(&self, group.id, true, err) < 0)
        return -1;
    return show_again(&self, group.id, 200, out, err);
}

/* RFC 7644, section 3.5.2: 204, because the group can be large. */
int scim_group_patch(struct authd *d, const struct request *req, const struct scim_in *in,
                     struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;
    struct sql_scim_group_row group;

    if (scim_open(d, req, in, &self, err) < 0 || find(&self, &group, err) < 0 ||
        patch(&self, &group, err) < 0)
        return -1;
    out->status = 204;
    return 0;
}

int scim_group_delete(struct authd *d, const struct request *req, const struct scim_in *in,
                      struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;
    struct sql_scim_group_row group;

    if (scim_open(d, req, in, &self, err) < 0 || find(&self, &group, err) < 0 ||
        delete_group(&self, group.id, err) < 0)
        return -1;
    out->status = 204;
    return 0;
}
