/*
 * invitation.h - inviting people to a project by mail: member.c (an admin does), operator.c (an
 * operator invites an admin) and business.c (who registers with a business address is).
 * acceptance.h completes them.
 *
 * An invitation is pending until its link is used or it is withdrawn. It is no account and reserves
 * no e-mail: who registers meanwhile completes it all the same.
 *
 * One that an admin has made or sent is the admin's: a sign-up with that address gets a second link
 * to it, which gives none of its rights.
 */
#ifndef ATRIUM_AUTHD_MEMBER_INVITATION_H
#define ATRIUM_AUTHD_MEMBER_INVITATION_H

#include "authd/authd.h"
#include "authd/credential/link.h"
#include "authd/mail.h"

#define INVITATION_LIFE DAYS(7)
#define INVITATION_KEPT DAYS(90) /* after its link expired, for an admin to send it again */

/* Who is invited as what, and the link to mail. Texts are the request's. */
struct invitation {
    enum role role;
    const char *email, *name, *surname;
    bool admin;
    struct uuid policy;
    struct uuid invited_by; /* membership in whose name; absent: of a sign-up or an operator */

    /* filled in by invitation_prepare() and invitation_find() */
    bool pending;   /* it was there before: its columns are what they were, but for the link */
    bool by_admin;  /* a pending one that an admin or an operator has made or sent */
    bool promotes;  /* sending gives it rights of an admin; else a pending one stays what it is */
    struct uuid id; /* of the membership too, once it is accepted */
    struct uuid profile;
    int64_t invited_at; /* contract time, ms */
    struct link link;
};

/* The template of its mail when a person invites, "INVITE_TO_PROJECT"; a sign-up has its own. */
const char *invitation_template(enum role role);

/* Whether the project sends that mail: an invitation without it would never be known of. Fails:
 * BAD_REQUEST (it does not). Parks. */
int invitation_check_mapped(struct authd *d, const struct request *req, const struct tenant *tenant,
                            enum role role, struct error *err) MUST_USE;

/* Completes what the caller has filled in: with the project's pending invitation for this role and
 * e-mail, whose columns then take the place of the caller's, or as a new one. Only the caller's
 * `admin` counts for a pending one, too: it makes that one an admin's. Its link is always new and
 * good once invitation_send() has written it. Fails: BAD_REQUEST (the project has no application
 * that the link could lead to). Parks. */
int invitation_prepare(struct authd *d, const struct request *req, const struct tenant *tenant,
                       struct invitation *self, struct error *err) MUST_USE;

/* The same for the pending invitation of that id: ERR_NOT_FOUND "Member not found." too. Parks. */
int invitation_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    struct uuid id, struct invitation *ret, struct error *err) MUST_USE;

/* The mail for it, with the variable invitationUrl; the second one is the caller's to fill in. */
struct mail invitation_mail(const struct request *req, const struct invitation *self,
                            const struct tenant *tenant, const char *template);

/* Writes it with its mail and its audit row, all or nothing; older links of it are dead from then
 * on. Fails: THROTTLED (the mailbox had ten of admins within fifteen minutes), CONFLICT (another
 * request has made, accepted or withdrawn it since it was prepared: prepare again). Parks. */
int invitation_send(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct invitation *self, const struct mail *mail,
                    struct error *err) MUST_USE;

/* Writes the link of a sign-up to the pending invitation of an admin, with its mail and its audit
 * row; older links of sign-ups to it are dead from then on, the admin's is as good as before. Fails
 * like invitation_send(). Parks. */
int invitation_send_sign_up(struct authd *d, const struct request *req, const struct tenant *tenant,
                            const struct invitation *self, const struct mail *mail,
                            struct error *err) MUST_USE;

#endif
