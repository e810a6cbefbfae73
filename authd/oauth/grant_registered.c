/*
 * grant_registered.c - see grant_registered.h.
 */
#include "authd/oauth/grant_registered.h"

#include <string.h>

#include "authd/oauth/auth_request.h"
#include "authd/oauth/client.h"
#include "authd/oauth/consent.h"
#include "authd/oauth/fhir_server.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/smart_grant.h"
#include "authd/session/change.h"
#include "authd/settings_cache.h"
#include "authd/sql/oauth.h"
#include "common/service/audit.h"
#include "settingsd/settingsd_api.h"

enum { PAGE = 1000 }; /* as in part grant_held */

static const struct field grant_held_rows[] = {
    FIELD_UUID(struct grant_held, session, FIELD_REQUIRED, "Session of the grant"),
    FIELD_TEXT(struct grant_held, clientId, 0, 0, FIELD_REQUIRED, "Client that has the grant", ""),
    FIELD_ENUM(struct grant_held, role, role, account_roles, FIELD_REQUIRED, "The person's role",
               ""),
    FIELD_TEXT(struct grant_held, scope, 0, 0, FIELD_REQUIRED, "Scope of the grant", ""),
    FIELD_TEXT(struct grant_held, resource, 0, 0, 0, "Resource that the grant is for", ""),
    FIELD_TEXT(struct grant_held, grantTypes, 0, 0, 0,
               "Grant types that issued and refresh the grant", ""),
    FIELD_UUID(struct grant_held, patient, 0, "Patient in the context of the grant"),
    FIELD_BOOL(struct grant_held, firstParty, false, FIELD_REQUIRED,
               "Whether the grant needed no consent"),
};
FIELD_TABLE(grant_held);

struct grant_held grant_held_of(const struct token_call *call, enum role role, const char *scope,
                                const char *resource, struct uuid patient)
{
    const struct oauth_settings *settings = call->client->settings;
    bool renews = oauth_client_allows(&settings->grantTypes, "refresh_token");

    return (struct grant_held){.clientId = call->client->clientId,
                               .role = role,
                               .scope = scope,
                               .resource = resource,
                               .grantTypes =
                                   arena_printf(call->req->arena, "%s%s", call->in->grant_type,
                                                renews ? " refresh_token" : ""),
                               .patient = patient,
                               .firstParty = settings->firstParty};
}

/* ---- one grant ---- */

static bool allows_all(struct arena *arena, const struct field_texts *list, const char *words)
{
    char *rest = NULL, *text = arena_strdup(arena, words);

    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!oauth_client_allows(list, word))
            return false;
    return true;
}

/* Reports if the client is allowed the grant's types. Earlier releases stored no grant types; for
 * their grants, either of these two is enough. */
static bool allows_types(struct arena *arena, const struct oauth_settings *settings,
                         const char *grant_types)
{
    if (grant_types)
        return allows_all(arena, &settings->grantTypes, grant_types);
    return oauth_client_allows(&settings->grantTypes, "authorization_code") ||
           oauth_client_allows(&settings->grantTypes, GRANT_DEVICE_CODE);
}

/* Reports if the registrations of client and server cover the grant. server: the FHIR server at the
 * grant's resource, or NULL. */
static int is_covered(struct authd *d, const struct request *req, struct uuid project,
                      const struct grant_held *held, const struct oauth_client *client,
                      const struct fhir_server *server, struct error *err)
{
    const char *public_url = d->svc.common->public_url;
    const struct issuer issuer = {.tenant = {.projectId = project},
                                  .public_url = public_url ? public_url : ""};
    struct auth_request now = {.in = {.scope = held->scope, .resource = held->resource},
                               .client = *client,
                               .max_age_s = -1,
                               .smart = server != NULL};

    if (!allows_types(req->arena, client->settings, held->grantTypes) ||
        (held->firstParty && !client->settings->firstParty))
        return 0;
    if (server)
        now.server = *server;
    if (auth_request_check_known(req, &issuer, &now, err) < 0 ||
        smart_narrow_registered(req, held->role, held->patient, &now, err) < 0) {
        if (!oauth_word(err))
            return -1;
        error_clear(err);
        return 0;
    }
    return word_list_has_all(now.scope, held->scope);
}

/* Finds the current registration of a client; returns 0 if the client was deleted. */
static int find_client(struct authd *d, const struct request *req, struct settings_view *view,
                       struct uuid project, const char *client_id, struct oauth_client *ret,
                       struct error *err)
{
    const struct tenant tenant = {.projectId = project};

    if (oauth_client_find(d, req, view, &tenant, client_id, ret, err) == 0)
        return 1;
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return 0;
}

static int find_server(struct authd *d, const struct request *req, struct uuid project,
                       const char *base, struct fhir_server *ret, struct error *err)
{
    return base ? fhir_server_find(d, req, project, base, ret, err) : 0;
}

static int refuse(struct error *err)
{
    return oauth_fail(err, ERR_BAD_REQUEST, "invalid_grant",
                      "The client is no longer allowed what it was granted.");
}

/* Reports if the person has consented where required. A client that was first-party has requested
 * no consent. */
static int has_consent(struct authd *d, const struct token_call *call, struct uuid account,
                       const struct grant_held *held, struct error *err)
{
    const struct caller caller = {.project = call->issuer->tenant.projectId, .account = account};
    struct auth_request now = {
        .in = {.resource = held->resource}, .client = *call->client, .scope = held->scope};

    if (consent_narrow(d, call->req, &caller, &now, err) == 0)
        return word_list_has_all(now.scope, held->scope);
    if (!oauth_word(err))
        return -1;
    error_clear(err);
    return 0;
}

static int is_registered(struct authd *d, const struct token_call *call, struct settings_view *view,
                         const struct grant_held *held, struct error *err)
{
    struct oauth_client client;
    struct fhir_server server;
    struct issuer issuer;
    int known, found;

    if (issuer_open_view(d, call->req, view, call->in->tenantCode, call->in->visit, &issuer, err) <
        0)
        return -1;
    known = find_client(d, call->req, view, issuer.tenant.projectId, held->clientId, &client, err);
    if (known <= 0)
        return known;
    found = find_server(d, call->req, issuer.tenant.projectId, held->resource, &server, err);
    return found < 0 ? -1
                     : is_covered(d, call->req, issuer.tenant.projectId, held, &client,
                                  found ? &server : NULL, err);
}

int grant_check_registered(struct authd *d, const struct token_call *call, struct uuid account,
                           const struct grant_held *held, int64_t *ret_change, struct error *err)
{
    struct settings_view view = {.reads = true};
    int fits = is_registered(d, call, &view, held, err);

    if (fits > 0)
        fits = has_consent(d, call, account, held, err);
    *ret_change = view.change;
    return fits == 0 ? refuse(err) : MIN(fits, 0);
}

/* ---- a client's or server's grants ---- */

struct grant_scan {
    struct uuid project, after;
    const char *client_id;     /* NULL: all clients */
    const char *base;          /* base URL of a changed server; NULL: any resource */
    struct fhir_server server; /* at `resource` */
    const char *resource;      /* NULL: not looked up */
    bool has_server;
    struct oauth_client client; /* for `known_id` */
    const char *known_id;       /* NULL: not looked up */
    bool has_client;
    struct settings_view view;
};

static int scan_client(struct authd *d, const struct request *req, struct grant_scan *scan,
                       const char *client_id, struct error *err)
{
    int found;

    if (scan->known_id && strcmp(scan->known_id, client_id) == 0)
        return 0;
    found = find_client(d, req, &scan->view, scan->project, client_id, &scan->client, err);
    scan->has_client = found > 0;
    scan->known_id = client_id;
    return MIN(found, 0);
}

static int scan_server(struct authd *d, const struct request *req, struct grant_scan *scan,
                       const char *resource, struct error *err)
{
    int found;

    if (scan->base || (scan->resource && resource && strcmp(scan->resource, resource) == 0))
        return 0;
    found = find_server(d, req, scan->project, resource, &scan->server, err);
    scan->has_server = found > 0;
    scan->resource = resource;
    return MIN(found, 0);
}

/* Reports if a grant can stay. If the server was deleted, no grant at it can. */
static int stays(struct authd *d, const struct request *req, struct grant_scan *scan,
                 const struct grant_held *held, struct error *err)
{
    if (scan->base && !scan->has_server)
        return 0;
    if (scan_client(d, req, scan, held->clientId, err) < 0 ||
        scan_server(d, req, scan, held->resource, err) < 0)
        return -1;
    return scan->has_client ? is_covered(d, req, scan->project, held, &scan->client,
                                         scan->has_server ? &scan->server : NULL, err)
                            : 0;
}

static int list_page(struct authd *d, const struct request *req, const struct grant_scan *scan,
                     struct field_list *ret, struct error *err)
{
    const struct sql_grant_held held = {
        .project = scan->project, .after = scan->after, .now = req->now_ms};
    const struct sql_grant_list_of_client_in of_client = {.client_id = scan->client_id,
                                                          .grant_held = held};
    const struct sql_grant_list_at_resource_in at_resource = {.resource = scan->base,
                                                              .grant_held = held};

    return scan->client_id ? sql_grant_list_of_client(d->svc.db, req, &of_client, ret, err)
                           : sql_grant_list_at_resource(d->svc.db, req, &at_resource, ret, err);
}

static int scan_page(struct authd *d, const struct request *req, struct grant_scan *scan,
                     struct db_array *ret, bool *ret_more, struct error *err)
{
    const struct grant_held *grants;
    struct field_list rows;

    if (list_page(d, req, scan, &rows, err) < 0)
        return -1;
    grants = rows.items;
    *ret = db_array_new(req->arena, rows.count, sizeof(struct uuid));
    *ret_more = rows.count == PAGE;
    for (size_t i = 0; i < rows.count; i++) {
        int kept = stays(d, req, scan, &grants[i], err);

        if (kept < 0)
            return -1;
        if (!kept)
            db_array_add(ret, grants[i].session.text);
        scan->after = grants[i].session;
    }
    return 0;
}

/* Ends the excessive grants of a page, in a transaction of its own if `tx` is NULL. */
static int end_page(struct authd *d, const struct request *req, struct db_tx *tx,
                    struct grant_scan *scan, struct session_ended *ended, bool *ret_more,
                    struct error *err)
{
    struct sql_grant_end_in end = {.project = scan->project,
                                   .now = req->now_ms,
                                   .change = {.until = req->now_ms + CHANGE_SESSION_LIFE},
                                   .audit =
                                       audit_row(req, &(struct audit){.action = "session.end",
                                                                      .project = scan->project,
                                                                      .detail = "application"})};
    struct field_list changes;

    if (scan_page(d, req, scan, &end.sessions, ret_more, err) < 0)
        return -1;
    if ((tx ? sql_grant_end_tx(tx, req, &end, &changes, err)
            : sql_grant_end(d->svc.db, req, &end, &changes, err)) < 0)
        return -1;
    session_ended_add(req, &changes, ended);
    return 0;
}

static int forget_consents(struct authd *d, const struct request *req,
                           const struct grant_scan *scan, struct error *err)
{
    const struct sql_oauth_consent_delete_client_in delete = {.project = scan->project,
                                                              .client_id = scan->client_id};

    return MIN(sql_oauth_consent_delete_client(d->svc.db, req, &delete, err), 0);
}

/* Reads the current registration, not a cached one. */
static int read_client(struct authd *d, const struct request *req, struct grant_scan *scan,
                       struct error *err)
{
    const struct oauth_client_get_in get = {.projectId = scan->project,
                                            .clientId = scan->client_id};

    scan->known_id = scan->client_id;
    scan->has_client = settingsd_oauth_client_get(d->svc.bus, req, &get, &scan->client, err) == 0;
    if (scan->has_client)
        return 0;
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return forget_consents(d, req, scan, err);
}

static int wait_for_begun(struct authd *d, const struct request *req, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_grant_barrier(tx, req, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

int grant_end_of_client(struct authd *d, const struct request *req, struct uuid project,
                        struct uuid client, struct error *err)
{
    struct grant_scan scan = {.project = project, .client_id = client.text};
    bool more = true;

    if (read_client(d, req, &scan, err) < 0 || wait_for_begun(d, req, err) < 0)
        return -1;
    while (more) {
        struct session_ended ended = {.count = 0};

        if (end_page(d, req, NULL, &scan, &ended, &more, err) < 0 ||
            session_revocation_wait(d, req, &ended, err) < 0)
            return -1;
    }
    return 0;
}

int grant_end_of_server(struct authd *d, const struct request *req, struct db_tx *tx,
                        struct uuid project, const char *base, const struct fhir_server *server,
                        struct session_ended *ret, struct error *err)
{
    struct grant_scan scan = {
        .project = project, .base = base, .has_server = server != NULL, .view = {.reads = true}};
    bool more = true;

    *ret = (struct session_ended){.count = 0};
    if (server)
        scan.server = *server;
    if (sql_grant_barrier(tx, req, err) < 0)
        return -1;
    while (more) {
        if (end_page(d, req, tx, &scan, ret, &more, err) < 0)
            return -1;
    }
    return 0;
}
