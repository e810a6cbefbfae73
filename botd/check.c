/*
 * check.c - botd's part of `atriumctl doctor`.
 */
#include <string.h>

#include "botd/bot/program.h"
#include "botd/botd.h"
#include "botd/sandbox/sandbox.h"

static const char sandbox_advice[] =
    "Program bots answer 503 until bubblewrap may make namespaces, or the kernel has Landlock: "
    "sysctl "
    "user.max_user_namespaces (above 0), kernel.unprivileged_userns_clone (1), "
    "kernel.apparmor_restrict_unprivileged_userns (0); a container must allow user namespaces or "
    "the "
    "landlock_* system calls.";

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
        return check_ok(req, ret, "programs are confined by %s", sandbox_name(d->sandbox));
    if (err->code == ERR_DEADLINE || err->code == ERR_OVERLOADED)
        return check_warn(req, ret, "The machine is busy: program bots go on, slowly.", "%s",
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
     "Start the provider; see that translation_url names it, that this host reaches it, and what "
     "translation_key_file holds.",
     check_translation},
    {.name = NULL},
};
