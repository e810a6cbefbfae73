/*
 * test_settingsd_policy.c - accepted access policies, and the paths of errors in others.
 */
#include <string.h>

#include "settingsd/access_policy_check.h"
#include "tests/support/unit.h"

static const struct {
    const char *label, *resource, *want;
} accepted[] = {
    {"no rule at all", "[]", "[]"},
    {"all of everything", "[{\"resourceType\":\"*\"}]", "[{\"resourceType\":\"*\"}]"},
    {"every member",
     "[{\"criteria\":\"DocumentReference?author=%profile\",\"resourceType\":\"DocumentReference\","
     "\"interaction\":[\"read\",\"search\"],\"readonly\":true}]",
     "[{\"resourceType\":\"DocumentReference\",\"interaction\":[\"read\",\"search\"],\"readonly\":"
     "true,"
     "\"criteria\":\"DocumentReference?author=%profile\"}]"},
    {"unknown members are dropped, null is absent",
     "[{\"resourceType\":\"Bot\",\"note\":1,\"interaction\":null,\"readonly\":null}]",
     "[{\"resourceType\":\"Bot\"}]"},
};

/* A refused list; its problems' paths in order. */
static const struct {
    const char *label, *resource, *ip_rules, *paths;
} refused[] = {
    {"not a list", "{}", NULL, "resource"},
    {"a rule that is no object", "[1]", NULL, "resource.0"},
    {"no type", "[{}]", NULL, "resource.0.resourceType"},
    {"unknown type", "[{\"resourceType\":\"Bot\"},{\"resourceType\":\"Patient\"}]", NULL,
     "resource.1.resourceType"},
    {"type of another kind", "[{\"resourceType\":7}]", NULL, "resource.0.resourceType"},
    {"unknown interaction", "[{\"resourceType\":\"Bot\",\"interaction\":[\"execute\",\"fly\"]}]",
     NULL, "resource.0.interaction.1"},
    {"empty interactions", "[{\"resourceType\":\"Bot\",\"interaction\":[]}]", NULL,
     "resource.0.interaction"},
    {"readonly as text", "[{\"resourceType\":\"Bot\",\"readonly\":\"true\"}]", NULL,
     "resource.0.readonly"},
    {"unknown criterion",
     "[{\"resourceType\":\"DocumentReference\",\"criteria\":\"DocumentReference?id=1\"}]", NULL,
     "resource.0.criteria"},
    {"criterion of another type",
     "[{\"resourceType\":\"Bot\",\"criteria\":\"DocumentReference?author=%profile\"}]", NULL,
     "resource.0.criteria"},
    {"all mistakes at once", "[{\"resourceType\":\"X\",\"readonly\":1},2]",
     "[{\"ip\":\"10.0.0.0/33\"}]",
     "resource.0.resourceType resource.0.readonly resource.1 ipAccessRule.0.ip "
     "ipAccessRule.0.action"},
    {"network rules that are no list", "[]", "\"10.0.0.0/8\"", "ipAccessRule"},
};

static const struct {
    const char *ip;
    bool ok;
} networks[] = {
    {"192.0.2.0/24", true},
    {"192.0.2.7", true},
    {"0.0.0.0/0", true},
    {"192.0.2.0/32", true},
    {"2001:db8::/32", true},
    {"::1/128", true},
    {"2001:db8::/129", false},
    {"192.0.2.0/", false},
    {"192.0.2.0/ 8", false},
    {"192.0.2.0/-1", false},
    {"192.0.2/24", false},
    {"192.0.2.0/24/8", false},
    {"192.0.2.0/0024", false},
    {"example.org", false},
    {"", false},
    {"/8", false},
};

static struct arena *arena;

static const char *problem_paths(const struct error *err)
{
    const char *paths = "";

    for (const struct error_item *item = err->problems; item; item = item->next)
        paths = arena_printf(arena, "%s%s%s", paths, paths[0] ? " " : "", item->name);
    return paths;
}

static void test_accepts_valid_policies_and_normalises_them(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
        const char *resource = accepted[i].resource, *ip_rules = NULL;
        struct error err;

        arena = arena_new();
        error_init(&err, arena);
        UNIT_CHECK(access_policy_check(arena, &resource, &ip_rules, &err) == 0, "%s: %s",
                   accepted[i].label, problem_paths(&err));
        UNIT_CHECK(strcmp(resource, accepted[i].want) == 0, "%s: %s", accepted[i].label, resource);
        arena_destroy(&arena);
    }
}

static void test_refuses_invalid_policies_with_their_position(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        const char *resource = refused[i].resource, *ip_rules = refused[i].ip_rules;
        struct error err;

        arena = arena_new();
        error_init(&err, arena);
        UNIT_CHECK(access_policy_check(arena, &resource, &ip_rules, &err) < 0, "%s",
                   refused[i].label);
        UNIT_CHECK(err.code == ERR_VALIDATION, "%s: code %d", refused[i].label, err.code);
        UNIT_CHECK(strcmp(problem_paths(&err), refused[i].paths) == 0, "%s: %s", refused[i].label,
                   problem_paths(&err));
        arena_destroy(&arena);
    }
}

static void test_recognises_networks(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(networks); i++) {
        const char *resource = "[]", *ip_rules;
        struct error err;

        arena = arena_new();
        error_init(&err, arena);
        ip_rules = arena_printf(arena, "[{\"ip\":\"%s\",\"action\":\"block\"}]", networks[i].ip);
        UNIT_CHECK((access_policy_check(arena, &resource, &ip_rules, &err) == 0) == networks[i].ok,
                   "\"%s\"", networks[i].ip);
        arena_destroy(&arena);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_accepts_valid_policies_and_normalises_them),
        CASE(test_refuses_invalid_policies_with_their_position),
        CASE(test_recognises_networks),
    };

    return unit_run("settingsd policy", cases, ARRAY_SIZE(cases));
}
