/*
 * erasure.h - an erased account and its receipt.
 */
#ifndef ATRIUM_TESTS_SUPPORT_ERASURE_H
#define ATRIUM_TESTS_SUPPORT_ERASURE_H

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"

enum {
    ERASURE_DONE_MS = 30000,
    ERASURE_CHANGES = 2,       /* settings changes by erasure_add_traces() */
    ERASURE_EXECUTIONS = 1500, /* bot executions: one full batch of botd and part of another */
};

/* Run `atriumctl user receipt` immediately, again until the receipt is complete, and `user delete`.
 * The caller destroys them. */
struct program *erasure_receipt(struct suite *suite, const char *account);
struct program *erasure_complete_receipt(struct suite *suite, const char *account);
struct program *erasure_delete(struct suite *suite, const char *account);

bool erasure_is_complete(const struct program *receipt);

/* Returns a table's number in a daemon's part, 0 if absent. */
long erasure_number(const json_t *receipt, const char *daemon, const char *table, const char *what);

void erasure_add_documents(struct suite *suite, const struct person *person, int count);

/* Adds rows of a person, and of another person, in every daemon except docd. */
void erasure_add_traces(struct suite *suite, const struct person *person, const char *account);

/* Checks that the person's rows are gone, and that the receipt counts each. */
void erasure_check_traces(struct suite *suite, const struct person *person, const char *account,
                          const struct program *receipt);

/* Runs a query in a transaction that stays open until PQfinish(). */
PGconn *erasure_hold(struct suite *suite, const char *sql);

#endif
