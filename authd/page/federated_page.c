/*
 * federated_page.c - see federated_page.h. The provider's answer arrives at
 * authd/oauth/federated_callback.c.
 *
 * The button is a form, so that no other site can start a sign-in; only a client's authorization
 * request can, with idp_hint. The answer is a page that leads on, because form-action forbids a
 * redirect to another host (CSP 3, section 6.4.1).
 */
#include "authd/page/federated_page.h"

#include <jansson.h>
#include <string.h>

#include "authd/federation/federated.h"
#include "authd/federation/federated_api.h"
#include "authd/federation/relying_party.h"

static enum page_text problem_of(const struct error *err)
{
    switch (err->code) {
    case ERR_ACCEPT_SIGNED_IN:
        return PAGE_TEXT_ERROR_FEDERATED_SIGN_IN_FIRST;
    case ERR_BAD_REQUEST:
        return err->detail[0] != '\0' ? PAGE_TEXT_ERROR_FEDERATED_ASK
                                      : PAGE_TEXT_ERROR_FEDERATED_FAILED;
    case ERR_NOT_FOUND:
        return PAGE_TEXT_ERROR_DISABLED;
    case ERR_UNAVAILABLE:
        return PAGE_TEXT_ERROR_FEDERATED_UNAVAILABLE;
    default:
        return visit_problem(err);
    }
}

enum visit_step federated_page_refuse(const struct visit *visit, const char *provider,
                                      struct error *err, struct page_answer *out)
{
    enum page_text problem = problem_of(err);
    struct page page;

    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    visit_page(visit, &page);
    page_federated_refused(&page, &(struct page_federated_refused_in){
                                      VISIT_FRAME(visit), .next = visit->next,
                                      .provider = provider ? provider : "", .problem = problem,
                                      .request = visit->req.trace});
    return visit_show(&page, visit_refused(err, out), out);
}

static enum visit_step lead_on(const struct visit *visit, const char *provider, const char *url,
                               struct page_answer *out)
{
    struct page page;

    visit_page(visit, &page);
    page_federated(&page, &(struct page_federated_in){VISIT_FRAME(visit), .next = visit->next,
                                                      .provider = provider, .url = url});
    return visit_show(&page, 200, out);
}

static enum visit_step start(const struct visit *visit, const struct federated_form *in,
                             struct page_answer *out, struct error *err)
{
    struct federated_begin begin = {
        .tenant = &visit->tenant,
        .cookie = visit->from->cookie,
        .next = visit->next,
        .login_hint = in->email ? fields_email(visit->req.arena, in->email) : visit->login_hint,
        .role = in->role && strcmp(in->role, "patient") == 0 ? ROLE_PATIENT : ROLE_PRACTITIONER};
    const char *provider = NULL, *url;
    struct uuid login;

    if (uuid_parse(in->id ? in->id : "", &begin.provider) < 0)
        (void)error_set(err, ERR_NOT_FOUND, "Identity provider not found.");
    else if (federated_begin(visit->d, &visit->req, &begin, &login, &provider, &url, err) == 0)
        return lead_on(visit, provider, url, out);
    return federated_page_refuse(visit, provider, err, out);
}

static void list_claims(struct arena *arena, json_t *claims, struct page_federated_test_in *ret)
{
    struct page_federated_test_claim *rows =
        arena_calloc(arena, json_object_size(claims), sizeof(*rows));
    const char *name;
    json_t *value;

    json_object_foreach(claims, name, value) rows[ret->claim_count++] =
        (struct page_federated_test_claim){.name = name,
                                           .value = json_is_string(value)
                                                        ? json_string_value(value)
                                                        : codec_dump_json(arena, value)};
    ret->claim = rows;
}

enum visit_step federated_page_test(const struct visit *visit,
                                    const struct federated_callback_in *in, struct federated *login,
                                    struct page_answer *out, struct error *err)
{
    struct page_federated_test_in page_in = {VISIT_FRAME(visit)};
    struct page_federated_test_rule *rows;
    struct federated_test test;
    const struct rule *rules;
    struct page page;
    json_t *claims;

    if (federated_test(visit->d, &visit->req, login, in, &test, err) < 0)
        return federated_page_refuse(visit, login->name, err, out);
    rules = test.rules.items;
    rows = arena_calloc(visit->req.arena, test.rules.count, sizeof(*rows));
    for (size_t i = 0; i < test.rules.count; i++)
        rows[i] = (struct page_federated_test_rule){
            .name = rules[i].name, .detail = rules[i].detail, .passed = rules[i].passed};
    page_in.provider = login->name;
    page_in.passed = test.passed;
    claims = json_loads(test.claims ? test.claims : "{}", 0, NULL);
    list_claims(visit->req.arena, claims, &page_in);
    page_in.rule = rows;
    page_in.rule_count = test.rules.count;
    visit_page(visit, &page);
    page_federated_test(&page, &page_in);
    json_decref(claims);
    return visit_show(&page, 200, out);
}

/* Leads to the provider of a client's idp_hint if it signs in one role. Otherwise the sign-in page
 * asks. */
static enum visit_step follow_hint(const struct visit *visit, const struct federated_form *in,
                                   struct page_answer *out, struct error *err)
{
    struct federated_form form = *in;
    struct field_list found = {0};
    const struct provider *providers;

    if (!visit->next)
        return visit_go(visit, "sign-in", out);
    if (providers_active(visit->d, &visit->req, visit->tenant.projectId, &found, err) < 0)
        return VISIT_FAILED;
    providers = found.items;
    for (size_t i = 0; i < found.count; i++) {
        if (strcmp(providers[i].id.text, in->id) != 0 ||
            providers[i].patients == providers[i].practitioners)
            continue;
        form.role = providers[i].patients ? "patient" : "practitioner";
        return start(visit, &form, out, err);
    }
    return visit_go(visit, arena_printf(visit->req.arena, "sign-in?next=%s", visit->next), out);
}

int page_federated_hint(struct authd *d, const struct request *req, const struct federated_form *in,
                        struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = follow_hint(&visit, in, out, err);
    return visit_result(step);
}

int page_federated_start(struct authd *d, const struct request *req,
                         const struct federated_form *in, struct page_answer *out,
                         struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = visit.signed_in ? visit_continue(&visit, out) : visit_go(&visit, "sign-in", out);
    else if (step == VISIT_OPEN)
        step = start(&visit, in, out, err);
    return visit_result(step);
}
