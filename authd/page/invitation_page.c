/*
 * invitation_page.c - the page of an invitation.
 *
 * If there is no account, or only the project owns it, the person sets a password. Others accept in
 * a session: of this tenant here, or on the installation's own page, which needs no membership.
 */
#include "authd/page/link_view.h"

#include <string.h>

#include "authd/member/member_api.h"
#include "authd/page/page_api.h"
#include "common/domain/page.h"

static const char own_page[] = "invitation";

static struct link_view view_of(const struct visit *visit, const struct invitation_show_out *shown,
                                bool signed_in)
{
    struct link_view view = {.kind = LINK_INVITATION,
                             .page = own_page,
                             .title = PAGE_TEXT_NOTE_INVITATION,
                             .button = PAGE_TEXT_NOTE_INVITATION_DO,
                             .project = shown->projectName,
                             .inviter = shown->inviterName,
                             .email = shown->email};

    if (strcmp(shown->accept, "set-password") == 0) {
        view.action = "set-password";
        view.why = PAGE_TEXT_NOTE_INVITATION_NEW;
        view.asks_password = view.new_password = true;
    } else if (signed_in && visit->signed_in) {
        view.action = "accept";
    } else {
        view.action = "sign-in";
        view.why = PAGE_TEXT_NOTE_INVITATION_KNOWN;
        view.button = PAGE_TEXT_NOTE_SIGN_IN_DO;
    }
    return view;
}

static int show_link(const struct visit *visit, const char *id, const char *secret,
                     struct invitation_link_in *ret_link, struct invitation_show_out *ret,
                     struct error *err)
{
    json_auto_t *body = json_pack("{s:s*, s:s*}", "id", id, "secret", secret);

    if (visit_fields(visit, &invitation_link_in_table, body, ret_link, err) < 0) {
        error_clear(err);
        return error_set(err, ERR_BAD_REQUEST, "The link is invalid or has expired.");
    }
    return invitation_show(visit->d, &visit->req, ret_link, ret, err);
}

static enum visit_step open_link(const struct visit *visit, const char *id, const char *secret,
                                 bool signed_in, enum page_text problem,
                                 enum page_text password_problem, struct page_answer *out,
                                 struct error *err)
{
    struct invitation_show_out shown = {0};
    struct invitation_link_in link;
    struct link_view view;

    if (show_link(visit, id, secret, &link, &shown, err) < 0)
        return link_refuse(visit, LINK_INVITATION, out, err);
    view = view_of(visit, &shown, signed_in);
    view.problem = problem;
    view.password_problem = password_problem;
    return link_show(visit, problem || password_problem ? 400 : 200, &view, id, secret, out);
}

enum visit_step link_invitation(const struct visit *visit, const char *id, const char *secret,
                                struct page_answer *out, struct error *err)
{
    return open_link(visit, id, secret, true, PAGE_NO_TEXT, PAGE_NO_TEXT, out, err);
}

/* The form was open for too long. */
static enum visit_step show_again(const struct visit *visit, int status, const char *id,
                                  const char *secret, struct page_answer *out, struct error *err)
{
    enum visit_step step =
        open_link(visit, id, secret, true, PAGE_TEXT_ERROR_STALE, PAGE_NO_TEXT, out, err);

    out->status = status; /* even if open_link() found the link invalid */
    return step;
}

static enum visit_step joined(const struct visit *visit, struct page_answer *out)
{
    return visit_go(visit, visit->signed_in ? "account?note=joined" : "sign-in?note=joined", out);
}

/* Says why it wasn't accepted. */
static enum visit_step refuse(const struct visit *visit, const char *id, const char *secret,
                              struct page_answer *out, struct error *err)
{
    enum page_text problem = PAGE_NO_TEXT;

    if (err->code == ERR_MFA_ENROLLMENT_REQUIRED)
        problem = PAGE_TEXT_ERROR_FACTOR_FIRST;
    else if (err->code != ERR_BAD_REQUEST && err->code != ERR_ACCEPT_BY_PASSWORD)
        return link_refuse(visit, LINK_INVITATION, out, err);
    error_clear(err); /* the session is another account's, so the owner can sign in here */
    return open_link(visit, id, secret, false, problem, PAGE_NO_TEXT, out, err);
}

static enum visit_step accept_signed_in(const struct visit *visit, const struct link_form *form,
                                        struct page_answer *out, struct error *err)
{
    struct invitation_show_out shown = {0};
    struct invitation_link_in link;
    struct nothing nothing = {0};

    if (show_link(visit, form->id, form->secret, &link, &shown, err) < 0)
        return link_refuse(visit, LINK_INVITATION, out, err);
    if (invitation_accept(visit->d, &visit->req, &link, &nothing, err) < 0)
        return refuse(visit, form->id, form->secret, out, err);
    return joined(visit, out);
}

static enum visit_step accept_by_password(const struct visit *visit, const struct link_form *form,
                                          struct page_answer *out, struct error *err)
{
    enum page_text problem = PAGE_NO_TEXT;

    if (link_set_password(visit, form, &problem, err) == 0)
        return joined(visit, out);
    if (problem == PAGE_NO_TEXT && err->code != ERR_ACCEPT_SIGNED_IN)
        return link_refuse(visit, LINK_INVITATION, out, err);
    error_clear(err);
    return open_link(visit, form->id, form->secret, true, PAGE_NO_TEXT, problem, out, err);
}

/* Goes to the installation's account page, which lists the invitation. */
static enum visit_step go_sign_in(struct page_answer *out)
{
    out->status = 303;
    out->location = "/t/" PAGE_INSTALLATION_CODE "/account";
    return VISIT_ANSWERED;
}

int page_invitation_get(struct authd *d, const struct request *req, const struct link_query *in,
                        struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = link_invitation(&visit, in->id, in->secret, out, err);
    return visit_result(step);
}

int page_invitation_post(struct authd *d, const struct request *req, const struct link_form *in,
                         struct page_answer *out, struct error *err)
{
    const char *action = in->action ? in->action : "";
    struct visit visit;
    enum visit_step step = visit_open_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE && !in->step)
        step = show_again(&visit, VISIT_STALE_STATUS, in->id, in->secret, out, err);
    if (step != VISIT_OPEN)
        return visit_result(step);
    if (strcmp(action, "set-password") == 0)
        step = accept_by_password(&visit, in, out, err);
    else if (strcmp(action, "accept") == 0 && visit.signed_in)
        step = accept_signed_in(&visit, in, out, err);
    else
        step = go_sign_in(out);
    return visit_result(step);
}
