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
    const char *ask;          /* replaces the link where the installation has no page for it */
    const char *note;
};

#define ASK_AN_ADMINISTRATOR \
    "There is no page for that here: please ask an administrator of {{projectName}}."
#define IGNORE_IT "If you did not ask for this, ignore this mail: nothing changes."
#define NOT_YOU "If that was not you, choose a new password and ask an administrator for help."

static const struct builtin mails[] = {
    {"PASSWORD_RESET", "A new password for {{projectName}}",
     "A new password was requested for your account with {{projectName}}. The link is valid for "
     "one hour.",
     "resetUrl", "Choose a new password", ASK_AN_ADMINISTRATOR, IGNORE_IT},
    {"PASSWORD_RESET_CODE", "A new password for {{projectName}}",
     "A new password was requested for your account with {{projectName}}. There is no page for "
     "that here: enter this code in the app that you sign in with, within one hour. secret: "
     "{{resetSecret}} id: {{resetId}}",
     NULL, NULL, NULL,
     "If the app has no place for it, ask an administrator of {{projectName}}. " IGNORE_IT},
    {"EMAIL_VERIFICATION", "Confirm your e-mail address for {{projectName}}",
     "Please confirm that this is your e-mail address. The link is valid for 24 hours.",
     "verifyUrl", "Confirm the address", ASK_AN_ADMINISTRATOR,
     "If you have no account with {{projectName}}, ignore this mail: do not confirm the address of "
     "another person's account."},
    {"EMAIL_CHANGE", "Confirm your new e-mail address for {{projectName}}",
     "Your account with {{projectName}} is to have this e-mail address. Please confirm it. The "
     "link is valid "
     "for 24 hours.",
     "verifyUrl", "Confirm the new address", ASK_AN_ADMINISTRATOR, IGNORE_IT},
    {"EMAIL_CHANGED", "Your e-mail address for {{projectName}} changed",
     "Another e-mail address was given for your account with {{projectName}}. If that was not you, "
     "undo it "
     "within 7 days.",
     "undoUrl", "Undo the change", ASK_AN_ADMINISTRATOR,
     "If that was you, there is nothing to do."},
    {"CREDENTIAL_CHANGED", "Your sign-in to {{projectName}} changed",
     "Of your account with {{projectName}} this was changed on {{when}}: {{what}}.", NULL, NULL,
     NULL, NOT_YOU},
    {"ACCOUNT_CODE", "Your code for your account page",
     "Your code for your account page at {{projectName}} is {{code}}. It is valid for 10 minutes, "
     "in "
     "the browser where you asked for it. Only this page asks for it: never enter it in a clinic's "
     "app, and give it to no one.",
     NULL, NULL, NULL, NOT_YOU},
    {"SIGN_IN_CODE", "Your code for {{projectName}}",
     "Your code to sign in to {{projectName}} is {{code}}. It is valid for 10 minutes, in the "
     "browser where you asked for it. Give it to no one else, whoever asks.",
     NULL, NULL, NULL, IGNORE_IT},
    {"NEW_SIGN_IN", "A new sign-in to {{projectName}}",
     "Your account with {{projectName}} was used with {{browser}} on {{os}}, from the address "
     "{{address}}, on "
     "{{when}}.",
     NULL, NULL, NULL, NOT_YOU},
    {"PASSKEY_COUNTER", "A passkey of your account with {{projectName}} may have been copied",
     "The passkey {{passkey}} was used on {{when}} and counted its uses wrongly. Another device "
     "may "
     "have a copy of it.",
     NULL, NULL, NULL,
     "If you know of no copy, remove this passkey from your account and add a new one."},
    {"PASSKEY_CLOSED", "Your passkey for {{projectName}} no longer works",
     "You belong to several organizations, and we cannot tell which of them your passkey "
     "{{passkey}} was made for. It no longer signs you in.",
     NULL, NULL, NULL,
     "Sign in with your password, then add a new passkey on your account page. You can remove the "
     "old one there."},
    {"COMMON_PASSWORD", "Choose another password for {{projectName}}",
     "The password of your account with {{projectName}} is one that many people use or that is "
     "known from breaches. It is tried first by those who guess passwords.",
     NULL, NULL, NULL, "Please choose another one, that you use nowhere else."},
    {"MEMBERSHIP_ENDS", "You will leave {{organization}}",
     "Your access to {{organization}} ends on {{date}}. Your account stays, and so do your other "
     "organizations.",
     NULL, NULL, NULL, "To keep your access, sign in before that date."},
    {"MEMBERSHIP_ENDED", "You left {{organization}}",
     "Your access to {{organization}} ended on {{date}}: an operator of {{projectName}} was asked "
     "to end it. Your account stays, and so do your other organizations.",
     NULL, NULL, NULL, "If you did not ask for this, ask an administrator for help."},
    {"ACCOUNT_DELETION_SCHEDULED", "Your account with {{projectName}} will be deleted",
     "Your account with {{projectName}} will be deleted on {{date}}.", NULL, NULL, NULL,
     "To keep it, sign in before that date."},
    {"ACCOUNT_DELETION_REMINDER", "Your account with {{projectName}} will soon be deleted",
     "Your account with {{projectName}} will be deleted on {{date}}.", NULL, NULL, NULL,
     "To keep it, sign in before that date."},
};

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
