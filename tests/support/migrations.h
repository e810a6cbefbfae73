/*
 * migrations.h - applies migrations as a daemon does and sees whom each would hold up: other
 * instances write while it runs, on tables of any size.
 */
#ifndef ATRIUM_TESTS_SUPPORT_MIGRATIONS_H
#define ATRIUM_TESTS_SUPPORT_MIGRATIONS_H

#include <libpq-fe.h>

#include "common/pg/db.h"

/* On a connection whose search_path begins with the daemon's schema. *ret says which table that was
 * there before is read from end to end under a lock that keeps writers out of it, or out of another
 * one; "" when none is. The size of the tables does not matter. What is to run concurrently is
 * applied twice, as after an interruption. */
void migration_apply(PGconn *conn, const struct db_migration *migration, char *ret, size_t size);

#endif
