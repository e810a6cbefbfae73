/* policy_api.h - access policies, and the policy of a project's accounts. */
#ifndef ATRIUM_SETTINGSD_POLICY_API_H
#define ATRIUM_SETTINGSD_POLICY_API_H

#include "common/domain/role.h"
#include "common/wire/fields.h"

struct default_policy_in {
    const char *value;
    const char *ifMatch;
};
FIELD_DECLARE(default_policy_in);

/* A NULL pointer means account_policy_default. */
struct account_policy {
    int64_t passwordMinLength, passwordMinLengthWithMfa; /* code points, 1-64 */
    bool refuseCommonPasswords, requireVerifiedEmail;
    bool mailCode;               /* emailed codes sign in */
    const char *onSignIn;        /* for common passwords: "ignore", "mail", "require-change" */
    const char *requireMfa;      /* "none", "admins", "practitioners", "everyone" */
    int64_t documentsPerAccount; /* patients only; 0: no limit */
    int64_t bytesPerAccount;     /* patients only; 0: no limit */
    int64_t bytesPerProject;     /* 0: no limit */
    const char *etag;            /* quoted; only in its own routes' answers */
};
FIELD_DECLARE(account_policy);

extern const struct account_policy account_policy_default;

bool account_policy_requires_mfa(const struct account_policy *self, enum role role, bool admin);

/* Absent members stay. */
struct account_policy_in {
    int64_t passwordMinLength, passwordMinLengthWithMfa; /* -1: absent */
    enum tristate refuseCommonPasswords, requireVerifiedEmail, mailCode;
    const char *onSignIn, *requireMfa;
    int64_t documentsPerAccount, bytesPerAccount, bytesPerProject; /* -1: absent, 0: no limit */
    const char *ifMatch;
};
FIELD_DECLARE(account_policy_in);

struct access_policy_in {
    struct uuid id; /* path; absent on create */
    const char *name;
    const char *resource;     /* JSON array, see access_policy_check() */
    const char *ipAccessRule; /* JSON array or NULL */
    const char *ifMatch;      /* header of a replacement */
};
FIELD_DECLARE(access_policy_in);

struct access_policy {
    const char *resourceType; /* "AccessPolicy" */
    struct uuid id;
    const char *name, *resource, *ipAccessRule;
    const char *etag; /* quoted; not in lists */
};
FIELD_DECLARE(access_policy);

struct access_policy_list {
    struct field_list resources; /* struct access_policy */
};
FIELD_DECLARE(access_policy_list);

/* As PUT /v1/project/account-policy. */
struct operator_account_policy_in {
    const struct account_policy_in *policy;
};
FIELD_DECLARE(operator_account_policy_in);

#endif
