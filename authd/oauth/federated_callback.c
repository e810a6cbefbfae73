/*
 * federated_callback.c - takes the answers of identity providers, to which authd is a client
 * (OpenID Connect Core 1.0, section 3.1.2.5).
 *
 * A page's sign-in ends in the browser whose cookie has started it. The cookie is that of the
 * tenant where the person signs in, so an answer that arrived at the tenant of an inherited
 * provider is led to that one's callback.
 */
#include <string.h>

#include "authd/federation/federated.h"
#include "authd/federation/federated_api.h"
#include "authd/oauth/redirect.h"
#include "authd/page/federated_page.h"
#include "authd/page/sign_in_page.h"
#include "authd/signin/sign_in_api.h"
#include "common/domain/uri.h"

/* Leads back to the application, with the issuer (RFC 9207) and its own id of the sign-in. */
static void to_application(const struct authd *d, struct arena *arena, const struct federated *self,
                           const char *name, const char *value, const char *description,
                           struct endpoint_answer *out)
{
    const char *url = uri_add(arena, self->redirect_uri, name, value);

    url = uri_add(arena, url, "error_description", description);
    url = uri_add(arena, url, "loginId", self->id.text);
    url =
        uri_add(arena, url, "iss",
                arena_printf(arena, "%s/t/%s", d->svc.common->public_url, self->tenant.tenantCode));
    *out = (struct endpoint_answer){.status = 303, .location = url};
}

/* RFC 6749, section 4.1.2.1. NULL: an internal error. */
static const char *word_of(const struct error *err)
{
    int status = error_kind(err->code)->status;

    if (status == 429 || status == 503 || status == 504)
        return "temporarily_unavailable";
    return status >= 500 ? NULL : "access_denied";
}

static int answer_application(struct authd *d, const struct request *req,
                              const struct federated_callback_in *in, struct federated *login,
                              struct endpoint_answer *out, struct error *err)
{
    struct login_step step = {.nextStep = NULL};
    const char *word;

    if ((uuid_is_set(&login->account)
             ? federated_prove(d, req, login, in, &step.sessionCode, err)
             : federated_finish(d, req, login, in, login->challenge, &step, err)) == 0) {
        to_application(d, req->arena, login, step.sessionCode ? "sessionCode" : "nextStep",
                       step.sessionCode ? step.sessionCode : step.nextStep, NULL, out);
        return 0;
    }
    word = word_of(err);
    if (!word)
        return -1;
    to_application(d, req->arena, login, "error", word, arena_strdup(req->arena, err->message),
                   out);
    error_clear(err);
    return 0;
}

static enum visit_step finish_page(struct visit *visit, const struct federated_callback_in *in,
                                   struct federated *login, struct page_answer *out,
                                   struct error *err)
{
    struct login_step step = {.nextStep = NULL};
    const char *challenge, *verifier = sign_in_page_verifier(visit->req.arena, &challenge);

    if (visit->from->isNew || !federated_is_of_browser(login, visit->from->cookie))
        (void)error_set(err, ERR_BAD_REQUEST, "Another browser has started the sign-in.");
    else if (federated_finish(visit->d, &visit->req, login, in, challenge, &step, err) == 0)
        return sign_in_page_go_on(visit, login->role, &step, verifier, out, err);
    return federated_page_refuse(visit, login->name, err, out);
}

/* Shows a page; login NULL: there is no such sign-in. */
static int answer_page(struct authd *d, const struct request *req,
                       const struct federated_callback_in *in, struct federated *login,
                       struct endpoint_answer *out, struct error *err)
{
    struct page_visit from = *in->visit->page;
    struct page_answer page;
    struct error why;
    struct visit visit;
    enum visit_step step;

    error_init(&why, req->arena);
    error_copy(&why, err);
    error_clear(err);
    from.next = login ? login->next : NULL;
    step = visit_open(d, req, in->tenantCode, &from, &visit, &page, err);
    if (step == VISIT_OPEN && login && login->test)
        step = federated_page_test(&visit, in, login, &page, err);
    else if (step == VISIT_OPEN && login)
        step = finish_page(&visit, in, login, &page, err);
    else if (step == VISIT_OPEN)
        step = federated_page_refuse(&visit, NULL, &why, &page);
    if (step == VISIT_FAILED)
        return -1;
    redirect_to_page(&page, out);
    return 0;
}

static void forward(const struct request *req, const struct federated_callback_in *in,
                    const struct federated *login, struct endpoint_answer *out)
{
    const char *url = arena_printf(req->arena, "/t/%s/idp/%s/callback", login->tenant.tenantCode,
                                   login->provider.text);

    url = uri_add(req->arena, url, "state", in->state);
    url = uri_add(req->arena, url, "code", in->code);
    url = uri_add(req->arena, url, "iss", in->iss);
    url = uri_add(req->arena, url, "error", in->error);
    *out = (struct endpoint_answer){.status = 303, .location = url};
}

int federated_callback(struct authd *d, const struct request *req,
                       const struct federated_callback_in *in, struct endpoint_answer *out,
                       struct error *err)
{
    struct federated login;

    if (federated_find(d, req, in, &login, err) < 0)
        return err->code == ERR_BAD_REQUEST ? answer_page(d, req, in, NULL, out, err) : -1;
    if (login.redirect_uri)
        return answer_application(d, req, in, &login, out, err);
    if (strcmp(login.tenant.tenantCode, in->tenantCode) != 0) {
        forward(req, in, &login, out);
        return 0;
    }
    return answer_page(d, req, in, &login, out, err);
}
