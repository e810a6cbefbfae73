/*
 * policy.h - what an access policy allows, decided in one place for every daemon.
 *
 * A policy is a JSON array of rules, each {resourceType, interaction?, readonly?, criteria?}.  A
 * rule without `interaction` allows all of them, `readonly` keeps of them read and search, the type
 * "*" stands for every type. Several rules add up: what one of them allows is allowed.  settingsd
 * stores well-formed rules only; one that is not understood here, a later version's say, allows
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

/* What a stored policy consists of: the shapes of the OpenAPI page, and the words that settingsd
 * admits. */
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

/* How far `rules` (JSON array; NULL: no policy) let an interaction with resources of `type` reach.
 * Does not park. */
enum policy_scope policy_scope(const char *rules, const char *type,
                               enum policy_interaction interaction);

/* The same for the caller of a request: without a policy nothing, and all of its own project for
 * who administers it. */
enum policy_scope policy_scope_of(const struct request *req, const char *type,
                                  enum policy_interaction interaction);

/* The same for a daemon that is asked often: to read the rules takes longer than all else of a
 * small request, so it remembers what texts of rules come to, POLICY_SCOPES_MAX of them. A policy
 * that was changed is another text. */
struct policy_scopes;

enum { POLICY_SCOPES_MAX = 1024 };

struct policy_scopes *policy_scopes_new(void);
void policy_scopes_destroy(struct policy_scopes **self_p);

/* policy_scope_of() by what is remembered. `type` is borrowed. Does not park. */
enum policy_scope policy_scopes_of(struct policy_scopes *self, const struct request *req,
                                   const char *type, enum policy_interaction interaction);

/* How many texts of rules are remembered. */
size_t policy_scopes_count(const struct policy_scopes *self);

/* 0 when the caller may do that at all: handlers whose resources have an author ask
 * policy_scope_of() which of them. Fails with ERR_FORBIDDEN "Forbidden". */
int policy_check(const struct request *req, const char *type, enum policy_interaction interaction,
                 struct error *err) MUST_USE;

/* Reads "AccessPolicy/<id>"; -1 and *ret untouched when it is not one. */
#define POLICY_REFERENCE_PREFIX "AccessPolicy/"
int policy_reference(const char *text, struct uuid *ret) MUST_USE;

/* 0 when `rules` (JSON array of {ip, action}; NULL: no rule) admit the address `address`
 * (text). The first rule whose network has the address decides; when none has it, it is
 * let in unless some rule is an allowance. Rules or an address that cannot be read admit none.
 * Fails with ERR_FORBIDDEN "Forbidden". */
int policy_address_check(const char *rules, const char *address, struct error *err) MUST_USE;

#endif
