/*
 * check.c - authd's checks for `atriumctl doctor`.
 */
#include <inttypes.h>

#include "authd/account/app_url.h"
#include "authd/account/ownership.h"
#include "authd/authd.h"
#include "authd/federation/domain.h"
#include "authd/federation/provider.h"
#include "authd/passkey/passkey_health.h"
#include "authd/session/key_api.h"
#include "authd/sql/credential.h"
#include "common/base/clock.h"

/* A stolen key signs valid tokens until its rotation, which an operator must start. */
#define KEY_AGE_WARN DAYS(365)
#define KEY_AGE_FAIL DAYS(730)

/* The check fails or warns if the last memory shortage is at most this old. */
#define MEMORY_FAIL_MS MINUTES(1)
#define MEMORY_WARN_MS MINUTES(15)

static int check_keys(void *daemon, const struct request *req, bool issuer, struct finding *ret,
                      struct error *err)
{
    const struct nothing in = {0};
    struct key_list list = {0};
    const struct public_key *key;
    int64_t age = 0, oldest = 0;
    size_t live = 0;

    if (keys_list(daemon, req, &in, &list, err) < 0)
        return -1;
    key = list.keys.items;
    for (size_t i = 0; i < list.keys.count; i++) {
        if ((key[i].use != NULL) != issuer)
            continue;
        live++;
        oldest = MAX(oldest, req->now_ms - key[i].createdAt);
        if (key[i].active)
            age = MAX(age, req->now_ms - key[i].createdAt);
    }
    if (live == 0)
        return check_ok(req, ret, "no issuers, because public_url is not set");
    if (age > KEY_AGE_WARN)
        return check_say(req, ret, age > KEY_AGE_FAIL ? "fail" : "warn", NULL,
                         "the signing key is %s old", check_age(req->arena, age));
    return check_ok(req, ret, "%zu keys are in use, the oldest for %s; rotate within %s", live,
                    check_age(req->arena, oldest), check_age(req->arena, KEY_AGE_WARN - age));
}

static int check_signing_keys(void *daemon, const struct request *req, struct finding *ret,
                              struct error *err)
{
    return check_keys(daemon, req, false, ret, err);
}

static int check_issuer_keys(void *daemon, const struct request *req, struct finding *ret,
                             struct error *err)
{
    return check_keys(daemon, req, true, ret, err);
}

static int check_password_memory(void *daemon, const struct request *req, struct finding *ret,
                                 struct error *err UNUSED)
{
    const struct authd *d = daemon;
    int64_t age = clock_mono_ms() - d->password_memory_failed_ms;

    if (d->password_memory_failed_ms == 0 || age > MEMORY_WARN_MS)
        return check_ok(req, ret, "was sufficient for every password");
    return check_say(req, ret, age > MEMORY_FAIL_MS ? "warn" : "fail", NULL,
                     "%" PRIu64 " passwords could not be hashed, the last one %s ago",
                     *d->count.password_memory_failures, check_age(req->arena, age));
}

static int check_password_hashes(void *daemon, const struct request *req, struct finding *ret,
                                 struct error *err)
{
    const struct authd *d = daemon;
    struct sql_password_count_imported_row row;

    if (sql_password_count_imported(d->svc.db, req, &row, err) < 0)
        return -1;
    if (row.count == 0)
        return check_ok(req, ret, "all have the current parameters");
    return check_ok(
        req, ret,
        "%" PRId64
        " accounts have another system's hash or older parameters, until their owners sign in",
        row.count);
}

/* Counts practitioners who can't change their own account: it belongs to several organizations, and
 * the installation has no account pages. */
static int check_shared_accounts(void *daemon, const struct request *req, struct finding *ret,
                                 struct error *err)
{
    struct authd *d = daemon;
    int64_t people;

    if (app_url_own_page(d, req->arena, "account"))
        return check_ok(req, ret, "their owners have the installation's account pages");
    if (ownership_count_shared(d, req, (struct uuid){""}, &people, err) < 0)
        return -1;
    if (people == 0)
        return check_ok(req, ret, "there are none");
    return check_warn(
        req, ret, NULL,
        "%" PRId64 " practitioners of several organizations have no account pages: only an "
        "operator can change their password, second factor, passkeys and email address",
        people);
}

const struct check authd_checks[] = {
    {"password hashes", CHECK_DATABASE, "See docs/password-hashes.md.", check_password_hashes},
    {"passkeys", CHECK_DATABASE,
     "Their owners can sign in with a password or an emailed code and add new passkeys; or set the "
     "application's previous URL again (PATIENT_APP_URL, PRACTITIONER_APP_URL, account_app_url).",
     passkey_health_check},
    {"domains", CHECK_DATABASE,
     "Their projects' admins got an email. Verify a domain by hand with `atriumctl domain verify`.",
     domain_health_check},
    {"identity providers", CHECK_DATABASE,
     "People can't sign in there: tell the project's admins. For a network of your own, set "
     "allow_networks and client_ca_file (section authd).",
     provider_health_check},
    {"shared accounts", CHECK_DATABASE,
     "Set public_url (section common) to give them account pages; until then, use atriumctl "
     "account.",
     check_shared_accounts},
    {"password memory", 0,
     "Each of password_threads uses 19 MiB while it hashes: check free -m, the unit's MemoryMax "
     "and LimitAS, and vm.overcommit_memory. Then add memory or lower password_threads.",
     check_password_memory},
    {"signing keys", CHECK_DATABASE,
     "atriumctl keys rotate; tokens of the old key are accepted until the last one has "
     "expired.",
     check_signing_keys},
    {"issuer keys", CHECK_DATABASE,
     "atriumctl keys rotate --issuer; the new keys sign a day later, when clients know them.",
     check_issuer_keys},
    {.name = NULL},
};
