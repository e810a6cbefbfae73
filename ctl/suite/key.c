/* key.c - `atriumctl keys ...`: keys that sign tokens, for the API and for issuers. */
#include "authd/authd_api.h"
#include "authd/session/key_api.h"
#include "common/base/clock.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"

/* An RSA key takes tens of seconds on a busy machine. */
enum { ROTATE_MS = 60000 };

const char *const key_columns[] = {"kid", "use", "alg", "active", "createdAt", "retireAt", NULL};

int keys_rotate_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct keys_rotate_in in = {.issuer = arguments_has(&ctl->args, "--issuer")};
    struct key_list out = {0};

    if (arguments_has(&ctl->args, "--seal"))
        return keys_seal(ctl, err);
    if (arguments_has(&ctl->args, "--keys"))
        return error_set(err, ERR_BAD_REQUEST, "--keys is for --seal");
    req.deadline_mono_ms = clock_mono_ms() + ROTATE_MS;
    if (authd_keys_rotate(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &public_key_table, &out.keys, key_columns);
    return 0;
}
