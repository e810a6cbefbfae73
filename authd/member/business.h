/*
 * business.h - sign-up with a business address: who registers as a patient with one is probably a
 * clinician, and is invited as a practitioner instead. The mail also has a link to go on as a
 * patient (continue_token.h).
 */
#ifndef ATRIUM_AUTHD_MEMBER_BUSINESS_H
#define ATRIUM_AUTHD_MEMBER_BUSINESS_H

#include "authd/authd.h"

/* Who signs up; texts are the request's. */
struct business_sign_up {
    const struct tenant *tenant;
    const char *email, *name, *surname;
};

/* Whether this sign-up is to become an invitation: the project wants it, has all that the mail
 * needs, and the address is a business one. Asks maild last; when that cannot be had it fails with
 * maild's ERR_UNAVAILABLE, since who is registered as a patient by mistake stays one. Parks. */
int business_applies(struct authd *d, const struct request *req, const struct business_sign_up *who,
                     bool *ret, struct error *err) MUST_USE;

/* Invites, or sends a pending invitation anew; one of an admin stays as it is, and the mail has a
 * link of its own, which makes no admin. Fails: BAD_REQUEST (there is an account with this address,
 * in whatever project). An address that had its mails of the hour (mail_admit()) gets none, and the
 * answer is the same. Parks. */
int business_invite(struct authd *d, const struct request *req, const struct business_sign_up *who,
                    struct error *err) MUST_USE;

#endif
