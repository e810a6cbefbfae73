/*
 * id_token.h - the rules of ID tokens (OpenID Connect Core 1.0, section 3.1.3.7) and logout tokens
 * (Back-Channel Logout 1.0, section 2.6). Nothing here parks.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_ID_TOKEN_H
#define ATRIUM_AUTHD_FEDERATION_ID_TOKEN_H

#include "authd/federation/relying_party.h"
#include "common/domain/jwt.h"

enum { RULES_MAX = 16 };

struct rule_list {
    struct rule items[RULES_MAX];
    size_t count;
};

/* fault: NULL: passed. Borrows both. */
void rule_add(struct rule_list *self, const char *name, const char *fault);

/* Returns the first rule that failed, or NULL. */
const struct rule *rule_failed(const struct rule_list *self);

/* What a token must fit. */
struct token_check {
    struct arena *arena;
    const struct provider *provider;
    const struct authorization *authorization; /* NULL for a logout token */
    const struct jwt *token;
    const json_t *keys;
    const char *access_token; /* or NULL */
    int64_t now_ms;
};

/* Check all rules and add their results. */
void id_token_check(const struct token_check *self, struct rule_list *ret);
void logout_token_check(const struct token_check *self, struct rule_list *ret);

/* Reads claims, checked or not. */
void id_claims_read(const struct jwt *token, struct arena *arena, struct id_claims *ret);

#endif
