/* project.c - `atriumctl project ...`. */
#include <string.h>

#include "common/base/clock.h"
#include "ctl/call.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/project_hold.h"
#include "maild/template_api.h"
#include "settingsd/policy_api.h"
#include "settingsd/project_api.h"
#include "settingsd/setting_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum {
    PROJECT_PAGE = 200,
    PROJECTS_MAX = 100000,
};

static const char *const project_columns[] = {"tenantCode", "name",      "projectId", "suspended",
                                              "readOnly",   "createdAt", NULL};

int project_create_command(struct ctl *ctl, struct error *err)
{
    if (arguments_has(&ctl->args, "--code") && arguments_has(&ctl->args, "--no-code"))
        return error_set(err, ERR_BAD_REQUEST, "--code and --no-code exclude each other");
    return call_command(ctl, err);
}

int project_list_command(struct ctl *ctl, struct error *err)
{
    struct field_list list = {0};
    struct project_list_in in = {.count = PROJECT_PAGE};
    struct tenant_list page;

    do {
        struct request req = ctl_bus_request(ctl->bus, ctl->arena);

        page = (struct tenant_list){0};
        if (settingsd_project_list(ctl->bus->bus, &req, &in, &page, err) < 0)
            return -1;
        output_append(ctl, &tenant_table, &list, &page.tenants);
        if (list.count > 0)
            in.after = ((const struct tenant *)list.items)[list.count - 1].projectId;
    } while (page.tenants.count == PROJECT_PAGE && list.count < PROJECTS_MAX);
    output_list(ctl, &tenant_table, &list, project_columns);
    return 0;
}

/* --json also has the older names. */
static const struct spelling {
    const char *member, *setting;
    bool policy; /* shown as AccessPolicy/<id> */
} spellings[] = {
    {"patientRegistration", "PATIENT_REGISTRATION_ENABLED", false},
    {"patientInvitation", "PATIENT_INVITATION_ENABLED", false},
    {"patientLogin", "PATIENT_LOGIN_ENABLED", false},
    {"practitionerRegistration", "PRACTITIONER_REGISTRATION_ENABLED", false},
    {"practitionerInvitation", "PRACTITIONER_INVITATION_ENABLED", false},
    {"practitionerLogin", "PRACTITIONER_LOGIN_ENABLED", false},
    {"inviteOnBusinessEmail", "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", false},
    {"inheritProviders", "inheritProviders", false},
    {"defaultPatientPolicy", "default-patient-access-policy", true},
    {"defaultPractitionerPolicy", "DEFAULT_PRACTITIONER_ACCESS_POLICY", true},
    {"patientAppUrl", "PATIENT_APP_URL", false},
    {"practitionerAppUrl", "PRACTITIONER_APP_URL", false},
};

static json_t *setting_value(const struct spelling *spelling, json_t *value)
{
    if (!value)
        return json_null();
    if (spelling->policy && json_is_string(value))
        return json_sprintf("AccessPolicy/%s", json_string_value(value));
    return json_incref(value);
}

/* Prints settings; with --json also `readiness` (NULL: unknown). */
static void show_settings(const struct ctl *ctl, const struct tenant *tenant,
                          const struct readiness *readiness)
{
    json_auto_t *json = output_json(ctl->arena, &tenant_table, tenant);

    for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
        const struct spelling *spelling = &spellings[i];
        json_t *value = json_object_get(json, spelling->member);

        json_object_set_new(json, spelling->setting, setting_value(spelling, value));
        if (!ctl->json && strcmp(spelling->member, spelling->setting) != 0)
            json_object_del(json, spelling->member);
    }
    if (ctl->json && readiness)
        json_object_set_new(json, "readiness",
                            output_json(ctl->arena, &readiness_table, readiness));
    output_object(ctl, json);
}

static const struct remedy {
    const char *kind, *before, *after; /* text around "CODE NAME" */
} remedies[] = {
    {"switch", "project set", " true"},
    {"address", "project set", " URL"},
    {"policy", "project set", " AccessPolicy/ID"},
    {"account-policy", "project policy", " true"},
    {"template", "template put --project", " --subject TEXT --text FILE"},
};

/* Returns " (atriumctl ...)", or "" if no command helps. */
static const char *remedy_of(const struct ctl *ctl, const char *code,
                             const struct readiness_lack *lack)
{
    const char *name = lack->name, *language = lack->language;

    for (size_t i = 0; i < ARRAY_SIZE(remedies); i++) {
        if (strcmp(remedies[i].kind, lack->kind) != 0)
            continue;
        if (strcmp(name, "defaultPatientAccessPolicy") == 0)
            name = "default-patient-access-policy";
        return arena_printf(ctl->arena, " (atriumctl %s %s %s%s%s%s)", remedies[i].before, code,
                            name, remedies[i].after, language ? " --language " : "",
                            language ? language : "");
    }
    return "";
}

static void show_lacks(const struct ctl *ctl, const char *code, const struct readiness *readiness)
{
    const struct readiness_flow *flows = readiness->flows.items;

    for (size_t i = 0; i < readiness->flows.count; i++) {
        const struct readiness_lack *lacks = flows[i].lacks.items;

        for (size_t k = 0; k < flows[i].lacks.count; k++)
            output_note(ctl, "%s %s: %s %s%s%s%s", flows[i].name,
                        lacks[k].blocks ? "does not work" : "works only in part", lacks[k].kind,
                        lacks[k].name, lacks[k].language ? " in " : "",
                        lacks[k].language ? lacks[k].language : "",
                        remedy_of(ctl, code, &lacks[k]));
    }
}

static void show_builtin(const struct ctl *ctl, const char *code, const struct readiness *readiness)
{
    const struct template_mapping *templates = readiness->templates.items;

    for (size_t i = 0; i < readiness->templates.count; i++) {
        const struct readiness_lack missing = {.kind = "template", .name = templates[i].name};

        if (templates[i].builtin && !templates[i].mapped)
            output_note(ctl, "%s is sent with Atrium's built-in English text%s", missing.name,
                        remedy_of(ctl, code, &missing));
    }
}

/* Prints settings and, if maild answers, what is missing for sign-in flows. */
static int show_project(struct ctl *ctl, const char *code, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct readiness readiness = {0};
    struct tenant tenant = {0};
    bool known;

    if (project_find(ctl, code, &tenant, err) < 0)
        return -1;
    req.tenant = code;
    known = settingsd_operator_readiness(ctl->bus->bus, &req, &(struct nothing){0}, &readiness,
                                         err) == 0;
    if (!known && err->code != ERR_UNAVAILABLE)
        return -1;
    error_clear(err);
    if (!tenant.accountPolicy)
        tenant.accountPolicy = &account_policy_default;
    show_settings(ctl, &tenant, known ? &readiness : NULL);
    account_policy_show_off(ctl, code, tenant.accountPolicy);
    if (known) {
        show_lacks(ctl, code, &readiness);
        show_builtin(ctl, code, &readiness);
    } else
        output_note(ctl, "What the features still need is unknown, because maild does not answer.");
    return 0;
}

int project_show_command(struct ctl *ctl, struct error *err)
{
    return show_project(ctl, arguments_get(&ctl->args, "CODE"), err);
}

/* Resuming ends the read-only state last in settingsd. Suspending begins there, so that it takes
 * effect immediately. */
static int suspend(struct ctl *ctl, const struct project_suspend_in *in, struct tenant *tenant,
                   struct error *err)
{
    bool ignored, was_held;

    if (project_find_kept(ctl, in->tenantCode, tenant, err) < 0)
        return -1;
    if (in->readOnly)
        return project_hold_begin(ctl, tenant, &ignored, err);
    was_held = tenant->readOnly;
    if (!in->suspended)
        return project_hold_end(ctl, tenant, err);
    if (project_hold_suspend(ctl, in, tenant, err) < 0)
        return -1;
    return was_held ? project_release(ctl, tenant->projectId, err) : 0;
}

int project_suspend_command(struct ctl *ctl, struct error *err)
{
    bool resume = arguments_has(&ctl->args, "--resume");
    bool read_only = arguments_has(&ctl->args, "--read-only");
    struct project_suspend_in in = {.tenantCode = arguments_get(&ctl->args, "CODE"),
                                    .suspended = !resume && !read_only,
                                    .readOnly = read_only};
    struct tenant tenant = {0};

    if (resume && read_only)
        return error_set(err, ERR_BAD_REQUEST, "--read-only and --resume exclude each other");
    if (suspend(ctl, &in, &tenant, err) < 0)
        return -1;
    output_record(ctl, &tenant_table, &tenant);
    return 0;
}

static int set_patient_policy(struct ctl *ctl, struct error *err)
{
    struct default_policy_in in = {.value = NULL};
    struct settings_record out;

    if (call(ctl, &settingsd_operator_policy_default_method, &in, &out, err) < 0)
        return -1;
    output_note(ctl, "New patients who register with %s get %s.", arguments_get(&ctl->args, "CODE"),
                *in.value ? in.value : "no access policy: registration is disabled");
    return 0;
}

static int set_text(struct ctl *ctl, const char *name, struct error *err)
{
    struct setting_value_in in = {.name = name};
    struct settings_record out;

    if (call(ctl, &settingsd_operator_setting_method, &in, &out, err) < 0)
        return -1;
    output_note(ctl, "%s of %s is now %s.", in.name, arguments_get(&ctl->args, "CODE"),
                *in.value ? in.value : "not set");
    return 0;
}

static int set_switch(struct ctl *ctl, const char *name, struct error *err)
{
    const char *value = arguments_get(&ctl->args, "VALUE");
    struct setting_switch_in in = {.name = name, .enabled = strcmp(value, "true") == 0};
    struct settings_record out;

    if (!in.enabled && strcmp(value, "false") != 0)
        return error_set(err, ERR_BAD_REQUEST, "%s: must be true or false", name);
    if (call(ctl, &settingsd_operator_switch_method, &in, &out, err) < 0)
        return -1;
    output_note(ctl, "%s of %s is now %s.", in.name, arguments_get(&ctl->args, "CODE"), value);
    return 0;
}

static int write_setting(struct ctl *ctl, struct error *err)
{
    const char *name = arguments_get(&ctl->args, PROJECT_SETTINGS);

    if (strcmp(name, "default-patient-access-policy") == 0)
        return set_patient_policy(ctl, err);
    if (strstr(PROJECT_SWITCHES, name))
        return set_switch(ctl, name, err);
    return set_text(ctl, name, err);
}

/* Prints the change, or with --json all settings. */
int project_set_command(struct ctl *ctl, struct error *err)
{
    if (write_setting(ctl, err) < 0)
        return -1;
    return ctl->json ? show_project(ctl, arguments_get(&ctl->args, "CODE"), err) : 0;
}
