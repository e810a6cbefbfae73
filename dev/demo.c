/*
 * demo.c - see demo.h. Leaves switches unset, because their defaults are part of the demo.
 */
#include "dev/demo.h"

#include <string.h>
#include <unistd.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "botd/botd_api.h"
#include "common/base/secret.h"
#include "common/wire/codec.h"
#include "ctl/files.h"
#include "docd/docd_api.h"
#include "maild/maild_api.h"
#include "maild/template_api.h"
#include "settingsd/client_api.h"
#include "settingsd/policy_api.h"
#include "settingsd/project_api.h"
#include "settingsd/setting_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum { PASSWORD_BYTES = 15 };

static const char patient_rules[] =
    "[{\"resourceType\":\"DocumentReference\",\"criteria\":\"DocumentReference?author=%profile\"},"
    "{\"resourceType\":\"Content\",\"interaction\":[\"read\"]},"
    "{\"resourceType\":\"Locale\",\"interaction\":[\"read\"]},"
    "{\"resourceType\":\"Translation\",\"interaction\":[\"execute\"]},"
    "{\"resourceType\":\"Bot\",\"interaction\":[\"execute\"]}]";

static const char practitioner_rules[] = "[{\"resourceType\":\"DocumentReference\"},"
                                         "{\"resourceType\":\"Content\"},"
                                         "{\"resourceType\":\"Locale\"},"
                                         "{\"resourceType\":\"Translation\"},"
                                         "{\"resourceType\":\"Bot\"}]";

static const struct demo_template {
    const char *name, *subject, *text, *html;
} templates[] = {
    {"PATIENT_WELCOME", "Welcome to {{projectName}}",
     "Hello {{recipientName}},\n\nYour account with {{projectName}} is ready. You can sign in "
     "here:\n{{appUrl}}\n",
     "<p>Hello {{recipientName}},</p>\n<p>Your account with {{projectName}} is ready. You can "
     "<a href=\"{{appUrl}}\">sign in here</a>.</p>\n"},
    {"CLINICIAN_SIGNUP_INVITE", "Finish your sign-up at {{projectName}}",
     "Hello {{recipientName}},\n\nDo you work in healthcare? Set a password to join "
     "{{projectName}} as a practitioner:\n{{invitationUrl}}\n\nTo register as a patient "
     "instead, continue here:\n{{continueAsPatientUrl}}\n",
     NULL},
    {"INVITE_TO_PROJECT", "{{inviterName}} invites you to {{projectName}}",
     "Hello {{recipientName}},\n\n{{inviterName}} would like you to join {{projectName}}. To "
     "accept the invitation, open this link:\n{{invitationUrl}}\n",
     NULL},
    {"PATIENT_INVITE", "{{projectName}} invites you to open an account",
     "Hello {{recipientName}},\n\n{{inviterName}} invites you to open an account with "
     "{{projectName}}. To get started, set a password:\n{{invitationUrl}}\n",
     NULL},
    {"PASSWORD_RESET", "Reset your password for {{projectName}}",
     "Hello {{recipientName}},\n\nTo set a new password, open this link within one hour:\n"
     "{{resetUrl}}\n\nIf you didn't request this, you can ignore this email. Nothing will "
     "change.\n",
     NULL},
    {"CREDENTIAL_CHANGED", "Your sign-in details for {{projectName}} were changed",
     "Hello {{recipientName}},\n\nYour sign-in details were changed.\nWhat changed: "
     "{{what}}\nWhen: {{when}}\n\n"
     "If this wasn't you, please contact {{projectName}} immediately.\n",
     NULL},
    {"ACCOUNT_DELETION_SCHEDULED", "Your account with {{projectName}} will be deleted",
     "Hello {{recipientName}},\n\nYour account will be deleted on {{date}}. To keep it, sign in "
     "before that date.\n",
     NULL},
    {"ACCOUNT_DELETION_REMINDER", "Reminder: your account with {{projectName}} will be deleted",
     "Hello {{recipientName}},\n\nThis is a reminder that your account will be deleted on "
     "{{date}}. To keep it, sign in before that date.\n",
     NULL},
    {"ORGANIZATION_CODE", "Your organization code for {{projectName}}",
     "Hello {{recipientName}},\n\nTo register with {{projectName}}, use this code: "
     "{{tenantCode}}\n",
     NULL},
};

static const struct demo_setting {
    const char *name, *value;
} settings[] = {
    {"PATIENT_APP_URL", DEMO_PATIENT_APP},
    {"PRACTITIONER_APP_URL", DEMO_PRACTITIONER_APP},
};

struct maker {
    struct ctl_bus *bus;
    struct arena *arena;
    struct demo *demo;
    struct tenant tenant;
    const char *bot_dir;
    bool found;
};

static const char *text_member(struct arena *arena, const json_t *json, const char *name)
{
    return arena_strdup(arena, json_string_value(json_object_get(json, name)));
}

/* Reads what an earlier start has stored. Members stay NULL on a first start, and after an
 * interrupted one. */
static void recall(struct demo *self, const char *path, struct arena *arena)
{
    json_auto_t *json = json_load_file(path, 0, NULL);

    *self =
        (struct demo){.project = text_member(arena, json, "projectId"),
                      .admin_password = text_member(arena, json, "adminPassword"),
                      .client = text_member(arena, json, "clientId"),
                      .patient_policy = text_member(arena, json, "patientAccessPolicy"),
                      .practitioner_policy = text_member(arena, json, "practitionerAccessPolicy")};
}

json_t *demo_json(const struct demo *self)
{
    return json_pack("{s:s*, s:s, s:s, s:s?, s:s*, s:s*, s:s*}", "projectId", self->project,
                     "tenantCode", DEMO_TENANT, "adminEmail", DEMO_ADMIN, "adminPassword",
                     self->admin_password, "clientId", self->client, "patientAccessPolicy",
                     self->patient_policy, "practitionerAccessPolicy", self->practitioner_policy);
}

static int remember(const struct demo *self, const char *path, struct arena *arena,
                    struct error *err)
{
    json_auto_t *json = demo_json(self);

    return files_replace(path, 0600, codec_dump_json(arena, json), err);
}

/* ---- parts ---- */

static int find_tenant(struct maker *self, struct error *err)
{
    struct request req = ctl_bus_request(self->bus, self->arena);
    struct tenant_lookup_in in = {.tenantCode = DEMO_TENANT};

    return settingsd_tenant_lookup(self->bus->bus, &req, &in, &self->tenant, err);
}

static int make_project(struct maker *self, struct error *err)
{
    struct request req = ctl_bus_request(self->bus, self->arena);
    struct project_create_in in = {.name = "Demo Clinic", .tenantCode = DEMO_TENANT};
    struct project_child_out out = {0};

    self->found = find_tenant(self, err) == 0;
    if (self->found)
        return 0;
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    if (settingsd_project_create(self->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    return find_tenant(self, err);
}

static struct request demo_request(struct maker *self)
{
    struct request req = ctl_bus_request(self->bus, self->arena);

    req.tenant = DEMO_TENANT;
    return req;
}

static int make_policy(struct maker *self, const char *name, const char *rules, const char **ret,
                       struct error *err)
{
    struct request req = demo_request(self);
    struct access_policy_in in = {.name = name, .resource = rules};
    struct access_policy_list list = {0};
    struct access_policy made = {0};
    const struct access_policy *policies;

    if (settingsd_operator_policy_list(self->bus->bus, &req, &(struct nothing){0}, &list, err) < 0)
        return -1;
    policies = list.resources.items;
    for (size_t i = 0; i < list.resources.count; i++) {
        if (strcmp(policies[i].name, name) == 0)
            made = policies[i];
    }
    if (!uuid_is_set(&made.id) &&
        settingsd_operator_policy_put(self->bus->bus, &req, &in, &made, err) < 0)
        return -1;
    *ret = arena_printf(self->arena, "AccessPolicy/%s", made.id.text);
    return 0;
}

static int write_setting(struct maker *self, const char *name, const char *value, struct error *err)
{
    struct request req = demo_request(self);
    struct setting_value_in in = {.name = name, .value = value};
    struct settings_record out;

    return settingsd_operator_setting(self->bus->bus, &req, &in, &out, err);
}

static int make_both_policies(struct maker *self, struct error *err)
{
    struct demo *demo = self->demo;

    return make_policy(self, "Demo patients", patient_rules, &demo->patient_policy, err) < 0
               ? -1
               : make_policy(self, "Demo practitioners", practitioner_rules,
                             &demo->practitioner_policy, err);
}

static int make_policies(struct maker *self, struct error *err)
{
    struct demo *demo = self->demo;
    struct request req;
    struct default_policy_in in = {.value = NULL};
    struct settings_record out;

    if (make_both_policies(self, err) < 0 ||
        write_setting(self, "DEFAULT_PRACTITIONER_ACCESS_POLICY", demo->practitioner_policy, err) <
            0)
        return -1;
    in.value = demo->patient_policy;
    req = demo_request(self);
    return settingsd_operator_policy_default(self->bus->bus, &req, &in, &out, err);
}

static int make_settings(struct maker *self, struct error *err)
{
    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        if (write_setting(self, settings[i].name, settings[i].value, err) < 0)
            return -1;
    }
    return 0;
}

static int make_locales(struct maker *self, struct error *err)
{
    static const char *languages[] = {"en", "de", "es"};
    struct request req = demo_request(self);
    struct locales_in in = {.languages = {languages, ARRAY_SIZE(languages)},
                            .defaultLanguage = "en"};
    struct locales out = {0};

    return settingsd_operator_locales(self->bus->bus, &req, &in, &out, err);
}

static int make_templates(struct maker *self, struct error *err)
{
    for (size_t i = 0; i < ARRAY_SIZE(templates); i++) {
        struct request req = ctl_bus_request(self->bus, self->arena);
        struct template_put_in in = {.projectId = self->tenant.projectId,
                                     .name = templates[i].name,
                                     .subject = templates[i].subject,
                                     .text = templates[i].text,
                                     .html = templates[i].html};
        struct template_record out = {0};

        if (maild_template_put(self->bus->bus, &req, &in, &out, err) < 0)
            return -1;
    }
    return 0;
}

static int make_admin(struct maker *self, struct error *err)
{
    struct request req = ctl_bus_request(self->bus, self->arena);
    struct admin_create_in in = {.tenantCode = DEMO_TENANT,
                                 .email = DEMO_ADMIN,
                                 .name = "Ada",
                                 .surname = "Admin",
                                 .password = self->demo->admin_password};
    struct admin_create_out out = {0};

    if (authd_admin_create(self->bus->bus, &req, &in, &out, err) == 0)
        return 0;
    if (err->code != ERR_CONFLICT)
        return -1;
    /* an interrupted start has made the admin, with this password */
    error_clear(err);
    in.existing = true;
    return authd_admin_create(self->bus->bus, &req, &in, &out, err);
}

/* Registers a first-party application on this machine. */
static int register_client(struct maker *self, struct uuid *ret, struct error *err)
{
    static const char *redirects[] = {DEMO_REDIRECT}, *home[] = {"http://localhost:8990/"},
                      *grants[] = {"authorization_code", "refresh_token"},
                      *scopes[] = {"openid", "profile", "email", "offline_access"};
    const struct oauth_settings registration = {
        .redirectUris = {redirects, ARRAY_SIZE(redirects)},
        .postLogoutRedirectUris = {home, ARRAY_SIZE(home)},
        .grantTypes = {grants, ARRAY_SIZE(grants)},
        .scopes = {scopes, ARRAY_SIZE(scopes)},
        .firstParty = true,
    };
    struct request req = demo_request(self);
    struct operator_client_put_in in = {.name = "Demo application", .settings = &registration};
    struct client_record made = {0};

    if (settingsd_operator_client_put(self->bus->bus, &req, &in, &made, err) < 0)
        return -1;
    *ret = made.id;
    return 0;
}

static int make_client(struct maker *self, struct error *err)
{
    struct request req = demo_request(self);
    struct client_list list = {0};
    struct uuid id;

    if (settingsd_operator_client_list(self->bus->bus, &req, &(struct nothing){0}, &list, err) < 0)
        return -1;
    if (list.resources.count > 0)
        id = ((const struct client *)list.resources.items)->id;
    else if (register_client(self, &id, err) < 0)
        return -1;
    self->demo->client = arena_strdup(self->arena, id.text);
    return 0;
}

/* The demo bot's program, which echoes its input. */
static const char echo_program[] = "#!/bin/sh\n"
                                   "while IFS= read -r line || [ -n \"$line\" ]; do\n"
                                   "    printf '%s\\n' \"$line\"\n"
                                   "done\n";

static int make_bot(struct maker *self, struct error *err)
{
    static const struct bot_identifier identifier = {"https://atrium.example/bots", "echo"};
    const char *file = arena_printf(self->arena, "%s/echo", self->bot_dir);
    struct request req = ctl_bus_request(self->bus, self->arena);
    struct bot_in bot = {.identifier = {&identifier, 1},
                         .name = "Echo",
                         .kind = "program",
                         .program = "echo",
                         .timeoutMs = 30000,
                         .warm = true};
    struct operator_bot_put_in in = {.projectId = self->tenant.projectId, .bot = &bot};
    struct bot out = {0};

    if (files_replace(file, 0700, echo_program, err) < 0)
        return -1;
    return botd_operator_bot_put(self->bus->bus, &req, &in, &out, err);
}

static int make_content(struct maker *self, struct error *err)
{
    struct request req = ctl_bus_request(self->bus, self->arena);
    struct cms_import_in in = {.projectId = self->tenant.projectId,
                               .entries = {demo_content, demo_content_count}};
    struct cms_imported out = {0};

    return docd_cms_import(self->bus->bus, &req, &in, &out, err);
}

static bool is_whole(const struct maker *self)
{
    const struct demo *demo = self->demo;

    return demo->project && strcmp(demo->project, self->tenant.projectId.text) == 0 &&
           demo->client && demo->patient_policy && demo->practitioner_policy;
}

static void forget_other(struct maker *self)
{
    struct demo *demo = self->demo;

    if (!demo->project || strcmp(demo->project, self->tenant.projectId.text) == 0)
        return;
    *demo = (struct demo){.admin_password = self->found ? NULL : demo->admin_password};
}

/* Looks for the admin. 1: it exists; 0: it does not; -1: unknown. */
static int find_admin(struct maker *self, struct error *err)
{
    struct request req = ctl_bus_request(self->bus, self->arena);
    struct operator_user_in in = {
        .tenantCode = DEMO_TENANT, .email = DEMO_ADMIN, .role = ROLE_PRACTITIONER};
    struct user out = {0};

    if (ctl_bus_wait(self->bus, "authd", CTL_BUS_CALL_MS, err) < 0)
        return -1;
    if (authd_operator_user_show(self->bus->bus, &req, &in, &out, err) == 0)
        return 1;
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return 0;
}

static int make_all(struct maker *self, const char *path, struct error *err)
{
    struct demo *demo = self->demo;

    /* Stores the password first: an interrupted start must not lose it. */
    if (!demo->admin_password)
        demo->admin_password = secret_random_text(self->arena, PASSWORD_BYTES);
    if (remember(demo, path, self->arena, err) < 0 || make_policies(self, err) < 0 ||
        make_settings(self, err) < 0 || make_locales(self, err) < 0 ||
        ctl_bus_wait(self->bus, "authd", CTL_BUS_CALL_MS, err) < 0 || make_admin(self, err) < 0 ||
        ctl_bus_wait(self->bus, "maild", CTL_BUS_CALL_MS, err) < 0 ||
        make_templates(self, err) < 0 || make_client(self, err) < 0 ||
        ctl_bus_wait(self->bus, "botd", CTL_BUS_CALL_MS, err) < 0 || make_bot(self, err) < 0 ||
        ctl_bus_wait(self->bus, "docd", CTL_BUS_CALL_MS, err) < 0)
        return -1;
    return make_content(self, err);
}

int demo_open(struct ctl_bus *bus, const char *path, const char *bot_dir, struct arena *arena,
              struct demo *ret, struct error *err)
{
    struct maker self = {.bus = bus, .arena = arena, .demo = ret, .bot_dir = bot_dir};
    int lost = 0;

    recall(ret, path, arena);
    if (ctl_bus_wait(bus, "settingsd", CTL_BUS_CALL_MS, err) < 0 || make_project(&self, err) < 0)
        return -1;
    if (is_whole(&self))
        return 0;
    forget_other(&self);
    if (self.found && !ret->admin_password)
        lost = find_admin(&self, err);
    if (lost < 0 || (lost == 0 && make_all(&self, path, err) < 0))
        return -1;
    if (lost && (make_both_policies(&self, err) < 0 || make_client(&self, err) < 0))
        return -1;
    ret->project = arena_strdup(arena, self.tenant.projectId.text);
    return remember(ret, path, arena, err);
}
