/*
 * migrations.h - applies migrations like a daemon and detects those that block other instances'
 * writes, whatever the tables' size.
 */
#ifndef ATRIUM_TESTS_SUPPORT_MIGRATIONS_H
#define ATRIUM_TESTS_SUPPORT_MIGRATIONS_H

#include <libpq-fe.h>

#include "common/pg/db.h"

/* Applies a migration on a connection whose search_path starts with the daemon's schema. *ret names
 * an existing table that the migration fully reads while it holds a lock that blocks writers of
 * that or another table; "" for none. Concurrent statements are applied twice, as after an
 * interruption. */
void migration_apply(PGconn *conn, const struct db_migration *migration, char *ret, size_t size);

#endif
