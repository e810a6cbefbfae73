/*
 * template_names.c - see template_names.h.
 *
 * To add a template: one row, then `make docs-mail-templates`; the next build asks for its title in
 * the console. A mail that is sent though no project maps it has a row in builtin.c, too.
 */
#include "maild/template_names.h"

#include <string.h>

#define VARIABLES(...) ((const struct template_variable[]){__VA_ARGS__, {NULL, NULL}})

/* Samples are short: a preview must fit into an answer. */
#define APP_URL                                 \
    {                                           \
        "appUrl", "https://my.lakeside.example" \
    }
#define INVITATION_URL                                                             \
    {                                                                              \
        "invitationUrl", "https://staff.lakeside.example/invitation?id=1&secret=2" \
    }
#define CONTINUE_URL                                                                      \
    {                                                                                     \
        "continueAsPatientUrl", "https://my.lakeside.example/continue-as-patient?token=3" \
    }
#define VERIFY_URL                                                            \
    {                                                                         \
        "verifyUrl", "https://my.lakeside.example/verify-email?id=1&secret=2" \
    }
#define INVITER                      \
    {                                \
        "inviterName", "Maria Weber" \
    }

static const struct template_variable common_variables[] = {
    {"projectName", "Lakeside Clinic"},
    {"tenantCode", "lakeside"},
    {"recipientName", "Ana Lima"},
    {"recipientEmail", "ana@example.org"},
    {NULL, NULL},
};

static const struct template_name names[] = {
    {"PATIENT_WELCOME", "A patient registered; to the patient.", VARIABLES(APP_URL)},
    {"CLINICIAN_SIGNUP_INVITE",
     "A patient registers with a business address, and the project invites them as a practitioner; "
     "to that address.",
     VARIABLES(INVITATION_URL, CONTINUE_URL)},
    {"INVITE_TO_PROJECT", "An admin or operator invites a practitioner; to the invited address.",
     VARIABLES(INVITATION_URL, INVITER)},
    {"PATIENT_INVITE", "An admin invites a patient; to the invited address.",
     VARIABLES(INVITATION_URL, INVITER)},
    {"PASSWORD_RESET", "A password reset was requested; to the account.",
     VARIABLES({"resetUrl", "https://my.lakeside.example/set-password?id=1&secret=2"})},
    {"EMAIL_VERIFICATION", "An email address must be verified; to that address.",
     VARIABLES(VERIFY_URL)},
    {"EMAIL_CHANGE", "Another email address was requested; to the new one.", VARIABLES(VERIFY_URL)},
    {"EMAIL_CHANGED", "The email address changed; to the old one.",
     VARIABLES({"undoUrl", "https://my.lakeside.example/undo-email?id=1&secret=2"})},
    {"SIGN_IN_CODE", "A sign-in needs an emailed code; to the account.",
     VARIABLES({"code", "482913"})},
    {"NEW_SIGN_IN", "A sign-in came from a new browser and network address; to the account.",
     VARIABLES({"when", "2026-01-31 09:30 UTC"}, {"browser", "Firefox"}, {"os", "Linux"},
               {"address", "192.0.2.7"})},
    {"CREDENTIAL_CHANGED", "The password, second factor or a passkey changed; to the account.",
     VARIABLES({"what", "password"}, {"when", "2026-01-31 09:30 UTC"})},
    {"PASSKEY_COUNTER", "A passkey may have been copied: its counter did not grow; to the account.",
     VARIABLES({"when", "2026-01-31 09:30 UTC"}, {"passkey", "My phone"})},
    {"COMMON_PASSWORD", "A sign-in used a common password; to the account.", common_variables},
    {"ACCOUNT_DELETION_SCHEDULED", "The account's deletion was scheduled; to the account.",
     VARIABLES({"date", "2026-02-28"})},
    {"ACCOUNT_DELETION_REMINDER", "The account's deletion is near; to the account.",
     VARIABLES({"date", "2026-02-28"})},
    {"EXPORT_MADE", "An export of the account's data is ready; to the account.",
     VARIABLES({"date", "2026-02-28"})},
    {"ORGANIZATION_CODE", "A member requests the tenant code; to the address they enter.",
     common_variables},
};

const struct template_name *template_name_at(size_t index)
{
    return index < ARRAY_SIZE(names) ? &names[index] : NULL;
}

const struct template_variable *template_variables_common(void)
{
    return common_variables;
}

const struct template_name *template_name_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (strcmp(names[i].name, name) == 0)
            return &names[i];
    }
    return NULL;
}

static bool is_among(const struct template_variable *list, const char *word, size_t length)
{
    for (; list->name; list++) {
        if (strlen(list->name) == length && memcmp(list->name, word, length) == 0)
            return true;
    }
    return false;
}

bool template_has_variable(const struct template_name *self, const char *variable, size_t length)
{
    return is_among(common_variables, variable, length) ||
           is_among(self->variables, variable, length);
}

static bool is_word_of(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

bool template_variable_is_secret(const char *variable)
{
    static const char *const secrets[] = {
        "resetUrl", "verifyUrl", "invitationUrl", "continueAsPatientUrl", "undoUrl", "code", NULL};

    return is_word_of(secrets, variable);
}

bool template_variable_is_name(const char *variable)
{
    static const char *const chosen[] = {"projectName", "recipientName", "inviterName", NULL};

    return is_word_of(chosen, variable);
}

static void add_samples(json_t *samples, const struct template_variable *list)
{
    for (; list->name; list++)
        json_object_set_new(samples, list->name, json_string(list->sample));
}

json_t *template_name_samples(const struct template_name *self)
{
    json_t *samples = json_object();

    add_samples(samples, common_variables);
    add_samples(samples, self->variables);
    return samples;
}
