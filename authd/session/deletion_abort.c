/*
 * deletion_abort.c - see deletion_abort.h.
 */
#include "authd/session/deletion_abort.h"

#include "authd/operation_api.h"

int deletion_settle(struct authd *d, const struct request *req, int64_t sequence,
                    struct uuid account, struct error *err)
{
    const struct change change = {.sequence = sequence, .kind = "account", .id = account};

    return invalidation_wait(d, req, sequence, &change, 1, err);
}

struct sql_deletion_abort deletion_abort_values(const struct request *req, struct uuid account,
                                                enum role role)
{
    const struct audit what = {.action = "deletion.abort", .account = account, .role = role};

    return (struct sql_deletion_abort){.until = req->now_ms + CHANGE_EVENT_LIFE,
                                       .event = audit_row(req, &what).event};
}

int deletion_abort_publish(struct authd *d, const struct request *req, int64_t sequence,
                           struct uuid account, struct error *err)
{
    return sequence == 0 ? 0 : deletion_settle(d, req, sequence, account, err);
}
