/*
 * factor.h - people with a second factor, in a suite on the test clock: their codes, and how they
 * sign in by them.
 */
#ifndef ATRIUM_TESTS_SUPPORT_FACTOR_H
#define ATRIUM_TESTS_SUPPORT_FACTOR_H

#include "tests/support/totp.h"

#define FACTOR_STATUS "/auth/mfa/status"
#define FACTOR_ENROLL "/auth/mfa/enroll"
#define FACTOR_DISABLE "/auth/mfa/disable"
#define FACTOR_BAD_LOGIN "Login session is invalid or has expired."
#define FACTOR_BAD_CODE "The code is incorrect."

/* Whose factor it is, with what is needed to show it. */
struct factor_owner {
    struct suite *suite;
    struct person *person;
    const char *role;
    uint8_t secret[TOTP_SECRET];
    char recovery[10][11];
};

void factor_owner_free(struct factor_owner *self);
#define OWNER CLEANUP(factor_owner_free) struct factor_owner

/* Turns the factor of a signed-in person on, whom the owner then has; one who has just
 * registered. */
struct factor_owner factor_enroll(struct suite *suite, struct person *person, const char *role);
struct factor_owner factor_patient(struct suite *suite);

/* Five seconds into a step that is out of reach of every code so far. */
void factor_move_on(struct suite *suite);

/* The code of the step that is `steps` from now; one that is none of those in reach. */
const char *factor_code_at(const struct factor_owner *owner, int steps, char ret[static 7]);
const char *factor_wrong_code(const struct factor_owner *owner, char ret[static 7]);

/* Posts {"token"} to one of the routes above. */
struct http_answer *factor_post(struct suite *suite, const char *path, const char *access,
                                const char *token);

/* A step of a sign-in to the tenant by that role ("start"); the body is consumed. */
struct http_answer *factor_step(struct suite *suite, const char *role, const char *name,
                                json_t *body);

/* Starts a sign-in, which must ask for the factor and give nothing away. The login's id, empty when
 * it does not. */
struct factor_login {
    char id[37];
};
struct factor_login factor_start(const struct factor_owner *owner);

/* Shows a code to it, and the body of that. */
struct http_answer *factor_show(const struct factor_owner *owner, const char *login,
                                const char *token);
json_t *factor_body(const char *login, const char *token);

/* Signs in with a code and checks how the session says that it was made. */
void factor_sign_in(const struct factor_owner *owner, const char *token, const char *method);

#endif
