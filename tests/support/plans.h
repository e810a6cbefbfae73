/*
 * plans.h - how PostgreSQL plans a daemon's statements: prepared on a schema of its own, as the
 * daemon does it.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PLANS_H
#define ATRIUM_TESTS_SUPPORT_PLANS_H

#include <libpq-fe.h>

#include "common/pg/db.h"
#include "tests/support/pg.h"

struct plans {
    const char *schema;
    const struct db_migration *migrations;
    const struct db_statement *sql[8]; /* its tables of statements, NULL behind the last */
    const char *small;                 /* tables that do not grow with tenants, "a b" */
    const char *emptied; /* tables whose rows come and go, "a, b": vacuumed while there are none */
    /* Migrations that keep writers out of a table while all of it is read: from before this was
     * looked at. */
    const char *blocking;
};

/* Makes the schema by the daemon's migrations, none of which may hold up other instances that write
 * meanwhile. */
void plans_make_schema(const struct plans *self, const struct pg *server);

/* A connection on which every statement is prepared, with as many parameters as its row says;
 * PQfinish it. */
PGconn *plans_open(const struct plans *self, const struct pg *server);

/* Each statement in turn, NULL behind the last. */
const struct db_statement *plans_statement(const struct plans *self, size_t i);

/* The statement with that name; aborts when there is none. */
const struct db_statement *plans_find(const struct plans *self, const char *name);

/* The generic plan of a statement, its lines joined. */
void plans_explain(PGconn *conn, const struct db_statement *statement, char *ret, size_t size);

/* Whether a plan reads a table that grows from end to end. */
bool plans_scan_whole(const struct plans *self, const char *plan);

/* A case: every statement finds its rows by a condition on an index, with the settings that
 * daemons have and the plan that they keep: made of tables that were never analysed, or, worse,
 * that were analysed while they were empty. `walks` are statements that read an index from its
 * start on, under a limit: "A B". */
void plans_check(const struct plans *self, const struct pg *server, const char *walks);

/* Whether a statement is planned on this index, and reads no table from end to end, when `fill` has
 * filled its tables and they were analysed: with the settings that daemons have. */
void plans_check_filled(const struct plans *self, const struct pg *server, const char *fill,
                        const struct db_statement *statement, const char *index);

#endif
