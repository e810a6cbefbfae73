/*
 * password_rule.c - see password_rule.h.
 */
#include "authd/credential/password_rule.h"

#include <string.h>
#include <strings.h>

#include "authd/credential/common_password.h"
#include "authd/sql/credential.h"
#include "authd/tenant.h"
#include "common/domain/password_text.h"
#include "settingsd/policy_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum {
    WORD_MIN = 3, /* bytes without signs; shorter words refuse nothing */
};

/* Signs separate words and are ignored in comparisons. */
#define SIGNS "!?.,;:-_+*#$%&/=@'\" "

/* The strictest rules found. */
struct rules {
    int64_t min_length; /* code points */
    bool refuse_common;
    struct field_list tenants; /* struct tenant; their names and codes are refused */
};

static void add_policy(struct rules *rules, const struct account_policy *policy, enum role role,
                       bool admin)
{
    bool mfa = account_policy_requires_mfa(policy, role, admin);

    if (!policy)
        policy = &account_policy_default;
    rules->min_length =
        MAX(rules->min_length, mfa ? policy->passwordMinLengthWithMfa : policy->passwordMinLength);
    rules->refuse_common = rules->refuse_common || policy->refuseCommonPasswords;
}

/* Includes suspended projects, because they can be resumed. */
static int read_tenants(struct authd *d, const struct request *req,
                        const struct sql_password_places_rows *places, struct rules *rules,
                        struct error *err)
{
    const char **ids = arena_calloc(req->arena, places->count, sizeof(*ids));
    const struct tenants_of_in in = {{ids, places->count}};
    struct tenant_list found = {0};

    for (size_t i = 0; i < places->count; i++)
        ids[i] = places->items[i].project.text;
    if (places->count > 0 && settingsd_tenants_of(d->svc.bus, req, &in, &found, err) < 0)
        return -1;
    rules->tenants = found.tenants;
    return 0;
}

static int rules_collect(struct authd *d, const struct request *req,
                         const struct password_owner *owner, struct rules *rules, struct error *err)
{
    const struct sql_password_places_in in = {.account = owner->account, .link = owner->link};
    struct sql_password_places_rows places;

    if (!uuid_is_set(&owner->account) && !uuid_is_set(&owner->link)) {
        rules->tenants = (struct field_list){owner->tenant, 1};
        add_policy(rules, owner->tenant->accountPolicy, owner->role, owner->admin);
        return 0;
    }
    if (sql_password_places(d->svc.db, req, &in, &places, err) < 0 ||
        read_tenants(d, req, &places, rules, err) < 0)
        return -1;
    for (size_t i = 0; i < places.count; i++) {
        const struct sql_password_places_row *place = &places.items[i];
        const struct tenant *tenant = tenant_among(&rules->tenants, place->project);

        if (tenant)
            add_policy(rules, tenant->accountPolicy, place->role, place->admin);
    }
    return 0;
}

/* Ignores the case of ASCII letters, signs, and digits at the end: "Lakeside2026!", or "anaprova"
 * for "Ana Prova". */
static bool is_word(const char *password, const char *word, size_t length)
{
    size_t letters = 0;

    for (const char *end = word + length; word < end; word++) {
        if (strchr(SIGNS, *word))
            continue;
        password += strspn(password, SIGNS);
        if (strncasecmp(password, word, 1) != 0)
            return false;
        password++;
        letters++;
    }
    return letters >= WORD_MIN && password[strspn(password, SIGNS "0123456789")] == '\0';
}

static bool is_text(const char *password, const char *word)
{
    return word && is_word(password, word, strlen(word));
}

/* Compares each word, and all words together. */
static bool is_name(const char *password, const char *name)
{
    if (is_text(password, name))
        return true;
    while (name && *name != '\0') {
        size_t length = strcspn(name, SIGNS);

        if (is_word(password, name, length))
            return true;
        name += length + strspn(name + length, SIGNS);
    }
    return false;
}

/* Compares the address, the parts before and after @, and each of their words. */
static bool is_address(const char *password, const char *email)
{
    const char *at = strchr(email, '@');

    return is_name(password, email) ||
           (at && (is_word(password, email, (size_t)(at - email)) || is_text(password, at + 1)));
}

static bool names_owner(const struct rules *rules, const struct password_owner *owner,
                        const char *password)
{
    const struct tenant *tenants = rules->tenants.items;

    if (is_name(password, owner->display) || is_address(password, owner->email))
        return true;
    for (size_t i = 0; i < rules->tenants.count; i++) {
        if (is_name(password, tenants[i].name) || is_text(password, tenants[i].tenantCode))
            return true;
    }
    return false;
}

static int refuse(struct error *err, const char *why)
{
    error_set(err, ERR_PASSWORD_REFUSED, "The password is refused.");
    return error_problem(err, "password", "%s", why);
}

int password_rule_check(struct authd *d, const struct request *req,
                        const struct password_owner *owner, const char *password, struct error *err)
{
    CLEANUP(password_text_destroy) char *normal = NULL;
    struct rules rules = {.min_length = 1};
    const char *text;

    if (rules_collect(d, req, owner, &rules, err) < 0)
        return -1;
    normal = password_text_normalize(password);
    text = normal ? normal : password;
    if ((int64_t)password_text_length(text) < rules.min_length)
        return refuse(err, arena_printf(req->arena, "must have at least %lld characters",
                                        (long long)rules.min_length));
    if (rules.refuse_common && password_filter_has(d->common_passwords, text))
        return refuse(err, "is one of the passwords that are tried first");
    if (rules.refuse_common && names_owner(&rules, owner, text))
        return refuse(err, "must not be a name, an e-mail address or a tenant code");
    return 0;
}
