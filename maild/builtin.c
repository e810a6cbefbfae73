/*
 * builtin.c - see builtin.h.  Text only, in English; to add a mail: one row.
 */
#include "maild/builtin.h"

#include <string.h>

struct builtin {
    const char *name, *link; /* the variable that has the link */
    const char *subject, *text;
    const char *without; /* text where the installation has no page for the link to lead to */
};

#define ASK_AN_ADMINISTRATOR \
    "There is no page for that here yet: please ask an administrator of {{projectName}}.\n"
#define IGNORE_IT "If you did not ask for this, ignore this mail: nothing changes.\n"

static const struct builtin mails[] = {
    {"PASSWORD_RESET", "resetUrl", "A new password for {{projectName}}",
     "Hello {{recipientName}},\n\n"
     "a new password was asked for, for your account with {{projectName}}. Choose it within an "
     "hour on this page:\n\n{{resetUrl}}\n\n" IGNORE_IT,
     "Hello {{recipientName}},\n\n"
     "a new password was asked for, for your account with {{projectName}}.\n\n" ASK_AN_ADMINISTRATOR
         IGNORE_IT},
    {"EMAIL_VERIFICATION", "verifyUrl", "Confirm your e-mail address for {{projectName}}",
     "Hello {{recipientName}},\n\n"
     "please confirm within 24 hours that this is your e-mail address:\n\n{{verifyUrl}}\n\n"
     "If you have no account with {{projectName}}, ignore this mail: do not confirm the address "
     "of somebody else's account.\n",
     "Hello {{recipientName}},\n\n"
     "your e-mail address for {{projectName}} is not confirmed yet.\n\n" ASK_AN_ADMINISTRATOR},
    {"EMAIL_CHANGE", "verifyUrl", "Confirm your new e-mail address for {{projectName}}",
     "Hello {{recipientName}},\n\n"
     "your account with {{projectName}} is to have this e-mail address. Confirm it within 24 "
     "hours:\n\n{{verifyUrl}}\n\n" IGNORE_IT,
     "Hello {{recipientName}},\n\n"
     "your account with {{projectName}} is to have this e-mail address.\n\n" ASK_AN_ADMINISTRATOR
         IGNORE_IT},
    {"EMAIL_CHANGED", "undoUrl", "Your e-mail address for {{projectName}} changed",
     "Hello {{recipientName}},\n\n"
     "your account with {{projectName}} has another e-mail address now. If that was not you, take "
     "it back within 7 days on this page:\n\n{{undoUrl}}\n",
     "Hello {{recipientName}},\n\n"
     "your account with {{projectName}} has another e-mail address now. If that was not "
     "you:\n\n" ASK_AN_ADMINISTRATOR},
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

bool builtin_template(const char *name, const json_t *variables, struct template_record *ret)
{
    const struct builtin *self = find(name);
    const char *link;

    if (self == NULL)
        return false;
    link = json_string_value(json_object_get(variables, self->link));
    *ret = (struct template_record){.name = self->name,
                                    .language = "en",
                                    .subject = self->subject,
                                    .text = link != NULL && link[0] != '\0' ? self->text
                                                                            : self->without};
    return true;
}
