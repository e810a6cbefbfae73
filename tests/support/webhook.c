/*
 * webhook.c - see webhook.h.
 */
#include "tests/support/webhook.h"

#include <stdio.h>

#include "tests/support/unit.h"

const char *webhook_path(const char *id, const char *rest)
{
    static char path[4600];

    snprintf(path, sizeof(path), WEBHOOKS "/%s%s", id, rest);
    return path;
}

void webhook_delete(const struct suite *suite, const struct person *who, const char *id)
{
    HTTP_ANSWER gone = http_delete(suite_url(suite), webhook_path(id, ""), who->access);

    CHECK_STATUS(gone, 204);
}

bool webhook_state_comes_to(struct suite *suite, const char *id, const char *state, long want,
                            int timeout_ms)
{
    return UNIT_CHECK(suite_comes_to(suite, want, timeout_ms,
                                     "select count(*) from mail.webhook_delivery "
                                     "where webhook_id = '%s' and state = '%s'",
                                     id, state),
                      "%s: deliveries %s", id, state);
}
