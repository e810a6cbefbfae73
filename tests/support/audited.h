/*
 * audited.h - requests whose audit rows a test checks, found by X-Request-Id, and the people and
 * texts for them, which live until audited_release().
 */
#ifndef ATRIUM_TESTS_SUPPORT_AUDITED_H
#define ATRIUM_TESTS_SUPPORT_AUDITED_H

#include "tests/support/authenticator.h"
#include "tests/support/suite.h"
#include "tests/support/totp.h"

/* Starts a suite on the test clock with its admin, open registration of practitioners, another
 * tenant ("closed"), and the view `trail` of all daemons' audit rows. */
void audited_scene_set(struct suite **ret, struct person **ret_admin);
void audited_scene_leave(struct suite **self_p, struct person **admin_p);

/* Take ownership of an argument until audited_release(). */
struct person *audited_person(struct person *person);
const char *audited_text(char *text);

void audited_release(void);

const char *audited_path(const char *format, ...) PRINTF_LIKE(1, 2);

/* Makes a POST without a token, from a new client address. */
struct http_request audited_post(const char *path, json_t *body);

struct http_request audited_by(const struct person *person, const char *method, const char *path,
                               json_t *body);

struct person *audited_patient(void);
struct person *audited_practitioner(void);

/* audited_body_one_step() makes the body of a one-step sign-in by client, audited_body_b2b() of one
 * to a tenant; audited_body_named() adds a registration's name to `body`. */
json_t *audited_body_one_step(const char *email, const char *password);
json_t *audited_body_b2b(const char *email, const char *password);
json_t *audited_body_named(json_t *body);

/* Starts a sign-in and returns its session code, or its login id if it waits for a second
 * factor. */
const char *audited_begin(const char *role, const struct person *person);

/* An authenticator app's key, a valid code, and the first recovery code. */
struct audited_factor {
    uint8_t key[TOTP_SECRET];
    char recovery[16], code[7];
};

/* audited_prepare() reads the offered key, audited_enroll() also enables it and makes an unused
 * code. */
void audited_prepare(const struct person *person, struct audited_factor *ret);
void audited_enroll(const struct person *person, struct audited_factor *ret);

/* audited_passkey() makes a passkey for a role; audited_passkey_add() adds it to an account and
 * returns its path. */
struct authenticator *audited_passkey(const char *role);
const char *audited_passkey_add(const struct person *who, struct authenticator *key);

struct http_request audited_show(const char *role, const char *login, const char *token);

/* Returns a request's rows in a daemon as "<number of rows> <action> <outcome> <entity type>
 * <detail>" (caller frees). */
char *audited_rows(const char *daemon, const char *trace);

struct audited {
    const char *operation; /* the route's operation; its daemon writes the row */
    struct http_request (*request)(void);
    int status;
    const char *want; /* audited_rows() without its number; NULL: no row */
};

/* The part of the routes that a test program covers: registrations and sign-ins; other actions on
 * the own account; administration in authd, settingsd and maild. */
enum audited_part { AUDITED_SIGN_INS, AUDITED_OWN, AUDITED_ADMIN };

/* Runs these requests as a program. Each must get its status and leave its one row or none, each
 * changing route of the part must leave a row with outcome success, and no row may have an address
 * or a hash. */
int audited_run(const char *title, const struct audited *rows, size_t count, enum audited_part part,
                struct suite **ret_suite, struct person **ret_admin);

void audited_check_absent(const char *const *secrets, size_t count);

#endif
