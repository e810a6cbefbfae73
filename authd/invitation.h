/*
 * invitation.h - inviting somebody to a project by mail: member.c (an admin does), operator.c (an
 * operator invites an admin) and business.c (who registers with a business address is). credential.c
 * completes them.
 *
 * An invitation is pending until its link is used or it is withdrawn. It is no account and reserves no
 * e-mail: who registers meanwhile completes it all the same.
 */
#ifndef ATRIUM_AUTHD_INVITATION_H
#define ATRIUM_AUTHD_INVITATION_H

#include "authd/authd.h"
#include "authd/credential.h"
#include "authd/link.h"
#include "authd/mail.h"

#define INVITATION_LIFE DAYS(7)
#define INVITATION_KEPT DAYS(90) /* after its link expired, for an admin to send it again */

/* Who is invited as what, and the link to mail. Texts are the request's. */
struct invitation {
    const char *role, *email, *name, *surname;
    bool admin;
    struct uuid policy;
    struct uuid invited_by; /* membership; absent: made by a sign-up or an operator */

    /* filled in by invitation_prepare() and invitation_find() */
    bool pending;   /* it was there before: its columns are what they were, but for the link */
    bool promotes;  /* sending makes it an admin's; else a pending one stays what it is */
    struct uuid id; /* of the membership too, once it is accepted */
    struct uuid profile;
    int64_t invited_at; /* contract time, ms */
    struct link link;
};

/* The template of its mail when somebody invites, "INVITE_TO_PROJECT"; a sign-up has its own. */
const char *invitation_template(const char *role);

/* Whether the project sends that mail: an invitation without it would never be known of. Fails:
 * BAD_REQUEST (it does not). Parks. */
int invitation_check_mapped(struct authd *d, const struct request *req, const struct tenant *tenant,
                            const char *role, struct error *err) MUST_USE;

/* Completes what the caller has filled in: with the project's pending invitation for this role and
 * e-mail, whose columns then take the place of the caller's, or as a new one. Only the caller's `admin`
 * counts for a pending one, too: it makes that one an admin's. Its link is always new and good once
 * invitation_send() has written it. Fails: BAD_REQUEST (the project has no application that the link
 * could lead to). Parks. */
int invitation_prepare(struct authd *d, const struct request *req, const struct tenant *tenant,
                       struct invitation *self, struct error *err) MUST_USE;

/* The same for the pending invitation of that id: ERR_NOT_FOUND "Member not found." too. Parks. */
int invitation_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    struct uuid id, struct invitation *ret, struct error *err) MUST_USE;

/* The mail for it, with the variable invitationUrl; the second one is the caller's to fill in. */
struct mail invitation_mail(const struct request *req, const struct invitation *self,
                            const struct tenant *tenant, const char *template);

/* Writes it with its mail and its audit row, all or nothing; older links of it are dead from then
 * on. Fails: THROTTLED (the mailbox had ten within fifteen minutes), CONFLICT (another request has
 * made, accepted or withdrawn it since it was prepared: prepare again). Parks. */
int invitation_send(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct invitation *self, const struct mail *mail,
                    struct error *err) MUST_USE;

/* Accepts the one that this link (id and hash of its secret) is of, for its owner as find_link() has
 * found it: makes the account, or takes the one that there is by now, whose password changes as by a
 * reset; and the membership. Fails: BAD_REQUEST (another request was first). Parks. */
int invitation_accept(struct authd *d, const struct request *req, struct uuid id,
                      const uint8_t secret[static SECRET_HASH_SIZE], struct credential_owner *owner,
                      const char *password_hash, struct error *err) MUST_USE;

#endif
