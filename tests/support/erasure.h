/*
 * erasure.h - an account that is deleted with all that it owns, and the receipt of that.
 */
#ifndef ATRIUM_TESTS_SUPPORT_ERASURE_H
#define ATRIUM_TESTS_SUPPORT_ERASURE_H

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"

enum {
    ERASURE_DONE_MS = 30000,
    ERASURE_CHANGES = 2,       /* of settings, that erasure_add_traces() makes */
    ERASURE_EXECUTIONS = 1500, /* of a bot, too: a whole batch of botd's and a part of one */
};

/* `atriumctl user receipt` as it is now, and once it is complete; `user delete`. The caller
 * destroys them. */
struct program *erasure_receipt(struct suite *suite, const char *account);
struct program *erasure_complete_receipt(struct suite *suite, const char *account);
struct program *erasure_delete(struct suite *suite, const char *account);

bool erasure_is_complete(const struct program *receipt);

/* A number of a table in a daemon's part, 0 where it is not named. */
long erasure_number(const json_t *receipt, const char *daemon, const char *table, const char *what);

/* So many documents of a person, without bytes. */
void erasure_add_documents(struct suite *suite, const struct person *person, int count);

/* What each of the daemons beside docd has of a person; of another one, too. */
void erasure_add_traces(struct suite *suite, const struct person *person, const char *account);

/* Those of the person are gone, and counted: as often as they were there. */
void erasure_check_traces(struct suite *suite, const struct person *person, const char *account,
                          const struct program *receipt);

/* Runs a query in a transaction that stays open; PQfinish() ends it. */
PGconn *erasure_hold(struct suite *suite, const char *sql);

#endif
