/*
 * explain.h - why a sign-in fails: its checks in their order, and the first that fails.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_EXPLAIN_H
#define ATRIUM_AUTHD_SIGNIN_EXPLAIN_H

#include "authd/authd.h"

struct sign_in_explain_in;
struct sign_in_explain_out;
struct tenant; /* settingsd/tenant_api.h */

/* Of the sign-in of in->email as in->role (absent: as a patient, or as a practitioner where the
 * tenant knows the address as such only), from in->address where that is known, to the tenant
 * (NULL: there is none). Parks. */
int explain_sign_in(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct sign_in_explain_in *in, struct sign_in_explain_out *out,
                    struct error *err) MUST_USE;

#endif
