/*
 * policy.h - what an access policy allows, decided in one place for every daemon.
 *
 * A JSON array of rules {resourceType, interaction?, readonly?, criteria?}. Without `interaction`
 * all are allowed, `readonly` keeps read and search, "*" is every type; what one rule allows is
 * allowed. settingsd stores well-formed rules only; one not understood (a later version's) allows
 * nothing.
 */
#ifndef ATRIUM_COMMON_DOMAIN_POLICY_H
#define ATRIUM_COMMON_DOMAIN_POLICY_H

#include "common/domain/request.h"

/* What policies, scopes of SMART and the audit trail call a document. */
#define DOCUMENT_TYPE "DocumentReference"

enum policy_interaction {
    POLICY_CREATE,
    POLICY_READ,
    POLICY_SEARCH,
    POLICY_UPDATE,
    POLICY_DELETE,
    POLICY_EXECUTE,
};

/* A stored policy's members: shapes of the OpenAPI page, and words that settingsd accepts. */
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

/* How far an allowance reaches; the larger value includes the smaller. */
enum policy_scope {
    POLICY_NONE,
    POLICY_OWN, /* what the caller is the author of; all else is hidden from it (404) */
    POLICY_ALL,
};

/* How far `rules` (JSON; NULL: no policy) let an interaction reach resources of `type`. */
enum policy_scope policy_scope(const char *rules, const char *type,
                               enum policy_interaction interaction);

/* For a request's caller: nothing without a policy, the whole own project for its admins. */
enum policy_scope policy_scope_of(const struct request *req, const char *type,
                                  enum policy_interaction interaction);

/* Remembers the result of POLICY_SCOPES_MAX rule texts: parsing takes longer than the rest of a
 * small request. A changed policy is another text. */
struct policy_scopes;

enum { POLICY_SCOPES_MAX = 1024 };

struct policy_scopes *policy_scopes_new(void);
void policy_scopes_destroy(struct policy_scopes **self_p);

/* policy_scope_of() with that memory. `type` is borrowed. */
enum policy_scope policy_scopes_of(struct policy_scopes *self, const struct request *req,
                                   const char *type, enum policy_interaction interaction);

size_t policy_scopes_count(const struct policy_scopes *self);

/* Whether the caller may do that at all (with authors, ask policy_scope_of()). Fails:
 * ERR_FORBIDDEN. */
int policy_check(const struct request *req, const char *type, enum policy_interaction interaction,
                 struct error *err) MUST_USE;

/* Reads "AccessPolicy/<id>"; -1 and *ret untouched when it is not one. */
#define POLICY_REFERENCE_PREFIX "AccessPolicy/"
int policy_reference(const char *text, struct uuid *ret) MUST_USE;

/* Whether `rules` (JSON array of {ip, action}; NULL: none) admit the address. The first network
 * that has it decides; else it is admitted unless a rule allows. Unreadable rules or addresses
 * admit none. Fails: ERR_FORBIDDEN. */
int policy_address_check(const char *rules, const char *address, struct error *err) MUST_USE;

#endif
