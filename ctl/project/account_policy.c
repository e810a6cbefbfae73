/*
 * account_policy.c - `atriumctl project policy`: a project's requirements for accounts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/call.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "settingsd/policy_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

struct protection {
    bool off;
    const char *what, *member, *value;
};

void account_policy_show_off(const struct ctl *ctl, const char *code,
                             const struct account_policy *policy)
{
    const struct protection protections[] = {
        {policy->passwordMinLength < 15, "short passwords are accepted", "passwordMinLength", "15"},
        {policy->passwordMinLengthWithMfa < 8, "short passwords are accepted with a second factor",
         "passwordMinLengthWithMfa", "8"},
        {!policy->refuseCommonPasswords, "common passwords are accepted", "refuseCommonPasswords",
         "true"},
        {!policy->onSignIn || strcmp(policy->onSignIn, "ignore") == 0,
         "a sign-in with a common password leads to nothing", "onSignIn", "mail"},
        {!policy->requireVerifiedEmail, "addresses need not be verified", "requireVerifiedEmail",
         "true"},
        {strcmp(policy->requireMfa, "none") == 0, "admins need no second factor", "requireMfa",
         "admins"},
        {policy->documentsPerAccount == 0, "a patient may keep any number of documents",
         "documentsPerAccount", "10000"},
        {policy->bytesPerAccount == 0, "a patient's documents may take any space",
         "bytesPerAccount", "10737418240"},
        {policy->bytesPerProject == 0, "the project's documents may take any space",
         "bytesPerProject", "BYTES"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(protections); i++) {
        if (protections[i].off)
            output_note(ctl, "off: %s (atriumctl project policy %s %s %s)", protections[i].what,
                        code, protections[i].member, protections[i].value);
    }
}

/* Converts a word; "none" is null, except for requireMfa. */
static json_t *word_json(const char *member, const char *word)
{
    char *end;
    long long number;

    errno = 0;
    number = strtoll(word, &end, 10);
    if (*word && *end == '\0' && errno == 0)
        return json_integer(number);
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return json_boolean(strcmp(word, "true") == 0);
    if (strcmp(word, "none") == 0 && strcmp(member, "requireMfa") != 0)
        return json_null();
    return json_string(word);
}

static int policy_given(struct ctl *ctl, struct account_policy_in *ret, struct error *err)
{
    const char *member = arguments_get(&ctl->args, ACCOUNT_POLICY_MEMBERS);
    const char *value = arguments_get(&ctl->args, "VALUE");
    json_auto_t *body = json_object();

    if (member && !value)
        return error_set(err, ERR_BAD_REQUEST, "VALUE is missing: what %s should be", member);
    if (member)
        json_object_set_new(body, member, word_json(member, value));
    return fields_read(&account_policy_in_table, &(struct field_source){.body = body}, ctl->arena,
                       ret, err);
}

int project_policy_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const char *code = arguments_get(&ctl->args, "CODE");
    struct tenant_lookup_in which = tenant_lookup_from_text(code);
    struct account_policy_in change;
    struct operator_account_policy_in in = {&change};
    struct account_policy policy = account_policy_default;
    struct tenant tenant = {0};

    if (policy_given(ctl, &change, err) < 0)
        return -1;
    if (arguments_has(&ctl->args, ACCOUNT_POLICY_MEMBERS)) {
        if (call(ctl, &settingsd_operator_account_policy_method, &in, &policy, err) < 0)
            return -1;
    } else if (settingsd_tenant_lookup(ctl->bus->bus, &req, &which, &tenant, err) < 0) {
        return -1;
    } else if (tenant.accountPolicy) {
        policy = *tenant.accountPolicy;
    }
    output_record(ctl, &account_policy_table, &policy);
    account_policy_show_off(ctl, code, &policy);
    return 0;
}
