/*
 * test_policy.c - access policy rules: permissions, callers, and networks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/domain/policy.h"
#include "tests/support/unit.h"

#define OWN "\"criteria\":\"DocumentReference?author=%profile\""

static const char documents[] = "DocumentReference";

static const struct {
    const char *label, *rules, *type;
    enum policy_interaction interaction;
    enum policy_scope want;
} scopes[] = {
    {"no policy", NULL, documents, POLICY_READ, POLICY_NONE},
    {"no rule", "[]", documents, POLICY_READ, POLICY_NONE},
    {"no array", "{\"resourceType\":\"*\"}", documents, POLICY_READ, POLICY_NONE},
    {"no JSON", "[{\"resourceType\":\"*\"}", documents, POLICY_READ, POLICY_NONE},
    {"no object", "[\"*\",null,7]", documents, POLICY_READ, POLICY_NONE},
    {"a type", "[{\"resourceType\":\"Bot\"}]", "Bot", POLICY_EXECUTE, POLICY_ALL},
    {"another type", "[{\"resourceType\":\"Bot\"}]", "Locale", POLICY_READ, POLICY_NONE},
    {"types are spelt exactly", "[{\"resourceType\":\"bot\"}]", "Bot", POLICY_READ, POLICY_NONE},
    {"every type", "[{\"resourceType\":\"*\"}]", "Translation", POLICY_EXECUTE, POLICY_ALL},
    {"no type", "[{\"interaction\":[\"read\"]}]", "Bot", POLICY_READ, POLICY_NONE},
    {"an interaction", "[{\"resourceType\":\"Bot\",\"interaction\":[\"read\",\"execute\"]}]", "Bot",
     POLICY_EXECUTE, POLICY_ALL},
    {"another interaction", "[{\"resourceType\":\"Bot\",\"interaction\":[\"read\",\"search\"]}]",
     "Bot", POLICY_EXECUTE, POLICY_NONE},
    {"no interaction", "[{\"resourceType\":\"Bot\",\"interaction\":[]}]", "Bot", POLICY_READ,
     POLICY_NONE},
    {"null is absent",
     "[{\"resourceType\":\"Bot\",\"interaction\":null,\"readonly\":null,\"criteria\":null}]", "Bot",
     POLICY_DELETE, POLICY_ALL},
    {"interactions of another kind", "[{\"resourceType\":\"Bot\",\"interaction\":\"read\"}]", "Bot",
     POLICY_READ, POLICY_NONE},
    {"readonly reads", "[{\"resourceType\":\"*\",\"readonly\":true}]", documents, POLICY_READ,
     POLICY_ALL},
    {"readonly searches", "[{\"resourceType\":\"*\",\"readonly\":true}]", documents, POLICY_SEARCH,
     POLICY_ALL},
    {"readonly does not create", "[{\"resourceType\":\"*\",\"readonly\":true}]", documents,
     POLICY_CREATE, POLICY_NONE},
    {"readonly does not execute", "[{\"resourceType\":\"*\",\"readonly\":true}]", "Bot",
     POLICY_EXECUTE, POLICY_NONE},
    {"readonly adds nothing",
     "[{\"resourceType\":\"*\",\"readonly\":true,\"interaction\":[\"search\",\"update\"]}]",
     documents, POLICY_READ, POLICY_NONE},
    {"not readonly", "[{\"resourceType\":\"*\",\"readonly\":false}]", documents, POLICY_DELETE,
     POLICY_ALL},
    {"readonly of another kind", "[{\"resourceType\":\"*\",\"readonly\":\"false\"}]", documents,
     POLICY_DELETE, POLICY_NONE},
    {"own", "[{\"resourceType\":\"DocumentReference\"," OWN "}]", documents, POLICY_DELETE,
     POLICY_OWN},
    {"own, interaction not named",
     "[{\"resourceType\":\"DocumentReference\",\"interaction\":[\"read\"]," OWN "}]", documents,
     POLICY_DELETE, POLICY_NONE},
    {"a criterion of every type", "[{\"resourceType\":\"*\"," OWN "}]", documents, POLICY_READ,
     POLICY_OWN},
    {"a criterion of another type", "[{\"resourceType\":\"*\"," OWN "}]", "Content", POLICY_READ,
     POLICY_NONE},
    {"a criterion from the future",
     "[{\"resourceType\":\"DocumentReference\",\"criteria\":\"DocumentReference?status=final\"}]",
     documents, POLICY_READ, POLICY_NONE},
    {"a criterion of another kind", "[{\"resourceType\":\"DocumentReference\",\"criteria\":[]}]",
     documents, POLICY_READ, POLICY_NONE},
    {"rules add up: all wins",
     "[{\"resourceType\":\"DocumentReference\"," OWN
     "},{\"resourceType\":\"*\",\"readonly\":true}]",
     documents, POLICY_READ, POLICY_ALL},
    {"rules add up: own stays",
     "[{\"resourceType\":\"*\",\"readonly\":true},{\"resourceType\":\"DocumentReference\"," OWN
     "}]",
     documents, POLICY_UPDATE, POLICY_OWN},
    {"rules add up: none takes away",
     "[{\"resourceType\":\"DocumentReference\"," OWN "},{\"resourceType\":\"Bot\"}]", documents,
     POLICY_READ, POLICY_OWN},
    {"rules add up: the later one",
     "[{\"resourceType\":\"Bot\"},{\"resourceType\":\"Locale\",\"interaction\":[\"read\"]}]",
     "Locale", POLICY_READ, POLICY_ALL},
};

static void test_rules_reach_as_far_as_they_say(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
        enum policy_scope got =
            policy_scope(scopes[i].rules, scopes[i].type, scopes[i].interaction);

        UNIT_CHECK(got == scopes[i].want, "%s: %d", scopes[i].label, (int)got);
    }
}

static void test_callers_are_bound_by_their_policy(void)
{
    static const char reads[] = "[{\"resourceType\":\"Locale\",\"interaction\":[\"read\"]}]";
    static const struct {
        const char *label;
        enum role role;
        const char *rules;
        bool admin, read, update;
    } rows[] = {
        {"patient", ROLE_PATIENT, reads, false, true, false},
        {"practitioner", ROLE_PRACTITIONER, reads, false, true, false},
        {"admin", ROLE_PRACTITIONER, "[]", true, true, true},
        {"admin without a policy", ROLE_PRACTITIONER, NULL, true, true, true},
        {"member without a policy", ROLE_PRACTITIONER, NULL, false, false, false},
        {"a patient administers nothing", ROLE_PATIENT, "[]", true, false, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct caller caller = {
            .role = rows[i].role, .admin = rows[i].admin, .policyResource = rows[i].rules};
        struct request req = {.caller = &caller};
        struct error err;

        error_init(&err, NULL);
        UNIT_CHECK((policy_check(&req, "Locale", POLICY_READ, &err) == 0) == rows[i].read, "%s",
                   rows[i].label);
        error_clear(&err);
        UNIT_CHECK((policy_check(&req, "Locale", POLICY_UPDATE, &err) == 0) == rows[i].update, "%s",
                   rows[i].label);
        if (!rows[i].update)
            UNIT_CHECK(err.code == ERR_FORBIDDEN && strcmp(err.message, "Forbidden") == 0, "%s: %s",
                       rows[i].label, err.message);
    }
}

static void test_a_caller_without_a_policy_may_do_nothing(void)
{
    struct request req = {.caller = NULL};

    CU_ASSERT_EQUAL(policy_scope_of(&req, "Locale", POLICY_READ), POLICY_NONE);
}

static enum policy_scope remembered(struct policy_scopes *memory, const char *rules,
                                    const char *type, enum policy_interaction interaction)
{
    const struct caller caller = {.role = ROLE_PATIENT, .policyResource = rules};
    const struct request req = {.caller = &caller};

    return policy_scopes_of(memory, &req, type, interaction);
}

static void test_computed_scopes_are_cached(void)
{
    static const enum policy_interaction all[] = {POLICY_CREATE, POLICY_READ,   POLICY_SEARCH,
                                                  POLICY_UPDATE, POLICY_DELETE, POLICY_EXECUTE};
    CLEANUP(policy_scopes_destroy) struct policy_scopes *memory = policy_scopes_new();

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < ARRAY_SIZE(scopes) * ARRAY_SIZE(all); i++) {
            const char *rules = scopes[i / ARRAY_SIZE(all)].rules;
            enum policy_interaction interaction = all[i % ARRAY_SIZE(all)];

            UNIT_CHECK(remembered(memory, rules, documents, interaction) ==
                               policy_scope(rules, documents, interaction) &&
                           remembered(memory, rules, "Bot", interaction) ==
                               policy_scope(rules, "Bot", interaction),
                       "%s: %d", scopes[i / ARRAY_SIZE(all)].label, (int)interaction);
        }
    }
    CU_ASSERT(policy_scopes_count(memory) > 0);
}

static void test_the_cache_of_scopes_is_bounded(void)
{
    CLEANUP(policy_scopes_destroy) struct policy_scopes *memory = policy_scopes_new();
    char rules[128];

    for (int i = 0; i < 3 * POLICY_SCOPES_MAX; i++) {
        snprintf(rules, sizeof(rules), "[{\"resourceType\":\"%s\",\"readonly\":%s}, %d]",
                 i % 3 == 0 ? "Bot" : documents, i % 2 == 0 ? "true" : "false", i);
        UNIT_CHECK(remembered(memory, rules, documents, POLICY_UPDATE) ==
                       (i % 3 > 0 && i % 2 > 0 ? POLICY_ALL : POLICY_NONE),
                   "%s", rules);
        CU_ASSERT(policy_scopes_count(memory) <= POLICY_SCOPES_MAX);
    }
    CU_ASSERT_EQUAL(policy_scopes_count(memory), POLICY_SCOPES_MAX);
}

/* Admins, callers without a policy and unauthenticated callers need no rules. */
static void test_callers_without_rules_are_not_cached(void)
{
    CLEANUP(policy_scopes_destroy) struct policy_scopes *memory = policy_scopes_new();
    const struct caller admin = {.role = ROLE_PRACTITIONER, .admin = true, .policyResource = "[]"},
                        without = {.role = ROLE_PATIENT};

    CU_ASSERT_EQUAL(policy_scopes_of(memory, &(struct request){.caller = &admin}, documents,
                                     POLICY_DELETE),
                    POLICY_ALL);
    CU_ASSERT_EQUAL(policy_scopes_of(memory, &(struct request){.caller = &without}, documents,
                                     POLICY_READ),
                    POLICY_NONE);
    CU_ASSERT_EQUAL(policy_scopes_of(memory, &(struct request){.caller = NULL}, documents,
                                     POLICY_READ),
                    POLICY_NONE);
    CU_ASSERT_EQUAL(policy_scopes_count(memory), 0);
}

#define RULE(ip, action) "{\"ip\":\"" ip "\",\"action\":\"" action "\"}"

static void test_addresses_are_allowed_or_refused(void)
{
    static const struct {
        const char *label, *rules, *address;
        bool want;
    } rows[] = {
        {"no rules", NULL, "192.0.2.1", true},
        {"an empty list", "[]", "192.0.2.1", true},
        {"no address to check", "[]", "", true},
        {"allowed", "[" RULE("192.0.2.0/24", "allow") "]", "192.0.2.1", true},
        {"not allowed", "[" RULE("192.0.2.0/24", "allow") "]", "198.51.100.1", false},
        {"blocked", "[" RULE("192.0.2.0/24", "block") "]", "192.0.2.1", false},
        {"not blocked", "[" RULE("192.0.2.0/24", "block") "]", "198.51.100.1", true},
        {"the first match allows",
         "[" RULE("192.0.2.7", "allow") "," RULE("192.0.2.0/24", "block") "]", "192.0.2.7", true},
        {"the first match blocks",
         "[" RULE("192.0.2.7", "block") "," RULE("192.0.2.0/24", "allow") "]", "192.0.2.7", false},
        {"exception, then all", "[" RULE("192.0.2.7", "block") "," RULE("0.0.0.0/0", "allow") "]",
         "203.0.113.1", true},
        {"IPv6", "[" RULE("2001:db8::/32", "allow") "]", "2001:db8::1", true},
        {"families are apart", "[" RULE("::/0", "block") "]", "192.0.2.1", true},
        {"mapped is IPv4", "[" RULE("192.0.2.0/24", "block") "]", "::ffff:192.0.2.1", false},
        {"not an address", "[" RULE("192.0.2.0/24", "block") "]", "unknown", false},
        {"an unknown action blocks", "[" RULE("192.0.2.0/24", "maybe") "]", "192.0.2.1", false},
        {"not a network", "[" RULE("example.org", "block") "]", "192.0.2.1", false},
        {"no JSON", "[", "192.0.2.1", false},
        {"no array", "{}", "192.0.2.1", false},
        {"no object", "[1]", "192.0.2.1", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct error err;

        error_init(&err, NULL);
        UNIT_CHECK((policy_address_check(rows[i].rules, rows[i].address, &err) == 0) ==
                       rows[i].want,
                   "%s", rows[i].label);
        UNIT_CHECK(rows[i].want || err.code == ERR_FORBIDDEN, "%s: %d", rows[i].label, err.code);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_rules_reach_as_far_as_they_say),
        CASE(test_callers_are_bound_by_their_policy),
        CASE(test_a_caller_without_a_policy_may_do_nothing),
        CASE(test_computed_scopes_are_cached),
        CASE(test_the_cache_of_scopes_is_bounded),
        CASE(test_callers_without_rules_are_not_cached),
        CASE(test_addresses_are_allowed_or_refused),
    };

    return unit_run("policy", cases, ARRAY_SIZE(cases));
}
