/*
 * template_names.c - see template_names.h.  To add a template: one row.
 */
#include "maild/template_names.h"

#include <string.h>

#define VARIABLES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *const common_variables[] = {"projectName", "tenantCode", "recipientName",
                                               "recipientEmail", NULL};

static const struct template_name names[] = {
    {"PATIENT_WELCOME", VARIABLES("appUrl")},
    {"CLINICIAN_SIGNUP_INVITE", VARIABLES("invitationUrl", "continueAsPatientUrl")},
    {"INVITE_TO_PROJECT", VARIABLES("invitationUrl", "inviterName")},
    {"PATIENT_INVITE", VARIABLES("invitationUrl", "inviterName")},
    {"PASSWORD_RESET", VARIABLES("resetUrl")},
    {"CREDENTIAL_CHANGED", VARIABLES("what", "when")},
    {"ACCOUNT_DELETION_SCHEDULED", VARIABLES("date")},
    {"ACCOUNT_DELETION_REMINDER", VARIABLES("date")},
    {"ORGANIZATION_CODE", VARIABLES("tenantCode")},
};

const struct template_name *template_name_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (strcmp(names[i].name, name) == 0)
            return &names[i];
    }
    return NULL;
}

static bool is_among(const char *const *list, const char *word, size_t length)
{
    for (; *list; list++) {
        if (strlen(*list) == length && memcmp(*list, word, length) == 0)
            return true;
    }
    return false;
}

bool template_name_knows(const struct template_name *self, const char *variable, size_t length)
{
    return is_among(common_variables, variable, length) ||
           is_among(self->variables, variable, length);
}
