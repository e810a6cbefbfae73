/*
 * check.c - botd's part of `atriumctl doctor`.
 */
#include <string.h>

#include "botd/bot/program.h"
#include "botd/botd.h"
#include "botd/sandbox/sandbox.h"

static const char sandbox_advice[] =
    "Program bots return 503 until bubblewrap can create namespaces or the kernel has Landlock: "
    "check sysctl user.max_user_namespaces (above 0), kernel.unprivileged_userns_clone (1), "
    "kernel.apparmor_restrict_unprivileged_userns (0); a container must allow user namespaces or "
    "the landlock_* system calls.";

int sandbox_check(struct botd *d, struct error *err)
{
    int rc = programs_check(d->programs, err);

    d->svc.sandbox = sandbox_name(d->sandbox);
    return rc;
}

static int check_sandbox(void *daemon, const struct request *req, struct finding *ret,
                         struct error *err)
{
    struct botd *d = daemon;
    int rc = sandbox_check(d, err);

    if (rc == 0)
        return check_ok(req, ret, "program bots are confined by %s", sandbox_name(d->sandbox));
    if (err->code == ERR_DEADLINE || err->code == ERR_OVERLOADED)
        return check_warn(req, ret, "The machine is busy: program bots run, but slowly.", "%s",
                          err->message);
    return check_fail(req, ret,
                      strstr(err->message, "No such file") ? "apt-get install bubblewrap util-linux"
                                                           : NULL,
                      "%s", err->message);
}

static int check_translation(void *daemon, const struct request *req, struct finding *ret,
                             struct error *err)
{
    const struct botd *d = daemon;

    return d->provider.check(d->provider.self, req, ret, err);
}

const struct check botd_checks[] = {
    {"sandbox", 0, sandbox_advice, check_sandbox},
    {"translation", 0,
     "Start the provider; check translation_url, translation_key_file, and whether this host can "
     "reach the provider.",
     check_translation},
    {.name = NULL},
};
