/*
 * check.c - what botd tells `atriumctl doctor` beside what every daemon does: whether programs have a sandbox, and who
 * translates.
 */
#include <string.h>

#include "botd/botd.h"
#include "botd/program.h"

static const char namespaces_advice[] =
    "Program bots answer 503 until bubblewrap may make namespaces: sysctl user.max_user_namespaces "
    "(above 0), kernel.unprivileged_userns_clone (1), kernel.apparmor_restrict_unprivileged_userns "
    "(0); a container must allow user namespaces.";

static int check_sandbox(void *daemon, const struct request *req, struct finding *ret,
                         struct error *err)
{
    const struct botd *d = daemon;

    if (programs_check(d->programs, err) == 0)
        return check_ok(req, ret, "programs run in namespaces of their own");
    return check_fail(req, ret,
                      strstr(err->message, "No such file") || strstr(err->detail, "No such file")
                          ? "apt-get install bubblewrap util-linux"
                          : NULL,
                      "%s%s%s", err->message, err->detail[0] ? ": " : "", err->detail);
}

static int check_translation(void *daemon, const struct request *req, struct finding *ret,
                             struct error *err)
{
    const struct botd *d = daemon;

    return d->provider.check(d->provider.self, req, ret, err);
}

const struct check botd_checks[] = {
    {"sandbox", 0, namespaces_advice, check_sandbox},
    {"translation", 0,
     "Start the provider; see that translation_url names it, that this host reaches it, and what "
     "translation_key_file holds.",
     check_translation},
    {.name = NULL},
};
