/*
 * policy.h - what an access policy allows, for all daemons.
 *
 * A JSON array of rules {resourceType, interaction?, readonly?, criteria?}. A rule without
 * `interaction` allows all, with `readonly` only read and search; "*" is every type. One allowing
 * rule suffices. An unknown rule (from a later version) allows nothing.
 */
#ifndef ATRIUM_COMMON_DOMAIN_POLICY_H
#define ATRIUM_COMMON_DOMAIN_POLICY_H

#include "common/domain/request.h"

/* Documents' name in policies, SMART scopes and the audit log. */
#define DOCUMENT_TYPE "DocumentReference"

enum policy_interaction {
    POLICY_CREATE,
    POLICY_READ,
    POLICY_SEARCH,
    POLICY_UPDATE,
    POLICY_DELETE,
    POLICY_EXECUTE,
};

struct policy_rule {
    const char *resourceType;
    struct field_texts interaction;
    enum tristate readonly;
    const char *criteria;
};
FIELD_DECLARE(policy_rule);

struct address_rule {
    const char *ip, *action;
};
FIELD_DECLARE(address_rule);

extern const char *const policy_types[], *const policy_interactions[], *const address_actions[];

/* The reach of an allowance; larger values include smaller ones. */
enum policy_scope {
    POLICY_NONE,
    POLICY_OWN, /* resources that the caller authored; others are hidden (404) */
    POLICY_ALL,
};

/* Returns how far `rules` (JSON; NULL: no policy) allow an interaction with `type`. */
enum policy_scope policy_scope(const char *rules, const char *type,
                               enum policy_interaction interaction);

/* Like policy_scope(), for a caller: nothing without a policy, the whole project for its admins. */
enum policy_scope policy_scope_of(const struct request *req, const char *type,
                                  enum policy_interaction interaction);

/* A cache of POLICY_SCOPES_MAX results by rule text: parsing takes longer than the rest of a small
 * request. */
struct policy_scopes;

enum { POLICY_SCOPES_MAX = 1024 };

struct policy_scopes *policy_scopes_new(void);
void policy_scopes_destroy(struct policy_scopes **self_p);

enum policy_scope policy_scopes_of(struct policy_scopes *self, const struct request *req,
                                   const char *type, enum policy_interaction interaction);

size_t policy_scopes_count(const struct policy_scopes *self);

/* Fails with ERR_FORBIDDEN if the caller may not do that at all; policy_scope_of() also considers
 * authors. */
int policy_check(const struct request *req, const char *type, enum policy_interaction interaction,
                 struct error *err) MUST_USE;

#define POLICY_REFERENCE_PREFIX "AccessPolicy/"

/* Reads "AccessPolicy/<id>". Returns -1 and leaves *ret for other text. */
int policy_reference(const char *text, struct uuid *ret) MUST_USE;

/* Checks an address against `rules` (JSON array of {ip, action}; NULL: none). The first rule whose
 * network has the address decides. If no rule has it, the address is admitted, unless some rule
 * says `allow`. Unreadable rules or addresses fail too. Fails: ERR_FORBIDDEN. */
int policy_address_check(const char *rules, const char *address, struct error *err) MUST_USE;

#endif
