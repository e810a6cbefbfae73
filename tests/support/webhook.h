/*
 * webhook.h - the webhooks of a project, by their ids.
 */
#ifndef ATRIUM_TESTS_SUPPORT_WEBHOOK_H
#define ATRIUM_TESTS_SUPPORT_WEBHOOK_H

#include "tests/support/suite.h"

#define WEBHOOKS "/v1/project/webhooks"

/* Where one is, or what is below it ("/deliveries"); static, until the next call. */
const char *webhook_path(const char *id, const char *rest);

void webhook_delete(const struct suite *suite, const struct person *who, const char *id);

/* Waits until so many of its deliveries are in that state; fails the running case when they are
 * not. */
bool webhook_state_comes_to(struct suite *suite, const char *id, const char *state, long want,
                            int timeout_ms);

#endif
