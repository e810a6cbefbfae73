/* check.c - part of `atriumctl doctor`: can the gateway verify tokens? */
#include "gateway/gateway.h"

static int check_lease(void *daemon, const struct request *req, struct finding *ret,
                       struct error *err UNUSED)
{
    const struct gateway *self = daemon;

    if (!lease_is_live(&self->lease))
        return check_fail(req, ret, NULL,
                          "no lease: requests with a token return 503, because this gateway does "
                          "not learn which sessions have ended");
    return check_ok(req, ret, "renewed up to change %lld", (long long)self->lease.since);
}

const struct check gateway_checks[] = {
    {"lease", 0,
     "Start authd (systemctl start 'atrium-authd@1'), and check that its database responds.",
     check_lease},
    {.name = NULL},
};
