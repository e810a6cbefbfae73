/*
 * audited.h - requests whose rows in the audit trail a test looks at, and the people, texts and
 * bodies that they are made from. What they are made from lives until audited_release().
 *
 * A request's rows are found by its X-Request-Id.
 */
#ifndef ATRIUM_TESTS_SUPPORT_AUDITED_H
#define ATRIUM_TESTS_SUPPORT_AUDITED_H

#include "tests/support/authenticator.h"
#include "tests/support/suite.h"
#include "tests/support/totp.h"

/* The suite in which rows are looked at, on the test clock: its admin, registration open to
 * practitioners, another tenant ("closed"), and the view `trail` over the rows of all daemons. */
void audited_scene_set(struct suite **ret, struct person **ret_admin);
void audited_scene_leave(struct suite **self_p, struct person **admin_p);

/* Takes over what a request is made from. */
struct person *audited_person(struct person *person);
const char *audited_text(char *text);

/* Frees all of it. */
void audited_release(void);

/* A text as printf() makes it. */
const char *audited_path(const char *format, ...) PRINTF_LIKE(1, 2);

/* A POST without a token, from an address of its own. */
struct http_request audited_post(const char *path, json_t *body);

/* A request with the person's token. */
struct http_request audited_by(const struct person *person, const char *method, const char *path,
                               json_t *body);

/* A patient and a practitioner who have just registered. */
struct person *audited_patient(void);
struct person *audited_practitioner(void);

/* The bodies of sign-ins in one step, by a client and to a tenant, and what a registration has
 * more: the name, which is put into `body`. */
json_t *audited_body_one_step(const char *email, const char *password);
json_t *audited_body_b2b(const char *email, const char *password);
json_t *audited_body_named(json_t *body);

/* The session code of a sign-in that was begun, or its login id when that waits for a second
 * factor. */
const char *audited_begin(const char *role, const struct person *person);

/* An authenticator app: its key, a code that is good now, and the first recovery code. */
struct audited_factor {
    uint8_t key[TOTP_SECRET];
    char recovery[16], code[7];
};

/* Reads the key that a person is offered; turns it on, and shows a code that was not used yet. */
void audited_prepare(const struct person *person, struct audited_factor *ret);
void audited_enroll(const struct person *person, struct audited_factor *ret);

/* A passkey for the role's people, and adding one to an account: its path. */
struct authenticator *audited_passkey(const char *role);
const char *audited_passkey_add(const struct person *who, struct authenticator *key);

/* The request that shows a code or a recovery code to a sign-in. */
struct http_request audited_show(const char *role, const char *login, const char *token);

/* "<number of rows> <action> <outcome> <type of the entity> <detail>" of a request in a daemon; the
 * caller frees it. */
char *audited_rows(const char *daemon, const char *trace);

/* A request and the row that it leaves. */
struct audited {
    const char *operation; /* of the route: in the trail of its daemon */
    struct http_request (*request)(void);
    int status;
    const char *want; /* as audited_rows() has it behind the number; NULL: no row at all */
};

/* What a program has rows of: registrations and sign-ins; what else people do to their own account;
 * how a project is administered, in authd, settingsd and maild. */
enum audited_part { AUDITED_SIGN_INS, AUDITED_OWN, AUDITED_ADMIN };

/* Runs a program of these rows, in the scene: each request has its status and its one row or none;
 * each route of the part that changes something has a row whose request succeeds; and the trail has
 * neither an address nor a hash. */
int audited_run(const char *title, const struct audited *rows, size_t count, enum audited_part part,
                struct suite **ret_suite, struct person **ret_admin);

/* Checks that none of these texts, none empty, is in any row so far. */
void audited_check_absent(const char *const *secrets, size_t count);

#endif
