/*
 * visit.c - see visit.h.
 */
#include "authd/page/visit.h"

#include <stdlib.h>
#include <string.h>

#include "authd/account/ownership.h"
#include "authd/oauth/auth_request.h"
#include "authd/page/language_choice.h"
#include "authd/page/page_time.h"
#include "authd/session/address_key.h"
#include "authd/session/session.h"
#include "authd/session/session_api.h"
#include "authd/signin/mfa.h"
#include "authd/sql/page.h"
#include "authd/sql/session.h"
#include "authd/tenant.h"
#include "common/base/clock.h"
#include "common/domain/page.h"
#include "common/domain/uri.h"
#include "settingsd/policy_api.h"

#define TOUCH_AFTER MINUTES(1) /* between two updates of a session's last use */
enum { COOKIE_SIZE = 32 };     /* random bytes */

/* Trusted Types: scripts here never write markup. */
#define POLICY_STYLE "default-src 'none'; style-src " PAGE_STYLE_HASH
#define POLICY_FORM "; form-action 'self'"
#define POLICY_BEHIND                                                                 \
    "; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " \
    "trusted-types 'none'"

static const char policy[] = POLICY_STYLE POLICY_FORM POLICY_BEHIND;

void visit_page(const struct visit *self, struct page *ret)
{
    page_init(ret, self->req.arena, self->language);
}

enum visit_step visit_show(const struct page *page, int status, struct page_answer *out)
{
    out->status = status;
    out->html = page->text;
    out->location = NULL;
    if (!out->policy)
        out->policy = policy;
    return VISIT_ANSWERED;
}

/* Shows the page with one more directive in its content security policy. */
static enum visit_step show_with(const struct page *page, int status, const char *directive,
                                 struct page_answer *out)
{
    (void)visit_show(page, status, out);
    out->policy = arena_printf(page->arena, "%s; %s", out->policy, directive);
    return VISIT_ANSWERED;
}

enum visit_step visit_show_script(const struct page *page, int status, struct page_answer *out)
{
    return show_with(page, status, "script-src " PAGE_SCRIPT_HASH, out);
}

enum visit_step visit_show_image(const struct page *page, int status, struct page_answer *out)
{
    (void)visit_show(page, status, out);
    out->policy = arena_printf(
        page->arena,
        strstr(out->policy, "; img-src ") ? "%s data:" : "%s; img-src data:", out->policy);
    return VISIT_ANSWERED;
}

enum visit_step visit_go(const struct visit *self, const char *page, struct page_answer *out)
{
    out->status = 303;
    out->html = NULL;
    out->location = arena_printf(self->req.arena, "/t/%s/%s", self->tenant.tenantCode, page);
    return VISIT_ANSWERED;
}

enum visit_step visit_continue(const struct visit *self, struct page_answer *out)
{
    if (!self->next)
        return visit_go(self, "account", out);
    return visit_go(self,
                    arena_printf(self->req.arena, "%s?next=%s",
                                 self->to_device ? "device" : "authorize", self->next),
                    out);
}

enum visit_step visit_say(const struct visit *self, int status, enum page_text title,
                          enum page_text text, struct page_answer *out)
{
    struct page page;

    visit_page(self, &page);
    page_note(&page, &(struct page_note_in){VISIT_FRAME(self), .next = self->next, .title = title,
                                            .text = text, .wrong = status >= 400,
                                            .back = uuid_is_set(&self->tenant.projectId),
                                            .front = status == 404});
    return visit_show(&page, status, out);
}

const char *visit_device(struct arena *arena, const struct session_record *session)
{
    if (session->browser && session->os)
        return arena_printf(arena, "%s, %s", session->browser, session->os);
    return session->browser ? session->browser : session->os;
}

const char *visit_time(const struct visit *self, int64_t at_ms)
{
    return page_time(self->req.arena, self->language, self->from->languages, at_ms);
}

enum page_text visit_note(const char *note)
{
    static const struct {
        const char *name;
        enum page_text text;
    } notes[] = {{"consent-withdrawn", PAGE_TEXT_NOTE_CONSENT_WITHDRAWN},
                 {"declined", PAGE_TEXT_NOTE_DECLINED},
                 {"email-sent", PAGE_TEXT_NOTE_EMAIL_SENT},
                 {"factor-off", PAGE_TEXT_NOTE_FACTOR_OFF},
                 {"joined", PAGE_TEXT_NOTE_JOINED},
                 {"keep", PAGE_TEXT_NOTE_KEEP},
                 {"left", PAGE_TEXT_NOTE_LEFT},
                 {"passkey-changed", PAGE_TEXT_NOTE_PASSKEY_CHANGED},
                 {"password-changed", PAGE_TEXT_NOTE_PASSWORD_CHANGED},
                 {"password-set", PAGE_TEXT_NOTE_PASSWORD_SET},
                 {"session-ended", PAGE_TEXT_NOTE_SESSION_ENDED},
                 {"signed-out", PAGE_TEXT_NOTE_SIGNED_OUT},
                 {"undone", PAGE_TEXT_NOTE_UNDONE},
                 {"unlink-first", PAGE_TEXT_NOTE_UNLINK_FIRST},
                 {"unlinked", PAGE_TEXT_NOTE_UNLINKED},
                 {"verified", PAGE_TEXT_NOTE_VERIFIED}};

    for (size_t i = 0; note && i < ARRAY_SIZE(notes); i++) {
        if (strcmp(notes[i].name, note) == 0)
            return notes[i].text;
    }
    return PAGE_NO_TEXT;
}

enum page_text visit_problem(const struct error *err)
{
    switch (err->code) {
    case ERR_BAD_REQUEST:
        return PAGE_TEXT_ERROR_CREDENTIALS;
    case ERR_THROTTLED:
        return PAGE_TEXT_ERROR_TOO_OFTEN;
    case ERR_FORBIDDEN:
        return PAGE_TEXT_ERROR_DISABLED;
    case ERR_ACCOUNT_LOCKED:
        return PAGE_TEXT_ERROR_LOCKED;
    case ERR_PASSWORD_CHANGE_REQUIRED:
        return PAGE_TEXT_ERROR_PASSWORD_CHANGE;
    case ERR_EMAIL_NOT_VERIFIED:
        return PAGE_TEXT_ERROR_UNVERIFIED;
    default:
        return PAGE_NO_TEXT;
    }
}

int visit_refused(struct error *err, struct page_answer *out)
{
    int status = error_kind(err->code)->status;

    out->retryAfter = err->retry_after_s;
    error_clear(err);
    return status;
}

/* Names the branding files by whole path, because 'self' includes public documents. */
void visit_allow_redirect(const struct visit *self, const char *uri, struct page_answer *out)
{
    const char *url = self->from->url, *code = self->tenant.tenantCode;
    struct arena *arena = self->req.arena;
    const char *source = uri ? redirect_source(arena, uri) : NULL;

    out->policy = arena_printf(arena, POLICY_STYLE "%s" POLICY_FORM "%s%s" POLICY_BEHIND "%s",
                               visit_brand_style_source(arena, &self->brand, url, code),
                               source ? " " : "", source ? source : "",
                               visit_brand_image_directive(arena, &self->brand, url, code));
}

static void open_language(struct visit *self)
{
    const struct page_visit *from = self->from;
    bool secure;

    self->chosen = from->language && language_of_locales(from->language, &self->language);
    if (!self->chosen)
        self->language = language_choice(from->languages, self->tenant.defaultLanguage);
    self->host = uri_after_http(from->url, &secure);
}

/* Sets the links in the page's footer that choose a language. A page that answers a form has none,
 * because they would lose what was typed. */
static void open_tongues(struct visit *self)
{
    static const char *const names[PAGE_LANGUAGES] = {"English", "Deutsch", "Español"};
    const char *here = self->from->here;
    struct arena *arena = self->req.arena;

    for (size_t i = 0; here && i < PAGE_LANGUAGES; i++) {
        const char *tag = page_language_tag((enum page_language)i);

        self->tongues[i] = (struct page_footer_tongue){
            .tag = tag,
            .name = names[i],
            .url = arena_printf(arena, "%s%slang=%s", here, strchr(here, '?') ? "&" : "?", tag),
            .current = i == self->language};
    }
    self->tongue_count = here ? PAGE_LANGUAGES : 0;
}

void visit_look(struct visit *self)
{
    open_language(self);
    open_tongues(self);
    self->brand = visit_brand_of(self->req.arena, &self->tenant, self->language);
}

bool visit_may_register(const struct tenant *tenant)
{
    return (tenant->patientRegistration && uuid_is_set(&tenant->defaultPatientPolicy)) ||
           (tenant->practitionerRegistration && uuid_is_set(&tenant->defaultPractitionerPolicy));
}

static enum visit_step no_tenant(struct visit *self, const char *code, struct page_answer *out)
{
    self->tenant = (struct tenant){.tenantCode = code};
    open_language(self);
    open_tongues(self);
    return visit_say(self, 404, PAGE_TEXT_ERROR_NO_PAGE, PAGE_TEXT_ERROR_NO_PAGE_TEXT, out);
}

/* Opens the person's authorization request, if any. Its ui_locales override the browser's, but not
 * the person's choice. Returns its redirect URI or NULL. */
static const char *open_next(struct visit *self)
{
    struct arena *arena = self->req.arena;
    struct auth_request request;

    if (!self->from->next || auth_request_unseal(self->d, &self->req, self->tenant.projectId,
                                                 self->from->next, &request) < 0)
        return NULL;
    self->next = self->from->next;
    self->to_device = request.to_device;
    self->login_hint = request.in.login_hint ? fields_email(arena, request.in.login_hint) : NULL;
    if (!self->chosen)
        (void)language_of_locales(request.in.ui_locales, &self->language);
    return request.in.redirect_uri;
}

bool visit_lacks_factor(const struct visit *self)
{
    const struct caller *caller = &self->caller;

    return !caller->secondFactor &&
           account_policy_requires_mfa(self->tenant.accountPolicy, caller->role, caller->admin);
}

/* Extends a session in use. */
static int touch(struct visit *self, struct uuid project, const struct sql_browser_get_row *held,
                 struct error *err)
{
    const struct sql_browser_touch_in in = {.project = project,
                                            .session = held->session,
                                            .now = self->req.now_ms,
                                            .idle_until = self->req.now_ms + BROWSER_IDLE_LIFE};

    if (held->used_at > self->req.now_ms - TOUCH_AFTER)
        return 0;
    return MIN(sql_browser_touch(self->d->svc.db, &self->req, &in, err), 0);
}

/* Finds the cookie's session in a project, and sets signed_in, caller and req. */
static int find_session(struct visit *self, struct uuid project, const char *cookie,
                        struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_browser_get_in get = {
        .project = project, .cookie_hash = {hash, sizeof(hash)}, .now = self->req.now_ms};
    struct sql_identity_get_in who = {.project = project, .now = self->req.now_ms};
    struct sql_browser_get_row held;
    int found;

    secret_hash(cookie, hash);
    found = sql_browser_get(self->d->svc.db, &self->req, &get, &held, err);
    if (found <= 0)
        return found;
    who.membership = held.membership;
    who.session = held.session;
    found = sql_identity_get(self->d->svc.db, &self->req, &who, &self->caller, err);
    if (found <= 0 || touch(self, project, &held, err) < 0)
        return MIN(found, found > 0 ? -1 : 0);
    address_key_complete(self->d, &self->req, &self->caller);
    self->caller.projectName = self->tenant.name;
    self->req.caller = &self->caller;
    self->signed_in = true;
    return 0;
}

static void start(struct authd *d, const struct request *req, const struct page_visit *from,
                  struct visit *ret, struct page_answer *out)
{
    *ret = (struct visit){.d = d, .from = from, .req = *req};
    ret->req.of_page = true;
    *out = (struct page_answer){.cookie = NULL};
}

enum visit_step visit_open(struct authd *d, const struct request *req, const char *code,
                           const struct page_visit *from, struct visit *ret,
                           struct page_answer *out, struct error *err)
{
    const char *next;

    start(d, req, from, ret, out);
    if (tenant_open_look(d, req, code, &ret->tenant, err) < 0) {
        if (err->code != ERR_NOT_FOUND)
            return VISIT_FAILED;
        error_clear(err);
        return no_tenant(ret, code, out);
    }
    open_language(ret);
    next = open_next(ret);
    open_tongues(ret);
    ret->brand = visit_brand_of(req->arena, &ret->tenant, ret->language);
    visit_allow_redirect(ret, next, out);
    if (from->isNew) /* a new cookie has no session */
        return VISIT_OPEN;
    return find_session(ret, ret->tenant.projectId, from->cookie, err) < 0 ? VISIT_FAILED
                                                                           : VISIT_OPEN;
}

static enum visit_step own_form(const struct visit *self, enum visit_step step,
                                struct page_answer *out)
{
    if (step != VISIT_OPEN || self->from->own)
        return step;
    if (self->from->stale && self->signed_in)
        (void)visit_continue(self, out);
    else
        (void)visit_say(self, VISIT_STALE_STATUS, PAGE_TEXT_ERROR_EXPIRED,
                        PAGE_TEXT_ERROR_EXPIRED_TEXT, out);
    return self->from->stale ? VISIT_STALE : VISIT_ANSWERED;
}

enum visit_step visit_open_form(struct authd *d, const struct request *req, const char *code,
                                const struct page_visit *from, struct visit *ret,
                                struct page_answer *out, struct error *err)
{
    return own_form(ret, visit_open(d, req, code, from, ret, out, err), out);
}

/* Finds the browser's session of the installation's own pages. */
static int find_own_session(struct visit *self, struct error *err)
{
    static const struct ownership everyones = {.owned = true, .installation = true};
    int found = account_session_find(self->d, &self->req, self->from->cookie, &self->own, err);

    if (found <= 0 || self->own.waiting)
        return MIN(found, 0);
    self->caller = self->own.caller;
    self->caller.projectName = self->host;
    self->req.caller = &self->caller;
    self->req.ownership = &everyones;
    self->signed_in = true;
    return 0;
}

enum visit_step visit_open_any(struct authd *d, const struct request *req, const char *code,
                               const struct page_visit *from, struct visit *ret,
                               struct page_answer *out, struct error *err)
{
    if (strcmp(code, PAGE_INSTALLATION_CODE) != 0)
        return visit_open(d, req, code, from, ret, out, err);
    start(d, req, from, ret, out);
    ret->installation = true;
    ret->tenant.tenantCode = PAGE_INSTALLATION_CODE;
    open_language(ret);
    open_tongues(ret);
    ret->tenant.name = ret->brand.name = ret->host;
    return from->isNew || find_own_session(ret, err) == 0 ? VISIT_OPEN : VISIT_FAILED;
}

enum visit_step visit_open_any_form(struct authd *d, const struct request *req, const char *code,
                                    const struct page_visit *from, struct visit *ret,
                                    struct page_answer *out, struct error *err)
{
    return own_form(ret, visit_open_any(d, req, code, from, ret, out, err), out);
}

/* A tenant's session can change only accounts that the tenant owns. */
static enum visit_step own_account(struct visit *self, struct page_answer *out, struct error *err)
{
    if (ownership_admit(self->d, &self->req, self->req.row, err) == 0)
        return VISIT_OPEN;
    if (err->code != ERR_ACCOUNT_SHARED)
        return VISIT_FAILED;
    error_clear(err);
    out->status = 303;
    out->location = "/t/" PAGE_INSTALLATION_CODE "/account";
    return VISIT_ANSWERED;
}

static enum visit_step has_factor(struct visit *self, struct page_answer *out, struct error *err)
{
    bool required = false;

    if (!(self->req.row->flags & R_FACTOR) || self->caller.secondFactor)
        return VISIT_OPEN;
    if (mfa_is_required(self->d, &self->req, self->caller.account, &required, err) < 0)
        return VISIT_FAILED;
    return required ? visit_go(self, "account/factor", out) : VISIT_OPEN;
}

static enum visit_step signed_in(struct visit *self, enum visit_step step, struct page_answer *out,
                                 struct error *err)
{
    enum visit_step admitted;

    if (step != VISIT_OPEN && step != VISIT_STALE)
        return step;
    if (!self->signed_in)
        return visit_go(self, "sign-in", out);
    admitted = self->installation ? has_factor(self, out, err) : own_account(self, out, err);
    return admitted == VISIT_OPEN ? step : admitted;
}

enum visit_step visit_open_account(struct authd *d, const struct request *req, const char *code,
                                   const struct page_visit *from, struct visit *ret,
                                   struct page_answer *out, struct error *err)
{
    return signed_in(ret, visit_open_any(d, req, code, from, ret, out, err), out, err);
}

enum visit_step visit_open_account_form(struct authd *d, const struct request *req,
                                        const char *code, const struct page_visit *from,
                                        struct visit *ret, struct page_answer *out,
                                        struct error *err)
{
    return signed_in(ret, visit_open_any_form(d, req, code, from, ret, out, err), out, err);
}

/* Members that the API route takes from its path are fields of the page's form. */
static const char *path_of(const void *context, unsigned where UNUSED, const char *name)
{
    return json_string_value(json_object_get(context, name));
}

int visit_fields(const struct visit *self, const struct field_table *table, json_t *body, void *ret,
                 struct error *err)
{
    return fields_read(table, &(struct field_source){body, path_of, body}, self->req.arena, ret,
                       err);
}

const char *visit_new_cookie(const struct visit *self)
{
    return secret_random_text(self->req.arena, COOKIE_SIZE);
}

enum visit_step visit_signed_in(struct visit *self, const char *cookie, struct page_answer *out,
                                struct error *err)
{
    const struct session_end former = {.project = self->caller.project,
                                       .account = self->caller.account,
                                       .only = self->caller.session,
                                       .reason = "logout"};
    size_t count;

    if (self->signed_in && session_end(self->d, &self->req, &former, &count, err) < 0)
        return VISIT_FAILED;
    out->cookie = cookie;
    return visit_continue(self, out);
}

static const char *purpose(const struct visit *self)
{
    return arena_printf(self->req.arena, "page step %s %s", self->tenant.projectId.text,
                        self->from->cookie);
}

const char *visit_seal(const struct visit *self, const char *state)
{
    const char *plain =
        arena_printf(self->req.arena, "%lld %s", (long long)(self->req.now_ms + LOGIN_LIFE), state);
    struct sealed sealed =
        seal_value(self->req.arena, &self->d->svc.seal, purpose(self), plain, strlen(plain));

    return secret_encode(self->req.arena, sealed.bytes, sealed.size);
}

const char *visit_unseal(const struct visit *self, const char *text)
{
    size_t most = text ? strlen(text) : 0, size;
    uint8_t *bytes = arena_alloc(self->req.arena, most + 1), *plain;
    char *state;

    if (most == 0 || secret_decode(text, bytes, most, &size) < 0 ||
        seal_open(self->req.arena, &self->d->svc.seal, purpose(self), (struct sealed){bytes, size},
                  &plain, &size) < 0 ||
        strtoll((const char *)plain, &state, 10) <= self->req.now_ms)
        return NULL;
    return *state == ' ' ? state + 1 : NULL;
}
