/*
 * passkey_ceremony.h - a challenge from the moment it is given out until an authenticator's answer
 * was checked against it: for enrolment (passkey.c), sign-in (passkey_sign_in.c), step-up
 * (passkey_step_up.c) and as second factor (passkey_factor.c).
 *
 * A ceremony is spent by the first answer, right or wrong, at whatever instance, and lives five
 * minutes. Its origins are those of the settings at the time of the answer. It is a row of the
 * session or the login that asks for it; that of a sign-in, for which anyone asks, is not, see
 * passkey_start.h.
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
    const char *kind; /* of a row: "enroll", "step-up", "factor" */
    enum role role;
    struct uuid id;
    struct passkey_rp rp; /* of a spent one id and project only, see passkey_ceremony_find_rp() */
    uint8_t challenge[WEBAUTHN_CHALLENGE_SIZE];
    /* sign-in */
    struct uuid tenant;                 /* the one that was named; absent: none */
    int64_t until;                      /* contract time, ms */
    const char *email, *code_challenge; /* email NULL: any account */
    struct uuid account;                /* factor: whose it is */
    /* enrolment */
    uint8_t user_handle[PASSKEY_HANDLE_SIZE];
};

/* Writes a row of kind, role and rp as they are set, with a new challenge and, unless it is set, a
 * new id; of an enrolment or a step-up the caller's session alone can spend it. Parks. */
int passkey_ceremony_begin(struct authd *d, const struct request *req,
                           struct passkey_ceremony *self, struct error *err) MUST_USE;

/* The options of a sign-in or a step-up, from the arena. allow: struct passkey_descriptor. */
const struct passkey_request_options *passkey_ceremony_options(struct arena *arena,
                                                               const struct passkey_ceremony *self,
                                                               struct field_list allow);

/* The passkeys among the rows that are of this relying party (struct passkey_descriptor). */
struct field_list passkey_descriptors(struct arena *arena, const struct sql_passkey_list_rows *rows,
                                      const char *rp_id);

/* Begins a ceremony for the passkeys that the account has of its relying party and that open the
 * project (absent: any), and fills the answer. ERR_BAD_REQUEST when it has none. Parks. */
int passkey_ceremony_request(struct authd *d, const struct request *req, struct uuid account,
                             struct uuid project, struct passkey_ceremony *self,
                             struct passkey_request *out, struct error *err) MUST_USE;

/* ERR_BAD_REQUEST: there is no such ceremony, or no longer. */
int passkey_ceremony_invalid(struct error *err);

/* Spends the row `id`: ERR_BAD_REQUEST when there is none of this kind, role and session. Parks. */
int passkey_ceremony_spend(struct authd *d, const struct request *req, const char *kind,
                           enum role role, struct uuid id, struct passkey_ceremony *ret,
                           struct error *err) MUST_USE;

/* Completes the relying party of a ceremony that came back. known: a tenant that need not be looked
 * up again, or NULL. ERR_BAD_REQUEST when its application has another host name now. Parks. */
int passkey_ceremony_find_rp(struct authd *d, const struct request *req, const struct tenant *known,
                             struct passkey_ceremony *self, struct error *err) MUST_USE;

/* Checks an answer on the pool. *ret_wrong: why not, one word; NULL: it holds, and *ret is set.
 * Parks. */
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

/* Bytes of an answer from base64url, in the arena. False: they are none, or more than `max`. */
bool passkey_bytes(struct arena *arena, const char *text, size_t max, struct field_bytes *ret);

#endif
