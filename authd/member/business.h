/*
 * business.h - patient sign-ups with a business address.
 *
 * Such a person is probably a clinician, so is invited as a practitioner instead. The email also
 * has a link to continue as a patient (continue_token.h).
 */
#ifndef ATRIUM_AUTHD_MEMBER_BUSINESS_H
#define ATRIUM_AUTHD_MEMBER_BUSINESS_H

#include "authd/authd.h"

struct business_sign_up {
    const struct tenant *tenant;
    const char *email, *name, *surname;
};

/* True when the sign-up becomes an invitation: the project wants that and can send the email, and
 * the address is a business one. Fails with ERR_UNAVAILABLE without maild, because a patient
 * registered by mistake stays one. Parks. */
int business_applies(struct authd *d, const struct request *req, const struct business_sign_up *who,
                     bool *ret, struct error *err) MUST_USE;

/* Invites, or sends a pending invitation again. An admin's invitation stays unchanged and gets a
 * second link that makes no admin. BAD_REQUEST: an account has this address. An address with enough
 * emails this hour (mail_admit()) gets none, but the same answer. Parks. */
int business_invite(struct authd *d, const struct request *req, const struct business_sign_up *who,
                    struct error *err) MUST_USE;

#endif
