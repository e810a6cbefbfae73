/*
 * subject.h - a person whose account is to be deleted, on the test clock: its dates, state and ways
 * to sign in.
 */
#ifndef ATRIUM_TESTS_SUPPORT_SUBJECT_H
#define ATRIUM_TESTS_SUPPORT_SUBJECT_H

#include "tests/support/suite.h"

#define BAD_PASSWORD "Username or password is incorrect."

struct subject {
    struct suite *suite;
    struct person *person;
    const char *role;
    char id[37];       /* account id, set when the deletion is scheduled */
    int64_t scheduled; /* when, in ms */
    char recovery[11]; /* a recovery code, if there is a second factor */
};

struct subject subject_patient(struct suite *suite);
struct subject subject_practitioner(struct suite *suite);

void subject_release(struct subject *self);
#define SUBJECT CLEANUP(subject_release) struct subject

/* deletion_ask() requests the deletion of the token's account, and consumes the body; NULL:
 * none. */
struct http_answer *deletion_ask(struct suite *suite, const char *access, json_t *body);
json_t *deletion_in_days(int days);

/* subject_read() reads a deletion's response; subject_schedule() requests one and reads it. */
void subject_read(struct subject *self, const struct http_answer *answer);
void subject_schedule(struct subject *self, int days);

void subject_renew(struct subject *self);

/* Schedules the deletion for the end of an almost finished day, with tokens that outlive it and
 * that every gateway has seen. */
void subject_bring_near(struct subject *self);

/* They return whether the account waits for its deletion; exists and has no deletion scheduled; is
 * gone within 15 s. */
bool subject_is_scheduled(const struct subject *self);
bool subject_is_kept(const struct subject *self);
bool subject_goes(const struct subject *self);

long subject_jobs(const struct subject *self, const char *kind);

/* subject_step() sends a step of the sign-in to the tenant ("start"), and consumes the body. */
struct http_answer *subject_step(const struct subject *self, const char *name, json_t *body);
struct http_answer *subject_start(const struct subject *self);

/* Sign in completely, and return the last response: to the tenant, by a client, as a business, to
 * the tenant with a recovery code. */
struct http_answer *subject_by_tenant(const struct subject *self);
struct http_answer *subject_by_client(const struct subject *self);
struct http_answer *subject_by_business(const struct subject *self);
struct http_answer *subject_by_code(const struct subject *self);

json_t *subject_body_client(const struct subject *self);

/* subject_enroll() enables a second factor; subject_show_code() sends its recovery code to a
 * waiting sign-in. */
void subject_enroll(struct subject *self);
struct http_answer *subject_show_code(const struct subject *self, const char *login);

void subject_check_unknown(const struct subject *self);

#endif
