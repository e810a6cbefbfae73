/*
 * passkeys.h - passkeys of a software authenticator over HTTP: enrollment, sign-in, fresh proof and
 * second factor; default tenant: demo.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PASSKEYS_H
#define ATRIUM_TESTS_SUPPORT_PASSKEYS_H

#include "tests/support/authenticator.h"
#include "tests/support/suite.h"

#define PASSKEY_PATIENT_ORIGIN "https://patient.demo.example"
#define PASSKEY_PRACTITIONER_ORIGIN "https://practitioner.demo.example"

struct http_answer *passkey_enroll_start(struct suite *suite, const char *access);

/* Answers an enrollment with a credential named "My phone", and consumes it. */
struct http_answer *passkey_enroll_finish(struct suite *suite, const char *access, const char *id,
                                          json_t *credential);

/* Enrolls the key and returns the last response: that of the start if it failed. */
struct http_answer *passkey_enroll(struct suite *suite, const char *access,
                                   struct authenticator *key);

struct person *passkey_patient(struct suite *suite, struct authenticator *key);

/* Requests options for a sign-in; tenant and email can be NULL. `role`: "Patient" or
 * "Practitioner". */
struct http_answer *passkey_sign_in_start(struct suite *suite, const char *role, const char *tenant,
                                          const char *email);

/* Answers it with a credential, and consumes it. */
struct http_answer *passkey_sign_in_finish(struct suite *suite, const char *role, const char *id,
                                           json_t *credential);

/* Does both and returns the second response. */
struct http_answer *passkey_sign_in(struct suite *suite, const char *role, const char *tenant,
                                    const char *email, struct authenticator *key);

struct http_answer *passkey_exchange(struct suite *suite, const char *role,
                                     const struct http_answer *step, const char *tenant);

/* Makes a fresh proof with the key, in both steps. */
struct http_answer *passkey_step_up(struct suite *suite, const char *access,
                                    struct authenticator *key);

/* Requests passkey options for a password sign-in that waits for its second factor. */
struct http_answer *passkey_mfa_start(struct suite *suite, const char *role, const char *login);

/* Answers it with the credential, and consumes it; NULL: none. */
struct http_answer *passkey_mfa(struct suite *suite, const char *role, const char *login,
                                json_t *credential);

void passkey_check_refused(const struct http_answer *answer);

/* Checks the result of a patient's password sign-in: "token" or "mfa". */
void passkey_check_first_step(struct suite *suite, const struct person *person, const char *want);

#endif
