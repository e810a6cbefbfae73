/*
 * migrations.c - see migrations.h.
 */
#include "tests/support/migrations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

/* SQLSTATE of a statement that must run outside a transaction, such as `create index concurrently`,
 * which does not block writers. */
static const char NOT_IN_TRANSACTION[] = "25001";

static void run(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);

    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK, "%.60s: %s", sql, PQerrorMessage(conn));
    PQclear(result);
}

/* Examines the current transaction. A lock for writing rows blocks other writers only by those
 * rows, so it counts only if the same table is fully read. */
static void find_held_up(PGconn *conn, char *ret, size_t size)
{
    PGresult *result =
        PQexec(conn,
               "select s.relname || ' is read from end to end under ' || "
               "l.mode || ' on ' || l.relation::regclass "
               "from pg_stat_xact_user_tables s join pg_locks l on l.pid = pg_backend_pid() "
               "and l.locktype = 'relation' "
               "where s.seq_scan > 0 and s.relid in (select oid from known) "
               "and l.relation in (select oid from known) "
               "and (l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', "
               "'AccessExclusiveLock') or (l.mode = 'RowExclusiveLock' and l.relation = s.relid)) "
               "order by 1 limit 1");

    UNIT_CHECK(PQresultStatus(result) == PGRES_TUPLES_OK, "%s", PQerrorMessage(conn));
    if (PQntuples(result) > 0)
        snprintf(ret, size, "%s", PQgetvalue(result, 0, 0));
    PQclear(result);
}

static void apply_part(PGconn *conn, const char *part, char *ret, size_t size)
{
    PGresult *result;

    run(conn, "create temporary table known as select oid from pg_class "
              "where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace");
    /* Flushes the counts of earlier reads, so that the view has only this transaction's. */
    run(conn, "do 'begin perform pg_stat_force_next_flush(); end'");
    run(conn, "begin");
    result = PQexec(conn, part);
    if (PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK) {
        find_held_up(conn, ret, size);
        run(conn, "commit");
    } else {
        const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

        UNIT_CHECK(state && strcmp(state, NOT_IN_TRANSACTION) == 0, "%.300s: %s", part,
                   PQerrorMessage(conn));
        run(conn, "rollback");
        run(conn, part);
    }
    PQclear(result);
    run(conn, "drop table known");
}

/* Applies all parts of a migration. Without `note` omits the last one, which records the
 * migration. */
static void apply_parts(PGconn *conn, const struct db_migration *migration, bool note, char *ret,
                        size_t size)
{
    const char *rest = migration->sql;
    char *part;

    while ((part = db_migration_part(migration, &rest))) {
        if (rest || note)
            apply_part(conn, part, ret, size);
        free(part);
    }
}

void migration_apply(PGconn *conn, const struct db_migration *migration, char *ret, size_t size)
{
    ret[0] = '\0';
    run(conn, "create table if not exists schema_migration (name text primary key)");
    apply_parts(conn, migration, false, ret, size);
    apply_parts(conn, migration, true, ret, size);
}
