/*
 * webhook.h - a project's webhooks by id.
 */
#ifndef ATRIUM_TESTS_SUPPORT_WEBHOOK_H
#define ATRIUM_TESTS_SUPPORT_WEBHOOK_H

#include "tests/support/suite.h"

#define WEBHOOKS "/v1/project/webhooks"

/* Returns a webhook's path, or one below it ("/deliveries"), in a static buffer. */
const char *webhook_path(const char *id, const char *rest);

void webhook_delete(const struct suite *suite, const struct person *who, const char *id);

bool webhook_state_comes_to(struct suite *suite, const char *id, const char *state, long want,
                            int timeout_ms);

#endif
