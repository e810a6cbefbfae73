/*
 * own_account_page.c - see own_account_page.h.
 */
#include "authd/page/own_account_page.h"

#include <string.h>

#include "authd/member/acceptance.h"
#include "authd/member/member.h"
#include "authd/page/factor_form.h"
#include "authd/page/page_api.h"
#include "authd/page/step_up_page.h"
#include "authd/passkey/passkey_api.h"
#include "authd/session/session.h"
#include "authd/session/session_api.h"
#include "authd/signin/login.h"
#include "authd/sql/account_session.h"
#include "authd/tenant.h"
#include "common/domain/page.h"
#include "settingsd/settingsd_api.h"

enum visit_step own_sign_in_finish(struct visit *visit, const char *code, const char *verifier,
                                   struct page_answer *out, struct error *err)
{
    const char *cookie = visit_new_cookie(visit);
    bool waits;

    if (login_token_account(visit->d, &visit->req, code, verifier, cookie, &waits, err) < 0)
        return VISIT_FAILED;
    out->cookie = cookie;
    return visit_go(visit, waits ? "mfa" : "account", out);
}

enum visit_step own_code_show(const struct visit *visit, int status, enum page_text problem,
                              struct page_answer *out)
{
    struct page page;

    visit_page(visit, &page);
    page_account_code(&page,
                      &(struct page_account_code_in){VISIT_VALUES(visit), .email = visit->own.email,
                                                     .code_problem = problem});
    return visit_show(&page, status, out);
}

enum visit_step own_code_check(struct visit *visit, const struct mfa_form *form,
                               struct page_answer *out, struct error *err)
{
    const char *code = factor_form_code(visit->req.arena, form->code);
    const char *cookie = visit_new_cookie(visit);
    enum page_text problem;

    if (*code == '\0')
        return own_code_show(visit, 422, PAGE_TEXT_ERROR_REQUIRED, out);
    if (account_session_confirm(visit->d, &visit->req, &visit->own, code, cookie, err) == 0) {
        out->cookie = cookie;
        return visit_go(visit, "account", out);
    }
    problem = factor_form_problem(err);
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return own_code_show(visit, visit_refused(err, out), problem, out);
}

/* Contents of the page. */
struct shown {
    struct sql_account_membership_list_rows members;
    struct sql_account_invitation_list_rows invited;
    struct sql_account_session_list_rows sessions;
    struct field_list tenants;
};

/* Finds the tenants of the rows' projects. */
static int find_tenants(const struct visit *visit, struct shown *self, struct error *err)
{
    size_t most = self->members.count + self->invited.count;
    const char **ids = arena_calloc(visit->req.arena, most + 1, sizeof(*ids));
    const struct tenants_of_in in = {{ids, most}};
    struct tenant_list list = {0};

    for (size_t i = 0; i < self->members.count; i++)
        ids[i] = self->members.items[i].project.text;
    for (size_t i = 0; i < self->invited.count; i++)
        ids[self->members.count + i] = self->invited.items[i].project.text;
    if (most > 0 && settingsd_tenants_of(visit->d->svc.bus, &visit->req, &in, &list, err) < 0)
        return -1;
    self->tenants = list.tenants;
    return 0;
}

static int read_content(const struct visit *visit, bool verified, struct shown *ret,
                        struct error *err)
{
    const struct request *req = &visit->req;
    struct db *db = visit->d->svc.db;
    const struct sql_account_membership_list_in members = {.account = req->caller->account};
    const struct sql_account_invitation_list_in invited = {.email = visit->own.email,
                                                           .now = req->now_ms};
    const struct sql_account_session_list_in sessions = {
        .account = req->caller->account, .asking = req->caller->session, .now = req->now_ms};

    *ret = (struct shown){.members = {.count = 0}};
    if (sql_account_membership_list(db, req, &members, &ret->members, err) < 0 ||
        (verified && sql_account_invitation_list(db, req, &invited, &ret->invited, err) < 0) ||
        sql_account_session_list(db, req, &sessions, &ret->sessions, err) < 0)
        return -1;
    return find_tenants(visit, ret, err);
}

static const char *name_of(const struct shown *self, const struct uuid *project)
{
    const struct tenant *tenant = tenant_among(&self->tenants, *project);

    return tenant ? tenant->name : "–";
}

static struct page_own_account_organization *organization_rows(struct arena *arena,
                                                               const struct shown *self)
{
    struct page_own_account_organization *rows =
        arena_calloc(arena, self->members.count, sizeof(*rows));

    for (size_t i = 0; i < self->members.count; i++) {
        const struct sql_account_membership_list_row *row = &self->members.items[i];
        const struct tenant *tenant = tenant_among(&self->tenants, row->project);
        bool open =
            tenant && !tenant->suspended && tenant->tenantCode && page_is_code(tenant->tenantCode);

        rows[i] =
            (struct page_own_account_organization){.project = row->project.text,
                                                   .name = name_of(self, &row->project),
                                                   .address = open ? tenant->tenantCode : NULL,
                                                   .admin = row->admin,
                                                   .locked = row->locked};
    }
    return rows;
}

static struct page_own_account_invitation *invitation_rows(struct arena *arena,
                                                           const struct shown *self)
{
    struct page_own_account_invitation *rows =
        arena_calloc(arena, self->invited.count, sizeof(*rows));

    for (size_t i = 0; i < self->invited.count; i++) {
        const struct sql_account_invitation_list_row *row = &self->invited.items[i];

        rows[i] = (struct page_own_account_invitation){row->id.text, row->project.text,
                                                       name_of(self, &row->project)};
    }
    return rows;
}

static struct page_own_account_session *session_rows(const struct visit *visit,
                                                     const struct shown *self)
{
    struct arena *arena = visit->req.arena;
    struct page_own_account_session *rows =
        arena_calloc(arena, self->sessions.count, sizeof(*rows));

    for (size_t i = 0; i < self->sessions.count; i++) {
        const struct sql_account_session_list_row *row = &self->sessions.items[i];
        const struct session_record *session = row->session;
        const char *device = visit_device(arena, session);
        bool own = !uuid_is_set(&row->project);

        rows[i] = (struct page_own_account_session){
            .id = session->id.text,
            .project = row->project.text,
            .name = row->client ? row->client
                    : device    ? device
                                : "–",
            .device = row->client ? device : NULL,
            .place = own ? NULL : name_of(self, &row->project),
            .address = session->remoteAddress,
            .seen = visit_time(visit, session->lastUpdated),
            .current = session->current,
        };
    }
    return rows;
}

enum visit_step own_account_show(const struct visit *visit, int status, enum page_text notice,
                                 enum page_text problem, struct page_answer *out, struct error *err)
{
    struct arena *arena = visit->req.arena;
    const struct nothing in = {0};
    struct passkey_list keys = {0};
    struct shown shown;
    struct me_out who = {0};
    struct page page;

    if (me(visit->d, &visit->req, &in, &who, err) < 0 ||
        passkeys(visit->d, &visit->req, &in, &keys, err) < 0)
        return VISIT_FAILED;
    if (read_content(visit, who.security->emailVerified, &shown, err) < 0)
        return VISIT_FAILED;
    visit_page(visit, &page);
    page_own_account(
        &page,
        &(struct page_own_account_in){
            VISIT_VALUES(visit), .name = visit->caller.display, .email = visit->own.email,
            .unverified = !who.security->emailVerified, .notice = notice, .problem = problem,
            .factor = who.security->mfaEnrolled,
            .passkeys =
                keys.passkeys.count > 0 ? arena_printf(arena, "%zu", keys.passkeys.count) : NULL,
            .deletion = visit->caller.until ? visit_time(visit, visit->caller.until) : NULL,
            .organization = organization_rows(arena, &shown),
            .organization_count = shown.members.count, .invitation = invitation_rows(arena, &shown),
            .invitation_count = shown.invited.count, .session = session_rows(visit, &shown),
            .session_count = shown.sessions.count});
    return visit_show(&page, status, out);
}

static enum visit_step refuse(const struct visit *visit, struct page_answer *out, struct error *err)
{
    enum page_text problem = visit_problem(err);

    if (err->code == ERR_STEP_UP_REQUIRED)
        return step_up_go(visit, "account", out);
    if (err->code == ERR_MFA_ENROLLMENT_REQUIRED)
        return visit_go(visit, "account/factor", out);
    if (err->code == ERR_CONFLICT)
        problem = PAGE_TEXT_ERROR_LAST_ADMIN;
    else if (err->code == ERR_NOT_FOUND || err->code == ERR_BAD_REQUEST)
        return visit_go(visit, "account", out); /* already deleted */
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return own_account_show(visit, visit_refused(err, out), PAGE_NO_TEXT, problem, out, err);
}

/* An ended session isn't an error. */
static int end(const struct visit *visit, struct uuid session, struct uuid project,
               struct error *err)
{
    const struct session_end which = {
        .project = project, .account = visit->caller.account, .only = session, .reason = "revoked"};
    size_t count;

    if (!uuid_is_set(&project))
        return account_session_end(visit->d, &visit->req, session, visit->caller.account, err);
    return session_end(visit->d, &visit->req, &which, &count, err);
}

static enum visit_step sign_out(const struct visit *visit, const char *page,
                                struct page_answer *out, struct error *err)
{
    if (account_session_end(visit->d, &visit->req, visit->caller.session, visit->caller.account,
                            err) < 0)
        return VISIT_FAILED;
    out->cookie = "";
    return visit_go(visit, page, out);
}

/* Returns the id in a form field, or not set. */
static struct uuid id_of(const char *text)
{
    struct uuid id;

    return text && uuid_parse(text, &id) == 0 ? id : (struct uuid){""};
}

/* Performs the form's action. *ret_note: text for the page. */
static int act(const struct visit *visit, const struct account_form *form, const char **ret_note,
               struct error *err)
{
    struct uuid project = id_of(form->project), invitation = id_of(form->invitation);
    const char *action = form->action ? form->action : "";

    if (strcmp(action, "leave") == 0) {
        *ret_note = "left";
        return member_leave(visit->d, &visit->req, project, err);
    }
    if (strcmp(action, "accept") == 0) {
        *ret_note = "joined";
        return acceptance_by_owner(visit->d, &visit->req, project, invitation, err);
    }
    if (strcmp(action, "decline") == 0) {
        *ret_note = "declined";
        return acceptance_decline(visit->d, &visit->req, project, invitation, err);
    }
    *ret_note = "session-ended";
    return end(visit, id_of(form->session), project, err);
}

enum visit_step own_account_act(const struct visit *visit, const struct account_form *form,
                                struct page_answer *out, struct error *err)
{
    const char *action = form->action ? form->action : "", *note;

    if (strcmp(action, "sign-out") == 0)
        return sign_out(visit, "sign-in?note=signed-out", out, err);
    if (strcmp(action, "keep") == 0)
        return sign_out(visit, "sign-in?note=keep", out, err);
    if (act(visit, form, &note, err) < 0)
        return refuse(visit, out, err);
    return visit_go(visit, arena_printf(visit->req.arena, "account?note=%s", note), out);
}
