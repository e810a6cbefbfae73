/*
 * invitation.h - invitations by an admin (member.c), operator (operator.c) or sign-up (business.c).
 *
 * An invitation is pending until its link is used or it is withdrawn. It reserves no email address:
 * a person who registers meanwhile can still accept. A sign-up with an invited address does not
 * change an admin's invitation: it sends a second link, which grants no admin rights.
 */
#ifndef ATRIUM_AUTHD_MEMBER_INVITATION_H
#define ATRIUM_AUTHD_MEMBER_INVITATION_H

#include "authd/authd.h"
#include "authd/credential/link.h"
#include "authd/mail.h"

#define INVITATION_LIFE DAYS(7)
#define INVITATION_KEPT DAYS(90) /* after its link expires, so that an admin can send it again */

/* Borrows the request's texts. */
struct invitation {
    enum role role;
    const char *email, *name, *surname;
    bool admin;
    struct uuid policy;
    struct uuid invited_by; /* inviting membership; not set for sign-ups and operators */

    /* set by invitation_prepare() and invitation_find() */
    bool pending;   /* existed, so only its link is new */
    bool by_admin;  /* made or sent by an admin or operator */
    bool promotes;  /* sending it adds admin rights to the invitation */
    struct uuid id; /* also the id of the accepted membership */
    struct uuid profile;
    int64_t invited_at; /* contract time, ms */
    struct link link;
};

/* Returns the template of a member's invitation, not a sign-up's. */
const char *invitation_template(enum role role);

/* Fails with BAD_REQUEST unless the project sends this email, because people would never learn of
 * the invitation. Parks. */
int invitation_check_mapped(struct authd *d, const struct request *req, const struct tenant *tenant,
                            enum role role, struct error *err) MUST_USE;

/* Completes what the caller has filled in, from the pending invitation for this role and email
 * address, or as a new one. Of the caller's columns, a pending one takes only `admin`, if true. The
 * link is always new, and valid after invitation_send(). BAD_REQUEST: the project has no
 * application for the link. Parks. */
int invitation_prepare(struct authd *d, const struct request *req, const struct tenant *tenant,
                       struct invitation *self, struct error *err) MUST_USE;

/* Like invitation_prepare(), for a pending invitation by id. Also fails with ERR_NOT_FOUND.
 * Parks. */
int invitation_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    struct uuid id, struct invitation *ret, struct error *err) MUST_USE;

/* Returns the email with the variable invitationUrl. The caller sets the second one. */
struct mail invitation_mail(const struct request *req, const struct invitation *self,
                            const struct tenant *tenant, const char *template);

/* Writes the invitation with its email and audit row, and invalidates older links. THROTTLED: the
 * mailbox had ten from admins in fifteen minutes. CONFLICT: changed meanwhile, so prepare it again.
 * Parks. */
int invitation_send(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct invitation *self, const struct mail *mail,
                    struct error *err) MUST_USE;

/* Adds a sign-up's link to an admin's pending invitation, and invalidates older links of sign-ups.
 * Fails like invitation_send(). Parks. */
int invitation_send_sign_up(struct authd *d, const struct request *req, const struct tenant *tenant,
                            const struct invitation *self, const struct mail *mail,
                            struct error *err) MUST_USE;

#endif
