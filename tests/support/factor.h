/*
 * factor.h - people with a second factor on the test clock: codes and sign-ins.
 */
#ifndef ATRIUM_TESTS_SUPPORT_FACTOR_H
#define ATRIUM_TESTS_SUPPORT_FACTOR_H

#include "tests/support/totp.h"

#define FACTOR_STATUS "/auth/mfa/status"
#define FACTOR_ENROLL "/auth/mfa/enroll"
#define FACTOR_DISABLE "/auth/mfa/disable"
#define FACTOR_BAD_LOGIN "Login session is invalid or has expired."
#define FACTOR_BAD_CODE "The code is incorrect."

struct factor_owner {
    struct suite *suite;
    struct person *person;
    const char *role;
    uint8_t secret[TOTP_SECRET];
    char recovery[10][11];
};

void factor_owner_free(struct factor_owner *self);
#define OWNER CLEANUP(factor_owner_free) struct factor_owner

/* factor_enroll() enables a signed-in person's factor and takes ownership of the person.
 * factor_patient() registers a patient first. */
struct factor_owner factor_enroll(struct suite *suite, struct person *person, const char *role);
struct factor_owner factor_patient(struct suite *suite);

/* Moves the clock to five seconds into a time step that no earlier code can match. */
void factor_move_on(struct suite *suite);

/* factor_code_at() returns the code of the time step `steps` from now, factor_wrong_code() one that
 * is not the code of any near time step. */
const char *factor_code_at(const struct factor_owner *owner, int steps, char ret[static 7]);
const char *factor_wrong_code(const struct factor_owner *owner, char ret[static 7]);

struct http_answer *factor_post(struct suite *suite, const char *path, const char *access,
                                const char *token);

/* Sends a step ("start") of the role's sign-in to the tenant. Consumes the body. */
struct http_answer *factor_step(struct suite *suite, const char *role, const char *name,
                                json_t *body);

/* The login of a started sign-in, which must require the factor and return nothing else; otherwise
 * the id is empty. */
struct factor_login {
    char id[37];
};
struct factor_login factor_start(const struct factor_owner *owner);

/* factor_show() posts a code to the login; factor_body() makes that body. */
struct http_answer *factor_show(const struct factor_owner *owner, const char *login,
                                const char *token);
json_t *factor_body(const char *login, const char *token);

/* Signs in with a code and checks the session's recorded method. */
void factor_sign_in(const struct factor_owner *owner, const char *token, const char *method);

#endif
