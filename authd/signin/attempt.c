/*
 * attempt.c - see attempt.h.
 */
#include "authd/signin/attempt.h"

#include "authd/account/email_verified.h"
#include "authd/signin/passkey_factor.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

static int not_enabled(struct error *err)
{
    return error_set(err, ERR_FORBIDDEN, "Login is not enabled.");
}

int attempt_refuse_disabled(struct authd *d, const struct request *req, const struct candidate *who,
                            struct error *err)
{
    if (sign_in_refused(d, req, &who->is, "not-enabled", err) < 0)
        return -1;
    return not_enabled(err);
}

static int find(struct authd *d, const struct request *req, const struct tenant *tenant,
                const char *email, struct attempt *self, struct error *err)
{
    throttle_keys(d, req, self->role, tenant->projectId, email, req->address, &self->keys);
    self->locked = candidate_find(d, req, self->role, tenant->projectId, email, &self->keys,
                                  &self->who, err) < 0;
    if (self->locked && err->code != ERR_THROTTLED)
        return -1;
    error_clear(err);
    return 0;
}

static int verify(struct authd *d, const struct request *req, const char *password,
                  struct attempt *self, struct error *err)
{
    if (self->locked) /* a locked account's password takes the same time but is never right */
        self->who =
            (struct candidate){.is = {.project = self->who.is.project, .role = self->who.is.role},
                               .hash = self->who.hash,
                               .email = self->who.email};
    if (candidate_verify(d, req, &self->who, password, &self->right, err) < 0)
        return -1;
    self->common = self->right && candidate_is_common(d, password);
    return 0;
}

int attempts_make(struct authd *d, const struct request *req, const struct tenant *tenant,
                  const char *email, const char *password, struct attempt ret[static ATTEMPTS],
                  struct error *err)
{
    ret[0] = (struct attempt){.role = ROLE_PRACTITIONER, .enabled = tenant->practitionerLogin};
    ret[1] = (struct attempt){.role = ROLE_PATIENT, .enabled = tenant->patientLogin};
    if (!ret[0].enabled && !ret[1].enabled)
        return not_enabled(err);
    for (size_t i = 0; i < ATTEMPTS; i++) {
        if (find(d, req, tenant, email, &ret[i], err) < 0)
            return -1;
    }
    if (ret[0].locked && ret[1].locked && throttle_check(d, req, &ret[0].keys, err) < 0)
        return -1;
    for (size_t i = 0; i < ATTEMPTS; i++) {
        if (verify(d, req, password, &ret[i], err) < 0)
            return -1;
    }
    secret_wipe_text(password);
    return 0;
}

bool attempt_is_open(const struct attempt *self)
{
    return self->right && self->enabled && !self->who.locked;
}

int attempt_admit(struct authd *d, const struct request *req, const struct tenant *tenant,
                  struct attempt *self, struct error *err)
{
    if (throttle_check(d, req, &self->keys, err) < 0 ||
        (self->common && candidate_check_common(d, req, &self->who, &self->keys, err) < 0) ||
        email_check_sign_in(d, req, tenant, &self->who.is, NULL, err) < 0)
        return -1;
    return passkey_factor_demand(d, req, tenant, &self->who, err);
}

/* Returns the audit row of a failed sign-in. Both attempts are one sign-in, audited for the account
 * that exists, or for the practitioner's. */
static struct sql_audit failure(const struct request *req,
                                const struct attempt tried[static ATTEMPTS])
{
    struct sign_in who = {.project = tried[0].who.is.project};

    for (size_t i = ATTEMPTS; i-- > 0;) {
        if (uuid_is_set(&tried[i].who.is.account))
            who = tried[i].who.is;
    }
    return sign_in_failure(req, &who, "password");
}

/* Rejects a sign-in whose passwords were both wrong. If one role is at its limit, answers 429, so
 * that its owner doesn't take a right password for wrong. */
static int reject(struct authd *d, const struct request *req,
                  const struct attempt tried[static ATTEMPTS], struct error *err)
{
    const struct attempt *locked = tried[0].locked ? &tried[0] : &tried[1];
    const struct attempt *open = tried[0].locked ? &tried[1] : &tried[0];
    const struct sql_audit audit = failure(req, tried);

    if (locked->locked) {
        if (throttle_fail(d, req, &open->keys, &audit, err) < 0 ||
            throttle_check(d, req, &locked->keys, err) < 0)
            return -1;
    } else if (throttle_fail_both(d, req, &tried[0].keys, &tried[1].keys, &audit, err) < 0) {
        return -1;
    }
    ++*d->count.sign_in_bad;
    return error_set(err, ERR_BAD_REQUEST, "Username or password is incorrect.");
}

int attempts_refuse(struct authd *d, const struct request *req,
                    const struct attempt tried[static ATTEMPTS], struct error *err)
{
    if (!tried[0].right && !tried[1].right)
        return reject(d, req, tried, err);
    for (size_t i = 0; i < ATTEMPTS; i++) {
        if (tried[i].right && tried[i].enabled &&
            candidate_check_lock(d, req, &tried[i].who, &tried[i].keys, err) < 0)
            return -1;
    }
    return attempt_refuse_disabled(d, req, tried[0].right ? &tried[0].who : &tried[1].who, err);
}
