/*
 * logout.c - sign-out at a client's request (OpenID Connect RP-Initiated Logout 1.0). Handlers:
 * end_session, end_session_post.
 *
 * An ID token of the browser's session signs out immediately, because no other site has one.
 * Otherwise a page asks the person. Redirects go only to registered URIs.
 */
#include <string.h>

#include "authd/oauth/client.h"
#include "authd/oauth/issuer.h"
#include "authd/oauth/oauth_api.h"
#include "authd/oauth/redirect.h"
#include "authd/page/language_choice.h"
#include "authd/page/visit.h"
#include "authd/session/issuer_key.h"
#include "authd/session/session.h"
#include "authd/sql/oauth.h"
#include "common/domain/jwt.h"
#include "common/domain/uri.h"
#include "settingsd/client_api.h"

struct ending {
    struct authd *d;
    const struct end_session_in *in;
    struct issuer issuer;
    struct visit visit;
    struct page_answer page;
    json_t *hint;               /* the given ID token's claims; NULL: none */
    const char *client_id;      /* NULL: not given */
    struct oauth_client client; /* clientId NULL: unknown */
};

/* ---- request ---- */

static enum visit_step refuse(struct ending *self)
{
    return visit_say(&self->visit, 400, PAGE_TEXT_ERROR_CLIENT, PAGE_TEXT_ERROR_CLIENT_TEXT,
                     &self->page);
}

/* Section 2: accepts an expired ID token. */
static int read_hint(struct ending *self, struct error *err)
{
    const char *hint = self->in->id_token_hint;

    if (!hint)
        return 0;
    return issuer_verify_former(self->d, &self->visit.req, hint, "JWT", self->issuer.url,
                                &self->hint, err);
}

/* Rejects a client other than the one in the ID token. */
static enum visit_step find_client(struct ending *self, struct error *err)
{
    const char *given = self->in->client_id;
    const char *hinted = self->hint ? jwt_text(self->hint, "aud") : NULL;

    self->client_id = given ? given : hinted;
    if (given && hinted && strcmp(given, hinted) != 0)
        return refuse(self);
    if (!self->client_id || oauth_client_find(self->d, &self->visit.req, NULL, &self->issuer.tenant,
                                              self->client_id, &self->client, err) == 0)
        return VISIT_OPEN;
    self->client = (struct oauth_client){.clientId = NULL};
    if (err->code != ERR_NOT_FOUND)
        return VISIT_FAILED;
    error_clear(err);
    return given ? refuse(self) : VISIT_OPEN; /* the ID token's client was deleted since */
}

/* Section 3.1: the redirect URI must match exactly. */
static enum visit_step check_address(struct ending *self)
{
    const char *uri = self->in->post_logout_redirect_uri;

    if (!uri || (self->client.clientId &&
                 oauth_client_allows(&self->client.settings->postLogoutRedirectUris, uri)))
        return VISIT_OPEN;
    return refuse(self);
}

/* Reports if the hint belongs to the browser's session. A grant of another session does not count.
 * A grant with offline_access has no session, so it counts for the person. */
static int is_of_session(const struct ending *self, bool *ret, struct error *err)
{
    const struct caller *caller = &self->visit.caller;
    struct sql_grant_parent_get_in get = {.project = caller->project};
    struct sql_grant_parent_get_row row;
    int found;

    *ret = false;
    if (!self->hint || strcmp(jwt_text(self->hint, "sub"), caller->profile.text) != 0 ||
        uuid_parse(jwt_text(self->hint, "sid"), &get.session) < 0)
        return 0;
    found = sql_grant_parent_get(self->d->svc.db, &self->visit.req, &get, &row, err);
    if (found <= 0)
        return found;
    *ret = uuid_equal(&row.account, &caller->account) &&
           (!uuid_is_set(&row.parent) || uuid_equal(&row.parent, &caller->session));
    return 0;
}

/* ---- sign-out ---- */

/* Section 3: adds only the given state. */
static enum visit_step go_on(struct ending *self)
{
    const char *uri = self->in->post_logout_redirect_uri;

    if (!uri)
        return visit_go(&self->visit, "sign-in?note=signed-out", &self->page);
    self->page.status = 303;
    self->page.location = uri_add(self->visit.req.arena, uri, "state", self->in->state);
    return VISIT_ANSWERED;
}

/* Ends the browser's session, and its grants without offline_access. */
static enum visit_step end(struct ending *self, struct error *err)
{
    const struct caller *caller = &self->visit.caller;
    const struct session_end which = {.project = caller->project,
                                      .account = caller->account,
                                      .only = caller->session,
                                      .reason = "logout"};
    size_t count;

    if (self->visit.signed_in) {
        if (session_end(self->d, &self->visit.req, &which, &count, err) < 0)
            return VISIT_FAILED;
        self->page.cookie = "";
    }
    return go_on(self);
}

static enum visit_step ask(struct ending *self)
{
    const struct visit *visit = &self->visit;
    const struct end_session_in *in = self->in;
    struct page page;

    visit_page(visit, &page);
    page_logout(&page, &(struct page_logout_in){VISIT_VALUES(visit), .client = self->client.name,
                                                .person = visit->caller.display,
                                                .client_id = self->client.clientId,
                                                .redirect = in->post_logout_redirect_uri,
                                                .state = in->state, .locales = in->ui_locales});
    visit_allow_redirect(visit, in->post_logout_redirect_uri, &self->page);
    return visit_show(&page, 200, &self->page);
}

/* ---- handlers ---- */

static enum visit_step open_request(struct ending *self, const struct request *req,
                                    struct error *err)
{
    const struct end_session_in *in = self->in;
    enum visit_step step =
        visit_open(self->d, req, in->tenantCode, in->visit->page, &self->visit, &self->page, err);

    if (step != VISIT_OPEN)
        return step;
    (void)language_of_locales(in->ui_locales, &self->visit.language);
    if (issuer_open(self->d, req, in->tenantCode, in->visit, &self->issuer, err) < 0 ||
        read_hint(self, err) < 0)
        return VISIT_FAILED;
    step = find_client(self, err);
    return step == VISIT_OPEN ? check_address(self) : step;
}

static enum visit_step proceed(struct ending *self, struct error *err)
{
    bool own_form = self->in->visit->page->own && self->in->action;
    bool certain = false;

    if (own_form && strcmp(self->in->action, "end") != 0)
        return visit_go(&self->visit, "account", &self->page);
    if (self->visit.signed_in && !own_form && is_of_session(self, &certain, err) < 0)
        return VISIT_FAILED;
    return !self->visit.signed_in || own_form || certain ? end(self, err) : ask(self);
}

static int answer(struct ending *self, enum visit_step step, struct endpoint_answer *out)
{
    json_decref(self->hint);
    if (step == VISIT_FAILED)
        return -1;
    redirect_to_page(&self->page, out);
    return 0;
}

int end_session(struct authd *d, const struct request *req, const struct end_session_in *in,
                struct endpoint_answer *out, struct error *err)
{
    struct ending self = {.d = d, .in = in};
    enum visit_step step = open_request(&self, req, err);

    return answer(&self, step == VISIT_OPEN ? proceed(&self, err) : step, out);
}

/* POSTs other than the page's form may come from another site without the cookie, so they are
 * redirected (SameSite=Lax). */
int end_session_post(struct authd *d, const struct request *req, const struct end_session_in *in,
                     struct endpoint_answer *out, struct error *err)
{
    struct arena *arena = req->arena;
    const char *url = arena_printf(arena, "/t/%s/logout", in->tenantCode);

    if (in->visit->page && in->visit->page->own && in->action)
        return end_session(d, req, in, out, err);
    if (in->tenantCode[strspn(in->tenantCode, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0')
        return error_set(err, ERR_NOT_FOUND, "Tenant not found.");
    url = uri_add(arena, url, "id_token_hint", in->id_token_hint);
    url = uri_add(arena, url, "client_id", in->client_id);
    url = uri_add(arena, url, "post_logout_redirect_uri", in->post_logout_redirect_uri);
    url = uri_add(arena, url, "state", in->state);
    url = uri_add(arena, url, "ui_locales", in->ui_locales);
    if (strlen(url) >= ENDPOINT_LOCATION_MAX)
        return error_set(err, ERR_BAD_REQUEST, "The request is too long.");
    out->status = 303;
    out->location = url;
    return 0;
}
