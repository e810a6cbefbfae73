/*
 * account_page.c - the account page.
 */
#include <string.h>

#include "authd/account/account_api.h"
#include "authd/federation/federated_api.h"
#include "authd/oauth/oauth_api.h"
#include "authd/page/own_account_page.h"
#include "authd/page/page_api.h"
#include "authd/page/scope_text.h"
#include "authd/page/step_up_page.h"
#include "authd/page/visit.h"
#include "authd/passkey/passkey_api.h"
#include "authd/session/session_api.h"
#include "common/domain/page.h"

/* Returns the OpenID client's name if the session is a grant, or NULL. */
static const char *client_of(struct arena *arena, const struct session_list *list, struct uuid id)
{
    const struct session_record *records = list->sessions.items;

    for (size_t i = 0; i < list->sessions.count; i++) {
        json_auto_t *client = NULL;

        if (strcmp(records[i].id.text, id.text) != 0 || !records[i].client)
            continue;
        client = json_loads(records[i].client, 0, NULL);
        return arena_strdup(arena, json_string_value(json_object_get(client, "name")));
    }
    return NULL;
}

static struct page_account_session *rows_of(const struct visit *visit,
                                            const struct field_list *sessions,
                                            const struct session_list *clients)
{
    const struct session_record *records = sessions->items;
    struct arena *arena = visit->req.arena;
    struct page_account_session *rows = arena_calloc(arena, sessions->count, sizeof(*rows));

    for (size_t i = 0; i < sessions->count; i++) {
        const char *client = client_of(arena, clients, records[i].id);
        const char *device = visit_device(arena, &records[i]);

        rows[i] = (struct page_account_session){
            .id = arena_strdup(arena, records[i].id.text),
            .name = client   ? client
                    : device ? device
                             : "–",
            .device = client ? device : NULL,
            .address = records[i].remoteAddress,
            .seen = visit_time(visit, records[i].lastUpdated),
            .current = records[i].current,
        };
    }
    return rows;
}

static struct page_account_consent *consent_rows(const struct visit *visit,
                                                 const struct field_list *consents)
{
    const struct consent *items = consents->items;
    struct page_account_consent *rows =
        arena_calloc(visit->req.arena, consents->count, sizeof(*rows));

    for (size_t i = 0; i < consents->count; i++) {
        rows[i] = (struct page_account_consent){.client = items[i].clientId,
                                                .name = items[i].name,
                                                .since = visit_time(visit, items[i].createdAt)};
        rows[i].scope = scope_texts(visit->req.arena, visit->language, visit->caller.role,
                                    items[i].scope, &rows[i].scope_count);
    }
    return rows;
}

static struct page_account_identity *identity_rows(const struct visit *visit,
                                                   const struct field_list *identities)
{
    const struct own_identity *items = identities->items;
    struct arena *arena = visit->req.arena;
    struct page_account_identity *rows = arena_calloc(arena, identities->count, sizeof(*rows));

    for (size_t i = 0; i < identities->count; i++)
        rows[i] = (struct page_account_identity){.id = arena_strdup(arena, items[i].id.text),
                                                 .name = items[i].provider,
                                                 .since = visit_time(visit, items[i].createdAt)};
    return rows;
}

static enum visit_step show(const struct visit *visit, int status, enum page_text notice,
                            struct page_answer *out, struct error *err)
{
    struct arena *arena = visit->req.arena;
    const struct me_telecom *telecom;
    const struct sessions_in newest = {._count = ME_SESSIONS_MAX};
    const struct nothing in = {0};
    struct session_list clients = {0};
    struct own_identity_list linked = {0};
    struct consent_list given = {0};
    struct passkey_list keys = {0};
    struct me_out who = {0};
    struct page page;

    if (me(visit->d, &visit->req, &in, &who, err) < 0 ||
        passkeys(visit->d, &visit->req, &in, &keys, err) < 0 ||
        sessions(visit->d, &visit->req, &newest, &clients, err) < 0 ||
        own_identities(visit->d, &visit->req, &in, &linked, err) < 0 ||
        consents(visit->d, &visit->req, &in, &given, err) < 0)
        return VISIT_FAILED;
    telecom = who.profile->telecom.items;
    visit_page(visit, &page);
    page_account(
        &page,
        &(struct page_account_in){
            VISIT_VALUES(visit), .name = visit->caller.display, .email = telecom->value,
            .practitioner = visit->caller.role == ROLE_PRACTITIONER,
            .unverified = !who.security->emailVerified, .notice = notice,
            .factor = who.security->mfaEnrolled,
            .passkeys =
                keys.passkeys.count > 0 ? arena_printf(arena, "%zu", keys.passkeys.count) : NULL,
            .deletion = visit->caller.until ? visit_time(visit, visit->caller.until) : NULL,
            .more_sessions = who.security->moreSessions,
            .session = rows_of(visit, &who.security->sessions, &clients),
            .session_count = who.security->sessions.count,
            .identity = identity_rows(visit, &linked.identities),
            .identity_count = linked.identities.count,
            .consent = consent_rows(visit, &given.consents),
            .consent_count = given.consents.count});
    return visit_show(&page, status, out);
}

/* An ended session isn't an error. */
static enum visit_step end(const struct visit *visit, const char *session, struct page_answer *out,
                           struct error *err)
{
    const struct sessions_revoke_in in = {.option = session ? session : ""};
    struct session_list left = {0};
    struct uuid id;

    if (uuid_parse(in.option, &id) < 0)
        return visit_go(visit, "account", out);
    if (sessions_revoke(visit->d, &visit->req, &in, &left, err) < 0 && err->code != ERR_NOT_FOUND)
        return VISIT_FAILED;
    error_clear(err);
    return visit_go(visit, "account?note=session-ended", out);
}

/* A withdrawn consent isn't an error. */
static enum visit_step withdraw(const struct visit *visit, const char *client,
                                struct page_answer *out, struct error *err)
{
    const struct consent_in in = {.clientId = client ? client : ""};
    struct ok_out ok = {0};

    if (consent_withdraw(visit->d, &visit->req, &in, &ok, err) < 0 && err->code != ERR_NOT_FOUND)
        return VISIT_FAILED;
    error_clear(err);
    return visit_go(visit, "account?note=consent-withdrawn", out);
}

/* A removed link isn't an error. */
static enum visit_step unlink_identity(const struct visit *visit, const char *identity,
                                       struct page_answer *out, struct error *err)
{
    struct own_identity_path_in in;
    struct nothing nothing = {0};

    if (uuid_parse(identity ? identity : "", &in.id) < 0)
        return visit_go(visit, "account", out);
    if (own_identity_delete(visit->d, &visit->req, &in, &nothing, err) == 0)
        return visit_go(visit, "account?note=unlinked", out);
    if (err->code == ERR_STEP_UP_REQUIRED)
        return step_up_go(visit, "account", out);
    if (err->code == ERR_FORBIDDEN) /* the provider made this session */
        return visit_go(visit, "account?note=unlink-first", out);
    return err->code == ERR_NOT_FOUND ? visit_go(visit, "account", out) : VISIT_FAILED;
}

/* Ends the browser's session and continues to the sign-in, which can cancel a deletion. */
static enum visit_step sign_out(const struct visit *visit, const char *page,
                                struct page_answer *out, struct error *err)
{
    const struct nothing in = {0};
    struct nothing nothing = {0};

    if (logout(visit->d, &visit->req, &in, &nothing, err) < 0)
        return VISIT_FAILED;
    out->cookie = "";
    return visit_go(visit, page, out);
}

/* The sign-in leads a signed-in person to the account. */
int page_home_get(struct authd *d, const struct request *req, const struct page_query *in,
                  struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_any(d, req, in->tenantCode, in->visit, &visit, out, err);

    return visit_result(step == VISIT_OPEN ? visit_go(&visit, "sign-in", out) : step);
}

int page_account_get(struct authd *d, const struct request *req, const struct page_query *in,
                     struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_account(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = visit.installation
                   ? own_account_show(&visit, 200, visit_note(in->note), PAGE_NO_TEXT, out, err)
                   : show(&visit, 200, visit_note(in->note), out, err);
    return visit_result(step);
}

int page_account_post(struct authd *d, const struct request *req, const struct account_form *in,
                      struct page_answer *out, struct error *err)
{
    const char *action = in->action ? in->action : "";
    struct visit visit;
    enum visit_step step =
        visit_open_account_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = visit.installation
                   ? own_account_show(&visit, VISIT_STALE_STATUS, PAGE_TEXT_ERROR_STALE,
                                      PAGE_NO_TEXT, out, err)
                   : show(&visit, VISIT_STALE_STATUS, PAGE_TEXT_ERROR_STALE, out, err);
    if (step != VISIT_OPEN)
        return visit_result(step);
    if (visit.installation)
        step = own_account_act(&visit, in, out, err);
    else if (strcmp(action, "sign-out") == 0)
        step = sign_out(&visit, "sign-in?note=signed-out", out, err);
    else if (strcmp(action, "keep") == 0)
        step = sign_out(&visit, "sign-in?note=keep", out, err);
    else if (strcmp(action, "unlink") == 0)
        step = unlink_identity(&visit, in->identity, out, err);
    else if (strcmp(action, "withdraw") == 0)
        step = withdraw(&visit, in->client, out, err);
    else
        step = end(&visit, in->session, out, err);
    return visit_result(step);
}
