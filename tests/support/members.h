/*
 * members.h - members and invitations over HTTP. `access` is an admin's token.
 */
#ifndef ATRIUM_TESTS_SUPPORT_MEMBERS_H
#define ATRIUM_TESTS_SUPPORT_MEMBERS_H

#include "tests/support/suite.h"

#define MEMBER_PATH "/v1/projects/me/members"
#define MEMBER_ACCEPT_PATH "/auth/set-password"

#define MEMBER_PRACTITIONER_LINK "https://practitioner.demo.example/invitation"
#define MEMBER_PATIENT_LINK "https://patient.demo.example/invitation"

#define MEMBER_BAD_LINK "The link is invalid or has expired."

/* The password with which invited people accept, and the text of invitations. */
#define MEMBER_PASSWORD "chosen by the invited"
#define MEMBER_INVITATION_TEXT "{{inviterName}} {{invitationUrl}}"

/* Sends a request about the members, or with `id` about one, with `rest` ("/resend") appended.
 * Consumes the body. */
struct http_answer *member_call(struct suite *suite, const char *method, const char *access,
                                const char *id, const char *rest, json_t *body);

/* Makes an invitation's body for Rui Costa; type NULL: none. */
json_t *member_body(const char *email, const char *type, bool as_admin);

/* Invite; withdraw or remove; resend; make an admin or a member. */
struct http_answer *member_invite(struct suite *suite, const char *access, const char *email,
                                  const char *type);
struct http_answer *member_withdraw(struct suite *suite, const char *access, const char *id);
struct http_answer *member_resend(struct suite *suite, const char *access, const char *id);
struct http_answer *member_set_admin(struct suite *suite, const char *access, const char *id,
                                     bool value);

/* Make the body that accepts an invitation with a first password, and post it from a new
 * address. */
json_t *member_body_accept(struct mail_link link, const char *password);
struct http_answer *member_accept(struct suite *suite, struct mail_link link, const char *password);

/* Resets a practitioner's password on the installation's page, which verifies the address for all
 * tenants. */
void member_verify_for_all(struct suite *suite, const char *email, const char *password);

/* Returns a person who accepted an invitation to demo, signed in there; *ret_id is the
 * membership. */
struct person *member_join(struct suite *suite, const struct person *admin, const char *type,
                           bool as_admin, char ret_id[static 37]);

/* Finds an address in the paged list of members. Returns a new reference or NULL. */
json_t *member_listed(struct suite *suite, const char *access, const char *email);

const char *member_text(const json_t *entry, const char *name);

/* Count the address's pending invitations, and its accounts' memberships. */
long member_pending_count(struct suite *suite, const char *email);
long member_count(struct suite *suite, const char *email);

void member_map_template(struct suite *suite, const char *access, const char *name,
                         const char *body);

/* Returns the admin of a new child of demo that can invite practitioners. */
struct person *member_equipped_child(struct suite *suite, const char *code);

#endif
