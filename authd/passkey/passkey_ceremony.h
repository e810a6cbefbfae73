/*
 * passkey_ceremony.h - a challenge, until the browser's answer has been checked.
 *
 * The first answer uses it up, right or wrong. It lives for five minutes; the origins are those
 * that the settings allow when it ends. Sessions and logins store theirs as a row. Sign-ins don't,
 * because anyone can start one; see passkey_start.h.
 */
#ifndef ATRIUM_AUTHD_PASSKEY_PASSKEY_CEREMONY_H
#define ATRIUM_AUTHD_PASSKEY_PASSKEY_CEREMONY_H

#include "authd/passkey/passkey_rp.h"
#include "authd/passkey/webauthn.h"
#include "common/domain/role.h"

#define PASSKEY_CEREMONY_LIFE MINUTES(5)

enum { PASSKEY_HANDLE_SIZE = 32 };

struct passkey_credential;
struct passkey_attestation;
struct passkey_request;
struct passkey_request_options;
struct tenant;
struct sql_passkey_list_rows;

struct passkey_ceremony {
    const char *kind; /* "enroll", "step-up", "factor"; only rows have one */
    enum role role;
    struct uuid id;
    struct passkey_rp rp; /* after use, only id and project; see passkey_ceremony_find_rp() */
    uint8_t challenge[WEBAUTHN_CHALLENGE_SIZE];
    /* sign-in */
    struct uuid tenant;                 /* named in the request; not set: none */
    int64_t until;                      /* contract time, ms */
    const char *email, *code_challenge; /* `email` NULL: any account */
    struct uuid account;                /* for a second factor */
    /* for an enrollment */
    uint8_t user_handle[PASSKEY_HANDLE_SIZE];
};

/* Writes a row with a new challenge and, unless set, a new id. Enrollments and step-ups belong to
 * the caller's session. Parks. */
int passkey_ceremony_begin(struct authd *d, const struct request *req,
                           struct passkey_ceremony *self, struct error *err) MUST_USE;

/* `allow`: struct passkey_descriptor. */
const struct passkey_request_options *passkey_ceremony_options(struct arena *arena,
                                                               const struct passkey_ceremony *self,
                                                               struct field_list allow);

/* Selects rows with this relying party. */
struct field_list passkey_descriptors(struct arena *arena, const struct sql_passkey_list_rows *rows,
                                      const char *rp_id);

/* Begins a ceremony for those of the account's passkeys that open the project (not set: any
 * project). ERR_BAD_REQUEST: there are none. Parks. */
int passkey_ceremony_request(struct authd *d, const struct request *req, struct uuid account,
                             struct uuid project, struct passkey_ceremony *self,
                             struct passkey_request *out, struct error *err) MUST_USE;

int passkey_ceremony_invalid(struct error *err);

/* Uses up the row. ERR_BAD_REQUEST: none of this kind, role and session. Parks. */
int passkey_ceremony_spend(struct authd *d, const struct request *req, const char *kind,
                           enum role role, struct uuid id, struct passkey_ceremony *ret,
                           struct error *err) MUST_USE;

/* Completes a used ceremony's relying party. `known`: its tenant, if already looked up, or NULL.
 * ERR_BAD_REQUEST: its application's host has changed. Parks. */
int passkey_ceremony_find_rp(struct authd *d, const struct request *req, const struct tenant *known,
                             struct passkey_ceremony *self, struct error *err) MUST_USE;

/* Checks an answer on the pool. *ret_wrong: the reason in one word, or NULL. Parks. */
int passkey_ceremony_check_new(struct authd *d, const struct request *req,
                               const struct passkey_ceremony *self,
                               const struct passkey_attestation *answer,
                               struct webauthn_credential *ret, const char **ret_wrong,
                               struct error *err) MUST_USE;
int passkey_ceremony_check(struct authd *d, const struct request *req,
                           const struct passkey_ceremony *self, enum webauthn_algorithm algorithm,
                           struct field_bytes key, const struct passkey_credential *answer,
                           struct webauthn_assertion *ret, const char **ret_wrong,
                           struct error *err) MUST_USE;

/* Decodes base64url into the arena. Fails for more than `max` bytes. */
bool passkey_bytes(struct arena *arena, const char *text, size_t max, struct field_bytes *ret);

#endif
