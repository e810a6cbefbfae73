/*
 * register_page.c - the page to register an account.
 *
 * Every form counts for the limit of registrations. The API route's table checks its fields.
 */
#include <string.h>

#include "authd/operation_api.h"
#include "authd/page/page_api.h"
#include "authd/page/visit.h"
#include "authd/signin/sign_in_api.h"
#include "common/domain/page.h"

/* Entered values, and what is wrong with them. */
struct entered {
    const struct register_form *form; /* NULL: nothing entered */
    const char *token;                /* token of a continue-as-patient link, or NULL */
    enum page_text problem, name, surname, email, password;
};

/* Empty fields count as omitted. */
static const char *given(const char *text)
{
    return page_has(text) ? text : NULL;
}

static bool patient_may(const struct tenant *tenant)
{
    return tenant->patientRegistration && uuid_is_set(&tenant->defaultPatientPolicy);
}

static bool practitioner_may(const struct tenant *tenant)
{
    return tenant->practitionerRegistration && uuid_is_set(&tenant->defaultPractitionerPolicy);
}

/* If only one role can register, the form doesn't ask. */
static bool is_practitioner(const struct tenant *tenant, const struct register_form *form)
{
    if (form && given(form->token))
        return false;
    if (!patient_may(tenant) || !practitioner_may(tenant))
        return practitioner_may(tenant);
    return form && form->role && strcmp(form->role, "practitioner") == 0;
}

static enum visit_step show_form(const struct visit *visit, int status,
                                 const struct entered *entered, struct page_answer *out)
{
    const struct register_form *form = entered->form;
    struct page page;

    visit_page(visit, &page);
    page_register(&page,
                  &(struct page_register_in){
                      VISIT_VALUES(visit), .wrong = status >= 400, .token = entered->token,
                      .ask_role = !entered->token && patient_may(&visit->tenant) &&
                                  practitioner_may(&visit->tenant),
                      .practitioner = is_practitioner(&visit->tenant, form),
                      .name = form ? form->name : NULL, .surname = form ? form->surname : NULL,
                      .email = form ? form->email : NULL, .problem = entered->problem,
                      .name_problem = entered->name, .surname_problem = entered->surname,
                      .email_problem = entered->email, .password_problem = entered->password});
    return visit_show(&page, status, out);
}

static void show_problems(const struct error *err, struct entered *entered)
{
    const struct register_form *form = entered->form;
    const struct {
        const char *name, *value;
        enum page_text *place, text;
    } fields[] = {{"name", form->name, &entered->name, PAGE_TEXT_ERROR_NAME},
                  {"surname", form->surname, &entered->surname, PAGE_TEXT_ERROR_NAME},
                  {"email", form->email, &entered->email, PAGE_TEXT_ERROR_EMAIL},
                  {"password", form->password, &entered->password, PAGE_TEXT_ERROR_PASSWORD}};

    for (const struct error_item *item = err->problems; item; item = item->next) {
        for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
            if (strcmp(item->name, fields[i].name) == 0)
                *fields[i].place =
                    page_has(fields[i].value) ? fields[i].text : PAGE_TEXT_ERROR_REQUIRED;
        }
    }
}

/* Checks the fields by the route's table, which is the same for both roles. */
static int read_fields(const struct visit *visit, const struct register_form *form,
                       const char *cookie, struct patient_register_in *ret, struct error *err)
{
    json_auto_t *body =
        json_pack("{s:s*, s:s*, s:s*, s:s*, s:s, s:s*}", "name", given(form->name), "surname",
                  given(form->surname), "email", given(form->email), "password",
                  given(form->password), "tenantCode", visit->tenant.tenantCode,
                  "continueAsPatientToken", given(form->token));

    if (visit_fields(visit, &patient_register_in_table, body, ret, err) < 0)
        return -1;
    ret->cookie = cookie;
    return 0;
}

static int register_as(const struct visit *visit, bool practitioner,
                       const struct patient_register_in *in, struct token_or_step *out,
                       struct error *err)
{
    const struct practitioner_register_in other = {.email = in->email,
                                                   .password = in->password,
                                                   .name = in->name,
                                                   .surname = in->surname,
                                                   .tenantCode = in->tenantCode,
                                                   .cookie = in->cookie};

    return practitioner ? practitioner_register(visit->d, &visit->req, &other, out, err)
                        : patient_register(visit->d, &visit->req, in, out, err);
}

static enum visit_step refuse(const struct visit *visit, const struct register_form *form,
                              struct page_answer *out, struct error *err)
{
    struct entered entered = {.form = form, .token = given(form->token)};

    show_problems(err, &entered);
    if (!err->problems)
        entered.problem = visit_problem(err);
    if (err->code == ERR_BAD_REQUEST)
        entered.problem = entered.token ? PAGE_TEXT_ERROR_CONTINUE : PAGE_TEXT_ERROR_TAKEN;
    if (!err->problems && entered.problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return show_form(visit, visit_refused(err, out), &entered, out);
}

static enum visit_step take_form(struct visit *visit, const struct register_form *form,
                                 struct page_answer *out, struct error *err)
{
    const char *cookie = visit_new_cookie(visit);
    const struct register_admit_in admit = {visit->req.address};
    struct token_or_step made = {.nextStep = NULL};
    struct patient_register_in in;
    struct nothing nothing = {0};

    if (register_admit(visit->d, &visit->req, &admit, &nothing, err) < 0 ||
        read_fields(visit, form, cookie, &in, err) < 0 ||
        register_as(visit, is_practitioner(&visit->tenant, form), &in, &made, err) < 0)
        return refuse(visit, form, out, err);
    if (!made.nextStep)
        return visit_signed_in(visit, cookie, out, err);
    if (strcmp(made.nextStep, "verify-email") == 0)
        return visit_say(visit, 200, PAGE_TEXT_NOTE_VERIFY, PAGE_TEXT_NOTE_VERIFY_TEXT, out);
    return visit_say(visit, 200, PAGE_TEXT_NOTE_INVITED, PAGE_TEXT_NOTE_INVITED_TEXT, out);
}

static bool is_open(const struct tenant *tenant)
{
    return patient_may(tenant) || practitioner_may(tenant);
}

static enum visit_step say_closed(const struct visit *visit, struct page_answer *out)
{
    return visit_say(visit, 403, PAGE_TEXT_REGISTER_TITLE, PAGE_TEXT_ERROR_DISABLED, out);
}

static int open_form(struct authd *d, const struct request *req, const char *code,
                     const struct page_visit *from, const char *token, struct page_answer *out,
                     struct error *err)
{
    const struct entered nothing = {.token = given(token)};
    struct visit visit;
    enum visit_step step = visit_open(d, req, code, from, &visit, out, err);

    if (step == VISIT_OPEN)
        step = is_open(&visit.tenant) ? show_form(&visit, 200, &nothing, out)
                                      : say_closed(&visit, out);
    return visit_result(step);
}

int page_register_get(struct authd *d, const struct request *req, const struct page_query *in,
                      struct page_answer *out, struct error *err)
{
    return open_form(d, req, in->tenantCode, in->visit, NULL, out, err);
}

int page_continue_get(struct authd *d, const struct request *req, const struct continue_query *in,
                      struct page_answer *out, struct error *err)
{
    return open_form(d, req, in->tenantCode, in->visit, in->token, out, err);
}

int page_register_post(struct authd *d, const struct request *req, const struct register_form *in,
                       struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE && !visit.signed_in)
        step = show_form(&visit, VISIT_STALE_STATUS,
                         &(struct entered){.form = in,
                                           .token = given(in->token),
                                           .problem = PAGE_TEXT_ERROR_STALE},
                         out);
    if (step == VISIT_OPEN)
        step = is_open(&visit.tenant) ? take_form(&visit, in, out, err) : say_closed(&visit, out);
    return visit_result(step);
}
