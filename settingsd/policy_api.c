/* policy_api.c - see policy_api.h. */
#include "settingsd/policy_api.h"

#include <string.h>

#include "common/domain/name.h"
#include "common/domain/policy.h"
#include "settingsd/shape_api.h"

enum {
    PASSWORD_LENGTH_MAX = 64,
};

static const char *const policy_type[] = {"AccessPolicy", NULL};

static const struct field default_policy_in_rows[] = {
    FIELD_TEXT(struct default_policy_in, value, 0, SETTING_TEXT_MAX, FIELD_REQUIRED,
               "Access policy of this project for patients who register; empty for none.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_IF_MATCH(struct default_policy_in, "the settings"),
};
FIELD_TABLE(default_policy_in);

static const char *const on_sign_in[] = {"ignore", "mail", "require-change", NULL};
static const char *const mfa_scopes[] = {"none", "admins", "practitioners", "everyone", NULL};

const struct account_policy account_policy_default = {.passwordMinLength = 1,
                                                      .passwordMinLengthWithMfa = 1,
                                                      .onSignIn = "ignore",
                                                      .requireMfa = "none",
                                                      .documentsPerAccount = 10000,
                                                      .bytesPerAccount = 10LL << 30};

bool account_policy_requires_mfa(const struct account_policy *self, enum role role, bool admin)
{
    const char *scope =
        self && self->requireMfa ? self->requireMfa : account_policy_default.requireMfa;
    bool practitioner = role == ROLE_PRACTITIONER;

    if (strcmp(scope, "everyone") == 0)
        return true;
    if (strcmp(scope, "practitioners") == 0)
        return practitioner;
    return strcmp(scope, "admins") == 0 && practitioner && admin;
}

static const struct field account_policy_rows[] = {
    FIELD_INT(struct account_policy, passwordMinLength, 1, PASSWORD_LENGTH_MAX, 1, FIELD_REQUIRED,
              "Minimum length of a password in characters (code points).", "15"),
    FIELD_INT(struct account_policy, passwordMinLengthWithMfa, 1, PASSWORD_LENGTH_MAX, 1,
              FIELD_REQUIRED, "Minimum length for accounts that `requireMfa` covers.", "8"),
    FIELD_BOOL(struct account_policy, refuseCommonPasswords, false, FIELD_REQUIRED,
               "Whether common passwords are rejected when a password is set."),
    FIELD_CHOICE(struct account_policy, onSignIn, on_sign_in, 0,
                 "What happens at a sign-in with a common password: nothing, an email to the "
                 "owner, or a rejection until the owner sets another one.",
                 "mail"),
    FIELD_BOOL(struct account_policy, requireVerifiedEmail, false, FIELD_REQUIRED,
               "Whether sign-in requires a verified email address."),
    FIELD_CHOICE(struct account_policy, requireMfa, mfa_scopes, FIELD_REQUIRED,
                 "Who needs a second factor.", "admins"),
    FIELD_BOOL(struct account_policy, mailCode, false, 0,
               "Whether people can sign in with an emailed code."),
    FIELD_INT(struct account_policy, documentsPerAccount, 0, INT64_MAX, 0,
              FIELD_OMIT_ZERO | FIELD_NULLABLE,
              "Maximum number of documents per patient; null for no limit.", "10000"),
    FIELD_INT(struct account_policy, bytesPerAccount, 0, INT64_MAX, 0,
              FIELD_OMIT_ZERO | FIELD_NULLABLE,
              "Maximum bytes of documents per patient; null for no limit.", "10737418240"),
    FIELD_INT(struct account_policy, bytesPerProject, 0, INT64_MAX, 0,
              FIELD_OMIT_ZERO | FIELD_NULLABLE,
              "Maximum bytes of documents in the project; null for no limit.", "1099511627776"),
    FIELD_ETAG(struct account_policy),
};
FIELD_TABLE(account_policy);

static const struct field account_policy_in_rows[] = {
    FIELD_INT(struct account_policy_in, passwordMinLength, 1, PASSWORD_LENGTH_MAX, -1,
              FIELD_OMIT_NEGATIVE, "Minimum length of a password in characters (code points).",
              "15"),
    FIELD_INT(struct account_policy_in, passwordMinLengthWithMfa, 1, PASSWORD_LENGTH_MAX, -1,
              FIELD_OMIT_NEGATIVE, "Minimum length for accounts that `requireMfa` covers.", "8"),
    FIELD_TRISTATE(struct account_policy_in, refuseCommonPasswords, 0,
                   "Whether common passwords are rejected when a password is set."),
    FIELD_CHOICE(struct account_policy_in, onSignIn, on_sign_in, 0,
                 "What happens at a sign-in with a common password.", "mail"),
    FIELD_TRISTATE(struct account_policy_in, requireVerifiedEmail, 0,
                   "Whether sign-in requires a verified email address."),
    FIELD_CHOICE(struct account_policy_in, requireMfa, mfa_scopes, 0, "Who needs a second factor.",
                 "admins"),
    FIELD_TRISTATE(struct account_policy_in, mailCode, 0,
                   "Whether people can sign in with an emailed code."),
    FIELD_INT(struct account_policy_in, documentsPerAccount, 0, INT64_MAX, -1,
              FIELD_OMIT_NEGATIVE | FIELD_NULL_ZERO,
              "Maximum number of documents per patient; null for no limit.", "10000"),
    FIELD_INT(struct account_policy_in, bytesPerAccount, 0, INT64_MAX, -1,
              FIELD_OMIT_NEGATIVE | FIELD_NULL_ZERO,
              "Maximum bytes of documents per patient; null for no limit.", "10737418240"),
    FIELD_INT(struct account_policy_in, bytesPerProject, 0, INT64_MAX, -1,
              FIELD_OMIT_NEGATIVE | FIELD_NULL_ZERO,
              "Maximum bytes of documents in the project; null for no limit.", "1099511627776"),
    FIELD_IF_MATCH(struct account_policy_in, "the policy"),
};
FIELD_TABLE(account_policy_in);

static const struct field access_policy_in_rows[] = {
    FIELD_UUID(struct access_policy_in, id, FIELD_PATH, "ID of the policy to replace."),
    FIELD_CHECKED(struct access_policy_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Display name.", "Own documents"),
    FIELD_JSON_LIST(
        struct access_policy_in, resource, policy_rule, POLICY_JSON_MAX, FIELD_REQUIRED,
        "Rules; a request is allowed if one rule allows it.",
        "[{\"resourceType\":\"DocumentReference\",\"interaction\":[\"read\",\"search\"]}]"),
    FIELD_JSON_LIST(struct access_policy_in, ipAccessRule, address_rule, ADDRESS_JSON_MAX,
                    FIELD_NULLABLE,
                    "Networks from which sign-in is allowed or blocked; the first match decides.",
                    "[{\"ip\":\"192.0.2.0/24\",\"action\":\"allow\"}]"),
    FIELD_IF_MATCH(struct access_policy_in, "the policy"),
};
FIELD_TABLE(access_policy_in);

static const struct field access_policy_rows[] = {
    FIELD_CHOICE(struct access_policy, resourceType, policy_type, FIELD_REQUIRED,
                 "Always AccessPolicy.", "AccessPolicy"),
    FIELD_UUID(struct access_policy, id, FIELD_REQUIRED, "ID of the policy."),
    FIELD_TEXT(struct access_policy, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Display name.", "Own documents"),
    FIELD_JSON_LIST(
        struct access_policy, resource, policy_rule, POLICY_JSON_MAX, FIELD_REQUIRED,
        "Rules; a request is allowed if one rule allows it.",
        "[{\"resourceType\":\"DocumentReference\",\"interaction\":[\"read\",\"search\"]}]"),
    FIELD_JSON_LIST(
        struct access_policy, ipAccessRule, address_rule, ADDRESS_JSON_MAX, 0,
        "Networks from which sign-in is allowed or blocked; if absent, any network is allowed.",
        "[{\"ip\":\"192.0.2.0/24\",\"action\":\"allow\"}]"),
    FIELD_ETAG(struct access_policy),
};
FIELD_TABLE(access_policy);

static const struct field access_policy_list_rows[] = {
    FIELD_OBJECTS(struct access_policy_list, resources, access_policy, LIST_MAX, FIELD_REQUIRED,
                  "Policies of the project, sorted by name."),
};
FIELD_TABLE(access_policy_list);

static const struct field operator_account_policy_in_rows[] = {
    FIELD_OBJECT(struct operator_account_policy_in, policy, account_policy_in, FIELD_REQUIRED,
                 "Members of the policy to change."),
};
FIELD_TABLE(operator_account_policy_in);
