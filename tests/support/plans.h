/*
 * plans.h - PostgreSQL's plans for a daemon's statements, prepared on a test schema as in the
 * daemon.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PLANS_H
#define ATRIUM_TESTS_SUPPORT_PLANS_H

#include <libpq-fe.h>

#include "common/pg/db.h"
#include "tests/support/pg.h"

struct plans {
    const char *schema;
    const struct db_migration *migrations;
    const struct db_statement *sql[8]; /* tables of statements, NULL-terminated */
    const char *small;                 /* tables that do not grow with tenants, "a b" */
    const char *emptied;               /* tables that can be vacuumed while empty, "a, b" */
    /* Names of migrations that block writers while reading a whole table; they are older than this
     * check. */
    const char *blocking;
};

/* Makes the schema with the daemon's migrations and checks that none blocks other instances'
 * writes. */
void plans_make_schema(const struct plans *self, const struct pg *server);

/* Returns a connection with every statement prepared, with its number of parameters. PQfinish
 * it. */
PGconn *plans_open(const struct plans *self, const struct pg *server);

/* Returns the statements by index, NULL after the last. */
const struct db_statement *plans_statement(const struct plans *self, size_t i);

/* Finds a statement by name, or aborts. */
const struct db_statement *plans_find(const struct plans *self, const char *name);

void plans_explain(PGconn *conn, const struct db_statement *statement, char *ret, size_t size);

/* True when a plan fully reads a growing table. */
bool plans_scan_whole(const struct plans *self, const char *plan);

/* Checks, as a case, that every statement uses an index condition, with daemons' settings and with
 * plans cached when tables were never analyzed or were analyzed while empty. `walks` names
 * statements that may read an index from its start, under a limit: "A B". */
void plans_check(const struct plans *self, const struct pg *server, const char *walks);

/* Checks, with daemons' settings and after `fill` and an analyze, that a statement uses this index
 * and fully reads no table. */
void plans_check_filled(const struct plans *self, const struct pg *server, const char *fill,
                        const struct db_statement *statement, const char *index);

#endif
