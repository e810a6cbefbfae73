/*
 * invitation_page.c - the page of an invitation: who invites to what, and how it is accepted.
 * Handlers: page_invitation_get, page_invitation_post.
 *
 * An address without a proven account sets a password. The owner of one that is proven shows who
 * they are: here, where the browser is not signed in, because an account that is no member of this
 * tenant yet cannot sign in to it. That sign-in is one to a tenant which the account is a member
 * of, by the functions of the API; its session accepts, ends, and leaves the browser nothing.
 */
#include "authd/page/link_view.h"

#include <string.h>

#include "authd/authd_api.h"
#include "authd/page/factor_form.h"
#include "common/domain/page.h"
#include "common/domain/reference.h"

enum { VERIFIER_SIZE = 32 }; /* random bytes: 43 characters (RFC 7636, section 4.1) */

static const char own_page[] = "invitation";

/* ---- what the page shows ---- */

/* The form by which it is accepted. */
static struct link_view view_of(const struct visit *visit, const struct invitation_show_out *shown,
                                bool signed_in)
{
    struct link_view view = {.page = own_page,
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
        view.asks_password = true;
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
        return link_refuse(visit, out, err);
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

/* After it was open for too long. */
static enum visit_step show_again(const struct visit *visit, int status, const char *id,
                                  const char *secret, struct page_answer *out, struct error *err)
{
    enum visit_step step =
        open_link(visit, id, secret, true, PAGE_TEXT_ERROR_STALE, PAGE_NO_TEXT, out, err);

    out->status = status; /* of a dead link, too */
    return step;
}

/* ---- accepting ---- */

static enum visit_step joined(const struct visit *visit, struct page_answer *out)
{
    return visit_go(visit, visit->signed_in ? "account?note=joined" : "sign-in?note=joined", out);
}

/* Why it was not accepted. */
static enum visit_step refuse(const struct visit *visit, const char *id, const char *secret,
                              struct page_answer *out, struct error *err)
{
    enum page_text problem = PAGE_NO_TEXT;

    if (err->code == ERR_MFA_ENROLLMENT_REQUIRED)
        problem = PAGE_TEXT_ERROR_FACTOR_FIRST;
    else if (err->code != ERR_BAD_REQUEST && err->code != ERR_ACCEPT_BY_PASSWORD)
        return link_refuse(visit, out, err);
    error_clear(err); /* of another account's session the owner may show who they are */
    return open_link(visit, id, secret, false, problem, PAGE_NO_TEXT, out, err);
}

static enum visit_step accept_signed_in(const struct visit *visit, const struct link_form *form,
                                        struct page_answer *out, struct error *err)
{
    struct invitation_show_out shown = {0};
    struct invitation_link_in link;
    struct nothing nothing = {0};

    if (show_link(visit, form->id, form->secret, &link, &shown, err) < 0)
        return link_refuse(visit, out, err);
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
        return link_refuse(visit, out, err);
    error_clear(err);
    return open_link(visit, form->id, form->secret, true, PAGE_NO_TEXT, problem, out, err);
}

/* ---- by a sign-in ---- */

/* A sign-in of the invited account, and the invitation that it is for. */
struct signing {
    const char *role, *verifier, *id, *secret;
    const char *login; /* id of the login that waits for the second factor */
    struct login_step step;
};

/* Another tenant may let the account in, after this refusal of one. */
static bool passes_over(enum error_code code)
{
    return code == ERR_FORBIDDEN || code == ERR_NOT_FOUND || code == ERR_EMAIL_NOT_VERIFIED ||
           code == ERR_ACCOUNT_LOCKED || code == ERR_PROJECT_READ_ONLY;
}

/* Makes the session, in the first of the tenants that lets the account in. */
static int exchange(const struct visit *visit, const struct signing *self, const char *cookie,
                    struct token_response *ret, struct error *err)
{
    const struct patient_login_token_in patient = {self->step.sessionCode, self->verifier, cookie};
    const struct login_tenant *tenants = self->step.tenants.items;
    int made = -1;

    if (strcmp(self->role, "Patient") == 0)
        return patient_login_token(visit->d, &visit->req, &patient, ret, err);
    for (size_t i = 0; made < 0 && i < self->step.tenants.count; i++) {
        const struct practitioner_login_token_in in = {self->step.sessionCode, self->verifier,
                                                       tenants[i].tenantCode, cookie};

        error_clear(err);
        made = practitioner_login_token(visit->d, &visit->req, &in, ret, err);
        if (made < 0 && !passes_over(err->code))
            break;
    }
    return made;
}

/* Accepts in the name of a session that lives as long as this takes. */
static int accept_as(const struct visit *visit, const struct signing *self, struct error *err)
{
    const struct nothing none = {0};
    const char *cookie = visit_new_cookie(visit);
    struct token_response tokens = {0};
    struct invitation_link_in link;
    struct error accepted;
    struct visit as = *visit;
    struct nothing nothing = {0};
    struct uuid project;

    if (exchange(visit, self, cookie, &tokens, err) < 0)
        return -1;
    if (uuid_parse(strchr(tokens.project->reference, '/') + 1, &project) < 0 ||
        visit_find_session(&as, project, cookie, err) < 0 || !as.signed_in)
        return err->code ? -1 : error_set(err, ERR_UNAVAILABLE, "The session has ended.");
    link.secret = self->secret;
    error_init(&accepted, visit->req.arena);
    if (uuid_parse(self->id, &link.id) < 0)
        (void)error_set(&accepted, ERR_BAD_REQUEST, "The link is invalid or has expired.");
    else
        (void)!invitation_accept(visit->d, &as.req, &link, &nothing, &accepted);
    if (logout(visit->d, &as.req, &none, &nothing, err) < 0)
        return -1;
    if (accepted.code == ERR_NONE)
        return 0;
    error_copy(err, &accepted);
    return -1;
}

static enum visit_step ask_factor(const struct visit *visit, const struct signing *self, int status,
                                  enum page_text problem, struct page_answer *out,
                                  struct error *err)
{
    const char *state = arena_printf(visit->req.arena, "%s %s %s %s %s", self->role, self->verifier,
                                     self->login, self->id, self->secret);

    const struct factor_wanted wanted = {own_page, visit_seal(visit, state), self->role,
                                         self->login};

    return factor_form_show(visit, &wanted, status, problem, out, err);
}

static enum visit_step go_on(const struct visit *visit, struct signing *self,
                             struct page_answer *out, struct error *err)
{
    if (strcmp(self->step.nextStep, "mfa") == 0) {
        self->login = self->step.loginId.text;
        return ask_factor(visit, self, 200, PAGE_NO_TEXT, out, err);
    }
    if (accept_as(visit, self, err) < 0)
        return refuse(visit, self->id, self->secret, out, err);
    return visit_go(visit, "sign-in?note=joined", out);
}

/* As a practitioner of any tenant, else as a patient of this one. */
static int begin(const struct visit *visit, const char *email, const char *password,
                 struct signing *self, struct error *err)
{
    struct arena *arena = visit->req.arena;
    const char *challenge, *again = arena_strdup(arena, password);
    const struct practitioner_login_start_in first = {email, password, NULL, NULL};
    struct practitioner_login_start_in in = first;
    uint8_t hash[SECRET_HASH_SIZE];
    int begun;

    self->verifier = secret_random_text(arena, VERIFIER_SIZE);
    secret_hash(self->verifier, hash);
    challenge = secret_encode(arena, hash, sizeof(hash));
    in.codeChallenge = challenge;
    self->role = "Practitioner";
    begun = practitioner_login_start(visit->d, &visit->req, &in, &self->step, err);
    if (begun < 0 && err->code == ERR_BAD_REQUEST) {
        const struct patient_login_start_in patient = {.email = email,
                                                       .password = again,
                                                       .tenantCode = visit->tenant.tenantCode,
                                                       .codeChallenge = challenge};

        error_clear(err);
        self->role = "Patient";
        begun = patient_login_start(visit->d, &visit->req, &patient, &self->step, err);
    }
    secret_wipe_text(again);
    return begun;
}

static enum visit_step sign_in(const struct visit *visit, const struct link_form *form,
                               struct page_answer *out, struct error *err)
{
    struct signing signing = {.id = form->id, .secret = form->secret};
    struct invitation_show_out shown = {0};
    struct invitation_link_in link;
    enum page_text problem;

    if (!page_has(form->password))
        return open_link(visit, form->id, form->secret, false, PAGE_NO_TEXT,
                         PAGE_TEXT_ERROR_REQUIRED, out, err);
    if (show_link(visit, form->id, form->secret, &link, &shown, err) < 0)
        return link_refuse(visit, out, err);
    if (begin(visit, shown.email, form->password, &signing, err) == 0)
        return go_on(visit, &signing, out, err);
    problem = visit_problem(err);
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    if (problem == PAGE_TEXT_ERROR_CREDENTIALS)
        problem = PAGE_TEXT_ERROR_WRONG_PASSWORD;
    visit_refused(err, out);
    return open_link(visit, form->id, form->secret, false, PAGE_NO_TEXT, problem, out, err);
}

/* The second factor of a sign-in that began here. */
static enum visit_step take_factor(const struct visit *visit, const struct link_form *form,
                                   struct page_answer *out, struct error *err)
{
    bool is_over = false;
    const char *state = visit_unseal_late(visit, form->step, &is_over);
    const char *code = factor_form_code(visit->req.arena, form->code);
    struct signing signing = {.role = NULL};
    enum page_text problem;
    char *rest = NULL;

    if (state) {
        signing.role = strtok_r(arena_strdup(visit->req.arena, state), " ", &rest);
        signing.verifier = strtok_r(NULL, " ", &rest);
        signing.login = strtok_r(NULL, " ", &rest);
        signing.id = strtok_r(NULL, " ", &rest);
        signing.secret = strtok_r(NULL, " ", &rest);
    }
    if (!signing.secret)
        return visit_say(visit, 400, PAGE_TEXT_ERROR_EXPIRED, PAGE_TEXT_ERROR_EXPIRED_TEXT, out);
    if (is_over)
        return show_again(visit, 400, signing.id, signing.secret, out, err);
    if (*code == '\0' && !form->credential)
        return ask_factor(visit, &signing, 422, PAGE_TEXT_ERROR_REQUIRED, out, err);
    if (factor_form_submit(visit, signing.role, signing.login, code, form->credential,
                           &signing.step, err) == 0)
        return go_on(visit, &signing, out, err);
    problem = factor_form_problem(err);
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return ask_factor(visit, &signing, visit_refused(err, out), problem, out, err);
}

/* ---- handlers ---- */

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
    if (in->step)
        step = take_factor(&visit, in, out, err);
    else if (strcmp(action, "set-password") == 0)
        step = accept_by_password(&visit, in, out, err);
    else if (strcmp(action, "accept") == 0 && visit.signed_in)
        step = accept_signed_in(&visit, in, out, err);
    else
        step = sign_in(&visit, in, out, err);
    return visit_result(step);
}
