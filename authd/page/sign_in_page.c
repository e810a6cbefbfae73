/*
 * sign_in_page.c - the sign-in pages.
 *
 * One or two requests go through all steps of the tenant routes, with their functions:
 * login_begin(), patient_login_mfa(), patient_login_token(). The form carries the verifier, which
 * is made here, and the code or login, sealed. The installation's own page (/t/-/sign-in) is for
 * practitioners (own_account_page.h).
 *
 * Where an identity provider is active, a first form asks only for the address. Its answer depends
 * on the address's domain alone, and no account is looked up: it must not tell who has one.
 */
#include "authd/page/sign_in_page.h"

#include <string.h>

#include "authd/credential/password.h"
#include "authd/federation/provider.h"
#include "authd/page/factor_form.h"
#include "authd/page/own_account_page.h"
#include "authd/page/page_api.h"
#include "authd/page/passkey_form.h"
#include "authd/page/visit.h"
#include "authd/passkey/passkey_api.h"
#include "authd/passkey/passkey_start.h"
#include "authd/signin/attempt.h"
#include "authd/signin/login.h"
#include "authd/signin/sign_in_api.h"
#include "common/domain/page.h"

enum { VERIFIER_SIZE = 32 }; /* random bytes, 43 characters (RFC 7636, section 4.1) */

/* A sign-in after a right password, and its next step. */
struct begun {
    enum role role;
    const char *next;  /* "token" or "mfa" */
    const char *value; /* session code or login id */
};

struct begun_list {
    const char *verifier;
    struct begun items[ATTEMPTS];
    size_t count;
};

/* Entered values that are wrong. */
struct entered {
    const char *email;
    enum page_text notice, problem, email_problem, password_problem;
    bool address_only; /* the form had no password */
};

/* RFC 7636, section 4.2. */
static const char *challenge_of(struct arena *arena, const char *verifier)
{
    uint8_t hash[SECRET_HASH_SIZE];

    secret_hash(verifier, hash);
    return secret_encode(arena, hash, sizeof(hash));
}

/* Makes a challenge for any passkey in the browser. */
static int start_passkey(const struct visit *visit, const char *challenge,
                         struct passkey_start_out *ret, struct error *err)
{
    const struct practitioner_passkey_start_in in = {.codeChallenge = challenge};

    if (visit->installation)
        return practitioner_passkey_start(visit->d, &visit->req, &in, ret, err);
    return passkey_start_any(visit->d, &visit->req, &visit->tenant, challenge, ret, err);
}

/* Makes the challenge and what the form carries with it. NULL: not possible here. */
static int offer_passkey(const struct visit *visit, const char **ret_step, const char **ret_options,
                         struct error *err)
{
    struct arena *arena = visit->req.arena;
    const char *verifier = secret_random_text(arena, VERIFIER_SIZE);
    struct passkey_start_out start = {0};

    *ret_step = *ret_options = NULL;
    if (start_passkey(visit, challenge_of(arena, verifier), &start, err) < 0) {
        if (err->code != ERR_BAD_REQUEST)
            return -1;
        error_clear(err);
        return 0;
    }
    *ret_step = visit_seal(visit, arena_printf(arena, "%s %s", verifier, start.loginId));
    *ret_options = passkey_form_options(visit, &passkey_request_options_table, start.options);
    return 0;
}

static void add_button(const struct provider *provider, enum role role,
                       struct page_sign_in_provider *rows, size_t *count)
{
    bool patient = role == ROLE_PATIENT;

    if (patient ? provider->patients : provider->practitioners)
        rows[(*count)++] =
            (struct page_sign_in_provider){.id = provider->id.text,
                                           .name = provider->name,
                                           .role = patient ? "patient" : "practitioner",
                                           .both = provider->patients && provider->practitioners,
                                           .patient = patient};
}

/* A button for each active identity provider and role: of all, or once the address is known, of
 * those for its domain. Depends on the domain alone, so it tells nothing of accounts. */
static struct page_sign_in_provider *add_buttons(const struct visit *visit,
                                                 const struct field_list *providers,
                                                 const char *email, struct page_sign_in_in *page)
{
    struct arena *arena = visit->req.arena;
    const struct provider *all = providers->items;
    struct page_sign_in_provider *rows = arena_calloc(arena, 2 * providers->count, sizeof(*rows));

    page->provider = rows;
    for (size_t i = 0; i < providers->count; i++) {
        if (email && !provider_has_domain(&all[i], arena, email))
            continue;
        if (email && (all[i].enforced_practitioners || all[i].enforced_patients))
            page->enforced = all[i].name;
        add_button(&all[i], ROLE_PRACTITIONER, rows, &page->provider_count);
        add_button(&all[i], ROLE_PATIENT, rows, &page->provider_count);
    }
    return rows;
}

/* Divides the form where an identity provider is active: first the address, then the rest. */
static int divide(const struct visit *visit, const struct entered *entered,
                  struct page_sign_in_in *page, int *status, struct error *err)
{
    const char *email = entered->email ? fields_email(visit->req.arena, entered->email) : NULL;
    struct page_sign_in_provider *buttons;
    struct field_list providers = {0};

    if (visit->installation)
        return 0;
    if (providers_active(visit->d, &visit->req, visit->tenant.projectId, &providers, err) < 0)
        return -1;
    buttons = add_buttons(visit, &providers, email, page);
    if (providers.count == 0)
        return 0;
    page->first = !email;
    page->second = !page->first;
    if (entered->address_only || !email)
        page->password_problem = PAGE_NO_TEXT;
    if (entered->address_only && email)
        *status = 200;
    page->to_provider = email && page->provider_count > 0 && page->problem == PAGE_NO_TEXT &&
                        page->password_problem == PAGE_NO_TEXT;
    if (page->to_provider)
        buttons[0].focus = true;
    return 0;
}

static enum visit_step show_form(const struct visit *visit, int status,
                                 const struct entered *entered, struct page_answer *out,
                                 struct error *err)
{
    struct page_sign_in_in in = {VISIT_VALUES(visit),
                                 .email = entered->email,
                                 .notice = entered->notice,
                                 .problem = entered->problem,
                                 .email_problem = entered->email_problem,
                                 .password_problem = entered->password_problem,
                                 .intro = visit->brand.intro,
                                 .practitioners = visit->installation,
                                 .may_register = visit_may_register(&visit->tenant)};
    struct page page;

    if (offer_passkey(visit, &in.step, &in.options, err) < 0 ||
        divide(visit, entered, &in, &status, err) < 0)
        return VISIT_FAILED;
    visit_page(visit, &page);
    page_sign_in(&page, &in);
    return in.options ? visit_show_script(&page, status, out) : visit_show(&page, status, out);
}

static const char *list_seal(const struct visit *visit, const struct begun_list *list)
{
    const char *text = list->verifier;

    for (size_t i = 0; i < list->count; i++)
        text = arena_printf(visit->req.arena, "%s %s %s %s", text, role_text(list->items[i].role),
                            list->items[i].next, list->items[i].value);
    return visit_seal(visit, text);
}

/* Fails if the form was open for too long, or belongs to another browser. */
static bool list_unseal(const struct visit *visit, const char *step, struct begun_list *ret)
{
    const char *state = visit_unseal(visit, step);
    char *rest = NULL;

    *ret = (struct begun_list){.count = 0};
    if (!state)
        return false;
    ret->verifier = strtok_r(arena_strdup(visit->req.arena, state), " ", &rest);
    for (struct begun *item = ret->items; ret->count < ATTEMPTS; item++) {
        item->role = role_parse(strtok_r(NULL, " ", &rest));
        item->next = strtok_r(NULL, " ", &rest);
        item->value = strtok_r(NULL, " ", &rest);
        if (!item->value)
            break;
        ret->count++;
    }
    return ret->count > 0;
}

/* After a form has expired, continues if the person is signed in, otherwise shows the form. */
static enum visit_step lead_on(const struct visit *visit, int status, const char *email,
                               struct page_answer *out, struct error *err)
{
    const struct entered entered = {.email = email, .problem = PAGE_TEXT_ERROR_STALE};

    return visit->signed_in ? visit_continue(visit, out)
                            : show_form(visit, status, &entered, out, err);
}

static int exchange(struct visit *visit, const struct begun *item, const char *verifier,
                    const char *cookie, struct error *err)
{
    const struct patient_login_token_in patient = {item->value, verifier, cookie};
    const struct practitioner_login_token_in practitioner = {item->value, verifier,
                                                             visit->tenant.tenantCode, cookie};
    struct token_response tokens = {0};

    if (item->role == ROLE_PATIENT)
        return patient_login_token(visit->d, &visit->req, &patient, &tokens, err);
    return practitioner_login_token(visit->d, &visit->req, &practitioner, &tokens, err);
}

/* Shows the form again with the reason. */
static enum visit_step refuse(const struct visit *visit, struct entered *entered,
                              struct page_answer *out, struct error *err)
{
    if (entered->problem == PAGE_NO_TEXT)
        entered->problem = visit_problem(err);
    if (entered->problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return show_form(visit, visit_refused(err, out), entered, out, err);
}

/* Exchanges the code for the browser's session. */
static enum visit_step finish(struct visit *visit, const struct begun *item, const char *verifier,
                              struct page_answer *out, struct error *err)
{
    const char *cookie = visit_new_cookie(visit);
    struct entered entered = {.email = NULL};

    if (exchange(visit, item, verifier, cookie, err) == 0)
        return visit_signed_in(visit, cookie, out, err);
    return refuse(visit, &entered, out, err);
}

/* On the installation's own page. If refused, shows the form again. */
static enum visit_step finish_own(struct visit *visit, const struct begun *item,
                                  const char *verifier, struct page_answer *out, struct error *err)
{
    struct entered entered = {.email = NULL};
    enum visit_step step = own_sign_in_finish(visit, item->value, verifier, out, err);

    return step == VISIT_FAILED ? refuse(visit, &entered, out, err) : step;
}

static enum visit_step proved(struct visit *visit, const struct begun *item, const char *verifier,
                              struct page_answer *out, struct error *err)
{
    return visit->installation ? finish_own(visit, item, verifier, out, err)
                               : finish(visit, item, verifier, out, err);
}

static enum visit_step ask_factor(const struct visit *visit, const struct begun_list *list,
                                  int status, enum page_text problem, struct page_answer *out,
                                  struct error *err)
{
    const struct factor_wanted wanted = {"mfa", list_seal(visit, list), list->items[0].role,
                                         list->items[0].value};

    return factor_form_show(visit, &wanted, status, problem, out, err);
}

static enum visit_step go_on(struct visit *visit, const struct begun *item, const char *verifier,
                             struct page_answer *out, struct error *err)
{
    const struct begun_list one = {verifier, {*item}, 1};

    if (strcmp(item->next, "token") == 0)
        return proved(visit, item, verifier, out, err);
    return ask_factor(visit, &one, 200, PAGE_NO_TEXT, out, err);
}

static enum visit_step ask_which(const struct visit *visit, const struct begun_list *list,
                                 struct page_answer *out)
{
    struct page page;

    visit_page(visit, &page);
    page_choose(&page,
                &(struct page_choose_in){VISIT_VALUES(visit), .step = list_seal(visit, list)});
    return visit_show(&page, 200, out);
}

static struct begun begun_of(const struct visit *visit, enum role role,
                             const struct login_step *step)
{
    return (struct begun){role, step->nextStep,
                          step->sessionCode ? step->sessionCode
                                            : arena_strdup(visit->req.arena, step->loginId.text)};
}

const char *sign_in_page_verifier(struct arena *arena, const char **ret_challenge)
{
    const char *verifier = secret_random_text(arena, VERIFIER_SIZE);

    *ret_challenge = challenge_of(arena, verifier);
    return verifier;
}

enum visit_step sign_in_page_go_on(struct visit *visit, enum role role,
                                   const struct login_step *step, const char *verifier,
                                   struct page_answer *out, struct error *err)
{
    const struct begun item = begun_of(visit, role, step);

    return go_on(visit, &item, verifier, out, err);
}

static int begin(const struct visit *visit, struct attempt *attempt, const char *challenge,
                 struct begun *ret, struct error *err)
{
    struct login_step step = {.nextStep = NULL};

    if (attempt_admit(visit->d, &visit->req, &visit->tenant, attempt, err) < 0 ||
        login_begin(visit->d, &visit->req, &attempt->who, &attempt->keys, visit->tenant.projectId,
                    challenge, &step, err) < 0)
        return -1;
    *ret = begun_of(visit, attempt->role, &step);
    return 0;
}

/* If one of two accounts is refused, the person continues with the other. */
static int begin_all(const struct visit *visit, struct attempt tried[static ATTEMPTS],
                     struct begun_list *ret, struct error *err)
{
    const char *challenge;
    struct error refusal;

    error_init(&refusal, visit->req.arena);
    ret->verifier = secret_random_text(visit->req.arena, VERIFIER_SIZE);
    ret->count = 0;
    challenge = challenge_of(visit->req.arena, ret->verifier);
    for (size_t i = 0; i < ATTEMPTS; i++) {
        if (!attempt_is_open(&tried[i]))
            continue;
        if (begin(visit, &tried[i], challenge, &ret->items[ret->count], &refusal) == 0)
            ret->count++;
        else if (visit_problem(&refusal) == PAGE_NO_TEXT)
            break;
    }
    if (ret->count > 0)
        return 0;
    if (refusal.code == ERR_NONE)
        return attempts_refuse(visit->d, &visit->req, tried, err);
    error_copy(err, &refusal);
    return -1;
}

static int sign_in(const struct visit *visit, const char *email, const char *password,
                   struct begun_list *ret, struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct attempt tried[ATTEMPTS];

    if (password_slot_acquire(visit->d, &visit->req, &slot, err) < 0 ||
        attempts_make(visit->d, &visit->req, &visit->tenant, email, password, tried, err) < 0)
        return -1;
    return begin_all(visit, tried, ret, err);
}

/* On the installation's own page, for any practitioner. */
static enum visit_step sign_in_practitioner(struct visit *visit, const char *email,
                                            const char *password, struct entered *entered,
                                            struct page_answer *out, struct error *err)
{
    const char *verifier = secret_random_text(visit->req.arena, VERIFIER_SIZE);
    struct login_step step = {.nextStep = NULL};
    struct begun item;

    if (login_start_account(visit->d, &visit->req, email, password,
                            challenge_of(visit->req.arena, verifier), &step, err) < 0)
        return refuse(visit, entered, out, err);
    item = begun_of(visit, ROLE_PRACTITIONER, &step);
    return go_on(visit, &item, verifier, out, err);
}

static enum visit_step take_password(struct visit *visit, const struct sign_in_form *in,
                                     struct page_answer *out, struct error *err)
{
    const char *email = fields_email(visit->req.arena, in->email ? in->email : "");
    struct entered entered = {.email = in->email, .address_only = !in->password};
    struct begun_list list;

    if (!email)
        entered.email_problem = PAGE_TEXT_ERROR_EMAIL;
    if (!page_has(in->password))
        entered.password_problem = PAGE_TEXT_ERROR_REQUIRED;
    if (!email || !page_has(in->password))
        return show_form(visit, 422, &entered, out, err);
    if (visit->installation)
        return sign_in_practitioner(visit, email, in->password, &entered, out, err);
    if (sign_in(visit, email, in->password, &list, err) == 0)
        return list.count > 1 ? ask_which(visit, &list, out)
                              : go_on(visit, &list.items[0], list.verifier, out, err);
    return refuse(visit, &entered, out, err);
}

/* Handles the choice between two accounts. */
static enum visit_step take_choice(struct visit *visit, const struct sign_in_form *in,
                                   struct page_answer *out, struct error *err)
{
    enum role role =
        in->role && strcmp(in->role, "patient") == 0 ? ROLE_PATIENT : ROLE_PRACTITIONER;
    struct begun_list list;

    if (!list_unseal(visit, in->step, &list))
        return lead_on(visit, 400, NULL, out, err);
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].role == role)
            return go_on(visit, &list.items[i], list.verifier, out, err);
    }
    return lead_on(visit, 400, NULL, out, err);
}

static int finish_passkey(const struct visit *visit, const struct passkey_finish_in *in,
                          enum role *ret_role, struct login_step *ret, struct error *err)
{
    *ret_role = ROLE_PRACTITIONER;
    return visit->installation ? passkey_finish_account(visit->d, &visit->req, in, ret, err)
                               : passkey_finish_any(visit->d, &visit->req, in, ret_role, ret, err);
}

/* The passkey determines account and role. */
static enum visit_step take_passkey(struct visit *visit, const struct sign_in_form *in,
                                    struct page_answer *out, struct error *err)
{
    const char *state = visit_unseal(visit, in->step), *blank = state ? strchr(state, ' ') : NULL;
    struct entered entered = {.problem = PAGE_TEXT_ERROR_PASSKEY};
    struct login_step step = {.nextStep = NULL};
    struct begun item = {.next = "token"};
    struct passkey_finish_in finish_in;
    json_auto_t *body = NULL;

    if (!blank)
        return lead_on(visit, 400, NULL, out, err);
    body = passkey_form_body(in->credential, "loginId", blank + 1);
    if (visit_fields(visit, &passkey_finish_in_table, body, &finish_in, err) < 0)
        return refuse(visit, &entered, out, err);
    if (finish_passkey(visit, &finish_in, &item.role, &step, err) < 0) {
        if (err->code != ERR_BAD_REQUEST)
            entered.problem = PAGE_NO_TEXT;
        return refuse(visit, &entered, out, err);
    }
    item.value = step.sessionCode;
    return proved(visit, &item, arena_strndup(visit->req.arena, state, (size_t)(blank - state)),
                  out, err);
}

/* Uses the request's login_hint (OpenID Connect Core 1.0, section 3.1.2.1). A signed-in person goes
 * to the account. */
int page_sign_in_get(struct authd *d, const struct request *req, const struct page_query *in,
                     struct page_answer *out, struct error *err)
{
    struct entered entered = {.email = NULL};
    struct visit visit;
    enum visit_step step = visit_open_any(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step != VISIT_OPEN)
        return visit_result(step);
    if (visit.signed_in && !visit.next)
        return visit_result(visit_go(&visit, "account", out));
    entered.email = visit.login_hint;
    entered.notice = visit_note(in->note);
    return visit_result(show_form(&visit, 200, &entered, out, err));
}

int page_sign_in_post(struct authd *d, const struct request *req, const struct sign_in_form *in,
                      struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_any_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = lead_on(&visit, VISIT_STALE_STATUS, in->email, out, err);
    else if (step == VISIT_OPEN)
        step = in->credential ? take_passkey(&visit, in, out, err)
               : in->step     ? take_choice(&visit, in, out, err)
                              : take_password(&visit, in, out, err);
    return visit_result(step);
}

/* Only the form for an emailed code can be reloaded. */
int page_mfa_get(struct authd *d, const struct request *req, const struct page_query *in,
                 struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_any(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = visit.own.waiting ? own_code_show(&visit, 200, PAGE_NO_TEXT, out)
                                 : visit_go(&visit, "sign-in", out);
    return visit_result(step);
}

static enum visit_step take_factor(struct visit *visit, const struct mfa_form *in,
                                   struct page_answer *out, struct error *err)
{
    const char *code = factor_form_code(visit->req.arena, in->code);
    struct login_step shown = {.nextStep = NULL};
    struct begun_list list;
    enum page_text problem;

    if (!list_unseal(visit, in->step, &list) || strcmp(list.items[0].next, "mfa") != 0)
        return lead_on(visit, 400, NULL, out, err);
    if (*code == '\0' && !in->credential)
        return ask_factor(visit, &list, 422, PAGE_TEXT_ERROR_REQUIRED, out, err);
    if (factor_form_submit(visit, list.items[0].role, list.items[0].value, code, in->credential,
                           &shown, err) == 0) {
        list.items[0].value = shown.sessionCode;
        return proved(visit, &list.items[0], list.verifier, out, err);
    }
    problem = factor_form_problem(err);
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return ask_factor(visit, &list, visit_refused(err, out), problem, out, err);
}

int page_mfa_post(struct authd *d, const struct request *req, const struct mfa_form *in,
                  struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_any_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = lead_on(&visit, VISIT_STALE_STATUS, NULL, out, err);
    else if (step == VISIT_OPEN)
        step = visit.own.waiting && !in->step ? own_code_check(&visit, in, out, err)
                                              : take_factor(&visit, in, out, err);
    return visit_result(step);
}
