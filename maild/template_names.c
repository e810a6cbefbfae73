/*
 * template_names.c - see template_names.h. To add a template, add a row and run `make
 * docs-mail-templates`; the next build asks for its title in the console.
 */
#include "maild/template_names.h"

#include <string.h>

#define VARIABLES(...) ((const struct template_variable[]){__VA_ARGS__, {NULL, NULL}})

/* Sample values are short, because a preview must fit into a response. */
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
    {"brandName", "Lakeside"}, /* the project's name without a branding */
    {"tenantCode", "lakeside"},
    {"recipientName", "Ana Lima"},
    {"recipientEmail", "ana@example.org"},
    {NULL, NULL},
};

static const struct template_name names[] = {
    {"PATIENT_WELCOME", "Sent to a patient who has registered.", VARIABLES(APP_URL)},
    {"CLINICIAN_SIGNUP_INVITE",
     "Sent to a person who registers as a patient with a business email address, to invite them as "
     "a practitioner.",
     VARIABLES(INVITATION_URL, CONTINUE_URL)},
    {"INVITE_TO_PROJECT",
     "Sent to the email address of a practitioner whom an admin or operator invites.",
     VARIABLES(INVITATION_URL, INVITER)},
    {"PATIENT_INVITE", "Sent to the email address of a patient whom an admin invites.",
     VARIABLES(INVITATION_URL, INVITER)},
    {"PASSWORD_RESET", "Sent to the account holder when a password reset was requested.",
     VARIABLES({"resetUrl", "https://my.lakeside.example/set-password?id=1&secret=2"})},
    {"EMAIL_VERIFICATION", "Sent to an email address that must be verified.",
     VARIABLES(VERIFY_URL)},
    {"EMAIL_CHANGE",
     "Sent to the new email address when an account holder wants to change the address.",
     VARIABLES(VERIFY_URL)},
    {"EMAIL_CHANGED", "Sent to the old email address when the address was changed.",
     VARIABLES({"undoUrl", "https://my.lakeside.example/undo-email?id=1&secret=2"})},
    {"SIGN_IN_CODE", "Sent to the account holder when a sign-in needs an emailed code.",
     VARIABLES({"code", "482913"})},
    {"NEW_SIGN_IN",
     "Sent to the account holder when a sign-in came from a new browser and network address.",
     VARIABLES({"when", "2026-01-31 09:30 UTC"}, {"browser", "Firefox"}, {"os", "Linux"},
               {"address", "192.0.2.7"})},
    {"CREDENTIAL_CHANGED",
     "Sent to the account holder when the password, second factor or a passkey changed.",
     VARIABLES({"what", "password"}, {"when", "2026-01-31 09:30 UTC"})},
    {"PASSKEY_COUNTER",
     "Sent to the account holder when a passkey may have been copied, because its counter did not "
     "grow.",
     VARIABLES({"when", "2026-01-31 09:30 UTC"}, {"passkey", "My phone"})},
    {"COMMON_PASSWORD", "Sent to the account holder when a sign-in used a common password.",
     common_variables},
    {"ACCOUNT_DELETION_SCHEDULED",
     "Sent to the account holder when the account's deletion was scheduled.",
     VARIABLES({"date", "2026-02-28"})},
    {"ACCOUNT_DELETION_REMINDER",
     "Sent to the account holder shortly before the account's scheduled deletion.",
     VARIABLES({"date", "2026-02-28"})},
    {"EXPORT_MADE", "Sent to the account holder when an export of the account's data is ready.",
     VARIABLES({"date", "2026-02-28"})},
    {"ORGANIZATION_CODE",
     "Sent to the email address that a member enters, with the project's tenant code.",
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
    static const char *const chosen[] = {"projectName", "brandName", "recipientName", "inviterName",
                                         NULL};

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
