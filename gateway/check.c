/* check.c - part of `atriumctl doctor`: can the gateway verify tokens? */
#include "gateway/gateway.h"

static int check_lease(void *daemon, const struct request *req, struct finding *ret,
                       struct error *err UNUSED)
{
    const struct gateway *self = daemon;

    if (!lease_is_live(&self->lease))
        return check_fail(req, ret, NULL,
                          "none: what needs a token is answered 503, since nobody tells this "
                          "gateway who was logged out");
    return check_ok(req, ret, "renewed up to change %lld", (long long)self->lease.since);
}

const struct check gateway_checks[] = {
    {"lease", 0,
     "Start authd (systemctl start 'atrium-authd@1'), and see that its database answers.",
     check_lease},
    {.name = NULL},
};
