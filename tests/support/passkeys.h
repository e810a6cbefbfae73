/*
 * passkeys.h - passkeys by an authenticator in software over HTTP: each step of their making, of a
 * sign-in, of a fresh proof and of a second factor, in the demo tenant unless another is named.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PASSKEYS_H
#define ATRIUM_TESTS_SUPPORT_PASSKEYS_H

#include "tests/support/authenticator.h"
#include "tests/support/suite.h"

/* The origins of the demo tenant's applications. */
#define PASSKEY_PATIENT_ORIGIN "https://patient.demo.example"
#define PASSKEY_PRACTITIONER_ORIGIN "https://practitioner.demo.example"

/* Asks for the options of a new passkey. */
struct http_answer *passkey_enroll_start(struct suite *suite, const char *access);

/* Answers an enrolment with a credential, which is consumed; "My phone". */
struct http_answer *passkey_enroll_finish(struct suite *suite, const char *access, const char *id,
                                          json_t *credential);

/* Makes a passkey of the key: the answer of the last step, or of a start that failed. */
struct http_answer *passkey_enroll(struct suite *suite, const char *access,
                                   struct authenticator *key);

/* A new patient who has a passkey of the key. */
struct person *passkey_patient(struct suite *suite, struct authenticator *key);

/* Asks for the options of a sign-in; tenant and email may be NULL. `role`: "Patient" or
 * "Practitioner". */
struct http_answer *passkey_sign_in_start(struct suite *suite, const char *role, const char *tenant,
                                          const char *email);

/* Answers it with a credential, which is consumed. */
struct http_answer *passkey_sign_in_finish(struct suite *suite, const char *role, const char *id,
                                           json_t *credential);

/* Both steps: the answer of the second one. */
struct http_answer *passkey_sign_in(struct suite *suite, const char *role, const char *tenant,
                                    const char *email, struct authenticator *key);

/* The tokens of a sign-in whose answer has a session code. */
struct http_answer *passkey_exchange(struct suite *suite, const char *role,
                                     const struct http_answer *step, const char *tenant);

/* A fresh proof by the key, both steps. */
struct http_answer *passkey_step_up(struct suite *suite, const char *access,
                                    struct authenticator *key);

/* Asks a sign-in by password, which waits for its second factor, for the options of a passkey. */
struct http_answer *passkey_mfa_start(struct suite *suite, const char *role, const char *login);

/* Shows it the credential, which is consumed; NULL: nothing. */
struct http_answer *passkey_mfa(struct suite *suite, const char *role, const char *login,
                                json_t *credential);

/* Checks that the answer refuses the passkey itself. */
void passkey_check_refused(const struct http_answer *answer);

/* Checks what a patient's sign-in by password leads to: "token" or "mfa". */
void passkey_check_first_step(struct suite *suite, const struct person *person, const char *want);

#endif
