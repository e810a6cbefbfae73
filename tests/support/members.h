/*
 * members.h - members of a project and invitations over HTTP. `access` is the token of an admin.
 */
#ifndef ATRIUM_TESTS_SUPPORT_MEMBERS_H
#define ATRIUM_TESTS_SUPPORT_MEMBERS_H

#include "tests/support/suite.h"

#define MEMBER_PATH "/v1/projects/me/members"
#define MEMBER_ACCEPT_PATH "/auth/set-password"

/* Where mailed invitations to the demo tenant lead. */
#define MEMBER_PRACTITIONER_LINK "https://practitioner.demo.example/invitation"
#define MEMBER_PATIENT_LINK "https://patient.demo.example/invitation"

#define MEMBER_BAD_LINK "The link is invalid or has expired."

/* The password of those who accept, and the text of invitations. */
#define MEMBER_PASSWORD "chosen by the invited"
#define MEMBER_INVITATION_TEXT "{{inviterName}} {{invitationUrl}}"

/* A request about members: of the list, with `id` of one, with `rest` ("/resend") behind it. The
 * body is consumed. */
struct http_answer *member_call(struct suite *suite, const char *method, const char *access,
                                const char *id, const char *rest, json_t *body);

/* The body of an invitation of Rui Costa; type NULL: not named. */
json_t *member_body(const char *email, const char *type, bool as_admin);

/* Invites, withdraws (or removes), sends again, makes an admin or none. */
struct http_answer *member_invite(struct suite *suite, const char *access, const char *email,
                                  const char *type);
struct http_answer *member_withdraw(struct suite *suite, const char *access, const char *id);
struct http_answer *member_resend(struct suite *suite, const char *access, const char *id);
struct http_answer *member_set_admin(struct suite *suite, const char *access, const char *id,
                                     bool value);

/* The body that accepts an invitation by a first password, and the request from a fresh address. */
json_t *member_body_accept(struct mail_link link, const char *password);
struct http_answer *member_accept(struct suite *suite, struct mail_link link, const char *password);

/* Resets a practitioner's password on the installation's own page, which verifies the address for
 * all. */
void member_verify_for_all(struct suite *suite, const char *email, const char *password);

/* A person whom an admin of the demo tenant has invited and who has accepted, signed in there;
 * *ret_id is the membership. */
struct person *member_join(struct suite *suite, const struct person *admin, const char *type,
                           bool as_admin, char ret_id[static 37]);

/* The entry of an e-mail in the list of members, over all pages; NULL. New reference. */
json_t *member_listed(struct suite *suite, const char *access, const char *email);

/* A text of that entry; "" when absent. */
const char *member_text(const json_t *entry, const char *name);

/* How many invitations wait for that address, and how many memberships its accounts have. */
long member_pending_count(struct suite *suite, const char *email);
long member_count(struct suite *suite, const char *email);

/* Writes a template of the project. */
void member_map_template(struct suite *suite, const char *access, const char *name,
                         const char *body);

/* The admin of a new child of the demo tenant which can invite practitioners. */
struct person *member_equipped_child(struct suite *suite, const char *code);

#endif
