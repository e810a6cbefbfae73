/*
 * account_page.c - the page on which people look after their account: who they are, where they are
 * signed in, the end of each session. Handlers: page_account_get, page_account_post.
 */
#include <stdio.h>
#include <string.h>

#include "authd/authd_api.h"
#include "authd/page/visit.h"
#include "common/base/clock.h"
#include "common/domain/page.h"

/* "Chrome, Linux". */
static const char *device_of(struct arena *arena, const struct session_record *session)
{
    if (session->browser && session->os)
        return arena_printf(arena, "%s, %s", session->browser, session->os);
    return session->browser ? session->browser : session->os ? session->os : "–";
}

/* "2026-01-31 09:30 UTC" */
static const char *time_of(struct arena *arena, int64_t at_ms)
{
    char text[25];

    clock_format_iso(at_ms, text);
    return arena_printf(arena, "%.10s %.5s UTC", text, text + 11);
}

static struct page_account_session *rows_of(const struct visit *visit,
                                            const struct field_list *sessions)
{
    const struct session_record *records = sessions->items;
    struct arena *arena = visit->req.arena;
    struct page_account_session *rows = arena_calloc(arena, sessions->count, sizeof(*rows));

    for (size_t i = 0; i < sessions->count; i++)
        rows[i] = (struct page_account_session){
            .id = arena_strdup(arena, records[i].id.text),
            .device = device_of(arena, &records[i]),
            .address = records[i].remoteAddress,
            .seen = time_of(arena, records[i].lastUpdated),
            .current = records[i].current,
        };
    return rows;
}

static enum visit_step show(const struct visit *visit, enum page_text notice,
                            struct page_answer *out, struct error *err)
{
    const struct me_telecom *telecom;
    struct me_out who;
    struct page page;

    if (me(visit->d, &visit->req, &(struct nothing){0}, &who, err) < 0)
        return VISIT_FAILED;
    telecom = who.profile->telecom.items;
    visit_page(visit, &page);
    page_account(&page,
                 &(struct page_account_in){
                     VISIT_VALUES(visit), .name = visit->caller.display, .email = telecom->value,
                     .practitioner = strcmp(visit->caller.role, "Practitioner") == 0,
                     .unverified = !who.security->emailVerified, .notice = notice,
                     .more_sessions = who.security->moreSessions,
                     .session = rows_of(visit, &who.security->sessions),
                     .session_count = who.security->sessions.count});
    return visit_show(&page, 200, out);
}

/* The account of a browser that has signed in; another goes to do so. */
static bool is_signed_in(const struct visit *visit, enum visit_step *step, struct page_answer *out)
{
    if (*step == VISIT_OPEN && !visit->signed_in)
        *step = visit_go(visit, "sign-in", out);
    return *step == VISIT_OPEN;
}

/* Ends the session; one that has ended already is no problem. */
static enum visit_step end(const struct visit *visit, const char *session, struct page_answer *out,
                           struct error *err)
{
    const struct sessions_revoke_in in = {.option = session ? session : ""};
    struct session_list left;
    struct uuid id;

    if (uuid_parse(in.option, &id) < 0)
        return visit_go(visit, "account", out);
    if (sessions_revoke(visit->d, &visit->req, &in, &left, err) < 0 && err->code != ERR_NOT_FOUND)
        return VISIT_FAILED;
    error_clear(err);
    return visit_go(visit, "account?note=session-ended", out);
}

static enum visit_step sign_out(const struct visit *visit, struct page_answer *out,
                                struct error *err)
{
    const struct nothing in = {0};
    struct nothing nothing;

    if (logout(visit->d, &visit->req, &in, &nothing, err) < 0)
        return VISIT_FAILED;
    out->cookie = "";
    return visit_go(visit, "sign-in?note=signed-out", out);
}

int page_account_get(struct authd *d, const struct request *req, const struct page_query *in,
                     struct page_answer *out, struct error *err)
{
    bool ended = in->note && strcmp(in->note, "session-ended") == 0;
    struct visit visit;
    enum visit_step step = visit_open(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (is_signed_in(&visit, &step, out))
        step = show(&visit, ended ? PAGE_TEXT_NOTE_SESSION_ENDED : PAGE_NO_TEXT, out, err);
    return visit_result(step);
}

int page_account_post(struct authd *d, const struct request *req, const struct account_form *in,
                      struct page_answer *out, struct error *err)
{
    bool leaves = in->action && strcmp(in->action, "sign-out") == 0;
    struct visit visit;
    enum visit_step step = visit_open_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (is_signed_in(&visit, &step, out))
        step = leaves ? sign_out(&visit, out, err) : end(&visit, in->session, out, err);
    return visit_result(step);
}
