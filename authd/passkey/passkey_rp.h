/*
 * passkey_rp.h - the relying party of a passkey: a host name, and the origins that may ask for it.
 *
 * A tenant whose application for the role has an address (PATIENT_APP_URL, PRACTITIONER_APP_URL)
 * has passkeys of its own: they open only that project and those below it. All others share those
 * of the installation's pages (account_app_url, else public_url), which open every membership; so
 * do the hosted pages, whatever the tenant's applications. Origins are compared as they are, with
 * their ports; http is for the machine itself only.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_RP_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_RP_H

#include "authd/authd.h"

struct tenant;

enum { PASSKEY_ORIGIN_LABELS_MAX = 5 }; /* Web Authentication Level 3, section 5.11.1 */

struct passkey_rp {
    const char *id, *name; /* host name; for people */
    const char *origin;    /* of the tenant's application */
    struct uuid project;   /* the tenant's; absent: it is the installation's, as its origins are */
};

/* The host name and the origin of an application's address, from the arena. False when a browser
 * makes no passkey there: no host name but a number, or http to another machine. */
bool passkey_rp_parse(struct arena *arena, const char *url, const char **ret_host,
                      const char **ret_origin);

/* What the configuration says: ERR_INTERNAL unless each of `passkey_origins` is an origin and all
 * are of at most five labels. */
int passkey_rp_check_config(const struct authd *d, struct arena *arena, struct error *err) MUST_USE;

/* The address whose host the installation's passkeys are of; NULL: it has none. */
const char *passkey_rp_home(const struct authd *d);

/* The relying party of a sign-in to the tenant (NULL: none is named), or of a session in it.
 * ERR_BAD_REQUEST where there is none. */
int passkey_rp_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct passkey_rp *ret, struct error *err) MUST_USE;

/* The origins that may ask for its passkeys, NULL-ended, from the arena: an answer is compared with
 * them, a start has no use for them. */
const char *const *passkey_rp_origins(const struct authd *d, struct arena *arena,
                                      const struct passkey_rp *self);

#endif
