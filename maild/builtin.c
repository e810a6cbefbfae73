/*
 * builtin.c - see builtin.h. To add an email, add a row; text and HTML share its sentences.
 */
#include "maild/builtin.h"
#include "maild/template_api.h"

#include <string.h>

struct builtin {
    const char *name, *subject;
    const char *reason;       /* why the recipient gets this email */
    const char *link, *label; /* variable with the link, and its text; NULL: none */
    const char *ask;          /* text instead of the link if the installation has no page for it */
    const char *note;
};

#define ASK_AN_ADMINISTRATOR \
    "There is no page for this. Please ask an administrator of {{projectName}} for help."
#define IGNORE_IT "If you didn't request this, you can ignore this email. Nothing will change."
#define NOT_YOU "If this wasn't you, set a new password and ask an administrator for help."

static const struct builtin mails[] = {
    {"PASSWORD_RESET", "Reset your password for {{projectName}}",
     "We received a request to reset the password of your account with {{projectName}}. The link "
     "is valid for one hour.",
     "resetUrl", "Set a new password", ASK_AN_ADMINISTRATOR, IGNORE_IT},
    {"PASSWORD_RESET_CODE", "Reset your password for {{projectName}}",
     "We received a request to reset the password of your account with {{projectName}}. To set a "
     "new password, enter this code in the app that you use to sign in, within one hour. secret: "
     "{{resetSecret}} id: {{resetId}}",
     NULL, NULL, NULL,
     "If the app has no place for the code, please ask an administrator of {{projectName}} for "
     "help. " IGNORE_IT},
    {"EMAIL_VERIFICATION", "Verify your email address for {{projectName}}",
     "Please verify that this is your email address. The link is valid for 24 hours.", "verifyUrl",
     "Verify email address", ASK_AN_ADMINISTRATOR,
     "If you don't have an account with {{projectName}}, please ignore this email. Don't verify "
     "your email address for someone else's account."},
    {"EMAIL_CHANGE", "Verify your new email address for {{projectName}}",
     "You asked to use this email address for your account with {{projectName}}. Please verify "
     "it. The link is valid for 24 hours.",
     "verifyUrl", "Verify new email address", ASK_AN_ADMINISTRATOR, IGNORE_IT},
    {"EMAIL_CHANGED", "Your email address for {{projectName}} was changed",
     "The email address of your account with {{projectName}} was changed. If this wasn't you, undo "
     "the change within 7 days.",
     "undoUrl", "Undo the change", ASK_AN_ADMINISTRATOR,
     "If this was you, you don't need to do anything."},
    {"CREDENTIAL_CHANGED", "Your sign-in details for {{projectName}} were changed",
     "The sign-in details of your account with {{projectName}} were changed on {{when}}: "
     "{{what}}.",
     NULL, NULL, NULL, NOT_YOU},
    {"ACCOUNT_CODE", "Your code for your account page",
     "Your code for your account page at {{projectName}} is {{code}}. It's valid for 10 minutes, "
     "in the browser where you requested it. Only this page asks for it: never enter the code in a "
     "clinic's app, and don't share it with anyone.",
     NULL, NULL, NULL, NOT_YOU},
    {"SIGN_IN_CODE", "Your sign-in code for {{projectName}}",
     "Your code to sign in to {{projectName}} is {{code}}. It's valid for 10 minutes, in the "
     "browser where you requested it. Don't share it with anyone.",
     NULL, NULL, NULL, IGNORE_IT},
    {"NEW_SIGN_IN", "New sign-in to {{projectName}}",
     "Someone signed in to your account with {{projectName}} on {{when}}, with {{browser}} on "
     "{{os}}, from the IP address {{address}}. If this was you, you don't need to do anything.",
     NULL, NULL, NULL, NOT_YOU},
    {"PASSKEY_COUNTER", "Your passkey for {{projectName}} may have been copied",
     "Your passkey {{passkey}} was used on {{when}}, but its usage counter was wrong. Someone may "
     "have copied it to another device.",
     NULL, NULL, NULL,
     "If you don't know of a copy, remove this passkey from your account and add a new one."},
    {"PASSKEY_CLOSED", "Your passkey for {{projectName}} no longer works",
     "You belong to several organizations, and we can't tell for which of them your passkey "
     "{{passkey}} was made. You can no longer sign in with it.",
     NULL, NULL, NULL,
     "Sign in with your password, then add a new passkey on your account page. You can remove the "
     "old one there."},
    {"DOMAIN_RECORD_MISSING", "The DNS record of {{domain}} is missing",
     "Your organization has verified the email domain {{domain}}, but the TXT record "
     "{{recordName}} no longer has the value {{recordValue}}. If the record is missing for seven "
     "days, the domain is no longer verified.",
     NULL, NULL, NULL,
     "Please ask the person who manages the domain's DNS to add the record again."},
    {"DOMAIN_LOST", "{{domain}} is no longer verified",
     "The email domain {{domain}} is no longer verified for your organization: its DNS record is "
     "missing, or shows that another organization has verified it.",
     NULL, NULL, NULL,
     "To verify it again, add the domain in the console and publish the new DNS record."},
    {"SCIM_LAST_ADMIN", "{{organization}} would have no admin",
     "The directory of {{organization}} asked us to deactivate {{person}}. We refused, because "
     "{{person}} is the last admin of {{organization}}.",
     NULL, NULL, NULL,
     "If {{person}} should no longer have access, make another person an admin first."},
    {"SCIM_MEMBER_KEYS", "{{person}} was deactivated, but API keys still work",
     "The directory of {{organization}} has deactivated {{person}}, who made these API keys: "
     "{{keys}}. API keys belong to the organization and still work.",
     NULL, NULL, NULL, "Delete the API keys that you no longer need in the console."},
    {"SCIM_MANY_DEACTIVATED", "Many people of {{organization}} were deactivated",
     "With the token {{directory}}, the directory of {{organization}} has deactivated more than a "
     "fifth of the organization's members within an hour.",
     NULL, NULL, NULL,
     "If this is a mistake, delete the token in the console, then correct the directory."},
    {"COMMON_PASSWORD", "Please change your password for {{projectName}}",
     "The password of your account with {{projectName}} is one that many people use, or it was "
     "exposed in a data breach. Attackers try such passwords first.",
     NULL, NULL, NULL, "Please set a new password that you don't use anywhere else."},
    {"MEMBERSHIP_ENDS", "Your access to {{organization}} will end",
     "Your access to {{organization}} ends on {{date}}. You keep your account and your other "
     "organizations.",
     NULL, NULL, NULL, "To keep your access, sign in before that date."},
    {"MEMBERSHIP_ENDED", "Your access to {{organization}} has ended",
     "Your access to {{organization}} ended on {{date}}, because someone asked an operator of "
     "{{projectName}} to end it. You keep your account and your other organizations.",
     NULL, NULL, NULL, "If you didn't request this, please ask an administrator for help."},
    {"ACCOUNT_DELETION_SCHEDULED", "Your account with {{projectName}} will be deleted",
     "Your account with {{projectName}} will be deleted on {{date}}.", NULL, NULL, NULL,
     "To keep your account, sign in before that date."},
    {"ACCOUNT_DELETION_REMINDER", "Your account with {{projectName}} will be deleted soon",
     "Your account with {{projectName}} will be deleted on {{date}}.", NULL, NULL, NULL,
     "To keep your account, sign in before that date."},
};

/* authd sets `builtin` (maild/mail_api.h) for these emails. */
static const char *const fallbacks[] = {"EMAIL_VERIFICATION", "EMAIL_CHANGE",    "EMAIL_CHANGED",
                                        "SIGN_IN_CODE",       "PASSKEY_COUNTER", "COMMON_PASSWORD"};

static const struct builtin *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(mails); i++) {
        if (strcmp(mails[i].name, name) == 0)
            return &mails[i];
    }
    return NULL;
}

bool builtin_exists(const char *name)
{
    return find(name) != NULL;
}

bool builtin_is_fallback(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(fallbacks); i++) {
        if (strcmp(fallbacks[i], name) == 0)
            return true;
    }
    return false;
}

static bool has_value(const json_t *variables, const char *name)
{
    const char *value = json_string_value(json_object_get(variables, name));

    return value && *value;
}

bool builtin_template(struct arena *arena, const char *name, const json_t *variables,
                      struct template_record *ret)
{
    const struct builtin *self = find(name);
    const char *comma = has_value(variables, "recipientName") ? " {{recipientName}}," : ",";
    const char *text = "", *html = "";

    if (!self)
        return false;
    if (self->link && has_value(variables, self->link)) {
        text = arena_printf(arena, "%s:\n\n{{%s}}\n\n", self->label, self->link);
        html = arena_printf(arena, "<p><a href=\"{{%s}}\">%s</a></p>\n", self->link, self->label);
    } else if (self->link) {
        text = arena_printf(arena, "%s\n\n", self->ask);
        html = arena_printf(arena, "<p>%s</p>\n", self->ask);
    }
    *ret = (struct template_record){
        .name = self->name,
        .language = "en",
        .subject = self->subject,
        .text =
            arena_printf(arena, "Hello%s\n\n%s\n\n%s%s\n", comma, self->reason, text, self->note),
        .html = arena_printf(arena, "<p>Hello%s</p>\n<p>%s</p>\n%s<p>%s</p>\n", comma, self->reason,
                             html, self->note),
    };
    return true;
}
