/*
 * passkey_rp.h - relying parties: a host name, and the origins that can use its passkeys.
 *
 * A tenant whose application for the role has a URL (PATIENT_APP_URL, PRACTITIONER_APP_URL) has its
 * own passkeys. Other tenants and all hosted pages share those of the installation's pages
 * (account_app_url, otherwise public_url). Origins are compared with ports. Only localhost can use
 * http.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_RP_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_RP_H

#include "authd/authd.h"

struct tenant;

enum { PASSKEY_ORIGIN_LABELS_MAX = 5 }; /* section 5.11.1 */

struct passkey_rp {
    const char *id, *name; /* host name; name for people */
    const char *origin;    /* origin of the tenant's application */
    struct uuid project;   /* not set: the installation's, which has several origins */
};

/* Fails if browsers make no passkeys there: a number instead of a host name, or http to another
 * host. */
bool passkey_rp_parse(struct arena *arena, const char *url, const char **ret_host,
                      const char **ret_origin);

/* Fails with ERR_INTERNAL unless `passkey_origins` are origins with at most five labels. */
int passkey_rp_check_config(const struct authd *d, struct arena *arena, struct error *err) MUST_USE;

/* Returns the URL whose host has the installation's passkeys, or NULL. */
const char *passkey_rp_home(const struct authd *d);

/* Finds the relying party of a sign-in to, or session in, the tenant (NULL: not named).
 * ERR_BAD_REQUEST: none. */
int passkey_rp_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct passkey_rp *ret, struct error *err) MUST_USE;

/* Returns the origins that a browser's answer can come from, NULL-ended. */
const char *const *passkey_rp_origins(const struct authd *d, struct arena *arena,
                                      const struct passkey_rp *self);

#endif
