/*
 * consent.c - see consent.h. Handlers: page_consent_get, page_consent_post, consents,
 * consent_withdraw.
 */
#include "authd/oauth/consent.h"

#include <string.h>
#include <strings.h>

#include "authd/account/account_api.h"
#include "authd/oauth/client.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/smart_grant.h"
#include "authd/page/page_api.h"
#include "authd/page/scope_text.h"
#include "authd/page/visit.h"
#include "authd/session/session.h"
#include "authd/sql/oauth.h"
#include "common/domain/endpoint.h"
#include "common/domain/uri.h"

/* Returns the resource's name; the issuer's own resource has none. */
static const char *resource_of(const struct auth_request *request)
{
    return request->in.resource ? request->in.resource : "";
}

static const char *terms_of(const struct auth_request *request)
{
    const char *version = request->client.settings->tosVersion;

    return version ? version : "";
}

static int find(struct authd *d, const struct request *req, const struct auth_request *request,
                const struct caller *caller, struct sql_oauth_consent_get_row *ret,
                struct error *err)
{
    const struct sql_oauth_consent_get_in get = {.project = caller->project,
                                                 .account = caller->account,
                                                 .client_id = request->client.clientId,
                                                 .resource = resource_of(request)};

    return sql_oauth_consent_get(d->svc.db, req, &get, ret, err);
}

/* RFC 8252, section 8.6: another program can take over a private scheme or loopback address, so a
 * public client there may not be the one with consent. */
static bool is_assured(const struct auth_request *request)
{
    bool secure;

    return strcmp(request->client.settings->type, "public") != 0 ||
           (uri_after_http(request->in.redirect_uri, &secure) && secure);
}

int consent_is_given(struct authd *d, const struct request *req, const struct auth_request *request,
                     const struct caller *caller, bool *ret, struct error *err)
{
    bool fresh = request->consented && strcmp(request->consented, caller->account.text) == 0;
    bool first_party = request->client.settings->firstParty;
    bool each_time = request->prompt & PROMPT_CONSENT || (!first_party && !is_assured(request));
    struct sql_oauth_consent_get_row row;
    int found;

    *ret = !each_time || fresh;
    if (!*ret || first_party)
        return 0;
    found = find(d, req, request, caller, &row, err);
    if (found < 0)
        return -1;
    *ret = found > 0 && row.scope && word_list_has_all(row.scope, request->scope) &&
           strcmp(row.tos_version, terms_of(request)) == 0;
    return 0;
}

int consent_narrow(struct authd *d, const struct request *req, const struct caller *caller,
                   struct auth_request *request, struct error *err)
{
    struct sql_oauth_consent_get_row row;
    int found;

    if (request->client.settings->firstParty)
        return 0;
    found = find(d, req, request, caller, &row, err);
    if (found < 0)
        return -1;
    if (found == 0 || !row.scope)
        return oauth_fail(err, ERR_BAD_REQUEST, "access_denied", "The person has not consented.");
    request->scope = word_list_common(req->arena, request->scope, row.scope);
    return 0;
}

int consent_keep(struct visit *visit, const struct auth_request *request, struct error *err)
{
    const struct sql_oauth_consent_put_in put = {
        .project = visit->caller.project,
        .account = visit->caller.account,
        .client_id = request->client.clientId,
        .client_name = request->client.name,
        .resource = resource_of(request),
        .scope = request->scope,
        .tos_version = terms_of(request),
        .now = visit->req.now_ms,
        .audit = audit_row(&visit->req, &(struct audit){.action = "consent.give",
                                                        .detail = request->client.clientId})};
    struct sql_oauth_consent_put_row row;

    return MIN(sql_oauth_consent_put(visit->d->svc.db, &visit->req, &put, &row, err), 0);
}

/* ---- page ---- */

static enum visit_step show(const struct visit *visit, const struct auth_request *request,
                            int status, enum page_text problem, struct page_answer *out)
{
    size_t count;
    const struct page_scopes_scope *rows =
        scope_texts(visit->req.arena, visit->language, visit->caller.role, request->scope, &count);
    struct page page;

    visit_page(visit, &page);
    page_consent(&page, &(struct page_consent_in){
                            VISIT_VALUES(visit), .client = request->client.name,
                            .resource = request->in.resource, .person = visit->caller.display,
                            .problem = problem, .scope = rows, .scope_count = count});
    return visit_show(&page, status, out);
}

/* Continues without a session, to request a new sign-in. */
static enum visit_step open_request(struct visit *visit, const struct endpoint_visit *from,
                                    struct auth_request *ret, struct page_answer *out,
                                    struct error *err)
{
    struct issuer issuer;

    if (!visit->from->next || auth_request_unseal(visit->d, &visit->req, visit->tenant.projectId,
                                                  visit->from->next, ret) < 0)
        return visit_say(visit, 400, PAGE_TEXT_ERROR_EXPIRED, PAGE_TEXT_ERROR_EXPIRED_TEXT, out);
    if (issuer_open(visit->d, &visit->req, visit->tenant.tenantCode, from, &issuer, err) < 0)
        return VISIT_FAILED;
    if (auth_request_find_client(visit->d, &visit->req, &issuer, ret, err) == 0 &&
        auth_request_check(visit->d, &visit->req, &issuer, ret, err) == 0 &&
        (!visit->signed_in || smart_narrow(visit->d, &visit->req, visit->tenant.projectId,
                                           &visit->caller, ret, err) == 0))
        return visit->signed_in ? VISIT_OPEN : visit_continue(visit, out);
    if (!oauth_word(err))
        return VISIT_FAILED;
    error_clear(err);
    return visit_continue(visit, out);
}

int page_consent_get(struct authd *d, const struct request *req, const struct page_query *in,
                     struct page_answer *out, struct error *err)
{
    const struct endpoint_visit from = {.url = in->visit->url};
    struct auth_request request;
    struct visit visit;
    enum visit_step step = visit_open(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = open_request(&visit, &from, &request, out, err);
    if (step == VISIT_OPEN)
        step = show(&visit, &request, 200, PAGE_NO_TEXT, out);
    return visit_result(step);
}

static enum visit_step go_back(struct visit *visit, const struct auth_request *request,
                               struct page_answer *out)
{
    const char *sealed = auth_request_seal(visit->d, &visit->req, visit->tenant.projectId, request);

    if (!sealed)
        return visit_say(visit, 400, PAGE_TEXT_ERROR_EXPIRED, PAGE_TEXT_ERROR_EXPIRED_TEXT, out);
    out->status = 303;
    out->location =
        arena_printf(visit->req.arena, "/t/%s/authorize?next=%s", visit->tenant.tenantCode, sealed);
    return VISIT_ANSWERED;
}

/* Handles the page's form. The button of an expired page does not count, since another person may
 * have signed in. */
int page_consent_post(struct authd *d, const struct request *req, const struct consent_form *in,
                      struct page_answer *out, struct error *err)
{
    const struct endpoint_visit from = {.url = in->visit->url};
    bool allowed = in->action && strcmp(in->action, "allow") == 0;
    struct auth_request request;
    struct visit visit;
    enum visit_step step = visit_open_form(d, req, in->tenantCode, in->visit, &visit, out, err);
    bool stale = step == VISIT_STALE;

    if (step == VISIT_OPEN || stale)
        step = open_request(&visit, &from, &request, out, err);
    if (step == VISIT_OPEN && stale)
        step = show(&visit, &request, VISIT_STALE_STATUS, PAGE_TEXT_ERROR_STALE, out);
    if (step != VISIT_OPEN)
        return visit_result(step);
    request.denied = !allowed;
    request.consented = allowed ? visit.caller.account.text : "";
    if (allowed && consent_keep(&visit, &request, err) < 0)
        return -1;
    return visit_result(go_back(&visit, &request, out));
}

/* ---- API ---- */

int consents(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
             struct consent_list *out, struct error *err)
{
    const struct sql_oauth_consent_list_in list = {
        .project = req->caller->project, .account = req->caller->account, .most = CONSENTS_MAX};
    struct sql_oauth_consent_list_rows rows;
    struct consent *items;

    if (sql_oauth_consent_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    items = arena_calloc(req->arena, rows.count, sizeof(*items));
    for (size_t i = 0; i < rows.count; i++)
        items[i] = (struct consent){.clientId = rows.items[i].client_id,
                                    .name = rows.items[i].client_name,
                                    .scope = rows.items[i].scope,
                                    .createdAt = rows.items[i].created_at,
                                    .lastUpdated = rows.items[i].updated_at};
    out->consents = (struct field_list){items, rows.count};
    return 0;
}

static int end_grants(struct authd *d, const struct request *req, const char *client_id,
                      struct error *err)
{
    const struct sql_oauth_grants_of_client_in get = {
        .project = req->caller->project, .account = req->caller->account, .client_id = client_id};
    struct sql_oauth_grants_of_client_rows rows;

    do {
        if (sql_oauth_grants_of_client(d->svc.db, req, &get, &rows, err) < 0)
            return -1;
        for (size_t i = 0; i < rows.count; i++) {
            const struct session_end which = {.project = req->caller->project,
                                              .account = req->caller->account,
                                              .only = rows.items[i].session,
                                              .reason = "revoked"};
            size_t count;

            if (session_end(d, req, &which, &count, err) < 0)
                return -1;
        }
    } while (rows.count > 0);
    return 0;
}

/* Withdraws a consent. A repeated request finishes a withdrawal that was interrupted. */
int consent_withdraw(struct authd *d, const struct request *req, const struct consent_in *in,
                     struct ok_out *out, struct error *err)
{
    const struct sql_oauth_consent_delete_in delete = {
        .project = req->caller->project,
        .account = req->caller->account,
        .client_id = in->clientId,
        .now = req->now_ms,
        .audit =
            audit_row(req, &(struct audit){.action = "consent.withdraw", .detail = in->clientId})};
    struct sql_oauth_consent_delete_row row;
    int found = sql_oauth_consent_delete(d->svc.db, req, &delete, &row, err);

    if (found < 0 || end_grants(d, req, in->clientId, err) < 0)
        return -1;
    out->ok = true;
    return found > 0 ? 0 : error_set(err, ERR_NOT_FOUND, "Consent not found.");
}
