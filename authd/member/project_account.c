/*
 * project_account.c - see project_account.h.
 *
 * A page of a list ends when it is full, or after WALK_MAX rows of the index, many of which may not
 * match. So a page never takes long, however rare a match is.
 */
#include "authd/member/project_account.h"

#include <string.h>

#include "authd/account/email_verified.h"
#include "authd/member/member_api.h"
#include "authd/member/member_search.h"
#include "authd/operation_api.h"
#include "authd/session/session_api.h"
#include "authd/signin/explain.h"
#include "authd/sql/project_account.h"
#include "authd/tenant.h"
#include "common/domain/policy.h"
#include "common/service/audit.h"
#include "common/service/page_cursor.h"
#include "settingsd/tenant_api.h"

enum {
    WALK_MAX = 1000, /* index rows to read per page */
    KEYS_ALIKE = 2,  /* keys per person that match a search; few people have more */
};

/* ---- listing ---- */

struct listing {
    const struct project_accounts_in *in;
    struct uuid organization;
    const char *key;   /* names the list in its cursors */
    const char *words; /* start of the search keys; "": no key matches */
    struct uuid policy;
};

/* Returns the statement whose index fits the order, or else has the fewest rows. */
static const struct db_statement *statement_of(const struct project_accounts_in *in)
{
    if (in->search)
        return sql_project_account_search_statement;
    if (in->sort)
        return strcmp(in->sort, "name") == 0 ? sql_project_account_list_by_name_statement
                                             : sql_project_account_list_newest_statement;
    if (in->state && strcmp(in->state, "active") != 0)
        return sql_project_account_list_inactive_statement;
    if (in->accessPolicy)
        return sql_project_account_list_of_policy_statement;
    return in->admin == TRISTATE_TRUE ? sql_project_account_list_admins_statement
                                      : sql_project_account_list_statement;
}

/* Returns how many index rows to read to find `most` people: more if some rows may not match. */
static int64_t rows_to_walk(const struct listing *list, int64_t most)
{
    const struct project_accounts_in *in = list->in;

    if (in->state || in->admin != TRISTATE_UNSET || in->secondFactor != TRISTATE_UNSET ||
        in->accessPolicy || (in->role && !in->sort))
        return WALK_MAX;
    return in->search ? KEYS_ALIKE * most : most;
}

/* Reads a page and its next cursor. Reads one row more than requested, to know whether there is a
 * next page. */
static int read_page(struct authd *d, const struct request *req, const struct listing *list,
                     const struct page_cursor *from, struct project_account_list *out,
                     struct error *err)
{
    const struct db_statement *statement = statement_of(list->in);
    struct sql_project_account_read_in in = {.project = req->caller->project,
                                             .words = list->words,
                                             .after_key = from->key,
                                             .after = from->id,
                                             .organization = list->organization,
                                             .role = list->in->role,
                                             .state = list->in->state,
                                             .factor = list->in->secondFactor,
                                             .admin = list->in->admin,
                                             .policy = list->policy,
                                             .most = list->in->_count + 1,
                                             .now = req->now_ms};
    const struct sql_project_account_read_row *last;
    struct sql_project_account_read_rows rows;
    struct project_account *resources;
    struct page_cursor at = {0};

    in.walk = rows_to_walk(list, in.most);
    if (sql_project_account_read(d->svc.db, req, statement, &in, &rows, err) < 0)
        return -1;
    resources = arena_calloc(req->arena, rows.count, sizeof(*resources));
    for (size_t i = 0; i < rows.count && uuid_is_set(&rows.items[i].at); i++)
        resources[out->resources.count++] = *rows.items[i].account;
    out->resources.items = resources;
    if (out->resources.count > (size_t)list->in->_count) {
        last = &rows.items[--out->resources.count - 1];
        at = (struct page_cursor){.key = last->at_key, .id = last->at};
    } else if (rows.items->walked == in.walk) {
        at = (struct page_cursor){.key = rows.items->last_key, .id = rows.items->last};
    }
    if (at.key)
        out->next = page_cursor_new(req->arena, &d->svc.seal, list->key, req->now_ms, &at);
    return 0;
}

/* Names a list in its cursors. If no filter of release 0.4 is set, the name is that of release 0.3,
 * so its cursors stay valid. */
static const char *list_key(const struct request *req, const struct project_accounts_in *in)
{
    const char *key = arena_printf(req->arena, "people %s %s %s %s", req->caller->project.text,
                                   in->role ? role_text(in->role) : "-",
                                   in->state ? in->state : "-", in->search ? in->search : "");

    if (!in->sort && !in->accessPolicy && in->admin == TRISTATE_UNSET &&
        in->secondFactor == TRISTATE_UNSET)
        return key;
    return arena_printf(req->arena, "sorted %s %s %d %d %s", in->sort ? in->sort : "-",
                        in->accessPolicy ? in->accessPolicy : "-", in->admin, in->secondFactor,
                        key);
}

static int open_listing(struct authd *d, const struct request *req,
                        const struct project_accounts_in *in, struct listing *ret,
                        struct error *err)
{
    struct tenant tenant;

    if (in->search && in->sort)
        return error_problem(err, "sort", "can't be combined with search");
    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0)
        return -1;
    *ret = (struct listing){.in = in,
                            .organization = tenant_organization(&tenant),
                            .words = in->search ? member_search_words(req->arena, in->search) : "",
                            .key = list_key(req, in)};
    return in->accessPolicy ? policy_reference(in->accessPolicy, &ret->policy) : 0;
}

/* Fails: VALIDATION (a cursor of another list, or a sorted search). */
int project_accounts(struct authd *d, const struct request *req,
                     const struct project_accounts_in *in, struct project_account_list *out,
                     struct error *err)
{
    struct page_cursor from;
    struct listing list;

    if (open_listing(d, req, in, &list, err) < 0 ||
        page_cursor_read(req->arena, &d->svc.seal, list.key, req->now_ms, in->_cursor, &from, err) <
            0)
        return -1;
    if (in->search && !list.words[0])
        return 0;
    return read_page(d, req, &list, &from, out, err);
}

/* ---- one account ---- */

int project_account_open(struct authd *d, const struct request *req, struct uuid account,
                         struct tenant *ret_tenant, struct project_account *ret, struct error *err)
{
    struct sql_project_account_find_in find = {
        .project = req->caller->project, .account = account, .now = req->now_ms};

    if (tenant_open_id(d, req, req->caller->project, ret_tenant, err) < 0)
        return -1;
    find.organization = tenant_organization(ret_tenant);
    return sql_require(sql_project_account_find(d->svc.db, req, &find, ret, err), err,
                       ERR_NOT_FOUND, "Account not found.");
}

/* Like project_account_open(), and audits the read. `what`: the part that is read; NULL: the
 * account itself. */
int project_account_read(struct authd *d, const struct request *req, struct uuid account,
                         const char *what, struct tenant *ret_tenant, struct project_account *ret,
                         struct error *err)
{
    struct sql_project_account_record_in record;

    if (project_account_open(d, req, account, ret_tenant, ret, err) < 0)
        return -1;
    record.audit = audit_row(req, &(struct audit){.action = "account.read",
                                                  .account = account,
                                                  .role = ret->role,
                                                  .type = "Account",
                                                  .id = account,
                                                  .detail = what});
    return MIN(sql_project_account_record(d->svc.db, req, &record, err), 0);
}

int project_account_get(struct authd *d, const struct request *req,
                        const struct project_account_in *in, struct project_account *out,
                        struct error *err)
{
    struct tenant tenant;

    return project_account_read(d, req, in->id, NULL, &tenant, out, err);
}

int project_account_sessions(struct authd *d, const struct request *req,
                             const struct project_account_sessions_in *in,
                             struct project_account_session_list *out, struct error *err)
{
    const char *key =
        arena_printf(req->arena, "sessions %s %s", req->caller->project.text, in->id.text);
    struct sql_project_account_session_list_in list = {.project = req->caller->project,
                                                       .account = in->id,
                                                       .asking = req->caller->session,
                                                       .now = req->now_ms,
                                                       .most = in->_count + 1};
    struct project_account account;
    struct page_cursor from;
    struct tenant tenant;

    if (page_cursor_read(req->arena, &d->svc.seal, key, req->now_ms, in->_cursor, &from, err) < 0 ||
        project_account_read(d, req, in->id, "sessions", &tenant, &account, err) < 0)
        return -1;
    if (in->_cursor)
        list.before = from.id;
    if (sql_project_account_session_list(d->svc.db, req, &list, &out->resources, err) < 0)
        return -1;
    out->next =
        PAGE_CURSOR_CUT(req, &d->svc.seal, key, in->_count, session_record, &out->resources);
    return 0;
}

int project_account_explain(struct authd *d, const struct request *req,
                            const struct project_account_explain_in *in,
                            struct sign_in_explain_out *out, struct error *err)
{
    struct sign_in_explain_in explain = {.address = in->address};
    struct project_account account;
    struct tenant tenant;

    if (project_account_read(d, req, in->id, "explain", &tenant, &account, err) < 0)
        return -1;
    explain.email = account.email;
    explain.role = account.role;
    return explain_sign_in(d, req, &tenant, &explain, out, err);
}
