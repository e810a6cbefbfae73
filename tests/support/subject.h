/*
 * subject.h - a person whose account is to be deleted, in a suite on the test clock: when, what
 * becomes of the account, and each way to sign in until then.
 */
#ifndef ATRIUM_TESTS_SUPPORT_SUBJECT_H
#define ATRIUM_TESTS_SUPPORT_SUBJECT_H

#include "tests/support/suite.h"

#define BAD_PASSWORD "Username or password is incorrect."

struct subject {
    struct suite *suite;
    struct person *person;
    const char *role;
    char id[37];       /* of the account; once it is scheduled */
    int64_t scheduled; /* ms */
    char recovery[11]; /* with a second factor: a code of it */
};

/* One who has just registered in the demo tenant. */
struct subject subject_patient(struct suite *suite);
struct subject subject_practitioner(struct suite *suite);

void subject_release(struct subject *self);
#define SUBJECT CLEANUP(subject_release) struct subject

/* Asks for the end of the account that has this token; the body is consumed, NULL: none. */
struct http_answer *deletion_ask(struct suite *suite, const char *access, json_t *body);
json_t *deletion_in_days(int days);

/* Reads the answer of a deletion into it; asks for one, and reads its answer. */
void subject_read(struct subject *self, const struct http_answer *answer);
void subject_schedule(struct subject *self, int days);

/* Renews the session: new tokens in place of the old ones. */
void subject_renew(struct subject *self);

/* Schedules for the end of a day that is nearly over, with tokens that outlive it and that every
 * gateway knows. */
void subject_bring_near(struct subject *self);

/* Whether the account waits for its end; is there and does not; is gone within 15 s. */
bool subject_is_scheduled(const struct subject *self);
bool subject_is_kept(const struct subject *self);
bool subject_goes(const struct subject *self);

/* How many jobs of that kind ("account-delete") wait for the account. */
long subject_jobs(const struct subject *self, const char *kind);

/* A step of the sign-in to the tenant ("start"); the body is consumed. */
struct http_answer *subject_step(const struct subject *self, const char *name, json_t *body);
struct http_answer *subject_start(const struct subject *self);

/* The last answer of a whole sign-in: to the tenant, by a client, as a business, to the tenant with
 * a recovery code. */
struct http_answer *subject_by_tenant(const struct subject *self);
struct http_answer *subject_by_client(const struct subject *self);
struct http_answer *subject_by_business(const struct subject *self);
struct http_answer *subject_by_code(const struct subject *self);

/* The body of a sign-in by a client. */
json_t *subject_body_client(const struct subject *self);

/* Turns a second factor on; shows its recovery code to a sign-in that waits for it. */
void subject_enroll(struct subject *self);
struct http_answer *subject_show_code(const struct subject *self, const char *login);

/* No password and no token of the account counts. */
void subject_check_unknown(const struct subject *self);

#endif
