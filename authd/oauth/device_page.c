/*
 * device_page.c - the page on which a person approves a device (RFC 8628, section 3.3). Handlers:
 * page_device_get, page_device_post.
 *
 * A new sign-in is required, as a warning to people with an open session who follow an attacker's
 * link (section 5.4). The found request is sealed for this browser.
 */
#include <string.h>

#include "authd/credential/throttle.h"
#include "authd/oauth/client.h"
#include "authd/oauth/consent.h"
#include "authd/oauth/device.h"
#include "authd/oauth/oauth_error.h"
#include "authd/oauth/person_check.h"
#include "authd/oauth/smart_grant.h"
#include "authd/page/page_api.h"
#include "authd/page/scope_text.h"
#include "authd/page/visit.h"
#include "authd/sql/oauth.h"
#include "common/domain/endpoint.h"

struct device_visit {
    struct visit visit;
    int64_t signed_in_at;
    /* set once the device is found: */
    uint8_t user_hash[SECRET_HASH_SIZE];
    struct sql_oauth_device_find_row device;
    struct auth_request request;
};

/* ---- sign-in ---- */

/* Sends the browser to sign in. The sealed request names the browser's present session, which is
 * too old to count. */
static enum visit_step send_to_sign_in(const struct visit *visit, struct page_answer *out)
{
    const struct auth_request request = {.sent_at = visit->req.now_ms,
                                         .session =
                                             visit->signed_in ? visit->caller.session.text : "",
                                         .to_device = true};
    const char *sealed =
        auth_request_seal(visit->d, &visit->req, visit->tenant.projectId, &request);

    return visit_go(visit, arena_printf(visit->req.arena, "sign-in?next=%s", sealed ? sealed : ""),
                    out);
}

/* Reports if the session began on the way to this page. */
static int is_fresh(struct device_visit *self, bool *ret, struct error *err)
{
    const struct visit *visit = &self->visit;
    const struct sql_oauth_session_get_in get = {.project = visit->tenant.projectId,
                                                 .session = visit->caller.session,
                                                 .now = visit->req.now_ms};
    struct sql_oauth_session_get_row session;
    struct auth_request way;
    int found;

    *ret = false;
    if (!visit->signed_in || !visit->to_device ||
        auth_request_unseal(visit->d, &visit->req, visit->tenant.projectId, visit->next, &way) < 0)
        return 0;
    found = sql_oauth_session_get(visit->d->svc.db, &visit->req, &get, &session, err);
    if (found <= 0)
        return found;
    self->signed_in_at = session.signed_in_at;
    *ret = auth_request_signed_in_anew(&way, visit->caller.session, session.created_at,
                                       visit->req.now_ms);
    return 0;
}

static enum visit_step refuse_person(const struct visit *visit, enum page_text text,
                                     struct page_answer *out)
{
    return visit_say(visit, 403, PAGE_TEXT_NOTE_DEVICE_DENIED, text, out);
}

/* Makes the checks that /authorize makes for a person. */
static enum visit_step open_person(struct device_visit *self, enum visit_step step,
                                   struct page_answer *out, struct error *err)
{
    bool fresh;

    if (step != VISIT_OPEN)
        return step;
    if (is_fresh(self, &fresh, err) < 0)
        return VISIT_FAILED;
    if (!fresh)
        return send_to_sign_in(&self->visit, out);
    if (person_check(&self->visit, err) < 0) {
        if (!oauth_word(err))
            return VISIT_FAILED;
        error_clear(err);
        return refuse_person(&self->visit, PAGE_TEXT_ERROR_DISABLED, out);
    }
    if (visit_lacks_factor(&self->visit))
        return refuse_person(&self->visit, PAGE_TEXT_ERROR_FACTOR_FIRST, out);
    return VISIT_OPEN;
}

/* ---- code ---- */

static enum visit_step show_form(const struct visit *visit, int status, enum page_text problem,
                                 struct page_answer *out)
{
    struct page page;

    visit_page(visit, &page);
    page_device(&page, &(struct page_device_in){VISIT_VALUES(visit), .problem = problem});
    return visit_show(&page, status, out);
}

/* A wrong code reveals that no device has it, so tries are limited, and counted before the
 * check. */
static int count_try(const struct visit *visit, struct error *err)
{
    if (throttle_limit_client(visit->d, &visit->req, "device code address", visit->req.address,
                              DEVICE_WINDOW, DEVICE_ADDRESS_TRIES_MAX, err) < 0)
        return -1;
    return throttle_limit(visit->d, &visit->req, "device code session", visit->caller.session.text,
                          BROWSER_IDLE_LIFE, DEVICE_TRIES_MAX, err);
}

/* Returns 0 if client or person can no longer have the request. */
static int open_request(struct device_visit *self, const struct page_visit *from, struct error *err)
{
    const struct endpoint_visit endpoint = {.url = from->url};
    const struct visit *visit = &self->visit;
    struct auth_request *request = &self->request;
    struct issuer issuer;

    *request = (struct auth_request){.in = {.client_id = self->device.client_id,
                                            .scope = self->device.scope,
                                            .resource = self->device.resource},
                                     .max_age_s = -1};
    if (issuer_open(visit->d, &visit->req, visit->tenant.tenantCode, &endpoint, &issuer, err) < 0)
        return -1;
    if (oauth_client_find(visit->d, &visit->req, NULL, &issuer.tenant, self->device.client_id,
                          &request->client, err) < 0)
        return err->code == ERR_NOT_FOUND ? error_clear(err), 0 : -1;
    if (!oauth_client_allows(&request->client.settings->grantTypes, GRANT_DEVICE_CODE))
        return 0;
    if (auth_request_check_target(visit->d, &visit->req, &issuer, request, err) == 0 &&
        smart_narrow(visit->d, &visit->req, visit->tenant.projectId, &visit->caller, request,
                     err) == 0)
        return 1;
    if (!oauth_word(err))
        return -1;
    error_clear(err);
    return 0;
}

static int find_device(struct device_visit *self, struct error *err)
{
    const struct visit *visit = &self->visit;
    const struct sql_oauth_device_find_in in = {.project = visit->tenant.projectId,
                                                .user_hash = {self->user_hash,
                                                              sizeof(self->user_hash)},
                                                .now = visit->req.now_ms};
    int found = sql_oauth_device_find(visit->d->svc.db, &visit->req, &in, &self->device, err);

    return found > 0 ? open_request(self, visit->from, err) : found;
}

static enum visit_step show_device(const struct device_visit *self, struct page_answer *out)
{
    const struct visit *visit = &self->visit;
    struct arena *arena = visit->req.arena;
    size_t count;
    const struct page_scopes_scope *rows =
        scope_texts(arena, visit->language, visit->caller.role, self->request.scope, &count);
    struct page page;

    visit_page(visit, &page);
    page_device_confirm(&page,
                        &(struct page_device_confirm_in){
                            VISIT_VALUES(visit),
                            .step = visit_seal(visit, secret_encode(arena, self->user_hash,
                                                                    sizeof(self->user_hash))),
                            .client = self->request.client.name,
                            .resource = self->request.in.resource, .address = self->device.address,
                            .person = visit->caller.display, .scope = rows, .scope_count = count});
    return visit_show(&page, 200, out);
}

static enum visit_step find(struct device_visit *self, const char *code, struct page_answer *out,
                            struct error *err)
{
    const struct visit *visit = &self->visit;
    int found = 0;

    if (!code || *code == '\0')
        return show_form(visit, 400, PAGE_TEXT_ERROR_REQUIRED, out);
    if (count_try(visit, err) < 0) {
        if (err->code != ERR_THROTTLED)
            return VISIT_FAILED;
        error_clear(err);
        return show_form(visit, 429, PAGE_TEXT_ERROR_TOO_OFTEN, out);
    }
    if (device_user_hash(visit->req.arena, visit->tenant.projectId, code, self->user_hash) == 0)
        found = find_device(self, err);
    if (found < 0)
        return VISIT_FAILED;
    return found ? show_device(self, out) : show_form(visit, 400, PAGE_TEXT_ERROR_DEVICE_CODE, out);
}

/* ---- answer ---- */

static int decide(struct device_visit *self, bool approved, struct error *err)
{
    const struct visit *visit = &self->visit;
    const struct sql_oauth_device_decide_in in = {
        .project = visit->tenant.projectId,
        .user_hash = {self->user_hash, sizeof(self->user_hash)},
        .approved = approved,
        .account = visit->caller.account,
        .session = visit->caller.session,
        .scope = self->request.scope,
        .patient = self->request.patient,
        .signed_in_at = self->signed_in_at,
        .now = visit->req.now_ms,
        .audit = audit_row(&visit->req,
                           &(struct audit){.action = approved ? "device.approve" : "device.deny",
                                           .type = "ClientApplication",
                                           .detail = self->request.client.clientId})};
    struct sql_oauth_device_decide_row row;

    return sql_oauth_device_decide(visit->d->svc.db, &visit->req, &in, &row, err);
}

/* Records the person's answer. The page shows the scopes, so approval is also consent. */
static enum visit_step answer(struct device_visit *self, const char *step, bool approved,
                              struct page_answer *out, struct error *err)
{
    struct visit *visit = &self->visit;
    const char *text = visit_unseal(visit, step);
    size_t size;
    int found = 0;

    if (text && secret_decode(text, self->user_hash, sizeof(self->user_hash), &size) == 0 &&
        size == sizeof(self->user_hash))
        found = find_device(self, err);
    if (found > 0 && approved && !self->request.client.settings->firstParty &&
        consent_keep(visit, &self->request, err) < 0)
        return VISIT_FAILED;
    if (found > 0)
        found = decide(self, approved, err);
    if (found < 0)
        return VISIT_FAILED;
    if (found == 0)
        return show_form(visit, 400, PAGE_TEXT_ERROR_DEVICE_CODE, out);
    return approved ? visit_say(visit, 200, PAGE_TEXT_NOTE_DEVICE_APPROVED,
                                PAGE_TEXT_NOTE_DEVICE_APPROVED_TEXT, out)
                    : visit_say(visit, 200, PAGE_TEXT_NOTE_DEVICE_DENIED,
                                PAGE_TEXT_NOTE_DEVICE_DENIED_TEXT, out);
}

/* ---- handlers ---- */

int page_device_get(struct authd *d, const struct request *req, const struct page_query *in,
                    struct page_answer *out, struct error *err)
{
    struct device_visit self = {.signed_in_at = 0};
    enum visit_step step = visit_open(d, req, in->tenantCode, in->visit, &self.visit, out, err);

    step = open_person(&self, step, out, err);
    if (step == VISIT_OPEN)
        step = show_form(&self.visit, 200, PAGE_NO_TEXT, out);
    return visit_result(step);
}

int page_device_post(struct authd *d, const struct request *req, const struct device_form *in,
                     struct page_answer *out, struct error *err)
{
    const char *action = in->action ? in->action : "find";
    bool approved = strcmp(action, "approve") == 0;
    struct device_visit self = {.signed_in_at = 0};
    enum visit_step step =
        visit_open_form(d, req, in->tenantCode, in->visit, &self.visit, out, err);
    bool stale = step == VISIT_STALE;

    step = open_person(&self, stale ? VISIT_OPEN : step, out, err);
    if (step == VISIT_OPEN && stale)
        step = show_form(&self.visit, VISIT_STALE_STATUS, PAGE_TEXT_ERROR_STALE, out);
    if (step != VISIT_OPEN)
        return visit_result(step);
    if (approved || strcmp(action, "deny") == 0)
        return visit_result(answer(&self, in->step, approved, out, err));
    return visit_result(find(&self, in->code, out, err));
}
