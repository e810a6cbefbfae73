/*
 * explain.h - lists a sign-in's checks in order, up to the first that fails.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_EXPLAIN_H
#define ATRIUM_AUTHD_SIGNIN_EXPLAIN_H

#include "authd/authd.h"

struct sign_in_explain_in;
struct sign_in_explain_out;
struct tenant; /* settingsd/tenant_api.h */

/* Explains a sign-in of in->email as in->role (not set: as patient, or as practitioner if the
 * address is only that), from in->address if known. `tenant` NULL: unknown. Parks. */
int explain_sign_in(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct sign_in_explain_in *in, struct sign_in_explain_out *out,
                    struct error *err) MUST_USE;

#endif
