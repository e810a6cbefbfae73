/*
 * access_policy_check.c - see access_policy_check.h. Other daemons rely on the shape of checked
 * policies.
 */
#include "settingsd/access_policy_check.h"

#include <string.h>

#include "common/base/address.h"
#include "common/domain/policy.h"
#include "common/wire/codec.h"

enum { RULES_MAX = 100, INTERACTIONS_MAX = 6, MEMBERS_MAX = 4 };

static const char criterion[] = DOCUMENT_TYPE "?author=%profile";

struct check {
    struct arena *arena;
    struct error *err;
    const char *path;
};

struct member {
    const char *name;
    bool required;
    int (*check)(const struct check *check, const json_t *value, const json_t *rule);
};

static struct check check_member(const struct check *check, const char *name)
{
    struct check member = *check;

    member.path = arena_printf(check->arena, "%s.%s", check->path, name);
    return member;
}

static struct check check_item(const struct check *check, size_t index)
{
    struct check item = *check;

    item.path = arena_printf(check->arena, "%s.%zu", check->path, index);
    return item;
}

static int check_choice(const struct check *check, const json_t *value, const char *const *choices)
{
    const char *text = json_string_value(value);
    char *list = arena_strdup(check->arena, "");

    for (; *choices; choices++) {
        if (text && strcmp(text, *choices) == 0)
            return 0;
        list = arena_printf(check->arena, "%s %s", list, *choices);
    }
    return error_problem(check->err, check->path, "must be one of%s", list);
}

static int check_resource_type(const struct check *check, const json_t *value,
                               const json_t *rule UNUSED)
{
    return check_choice(check, value, policy_types);
}

static int check_interaction(const struct check *check, const json_t *value,
                             const json_t *rule UNUSED)
{
    size_t count = json_array_size(value);
    int result = 0;

    if (count < 1 || count > INTERACTIONS_MAX)
        return error_problem(check->err, check->path, "must be an array of 1 to %d interactions",
                             INTERACTIONS_MAX);
    for (size_t i = 0; i < count; i++) {
        struct check item = check_item(check, i);

        if (check_choice(&item, json_array_get(value, i), policy_interactions) < 0)
            result = -1;
    }
    return result;
}

static int check_readonly(const struct check *check, const json_t *value, const json_t *rule UNUSED)
{
    if (json_is_boolean(value))
        return 0;
    return error_problem(check->err, check->path, "must be true or false");
}

static int check_criteria(const struct check *check, const json_t *value, const json_t *rule)
{
    const char *text = json_string_value(value);
    const char *type = json_string_value(json_object_get(rule, "resourceType"));

    if (!text || strcmp(text, criterion) != 0)
        return error_problem(check->err, check->path, "must be %s", criterion);
    if (type && strcmp(type, DOCUMENT_TYPE) != 0)
        return error_problem(check->err, check->path, "is only allowed for resourceType %s",
                             DOCUMENT_TYPE);
    return 0;
}

static int check_ip(const struct check *check, const json_t *value, const json_t *rule UNUSED)
{
    struct address_network network;

    if (json_is_string(value) && address_network_parse(json_string_value(value), &network) == 0)
        return 0;
    return error_problem(check->err, check->path, "must be an IP network such as 192.0.2.0/24");
}

static int check_action(const struct check *check, const json_t *value, const json_t *rule UNUSED)
{
    return check_choice(check, value, address_actions);
}

static const struct member resource_members[MEMBERS_MAX + 1] = {
    {"resourceType", true, check_resource_type},
    {"interaction", false, check_interaction},
    {"readonly", false, check_readonly},
    {"criteria", false, check_criteria},
};
static const struct member ip_rule_members[MEMBERS_MAX + 1] = {
    {"ip", true, check_ip},
    {"action", true, check_action},
};

/* Checks a rule. A member that is null counts as absent. */
static int check_rule(const struct check *check, json_t *rule, const struct member *members,
                      json_t *clean)
{
    int result = 0;

    if (!json_is_object(rule))
        return error_problem(check->err, check->path, "must be an object");
    for (; members->name; members++) {
        json_t *value = json_object_get(rule, members->name);
        struct check member = check_member(check, members->name);

        if (!value || json_is_null(value)) {
            if (members->required)
                result = error_problem(check->err, member.path, "is required");
        } else if (members->check(&member, value, rule) < 0) {
            result = -1;
        } else {
            json_object_set(clean, members->name, value);
        }
    }
    return result;
}

static int check_list(const struct check *check, const char **text, const struct member *members)
{
    json_auto_t *list = codec_parse_json(*text, strlen(*text), false, check->err);
    json_auto_t *clean = json_array();
    int result = 0;

    if (!list)
        return -1;
    if (!json_is_array(list) || json_array_size(list) > RULES_MAX)
        return error_problem(check->err, check->path, "must be an array of at most %d rules",
                             RULES_MAX);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct check item = check_item(check, i);
        json_t *rule = json_object();

        if (check_rule(&item, json_array_get(list, i), members, rule) < 0)
            result = -1;
        json_array_append_new(clean, rule);
    }
    *text = codec_dump_json(check->arena, clean);
    return result;
}

int access_policy_check(struct arena *arena, const char **resource, const char **ip_rules,
                        struct error *err)
{
    struct check resource_check = {arena, err, "resource"};
    struct check ip_check = {arena, err, "ipAccessRule"};
    int result = check_list(&resource_check, resource, resource_members);

    if (*ip_rules && check_list(&ip_check, ip_rules, ip_rule_members) < 0)
        result = -1;
    return result;
}
