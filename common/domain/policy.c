/* policy.c - see policy.h. */
#include "common/domain/policy.h"

#include "common/base/address.h"
#include "common/base/cache.h"
#include "common/base/memory.h"
#include "common/wire/codec.h"

/* The only supported criterion. */
static const char own_criterion[] = DOCUMENT_TYPE "?author=%profile";

const char *const policy_types[] = {DOCUMENT_TYPE, "Bot", "Content", "Translation",
                                    "Locale",      "*",   NULL};
const char *const policy_interactions[] = {
    [POLICY_CREATE] = "create",
    [POLICY_READ] = "read",
    [POLICY_SEARCH] = "search",
    [POLICY_UPDATE] = "update",
    [POLICY_DELETE] = "delete",
    [POLICY_EXECUTE] = "execute",
    NULL,
};
const char *const address_actions[] = {"allow", "block", NULL};
static const char *const criterion_choices[] = {own_criterion, NULL};

enum { NETWORK_MAX = 64 };

static const struct field policy_rule_rows[] = {
    FIELD_CHOICE(struct policy_rule, resourceType, policy_types, FIELD_REQUIRED,
                 "Type of the resources; * stands for every type.", "DocumentReference"),
    FIELD_ROW(struct policy_rule, interaction, FIELD_TYPE_TEXTS, struct field_texts, .min_items = 1,
              .max_items = ARRAY_SIZE(policy_interactions) - 1, .choices = policy_interactions,
              .flags = FIELD_OMIT_EMPTY, .doc = "What may be done; absent: everything.",
              .example = "read"),
    FIELD_TRISTATE(struct policy_rule, readonly, 0, "Only read and search."),
    FIELD_CHOICE(struct policy_rule, criteria, criterion_choices, 0,
                 "Only documents of the caller; of DocumentReference alone.",
                 "DocumentReference?author=%profile"),
};
FIELD_TABLE(policy_rule);

static const struct field address_rule_rows[] = {
    FIELD_TEXT(struct address_rule, ip, 1, NETWORK_MAX, FIELD_REQUIRED,
               "Network in CIDR notation, IPv4 or IPv6.", "192.0.2.0/24"),
    FIELD_CHOICE(struct address_rule, action, address_actions, FIELD_REQUIRED,
                 "What becomes of a sign-in from there.", "allow"),
};
FIELD_TABLE(address_rule);

/* Returns a new reference, or NULL. settingsd limits the rules. */
static json_t *rules_parse(const char *rules)
{
    struct error ignored;
    json_t *list;

    error_init(&ignored, NULL);
    list = codec_parse_json(rules, strlen(rules), false, &ignored);
    if (json_is_array(list))
        return list;
    json_decref(list);
    return NULL;
}

static bool names_type(const json_t *rule, const char *type)
{
    const char *named = json_string_value(json_object_get(rule, "resourceType"));

    return named && (strcmp(named, "*") == 0 || strcmp(named, type) == 0);
}

static bool names_interaction(const json_t *rule, enum policy_interaction interaction)
{
    const json_t *list = json_object_get(rule, "interaction");

    if (!list || json_is_null(list))
        return true;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));

        if (name && strcmp(name, policy_interactions[interaction]) == 0)
            return true;
    }
    return false;
}

static bool leaves_interaction(const json_t *rule, enum policy_interaction interaction)
{
    const json_t *readonly = json_object_get(rule, "readonly");

    return !readonly || json_is_null(readonly) || json_is_false(readonly) ||
           interaction == POLICY_READ || interaction == POLICY_SEARCH;
}

static enum policy_scope rule_scope(const json_t *rule, const char *type,
                                    enum policy_interaction interaction)
{
    const json_t *criteria = json_object_get(rule, "criteria");
    const char *criterion = json_string_value(criteria);

    if (!names_type(rule, type) || !names_interaction(rule, interaction) ||
        !leaves_interaction(rule, interaction))
        return POLICY_NONE;
    if (!criteria || json_is_null(criteria))
        return POLICY_ALL;
    return criterion && strcmp(criterion, own_criterion) == 0 && strcmp(type, DOCUMENT_TYPE) == 0
               ? POLICY_OWN
               : POLICY_NONE;
}

enum policy_scope policy_scope(const char *rules, const char *type,
                               enum policy_interaction interaction)
{
    json_auto_t *list = rules ? rules_parse(rules) : NULL;
    enum policy_scope scope = POLICY_NONE;

    for (size_t i = 0; i < json_array_size(list) && scope < POLICY_ALL; i++)
        scope = MAX(scope, rule_scope(json_array_get(list, i), type, interaction));
    return scope;
}

enum policy_scope policy_scope_of(const struct request *req, const char *type,
                                  enum policy_interaction interaction)
{
    if (request_is_admin(req))
        return POLICY_ALL;
    return req->caller ? policy_scope(req->caller->policyResource, type, interaction) : POLICY_NONE;
}

struct policy_scopes {
    struct cache *cache;
};

/* The cache points to these values, so it has nothing to free. */
static const enum policy_scope scopes[] = {POLICY_NONE, POLICY_OWN, POLICY_ALL};

static void drop_nothing(void *value UNUSED)
{
}

struct policy_scopes *policy_scopes_new(void)
{
    struct policy_scopes *self = memory_new(sizeof(*self));

    self->cache = cache_new(POLICY_SCOPES_MAX, drop_nothing);
    return self;
}

void policy_scopes_destroy(struct policy_scopes **self_p)
{
    struct policy_scopes *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    cache_destroy(&self->cache);
    free(self);
}

static struct cache_key scopes_key(const struct policy_scopes *self, const char *rules,
                                   const char *type, enum policy_interaction interaction)
{
    const char number[] = {(char)('0' + interaction), '\0'};

    return cache_key_of(self->cache, (const char *const[]){number, type, rules}, 3);
}

enum policy_scope policy_scopes_of(struct policy_scopes *self, const struct request *req,
                                   const char *type, enum policy_interaction interaction)
{
    const enum policy_scope *found;
    struct cache_key key;

    if (request_is_admin(req) || !req->caller || !req->caller->policyResource)
        return policy_scope_of(req, type, interaction);
    key = scopes_key(self, req->caller->policyResource, type, interaction);
    found = cache_get(self->cache, &key);
    if (!found) {
        found = &scopes[policy_scope_of(req, type, interaction)];
        cache_put(self->cache, &key, (void *)(uintptr_t)found);
    }
    return *found;
}

size_t policy_scopes_count(const struct policy_scopes *self)
{
    return cache_count(self->cache);
}

static int forbidden(struct error *err)
{
    return error_set(err, ERR_FORBIDDEN, "Forbidden");
}

int policy_check(const struct request *req, const char *type, enum policy_interaction interaction,
                 struct error *err)
{
    return policy_scope_of(req, type, interaction) == POLICY_NONE ? forbidden(err) : 0;
}

int policy_reference(const char *text, struct uuid *ret)
{
    size_t prefix = sizeof(POLICY_REFERENCE_PREFIX) - 1;

    return strncmp(text, POLICY_REFERENCE_PREFIX, prefix) == 0 ? uuid_parse(text + prefix, ret)
                                                               : -1;
}

int policy_address_check(const char *rules, const char *address, struct error *err)
{
    json_auto_t *list = rules ? rules_parse(rules) : json_array();
    bool allowance = false;
    struct address from;

    if (!list || (json_array_size(list) > 0 && address_parse(address, &from) < 0))
        return forbidden(err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *rule = json_array_get(list, i);
        const char *ip = json_string_value(json_object_get(rule, "ip"));
        const char *action = json_string_value(json_object_get(rule, "action"));
        struct address_network network;
        bool allows = action && strcmp(action, "allow") == 0;

        if (!ip || address_network_parse(ip, &network) < 0)
            return forbidden(err);
        if (address_network_has(&network, &from))
            return allows ? 0 : forbidden(err);
        allowance |= allows;
    }
    return allowance ? forbidden(err) : 0;
}
