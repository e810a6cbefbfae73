/*
 * readiness.c - what a project's flows lack, for GET /v1/project/readiness and `atriumctl project
 * show`.
 *
 * To add a flow, add a row to flows[]. To add a need, add a row to needs[] or a template's name to
 * a flow.
 */
#include <string.h>

#include "common/domain/language.h"
#include "common/domain/page.h"
#include "common/domain/policy.h"
#include "common/wire/fields.h"
#include "maild/maild_api.h"
#include "maild/template_api.h"
#include "settingsd/policy_api.h"
#include "settingsd/setting_api.h"
#include "settingsd/settingsd.h"
#include "settingsd/sql/setting.h"
#include "settingsd/tenant_api.h"

enum { FLOW_NEEDS_MAX = 6, FLOW_TEMPLATES_MAX = 1 };

/* SWITCH_*, POLICY_* and APP_* are settings. ADDRESS_* are the targets of links in emails: the same
 * setting, or the hosted pages. */
enum need {
    NEED_END,
    SWITCH_PATIENT_REGISTRATION,
    SWITCH_PATIENT_INVITATION,
    SWITCH_PATIENT_LOGIN,
    SWITCH_PRACTITIONER_REGISTRATION,
    SWITCH_PRACTITIONER_INVITATION,
    SWITCH_PRACTITIONER_LOGIN,
    SWITCH_BUSINESS_INVITATION,
    SWITCH_PROVIDERS,
    POLICY_PATIENT,
    POLICY_PRACTITIONER,
    ADDRESS_PATIENT,
    ADDRESS_PRACTITIONER,
    APP_PATIENT,
    APP_PRACTITIONER,
    RULE_MAIL_CODE,
    PROJECT_OPEN,
    TENANT_CODE,
};

struct flow {
    const char *name;
    enum need needs[FLOW_NEEDS_MAX];
    const char *template; /* NULL: no email */
    bool mail_optional;   /* works without the email */
};

/* The flows as authd's handlers check them. */
static const struct flow flows[] = {
    {"patient-registration",
     {SWITCH_PATIENT_REGISTRATION, POLICY_PATIENT, TENANT_CODE},
     "PATIENT_WELCOME",
     true},
    {"patient-sign-in", {SWITCH_PATIENT_LOGIN, TENANT_CODE}, NULL, false},
    {"patient-sign-in-code",
     {SWITCH_PATIENT_LOGIN, RULE_MAIL_CODE, TENANT_CODE},
     "SIGN_IN_CODE",
     false},
    {"patient-invitation",
     {SWITCH_PATIENT_INVITATION, POLICY_PATIENT, ADDRESS_PATIENT},
     "PATIENT_INVITE",
     false},
    {"patient-password-reset", {ADDRESS_PATIENT}, "PASSWORD_RESET", false},
    {"patient-email-verification", {ADDRESS_PATIENT}, "EMAIL_VERIFICATION", false},
    {"patient-email-change", {ADDRESS_PATIENT}, "EMAIL_CHANGE", false},
    {"practitioner-registration",
     {SWITCH_PRACTITIONER_REGISTRATION, POLICY_PRACTITIONER, TENANT_CODE},
     NULL,
     false},
    {"practitioner-sign-in", {SWITCH_PRACTITIONER_LOGIN, TENANT_CODE}, NULL, false},
    {"practitioner-sign-in-code",
     {SWITCH_PRACTITIONER_LOGIN, RULE_MAIL_CODE, TENANT_CODE},
     "SIGN_IN_CODE",
     false},
    {"practitioner-invitation",
     {SWITCH_PRACTITIONER_INVITATION, POLICY_PRACTITIONER, ADDRESS_PRACTITIONER},
     "INVITE_TO_PROJECT",
     false},
    {"practitioner-password-reset", {ADDRESS_PRACTITIONER}, "PASSWORD_RESET", false},
    {"practitioner-email-verification", {ADDRESS_PRACTITIONER}, "EMAIL_VERIFICATION", false},
    {"practitioner-email-change", {ADDRESS_PRACTITIONER}, "EMAIL_CHANGE", false},
    {"business-invitation",
     {SWITCH_BUSINESS_INVITATION, SWITCH_PRACTITIONER_INVITATION, POLICY_PRACTITIONER,
      APP_PRACTITIONER, APP_PATIENT},
     "CLINICIAN_SIGNUP_INVITE",
     false},
    {"organization-code-mail", {TENANT_CODE}, "ORGANIZATION_CODE", false},
};

struct facts {
    struct arena *arena;
    const struct tenant *tenant;
    const struct sql_readiness_get_row *row;
    struct field_texts written, languages;
    struct field_list templates; /* struct template_mapping */
    bool has_pages;              /* see docs/pages.md */
};

static bool is_among(const struct field_texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (strcmp(texts->items[i], text) == 0)
            return true;
    }
    return false;
}

/* ---- needs ---- */

/* A need, and whether the project meets it. optional: without it a flow works in part. */
struct need_fact {
    const char *kind, *name;
    bool met, optional;
};

static struct need_fact switch_fact(const char *name, bool on)
{
    return (struct need_fact){.kind = "switch", .name = name, .met = on};
}

static struct need_fact address_fact(const char *name, bool there)
{
    return (struct need_fact){.kind = "address", .name = name, .met = there};
}

static struct need_fact need_fact_of(const struct facts *facts, enum need need)
{
    const struct tenant *t = facts->tenant;

    switch (need) {
    case SWITCH_PATIENT_REGISTRATION:
        return switch_fact("PATIENT_REGISTRATION_ENABLED", t->patientRegistration);
    case SWITCH_PATIENT_INVITATION:
        return switch_fact("PATIENT_INVITATION_ENABLED", t->patientInvitation);
    case SWITCH_PATIENT_LOGIN:
        return switch_fact("PATIENT_LOGIN_ENABLED", t->patientLogin);
    case SWITCH_PRACTITIONER_REGISTRATION:
        return switch_fact("PRACTITIONER_REGISTRATION_ENABLED", t->practitionerRegistration);
    case SWITCH_PRACTITIONER_INVITATION:
        return switch_fact("PRACTITIONER_INVITATION_ENABLED", t->practitionerInvitation);
    case SWITCH_PRACTITIONER_LOGIN:
        return switch_fact("PRACTITIONER_LOGIN_ENABLED", t->practitionerLogin);
    case SWITCH_BUSINESS_INVITATION:
        return switch_fact("CLINICIAN_INVITE_ON_BUSINESS_EMAIL", t->inviteOnBusinessEmail);
    case SWITCH_PROVIDERS:
        return switch_fact("inheritProviders", t->inheritProviders);
    case POLICY_PATIENT:
        return (struct need_fact){.kind = "policy",
                                  .name = "defaultPatientAccessPolicy",
                                  .met = uuid_is_set(&t->defaultPatientPolicy)};
    case POLICY_PRACTITIONER:
        return (struct need_fact){.kind = "policy",
                                  .name = "DEFAULT_PRACTITIONER_ACCESS_POLICY",
                                  .met = uuid_is_set(&t->defaultPractitionerPolicy)};
    case ADDRESS_PATIENT:
        return address_fact("PATIENT_APP_URL", t->patientAppUrl || facts->has_pages);
    case ADDRESS_PRACTITIONER:
        return address_fact("PRACTITIONER_APP_URL", t->practitionerAppUrl || facts->has_pages);
    case APP_PATIENT:
        return address_fact("PATIENT_APP_URL", t->patientAppUrl);
    case APP_PRACTITIONER:
        return address_fact("PRACTITIONER_APP_URL", t->practitionerAppUrl);
    case RULE_MAIL_CODE:
        return (struct need_fact){.kind = "account-policy",
                                  .name = "mailCode",
                                  .met = t->accountPolicy && t->accountPolicy->mailCode};
    case PROJECT_OPEN:
        return (struct need_fact){.kind = "project", .name = "suspended", .met = !t->suspended};
    case TENANT_CODE: /* optional: a client application identifies the project, too */
        return (struct need_fact){
            .kind = "tenant-code", .name = "tenantCode", .met = t->tenantCode, .optional = true};
    case NEED_END:
        break;
    }
    return (struct need_fact){.met = true};
}

/* ---- flows ---- */

struct lacks {
    struct readiness_lack *items;
    size_t count;
    bool blocked;
};

static void lack(struct lacks *self, const char *kind, const char *name, const char *language,
                 bool blocks)
{
    self->items[self->count++] = (struct readiness_lack){kind, name, language, blocks};
    self->blocked = self->blocked || blocks;
}

static void need_check(const struct facts *facts, enum need need, struct lacks *lacks)
{
    struct need_fact fact = need_fact_of(facts, need);

    if (!fact.met)
        lack(lacks, fact.kind, fact.name, NULL, !fact.optional);
}

static const struct template_mapping *mapping_find(const struct facts *facts, const char *name)
{
    const struct template_mapping *items = facts->templates.items;

    for (size_t i = 0; i < facts->templates.count; i++) {
        if (strcmp(items[i].name, name) == 0)
            return &items[i];
    }
    return NULL;
}

/* Reports languages whose email would be in another language. */
static void languages_check(const struct facts *facts, const struct template_mapping *mapping,
                            struct lacks *lacks)
{
    for (size_t i = 0; i < facts->languages.count && !mapping->anyLanguage; i++) {
        const char *language = facts->languages.items[i];

        if (!is_among(&mapping->languages, language) &&
            !is_among(&mapping->languages, language_base(facts->arena, language)))
            lack(lacks, "language", mapping->name, language, false);
    }
}

/* The built-in emails are in English. */
static void template_check(const struct facts *facts, const struct flow *flow, struct lacks *lacks)
{
    static const char *english[] = {"en"};
    const struct template_mapping *mapping = mapping_find(facts, flow->template);
    const struct template_mapping builtin = {.name = flow->template, .languages = {english, 1}};

    if (mapping && mapping->mapped)
        languages_check(facts, mapping, lacks);
    else if (mapping && mapping->builtin)
        languages_check(facts, &builtin, lacks);
    else
        lack(lacks, "template", flow->template, NULL, !flow->mail_optional);
}

static struct readiness_flow flow_of(const struct facts *facts, const struct flow *flow)
{
    struct lacks lacks = {
        .items = arena_calloc(facts->arena,
                              FLOW_NEEDS_MAX + FLOW_TEMPLATES_MAX + 1 + facts->languages.count,
                              sizeof(*lacks.items))};

    need_check(facts, PROJECT_OPEN, &lacks);
    for (size_t i = 0; i < FLOW_NEEDS_MAX && flow->needs[i] != NEED_END; i++)
        need_check(facts, flow->needs[i], &lacks);
    if (flow->template)
        template_check(facts, flow, &lacks);
    return (struct readiness_flow){
        .name = flow->name, .ready = !lacks.blocked, .lacks = {lacks.items, lacks.count}};
}

/* ---- facts ---- */

static struct field_list switches_of(const struct facts *facts)
{
    static const enum need needs[] = {
        SWITCH_PATIENT_REGISTRATION,    SWITCH_PATIENT_INVITATION,
        SWITCH_PATIENT_LOGIN,           SWITCH_PRACTITIONER_REGISTRATION,
        SWITCH_PRACTITIONER_INVITATION, SWITCH_PRACTITIONER_LOGIN,
        SWITCH_BUSINESS_INVITATION,     SWITCH_PROVIDERS,
    };
    struct readiness_switch *list = arena_calloc(facts->arena, ARRAY_SIZE(needs), sizeof(*list));

    for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
        struct need_fact fact = need_fact_of(facts, needs[i]);

        list[i] =
            (struct readiness_switch){fact.name, fact.met, is_among(&facts->written, fact.name)};
    }
    return (struct field_list){list, ARRAY_SIZE(needs)};
}

static struct field_list addresses_of(const struct facts *facts)
{
    struct readiness_address *list = arena_calloc(facts->arena, 2, sizeof(*list));

    list[0] = (struct readiness_address){"PATIENT_APP_URL", facts->tenant->patientAppUrl};
    list[1] = (struct readiness_address){"PRACTITIONER_APP_URL", facts->tenant->practitionerAppUrl};
    return (struct field_list){list, 2};
}

static struct readiness_policy policy_of(const struct facts *facts, const char *name,
                                         const struct uuid *id, const char *display)
{
    const char *value =
        uuid_is_set(id) ? arena_printf(facts->arena, POLICY_REFERENCE_PREFIX "%s", id->text) : NULL;

    return (struct readiness_policy){name, value, display};
}

static struct field_list policies_of(const struct facts *facts)
{
    struct readiness_policy *list = arena_calloc(facts->arena, 2, sizeof(*list));

    list[0] = policy_of(facts, "defaultPatientAccessPolicy", &facts->tenant->defaultPatientPolicy,
                        facts->row->patient_policy);
    list[1] = policy_of(facts, "DEFAULT_PRACTITIONER_ACCESS_POLICY",
                        &facts->tenant->defaultPractitionerPolicy, facts->row->practitioner_policy);
    return (struct field_list){list, 2};
}

static void readiness_fill(const struct facts *facts, struct readiness *out)
{
    struct readiness_flow *list = arena_calloc(facts->arena, ARRAY_SIZE(flows), sizeof(*list));

    for (size_t i = 0; i < ARRAY_SIZE(flows); i++)
        list[i] = flow_of(facts, &flows[i]);
    *out = (struct readiness){.projectId = facts->tenant->projectId,
                              .name = facts->tenant->name,
                              .tenantCode = facts->tenant->tenantCode,
                              .suspended = facts->tenant->suspended,
                              .languages = facts->languages,
                              .defaultLanguage = facts->row->default_language,
                              .switches = switches_of(facts),
                              .policies = policies_of(facts),
                              .addresses = addresses_of(facts),
                              .templates = facts->templates,
                              .flows = {list, ARRAY_SIZE(flows)}};
}

/* Decides as authd does for links in emails. */
static bool has_pages(const struct settingsd *d, const struct tenant *tenant)
{
    return d->svc.common->public_url && tenant->tenantCode && page_is_code(tenant->tenantCode);
}

/* ---- handlers ---- */

int project_readiness(struct settingsd *d, const struct request *req,
                      const struct nothing *in UNUSED, struct readiness *out, struct error *err)
{
    const struct sql_readiness_get_in get = {.project = request_project(req)};
    const struct template_list_in which = {.projectId = get.project};
    struct template_mappings templates = {0};
    struct sql_readiness_get_row row;
    struct tenant tenant = {0};

    if (project_by_id(d, req, get.project, &tenant, err) < 0 ||
        sql_require(sql_readiness_get(d->svc.db, req, &get, &row, err), err, ERR_NOT_FOUND,
                    "Project not found.") < 0 ||
        maild_template_summary(d->svc.bus, req, &which, &templates, err) < 0)
        return -1;
    readiness_fill(&(struct facts){.arena = req->arena,
                                   .tenant = &tenant,
                                   .row = &row,
                                   .written = field_texts_split(req->arena, row.written),
                                   .languages = field_texts_split(req->arena, row.languages),
                                   .templates = templates.templates,
                                   .has_pages = has_pages(d, &tenant)},
                   out);
    return 0;
}
