/*
 * project_account.c - see project_account.h.
 *
 * Several statements (phases) read a list, each in the order of an index. A page ends when it is
 * full, or after WALK_MAX rows, so even rare matches take no page long.
 */
#include "authd/member/project_account.h"

#include <string.h>

#include "authd/account/email_verified.h"
#include "authd/member/member_api.h"
#include "authd/member/person_name.h"
#include "authd/operation_api.h"
#include "authd/session/session_api.h"
#include "authd/signin/explain.h"
#include "authd/sql/project_account.h"
#include "authd/tenant.h"
#include "common/service/audit.h"
#include "common/service/page_cursor.h"
#include "settingsd/tenant_api.h"

enum {
    PAGE_MAX = 100,  /* limit of _count */
    WALK_MAX = 1000, /* rows per statement */
    NAMES_WALK = 2,  /* names that begin alike; few people have more */
};

/* ---- listing ---- */

struct listing {
    const struct project_accounts_in *in;
    struct uuid organization;
    const char *key;   /* the list for which a cursor is valid */
    const char *words; /* name search; "": none */
    int64_t most, walk;
    bool patients;
};

/* An account and its position in its phase. */
struct hit {
    struct page_cursor at;
    struct project_account account;
};

struct page {
    struct hit hits[PAGE_MAX + 1];
    size_t count;
    int64_t walked;
    struct page_cursor last; /* last row walked */
};

/* Adds the statement's matches to a page. */
static int read_phase(struct authd *d, const struct request *req, const struct listing *list,
                      const struct db_statement *statement, const struct page_cursor *from,
                      struct page *page, struct error *err)
{
    const struct sql_project_account_read_in in = {.project = req->caller->project,
                                                   .patients = list->patients,
                                                   .search = list->in->search,
                                                   .words = list->words,
                                                   .after_key = from->key,
                                                   .after = from->id,
                                                   .walk = list->walk,
                                                   .organization = list->organization,
                                                   .role = list->in->role,
                                                   .state = list->in->state,
                                                   .most = list->most,
                                                   .now = req->now_ms};
    struct sql_project_account_read_rows rows;

    if (sql_project_account_read(d->svc.db, req, statement, &in, &rows, err) < 0)
        return -1;
    page->walked = rows.items->walked;
    page->last = (struct page_cursor){from->phase, rows.items->last_key, rows.items->last};
    for (size_t i = 0; i < rows.count && uuid_is_set(&rows.items[i].at); i++)
        page->hits[page->count++] = (struct hit){
            {from->phase, rows.items[i].at_key, rows.items[i].at}, *rows.items[i].account};
    return 0;
}

enum phase_of {
    OF_ALL,
    OF_WORDS,   /* names, with several rows per person */
    OF_UNFOLDED /* accounts without folded names, which are few */
};

/* `role` NONE: the statement reads both. The last phase has no statement. */
struct phase {
    const struct db_statement *const *statement;
    enum role role;
    enum phase_of of;
};

static const struct phase all[] = {{&sql_project_account_list_statement, ROLE_NONE, OF_ALL},
                                   {NULL, ROLE_NONE, OF_ALL}};
static const struct phase locked[] = {
    {&sql_project_account_list_locked_statement, ROLE_NONE, OF_ALL},
    {&sql_project_account_list_inactive_statement, ROLE_PATIENT, OF_ALL},
    {&sql_project_account_list_inactive_statement, ROLE_PRACTITIONER, OF_ALL},
    {NULL, ROLE_NONE, OF_ALL}};
static const struct phase search[] = {
    {&sql_project_account_search_email_statement, ROLE_PATIENT, OF_ALL},
    {&sql_project_account_search_email_statement, ROLE_PRACTITIONER, OF_ALL},
    {&sql_project_account_search_name_statement, ROLE_PATIENT, OF_WORDS},
    {&sql_project_account_search_name_statement, ROLE_PRACTITIONER, OF_WORDS},
    {&sql_project_account_search_old_name_statement, ROLE_PATIENT, OF_UNFOLDED},
    {&sql_project_account_search_old_name_statement, ROLE_PRACTITIONER, OF_UNFOLDED},
    {&sql_project_account_search_old_surname_statement, ROLE_PATIENT, OF_UNFOLDED},
    {&sql_project_account_search_old_surname_statement, ROLE_PRACTITIONER, OF_UNFOLDED},
    {NULL, ROLE_NONE, OF_ALL}};

static const struct phase *phases_of(const struct project_accounts_in *in)
{
    if (in->search)
        return search;
    return in->state && strcmp(in->state, "active") != 0 ? locked : all;
}

static bool is_wanted(const struct authd *d, const struct phase *phase, const struct listing *list)
{
    enum role role = list->in->role;

    if ((phase->of == OF_WORDS && !list->words[0]) || (phase->of == OF_UNFOLDED && d->names_folded))
        return false;
    return !role || !phase->role || role == phase->role;
}

/* Returns more than list->most if some rows may not match. */
static int64_t rows_to_walk(const struct phase *phase, const struct listing *list)
{
    if (list->in->role || list->in->state || (phase->role && !list->patients) ||
        phase->of == OF_UNFOLDED)
        return WALK_MAX;
    return phase->of == OF_WORDS ? NAMES_WALK * list->most : list->most;
}

/* Reads until the page has one row more than requested, a statement has walked enough, or the list
 * ends. *ret_more: continue at page->last. */
static int read_page(struct authd *d, const struct request *req, struct listing *list,
                     struct page_cursor from, struct page *page, bool *ret_more, struct error *err)
{
    const struct phase *phases = phases_of(list->in);
    size_t want = (size_t)list->in->_count + 1;

    *ret_more = false;
    for (int64_t i = 0; phases[i].statement && page->count < want && !*ret_more; i++) {
        const struct phase *phase = &phases[i];

        if (i < from.phase || !is_wanted(d, phase, list))
            continue;
        if (i > from.phase) /* the previous phase is complete */
            from = (struct page_cursor){i, "", page_cursor_start.id};
        list->patients = phase->role == ROLE_PATIENT;
        list->most = (int64_t)(want - page->count);
        list->walk = rows_to_walk(phase, list);
        if (read_phase(d, req, list, *phase->statement, &from, page, err) < 0)
            return -1;
        *ret_more = page->count < want && page->walked == list->walk;
    }
    return 0;
}

/* Returns NULL for the last page. */
static const char *next_of(struct authd *d, const struct request *req, const struct listing *list,
                           const struct page *page, bool more)
{
    const struct page_cursor *at = page->count > (size_t)list->in->_count
                                       ? &page->hits[list->in->_count - 1].at
                                   : more ? &page->last
                                          : NULL;

    return at ? page_cursor_new(req->arena, &d->svc.seal, list->key, req->now_ms, at) : NULL;
}

static int open_listing(struct authd *d, const struct request *req,
                        const struct project_accounts_in *in, struct listing *ret,
                        struct error *err)
{
    struct tenant tenant;

    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0)
        return -1;
    *ret = (struct listing){
        .in = in,
        .organization = tenant_organization(&tenant),
        .words = in->search ? person_name_search(req->arena, in->search) : "",
        .key = arena_printf(req->arena, "accounts %s %s %s %s", req->caller->project.text,
                            in->role ? role_text(in->role) : "-", in->state ? in->state : "-",
                            in->search ? in->search : "")};
    return 0;
}

int project_accounts(struct authd *d, const struct request *req,
                     const struct project_accounts_in *in, struct project_account_list *out,
                     struct error *err)
{
    struct page *page = arena_alloc(req->arena, sizeof(*page));
    struct project_account *resources;
    struct page_cursor from;
    struct listing list;
    bool more;

    if (open_listing(d, req, in, &list, err) < 0 ||
        page_cursor_read(req->arena, &d->svc.seal, list.key, req->now_ms, in->_cursor, &from, err) <
            0 ||
        read_page(d, req, &list, from, page, &more, err) < 0)
        return -1;
    out->next = next_of(d, req, &list, page, more);
    out->resources.count = MIN(page->count, (size_t)in->_count);
    resources = arena_calloc(req->arena, out->resources.count, sizeof(*resources));
    for (size_t i = 0; i < out->resources.count; i++)
        resources[i] = page->hits[i].account;
    out->resources.items = resources;
    return 0;
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

/* Like project_account_open(), and audits the read. `what` NULL: the account itself. */
static int open_for_reading(struct authd *d, const struct request *req, struct uuid account,
                            const char *what, struct tenant *ret_tenant,
                            struct project_account *ret, struct error *err)
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

    return open_for_reading(d, req, in->id, NULL, &tenant, out, err);
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
        open_for_reading(d, req, in->id, "sessions", &tenant, &account, err) < 0)
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

    if (open_for_reading(d, req, in->id, "explain", &tenant, &account, err) < 0)
        return -1;
    explain.email = account.email;
    explain.role = account.role;
    return explain_sign_in(d, req, &tenant, &explain, out, err);
}
