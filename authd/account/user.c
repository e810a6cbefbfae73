/*
 * user.c - accounts for operators (handlers operator_user_list, _show, _lock, _unlock, _delete). A
 * person can have several accounts with one email address: a practitioner's, and a patient's in
 * each project.
 */
#include <string.h>

#include "authd/account/deletion.h"
#include "authd/operation_api.h"
#include "authd/session/change.h"
#include "authd/session/session.h"
#include "authd/sql/account.h"
#include "authd/tenant.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

/* Sorts after all addresses with its prefix. */
#define PREFIX_END "\xf4\x8f\xbf\xbf"

struct found {
    struct user user;
    struct uuid place; /* the named project; otherwise a patient's own project, or absent */
};

/* Finds the named account. VALIDATION: several accounts match. */
static int find(struct authd *d, const struct request *req, const struct operator_user_in *in,
                struct found *ret, struct error *err)
{
    struct sql_user_find_in which = {
        .id = in->id, .email = in->email, .role = in->role, .now = req->now_ms};
    struct field_list users;

    *ret = (struct found){.place = {""}};
    if (!uuid_is_set(&in->id) && !in->email)
        return error_problem(err, "email", "is needed, or id");
    if (tenant_project_of(d, req, in->tenantCode, &ret->place, err) < 0)
        return -1;
    which.project = ret->place;
    if (sql_require(sql_user_find(d->svc.db, req, &which, &users, err), err, ERR_NOT_FOUND,
                    "Account not found.") < 0)
        return -1;
    if (users.count > 1)
        return error_problem(err, "email",
                             "is that of several accounts: name the project, the role or the id");
    ret->user = *(const struct user *)users.items;
    if (!uuid_is_set(&ret->place))
        ret->place = ret->user.projectId;
    return 0;
}

static struct sql_audit user_audit(const struct request *req, const char *action,
                                   const struct found *found)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .project = found->place,
                                          .account = found->user.id,
                                          .role = found->user.role,
                                          .type = "Account",
                                          .id = found->user.id});
}

/* ---- showing ---- */

/* Adds the projects' names. A project that settingsd does not know gets none. */
static int name_projects(struct authd *d, const struct request *req, struct user_place *places,
                         size_t count, struct error *err)
{
    const char **ids = arena_calloc(req->arena, count, sizeof(*ids));
    struct tenant_list found = {0};
    const struct tenants_of_in in = {{ids, count}};
    const struct tenant *tenants;

    for (size_t p = 0; p < count; p++)
        ids[p] = places[p].projectId.text;
    if (count > 0 && settingsd_tenants_of(d->svc.bus, req, &in, &found, err) < 0)
        return -1;
    tenants = found.tenants.items;
    for (size_t p = 0; p < count; p++) {
        for (size_t t = 0; t < found.tenants.count; t++) {
            if (!uuid_equal(&tenants[t].projectId, &places[p].projectId))
                continue;
            places[p].tenantCode = tenants[t].tenantCode;
            places[p].projectName = tenants[t].name;
        }
    }
    return 0;
}

int operator_user_show(struct authd *d, const struct request *req,
                       const struct operator_user_in *in, struct user *out, struct error *err)
{
    struct sql_user_memberships_in memberships = {.now = req->now_ms};
    struct user_place *places;
    struct field_list rows;
    struct found found;

    if (find(d, req, in, &found, err) < 0)
        return -1;
    memberships.account = found.user.id;
    if (sql_user_memberships(d->svc.db, req, &memberships, &rows, err) < 0)
        return -1;
    places = arena_memdup(req->arena, rows.items, rows.count * sizeof(*places));
    if (name_projects(d, req, places, rows.count, err) < 0)
        return -1;
    *out = found.user;
    out->places = (struct field_list){places, rows.count};
    return 0;
}

/* ---- listing ---- */

static int list_of_project(struct authd *d, const struct request *req,
                           const struct operator_user_list_in *in, struct uuid project,
                           const char *from, const char *end, struct operator_user_list_out *out,
                           struct error *err)
{
    const struct sql_user_list_of_project_in page = {.project = project,
                                                     .after = in->after,
                                                     .from_email = from,
                                                     .end_email = end,
                                                     .locked = in->locked,
                                                     .count = in->count,
                                                     .now = req->now_ms};
    struct sql_user_list_of_project_rows rows;
    struct user *users;
    size_t count = 0;

    if (sql_user_list_of_project(d->svc.db, req, &page, &rows, err) < 0)
        return -1;
    users = arena_calloc(req->arena, rows.count, sizeof(*users));
    for (size_t i = 0; i < rows.count; i++) {
        if (uuid_is_set(&rows.items[i].user->id))
            users[count++] = *rows.items[i].user;
    }
    out->users = (struct field_list){users, count};
    out->more = rows.count == (size_t)in->count;
    if (rows.count > 0)
        out->after = rows.items[rows.count - 1].membership;
    return 0;
}

static int list_all(struct authd *d, const struct request *req,
                    const struct operator_user_list_in *in, const char *from, const char *end,
                    struct operator_user_list_out *out, struct error *err)
{
    const char *after_email = in->afterEmail ? in->afterEmail : "";
    const struct sql_user_list_in page = {.after_email = after_email,
                                          .after = in->after,
                                          .from_email = from,
                                          .end_email = end,
                                          .count = in->count,
                                          .now = req->now_ms};
    const struct sql_user_list_locked_in locked = {.after_email = after_email,
                                                   .after = in->after,
                                                   .from_email = from,
                                                   .end_email = end,
                                                   .count = in->count,
                                                   .now = req->now_ms};
    const struct user *last;

    if ((in->locked ? sql_user_list_locked(d->svc.db, req, &locked, &out->users, err)
                    : sql_user_list(d->svc.db, req, &page, &out->users, err)) < 0)
        return -1;
    out->more = out->users.count == (size_t)in->count;
    if (out->users.count > 0) {
        last = (const struct user *)out->users.items + out->users.count - 1;
        out->after = last->id;
        out->afterEmail = last->email;
    }
    return 0;
}

int operator_user_list(struct authd *d, const struct request *req,
                       const struct operator_user_list_in *in, struct operator_user_list_out *out,
                       struct error *err)
{
    const char *from = in->prefix ? in->prefix : "";
    const char *end = arena_printf(req->arena, "%s" PREFIX_END, from);
    struct uuid project;

    if (!in->tenantCode)
        return list_all(d, req, in, from, end, out, err);
    if (tenant_project_of(d, req, in->tenantCode, &project, err) < 0)
        return -1;
    return list_of_project(d, req, in, project, from, end, out, err);
}

/* ---- locking ---- */

/* Locks in the usual order. A concurrent sign-in holds the credential: either its session is found
 * here, or it sees that earlier proofs are void, as after a password change. */
static int lock_account(struct db_tx *tx, const struct request *req, const struct found *found,
                        struct session_ended *ret_ended, struct error *err)
{
    struct uuid account = found->user.id;
    const struct sql_reset_delete_in reset = {.account = account};
    const struct sql_account_lock_in lock = {
        .account = account, .now = req->now_ms, .audit = user_audit(req, "account.lock", found)};
    const struct sql_credential_invalidate_in invalidate = {.account = account};

    if (sql_reset_delete(tx, req, &reset, err) < 0 || sql_account_lock(tx, req, &lock, err) < 0 ||
        sql_credential_invalidate(tx, req, &invalidate, err) < 0 ||
        session_end_account(tx, req, account, (struct uuid){""}, "revoked", ret_ended, err) < 0)
        return -1;
    return session_ended_account(tx, req, account, ret_ended, err);
}

/* Returns when every gateway rejects the account's tokens. A locked account keeps its lock date. */
int operator_user_lock(struct authd *d, const struct request *req,
                       const struct operator_user_in *in, struct user *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct session_ended ended;
    struct found found;

    if (find(d, req, in, &found, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock_account(tx, req, &found, &ended, err) < 0 || db_commit(&tx, err) < 0 ||
        session_revocation_wait(d, req, &ended, err) < 0)
        return -1;
    *out = found.user;
    if (!out->locked)
        out->lockedAt = req->now_ms;
    out->locked = true;
    out->sessions = 0;
    return 0;
}

int operator_user_unlock(struct authd *d, const struct request *req,
                         const struct operator_user_in *in, struct user *out, struct error *err)
{
    struct sql_account_unlock_in unlock;
    struct found found;

    if (find(d, req, in, &found, err) < 0)
        return -1;
    unlock = (struct sql_account_unlock_in){.account = found.user.id,
                                            .audit = user_audit(req, "account.unlock", &found)};
    if (sql_account_unlock(d->svc.db, req, &unlock, err) < 0)
        return -1;
    *out = found.user;
    out->locked = false;
    out->lockedAt = 0;
    return 0;
}

/* ---- deleting ---- */

int operator_user_delete(struct authd *d, const struct request *req,
                         const struct operator_user_in *in, struct user *out, struct error *err)
{
    struct found found;

    if (find(d, req, in, &found, err) < 0 ||
        deletion_by_operator(d, req, found.user.id, found.place, err) < 0)
        return -1;
    *out = found.user;
    return 0;
}
